//! History variables: what an implementation remembers of its past.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 5.1, Proposition 1: a
//! history variable is set by each step from its own value, the step, and nothing else, and no step
//! asks for it; so the system with it behaves as the system without it. Here that is so by
//! construction: a [`History`] is never shown to the system it remembers. So it has no side conditions.

use serde::Serialize;
use serde_json::{Map, Value};

use super::parts::{asked_of_the_system, written_by_parts};
use super::view::Base;
use crate::erased::{ErasedAction, ErasedState, SideCondition, SystemObject, ViewObject};
use crate::obligation::ObligationKind;
use crate::report::json::json;
use crate::state::State;
use crate::statement::action::Action;
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem};
use crate::symmetry::Symmetric;

/// A history variable of `S`.
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

/// A history variable that speaks of interchangeable identities.
pub trait SymmetricHistory<S: Symmetric>: History<S, Value: Ord> {
    /// The value with the identities exchanged.
    fn permute(&self, system: &S, by: &S::Permutation, value: &Self::Value) -> Self::Value;
}

/// A system with a history variable.
#[derive(Clone, Debug)]
pub struct WithHistory<S, H> {
    /// The system, which knows nothing of the variable.
    pub system: S,
    /// The variable.
    pub history: H,
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
    ActionOf<S>: Action<Self>,
{
    type State = Remembering<StateOf<S>, H::Value>;
    type Action = ActionOf<S>;
    type Observation = ObservationOf<S>;

    fn rules(&self) -> &[Rule] {
        self.system.rules()
    }

    fn rule_of(&self, action: &Self::Action) -> RuleId {
        self.system.rule_of(action)
    }

    fn initial(&self, visit: &mut impl FnMut(Self::State)) {
        self.system.initial(&mut |state| {
            let history = self.history.initial(&self.system, &state);
            visit(Remembering { state, history });
        });
    }

    fn fire(&self, action: &Self::Action, state: &mut Self::State) -> Option<()> {
        let from = state.state.clone();
        self.system.fire(action, &mut state.state)?;
        state.history = self.after(&state.history, &from, action, &state.state);
        Some(())
    }

    fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, &Self::State)) {
        self.system.next(&from.state, &mut |action, to| {
            let history = self.after(&from.history, &from.state, &action, to);
            let state = to.clone();
            visit(action, &Remembering { state, history });
        });
    }

    asked_of_the_system!();

    fn process_of(&self, action: &Self::Action) -> Process {
        self.system.process_of(action)
    }

    fn undecided(&self, obligation: ObligationKind) -> Option<&'static str> {
        let below = self.system.view();
        let guesses = below.is_some_and(|view| Base::of(view).guesses());
        let own = (guesses && obligation == ObligationKind::Environment).then_some(
            "a history variable over a guess may remember it, so that the guess cannot be made anew: what the environment may \
             still choose is not known",
        );
        own.or_else(|| self.system.undecided(obligation))
    }

    fn show(&self, from: &Self::State) -> Value {
        let mut shown = Map::new();
        shown.insert("state".to_owned(), self.system.show(&from.state));
        shown.insert("history".to_owned(), json(&from.history));
        Value::Object(shown)
    }

    fn inputs(&self, action: &Self::Action) -> Self::Action {
        self.system.inputs(action)
    }
}

impl<S, H> ViewObject for WithHistory<S, H>
where
    S: TransitionSystem,
    H: History<S>,
    ActionOf<S>: Action<Self>,
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
        Some(action.clone())
    }

    /// A value is that of a behaviour, not of a state.
    fn lifts(&self, _: &ErasedState, _: &mut dyn FnMut(ErasedState) -> bool) -> bool {
        false
    }

    fn conditions(&self) -> &'static [SideCondition] {
        &[]
    }
}

impl<S, H> Symmetric for WithHistory<S, H>
where
    S: Symmetric,
    H: SymmetricHistory<S>,
    ActionOf<S>: Action<Self>,
{
    type Permutation = S::Permutation;

    fn permutations(&self) -> Vec<S::Permutation> {
        self.system.permutations()
    }

    fn permute(&self, by: &S::Permutation, from: &Self::State) -> Self::State {
        Remembering {
            state: self.system.permute(by, &from.state),
            history: self.history.permute(&self.system, by, &from.history),
        }
    }

    fn permute_action(
        &self,
        by: &S::Permutation,
        from: &Self::State,
        action: &Self::Action,
        to: &Self::State,
    ) -> Self::Action {
        self.system
            .permute_action(by, &from.state, action, &to.state)
    }
}

#[cfg(test)]
mod tests {
    use super::{History, Remembering, SymmetricHistory, WithHistory};
    use crate::drawing::Drawing;
    use crate::statement::rule::{Process, Rule, RuleId};
    use crate::statement::system::{StateOf, TransitionSystem, steps};
    use crate::symmetry::{Lifting, Quotient, Quotienting, Symmetric};

    /// A counter that goes up to 3 or back to 0.
    struct Counter;

    impl TransitionSystem for Counter {
        type State = u8;
        type Action = &'static str;
        type Observation = u8;

        fn rules(&self) -> &[Rule] {
            const {
                &[
                    Rule::new("up", "counter", ""),
                    Rule::new("reset", "counter", ""),
                ]
            }
        }
        fn rule_of(&self, action: &&'static str) -> RuleId {
            RuleId(usize::from(*action == "reset"))
        }
        fn initial(&self, visit: &mut impl FnMut(u8)) {
            visit(0);
        }
        fn candidates(&self, _: &u8, visit: &mut impl FnMut(&'static str)) {
            ["up", "reset"].into_iter().for_each(visit);
        }
        fn fire(&self, action: &&'static str, state: &mut u8) -> Option<()> {
            match *action {
                "up" if *state < 3 => *state += 1,
                "reset" if *state > 0 => *state = 0,
                _ => return None,
            }
            Some(())
        }
        fn observe(&self, state: &u8) -> u8 {
            *state
        }
        fn process_of(&self, action: &&'static str) -> Process {
            Process::numbered("counter", u16::from(*action == "reset"))
        }
        fn may_stop(&self, state: &u8) -> bool {
            *state == 2
        }
        fn cut_off(&self, state: &u8) -> Vec<&str> {
            if *state == 1 {
                vec!["counter"]
            } else {
                Vec::new()
            }
        }
        fn draw(&self, state: &u8) -> Option<Drawing> {
            Some(Drawing::default().node(crate::drawing::Node::new(state)))
        }
        fn inputs(&self, _: &&'static str) -> &'static str {
            "up"
        }
    }

    /// The largest value seen.
    struct Highest;

    impl History<Counter> for Highest {
        type Value = u8;

        fn initial(&self, _: &Counter, state: &u8) -> u8 {
            *state
        }
        fn after(&self, _: &Counter, before: &u8, _: &u8, _: &&'static str, to: &u8) -> u8 {
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
            let seen: Vec<_> = with.map(|(action, to)| (action, to.state)).collect();
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
        assert_eq!(system.rules(), Counter.rules());
        for state in 0..4 {
            for history in state..4 {
                let from = Remembering { state, history };
                assert_eq!(system.may_stop(&from), state == 2);
                assert_eq!(system.cut_off(&from).len(), usize::from(state == 1));
                assert_eq!(system.draw(&from), Counter.draw(&state));
                assert_eq!(system.observe(&from), state);
            }
        }
        for action in ["up", "reset"] {
            assert_eq!(system.rule_of(&action), Counter.rule_of(&action));
            assert_eq!(system.process_of(&action), Counter.process_of(&action));
            assert_eq!(system.inputs(&action), "up");
        }
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

    impl TransitionSystem for Lamps {
        type State = [bool; 2];
        type Action = usize;
        type Observation = bool;

        fn initial(&self, visit: &mut impl FnMut([bool; 2])) {
            visit([false; 2]);
        }
        fn candidates(&self, _: &[bool; 2], visit: &mut impl FnMut(usize)) {
            (0..2).for_each(visit);
        }
        fn fire(&self, lamp: &usize, lit: &mut [bool; 2]) -> Option<()> {
            let was_lit = std::mem::replace(&mut lit[*lamp], true);
            (!was_lit).then_some(())
        }
        fn observe(&self, state: &[bool; 2]) -> bool {
            *state == [true; 2]
        }
    }

    impl Symmetric for Lamps {
        /// True if the lamps are exchanged.
        type Permutation = bool;

        fn permutations(&self) -> Vec<bool> {
            vec![false, true]
        }
        fn permute(&self, by: &bool, state: &[bool; 2]) -> [bool; 2] {
            [state[usize::from(*by)], state[usize::from(!*by)]]
        }
        fn permute_action(&self, by: &bool, _: &[bool; 2], lamp: &usize, _: &[bool; 2]) -> usize {
            lamp ^ usize::from(*by)
        }
    }

    /// The lamp that was lit last.
    struct Latest;

    impl History<Lamps> for Latest {
        type Value = Option<usize>;

        fn initial(&self, _: &Lamps, _: &[bool; 2]) -> Option<usize> {
            None
        }
        fn after(
            &self,
            _: &Lamps,
            _: &Option<usize>,
            _: &[bool; 2],
            lamp: &usize,
            _: &[bool; 2],
        ) -> Option<usize> {
            Some(*lamp)
        }
    }

    impl SymmetricHistory<Lamps> for Latest {
        fn permute(&self, _: &Lamps, by: &bool, latest: &Option<usize>) -> Option<usize> {
            latest.map(|lamp| lamp ^ usize::from(*by))
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
        assert_eq!(system.permutations(), [false, true]);
        assert_eq!(Quotient::of(&system).permutations(), 2);
        let all = reached(&system);
        assert_eq!(all.len(), 1 + 2 + 2);
        for by in [false, true] {
            for from in &all {
                let exchanged = system.permute(&by, from);
                assert_eq!(exchanged == *from, !by || *from == all[0]);
                for (lamp, to) in steps(&system, from) {
                    let lamp = system.permute_action(&by, from, &lamp, &to);
                    let step = (lamp, system.permute(&by, &to));
                    assert!(steps(&system, &exchanged).contains(&step), "{from:?}");
                }
            }
        }
        let classes = all
            .iter()
            .map(|from| Quotient::of(&system).canonical(&system, from));
        assert_eq!(classes.collect::<std::collections::BTreeSet<_>>().len(), 3);
    }
}
