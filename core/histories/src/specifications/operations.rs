//! Adapter from a history of operations to a sequential object.

use std::fmt::{Debug, Write};

use refmap::StateOf;
use serde::Serialize;
use serde_json::Value;

use super::answer::AnswerTo;
use super::operation::{Called, Operation};
use super::sequential::Sequential;
use crate::{Happening, Observed};

/// Greatest number of answers that a refusal names.
const MOST_ANSWERS: usize = 3;

/// Adapter: the histories of a sequential object are linearizable.
///
/// An operation takes effect at once, between its begin and its end. One that was not recorded (`null`) is any that the
/// object's `next` visits, so its domain has to have all values that such an operation may have had; nothing else depends on the domain.
///
/// Source: Herlihy & Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 12(3), 1990.
///
/// ```
/// use refmap::Verdict;
/// use refmap_histories::specifications::{Operations, Queue};
/// use refmap_histories::{History, Settings, validate};
///
/// let history = r#"{"history":"refmap","version":1}
/// {"thread":0,"place":0,"begin":10,"end":40,"event":{"call":{"push":1}}}
/// {"thread":1,"place":0,"begin":20,"end":30,"event":{"call":{"push":2}}}
/// {"thread":1,"place":1,"begin":50,"end":60,"event":{"call":"pop","answer":2}}
/// {"thread":0,"place":1,"begin":70,"end":80,"event":{"call":"pop","answer":1}}
/// {"history":"end","events":4}
/// "#;
/// let queue = Operations(Queue::<u64>::default());
/// let history = History::open(history.as_bytes())?;
/// let validation = validate(&queue, history.events(), &Settings::default())?;
/// assert_eq!(validation.verdict(), Verdict::Holds);
/// # Ok::<(), refmap_histories::HistoryError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Operations<S>(pub S);

impl<S: Sequential> Operations<S> {
    fn answers(&self, from: &StateOf<S>, call: &S::Call) -> Vec<S::Answer> {
        let mut answers = Vec::new();
        self.0
            .answers(from, call, &mut |answer| answers.push(answer));
        answers
    }
}

impl<S: Sequential> Observed for Operations<S> {
    type Specification = S;
    type Event = Called<S::Call, S::Answer>;

    fn specification(&self) -> &S {
        &self.0
    }

    fn shows(
        &self,
        from: &StateOf<S>,
        happening: &Happening<'_, Self::Event>,
        visit: &mut impl FnMut(Option<Operation<S::Call, S::Answer>>),
    ) {
        let Called { call, answer } = happening.event;
        if self.0.only_looks(call) {
            let mut is_possible = false;
            self.0.answers(from, call, &mut |possible| {
                is_possible |= answer.as_ref().is_none_or(|answer| *answer == possible);
            });
            if is_possible {
                visit(None);
            }
            return;
        }
        let mut show = |answer| {
            let call = call.clone();
            visit(Some(Operation { call, answer }));
        };
        match answer {
            Some(answer) => show(answer.clone()),
            None => self.0.answers(from, call, &mut show),
        }
    }

    fn only_looks(&self, event: &Self::Event) -> bool {
        self.0.only_looks(&event.call)
    }

    fn commute(&self, one: &Self::Event, other: &Self::Event) -> bool {
        self.0.commute(&one.call, &other.call)
    }

    fn confirms(&self, event: &Self::Event) -> bool {
        self.0.confirms(event)
    }

    fn matters(&self, event: &Self::Event, other: &Self::Event) -> bool {
        self.0.matters(event, other)
    }

    fn is_hopeless<'e>(
        &self,
        from: &StateOf<S>,
        event: &Self::Event,
        before: impl Iterator<Item = &'e Self::Event> + Clone,
    ) -> bool
    where
        Self::Event: 'e,
    {
        self.0.is_hopeless(from, event, before)
    }

    fn part(&self, event: &Self::Event) -> Option<String> {
        self.0.part(&event.call)
    }

    fn refusal(&self, from: &StateOf<S>, happening: &Happening<'_, Self::Event>) -> String {
        let Called { call, answer } = happening.event;
        let name = shown_call(&refmap::internal::json(call));
        let possible = self.answers(from, call);
        if possible.is_empty() {
            let obstacle = self.0.obstacle(from, call);
            let obstacle = obstacle.map_or_else(String::new, |obstacle| format!(": {obstacle}"));
            return format!("{name} is not possible here{obstacle}");
        }
        match answer {
            Some(answer) if !possible.contains(answer) => {
                let few = possible.iter().take(MOST_ANSWERS).map(shown_answer);
                let mut few: Vec<_> = few.collect();
                if possible.len() > MOST_ANSWERS {
                    few.push("…".to_owned());
                }
                let answer = shown_answer(answer);
                format!("{name} answers {} here, and not {answer}", few.join(" or "))
            }
            _ => format!("the specification has no step {name} here"),
        }
    }

    fn is_partial(&self, event: &Self::Event) -> bool {
        event.answer.is_none() && S::Answer::tells(&event.call)
    }

    fn describe(&self, event: &Self::Event) -> String {
        let mut text = shown_call(&refmap::internal::json(&event.call));
        if S::Answer::tells(&event.call) {
            text.push_str(" → ");
            match &event.answer {
                Some(answer) => text.push_str(&shown_answer(answer)),
                None => text.push('?'),
            }
        }
        text
    }
}

fn shown_answer(answer: &(impl Serialize + Debug)) -> String {
    refmap::internal::json(answer).to_string()
}

/// Call as `push(3)`, or `compare_and_swap(from: 1, to: 2)`.
fn shown_call(call: &Value) -> String {
    let (name, arguments) = match call {
        Value::String(name) => return name.clone(),
        Value::Object(fields) if fields.len() == 1 => match fields.iter().next() {
            Some(named) => named,
            None => return call.to_string(),
        },
        other => return other.to_string(),
    };
    let mut text = format!("{name}(");
    match arguments {
        Value::Object(fields) => {
            for (number, (field, value)) in fields.iter().enumerate() {
                let comma = if number > 0 { ", " } else { "" };
                // Writing to a string does not fail.
                let _ = write!(text, "{comma}{field}: {value}");
            }
        }
        argument => text.push_str(&argument.to_string()),
    }
    text.push(')');
    text
}
