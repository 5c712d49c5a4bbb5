//! Trials: all runs of a test, kind by kind.

use super::case::Case;
#[cfg(feature = "loom")]
use super::memory;
#[cfg(feature = "shuttle")]
use super::schedules;
use super::tested::{Part, Tested};
use super::{Effort, Object, alone, threads};

/// Tries an object. `begins` is told of each run before it begins.
pub(super) fn test<O: Object>(object: O, effort: &Effort, begins: &dyn Fn(&str)) -> Tested {
    let case = Case::new(object, effort, begins);
    let mut parts: Vec<fn(&Case<'_, O>) -> Part> = vec![alone::alone];
    #[cfg(feature = "shuttle")]
    if case.object.has_schedules() && effort.programs > 0 {
        parts.push(schedules::schedules);
    }
    #[cfg(feature = "loom")]
    if case.object.has_schedules() && effort.tiny_programs > 0 {
        parts.push(memory::memory);
    }
    parts.push(threads::threads);
    let mut tested = Tested {
        seed: effort.seed,
        parts: Vec::new(),
    };
    for part in parts {
        let part = part(&case);
        let has_found = part.finding.is_some();
        tested.parts.push(part);
        if has_found {
            break;
        }
    }
    tested
}
