//! Result of a check that is run from the explorer.

use refmap::internal::stepper::Stepper;
use refmap::internal::summary;
use refmap::report::{Counterexample, Verdict};

use super::Explored;
use super::address::Address;

/// Result of a check of the refinement.
pub enum Ran {
    /// The verdict, and no counterexample that can be followed.
    Told(String),
    /// A counterexample, and the address of its end.
    Counterexample {
        address: Address,
        found: Box<Counterexample>,
    },
}

impl Ran {
    /// Runs the check.
    pub fn of(explored: &Explored<'_>, stepper: Stepper<'_>) -> Self {
        let report = match (explored.run)() {
            Ok(report) => report,
            Err(error) => return Self::Told(format!("The check cannot be run: {error}")),
        };
        let told = || {
            let found = match report.verdict {
                Some(Verdict::Holds) => "there is no counterexample",
                Some(_) => "no counterexample was found",
                None => "no obligation was asked for",
            };
            let head = summary::head(&report).join("; ");
            Self::Told(format!("The check ended: {head}: {found}."))
        };
        let Some(found) = report.counterexample.clone() else {
            return told();
        };
        let (obligation, explanation) = (&found.obligation, &found.explanation);
        let choices = if found.reachable {
            stepper.choices(&found.steps)
        } else {
            Ok(Vec::new())
        };
        match choices {
            Ok(choices) if choices.len() == found.steps.len() && !choices.is_empty() => {
                Self::Counterexample {
                    address: Address::of(choices, &found.steps),
                    found: Box::new(found),
                }
            }
            Ok(_) => Self::Told(format!(
                "{obligation} is violated: {explanation}. Its counterexample cannot be followed from an initial state."
            )),
            Err(error) => Self::Told(format!("{obligation} is violated: {explanation}. {error}")),
        }
    }
}
