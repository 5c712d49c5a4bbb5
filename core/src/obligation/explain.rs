//! Counterexamples that explain themselves.

use std::fmt::Debug;

use serde::Serialize;
use serde_json::Value;

use super::environment::{Refusal, Unrest, UnrestReason};
use crate::explore::catch;
use crate::invariant::Invariant;
use crate::refinement::Refinement;
use crate::report::{Counterexample, Nearest, Step, changes};
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::trace::Trace;

/// How many abstract actions are shown beside a failed step.
const NEAREST: usize = 4;
/// How many are looked at to find them.
const MOST_LOOKED_AT: usize = 10_000;

pub(super) struct Explainer<'a, R> {
    pub refinement: &'a R,
}

/// A value as JSON; as `Debug` shows it where it has no JSON form.
fn json<T: Serialize + Debug>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_else(|_| Value::String(format!("{value:?}")))
}

impl Counterexample {
    /// What can be said without a behaviour.
    pub fn without_steps(explanation: String) -> Self {
        Self {
            obligation: String::new(),
            length: 0,
            reachable: true,
            steps: Vec::new(),
            refused: None,
            explanation,
            nearest: Vec::new(),
        }
    }
}

impl<R: Refinement> Explainer<'_, R> {
    /// The counterexample that `trace` is, with its mapped states and answers.
    pub fn counterexample(
        &self,
        trace: &Trace<R::Concrete>,
        explanation: String,
    ) -> Counterexample {
        let implementation = self.refinement.implementation();
        // The model may be one that panics here.
        let map = |state: &StateOf<R::Concrete>| {
            let mapped = catch(|| {
                let mapped = self.refinement.map(state);
                (json(&mapped), self.refinement.specification().draw(&mapped))
            });
            mapped.unwrap_or((Value::Null, None))
        };
        let draw = |state| catch(|| implementation.draw(state)).ok().flatten();
        let (abstract_state, abstract_drawing) = map(&trace.initial);
        let mut steps = vec![Step {
            action: None,
            rule: None,
            source: None,
            process: None,
            state: json(&trace.initial),
            abstract_action: None,
            abstract_state,
            drawing: draw(&trace.initial),
            abstract_drawing,
        }];
        for ((action, to), from) in trace.steps.iter().zip(trace.states()) {
            let rule = implementation.rules().get(implementation.rule_of(action).0);
            let answer = catch(|| self.refinement.answer(from, action, to))
                .ok()
                .flatten();
            let (abstract_state, abstract_drawing) = map(to);
            steps.push(Step {
                action: Some(json(action)),
                rule: rule.map(|rule| rule.name.to_string()),
                source: rule.map(|rule| rule.source.to_string()),
                process: Some(implementation.process_of(action).to_string()),
                state: json(to),
                abstract_action: answer.as_ref().map(json),
                abstract_state,
                drawing: draw(to),
                abstract_drawing,
            });
        }
        Counterexample {
            length: trace.length(),
            steps,
            ..Counterexample::without_steps(explanation)
        }
    }

    pub fn observation(&self, trace: &Trace<R::Concrete>) -> Counterexample {
        let shown = self.refinement.implementation().observe(trace.last());
        let image = self.refinement.map(trace.last());
        let mapped = self.refinement.specification().observe(&image);
        self.counterexample(
            trace,
            format!("the implementation shows {shown:?}, and the mapped state shows {mapped:?}"),
        )
    }

    pub fn initiality(&self, trace: &Trace<R::Concrete>) -> Counterexample {
        let explanation = "the mapped state is not an initial state of the specification";
        self.counterexample(trace, explanation.to_owned())
    }

    pub fn simulation(&self, trace: &Trace<R::Concrete>) -> Counterexample {
        let (from, action, to) = last_step(trace);
        let answer = self.refinement.answer(from, action, to);
        let process = self.refinement.implementation().process_of(action);
        let explanation = match &answer {
            None => format!(
                "{process} takes {}, which is answered by a stutter and changes the mapped state",
                self.rule_name(action)
            ),
            Some(answer) => {
                let specification = self.refinement.specification();
                let rule = &specification.rules()[specification.rule_of(answer).0].name;
                format!(
                    "{process} takes {}, which is not the specification's `{rule}` as answered",
                    self.rule_name(action)
                )
            }
        };
        let mut counterexample = self.counterexample(trace, explanation);
        // A specification that panicked once may do so again.
        counterexample.nearest =
            catch(|| self.nearest(from, answer.as_ref(), to)).unwrap_or_default();
        counterexample
    }

    /// The abstract actions whose targets differ least from the mapped one, the answer first.
    fn nearest(
        &self,
        from: &StateOf<R::Concrete>,
        answer: Option<&ActionOf<R::Abstract>>,
        to: &StateOf<R::Concrete>,
    ) -> Vec<Nearest> {
        let specification = self.refinement.specification();
        let (from, to) = (self.refinement.map(from), self.refinement.map(to));
        let wanted = json(&to);
        let candidate = |action: Option<&ActionOf<R::Abstract>>, target: Option<Value>| Nearest {
            action: action.map(json),
            answered: action == answer,
            enabled: target.is_some(),
            differs: target.map_or(Vec::new(), |target| changes(&target, &wanted)),
        };
        let answered = match answer {
            None => candidate(None, Some(json(&from))),
            Some(action) => {
                let target = specification.successor(&from, action);
                candidate(Some(action), target.as_ref().map(json))
            }
        };
        let mut others = Vec::new();
        if answer.is_some() {
            others.push(candidate(None, Some(json(&from))));
        }
        specification.next(&from, &mut |action, target| {
            if others.len() < MOST_LOOKED_AT && Some(&action) != answer {
                others.push(candidate(Some(&action), Some(json(&target))));
            }
        });
        // Actions that change nothing add nothing to what the stutter says.
        others.sort_by_key(|other| (other.differs.len(), other.action.is_some()));
        let mut nearest = vec![answered];
        for other in others {
            let said = nearest
                .iter()
                .any(|earlier| earlier.enabled && earlier.differs == other.differs);
            if nearest.len() < NEAREST && !said {
                nearest.push(other);
            }
        }
        nearest
    }

    pub fn agency(&self, trace: &Trace<R::Concrete>) -> Counterexample {
        let (from, action, to) = last_step(trace);
        let process = self.refinement.implementation().process_of(action);
        let specification = self.refinement.specification();
        let answer = self.refinement.answer(from, action, to);
        let of = answer.map_or_else(String::new, |answer| {
            let rule = &specification.rules()[specification.rule_of(&answer).0].name;
            format!("`{rule}` of {}", specification.process_of(&answer))
        });
        self.counterexample(
            trace,
            format!(
                "{} is a step of {process}, and is answered by {of}, for which {process} does not act",
                self.rule_name(action)
            ),
        )
    }

    pub fn invariant(
        &self,
        trace: &Trace<R::Concrete>,
        invariant: &Invariant<R::Concrete>,
    ) -> Counterexample {
        let (name, source) = (invariant.name(), invariant.source());
        self.counterexample(trace, format!("`{name}` is false here [{source}]"))
    }

    pub fn deadlock(&self, trace: &Trace<R::Concrete>) -> Counterexample {
        let explanation = "no step is enabled, and the system may not stop here";
        self.counterexample(trace, explanation.to_owned())
    }

    pub fn refusal(
        &self,
        trace: &Trace<R::Concrete>,
        refusal: &Refusal<ActionOf<R::Abstract>>,
    ) -> Counterexample {
        let specification = self.refinement.specification();
        let rule = &specification.rules()[specification.rule_of(&refusal.action).0].name;
        let mut counterexample = self.counterexample(
            trace,
            format!(
                "{} rests here, and the specification lets it take `{rule}`; no step that simulates it \
                 with the same inputs can be reached before {} does something else",
                refusal.process, refusal.process
            ),
        );
        counterexample.refused = Some(json(&refusal.action));
        counterexample
    }

    pub fn unrest(&self, trace: &Trace<R::Concrete>, unrest: &Unrest) -> Counterexample {
        let process = unrest.process;
        self.counterexample(
            trace,
            match unrest.reason {
                UnrestReason::ForEver => {
                    format!(
                        "{process} is in the middle of an operation, and can never come to rest"
                    )
                }
                UnrestReason::ByOther => format!(
                    "this step changes whether {process} is at rest, and is not taken by {process} \
                     or on its behalf"
                ),
            },
        )
    }

    fn rule_name(&self, action: &ActionOf<R::Concrete>) -> String {
        let implementation = self.refinement.implementation();
        let rule = &implementation.rules()[implementation.rule_of(action).0];
        format!("`{}` ({})", rule.name, rule.source)
    }
}

type StepOf<'a, S> = (&'a StateOf<S>, &'a ActionOf<S>, &'a StateOf<S>);

fn last_step<S: TransitionSystem>(trace: &Trace<S>) -> StepOf<'_, S> {
    let (action, to) = trace.steps.last().expect("a failed step is in the trace");
    let from = trace
        .states()
        .nth(trace.length() - 1)
        .expect("a trace has one state more than steps");
    (from, action, to)
}
