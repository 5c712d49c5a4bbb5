//! Steps that see a part of a state: they are taken once for each part, and a model that is not framed as it
//! says is found out.

use std::sync::atomic::{AtomicUsize, Ordering};

use refmap::obligation::{Checker, Selection};
use refmap::{
    Field, Fields, Framed, FramedRefinement, Layout, Packed, PackedPart, Refinement, Report, Rule,
    RuleId, Settings, TransitionSystem, Verdict, next_framed,
};
use serde::Serialize;

/// A hand goes round, to and fro, and apart from it turns are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct State {
    hand: u8,
    turns: u16,
}

const HANDS: u8 = 6;
const TURNS: u16 = 3000;
/// From so many turns on something is wrong, if anything is.
const LATE: u16 = 2000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Action {
    Forth,
    Back,
    Turn,
}

/// What is wrong with a clock, or with what is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The hand does not go back late, which `next` alone knows.
    StepDependsOnRest,
    /// The part is packed at the place of the rest.
    PartPackedElsewhere,
    /// Of one hand, a variable of the rest is packed with the part.
    PartPackedAstray,
    /// `put` changes the rest.
    PutChangesRest,
    /// Late, the image of the hand is another one.
    MapDependsOnRest,
    /// Late, going forth is answered by a stutter.
    AnswerDependsOnRest,
    /// `map_part` is not what `map` does to the part.
    PartMappedOtherwise,
    /// Going back from the third place is none of the specification's steps.
    WrongStep,
    /// Late, the rest offers an action of the part.
    OfferedTwice,
    /// The part offers an action twice.
    OfferedTwiceByPart,
    /// A step of the part panics.
    Panic,
}

struct Clock {
    fault: Fault,
    layout: Layout,
    hand: Field,
    turns: Field,
    next: AtomicUsize,
    next_of_part: AtomicUsize,
}

impl Clock {
    fn new(fault: Fault) -> Self {
        let mut layout = Layout::new();
        Self {
            fault,
            hand: layout.below(HANDS.into()),
            turns: layout.below(u64::from(TURNS) + 1),
            layout,
            next: AtomicUsize::new(0),
            next_of_part: AtomicUsize::new(0),
        }
    }
}

impl TransitionSystem for Clock {
    type State = State;
    type Action = Action;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        const {
            &[
                Rule::new("forth", "clock", ""),
                Rule::new("back", "clock", ""),
                Rule::new("turn", "clock", ""),
            ]
        }
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        RuleId(*action as usize)
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State { hand: 0, turns: 0 });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        self.next.fetch_add(1, Ordering::Relaxed);
        let late = from.turns >= LATE;
        next_framed(self, from, &mut |action, to| {
            let held_back = self.fault == Fault::StepDependsOnRest && late;
            if !(held_back && action == Action::Back) {
                visit(action, to);
            }
        });
    }

    fn observe(&self, _state: &State) {}
}

impl Framed for Clock {
    type Part = u8;

    fn part(&self, state: &State) -> u8 {
        state.hand
    }

    fn put(&self, hand: &u8, state: &mut State) {
        state.hand = *hand;
        if self.fault == Fault::PutChangesRest {
            state.turns = 0;
        }
    }

    fn next_of_part(&self, hand: &u8, visit: &mut impl FnMut(Action, u8)) {
        self.next_of_part.fetch_add(1, Ordering::Relaxed);
        visit(Action::Forth, (hand + 1) % HANDS);
        if *hand > 0 {
            assert!(
                self.fault != Fault::Panic || *hand != 3,
                "the hand is stuck"
            );
            let wrong = self.fault == Fault::WrongStep && *hand == 3;
            visit(Action::Back, if wrong { 0 } else { hand - 1 });
        }
        if self.fault == Fault::OfferedTwiceByPart && *hand == 4 {
            visit(Action::Back, 3);
        }
    }

    fn next_of_rest(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        if from.turns < TURNS {
            let turns = from.turns + 1;
            visit(Action::Turn, State { turns, ..*from });
        }
        if self.fault == Fault::OfferedTwice && from.turns == LATE {
            visit(Action::Forth, *from);
        }
    }
}

impl Packed for Clock {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn fields(&self, state: &State, fields: &mut impl Fields) -> State {
        State {
            hand: fields.byte(self.hand, state.hand),
            turns: fields.number(self.turns, state.turns.into()) as u16,
        }
    }
}

impl PackedPart for Clock {
    fn part_fields(&self, hand: &u8, fields: &mut impl Fields) -> u8 {
        let field = match self.fault {
            Fault::PartPackedElsewhere => self.turns,
            _ => self.hand,
        };
        if self.fault == Fault::PartPackedAstray && *hand == 4 {
            fields.number(self.turns, 1);
        }
        fields.byte(field, *hand)
    }
}

/// Each clock is a clock.
struct Same {
    implementation: Clock,
    specification: Clock,
}

impl Same {
    fn new(fault: Fault) -> Self {
        Self {
            implementation: Clock::new(fault),
            specification: Clock::new(Fault::None),
        }
    }

    fn late(&self, fault: Fault, state: &State) -> bool {
        self.implementation.fault == fault && state.turns >= LATE
    }
}

impl Refinement for Same {
    type Concrete = Clock;
    type Abstract = Clock;

    fn implementation(&self) -> &Clock {
        &self.implementation
    }

    fn specification(&self) -> &Clock {
        &self.specification
    }

    fn map(&self, state: &State) -> State {
        let hand = match self.late(Fault::MapDependsOnRest, state) {
            true => HANDS - 1 - state.hand,
            false => state.hand,
        };
        State { hand, ..*state }
    }

    fn answer(&self, from: &State, action: &Action, _to: &State) -> Option<Action> {
        let stutters = self.late(Fault::AnswerDependsOnRest, from) && *action == Action::Forth;
        (!stutters).then_some(*action)
    }
}

impl FramedRefinement for Same {
    fn map_part(&self, hand: &u8) -> u8 {
        match self.implementation.fault {
            Fault::PartMappedOtherwise => (hand + 1) % HANDS,
            _ => *hand,
        }
    }

    fn answer_part(&self, _from: &u8, action: &Action, _to: &u8) -> Option<Action> {
        Some(*action)
    }
}

fn settings(obligations: Selection) -> Settings<'static> {
    Settings {
        obligations,
        threads: 2,
        ..Settings::default()
    }
}

fn check(refinement: &Same, obligations: Selection) -> Report {
    let checked = Checker::new(refinement)
        .framed()
        .check(&settings(obligations));
    checked.expect("the obligations are there")
}

const STATES: u64 = HANDS as u64 * (TURNS as u64 + 1);

/// What the steps of a part are is asked once a part and worker, once a state of those that are compared, and some ten
/// times in the sample in which everything is asked again.
#[test]
fn the_steps_of_a_part_are_taken_once() {
    for obligations in [Selection::Default, Selection::Nothing] {
        let refinement = Same::new(Fault::None);
        let report = check(&refinement, obligations.clone());
        assert_ne!(report.verdict, Some(Verdict::Violated));
        assert_eq!(report.states, STATES);
        let asked = |of: &AtomicUsize| of.load(Ordering::Relaxed) as u64;
        let Clock {
            next, next_of_part, ..
        } = &refinement.implementation;
        // Where the model is asked again, what is derived from `next` asks it too.
        let again = 10 * report.asked_again;
        assert!(asked(next) < STATES / 10 + again, "{}", asked(next));
        assert!(
            asked(next_of_part) < STATES / 5 + again,
            "{}",
            asked(next_of_part)
        );

        // Without parts the same is found, and `next` is asked in every state.
        let plain = Same::new(Fault::None);
        let checked = Checker::new(&plain).packed().check(&settings(obligations));
        let expected = checked.expect("the obligations are there");
        assert_eq!(timeless(report), timeless(expected));
        assert!(asked(&plain.implementation.next) >= STATES);
    }
}

fn timeless(report: Report) -> Report {
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        frames_sampled: false,
        ..report
    }
}

/// What is wrong with the frame is a fault of the model, whatever else would have held.
#[test]
fn a_model_that_is_not_framed_as_it_says_is_found_out() {
    let cases = [
        (Fault::StepDependsOnRest, "of `next` is Turn to "),
        (Fault::PutChangesRest, "`map` leads to "),
        (Fault::MapDependsOnRest, "`map` leads to "),
        (
            Fault::AnswerDependsOnRest,
            "`answer` to Forth is None, and `answer_part` is Some(Forth)",
        ),
        (Fault::PartMappedOtherwise, "`map` leads to "),
        (
            Fault::PartPackedElsewhere,
            "`part_fields` writes a part otherwise than `fields` does",
        ),
    ];
    for (fault, expected) in cases {
        let report = check(&Same::new(fault), Selection::Default);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{fault:?}");
        let model = report.obligation("model").expect("the model is at fault");
        let explanation = &model.counterexamples[0].explanation;
        assert!(
            explanation.contains("not framed as it says"),
            "{fault:?}: {explanation}"
        );
        assert!(explanation.contains(expected), "{fault:?}: {explanation}");
    }
}

/// What is wrong with a step of a part is shown as it is without parts.
#[test]
fn a_step_of_a_part_that_is_wrong_is_shown_in_its_state() {
    for (fault, row) in [
        (Fault::WrongStep, "simulation"),
        (Fault::OfferedTwice, "model"),
        (Fault::OfferedTwiceByPart, "model"),
        (Fault::Panic, "model"),
    ] {
        let framed = check(&Same::new(fault), Selection::Default);
        let plain = Same::new(fault);
        let checked = Checker::new(&plain)
            .packed()
            .check(&settings(Selection::Default));
        let expected = checked.expect("the obligations are there");
        assert_eq!(timeless(framed.clone()), timeless(expected), "{fault:?}");
        assert_eq!(framed.verdict, Some(Verdict::Violated), "{fault:?}");
        let violated = framed.obligation(row).expect("it has a row");
        assert_eq!(violated.verdict, Verdict::Violated, "{fault:?}");
    }
}

/// A part whose packing takes more than its variables is not recalled: the steps that lead to it are taken
/// in every state.
#[test]
fn a_part_that_is_packed_astray_is_not_recalled() {
    let astray = Same::new(Fault::PartPackedAstray);
    let report = check(&astray, Selection::Default);
    let sound = Same::new(Fault::None);
    let expected = check(&sound, Selection::Default);
    assert_eq!(timeless(report), timeless(expected));
    let asked = |clock: &Clock| clock.next.load(Ordering::Relaxed) as u64;
    let (asked, of_sound) = (asked(&astray.implementation), asked(&sound.implementation));
    assert!(asked >= of_sound + STATES / 4, "{asked} and {of_sound}");
}
