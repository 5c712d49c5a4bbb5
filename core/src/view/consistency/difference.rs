//! Differences of two values that should be one.

use std::fmt::Debug;

use serde::Serialize;

use super::inconsistency::Inconsistency;
use crate::statement::asked::disagreement::Disagreement;
use crate::statement::asked::model_call::named;
use crate::statement::erased::ErasedState;
use crate::statement::shown::difference::{Change, changes};
use crate::statement::shown::json::json;
use crate::statement::shown::value::compact;

pub(crate) fn of_the(system: &'static str, found: Disagreement) -> Inconsistency {
    Inconsistency::Disagreement { system, found }
}

/// Compares two answers of a function.
pub(crate) fn same<T: PartialEq + Debug>(
    function: &str,
    first: &T,
    again: &T,
) -> Result<(), Inconsistency> {
    if named("`eq`", || first == again) {
        return Ok(());
    }
    let (first, again) = named("`Debug`", || (format!("{first:?}"), format!("{again:?}")));
    Err(Inconsistency::NotAFunction {
        function: function.to_owned(),
        first,
        again,
    })
}

/// Asks a function twice.
pub(crate) fn asked_twice<T: PartialEq + Debug>(
    function: &str,
    ask: impl Fn() -> T,
) -> Result<(), Inconsistency> {
    let (first, again) = named(function, || (ask(), ask()));
    same(function, &first, &again)
}

/// Difference of two equal values as they serialise or as `Debug` shows them, if there is one.
pub(crate) fn difference<T: Serialize + Debug>(value: &T, equal: &T) -> Option<String> {
    // PERF: a text takes a fifth of the time of a tree, and mostly both are the same.
    let text = |value| named("`serialize`", || serde_json::to_vec(value).ok());
    let is_same = text(value).is_some_and(|value| Some(value) == text(equal));
    let found = if is_same {
        None
    } else {
        changes(&json(value), &json(equal)).into_iter().next()
    };
    let Some(Change { field, from, to }) = found else {
        // What is not serialised may be shown.
        return difference_shown(value, equal);
    };
    let field = if field.is_empty() {
        "the value"
    } else {
        &field
    };
    let (from, to) = (compact(&from), compact(&to));
    Some(format!(
        "{field} is {from} in one and {to} in the other, and `Eq` does not tell them apart"
    ))
}

/// That a function of a model tells two equal states apart.
pub(crate) fn told_apart(function: &str, kept: &ErasedState, to: &ErasedState) -> String {
    format!("`{function}` tells {kept:?} from {to:?}, and `Eq` does not")
}

/// Difference of two equal values as `Debug` shows them, if there is one.
pub(crate) fn difference_shown(value: &impl Debug, equal: &impl Debug) -> Option<String> {
    let (value, equal) = named("`Debug`", || (format!("{value:?}"), format!("{equal:?}")));
    (!is_reordered(&value, &equal))
        .then(|| format!("one is {value}, the other {equal}, and `Eq` does not tell them apart"))
}

/// Whether one text has the parts of the other, perhaps in another order: a set that has no order shows them in any.
pub(crate) fn is_reordered(text: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    text == other || text.len() == other.len() && sorted(text) == sorted(other)
}
