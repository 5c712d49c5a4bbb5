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

impl State {
    fn is_sent(&self, message: Message) -> Option<()> {
        self.messages.contains(&message).then_some(())
    }

    /// A manager stops working.
    fn work(&mut self, manager: u8, becomes: Manager) -> Option<()> {
        let manager = &mut self.managers[usize::from(manager)];
        (*manager == Manager::Working).then(|| *manager = becomes)
    }
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

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        visit(Action::TmCommit);
        visit(Action::TmAbort);
        for (manager, state) in (0..).zip(&from.managers) {
            if *state == Manager::Working {
                visit(Action::RmPrepare(manager));
                visit(Action::RmChooseToAbort(manager));
            }
        }
        for message in &from.messages {
            match *message {
                Message::Prepared(manager) => visit(Action::TmRcvPrepared(manager)),
                Message::Commit => (0..self.managers)
                    .map(Action::RmRcvCommitMsg)
                    .for_each(&mut *visit),
                Message::Abort => (0..self.managers)
                    .map(Action::RmRcvAbortMsg)
                    .for_each(&mut *visit),
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let undecided = (state.coordinator == Coordinator::Init).then_some(());
        match *action {
            Action::TmCommit => {
                undecided?;
                (state.prepared.len() == state.managers.len()).then_some(())?;
                state.coordinator = Coordinator::Committed;
                state.messages.insert(Message::Commit);
            }
            Action::TmAbort => {
                undecided?;
                state.coordinator = Coordinator::Aborted;
                state.messages.insert(Message::Abort);
            }
            Action::TmRcvPrepared(manager) => {
                undecided?;
                state.is_sent(Message::Prepared(manager))?;
                state.prepared.insert(manager);
            }
            Action::RmPrepare(manager) => {
                state.work(manager, Manager::Prepared)?;
                state.messages.insert(Message::Prepared(manager));
            }
            Action::RmChooseToAbort(manager) => state.work(manager, Manager::Aborted)?,
            Action::RmRcvCommitMsg(manager) => {
                state.is_sent(Message::Commit)?;
                state.managers[usize::from(manager)] = Manager::Committed;
            }
            Action::RmRcvAbortMsg(manager) => {
                state.is_sent(Message::Abort)?;
                state.managers[usize::from(manager)] = Manager::Aborted;
            }
        }
        Some(())
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
#[action(system = TransactionCommit)]
#[rule(process = "manager")]
#[process(0..system.managers)]
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

    fn fire(&self, decision: &Decision, managers: &mut Vec<Manager>) -> Option<()> {
        match *decision {
            Decision::Prepare(manager) => {
                let manager = &mut managers[usize::from(manager)];
                (*manager == Manager::Working).then(|| *manager = Manager::Prepared)
            }
            Decision::Commit(manager) => {
                let is_ready =
                    |one: &Manager| matches!(one, Manager::Prepared | Manager::Committed);
                let can_commit = managers.iter().all(is_ready);
                let manager = &mut managers[usize::from(manager)];
                (can_commit && *manager == Manager::Prepared).then(|| *manager = Manager::Committed)
            }
            Decision::Abort(manager) => {
                let none_committed = !managers.contains(&Manager::Committed);
                let manager = &mut managers[usize::from(manager)];
                let is_undecided = matches!(manager, Manager::Working | Manager::Prepared);
                (none_committed && is_undecided).then(|| *manager = Manager::Aborted)
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
