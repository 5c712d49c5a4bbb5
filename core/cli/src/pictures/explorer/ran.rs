//! What a check finds that is run from the explorer.

use refmap::obligation::stepper::Stepper;
use refmap::report::Verdict;

use super::Explored;
use super::address::{Address, Taken, digest};

/// What a check of the refinement has found.
pub enum Ran {
    /// The verdict, and no counterexample that can be followed.
    Told(String),
    /// A counterexample, with its obligation and what is wrong at its end.
    Counterexample {
        address: Address,
        obligation: String,
        explanation: String,
    },
}

impl Ran {
    /// Runs the check.
    pub fn of(explored: &Explored<'_>, stepper: &dyn Stepper) -> Self {
        let report = match (explored.run)() {
            Ok(report) => report,
            Err(error) => return Self::Told(format!("The check cannot be run: {error}")),
        };
        let verdict = report
            .verdict
            .map_or("explored".to_owned(), |verdict| verdict.to_string());
        let Some(found) = report.counterexample else {
            let states = report.states;
            let bound = match report.verdict {
                Some(Verdict::Holds) => "every reachable state of the instance",
                _ => "what was reached before the search ended",
            };
            return Self::Told(format!(
                "The check ended with “{verdict}” after {states} states, {bound}: there is no counterexample."
            ));
        };
        let (obligation, explanation) = (found.obligation, found.explanation);
        let choices = match found.reachable {
            true => stepper.choices(&found.steps),
            false => Ok(Vec::new()),
        };
        match choices {
            Ok(choices) if choices.len() == found.steps.len() && !choices.is_empty() => {
                let taken = choices.into_iter().zip(&found.steps);
                let taken = taken.map(|(number, step)| Taken {
                    number,
                    digest: digest(&step.state),
                });
                Self::Counterexample {
                    address: Address(taken.collect()),
                    obligation,
                    explanation,
                }
            }
            Ok(_) => Self::Told(format!(
                "{obligation} is violated: {explanation}. Its counterexample cannot be followed from an initial state."
            )),
            Err(error) => Self::Told(format!("{obligation} is violated: {explanation}. {error}")),
        }
    }
}
