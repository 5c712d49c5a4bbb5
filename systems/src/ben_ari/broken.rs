//! Wrong implementations of "collect only garbage", which a checker of simulation alone accepts.
//!
//! Each is the specification itself with a [`Fault`]. The first is the mutator of which Havelund &
//! Shankar, section 2, warn: it makes no garbage, and so needs no collector.

use refmap::drawing::Drawing;
use refmap::{Action as _, Fairness, Process, Rule, RuleId, TransitionSystem};

use super::level_0::{Action, Level0};
use super::memory::{AppendToFree, Memory};
use super::scope::Scope;
use super::shape::Node;

/// The fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing: the positive twin.
    None,
    /// A cell that points to a node other than 0 is never redirected, so no garbage comes about.
    NeverRedirectsAway,
    /// The mutator does nothing at all.
    IdleMutator,
    /// The collector never collects.
    IdleCollector,
    /// The collector sets a live cell to 0, as only a mutator may.
    OverwritingCollector,
    /// There is no initial state.
    NoInitialState,
}

/// The specification with a fault.
pub struct Broken {
    pub fault: Fault,
    inner: Level0,
    rules: Vec<Rule>,
}

/// A step of the broken implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokenAction {
    /// The collector overwrites cell (n, i) of a live node.
    Overwrite {
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
    },
    /// A step of the specification.
    #[serde(untagged)]
    Sound(Action),
}

impl refmap::Action<Broken> for BrokenAction {
    fn rules(system: &Broken) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, system: &Broken) -> RuleId {
        match self {
            Self::Sound(action) => action.rule(&system.inner),
            Self::Overwrite { .. } => RuleId(system.rules.len() - 1),
        }
    }

    fn process(&self, system: &Broken) -> Process {
        match self {
            Self::Sound(action) => action.process(&system.inner),
            Self::Overwrite { .. } => super::process::COLLECTOR,
        }
    }
}

impl Broken {
    /// The specification of an instance, with a fault.
    pub fn new(scope: Scope, fault: Fault) -> Self {
        let inner = Level0 {
            scope,
            append: AppendToFree::FreeList,
        };
        let mut rules = Action::rules(&inner).to_vec();
        if fault == Fault::OverwritingCollector {
            rules.push(Rule::new("overwrite", "collector", "a planted fault"));
        }
        Self {
            fault,
            inner,
            rules,
        }
    }

    /// Whether the step remains with the fault.
    fn keeps(&self, m: &Memory, action: Action) -> bool {
        match (self.fault, action) {
            (Fault::NeverRedirectsAway, Action::Mutate { n, i, k, .. }) => {
                m.son(n, i) == 0 || m.son(n, i) == k
            }
            (Fault::IdleMutator, Action::Mutate { .. })
            | (Fault::IdleCollector, Action::Append { .. }) => false,
            _ => true,
        }
    }
}

impl AsRef<Scope> for Broken {
    fn as_ref(&self) -> &Scope {
        self.inner.as_ref()
    }
}

impl TransitionSystem for Broken {
    type State = Memory;
    type Action = BrokenAction;
    type Observation = Memory;

    fn initial(&self, visit: &mut impl FnMut(Memory)) {
        if self.fault != Fault::NoInitialState {
            self.inner.initial(visit);
        }
    }

    fn candidates(&self, from: &Memory, visit: &mut impl FnMut(BrokenAction)) {
        let mut sound = |action| visit(BrokenAction::Sound(action));
        self.inner.candidates(from, &mut sound);
        for (n, i) in from.shape.cells() {
            visit(BrokenAction::Overwrite { n, i });
        }
    }

    fn fire(&self, action: &BrokenAction, m: &mut Memory) -> Option<()> {
        match *action {
            BrokenAction::Sound(action) => {
                self.keeps(m, action).then_some(())?;
                self.inner.fire(&action, m)
            }
            BrokenAction::Overwrite { n, i } => {
                let live = m.is_accessible(n) && m.son(n, i) != 0;
                (self.fault == Fault::OverwritingCollector && live).then_some(())?;
                *m = m.set_son(n, i, 0);
                Some(())
            }
        }
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.inner.fairness()
    }

    fn observe(&self, state: &Memory) -> Memory {
        *state
    }

    fn draw(&self, state: &Memory) -> Option<Drawing> {
        self.inner.draw(state)
    }

    /// With a mutator that never moves, the collector stops once there is no garbage: that
    /// deadlock is not the fault.
    fn may_stop(&self, _state: &Memory) -> bool {
        self.fault == Fault::IdleMutator
    }
}
