//! Expected result of a claim, and its text.
//!
//! The text is one of
//!
//! ```text
//! VERDICT [by OBLIGATION] [after N steps] [, and by OBLIGATION {, OBLIGATION}] [, N states] [, N transitions] [, all exercised]
//! ```
//!
//! where the verdict is `holds`, `violated` or `incomplete`. A number is written as `1 234` or `1234`. An obligation whose name
//! has a space, a comma or a quote, or does not begin as one of a report does, is in single quotes, and a quote in it twice.

use std::fmt::{self, Display, Formatter};
use std::iter::Peekable;
use std::str::FromStr;
use std::vec;

use serde::Serialize;

use refmap::internal::{counted, grouped};
use refmap::report::{Report, Verdict};

/// Expected result of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Verdict,
    /// Obligation of the counterexample.
    pub by: Option<String>,
    /// Length of the counterexample.
    pub length: Option<usize>,
    /// Further obligations that are violated.
    pub also: Vec<String>,
    /// Number of distinct reachable states.
    pub states: Option<u64>,
    /// Number of transitions.
    pub transitions: Option<u64>,
    /// True if every rule and every premise must be exercised.
    pub all_exercised: bool,
}

/// Error: a text is no expected result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpectationError {
    /// A verdict that is none.
    #[error("the verdict is {given:?}, and must be holds, violated or incomplete")]
    Verdict {
        /// The text in its place.
        given: String,
    },
    /// A count that is no number.
    #[error("{given:?} is no number of {noun}, which is written as 1 234 or 1234")]
    Number {
        /// The text in its place.
        given: String,
        /// Things counted, in the plural.
        noun: &'static str,
    },
    /// An obligation that is not named.
    #[error("an obligation is to follow {after:?}, and {given:?} does")]
    Obligation {
        /// The words before it.
        after: &'static str,
        /// The text in its place.
        given: String,
    },
    /// A word that does not belong there.
    #[error("{given:?} is not expected there: {expected} can follow")]
    Unexpected {
        /// The text.
        given: String,
        /// Parts allowed in its place.
        expected: String,
    },
    /// A quote is opened and not closed.
    #[error("a single quote has no end")]
    Unended,
}

impl Expectation {
    /// Lists the differences between `report` and what is expected.
    pub(super) fn differences(&self, report: &Report) -> Vec<String> {
        let mut differences = Vec::new();
        let mut expect = |what: &str, expected: String, found: String| {
            if expected != found {
                differences.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        let found = report.verdict.map_or("none".to_owned(), |v| v.to_string());
        expect("verdict", self.verdict.to_string(), found);
        let counterexample = report.counterexample.as_ref();
        let obligation = counterexample.map_or("none", |found| found.obligation.as_str());
        if let Some(by) = &self.by {
            expect("violated obligation", by.clone(), obligation.to_owned());
        }
        if let Some(length) = self.length {
            let found = counterexample.map_or("none".to_owned(), |found| found.length.to_string());
            expect("length", length.to_string(), found);
        }
        for also in &self.also {
            let found = report.violated().any(|name| name == also);
            expect(also, true.to_string(), found.to_string());
        }
        if let Some(states) = self.states {
            expect("states", grouped(states), grouped(report.states));
        }
        if let Some(transitions) = self.transitions {
            let found = grouped(report.transitions);
            expect("transitions", grouped(transitions), found);
        }
        if self.all_exercised {
            expect("unexercised", String::new(), report.unexercised.join(", "));
        }
        differences
    }
}

impl Display for Expectation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        if let Some(by) = &self.by {
            write!(f, " by {}", Name(by))?;
        }
        if let Some(length) = self.length {
            write!(f, " after {}", counted(length as u64, "step"))?;
        }
        for (number, also) in self.also.iter().enumerate() {
            let before = if number == 0 { ", and by" } else { "," };
            write!(f, "{before} {}", Name(also))?;
        }
        if let Some(states) = self.states {
            write!(f, ", {}", counted(states, "state"))?;
        }
        if let Some(transitions) = self.transitions {
            write!(f, ", {}", counted(transitions, "transition"))?;
        }
        if self.all_exercised {
            write!(f, ", all exercised")?;
        }
        Ok(())
    }
}

/// Name of an obligation, in quotes where it could be read as something else.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_plain = self.0.starts_with(|first: char| first.is_ascii_lowercase())
            && !self
                .0
                .contains(|c: char| c.is_whitespace() || [',', '\''].contains(&c))
            && self.0 != "all";
        if is_plain {
            f.write_str(self.0)
        } else {
            write!(f, "'{}'", self.0.replace('\'', "''"))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// A word in quotes, which is the name of an obligation.
    Quoted(String),
    Comma,
}

impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Quoted(text) => f.write_str(text),
            Self::Comma => f.write_str(","),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, ExpectationError> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            space if space.is_whitespace() => (),
            ',' => tokens.push(Token::Comma),
            '\'' => {
                let mut name = String::new();
                loop {
                    match rest.next().ok_or(ExpectationError::Unended)? {
                        '\'' if rest.next_if_eq(&'\'').is_none() => break,
                        other => name.push(other),
                    }
                }
                tokens.push(Token::Quoted(name));
            }
            first => {
                let mut word = String::from(first);
                let is_more = |next: &char| !next.is_whitespace() && *next != ',';
                while let Some(next) = rest.next_if(is_more) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    Ok(tokens)
}

/// Tokens that are still to be read.
struct Rest(Peekable<vec::IntoIter<Token>>);

/// Parts of an expected result after its verdict, in their order.
const PARTS: [&str; 6] = [
    "by OBLIGATION",
    "after N steps",
    "`, and by OBLIGATION`",
    "`, N states`",
    "`, N transitions`",
    "`, all exercised`",
];

impl Rest {
    fn is(&mut self, word: &str) -> bool {
        self.0.next_if_eq(&Token::Word(word.to_owned())).is_some()
    }

    /// The next token as an error shows it.
    fn shown(&mut self) -> String {
        let next = self.0.peek();
        next.map_or_else(|| "the end".to_owned(), ToString::to_string)
    }

    fn unexpected(&mut self, expected: &str) -> ExpectationError {
        ExpectationError::Unexpected {
            given: self.shown(),
            expected: expected.to_owned(),
        }
    }

    fn expect(&mut self, word: &str) -> Result<(), ExpectationError> {
        if self.is(word) {
            Ok(())
        } else {
            Err(self.unexpected(word))
        }
    }

    fn obligation(&mut self, after: &'static str) -> Result<String, ExpectationError> {
        match self.0.next_if(|next| *next != Token::Comma) {
            Some(Token::Word(name) | Token::Quoted(name)) => Ok(name),
            _ => Err(ExpectationError::Obligation {
                after,
                given: self.shown(),
            }),
        }
    }

    fn is_number(&mut self) -> bool {
        let is_digit = |first: char| first.is_ascii_digit();
        matches!(self.0.peek(), Some(Token::Word(word)) if word.starts_with(is_digit))
    }

    /// Digits in one word, or in groups of three of which the first may have fewer.
    fn number(&mut self, noun: &'static str) -> Result<u64, ExpectationError> {
        let mut groups = Vec::new();
        while self.is_number() || groups.is_empty() {
            groups.push(
                self.0
                    .next()
                    .map_or_else(|| "the end".to_owned(), |token| token.to_string()),
            );
        }
        let (first, others) = groups.split_first().expect("there is one");
        let are_groups = others.is_empty()
            || ((1..=3).contains(&first.len()) && others.iter().all(|group| group.len() == 3));
        let digits = groups.concat();
        let is_number = are_groups && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| ExpectationError::Number {
            given: groups.join(" "),
            noun,
        })
    }

    fn noun(&mut self, number: u64, noun: &str) -> Result<(), ExpectationError> {
        match number {
            1 => self.expect(noun),
            _ => self.expect(&format!("{noun}s")),
        }
    }
}

impl FromStr for Expectation {
    type Err = ExpectationError;

    fn from_str(text: &str) -> Result<Self, ExpectationError> {
        let mut rest = Rest(tokens(text)?.into_iter().peekable());
        let verdicts = [Verdict::Holds, Verdict::Violated, Verdict::Incomplete];
        let verdict = verdicts
            .into_iter()
            .find(|verdict| rest.is(&verdict.to_string()));
        let mut expect = Self {
            verdict: verdict.ok_or_else(|| ExpectationError::Verdict {
                given: rest.shown(),
            })?,
            by: None,
            length: None,
            also: Vec::new(),
            states: None,
            transitions: None,
            all_exercised: false,
        };
        // Parts that may still follow.
        let mut parts = &PARTS[..];
        if rest.is("by") {
            expect.by = Some(rest.obligation("by")?);
            parts = &PARTS[1..];
        }
        if rest.is("after") {
            let length = rest.number("steps")?;
            rest.noun(length, "step")?;
            expect.length = usize::try_from(length).ok();
            parts = &PARTS[2..];
        }
        while rest.0.next_if_eq(&Token::Comma).is_some() {
            if parts.contains(&PARTS[2]) && rest.is("and") {
                rest.expect("by")?;
                expect.also.push(rest.obligation("and by")?);
                parts = &PARTS[3..];
            } else if !expect.also.is_empty() && parts.len() == 3 && rest.is_further_name() {
                expect.also.push(rest.obligation(",")?);
            } else if parts.contains(&PARTS[4]) && rest.is_number() {
                let number = rest.number("states or transitions")?;
                let counts_transitions = matches!(rest.0.peek(), Some(Token::Word(noun)) if noun.starts_with("transition"));
                if !counts_transitions && parts.contains(&PARTS[3]) {
                    rest.noun(number, "state")?;
                    expect.states = Some(number);
                    parts = &PARTS[4..];
                } else {
                    rest.noun(number, "transition")?;
                    expect.transitions = Some(number);
                    parts = &PARTS[5..];
                }
            } else if parts.contains(&PARTS[5]) && rest.is("all") {
                rest.expect("exercised")?;
                expect.all_exercised = true;
                parts = &[];
            } else {
                return Err(rest.unexpected(&allowed(parts)));
            }
        }
        match rest.0.peek() {
            None => Ok(expect),
            Some(_) => Err(rest.unexpected(&allowed(parts))),
        }
    }
}

impl Rest {
    /// True if the next token is one more name of a list of obligations.
    fn is_further_name(&mut self) -> bool {
        match self.0.peek() {
            Some(Token::Quoted(_)) => true,
            Some(Token::Word(word)) => {
                word != "all" && word.starts_with(|first: char| first.is_ascii_lowercase())
            }
            _ => false,
        }
    }
}

/// Parts that may follow, as an error lists them.
fn allowed(parts: &[&str]) -> String {
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    }
}
