//! The obligations that a user chooses, by name.

/// The obligations chosen for a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    #[default]
    Default,
    /// None: explore and count.
    Nothing,
    /// Obligations for which these patterns stand: `simulation` and `invariant:small` for one each, `invariant` and `environment`
    /// for all of theirs, and `invariant:s*` for those whose names begin so. `*` is any text, and a backslash takes the
    /// character behind it as it is.
    Only(Vec<String>),
}

impl Selection {
    /// Just these.
    pub fn only<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Only(patterns.into_iter().map(str::to_owned).collect())
    }
}
