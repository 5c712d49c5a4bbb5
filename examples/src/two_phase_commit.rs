//! Two-phase commit refines transaction commit: a protocol with a set of messages, from nothing to a checked refinement.
//!
//! The one idea: what is written once is a state, an action, and what each step does. The derives make of it how states
//! are kept (a word each, of 50 bits with eight managers), which rules there are, and what reports call them.
//!
//! Source: Gray & Lamport, *Consensus on Transaction Commit*, sections 2 and 3, whose actions the names are of.

use std::collections::BTreeSet;

use refmap::AbstractSteps::{self, Stutter};
use refmap::{Action, Refinement, Report, Settings, State, TransitionSystem, check, guard};
use serde::Serialize;

/// State of a resource manager, in both systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

/// The specification: managers decide, and all that decide do so in the same way.
struct TransactionCommit {
    managers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = TransactionCommit)]
#[rule(process = "manager", source = "Gray & Lamport, section 2")]
#[process(0..system.managers)]
enum Decide {
    Prepare(#[process] usize),
    Commit(#[process] usize),
    Abort(#[process] usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
#[state(system = TransactionCommit)]
struct Managers(#[state(len = system.managers)] Vec<Manager>);

impl TransitionSystem for TransactionCommit {
    type State = Managers;
    type Action = Decide;
    type Observation = Vec<Manager>;

    fn initial(&self, visit: &mut impl FnMut(Managers)) {
        visit(Managers(vec![Manager::Working; self.managers]));
    }

    fn fire(&self, decision: &Decide, Managers(managers): &mut Managers) -> Option<()> {
        use Manager::{Aborted, Committed, Prepared, Working};
        match *decision {
            Decide::Prepare(manager) => {
                guard("it works", managers[manager] == Working)?;
                managers[manager] = Prepared;
            }
            Decide::Commit(manager) => {
                let agrees = |one: &Manager| matches!(one, Prepared | Committed);
                guard("it is prepared", managers[manager] == Prepared)
                    .and(guard("all agree", managers.iter().all(agrees)))?;
                managers[manager] = Committed;
            }
            Decide::Abort(manager) => {
                let is_undecided = matches!(managers[manager], Working | Prepared);
                guard("it is undecided", is_undecided)
                    .and(guard("none has committed", !managers.contains(&Committed)))?;
                managers[manager] = Aborted;
            }
        }
        Some(())
    }

    fn observe(&self, Managers(managers): &Managers) -> Vec<Manager> {
        managers.clone()
    }

    fn may_stop(&self, _: &Managers) -> bool {
        true
    }
}

/// The implementation: a coordinator asks all managers, and tells them what is decided.
struct TwoPhaseCommit {
    managers: usize,
    /// Votes the coordinator awaits before it commits.
    waits_for: Votes,
}

/// The one place in which the implementations below differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Votes {
    /// All managers are prepared.
    All,
    /// All but one of them are, which is wrong.
    AllButOne,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
enum Coordinator {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = TwoPhaseCommit)]
enum Message {
    Prepared(#[state(range = 0..system.managers)] usize),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
#[state(system = TwoPhaseCommit)]
struct Protocol {
    #[state(len = system.managers)]
    managers: Vec<Manager>,
    coordinator: Coordinator,
    #[state(range = 0..system.managers)]
    prepared: BTreeSet<usize>,
    messages: BTreeSet<Message>,
}

// ANCHOR: actions
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = TwoPhaseCommit)]
#[rule(process = "manager", source = "Gray & Lamport, section 3")]
#[process(0..system.managers)]
enum Step {
    #[rule(process = "coordinator")]
    TmCommit,
    #[rule(process = "coordinator")]
    TmAbort,
    #[rule(process = "coordinator")]
    TmRcvPrepared(#[action(range = 0..system.managers)] usize),
    RmPrepare(#[process] usize),
    RmChooseToAbort(#[process] usize),
    RmRcvCommitMsg(#[process] usize),
    RmRcvAbortMsg(#[process] usize),
}
// ANCHOR_END: actions

impl TransitionSystem for TwoPhaseCommit {
    type State = Protocol;
    type Action = Step;
    type Observation = Vec<Manager>;

    fn initial(&self, visit: &mut impl FnMut(Protocol)) {
        visit(Protocol {
            managers: vec![Manager::Working; self.managers],
            coordinator: Coordinator::Init,
            prepared: BTreeSet::new(),
            messages: BTreeSet::new(),
        });
    }

    // ANCHOR: rules
    fn fire(&self, step: &Step, state: &mut Protocol) -> Option<()> {
        let has_come = |message| state.messages.contains(&message);
        let is_undecided = state.coordinator == Coordinator::Init;
        match *step {
            Step::TmRcvPrepared(manager) => {
                guard("the coordinator is undecided", is_undecided)?;
                guard("the message has come", has_come(Message::Prepared(manager)))?;
                state.prepared.insert(manager);
            }
            Step::TmCommit => {
                let votes = match self.waits_for {
                    Votes::All => self.managers,
                    Votes::AllButOne => self.managers - 1,
                };
                guard("the coordinator is undecided", is_undecided)?;
                guard("the votes have come", state.prepared.len() >= votes)?;
                state.coordinator = Coordinator::Committed;
                state.messages.insert(Message::Commit);
            }
            Step::TmAbort => {
                guard("the coordinator is undecided", is_undecided)?;
                state.coordinator = Coordinator::Aborted;
                state.messages.insert(Message::Abort);
            }
            Step::RmPrepare(manager) => {
                guard("it works", state.managers[manager] == Manager::Working)?;
                state.managers[manager] = Manager::Prepared;
                state.messages.insert(Message::Prepared(manager));
            }
            Step::RmChooseToAbort(manager) => {
                guard("it works", state.managers[manager] == Manager::Working)?;
                state.managers[manager] = Manager::Aborted;
            }
            Step::RmRcvCommitMsg(manager) => {
                guard("the message has come", has_come(Message::Commit))?;
                state.managers[manager] = Manager::Committed;
            }
            Step::RmRcvAbortMsg(manager) => {
                guard("the message has come", has_come(Message::Abort))?;
                state.managers[manager] = Manager::Aborted;
            }
        }
        Some(())
    }
    // ANCHOR_END: rules

    fn observe(&self, state: &Protocol) -> Vec<Manager> {
        state.managers.clone()
    }

    fn may_stop(&self, _: &Protocol) -> bool {
        true
    }
}

/// The claim: the one refines the other.
struct Commit {
    implementation: TwoPhaseCommit,
    specification: TransactionCommit,
}

impl Refinement for Commit {
    type Implementation = TwoPhaseCommit;
    type Specification = TransactionCommit;

    fn implementation(&self) -> &TwoPhaseCommit {
        &self.implementation
    }

    fn specification(&self) -> &TransactionCommit {
        &self.specification
    }

    fn map(&self, state: &Protocol) -> Managers {
        Managers(state.managers.clone())
    }

    /// A message that comes again changes nothing.
    fn abstract_steps(&self, from: &Protocol, step: &Step, to: &Protocol) -> AbstractSteps<Decide> {
        let decision = match *step {
            Step::TmCommit | Step::TmAbort | Step::TmRcvPrepared(_) => return Stutter,
            Step::RmPrepare(manager) => Decide::Prepare(manager),
            Step::RmRcvCommitMsg(manager) => Decide::Commit(manager),
            Step::RmChooseToAbort(manager) | Step::RmRcvAbortMsg(manager) => Decide::Abort(manager),
        };
        (from.managers != to.managers).then_some(decision).into()
    }
}

fn run(managers: usize, waits_for: Votes) -> Report {
    let refinement = Commit {
        implementation: TwoPhaseCommit {
            managers,
            waits_for,
        },
        specification: TransactionCommit { managers },
    };
    let report = check(&refinement, &Settings::default()).expect("every obligation is checked");
    let instance = [
        ("managers", managers.to_string()),
        ("waits_for", format!("{waits_for:?}")),
    ];
    report.named("two-phase-commit", instance)
}

pub fn main() {
    println!("{}", run(5, Votes::All));

    // A coordinator in a hurry commits while a manager may still abort.
    println!("{}", run(3, Votes::AllButOne));
}

#[cfg(test)]
mod tests {
    use refmap::explore::StatesKept;
    use refmap::{Evidence, Verdict};

    use super::*;

    /// The counts are those of the TLA+ module `TwoPhase`, as others have found them.
    #[test]
    fn two_phase_commit_refines_transaction_commit() {
        for (managers, states, bits) in [(3, 288, 20), (4, 1_568, 26), (5, 8_832, 32)] {
            let report = run(managers, Votes::All);
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
            assert_eq!(
                (report.evidence, report.states),
                (Evidence::Exhaustive, states)
            );
            assert_eq!(report.states_kept, Some(StatesKept::Packed { bits }));
            assert!(report.unexercised.is_empty());
        }
    }

    #[test]
    fn a_commit_without_all_votes_is_found() {
        let report = run(3, Votes::AllButOne);
        assert_eq!(report.verdict, Some(Verdict::Violated));
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.length, 6);
        assert_eq!(counterexample.nearest[0].false_conjuncts, ["all agree"]);
    }
}
