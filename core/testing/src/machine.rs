//! Systems whose parts are functions.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use refmap::obligation::ObligationKind;
use refmap::{
    Caveats, Choices, Fairness, Process, Rule, RuleId, State, TransitionSystem, TypeCorrect,
};

/// Action: the name of its rule, with an argument.
pub type Action<N = u8> = (&'static str, N);

/// Function that lists the steps of a state.
pub type Steps<S, N> = fn(&S) -> Vec<(Action<N>, S)>;

/// System whose parts are functions: its steps are those of the rules that are said one by one ([`rule`](Self::rule)), and
/// those of `next`.
#[derive(Clone)]
pub struct Machine<S, O = u8, N = u8> {
    pub rules: Vec<Rule>,
    pub initial: Vec<S>,
    effects: Vec<Effect<S, N>>,
    pub next: Steps<S, N>,
    pub observe: fn(&S) -> O,
    pub may_stop: fn(&S) -> bool,
    /// Input part of an action, without its results.
    pub inputs: fn(&Action<N>) -> Action<N>,
    pub fairness: Vec<Fairness>,
    /// Type-correct states.
    pub type_correct: Vec<S>,
    /// Number of the process that takes an action, for processes that have numbers.
    pub number_of: fn(&Action<N>) -> Option<u16>,
    /// Description of the bound of its runs, and the threads that the bound cuts off.
    pub bound: Option<&'static str>,
    pub cut_off: fn(&S) -> Vec<&'static str>,
    /// Doubts of a verdict on it.
    pub doubts: Vec<&'static str>,
    /// Obligations that cannot be decided on it.
    pub undecided: Vec<ObligationKind>,
}

type Fires<S, N> = dyn Fn(&mut S, &N) -> Option<()> + Send + Sync;

/// A rule's guard and effect, and the arguments with which it is tried.
#[derive(Clone)]
struct Effect<S, N> {
    rule: &'static str,
    arguments: Vec<N>,
    fire: Arc<Fires<S, N>>,
}

impl<S, O, N: Clone> Machine<S, O, N> {
    /// Creates a system that may never stop; `rules` are pairs of a name and a process.
    pub fn new(
        rules: &[(&'static str, &'static str)],
        initial: impl Into<Vec<S>>,
        next: Steps<S, N>,
        observe: fn(&S) -> O,
    ) -> Self {
        Self {
            rules: self::rules(rules),
            initial: initial.into(),
            effects: Vec::new(),
            next,
            observe,
            may_stop: |_| false,
            inputs: Clone::clone,
            fairness: Vec::new(),
            type_correct: Vec::new(),
            number_of: |_| None,
            bound: None,
            cut_off: |_| Vec::new(),
            doubts: Vec::new(),
            undecided: Vec::new(),
        }
    }

    /// The same with a rule that is tried with each of some arguments.
    #[must_use]
    pub fn rule_of_each(
        mut self,
        name: &'static str,
        arguments: impl IntoIterator<Item = N>,
        fire: impl Fn(&mut S, &N) -> Option<()> + Send + Sync + 'static,
    ) -> Self {
        self.rules.push(Rule::new(name, "it", "a test"));
        self.effects.push(Effect {
            rule: name,
            arguments: arguments.into_iter().collect(),
            fire: Arc::new(fire),
        });
        self
    }

    fn place(&self, action: &Action<N>) -> usize {
        let place = self.rules.iter().position(|rule| rule.name == action.0);
        place.expect("an action is named after its rule")
    }
}

impl<S, O> Machine<S, O> {
    /// Creates a system without rules, which may never stop.
    pub fn of(initial: impl Into<Vec<S>>, observe: fn(&S) -> O) -> Self {
        Self::new(&[], initial, |_| Vec::new(), observe)
    }

    /// The same with a rule without arguments.
    #[must_use]
    pub fn rule(
        self,
        name: &'static str,
        fire: impl Fn(&mut S) -> Option<()> + Send + Sync + 'static,
    ) -> Self {
        self.rule_of_each(name, [0], move |state, _| fire(state))
    }
}

impl<S, O, N> refmap::Action<Machine<S, O, N>> for Action<N>
where
    N: refmap::Action<Machine<S, O, N>>,
{
    fn rules(machine: &Machine<S, O, N>) -> &[Rule] {
        &machine.rules
    }

    fn rule(&self, machine: &Machine<S, O, N>) -> RuleId {
        RuleId(machine.place(self))
    }

    fn process(&self, machine: &Machine<S, O, N>) -> Process {
        let kind = machine.rules[machine.place(self)].process;
        match (machine.number_of)(self) {
            None => Process::new(kind),
            Some(number) => Process::numbered(kind, number),
        }
    }

    fn inputs(&self, machine: &Machine<S, O, N>) -> Self {
        (machine.inputs)(self)
    }
}

impl<S, O, N> TransitionSystem for Machine<S, O, N>
where
    S: State<Self>,
    O: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    N: refmap::Action<Self>,
{
    type State = S;
    type Action = Action<N>;
    type Observation = O;

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }

    fn caveats(&self) -> Caveats<'_, S> {
        let caveats = Caveats::default()
            .doubted(|| self.doubts.iter().copied().map(str::to_owned).collect())
            .undecided(self.undecided.clone(), "steps are joined");
        match self.bound {
            Some(bound) => caveats.bounded(bound, self.cut_off),
            None => caveats,
        }
    }

    fn initial(&self, visit: &mut impl FnMut(S)) {
        self.initial.iter().cloned().for_each(visit);
    }

    fn fire(&self, action: &Action<N>, state: &mut S) -> Option<()> {
        let mut effects = self.effects.iter();
        if let Some(effect) = effects.find(|effect| effect.rule == action.0) {
            return (effect.fire)(state, &action.1);
        }
        let mut steps = (self.next)(state).into_iter();
        (_, *state) = steps.find(|(offered, _)| offered == action)?;
        Some(())
    }

    fn next(&self, from: &S, visit: &mut impl FnMut(Action<N>, &S)) {
        for effect in &self.effects {
            for argument in &effect.arguments {
                let mut to = from.clone();
                if (effect.fire)(&mut to, argument).is_some() {
                    visit((effect.rule, argument.clone()), &to);
                }
            }
        }
        for (action, to) in (self.next)(from) {
            visit(action, &to);
        }
    }

    fn observe(&self, state: &S) -> O {
        (self.observe)(state)
    }

    fn may_stop(&self, state: &S) -> bool {
        (self.may_stop)(state)
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

/// Rules, each with its name and its process.
pub fn rules(all: &[(&'static str, &'static str)]) -> Vec<Rule> {
    let rules = all.iter();
    rules
        .map(|(name, process)| Rule::new(name, process, "a test"))
        .collect()
}
