//! Progress of a protocol as fairness conditions of its threads, and as properties of its states.

use refmap::Property;
use refmap_programs::{Machine, Operand, Program, Progress as Running, State, Value};
use refmap_systems::copying::{PARITY, Progress};

const SOURCE: &str = "Herlihy & Shavit, On the Nature of Progress";

/// The number of the collector's thread; those of the mutators follow.
const COLLECTOR: usize = 0;
/// The number of the thread of the first mutator.
const FIRST: usize = 1;

/// The machine whose threads go on as the progress says.
pub(super) fn assumed(machine: Machine, progress: Progress) -> Machine {
    let all = 0..machine.program().threads.len();
    match progress {
        Progress::WaitFree | Progress::LockFree => machine.fair([FIRST]),
        Progress::CopiedAlone => machine.fair([COLLECTOR]),
        Progress::StarvationFree | Progress::Copied | Progress::CopiedUnderLoad => {
            machine.fair(all)
        }
        Progress::CopiedUnderLoadStrongly => machine.strongly_fair(all),
    }
}

/// The progress as properties of the program.
pub(super) fn properties(program: &Program, progress: Progress) -> Vec<Property<Machine>> {
    let mutators = FIRST..program.threads.len();
    match progress {
        Progress::WaitFree => completes(program, "(0)", &[FIRST]).to_vec(),
        Progress::LockFree => completes(program, "", &mutators.collect::<Vec<_>>()).to_vec(),
        Progress::StarvationFree => {
            let each = mutators.map(|thread| {
                let number = format!("({})", thread - FIRST);
                completes(program, &number, &[thread])
            });
            each.flatten().collect()
        }
        Progress::CopiedAlone
        | Progress::Copied
        | Progress::CopiedUnderLoad
        | Progress::CopiedUnderLoadStrongly => {
            let end = program.threads[COLLECTOR].code.len();
            let has_ended = move |state: &State| {
                let collector = &state.threads[COLLECTOR];
                collector.progress == Running::Running
                    && usize::from(collector.next) == end
                    && collector.pending.is_empty()
            };
            vec![Property::eventually("copied", SOURCE, has_ended)]
        }
    }
}

/// These mutators complete operations for ever: the number of operations that they have completed together is odd again and
/// again, and even again and again.
fn completes(program: &Program, of: &str, threads: &[usize]) -> [Property<Machine>; 2] {
    let parities = threads.iter().map(|thread| {
        let mut registers = program.threads[*thread].registers.iter();
        let parity = registers.position(|register| register.name == PARITY);
        (*thread, parity.expect("a mutator that repeats has one"))
    });
    let parities: Vec<(usize, usize)> = parities.collect();
    [("completes-odd", true), ("completes-even", false)].map(|(name, is_odd)| {
        let parities = parities.clone();
        let holds = move |state: &State| {
            let odd = parities.iter().filter(|(thread, register)| {
                state.threads[*thread].registers[*register] == Operand::Known(Value::Number(1))
            });
            (odd.count() % 2 == 1) == is_odd
        };
        Property::always_eventually(format!("{name}{of}"), SOURCE, holds)
    })
}
