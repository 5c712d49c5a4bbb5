//! `agency`: an abstract action of an environment process is simulated only by a step of that same process, or of one
//! that the refinement declares to act for it.
//!
//! Source: none; without it a collector that overwrites live pointers passes, by calling that a mutation.

use super::choice::Choice;
use super::counterexample::{Transition, counterexample, last_step, rule_name};
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::tested::Tested;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::named;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::rule::Process;
use crate::statement::system::{ActionOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::Place;

const KIND: ObligationKind = ObligationKind::Agency;

#[derive(Clone)]
pub(super) struct Agency<'a> {
    pub row: ObligationRow,
    /// The processes of the environment.
    environment: &'a [Process],
}

/// Owner of an abstract action.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    /// A process of the environment.
    Environment(Process),
    /// A process that the environment leaves out, although it has others of its kind.
    LeftOut(Process),
    System,
}

impl<'a> Agency<'a> {
    pub fn new(refinement: &'a impl Refinement, choice: &Choice<'_>) -> Self {
        Self {
            row: choice.by_default(KIND.to_string()),
            environment: refinement.call_environment(),
        }
    }

    /// Position of `process` among the environment's processes, if it is one of them.
    #[inline(always)]
    pub fn position(&self, process: Process) -> Option<usize> {
        let mut environment = self.environment.iter();
        environment.position(|other| other.is(process))
    }

    /// Owner of an abstract action.
    #[inline(always)]
    pub fn owner<S: TransitionSystem>(&self, specification: &S, action: &ActionOf<S>) -> Owner {
        let process = named("`process` of the specification", || {
            specification.call_process(action)
        });
        if self.position(process).is_some() {
            return Owner::Environment(process);
        }
        let mut environment = self.environment.iter();
        if environment.any(|other| other.name == process.name) {
            Owner::LeftOut(process)
        } else {
            Owner::System
        }
    }

    /// Tests a step that simulates an action of an owner.
    #[inline(always)]
    pub fn test<R: Refinement>(
        refinement: &R,
        tested: &mut Tested,
        place: Place,
        action: &ActionOf<R::Implementation>,
        owner: Owner,
    ) {
        if let Owner::Environment(process) = owner {
            tested.note(place, agent(refinement, action).is(process));
        }
    }

    pub fn judge<R: Refinement>(
        &self,
        tested: Tested,
        found: &SearchResult<'_, R>,
    ) -> Option<Judged> {
        self.row.judged(Weight::Behaviour, || {
            if self.environment.is_empty() {
                return Obligation::new(Verdict::NoneDeclared, 0);
            }
            let fails = |trace: &_| self.is_violated(found.refinement, trace);
            found.judge(&self.row, tested, &fails, &|trace| {
                self.explain(found.refinement, trace)
            })
        })
    }

    /// True if the last step of a behaviour simulates an action of a process of the environment, and is none of its.
    fn is_violated<R: Refinement>(&self, refinement: &R, trace: &Trace<R::Implementation>) -> bool {
        let (from, action, to) = last_step(trace);
        self.misattributed(refinement, (from, action, to)).is_some()
    }

    /// The first action that a step simulates of a process of the environment for which it is not taken.
    fn misattributed<R: Refinement>(
        &self,
        refinement: &R,
        (from, action, to): Transition<'_, R::Implementation>,
    ) -> Option<ActionOf<R::Specification>> {
        let agent = agent(refinement, action);
        let steps = refinement.call_abstract_steps(from, action, to);
        let is_misattributed = |action: &&ActionOf<R::Specification>| {
            let process = refinement.specification().call_process(action);
            self.position(process).is_some() && !agent.is(process)
        };
        steps.actions().iter().find(is_misattributed).cloned()
    }

    /// Counterexample in which the last step of a behaviour simulates an action of a process for which it is not taken.
    pub fn explain<R: Refinement>(
        &self,
        refinement: &R,
        trace: &Trace<R::Implementation>,
    ) -> Counterexample {
        let (from, action, to) = last_step(trace);
        let implementation = refinement.implementation();
        let process = implementation.call_process(action);
        let specification = refinement.specification();
        let answer = self.misattributed(refinement, (from, action, to));
        let of = answer.map_or_else(String::new, |answer| {
            let rule = &specification.call_rules()[specification.call_rule(&answer).0].name;
            format!("`{rule}` of {}", specification.call_process(&answer))
        });
        let explanation = format!(
            "{} is a step of {process}, and is answered by {of}, for which {process} does not act",
            rule_name(implementation, action)
        );
        counterexample(refinement, trace, explanation)
    }
}

/// The process that takes a step, or on whose behalf it is taken.
#[inline(always)]
pub(super) fn agent<R: Refinement>(
    refinement: &R,
    action: &ActionOf<R::Implementation>,
) -> Process {
    let process = named("`process` of the implementation", || {
        refinement.implementation().call_process(action)
    });
    named("`acts_for`", || refinement.acts_for(process))
}
