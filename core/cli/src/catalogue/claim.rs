//! Claims: a check at certain arguments, what must come of it, and who says so.

use serde::Serialize;
use serde_json::Value;

use refmap::obligation::{Induction, Selection, Symmetry, Until};
use refmap::report::{Report, Verdict};

/// A check at certain arguments, what must come of it, and who says so.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// The name of the check.
    pub check: &'static str,
    /// Its arguments; other parameters have their defaults.
    #[serde(serialize_with = "as_map")]
    pub arguments: Vec<(&'static str, Value)>,
    /// The obligations checked.
    #[serde(serialize_with = "as_options")]
    pub obligations: Selection,
    /// Whether `inductive:*` is decided as well.
    #[serde(skip)]
    pub induction: Induction,
    /// How far the check goes.
    #[serde(skip)]
    pub until: Until,
    /// Whether states that differ only by a symmetry are identified.
    #[serde(skip)]
    pub symmetry: Symmetry,
    /// What must come of it.
    pub expect: Expectation,
    /// The paper, section or figure it rests on.
    pub source: &'static str,
    /// What that says, or what there is to learn.
    pub says: &'static str,
}

/// What must come of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Verdict,
    /// The obligation of the counterexample.
    pub by: Option<&'static str>,
    /// The length of the counterexample.
    pub length: Option<usize>,
    /// Other obligations that are violated too.
    pub also: Vec<&'static str>,
    /// Distinct reachable states.
    pub states: Option<u64>,
    /// Transitions.
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
    /// The claim that a check holds.
    pub fn holds(check: &'static str, arguments: Vec<(&'static str, Value)>) -> Self {
        Self::new(check, arguments, Verdict::Holds)
    }

    /// The claim that a check is violated, by a shortest counterexample to the obligation `by`.
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

    /// Where the claim comes from, and what is said there.
    #[must_use]
    pub fn source(mut self, source: &'static str, says: &'static str) -> Self {
        (self.source, self.says) = (source, says);
        self
    }

    /// The exact number of states.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.expect.states = Some(states);
        self
    }

    /// The exact size of the state space.
    #[must_use]
    pub fn counts(mut self, states: u64, transitions: u64) -> Self {
        self.expect.states = Some(states);
        self.expect.transitions = Some(transitions);
        self
    }

    /// The length of the counterexample.
    #[must_use]
    pub fn length(mut self, length: usize) -> Self {
        self.expect.length = Some(length);
        self
    }

    /// Obligations that are violated besides: the check goes on to the end.
    #[must_use]
    pub fn also(mut self, obligations: &[&'static str]) -> Self {
        self.expect.also = obligations.to_vec();
        self.until = Until::End;
        self
    }

    /// Only these obligations.
    #[must_use]
    pub fn only(mut self, obligations: &[&str]) -> Self {
        self.obligations = Selection::only(obligations.iter().copied());
        self
    }

    /// Counting representatives of states that differ only by a symmetry of the model.
    #[must_use]
    pub fn up_to_symmetry(mut self) -> Self {
        self.symmetry = Symmetry::Full;
        self
    }

    /// The invariants are inductive, and suffice.
    #[must_use]
    pub fn inductively(mut self) -> Self {
        self.induction = Induction::Included;
        self
    }

    /// Every rule of the implementation fires, and every premise of an invariant is true somewhere.
    #[must_use]
    pub fn exercising_all(mut self) -> Self {
        self.expect.all_exercised = true;
        self
    }

    /// Where `report` differs from what is claimed; nothing if it is as claimed.
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
            expect("states", states.to_string(), report.states.to_string());
        }
        if let Some(transitions) = self.expect.transitions {
            let found = report.transitions.to_string();
            expect("transitions", transitions.to_string(), found);
        }
        if self.expect.all_exercised {
            expect("unexercised", String::new(), report.unexercised.join(", "));
        }
        differences
    }

    /// The arguments as on the command line, after `refmap`.
    pub fn command(&self) -> String {
        let mut words = vec!["check".to_owned(), self.check.to_owned()];
        for (name, value) in &self.arguments {
            match value {
                Value::Bool(true) => words.push(format!("--{name}")),
                Value::Bool(false) => (),
                Value::String(choice) => words.push(format!("--{name} {choice}")),
                Value::Array(names) => {
                    let names = names.iter().filter_map(Value::as_str);
                    words.extend(names.map(|given| format!("--{name} {given}")));
                }
                number => words.push(format!("--{name} {number}")),
            }
        }
        match &self.obligations {
            Selection::Default => (),
            Selection::Nothing => words.push("--obligations none".to_owned()),
            Selection::Only(names) => words.push(format!("--obligations {}", names.join(","))),
        }
        if self.induction == Induction::Included {
            words.push("--inductive".to_owned());
        }
        if self.until == Until::End {
            words.push("--keep-going".to_owned());
        }
        if self.symmetry == Symmetry::Full {
            words.push("--symmetry full".to_owned());
        }
        words.join(" ")
    }
}
