//! Runs of one thread.

use std::sync::Arc;

use refmap::random::Generator;

use super::finding::Finding;
use super::once::Once;
use super::program::{Moods, Program};
use super::tested::{Part, Run};
use super::{Effort, Object};

/// Tries sequences of calls; one that is wrong is made as short as leaving out calls makes it.
pub(super) fn alone<O: Object>(
    object: &Arc<O>,
    specification: &O::Specification,
    effort: &Effort,
) -> Part {
    let mut part = Part::new::<O>(Run::Alone);
    for run in 0..effort.alone {
        let generator = Generator::numbered(effort.seed, u64::from(run));
        let calls = Moods::new(generator, effort.calls_alone);
        let program = Program {
            threads: vec![calls.collect()],
        };
        let once = Once::of_program(object, specification, &program, effort);
        part.count(&once);
        if once.is_wrong() {
            let once = shortest(once, program, object, specification, effort);
            part.found(Finding::of(Run::Alone, specification, once));
            return part;
        }
    }
    part.conclude();
    part
}

/// The same with as few calls as leaving some out leads to. What has hung is left as it is: each further try would take as long.
fn shortest<O: Object>(
    mut once: Once<O>,
    mut program: Program,
    object: &Arc<O>,
    specification: &O::Specification,
    effort: &Effort,
) -> Once<O> {
    while !once.has_hung() {
        let smaller = program.smaller().find_map(|program| {
            let once = Once::of_program(object, specification, &program, effort);
            once.is_wrong().then_some((program, once))
        });
        match smaller {
            Some((smaller, wrong)) => (program, once) = (smaller, wrong),
            None => break,
        }
    }
    once
}
