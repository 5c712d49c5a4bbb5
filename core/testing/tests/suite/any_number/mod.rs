//! Any number of members: what is said to hold for every number of them holds with one to five, on random crowds; and what is no crowd is told so.

mod group;
mod holders;
mod locks;
mod random;

use refmap::{Search, Settings};

fn settings(views: Option<usize>) -> Settings<'static> {
    Settings {
        search: Search::AnyNumber { views },
        threads: 3,
        ..Settings::default()
    }
}
