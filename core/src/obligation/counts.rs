//! Counters of a worker for the obligations.

use foldhash::HashMapExt;

use super::label::Label;
use super::obligations::{Failure, Obligations};
use super::tested::Tested;
use super::{constraint, coverage, deadlock, invariant, model, simulation};
use crate::erased::ErasedState;
use crate::explore::Place;
use crate::numbered::Met;

/// The counters of each obligation that is tested on the way.
pub(super) struct Counts {
    pub observation: Tested,
    pub initiality: Tested,
    pub simulation: simulation::Counts,
    pub agency: Tested,
    /// One for each invariant that is checked.
    pub invariants: Vec<invariant::Counts>,
    pub constraint: constraint::Counts,
    /// The labels that this worker has met.
    pub labels: Met<Label>,
    /// The abstract states between that this worker has met.
    pub between: Met<Vec<ErasedState>>,
    pub deadlock: deadlock::Counts,
    pub coverage: coverage::Counts,
    pub model: model::Counts,
}

impl Counts {
    /// Nothing, of so many rules of the implementation and of the specification.
    pub fn new(rules: [usize; 2], invariants: Vec<invariant::Counts>) -> Self {
        let [concrete, abstracted] = rules;
        Self {
            observation: Tested::default(),
            initiality: Tested::default(),
            simulation: simulation::Counts::new(concrete),
            agency: Tested::default(),
            invariants,
            constraint: constraint::Counts::default(),
            labels: Met::new(),
            between: Met::new(),
            deadlock: deadlock::Counts::default(),
            coverage: coverage::Counts::new(rules),
            model: model::Counts::new(abstracted),
        }
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: Self) {
        self.observation.add(other.observation);
        self.initiality.add(other.initiality);
        self.simulation.add(other.simulation);
        self.agency.add(other.agency);
        invariant::Counts::add(&mut self.invariants, &other.invariants);
        self.constraint.add(&other.constraint);
        self.deadlock.add(other.deadlock);
        self.coverage.add(&other.coverage);
        self.model.add(other.model);
    }

    /// The first place of a failure.
    pub fn first(&self, failure: Failure) -> Option<Place> {
        match failure {
            Failure::Observation => self.observation.first,
            Failure::Initiality => self.initiality.first,
            Failure::Simulation(rule) => self.simulation.failed[rule],
            Failure::Agency => self.agency.first,
            Failure::Invariant(place) => {
                let mut invariants = self.invariants.iter();
                let counts = invariants.find(|counts| counts.place == place);
                counts.and_then(|counts| counts.tested.first)
            }
            Failure::Deadlock => self.deadlock.tested.first,
            Failure::Model => self.model.first(),
        }
    }

    /// Says that a failure that was found comes first at another place.
    pub fn set_first(&mut self, failure: Failure, other: Place) {
        let first = match failure {
            Failure::Observation => &mut self.observation.first,
            Failure::Initiality => &mut self.initiality.first,
            Failure::Simulation(rule) => &mut self.simulation.failed[rule],
            Failure::Agency => &mut self.agency.first,
            Failure::Invariant(place) => {
                let mut invariants = self.invariants.iter_mut();
                match invariants.find(|counts| counts.place == place) {
                    Some(counts) => &mut counts.tested.first,
                    None => return,
                }
            }
            Failure::Deadlock => &mut self.deadlock.tested.first,
            Failure::Model => {
                if let Some((first, _)) = &mut self.model.fault {
                    *first = other;
                }
                return;
            }
        };
        *first = Some(other);
    }

    /// Failures, whether or not they are chosen, in the order of the report.
    pub fn failures(&self) -> impl Iterator<Item = (Failure, Place)> {
        let single = |failure| (failure, self.first(failure));
        let definition_6 = [Failure::Observation, Failure::Initiality].map(single);
        let rules = self.simulation.failed.iter().enumerate();
        let rules = rules.map(|(rule, first)| (Failure::Simulation(rule), *first));
        let invariants = self.invariants.iter();
        let invariants =
            invariants.map(|counts| (Failure::Invariant(counts.place), counts.tested.first));
        let rest = [Failure::Deadlock, Failure::Model].map(single);
        definition_6
            .into_iter()
            .chain(rules)
            .chain([single(Failure::Agency)])
            .chain(invariants)
            .chain(rest)
            .filter_map(|(failure, first)| Some((failure, first?)))
    }
}

impl Obligations<'_> {
    /// Failures of these, in the order of the report.
    pub fn failures(&self, counts: &Counts) -> impl Iterator<Item = (Failure, Place)> {
        let failures = counts.failures();
        failures.filter(|(failure, _)| self.is_chosen(*failure))
    }
}
