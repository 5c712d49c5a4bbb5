//! Test of stability claims against all behaviours of the other processes while one process does not move.

use std::collections::{HashMap, HashSet};

use refmap::TransitionSystem;
use refmap::internal::Quotient;
use refmap::internal::explore::Quotienting;
use strum::VariantArray;

use super::super::label::{AnswerStep, MutatorStep, SetFaStep};
use super::super::naive_search::reached;
use super::super::scope::{Granularity, Scope};
use super::super::system::OnTheFly;
use super::*;

/// At granularity reduced, where the object to sweep is chosen before its mark is loaded.
fn system(mutators: u8, variant: Variant) -> OnTheFly {
    let scope = Scope::new(mutators, 1, Granularity::Reduced);
    OnTheFly::new(scope, variant).expect("it is in range")
}

/// Stability claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Claim {
    FM,
    Phase,
    Idle,
    Marked,
    /// Marked until the sense in memory changes; and once marked with the new sense, it stays so.
    MarkedUntilFlip,
    Swept,
}

impl Claim {
    /// Claims on a step.
    fn of(label: Label) -> &'static [Self] {
        match label {
            Label::Sweep(SweepStep::LoadMark) => &[Self::Swept],
            Label::Marking(_, MarkingStep::LoadMark) => {
                &[Self::Marked, Self::MarkedUntilFlip, Self::Idle]
            }
            Label::Marking(_, MarkingStep::LoadFm)
            | Label::Flip(FlipStep::LoadFm)
            | Label::SetFa(SetFaStep::LoadFm)
            | Label::Sweep(SweepStep::LoadFm) => &[Self::FM],
            Label::Marking(_, MarkingStep::LoadPhase) => &[Self::Phase],
            _ => &[],
        }
    }

    fn is_claimed(self, stability: &Stability, state: &State, process: usize) -> bool {
        match self {
            Self::FM => stability.is_stable(state, process, Shared::FM),
            Self::Phase => stability.is_stable(state, process, Shared::Phase),
            Self::Idle => stability.stays_idle(state, process),
            Self::Marked => stability.stays_marked(state, process),
            Self::MarkedUntilFlip => stability.stays_marked_until_flip(state, process),
            Self::Swept => stability.stays_swept(state),
        }
    }

    /// The loaded value; for the sweep, whether the object is freed.
    fn value(self, state: &State, who: Who) -> (Option<bool>, Option<Phase>) {
        let mark = |reference| state.sys.load(who, Place::Mark(reference)).mark();
        match self {
            Self::FM => (state.sys.load(who, Place::FM).mark(), None),
            Self::Phase | Self::Idle => (None, Some(state.sys.load(who, Place::Phase).phase())),
            Self::Marked | Self::MarkedUntilFlip => {
                (state.marking(who).reference.and_then(mark), None)
            }
            Self::Swept => {
                let mark = mark(state.gc.src);
                (Some(mark.is_some() && mark != state.gc.marking.fm), None)
            }
        }
    }
}

/// Whether the value changes while a process does not move: the others finish their operations, answer
/// handshakes and allocate.
fn changes(system: &OnTheFly, state: &State, process: usize, claim: Claim) -> bool {
    let processes = &system.processes;
    let who = Who::at(process).expect("the system loads nothing");
    let others = |from: &State, visit: &mut dyn FnMut(State)| {
        for other in (0..processes.processes()).filter(|other| *other != process) {
            let labels: Vec<_> = processes.labels(other, from.at[other]).collect();
            let rests = labels.contains(&MutatorStep::Discard.into());
            let goes_on = |step: usize| {
                let wanted = [AnswerStep::Poll.into(), MutatorStep::Alloc.into()];
                !rests || wanted.contains(&labels[step])
            };
            let mut state = *from;
            processes.steps_of(other, &goes_on, &mut state, &mut |_, to| visit(*to));
        }
    };
    let now = claim.value(state, who);
    if claim != Claim::MarkedUntilFlip {
        let (_, is_found) = reached(vec![*state], others, |to| claim.value(to, who) != now);
        return is_found;
    }
    let is_of = |to: &State, sense| claim.value(to, who) == (Some(sense), None);
    let (old, new) = (state.sys.fm, !state.sys.fm);
    let is_lost = |to: &State| to.sys.fm == old && !is_of(to, old);
    let (all, is_found) = reached(vec![*state], others, is_lost);
    let mut marked_anew = all.iter().filter(|from| is_of(from, new));
    is_found
        || marked_anew.any(|from| {
            let mut is_unmarked = false;
            others(from, &mut |to| is_unmarked |= !is_of(&to, new));
            is_unmarked
        })
}

/// Of each claim, how many instances were tested, and how many values that are not claimed to be stable change.
fn compare(mutators: u8, variant: Variant) -> Vec<(Claim, [usize; 2])> {
    let system = system(mutators, variant);
    let stability = Stability::new(&system.processes, variant);
    let quotient = Quotient::of(&system).expect("there are names");
    let mut initial = Vec::new();
    system.initial(&mut |state| initial.push(state));
    // Steps at the granularity of the processes, modulo symmetry.
    let steps = |from: &State, visit: &mut dyn FnMut(State)| {
        let visit = &mut |_, to: &State| visit(quotient.canonical(&system, to));
        system.processes.steps(from, visit);
    };
    let (all, _) = reached(initial, steps, |_| false);
    let mut tried = HashSet::new();
    let all_claims = [
        Claim::FM,
        Claim::Phase,
        Claim::Idle,
        Claim::Marked,
        Claim::MarkedUntilFlip,
        Claim::Swept,
    ];
    let mut counts = all_claims.map(|claim| (claim, [0, 0]));
    for state in &all {
        for process in (0..mutators).map(place_of).chain([GC]) {
            let mut labels = system.processes.labels(process, state.at[process]);
            let label = labels.next().expect("there is a step");
            for claim in Claim::of(label) {
                let is_claimed = claim.is_claimed(&stability, state, process);
                // One of each class.
                let gc = (state.at[GC], state.gc.marking.fm == Some(state.sys.fm));
                let asked = state.sys.pending;
                let is_marked = state.sys.heap[0].map(|object| object.mark == state.sys.fm);
                let is_fa = state.sys.fa == state.sys.fm;
                let memory = (state.sys.phase, is_marked, is_fa);
                if !tried.insert((*claim, label, process, is_claimed, gc, asked, memory)) {
                    continue;
                }
                let changes = changes(&system, state, process, *claim);
                assert!(
                    !(is_claimed && changes),
                    "{claim:?} of {process} in {variant:?}: {state:#?}"
                );
                let of = counts.iter_mut().find(|(other, _)| other == claim);
                let (_, counts) = of.expect("it is one of them");
                counts[usize::from(!is_claimed)] += usize::from(is_claimed || changes);
            }
        }
    }
    counts.into()
}

/// Tests all claims, and that each was tested often enough.
fn compare_all(variants: impl IntoIterator<Item = (u8, Variant)>) {
    let mut total: HashMap<Claim, [usize; 2]> = HashMap::new();
    for (mutators, variant) in variants {
        for (claim, counts) in compare(mutators, variant) {
            let sum = total.entry(claim).or_default();
            *sum = [sum[0] + counts[0], sum[1] + counts[1]];
        }
    }
    for (claim, [same, changing]) in total {
        assert!(same >= 5 && changing >= 5, "{claim:?}: {same}, {changing}");
    }
}

fn senses() -> [Variant; 2] {
    [Allocate::NotFa, Allocate::WhiteInMark].map(|allocate| Variant {
        allocate,
        ..Variant::default()
    })
}

#[test]
fn what_is_claimed_to_stay_the_same_does() {
    let mut variants = vec![Variant::default()];
    variants.extend(Part::VARIANTS.iter().copied().map(Variant::without));
    variants.extend(senses());
    let mut variants: Vec<_> = variants.into_iter().map(|variant| (1, variant)).collect();
    variants.push((2, Variant::default()));
    compare_all(variants);
}

#[test]
#[ignore = "some 5 minutes"]
fn nightly_what_is_claimed_to_stay_the_same_does_with_two_mutators() {
    let parts = [Part::IdleNoop, Part::InitNoop, Part::MarkNoop].map(Variant::without);
    let variants = parts.into_iter().chain(senses());
    compare_all(variants.map(|variant| (2, variant)));
}
