//! `inductive:NAME` and `inductive:simulation`: from *every* type-correct state that satisfies all the invariants, reachable
//! or not, each step leads to one that satisfies the invariant NAME; and Definition 6 (1) to (3) hold from every such
//! state, which is what the invariants are for. On request.
//!
//! Source: Havelund & Shankar, Definition 6 and Appendix B.2. A counterexample to induction is a state and a step; nothing
//! says that the state is ever reached.
//!
//! One pass (`pass`) decides besides which conjuncts are needed. A state that fails exactly one conjunct is a state that
//! satisfies the others: if one of them fails after a step from there, or the step does not map, then without that conjunct
//! the rest is not inductive, or does not suffice.

mod goal;
mod pass;

use self::goal::{Goal, PerGoal};
use self::pass::Gap;
pub(super) use self::pass::{Findings, decide, state};
use super::choice::Choice;
use super::counterexample::counterexample;
use super::found::Found;
use super::kind::ObligationKind;
use super::row::{Judged, Row, Weight};
use super::settings::{Settings, Until};
use super::{invariant, simulation};
use crate::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::explore::{Panic, Phase};
use crate::invariant::Invariant;
use crate::model_call::{UNNAMED, tolerated};
use crate::obligation::found::Tell;
use crate::refinement::Refinement;
use crate::report::number::grouped;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::system::{StateOf, TransitionSystem};
use crate::trace::Trace;
use crate::visit::visit_steps;

/// Stands for all its rows.
const KIND: ObligationKind = ObligationKind::Inductive;

#[derive(Clone)]
pub(super) struct Induction {
    /// None if the implementation does not enumerate its type-correct states.
    rows: Option<PerGoal<Row>>,
}

/// A refinement whose implementation enumerates its type-correct states.
pub(super) trait Enumerated: Sync {
    /// Passes over all type-correct states, and looks for those `reached` among them.
    fn induct(&self, reached: &[ErasedState], settings: &Settings<'_>, tell: Tell<'_>) -> Findings;
    /// The type-correct state of a number.
    fn type_correct(&self, number: u64) -> ErasedState;
}

/// A pass over all type-correct states.
pub(super) type Decide<R> = fn(
    &R,
    &[Invariant<<R as Refinement>::Concrete>],
    &[StateOf<<R as Refinement>::Concrete>],
    &Settings<'_>,
    Tell<'_>,
) -> Findings;

/// Outcome of a pass over the type-correct states.
pub(super) struct Decided<'a> {
    findings: Findings,
    enumerated: &'a dyn Enumerated,
    /// Way in which `type_correct` leaves reachable states out, as far as the pass met them: what is inductive says nothing of
    /// these.
    pub doubt: Option<String>,
    /// Panic of a function of the model that did not panic when it was asked again.
    pub unrepeated: Option<Panic>,
}

impl Induction {
    pub fn new<S: TransitionSystem>(
        invariants: &[Invariant<S>],
        is_enumerated: bool,
        choice: &Choice<'_>,
    ) -> Self {
        let row = |goal: &str| choice.of_induction(format!("{KIND}:{goal}"));
        let rows = || PerGoal {
            invariants: invariants.iter().map(|one| row(one.name())).collect(),
            simulation: row(ObligationKind::Simulation.name()),
        };
        Self {
            rows: is_enumerated.then(rows),
        }
    }

    /// Its rows, in the order of the report.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.rows.iter_mut().flat_map(PerGoal::iter_mut)
    }

    /// Makes the pass over the type-correct states, if it is asked for and the check got that far. `violated` says
    /// whether something was found on the way there.
    pub fn decide<'a>(
        &self,
        enumerated: Option<&'a dyn Enumerated>,
        violated: bool,
        found: &Found<'_, ErasedRefinement<'a>>,
    ) -> Option<Decided<'a>> {
        let mut rows = self.rows.iter().flat_map(PerGoal::iter);
        let asked = rows.any(|row| row.selected);
        let ended = violated && found.settings.until == Until::FirstViolation;
        let enumerated = enumerated.filter(|_| asked && !ended)?;
        let (totals, watch) = (&found.totals, &found.settings.watch);
        let tell = |work| totals.tell(watch, Phase::Induction, work);
        tell(None);
        // A state that violates an invariant is not looked for.
        let reached: Vec<_> = if violated {
            Vec::new()
        } else {
            found.sample().collect()
        };
        let mut findings = enumerated.induct(&reached, found.settings, &tell);
        let mut places = reached.iter().enumerate();
        let missing = places.find(|(place, _)| !findings.met.contains(place));
        let missing = missing.filter(|_| findings.decided_all());
        let doubt = missing.map(|(_, state)| {
            format!(
                "`type_correct` leaves out states that are reached, so what is inductive says nothing of them: {state:?}"
            )
        });
        Some(Decided {
            unrepeated: findings.unrepeated.take().map(|(_, panic)| panic),
            findings,
            enumerated,
            doubt,
        })
    }

    /// Judges the rows by what was decided, or says why nothing was.
    pub fn judge<'a>(
        &self,
        decided: Result<&Decided<'a>, &'static str>,
        invariants: &[Invariant<ErasedSystem<'a>>],
        found: &Found<'_, ErasedRefinement<'a>>,
    ) -> Vec<Judged> {
        let names: Vec<_> = invariants.iter().map(Invariant::name).collect();
        let judge = |(goal, row): (Goal, &Row)| {
            row.judged(Weight::Behaviour, || {
                let decided = match decided {
                    Ok(decided) => decided,
                    Err(reason) => return Obligation::incomplete(reason),
                };
                decided.findings.judge(goal, &names, &|gap, panic| {
                    let initial = decided.enumerated.type_correct(gap.number);
                    explain(found.refinement, invariants, goal, initial, gap, panic)
                })
            })
        };
        let rows = self.rows.iter().flat_map(PerGoal::iter);
        let goals = Goal::all(invariants.len());
        goals.zip(rows).filter_map(judge).collect()
    }
}

impl Findings {
    /// The row of a goal. `names` are those of the invariants.
    fn judge(
        &self,
        goal: Goal,
        names: &[&str],
        explain: &dyn Fn(Gap, Option<&Panic>) -> Counterexample,
    ) -> Obligation {
        let mut judged = match &self.gaps[goal] {
            Some((gap, panic)) => {
                Obligation::violated(self.steps, vec![explain(*gap, panic.as_ref())])
            }
            None if self.unmade.is_some() => Obligation::violated(self.steps, Vec::new()),
            None if self.cut_short => Obligation::new(Verdict::Incomplete, self.steps),
            None if self.steps == 0 => {
                let reason = "no step was tested, so nothing was decided";
                return Obligation::incomplete(reason);
            }
            None => Obligation::new(Verdict::Holds, self.steps),
        };
        if let Some((number, panic)) = &self.unmade {
            // States are unknown, so nothing is known to be inductive.
            let function = panic.function.as_deref().unwrap_or("`type_correct`");
            let instead = if function == "`type_correct`" {
                "instead of making"
            } else {
                "after the making of"
            };
            return judged.noted(&format!(
                "{function} panicked {instead} state {}: {panic}",
                grouped(*number)
            ));
        }
        // Which of them are needed is a question only about a set that is inductive and suffices.
        if self.cut_short || self.gaps.iter().any(Option::is_some) {
            return judged;
        }
        let needed = match goal {
            Goal::Simulation => {
                return judged.noted(&format!(
                    "{} of {} type-correct states satisfy the invariants",
                    self.satisfying, self.states
                ));
            }
            Goal::Invariant(place) => self.needed[place],
        };
        judged.needed = Some(needed.is_some());
        judged.noted(&match needed {
            None => "not needed: the others are inductive and suffice without it".to_owned(),
            Some((_, failing)) => {
                let failing = match failing {
                    Goal::Invariant(place) => names[place],
                    Goal::Simulation => ObligationKind::Simulation.name(),
                };
                format!("needed: without it inductive:{failing} fails")
            }
        })
    }
}

/// A counterexample to induction: a state, and a step unless the state itself is at fault.
fn explain<R: Refinement>(
    refinement: &R,
    invariants: &[Invariant<R::Concrete>],
    goal: Goal,
    initial: StateOf<R::Concrete>,
    gap: Gap,
    panic: Option<&Panic>,
) -> Counterexample {
    let mut taken = Vec::new();
    // The state may be one in which a function of the model panics.
    let _ = tolerated(|| {
        let implementation = refinement.implementation();
        visit_steps(implementation, &initial, &mut |action, to| {
            taken.push((action, to))
        });
    });
    let steps = gap
        .step
        .and_then(|step| taken.into_iter().nth(step as usize));
    let is_lost = gap.step.is_some() && steps.is_none();
    let trace = Trace {
        initial,
        steps: steps.into_iter().collect(),
    };
    let told = |explanation| counterexample(refinement, &trace, explanation);
    let found = match (panic, goal) {
        _ if is_lost => told(
            "`next` is not a function of the state: the step that fails is not offered again"
                .to_owned(),
        ),
        (Some(panic), _) => told(panic.told(UNNAMED)),
        (None, Goal::Invariant(place)) => {
            invariant::explain(refinement, &trace, &invariants[place])
        }
        (None, Goal::Simulation) if gap.step.is_some() => simulation::explain(refinement, &trace),
        (None, Goal::Simulation) => {
            told("the mapped state shows something else, or is not initial".to_owned())
        }
    };
    Counterexample {
        reachable: false,
        ..found
    }
}
