//! Stepper: takes the steps of a refinement that a person chooses, and says which obligations each would pass.
//!
//! Nothing is searched and nothing is kept: a place is an initial state and the steps chosen from there, by their numbers
//! in the order in which the model offers them. The tests are those of a check, at one state and one step.

mod at;

use std::fmt::Debug;

use serde_json::Value;

use self::at::At;
pub use self::at::MOST_OFFERED;
use super::visitor::Plan;
use crate::report::{Nearest, Step};
use crate::statement::asked::model_call::{UNNAMED, catch, take_tolerated};
use crate::statement::kind::ObligationKind;
use crate::walk::explore::Panic;

/// A refinement, stepped through.
#[derive(Clone, Copy)]
pub struct Stepper<'a> {
    follow: &'a dyn Follow,
}

impl Debug for Stepper<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepper").finish_non_exhaustive()
    }
}

impl<'a> Stepper<'a> {
    pub(super) fn new(follow: &'a dyn Follow) -> Self {
        Self { follow }
    }

    /// The initial state and the steps of these numbers, and what can be taken from there. The first number is that of
    /// an initial state, and the others those of steps. Without a number nothing was chosen yet, and initial states are
    /// offered.
    ///
    /// # Errors
    ///
    /// If there is no step of a number, or the model panics.
    pub fn follow(&self, choices: &[usize]) -> Result<Followed, StepError> {
        // What the model drops may panic, too.
        let followed = catch(|| self.follow.followed(choices));
        followed.unwrap_or_else(|panic| Err(StepError::panicked(choices.len(), &panic)))
    }

    /// The choices that lead along a behaviour, as far as the model has its steps.
    ///
    /// # Errors
    ///
    /// If the model panics.
    pub fn choices(&self, behaviour: &[Step]) -> Result<Vec<usize>, StepError> {
        let chosen = catch(|| self.follow.chosen(behaviour));
        chosen.unwrap_or_else(|panic| Err(StepError::panicked(behaviour.len(), &panic)))
    }
}

/// Refinement through which choices lead.
pub(super) trait Follow: Sync {
    fn followed(&self, choices: &[usize]) -> Result<Followed, StepError>;
    fn chosen(&self, behaviour: &[Step]) -> Result<Vec<usize>, StepError>;
}

impl Follow for Plan<'_> {
    fn followed(&self, choices: &[usize]) -> Result<Followed, StepError> {
        let mut standing = At::beginning(self);
        let mut steps = Vec::new();
        let mut fails = Vec::new();
        for (place, number) in choices.iter().enumerate() {
            look(&mut standing, place)?;
            let offered = standing.offered();
            if *number >= offered {
                return Err(StepError::NotOffered {
                    at: place,
                    number: *number,
                    offered,
                });
            }
            let panicked = |panic| StepError::panicked(place, &panic);
            steps.push(catch(|| standing.step(*number)).map_err(panicked)?);
            if place + 1 == choices.len() {
                fails = findings(&mut standing, *number);
            }
            catch(|| standing.take(*number)).map_err(panicked)?;
        }
        let all = look(&mut standing, choices.len())?;
        let cut = catch(|| standing.cut());
        let cut = cut.map_err(|panic| StepError::panicked(choices.len(), &panic))?;
        let offered = (0..standing.offered()).map(|number| {
            let fails = findings(&mut standing, number);
            let shown = catch(|| standing.step(number));
            // What the mapping does not show, as it panics, is told besides.
            let panic = shown.as_ref().err().cloned().or_else(take_tolerated);
            let panic = panic.map(|panic| of_model(&panic));
            let is_new = |found: &Finding| !fails.contains(found);
            let panic = panic.filter(is_new);
            Offered {
                step: shown.unwrap_or_else(|_| unshown()),
                fails: fails.into_iter().chain(panic).collect(),
            }
        });
        Ok(Followed {
            steps,
            fails,
            offered: offered.collect(),
            more: !all,
            cut,
        })
    }

    fn chosen(&self, behaviour: &[Step]) -> Result<Vec<usize>, StepError> {
        let mut standing = At::beginning(self);
        let mut choices = Vec::new();
        for step in behaviour {
            let at = choices.len();
            look(&mut standing, at)?;
            let mut numbers = 0..standing.offered();
            let taken = catch(|| {
                let number = numbers.find(|number| standing.is(*number, step))?;
                standing.take(number);
                Some(number)
            });
            match taken.map_err(|panic| StepError::panicked(at, &panic))? {
                Some(number) => choices.push(number),
                None => break,
            }
        }
        Ok(choices)
    }
}

/// Finds out what can be taken where so many choices led, and says whether that is all.
fn look(standing: &mut At<'_, '_>, at: usize) -> Result<bool, StepError> {
    catch(|| standing.look()).map_err(|panic| StepError::panicked(at, &panic))
}

/// A step in the place of one that the model panics instead of showing.
fn unshown() -> Step {
    let state = Value::String("the model panics instead of showing it".to_owned());
    Step {
        state,
        ..Step::default()
    }
}

/// Finding: a function of the model panicked.
fn of_model(panic: &Panic) -> Finding {
    Finding {
        obligation: ObligationKind::Model.to_string(),
        explanation: panic.told(UNNAMED),
        nearest: Vec::new(),
    }
}

/// Failures of something that can be taken.
fn findings(standing: &mut At<'_, '_>, number: usize) -> Vec<Finding> {
    if let Err(panic) = catch(|| standing.test(number)) {
        return vec![of_model(&panic)];
    }
    let mut findings = Vec::new();
    for (failure, obligation) in standing.failures().into_iter().enumerate() {
        match catch(|| standing.explain(number, failure)) {
            Ok(Some(explained)) => findings.push(Finding {
                obligation,
                explanation: explained.explanation,
                nearest: explained.nearest,
            }),
            Ok(None) => (),
            // It fails, and the model panics as it is asked for the reason.
            Err(panic) => findings.push(Finding {
                obligation,
                ..of_model(&panic)
            }),
        }
        if let Some(panic) = take_tolerated() {
            findings.push(of_model(&panic));
        }
    }
    findings
}

/// Behaviour that choices make, and what it leads to.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The initial state and the steps chosen.
    pub steps: Vec<Step>,
    /// Failures of the last of them.
    pub fails: Vec<Finding>,
    /// Choices that can be made next, at most [`MOST_OFFERED`], in the order of the model.
    pub offered: Vec<Offered>,
    /// True if more is offered.
    pub more: bool,
    /// The name of the constraint that the last state does not satisfy, if there is one: a check takes no step from there.
    pub cut: Option<String>,
}

/// An initial state or a step that can be chosen.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The step.
    pub step: Step,
    /// Failures that it would have.
    pub fails: Vec<Finding>,
}

/// An obligation that fails at a state or a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its name.
    pub obligation: String,
    /// Reason why it fails, in a sentence.
    pub explanation: String,
    /// Abstract actions that come nearest where a simulation fails, and why each does not fit.
    pub nearest: Vec<Nearest>,
}

/// Error: choices cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// There is no step of this number.
    #[error("choice {at} is number {number}, and there are {offered}")]
    NotOffered {
        /// The place of the choice, from 0.
        at: usize,
        /// The number chosen.
        number: usize,
        /// Number of initial states or steps that can be chosen from.
        offered: usize,
    },
    /// The model panics.
    #[error("after {at} choices {message}")]
    Panicked {
        /// The number of choices followed before.
        at: usize,
        /// Function that panicked, and its message.
        message: String,
    },
}

impl StepError {
    /// Number of choices that can be followed.
    pub fn followed(&self) -> usize {
        match self {
            Self::NotOffered { at, .. } | Self::Panicked { at, .. } => *at,
        }
    }

    fn panicked(at: usize, panic: &Panic) -> Self {
        Self::Panicked {
            at,
            message: panic.told(UNNAMED),
        }
    }
}
