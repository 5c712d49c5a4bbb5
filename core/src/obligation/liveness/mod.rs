//! `fairness:*`, `leads-to:*`, `eventually:*`, `always-eventually:*`, `eventually-always:*`: what happens in the end, if the
//! implementation meets its fairness conditions.
//!
//! Source: Lamport, *The Temporal Logic of Actions*; Abadi & Lamport, *The Existence of Refinement Mappings*, section 2.2
//! (a fairness condition of the specification has to follow from those of the implementation, through the mapping).
//!
//! Decided on the recorded graph ([`crate::walk::liveness`]). Where a limit or a violation ended the search that is the states that
//! were expanded, with all their steps: a fair behaviour that stays in them is one of the system, so a violation is told, and
//! nothing holds. Each step is labelled with its rule and process, from which its class follows (`assumed`); the predicates and
//! the images of all states are asked once for each state (`looked_at`), and the specification's steps once for each image
//! (`mapped`); of a view the actions are those of the system below it (`base_steps`); where a step simulates several abstract steps the graph is split into single ones for fairness of the
//! specification (`single_steps`); the rows are decided (`decision`); a lasso that is found is made one of the model, judged
//! there, and shown (`evidence`).

mod assumed;
mod base_steps;
mod decision;
mod evidence;
mod looked_at;
mod mapped;
mod single_steps;

use std::cell::OnceCell;

use self::assumed::{Assumed, ConditionInstance, instances, taken, taken_by_labels};
use self::base_steps::BaseSteps;
use self::decision::Decision;
use self::looked_at::LookedAt;
use self::mapped::MappedStates;
use self::single_steps::RecordedImplementation;
use super::choice::Choice;
use super::error::CheckError;
use super::found::SearchResult;
use super::kept::PanickedAt;
use super::label::Label;
use super::recorded::RecordedGraph;
use super::row::{Judged, ObligationRow, Weight};
use crate::report::Obligation;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::named;
use crate::statement::fairness::Fairness;
use crate::statement::kind::ObligationKind;
use crate::statement::property::Property;
use crate::statement::refinement::Refinement;
use crate::statement::shown::nearest::nearest;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::walk::explore::{Phase, Work};
use crate::walk::steps::Steps;

/// Functions that are called as a row is decided, beside those named there.
const ASKED: &str =
    "`fairness`, `liveness`, `rules`, or `hash`, `eq`, `clone` or `Debug` of a state or an action";

/// The rows of a refinement's liveness.
#[derive(Clone)]
pub(super) struct LivenessRows {
    /// One for each fairness condition of the specification.
    fairness: Vec<ObligationRow>,
    /// One for each property.
    properties: Vec<ObligationRow>,
    /// Reason why they cannot be decided, if they cannot.
    undecided: Option<&'static str>,
}

/// Data that a search leaves behind, from which liveness is decided.
pub(super) struct LivenessInput<'a, A> {
    pub recorded: &'a RecordedGraph,
    pub labels: &'a [Label],
    /// The abstract states between, by number.
    pub between: &'a [Vec<A>],
    /// True if the mapping is no refinement mapping.
    pub simulation_fails: bool,
    /// Per rule of the specification, the number of steps that simulate it.
    pub simulated: &'a [u64],
}

/// Outcome of the decision.
#[derive(Default)]
pub(super) struct LivenessOutcome {
    pub rows: Vec<Judged>,
    /// Conditions of the implementation that assume nothing.
    pub doubts: Vec<String>,
    /// Panic of a function of the model, with its state, if there was one.
    pub panicked: Option<PanickedAt>,
}

impl LivenessRows {
    pub fn new<R: Refinement>(refinement: &R, choice: &Choice<'_>) -> Result<Self, CheckError> {
        validate(refinement.implementation())?;
        validate(refinement.specification())?;
        let specified = refinement.specification().fairness();
        let fair = |condition: &Fairness| {
            let name = format!("{}:{}", ObligationKind::Fairness, condition.name());
            choice.of_liveness(name)
        };
        let properties = refinement.liveness();
        let property = |property: &Property<R::Implementation>| {
            let name = format!("{}:{}", property.formula().kind(), property.name());
            choice.of_liveness(name)
        };
        let rows = Self {
            undecided: choice.undecided.reason(ObligationKind::Fairness),
            fairness: specified.iter().map(fair).collect(),
            properties: properties.iter().map(property).collect(),
        };
        let names: Vec<&str> = rows.rows().map(|row| row.name.as_str()).collect();
        match duplicate(&names) {
            None => Ok(rows),
            Some(name) => Err(CheckError::DuplicateProperty {
                name: name.to_owned(),
            }),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &ObligationRow> {
        self.fairness.iter().chain(&self.properties)
    }

    /// Its rows, in the order of the report.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut ObligationRow> {
        self.fairness.iter_mut().chain(&mut self.properties)
    }

    /// True if a row is chosen.
    pub fn is_chosen(&self) -> bool {
        self.rows().any(|row| row.selected)
    }

    /// True if a row is chosen, and can be decided.
    pub fn needs_graph(&self) -> bool {
        self.is_chosen() && self.undecided.is_none()
    }

    /// True if a row is chosen that speaks of mapped states.
    pub fn is_mapped(&self) -> bool {
        self.fairness.iter().any(|row| row.selected)
    }

    /// The rows that are not chosen.
    pub fn not_asked(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows().filter(|row| !row.selected);
        rows.map(|row| row.name.as_str())
    }

    /// Decides the rows where they can be.
    pub fn judge<R: Refinement>(
        &self,
        searched: &LivenessInput<'_, StateOf<R::Specification>>,
        found: &SearchResult<'_, R>,
    ) -> LivenessOutcome {
        if !self.is_chosen() {
            return LivenessOutcome::default();
        }
        let graph = match self.undecided {
            Some(reason) => Err(format!("not evaluated: {reason}")),
            None => searched.recorded.graph(),
        };
        let graph = match graph {
            Ok(graph) => graph,
            Err(reason) => return self.open(&reason),
        };
        let tell = |work| {
            let watch = &found.settings.watch;
            found.totals.tell(watch, Phase::Liveness, work);
        };
        tell(None);
        let mapped = self.is_mapped() && !searched.simulation_fails;
        let LookedAt {
            cut,
            predicates,
            images,
        } = match LookedAt::new(found, graph.states(), mapped) {
            Ok(looked_at) => looked_at,
            Err(panicked) => return self.panicked(panicked),
        };
        let system = found.refinement.implementation();
        let stated = system.fairness();
        let below = match BaseSteps::new(found, graph, searched.labels) {
            Ok(below) => below,
            Err(panicked) => return self.panicked(panicked),
        };
        let (graph, labels, of_labels) = match &below {
            None => (graph, searched.labels, &taken_by_labels(searched.labels)),
            Some(below) => (&below.graph, &*below.labels, &below.taken),
        };
        // The rules of the system below a view are the first of its rules.
        let mut instances = instances(&stated, system.call_rules(), &taken(graph, of_labels));
        instances.extend(below.as_ref().and_then(BaseSteps::stutters_go_on));
        let assumed = Assumed::new(instances, of_labels);
        let steps = Steps::of(graph, &assumed.classes).without(&cut);
        let implementation = RecordedImplementation {
            steps,
            conditions: &assumed.conditions,
            labels,
            between: searched.between,
        };
        let images = images.map(Vec::into_iter);
        let mapped =
            images.map(|images| MappedStates::new(found.refinement, images, &implementation));
        let mapped = match mapped.transpose() {
            Ok(mapped) => mapped,
            Err(panicked) => return self.panicked(panicked),
        };
        let decision = Decision {
            found,
            steps,
            assumed: &assumed,
            between: searched.between,
            initial: (0..found.totals.initial_states.min(graph.states() as u64) as u32)
                .filter(|state| !cut.contains(*state))
                .collect(),
            open: searched.recorded.open().or_else(|| {
                let cut = found.totals.cut.as_ref()?;
                Some(format!(
                    "not decided: {cut}; no behaviour that stays within the constraint violates it"
                ))
            }),
            simulated: searched.simulated,
            stops: OnceCell::new(),
        };
        let total = self.rows().filter(|row| row.selected).count() as u64;
        let mut rows = Vec::new();
        let tell = |rows: &Vec<Judged>| {
            tell(Some(Work {
                unit: "obligations",
                done: rows.len() as u64,
                total,
            }));
        };
        for (place, row) in self.fairness.iter().enumerate() {
            tell(&rows);
            let judge = || match &mapped {
                Some(mapped) => named(ASKED, || decision.fairness(place, mapped)),
                None => Obligation::incomplete(
                    "not evaluated: simulation fails, so the answers prove nothing",
                ),
            };
            rows.extend(row.judged(Weight::Behaviour, judge));
        }
        for (place, row) in self.properties.iter().enumerate() {
            tell(&rows);
            let judge = || named(ASKED, || decision.property(place, &predicates[place]));
            rows.extend(row.judged(Weight::Behaviour, judge));
        }
        let doubts = if found.totals.complete && found.totals.cut.is_none() {
            doubts_of_conditions(&stated, &assumed.instances)
        } else {
            Vec::new()
        };
        LivenessOutcome {
            rows,
            doubts,
            panicked: None,
        }
    }

    fn panicked(&self, panicked: PanickedAt) -> LivenessOutcome {
        LivenessOutcome {
            panicked: Some(panicked),
            ..self.open("not evaluated: the model panicked")
        }
    }

    /// Its rows, undecided.
    pub fn open(&self, reason: &str) -> LivenessOutcome {
        let judge =
            |row: &ObligationRow| row.judged(Weight::Behaviour, || Obligation::incomplete(reason));
        LivenessOutcome {
            rows: self.rows().filter_map(judge).collect(),
            ..LivenessOutcome::default()
        }
    }
}

/// The conditions of the implementation whose actions no step takes.
fn doubts_of_conditions(stated: &[Fairness], assumed: &[ConditionInstance]) -> Vec<String> {
    let never = stated.iter().enumerate().filter(|(place, _)| {
        let mut assumed = assumed.iter();
        !assumed.any(|instance| instance.condition == *place)
    });
    let doubt = |(_, condition): (usize, &Fairness)| {
        let of = match condition.process() {
            Some(number) => format!(" of process {number}"),
            None => String::new(),
        };
        format!(
            "the fairness condition `{}` of the implementation is on an action{of} that is enabled nowhere: it assumes \
             nothing",
            condition.name()
        )
    };
    never.map(doubt).collect()
}

/// Validates that the fairness conditions of a system have names of their own, and rules that are there. Which processes
/// there are is not known before a search.
fn validate<S: TransitionSystem>(system: &S) -> Result<(), CheckError> {
    let conditions = system.fairness();
    let names: Vec<&str> = conditions.iter().map(Fairness::name).collect();
    if let Some(name) = duplicate(&names) {
        return Err(CheckError::DuplicateProperty {
            name: format!("fairness:{name}"),
        });
    }
    for condition in &conditions {
        let name = condition.name().to_owned();
        if condition.rules().next().is_none() {
            return Err(CheckError::FairnessOfNothing { name });
        }
        for rule in condition.rules() {
            let known = || system.call_rules().iter().map(|rule| &*rule.name);
            if !known().any(|name| name == rule) {
                return Err(CheckError::UnknownFairRule {
                    name,
                    rule: rule.to_owned(),
                    nearest: nearest(rule, known()),
                });
            }
        }
    }
    Ok(())
}

fn duplicate<'n>(names: &[&'n str]) -> Option<&'n str> {
    let mut places = (0..names.len()).map(|place| (names[place], &names[..place]));
    let duplicate = places.find(|(name, earlier)| earlier.contains(name));
    duplicate.map(|(name, _)| name)
}
