//! Names of the locations of a thread, which reports show in the place of their numbers.

use std::collections::HashMap;

/// Names of the locations of a thread: the texts of the instructions, each with its number where another one has the same, and
/// the end.
pub(crate) fn names<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for text in texts.clone() {
        *counts.entry(text).or_default() += 1;
    }
    let names = texts.enumerate().map(|(at, text)| {
        if counts[text] > 1 {
            format!("{text} ({at})")
        } else {
            text.to_owned()
        }
    });
    names.chain(["the end".to_owned()]).collect()
}
