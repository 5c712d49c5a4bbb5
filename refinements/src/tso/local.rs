//! Local invariants: what section 3.2 asserts at program locations, of the TSO lock, of work during get-roots and
//! get-work, of the exit of the mark loop, and of the sweep.
//!
//! Left out are the local invariants of the marks in a mutator's store, which the paper calls the most
//! intricate of its development and does not state.

use refmap::Invariant;
use refmap_processes::Locations;
use refmap_systems::heap::Objects as Refs;
use refmap_systems::tso::{
    HandshakeRound, Label, MarkingStep, OnTheFly, Part, Phase, RoundStep, State, Who,
};

type TsoInvariant = Invariant<OnTheFly>;

const SOURCE: &str = "Gammie et al., section 3.2, Termination of Marking";

/// All of them.
pub(super) fn all(system: &OnTheFly) -> Vec<TsoInvariant> {
    vec![
        tso_lock(system),
        gc_w_empty(system),
        swept_no_grey(system),
        swept_all_marked(system),
    ]
}

/// A process holds the TSO lock if, and only if, it is within a CAS [Fig. 5, lines 6 to 11].
pub fn tso_lock(system: &OnTheFly) -> TsoInvariant {
    let source = "Gammie et al., section 3.2, Coarse TSO Invariants";
    let processes = Who::all(system.scope.mutators);
    let locked: Vec<_> = processes
        .map(|who| (who, within_cas(system, who)))
        .collect();
    let is_within = move |s: &State, (who, within): &(Who, Option<Locations>)| {
        let here = s.location_of(*who);
        within.as_ref().is_some_and(|within| within.contains(here))
    };
    let premise = locked.clone();
    Invariant::new("tso_lock", source, move |s: &State| {
        let mut processes = locked.iter();
        processes.all(|process| is_within(s, process) == (s.sys.lock == Some(process.0)))
    })
    .when(move |s: &State| {
        let mut processes = premise.iter();
        s.sys.lock.is_some() || processes.any(|process| is_within(s, process))
    })
}

/// Locations of a process within a CAS; `None` in the variant without CAS, or if the process marks nothing.
fn within_cas(system: &OnTheFly, who: Who) -> Option<Locations> {
    if !system.variant.has(Part::Cas) {
        return None;
    }
    system.find(who, |label| match label {
        Label::Marking(_, step) => match step {
            MarkingStep::LoadMarkLocked
            | MarkingStep::IsUnchanged
            | MarkingStep::StoreMark
            | MarkingStep::Unlock => true,
            MarkingStep::IsRef
            | MarkingStep::LoadMark
            | MarkingStep::LoadFm
            | MarkingStep::IsWhite
            | MarkingStep::LoadPhase
            | MarkingStep::IsNotIdle
            | MarkingStep::Lock
            | MarkingStep::HasWon
            | MarkingStep::AddToW => false,
        },
        _ => false,
    })
}

/// While roots or work are collected and none has been: if a mutator that has answered holds work, then
/// so does one that has not.
pub fn gc_w_empty(system: &OnTheFly) -> TsoInvariant {
    let source = "Gammie et al., section 3.2, gc_W_empty_mut_inv";
    // The variant without get-work has only get-roots.
    let is_there = collector_at(system, |label| match label {
        Label::Round(HandshakeRound::GetRoots | HandshakeRound::GetWork, step) => {
            step.is_behind_type() || step == RoundStep::TakeWork
        }
        _ => false,
    });
    let work = |s: &State, mutator| {
        let who = Who::Mutator(mutator);
        !s.worklist(who).and(s.honorary_grey(who)).is_empty()
    };
    Invariant::new("gc_W_empty", source, move |s: &State| {
        let (answered, others): (Vec<u8>, Vec<u8>) = s
            .numbers()
            .partition(|mutator| s.sys.ghost_in_sync.contains(*mutator));
        let mut answered = answered.into_iter();
        !answered.any(|mutator| work(s, mutator))
            || others.into_iter().any(|mutator| work(s, mutator))
    })
    .when(move |s: &State| is_there(s) && s.gc.marking.w.is_empty() && s.sys.w.is_empty())
}

/// From the end of the mark loop [Fig. 2, line 35] to the end of the sweep nothing is grey.
pub fn swept_no_grey(system: &OnTheFly) -> TsoInvariant {
    Invariant::new("swept_no_grey", SOURCE, |s: &State| s.grey().is_empty()).when(sweeps(system))
}

/// From the end of the mark loop to the end of the sweep, every object that a mutator can reach is black, so white objects can be freed.
pub fn swept_all_marked(system: &OnTheFly) -> TsoInvariant {
    let reachable = |s: &State| {
        let all = s.numbers().map(|mutator| s.reachable(mutator));
        all.fold(Refs::default(), Refs::and)
    };
    Invariant::new("swept_all_marked", SOURCE, move |s: &State| {
        reachable(s).without(s.black()).is_empty()
    })
    .when(sweeps(system))
    .when(move |s: &State| !reachable(s).is_empty())
}

/// Whether the collector is between the mark loop and its last store.
fn sweeps(system: &OnTheFly) -> impl Fn(&State) -> bool + Send + Sync + use<> {
    collector_at(system, |label| {
        matches!(
            label,
            Label::StorePhase(Phase::Sweep | Phase::Idle) | Label::Sweep(_)
        )
    })
}

/// Predicate: the collector is at a location with a step whose label is accepted.
fn collector_at(
    system: &OnTheFly,
    accepts: fn(Label) -> bool,
) -> impl Fn(&State) -> bool + Send + Sync + use<> {
    let at = system.find(Who::Gc, accepts);
    let at = at.expect("the collector has such a step");
    move |s: &State| at.contains(s.location_of(Who::Gc))
}
