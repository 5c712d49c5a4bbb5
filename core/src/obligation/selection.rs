//! The obligations that a user chooses, by name.

/// The obligations chosen for a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    #[default]
    Default,
    /// None: explore and count.
    Nothing,
    /// Those named; `invariant` and `environment` stand for all of theirs.
    Only(Vec<String>),
}

impl Selection {
    /// Just these.
    pub fn only<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Only(names.into_iter().map(str::to_owned).collect())
    }
}
