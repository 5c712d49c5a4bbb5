//! Backward simulations that the user gives as a relation, and the obligations that make them simulations.
//!
//! Source: Lynch & Vaandrager, *Forward and Backward Simulations I*, section 3: a backward simulation relates each state to abstract
//! states, and follows steps from their end to their beginning. So an abstract state need not be chosen before it is known which one
//! will serve, and no prophecy variable is needed where a specification chooses early what an implementation chooses late. As only
//! the states that are reached are related, it is theirs relative to the invariant that is reachability. The relation is
//! image-finite, so infinite behaviours are included as well as finite ones; nothing is said of fairness or deadlock.
//!
//! Deviations. D1: an abstract state that is related need not be reached; that it is follows from the obligations. D2: what is
//! observed belongs to states, as everywhere in this crate, and so it has an obligation of its own; in the source it belongs to steps.
//!
//! Left out: the composition of a forward and a backward simulation, and any search for a relation.

mod obligation;
mod search;
mod text;

use std::cell::RefCell;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

pub use self::obligation::BackwardObligation;
use self::obligation::Related;
use self::search::{Search, Unmet};
use super::automaton::{Automaton, Bounds, Source};
use super::edge::StepLabel;
use super::evidence::{Evidences, Of};
use super::inclusion::{Bound, Shown};
use super::observed::Observed;
use super::simulation::Sides;
use crate::erased::{ErasedState, ErasedSystem, SystemObject};
use crate::explore::{Limit, Limits, Watch};
use crate::numbered::Numbered;
use crate::statement::asked::model_call::{Panic, UNNAMED, catch_seldom, named};
use crate::statement::system::{ObservationOf, StateOf, TransitionSystem};

/// Backward simulation of an implementation by a specification: two systems, and the abstract states related to each state.
///
/// An implementation that decides between tea and coffee when it serves, and a specification that has decided when it is paid:
///
/// ```
/// use refmap::explore::{Limits, Watch};
/// use refmap::inclusion::{BackwardSimulation, BackwardVerdict, check_backward_simulation};
/// use refmap::{Action, State, TransitionSystem};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// enum Drink { Tea, Coffee }
/// use Drink::{Coffee, Tea};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// enum Machine { Idle, Paid, Chosen(Drink), Served(Drink) }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// enum Step { Pay, PayFor(#[action(any)] Drink), Serve(#[action(any)] Drink) }
///
/// /// Point at which the machine chooses.
/// enum Choice { Early, Late }
///
/// impl TransitionSystem for Choice {
///     type State = Machine;
///     type Action = Step;
///     type Observation = (bool, Option<Drink>);
///     fn initial(&self, visit: &mut impl FnMut(Machine)) { visit(Machine::Idle) }
///     fn fire(&self, step: &Step, machine: &mut Machine) -> Option<()> {
///         *machine = match (self, *machine, *step) {
///             (Self::Late, Machine::Idle, Step::Pay) => Machine::Paid,
///             (Self::Early, Machine::Idle, Step::PayFor(drink)) => Machine::Chosen(drink),
///             (_, Machine::Paid, Step::Serve(drink)) => Machine::Served(drink),
///             (_, Machine::Chosen(chosen), Step::Serve(drink)) if chosen == drink => Machine::Served(drink),
///             _ => return None,
///         };
///         Some(())
///     }
///     fn observe(&self, state: &Machine) -> (bool, Option<Drink>) {
///         match state {
///             Machine::Idle => (false, None),
///             Machine::Paid | Machine::Chosen(_) => (true, None),
///             Machine::Served(drink) => (true, Some(*drink)),
///         }
///     }
/// }
///
/// /// A paid machine stands for each machine that has chosen.
/// struct LateRefinesEarly;
/// impl BackwardSimulation for LateRefinesEarly {
///     type Implementation = Choice;
///     type Specification = Choice;
///     fn implementation(&self) -> &Choice { &Choice::Late }
///     fn specification(&self) -> &Choice { &Choice::Early }
///     fn related(&self, state: &Machine, visit: &mut dyn FnMut(Machine)) {
///         match state {
///             Machine::Paid => [Tea, Coffee].into_iter().map(Machine::Chosen).for_each(visit),
///             other => visit(other.clone()),
///         }
///     }
/// }
///
/// let report = check_backward_simulation(&LateRefinesEarly, Limits::default(), Watch::default())?;
/// assert_eq!(report.verdict, BackwardVerdict::Holds);
/// assert_eq!((report.states, report.pairs), (4, 5));
/// # Ok::<(), refmap::explore::Panic>(())
/// ```
pub trait BackwardSimulation {
    /// The implementation.
    type Implementation: TransitionSystem;
    /// The specification; it shows exactly what the implementation shows.
    type Specification: TransitionSystem<Observation = ObservationOf<Self::Implementation>>;

    /// The instance of the implementation.
    fn implementation(&self) -> &Self::Implementation;
    /// The instance of the specification.
    fn specification(&self) -> &Self::Specification;

    /// Visits the abstract states that are related to a state, which are finitely many. One that is visited twice is one.
    ///
    /// It is asked once of each state.
    fn related(
        &self,
        state: &StateOf<Self::Implementation>,
        visit: &mut dyn FnMut(StateOf<Self::Specification>),
    );
}

/// Verdict on a backward simulation, or on one of its obligations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BackwardVerdict {
    /// It was tested on all reachable states of the instance.
    Holds,
    /// It fails, and a counterexample shows it.
    Violated,
    /// A limit came first; nothing is claimed of the rest.
    Incomplete,
    /// There was nothing to be tested. Of a simulation: there is no initial state. Not a pass.
    Vacuous,
}

/// Outcome of the check of a backward simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackwardReport {
    /// Verdict.
    pub verdict: BackwardVerdict,
    /// The obligations.
    pub obligations: Vec<BackwardRow>,
    /// Number of states of the implementation that were met.
    pub states: u64,
    /// Number of steps of the implementation that were tested: those that differ in what they show or in an end.
    pub steps: u64,
    /// Number of states of the specification that were met, and of those that are related.
    pub specification_states: u64,
    /// Number of pairs that are related.
    pub pairs: u64,
    /// Limit that came first, if one did.
    pub limit: Option<Limit>,
    /// Bounds of the implementation's instance: of what lies beyond them nothing is said.
    pub bounds: Vec<Bound>,
    /// Auxiliary variables of the implementation, the outermost first: whether they lose a behaviour of the system without them is not
    /// decided here.
    pub variables: Vec<String>,
    /// Time that it took.
    pub seconds: f64,
}

/// Result of testing an obligation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackwardRow {
    /// The obligation.
    pub obligation: BackwardObligation,
    /// Verdict.
    pub verdict: BackwardVerdict,
    /// Number of tests: of states, of related pairs, or of steps with an abstract state related to their end.
    pub tested: u64,
    /// Number of tests that failed.
    pub failed: u64,
    /// The first that failed, after the fewest steps.
    pub counterexample: Option<BackwardCounterexample>,
}

/// Test of an obligation that failed. Behaviours are shortest, and each of their states has the abstract states related to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum BackwardCounterexample {
    /// A state that is related to none.
    Total {
        /// Behaviour to the state.
        steps: Vec<Shown>,
    },
    /// A state that is related to one that shows something else.
    Observation {
        /// Behaviour to the state.
        steps: Vec<Shown>,
        /// Observation of the state.
        shows: String,
        /// The abstract state.
        related: Value,
        /// Observation of the abstract state.
        related_shows: String,
    },
    /// An initial state that is related to one that is not.
    Initial {
        /// The initial state.
        steps: Vec<Shown>,
        /// The abstract state.
        related: Value,
    },
    /// A step that cannot be followed backwards.
    Step {
        /// Behaviour that ends with the step.
        steps: Vec<Shown>,
        /// Rule of the step.
        rule: String,
        /// Observation that it makes, if it changes what is observed.
        shows: Option<String>,
        /// The abstract state related to its end that is reached from none related to its beginning.
        related: Value,
    },
}

/// Checks a backward simulation on all reachable states of the implementation, within limits.
///
/// The limit on states is one on those of the implementation. If it holds, each behaviour of the implementation, as it is observed, is
/// one of the specification.
///
/// # Errors
///
/// If a function of a system, or the relation, panics.
pub fn check_backward_simulation<B: BackwardSimulation>(
    simulation: &B,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<BackwardReport, Panic> {
    let systems = catch_seldom(|| {
        named(UNNAMED, || {
            (simulation.implementation(), simulation.specification())
        })
    })?;
    let related = |state: &ErasedState, visit: &mut dyn FnMut(ErasedState)| {
        simulation.related(state.get(), &mut |related| {
            visit(ErasedState::from(related))
        });
    };
    checked(systems.0, systems.1, &related, limits, watch)
}

fn checked(
    implementation: &dyn SystemObject,
    specification: &dyn SystemObject,
    related: &Related<'_>,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<BackwardReport, Panic> {
    let started = Instant::now();
    let observations = RefCell::new(Numbered::default());
    let automaton = |system| {
        let observed = Observed::new(ErasedSystem::alone(system), None, &observations);
        Automaton::new(Source::Observed(observed))
    };
    let sides = Sides::new(automaton(implementation), automaton(specification));
    catch_seldom(|| {
        named(UNNAMED, || {
            let bounds = &mut Bounds::new(limits, watch);
            let mut search = Search::new(sides, related);
            let ended = bounds.allow(u64::MAX, |bounds| search.run(limits.depth, bounds));
            let limit = ended.err();
            let caveats = implementation.caveats();
            let bound = caveats.bound().map(|bound| Bound {
                bound: bound.to_owned(),
                outside: None,
            });
            let mut report = search.report(limit, bounds);
            report.bounds.extend(bound);
            let mut system = implementation;
            while let Some(view) = system.caveats().view() {
                report.variables.push(view.object().variable().to_owned());
                system = view.object().base();
            }
            report.seconds = started.elapsed().as_secs_f64();
            report
        })
    })
}

impl Search<'_, '_> {
    /// The report of a search that is over.
    fn report(mut self, limit: Option<Limit>, bounds: &mut Bounds<'_>) -> BackwardReport {
        let is_incomplete = limit.is_some();
        let verdict = |tested: u64, failed: u64| match (failed, tested) {
            (1.., _) => BackwardVerdict::Violated,
            (0, _) if is_incomplete => BackwardVerdict::Incomplete,
            (0, 0) => BackwardVerdict::Vacuous,
            (0, _) => BackwardVerdict::Holds,
        };
        let tallies = BackwardObligation::ALL.map(|obligation| self.tallies.of(obligation).clone());
        let failed = tallies.iter().map(|tally| tally.failed).sum();
        let report = BackwardReport {
            // Without an initial state there is no other.
            verdict: verdict(self.states(), failed),
            obligations: Vec::new(),
            states: self.states(),
            steps: self.steps,
            specification_states: self.sides.specification.states(),
            pairs: self.tallies.of(BackwardObligation::Observation).tested,
            limit,
            bounds: Vec::new(),
            variables: Vec::new(),
            seconds: 0.0,
        };
        let rows = BackwardObligation::ALL.into_iter().zip(tallies);
        let rows: Vec<_> = rows
            .map(|(obligation, tally)| {
                let behaviour = tally.first.map(|unmet| (unmet, self.path(unmet)));
                (obligation, tally, behaviour)
            })
            .collect();
        let (met, sets) = (self.met, self.sets);
        let related = |state: &u32| match met.get(*state as usize) {
            Some(Some(met)) => sets.members(met.related),
            _ => &[],
        };
        let mut evidences = Evidences {
            sides: &mut self.sides,
            labels: None,
            bounds,
        };
        let rows = rows.into_iter().map(|(obligation, tally, behaviour)| {
            let counterexample = behaviour.map(|(unmet, path)| {
                let edges = evidences.edges(&path);
                let related: Vec<&[u32]> = path.iter().map(related).collect();
                let steps = evidences.behaviour(&path, &related, &edges);
                evidences.counterexample(unmet, steps)
            });
            BackwardRow {
                obligation,
                verdict: verdict(tally.tested, tally.failed),
                tested: tally.tested,
                failed: tally.failed,
                counterexample,
            }
        });
        BackwardReport {
            obligations: rows.collect(),
            ..report
        }
    }
}

impl Evidences<'_, '_, '_> {
    fn counterexample(&self, unmet: Unmet, steps: Vec<Shown>) -> BackwardCounterexample {
        match unmet {
            Unmet::Total { .. } => BackwardCounterexample::Total { steps },
            Unmet::Observation {
                shows,
                related,
                related_shows,
                ..
            } => BackwardCounterexample::Observation {
                steps,
                shows: self.label(shows),
                related: self.state(Of::Specification, related),
                related_shows: self.label(related_shows),
            },
            Unmet::Initial { related, .. } => BackwardCounterexample::Initial {
                steps,
                related: self.state(Of::Specification, related),
            },
            Unmet::Step {
                from,
                edge,
                related,
            } => BackwardCounterexample::Step {
                steps,
                rule: self.rule_of(from, edge),
                shows: (edge.label != StepLabel::INVISIBLE).then(|| self.label(edge.label)),
                related: self.state(Of::Specification, related),
            },
        }
    }
}
