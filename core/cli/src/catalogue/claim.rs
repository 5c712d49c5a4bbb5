//! Claim: a check at certain arguments, with its expectation and its source.

use std::fmt;

use serde::Serialize;
use serde::ser::SerializeStruct;

use super::error::{ClaimError, InputError};
use super::expectation::Expectation;
use super::parameters::Arguments;
use refmap::explore::Limits;
use refmap::internal::nearest;
use refmap::obligation::{Selection, Settings, Until};
use refmap::report::{Report, Verdict};

/// Rows of a page, and what is wrong with the others.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub claims: Vec<Claim>,
    pub errors: Vec<ClaimError>,
}

/// Claim: a check at certain arguments, with its expectation and its source. It is a row of
/// [`Catalogue::claims`](super::Catalogue::claims).
#[derive(Clone)]
pub struct Claim {
    /// Number of its line, from 1.
    pub line: usize,
    /// Its command as it is typed to a shell, after the name of the program.
    pub command: String,
    /// Name of the check.
    pub check: String,
    /// Its arguments.
    pub arguments: Arguments,
    /// Options of its command: what is asked, and how it is searched.
    pub settings: Settings<'static>,
    /// Expected result.
    pub expect: Expectation,
    /// Paper, section or figure that the claim rests on.
    pub source: String,
    /// Statement of the source, or the point of the claim.
    pub says: String,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Claim({:?}, {})", self.command, self.expect)
    }
}

impl Serialize for Claim {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let without = &self.settings.without;
        let fields = if without.is_empty() { 6 } else { 7 };
        let mut claim = serializer.serialize_struct("Claim", fields)?;
        claim.serialize_field("check", &self.check)?;
        claim.serialize_field("arguments", self.arguments.given())?;
        match &self.settings.obligations {
            Selection::Default => claim.serialize_field("obligations", "all")?,
            Selection::Nothing => claim.serialize_field("obligations", "none")?,
            Selection::Only(names) => claim.serialize_field("obligations", names)?,
        }
        if without.is_empty() {
            claim.skip_field("without")?;
        } else {
            claim.serialize_field("without", without)?;
        }
        claim.serialize_field("expect", &self.expect)?;
        claim.serialize_field("source", &self.source)?;
        claim.serialize_field("says", &self.says)?;
        claim.end()
    }
}

impl Claim {
    /// Lists the differences between `report` and the claim.
    pub fn differences(&self, report: &Report) -> Vec<String> {
        self.expect.differences(report)
    }

    /// True if both ask the same: one check at the same arguments, the defaults included, with the same options. They may expect
    /// different results.
    pub(crate) fn asks_the_same(&self, other: &Self) -> bool {
        // Each by its name, so that a setting that is added is compared, too.
        let asked = |claim: &Self| {
            let Settings {
                search,
                storage,
                symmetry,
                threads,
                limits,
                obligations,
                without,
                induction,
                liveness,
                until,
                warnings,
                checkpoints: _,
                spill: _,
                peers: _,
                watch: _,
            } = claim.settings.clone();
            let searched = (search, storage, symmetry, threads, limits);
            let checked = (obligations, without, induction, liveness, until, warnings);
            (searched, checked)
        };
        self.check == other.check
            && self.arguments.values() == other.arguments.values()
            && asked(self) == asked(other)
    }

    /// Settings with which the claim is decided: its own, and of how it is searched and watched those given where it has none.
    pub(super) fn settings<'a>(&self, given: &Settings<'a>) -> Settings<'a> {
        let (own, default) = (self.settings.clone(), Settings::default());
        Settings {
            search: chosen(own.search, default.search, given.search),
            storage: chosen(own.storage, default.storage, given.storage),
            liveness: chosen(own.liveness, default.liveness, given.liveness),
            warnings: chosen(own.warnings, default.warnings, given.warnings),
            threads: given.threads,
            watch: given.watch,
            limits: Limits {
                states: own.limits.states.or(given.limits.states),
                depth: own.limits.depth.or(given.limits.depth),
                ..given.limits
            },
            ..own
        }
    }

    /// Tests that the expectation is one that a report with these obligations can meet.
    ///
    /// # Errors
    ///
    /// If it names an obligation that the check does not have, or contradicts itself.
    pub(super) fn validate_expectation(&self, chosen: &[String]) -> Result<(), InputError> {
        let expect = &self.expect;
        for name in expect.by.iter().chain(&expect.also) {
            // These have rows only where they are violated.
            let is_known = ["model", "sample", "warnings"].contains(&name.as_str())
                || chosen.iter().any(|chosen| chosen == name);
            if !is_known {
                return Err(InputError::UnknownExpected {
                    name: name.clone(),
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
            Some(_) if !expect.also.is_empty() && self.settings.until != Until::End => {
                Err(InputError::NotKeptGoing)
            }
            _ => Ok(()),
        }
    }
}

/// An option of a claim, or, where that is the default, of those who decide the claim.
fn chosen<T: PartialEq>(own: T, default: T, given: T) -> T {
    if own == default { given } else { own }
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

    /// A comma within a name has a backslash before it.
    #[test]
    fn patterns_are_separated_by_commas() {
        assert_eq!(patterns(" a , b"), ["a", "b"]);
        assert_eq!(
            patterns("invariant:a\\, b,x\\\\,y\\*"),
            ["invariant:a\\, b", "x\\\\", "y\\*"]
        );
        assert_eq!(patterns(""), [""]);
    }
}
