//! The collector [Fig. 2; the marking loop: Fig. 10].

use refmap_processes::{assign, choose, forever, sequence, when, while_do};

use super::handshake_round::HandshakeRound;
use super::handshakes::handshake;
use super::label::{FlipStep, Label, MarkLoopStep, Marker, SetFaStep, SweepStep};
use super::marking::{load_fm, mark};
use super::request::{Asks, Command, Place, ask, remove, tell};
use super::scope::{Flip, Scope, Variant};
use super::state::{Gc, MARK, Phase, REFERENCE, Store, Who, gc};
use crate::heap::Objects as Refs;

type GcCommand = Command<Gc>;

/// The collector's loop.
pub(super) fn collector(scope: &Scope, variant: Variant) -> GcCommand {
    let handshake = |round| handshake(round, scope.mutators, variant);
    let flip_here = |here: Flip| {
        if variant.flip == here {
            sequence([
                load_fm(SetFaStep::LoadFm, Who::Gc),
                tell(SetFaStep::StoreFa, Who::Gc, |l: &Gc| {
                    Asks::Store(Store::FA(fm(l)))
                })
                .from_source("Gammie et al., Fig. 2, line 12"),
            ])
        } else {
            sequence([])
        }
    };
    forever(sequence([
        handshake(HandshakeRound::Idle),
        load_fm(FlipStep::LoadFm, Who::Gc),
        assign(FlipStep::Invert, |l: &mut Gc| l.marking.fm = Some(!fm(l)))
            .from_source("Gammie et al., Fig. 2, line 5"),
        tell(FlipStep::StoreFm, Who::Gc, |l: &Gc| {
            Asks::Store(Store::FM(fm(l)))
        })
        .from_source("Gammie et al., Fig. 2, line 5"),
        handshake(HandshakeRound::IdleFlip),
        store_phase(Phase::Init, "Gammie et al., Fig. 2, line 8"),
        flip_here(Flip::BeforeInit),
        handshake(HandshakeRound::Init),
        store_phase(Phase::Mark, "Gammie et al., Fig. 2, line 11"),
        flip_here(Flip::BeforeMark),
        handshake(HandshakeRound::Mark),
        handshake(HandshakeRound::GetRoots),
        mark_loop(scope, variant),
        store_phase(Phase::Sweep, "Gammie et al., Fig. 2, line 37"),
        sweep(scope),
        store_phase(Phase::Idle, "Gammie et al., Fig. 2, line 46"),
    ]))
}

/// The collector's copy of `fM`.
fn fm(l: &Gc) -> bool {
    l.marking.fm.expect("the collector always has its copy")
}

/// A store of the phase, which is also remembered.
fn store_phase(phase: Phase, source: &'static str) -> GcCommand {
    ask(
        Label::StorePhase(phase),
        Who::Gc,
        move |_: &Gc| Asks::Store(Store::Phase(phase)),
        move |l, _| l.marking.phase = phase,
    )
    .from_source(source)
}

/// Lines 25 to 34, and Fig. 10.
fn mark_loop(scope: &Scope, variant: Variant) -> GcCommand {
    let has_work = |l: &Gc| !l.marking.w.is_empty();
    while_do(
        MarkLoopStep::Work,
        has_work,
        sequence([
            while_do(
                MarkLoopStep::OwnWork,
                has_work,
                sequence([
                    choose_src(),
                    trace_fields(scope, variant),
                    assign(MarkLoopStep::Blacken, |l: &mut Gc| {
                        l.marking.w.remove(l.src)
                    })
                    .reads(gc::SRC)
                    .from_source("Gammie et al., Fig. 2, line 30"),
                ]),
            )
            .fuse_with_previous()
            .from_source("Gammie et al., Fig. 2, line 26"),
            handshake(HandshakeRound::GetWork, scope.mutators, variant),
        ]),
    )
    .from_source("Gammie et al., Fig. 2, line 25")
}

fn choose_src() -> GcCommand {
    choose(MarkLoopStep::ChooseSrc, |l: &Gc, visit| {
        for src in l.marking.w.iter() {
            visit(Gc { src, ..*l });
        }
    })
    .writes(gc::SRC)
    .fuse_with_previous()
    .fuse_with_next()
    .from_source("Gammie et al., Fig. 2, line 27")
}

/// Lines 28 and 29.
fn trace_fields(scope: &Scope, variant: Variant) -> GcCommand {
    let all = (1 << scope.fields) - 1;
    let source = "Gammie et al., Fig. 2, line 28";
    sequence([
        assign(MarkLoopStep::AllFields, move |l: &mut Gc| l.fields = all)
            .writes(gc::FIELDS)
            .fuse_with_previous()
            .from_source(source),
        while_do(
            MarkLoopStep::FieldToTrace,
            |l: &Gc| l.fields != 0,
            sequence([
                choose(MarkLoopStep::ChooseField, |l: &Gc, visit| {
                    for field in Refs(l.fields).iter() {
                        visit(Gc { field, ..*l });
                    }
                })
                .reads(gc::FIELDS)
                .writes(gc::FIELD)
                .fuse_with_previous()
                .fuse_with_next()
                .from_source(source),
                ask(
                    MarkLoopStep::LoadField,
                    Who::Gc,
                    |l: &Gc| Asks::Load(Place::Field(l.src, l.field)),
                    |l, answer| l.marking.reference = answer.reference(),
                )
                .reads([gc::SRC, gc::FIELD])
                .writes(REFERENCE)
                .from_source("Gammie et al., Fig. 2, line 29"),
                mark(Marker::MarkLoop, Who::Gc, variant),
                remove(MarkLoopStep::FieldTraced, |l: &mut Gc| {
                    l.fields &= !(1 << l.field);
                })
                .reads([gc::FIELDS, gc::FIELD])
                .from_source(source),
            ]),
        )
        .reads(gc::FIELDS)
        .fuse_with_previous()
        .from_source(source),
    ])
}

/// Lines 38 to 45.
fn sweep(scope: &Scope) -> GcCommand {
    let all = Refs::first(scope.refs);
    sequence([
        load_fm(SweepStep::LoadFm, Who::Gc),
        assign(SweepStep::AllRefs, move |l: &mut Gc| l.refs = all)
            .writes(gc::REFS)
            .fuse_with_previous()
            .from_source("Gammie et al., Fig. 2, line 38"),
        while_do(
            SweepStep::RefToLookAt,
            |l: &Gc| !l.refs.is_empty(),
            sequence([
                choose(SweepStep::ChooseRef, |l: &Gc, visit| {
                    for src in l.refs.iter() {
                        visit(Gc { src, ..*l });
                    }
                })
                .reads(gc::REFS)
                .writes(gc::SRC)
                .fuse_with_previous()
                .fuse_with_next()
                .from_source("Gammie et al., Fig. 2, line 40"),
                ask(
                    SweepStep::LoadMark,
                    Who::Gc,
                    |l: &Gc| Asks::Load(Place::Mark(l.src)),
                    |l, answer| l.marking.mark = answer.mark(),
                )
                .reads(gc::SRC)
                .writes(MARK)
                .from_source("Gammie et al., Fig. 2, line 41"),
                when(
                    SweepStep::IsWhite,
                    |l: &Gc| l.marking.mark.is_some() && l.marking.mark != l.marking.fm,
                    tell(SweepStep::Free, Who::Gc, |l: &Gc| Asks::Free(l.src))
                        .reads(gc::SRC)
                        .from_source("Gammie et al., Fig. 2, line 44"),
                )
                .reads(MARK)
                .fuse_with_previous()
                .from_source("Gammie et al., Fig. 2, line 41"),
                remove(SweepStep::RefDone, |l: &mut Gc| l.refs.remove(l.src))
                    .reads([gc::REFS, gc::SRC])
                    .from_source("Gammie et al., Fig. 2, line 45"),
            ]),
        )
        .reads(gc::REFS)
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 2, line 39"),
    ])
}
