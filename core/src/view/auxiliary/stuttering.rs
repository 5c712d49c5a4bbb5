//! Stuttering variables: steps of an implementation that change nothing, so that one step simulates several, or a specification
//! is met that is slower.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 5 (Example 4, in which a refinement mapping needs
//! them); Lamport & Merz, *Auxiliary Variables in TLA+*, section 5: steps before or after those of an action, as many as a value
//! is counted down, while which no other step is taken.
//!
//! A stutter changes nothing but the variable, so no behaviour is added. None is lost if each stutter ends (`auxiliary:terminates`),
//! and one before an action ends where that is enabled, which is where it begins (`auxiliary:enabled`).
//!
//! Left out: symmetry. What an action becomes when identities are exchanged may depend on its step, of which a state in the middle
//! of a stutter has but one end; so this system shows no names, and a check with a symmetry is refused.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::OnceLock;

use serde::Serialize;

use super::parts::{asked_of_the_system, written_by_parts};
use crate::State;
use crate::statement::action::Action;
use crate::statement::asked::visit::visit_steps;
use crate::statement::erased::{
    Caveats, ErasedAction, ErasedState, Outcome, SideCondition, SystemObject, Tell, ViewObject,
};
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem};

/// The most values of one stutter that are looked at to see that it ends.
const MOST_VALUES: u64 = 1 << 24;

/// A stuttering variable of `S`: at which actions the system stutters, and for how long.
///
/// A value is counted down. There are as many stutters as there are values from the first one to the [least](Self::least), both
/// included: with `least` 1 and [`decrease`](Self::decrease) by 1 a number is how often the system stutters.
pub trait Stutters<S: TransitionSystem>: Sync {
    /// Type of the values, in an order in which from none of them an endless sequence of smaller ones begins.
    type Value: State<S> + Ord;

    /// Names of the rules of the system at whose actions it stutters.
    fn rules(&self) -> Vec<&'static str>;

    /// The actions before which the system stutters in a state, each once, with the first value. They have to be enabled there,
    /// which is the side condition `auxiliary:enabled`; [`enabled`] gives those that are. None, by default.
    fn before(&self, _system: &S, _state: &StateOf<S>) -> Vec<(ActionOf<S>, Self::Value)> {
        Vec::new()
    }

    /// The first value with which the system stutters after a step, if it does. It does not, by default.
    fn after(
        &self,
        _system: &S,
        _from: &StateOf<S>,
        _action: &ActionOf<S>,
        _to: &StateOf<S>,
    ) -> Option<Self::Value> {
        None
    }

    /// The least value: its stutter is the last one.
    fn least(&self) -> Self::Value;

    /// The value of the next stutter. Asked of others than the least one; it has to be smaller, and none may be smaller than the
    /// least one: that is the side condition `auxiliary:terminates`.
    fn decrease(&self, value: &Self::Value) -> Self::Value;
}

/// The enabled actions of a state that have a value, for [`Stutters::before`].
pub fn enabled<S: TransitionSystem, V>(
    system: &S,
    state: &StateOf<S>,
    mut value: impl FnMut(&ActionOf<S>) -> Option<V>,
) -> Vec<(ActionOf<S>, V)> {
    let mut with_value = Vec::new();
    visit_steps(system, state, &mut |action, _| {
        if let Some(value) = value(&action) {
            with_value.push((action, value));
        }
    });
    with_value
}

/// A system with a stuttering variable.
#[derive(Clone, Debug)]
pub struct WithStuttering<S, V> {
    /// The system, which knows nothing of the variable.
    pub system: S,
    /// The variable.
    pub stutters: V,
    /// Rules of the system, and one for the stutters of each rule that has some.
    rules: OnceLock<Rules>,
}

#[derive(Clone, Debug)]
struct Rules {
    all: Vec<Rule>,
    /// Per rule of the system, that of its stutters.
    stutters: Vec<Option<RuleId>>,
}

/// Side of an action on which the system stutters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub enum When {
    /// Before its step.
    Before,
    /// After its step.
    After,
}

/// A stutter: a step that changes nothing but the variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub struct Stutter<A, V> {
    /// Side of the action.
    pub when: When,
    /// Action at which the system stutters. Its rule is that to which the stutter belongs.
    pub action: A,
    /// Value of this stutter.
    pub value: V,
}

/// A state, and the stutter that is under way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Pausing<T, A, V> {
    /// The state of the system.
    pub state: T,
    /// Before an action the stutter that was taken last; after one the stutter that is next; `None` if the system does not
    /// stutter.
    pub stutter: Option<Stutter<A, V>>,
}

/// A step of the system, or a stutter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Stuttering<A, V> {
    /// A step of the system.
    Step(A),
    /// A stutter.
    Stutter(Stutter<A, V>),
}

impl<A, V> Stuttering<A, V> {
    /// The action of the system that is taken, or at which it stutters.
    fn action(&self) -> &A {
        match self {
            Self::Step(action) | Self::Stutter(Stutter { action, .. }) => action,
        }
    }
}

impl<S, V> Action<WithStuttering<S, V>> for Stuttering<ActionOf<S>, V::Value>
where
    S: TransitionSystem<Action: State<S>>,
    V: Stutters<S>,
{
    fn rules(view: &WithStuttering<S, V>) -> &[Rule] {
        &view.all_rules().all
    }

    /// The rule of the system, or that of the stutters at it.
    ///
    /// # Panics
    ///
    /// If the system stutters at a rule that [`Stutters::rules`] does not name.
    fn rule(&self, view: &WithStuttering<S, V>) -> RuleId {
        let of_step = self.action().rule(&view.system);
        if let Self::Step(_) = self {
            return of_step;
        }
        let of_stutters = view.all_rules().stutters[of_step.0];
        of_stutters.unwrap_or_else(|| {
            let name = &ActionOf::<S>::rules(&view.system)[of_step.0].name;
            panic!("the system stutters at `{name}`, which is none of the rules of the stuttering variable")
        })
    }

    fn process(&self, view: &WithStuttering<S, V>) -> Process {
        self.action().process(&view.system)
    }

    fn inputs(&self, view: &WithStuttering<S, V>) -> Self {
        let mut inputs = self.clone();
        match &mut inputs {
            Self::Step(action) | Self::Stutter(Stutter { action, .. }) => {
                *action = action.inputs(&view.system);
            }
        }
        inputs
    }
}

/// Actions of the system that are taken in a state.
enum Takes<A, V> {
    None,
    Only(A),
    /// All but those before which it stutters.
    AllBut(Vec<(A, V)>),
}

impl<A: PartialEq, V> Takes<A, V> {
    fn is_taken(&self, action: &A) -> bool {
        match self {
            Self::None => false,
            Self::Only(only) => action == only,
            Self::AllBut(before) => before.iter().all(|(other, _)| action != other),
        }
    }
}

/// The stutters that a state offers, each with the one that is under way after it; and the actions that are taken there.
type OwnSteps<S, V> = (
    Vec<(StutterOf<S, V>, Option<StutterOf<S, V>>)>,
    Takes<ActionOf<S>, <V as Stutters<S>>::Value>,
);

type StutterOf<S, V> = Stutter<ActionOf<S>, <V as Stutters<S>>::Value>;

written_by_parts! {
    impl [S: TransitionSystem, V: Stutters<S>] Pausing<StateOf<S>, ActionOf<S>, V::Value>,
    of WithStuttering<S, V>, based on S
    where [ActionOf<S>: State<S>]
    { state: StateOf<S>, stutter: Option<StutterOf<S, V>> }
}

impl<S: TransitionSystem, V: Stutters<S>> WithStuttering<S, V> {
    /// The system with the variable.
    pub fn new(system: S, stutters: V) -> Self {
        Self {
            system,
            stutters,
            rules: OnceLock::new(),
        }
    }

    fn all_rules(&self) -> &Rules {
        self.rules.get_or_init(|| {
            let own = ActionOf::<S>::rules(&self.system);
            let mut rules = Rules {
                all: own.to_vec(),
                stutters: vec![None; own.len()],
            };
            for name in self.stutters.rules() {
                let place = own.iter().position(|rule| rule.name == name);
                let place = place.unwrap_or_else(|| {
                    panic!("`{name}`, at which the system is said to stutter, is no rule of it")
                });
                rules.stutters[place] = Some(RuleId(rules.all.len()));
                rules.all.push(Rule {
                    name: format!("stutter at {name}").into(),
                    ..own[place].clone()
                });
            }
            rules
        })
    }

    /// That a value is counted down to the least one.
    fn terminates(&self, first: &V::Value) -> Outcome {
        let least = self.stutters.least();
        let mut value = first.clone();
        for count in 1..=MOST_VALUES {
            if value < least {
                return Outcome::Fails(format!(
                    "the stutter that begins with {first:?} comes to {value:?}, which is smaller than the least value, {least:?}"
                ));
            }
            if value == least {
                return Outcome::Holds(count);
            }
            let next = self.stutters.decrease(&value);
            if next >= value {
                return Outcome::Fails(format!(
                    "the stutter that begins with {first:?} goes on from {value:?} to {next:?}, which is not smaller"
                ));
            }
            value = next;
        }
        Outcome::Open(format!(
            "the stutter that begins with {first:?} has more than {MOST_VALUES} values"
        ))
    }
}

impl<S, V> TransitionSystem for WithStuttering<S, V>
where
    S: TransitionSystem<Action: State<S>>,
    V: Stutters<S>,
{
    type State = Pausing<StateOf<S>, ActionOf<S>, V::Value>;
    type Action = Stuttering<ActionOf<S>, V::Value>;
    type Observation = ObservationOf<S>;

    fn initial(&self, visit: &mut impl FnMut(Self::State)) {
        self.system.initial(&mut |state| {
            visit(Pausing {
                state,
                stutter: None,
            });
        });
    }

    fn fire(&self, action: &Self::Action, state: &mut Self::State) -> Option<()> {
        let (stutters, takes) = self.own_steps(state);
        match action {
            Stuttering::Stutter(stutter) => {
                let mut stutters = stutters.into_iter();
                (_, state.stutter) = stutters.find(|(offered, _)| offered == stutter)?;
            }
            Stuttering::Step(action) => {
                takes.is_taken(action).then_some(())?;
                let from = state.state.clone();
                self.system.fire(action, &mut state.state)?;
                state.stutter = self.stutter_after(&from, action, &state.state);
            }
        }
        Some(())
    }

    fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, &Self::State)) {
        let (stutters, takes) = self.own_steps(from);
        let state = &from.state;
        for (offered, stutter) in stutters {
            let state = state.clone();
            visit(Stuttering::Stutter(offered), &Pausing { state, stutter });
        }
        if let Takes::None = takes {
            return;
        }
        self.system.next(state, &mut |action, to| {
            if takes.is_taken(&action) {
                let stutter = self.stutter_after(state, &action, to);
                let state = to.clone();
                visit(Stuttering::Step(action), &Pausing { state, stutter });
            }
        });
    }

    asked_of_the_system!(with "stuttering": stutter);

    fn caveats(&self) -> Caveats<'_, Self::State> {
        let below = self.system.caveats();
        below.of(|from: &Self::State| &from.state).viewed(self)
    }
}

impl<S, V> WithStuttering<S, V>
where
    S: TransitionSystem<Action: State<S>>,
    V: Stutters<S>,
{
    fn own_steps(&self, Pausing { state, stutter }: &StateOf<Self>) -> OwnSteps<S, V> {
        let decreased = |stutter: &StutterOf<S, V>| {
            (stutter.value != self.stutters.least()).then(|| Stutter {
                value: self.stutters.decrease(&stutter.value),
                ..stutter.clone()
            })
        };
        match stutter {
            None => {
                let before = self.stutters.before(&self.system, state);
                let stutters = before.iter().map(|(action, value)| {
                    let stutter = Stutter {
                        when: When::Before,
                        action: action.clone(),
                        value: value.clone(),
                    };
                    (stutter.clone(), Some(stutter))
                });
                (stutters.collect(), Takes::AllBut(before))
            }
            Some(last) if last.when == When::Before => match decreased(last) {
                Some(next) => (vec![(next.clone(), Some(next))], Takes::None),
                None => (Vec::new(), Takes::Only(last.action.clone())),
            },
            Some(stutter) => (vec![(stutter.clone(), decreased(stutter))], Takes::None),
        }
    }

    /// The stutter that follows a step.
    fn stutter_after(
        &self,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> Option<StutterOf<S, V>> {
        let value = self.stutters.after(&self.system, from, action, to)?;
        Some(Stutter {
            when: When::After,
            action: action.clone(),
            value,
        })
    }
}

impl<S, V> ViewObject for WithStuttering<S, V>
where
    S: TransitionSystem<Action: State<S>>,
    V: Stutters<S>,
{
    fn variable(&self) -> &'static str {
        "stuttering"
    }

    fn base(&self) -> &dyn SystemObject {
        &self.system
    }

    fn base_state(&self, state: &ErasedState) -> ErasedState {
        ErasedState::of(&state.get::<StateOf<Self>>().state)
    }

    fn base_action(&self, action: &ErasedAction) -> Option<ErasedAction> {
        match action.get::<ActionOf<Self>>() {
            Stuttering::Step(action) => Some(ErasedAction::of(action)),
            Stuttering::Stutter(_) => None,
        }
    }

    /// The one without a stutter: whatever is stuttered, it is reached as well.
    fn lifts(&self, base: &ErasedState, enough: &mut dyn FnMut(ErasedState) -> bool) -> bool {
        let state: StateOf<Self> = Pausing {
            state: base.get::<StateOf<S>>().clone(),
            stutter: None,
        };
        enough(ErasedState::from(state));
        true
    }

    /// Before an action the last stutter is followed by it, which is a step of the system.
    fn is_stuttering(&self, state: &ErasedState) -> bool {
        let stutter = state.get::<StateOf<Self>>().stutter.as_ref();
        stutter.is_some_and(|stutter| match stutter.when {
            When::Before => stutter.value != self.stutters.least(),
            When::After => true,
        })
    }

    fn conditions(&self) -> &'static [SideCondition] {
        &[SideCondition::Terminates, SideCondition::Enabled]
    }

    fn test_state(&self, base: &ErasedState, tell: &mut Tell<'_>) {
        let state = base.get::<StateOf<S>>();
        let before = self.stutters.before(&self.system, state);
        if before.is_empty() {
            return;
        }
        let mut offered = Vec::new();
        visit_steps(&self.system, state, &mut |action, _| offered.push(action));
        for (action, value) in &before {
            tell(SideCondition::Terminates, self.terminates(value));
            // A stutter leaves the state alone: the action is enabled when it ends if it was when it began.
            let outcome = if offered.contains(action) {
                Outcome::Holds(1)
            } else {
                Outcome::Fails(format!(
                    "the system stutters here before {action:?}, which is not enabled"
                ))
            };
            tell(SideCondition::Enabled, outcome);
        }
    }

    fn test_step(
        &self,
        from: &ErasedState,
        action: &ErasedAction,
        to: &ErasedState,
        tell: &mut Tell<'_>,
    ) {
        let (from, action, to) = (from.get(), action.get(), to.get());
        if let Some(value) = self.stutters.after(&self.system, from, action, to) {
            tell(SideCondition::Terminates, self.terminates(&value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obligation::{Settings, Until, check};
    use crate::report::{Report, Verdict};
    use crate::statement::abstract_steps::AbstractSteps;
    use crate::statement::constraint::Constraint;
    use crate::statement::refinement::Refinement;
    use crate::statement::system::ActionOf;

    /// Numbers, all of which are initial and stay as they are: one level, which is several chunks of the search.
    #[derive(Clone)]
    struct Numbers;

    const NUMBERS: u32 = 1200;

    impl TransitionSystem for Numbers {
        type State = u32;
        type Action = u32;
        type Observation = ();

        fn initial(&self, visit: &mut impl FnMut(u32)) {
            (0..NUMBERS).for_each(visit);
        }

        fn candidates(&self, _: &u32, visit: &mut impl FnMut(u32)) {
            visit(0);
        }

        fn fire(&self, _: &u32, _: &mut u32) -> Option<()> {
            Some(())
        }

        fn observe(&self, _: &u32) {}
    }

    /// Stutters once after each step, but for that of one number: after that one as often as is said.
    #[derive(Clone)]
    struct Once {
        but: u32,
        first: u64,
    }

    impl Stutters<Numbers> for Once {
        type Value = u64;

        fn rules(&self) -> Vec<&'static str> {
            vec!["step"]
        }

        fn after(&self, _: &Numbers, from: &u32, _: &u32, _: &u32) -> Option<u64> {
            Some(if *from == self.but { self.first } else { 1 })
        }

        fn least(&self) -> u64 {
            1
        }

        fn decrease(&self, value: &u64) -> u64 {
            value.wrapping_sub(1)
        }
    }

    struct Plainly {
        implementation: WithStuttering<Numbers, Once>,
        specification: Numbers,
    }

    impl Refinement for Plainly {
        type Implementation = WithStuttering<Numbers, Once>;
        type Specification = Numbers;

        fn implementation(&self) -> &Self::Implementation {
            &self.implementation
        }

        fn specification(&self) -> &Numbers {
            &self.specification
        }

        fn map(&self, from: &StateOf<Self::Implementation>) -> u32 {
            from.state
        }

        fn abstract_steps(
            &self,
            _: &StateOf<Self::Implementation>,
            action: &ActionOf<Self::Implementation>,
            _: &StateOf<Self::Implementation>,
        ) -> AbstractSteps<u32> {
            match action {
                Stuttering::Step(action) => AbstractSteps::One(*action),
                Stuttering::Stutter(_) => AbstractSteps::Stutter,
            }
        }

        /// Long stutters are begun, and not gone through.
        fn constraint(&self) -> Option<Constraint<Self::Implementation>> {
            let is_short = |from: &StateOf<Self::Implementation>| {
                let stutter = from.stutter.as_ref();
                stutter.is_none_or(|stutter| stutter.value < 3)
            };
            Some(Constraint::new("short", is_short))
        }
    }

    fn checked(stutters: Once, threads: usize) -> Report {
        let refinement = Plainly {
            implementation: WithStuttering::new(Numbers, stutters),
            specification: Numbers,
        };
        let settings = Settings {
            threads,
            until: Until::End,
            ..Settings::default()
        };
        check(&refinement, &settings).expect("the settings fit")
    }

    /// Whichever worker it is that comes by.
    #[test]
    fn one_stutter_among_many_is_judged_by_any_worker() {
        for (place, but) in [0, NUMBERS / 2, NUMBERS - 1].into_iter().enumerate() {
            for (first, expected, reason) in [
                (
                    u64::MAX,
                    Verdict::Incomplete,
                    "has more than 16777216 values",
                ),
                (0, Verdict::Violated, "smaller than the least value"),
                (1, Verdict::Holds, ""),
            ] {
                let report = checked(Once { but, first }, 1 + place);
                let row = report.obligation("auxiliary:terminates");
                let row = row.expect("the variable stutters");
                assert_eq!(row.verdict, expected, "{but} {report}");
                let shown = row.counterexamples.first();
                let told = shown.map(|shown| &shown.explanation).or(row.note.as_ref());
                assert!(told.is_none_or(|told| told.contains(reason)), "{report}");
                assert_eq!(told.is_some(), expected != Verdict::Holds, "{report}");
            }
        }
    }
}
