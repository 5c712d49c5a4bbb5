//! Handshakes [section 2.2, Fig. 4]: the collector's side, the mutator's, and the system's state between
//! them. Deviation D2: the bits are not subject to the memory model, nor are worklists.

use refmap_processes::{assign, choose, sequence, when, when_else, while_do};

use super::handshake_round::HandshakeRound;
use super::label::{AnswerStep, Label, Marker, RoundStep};
use super::marking::mark;
use super::request::{Answer, Asks, Command, Handshake, ask, remove, tell};
use super::scope::{Part, ResidualFence, Variant};
use super::state::{Gc, HandshakeType, Mutator, Mutators, REFERENCE, Sys, Who, gc, mutator};
use crate::heap::Objects as Refs;

/// A handshake round of the collector. A noop handshake begins with a fence, and the others end with the transfer of the work handed
/// over.
pub(super) fn handshake(round: HandshakeRound, mutators: u8, variant: Variant) -> Command<Gc> {
    let is_there = round.part().is_none_or(|part| variant.has(part));
    let is_noop = round.handshake() == HandshakeType::Noop;
    let is_fenced = is_there || variant.residual_fence == ResidualFence::Present;
    let mut steps = Vec::new();
    if is_noop && is_fenced && variant.has(Part::CollectorFence) {
        let fence = Label::Round(round, RoundStep::Fence);
        let fence = tell(fence, Who::Gc, |_: &Gc| Asks::Mfence);
        steps.push(fence.from_source("Gammie et al., Fig. 4; section 3.1, System"));
    }
    if is_there {
        steps.push(begin(round, mutators));
        steps.push(wait(round, mutators));
        if !is_noop {
            steps.push(take_work(round));
        }
    }
    sequence(steps)
}

/// Initiation: sets the type, and then the pending bits in any order.
fn begin(round: HandshakeRound, mutators: u8) -> Command<Gc> {
    let on = |step| Label::Round(round, step);
    let (handshake, phase) = (round.handshake(), round.phase());
    let source = "Gammie et al., Fig. 4, initiation";
    sequence([
        tell(on(RoundStep::SetType), Who::Gc, move |_: &Gc| {
            Asks::Handshake(Handshake::Begin(handshake, phase))
        })
        .from_source(source),
        all_mutators(on(RoundStep::AskAll), mutators),
        while_do(
            on(RoundStep::MoreToAsk),
            |l: &Gc| !l.muts.is_empty(),
            sequence([
                choose_mutator(on(RoundStep::ChooseWhomToAsk)),
                tell(on(RoundStep::SetPending), Who::Gc, |l: &Gc| {
                    Asks::Handshake(Handshake::SetPending(l.mutator))
                })
                .reads(gc::MUTATOR)
                .from_source(source),
                remove(on(RoundStep::Asked), |l: &mut Gc| {
                    l.muts.set(l.mutator, false)
                })
                .reads([gc::MUTATOR, gc::MUTS])
                .from_source(source),
            ]),
        )
        .reads(gc::MUTS)
        .fuse_with_previous()
        .from_source(source),
    ])
}

/// Polling: waits until every mutator has answered.
fn wait(round: HandshakeRound, mutators: u8) -> Command<Gc> {
    let on = |step| Label::Round(round, step);
    let source = "Gammie et al., Fig. 4, polling";
    sequence([
        all_mutators(on(RoundStep::WaitForAll), mutators),
        while_do(
            on(RoundStep::MoreToWaitFor),
            |l: &Gc| !l.muts.is_empty(),
            sequence([
                choose_mutator(on(RoundStep::ChooseWhomToPoll)),
                ask(
                    on(RoundStep::Poll),
                    Who::Gc,
                    |l: &Gc| Asks::Handshake(Handshake::HasAnswered(l.mutator)),
                    |l, answer| {
                        l.muts
                            .set(l.mutator, l.muts.contains(l.mutator) && !answer.bool())
                    },
                )
                .reads([gc::MUTATOR, gc::MUTS])
                .from_source(source),
            ]),
        )
        .reads(gc::MUTS)
        .fuse_with_previous()
        .from_source(source),
    ])
}

fn all_mutators(label: Label, mutators: u8) -> Command<Gc> {
    assign(label, move |l: &mut Gc| l.muts = Mutators::first(mutators))
        .writes(gc::MUTS)
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 4")
}

fn choose_mutator(label: Label) -> Command<Gc> {
    choose(label, |l: &Gc, visit| {
        for mutator in l.muts.iter() {
            visit(Gc { mutator, ..*l });
        }
    })
    .reads(gc::MUTS)
    .writes(gc::MUTATOR)
    .fuse_with_previous()
    .fuse_with_next()
    .from_source("Gammie et al., Fig. 4")
}

fn take_work(round: HandshakeRound) -> Command<Gc> {
    ask(
        Label::Round(round, RoundStep::TakeWork),
        Who::Gc,
        |_: &Gc| Asks::Handshake(Handshake::TakeWork),
        |l, answer| l.marking.w = answer.refs(),
    )
    .from_source("Gammie et al., Fig. 2, lines 20 and 34")
}

/// The mutator's side [Fig. 2, the `at` statements].
pub(super) fn answer(me: u8, variant: Variant) -> Command<Mutator> {
    let who = Who::Mutator(me);
    let source = "Gammie et al., Fig. 4, the mutator";
    let fence = tell(AnswerStep::Fence, who, |_: &Mutator| Asks::Mfence).from_source(source);
    let fence = if variant.has(Part::MutatorFence) {
        fence
    } else {
        sequence([])
    };
    sequence([
        ask(
            AnswerStep::Poll,
            who,
            move |_: &Mutator| Asks::Handshake(Handshake::IsAsked(me)),
            |l, answer| l.is_asked = answer.bool(),
        )
        .writes(mutator::IS_ASKED)
        .from_source(source),
        when(
            AnswerStep::IsAsked,
            |l: &Mutator| l.is_asked,
            sequence([
                fence,
                ask(
                    AnswerStep::LoadType,
                    who,
                    |_: &Mutator| Asks::Handshake(Handshake::Type),
                    |l, answer| l.handshake = answer.handshake(),
                )
                .writes(mutator::HANDSHAKE)
                .from_source(source),
                is_type(
                    HandshakeType::Noop,
                    noop_done(me),
                    is_type(
                        HandshakeType::GetRoots,
                        sequence([mark_roots(who, variant), get_roots_done(me, variant)]),
                        is_type(HandshakeType::GetWork, get_work_done(me), sequence([])),
                    ),
                ),
            ]),
        )
        .reads(mutator::IS_ASKED)
        .fuse_with_previous()
        .from_source(source),
    ])
}

fn is_type(
    handshake: HandshakeType,
    then: Command<Mutator>,
    otherwise: Command<Mutator>,
) -> Command<Mutator> {
    when_else(
        AnswerStep::IsType(handshake),
        move |l: &Mutator| l.handshake == handshake,
        then,
        otherwise,
    )
    .reads(mutator::HANDSHAKE)
    .fuse_with_previous()
    .from_source("Gammie et al., Fig. 4, the mutator")
}

/// Marks the roots in any order [Fig. 2, lines 18–19]. The one place in which root marking matters.
fn mark_roots(who: Who, variant: Variant) -> Command<Mutator> {
    if !variant.has(Part::RootMarking) {
        return sequence([]);
    }
    let source = "Gammie et al., Fig. 2, line 18";
    sequence([
        assign(AnswerStep::AllRoots, |l: &mut Mutator| l.refs = l.roots)
            .writes(mutator::REFS)
            .fuse_with_previous()
            .from_source(source),
        while_do(
            AnswerStep::RootToMark,
            |l: &Mutator| !l.refs.is_empty(),
            sequence([
                choose(AnswerStep::ChooseRoot, |l: &Mutator, visit| {
                    for root in l.refs.iter() {
                        let mut to = *l;
                        to.marking.reference = Some(root);
                        visit(to);
                    }
                })
                .reads(mutator::REFS)
                .writes(REFERENCE)
                .fuse_with_previous()
                .fuse_with_next()
                .from_source(source),
                mark(Marker::GetRoots, who, variant),
                remove(AnswerStep::RootMarked, |l: &mut Mutator| {
                    if let Some(root) = l.marking.reference {
                        l.refs.remove(root);
                    }
                })
                .reads([mutator::REFS, REFERENCE])
                .from_source(source),
            ]),
        )
        .reads(mutator::REFS)
        .from_source(source),
    ])
}

/// Whether mutators record that their roots are marked.
fn keeps_roots_marked(variant: Variant) -> bool {
    !variant.has(Part::InsertionBarrierAfterRoots)
}

fn noop_done(me: u8) -> Command<Mutator> {
    ask(
        AnswerStep::Done(HandshakeType::Noop),
        Who::Mutator(me),
        move |_: &Mutator| Asks::Handshake(Handshake::Done(me, Refs::default())),
        |l, answer| {
            l.ghost_phase = answer.ghost();
            l.roots_marked = false;
        },
    )
    .from_source("Gammie et al., Fig. 2, lines 4, 7, 10 and 14")
}

fn get_roots_done(me: u8, variant: Variant) -> Command<Mutator> {
    let kept = keeps_roots_marked(variant);
    ask(
        AnswerStep::Done(HandshakeType::GetRoots),
        Who::Mutator(me),
        move |l: &Mutator| Asks::Handshake(Handshake::Done(me, l.marking.w)),
        move |l, answer| {
            l.ghost_phase = answer.ghost();
            l.marking.w = Default::default();
            l.roots_marked = kept;
        },
    )
    .from_source("Gammie et al., Fig. 2, line 20")
}

fn get_work_done(me: u8) -> Command<Mutator> {
    ask(
        AnswerStep::Done(HandshakeType::GetWork),
        Who::Mutator(me),
        move |l: &Mutator| Asks::Handshake(Handshake::Done(me, l.marking.w)),
        |l, _| l.marking.w = Default::default(),
    )
    .from_source("Gammie et al., Fig. 2, line 34")
}

impl Sys {
    /// The system's side [section 3.1, System].
    pub(super) fn handshake(&mut self, asks: Handshake) -> Answer {
        match asks {
            Handshake::Begin(handshake, phase) => {
                self.handshake = handshake;
                self.ghost_phase = phase.unwrap_or(self.ghost_phase);
                self.ghost_in_sync = Default::default();
                Answer::Void
            }
            Handshake::SetPending(mutator) => {
                self.pending.set(mutator, true);
                Answer::Void
            }
            Handshake::HasAnswered(mutator) => Answer::Bool(!self.pending.contains(mutator)),
            Handshake::TakeWork => Answer::Refs(std::mem::take(&mut self.w)),
            Handshake::IsAsked(mutator) => Answer::Bool(self.pending.contains(mutator)),
            Handshake::Type => Answer::Type(self.handshake),
            Handshake::Done(mutator, work) => {
                self.pending.set(mutator, false);
                self.ghost_in_sync.set(mutator, true);
                self.w = self.w.and(work);
                Answer::Ghost(self.ghost_phase)
            }
        }
    }
}
