//! Memory models of [Ugawa et al., Table 1], and the one table in which they differ: the earlier accesses that an
//! access must wait for.
//!
//! Source: Ugawa, Abe & Maeda, *Model Checking Copy Phases of Concurrent Copying Garbage Collection
//! with Various Memory Models*, section 3.1. All models are multi-copy atomic, and none speculates: where a branch alone keeps a
//! load behind an earlier one, a verdict comes with a warning ([`Program::control_dependencies`](crate::Program::control_dependencies)).

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// Memory model: the permitted reorderings of accesses, and the ordering strength of a CAS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryModel {
    /// Sequential consistency: no reordering.
    Sc,
    /// Total store ordering: a store may be delayed past later loads, and a thread reads its own stores early.
    Tso,
    /// Partial store ordering: a store may be delayed past any later access. A CAS is a full fence.
    PsoFull,
    /// Partial store ordering. A CAS orders only what a load orders.
    PsoNo,
    /// Relaxed memory ordering: any two accesses to different locations may be reordered. A CAS is a
    /// full fence.
    RmoFull,
    /// Relaxed memory ordering. A CAS orders nothing.
    RmoNo,
    /// TSO without forwarding: a load waits for the thread's own store to the same location, as on the IBM 370. The
    /// paper does not have it; a check uses it to show what forwarding allows.
    Ibm370,
}

/// Kind of an access to memory, as far as ordering depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    /// A plain load.
    Load,
    /// A load that makes a reservation (LL).
    LoadLinked,
    /// A plain store.
    Store,
    /// A store that needs the reservation (SC).
    StoreConditional,
    /// An atomic read-modify-write: CAS, exchange, fetch-and-add. A failed CAS counts as one.
    Update,
}

impl AccessKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Load,
        Self::LoadLinked,
        Self::Store,
        Self::StoreConditional,
        Self::Update,
    ];

    /// Those that load a value.
    pub(crate) const LOADS: [Self; 3] = [Self::Load, Self::LoadLinked, Self::Update];

    /// True if the access reads memory.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Store)
    }

    /// True if the access may write memory.
    pub fn writes(self) -> bool {
        matches!(self, Self::Store | Self::StoreConditional | Self::Update)
    }

    /// True if the access uses the reservation; a thread has one.
    pub fn is_exclusive(self) -> bool {
        matches!(self, Self::LoadLinked | Self::StoreConditional)
    }
}

impl MemoryModel {
    /// The six models of [Table 1], strongest first.
    pub const ALL: [Self; 6] = [
        Self::Sc,
        Self::Tso,
        Self::PsoFull,
        Self::PsoNo,
        Self::RmoFull,
        Self::RmoNo,
    ];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
            Self::PsoFull => "pso-full",
            Self::PsoNo => "pso-no",
            Self::RmoFull => "rmo-full",
            Self::RmoNo => "rmo-no",
            Self::Ibm370 => "ibm-370",
        }
    }

    /// True if an access must wait for an earlier one of its thread to a *different* location, without a fence
    /// between them [section 3.1; Table 1].
    pub fn orders(self, earlier: AccessKind, later: AccessKind) -> bool {
        if self.update_is_fence() && [earlier, later].contains(&AccessKind::Update) {
            return true;
        }
        match self {
            Self::Sc => true,
            Self::Tso | Self::Ibm370 => {
                earlier != AccessKind::Store
                    || !matches!(later, AccessKind::Load | AccessKind::LoadLinked)
            }
            Self::PsoFull | Self::PsoNo => earlier != AccessKind::Store,
            Self::RmoFull | Self::RmoNo => false,
        }
    }

    /// True if every access of a thread must wait for an earlier one of this kind.
    pub(crate) fn orders_all_behind(self, earlier: AccessKind) -> bool {
        AccessKind::ALL
            .iter()
            .all(|later| self.orders(earlier, *later))
    }

    /// True if every access of a thread must wait for its earlier reads: then a program may loop
    /// [without a bound](crate::ProgramBuilder::without_bound).
    pub fn orders_reads(self) -> bool {
        let mut reads = AccessKind::ALL.iter().filter(|kind| kind.reads());
        reads.all(|read| self.orders_all_behind(*read))
    }

    /// True if an access must wait for an earlier one of its thread to the *same* location. The exception is a
    /// plain load, which may read the value of a plain store that is still pending.
    pub fn orders_same_location(self, earlier: AccessKind, later: AccessKind) -> bool {
        !(self.forwards() && earlier == AccessKind::Store && later == AccessKind::Load)
    }

    /// True if a load may read the value of the thread's own pending store.
    pub fn forwards(self) -> bool {
        !matches!(self, Self::Sc | Self::Ibm370)
    }

    /// True if every update has a full fence before and after it [Table 1, column "CAS"].
    pub fn update_is_fence(self) -> bool {
        matches!(self, Self::PsoFull | Self::RmoFull)
    }
}

impl Display for MemoryModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for MemoryModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Error: no memory model has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory model {name:?}; there are: {}", MemoryModel::ALL.map(MemoryModel::name).join(", "))]
pub struct UnknownModel {
    /// The given name.
    pub name: String,
}

impl FromStr for MemoryModel {
    type Err = UnknownModel;

    /// Parses the name of one of the six models of [`ALL`](Self::ALL).
    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        Self::ALL
            .into_iter()
            .find(|model| model.name() == name)
            .ok_or_else(|| UnknownModel {
                name: name.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for model in MemoryModel::ALL {
            assert_eq!(model.name().parse(), Ok(model));
        }
        let error = "x86".parse::<MemoryModel>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no memory model \"x86\"; there are: sc, tso, pso-full, pso-no, rmo-full, rmo-no"
        );
    }

    /// Each model orders at least what the weaker ones order.
    #[test]
    fn models_are_listed_strongest_first() {
        let weaker = |strong: MemoryModel, weak: MemoryModel| {
            for (earlier, later) in AccessKind::ALL
                .into_iter()
                .flat_map(|a| AccessKind::ALL.map(|b| (a, b)))
            {
                assert!(strong.orders(earlier, later) || !weak.orders(earlier, later));
            }
        };
        use MemoryModel::{PsoFull, PsoNo, RmoFull, RmoNo, Sc, Tso};
        for (strong, weak) in [
            (Sc, Tso),
            (Tso, PsoFull),
            (PsoFull, PsoNo),
            (PsoFull, RmoFull),
            (PsoNo, RmoNo),
            (RmoFull, RmoNo),
        ] {
            weaker(strong, weak);
        }
    }

    /// [Section 3.1]: under SC and TSO, the ordering strength of a CAS makes no difference.
    #[test]
    fn an_update_is_a_full_fence_under_tso_by_itself() {
        for other in AccessKind::ALL {
            assert!(MemoryModel::Tso.orders(other, AccessKind::Update));
            assert!(MemoryModel::Tso.orders(AccessKind::Update, other));
        }
        assert!(!MemoryModel::PsoNo.orders(AccessKind::Store, AccessKind::Update));
    }
}
