//! Marking [section 2.3, Fig. 5], one step a line; the CAS is spelled out, as in the paper.

use refmap_processes::{Command, assign, sequence, when};

use super::request::{Answer, Asks, Place, Request, ask, tell};
use super::scope::{Loads, Part, Variant};
use super::state::{CAS_MARK, MARK, Marks, Phase, REFERENCE, Store, Who};
use crate::heap::{Object as Ref, Objects as Refs};

/// `mark(ref, W)` by `who`, of the reference in `ref`, at a place of its program called `at`.
pub(super) fn mark<L: Marks>(at: &str, who: Who, variant: Variant) -> Command<L, Request, Answer> {
    let on = |step: &str| format!("{at}: {step}");
    when(
        on("ref ≠ null"),
        |l: &L| l.marking().reference.is_some(),
        sequence([
            loads(&on, who, variant),
            when(
                on("mark ≠ fM"),
                |l: &L| l.marking().mark != l.marking().fm,
                sequence([
                    load_phase(&on("load phase"), who),
                    unless_idle(&on("phase ≠ Idle"), claim(at, who, variant), variant),
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
fn loads<L: Marks>(
    on: &dyn Fn(&str) -> String,
    who: Who,
    variant: Variant,
) -> Command<L, Request, Answer> {
    let mark = load_mark(&on("load mark"), who);
    let sense = load_fm(&on("load fM"), who);
    match variant.loads {
        Loads::MarkFirst => sequence([mark, sense]),
        Loads::SenseFirst => sequence([sense, mark]),
    }
}

/// Line 4. The one place in which the phase test matters.
fn unless_idle<L: Marks>(
    label: &str,
    then: Command<L, Request, Answer>,
    variant: Variant,
) -> Command<L, Request, Answer> {
    if !variant.has(Part::PhaseTest) {
        return then;
    }
    when(label, |l: &L| l.marking().phase != Phase::Idle, then)
        .reads(L::PHASE)
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 5, line 4")
}

/// Lines 5 to 13. The one place in which the CAS matters.
fn claim<L: Marks>(at: &str, who: Who, variant: Variant) -> Command<L, Request, Answer> {
    let on = |step: &str| format!("{at}: {step}");
    let is_unchanged = |l: &L| l.marking().cas_mark == l.marking().mark;
    if !variant.has(Part::Cas) {
        return sequence([
            store_mark(&on("store mark"), who),
            add_to_w(&on("add to W")),
        ]);
    }
    sequence([
        tell(on("lock"), who, |_: &L| Asks::Lock).from_source("Gammie et al., Fig. 5, line 5"),
        load_cas_mark(&on("load mark, locked"), who),
        when(
            on("mark is unchanged"),
            is_unchanged,
            store_mark(&on("store mark"), who),
        )
        .reads([MARK, CAS_MARK])
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 5, line 6"),
        tell(on("unlock"), who, |_: &L| Asks::Unlock).from_source("Gammie et al., Fig. 5, line 11"),
        when(on("won"), is_unchanged, add_to_w(&on("add to W")))
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

fn load_mark<L: Marks>(label: &str, who: Who) -> Command<L, Request, Answer> {
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

fn load_cas_mark<L: Marks>(label: &str, who: Who) -> Command<L, Request, Answer> {
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

pub(super) fn load_fm<L: Marks>(label: &str, who: Who) -> Command<L, Request, Answer> {
    ask(
        label,
        who,
        |_: &L| Asks::Load(Place::FM),
        |l, answer| l.marking_mut().fm = answer.mark(),
    )
    .writes(L::FM)
    .from_source("Gammie et al., Fig. 5, line 2")
}

fn load_phase<L: Marks>(label: &str, who: Who) -> Command<L, Request, Answer> {
    ask(
        label,
        who,
        |_: &L| Asks::Load(Place::Phase),
        |l, answer| l.marking_mut().phase = answer.phase(),
    )
    .writes(L::PHASE)
    .from_source("Gammie et al., Fig. 5, line 4")
}

fn store_mark<L: Marks>(label: &str, who: Who) -> Command<L, Request, Answer> {
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

fn add_to_w<L: Marks>(label: &str) -> Command<L, Request, Answer> {
    assign(label, |l: &mut L| {
        let marked = reference(l);
        l.marking_mut().w.insert(marked);
        l.marking_mut().ghost_honorary_grey = Refs::default();
    })
    .reads(REFERENCE)
    .from_source("Gammie et al., Fig. 5, lines 13–14")
}
