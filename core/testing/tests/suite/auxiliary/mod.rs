//! Auxiliary variables: their side conditions, and what is judged without them [Abadi & Lamport, section 5; Lamport & Merz].

pub mod as_the_base;
mod conditions;
mod nested;
mod oracle;
mod traps;
mod two;

use std::collections::BTreeMap;

use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap::obligation::Until;
use refmap::{
    AbstractSteps, ActionOf, Constraint, ObservationOf, Process, Property, Refinement, Report,
    Settings, StateOf, TransitionSystem, Verdict, check,
};
use refmap_testing::explicit::{Edge, Explicit};

use crate::comparison::with_any_threads;

/// Predicate on the states of a system.
pub type Predicate<C> = Box<dyn Fn(&StateOf<C>) -> bool + Sync>;

/// A refinement whose functions are closures.
pub struct Mapped<C: TransitionSystem, A: TransitionSystem> {
    pub implementation: C,
    pub specification: A,
    pub map: Box<Image<C, A>>,
    pub answer: Box<Answer<C, A>>,
    pub liveness: Vec<Property<C>>,
    pub constraint: Option<Constraint<C>>,
    pub environment: Vec<Process>,
    pub at_rest: Predicate<C>,
}

type Image<C, A> = dyn Fn(&StateOf<C>) -> StateOf<A> + Sync;

type Answer<C, A> =
    dyn Fn(&StateOf<C>, &ActionOf<C>, &StateOf<C>) -> AbstractSteps<ActionOf<A>> + Sync;

impl<C, A> Refinement for Mapped<C, A>
where
    C: TransitionSystem,
    A: TransitionSystem<Observation = ObservationOf<C>>,
{
    type Implementation = C;
    type Specification = A;

    fn implementation(&self) -> &C {
        &self.implementation
    }

    fn specification(&self) -> &A {
        &self.specification
    }

    fn map(&self, state: &StateOf<C>) -> StateOf<A> {
        (self.map)(state)
    }

    fn abstract_steps(
        &self,
        from: &StateOf<C>,
        action: &ActionOf<C>,
        to: &StateOf<C>,
    ) -> AbstractSteps<ActionOf<A>> {
        (self.answer)(from, action, to)
    }

    fn liveness(&self) -> Vec<Property<C>> {
        self.liveness.clone()
    }

    fn constraint(&self) -> Option<Constraint<C>> {
        self.constraint.clone()
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &StateOf<C>, _: Process) -> bool {
        (self.at_rest)(state)
    }
}

/// A refinement of `specification`, by a mapping and an answer to each step.
pub fn mapped<C: TransitionSystem, A: TransitionSystem>(
    implementation: C,
    specification: A,
    map: impl Fn(&StateOf<C>) -> StateOf<A> + Sync + 'static,
    answer: impl Fn(&StateOf<C>, &ActionOf<C>, &StateOf<C>) -> AbstractSteps<ActionOf<A>>
    + Sync
    + 'static,
) -> Mapped<C, A> {
    Mapped {
        implementation,
        specification,
        map: Box::new(map),
        answer: Box::new(answer),
        liveness: Vec::new(),
        constraint: None,
        environment: Vec::new(),
        at_rest: Box::new(|_| true),
    }
}

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

/// Settings of a check to the end.
pub fn to_the_end() -> Settings<'static> {
    Settings {
        until: Until::End,
        ..Settings::default()
    }
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

/// The same without the side conditions: what is seen of the pairs that are reached, and of them alone.
pub fn naively<R: Refinement>(refinement: &R) -> Report {
    let settings = Settings {
        without: vec!["auxiliary:*".to_owned()],
        ..to_the_end()
    };
    checked(refinement, &settings)
}

/// The verdict of a row.
pub fn verdict(report: &Report, name: &str) -> Verdict {
    let row = report.obligation(name);
    row.unwrap_or_else(|| panic!("{name}\n{report}")).verdict
}
