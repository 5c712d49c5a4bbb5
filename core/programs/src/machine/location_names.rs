//! Names of the locations of a thread, which reports show in the place of their numbers.

use refmap::internal::numbered;

/// Names of the locations of a thread: the texts of the instructions, each with its number where another one has the same, and
/// the end.
pub(crate) fn names<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Vec<String> {
    let mut names = numbered(texts);
    names.push("the end".to_owned());
    names
}
