//! Auxiliary variables: their side conditions, and what is judged without them [Abadi & Lamport, section 5; Lamport & Merz].

pub mod as_the_base;
mod conditions;
mod nested;
mod oracle;
mod traps;
mod two;

use std::collections::BTreeMap;

use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap::obligation::Liveness;
use refmap::{AbstractSteps, Refinement, Report, Settings, check};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{Mapped, mapped, to_the_end};

use crate::comparison::with_any_threads;

/// A prophecy variable of an explicit system, by functions of its states.
#[derive(Clone)]
pub struct Predicts {
    pub open: fn(u8) -> Vec<u8>,
    pub possible: fn(u8, u8) -> Vec<u8>,
    /// Of a key and its prediction, a source and a step.
    pub fate: fn((u8, u8), u8, Edge) -> Fate<u8>,
    pub offered: fn(u8, &BTreeMap<u8, u8>) -> bool,
}

impl Predicts {
    pub fn new(
        open: fn(u8) -> Vec<u8>,
        possible: fn(u8, u8) -> Vec<u8>,
        fate: fn((u8, u8), u8, Edge) -> Fate<u8>,
    ) -> Self {
        Self {
            open,
            possible,
            fate,
            offered: |_, _| true,
        }
    }
}

impl Prophecy<Explicit> for Predicts {
    type Key = u8;
    type Prediction = u8;

    fn open(&self, _: &Explicit, state: &u8) -> Vec<u8> {
        (self.open)(*state)
    }

    fn possible(&self, _: &Explicit, state: &u8, key: &u8) -> Vec<u8> {
        (self.possible)(*state, *key)
    }

    fn fate(
        &self,
        _: &Explicit,
        (key, prediction): (&u8, &u8),
        from: &u8,
        action: &Edge,
        _: &u8,
    ) -> Fate<u8> {
        (self.fate)((*key, *prediction), *from, *action)
    }

    fn is_offered(&self, _: &Explicit, state: &u8, predictions: &BTreeMap<u8, u8>) -> bool {
        (self.offered)(*state, predictions)
    }
}

pub type Predicting8 = Predicting<Edge, u8, u8>;
pub type Prophesying8 = Prophesying<u8, u8, u8>;

/// An explicit system with a prophecy variable.
pub fn predicting(system: Explicit, prophecy: Predicts) -> WithProphecy<Explicit, Predicts> {
    WithProphecy { system, prophecy }
}

/// A system with a prophecy variable as an implementation of an explicit one, state by state.
pub fn plainly(
    implementation: WithProphecy<Explicit, Predicts>,
    specification: Explicit,
) -> Mapped<WithProphecy<Explicit, Predicts>, Explicit> {
    mapped(
        implementation,
        specification,
        |s: &Prophesying8| s.state,
        |_, action: &Predicting8, _| AbstractSteps::One(action.action),
    )
}

/// The report of a check with some settings, by any number of workers.
pub fn checked<R: Refinement>(refinement: &R, settings: &Settings<'_>) -> Report {
    with_any_threads(|threads| {
        let settings = Settings {
            threads,
            ..settings.clone()
        };
        check(refinement, &settings).expect("the settings fit")
    })
}

/// The report of a check with some settings, by as many workers as a turn says: one of many cases.
pub fn checked_in_turn<R: Refinement>(
    refinement: &R,
    settings: &Settings<'_>,
    turn: usize,
) -> Report {
    let settings = Settings {
        threads: 1 + turn % 3,
        ..settings.clone()
    };
    check(refinement, &settings).expect("the settings fit")
}

/// The report of a check to the end.
pub fn report_of<R: Refinement>(refinement: &R) -> Report {
    checked(refinement, &to_the_end())
}

/// The same with liveness.
pub fn live<R: Refinement>(refinement: &R) -> Report {
    let settings = Settings {
        liveness: Liveness::Included,
        ..to_the_end()
    };
    checked(refinement, &settings)
}

/// The same without the side conditions: what is seen of the pairs that are reached, and of them alone.
pub fn naively<R: Refinement>(refinement: &R) -> Report {
    let settings = Settings {
        without: vec!["auxiliary:*".to_owned()],
        ..to_the_end()
    };
    checked(refinement, &settings)
}
