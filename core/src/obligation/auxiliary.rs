//! `auxiliary:*`: the side conditions of the implementation's auxiliary variables, if it is a view of a system without them.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 5; Lamport & Merz, *Auxiliary Variables in TLA+*.
//!
//! What a condition asks of a state or a step of the base, its variable says ([`crate::auxiliary`]). Here is of which states and
//! steps it is asked: of all that the base reaches, in a search of its own. The search of the check goes through the states of the
//! view, and what the view has lost is not among them. Each view below another one is searched for: a prediction may speak of
//! what a history variable below it remembers. A counterexample is a behaviour of the base, which no mapping belongs to.
//!
//! A constraint speaks of states of the whole view. So a state of the base is expanded if some value of the variables makes it one
//! that satisfies the constraint.

mod backward_total;
mod condition;
mod enabled;
mod initial;
mod non_empty;
mod terminates;

use std::time::Instant;

use self::condition::Condition;
use super::choice::Choice;
use super::counterexample::unmapped;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::settings::{Search, Settings, Until};
use crate::report::{Counterexample, Obligation, Verdict};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{UNNAMED, catch, named};
use crate::statement::constraint::Constraint;
use crate::statement::erased::{
    ErasedAction, ErasedRefinement, ErasedState, ErasedSystem, Outcome, SideCondition, View,
};
use crate::statement::kind::ObligationKind;
use crate::statement::shown::number::counted;
use crate::statement::system::TransitionSystem;
use crate::view::auxiliary::Base;
use crate::walk::explore::{
    End, Explored, Limit, Limits, Options, Panic, Place, Record, Storage, Visitor, explore, trace,
};

const KIND: ObligationKind = ObligationKind::Auxiliary;

/// Note of a condition that was not decided, being true as far as the check went.
const ENDED: &str = "not evaluated: another violation ended the search";

/// Functions of the variables that are called, and those of states.
const ASKED: &str = "a function of an auxiliary variable";

/// All of them, in the order of the report.
const CONDITIONS: [Condition; 5] = [
    initial::CONDITION,
    non_empty::CONDITION,
    backward_total::CONDITION,
    terminates::CONDITION,
    enabled::CONDITION,
];

/// The rows of the variables that the implementation has.
#[derive(Clone)]
pub(super) struct Auxiliary<'a> {
    rows: Vec<(SideCondition, ObligationRow)>,
    /// The views, the outermost first; none if the implementation is no view.
    views: Vec<View<'a>>,
}

/// Findings about a condition on one base.
#[derive(Clone, Debug, Default)]
struct TestedCondition {
    checked: u64,
    /// The first place where it fails, and why.
    first: Option<(Place, String)>,
    /// Reason why it was not found out somewhere.
    open: Option<String>,
}

/// Findings about a condition of one variable.
struct ConditionFindings {
    condition: SideCondition,
    checked: u64,
    counterexample: Option<Counterexample>,
    open: Option<String>,
    panic: Option<Panic>,
}

/// Findings of all searches.
pub(super) struct AuxiliaryFindings(Vec<ConditionFindings>);

impl<'a> Auxiliary<'a> {
    pub fn new(implementation: &'a impl TransitionSystem, choice: &Choice<'_>) -> Self {
        let view = implementation.call_caveats().view();
        let views = view.map_or_else(Vec::new, |view| Base::of(view).views);
        let has = |condition: &&Condition| {
            let mut views = views.iter();
            views.any(|view| view.object().conditions().contains(&condition.of))
        };
        let row = |condition: &Condition| {
            let name = format!("{KIND}:{}", condition.name);
            (condition.of, choice.by_default(name))
        };
        Self {
            rows: CONDITIONS.iter().filter(has).map(row).collect(),
            views,
        }
    }

    /// Its rows, in the order of the report.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut ObligationRow> {
        self.rows.iter_mut().map(|(_, row)| row)
    }

    /// Searches the bases of which something is chosen: not beyond the length of a violation at which the check has ended, if one
    /// has ended it. `started` is when the check began.
    pub fn decide<'f>(
        &self,
        started: Instant,
        violated_after: Option<u32>,
        found: &SearchResult<'_, ErasedRefinement<'f>>,
    ) -> AuxiliaryFindings {
        let chosen = |condition: &SideCondition| {
            let mut rows = self.rows.iter();
            rows.any(|(of, row)| of == condition && row.selected)
        };
        let mut parts = Vec::new();
        for (depth, view) in self.views.iter().enumerate() {
            let conditions = view.object().conditions().iter();
            let conditions: Vec<_> = conditions.copied().filter(chosen).collect();
            if conditions.is_empty() {
                continue;
            }
            if let Search::Walks(_) = found.settings.search {
                let reason =
                    "not evaluated: random walks do not go through the system without the variable";
                parts.extend(
                    conditions
                        .iter()
                        .map(|of| ConditionFindings::open(*of, reason)),
                );
                continue;
            }
            let lifts = Lifts {
                views: &self.views[..=depth],
                constraint: found.constraint,
            };
            let extent = BaseExtent {
                started,
                violated_after,
                settings: found.settings,
            };
            parts.extend(search(lifts, &conditions, extent));
        }
        AuxiliaryFindings(parts)
    }

    /// The rows, of which each tells of all variables that have its condition.
    pub fn judge(&self, decided: &AuxiliaryFindings) -> Vec<Judged> {
        let judge = |(condition, row): &(SideCondition, ObligationRow)| {
            let parts = decided.0.iter();
            let parts: Vec<_> = parts.filter(|part| part.condition == *condition).collect();
            let judged = row.judged(Weight::Behaviour, || judge(*condition, &parts))?;
            let mut panics = parts.iter().filter_map(|part| part.panic.clone());
            let panic = judged.panic.clone().or_else(|| panics.next());
            Some(Judged { panic, ..judged })
        };
        self.rows.iter().filter_map(judge).collect()
    }
}

/// The row of a condition.
fn judge(condition: SideCondition, parts: &[&ConditionFindings]) -> Obligation {
    let checked = parts.iter().map(|part| part.checked).sum();
    let counterexamples = parts.iter().filter_map(|part| part.counterexample.clone());
    let mut counterexamples: Vec<_> = counterexamples.collect();
    if !counterexamples.is_empty() {
        counterexamples.sort_by_key(|found| found.length);
        return Obligation::violated(checked, counterexamples);
    }
    let mut open = parts.iter().filter_map(|part| part.open.as_deref());
    match open.next() {
        Some(reason) => Obligation {
            checked,
            ..Obligation::incomplete(reason)
        },
        None if checked == 0 => {
            let untested = CONDITIONS.iter().find(|one| one.of == condition);
            let untested = untested.map_or("", |condition| condition.untested);
            Obligation::new(Verdict::Untested, 0).noted(untested)
        }
        None => Obligation::new(Verdict::Holds, checked),
    }
}

impl ConditionFindings {
    fn open(condition: SideCondition, reason: &str) -> Self {
        Self {
            condition,
            checked: 0,
            counterexample: None,
            open: Some(reason.to_owned()),
            panic: None,
        }
    }
}

/// States of the implementation that have a state of a base.
#[derive(Clone, Copy)]
struct Lifts<'v, 'a, 'f> {
    /// The views above the base, the outermost first.
    views: &'v [View<'a>],
    constraint: Option<&'v Constraint<ErasedSystem<'f>>>,
}

impl Lifts<'_, '_, '_> {
    /// Whether some of them satisfies the constraint; none if that cannot be known.
    fn is_within(&self, base: &ErasedState) -> Option<bool> {
        let Some(constraint) = self.constraint else {
            return Some(true);
        };
        let mut is_within = false;
        let is_known = lift(self.views, base, &mut |state| {
            is_within = is_within || constraint.contains(&state);
            is_within
        });
        is_known.then_some(is_within)
    }
}

/// Visits the states of the outermost of some views that have a state of the base, until `enough` says so. False if they are not
/// known.
fn lift(
    views: &[View<'_>],
    base: &ErasedState,
    enough: &mut dyn FnMut(ErasedState) -> bool,
) -> bool {
    let Some((innermost, others)) = views.split_last() else {
        enough(base.clone());
        return true;
    };
    let mut are_known = true;
    let is_known = innermost.object().lifts(base, &mut |state| {
        let mut is_enough = false;
        are_known &= lift(others, &state, &mut |state| {
            is_enough = is_enough || enough(state);
            is_enough
        });
        is_enough
    });
    is_known && are_known
}

/// Extent of the search of a base.
#[derive(Clone, Copy)]
struct BaseExtent<'s> {
    /// Time at which the check began.
    started: Instant,
    /// Length of a violation at which the check has ended. A behaviour of the base is at most as long as those of the view that
    /// take it, so that none that is longer would be a shorter counterexample.
    violated_after: Option<u32>,
    settings: &'s Settings<'s>,
}

/// Searches the base of the innermost of the views.
fn search(
    lifts: Lifts<'_, '_, '_>,
    conditions: &[SideCondition],
    extent: BaseExtent<'_>,
) -> Vec<ConditionFindings> {
    let BaseExtent {
        started,
        violated_after,
        settings,
    } = extent;
    let view = lifts.views.last().expect("there is a view");
    let system = ErasedSystem::alone(view.object().base());
    let tester = ConditionTester {
        view: *view,
        lifts,
        conditions,
        until: settings.until,
        seconds: settings.limits.seconds,
        violated_after,
    };
    let depths = [settings.limits.depth, violated_after];
    let left = |seconds: f64| (seconds - started.elapsed().as_secs_f64()).max(0.0);
    let options = Options {
        threads: settings.threads,
        limits: Limits {
            seconds: settings.limits.seconds.map(left),
            depth: depths.into_iter().flatten().min(),
            ..settings.limits
        },
        watch: settings.watch,
        record: Record::States,
        storage: Storage::Packed,
        symmetry: None,
    };
    let explored = match catch(|| explore(&system, &tester, &options)) {
        Ok(explored) => explored,
        Err(panic) => {
            let open = |of: &SideCondition| ConditionFindings {
                panic: Some(panic.clone()),
                ..ConditionFindings::open(*of, "not evaluated: the model panicked")
            };
            return conditions.iter().map(open).collect();
        }
    };
    let part = |condition: &SideCondition| tester.part(*condition, &system, &explored);
    conditions.iter().map(part).collect()
}

/// Tests side conditions at the states and steps of a base.
struct ConditionTester<'v, 'a, 'f> {
    view: View<'a>,
    lifts: Lifts<'v, 'a, 'f>,
    conditions: &'v [SideCondition],
    until: Until,
    /// Time that the whole check may take.
    seconds: Option<f64>,
    /// Length of a violation at which the check has ended.
    violated_after: Option<u32>,
}

/// Findings of a worker.
#[derive(Default)]
struct ConditionTally {
    /// One for each condition that is chosen.
    tested: Vec<TestedCondition>,
    /// True if it is not known of some state whether it satisfies the constraint.
    is_unknown: bool,
    panic: Option<(Place, Panic)>,
}

impl ConditionTester<'_, '_, '_> {
    /// Receives the outcomes at a place.
    fn tell<'t>(
        &'t self,
        tally: &'t mut ConditionTally,
        place: Place,
    ) -> impl FnMut(SideCondition, Outcome) + 't {
        move |condition, outcome| {
            let mut chosen = self.conditions.iter().zip(&mut tally.tested);
            let Some((_, tested)) = chosen.find(|(of, _)| **of == condition) else {
                return;
            };
            match outcome {
                Outcome::Holds(cases) => tested.checked = tested.checked.saturating_add(cases),
                Outcome::Fails(reason) => {
                    tested.checked = tested.checked.saturating_add(1);
                    earlier(&mut tested.first, Some((place, reason)));
                }
                Outcome::Open(reason) => tested.open = Some(reason),
            }
        }
    }

    /// Findings about a condition, told of a search that is over.
    fn part<'x>(
        &self,
        condition: SideCondition,
        system: &ErasedSystem<'x>,
        explored: &Explored<ErasedSystem<'x>, ConditionTally>,
    ) -> ConditionFindings {
        let tally = &explored.tally;
        let mut chosen = self.conditions.iter().zip(&tally.tested);
        let tested = chosen.find(|(of, _)| **of == condition);
        let (_, tested) = tested.expect("it is one of those chosen");
        let panic = tally.panic.as_ref().map(|(_, panic)| panic);
        let panic = panic.or(explored.panic.as_ref()).cloned();
        let of = self.view.object().variable();
        let limit = |limit: Limit| match (limit, self.seconds) {
            (Limit::Seconds(_), Some(seconds)) => Limit::Seconds(seconds),
            (limit, _) => limit,
        };
        let open = match (&panic, &explored.end) {
            (Some(panic), _) => Some(format!("not evaluated: {}", panic.told(UNNAMED))),
            (None, End::Complete) if tally.is_unknown => Some(format!(
                "not decided: the constraint `{}` speaks of what a history variable remembers, so it is not known which states \
                 of the system without the {of} variable satisfy it",
                self.lifts.constraint.map_or("", Constraint::name)
            )),
            (None, End::Complete) => tested
                .open
                .as_ref()
                .map(|open| format!("not decided: {open}")),
            (None, End::Stopped) => Some(ENDED.to_owned()),
            (None, End::Limit(Limit::Depth(depth))) if Some(*depth) == self.violated_after => {
                Some(ENDED.to_owned())
            }
            (None, End::Limit(ended)) => Some(format!(
                "not decided: {} ended the search of the system without the {of} variable, after {}",
                limit(*ended),
                counted(explored.states() as u64, "state")
            )),
            (None, End::Panicked) => Some("not evaluated: the model panicked".to_owned()),
        };
        let counterexample = tested.first.as_ref().map(|(place, reason)| {
            let within = |state: &ErasedState| self.lifts.is_within(state) != Some(false);
            let within = self.lifts.constraint.is_some().then_some(&within as _);
            let shown = catch(|| trace(&*explored.reached, system, None, within, None, *place));
            let explanation = format!("in the system without the {of} variable: {reason}");
            let shown = match shown {
                Ok(Ok(trace)) => catch(|| unmapped(system, &trace, explanation.clone()))
                    .map_err(|panic| panic.told(UNNAMED)),
                Ok(Err(unrepeatable)) => Err(unrepeatable.to_string()),
                Err(panic) => Err(panic.told(UNNAMED)),
            };
            shown.unwrap_or_else(|why| {
                Counterexample::without_steps(format!("{explanation}; {why}"))
            })
        });
        ConditionFindings {
            condition,
            checked: tested.checked,
            counterexample,
            open,
            panic,
        }
    }
}

/// Keeps the earlier of two findings.
fn earlier<T>(first: &mut Option<(Place, T)>, other: Option<(Place, T)>) {
    if let Some(other) = other
        && first.as_ref().is_none_or(|first| other.0 < first.0)
    {
        *first = Some(other);
    }
}

impl<'x> Visitor<ErasedSystem<'x>> for ConditionTester<'_, '_, '_> {
    type Tally = ConditionTally;
    type Image = ();

    fn tally(&self) -> ConditionTally {
        ConditionTally {
            tested: vec![TestedCondition::default(); self.conditions.len()],
            ..ConditionTally::default()
        }
    }

    fn merge(&self, into: &mut ConditionTally, from: ConditionTally) {
        for (into, from) in into.tested.iter_mut().zip(from.tested) {
            into.checked = into.checked.saturating_add(from.checked);
            earlier(&mut into.first, from.first);
            into.open = into.open.take().or(from.open);
        }
        into.is_unknown |= from.is_unknown;
        earlier(&mut into.panic, from.panic);
    }

    fn examine(&self, tally: &mut ConditionTally, place: Place, state: &ErasedState) {
        let view = self.view.object();
        named(ASKED, || {
            if place.length == 0 {
                view.test_initial(state, &mut self.tell(tally, place));
            }
            view.test_state(state, &mut self.tell(tally, place));
        });
    }

    fn image(&self, _: &mut ConditionTally, _: &ErasedState) {}

    fn is_constrained(&self) -> bool {
        self.lifts.constraint.is_some()
    }

    fn is_expanded(&self, tally: &mut ConditionTally, _: Place, state: &ErasedState) -> bool {
        match self.lifts.is_within(state) {
            Some(is_within) => is_within,
            None => {
                // What is beyond is not known to be bounded by anything.
                tally.is_unknown = true;
                false
            }
        }
    }

    fn step(
        &self,
        tally: &mut ConditionTally,
        place: Place,
        (from, ()): (&ErasedState, &()),
        action: &ErasedAction,
        to: &ErasedState,
    ) -> u32 {
        let view = self.view.object();
        named(ASKED, || {
            view.test_step(from, action, to, &mut self.tell(tally, place));
        });
        0
    }

    fn leave(&self, _: &mut ConditionTally, _: Place, _: &ErasedState, _: u32) {}

    fn panicked(&self, tally: &mut ConditionTally, place: Place, panic: Panic) {
        earlier(&mut tally.panic, Some((place, panic)));
    }

    fn stop(&self, tally: &ConditionTally) -> Option<u32> {
        if self.until == Until::End {
            return None;
        }
        let failed = tally
            .tested
            .iter()
            .filter_map(|tested| tested.first.as_ref());
        failed.map(|(place, _)| place.length).min()
    }
}
