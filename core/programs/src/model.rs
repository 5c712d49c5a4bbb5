//! The memory models of [Ugawa et al., Table 1], and the one table in which they differ: which
//! earlier access an access has to wait for.
//!
//! Source: Ugawa, Abe & Maeda, *Model Checking Copy Phases of Concurrent Copying Garbage Collection
//! with Various Memory Models*, section 3.1. All models are multi-copy atomic, and none speculates.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A memory model: a way of reordering accesses, and what a CAS orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryModel {
    /// Sequential consistency: nothing is reordered.
    Sc,
    /// Total store ordering: a store may be delayed past later loads, and a thread sees its own stores
    /// early.
    Tso,
    /// Partial store ordering: a store may be delayed past any later access. A CAS is a full fence.
    PsoFull,
    /// Partial store ordering. A CAS orders no more than a load does.
    PsoNo,
    /// Relaxed memory ordering: any two accesses to different locations may be reordered. A CAS is a
    /// full fence.
    RmoFull,
    /// Relaxed memory ordering. A CAS orders nothing.
    RmoNo,
    /// TSO without forwarding: a load waits for the thread's own store to the same location, as on the
    /// IBM 370. Not among the models of the paper; present so that a check can show what forwarding
    /// allows.
    Ibm370,
}

/// What an access does to memory, as far as its ordering goes.
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
    /// A load and a store at once: CAS, exchange, fetch-and-add. A failed CAS is one, too.
    Update,
}

impl AccessKind {
    /// Whether it reads memory.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Store)
    }

    /// Whether it may write memory.
    pub fn writes(self) -> bool {
        matches!(self, Self::Store | Self::StoreConditional | Self::Update)
    }

    /// Whether it uses the reservation of its thread, of which there is one.
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

    /// Its name on the command line.
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

    /// Whether an access has to wait for an earlier one of its thread to a *different* location, no
    /// fence standing between them [section 3.1; Table 1].
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

    /// Whether an access has to wait for an earlier one of its thread to the *same* location. The
    /// exception is a plain load, which may take its value from a plain store that is still pending.
    pub fn orders_same_location(self, earlier: AccessKind, later: AccessKind) -> bool {
        !(self.forwards() && earlier == AccessKind::Store && later == AccessKind::Load)
    }

    /// Whether a load may take its value from the thread's own pending store.
    pub fn forwards(self) -> bool {
        !matches!(self, Self::Sc | Self::Ibm370)
    }

    /// Whether a full fence stands before and after every update [Table 1, column "CAS"].
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

/// A name that is no memory model's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory model {name:?}; there are: {}", MemoryModel::ALL.map(MemoryModel::name).join(", "))]
pub struct UnknownModel {
    /// The name given.
    pub name: String,
}

impl FromStr for MemoryModel {
    type Err = UnknownModel;

    /// One of the six models of [`ALL`](Self::ALL) by its name.
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

    const KINDS: [AccessKind; 5] = [
        AccessKind::Load,
        AccessKind::LoadLinked,
        AccessKind::Store,
        AccessKind::StoreConditional,
        AccessKind::Update,
    ];

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

    /// Each model orders all that the weaker ones do.
    #[test]
    fn models_are_listed_strongest_first() {
        let weaker = |strong: MemoryModel, weak: MemoryModel| {
            for (earlier, later) in KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b))) {
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

    /// [Section 3.1]: under SC and TSO it makes no difference what a CAS is said to order.
    #[test]
    fn an_update_is_a_full_fence_under_tso_by_itself() {
        for other in KINDS {
            assert!(MemoryModel::Tso.orders(other, AccessKind::Update));
            assert!(MemoryModel::Tso.orders(AccessKind::Update, other));
        }
        assert!(!MemoryModel::PsoNo.orders(AccessKind::Store, AccessKind::Update));
    }
}
