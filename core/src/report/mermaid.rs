//! Counterexamples as sequence diagrams, in the language of Mermaid.
//!
//! The participants are the processes and the specification. A step that simulates an abstract
//! action is an arrow to the specification, a stutter one from its process to itself.

use std::fmt::Write;

use super::{Counterexample, Report, Step, changes};
use crate::statement::kind::ObligationKind;
use crate::statement::shown::value::compact;

impl Counterexample {
    /// The counterexample of `report` as a sequence diagram, in the language of Mermaid.
    pub fn mermaid(&self, report: &Report) -> String {
        let mut processes: Vec<&str> = Vec::new();
        for step in &self.steps[1.min(self.steps.len())..] {
            if !processes.contains(&process(step)) {
                processes.push(process(step));
            }
        }
        let mut text = String::from("sequenceDiagram\n");
        let mut line = |content: String| {
            writeln!(text, "    {content}").expect("a string can be written to");
        };
        for (number, process) in processes.iter().enumerate() {
            line(format!("participant p{number} as {}", escape(process)));
        }
        line("participant s as specification".to_owned());
        let all = match processes.len() {
            0 => "s",
            _ => "p0,s",
        };
        let check = escape(&report.check);
        let beginning = self.beginning();
        line(format!("Note over {all}: {check}, {beginning}"));
        let last = self.steps.len().saturating_sub(1);
        for (index, pair) in self.steps.windows(2).enumerate() {
            let (before, step, index) = (&pair[0], &pair[1], index + 1);
            let from = processes.iter().position(|other| *other == process(step));
            let from = from.expect("the process of every step is a participant");
            let action = step.action.as_ref().map(compact).unwrap_or_default();
            let (arrow, label) = match step.answer() {
                None => (
                    format!("p{from}->>p{from}"),
                    format!("{index} {action} (stutter)"),
                ),
                Some(answer) => {
                    // A cross at the end of an arrow: what was sent is not received.
                    let head = if index == last && refuted(self) {
                        "-x"
                    } else {
                        "->>"
                    };
                    let label = format!("{index} {action} ⇒ {answer}");
                    (format!("p{from}{head}s"), label)
                }
            };
            if self.loop_start == Some(index - 1) {
                line("loop for ever".to_owned());
            }
            line(format!("{arrow}: {}", escape(&label)));
            if index == last {
                let changed = changes(&before.state, &step.state)
                    .into_iter()
                    .map(|change| escape(&change.to_string()));
                let changed = changed.collect::<Vec<_>>();
                if !changed.is_empty() {
                    line(format!("Note over p{from}: {}", changed.join("<br/>")));
                }
            }
        }
        match self.loop_start {
            Some(start) if start < last => line("end".to_owned()),
            Some(_) => line(format!(
                "Note over {all}: for ever nothing happens any more"
            )),
            None => (),
        }
        if let Some(refused) = &self.refused {
            let refused = escape(&compact(refused));
            line(format!("Note over {all}: refused from here on: {refused}"));
        }
        let (obligation, why) = (&self.obligation, &self.explanation);
        let failure = escape(&format!("{obligation} fails: {why}"));
        line(format!("Note over {all}: {failure}"));
        text
    }
}

/// True if it is the last step itself that fails, and not the state to which it leads.
fn refuted(counterexample: &Counterexample) -> bool {
    let obligation = &counterexample.obligation;
    match ObligationKind::of(obligation) {
        Some(ObligationKind::Simulation | ObligationKind::Agency) => true,
        Some(ObligationKind::Inductive) => obligation.ends_with(":simulation"),
        _ => false,
    }
}

fn process(step: &Step) -> &str {
    step.process.as_deref().unwrap_or("?")
}

/// Text in which nothing has a meaning to Mermaid: entities are written `#name;`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '#' | ';' | '%' | '<' | '>' | '&' | '"' => {
                escaped += &format!("#{};", u32::from(character));
            }
            '\n' => escaped += "<br/>",
            _ => escaped.push(character),
        }
    }
    escaped
}
