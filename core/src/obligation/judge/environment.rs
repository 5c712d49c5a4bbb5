//! `environment:*` and `at_rest`: what the graph of all steps says.

use std::time::Duration;

use super::Judge;
use crate::explore::{Panic, Phase, Place, Progress, StateId};
use crate::obligation::environment;
use crate::obligation::tally::SIMULATION;
use crate::refinement::Refinement;
use crate::report::{Obligation, Verdict};
use crate::system::RuleId;

/// What became of the environment obligations.
pub(super) enum Environment<R: Refinement> {
    Decided(environment::Findings<R>),
    /// Not decided, and why.
    Open(String),
    /// A function of the model panicked at a state.
    Panicked(StateId, Panic),
}

impl<R: Refinement> Environment<R> {
    fn incomplete(&self) -> Obligation {
        Obligation::new(Verdict::Incomplete, 0).noted(match self {
            Self::Open(reason) => reason,
            _ => "not evaluated: the model panicked",
        })
    }
}

impl<R: Refinement> Judge<'_, R> {
    /// The environment obligations, where they can be decided.
    pub(super) fn environment(&self) -> Environment<R> {
        if !self.examiner.wants.environment {
            return Environment::Open("not chosen".to_owned());
        }
        if self.explored.tally.first[SIMULATION].is_some() {
            return Environment::Open(
                "not evaluated: simulation fails, so the answers prove nothing".to_owned(),
            );
        }
        if let Some(reason) = environment::undecidable(self.examiner.refinement, self.settings) {
            return Environment::Open(format!("not evaluated: {reason}"));
        }
        if let Some(steps) = self.explored.graph_too_large {
            return Environment::Open(format!(
                "not evaluated: there was no room for the graph, which takes 8 bytes a step, beyond \
                 {steps} steps"
            ));
        }
        let Some(graph) = &self.explored.graph else {
            return Environment::Open("not evaluated: it needs the complete graph".to_owned());
        };
        if let Some(progress) = self.settings.watch.progress {
            progress(&self.after_search(Phase::Environment));
        }
        let inputs = self.examiner.inputs.lock();
        let inputs = inputs.expect("no holder of this lock panics");
        let decided = environment::decide(
            self.examiner.refinement,
            self.explored,
            graph,
            &inputs,
            self.settings.threads,
        );
        match decided {
            Ok(findings) => Environment::Decided(findings),
            Err((state, panic)) => Environment::Panicked(state, panic),
        }
    }

    /// How far the check has come when the search is over.
    pub(super) fn after_search(&self, phase: Phase) -> Progress {
        let explored = self.explored;
        Progress {
            phase,
            states: explored.states() as u64,
            transitions: explored.transitions,
            depth: explored.depth,
            frontier: 0,
            elapsed: Duration::try_from_secs_f64(explored.seconds).unwrap_or_default(),
        }
    }

    pub(super) fn environment_rule(
        &self,
        environment: &Environment<R>,
        rule: RuleId,
    ) -> Obligation {
        let findings = match environment {
            Environment::Decided(findings) => findings,
            other => return other.incomplete(),
        };
        let checked = findings.checked[rule.0];
        let Some(refusal) = &findings.refusals[rule.0] else {
            return match checked {
                0 => Obligation::new(Verdict::Untested, 0)
                    .noted("never enabled while its process rests"),
                _ => Obligation::new(Verdict::Holds, checked),
            };
        };
        let place = self.explored.place(refusal.at.state);
        let counterexample = self.explained(place, |trace| self.explainer.refusal(trace, refusal));
        Obligation::violated(checked, vec![counterexample])
    }

    pub(super) fn at_rest(&self, environment: &Environment<R>) -> Obligation {
        let findings = match environment {
            Environment::Decided(findings) => findings,
            other => return other.incomplete(),
        };
        let Some(unrest) = &findings.unrest else {
            return Obligation::new(Verdict::Holds, findings.rest_checked);
        };
        let place = Place {
            step: unrest.step,
            ..self.explored.place(unrest.state)
        };
        let counterexample = self.explained(place, |trace| self.explainer.unrest(trace, unrest));
        Obligation::violated(findings.rest_checked, vec![counterexample])
    }
}
