//! Object of which each answer is permitted.

use std::sync::atomic::{AtomicBool, Ordering};

use refmap::State;
use refmap_histories::calls;
use refmap_histories::object::{Run, Shared, test};
use refmap_histories::specifications::{Answer, NoValue, Operations, Sequential};
use serde::Serialize;

use super::{assert_vacuous, little};

/// Specification that permits each answer to each call.
#[derive(Clone)]
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

#[test]
fn a_specification_that_permits_everything_is_incomplete() {
    let calls = [Toggle::Toggle];
    let make = || AtomicBool::new(false);
    let toggle = Shared::new(Operations(Anything), make, calls, |toggle, _| {
        toggle.fetch_not(Ordering::AcqRel).into()
    });
    let tested = test(toggle, &little());
    assert_vacuous(&tested, Run::Threads, "tells too little apart");
}
