//! Stepper: takes the steps of a refinement that a person chooses, and says which obligations each would pass.
//!
//! Nothing is searched and nothing is kept: a place is an initial state and the steps chosen from there, by their numbers
//! in the order in which the model offers them. The tests are those of a check, at one state and one step.

use super::counterexample::{Transition, json, state, step};
use super::fault::Fault;
use super::kind::ObligationKind;
use super::model::explanation;
use super::obligations::Failure;
use super::visitor::Tester;
use super::{deadlock, initiality, invariant, observation, simulation};
use crate::explore::{Panic, Place, StateId, Visitor};
use crate::invariant::Invariant;
use crate::model_call::{catch, first_visited};
use crate::refinement::Refinement;
use crate::report::{Counterexample, Nearest, Step};
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::trace::Trace;

/// The most initial states, and the most steps of a state, that are offered.
pub const MOST_OFFERED: usize = 1000;

/// Function that receives a refinement to step through it.
pub type StepThrough<'a> = dyn Fn(&dyn Stepper) + Sync + 'a;

/// A refinement, stepped through.
pub trait Stepper: Sync {
    /// The initial state and the steps of these numbers, and what can be taken from there. The first number is that of
    /// an initial state, and the others those of steps. Without a number nothing was chosen yet, and initial states are
    /// offered.
    ///
    /// # Errors
    ///
    /// If there is no step of a number, or the model panics.
    fn follow(&self, choices: &[usize]) -> Result<Followed, StepError>;

    /// The choices that lead along a behaviour, as far as the model has its steps.
    ///
    /// # Errors
    ///
    /// If the model panics.
    fn choices(&self, behaviour: &[Step]) -> Result<Vec<usize>, StepError>;
}

/// Where choices lead.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The initial state and the steps chosen.
    pub steps: Vec<Step>,
    /// What fails of the last of them.
    pub fails: Vec<Finding>,
    /// What can be chosen next, at most [`MOST_OFFERED`], in the order of the model.
    pub offered: Vec<Offered>,
    /// Whether more is offered.
    pub more: bool,
}

/// An initial state or a step that can be chosen.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The step.
    pub step: Step,
    /// What would fail of it.
    pub fails: Vec<Finding>,
}

/// An obligation that fails at a state or a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its name.
    pub obligation: String,
    /// Why it fails, in a sentence.
    pub explanation: String,
    /// For a failed simulation: the abstract actions that come nearest, and why each does not fit.
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
        /// How many can be chosen from.
        offered: usize,
    },
    /// The model panics.
    #[error("the model panics after choice {at}: {message}")]
    Panicked {
        /// The number of choices followed before.
        at: usize,
        /// The message of the panic.
        message: String,
    },
}

impl StepError {
    /// How many choices can be followed.
    pub fn followed(&self) -> usize {
        match self {
            Self::NotOffered { at, .. } | Self::Panicked { at, .. } => *at,
        }
    }

    fn panicked(at: usize, panic: &Panic) -> Self {
        Self::Panicked {
            at,
            message: panic.to_string(),
        }
    }
}

impl<R: Refinement> Stepper for Tester<'_, R> {
    fn follow(&self, choices: &[usize]) -> Result<Followed, StepError> {
        let (initial, all) = self.initial()?;
        let Some((first, rest)) = choices.split_first() else {
            let offered = initial.iter().map(|one| self.offered(None, one));
            return Ok(Followed {
                steps: Vec::new(),
                fails: Vec::new(),
                offered: offered.collect(),
                more: !all,
            });
        };
        let mut at = pick(&initial, 0, *first)?.clone();
        let mut steps = vec![state(self.refinement, &at)];
        let mut fails = Vec::new();
        if rest.is_empty() {
            fails = self.fails(None, &at);
        }
        for (place, number) in (1..).zip(rest) {
            let (all, _) = self.successors(&at, place)?;
            let (action, to) = pick(&all, place, *number)?;
            let taken = (&at, action, to);
            steps.push(step(self.refinement, taken));
            if place == rest.len() {
                fails = self.fails(Some(taken), to);
            }
            at = to.clone();
        }
        let (all, complete) = self.successors(&at, choices.len())?;
        let offered = all
            .iter()
            .map(|(action, to)| self.offered(Some((&at, action, to)), to));
        Ok(Followed {
            steps,
            fails,
            offered: offered.collect(),
            more: !complete,
        })
    }

    fn choices(&self, behaviour: &[Step]) -> Result<Vec<usize>, StepError> {
        let mut choices = Vec::new();
        let Some((first, rest)) = behaviour.split_first() else {
            return Ok(choices);
        };
        let (initial, _) = self.initial()?;
        let Some(number) = initial.iter().position(|one| json(one) == first.state) else {
            return Ok(choices);
        };
        choices.push(number);
        let mut at = initial[number].clone();
        for step in rest {
            let (all, _) = self.successors(&at, choices.len())?;
            let is_taken = |(action, to): &(ActionOf<R::Concrete>, StateOf<R::Concrete>)| {
                step.action.as_ref() == Some(&json(action)) && json(to) == step.state
            };
            let Some(number) = all.iter().position(is_taken) else {
                break;
            };
            choices.push(number);
            at = all[number].1.clone();
        }
        Ok(choices)
    }
}

/// Some of what is visited, and whether that is all.
type Visited<T> = (Vec<T>, bool);

fn pick<T>(all: &[T], at: usize, number: usize) -> Result<&T, StepError> {
    all.get(number).ok_or(StepError::NotOffered {
        at,
        number,
        offered: all.len(),
    })
}

impl<R: Refinement> Tester<'_, R> {
    fn initial(&self) -> Result<Visited<StateOf<R::Concrete>>, StepError> {
        let system = self.refinement.implementation();
        let initial = || first_visited(MOST_OFFERED, |visit| system.initial(&mut |one| visit(one)));
        catch(initial).map_err(|panic| StepError::panicked(0, &panic))
    }

    /// The steps from a state, to which so many choices led.
    #[allow(clippy::type_complexity)]
    fn successors(
        &self,
        from: &StateOf<R::Concrete>,
        at: usize,
    ) -> Result<Visited<(ActionOf<R::Concrete>, StateOf<R::Concrete>)>, StepError> {
        let system = self.refinement.implementation();
        let next = || {
            first_visited(MOST_OFFERED, |visit| {
                system.next(from, &mut |action, to| visit((action, to)));
            })
        };
        catch(next).map_err(|panic| StepError::panicked(at, &panic))
    }

    fn offered(
        &self,
        taken: Option<Transition<'_, R::Concrete>>,
        to: &StateOf<R::Concrete>,
    ) -> Offered {
        Offered {
            step: match taken {
                Some(taken) => step(self.refinement, taken),
                None => state(self.refinement, to),
            },
            fails: self.fails(taken, to),
        }
    }

    /// What fails at a state, which is initial or to which a step leads, and at the step.
    fn fails(
        &self,
        taken: Option<Transition<'_, R::Concrete>>,
        to: &StateOf<R::Concrete>,
    ) -> Vec<Finding> {
        let mut counts = self.tally();
        let tested = catch(|| self.test(&mut counts, taken, to));
        if let Err(panic) = tested {
            let fault = Fault::Panic(counts.model.call, panic);
            let invariants = self.asking.invariants;
            return vec![Finding {
                obligation: ObligationKind::Model.to_string(),
                explanation: explanation(&fault, &|place| invariants[place].name())
                    .unwrap_or_default(),
                nearest: Vec::new(),
            }];
        }
        let trace = match taken {
            Some((from, action, to)) => Trace {
                initial: from.clone(),
                steps: vec![(action.clone(), to.clone())],
            },
            None => Trace {
                initial: to.clone(),
                steps: Vec::new(),
            },
        };
        let failures: Vec<_> = self.obligations.failures(&counts).collect();
        let findings = failures.into_iter().filter_map(|(failure, _)| {
            let explained = catch(|| self.explained(failure, &trace)).ok()??;
            Some(Finding {
                obligation: self.obligations.name(failure),
                explanation: explained.explanation,
                nearest: explained.nearest,
            })
        });
        findings.collect()
    }

    fn test(
        &self,
        counts: &mut super::counts::Counts<R>,
        taken: Option<Transition<'_, R::Concrete>>,
        to: &StateOf<R::Concrete>,
    ) {
        let place = Place {
            length: u32::from(taken.is_some()),
            state: StateId(0),
            step: None,
        };
        if let Some((from, action, to)) = taken {
            let image = self.image(counts, from);
            self.step(counts, place, (from, &image), action, to);
        }
        self.examine(counts, place, to);
        let image = self.image(counts, to);
        self.examine_image(counts, place, to, &image);
        let system = self.refinement.implementation();
        let next = |visit: &mut dyn FnMut(ActionOf<R::Concrete>)| {
            system.next(to, &mut |action, _| visit(action));
        };
        let (steps, _) = first_visited(1, next);
        self.leave(counts, place, to, steps.len() as u32);
    }

    fn explained(&self, failure: Failure, trace: &Trace<R::Concrete>) -> Option<Counterexample> {
        let invariants: &[Invariant<R::Concrete>] = self.asking.invariants;
        let refinement = self.refinement;
        Some(match failure {
            Failure::Observation => observation::explain(refinement, trace),
            Failure::Initiality => initiality::explain(refinement, trace),
            Failure::Simulation(_) => simulation::explain(refinement, trace),
            Failure::Agency => self.obligations.agency.explain(refinement, trace),
            Failure::Invariant(place) => invariant::explain(refinement, trace, &invariants[place]),
            Failure::Deadlock => deadlock::explain(refinement, trace),
            // What the model does wrong is found by asking it again, which nothing here does.
            Failure::Model => return None,
        })
    }
}
