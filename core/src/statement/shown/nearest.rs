//! The name that was meant by one that is not known.

/// The name most like `name`, if one is at all.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|other| (strsim::jaro_winkler(name, other), other))
        // What was given itself is no hint.
        .filter(|(likeness, other)| *likeness > 0.7 && *other != name)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other.to_owned())
}
