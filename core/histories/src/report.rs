//! Report of a validation.

use refmap::internal::counted;
use serde_json::Map;

use super::call::Panicked;
use super::validator::{Outcome, Parts, Validation};
use refmap::report::history::{Explanation, NoEnd, Partial, Prefix, Recorded, ShownEvent};
use refmap::report::{About, Counterexample, Evidence, Obligation, Report, Step, Verdict, Warning};

/// Reason of an undecided validation if the adapter is wrong.
const MISLED: &str = "the adapter is wrong about its events: one order that `commute` or `only_looks` \
                      says need not be tried is possible where the others are not";

impl Validation {
    /// Report of the validation: `states` are the expanded configurations, `transitions` the steps tried, `depth`
    /// the number of events in the longest order, or 0 if the length of the longest valid prefix is unknown. Its
    /// obligations are `behaviour`, that there is a valid order, and `interest`, that the history has an
    /// interesting event; `end`, that it has an end, only where it has none; and `model` only where that is violated.
    pub fn report(&self) -> Report {
        let explanation = match &self.outcome {
            Outcome::Refuted(explanation) => Some(explanation.as_ref()),
            Outcome::Behaviour | Outcome::Undecided(_) | Outcome::Misled => None,
        };
        let depth = match explanation {
            None => self.events,
            Some(explanation) => {
                let longest = explanation.prefixes.first();
                longest.map_or(0, |longest| longest.events)
            }
        };
        let contradiction = self
            .disagreement
            .as_ref()
            .map(|found| format!("the model contradicts itself: of the specification, {found}"));
        let panicked = self.panicked.as_ref().map(Panicked::to_string);
        let mut faults = contradiction
            .into_iter()
            .chain(panicked)
            .map(|told| Counterexample {
                obligation: "model".to_owned(),
                ..Counterexample::without_steps(told)
            });
        let fault = faults.next();
        let unexercised = self.coverage.iter().filter(|row| row.fired == 0);
        let refuted = explanation.filter(|_| !self.is_refused_at_stop);
        let counterexample = refuted.and_then(counterexample);
        let obligation = |name: &str, verdict, checked, note| Obligation {
            name: name.to_owned(),
            verdict,
            checked,
            note,
            needed: None,
            counterexamples: Vec::new(),
        };
        let mut behaviour = obligation("behaviour", self.behaviour(), self.events, self.partial());
        behaviour.counterexamples.extend(counterexample.clone());
        let (interest, dull) = match self.interesting {
            0 => {
                let note = "no event of the history that has an end is of interest, so that it says nothing";
                (Verdict::Incomplete, Some(note.to_owned()))
            }
            _ => (Verdict::Holds, None),
        };
        let model = fault.clone().map(|fault| {
            let mut model = obligation("model", Verdict::Violated, 0, None);
            model.counterexamples.push(fault);
            model.counterexamples.extend(faults);
            model
        });
        // An inconsistent specification refutes nothing.
        let counterexample = fault.or(counterexample);
        let end = self.no_end.map(|no_end| {
            let note = Some(self.without_end(no_end));
            obligation("end", Verdict::Incomplete, 1, note)
        });
        let decided = match self.outcome {
            Outcome::Behaviour => true,
            Outcome::Refuted(_) => !self.is_refused_at_stop,
            Outcome::Undecided(_) | Outcome::Misled => false,
        };
        Report {
            check: String::new(),
            claim: None,
            parameters: Map::new(),
            verdict: Some(self.verdict()),
            evidence: if decided {
                Evidence::Exhaustive
            } else {
                Evidence::Bounded
            },
            complete: decided,
            walks: None,
            every_number: None,
            samples: None,
            history: Some(Box::new(self.recorded(explanation))),
            symmetry: None,
            limit_process: None,
            unreturned: None,
            limit: match self.outcome {
                Outcome::Undecided(limit) => Some(limit),
                Outcome::Behaviour | Outcome::Refuted(_) | Outcome::Misled => None,
            },
            initial_states: self.initial_states as u64,
            states: self.configurations,
            transitions: self.steps,
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            seconds: self.seconds,
            peak_memory_bytes: self.peak_memory_bytes,
            states_kept: None,
            checkpoints: None,
            spilled: None,
            threads: 1,
            processes: None,
            obligations: [
                behaviour,
                obligation("interest", interest, self.interesting, dull),
            ]
            .into_iter()
            .chain(end)
            .chain(model)
            .collect(),
            coverage: self.coverage.clone(),
            deadlocks: 0,
            cut_off: None,
            constraint: None,
            warnings: self.took_no_step().into_iter().collect(),
            taken_at_word: self.taken_at_word.clone(),
            asked_again: 0,
            not_compared: 0,
            not_asked: Vec::new(),
            unexercised: unexercised
                .map(|row| format!("rule:{}", row.rule))
                .collect(),
            counterexample,
        }
    }

    fn behaviour(&self) -> Verdict {
        match self.outcome {
            Outcome::Refuted(_) if !self.is_refused_at_stop => Verdict::Violated,
            Outcome::Behaviour if self.events > 0 => Verdict::Holds,
            Outcome::Behaviour | Outcome::Refuted(_) | Outcome::Undecided(_) | Outcome::Misled => {
                Verdict::Incomplete
            }
        }
    }

    /// Note: the history has no end, and what the outcome means then.
    fn without_end(&self, no_end: NoEnd) -> String {
        let NoEnd { line, within_line } = no_end;
        let stops = if within_line {
            format!("it stops in the middle of line {line}")
        } else {
            format!("it stops after line {line}, and no line says that this is all")
        };
        let means = match self.outcome {
            Outcome::Behaviour => {
                "there is an order of the events up to there; nothing is said of what may be missing"
            }
            Outcome::Refuted(_) if self.is_refused_at_stop => {
                "what is refused was under way there, and an event that is missing may have made it possible"
            }
            Outcome::Refuted(_) => {
                "what is refused had ended before the last event began, so that nothing missing could make it possible"
            }
            Outcome::Undecided(_) | Outcome::Misled => "what comes after may be missing",
        };
        format!("{stops}: {means}")
    }

    /// Warning: no event of the history took a step of the specification, so the verdict is vacuous.
    fn took_no_step(&self) -> Option<Warning> {
        let nothing = self.coverage.iter().all(|row| row.fired == 0);
        let is_behaviour = matches!(self.outcome, Outcome::Behaviour);
        (is_behaviour && self.events > 0 && nothing).then(|| Warning {
            about: About::Specification,
            text: format!(
                "none of the {} events took a step of the specification, so that it was not asked for anything",
                self.events
            ),
        })
    }

    /// Note beside the verdict: the assumptions about partially recorded events.
    fn partial(&self) -> Option<String> {
        if matches!(self.outcome, Outcome::Misled) && self.panicked.is_none() {
            return Some(MISLED.to_owned());
        }
        let Partial {
            unknown,
            open,
            incomplete,
        } = self.partial;
        let parts = [
            (
                unknown,
                "not recorded, each assumed to be some step within its interval, or none",
            ),
            (
                open,
                "without an end, each assumed to have come about or not",
            ),
            (incomplete, "with a part missing, which is assumed"),
        ];
        let said = parts.iter().filter(|(events, _)| *events > 0);
        let said = said.map(|(events, what)| format!("{} {what}", counted(*events, "event")));
        let unread = self.unread.iter().map(|far| match self.events {
            0 => format!("{far}: nothing of the history is decided"),
            _ => format!("{far}: nothing is said of the rest of the history"),
        });
        let apart = self.apart();
        let said: Vec<_> = unread.chain(apart).chain(said).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Part that decides, where parts were decided apart.
    fn apart(&self) -> Option<String> {
        let Parts { all, telling } = self.parts.as_ref()?;
        let telling = telling.as_ref().map(|part| match self.outcome {
            Outcome::Refuted(_) => format!(", up to the first that is refuted, that of {part}"),
            _ => format!(", of which that of {part} is undecided"),
        });
        Some(format!(
            "decided apart in {}{}",
            counted(*all as u64, "part"),
            telling.unwrap_or_default()
        ))
    }

    fn recorded(&self, explanation: Option<&Explanation>) -> Recorded {
        Recorded {
            criterion: self.criterion,
            events: self.events,
            interesting: self.interesting,
            threads: self.threads,
            partial: self.partial,
            no_end: self.no_end,
            assumed: self.assumptions.clone(),
            widest_window: self.widest_window,
            most_kept: self.most_kept,
            widest_frontier: self.widest_frontier,
            explanation: explanation.cloned(),
        }
    }
}

/// Counterexample: the first of the longest prefixes, with the candidate next events as its explanation.
fn counterexample(explanation: &Explanation) -> Option<Counterexample> {
    let prefix = explanation.prefixes.first()?;
    let mut steps = vec![Step {
        action: None,
        rule: None,
        source: None,
        process: None,
        state: prefix.before.state.clone(),
        abstract_before: Vec::new(),
        abstract_action: None,
        abstract_state: serde_json::Value::Null,
        drawing: prefix.before.drawing.clone(),
        abstract_drawing: None,
        picture: prefix.before.picture.clone(),
        abstract_picture: None,
    }];
    steps.extend(prefix.steps.iter().map(|step| Step {
        action: step.action.clone(),
        rule: step.rule.clone(),
        source: step.source.clone(),
        process: step.process.clone(),
        state: step.after.state.clone(),
        abstract_before: Vec::new(),
        abstract_action: None,
        abstract_state: serde_json::Value::Null,
        drawing: step.after.drawing.clone(),
        abstract_drawing: None,
        picture: step.after.picture.clone(),
        abstract_picture: None,
    }));
    Some(Counterexample {
        obligation: "behaviour".to_owned(),
        length: prefix.steps.len(),
        reachable: true,
        by_views: false,
        steps,
        refused: None,
        loop_start: None,
        fairness: Vec::new(),
        explanation: sentence(explanation, prefix),
        nearest: Vec::new(),
        nearest_reached: None,
    })
}

fn sentence(explanation: &Explanation, prefix: &Prefix) -> String {
    let what = match &explanation.event {
        Some(event) => format!("no order takes {}", named(event)),
        None => "not all delayed events can take effect".to_owned(),
    };
    let reasons = prefix.next.iter();
    let reasons: Vec<_> = reasons
        .map(|refused| format!("{}: {}", named(&refused.event), refused.reason))
        .collect();
    if reasons.is_empty() {
        what
    } else {
        format!("{what}; {}", reasons.join("; "))
    }
}

fn named(event: &ShownEvent) -> String {
    let ShownEvent { line, text, .. } = event;
    match line {
        Some(line) => format!("line {line} ({text})"),
        None => text.clone(),
    }
}
