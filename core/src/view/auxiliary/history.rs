//! History variables: what an implementation remembers of its past.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 5.1, Proposition 1: a
//! history variable is set by each step from its own value, the step, and nothing else, and no step
//! asks for it; so the system with it behaves as the system without it. Here that is so by
//! construction: a [`History`] is never shown to the system it remembers. So it has no side conditions.

use std::fmt::{self, Debug};

use serde::Serialize;

use super::parts::{asked_of_the_system, written_by_parts};
use super::view::Base;
use crate::state::{NameVisitor, State};
use crate::statement::action::Action;
use crate::statement::erased::{
    Caveats, ErasedAction, ErasedState, SideCondition, SystemObject, ViewObject,
};
use crate::statement::kind::ObligationKind;
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem};

/// A history variable of `S`.
///
/// Where states of the system that differ by an exchange of names are one, the names in its value are exchanged too: they are what
/// [`State`](macro@crate::State) says.
pub trait History<S: TransitionSystem>: Sync {
    /// Type of the value that is remembered.
    type Value: State<S>;

    /// Its value in an initial state.
    fn initial(&self, system: &S, state: &StateOf<S>) -> Self::Value;

    /// Its value after a step, from the one before.
    fn after(
        &self,
        system: &S,
        before: &Self::Value,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> Self::Value;
}

/// A system with a history variable.
#[derive(Clone, Debug)]
pub struct WithHistory<S, H> {
    /// The system, which knows nothing of the variable.
    pub system: S,
    /// The variable.
    pub history: H,
}

/// An action, whose step the history records. It is shown as the action is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Recording<A>(
    /// The action of the system.
    pub A,
);

impl<A: Debug> Debug for Recording<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A state, and what is remembered there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Remembering<T, V> {
    /// The state of the system.
    pub state: T,
    /// The value of the history variable.
    pub history: V,
}

written_by_parts! {
    impl [S: TransitionSystem, H: History<S>] Remembering<StateOf<S>, H::Value>,
    of WithHistory<S, H>, based on S
    { state: StateOf<S>, history: H::Value }
    names of [state: StateOf<S>, history: H::Value]
}

// Where a stuttering variable is added its state has an action.
written_by_parts! {
    impl [S: TransitionSystem, H: History<S>] Recording<ActionOf<S>>,
    of WithHistory<S, H>, based on S
    where [ActionOf<S>: State<S>]
    { 0: ActionOf<S> }
}

impl<S: TransitionSystem, H: History<S>> Action<WithHistory<S, H>> for Recording<ActionOf<S>> {
    fn rules(view: &WithHistory<S, H>) -> &[Rule] {
        ActionOf::<S>::rules(&view.system)
    }

    #[inline]
    fn rule(&self, view: &WithHistory<S, H>) -> RuleId {
        self.0.rule(&view.system)
    }

    #[inline]
    fn process(&self, view: &WithHistory<S, H>) -> Process {
        self.0.process(&view.system)
    }

    fn inputs(&self, view: &WithHistory<S, H>) -> Self {
        Self(self.0.inputs(&view.system))
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.0.visit_names(visit);
    }
}

impl<S: TransitionSystem, H: History<S>> WithHistory<S, H> {
    fn after(
        &self,
        before: &H::Value,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> H::Value {
        self.history.after(&self.system, before, from, action, to)
    }
}

impl<S, H> TransitionSystem for WithHistory<S, H>
where
    S: TransitionSystem,
    H: History<S>,
{
    type State = Remembering<StateOf<S>, H::Value>;
    type Action = Recording<ActionOf<S>>;
    type Observation = ObservationOf<S>;

    fn initial(&self, visit: &mut impl FnMut(Self::State)) {
        self.system.initial(&mut |state| {
            let history = self.history.initial(&self.system, &state);
            visit(Remembering { state, history });
        });
    }

    fn fire(&self, Recording(action): &Self::Action, state: &mut Self::State) -> Option<()> {
        let from = state.state.clone();
        self.system.fire(action, &mut state.state)?;
        state.history = self.after(&state.history, &from, action, &state.state);
        Some(())
    }

    fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, &Self::State)) {
        self.system.next(&from.state, &mut |action, to| {
            let history = self.after(&from.history, &from.state, &action, to);
            let state = to.clone();
            visit(Recording(action), &Remembering { state, history });
        });
    }

    asked_of_the_system!(with "history": history);

    fn caveats(&self) -> Caveats<'_, Self::State> {
        let below = self.system.caveats();
        let guesses = below.view().is_some_and(|view| Base::of(view).guesses());
        let caveats = below.of(|from: &Self::State| &from.state).viewed(self);
        if !guesses {
            return caveats;
        }
        caveats.undecided(
            [ObligationKind::Environment],
            "a history variable over a guess may remember it, so that the guess cannot be made anew: what the environment may \
             still choose is not known",
        )
    }
}

impl<S, H> ViewObject for WithHistory<S, H>
where
    S: TransitionSystem,
    H: History<S>,
{
    fn variable(&self) -> &'static str {
        "history"
    }

    fn base(&self) -> &dyn SystemObject {
        &self.system
    }

    fn base_state(&self, state: &ErasedState) -> ErasedState {
        ErasedState::of(&state.get::<StateOf<Self>>().state)
    }

    fn base_action(&self, action: &ErasedAction) -> Option<ErasedAction> {
        Some(ErasedAction::of(&action.get::<ActionOf<Self>>().0))
    }

    /// A value is that of a behaviour, not of a state.
    fn lifts(&self, _: &ErasedState, _: &mut dyn FnMut(ErasedState) -> bool) -> bool {
        false
    }

    fn conditions(&self) -> &'static [SideCondition] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::{History, Recording, Remembering, WithHistory};
    use crate::statement::drawing::Drawing;
    use crate::statement::erased::Caveats;
    use crate::statement::kind::ObligationKind;
    use crate::statement::system::{StateOf, TransitionSystem, steps};
    use crate::view::symmetry::Quotient;
    use crate::walk::explore::Quotienting;
    use crate::{Action, State};

    /// A counter that goes up to 3 or back to 0.
    struct Counter;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
    #[rule(process = "counter")]
    enum Go {
        Up(
            #[process(0..=0)]
            #[action(result)]
            u16,
        ),
        Reset,
    }

    impl TransitionSystem for Counter {
        type State = u8;
        type Action = Go;
        type Observation = u8;

        fn initial(&self, visit: &mut impl FnMut(u8)) {
            visit(0);
        }
        fn fire(&self, action: &Go, state: &mut u8) -> Option<()> {
            match action {
                Go::Up(_) if *state < 3 => *state += 1,
                Go::Reset if *state > 0 => *state = 0,
                _ => return None,
            }
            Some(())
        }
        fn observe(&self, state: &u8) -> u8 {
            *state
        }
        fn may_stop(&self, state: &u8) -> bool {
            *state == 2
        }
        fn caveats(&self) -> Caveats<'_, u8> {
            Caveats::default()
                .bounded("turns", |state| vec!["counter"; usize::from(*state == 1)])
                .doubted(|| vec!["it is a counter".to_owned()])
                .undecided([ObligationKind::Deadlock], "it counts")
        }
        fn draw(&self, state: &u8) -> Option<Drawing> {
            Some(Drawing::default().node(crate::statement::drawing::Node::new(state)))
        }
    }

    /// The largest value seen.
    struct Highest;

    impl History<Counter> for Highest {
        type Value = u8;

        fn initial(&self, _: &Counter, state: &u8) -> u8 {
            *state
        }
        fn after(&self, _: &Counter, before: &u8, _: &u8, _: &Go, to: &u8) -> u8 {
            *before.max(to)
        }
    }

    fn reached<S: TransitionSystem>(system: &S) -> Vec<StateOf<S>> {
        let mut reached = Vec::new();
        system.initial(&mut |state| reached.push(state));
        let mut at = 0;
        while at < reached.len() {
            for (_, to) in steps(system, &reached[at].clone()) {
                if !reached.contains(&to) {
                    reached.push(to);
                }
            }
            at += 1;
        }
        reached
    }

    /// A history variable takes no step away and adds none; and it tells apart what is one state.
    #[test]
    fn a_history_changes_no_behaviour() {
        let system = WithHistory {
            system: Counter,
            history: Highest,
        };
        let all = reached(&system);
        assert_eq!(all.len(), 1 + 2 + 3 + 4);
        for from in &all {
            let with = steps(&system, from).into_iter();
            let seen: Vec<_> = with.map(|(action, to)| (action.0, to.state)).collect();
            assert_eq!(seen, steps(&Counter, &from.state), "{from:?}");
            assert!(from.state <= from.history);
        }
        let mut states: Vec<u8> = all.iter().map(|s| s.state).collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states, [0, 1, 2, 3]);
    }

    /// All that is asked of a state or an action is what the system says of it, whatever is remembered.
    #[test]
    fn a_history_says_what_its_system_says() {
        let system = WithHistory {
            system: Counter,
            history: Highest,
        };
        assert_eq!(Recording::rules(&system), Go::rules(&Counter));
        let caveats = system.caveats();
        assert_eq!(caveats.bound(), Some("turns"));
        assert_eq!(caveats.doubts(), ["it is a counter"]);
        assert_eq!(caveats.reason(ObligationKind::Deadlock), Some("it counts"));
        for state in 0..4 {
            for history in state..4 {
                let from = Remembering { state, history };
                assert_eq!(system.may_stop(&from), state == 2);
                assert_eq!(caveats.cut_off(&from).len(), usize::from(state == 1));
                assert_eq!(system.draw(&from), Counter.draw(&state));
                assert_eq!(system.observe(&from), state);
            }
        }
        for action in [Go::Up(1), Go::Reset] {
            let recording = Recording(action);
            assert_eq!(recording.rule(&system), action.rule(&Counter));
            assert_eq!(recording.process(&system), action.process(&Counter));
            assert_eq!(recording.inputs(&system).0, action.inputs(&Counter));
            assert_eq!(format!("{recording:?}"), format!("{action:?}"));
        }
        assert_eq!(Recording(Go::Up(1)).inputs(&system).0, Go::Up(0));
        let initial = |system: &WithHistory<Counter, Highest>| {
            let mut all = Vec::new();
            system.initial(&mut |state| all.push(state));
            all
        };
        let first = Remembering {
            state: 0,
            history: 0,
        };
        assert_eq!(initial(&system), [first]);
    }

    /// Two lamps, each lit once, by the one who is named.
    struct Lamps;

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
    struct Lit {
        #[state(symmetric)]
        lamps: [bool; 2],
    }

    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
    #[rule(process = "lamp")]
    enum Light {
        Light(#[process(0..2)] usize),
    }

    impl TransitionSystem for Lamps {
        type State = Lit;
        type Action = Light;
        type Observation = bool;

        fn initial(&self, visit: &mut impl FnMut(Lit)) {
            visit(Lit { lamps: [false; 2] });
        }
        fn fire(&self, Light::Light(lamp): &Light, lit: &mut Lit) -> Option<()> {
            let was_lit = std::mem::replace(&mut lit.lamps[*lamp], true);
            (!was_lit).then_some(())
        }
        fn observe(&self, state: &Lit) -> bool {
            state.lamps == [true; 2]
        }
    }

    /// The lamp that was lit last.
    struct Latest;

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
    struct Lamp(#[state(member)] Option<usize>);

    impl History<Lamps> for Latest {
        type Value = Lamp;

        fn initial(&self, _: &Lamps, _: &Lit) -> Lamp {
            Lamp(None)
        }
        fn after(&self, _: &Lamps, _: &Lamp, _: &Lit, Light::Light(lamp): &Light, _: &Lit) -> Lamp {
            Lamp(Some(*lamp))
        }
    }

    /// The exchanges are those of the system; they exchange what is remembered too, so that what happened to one lamp
    /// happens to the other.
    #[test]
    fn a_history_is_exchanged_with_its_state() {
        let system = WithHistory {
            system: Lamps,
            history: Latest,
        };
        let all = reached(&system);
        assert_eq!(all.len(), 1 + 2 + 2);
        let quotient = Quotient::of(&system).expect("lamps are alike");
        for from in &all {
            let representative = quotient.canonical(&system, from);
            let Lamp(latest) = &from.history;
            // The lamp that was lit last is the same one of both.
            let is_lit = |state: &Remembering<Lit, Lamp>| {
                state.history.0.map(|lamp| state.state.lamps[lamp])
            };
            assert_eq!(is_lit(&representative), latest.map(|_| true), "{from:?}");
            let of_representative = steps(&system, &representative).len();
            assert_eq!(steps(&system, from).len(), of_representative);
        }
        let classes = all.iter().map(|from| quotient.canonical(&system, from));
        assert_eq!(classes.collect::<std::collections::BTreeSet<_>>().len(), 3);
    }
}
