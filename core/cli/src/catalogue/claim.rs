//! Claims: a check at certain arguments, with its expectation and its source.

use serde::Serialize;
use serde_json::Value;

use super::error::InputError;
use crate::shell;
use refmap::internal::{grouped, nearest};
use refmap::obligation::{Induction, Selection, Settings, Symmetry, Until};
use refmap::report::{Report, Verdict};

/// Claim: a check at certain arguments, with its expectation and its source.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Name of the check.
    pub check: &'static str,
    /// Its arguments; other parameters have their defaults.
    #[serde(serialize_with = "as_map")]
    pub arguments: Vec<(&'static str, Value)>,
    /// Obligations to check.
    #[serde(serialize_with = "as_options")]
    pub obligations: Selection,
    /// Which of these to leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Whether `inductive:*` is decided too.
    #[serde(skip)]
    pub induction: Induction,
    /// How far the check continues.
    #[serde(skip)]
    pub until: Until,
    /// Whether symmetric states are identified.
    #[serde(skip)]
    pub symmetry: Symmetry,
    /// Expected result.
    pub expect: Expectation,
    /// Paper, section or figure that the claim rests on.
    pub source: &'static str,
    /// Statement of the source, or the point of the claim.
    pub says: &'static str,
}

/// Expected result of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Verdict,
    /// Obligation of the counterexample.
    pub by: Option<&'static str>,
    /// Length of the counterexample.
    pub length: Option<usize>,
    /// Further obligations that are violated.
    pub also: Vec<&'static str>,
    /// Number of distinct reachable states.
    pub states: Option<u64>,
    /// Number of transitions.
    pub transitions: Option<u64>,
    /// Whether every rule and every premise must be exercised.
    pub all_exercised: bool,
}

fn as_map<S: serde::Serializer>(
    arguments: &[(&'static str, Value)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(arguments.iter().map(|(name, value)| (name, value)))
}

fn as_options<S: serde::Serializer>(
    obligations: &Selection,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match obligations {
        Selection::Default => serializer.serialize_str("all"),
        Selection::Nothing => serializer.serialize_str("none"),
        Selection::Only(names) => serializer.collect_seq(names),
    }
}

impl Claim {
    /// Claims that a check holds.
    pub fn holds(check: &'static str, arguments: Vec<(&'static str, Value)>) -> Self {
        Self::new(check, arguments, Verdict::Holds)
    }

    /// Claims that a check is violated, with a shortest counterexample to the obligation `by`.
    pub fn violated(
        check: &'static str,
        arguments: Vec<(&'static str, Value)>,
        by: &'static str,
    ) -> Self {
        let mut claim = Self::new(check, arguments, Verdict::Violated);
        claim.expect.by = Some(by);
        claim
    }

    fn new(check: &'static str, arguments: Vec<(&'static str, Value)>, verdict: Verdict) -> Self {
        Self {
            check,
            arguments,
            obligations: Selection::Default,
            without: Vec::new(),
            induction: Induction::Omitted,
            until: Until::FirstViolation,
            symmetry: Symmetry::None,
            expect: Expectation {
                verdict,
                by: None,
                length: None,
                also: Vec::new(),
                states: None,
                transitions: None,
                all_exercised: false,
            },
            source: "",
            says: "",
        }
    }

    /// Sets the source of the claim, and its statement.
    #[must_use]
    pub fn source(mut self, source: &'static str, says: &'static str) -> Self {
        (self.source, self.says) = (source, says);
        self
    }

    /// Expects this exact number of states.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.expect.states = Some(states);
        self
    }

    /// Expects this exact size of the state space.
    #[must_use]
    pub fn counts(mut self, states: u64, transitions: u64) -> Self {
        self.expect.states = Some(states);
        self.expect.transitions = Some(transitions);
        self
    }

    /// Expects this length of the counterexample.
    #[must_use]
    pub fn length(mut self, length: usize) -> Self {
        self.expect.length = Some(length);
        self
    }

    /// Expects these further obligations to be violated; the check then explores all states.
    #[must_use]
    pub fn also(mut self, obligations: &[&'static str]) -> Self {
        self.expect.also = obligations.to_vec();
        self.until = Until::End;
        self
    }

    /// Checks only these obligations.
    #[must_use]
    pub fn only(mut self, obligations: &[&str]) -> Self {
        self.obligations = Selection::only(obligations.iter().copied());
        self
    }

    /// Checks all but these obligations.
    #[must_use]
    pub fn without(mut self, obligations: &[&str]) -> Self {
        self.without = obligations.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Counts one representative of each set of symmetric states.
    #[must_use]
    pub fn up_to_symmetry(mut self) -> Self {
        self.symmetry = Symmetry::Full;
        self
    }

    /// Also claims that the invariants are inductive and sufficient.
    #[must_use]
    pub fn inductively(mut self) -> Self {
        self.induction = Induction::Included;
        self
    }

    /// Also claims that every rule of the implementation fires, and that every premise of an invariant is true in
    /// some state.
    #[must_use]
    pub fn exercising_all(mut self) -> Self {
        self.expect.all_exercised = true;
        self
    }

    /// Lists the differences between `report` and the claim.
    pub fn differences(&self, report: &Report) -> Vec<String> {
        let mut differences = Vec::new();
        let mut expect = |what: &str, expected: String, found: String| {
            if expected != found {
                differences.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        let found = report.verdict.map_or("none".to_owned(), |v| v.to_string());
        expect("verdict", self.expect.verdict.to_string(), found);
        let counterexample = report.counterexample.as_ref();
        let obligation = counterexample.map_or("none", |found| found.obligation.as_str());
        if let Some(by) = self.expect.by {
            expect("violated obligation", by.to_owned(), obligation.to_owned());
        }
        if let Some(length) = self.expect.length {
            let found = counterexample.map_or("none".to_owned(), |found| found.length.to_string());
            expect("length", length.to_string(), found);
        }
        for also in &self.expect.also {
            let found = report.violated().any(|name| name == *also);
            expect(also, true.to_string(), found.to_string());
        }
        if let Some(states) = self.expect.states {
            expect("states", grouped(states), grouped(report.states));
        }
        if let Some(transitions) = self.expect.transitions {
            let found = grouped(report.transitions);
            expect("transitions", grouped(transitions), found);
        }
        if self.expect.all_exercised {
            expect("unexercised", String::new(), report.unexercised.join(", "));
        }
        differences
    }

    /// Formats the arguments as they are typed to a shell, after the name of the program.
    pub fn command(&self) -> String {
        let mut words = vec!["check".to_owned(), self.check.to_owned()];
        for (name, value) in &self.arguments {
            let option = format!("--{name}");
            match value {
                Value::Bool(true) => words.push(option),
                Value::Bool(false) => (),
                Value::Array(values) => {
                    let values = values.iter().map(word);
                    words.extend(values.flat_map(|value| [option.clone(), value]));
                }
                value => words.extend([option, word(value)]),
            }
        }
        match &self.obligations {
            Selection::Default => (),
            Selection::Nothing => words.extend(["--obligations", "none"].map(str::to_owned)),
            Selection::Only(patterns) => {
                words.extend(["--obligations".to_owned(), listed(patterns)]);
            }
        }
        if !self.without.is_empty() {
            words.extend(["--without-obligations".to_owned(), listed(&self.without)]);
        }
        let options = [
            (self.induction == Induction::Included, "--inductive"),
            (self.until == Until::End, "--keep-going"),
            (self.symmetry == Symmetry::Full, "--symmetry full"),
        ];
        let options = options.iter().filter(|(is_given, _)| *is_given);
        let options = options.flat_map(|(_, option)| option.split(' '));
        words.extend(options.map(str::to_owned));
        shell::command(words)
    }

    /// Settings with which the claim is decided, of which the rest is given.
    pub(super) fn settings<'a>(&self, settings: &Settings<'a>) -> Settings<'a> {
        Settings {
            obligations: self.obligations.clone(),
            without: self.without.clone(),
            induction: self.induction,
            until: self.until,
            symmetry: self.symmetry,
            ..settings.clone()
        }
    }

    /// Whether the expectation is one that a report with these obligations can meet.
    ///
    /// # Errors
    ///
    /// If it names an obligation that the check does not have, or contradicts itself.
    pub(super) fn validate_expectation(&self, chosen: &[String]) -> Result<(), InputError> {
        let expect = &self.expect;
        for name in expect.by.iter().chain(&expect.also) {
            // These have rows only where they are violated.
            let is_known =
                ["model", "warnings"].contains(name) || chosen.iter().any(|chosen| chosen == name);
            if !is_known {
                return Err(InputError::UnknownExpected {
                    name: (*name).to_owned(),
                    nearest: nearest(name, chosen.iter().map(String::as_str)),
                    known: chosen.to_vec(),
                });
            }
        }
        let is_violated = expect.verdict == Verdict::Violated;
        let needs_violation = [
            (expect.by.is_some(), "an obligation that is violated"),
            (expect.length.is_some(), "the length of a counterexample"),
            (!expect.also.is_empty(), "further violated obligations"),
        ];
        let needed = needs_violation.iter().find(|(is_given, _)| *is_given);
        match needed {
            Some((_, what)) if !is_violated => Err(InputError::NoViolationExpected {
                what,
                verdict: expect.verdict,
            }),
            _ => Ok(()),
        }
    }
}

/// A value as it is typed, before it is quoted.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Patterns as one argument: a comma within one has a backslash before it.
fn listed(patterns: &[String]) -> String {
    let patterns = patterns.iter().map(|pattern| {
        let mut written = String::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            if character == ',' {
                written.push('\\');
            }
            written.push(character);
            if character == '\\' {
                written.extend(characters.next());
            }
        }
        written
    });
    patterns.collect::<Vec<_>>().join(",")
}

/// The patterns of one argument, which commas separate.
pub(crate) fn patterns(list: &str) -> Vec<String> {
    let mut patterns = vec![String::new()];
    let mut characters = list.chars();
    while let Some(character) = characters.next() {
        if character == ',' {
            patterns.push(String::new());
            continue;
        }
        let last = patterns
            .last_mut()
            .expect("there is one from the beginning");
        last.push(character);
        if character == '\\' {
            last.extend(characters.next());
        }
    }
    patterns
        .iter()
        .map(|pattern| pattern.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with commas are read back, so that a claim's command is about the claim's obligations.
    #[test]
    fn patterns_are_read_back() {
        for names in [
            &["simulation", "invariant:small"][..],
            &["invariant:a, b", "invariant:*"],
            &["invariant:a\\*b", "x\\, y"],
            &["deadlock\\\\"],
        ] {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            let read = patterns(&listed(&names));
            // A comma reads the same with a backslash and without.
            let plainly = |names: &[String]| names.join("|").replace("\\,", ",");
            assert_eq!(plainly(&read), plainly(&names));
        }
        assert_eq!(patterns(" a , b"), ["a", "b"]);
        assert_eq!(patterns(""), [""]);
    }

    #[test]
    fn a_command_is_quoted_where_a_shell_needs_it() {
        let arguments = vec![("name", "it's two".into()), ("deep", true.into())];
        let claim = Claim::holds("c", arguments)
            .only(&["invariant:no loss, ever", "deadlock"])
            .without(&["invariant:s*"]);
        assert_eq!(
            claim.command(),
            "check c --name 'it'\\''s two' --deep --obligations 'invariant:no loss\\, ever,deadlock' \
             --without-obligations 'invariant:s*'"
        );
    }
}
