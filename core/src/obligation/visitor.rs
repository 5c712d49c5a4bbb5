//! The visitor of a search: has the obligations tested at each state and step.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use serde_json::Value;

use super::agency::{Owner, agent};
use super::counterexample::Transition;
use super::environment::Inputs;
use super::fault::ModelFault;
use super::invariant::{self, CheckedInvariant};
use super::label::{Label, LabelNumbers};
use super::model::{Asking, AsksAgain};
use super::obligations::{ObligationCounts, Obligations};
use super::settings::Until;
use super::simulation::SimulationRow;
use crate::state::hiding::Hiding;
use crate::state::numbered::{MetNumbers, SharedNumbers};
use crate::state::{PackingError, State};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::named;
use crate::statement::asked::overridden::Overridden;
use crate::statement::constraint::Constraint;
use crate::statement::erased::{
    Caveats, ErasedAction, ErasedRefinement, ErasedState, ErasedSystem, erased_states,
};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::view::consistency::same;
use crate::walk::explore::{Panic, Place, StateId, Visitor};

const EQ: &str = "`eq` of a state of the specification";
const CLONE_OF_STATE: &str = "`clone` of a state";

/// Values that have to be computed for the obligations chosen.
#[derive(Clone, Copy)]
pub(super) struct Needs {
    /// Anything at all.
    pub anything: bool,
    /// f(s) for each state.
    pub image: bool,
    /// The step correspondence; other obligations rest on it.
    pub simulation: bool,
    /// Meaning of each step to the environment, to be kept with it.
    pub environment: bool,
    /// By which rule and process each step is taken, to be kept with it.
    pub fairness: bool,
    /// Whether fairness of the specification is asked for, so that the abstract states between are kept with a step that
    /// simulates several.
    pub mapped_fairness: bool,
}

impl Needs {
    fn of(obligations: &Obligations<'_>) -> Self {
        let environment = obligations.environment.is_chosen();
        let simulation = environment
            || obligations.liveness.is_mapped()
            || obligations.simulation.row.selected
            || obligations.agency.row.selected
            || obligations.coverage.row.selected;
        let image = simulation
            || obligations.observation.row.selected
            || obligations.initiality.row.selected;
        let mut invariants = obligations.invariants.rows.iter();
        Self {
            anything: image
                || obligations.environment.is_asked()
                || obligations.liveness.is_chosen()
                || obligations.deadlock.row.selected
                || invariants.any(|row| row.selected),
            image,
            simulation,
            environment,
            fairness: obligations.liveness.is_chosen(),
            mapped_fairness: obligations.liveness.is_mapped(),
        }
    }

    /// Whether something is kept with each step.
    pub fn labels(self) -> bool {
        self.environment || self.fairness
    }
}

/// Obligations that a check tests, and how.
pub(super) struct Plan<'a> {
    pub obligations: Obligations<'a>,
    /// Constraint that bounds the exploration.
    pub constraint: Option<&'a Constraint<ErasedSystem<'a>>>,
    pub needs: Needs,
    until: Until,
    /// Number of rules of the implementation, and of the specification.
    rules: [usize; 2],
    /// Labels of the steps.
    pub labels: LabelNumbers,
    /// The abstract states between, of steps that simulate several abstract steps.
    pub between: SharedNumbers<Vec<ErasedState>>,
    /// The model, as far as it is asked again.
    pub asking: Asking<'a>,
}

impl<'a> Plan<'a> {
    pub fn new(
        refinement: &'a ErasedRefinement<'a>,
        invariants: &'a [Invariant<ErasedSystem<'a>>],
        obligations: Obligations<'a>,
        until: Until,
    ) -> Self {
        let rules = named("`rules`", || {
            [
                refinement.implementation().call_rules().len(),
                refinement.specification().call_rules().len(),
            ]
        });
        Self {
            constraint: None,
            needs: Needs::of(&obligations),
            until,
            rules,
            labels: LabelNumbers::new(),
            between: SharedNumbers::new(),
            asking: Asking::new(refinement, invariants, &obligations.invariants.rows),
            obligations,
        }
    }

    /// The number of a label.
    #[inline(never)]
    fn number(&self, counts: &mut ObligationCounts, label: Label) -> u32 {
        self.labels.number(&mut counts.labels, label)
    }

    /// The number of the abstract states between.
    #[inline(never)]
    fn number_between(&self, counts: &mut ObligationCounts, between: Vec<ErasedState>) -> u32 {
        self.between.number(&mut counts.between, between)
    }

    /// The length of the shortest behaviour that violates something, where the check ends with that.
    pub fn stop(&self, counts: &ObligationCounts) -> Option<u32> {
        if self.until == Until::End {
            return None;
        }
        let violations = self.obligations.failures(counts);
        violations.map(|(_, place)| place.length).min()
    }

    /// The visitor of random walks, of what shortens them, and of the stepper.
    pub fn tester(&self) -> Tester<'_, 'a, ErasedRefinement<'a>> {
        let asking = &self.asking;
        Tester::new(self, asking.refinement, asking.invariants, self.constraint)
    }
}

/// Findings of a worker.
pub(super) struct ObligationTally<R: Refinement> {
    pub counts: ObligationCounts,
    /// The numbers of inputs, as far as this worker has asked for them.
    inputs: MetNumbers<ActionOf<R::Specification>>,
    /// Memory of the state to which the specification was led last.
    fired: Option<StateOf<R::Specification>>,
}

/// Tests the obligations of a check.
pub(super) struct Tester<'a, 'p, R: Refinement> {
    plan: &'a Plan<'p>,
    refinement: &'a R,
    /// Constraint that bounds the exploration.
    constraint: Option<&'a Constraint<R::Implementation>>,
    invariants: Vec<CheckedInvariant<'a, R::Implementation>>,
    /// The inputs of actions of the environment.
    pub inputs: Inputs<ActionOf<R::Specification>>,
    /// Those of the implementation.
    caveats: Caveats<'a, StateOf<R::Implementation>>,
    /// True if `allows` of the specification is derived; found out at the first step that simulates one.
    allows_is_derived: OnceLock<bool>,
}

impl<'a, 'p, R: Refinement> Tester<'a, 'p, R> {
    pub fn new(
        plan: &'a Plan<'p>,
        refinement: &'a R,
        invariants: &'a [Invariant<R::Implementation>],
        constraint: Option<&'a Constraint<R::Implementation>>,
    ) -> Self {
        Self {
            plan,
            refinement,
            constraint,
            invariants: plan.obligations.invariants.chosen(invariants),
            inputs: Inputs::new(),
            caveats: refinement.implementation().call_caveats(),
            allows_is_derived: OnceLock::new(),
        }
    }

    /// Tests that a step of `rule` maps to what it is said to simulate, and says what it means to the environment.
    #[inline(never)]
    fn simulation(
        &self,
        tally: &mut ObligationTally<R>,
        place: Place,
        rule: usize,
        step: Transition<'_, R::Implementation>,
        image: &StateOf<R::Specification>,
    ) -> Label {
        let (_, action, _) = step;
        let plan = self.plan;
        let specification = self.refinement.specification();
        let counts = &mut tally.counts;
        let step = SimulationRow::test(
            self.refinement,
            &mut counts.simulation,
            place,
            rule,
            step,
            image,
            |action, target| {
                let is_derived = || Overridden::leaves_allows(specification, image, action);
                if !*self.allows_is_derived.get_or_init(is_derived) {
                    return None;
                }
                let last = tally.fired.take();
                let (fired, to) = fired(specification, image, action, last);
                let allowed = fired && named(EQ, || to == *target);
                tally.fired = Some(to);
                Some(allowed)
            },
        );
        counts.model.hear(|heard| {
            heard.answers.push(named(
                "`clone` of an action or a state of the specification",
                || step.answer.erased(),
            ));
        });
        plan.obligations
            .test_step(self.refinement, counts, place, &step);
        let mut label = Label::default();
        if plan.needs.mapped_fairness && !step.answer.between.is_empty() {
            let between = erased_states(&step.answer.between);
            label.between = Some(plan.number_between(counts, between));
        }
        if plan.needs.environment {
            let agency = &plan.obligations.agency;
            let agent = agency.position(agent(self.refinement, action));
            label.agent = agent.map(|place| place as u8);
            label.visible = !step.answer.actions().is_empty();
            label.input = self.input(&mut tally.inputs, step.answer.actions());
        }
        label
    }

    /// The number of the inputs of the action of the environment among abstract actions. Several at once choose for the
    /// environment: they are an input of none of its rules.
    #[inline(always)]
    fn input(
        &self,
        known: &mut MetNumbers<ActionOf<R::Specification>>,
        actions: &[ActionOf<R::Specification>],
    ) -> Option<u32> {
        let specification = self.refinement.specification();
        let agency = &self.plan.obligations.agency;
        let mut of_environment = actions
            .iter()
            .filter(|action| matches!(agency.owner(specification, action), Owner::Environment(_)));
        let action = of_environment.next()?;
        let is_alone = of_environment.next().is_none();
        is_alone.then(|| self.inputs.number(specification, known, action))
    }
}

/// Whether an action is enabled in a state of the specification, and the state to which it leads, in the memory of `last`.
///
/// PERF: nothing is cloned at a step.
fn fired<S: TransitionSystem>(
    specification: &S,
    from: &StateOf<S>,
    action: &ActionOf<S>,
    last: Option<StateOf<S>>,
) -> (bool, StateOf<S>) {
    let mut to = named("`clone` of a state of the specification", || match last {
        Some(mut to) => {
            to.assign(from);
            to
        }
        None => from.clone(),
    });
    let fired = named("`fire` of the specification", || {
        specification.fire(action, &mut to)
    });
    (fired.is_some(), to)
}

impl<R: Refinement> Visitor<R::Implementation> for Tester<'_, '_, R> {
    type Tally = ObligationTally<R>;
    type Image = Option<StateOf<R::Specification>>;

    fn tally(&self) -> Self::Tally {
        ObligationTally {
            counts: ObligationCounts::new(self.plan.rules, invariant::no_counts(&self.invariants)),
            inputs: MetNumbers::default(),
            fired: None,
        }
    }

    fn tell(&self, tally: &Self::Tally) -> Option<Value> {
        Some(tally.counts.save())
    }

    fn hear(
        &self,
        into: &mut Self::Tally,
        told: &Value,
        number: &dyn Fn(StateId) -> StateId,
    ) -> bool {
        let mut tally = self.tally();
        let is_read = tally.counts.load(told);
        tally.counts.renumber(number);
        self.merge(into, tally);
        is_read
    }

    fn is_at_fault(&self, tally: &Self::Tally) -> bool {
        tally.counts.model.fault.is_some()
    }

    fn is_sampled(&self, state: StateId) -> bool {
        let (length, step) = (0, None);
        let place = Place {
            length,
            state,
            step,
        };
        self.plan.asking.is_asked_again(place)
    }

    fn find_again(&self, into: &mut Self::Tally, found: Self::Tally) {
        let asks_again = &self.plan.asking.asks_again;
        into.counts.model.find_again(found.counts.model, asks_again);
    }

    fn mentioned(&self, tally: &Self::Tally) -> Vec<StateId> {
        tally.counts.mentioned()
    }

    fn ask_again(&self) {
        if let AsksAgain::Afterwards(begun) = &self.plan.asking.asks_again {
            begun.store(true, Ordering::Relaxed);
        }
    }

    fn merge(&self, into: &mut Self::Tally, from: Self::Tally) {
        into.counts.add(from.counts);
    }

    fn examine(&self, tally: &mut Self::Tally, place: Place, state: &StateOf<R::Implementation>) {
        let (plan, counts) = (self.plan, &mut tally.counts);
        plan.asking.listen(&mut counts.model.again, place);
        if !plan.needs.anything {
            return;
        }
        let cloned = || named(CLONE_OF_STATE, || ErasedState::of(state));
        plan.asking.enter(&mut counts.model, place, cloned);
        let model = &mut counts.model;
        invariant::test(
            &self.invariants,
            &mut counts.invariants,
            place,
            state,
            |holds| {
                if let Some(heard) = &mut model.again.heard {
                    heard.invariants.push(holds);
                }
            },
        );
    }

    #[inline(always)]
    fn image(&self, tally: &mut Self::Tally, state: &StateOf<R::Implementation>) -> Self::Image {
        if !self.plan.needs.image {
            return None;
        }
        let image = self.refinement.call_map(state);
        tally.counts.model.hear(|heard| {
            heard.image = Some(named("`clone` of a state of the specification", || {
                ErasedState::of(&image)
            }));
        });
        Some(image)
    }

    #[inline(always)]
    fn examine_image(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        state: &StateOf<R::Implementation>,
        image: &Self::Image,
    ) {
        let Some(image) = image else {
            return;
        };
        let (obligations, counts) = (&self.plan.obligations, &mut tally.counts);
        let shown = obligations.test_state(self.refinement, counts, place, state, image);
        if let Some(shown) = shown {
            counts.model.hear(|heard| {
                let _shown = Hiding::suspend();
                heard.shown = Some(named("`Debug` of an observation", || format!("{shown:?}")));
            });
        }
    }

    #[inline(always)]
    fn is_constrained(&self) -> bool {
        self.constraint.is_some()
    }

    #[inline(always)]
    fn is_expanded(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        state: &StateOf<R::Implementation>,
    ) -> bool {
        self.constraint.is_none_or(|constraint| {
            let counts = &mut tally.counts;
            let is_within = constraint.contains(state);
            counts.constraint.note_state(place, is_within);
            if counts.model.again.heard.is_some()
                && let Err(found) = same("the constraint", &is_within, &constraint.contains(state))
            {
                counts.model.record(place, found.into());
            }
            is_within
        })
    }

    #[inline(always)]
    fn offered(&self, tally: &mut Self::Tally, action: &ActionOf<R::Implementation>) {
        if self.plan.needs.anything {
            let _shown = Hiding::suspend_if_hidden();
            tally.counts.model.offer(action);
        }
    }

    #[inline]
    fn looks_at_steps(&self) -> bool {
        self.plan.needs.anything || self.is_constrained()
    }

    #[inline(always)]
    fn taken(&self, tally: &mut Self::Tally, action: &ActionOf<R::Implementation>) {
        let implementation = self.refinement.implementation();
        tally.counts.coverage.fire(implementation, action);
    }

    #[inline(always)]
    fn step(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        (from, image): (&StateOf<R::Implementation>, &Self::Image),
        action: &ActionOf<R::Implementation>,
        to: &StateOf<R::Implementation>,
    ) -> u32 {
        let (needs, counts) = (self.plan.needs, &mut tally.counts);
        counts.model.hear(|heard| {
            let action = named("`clone` of an action", || ErasedAction::of(action));
            let to = named(CLONE_OF_STATE, || ErasedState::of(to));
            heard.steps.push((action, to));
        });
        let implementation = self.refinement.implementation();
        let rule = counts.coverage.fire(implementation, action);
        counts.model.hear(|heard| heard.rules.push(rule));
        if let Some(constraint) = self.constraint {
            counts.constraint.note_step(constraint.contains(to));
        }
        let mut label = match image {
            Some(image) if needs.simulation => {
                self.simulation(tally, place, rule, (from, action, to), image)
            }
            _ => Label::default(),
        };
        if needs.fairness {
            let process = named("`process` of the implementation", || {
                implementation.call_process(action)
            });
            label.taken = Some((rule as u32, process));
        }
        if !needs.labels() {
            return 0;
        }
        self.plan.number(&mut tally.counts, label)
    }

    #[inline(always)]
    fn leave(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        state: &StateOf<R::Implementation>,
        count: u32,
    ) {
        let (plan, counts) = (self.plan, &mut tally.counts);
        let implementation = self.refinement.implementation();
        plan.obligations
            .test_end(implementation, &self.caveats, counts, place, state, count);
        let cloned = || named(CLONE_OF_STATE, || ErasedState::of(state));
        plan.asking.leave(&mut counts.model, place, cloned, count);
    }

    fn mispacked(&self, tally: &mut Self::Tally, place: Place, error: PackingError) {
        tally
            .counts
            .model
            .record(place, ModelFault::Mispacked(error));
    }

    fn panicked(&self, tally: &mut Self::Tally, place: Place, panic: Panic) {
        tally.counts.model.record(place, ModelFault::Panic(panic));
    }

    fn stop(&self, tally: &Self::Tally) -> Option<u32> {
        self.plan.stop(&tally.counts)
    }
}
