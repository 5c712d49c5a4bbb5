//! Marking [section 2.3, Fig. 5], one step a line; the CAS is spelled out, as in the paper.

use refmap_processes::{assign, sequence, when};

use super::label::{Label, Marker, MarkingStep};
use super::request::{Asks, Command, Place, ask, tell};
use super::scope::{LoadOrder, Part, Variant};
use super::state::{CAS_MARK, MARK, Marks, Phase, REFERENCE, Store, Who};
use crate::heap::{Object as Ref, Objects as Refs};

/// `mark(ref, W)` by `who`, of the reference in `ref`, for a `marker`.
pub(super) fn mark<L: Marks>(marker: Marker, who: Who, variant: Variant) -> Command<L> {
    let on = |step| Label::Marking(marker, step);
    when(
        on(MarkingStep::IsRef),
        |l: &L| l.marking().reference.is_some(),
        sequence([
            loads(marker, who, variant),
            when(
                on(MarkingStep::IsWhite),
                |l: &L| l.marking().mark != l.marking().fm,
                sequence([
                    load_phase(on(MarkingStep::LoadPhase), who),
                    unless_idle(
                        on(MarkingStep::IsNotIdle),
                        claim(marker, who, variant),
                        variant,
                    ),
                ]),
            )
            .reads(L::FM | MARK.into())
            .fuse_with_previous()
            .from_source("Gammie et al., Fig. 5, line 3"),
        ]),
    )
    .reads(REFERENCE)
    .fuse_with_previous()
    .from_source("Gammie et al., Fig. 5; section 2.3")
}

/// Lines 2 and 3. The one place in which the order of these loads matters.
fn loads<L: Marks>(marker: Marker, who: Who, variant: Variant) -> Command<L> {
    let on = |step| Label::Marking(marker, step);
    let mark = load_mark(on(MarkingStep::LoadMark), who);
    let sense = load_fm(on(MarkingStep::LoadFm), who);
    match variant.load_order {
        LoadOrder::MarkFirst => sequence([mark, sense]),
        LoadOrder::SenseFirst => sequence([sense, mark]),
    }
}

/// Line 4. The one place in which the phase test matters.
fn unless_idle<L: Marks>(label: Label, then: Command<L>, variant: Variant) -> Command<L> {
    if !variant.has(Part::PhaseTest) {
        return then;
    }
    when(label, |l: &L| l.marking().phase != Phase::Idle, then)
        .reads(L::PHASE)
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 5, line 4")
}

/// Lines 5 to 13. The one place in which the CAS matters.
fn claim<L: Marks>(marker: Marker, who: Who, variant: Variant) -> Command<L> {
    let on = |step| Label::Marking(marker, step);
    let is_unchanged = |l: &L| l.marking().cas_mark == l.marking().mark;
    if !variant.has(Part::Cas) {
        return sequence([
            store_mark(on(MarkingStep::StoreMark), who),
            add_to_w(on(MarkingStep::AddToW)),
        ]);
    }
    sequence([
        tell(on(MarkingStep::Lock), who, |_: &L| Asks::Lock)
            .from_source("Gammie et al., Fig. 5, line 5"),
        load_cas_mark(on(MarkingStep::LoadMarkLocked), who),
        when(
            on(MarkingStep::IsUnchanged),
            is_unchanged,
            store_mark(on(MarkingStep::StoreMark), who),
        )
        .reads([MARK, CAS_MARK])
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 5, line 6"),
        tell(on(MarkingStep::Unlock), who, |_: &L| Asks::Unlock)
            .from_source("Gammie et al., Fig. 5, line 11"),
        when(
            on(MarkingStep::HasWon),
            is_unchanged,
            add_to_w(on(MarkingStep::AddToW)),
        )
        .reads([MARK, CAS_MARK])
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 5, line 12"),
    ])
}

/// The reference that is being marked.
fn reference<L: Marks>(l: &L) -> Ref {
    let reference = l.marking().reference;
    reference.expect("the null reference is not marked")
}

fn load_mark<L: Marks>(label: Label, who: Who) -> Command<L> {
    ask(
        label,
        who,
        |l: &L| Asks::Load(Place::Mark(reference(l))),
        |l, answer| l.marking_mut().mark = answer.mark(),
    )
    .reads(REFERENCE)
    .writes(MARK)
    .from_source("Gammie et al., Fig. 5, line 3")
}

fn load_cas_mark<L: Marks>(label: Label, who: Who) -> Command<L> {
    ask(
        label,
        who,
        |l: &L| Asks::Load(Place::Mark(reference(l))),
        |l, answer| l.marking_mut().cas_mark = answer.mark(),
    )
    .reads(REFERENCE)
    .writes(CAS_MARK)
    .from_source("Gammie et al., Fig. 5, line 6")
}

pub(super) fn load_fm<L: Marks>(label: impl Into<Label>, who: Who) -> Command<L> {
    ask(
        label,
        who,
        |_: &L| Asks::Load(Place::FM),
        |l, answer| l.marking_mut().fm = answer.mark(),
    )
    .writes(L::FM)
    .from_source("Gammie et al., Fig. 5, line 2")
}

fn load_phase<L: Marks>(label: Label, who: Who) -> Command<L> {
    ask(
        label,
        who,
        |_: &L| Asks::Load(Place::Phase),
        |l, answer| l.marking_mut().phase = answer.phase(),
    )
    .writes(L::PHASE)
    .from_source("Gammie et al., Fig. 5, line 4")
}

fn store_mark<L: Marks>(label: Label, who: Who) -> Command<L> {
    ask(
        label,
        who,
        |l: &L| {
            let sense = l.marking().fm.expect("it has been loaded");
            Asks::Store(Store::Mark(reference(l), sense))
        },
        |l, _| {
            let marked = reference(l);
            l.marking_mut().ghost_honorary_grey = Refs::one(marked);
        },
    )
    .reads(L::FM | REFERENCE.into())
    .from_source("Gammie et al., Fig. 5, lines 8–9")
}

fn add_to_w<L: Marks>(label: Label) -> Command<L> {
    assign(label, |l: &mut L| {
        let marked = reference(l);
        l.marking_mut().w.insert(marked);
        l.marking_mut().ghost_honorary_grey = Refs::default();
    })
    .reads(REFERENCE)
    .from_source("Gammie et al., Fig. 5, lines 13–14")
}
