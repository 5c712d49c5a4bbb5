//! A stack in which a push and a pop meet: one step that simulates two.
//!
//! The one idea: a step of an implementation may be where several operations take effect at once. In a lock-free stack with
//! elimination [Hendler, Shavit & Yerushalmi, *A Scalable Lock-Free Stack Algorithm*, SPAA 2004] a push that has not come to
//! the stack leaves its value in a slot, and a pop takes it there: neither touches the stack, and both are done. The
//! specification knows no slot. So the step simulates its push and then its pop, and between them is a state that the
//! implementation never has. Queues in which a thread finishes what another one began need the same.

use refmap::AbstractSteps::{self, One, Several, Stutter};
use refmap::{
    Action, Constraint, Refinement, Report, Settings, State, TransitionSystem, check, guard,
};
use serde::Serialize;

const THREADS: usize = 2;
/// Values that are pushed.
const VALUES: u8 = 2;

/// The specification: a stack.
struct Stack;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Contents {
    #[state(range = 0..VALUES)]
    values: Vec<u8>,
    /// Per thread, the value that it popped last.
    #[state(range = 0..VALUES)]
    popped: [Option<u8>; THREADS],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "thread")]
#[process(0..THREADS)]
enum Operation {
    Push {
        #[process]
        thread: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
    Pop(#[process] usize),
}

impl TransitionSystem for Stack {
    type State = Contents;
    type Action = Operation;
    type Observation = [Option<u8>; THREADS];

    fn initial(&self, visit: &mut impl FnMut(Contents)) {
        visit(Contents {
            values: Vec::new(),
            popped: [None; THREADS],
        });
    }

    fn fire(&self, operation: &Operation, state: &mut Contents) -> Option<()> {
        match *operation {
            Operation::Push { value, .. } => state.values.push(value),
            Operation::Pop(thread) => state.popped[thread] = Some(state.values.pop()?),
        }
        Some(())
    }

    fn observe(&self, state: &Contents) -> [Option<u8>; THREADS] {
        state.popped
    }
}

/// The implementation: a stack with a slot.
struct Eliminating;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Memory {
    stack: Contents,
    /// A push that waits for a pop: its thread and its value.
    #[state(range = 0..2)]
    slot: Option<(usize, u8)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "thread")]
#[process(0..THREADS)]
enum Step {
    Push {
        #[process]
        thread: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
    Pop(#[process] usize),
    /// A push leaves its value in the slot.
    Offer {
        #[process]
        thread: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
    /// A push takes its value back, to try the stack.
    Withdraw(#[process] usize),
    /// A pop takes the value from the slot.
    Meet(#[process] usize),
}

impl TransitionSystem for Eliminating {
    type State = Memory;
    type Action = Step;
    type Observation = [Option<u8>; THREADS];

    fn initial(&self, visit: &mut impl FnMut(Memory)) {
        Stack.initial(&mut |stack| visit(Memory { stack, slot: None }));
    }

    fn fire(&self, step: &Step, memory: &mut Memory) -> Option<()> {
        let Memory { stack, slot } = memory;
        let waits = |thread| slot.is_some_and(|(owner, _)| owner == thread);
        match *step {
            Step::Push { thread, value } => {
                guard("it does not wait", !waits(thread))?;
                stack.values.push(value);
            }
            Step::Pop(thread) => {
                guard("it does not wait", !waits(thread))?;
                stack.popped[thread] = Some(stack.values.pop()?);
            }
            Step::Offer { thread, value } => {
                guard("the slot is free", slot.is_none())?;
                *slot = Some((thread, value));
            }
            Step::Withdraw(thread) => {
                guard("it waits", waits(thread))?;
                *slot = None;
            }
            Step::Meet(thread) => {
                let (owner, value) = slot.take()?;
                guard("another thread waits", owner != thread)?;
                stack.popped[thread] = Some(value);
            }
        }
        Some(())
    }

    fn observe(&self, state: &Memory) -> [Option<u8>; THREADS] {
        state.stack.popped
    }
}

/// Claim about the push that a pop meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pushes {
    /// That it takes effect just before the pop.
    BeforePop,
    /// Nothing. Wrong: the value that the pop returns was never pushed.
    Never,
}

struct EliminatingIsAStack(Pushes);

// ANCHOR: steps
impl Refinement for EliminatingIsAStack {
    type Implementation = Eliminating;
    type Specification = Stack;

    fn implementation(&self) -> &Eliminating {
        &Eliminating
    }

    fn specification(&self) -> &Stack {
        &Stack
    }

    fn map(&self, state: &Memory) -> Contents {
        state.stack.clone()
    }

    /// The operations that take effect, in their order.
    fn abstract_steps(&self, from: &Memory, step: &Step, _: &Memory) -> AbstractSteps<Operation> {
        match (step, from.slot) {
            (&Step::Push { thread, value }, _) => One(Operation::Push { thread, value }),
            (&Step::Meet(popping), Some((thread, value))) if self.0 == Pushes::BeforePop => {
                Several(vec![
                    Operation::Push { thread, value },
                    Operation::Pop(popping),
                ])
            }
            (&(Step::Pop(thread) | Step::Meet(thread)), _) => One(Operation::Pop(thread)),
            (Step::Offer { .. } | Step::Withdraw(_), _) => Stutter,
        }
    }

    /// A stack grows without end: states with more than two values are not expanded.
    fn constraint(&self) -> Option<Constraint<Eliminating>> {
        let within = |state: &Memory| state.stack.values.len() <= 2;
        Some(Constraint::new("at most 2 values on the stack", within))
    }
}
// ANCHOR_END: steps

fn run(pushes: Pushes) -> Report {
    check(&EliminatingIsAStack(pushes), &Settings::default()).expect("the settings fit")
}

pub fn main() {
    for pushes in [Pushes::BeforePop, Pushes::Never] {
        println!("{}", run(pushes));
    }
}

// Change it: let `Meet` leave the value in the slot. Two pops return one value that was pushed once; which row says so?

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    #[test]
    fn a_pop_that_meets_a_push_is_a_push_and_then_a_pop() {
        let report = run(Pushes::BeforePop);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let headline =
            "holds, at most 2 values on the stack: 360 states were not expanded, bounded";
        assert!(report.to_string().contains(headline), "{report}");
    }

    #[test]
    fn without_the_push_the_pop_returns_what_was_never_pushed() {
        let report = run(Pushes::Never);
        let counterexample = report.counterexample.as_ref().expect("it is violated");
        let shown = (&*counterexample.obligation, counterexample.length);
        assert_eq!(shown, ("simulation", 2), "{report}");
    }
}
