//! Location of a process, with the steps that can be taken there.

use refmap::internal::numbered;

use crate::instance::Offer;
use crate::label::CommandLabel;

/// Steps that can be taken at a location of a process.
pub(super) struct Point<N> {
    /// One for each of its steps.
    pub offers: Vec<Offer<N>>,
    /// Those of the steps that are responses.
    pub responses: Vec<usize>,
    /// True if all its steps are fused with the previous step.
    pub is_fused: bool,
}

/// The most labels in the name of a location.
const MOST_LABELS: usize = 3;

/// Names of the locations of a process: the labels of the steps that it can take there, and with its number where another
/// location has the same.
pub(super) fn names<N: CommandLabel>(points: &[Point<N>]) -> Vec<String> {
    let names: Vec<String> = points.iter().map(name).collect();
    numbered(names.iter().map(String::as_str))
}

fn name<N: CommandLabel>(point: &Point<N>) -> String {
    let labels = point.offers.iter().map(|offer| offer.label.to_string());
    let labels: Vec<String> = labels.collect();
    match labels.len() {
        0 => "the end".to_owned(),
        1..=MOST_LABELS => labels.join(" or "),
        more => format!("{} or {} others", labels[0], more - 1),
    }
}
