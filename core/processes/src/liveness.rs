//! Registers, and where what they hold is never read again.
//!
//! A register that is dead holds a value that no step asks for; states that differ in it alone are
//! one state, once it is cleared. Source of the analysis: any book on compilers (Appel, *Modern
//! Compiler Implementation*, chapter 10).

use std::ops::BitOr;

use super::flow::{Flow, Location};

/// The data state of a process.
pub trait Data: Clone + Send + Sync + 'static {
    /// The registers that are cleared where they are dead, by name; the other variables always count.
    const REGISTERS: &'static [&'static str] = &[];

    /// Gives registers the values that they have where they are dead. PERF: it is called at every step, and
    /// a test for each register takes less than a loop over those that are meant.
    fn clear(&mut self, registers: Registers) {
        unreachable!("no registers {registers:?} are declared");
    }

    /// Visits the states in which a register has any other value that it may ever have (and may visit
    /// this one): by this it is tested that where it is said to be dead, nobody asks for it.
    fn spoil(&self, register: Register, _visit: &mut dyn FnMut(Self)) {
        unreachable!("no register {} is declared", register.0);
    }
}

/// A register: its place in [`Data::REGISTERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register(pub u8);

/// What becomes of a register where what it holds is never read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeadRegisters {
    /// It is cleared.
    #[default]
    Cleared,
    /// It keeps what it holds.
    Kept,
}

/// A set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Registers(u64);

impl Registers {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// One register.
    pub const fn one(Register(register): Register) -> Self {
        Self(1 << register)
    }

    /// The first `count` registers.
    pub(super) fn first(count: usize) -> Self {
        assert!(count <= 64, "a process has at most 64 registers");
        Self(u64::MAX.checked_shr(64 - count as u32).unwrap_or(0))
    }

    /// Those of this set that are not in `other`.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `register` is one of them.
    pub fn contains(self, register: Register) -> bool {
        self.0 >> register.0 & 1 == 1
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = Register> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (next < u64::BITS).then_some(Register(next as u8))
        })
    }
}

impl From<Register> for Registers {
    fn from(register: Register) -> Self {
        Self::one(register)
    }
}

impl<const N: usize> From<[Register; N]> for Registers {
    fn from(registers: [Register; N]) -> Self {
        let sets = registers.map(Self::from);
        sets.into_iter().fold(Self::NONE, Self::bitor)
    }
}

impl BitOr for Registers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Per location, the registers that are dead there.
pub(super) fn dead<L: Data, Q, A, N>(flow: &Flow<L, Q, A, N>) -> Vec<Registers> {
    let mut live = vec![Registers::NONE; flow.points.len()];
    loop {
        let mut changed = false;
        for (at, point) in flow.points.iter().enumerate().rev() {
            let before_edge = |edge: &super::flow::Edge<L, Q, A, N>| {
                let after = edge.targets().map(|Location(to)| live[usize::from(to)]);
                let after = after.fold(Registers::NONE, Registers::bitor);
                edge.basic.reads | after.without(edge.basic.writes)
            };
            let edges = point.iter().map(before_edge);
            let before = edges.fold(Registers::NONE, Registers::bitor);
            changed |= before != live[at];
            live[at] = before;
        }
        if !changed {
            let all = Registers::first(L::REGISTERS.len());
            return live.into_iter().map(|live| all.without(live)).collect();
        }
    }
}
