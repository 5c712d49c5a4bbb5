//! Two-phase commit, with its messages in a set, refines transaction commit.
//!
//! Source: Gray & Lamport, *Consensus on Transaction Commit*, sections 2 and 3, and its TLA+ modules `TCommit` and
//! `TwoPhase`, whose names the actions have.

use std::collections::BTreeSet;

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Refinement, TransitionSystem};
use serde::Serialize;

/// State of a resource manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

/// State of the transaction manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
enum Coordinator {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[state(system = TwoPhaseCommit)]
enum Message {
    Prepared(#[state(range = 0..system.managers)] u8),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = TwoPhaseCommit)]
pub struct State {
    #[state(len = system.managers)]
    managers: Vec<Manager>,
    coordinator: Coordinator,
    #[state(range = 0..system.managers)]
    prepared: BTreeSet<u8>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "manager")]
pub enum Action {
    #[rule(process = "coordinator")]
    TmCommit,
    #[rule(process = "coordinator")]
    TmAbort,
    #[rule(process = "coordinator")]
    TmRcvPrepared(u8),
    RmPrepare(#[process] u8),
    RmChooseToAbort(#[process] u8),
    RmRcvCommitMsg(#[process] u8),
    RmRcvAbortMsg(#[process] u8),
}

pub struct TwoPhaseCommit {
    managers: u8,
}

impl TransitionSystem for TwoPhaseCommit {
    type State = State;
    type Action = Action;
    type Observation = Vec<Manager>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            managers: vec![Manager::Working; self.managers.into()],
            coordinator: Coordinator::Init,
            prepared: BTreeSet::new(),
            messages: BTreeSet::new(),
        });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        let undecided = from.coordinator == Coordinator::Init;
        if undecided && from.prepared.len() == from.managers.len() {
            let mut to = from.clone();
            to.coordinator = Coordinator::Committed;
            to.messages.insert(Message::Commit);
            visit(Action::TmCommit, to);
        }
        if undecided {
            let mut to = from.clone();
            to.coordinator = Coordinator::Aborted;
            to.messages.insert(Message::Abort);
            visit(Action::TmAbort, to);
        }
        let committed = from.messages.contains(&Message::Commit);
        let aborted = from.messages.contains(&Message::Abort);
        for manager in 0..self.managers {
            let index = usize::from(manager);
            if undecided && from.messages.contains(&Message::Prepared(manager)) {
                let mut to = from.clone();
                to.prepared.insert(manager);
                visit(Action::TmRcvPrepared(manager), to);
            }
            if from.managers[index] == Manager::Working {
                let mut to = from.clone();
                to.managers[index] = Manager::Prepared;
                to.messages.insert(Message::Prepared(manager));
                visit(Action::RmPrepare(manager), to);
                let mut to = from.clone();
                to.managers[index] = Manager::Aborted;
                visit(Action::RmChooseToAbort(manager), to);
            }
            if committed {
                let mut to = from.clone();
                to.managers[index] = Manager::Committed;
                visit(Action::RmRcvCommitMsg(manager), to);
            }
            if aborted {
                let mut to = from.clone();
                to.managers[index] = Manager::Aborted;
                visit(Action::RmRcvAbortMsg(manager), to);
            }
        }
    }

    fn observe(&self, state: &State) -> Vec<Manager> {
        state.managers.clone()
    }

    /// All managers have decided when nothing is left to do.
    fn may_stop(&self, _: &State) -> bool {
        true
    }
}

/// The specification: managers decide, all in the same way.
pub struct TransactionCommit {
    managers: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "manager")]
pub enum Decision {
    Prepare(#[process] u8),
    Commit(#[process] u8),
    Abort(#[process] u8),
}

impl TransitionSystem for TransactionCommit {
    type State = Vec<Manager>;
    type Action = Decision;
    type Observation = Vec<Manager>;

    fn initial(&self, visit: &mut impl FnMut(Vec<Manager>)) {
        visit(vec![Manager::Working; self.managers.into()]);
    }

    fn next(&self, from: &Vec<Manager>, visit: &mut impl FnMut(Decision, Vec<Manager>)) {
        let can_commit = from
            .iter()
            .all(|manager| matches!(manager, Manager::Prepared | Manager::Committed));
        let none_committed = from.iter().all(|manager| *manager != Manager::Committed);
        for manager in 0..self.managers {
            let index = usize::from(manager);
            let mut decide = |decision, value| {
                let mut to = from.clone();
                to[index] = value;
                visit(decision, to);
            };
            match from[index] {
                Manager::Working => decide(Decision::Prepare(manager), Manager::Prepared),
                Manager::Prepared if can_commit => {
                    decide(Decision::Commit(manager), Manager::Committed);
                }
                _ => (),
            }
            if matches!(from[index], Manager::Working | Manager::Prepared) && none_committed {
                decide(Decision::Abort(manager), Manager::Aborted);
            }
        }
    }

    fn observe(&self, state: &Vec<Manager>) -> Vec<Manager> {
        state.clone()
    }

    fn may_stop(&self, _: &Vec<Manager>) -> bool {
        true
    }
}

/// The claim: the one refines the other.
pub struct Commit {
    implementation: TwoPhaseCommit,
    specification: TransactionCommit,
}

impl Commit {
    pub fn new(managers: u8) -> Self {
        Self {
            implementation: TwoPhaseCommit { managers },
            specification: TransactionCommit { managers },
        }
    }
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

    fn map(&self, state: &State) -> Vec<Manager> {
        state.managers.clone()
    }

    fn abstract_steps(&self, from: &State, action: &Action, to: &State) -> AbstractSteps<Decision> {
        let decides =
            |manager: u8| from.managers[usize::from(manager)] != to.managers[usize::from(manager)];
        match *action {
            Action::TmCommit | Action::TmAbort | Action::TmRcvPrepared(_) => Stutter,
            Action::RmPrepare(manager) => One(Decision::Prepare(manager)),
            Action::RmChooseToAbort(manager) => One(Decision::Abort(manager)),
            Action::RmRcvCommitMsg(manager) => {
                decides(manager).then_some(Decision::Commit(manager)).into()
            }
            Action::RmRcvAbortMsg(manager) => {
                decides(manager).then_some(Decision::Abort(manager)).into()
            }
        }
    }

    fn invariants(&self) -> Vec<Invariant<TwoPhaseCommit>> {
        vec![Invariant::new(
            "consistent",
            "TCConsistent",
            |state: &State| {
                let has = |value| state.managers.contains(&value);
                !(has(Manager::Committed) && has(Manager::Aborted))
            },
        )]
    }
}
