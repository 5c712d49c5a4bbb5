//! Runs of one thread.

use refmap::random::Generator;

use super::Object;
use super::case::Case;
use super::finding::Finding;
use super::once::Once;
use super::program::{Moods, Program};
use super::tested::{Part, Run};

/// Tries sequences of calls; one that is wrong is made as short as leaving out calls makes it.
pub(super) fn alone<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Alone);
    for run in 0..effort.alone {
        let generator = Generator::numbered(effort.seed, u64::from(run));
        let calls = Moods::new(generator, effort.calls_alone);
        let program = Program {
            threads: vec![calls.collect()],
        };
        case.begins(Run::Alone, &run);
        let once = Once::of_program(case, &program);
        part.count(&once);
        if once.is_wrong() {
            let once = shortest(case, once, program);
            part.found(Finding::of(case, Run::Alone, once));
            return part;
        }
    }
    part.conclude();
    part
}

/// The same with as few calls as leaving some out leads to. What has hung is left as it is: each further try would take as long.
fn shortest<O: Object>(case: &Case<'_, O>, mut once: Once<O>, mut program: Program) -> Once<O> {
    while !once.has_hung() {
        let smaller = program.smaller().find_map(|program| {
            let once = Once::of_program(case, &program);
            once.is_wrong().then_some((program, once))
        });
        match smaller {
            Some((smaller, wrong)) => (program, once) = (smaller, wrong),
            None => break,
        }
    }
    once
}
