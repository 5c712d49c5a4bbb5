//! A symmetry that is none is found out, whatever it is that does not commute, and however late.

use std::cmp::Ordering;

use serde::Serialize;

use super::*;
use crate::AbstractSteps::{self, One, Several};
use crate::obligation::{Checker, Settings, Symmetry, Until, asymmetry, tested_in_turn};
use crate::report::{Report, Verdict};
use crate::state::{NameVisitor, Names, Row};
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::TransitionSystem;

/// Three components that go round, and a clock that tells early states from late ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct State {
    time: u16,
    places: [u8; 3],
    /// Fault of the function that visits names, which has nothing but the state.
    fault: Fault,
}

/// The components, as they are exchanged.
struct Places<'a>(&'a mut State);

impl Row for Places<'_> {
    fn length(&self) -> usize {
        3
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        match self.0.fault {
            Fault::Unordered => Ordering::Equal,
            _ => self.0.places[one].cmp(&self.0.places[other]),
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.0.places.swap(one, other);
        if self.0.fault == Fault::Forgets && self.0.time == NEVER {
            self.0.time = 0;
        }
    }

    fn visit_element(&mut self, _: usize, _: &mut dyn NameVisitor) {}
}

impl<S: ?Sized> crate::State<S> for State {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if self.fault == Fault::Visit && self.time >= LATE {
            self.places = with(self.places, 0);
        }
        visit.rows(0, &mut [&mut Places(self)]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Action {
    /// A component moves.
    Move(u8),
    /// The same, and its number is not said to be one.
    Unnamed(u8),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Fault {
    None,
    /// The last component does not move from the second place.
    Move,
    /// The same, late.
    LateMove,
    /// A step that only states have that stand for no others.
    ExtraStep,
    /// Actions have numbers of members that are not said to be such.
    Unnamed,
    /// A late state is changed where its names are visited.
    Visit,
    /// Members are not ordered.
    Unordered,
    /// An exchange changes more than members in a state, which is initial.
    Forgets,
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
    /// A constraint on the first component alone.
    Constraint,
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
            Action::Move(_) | Action::Unnamed(_) => 0,
            Action::Tick(_) => 1,
            Action::Jump => 2,
        })
    }

    fn process(&self, _: &Trio) -> Process {
        match self {
            Action::Move(component) | Action::Unnamed(component) => {
                Process::numbered("component", (*component).into())
            }
            Action::Tick(_) | Action::Jump => Process::new("clock"),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if let Self::Move(component) = self {
            component.each_name(0, visit);
        }
    }
}

impl TransitionSystem for Trio {
    type State = State;
    type Action = Action;
    type Observation = [u8; 3];

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let (places, fault) = ([0, 0, 0], self.0);
        visit(State {
            time: 0,
            places,
            fault,
        });
        if fault == Fault::Forgets {
            let places = [1, 0, 0];
            visit(State {
                time: NEVER,
                places,
                fault,
            });
        }
    }

    fn is_initial(&self, state: &State) -> bool {
        (state.time, state.places) == (0, [0, 0, 0])
            || self.0 == Fault::Initial && state.time == 0 && state.places[2] == 1
            || self.0 == Fault::Forgets && state.time == NEVER
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        let moves = |component| match self.0 {
            Fault::Unnamed => Action::Unnamed(component),
            _ => Action::Move(component),
        };
        (0..3).for_each(|component| visit(moves(component)));
        visit(Action::Tick((from.time % 7) as u8));
        visit(Action::Jump);
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let State { time, places, .. } = state;
        let is_enabled = match *action {
            Action::Move(component) | Action::Unnamed(component) => match self.0 {
                Fault::Move => component != 2 || places[2] != 1,
                Fault::LateMove => component != 2 || *time < LATE,
                _ => true,
            },
            Action::Tick(told) => u16::from(told) == *time % 7 && *time + 1 < TIMES,
            Action::Jump => self.0 == Fault::ExtraStep && places[0] > places[1],
        };
        is_enabled.then_some(())?;
        match *action {
            Action::Move(component) | Action::Unnamed(component) => {
                *places = with(*places, component.into());
            }
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

/// Each trio is a trio.
struct Same {
    implementation: Trio,
    specification: Trio,
}

impl Same {
    fn new(fault: Fault) -> Self {
        let of_both = matches!(fault, Fault::Initial | Fault::Unnamed);
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
        let mut image = State {
            fault: self.specification.0,
            ..*state
        };
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

    fn constraint(&self) -> Option<Constraint<Trio>> {
        if self.implementation.0 != Fault::Constraint {
            return None;
        }
        let is_within = |state: &State| state.places[0] < 2;
        Some(Constraint::new("a test", is_within))
    }
}

fn check(fault: Fault, symmetry: Symmetry, threads: usize) -> Report {
    let settings = Settings {
        symmetry,
        threads,
        until: Until::End,
        ..Settings::default()
    };
    let checked = Checker::new(&Same::new(fault)).check(&settings);
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
        (Fault::Unnamed, "next does not commute"),
        (Fault::Visit, "after its names were visited"),
        (Fault::Unordered, "is not that of its image"),
        (Fault::Forgets, "which no exchange of names makes of it"),
        (Fault::MayStop, "may_stop does not commute"),
        (Fault::Shown, "observe does not commute"),
        (Fault::Map, "map does not commute"),
        (Fault::Answer, "answer does not commute"),
        (Fault::AnswerArgument, "answer does not commute"),
        (Fault::AnswerAfter, "answer does not commute"),
        (Fault::AnswerBefore, "answer does not commute"),
        (Fault::Invariant, "changes how many invariants hold"),
        (Fault::Constraint, "the constraint does not commute"),
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
    let late = |fault| State {
        time: LATE,
        places: [0, 1, 2],
        fault,
    };
    for (fault, found) in [
        (Fault::None, false),
        (Fault::LateMove, true),
        (Fault::Unnamed, true),
        (Fault::Unordered, true),
    ] {
        let refinement = Same::new(fault);
        let tested = asymmetry(&refinement, [&late(fault)]);
        assert_eq!(
            tested.expect("there are names").is_some(),
            found,
            "{fault:?}"
        );
    }
    // Of many states each exchange has its turn: one a state, and all of the first states. One of five leaves the last component alone.
    let tried = |turn| {
        let refinement = Same::new(Fault::LateMove);
        let tested = tested_in_turn(&refinement, &late(Fault::LateMove), turn);
        matches!(tested, ExchangesTested::Changed(_))
    };
    assert!((0..ALL_EXCHANGES).all(tried));
    let later = ALL_EXCHANGES..ALL_EXCHANGES + 500;
    let count = later.filter(|turn| tried(*turn)).count();
    assert!(count.abs_diff(400) < 40, "{count}");
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
