//! From what was found on the way to the verdicts of a report: the list of the obligations, each of which judges its rows,
//! and the counterexample on which the verdict rests.

use super::choice::is_among;
use super::environment::EnvironmentOutcome;
use super::found::SearchResult;
use super::induction::{self, Enumerated};
use super::liveness::LivenessInput;
use super::model::Context;
use super::obligations::{Afterwards, ObligationCounts};
use super::recorded::RecordedGraph;
use super::row::{Judged, Weight};
use super::selection::Selection;
use super::settings::{Search, Settings, Warnings};
use super::visitor::Plan;
use super::warnings::{Judgements, warnings};
use super::{invariant, row};
use crate::report::{
    Counterexample, DrawnStates, Evidence, Identified, Obligation, Report, Verdict, Warning,
};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{catch, named, take_tolerated};
use crate::statement::erased::{ErasedAction, ErasedRefinement, ErasedState};
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;

/// Reason why a question that asks the model once more is not decided.
const PANICKED: &str = "not evaluated: the model panicked";

/// Functions that the obligations decided after the search call, beside those named there.
const ASKED_BY_ENVIRONMENT: &str = "`hash`, `eq` or `clone` of a state or an action";
const ASKED_BY_LIVENESS: &str = "`fairness`, `liveness`, or `hash`, `eq` or `clone` of a state";

/// The graph of a search, and what its labels speak of by numbers.
pub(super) struct Labelled<'a> {
    pub recorded: &'a RecordedGraph,
    /// The inputs of actions of the environment.
    pub inputs: &'a [ErasedAction],
    /// The abstract states between, of steps that simulate several abstract steps.
    pub between: &'a [Vec<ErasedState>],
}

/// Makes the report of a search, or of random walks.
pub(super) fn report<'a>(
    plan: &Plan<'a>,
    counts: &ObligationCounts,
    labelled: &Labelled<'_>,
    enumerated: Option<&'a dyn Enumerated>,
    found: &SearchResult<'_, ErasedRefinement<'a>>,
) -> Report {
    let (mut rows, warnings, drawn) = judge(plan, counts, labelled, enumerated, found);
    rows.extend(as_row(&warnings, found.settings));
    rows.extend(drawn.and_then(|(drawn, is_vacuous)| is_vacuous.then(|| vacuous(&drawn))));
    let refinement = found.refinement;
    let implementation = refinement.implementation();
    let rules = named("`rules` of the implementation", || {
        implementation.call_rules()
    });
    let cut_off = counts.deadlock.cut_off(&implementation.call_caveats());
    let constraint = plan
        .constraint
        .map(|constraint| counts.constraint.told(constraint));
    let constrained = &counts.constraint;
    let undecided = plan.obligations.undecided.reason(ObligationKind::Coverage);
    let mut unexercised = counts.coverage.unexercised(rules, undecided);
    let invariants = plan.asking.invariants;
    unexercised.extend(invariant::unexercised(invariants, &counts.invariants));
    let coverage = counts.coverage.rules(rules);
    let identified = found.symmetry.map(|symmetry| Identified {
        permutations: symmetry.permutations(),
        shifts: symmetry.shifts(),
        tested_states: counts.model.tested_symmetry,
    });
    let totals = &found.totals;
    Report {
        check: String::new(),
        claim: None,
        parameters: serde_json::Map::new(),
        verdict: verdict(
            &rows,
            totals.complete,
            totals.states > constrained.outside(),
        ),
        evidence: match found.settings.search {
            Search::Walks(_) => Evidence::Sampled,
            Search::AnyNumber { .. } => Evidence::Views,
            // A constraint, or a bound on loops, leaves steps out as a limit does.
            Search::Exhaustive if totals.complete && totals.cut.is_none() => Evidence::Exhaustive,
            Search::Exhaustive => Evidence::Bounded,
        },
        complete: totals.complete && !matches!(found.settings.search, Search::Walks(_)),
        walks: None,
        every_number: None,
        samples: drawn.map(|(drawn, _)| drawn),
        history: None,
        symmetry: identified,
        limit: totals.limit,
        limit_process: totals.limit_process,
        unreturned: None,
        initial_states: match found.settings.search {
            // A walk begins in one of them.
            Search::Walks(_) | Search::AnyNumber { .. } => totals.initial_states,
            Search::Exhaustive => totals.initial_states - constrained.initial(),
        },
        states: totals.states - constrained.outside(),
        // A step to a target that cannot be packed is counted for the constraint alone.
        transitions: totals.transitions.saturating_sub(constrained.steps()),
        depth: match &constraint {
            Some(_) => constrained.depth(),
            None => totals.depth,
        },
        seconds: totals.seconds,
        peak_memory_bytes: totals.peak_memory_bytes,
        states_kept: totals.kept,
        checkpoints: totals.written.clone(),
        spilled: totals.spilled.clone(),
        threads: found.settings.threads,
        processes: found.settings.peers.as_ref().map(|peers| peers.processes()),
        counterexample: first(&rows),
        obligations: rows.into_iter().map(|judged| judged.row).collect(),
        coverage,
        deadlocks: counts.deadlock.deadlocks,
        warnings,
        taken_at_word: counts
            .model
            .taken_at_word(named("`rules` of the specification", || {
                refinement.specification().call_rules()
            })),
        asked_again: counts.model.again.states,
        not_compared: counts.model.again.not_compared,
        cut_off,
        constraint,
        not_asked: not_asked(plan, found.settings),
        unexercised,
    }
}

/// The list of the obligations, in the order of the report: each judges its rows. And what makes them say less than they
/// seem to. And which states were drawn, if some were, and whether they are too few to say anything.
fn judge<'a>(
    plan: &Plan<'a>,
    counts: &ObligationCounts,
    labelled: &Labelled<'_>,
    enumerated: Option<&'a dyn Enumerated>,
    found: &SearchResult<'_, ErasedRefinement<'a>>,
) -> (Vec<Judged>, Vec<Warning>, Option<(DrawnStates, bool)>) {
    let of = &plan.obligations;
    let invariants = plan.asking.invariants;
    let simulation_fails = counts.simulation.first().is_some();
    let violated = counts.failures().next().is_some();
    // What is decided when the search is over; its progress is told in this order.
    let Labelled {
        recorded,
        inputs,
        between,
    } = labelled;
    let labels = &plan.labels.all();
    let mut panics = Vec::new();
    let auxiliary = of.auxiliary.decide(found.started, plan.stop(counts), found);
    let environment = catch(|| {
        named(ASKED_BY_ENVIRONMENT, || {
            of.environment
                .decide(recorded, labels, inputs, simulation_fails, found)
        })
    });
    let environment = environment.unwrap_or_else(|panic| {
        panics.push(panic);
        EnvironmentOutcome::Open(PANICKED.to_owned())
    });
    let liveness = catch(|| {
        named(ASKED_BY_LIVENESS, || {
            let searched = LivenessInput {
                recorded,
                labels,
                between,
                simulation_fails,
                simulated: &counts.coverage.simulated,
            };
            of.liveness.judge(&searched, found)
        })
    });
    let liveness = liveness.unwrap_or_else(|panic| {
        panics.push(panic);
        of.liveness.open(PANICKED)
    });
    let induction = catch(|| of.induction.decide(enumerated, invariants, violated, found));
    let (induction, undecided) = match induction {
        Ok(decided) => (decided, "not evaluated: the check ended at a violation"),
        Err(panic) => {
            panics.push(panic);
            (None, PANICKED)
        }
    };

    panics.extend(
        induction
            .iter()
            .filter_map(|decided| decided.unrepeated.clone()),
    );

    let afterwards = Afterwards {
        recorded,
        auxiliary: &auxiliary,
        environment: &environment,
        liveness: liveness.rows,
        induction: induction.as_ref().ok_or(undecided),
    };
    let (mut rows, of_rules) = of.judge(counts, invariants, afterwards, found);
    let held = counts.invariants.iter();
    let held = held.filter(|counts| counts.tested.first.is_none());
    let judgements = Judgements {
        environment: &environment,
        induction: induction.as_ref(),
        assuming_nothing: &liveness.doubts,
        of_rules: &of_rules,
    };
    let doubtful = catch(|| {
        let mut panics = Vec::new();
        let warnings = warnings(of, counts, &judgements, found, &mut panics);
        (warnings, panics)
    });
    let warnings = match doubtful {
        Ok((warnings, found)) => {
            panics.extend(found);
            warnings
        }
        Err(panic) => {
            panics.push(panic);
            Vec::new()
        }
    };
    panics.extend(
        rows.iter_mut()
            .filter_map(|judged: &mut Judged| judged.panic.take()),
    );
    panics.extend(take_tolerated());
    let context = Context {
        panics: &panics,
        invariants,
        held: held.map(|counts| counts.place).collect(),
        environment: of.environment.processes,
        images: plan.needs.image,
        panicked: match &environment {
            EnvironmentOutcome::Panicked(panicked) => Some(panicked),
            _ => liveness.panicked.as_ref(),
        },
    };
    rows.extend(of.model.judge(&counts.model, &context, found));
    let drawn = induction
        .as_ref()
        .and_then(induction::InductionOutcome::drawn);
    (rows, warnings, drawn)
}

/// The liveness obligations that were neither asked for nor left out, where the others were not chosen by name.
fn not_asked(plan: &Plan<'_>, settings: &Settings<'_>) -> Vec<String> {
    let liveness = &plan.obligations.liveness;
    match settings.obligations {
        Selection::Default => liveness
            .not_asked()
            .filter(|name| !is_among(name, &settings.without))
            .map(str::to_owned)
            .collect(),
        Selection::Nothing | Selection::Only(_) => Vec::new(),
    }
}

/// The row of the warnings, where they are violations.
fn as_row(warnings: &[Warning], settings: &Settings<'_>) -> Option<Judged> {
    if settings.warnings != Warnings::Fail || warnings.is_empty() {
        return None;
    }
    let texts = warnings.iter().map(|warning| warning.text.clone());
    let counterexamples = texts.map(Counterexample::without_steps).collect();
    let failed = Obligation::violated(warnings.len() as u64, counterexamples);
    Some(Judged::new("warnings", Weight::Behaviour, failed))
}

/// The row of a sample that says nothing: it fails, whatever verdict is expected.
fn vacuous(drawn: &DrawnStates) -> Judged {
    let told = "no state was drawn that satisfies the invariants and is on no walk, so that `inductive` says nothing";
    let counterexample = Counterexample::without_steps(told.to_owned());
    let failed = Obligation::violated(drawn.drawn, vec![counterexample]);
    Judged::new("sample", Weight::Absence, failed)
}

/// The counterexample on which the verdict rests, if one is found.
fn first(rows: &[Judged]) -> Option<Counterexample> {
    rows.iter()
        .filter_map(|judged| Some((judged.weight, judged.row.counterexamples.first()?)))
        // A behaviour says more than a counterexample to induction; coverage speaks of what is
        // missing everywhere.
        .min_by_key(|(weight, first)| (!first.reachable, *weight == Weight::Absence, first.length))
        .map(|(_, first)| first.clone())
}

/// The verdict of the whole check; none if nothing was asked. `any_state` says whether a state satisfies the constraint.
fn verdict(rows: &[Judged], complete: bool, any_state: bool) -> Option<Verdict> {
    let mut verdicts = rows.iter().map(|judged| judged.row.verdict);
    if rows.is_empty() {
        // Nothing was asked, in one way or another, so nothing holds.
        None
    } else if verdicts.clone().any(|one| one == Verdict::Violated) {
        Some(Verdict::Violated)
    } else if row::are_vacuous(rows) || !any_state {
        // What is not declared, or was never tested, is no pass.
        Some(Verdict::Incomplete)
    } else if complete && !verdicts.any(|one| one == Verdict::Incomplete) {
        Some(Verdict::Holds)
    } else {
        Some(Verdict::Incomplete)
    }
}
