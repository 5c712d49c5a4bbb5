//! `environment:*`: whether the implementation leaves its environment free. It may schedule what the environment asks
//! for, and may not refuse it for good.
//!
//! Source: Havelund & Shankar, section 2, "must preserve the nondeterminism of the mutator". For each process p of the
//! environment:
//!
//! (a) Whenever p is at rest, and an action of p is enabled in the mapped state and would change it, a step that simulates
//! that action with the same inputs can be reached without an earlier visible step of p, the other processes of the
//! environment making visible steps only while they are not at rest: a row `environment:RULE` for each rule of p. (b) From
//! every reachable state p can come to rest. (c) Only steps of p, or on behalf of p, change whether p is at rest: with
//! (b) the row `environment:at_rest`.
//!
//! Of a view, whose variable guesses what comes, (a) and the coming to rest of (b) are asked of the system without the guess: met
//! with one of the guesses that are possible in a state of that, they are met.
//!
//! Each step is labelled with what it means to the environment (`label`); the graph of them decides (`graph`). Where a limit
//! ended the search that is the graph of the states that were expanded. Of the others it is supposed that all comes right from
//! there on, so that what is refused in it is refused.

mod graph;

use std::hash::Hash;

use self::graph::{Decidable, EnvironmentFindings, Refusal, Unrest, UnrestReason, decide};
use super::choice::Choice;
use super::counterexample::counterexample;
use super::error::CheckError;
use super::found::SearchResult;
use super::kept::PanickedAt;
use super::label::Label;
use super::recorded::RecordedGraph;
use super::row::{Judged, ObligationRow, Weight};
use super::rules::names_one;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::state::numbered::{MetNumbers, SharedNumbers};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::named;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::shown::nearest::nearest;
use crate::statement::system::{ActionOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::{Phase, Place};

/// Stands for the rows of all rules; the row itself where no environment is declared.
const KIND: ObligationKind = ObligationKind::Environment;

/// The bits of a transition's label allow for this many environment processes.
const MOST_PROCESSES: usize = 32;

#[derive(Clone)]
pub(super) struct Environment<'a> {
    pub processes: &'a [Process],
    rows: EnvironmentRows,
    /// Reason why the rows cannot be decided, if they cannot.
    undecided: Option<&'static str>,
}

#[derive(Clone)]
enum EnvironmentRows {
    /// No process is declared.
    None(ObligationRow),
    Some {
        /// Rows of the rules of the specification that the processes may take.
        rules: Vec<(RuleId, ObligationRow)>,
        at_rest: ObligationRow,
    },
}

/// The inputs with which steps were answered.
pub(super) struct Inputs<A>(SharedNumbers<A>);

impl<A: Clone + Eq + Hash> Inputs<A> {
    /// Inputs, in the order of their numbers.
    pub fn all(&self) -> Vec<A> {
        self.0.all()
    }

    pub fn new() -> Self {
        Self(SharedNumbers::new())
    }

    /// The number of an action's inputs; `known` are those that this worker has asked for.
    ///
    /// PERF: asked at every step of the environment; a call of its own took 0.6 % of the instructions of Ben-Ari's level 3.
    #[inline(always)]
    pub fn number<S: TransitionSystem<Action = A>>(
        &self,
        specification: &S,
        known: &mut MetNumbers<A>,
        action: &A,
    ) -> u32 {
        let inputs = named("`inputs` of the specification", || {
            specification.call_inputs(action)
        });
        named(
            "`hash`, `eq` or `clone` of an action of the specification",
            || self.0.number(known, inputs),
        )
    }
}

/// Outcome of the environment obligations.
pub(super) enum EnvironmentOutcome<R: Refinement> {
    /// Findings, and the reason why the rest is not decided, if the graph is not complete.
    Findings(EnvironmentFindings<R>, Option<String>),
    /// Not decided, and why.
    Open(String),
    /// A function of the model, whose name is here, panicked at a state.
    Panicked(PanickedAt),
}

impl<R: Refinement> EnvironmentOutcome<R> {
    fn incomplete(&self) -> Obligation {
        Obligation::incomplete(match self {
            Self::Open(reason) => reason,
            _ => "not evaluated: the model panicked",
        })
    }
}

impl<'a> Environment<'a> {
    pub fn new(refinement: &'a impl Refinement, choice: &Choice<'_>) -> Result<Self, CheckError> {
        let processes = refinement.call_environment();
        validate(processes, |process| refinement.acts_for(process))?;
        let specified = refinement.specification().call_rules();
        // That nothing is declared is told whatever could be decided.
        let row = |name| choice.told_when_judged(name);
        let undecided = choice.undecided.reason(KIND);
        if processes.is_empty() {
            let rows = EnvironmentRows::None(row(KIND.to_string()));
            return Ok(Self {
                processes,
                rows,
                undecided,
            });
        }
        validate_kinds(processes, specified)?;
        let mut rules = Vec::new();
        for (index, rule) in specified.iter().enumerate() {
            if processes.iter().any(|process| process.name == rule.process) {
                names_one(specified, &rule.name)?;
                rules.push((RuleId(index), row(format!("{KIND}:{}", rule.name))));
            }
        }
        let at_rest = row(format!("{KIND}:at_rest"));
        let rows = EnvironmentRows::Some { rules, at_rest };
        Ok(Self {
            processes,
            rows,
            undecided,
        })
    }

    /// Its rows, in the order of the report.
    pub fn rows_mut(&mut self) -> Vec<&mut ObligationRow> {
        match &mut self.rows {
            EnvironmentRows::None(row) => vec![row],
            EnvironmentRows::Some { rules, at_rest } => {
                let rules = rules.iter_mut().map(|(_, row)| row);
                rules.chain([at_rest]).collect()
            }
        }
    }

    /// True if a row is chosen, be it only to say that no environment is declared.
    pub fn is_asked(&self) -> bool {
        match &self.rows {
            EnvironmentRows::None(row) => row.selected,
            EnvironmentRows::Some { .. } => self.is_chosen(),
        }
    }

    /// True if there is something to decide.
    pub fn is_chosen(&self) -> bool {
        match &self.rows {
            EnvironmentRows::None(_) => false,
            EnvironmentRows::Some { rules, at_rest } => {
                at_rest.selected || rules.iter().any(|(_, row)| row.selected)
            }
        }
    }

    /// True if there is something to decide that can be decided.
    pub fn needs_graph(&self) -> bool {
        self.is_chosen() && self.undecided.is_none()
    }

    /// Decides the obligations where they can be. `simulation_fails` says whether the abstract actions that label the
    /// steps are wrong.
    pub fn decide<R: Refinement>(
        &self,
        recorded: &RecordedGraph,
        labels: &[Label],
        inputs: &[ActionOf<R::Specification>],
        simulation_fails: bool,
        found: &SearchResult<'_, R>,
    ) -> EnvironmentOutcome<R> {
        if !self.is_chosen() {
            return EnvironmentOutcome::Open("not chosen".to_owned());
        }
        if simulation_fails {
            return EnvironmentOutcome::Open(
                "not evaluated: simulation fails, so the answers prove nothing".to_owned(),
            );
        }
        if let Some(reason) = self.undecided {
            return EnvironmentOutcome::Open(format!("not evaluated: {reason}"));
        }
        let graph = match recorded.graph() {
            Ok(graph) => graph,
            Err(reason) => return EnvironmentOutcome::Open(reason),
        };
        if !found.totals.complete && found.totals.limit.is_none() {
            // A violation is shown already, and perhaps by a shorter trace than the steps known so far would show.
            let reason = "not evaluated: another violation ended the search";
            return EnvironmentOutcome::Open(reason.to_owned());
        }
        let (totals, watch) = (&found.totals, &found.settings.watch);
        let tell = |work| totals.tell(watch, Phase::Environment, work);
        tell(None);
        let threads = found.settings.threads;
        let decided = decide(&Decidable {
            refinement: found.refinement,
            constraint: found.constraint,
            reached: found.states,
            graph,
            labels,
            inputs,
            threads,
            tell: &tell,
        });
        match decided {
            Ok(findings) => EnvironmentOutcome::Findings(findings, recorded.open()),
            Err(panicked) => EnvironmentOutcome::Panicked(panicked),
        }
    }

    pub fn judge<R: Refinement>(
        &self,
        decided: &EnvironmentOutcome<R>,
        found: &SearchResult<'_, R>,
    ) -> Vec<Judged> {
        let none_declared = || Obligation::new(Verdict::NoneDeclared, 0);
        match &self.rows {
            EnvironmentRows::None(row) => {
                let judged = row.judged(Weight::Behaviour, none_declared);
                judged.into_iter().collect()
            }
            EnvironmentRows::Some { rules, at_rest } => {
                let judge = |(rule, row): &(RuleId, ObligationRow)| {
                    let judge = || self.judge_rule(*rule, decided, found);
                    row.judged(Weight::EnvironmentRule, judge)
                };
                let rules = rules.iter().filter_map(judge);
                let judge = || judge_at_rest(decided, found);
                let mut judged: Vec<_> = rules.collect();
                judged.extend(at_rest.judged(Weight::Behaviour, judge));
                judged
            }
        }
    }

    fn judge_rule<R: Refinement>(
        &self,
        rule: RuleId,
        decided: &EnvironmentOutcome<R>,
        found: &SearchResult<'_, R>,
    ) -> Obligation {
        let EnvironmentOutcome::Findings(findings, open) = decided else {
            return decided.incomplete();
        };
        let checked = findings.checked[rule.0];
        match &findings.refusals[rule.0] {
            None if let Some(reason) = open => Obligation::incomplete(reason),
            None if findings.beyond.rules.get(rule.0) == Some(&true) => beyond(found),
            None => {
                let kind = found.refinement.specification().call_rules()[rule.0].process;
                match &found.totals.cut {
                    Some(cut) if checked == 0 => Obligation::incomplete(&format!(
                        "not decided: {cut}, and it was never enabled while its process rests"
                    )),
                    _ => self.unrefused(checked, kind, findings.tested[rule.0]),
                }
            }
            Some(refusal) => {
                let place = found.states.place(refusal.at.state.into());
                let explain = |trace: &_| explain_refusal(found.refinement, trace, refusal);
                Obligation::violated(checked, vec![found.explained(place, &explain)])
            }
        }
    }

    /// The row of a rule of processes of a kind, of which a bit each says whether it was tested of them.
    fn unrefused(&self, checked: u64, kind: &str, tested: u32) -> Obligation {
        if checked == 0 {
            return Obligation::new(Verdict::Untested, 0)
                .noted("never enabled while its process rests");
        }
        let declared = self.processes.iter().zip(0..);
        let untested =
            declared.filter(|(process, bit)| process.name == kind && tested >> bit & 1 == 0);
        let names: Vec<_> = untested.map(|(process, _)| process.to_string()).collect();
        let judged = Obligation::new(Verdict::Holds, checked);
        if names.is_empty() {
            judged
        } else {
            judged.noted(&format!(
                "not tested of {}, which never rests where the specification offers it",
                names.join(", ")
            ))
        }
    }

    /// A process of a kind that the environment has, and that is none of it. `acting` take actions of the specification.
    pub fn doubt_of_left_out<'p, R: Refinement>(
        &self,
        decided: &'p EnvironmentOutcome<R>,
        acting: impl Iterator<Item = &'p Process>,
    ) -> Option<String> {
        let undeclared = match decided {
            EnvironmentOutcome::Findings(findings, _) => Some(&findings.undeclared),
            _ => None,
        };
        let declared = self.processes;
        let mut acting = acting.chain(undeclared.into_iter().flatten());
        let left_out = acting.find(|process| {
            !declared.contains(process) && declared.iter().any(|other| other.name == process.name)
        })?;
        Some(format!(
            "the environment has other processes of the kind `{}`, and leaves {left_out} out: nothing says that \
             the implementation leaves it free",
            left_out.name
        ))
    }

    /// A process of the environment of which no rule was tested, where others of its kind were.
    pub fn doubt_of_untested<R: Refinement>(
        &self,
        decided: &EnvironmentOutcome<R>,
    ) -> Option<String> {
        let EnvironmentOutcome::Findings(findings, None) = decided else {
            return None;
        };
        let tested = findings.tested.iter().fold(0, |all, one| all | one);
        let is_tested = |place: usize| tested >> place & 1 == 1;
        let declared = self.processes;
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
}

/// Validates that each process is declared once, and acts for itself.
fn validate(
    processes: &[Process],
    acts_for: impl Fn(Process) -> Process,
) -> Result<(), CheckError> {
    if processes.len() > MOST_PROCESSES {
        return Err(CheckError::TooManyProcesses {
            given: processes.len(),
            limit: MOST_PROCESSES,
        });
    }
    for (index, &process) in processes.iter().enumerate() {
        if processes[..index].contains(&process) {
            return Err(CheckError::DuplicateProcess { process });
        }
        let other = acts_for(process);
        if other != process {
            return Err(CheckError::EnvironmentActsForOther { process, other });
        }
    }
    Ok(())
}

/// Validates that each process is of a kind to which rules of the specification belong.
fn validate_kinds(processes: &[Process], rules: &[Rule]) -> Result<(), CheckError> {
    for &process in processes {
        let mut known: Vec<_> = rules.iter().map(|rule| rule.process.to_owned()).collect();
        known.dedup();
        if !known.iter().any(|kind| kind == process.name) {
            return Err(CheckError::UnknownProcess {
                process,
                nearest: nearest(process.name, known.iter().map(String::as_str)),
                known,
            });
        }
    }
    Ok(())
}

/// The row of what can only happen beyond a bound of the instance.
fn beyond<R: Refinement>(found: &SearchResult<'_, R>) -> Obligation {
    let cut = found
        .totals
        .cut
        .as_deref()
        .unwrap_or("a bound left steps out");
    Obligation::incomplete(&format!(
        "not decided: {cut}, and only beyond that it can happen"
    ))
}

fn judge_at_rest<R: Refinement>(
    decided: &EnvironmentOutcome<R>,
    found: &SearchResult<'_, R>,
) -> Obligation {
    let EnvironmentOutcome::Findings(findings, open) = decided else {
        return decided.incomplete();
    };
    let unrest = match (&findings.unrest, open) {
        (Some(unrest), _) => unrest,
        (None, Some(reason)) => return Obligation::incomplete(reason),
        (None, None) if findings.beyond.rest => return beyond(found),
        // The bound left out all that could be looked at.
        (None, None) if findings.rest_checked == 0 && found.totals.cut.is_some() => {
            return beyond(found);
        }
        (None, None) => return Obligation::new(Verdict::Holds, findings.rest_checked),
    };
    let place = Place {
        step: unrest.step,
        ..found.states.place(unrest.state.into())
    };
    let explain =
        |trace: &_| counterexample(found.refinement, trace, explanation_of_unrest(unrest));
    Obligation::violated(
        findings.rest_checked,
        vec![found.explained(place, &explain)],
    )
}

fn explain_refusal<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
    refusal: &Refusal<ActionOf<R::Specification>>,
) -> Counterexample {
    let specification = refinement.specification();
    let rule = &specification.call_rules()[specification.call_rule(&refusal.action).0].name;
    let process = refusal.process;
    let explanation = format!(
        "{process} rests here, and the specification lets it take `{rule}`; no step that simulates it \
         with the same inputs can be reached before {process} does something else",
    );
    Counterexample {
        refused: Some(specification.call_serialize(&refusal.action)),
        ..counterexample(refinement, trace, explanation)
    }
}

fn explanation_of_unrest(unrest: &Unrest) -> String {
    let process = unrest.process;
    match unrest.reason {
        UnrestReason::ForEver => {
            format!("{process} is in the middle of an operation, and can never come to rest")
        }
        UnrestReason::ByOther => format!(
            "this step changes whether {process} is at rest, and is not taken by {process} \
             or on its behalf (`acts_for`)"
        ),
    }
}
