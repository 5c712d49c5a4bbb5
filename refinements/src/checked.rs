//! Checkers of the refinements.
//!
//! A check is compiled where its checker is made: here, once, for the catalogue, the tests and the tutorials. So no function here is
//! inlined: a crate in which one were would compile the check once more.

use refmap::crowd::CrowdRefinement;
use refmap::obligation::{Checkable, Checker};
use refmap::{Composed, Refinement};
use refmap_systems::locks::bakery::Bakery;
use refmap_systems::locks::szymanski::Szymanski;
use refmap_systems::locks::test_and_set::TestAndSet;
use refmap_systems::locks::ticket::TicketLock;

use crate::auxiliary::{
    AfekRefinement, HerlihyWingProphecyRefinement, HerlihyWingRefinement, LockInStepsRefinement,
    LockStutteringRefinement, NewLinearSnapshotRefinement, PetersonRefinement,
    PoFifoProphecyRefinement, PoFifoRefinement, RingClaimsRefinement,
    RingClaimsStutteringRefinement, SendIntRefinement, SendSeqRefinement, SendSetRefinement,
};
use crate::barriers::SenseReversingRefinement;
use crate::ben_ari::broken::BrokenRefinement;
use crate::ben_ari::{AnyMutators, Refinement1, Refinement2, Refinement3};
use crate::caches::{GermanRefinement, MesiRefinement};
use crate::copying::CopyingRefinement;
use crate::locks::{AnySpinLock, LockRefinement, ReadersWritersRefinement};
use crate::published::{
    AllocatorImplementationRefinement, AlternatingBitRefinement, Ewd840Refinement,
    Ewd998PCalRefinement, SchedulingAllocatorRefinement, VotingRefinement,
    WriteThroughCacheRefinement,
};
use crate::stacks::TreiberRefinement;
use crate::tso::{AnyCollector, CollectorRefinement, CyclesRefinement};
use crate::yrc::{DesignRefinement, ModuleRefinement};

/// A refinement with a checker of its own.
pub trait Checked: Refinement + Sized {
    /// Check of the refinement, which knows what its systems have beside them.
    fn checker(&self) -> Box<dyn Checkable + '_>;
    /// The same check, which keeps the refinement.
    fn into_checker(self) -> Box<dyn Checkable>;
}

/// A refinement of crowds with a checker of its own.
pub trait CheckedCrowd {
    /// Check of the instance with so many members, which can be asked of every number of them.
    fn into_checker(self, members: usize) -> Box<dyn Checkable>;
}

/// Implements [`CheckedCrowd`] for crowds whose instances are checked as they are derived.
macro_rules! checked_crowds {
    ($($crowd:ty,)*) => {$(
        impl CheckedCrowd for $crowd {
            #[inline(never)]
            fn into_checker(self, members: usize) -> Box<dyn Checkable> {
                Box::new(Checker::owning(self.of(members)).crowd(self))
            }
        }
    )*};
}

checked_crowds! {
    LockRefinement<TestAndSet>,
    LockRefinement<TicketLock>,
    LockRefinement<Szymanski>,
    LockRefinement<Bakery>,
    ReadersWritersRefinement,
    TreiberRefinement,
    GermanRefinement,
    MesiRefinement,
    SenseReversingRefinement,
    AnyCollector,
}

/// An instance is a program of so many threads.
impl CheckedCrowd for AnySpinLock {
    #[inline(never)]
    fn into_checker(self, threads: usize) -> Box<dyn Checkable> {
        Box::new(Checker::owning(self.program(threads)).crowd(self.threads()))
    }
}

/// An instance is the composed refinement of so many mutators, which has more obligations than a crowd.
impl CheckedCrowd for AnyMutators {
    #[inline(never)]
    fn into_checker(self, mutators: usize) -> Box<dyn Checkable> {
        let instance = self.composed(mutators);
        Box::new(Checker::owning(instance).inductive().crowd(self))
    }
}

/// Implements [`Checked`] with the given facilities of a checker.
macro_rules! checked {
    ($($refinement:ty: $($facility:ident)*;)*) => {$(
        impl Checked for $refinement {
            #[inline(never)]
            fn checker(&self) -> Box<dyn Checkable + '_> {
                Box::new(Checker::new(self)$(.$facility())*)
            }

            #[inline(never)]
            fn into_checker(self) -> Box<dyn Checkable> {
                Box::new(Checker::owning(self)$(.$facility())*)
            }
        }
    )*};
}

checked! {
    Refinement1: inductive;
    Refinement2: inductive;
    Refinement3: inductive;
    Composed<Refinement1, Composed<Refinement2, Refinement3>>: inductive;
    BrokenRefinement:;
    CollectorRefinement:;
    CyclesRefinement:;
    CopyingRefinement:;
    ModuleRefinement:;
    DesignRefinement:;
    SchedulingAllocatorRefinement:;
    AllocatorImplementationRefinement:;
    WriteThroughCacheRefinement:;
    AlternatingBitRefinement:;
    Ewd840Refinement:;
    Ewd998PCalRefinement:;
    VotingRefinement:;
    PetersonRefinement:;
    LockInStepsRefinement:;
    LockStutteringRefinement:;
    PoFifoRefinement:;
    PoFifoProphecyRefinement:;
    HerlihyWingRefinement:;
    HerlihyWingProphecyRefinement:;
    RingClaimsRefinement:;
    RingClaimsStutteringRefinement:;
    SendIntRefinement:;
    SendSetRefinement:;
    SendSeqRefinement:;
    AfekRefinement:;
    NewLinearSnapshotRefinement:;
}
