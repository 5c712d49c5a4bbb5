//! The obligations of a check, in the order of the report: what each is, its file says.
//!
//! To add one: write its file beside the others (`observation` is one that is tested at states, `agency` one at steps, and
//! `coverage` one that is judged when the search is over), give it a kind, a field here and, if it counts anything, in
//! [`Counts`](super::counts::Counts), call its test from the [`Visitor`](super::visitor::Visitor), and its `judge` from the
//! list in `judge`.

use super::agency::Agency;
use super::choice::{Choice, Names};
use super::coverage::Coverage;
use super::deadlock::Deadlock;
use super::environment::{self, Environment};
use super::error::CheckError;
use super::induction::Induction;
use super::initiality::Initiality;
use super::invariant::Invariants;
use super::kind::ObligationKind;
use super::liveness::{self, Liveness};
use super::model::Model;
use super::observation::Observation;
use super::row::Row;
use super::settings::{self, Settings};
use super::simulation::Simulation;
use crate::explore::{Order, Storage};
use crate::invariant::Invariant;
use crate::model_call::named;
use crate::refinement::Refinement;

const UNSUPPORTED: &str = "`unsupported`";

/// The obligations of a refinement, those chosen marked.
#[derive(Clone)]
pub(super) struct Obligations<'a> {
    pub observation: Observation,
    pub initiality: Initiality,
    pub simulation: Simulation,
    pub agency: Agency<'a>,
    pub invariants: Invariants,
    pub induction: Induction,
    pub environment: Environment<'a>,
    pub liveness: Liveness,
    pub deadlock: Deadlock,
    pub coverage: Coverage,
    pub model: Model,
}

/// An obligation that fails at a state or a step, so that one behaviour shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Observation,
    Initiality,
    /// By a step of this rule of the implementation.
    Simulation(usize),
    Agency,
    /// By its place among the refinement's invariants.
    Invariant(usize),
    Deadlock,
    Model,
}

impl<'a> Obligations<'a> {
    /// Those of `refinement`, as `settings` choose them.
    pub fn new<R: Refinement>(
        refinement: &'a R,
        invariants: &[Invariant<R::Concrete>],
        settings: &Settings<'_>,
        is_enumerated: bool,
    ) -> Result<Self, CheckError> {
        if settings.induction == settings::Induction::Included && !is_enumerated {
            return Err(CheckError::NotEnumerated);
        }
        let choice = &Choice::new(settings);
        let obligations = Self {
            observation: named(UNSUPPORTED, || Observation::new(refinement, choice)),
            initiality: named(UNSUPPORTED, || Initiality::new(refinement, choice)),
            simulation: named(UNSUPPORTED, || Simulation::new(refinement, choice)),
            agency: named("`environment` or `unsupported`", || {
                Agency::new(refinement, choice)
            }),
            invariants: named(UNSUPPORTED, || {
                Invariants::new(refinement, invariants, choice)
            })?,
            induction: named(UNSUPPORTED, || {
                Induction::new(refinement, invariants, is_enumerated, choice)
            }),
            environment: named("`environment`, `acts_for` or `rules`", || {
                Environment::new(refinement, choice)
            })?,
            liveness: named("`fairness`, `liveness` or `rules`", || {
                Liveness::new(refinement, choice)
            })?,
            deadlock: named("`bound` or `unsupported`", || {
                Deadlock::new(refinement, choice)
            }),
            coverage: named("`waivers`, `rules` or `unsupported`", || {
                Coverage::new(refinement, choice)
            })?,
            model: named(UNSUPPORTED, || Model::new(refinement, choice)),
        };
        validate(settings)?;
        let unsupported = |kind| match kind {
            ObligationKind::Environment => environment::unsupported(refinement, settings),
            ObligationKind::Fairness
            | ObligationKind::LeadsTo
            | ObligationKind::Eventually
            | ObligationKind::AlwaysEventually
            | ObligationKind::EventuallyAlways => liveness::unsupported(refinement, kind, settings),
            kind => refinement.unsupported(kind),
        };
        obligations.validate_names(settings, is_enumerated, &|kind| {
            named("`unsupported` or `bound`", || unsupported(kind))
        })?;
        Ok(obligations)
    }

    /// Whether the names that a user chose are names of these. `unsupported` says why an obligation cannot be decided.
    fn validate_names(
        &self,
        settings: &Settings<'_>,
        is_enumerated: bool,
        unsupported: &dyn Fn(ObligationKind) -> Option<&'static str>,
    ) -> Result<(), CheckError> {
        let has_invariants = !self.invariants.rows.is_empty();
        let groups = [
            Some(ObligationKind::Environment),
            has_invariants.then_some(ObligationKind::Invariant),
            is_enumerated.then_some(ObligationKind::Inductive),
        ];
        let mut all = self.clone();
        let names = Names {
            rows: all
                .rows_mut()
                .map(|row| (row.name.clone(), row.is_chosen()))
                .collect(),
            groups: groups.into_iter().flatten().collect(),
            always: ObligationKind::Model,
            unsupported,
        };
        names.validate(settings)
    }

    /// The names of the rows that are chosen, in the order of the report.
    pub fn chosen(&self) -> Vec<String> {
        let mut all = self.clone();
        let chosen = all.rows_mut().filter(|row| row.is_chosen());
        chosen.map(|row| row.name.clone()).collect()
    }

    /// Their rows, in the order of the report.
    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let definition_6 = [
            &mut self.observation.row,
            &mut self.initiality.row,
            &mut self.simulation.row,
        ];
        definition_6
            .into_iter()
            .chain([&mut self.agency.row])
            .chain(&mut self.invariants.rows)
            .chain(self.induction.rows_mut())
            .chain(self.environment.rows_mut())
            .chain(self.liveness.rows_mut())
            .chain([
                &mut self.deadlock.row,
                &mut self.coverage.row,
                &mut self.model.row,
            ])
    }

    /// Whether something is chosen that is decided on the complete graph, and can be.
    pub fn need_graph<R: Refinement>(&self, refinement: &R, settings: &Settings<'_>) -> bool {
        named("`unsupported` or `bound`", || {
            let environment = self.environment.is_chosen()
                && environment::unsupported(refinement, settings).is_none();
            let liveness = self.liveness.is_chosen()
                && liveness::unsupported(refinement, ObligationKind::Fairness, settings).is_none();
            environment || liveness
        })
    }

    /// Of all these only the one that fails: what a model does wrong may show in any of them.
    pub fn only(&self, failure: Failure) -> Self {
        let mut only = self.clone();
        if failure == Failure::Model {
            return only;
        }
        only.rows_mut().for_each(|row| row.selected = false);
        only.row_mut(failure).selected = true;
        only
    }

    /// Whether what fails is chosen.
    pub fn is_chosen(&self, failure: Failure) -> bool {
        match failure {
            Failure::Observation => self.observation.row.selected,
            Failure::Initiality => self.initiality.row.selected,
            Failure::Simulation(_) => self.simulation.row.selected,
            Failure::Agency => self.agency.row.selected,
            Failure::Invariant(place) => self.invariants.rows[place].selected,
            Failure::Deadlock => self.deadlock.row.selected,
            Failure::Model => self.model.row.selected,
        }
    }

    /// The name of what fails.
    pub fn name(&self, failure: Failure) -> String {
        self.clone().row_mut(failure).name.clone()
    }

    fn row_mut(&mut self, failure: Failure) -> &mut Row {
        match failure {
            Failure::Observation => &mut self.observation.row,
            Failure::Initiality => &mut self.initiality.row,
            Failure::Simulation(_) => &mut self.simulation.row,
            Failure::Agency => &mut self.agency.row,
            Failure::Invariant(place) => &mut self.invariants.rows[place],
            Failure::Deadlock => &mut self.deadlock.row,
            Failure::Model => &mut self.model.row,
        }
    }
}

/// Whether the settings make sense by themselves.
fn validate(settings: &Settings<'_>) -> Result<(), CheckError> {
    if let Some(seconds) = settings.limits.seconds
        && (seconds.is_nan() || seconds < 0.0)
    {
        return Err(CheckError::NoTime {
            seconds: seconds.to_string(),
        });
    }
    if settings.storage == Storage::Fingerprints && settings.order == Order::DepthFirst {
        return Err(CheckError::FingerprintsDepthFirst);
    }
    Ok(())
}
