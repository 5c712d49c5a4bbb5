//! Trials: all runs of a test, kind by kind.

use super::case::Case;
use super::kind::Run;
#[cfg(feature = "loom")]
use super::memory;
#[cfg(feature = "shuttle")]
use super::schedules;
use super::tested::{Part, Tested};
use super::{Effort, Object, alone, threads};

/// Tries an object. `begins` is told of each run before it begins, and says whether it is to.
pub(super) fn test<O: Object>(object: O, effort: &Effort, begins: &dyn Fn(&str) -> bool) -> Tested {
    let case = Case::new(object, effort, begins);
    let mut parts: Vec<fn(&Case<'_, O>) -> Part> = vec![alone::alone];
    #[cfg(feature = "shuttle")]
    if case.object.has_schedules() && effort.programs > 0 {
        parts.push(schedules::schedules);
    }
    #[cfg(feature = "loom")]
    if case.object.has_schedules() && effort.tiny_programs > 0 && is_for_loom(&*case.object) {
        parts.push(memory::memory);
    }
    parts.push(threads::threads);
    let mut tested = Tested {
        seed: effort.seed,
        parts: Vec::new(),
        left_out: left_out(&*case.object, effort),
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

/// Greatest number of threads under Loom, beside that which waits for them.
const MOST_OF_LOOM: u32 = 4;

fn is_for_loom<O: Object>(object: &O) -> bool {
    *object.threads().start() <= MOST_OF_LOOM
}

/// Kinds of runs that this object or effort leaves out, each with the reason.
fn left_out<O: Object>(object: &O, effort: &Effort) -> Vec<String> {
    let kinds = [
        (
            Run::Schedules,
            effort.programs,
            cfg!(feature = "shuttle"),
            "shuttle",
        ),
        (
            Run::Memory,
            effort.tiny_programs,
            cfg!(feature = "loom"),
            "loom",
        ),
    ];
    let left_out = kinds.into_iter().filter_map(|(run, programs, is_there, feature)| {
        if !object.has_schedules() {
            Some(format!("{run}, since the object does not say that it names its primitives by `refmap_schedules`"))
        } else if !is_there {
            Some(format!("{run}, since the feature `{feature}` is not asked for"))
        } else if run == Run::Memory && !is_for_loom(object) {
            Some(format!("{run}, since Loom runs {MOST_OF_LOOM} threads at most"))
        } else if programs == 0 {
            Some(format!("{run}, since the effort has no programs for it"))
        } else {
            None
        }
    });
    left_out.collect()
}
