//! The sender that chooses a number when it sends it refines the one that has chosen before, with a prophecy variable.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, `SendInt1` and `SendInt2`, with a variable that predicts the next number.

use std::collections::BTreeMap;

use refmap::AbstractSteps::{self, One};
use refmap::Refinement;
use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap_systems::auxiliary::send_int1::{Action, SendInt1, State};
use refmap_systems::auxiliary::send_int2::{self, SendInt2};

/// The prophecy variable: the integer that is sent next, under the one key that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum NextInteger {
    /// Any one: as published.
    Any,
    /// Any one, and 0 at first. Wrong: another one may be sent first.
    FirstZero,
    /// Always 0. Wrong: another one may be sent.
    Zero,
    /// None. Wrong: there is no behaviour.
    Nothing,
}

impl Prophecy<SendInt1> for NextInteger {
    type Key = ();
    type Prediction = usize;

    fn open(&self, _: &SendInt1, state: &State) -> Vec<()> {
        match state.x {
            None => vec![()],
            Some(_) => Vec::new(),
        }
    }

    fn possible(&self, system: &SendInt1, _: &State, (): &()) -> Vec<usize> {
        match self {
            Self::Any | Self::FirstZero => (0..system.integers).collect(),
            Self::Zero => vec![0],
            Self::Nothing => Vec::new(),
        }
    }

    fn fate(
        &self,
        _: &SendInt1,
        ((), next): (&(), &usize),
        _: &State,
        action: &Action,
        _: &State,
    ) -> Fate<()> {
        match action {
            Action::Send(integer) => Fate::Fulfil {
                comes_true: integer == next,
            },
            Action::Rcv => Fate::Keep(()),
        }
    }

    fn is_offered(&self, _: &SendInt1, _: &State, predictions: &BTreeMap<(), usize>) -> bool {
        *self != Self::FirstZero || predictions[&()] == 0
    }
}

/// The refinement for an instance.
pub struct SendIntRefinement {
    implementation: WithProphecy<SendInt1, NextInteger>,
    specification: SendInt2,
}

impl SendIntRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: SendInt1, next: NextInteger) -> Self {
        let specification = SendInt2 {
            integers: implementation.integers,
        };
        Self {
            implementation: WithProphecy {
                system: implementation,
                prophecy: next,
            },
            specification,
        }
    }
}

impl Refinement for SendIntRefinement {
    between!(WithProphecy<SendInt1, NextInteger>, SendInt2);

    /// The integer that is predicted is the one that is chosen.
    fn map(&self, of: &Prophesying<State, (), usize>) -> send_int2::State {
        send_int2::State {
            x: of.state.x,
            z: of.prophecy.get(&()).copied(),
        }
    }

    fn abstract_steps(
        &self,
        _: &Prophesying<State, (), usize>,
        action: &Predicting<Action, (), usize>,
        _: &Prophesying<State, (), usize>,
    ) -> AbstractSteps<send_int2::Action> {
        match action.action {
            Action::Send(_) => One(send_int2::Action::Send),
            Action::Rcv => {
                let next = action.made.get(&()).copied();
                next.map(send_int2::Action::Rcv).into()
            }
        }
    }
}
