//! Two-phase commit as a stateright model, with its messages in a set.
//!
//! Source: Gray & Lamport, *Consensus on Transaction Commit*, section 3. The transition system is that of
//! `checks/compare/src/models/two_phase_commit.rs`. Nothing of refmap is used here.

use std::collections::BTreeSet;

use stateright::{Model, Property};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coordinator {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    Prepared(u8),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    managers: Vec<Manager>,
    coordinator: Coordinator,
    prepared: BTreeSet<u8>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    TmCommit,
    TmAbort,
    TmRcvPrepared(u8),
    RmPrepare(u8),
    RmChooseToAbort(u8),
    RmRcvCommitMsg(u8),
    RmRcvAbortMsg(u8),
}

/// The protocol for so many managers.
pub struct TwoPhaseCommit(pub u8);

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            managers: vec![Manager::Working; self.0.into()],
            coordinator: Coordinator::Init,
            prepared: BTreeSet::new(),
            messages: BTreeSet::new(),
        }]
    }

    // ANCHOR: rules
    /// Only steps that are enabled, so that `next_state` has no guard to evaluate.
    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let undecided = state.coordinator == Coordinator::Init;
        if undecided && state.prepared.len() == state.managers.len() {
            actions.push(Action::TmCommit);
        }
        if undecided {
            actions.push(Action::TmAbort);
        }
        let committed = state.messages.contains(&Message::Commit);
        let aborted = state.messages.contains(&Message::Abort);
        for manager in 0..self.0 {
            if undecided && state.messages.contains(&Message::Prepared(manager)) {
                actions.push(Action::TmRcvPrepared(manager));
            }
            if state.managers[usize::from(manager)] == Manager::Working {
                actions.push(Action::RmPrepare(manager));
                actions.push(Action::RmChooseToAbort(manager));
            }
            if committed {
                actions.push(Action::RmRcvCommitMsg(manager));
            }
            if aborted {
                actions.push(Action::RmRcvAbortMsg(manager));
            }
        }
    }

    fn next_state(&self, from: &State, action: Action) -> Option<State> {
        let mut to = from.clone();
        match action {
            Action::TmCommit => {
                to.coordinator = Coordinator::Committed;
                to.messages.insert(Message::Commit);
            }
            Action::TmAbort => {
                to.coordinator = Coordinator::Aborted;
                to.messages.insert(Message::Abort);
            }
            Action::TmRcvPrepared(manager) => {
                to.prepared.insert(manager);
            }
            Action::RmPrepare(manager) => {
                to.managers[usize::from(manager)] = Manager::Prepared;
                to.messages.insert(Message::Prepared(manager));
            }
            Action::RmRcvCommitMsg(manager) => {
                to.managers[usize::from(manager)] = Manager::Committed;
            }
            Action::RmChooseToAbort(manager) | Action::RmRcvAbortMsg(manager) => {
                to.managers[usize::from(manager)] = Manager::Aborted;
            }
        }
        Some(to)
    }
    // ANCHOR_END: rules

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_: &Self, state: &State| {
            let has = |value| state.managers.contains(&value);
            !(has(Manager::Committed) && has(Manager::Aborted))
        })]
    }
}
