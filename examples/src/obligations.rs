//! One fault for each obligation: the report in which it fails.
//!
//! The one idea: an obligation is understood by what passes without it. Two threads enter a critical section in turn, and
//! increment a counter when they leave. Each fault is a small change of the implementation or of its mapping, and is
//! found by one obligation, named in the fault.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Action, Invariant, Process, Refinement, Report, Settings, State, TransitionSystem};
use refmap::{
    check, guard,
    obligation::{Selection, Until},
};
use serde::Serialize;

/// A change that violates the obligation of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Observation,
    Initiality,
    Simulation,
    Agency,
    Invariant,
    Environment,
    AtRest,
    Deadlock,
    Coverage,
    Model,
}

/// The specification: a counter modulo 4 that two threads increment.
struct Counter;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "thread")]
enum Change {
    Increment {
        #[process(0..2)]
        thread: u8,
    },
}

impl TransitionSystem for Counter {
    type State = u8;
    type Action = Change;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, _: &Change, counter: &mut u8) -> Option<()> {
        *counter = (*counter + 1) % 4;
        Some(())
    }

    fn observe(&self, counter: &u8) -> u8 {
        *counter
    }
}

/// The implementation: a thread enters a critical section, and increments the counter when it leaves.
struct Section(Fault);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
#[state(system = Section)]
struct Memory {
    #[state(range = 0..4)]
    counter: u8,
    inside: [bool; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "thread")]
#[process(0..2)]
enum Step {
    Enter {
        #[process]
        thread: u8,
    },
    Leave {
        #[process]
        thread: u8,
    },
}

impl TransitionSystem for Section {
    type State = Memory;
    type Action = Step;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(Memory)) {
        visit(Memory {
            counter: u8::from(self.0 == Fault::Initiality),
            inside: [false; 2],
        });
    }

    // ANCHOR: faults
    fn fire(&self, step: &Step, memory: &mut Memory) -> Option<()> {
        let Memory { counter, inside } = memory;
        match *step {
            Step::Enter { thread } => {
                let is_open = match self.0 {
                    Fault::Invariant => !inside[usize::from(thread)],
                    Fault::Environment => *inside == [false; 2] && thread == 0,
                    Fault::Deadlock => *inside == [false; 2] && *counter < 3,
                    _ => *inside == [false; 2],
                };
                guard("the section is open", is_open)?;
                inside[usize::from(thread)] = true;
            }
            Step::Leave { thread } => {
                let may_leave = match self.0 {
                    Fault::AtRest => thread == 0 || *counter != 1,
                    _ => true,
                };
                guard("the thread is inside", inside[usize::from(thread)])?;
                guard("it may leave", may_leave)?;
                inside[usize::from(thread)] = false;
                *counter = match self.0 {
                    Fault::Coverage => *counter,
                    Fault::Simulation => (*counter + 2) % 4,
                    Fault::Model => *counter + 1,
                    _ => (*counter + 1) % 4,
                };
            }
        }
        Some(())
    }
    // ANCHOR_END: faults

    fn observe(&self, memory: &Memory) -> u8 {
        memory.counter
    }
}

struct SectionRefinesCounter(Section);

impl Refinement for SectionRefinesCounter {
    type Implementation = Section;
    type Specification = Counter;

    fn implementation(&self) -> &Section {
        &self.0
    }

    fn specification(&self) -> &Counter {
        &Counter
    }

    fn map(&self, memory: &Memory) -> u8 {
        match self.0.0 {
            Fault::Observation => 0,
            _ => memory.counter,
        }
    }

    fn abstract_steps(&self, _: &Memory, step: &Step, _: &Memory) -> AbstractSteps<Change> {
        match *step {
            Step::Leave { .. } if self.0.0 == Fault::Coverage => Stutter,
            Step::Leave { .. } if self.0.0 == Fault::Agency => One(Change::Increment { thread: 0 }),
            Step::Leave { thread } => One(Change::Increment { thread }),
            Step::Enter { .. } => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<Section>> {
        let exclusion = |memory: &Memory| memory.inside != [true; 2];
        vec![Invariant::new("exclusion", "this page", exclusion)]
    }

    fn environment(&self) -> &[Process] {
        const {
            &[
                Process::numbered("thread", 0),
                Process::numbered("thread", 1),
            ]
        }
    }

    fn at_rest(&self, memory: &Memory, process: Process) -> bool {
        !memory.inside[usize::from(process.number.expect("threads are numbered"))]
    }
}

/// The faults, each with the obligation that finds it.
pub const FAULTS: [(Fault, &str); 10] = [
    (Fault::Observation, "observation"),
    (Fault::Initiality, "initiality"),
    (Fault::Simulation, "simulation"),
    (Fault::Agency, "agency"),
    (Fault::Invariant, "invariant:exclusion"),
    (Fault::Environment, "environment:increment"),
    (Fault::AtRest, "environment:at_rest"),
    (Fault::Deadlock, "deadlock"),
    (Fault::Coverage, "coverage"),
    (Fault::Model, "model"),
];

/// Checks all obligations of `fault`, or that one alone which finds it.
fn run(fault: Fault, obligations: Selection) -> Report {
    let settings = Settings {
        obligations,
        threads: 1,
        until: Until::End,
        ..Settings::default()
    };
    check(&SectionRefinesCounter(Section(fault)), &settings)
        .expect("every obligation is checked")
        .named("section", [("fault", format!("{fault:?}"))])
}

/// The counterexample to one obligation, by its name; nothing if it has none.
pub fn counterexample(obligation: &str) -> Option<String> {
    let (fault, _) = *FAULTS.iter().find(|(_, name)| *name == obligation)?;
    let only = match fault {
        // It is no obligation that is chosen.
        Fault::Model => Selection::Default,
        _ => Selection::only([obligation]),
    };
    let report = run(fault, only);
    let row = report.obligation(obligation)?;
    Some(row.counterexamples.first()?.to_string())
}

pub fn main() {
    println!("{}", run(Fault::None, Selection::Default));
    for (_, obligation) in FAULTS {
        println!("{}", counterexample(obligation).expect("it is violated"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    #[test]
    fn without_a_fault_everything_holds() {
        let report = run(Fault::None, Selection::Default);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, 12);
    }

    #[test]
    fn each_fault_is_found_by_the_obligation_of_its_name() {
        for (fault, obligation) in FAULTS {
            let report = run(fault, Selection::Default);
            let violated: Vec<_> = report.violated().collect();
            assert!(violated.contains(&obligation), "{violated:?}\n{report}");
        }
    }
}
