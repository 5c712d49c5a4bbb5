//! A symmetry that is none is found out, whatever it is that does not commute, and however late.

use serde::Serialize;

use super::*;
use crate::AbstractSteps::{self, One, Several};
use crate::obligation::{Checker, Settings, Symmetry, Until};
use crate::report::{Report, Verdict};
use crate::statement::rule::{Process, Rule, RuleId};

/// Three components that go round, and a clock that tells early states from late ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
struct State {
    time: u16,
    places: [u8; 3],
}

impl<S: ?Sized> crate::State<S> for State {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Action {
    /// A component moves.
    Move(u8),
    /// The clock moves, from a time that the argument says in part.
    Tick(u8),
    /// Something that a wrong model does.
    Jump,
}

/// Several thousand representatives: ten a tick.
const TIMES: u16 = 700;
const LATE: u16 = 300;
/// A time that no clock shows.
const NEVER: u16 = 5000;

/// Fault of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The last component does not move from the second place.
    Move,
    /// The same, late.
    LateMove,
    /// A step that only states have that stand for no others.
    ExtraStep,
    /// The last permutation renames actions wrongly.
    ActionOfLastPermutation,
    /// The last permutation does not exchange what it should.
    LastPermutation,
    /// Each state stands for itself.
    CanonicalOfNothing,
    /// The representative of a state has forgotten the time.
    CanonicalForgets,
    /// The representative of an initial state is another state.
    CanonicalOfInitial,
    /// The state may be the last if the first component is at the second place.
    MayStop,
    /// A component is shown wrongly in states that stand for no others.
    Shown,
    Map,
    /// The last component's move is answered as if another had moved.
    Answer,
    /// The answer is of the right rule and process, and of no step.
    AnswerArgument,
    /// A move is answered by itself, and by a round of the first component, or of the last one before it.
    AnswerAfter,
    AnswerBefore,
    /// An invariant of the first component alone.
    Invariant,
    /// The specification begins with some component in its second place.
    Initial,
}

#[derive(Clone, Copy)]
struct Trio(Fault);

fn with(places: [u8; 3], component: usize) -> [u8; 3] {
    let mut to = places;
    to[component] = (to[component] + 1) % 3;
    to
}

impl crate::Action<Trio> for Action {
    fn rules(_: &Trio) -> &[Rule] {
        const {
            &[
                Rule::new("move", "component", ""),
                Rule::new("tick", "clock", ""),
                Rule::new("jump", "clock", ""),
            ]
        }
    }

    fn rule(&self, _: &Trio) -> RuleId {
        RuleId(match self {
            Action::Move(_) => 0,
            Action::Tick(_) => 1,
            Action::Jump => 2,
        })
    }

    fn process(&self, _: &Trio) -> Process {
        match self {
            Action::Move(component) => Process::numbered("component", (*component).into()),
            Action::Tick(_) | Action::Jump => Process::new("clock"),
        }
    }
}

impl TransitionSystem for Trio {
    type State = State;
    type Action = Action;
    type Observation = [u8; 3];

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let places = [0, 0, 0];
        visit(State { time: 0, places });
        if self.0 == Fault::CanonicalOfInitial {
            visit(State {
                time: NEVER,
                places,
            });
        }
    }

    fn is_initial(&self, state: &State) -> bool {
        *state
            == State {
                time: 0,
                places: [0, 0, 0],
            }
            || self.0 == Fault::Initial && state.time == 0 && state.places[2] == 1
            || self.0 == Fault::CanonicalOfInitial && state.time == NEVER
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        (0..3).for_each(|component| visit(Action::Move(component)));
        visit(Action::Tick((from.time % 7) as u8));
        visit(Action::Jump);
    }

    fn fire(&self, action: &Action, State { time, places }: &mut State) -> Option<()> {
        let is_enabled = match *action {
            Action::Move(component) => match self.0 {
                Fault::Move => component != 2 || places[2] != 1,
                Fault::LateMove => component != 2 || *time < LATE,
                _ => true,
            },
            Action::Tick(told) => u16::from(told) == *time % 7 && *time + 1 < TIMES,
            Action::Jump => self.0 == Fault::ExtraStep && places[0] > places[1],
        };
        is_enabled.then_some(())?;
        match *action {
            Action::Move(component) => *places = with(*places, component.into()),
            Action::Tick(_) => *time += 1,
            Action::Jump => *places = [0; 3],
        }
        Some(())
    }

    fn observe(&self, state: &State) -> [u8; 3] {
        let mut shown = state.places;
        if self.0 == Fault::Shown && shown[0] > shown[1] {
            shown[0] = 9;
        }
        shown
    }

    fn may_stop(&self, state: &State) -> bool {
        self.0 == Fault::MayStop && state.places[0] == 1
    }
}

const PERMUTATIONS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [1, 0, 2],
    [0, 2, 1],
    [2, 1, 0],
    [1, 2, 0],
    [2, 0, 1],
];

impl Symmetric for Trio {
    type Permutation = [u8; 3];

    fn permutations(&self) -> Vec<[u8; 3]> {
        PERMUTATIONS.to_vec()
    }

    fn permute(&self, by: &[u8; 3], state: &State) -> State {
        let mut places = [0; 3];
        for (component, place) in state.places.iter().enumerate() {
            places[usize::from(by[component])] = *place;
        }
        if self.0 == Fault::LastPermutation && *by == PERMUTATIONS[5] {
            places[0] = state.places[0];
        }
        State { places, ..*state }
    }

    fn permute_action(&self, by: &[u8; 3], _: &State, action: &Action, _: &State) -> Action {
        match action {
            Action::Move(_)
                if self.0 == Fault::ActionOfLastPermutation && *by == PERMUTATIONS[5] =>
            {
                *action
            }
            Action::Move(component) => Action::Move(by[usize::from(*component)]),
            Action::Tick(_) | Action::Jump => *action,
        }
    }

    fn canonical(&self, _: &[[u8; 3]], state: &State) -> State {
        let mut canonical = *state;
        if self.0 != Fault::CanonicalOfNothing {
            canonical.places.sort_unstable();
        }
        let forgets = match self.0 {
            Fault::CanonicalForgets => true,
            Fault::CanonicalOfInitial => state.time == NEVER,
            _ => false,
        };
        canonical.time = if forgets { 0 } else { state.time };
        canonical
    }
}

/// Each trio is a trio.
struct Same {
    implementation: Trio,
    specification: Trio,
}

impl Same {
    fn new(fault: Fault) -> Self {
        let of_both = fault == Fault::Initial;
        Self {
            implementation: Trio(fault),
            specification: Trio(if of_both { fault } else { Fault::None }),
        }
    }
}

impl Refinement for Same {
    type Implementation = Trio;
    type Specification = Trio;

    fn implementation(&self) -> &Trio {
        &self.implementation
    }

    fn specification(&self) -> &Trio {
        &self.specification
    }

    fn map(&self, state: &State) -> State {
        let mut image = *state;
        if self.implementation.0 == Fault::Map && state.places == [0, 2, 1] {
            image.time = 0;
        }
        image
    }

    fn abstract_steps(&self, from: &State, action: &Action, _: &State) -> AbstractSteps<Action> {
        match (self.implementation.0, action) {
            (Fault::Answer, Action::Move(2)) => One(Action::Move(1)),
            (Fault::AnswerAfter, Action::Move(_)) => Several(vec![
                *action,
                Action::Move(0),
                Action::Move(0),
                Action::Move(0),
            ]),
            (Fault::AnswerBefore, Action::Move(_)) => Several(vec![
                Action::Move(2),
                Action::Move(2),
                Action::Move(2),
                *action,
            ]),
            (Fault::AnswerArgument, Action::Tick(part)) if from.places == [2, 1, 0] => {
                One(Action::Tick(part + 1))
            }
            _ => One(*action),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Trio>> {
        let low = |component: usize| {
            let name = format!("low {component}");
            Invariant::new(name, "", move |state: &State| state.places[component] < 2)
                .when(|state: &State| state.time > TIMES)
        };
        let first = |state: &State| state.places[0] <= state.places[1] || state.places[2] < 2;
        match self.implementation.0 {
            Fault::Invariant => vec![Invariant::new("first", "", first)],
            // Invariants may change places with each other.
            _ => (0..3).map(low).collect(),
        }
    }
}

fn check(fault: Fault, symmetry: Symmetry, threads: usize) -> Report {
    let settings = Settings {
        symmetry,
        threads,
        until: Until::End,
        ..Settings::default()
    };
    let checked = Checker::new(&Same::new(fault)).symmetric().check(&settings);
    checked.expect("the refinement does not contradict itself")
}

#[test]
fn a_symmetry_that_is_one_holds() {
    let whole = check(Fault::None, Symmetry::None, 2);
    let quotient = check(Fault::None, Symmetry::Full, 2);
    // Three values of three components, in any order or in one.
    assert_eq!(whole.states, 27 * u64::from(TIMES));
    assert_eq!(quotient.states, 10 * u64::from(TIMES));
    for report in [whole, quotient] {
        let model = report.obligation("model");
        assert_eq!(
            (report.verdict, model),
            (Some(Verdict::Holds), None),
            "{report}"
        );
    }
}

/// All of these are found by the check itself, on the representatives that it explores.
#[test]
fn a_symmetry_that_is_none_is_found_out() {
    let cases = [
        (Fault::Move, "next does not commute"),
        (Fault::LateMove, "next does not commute"),
        (Fault::ExtraStep, "next does not commute"),
        (Fault::ActionOfLastPermutation, "next does not commute"),
        (Fault::LastPermutation, "permutation 5"),
        (Fault::CanonicalOfNothing, "is not that of its image"),
        (Fault::CanonicalForgets, "which no permutation makes of it"),
        (
            Fault::CanonicalOfInitial,
            "which no permutation makes of it",
        ),
        (Fault::MayStop, "may_stop does not commute"),
        (Fault::Shown, "observe does not commute"),
        (Fault::Map, "map does not commute"),
        (Fault::Answer, "answer does not commute"),
        (Fault::AnswerArgument, "answer does not commute"),
        (Fault::AnswerAfter, "answer does not commute"),
        (Fault::AnswerBefore, "answer does not commute"),
        (Fault::Invariant, "changes how many invariants hold"),
        (Fault::Initial, "is_initial does not commute"),
    ];
    for (fault, expected) in cases {
        for threads in [1, 3] {
            let report = check(fault, Symmetry::Full, threads);
            assert_eq!(report.verdict, Some(Verdict::Violated), "{fault:?}");
            let model = report.obligation("model");
            let model = model.unwrap_or_else(|| panic!("{fault:?}: {report}"));
            let explanation = &model.counterexamples[0].explanation;
            assert!(
                explanation.contains("the symmetry is none"),
                "{explanation}"
            );
            assert!(explanation.contains(expected), "{fault:?}: {explanation}");
        }
    }
}

/// The same by the function that looks at given states, with all permutations.
#[test]
fn each_permutation_is_tried_on_each_state_given() {
    let late = State {
        time: LATE,
        places: [0, 1, 2],
    };
    for (fault, found) in [
        (Fault::None, false),
        (Fault::LateMove, true),
        (Fault::ActionOfLastPermutation, true),
        (Fault::CanonicalForgets, true),
    ] {
        let refinement = Same::new(fault);
        let states = [&late];
        assert_eq!(asymmetry(&refinement, states).is_some(), found, "{fault:?}");
    }
    // Of many states each permutation has its turn: one a state, and all of the first states.
    let tried = |turn| {
        let refinement = Same::new(Fault::ActionOfLastPermutation);
        let quotient = Quotient::of(refinement.implementation());
        let tested = quotient.asymmetry(&refinement, &[], &late, turn, &|| false);
        matches!(tested, Tested::Changed(_))
    };
    assert!((0..ALL_PERMUTATIONS).all(tried));
    let later = ALL_PERMUTATIONS..ALL_PERMUTATIONS + 500;
    let count = later.filter(|turn| tried(*turn)).count();
    assert!(count.abs_diff(100) < 40, "{count}");
    // The states that have a turn are in every lane, however many lanes there are.
    let turns: Vec<_> = (0..1 << 20).filter(|state| is_in_turn(*state)).collect();
    assert_eq!(turns[..1024], (0..1024).collect::<Vec<_>>());
    assert!(turns.len().abs_diff(2048) < 200, "{}", turns.len());
    for lanes in [2, 64, 1021] {
        let mut met = vec![false; lanes as usize];
        let late = turns.iter().filter(|state| **state >= EVERY_STATE);
        late.for_each(|state| met[(state % lanes) as usize] = true);
        let count = met.iter().filter(|met| **met).count();
        assert!(count > met.len() / 2, "{count} of {lanes}");
    }
}
