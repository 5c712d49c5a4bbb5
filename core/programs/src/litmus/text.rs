//! Rendering of a litmus test's result in herd's format, and as JSON.

use std::fmt::{self, Display};

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::limits::BACKWARD_JUMPS;
use super::proposition::Observed;
use super::run::{Answer, Observation, Verdict};
use super::test::{Column, Test};
use crate::Value;

/// Test with its result and duration.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Path of the test.
    pub file: &'a str,
    /// The test.
    pub test: &'a Test,
    /// The answer.
    pub answer: &'a Answer,
    /// Duration in seconds.
    pub seconds: f64,
}

/// Format of herd's output. Herd counts executions as witnesses; this counts distinct final states, and the line
/// says so. Herd prints no line for the model, and none for a loop or a warning.
impl Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (test, answer) = (self.test, self.answer);
        writeln!(f, "Test {} {}", test.name, test.quantifier.kind())?;
        writeln!(f, "Model {}", answer.model)?;
        writeln!(f, "States {}", answer.states.len())?;
        for state in &answer.states {
            let cells = test
                .columns
                .iter()
                .zip(test.cells(state))
                .map(|(column, value)| match &column.observed {
                    Observed::Register(thread, name) => format!("{thread}:{name}={value};"),
                    Observed::Variable(name) => format!("[{name}]={value};"),
                });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join(" "))?;
        }
        if answer.cut_off {
            writeln!(
                f,
                "Loop: left out are executions in which a thread jumps back more than \
                 {BACKWARD_JUMPS} times"
            )?;
        }
        for warning in &answer.warnings {
            writeln!(f, "Warning: {warning}")?;
        }
        writeln!(f, "{}", name(answer.verdict))?;
        writeln!(f, "Witnesses")?;
        writeln!(
            f,
            "Positive: {} Negative: {} (distinct final states)",
            answer.positive, answer.negative
        )?;
        let condition = in_parentheses(&test.condition_text);
        writeln!(f, "Condition {} {condition}", test.quantifier.keyword())?;
        writeln!(
            f,
            "Observation {} {} {} {}",
            test.name,
            observation(answer.observation),
            answer.positive,
            answer.negative
        )?;
        writeln!(f, "Time {} {:.2}", test.name, self.seconds)
    }
}

/// Puts `text` into exactly one pair of parentheses.
fn in_parentheses(text: &str) -> String {
    let mut depth = 0_usize;
    let closes_early = text.char_indices().any(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => (),
        }
        depth == 0 && at + 1 < text.len()
    });
    if closes_early || text.is_empty() {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "Ok",
        Verdict::No => "No",
    }
}

fn observation(observation: Observation) -> &'static str {
    match observation {
        Observation::Never => "Never",
        Observation::Sometimes => "Sometimes",
        Observation::Always => "Always",
    }
}

impl Serialize for Report<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            file: &'a str,
            name: &'a str,
            quantifier: &'a str,
            verdict: Verdict,
            observation: Observation,
            states: Vec<Map<String, Json>>,
            /// True if the bound on backward jumps cut off some execution.
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            cut_off: bool,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            warnings: &'a [String],
            explored: u64,
            seconds: f64,
        }
        let test = self.test;
        let keys: Vec<String> = test.keys().collect();
        let cell = |column: &Column, value: Value| match column.number(value) {
            None => Json::from(test.program.show(value)),
            // A number of 64 bits is one of the two.
            Some(number) => i64::try_from(number).map_or(Json::from(number as u64), Json::from),
        };
        let state = |values: &Vec<Value>| {
            let cells = test.columns.iter().zip(values);
            let cells = cells.map(|(column, value)| cell(column, *value));
            keys.iter().cloned().zip(cells).collect()
        };
        Shape {
            file: self.file,
            name: &test.name,
            quantifier: test.quantifier.keyword(),
            verdict: self.answer.verdict,
            observation: self.answer.observation,
            states: self.answer.states.iter().map(state).collect(),
            cut_off: self.answer.cut_off,
            warnings: &self.answer.warnings,
            explored: self.answer.explored,
            seconds: self.seconds,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_of_parentheses_is_enough() {
        assert_eq!(in_parentheses("x=1"), "(x=1)");
        assert_eq!(in_parentheses("(x=1 /\\ (y=1))"), "(x=1 /\\ (y=1))");
        assert_eq!(in_parentheses("(x=1) /\\ (y=1)"), "((x=1) /\\ (y=1))");
    }
}
