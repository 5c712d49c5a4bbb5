//! `environment:*` and `at_rest`: what the graph of all steps says.

use std::time::Duration;

use super::Judge;
use crate::explore::{Panic, Phase, Place, Progress, StateId};
use crate::obligation::environment;
use crate::obligation::tally::SIMULATION;
use crate::refinement::Refinement;
use crate::report::{Obligation, Verdict};
use crate::system::{Process, RuleId, TransitionSystem};

/// What became of the environment obligations.
pub(super) enum Environment<R: Refinement> {
    Decided(environment::Findings<R>),
    /// Not decided, and why.
    Open(String),
    /// A function of the model, whose name is here, panicked at a state.
    Panicked(StateId, &'static str, Panic),
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
            Err((state, during, panic)) => Environment::Panicked(state, during, panic),
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
                _ => {
                    let judged = Obligation::new(Verdict::Holds, checked);
                    let untested = self.untested(findings, rule);
                    let names: Vec<_> = untested.map(|process| process.to_string()).collect();
                    match names.is_empty() {
                        true => judged,
                        false => judged.noted(&format!(
                            "not tested of {}, which never rests where the specification offers it",
                            names.join(", ")
                        )),
                    }
                }
            };
        };
        let place = self.explored.place(refusal.at.state);
        let counterexample = self.explained(place, |trace| self.explainer.refusal(trace, refusal));
        Obligation::violated(checked, vec![counterexample])
    }

    /// The processes of the environment to whose kind a rule belongs and of which it was never tested.
    fn untested(
        &self,
        findings: &environment::Findings<R>,
        RuleId(rule): RuleId,
    ) -> impl Iterator<Item = Process> {
        let kind = self.examiner.refinement.specification().rules()[rule].process;
        let tested = findings.tested[rule];
        let declared = self.examiner.environment.iter().zip(0..);
        declared
            .filter(move |(process, bit)| process.name == kind && tested >> bit & 1 == 0)
            .map(|(process, _)| *process)
    }

    /// A process of the environment of which no rule was tested, where others of its kind were.
    pub(super) fn left_free_of_nothing(&self, environment: &Environment<R>) -> Option<String> {
        let Environment::Decided(findings) = environment else {
            return None;
        };
        let tested = findings.tested.iter().fold(0, |all, one| all | one);
        let is_tested = |place: usize| tested >> place & 1 == 1;
        let declared = self.examiner.environment;
        let mut places = 0..declared.len();
        let untested = places.find(|&place| {
            let mut others = (0..declared.len()).filter(|other| is_tested(*other));
            !is_tested(place) && others.any(|other| declared[other].name == declared[place].name)
        })?;
        Some(format!(
            "`environment` was never tested of {}: it never rests where the specification offers it something, so \
             nothing says that the implementation leaves it free",
            declared[untested]
        ))
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
