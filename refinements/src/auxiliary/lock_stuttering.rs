//! The lock with a stuttering and a history variable refines Peterson's algorithm, step by step.
//!
//! Source: TLA+ Examples, `locks_auxiliary_vars`, module `LockHS`, with the variables `s` and `h_turn`.
//!
//! Deviations. D1: the lock stutters before *l1*, and the source after it: a process is seen in its critical section as soon as it
//! has the lock, and Peterson's third step is the one that enters. In both the two stutters and the step are *a1*, *a2* and *a3*,
//! between which nothing else happens, so that the counts are the same.

use refmap::AbstractSteps::{self, One};
use refmap::Refinement;
use refmap::auxiliary::{
    self, History, Pausing, Recording, Remembering, Stutter, Stuttering, WithHistory,
    WithStuttering, enabled,
};
use refmap_systems::auxiliary::lock::{Action, Label, Lock, PROCESSES, State};
use refmap_systems::auxiliary::peterson::{self, Peterson, Writes};

use super::lock_in_steps::{Turn, TurnHistory, label, with_labels};

/// The stuttering variable `s`: two stutters before the lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Stutters {
    /// Stutters if the lock is free, counted down to the last: as published.
    WhereFree,
    /// Wherever a process asks for the lock. Wrong: while the lock is not free the stutters lead nowhere.
    WhereAsked,
    /// Stutters if the lock is free, without countdown. Wrong: they never end.
    WithoutEnd,
}

impl auxiliary::Stutters<Lock> for Stutters {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["l1"]
    }

    fn before(&self, system: &Lock, state: &State) -> Vec<(Action, u8)> {
        match self {
            Self::WhereFree | Self::WithoutEnd => enabled(system, state, |action| {
                matches!(action, Action::L1(_)).then_some(2)
            }),
            Self::WhereAsked => {
                let asked = (0..PROCESSES).filter(|process| state.pc[*process] == Label::L1);
                asked.map(|process| (Action::L1(process), 2)).collect()
            }
        }
    }

    fn least(&self) -> u8 {
        1
    }

    fn decrease(&self, value: &u8) -> u8 {
        match self {
            Self::WhereFree | Self::WhereAsked => value - 1,
            Self::WithoutEnd => *value,
        }
    }
}

/// The lock with its stutters.
type StutteringLock = WithStuttering<Lock, Stutters>;
/// A state of the lock with its stutters.
type LockState = Pausing<State, Action, u8>;
/// A state with both variables.
type Both = Remembering<LockState, usize>;

/// The history variable `h_turn` of the lock with its stutters, of which the last one before a process takes the lock sets it.
#[derive(Clone, Copy, Debug)]
pub struct StutteringTurn(pub TurnHistory);

impl History<StutteringLock> for StutteringTurn {
    type Value = usize;

    fn initial(&self, _: &StutteringLock, _: &LockState) -> usize {
        0
    }

    fn after(
        &self,
        _: &StutteringLock,
        before: &usize,
        _: &LockState,
        action: &Stuttering<Action, u8>,
        _: &LockState,
    ) -> usize {
        match action {
            Stuttering::Stutter(Stutter {
                action: Action::L1(process),
                value: 1,
                ..
            }) => self.0.after_write(*before, *process),
            Stuttering::Stutter(_) | Stuttering::Step(_) => *before,
        }
    }
}

/// The refinement with both variables.
pub struct LockStutteringRefinement {
    implementation: WithHistory<StutteringLock, StutteringTurn>,
    specification: Peterson,
}

impl LockStutteringRefinement {
    /// The refinement with both variables.
    pub fn new(stutters: Stutters, turn: Turn) -> Self {
        let writes = Writes::FlagFirst;
        Self {
            implementation: WithHistory {
                system: WithStuttering::new(Lock, stutters),
                history: StutteringTurn(TurnHistory(turn)),
            },
            specification: Peterson { writes },
        }
    }
}

impl Refinement for LockStutteringRefinement {
    between!(WithHistory<StutteringLock, StutteringTurn>, Peterson);

    /// `pc_translation`: a process that has stuttered once is at *a2*, and one that has stuttered twice at *a3*.
    fn map(&self, of: &Both) -> peterson::State {
        let mut pc = of.state.state.pc.map(label);
        if let Some(Stutter {
            action: Action::L1(process),
            value,
            ..
        }) = of.state.stutter
        {
            pc[process] = match value {
                1 => peterson::Label::A3,
                _ => peterson::Label::A2,
            };
        }
        with_labels(pc, of.history)
    }

    fn abstract_steps(
        &self,
        _: &Both,
        Recording(action): &Recording<Stuttering<Action, u8>>,
        _: &Both,
    ) -> AbstractSteps<peterson::Action> {
        use peterson::Action::{A0, A1, A2, A3, A4, Cs};
        let (action, stutter) = match action {
            Stuttering::Step(action) => (*action, None),
            Stuttering::Stutter(stutter) => (stutter.action, Some(stutter.value)),
        };
        One(match (action, stutter) {
            (Action::L0(process), _) => A0(process),
            (Action::L1(process), Some(1)) => A2(process),
            (Action::L1(process), Some(_)) => A1(process),
            (Action::L1(process), None) => A3(process),
            (Action::Cs(process), _) => Cs(process),
            (Action::L2(process), _) => A4(process),
        })
    }
}
