//! Counters, of which only the order and the differences matter.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::{Add, AddAssign, Sub};

use serde::{Serialize, Serializer};

use super::names::{NameVisitor, Names};
use super::{Changes, Exact, Kept, Limits, Shape, Sink, Source, State};

/// A counter without a bound, of which only the order and the differences matter: a ticket, a sequence number, an epoch.
///
/// States that differ only in how far the counters of a group have come are one where `--symmetry full` is asked for. Counters are compared
/// within their group alone; a group is a number of the model's choice.
///
/// ```
/// use refmap::Counter;
///
/// let (head, tail): (Counter, Counter) = (Counter::ZERO, Counter::ZERO + 3);
/// assert!(head < tail);
/// assert_eq!((tail - head, head - tail), (3, -3));
/// assert_eq!(head.next(), Counter::new(1));
/// ```
///
/// In a state it takes as many bits as its value does, or those of a range that is said of it (`#[state(range = 0..16)]`), which is one of the
/// values after the shift. A state in which the value of a counter itself matters (`ticket == Counter::new(3)`) is told as an
/// [asymmetry](crate::Asymmetry).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counter<const GROUP: u8 = 0>(u64);

impl<const GROUP: u8> Counter<GROUP> {
    /// The value with which counters begin.
    pub const ZERO: Self = Self(0);

    /// The counter that has come so far.
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// The value after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

impl<const GROUP: u8> Add<u64> for Counter<GROUP> {
    type Output = Self;

    fn add(self, steps: u64) -> Self {
        Self(self.0.wrapping_add(steps))
    }
}

impl<const GROUP: u8> AddAssign<u64> for Counter<GROUP> {
    fn add_assign(&mut self, steps: u64) {
        *self = *self + steps;
    }
}

impl<const GROUP: u8> Sub for Counter<GROUP> {
    type Output = i64;

    /// Steps from `earlier` on; negative if this one is earlier.
    fn sub(self, earlier: Self) -> i64 {
        self.0.wrapping_sub(earlier.0) as i64
    }
}

impl<const GROUP: u8> Debug for Counter<GROUP> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl<const GROUP: u8> Display for Counter<GROUP> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl<const GROUP: u8> Serialize for Counter<GROUP> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<const GROUP: u8> Names for Counter<GROUP> {
    /// Its group is that of its type.
    fn each_name(&mut self, _: u8, visit: &mut dyn NameVisitor) {
        visit.counter(GROUP, &mut self.0);
    }
}

/// Limits on the number: it has no bound, unless one is said.
#[inline(always)]
fn of_number(limits: Limits) -> Limits {
    if limits.are_of_integers() {
        limits
    } else {
        limits.varint()
    }
}

impl<X: ?Sized, const GROUP: u8> State<X> for Counter<GROUP> {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

    fn shape(system: &X, limits: Limits) -> Shape {
        u64::shape(system, of_number(limits))
    }

    #[inline(always)]
    fn count(system: &X, limits: Limits) -> Option<u64> {
        u64::count(system, of_number(limits))
    }

    #[inline(always)]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        self.0.write(system, of_number(limits), sink);
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        Self(u64::read(system, of_number(limits), source))
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        u64::width(system, of_number(limits))
    }

    #[inline(always)]
    fn write_changes(
        &self,
        from: &Self,
        system: &X,
        limits: Limits,
        at: impl Fn() -> u32 + Copy,
        changes: &mut Changes<'_>,
    ) {
        self.0
            .write_changes(&from.0, system, of_number(limits), at, changes);
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.each_name(GROUP, visit);
    }
}
