//! Data state of a process, and its registers.

use std::ops::BitOr;

/// Data state of a process.
pub trait Data: Clone + Send + Sync + 'static {
    /// Names of the registers, which are cleared at locations where they are dead. Other variables are never cleared.
    const REGISTERS: &'static [&'static str] = &[];

    /// Sets registers to the value that stands for a dead one. PERF: it is called at every step, and testing each
    /// register takes less time than a loop over the given ones.
    fn clear(&mut self, registers: Registers) {
        unreachable!("no registers {registers:?} are declared");
    }

    /// Assigns a register every value: visits the state with each value that the register can ever have. The current
    /// value may be left out. [`Composition::test_registers`](super::Composition::test_registers) uses this to test
    /// that no step reads an undeclared register.
    fn havoc(&self, register: Register, _visit: &mut dyn FnMut(Self)) {
        unreachable!("no register {} is declared", register.0);
    }
}

/// Register: its index in [`Data::REGISTERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register(pub u8);

/// Set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Registers(u64);

impl Registers {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Singleton set.
    pub const fn one(Register(register): Register) -> Self {
        Self(1 << register)
    }

    /// The first `count` registers.
    pub(super) fn first(count: usize) -> Self {
        assert!(count <= 64, "a process has at most 64 registers");
        Self(u64::MAX.checked_shr(64 - count as u32).unwrap_or(0))
    }

    /// Set difference.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if the set contains `register`.
    pub fn contains(self, register: Register) -> bool {
        self.0 >> register.0 & 1 == 1
    }

    /// Iterates over the registers in increasing order.
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
