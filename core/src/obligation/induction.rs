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
//!
//! Where there are too many states for a pass, some are drawn (`sampled`). A gap in one of them is a gap; that none is found
//! says nothing of the others.

mod beside;
mod draws;
mod enumerated;
mod examination;
mod findings;
mod goal;
mod minimal;
mod numbers;
mod pass;
mod reached;
mod sampled;
mod variables;

use std::collections::BTreeMap;

use self::beside::NearbyState;
pub(super) use self::enumerated::{Enumerated, WrittenNumber};
pub(super) use self::findings::Findings;
use self::findings::Gap;
use self::goal::{Goal, PerGoal};
pub(super) use self::numbers::numbers;
pub(super) use self::pass::{decide, make};
use self::sampled::{Sampled, beside, sample};
use super::choice::Choice;
use super::counterexample::counterexample;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::settings::{self, Settings, Until};
use super::{invariant, simulation};
use crate::obligation::found::TellProgress;
use crate::report::{Counterexample, DrawnStates, Obligation, Verdict};
use crate::statement::asked::model_call::{UNNAMED, tolerated};
use crate::statement::asked::type_correct::Choices;
use crate::statement::asked::visit::visit_steps;
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::shown::number::{counted, grouped};
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::{Panic, Phase};

/// Stands for all its rows.
const KIND: ObligationKind = ObligationKind::Inductive;

#[derive(Clone)]
pub(super) struct InductionRows {
    /// None if the implementation does not enumerate its type-correct states.
    rows: Option<PerGoal<ObligationRow>>,
}

/// The numbers that are written of a state.
pub(super) type Numbers<S> = fn(&S, &StateOf<S>) -> Option<Vec<WrittenNumber>>;

/// A pass over all type-correct states.
pub(super) type Decide<R> = fn(
    &R,
    &[Invariant<<R as Refinement>::Implementation>],
    &[StateOf<<R as Refinement>::Implementation>],
    &Settings<'_>,
    TellProgress<'_>,
) -> Findings;

/// Outcome of a pass over the type-correct states, or of draws.
pub(super) struct InductionOutcome<'a> {
    findings: Inducted<'a>,
    /// Way in which `type_correct` leaves reachable states out, as far as they were met: what is inductive says nothing of
    /// these.
    pub doubt: Option<String>,
    /// Panic of a function of the model that did not panic when it was asked again.
    pub unrepeated: Option<Panic>,
}

/// Findings, by the way in which induction was decided.
enum Inducted<'a> {
    /// By a pass over all type-correct states.
    Passed(Box<Passed<'a>>),
    /// By some that were drawn.
    Sampled(Box<Sampled>),
}

/// Outcome of a pass.
struct Passed<'a> {
    findings: Findings,
    enumerated: &'a dyn Enumerated,
    /// The reached states beside those in which there are gaps, by the numbers of these.
    beside: BTreeMap<u64, NearbyState>,
}

impl InductionRows {
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
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut ObligationRow> {
        self.rows.iter_mut().flat_map(PerGoal::iter_mut)
    }

    /// Makes the pass over the type-correct states, or draws some, if it is asked for and the check got that far. `violated` says
    /// whether something was found on the way there.
    pub fn decide<'a>(
        &self,
        enumerated: Option<&'a dyn Enumerated>,
        invariants: &[Invariant<ErasedSystem<'a>>],
        violated: bool,
        found: &SearchResult<'_, ErasedRefinement<'a>>,
    ) -> Option<InductionOutcome<'a>> {
        let mut rows = self.rows.iter().flat_map(PerGoal::iter);
        let asked = rows.any(|row| row.selected);
        let ended = violated && found.settings.until == Until::FirstViolation;
        let enumerated = enumerated.filter(|_| asked && !ended)?;
        let (totals, watch) = (&found.totals, &found.settings.watch);
        let tell = |work| totals.tell(watch, Phase::Induction, work);
        tell(None);
        if let settings::Induction::Sampled(samples) = found.settings.induction {
            let mut sampled = sample(enumerated, invariants, samples, found, &tell);
            let unrepeated = sampled.findings.unrepeated.take();
            return Some(InductionOutcome {
                unrepeated: unrepeated.map(|(_, panic)| panic),
                doubt: sampled.doubt(),
                findings: Inducted::Sampled(Box::new(sampled)),
            });
        }
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
        Some(InductionOutcome {
            unrepeated: findings.unrepeated.take().map(|(_, panic)| panic),
            findings: Inducted::Passed(Box::new(Passed {
                beside: beside(enumerated, found, &findings),
                findings,
                enumerated,
            })),
            doubt,
        })
    }

    /// Judges the rows by what was decided, or says why nothing was.
    pub fn judge<'a>(
        &self,
        decided: Result<&InductionOutcome<'a>, &'static str>,
        invariants: &[Invariant<ErasedSystem<'a>>],
        found: &SearchResult<'_, ErasedRefinement<'a>>,
    ) -> Vec<Judged> {
        let names: Vec<_> = invariants.iter().map(Invariant::name).collect();
        let judge = |(goal, row): (Goal, &ObligationRow)| {
            row.judged(Weight::Behaviour, || {
                let decided = match decided {
                    Ok(decided) => decided,
                    Err(reason) => return Obligation::incomplete(reason),
                };
                decided.judge(goal, &names, &|initial, gap, panic| {
                    explain(found.refinement, invariants, goal, initial, gap, panic)
                })
            })
        };
        let rows = self.rows.iter().flat_map(PerGoal::iter);
        let goals = Goal::all(invariants.len());
        goals.zip(rows).filter_map(judge).collect()
    }
}

/// Explains a gap in a state.
type ExplainGap<'e> = &'e dyn Fn(ErasedState, Gap, Option<&Panic>) -> Counterexample;

impl InductionOutcome<'_> {
    /// The states that were drawn, if some were, and whether these are too few to say anything.
    pub fn drawn(&self) -> Option<(DrawnStates, bool)> {
        match &self.findings {
            Inducted::Passed(_) => None,
            Inducted::Sampled(sampled) => Some((sampled.drawn, sampled.is_vacuous())),
        }
    }

    /// The row of a goal. `names` are those of the invariants.
    fn judge(&self, goal: Goal, names: &[&str], explain: ExplainGap<'_>) -> Obligation {
        match &self.findings {
            Inducted::Passed(passed) => passed.findings.judge(goal, names, &|gap, panic| {
                let initial = passed.enumerated.make(&mut Choices::of(gap.number));
                beside_it(explain(initial, gap, panic), passed.beside.get(&gap.number))
            }),
            Inducted::Sampled(sampled) => sampled.judge(goal, names, explain),
        }
    }
}

impl Sampled {
    /// True if nothing was tested but what walks test.
    fn is_vacuous(&self) -> bool {
        let has_gap = self.findings.gaps.iter().any(Option::is_some);
        self.findings.decided_all() && !has_gap && self.drawn.unmet == 0
    }

    fn doubt(&self) -> Option<String> {
        let (count, first) = self.untraced.as_ref()?;
        Some(format!(
            "`type_correct` leaves out states that are reached, or makes them in a way that was not found, so that none was drawn \
             from these: {}, the first of which is {first:?}",
            counted(*count, "state")
        ))
    }

    /// The row of a goal. It never holds.
    fn judge(&self, goal: Goal, names: &[&str], explain: ExplainGap<'_>) -> Obligation {
        let findings = &self.findings;
        let steps = findings.steps;
        if findings.gaps[goal].is_some() {
            // A state that the model does not make again is not shown.
            let shown = self.cases[goal].iter().map(|case| {
                let told = explain(case.state.clone(), case.gap, case.panic.as_ref());
                beside_it(told, case.beside.as_ref())
            });
            return Obligation::violated(steps, shown.collect());
        }
        if let Some((_, panic)) = &findings.unmade {
            let note = unmade(panic, "a state that was to be drawn");
            return Obligation::violated(steps, Vec::new()).noted(&note);
        }
        let drawn = self.drawn.told();
        if self.is_vacuous() {
            let note = format!(
                "nothing was decided: no state that was drawn satisfies the invariants and is on no walk ({drawn})"
            );
            return Obligation::incomplete(&note);
        }
        let note = match goal {
            Goal::Simulation => format!("sampled: {drawn}"),
            Goal::Invariant(place) => match findings.needed[place] {
                Some((_, failing)) => format!("sampled; {}", needed(failing, names)),
                None => "sampled; not known whether it is needed".to_owned(),
            },
        };
        let mut judged = Obligation::new(Verdict::Incomplete, steps).noted(&note);
        // Which of them are needed is a question only about a set that is inductive and suffices.
        if let Goal::Invariant(place) = goal
            && findings.gaps.iter().all(Option::is_none)
        {
            judged.needed = findings.needed[place].map(|_| true);
        }
        judged
    }
}

/// A counterexample to induction, and the reached state beside it.
fn beside_it(mut told: Counterexample, beside: Option<&NearbyState>) -> Counterexample {
    let from = told.steps.first().map(|step| &step.state);
    let beside = beside.zip(from);
    told.nearest_reached = beside.map(|(beside, from)| Box::new(beside.told(from)));
    told
}

/// Says that something fails without an invariant.
fn needed(failing: Goal, names: &[&str]) -> String {
    let failing = match failing {
        Goal::Invariant(place) => names[place],
        Goal::Simulation => ObligationKind::Simulation.name(),
    };
    format!("needed: without it inductive:{failing} fails")
}

/// Says that a function panicked when a state was to be made.
fn unmade(panic: &Panic, state: &str) -> String {
    let function = panic.function.as_deref().unwrap_or("`type_correct`");
    let instead = if function == "`type_correct`" {
        "instead of making"
    } else {
        "after the making of"
    };
    format!("{function} panicked {instead} {state}: {panic}")
}

impl Findings {
    /// The row of a goal after a pass over all states. `names` are those of the invariants.
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
            None if self.too_many => {
                let reason = "there are 2⁶⁴ type-correct states or more, too many to pass over; sampled induction draws some of them";
                return Obligation::incomplete(reason);
            }
            None if self.cut_short => Obligation::new(Verdict::Incomplete, self.steps),
            None if self.steps == 0 => {
                let reason = "no step was tested, so nothing was decided";
                return Obligation::incomplete(reason);
            }
            None => Obligation::new(Verdict::Holds, self.steps),
        };
        if let Some((number, panic)) = &self.unmade {
            // States are unknown, so nothing is known to be inductive.
            return judged.noted(&unmade(panic, &format!("state {}", grouped(*number))));
        }
        // Which of them are needed is a question only about a set that is inductive and suffices.
        if self.cut_short || self.gaps.iter().any(Option::is_some) {
            return judged;
        }
        let is_needed = match goal {
            Goal::Simulation => {
                return judged.noted(&format!(
                    "{} of {} type-correct states satisfy the invariants",
                    self.satisfying, self.states
                ));
            }
            Goal::Invariant(place) => self.needed[place],
        };
        judged.needed = Some(is_needed.is_some());
        judged.noted(&match is_needed {
            None => "not needed: the others are inductive and suffice without it".to_owned(),
            Some((_, failing)) => needed(failing, names),
        })
    }
}

/// A counterexample to induction: a state, and a step unless the state itself is at fault.
fn explain<R: Refinement>(
    refinement: &R,
    invariants: &[Invariant<R::Implementation>],
    goal: Goal,
    initial: StateOf<R::Implementation>,
    gap: Gap,
    panic: Option<&Panic>,
) -> Counterexample {
    let mut taken = Vec::new();
    // The state may be one in which a function of the model panics.
    let _ = tolerated(|| {
        let implementation = refinement.implementation();
        visit_steps(implementation, &initial, &mut |action, to| {
            taken.push((action, to.clone()));
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
