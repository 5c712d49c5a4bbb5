//! Settings of checks, and their limits.

use refmap::explore::{Limits, Watch};
use refmap::obligation::{Liveness, Selection, Until};
use refmap::random::Walks;
use refmap::{Search, Settings};
use std::sync::atomic::AtomicBool;

/// Settings of a check of some obligations alone.
pub fn only<const N: usize>(obligations: [&str; N]) -> Settings<'static> {
    Settings {
        obligations: Selection::only(obligations),
        ..Settings::default()
    }
}

/// Settings of a check that does not end at a violation.
pub fn to_the_end() -> Settings<'static> {
    until_with(Until::End, Settings::default().threads)
}

/// Settings of a check by so many threads, until so far.
pub fn until_with(until: Until, threads: usize) -> Settings<'static> {
    Settings {
        until,
        threads,
        ..Settings::default()
    }
}

/// Settings of a check that decides liveness, too.
pub fn with_liveness() -> Settings<'static> {
    Settings {
        liveness: Liveness::Included,
        ..Settings::default()
    }
}

/// Random walks in the place of exploration.
pub fn walking(walks: u32, steps: u32, seed: u64) -> Search {
    Search::Walks(Walks { walks, steps, seed })
}

/// Watch of a check that is cancelled by a flag.
pub fn cancelled_by(cancel: &AtomicBool) -> Watch<'_> {
    Watch {
        cancel: Some(cancel),
        ..Watch::default()
    }
}

/// A limit on states alone.
pub fn up_to_states(most: u64) -> Limits {
    Limits {
        states: Some(most),
        ..Limits::default()
    }
}

/// A limit on the depth alone.
pub fn up_to_depth(most: u32) -> Limits {
    Limits {
        depth: Some(most),
        ..Limits::default()
    }
}

/// A limit on the time alone.
pub fn up_to_seconds(most: f64) -> Limits {
    Limits {
        seconds: Some(most),
        ..Limits::default()
    }
}

/// A limit on memory alone.
pub fn up_to_bytes(most: u64) -> Limits {
    Limits {
        memory_bytes: Some(most),
        ..Limits::default()
    }
}
