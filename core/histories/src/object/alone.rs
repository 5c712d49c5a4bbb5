//! Runs of one thread.

use refmap::random::Generator;

use super::Object;
use super::case::Case;
use super::finding::Finding;
use super::kind::Run;
use super::once::Once;
use super::program::Program;
use super::tested::Part;

/// Tries sequences of calls; one that is wrong is made as short as leaving out calls makes it.
pub(super) fn alone<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Alone);
    for run in 0..effort.alone {
        let mut generator = Generator::numbered(effort.seed, u64::from(run));
        let calls = (0..effort.calls_alone).map(|_| generator.bits() as u32);
        let program = Program {
            threads: vec![calls.collect()],
        };
        if !part.begins(case, &run) {
            return part;
        }
        let once = Once::of_program(case, &program, ahead(run));
        part.count(&once);
        if once.is_wrong() {
            let once = shortest(case, once, program, ahead(run));
            part.found(Finding::of(case, Run::Alone, once));
            return part;
        }
    }
    part.conclude();
    part
}

/// Number by which the calls of a rule are ahead of those of others in a run: objects are small and large.
fn ahead(run: u32) -> u64 {
    1 << (run % 7)
}

/// The same with as few calls as leaving some out leads to. What has hung is left as it is: each further try would take as long.
fn shortest<O: Object>(
    case: &Case<'_, O>,
    mut once: Once<O>,
    mut program: Program,
    ahead: u64,
) -> Once<O> {
    while !once.has_hung() {
        let smaller = program.smaller().find_map(|program| {
            let once = Once::of_program(case, &program, ahead);
            once.is_wrong().then_some((program, once))
        });
        match smaller {
            Some((smaller, wrong)) => (program, once) = (smaller, wrong),
            None => break,
        }
    }
    once
}
