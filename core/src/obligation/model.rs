//! `model`: the functions of the model return, and are functions; no state offers an action twice; what is overridden agrees
//! with the rest; states survive packing; a symmetry is one. It belongs to every check, and is listed only if violated.
//!
//! Source: none; the other obligations believe what the model says.
//!
//! Most of it is found on the way, as a [`ModelFault`]; a sample of the states is asked about again (`consistency`), and equal
//! states are compared when the search is over (`equal`).

mod consistency;
mod equal;
mod idle;
mod offers;

use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::atomic::Ordering;

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

pub(super) use self::consistency::{Asking, AsksAgain, Heard};
use self::consistency::{RecheckFindings, Restated};
use self::equal::ComparedAnswers;
use self::idle::idle_process;
pub(super) use self::offers::OfferFilter;
use super::choice::Choice;
use super::counterexample::counterexample;
use super::fault::ModelFault;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use crate::report::{Counterexample, Obligation, Verdict};
use crate::state::hiding::Hiding;
use crate::statement::asked::disagreement::Disagreement;
use crate::statement::asked::model_call::{UNNAMED, catch, named};
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::rule::{Process, Rule};
use crate::statement::system::steps;
use crate::view::symmetry::{ExchangesTested, is_in_turn};
use crate::walk::explore::{Panic, Place, StateId};

const KIND: ObligationKind = ObligationKind::Model;

/// Functions that the test of a symmetry calls, beside those named there.
const TESTED_SYMMETRY: &str = "a function that the test of the symmetry calls, `hash`, `eq` or `clone` of a state, an action or an \
                               observation, say,";

#[derive(Clone)]
pub(super) struct Model {
    pub row: ObligationRow,
}

/// Findings of a worker about a model, and what it has to know of the state that it looks at.
pub(super) struct ModelFindings {
    pub fault: Option<(Place, ModelFault)>,
    /// Actions that this state has offered so far.
    offered: OfferFilter,
    /// Whether it has perhaps offered an action twice.
    perhaps_twice: bool,
    /// States on which the symmetry was tested.
    pub tested_symmetry: u64,
    /// Questions that the model is asked once more, and its answers.
    pub again: RecheckFindings,
}

/// Findings about a model that a checkpoint keeps: what is not found again at the states of the sample.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedModel {
    tested_symmetry: u64,
    /// The processes that take actions of the specification, as far as that is known.
    processes: Vec<(String, Option<u16>)>,
    /// Fault with its first place: the explanation, or none where an action is offered twice.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    fault: Option<(Place, Option<String>)>,
}

impl ModelFindings {
    /// Nothing, of so many rules of the specification.
    pub fn new(abstract_rules: usize) -> Self {
        Self {
            fault: None,
            offered: OfferFilter::default(),
            perhaps_twice: false,
            tested_symmetry: 0,
            again: RecheckFindings::new(abstract_rules),
        }
    }

    /// Findings that are kept or told.
    pub fn save(&self) -> SavedModel {
        let processes = self.again.processes.iter();
        let fault = self.fault.as_ref();
        SavedModel {
            tested_symmetry: self.tested_symmetry,
            processes: processes
                .map(|process| (process.name.to_owned(), process.number))
                .collect(),
            fault: fault.map(|(place, fault)| (*place, explanation(fault))),
        }
    }

    /// Takes what was kept.
    pub fn load(&mut self, saved: SavedModel) {
        self.tested_symmetry = saved.tested_symmetry;
        for (name, number) in saved.processes {
            // The names of processes are those of a program, and as many.
            let name = name.leak();
            self.again.processes.insert(Process { name, number });
        }
        self.fault = saved.fault.map(|(place, told)| {
            let fault = told.map_or(ModelFault::OfferedTwice, ModelFault::Told);
            (place, fault)
        });
    }

    /// Adds what another worker found at states of the sample, which was not kept; of a sample that comes afterwards nothing was.
    pub fn find_again(&mut self, other: Self, asks_again: &AsksAgain) {
        if matches!(asks_again, AsksAgain::Afterwards(_)) {
            self.tested_symmetry += other.tested_symmetry;
        }
        self.again.add(other.again);
        if let Some((place, fault)) = other.fault {
            self.record(place, fault);
        }
    }

    /// Adds what another worker found.
    pub fn add(&mut self, other: Self) {
        self.tested_symmetry += other.tested_symmetry;
        self.again.add(other.again);
        let faults = self.fault.take().into_iter().chain(other.fault);
        self.fault = faults.min_by_key(|(place, _)| *place);
    }

    /// The first place where the model is at fault.
    pub fn first(&self) -> Option<Place> {
        self.fault.as_ref().map(|(place, _)| *place)
    }

    /// Records a fault, unless an earlier one is known.
    pub fn record(&mut self, place: Place, fault: ModelFault) {
        if self.first().is_none_or(|first| place < first) {
            self.fault = Some((place, fault));
        }
    }

    /// Tells `hear` what is heard of a state that is asked about again.
    #[inline(always)]
    pub fn hear(&mut self, hear: impl FnOnce(&mut Heard)) {
        if let Some(heard) = &mut self.again.heard {
            hear(heard);
        }
    }

    /// Notes that a process takes actions of the specification.
    pub fn acts(&mut self, process: Process) {
        self.again.processes.insert(process);
    }

    /// Notes an action that the state offers.
    #[inline(always)]
    pub fn offer(&mut self, action: &impl Hash) {
        self.perhaps_twice |= named("`hash` of an action", || self.offered.note(action));
    }
}

impl Asking<'_> {
    /// Begins to look at a state: nothing is offered so far. Tests the symmetry, if it is the state's turn.
    #[inline(always)]
    pub fn enter(
        &self,
        counts: &mut ModelFindings,
        place: Place,
        state: impl FnOnce() -> ErasedState,
    ) {
        counts.offered = OfferFilter::default();
        counts.perhaps_twice = false;
        let is_in_turn = || match &self.asks_again {
            AsksAgain::Afterwards(begun) => begun.load(Ordering::Relaxed),
            AsksAgain::Never | AsksAgain::OnTheWay => is_in_turn(place.state.0),
        };
        if let Some(symmetry) = self.symmetry.filter(|_| is_in_turn()) {
            let turn = place.state.0 as usize;
            let stop = self.out_of_time;
            let _shown = Hiding::suspend();
            let tested = named(TESTED_SYMMETRY, || symmetry(&state(), turn, stop));
            match tested {
                ExchangesTested::Unchanged => counts.tested_symmetry += 1,
                ExchangesTested::Changed(found) => {
                    counts.tested_symmetry += 1;
                    counts.record(place, ModelFault::Asymmetry(found));
                }
                ExchangesTested::CutShort => (),
            }
        }
    }

    /// Ends with a state of so many steps: whether it offered an action twice, and whether the model answers as before.
    #[inline(always)]
    pub fn leave(
        &self,
        counts: &mut ModelFindings,
        place: Place,
        state: impl FnOnce() -> ErasedState,
        count: u32,
    ) {
        let is_heard = counts.again.heard.is_some();
        if !is_heard && !counts.perhaps_twice {
            return;
        }
        // States are compared by what they are, and what is asked again was asked before.
        let _shown = Hiding::suspend();
        let state = &state();
        if counts.perhaps_twice {
            let mut actions = HashSet::default();
            let steps = named("`next` of the implementation", || {
                steps(self.refinement.implementation(), state)
            });
            let twice = named("`hash` or `eq` of an action", || {
                let mut actions_of_steps = steps.into_iter().map(|(action, _)| action);
                actions_of_steps.position(|action| !actions.insert(action))
            });
            if let Some(position) = twice {
                counts.record(place.of_step(position as u32), ModelFault::OfferedTwice);
            }
        }
        if let Some(heard) = counts.again.heard.take()
            && let Err(fault) = self.ask_again(&mut counts.again, place, state, &heard, count)
        {
            counts.record(place, fault);
        }
    }
}

/// Findings of a check by which the row is judged, beside those of the way.
pub(super) struct Context<'c, 'a> {
    pub invariants: &'c [Invariant<ErasedSystem<'a>>],
    /// The places of the invariants that were true of every state.
    pub held: Vec<usize>,
    pub environment: &'c [Process],
    /// Whether the search asked for images.
    pub images: bool,
    /// Panics of functions of the model in decisions after the search,
    pub panics: &'c [Panic],
    /// and the one in the decision of `environment` or liveness, with its state.
    pub panicked: Option<&'c (StateId, &'static str, Panic)>,
}

impl Model {
    pub fn new(choice: &Choice<'_>) -> Self {
        Self {
            row: choice.always(KIND.to_string()),
        }
    }

    /// Judged after the other rows: what was found while these were explained belongs to it.
    pub fn judge<'a>(
        &self,
        counts: &ModelFindings,
        context: &Context<'_, 'a>,
        found: &SearchResult<'_, ErasedRefinement<'a>>,
    ) -> Option<Judged> {
        let judged = self.row.judged(Weight::Behaviour, || {
            let faults = faults(counts, context, found);
            let provenance = counts
                .first()
                .and_then(|first| found.states.provenance(first.state));
            if faults.is_empty() {
                Obligation::new(Verdict::Holds, 0)
            } else {
                Obligation {
                    note: provenance.map(str::to_owned),
                    ..Obligation::violated(0, faults)
                }
            }
        });
        judged.filter(|judged| judged.row.verdict != Verdict::Holds)
    }
}

/// Faults of the model.
fn faults<'a>(
    counts: &ModelFindings,
    context: &Context<'_, 'a>,
    found: &SearchResult<'_, ErasedRefinement<'a>>,
) -> Vec<Counterexample> {
    let mut faults = Vec::new();
    let without_steps = Counterexample::without_steps;
    if let Some(panic) = &found.totals.panic {
        faults.push(without_steps(panic.told(UNNAMED)));
    }
    if let Some((place, fault)) = &counts.fault {
        faults.push(explain(found, *place, fault));
    }
    if let Some(misfit) = &found.totals.initial_misfit {
        faults.push(without_steps(misfit.clone()));
    }
    let inconsistent =
        |place, inconsistency| explain(found, place, &ModelFault::Inconsistent(inconsistency));
    if let Some((place, inconsistency)) = counts.again.contradicted() {
        faults.push(inconsistent(place, inconsistency));
    }
    // A model that has just contradicted itself would do so again.
    let mut later = Vec::new();
    if faults.is_empty() {
        let compared = ComparedAnswers {
            found,
            invariants: context.invariants,
            held: &context.held,
            images: context.images,
        };
        match catch(|| compared.unequal()) {
            Ok(None) => (),
            Ok(Some((place, inconsistency))) => later.push(inconsistent(place, inconsistency)),
            Err(panic) => {
                let told = panic.told(UNNAMED);
                later.push(without_steps(format!(
                    "{told}; states were compared after the search"
                )));
            }
        }
    }
    let acting = &counts.again.processes;
    let idle = || {
        if context.images {
            idle_process(context.environment, acting, found)
        } else {
            None
        }
    };
    match catch(idle) {
        Ok(None) => (),
        Ok(Some(process)) => later.push(without_steps(idle::explanation(process, acting))),
        // A row that could not be decided says so.
        Err(_) if context.panicked.is_some() || !faults.is_empty() => (),
        Err(panic) => {
            let told = panic
                .told("`fields`, `map`, or `candidates`, `fire`, `next` or `process` of the specification");
            later.push(without_steps(format!(
                "{told}; the states were looked at after the search"
            )));
        }
    }
    faults.extend(later);
    if let Some((state, during, panic)) = context.panicked {
        faults.push(found.told(found.states.place(*state), panic.told(during)));
    }
    for panic in context.panics {
        faults.push(without_steps(panic.told(UNNAMED)));
    }
    // What was found while the rows before this one were explained, unless it is told already.
    for one in found.take_unrepeated() {
        let is_told = |told: &Counterexample| told.explanation.contains(&one.explanation);
        if !faults.iter().any(is_told) {
            faults.push(one);
        }
    }
    faults
}

fn explain(
    found: &SearchResult<'_, ErasedRefinement<'_>>,
    place: Place,
    fault: &ModelFault,
) -> Counterexample {
    match explanation(fault) {
        // Of a model that contradicts itself the behaviour may be lost; what is wrong is told all the same.
        Some(explanation) => found.told(place, explanation),
        None => found.explained(place, &|trace| {
            let last = trace.steps.last().map(|(action, _)| format!("{action:?}"));
            let action = last.unwrap_or_default();
            let twice = Disagreement::OfferedTwice { action };
            counterexample(found.refinement, trace, twice.to_string())
        }),
    }
}

/// Explanation of a fault, if it can be given without the behaviour that shows it.
pub(super) fn explanation(fault: &ModelFault) -> Option<String> {
    Some(match fault {
        ModelFault::OfferedTwice => return None,
        ModelFault::Told(explanation) => explanation.clone(),
        ModelFault::Asymmetry(asymmetry) => format!("the symmetry is none: {asymmetry}"),
        ModelFault::Mispacked(error) => {
            format!("the state cannot be packed: {error}")
        }
        ModelFault::Inconsistent(found) => format!("the model contradicts itself: {found}"),
        ModelFault::Panic(panic) => panic.told(UNNAMED),
    })
}

impl ModelFindings {
    /// The processes that take actions of the specification, as far as the sample shows.
    pub fn acting(&self) -> &BTreeSet<Process> {
        &self.again.processes
    }

    /// Rules of the specification that are stated as predicates.
    pub fn taken_at_word(&self, rules: &[Rule]) -> Vec<String> {
        let words = self.again.words.keys();
        words
            .map(|word| match word {
                Restated::Initial => "`is_initial` of the specification".to_owned(),
                Restated::Rule(rule) => format!(
                    "`{}` of the specification, as `allows` states it",
                    rules[rule.0].name
                ),
            })
            .collect()
    }
}
