//! A mutator [section 2.3, Fig. 6]: the most general program.

use refmap_processes::{assign, choice, choose, forever, sequence, when};

use super::handshakes;
use super::label::{Marker, MutatorStep};
use super::marking::mark;
use super::request::{Asks, Command, Place, ask, tell};
use super::scope::{Barriers, Granularity, Part, Scope, Variant};
use super::state::{Mutator, REFERENCE, Store, Who, mutator as register};
use crate::heap::Objects as Refs;

type MutatorCommand = Command<Mutator>;

/// Mutator `me`.
pub(super) fn mutator(me: u8, scope: &Scope, variant: Variant) -> MutatorCommand {
    let who = Who::Mutator(me);
    forever(choice([
        alloc(who),
        discard(),
        load(who, scope),
        store(who, scope, variant),
        tell(MutatorStep::Fence, who, |_: &Mutator| Asks::Mfence)
            .from_source("Gammie et al., section 3.1, Mutators"),
        handshakes::answer(me, variant),
    ]))
}

/// Lines 13 to 18.
fn alloc(who: Who) -> MutatorCommand {
    ask(
        MutatorStep::Alloc,
        who,
        |_: &Mutator| Asks::Alloc,
        |l, answer| l.roots = l.roots.with(answer.reference()),
    )
    .from_source("Gammie et al., Fig. 6, Alloc")
}

/// Lines 20 and 21, of any number of roots.
fn discard() -> MutatorCommand {
    choose(MutatorStep::Discard, |l: &Mutator, visit| {
        for roots in l.roots.subsets() {
            visit(Mutator { roots, ..*l });
        }
    })
    .from_source("Gammie et al., Fig. 6, Discard")
}

/// Lines 5 and 6.
fn load(who: Who, scope: &Scope) -> MutatorCommand {
    let fields = scope.fields;
    sequence([
        choose(MutatorStep::ChooseLoad, move |l: &Mutator, visit| {
            for src in l.roots.iter() {
                (0..fields).for_each(|field| visit(Mutator { src, field, ..*l }));
            }
        })
        .writes([register::SRC, register::FIELD])
        .fuse_with_next()
        .from_source("Gammie et al., Fig. 6, Load"),
        ask(
            MutatorStep::Load,
            who,
            |l: &Mutator| Asks::Load(Place::Field(l.src, l.field)),
            |l, answer| l.roots = l.roots.with(answer.reference()),
        )
        .reads([register::SRC, register::FIELD])
        .from_source("Gammie et al., Fig. 6, Load"),
    ])
}

/// Lines 8 to 11.
fn store(who: Who, scope: &Scope, variant: Variant) -> MutatorCommand {
    let [deletion, insertion] = [deletion(who, variant), insertion(who, variant)];
    // The next step is a barrier's load. Without the barrier it may be a store of null, which blocks while the buffer is full.
    let chosen = |choice: MutatorCommand| {
        if variant.has(Part::DeletionBarrier) {
            choice.fuse_with_next()
        } else {
            choice
        }
    };
    let [place, all] = [choose_place, choose_store].map(|choose| chosen(choose(scope.fields)));
    let is_dst_separate = scope.granularity != Granularity::Fine;
    let barriers = match variant.barriers {
        Barriers::DeletionFirst if is_dst_separate => {
            sequence([place, deletion, choose_dst(scope.granularity), insertion])
        }
        Barriers::DeletionFirst => sequence([all, deletion, insertion]),
        Barriers::InsertionFirst => sequence([all, insertion, deletion]),
    };
    sequence([
        barriers,
        ask(
            MutatorStep::Store,
            who,
            |l: &Mutator| Asks::Store(Store::Field(l.src, l.field, l.dst)),
            |l, _| l.ghost_honorary_root = Refs::default(),
        )
        .reads([register::SRC, register::FIELD, register::DST])
        .from_source("Gammie et al., Fig. 6, line 11"),
    ])
}

fn choose_store(fields: u8) -> MutatorCommand {
    choose(MutatorStep::ChooseStore, move |l: &Mutator, visit| {
        for src in l.roots.iter() {
            for field in 0..fields {
                for dst in l.roots.iter().map(Some).chain([None]) {
                    visit(Mutator {
                        src,
                        field,
                        dst,
                        ..*l
                    });
                }
            }
        }
    })
    .writes([register::SRC, register::FIELD, register::DST])
    .from_source("Gammie et al., Fig. 6, Store")
}

/// Choice of the field to store to; [`choose_dst`] chooses the value.
fn choose_place(fields: u8) -> MutatorCommand {
    choose(MutatorStep::ChooseStore, move |l: &Mutator, visit| {
        for src in l.roots.iter() {
            (0..fields).for_each(|field| visit(Mutator { src, field, ..*l }));
        }
    })
    .writes([register::SRC, register::FIELD])
    .from_source("Gammie et al., Fig. 6, Store")
}

/// Choice of the value to store: it is invisible before the insertion barrier, and the roots do not change.
fn choose_dst(granularity: Granularity) -> MutatorCommand {
    let choice = choose(MutatorStep::ChooseDst, |l: &Mutator, visit| {
        for dst in std::iter::once(None).chain(l.roots.iter().map(Some)) {
            visit(Mutator { dst, ..*l });
        }
    })
    .writes(register::DST)
    .from_source("Gammie et al., Fig. 6, Store");
    match granularity {
        // The Lipton reduction decides with which step it is fused.
        Granularity::Reduced => choice,
        Granularity::Fine | Granularity::Coarse => choice.fuse_with_previous(),
    }
}

/// Line 9: marks what the field holds, which is an honorary root until the store.
fn deletion(who: Who, variant: Variant) -> MutatorCommand {
    if !variant.has(Part::DeletionBarrier) {
        return sequence([]);
    }
    sequence([
        ask(
            MutatorStep::LoadDeleted,
            who,
            |l: &Mutator| Asks::Load(Place::Field(l.src, l.field)),
            |l, answer| {
                l.marking.reference = answer.reference();
                l.ghost_honorary_root = l.marking.reference.map_or(Refs::default(), Refs::one);
            },
        )
        .reads([register::SRC, register::FIELD])
        .writes(REFERENCE)
        .from_source("Gammie et al., Fig. 6, line 9"),
        mark(Marker::Deletion, who, variant),
    ])
}

/// Line 10: marks what the field will hold.
fn insertion(who: Who, variant: Variant) -> MutatorCommand {
    if !variant.has(Part::InsertionBarrier) {
        return sequence([]);
    }
    let barrier = sequence([
        assign(MutatorStep::TakeInserted, |l: &mut Mutator| {
            l.marking.reference = l.dst;
        })
        .reads(register::DST)
        .writes(REFERENCE)
        .fuse_with_previous()
        .from_source("Gammie et al., Fig. 6, line 10"),
        mark(Marker::Insertion, who, variant),
    ]);
    if variant.has(Part::InsertionBarrierAfterRoots) {
        barrier
    } else {
        when(
            MutatorStep::RootsUnmarked,
            |l: &Mutator| !l.roots_marked,
            barrier,
        )
        .fuse_with_previous()
        .from_source("Gammie et al., section 4, Observations")
    }
}
