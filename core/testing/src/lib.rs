//! Small systems and refinements, given as functions, for the tests of refmap's crates.
//!
//! Crates depend on it only for their tests.

#![expect(
    missing_docs,
    reason = "a field is the method of its name, in the traits of refmap"
)]

mod adjusting;
pub mod clustered;
mod damage;
pub mod decomposed;
pub mod explicit;
mod itself;
mod labelling;
mod meeting;
mod number;
mod plain;
mod random;
mod sundry;
pub mod textbook;
mod with_invariants;

pub use adjusting::Adjusting;
pub use damage::damaged;
pub use itself::{Alike, Itself};
pub use labelling::Labelling;
pub use meeting::{Participant, participants};
pub use number::{Number, Whole};
pub use plain::{Counts, reachable, search};
pub use random::Random;
pub use sundry::{Sundry, sundry_trace};
pub use with_invariants::{WithInvariants, with_invariant};

use refmap::obligation::ObligationKind;
use refmap::{
    AbstractSteps, Choices, Constraint, Fairness, Invariant, Process, Property, Refinement, Rule,
    RuleId, State, TransitionSystem, TypeCorrect, Waiver,
};

/// Action: a name with an argument.
pub type Action = (&'static str, u8);

/// The action of a system that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, refmap::Action)]
pub enum Go {
    Go,
}

/// System whose parts are functions. An action belongs to the rule of its name.
#[derive(Clone)]
pub struct Machine<S> {
    pub rules: Vec<Rule>,
    pub initial: Vec<S>,
    pub next: fn(&S) -> Vec<(Action, S)>,
    pub observe: fn(&S) -> u8,
    pub may_stop: fn(&S) -> bool,
    /// Input part of an action, without its results.
    pub inputs: fn(&Action) -> Action,
    pub fairness: Vec<Fairness>,
    /// Type-correct states.
    pub type_correct: Vec<S>,
    /// Number of the process that takes an action, for processes that have numbers.
    pub number_of: fn(&Action) -> Option<u16>,
    /// Description of the bound of its runs, and the threads that the bound cuts off.
    pub bound: Option<&'static str>,
    pub cut_off: fn(&S) -> Vec<&'static str>,
    /// Doubts of a verdict on it.
    pub doubts: Vec<&'static str>,
    /// Obligations that cannot be decided on it.
    pub undecided: Vec<ObligationKind>,
}

impl<S> Machine<S> {
    /// Creates a system that may never stop; `rules` are pairs of a name and a process.
    pub fn new(
        rules: &[(&'static str, &'static str)],
        initial: impl Into<Vec<S>>,
        next: fn(&S) -> Vec<(Action, S)>,
        observe: fn(&S) -> u8,
    ) -> Self {
        Self {
            rules: rules
                .iter()
                .map(|(name, process)| Rule::new(name, process, "a test"))
                .collect(),
            initial: initial.into(),
            next,
            observe,
            may_stop: |_| false,
            inputs: |action| *action,
            fairness: Vec::new(),
            type_correct: Vec::new(),
            number_of: |_| None,
            bound: None,
            cut_off: |_| Vec::new(),
            doubts: Vec::new(),
            undecided: Vec::new(),
        }
    }
}

impl<S: State<Self>> TransitionSystem for Machine<S> {
    type State = S;
    type Action = Action;
    type Observation = u8;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        let rule = self.rules.iter().position(|rule| rule.name == action.0);
        RuleId(rule.expect("an action is named after its rule"))
    }

    fn process_of(&self, action: &Action) -> Process {
        let kind = self.rules[self.rule_of(action).0].process;
        match (self.number_of)(action) {
            None => Process::new(kind),
            Some(number) => Process::numbered(kind, number),
        }
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }

    fn bound(&self) -> Option<String> {
        self.bound.map(str::to_owned)
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.iter().copied().map(str::to_owned).collect()
    }

    fn undecided(&self, obligation: ObligationKind) -> Option<&'static str> {
        let is_undecided = self.undecided.contains(&obligation);
        is_undecided.then_some("steps are joined")
    }

    fn cut_off(&self, state: &S) -> Vec<&str> {
        (self.cut_off)(state)
    }

    fn initial(&self, visit: &mut impl FnMut(S)) {
        self.initial.iter().cloned().for_each(visit);
    }

    fn fire(&self, action: &Action, state: &mut S) -> Option<()> {
        let mut steps = (self.next)(state).into_iter();
        (_, *state) = steps.find(|(offered, _)| offered == action)?;
        Some(())
    }

    fn next(&self, from: &S, visit: &mut impl FnMut(Action, &S)) {
        for (action, to) in (self.next)(from) {
            visit(action, &to);
        }
    }

    fn observe(&self, state: &S) -> u8 {
        (self.observe)(state)
    }

    fn may_stop(&self, state: &S) -> bool {
        (self.may_stop)(state)
    }

    fn inputs(&self, action: &Action) -> Action {
        (self.inputs)(action)
    }
}

impl<S: Copy> TypeCorrect for Machine<S>
where
    Self: TransitionSystem<State = S>,
{
    fn type_correct(&self, choices: &mut Choices) -> S {
        choices.one_of(&self.type_correct)
    }
}

/// Refinement whose parts are functions.
pub struct Via<C, A>
where
    Machine<C>: TransitionSystem,
{
    pub implementation: Machine<C>,
    pub specification: Machine<A>,
    pub map: fn(&C) -> A,
    pub abstract_steps: fn(&C, &Action, &C) -> AbstractSteps<Action>,
    pub environment: Vec<Process>,
    pub at_rest: fn(&C, Process) -> bool,
    pub acts_for: fn(Process) -> Process,
    pub invariants: Vec<Invariant<Machine<C>>>,
    pub constraint: Option<Constraint<Machine<C>>>,
    pub liveness: Vec<Property<Machine<C>>>,
    pub waivers: Vec<Waiver>,
}

/// The specification as an implementation of itself.
pub fn itself<S: Clone>(specification: Machine<S>) -> Via<S, S>
where
    Machine<S>: TransitionSystem,
{
    Via {
        implementation: specification.clone(),
        specification,
        map: S::clone,
        abstract_steps: |_, action, _| AbstractSteps::One(*action),
        environment: Vec::new(),
        at_rest: |_, _| true,
        acts_for: |process| process,
        invariants: Vec::new(),
        constraint: None,
        liveness: Vec::new(),
        waivers: Vec::new(),
    }
}

impl<C, A> Refinement for Via<C, A>
where
    Machine<C>: TransitionSystem<State = C, Action = Action, Observation = u8>,
    Machine<A>: TransitionSystem<State = A, Action = Action, Observation = u8>,
{
    type Implementation = Machine<C>;
    type Specification = Machine<A>;

    fn implementation(&self) -> &Machine<C> {
        &self.implementation
    }

    fn specification(&self) -> &Machine<A> {
        &self.specification
    }

    fn map(&self, state: &C) -> A {
        (self.map)(state)
    }

    fn abstract_steps(&self, from: &C, action: &Action, to: &C) -> AbstractSteps<Action> {
        (self.abstract_steps)(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<Machine<C>>> {
        self.invariants.clone()
    }

    fn constraint(&self) -> Option<Constraint<Machine<C>>> {
        self.constraint.clone()
    }

    fn liveness(&self) -> Vec<Property<Machine<C>>> {
        self.liveness.clone()
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &C, process: Process) -> bool {
        (self.at_rest)(state, process)
    }

    fn acts_for(&self, process: Process) -> Process {
        (self.acts_for)(process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.waivers.clone()
    }
}

/// A clock of four hours.
pub fn counter() -> Machine<u8> {
    let next = |n: &u8| vec![(("tick", 0), (n + 1) % 4)];
    Machine::new(&[("tick", "clock")], [0], next, |n| *n)
}

/// The counter as an implementation of itself with a further rule, which it leaves out.
pub fn counter_with_reset() -> Via<u8, u8> {
    let mut specification = counter();
    specification.rules = Machine::new(
        &[("tick", "clock"), ("reset", "user")],
        [0u8],
        |_| Vec::new(),
        |n| *n,
    )
    .rules;
    let mut refinement = itself(specification);
    refinement.specification.next = |n| vec![(("tick", 0), (n + 1) % 4), (("reset", 0), 0)];
    refinement
}

/// A waiver for a rule.
pub fn waived(rule: &'static str) -> Waiver {
    Waiver {
        rule,
        reason: "a test",
    }
}
