//! Counters that cannot be looked at: there is a next one, they are equal or in order, and few steps apart.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display, Formatter};
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

use super::names::{CounterName, NameVisitor, Names};
use super::{Changes, Exact, Kept, Limits, Shape, Sink, Source, State};
use crate::state::hiding::Hiding;

/// A counter without a bound and without a value: a ticket, a sequence number, an epoch.
///
/// There is a [first](Self::START) one, and one [after](Self::next) each. Two are equal or in order, and one is so many steps [ahead](Self::ahead) of
/// another as long as these are `APART` at most. Nothing else can be asked, so that to shift all counters of a state changes nothing: states that
/// differ by a shift are one where `--symmetry full` is asked for, and members of a crowd that are more steps apart are as far apart as any.
///
/// ```
/// use refmap::{Counter, Distance};
///
/// let head: Counter<2> = Counter::START;
/// let tail = head.next().next();
/// assert!(head < tail);
/// assert_eq!(tail.ahead(head), Distance::Exactly(2));
/// assert_eq!(tail.next().ahead(head), Distance::More);
/// assert_eq!(head.ahead(tail), Distance::Behind);
/// ```
///
/// There is no number to compare with, to take a remainder of, or to subtract:
///
/// ```compile_fail,E0308
/// # use refmap::Counter;
/// let is_the_fortieth = |head: Counter| head == 40;
/// ```
///
/// ```compile_fail,E0369
/// # use refmap::Counter;
/// let is_even = |head: Counter| head % 2 == Counter::START;
/// ```
///
/// A model that looks at the value in another way panics where counters are shifted, and the report shows the state and the rule: it compares a counter of the state
/// with one that it has begun anew, writes it as text, hashes it, or goes more than `APART` + 1 steps from it at once.
///
/// Counters of different `GROUP`s are never compared, and shifted each for itself. In a state a counter takes as many bits as its value does, or those of a
/// range that is said of it (`#[state(range = 0..16)]`), which is one of the values after the shift.
#[derive(Clone, Copy)]
pub struct Counter<const APART: u64 = 1, const GROUP: u8 = 0> {
    value: u64,
    /// Steps since it was read from a state, as far as they are counted.
    steps: u8,
    /// True if it comes from [`START`](Self::START), and not from a state.
    is_new: bool,
}

/// Steps from a counter to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// It is behind, by one step at least.
    Behind,
    /// So many.
    Exactly(u64),
    /// More than are told.
    More,
}

impl<const APART: u64, const GROUP: u8> Counter<APART, GROUP> {
    /// The one with which counters begin.
    pub const START: Self = Self {
        value: 0,
        steps: 0,
        is_new: true,
    };

    /// The counter after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self {
            value: self.value.wrapping_add(1),
            steps: self.steps.saturating_add(1),
            is_new: self.is_new,
        }
    }

    /// Steps that it is ahead of another one, exactly if they are `APART` at most.
    pub fn ahead(self, of: Self) -> Distance {
        match self.compared(of) {
            Ordering::Less => Distance::Behind,
            Ordering::Equal | Ordering::Greater => match self.value - of.value {
                steps if steps <= APART => Distance::Exactly(steps),
                _ => Distance::More,
            },
        }
    }

    /// # Panics
    ///
    /// If the answer tells what the value of one is, where that is hidden.
    fn compared(self, other: Self) -> Ordering {
        if Hiding::is_begun() {
            assert!(
                self.is_new == other.is_new,
                "a counter is compared with one that has begun anew: its value is looked at"
            );
            self.assert_near();
            other.assert_near();
        }
        self.value.cmp(&other.value)
    }

    fn assert_near(self) {
        assert!(
            self.is_new || u64::from(self.steps) <= APART + 1,
            "a counter goes {} steps at once: a `Counter<{APART}>` goes {} at most",
            self.steps,
            APART + 1
        );
    }

    /// The value, which is shown to no function of a model.
    ///
    /// # Panics
    ///
    /// If it is hidden.
    fn shown(self) -> u64 {
        assert!(
            !Hiding::is_begun(),
            "the value of a counter is looked at, as text or by its hash"
        );
        self.value
    }
}

impl<const APART: u64, const GROUP: u8> Default for Counter<APART, GROUP> {
    fn default() -> Self {
        Self::START
    }
}

impl<const APART: u64, const GROUP: u8> PartialEq for Counter<APART, GROUP> {
    fn eq(&self, other: &Self) -> bool {
        self.compared(*other).is_eq()
    }
}

impl<const APART: u64, const GROUP: u8> Eq for Counter<APART, GROUP> {}

impl<const APART: u64, const GROUP: u8> PartialOrd for Counter<APART, GROUP> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const APART: u64, const GROUP: u8> Ord for Counter<APART, GROUP> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compared(*other)
    }
}

impl<const APART: u64, const GROUP: u8> Hash for Counter<APART, GROUP> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shown().hash(state);
    }
}

impl<const APART: u64, const GROUP: u8> Debug for Counter<APART, GROUP> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.shown(), f)
    }
}

impl<const APART: u64, const GROUP: u8> Display for Counter<APART, GROUP> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.shown(), f)
    }
}

impl<const APART: u64, const GROUP: u8> Serialize for Counter<APART, GROUP> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().serialize(serializer)
    }
}

impl<const APART: u64, const GROUP: u8> Names for Counter<APART, GROUP> {
    /// Its group is that of its type.
    fn each_name(&mut self, _: u8, visit: &mut dyn NameVisitor) {
        if Hiding::is_begun() {
            self.assert_near();
        }
        visit.counter(CounterName {
            group: GROUP,
            far: APART + 1,
            value: &mut self.value,
            is_new: self.is_new,
        });
        (self.steps, self.is_new) = (0, false);
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

impl<X: ?Sized, const APART: u64, const GROUP: u8> State<X> for Counter<APART, GROUP> {
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
        self.value.write(system, of_number(limits), sink);
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        Self {
            value: u64::read(system, of_number(limits), source),
            steps: 0,
            is_new: false,
        }
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
        self.value
            .write_changes(&from.value, system, of_number(limits), at, changes);
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.each_name(GROUP, visit);
    }
}
