//! Transition system of a sequential object, and adapter of its histories.

use std::fmt::{Debug, Write};

use refmap::drawing::Drawing;
use refmap::{TransitionSystem, draw_by_rows};
use serde::Serialize;
use serde_json::Value;

use super::answer::AnswerTo;
use super::operation::{Called, Operation};
use super::sequential::{Foresight, Operations, Sequential};
use crate::{Happening, Observed};

/// Greatest number of answers that a refusal names.
const MOST_ANSWERS: usize = 3;

impl<S: Sequential> Operations<S> {
    fn answers(&self, from: &S::State, call: &S::Call) -> Vec<S::Answer> {
        let mut answers = Vec::new();
        self.0
            .answers(from, call, &mut |answer| answers.push(answer));
        answers
    }

    /// True if an answer is one of the other answers of a call.
    fn is_other(&self, from: &S::State, call: &S::Call, answer: &S::Answer) -> bool {
        let mut is_other = false;
        self.0.other_answers(call, from, &mut |other| {
            is_other |= other == *answer;
        });
        is_other
    }

    /// True if a call is possible, and may have this answer, if one is known.
    fn is_possible(&self, from: &S::State, call: &S::Call, answer: Option<&S::Answer>) -> bool {
        let fits = |possible: &S::Answer| answer.is_none_or(|answer| answer == possible);
        let executed = self.0.execute(call, &mut from.clone());
        let mut is_possible = executed.as_ref().is_some_and(fits);
        if !is_possible {
            self.0.other_answers(call, from, &mut |other| {
                is_possible |= fits(&other);
            });
        }
        is_possible
    }
}

impl<S: Sequential> TransitionSystem for Operations<S> {
    type State = S::State;
    type Action = Operation<S::Call, S::Answer>;
    type Observation = S::State;

    fn initial(&self, visit: &mut impl FnMut(S::State)) {
        visit(self.0.initial());
    }

    fn fire(&self, operation: &Self::Action, state: &mut S::State) -> Option<()> {
        let Operation { call, answer } = operation;
        if self.is_other(state, call, answer) {
            self.0.execute_with(call, answer, state);
            return Some(());
        }
        (self.0.execute(call, state)? == *answer).then_some(())
    }

    fn candidates(&self, from: &S::State, visit: &mut impl FnMut(Self::Action)) {
        self.0.calls(&mut |call| {
            self.0.answers(from, &call, &mut |answer| {
                let call = call.clone();
                visit(Operation { call, answer });
            });
        });
    }

    fn observe(&self, state: &S::State) -> S::State {
        state.clone()
    }

    fn draw(&self, state: &S::State) -> Option<Drawing> {
        self.0.draw(state).or_else(|| draw_by_rows(self, state))
    }
}

impl<S: Sequential> Observed for Operations<S> {
    type Specification = Self;
    type Event = Called<S::Call, S::Answer>;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &S::State,
        happening: &Happening<'_, Self::Event>,
        visit: &mut impl FnMut(Option<Operation<S::Call, S::Answer>>),
    ) {
        let Called { call, answer } = happening.event;
        if self.0.only_looks(call) {
            if self.is_possible(from, call, answer.as_ref()) {
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
        let [one, other] = [&one.call, &other.call];
        self.0.commute(one, other) || self.0.only_looks(one) && self.0.only_looks(other)
    }

    fn confirms(&self, event: &Self::Event) -> bool {
        self.0.foresight().confirms(event)
    }

    fn matters(&self, event: &Self::Event, other: &Self::Event) -> bool {
        self.0.foresight().matters(event, other)
    }

    fn is_hopeless<'e>(
        &self,
        from: &S::State,
        event: &Self::Event,
        before: impl Iterator<Item = &'e Self::Event> + Clone,
    ) -> bool
    where
        Self::Event: 'e,
    {
        self.0.foresight().is_hopeless(from, event, before)
    }

    fn part(&self, event: &Self::Event) -> Option<String> {
        self.0.part(&event.call)
    }

    fn refusal(&self, from: &S::State, happening: &Happening<'_, Self::Event>) -> String {
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
