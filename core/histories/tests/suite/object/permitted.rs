//! Object of which each answer is permitted.

use std::sync::atomic::{AtomicBool, Ordering};

use refmap::{Action, State, StateOf, TransitionSystem};
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, Run, test};
use refmap_histories::specifications::{
    Answer, AnswerKind, Answered, NoValue, Operation, Operations, Sequential,
};
use serde::{Deserialize, Serialize};

use super::{assert_vacuous, little};

/// Specification that permits each answer to each call.
struct Anything;

/// Call of an object of which nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case")]
enum Toggle {
    Toggle,
}

impl Answered for Toggle {
    type Value = NoValue;

    fn kind(&self) -> AnswerKind {
        AnswerKind::Is
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Position(bool);

impl TransitionSystem for Anything {
    type State = Position;
    type Action = Operation<Toggle, Answer<NoValue>>;
    type Observation = Position;

    fn initial(&self, visit: &mut impl FnMut(Position)) {
        visit(Position(false));
    }

    fn next(&self, from: &Position, visit: &mut impl FnMut(Self::Action, Position)) {
        self.answers(from, &Toggle::Toggle, &mut |answer| {
            let call = Toggle::Toggle;
            visit(Operation { call, answer }, Position(!from.0));
        });
    }

    fn observe(&self, state: &Position) -> Position {
        state.clone()
    }
}

impl Sequential for Anything {
    type Call = Toggle;
    type Answer = Answer<NoValue>;

    fn answers(&self, _: &StateOf<Self>, _: &Toggle, visit: &mut impl FnMut(Answer<NoValue>)) {
        [false, true].map(Answer::Is).into_iter().for_each(visit);
    }
}

struct Permitted;

impl Object for Permitted {
    type Specification = Operations<Anything>;
    type Shared = AtomicBool;
    type Handle<'a> = &'a AtomicBool;

    fn specification(&self) -> Self::Specification {
        Operations(Anything)
    }

    fn make(&self) -> AtomicBool {
        AtomicBool::new(false)
    }

    fn handle<'a>(&self, toggle: &'a AtomicBool, _: u32) -> &'a AtomicBool {
        toggle
    }

    fn calls(&self, _: &&AtomicBool, visit: &mut impl FnMut(Toggle)) {
        visit(Toggle::Toggle);
    }

    fn call(&self, toggle: &mut &AtomicBool, _: &Toggle) -> AnswerOf<Self> {
        toggle.fetch_not(Ordering::AcqRel).into()
    }
}

#[test]
fn a_specification_that_permits_everything_is_incomplete() {
    let tested = test(Permitted, &little());
    assert_vacuous(&tested, Run::Threads, "tells too little apart");
}
