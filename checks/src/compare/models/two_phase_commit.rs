//! Two-phase commit, with its messages in a set, refines transaction commit.
//!
//! Source: Gray & Lamport, *Consensus on Transaction Commit*, sections 2 and 3, and its TLA+ modules `TCommit` and
//! `TwoPhase`, whose names the actions have.

use std::collections::BTreeSet;

use refmap::{Invariant, Refinement, Rule, RuleId, TransitionSystem};
use serde::Serialize;

/// What a resource manager has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

impl<S: ?Sized> refmap::State<S> for Manager {}

/// What the transaction manager has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Coordinator {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
enum Message {
    Prepared(u8),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    managers: Vec<Manager>,
    coordinator: Coordinator,
    prepared: BTreeSet<u8>,
    messages: BTreeSet<Message>,
}

impl<S: ?Sized> refmap::State<S> for State {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Action {
    TmCommit,
    TmAbort,
    TmRcvPrepared(u8),
    RmPrepare(u8),
    RmChooseToAbort(u8),
    RmRcvCommitMsg(u8),
    RmRcvAbortMsg(u8),
}

impl refmap::Action for Action {}

pub struct TwoPhaseCommit {
    managers: u8,
}

impl TransitionSystem for TwoPhaseCommit {
    type State = State;
    type Action = Action;
    type Observation = Vec<Manager>;

    fn rules(&self) -> &[Rule] {
        const {
            &[
                Rule::new("tm_commit", "coordinator", "TMCommit"),
                Rule::new("tm_abort", "coordinator", "TMAbort"),
                Rule::new("tm_rcv_prepared", "coordinator", "TMRcvPrepared"),
                Rule::new("rm_prepare", "manager", "RMPrepare"),
                Rule::new("rm_choose_to_abort", "manager", "RMChooseToAbort"),
                Rule::new("rm_rcv_commit_msg", "manager", "RMRcvCommitMsg"),
                Rule::new("rm_rcv_abort_msg", "manager", "RMRcvAbortMsg"),
            ]
        }
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        RuleId(match action {
            Action::TmCommit => 0,
            Action::TmAbort => 1,
            Action::TmRcvPrepared(_) => 2,
            Action::RmPrepare(_) => 3,
            Action::RmChooseToAbort(_) => 4,
            Action::RmRcvCommitMsg(_) => 5,
            Action::RmRcvAbortMsg(_) => 6,
        })
    }

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Decision {
    Prepare(u8),
    Commit(u8),
    Abort(u8),
}

impl refmap::Action for Decision {}

impl TransitionSystem for TransactionCommit {
    type State = Vec<Manager>;
    type Action = Decision;
    type Observation = Vec<Manager>;

    fn rules(&self) -> &[Rule] {
        const {
            &[
                Rule::new("prepare", "manager", "Prepare"),
                Rule::new("commit", "manager", "Decide"),
                Rule::new("abort", "manager", "Decide"),
            ]
        }
    }

    fn rule_of(&self, decision: &Decision) -> RuleId {
        RuleId(match decision {
            Decision::Prepare(_) => 0,
            Decision::Commit(_) => 1,
            Decision::Abort(_) => 2,
        })
    }

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
    type Concrete = TwoPhaseCommit;
    type Abstract = TransactionCommit;

    fn implementation(&self) -> &TwoPhaseCommit {
        &self.implementation
    }

    fn specification(&self) -> &TransactionCommit {
        &self.specification
    }

    fn map(&self, state: &State) -> Vec<Manager> {
        state.managers.clone()
    }

    fn abstract_action(&self, from: &State, action: &Action, to: &State) -> Option<Decision> {
        let decides =
            |manager: u8| from.managers[usize::from(manager)] != to.managers[usize::from(manager)];
        match *action {
            Action::TmCommit | Action::TmAbort | Action::TmRcvPrepared(_) => None,
            Action::RmPrepare(manager) => Some(Decision::Prepare(manager)),
            Action::RmChooseToAbort(manager) => Some(Decision::Abort(manager)),
            Action::RmRcvCommitMsg(manager) => {
                decides(manager).then_some(Decision::Commit(manager))
            }
            Action::RmRcvAbortMsg(manager) => decides(manager).then_some(Decision::Abort(manager)),
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
