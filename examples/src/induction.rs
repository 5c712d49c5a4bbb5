//! An invariant that is true and not inductive, and how its counterexample leads to one that is.
//!
//! The one idea: reachability shows that an invariant holds of an instance; induction shows why. An
//! invariant is inductive if no step leads from a state that satisfies it to one that does not,
//! whether or not the state is ever reached. What a counterexample to induction asks is: what do you
//! know that keeps this state from being reached?

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Checker, Induction, Settings};
use refmap::{Invariant, Refinement, Report, TransitionSystem, TypeCorrect, guard};
use serde::Serialize;

/// The specification: at most one of two threads is in its critical section.
struct Exclusion;

/// The implementation: a flag that is set while a thread is inside.
struct Lock;

/// A state of the implementation; a state of the specification is the thread inside, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Flag {
    locked: bool,
    inside: [bool; 2],
}

/// An action of both systems, by one of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "thread", source = "this page")]
enum Step {
    Enter(#[action(range = 0..2)] usize),
    Leave(#[action(range = 0..2)] usize),
}

impl TransitionSystem for Exclusion {
    type State = Option<usize>;
    type Action = Step;
    /// The threads inside.
    type Observation = [bool; 2];

    fn initial(&self, visit: &mut impl FnMut(Option<usize>)) {
        visit(None);
    }

    fn fire(&self, step: &Step, inside: &mut Option<usize>) -> Option<()> {
        match *step {
            Step::Enter(thread) => {
                guard("nobody is inside", inside.is_none())?;
                *inside = Some(thread);
            }
            Step::Leave(thread) => {
                guard("it is inside", *inside == Some(thread))?;
                *inside = None;
            }
        }
        Some(())
    }

    fn observe(&self, inside: &Option<usize>) -> [bool; 2] {
        [*inside == Some(0), *inside == Some(1)]
    }
}

impl TransitionSystem for Lock {
    type State = Flag;
    type Action = Step;
    type Observation = [bool; 2];

    fn initial(&self, visit: &mut impl FnMut(Flag)) {
        visit(Flag {
            locked: false,
            inside: [false; 2],
        });
    }

    fn fire(&self, step: &Step, Flag { locked, inside }: &mut Flag) -> Option<()> {
        match *step {
            Step::Enter(thread) => {
                guard("it is outside", !inside[thread])?;
                guard("the flag is not set", !*locked)?;
                (*locked, inside[thread]) = (true, true);
            }
            Step::Leave(thread) => {
                guard("it is inside", inside[thread])?;
                (*locked, inside[thread]) = (false, false);
            }
        }
        Some(())
    }

    fn observe(&self, state: &Flag) -> [bool; 2] {
        state.inside
    }
}

/// All values of the three variables: eight states, of which three are reachable.
impl TypeCorrect for Lock {}

/// The invariant wanted, mutual exclusion: not both are inside.
fn exclusion() -> Invariant<Lock> {
    let source = "the specification";
    Invariant::new("exclusion", source, |s: &Flag| s.inside != [true; 2])
}

/// The missing invariant: a thread inside has set the flag.
fn flag_is_set() -> Invariant<Lock> {
    let source = "the counterexample to the induction of `exclusion`";
    Invariant::new("flag_is_set", source, |s: &Flag| s.locked)
        .when(|s: &Flag| s.inside.contains(&true))
}

struct LockExcludes {
    invariants: fn() -> Vec<Invariant<Lock>>,
}

impl Refinement for LockExcludes {
    type Implementation = Lock;
    type Specification = Exclusion;

    fn implementation(&self) -> &Lock {
        &Lock
    }

    fn specification(&self) -> &Exclusion {
        &Exclusion
    }

    fn map(&self, state: &Flag) -> Option<usize> {
        state.inside.iter().position(|inside| *inside)
    }

    fn abstract_steps(&self, _: &Flag, step: &Step, _: &Flag) -> AbstractSteps<Step> {
        One(*step)
    }

    fn invariants(&self) -> Vec<Invariant<Lock>> {
        (self.invariants)()
    }
}

fn run(name: &str, invariants: fn() -> Vec<Invariant<Lock>>) -> Report {
    let settings = Settings {
        induction: Induction::Included,
        ..Settings::default()
    };
    Checker::new(&LockExcludes { invariants })
        .inductive()
        .check(&settings)
        .expect("every obligation is checked")
        .named(name, [("threads", 2)])
}

pub fn main() {
    // True of all three reachable states, and not inductive: thread 0 is inside, the flag is not set,
    // and thread 1 enters.
    println!("{}", run("exclusion alone", || vec![exclusion()]));

    // No such state is reached, because a thread inside has set the flag. That is an invariant too,
    // and the two together are inductive. Each needs the other: without `exclusion`, the first to
    // leave would clear the flag while the second is still inside.
    println!(
        "{}",
        run("exclusion, explained", || vec![exclusion(), flag_is_set()])
    );

    // The change that makes the check fail: `flag_is_set` alone is true, and not inductive either.
    println!("{}", run("the flag alone", || vec![flag_is_set()]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    fn verdict(report: &Report, name: &str) -> Verdict {
        report.obligation(name).expect("it has a row").verdict
    }

    #[test]
    fn exclusion_is_true_and_not_inductive() {
        let report = run("alone", || vec![exclusion()]);
        assert_eq!(report.states, 3);
        assert_eq!(verdict(&report, "invariant:exclusion"), Verdict::Holds);
        assert_eq!(verdict(&report, "inductive:exclusion"), Verdict::Violated);
        let shown = report.counterexample.expect("it is shown");
        assert!(!shown.reachable);
        assert_eq!(shown.steps[0].state["locked"], false);
    }

    #[test]
    fn with_the_flag_it_is_inductive_and_both_are_needed() {
        let report = run("both", || vec![exclusion(), flag_is_set()]);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        for name in ["inductive:exclusion", "inductive:flag_is_set"] {
            assert_eq!(
                report.obligation(name).and_then(|row| row.needed),
                Some(true)
            );
        }
    }

    #[test]
    fn the_flag_alone_is_not_inductive() {
        let report = run("flag", || vec![flag_is_set()]);
        assert_eq!(verdict(&report, "invariant:flag_is_set"), Verdict::Holds);
        assert_eq!(verdict(&report, "inductive:flag_is_set"), Verdict::Violated);
    }
}
