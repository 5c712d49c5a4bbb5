//! Object of which each answer is permitted.

use std::sync::atomic::{AtomicBool, Ordering};

use refmap::State;
use refmap_histories::object::{AnswerOf, Run, test};
use refmap_histories::specifications::{Answer, NoValue, Operations, Sequential};
use refmap_histories::{Object, calls};
use serde::Serialize;

use super::{assert_vacuous, little};

/// Specification that permits each answer to each call.
struct Anything;

calls! {
    /// Call of an object of which nothing is known.
    enum Toggle -> NoValue {
        Toggle -> Is,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Position(bool);

impl Sequential for Anything {
    type State = Position;
    type Call = Toggle;
    type Answer = Answer<NoValue>;

    fn initial(&self) -> Position {
        Position(false)
    }

    fn execute(&self, _: &Toggle, Position(is_on): &mut Position) -> Option<Self::Answer> {
        *is_on = !*is_on;
        Some(Answer::Is(false))
    }

    fn other_answers(&self, _: &Toggle, _: &Position, visit: &mut impl FnMut(Self::Answer)) {
        visit(Answer::Is(true));
    }

    fn execute_with(&self, call: &Toggle, _: &Self::Answer, position: &mut Position) {
        self.execute(call, position);
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
