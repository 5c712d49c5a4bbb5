//! Counterexamples as graphs in the language of Graphviz.
//!
//! The states are nodes, each but the first labelled with what changed and with its drawing; the
//! steps are edges, the last of them red.

use std::fmt::Write;

use super::{Counterexample, Report, Step, changes};
use crate::statement::shown::value::{compact, named, parts};

impl Counterexample {
    /// The counterexample of `report` as a directed graph, in the language of Graphviz.
    pub fn dot(&self, report: &Report) -> String {
        let mut text = String::from("digraph counterexample {\n");
        let mut line = |content: String| {
            writeln!(text, "    {content}").expect("a string can be written to");
        };
        let mut title = vec![format!(
            "{}: {} fails: {}",
            report.check, self.obligation, self.explanation
        )];
        if let Some(refused) = &self.refused {
            title.push(format!("refused from here on: {}", compact(refused)));
        }
        line(format!("label={};", label(&title)));
        line("labelloc=t;".to_owned());
        line("node [shape=box, fontname=monospace];".to_owned());
        let last = self.steps.len().saturating_sub(1);
        // The last step of a loop leads back to where that begins.
        let back = self.loop_start.filter(|start| *start < last);
        let nodes = self.steps.len() - usize::from(back.is_some());
        for (index, step) in self.steps.iter().enumerate().take(nodes) {
            let before = index.checked_sub(1).map(|before| &self.steps[before]);
            let lines = node(index, before, step);
            line(format!("s{index} [label={}];", label(&lines)));
        }
        for (index, step) in self.steps.iter().enumerate().skip(1) {
            let lines = edge(step);
            let red = if index == last {
                ", color=red, fontcolor=red"
            } else {
                ""
            };
            let to = back.filter(|_| index == last).unwrap_or(index);
            line(format!(
                "s{} -> s{to} [label={}{red}];",
                index - 1,
                label(&lines)
            ));
        }
        if self.loop_start == Some(last) {
            line(format!(
                "s{last} -> s{last} [label=\"for ever\", color=red, fontcolor=red];"
            ));
        }
        text + "}\n"
    }
}

/// Text of a node: of the first state everything, of each further one what changed.
fn node(index: usize, before: Option<&Step>, step: &Step) -> Vec<String> {
    let mut lines = vec![index.to_string()];
    match before {
        None => lines.extend(parts(&step.state).into_iter().map(named)),
        Some(before) => {
            let changed = changes(&before.state, &step.state);
            lines.extend(changed.iter().map(ToString::to_string));
        }
    }
    let seen = before.and_then(|before| before.drawing.as_ref());
    if let Some(drawing) = step
        .drawing
        .as_ref()
        .filter(|drawing| seen != Some(drawing))
    {
        lines.extend(drawing.lines().map(str::to_owned));
    }
    lines
}

fn edge(step: &Step) -> Vec<String> {
    let process = step.process.as_deref().unwrap_or("?");
    let action = step.action.as_ref().map(compact).unwrap_or_default();
    let answer = match step.answer() {
        None => "stutter".to_owned(),
        Some(answer) => format!("⇒ {answer}"),
    };
    vec![format!("{process}: {action}"), answer]
}

/// Lines as a quoted string, each aligned to the left.
fn label(lines: &[String]) -> String {
    let mut quoted = String::from("\"");
    for line in lines {
        for character in line.chars() {
            match character {
                '"' | '\\' => quoted.extend(['\\', character]),
                '\n' => quoted += "\\l",
                _ => quoted.push(character),
            }
        }
        quoted += "\\l";
    }
    quoted + "\""
}
