//! The local variables of the mutators of levels 1 to 3: MU and Q; and two flags of a repair (deviation D6).
//!
//! Source: Havelund & Shankar, Figs. 6 and 8, Appendix A.3.

use refmap::{BoundedVec, Choices, State};
use serde::{Serialize, Serializer};

use super::scope::{MAX_MUTATORS, MutatorOrder, Scope};
use super::shape::Node;

/// The mutators of an instance.
pub type Mutators = BoundedVec<Locals, MAX_MUTATORS>;

/// A mutator's program counter and its variable Q.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = impl AsRef<Scope>)]
pub struct Locals {
    /// Program location.
    pub mu: MutatorAt,
    /// The node to be coloured; stale at MUTATE, and 0 there where it is announced.
    #[state(range = 0..system.as_ref().shape.nodes)]
    pub q: Node,
    /// The flags of a repair.
    #[state(range = 0..=Flags::most(system.as_ref()))]
    #[serde(flatten)]
    pub flags: Flags,
}

impl Locals {
    /// The target that the collector can see: that of a mutator which is midway. Where none is announced it is seen by the
    /// program location, which the redirection sets.
    #[inline]
    pub fn announcement(&self, order: MutatorOrder) -> Option<Node> {
        self.target(order.announces())
    }

    /// The same of a mutator of an order that announces targets, or not.
    #[inline]
    pub(super) fn target(&self, announces: bool) -> Option<Node> {
        let is_midway = if announces {
            self.announced()
        } else {
            self.mu != MutatorAt::Mutate
        };
        is_midway.then_some(self.q)
    }

    /// True if Q is announced: the collector may read it (D6).
    #[inline]
    pub fn announced(&self) -> bool {
        self.flags.announced() == Flag::UP
    }

    /// Announces Q.
    pub(super) fn announce(&mut self) {
        self.flags = self.flags.with_announced(Flag::UP);
    }
}

/// Two flags of a mutator: that Q is announced; and one by which the collector of level 3 knows whether it has looked at this mutator in
/// its round, which is so if the flag is not as its ROUND is (D6).
///
/// PERF: in one byte, so that a state of level 3 is copied in three parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, State)]
pub struct Flags(u8);

impl Flags {
    /// The greatest value in an instance: of the flags that it does not have, none is ever up.
    fn most(scope: &Scope) -> u8 {
        match (scope.has_rounds(), scope.mutator.announces()) {
            (false, announces) => u8::from(announces),
            (true, _) => 0b11,
        }
    }

    /// Type-correct flags.
    pub(super) fn choice(scope: &Scope, choices: &mut Choices) -> Self {
        let announced = Flag::choice(scope.mutator.announces(), choices);
        let seen = Flag::choice(scope.has_rounds(), choices);
        Self::default().with_announced(announced).with_seen(seen)
    }

    /// The flag that Q is announced.
    #[inline]
    pub fn announced(self) -> Flag {
        Flag(self.0 & 1)
    }

    /// The flag that the collector turns.
    #[inline]
    pub fn seen(self) -> Flag {
        Flag(self.0 >> 1)
    }

    /// The same, announced or not.
    #[must_use]
    #[inline]
    pub fn with_announced(self, Flag(announced): Flag) -> Self {
        Self(self.0 & 0b10 | announced)
    }

    /// The same with another flag of the collector.
    #[must_use]
    #[inline]
    pub fn with_seen(self, Flag(seen): Flag) -> Self {
        Self(self.0 & 0b01 | seen << 1)
    }
}

/// Shows the flags that are up.
impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let flags = [("announced", self.announced()), ("seen", self.seen())];
        serializer.collect_map(flags.into_iter().filter(|(_, flag)| !flag.is_down()))
    }
}

/// A flag of a repair. Where the instance has none of its kind, it is down and takes no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, State)]
pub struct Flag(u8);

impl Flag {
    /// Down.
    pub const DOWN: Self = Self(0);
    /// Up.
    pub const UP: Self = Self(1);

    /// A choice of it, in an instance that has it.
    pub(super) fn choice(there_is_one: bool, choices: &mut Choices) -> Self {
        Self(choices.below(1 + u64::from(there_is_one)) as u8)
    }

    /// True if it is down.
    pub fn is_down(&self) -> bool {
        *self == Self::DOWN
    }

    /// The other of the two.
    #[must_use]
    pub fn turned(self) -> Self {
        Self(1 - self.0)
    }
}

impl Serialize for Flag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(!self.is_down())
    }
}

/// Program location of a mutator (`MuPC`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[serde(rename_all = "snake_case")]
#[state(system = impl AsRef<Scope>)]
pub enum MutatorAt {
    /// Between two operations.
    #[default]
    Mutate,
    /// Redirect-first: the cell is redirected, and Q is to be coloured.
    Colour,
    /// Colour-first: Q is coloured, and cell (n, i) is to be redirected to it.
    Redirect {
        /// The node of the cell.
        #[state(range = 0..system.as_ref().chosen().nodes)]
        n: Node,
        /// The index of the cell.
        #[state(range = 0..system.as_ref().chosen().sons)]
        i: u8,
    },
    /// Announced orders: the announcement is to be retired.
    Retire,
}
