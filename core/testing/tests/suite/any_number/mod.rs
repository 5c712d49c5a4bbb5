//! Any number of members: what is said to hold for every number of them holds with one to five, on random crowds.

mod asking_specification;
mod by_views;
mod group;
mod holders;
mod kept;
mod locks;
mod plain;
mod random;
mod searched;

use refmap::obligation::Selection;
use refmap::{Search, Settings};

/// Obligations that are decided for every number; others are asked of small instances alone.
const DECIDED: [&str; 5] = [
    "invariant",
    "observation",
    "initiality",
    "simulation",
    "agency",
];

/// Settings that ask for what is decided, since most random crowds stop somewhere.
fn settings(views: Option<usize>) -> Settings<'static> {
    Settings {
        search: Search::AnyNumber { views },
        obligations: Selection::only(DECIDED),
        threads: 3,
        ..Settings::default()
    }
}

/// The same of a crowd of which no invariant is claimed.
fn without_invariants(views: Option<usize>) -> Settings<'static> {
    Settings {
        obligations: Selection::only(DECIDED.into_iter().skip(1)),
        ..settings(views)
    }
}
