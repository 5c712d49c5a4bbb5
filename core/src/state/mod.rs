//! States as plain data: how they are written into few bits, and read back.
//!
//! The engine keeps millions of states. One of plain data it keeps as a sequence of bits, which takes a tenth of the
//! memory and of the time of a state full of vectors. [`derive(State)`](crate::State) says how; what is derived is used
//! without being asked for.

// A state is told by what it has written, and that is asked of states: the trait and `changes` are one concept.
mod bits;
mod bounded;
mod changes;
mod code;
mod collections;
mod complaint;
mod counter;
mod digits;
mod drawn;
mod exact;
pub(crate) mod gaps;
pub(crate) mod hiding;
mod index_set;
mod kept;
pub(crate) mod limits;
mod names;
pub(crate) mod numbered;
mod numbers;
mod packing_error;
mod shape;
mod sink;
#[cfg(test)]
mod tests;
mod tuples;

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;

pub(crate) use bits::{BitReader, BitWriter, Fixed, FixedReader};
pub use bounded::BoundedVec;
#[doc(hidden)]
pub use changes::Changes;
pub(crate) use code::Code;
pub(crate) use complaint::Complaint;
pub use counter::{Counter, Distance};
pub(crate) use digits::Digit;
use digits::Digits;
#[doc(hidden)]
pub use drawn::{Drawn, DrawnField};
#[doc(hidden)]
pub use exact::Exact;
pub(crate) use gaps::{BEGUN_ANEW, VisitNames, normalise_groups, shift};
pub use index_set::IndexSet;
pub use kept::Kept;
pub use limits::Limits;
pub(crate) use limits::WrongLimits;
pub(crate) use names::CounterName;
pub use names::{NameVisitor, Names, Row, RowOf};
pub use packing_error::PackingError;
pub use shape::{Shape, greatest, product, widest};
pub use sink::{Misfit, Part, Sink, Source, is_constant};

/// A state of the system `S`, or a part of one.
///
/// Mostly it is derived, for a struct or an enum of plain data: integers, booleans, characters, strings, enums, tuples,
/// arrays, `Option`, `Box`, `Arc`, `Vec`, `VecDeque`, [`BoundedVec`], `BTreeSet`, `BTreeMap`,
/// [`IndexSet`], and what is derived itself.
///
/// ```
/// use refmap::State;
///
/// /// An instance, and its parameters.
/// struct Ring { nodes: u8 }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// #[state(system = Ring)]
/// struct Token {
///     #[state(range = 0..system.nodes)]
///     holder: u8,
///     #[state(len = system.nodes)]
///     has_passed: Vec<bool>,
/// }
///
/// let ring = Ring { nodes: 5 };
/// let shape = <Token as State<Ring>>::shape(&ring, refmap::state::Limits::NONE);
/// assert_eq!(shape.bits(), Some(3 + 5));
/// ```
///
/// A field that is the same in all states of an instance (`constant`) is not written. A part that several systems have says what
/// they have in common:
///
/// ```
/// # use refmap::State;
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
/// struct Shape { nodes: u8, sons: u8 }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// #[state(system = impl AsRef<Shape>)]
/// struct Memory {
///     #[state(constant = *system.as_ref())]
///     shape: Shape,
///     #[state(len = system.as_ref().nodes * system.as_ref().sons, range = 0..system.as_ref().nodes)]
///     cells: Vec<u8>,
/// }
/// ```
///
/// Members that are alike are the elements of a field that says so, and a [`Counter`] is one of which only differences matter. Where
/// [`Symmetry::Full`](crate::obligation::Symmetry::Full) is asked for, states that differ by an exchange of members, or by how far counters have come, are one:
///
/// ```
/// # use refmap::{Counter, State};
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// struct Queue {
///     next: Counter,
///     serving: Counter,
///     #[state(symmetric)]
///     tickets: Vec<Option<Counter>>,
///     #[state(member)]
///     last: Option<usize>,
/// }
/// ```
///
/// A type that is not plain data is a state nevertheless, and is kept whole:
///
/// ```
/// # use refmap::State;
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
/// struct Temperature { celsius: std::num::NonZeroI16 }
///
/// impl<S: ?Sized> State<S> for Temperature {}
/// ```
///
/// By hand, [`write`](Self::write) and [`read`](Self::read) have to be inverse to each other. The engine reads back every state
/// that is, or has in it, what was written by hand, and reports one that has become another. What is derived is known to be
/// read back by its type, and that cannot be claimed by hand, not with the claim of a type that does all the work either:
///
/// ```compile_fail,E0308
/// # use refmap::State;
/// # use refmap::state::{Exact, Kept, Limits, Shape, Sink, Source};
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
/// struct Level(i16);
///
/// impl<S: ?Sized> State<S> for Level {
///     const KEPT: Kept = Kept::Encoded;
///     const EXACT: Exact<Self> = <i16 as State<S>>::EXACT;
/// #   fn shape(system: &S, limits: Limits) -> Shape { <i16 as State<S>>::shape(system, limits) }
/// #   fn write(&self, system: &S, limits: Limits, sink: &mut impl Sink) { <i16 as State<S>>::write(&self.0, system, limits, sink) }
/// #   fn read(system: &S, limits: Limits, source: &mut impl Source) -> Self { Self(<i16 as State<S>>::read(system, limits, source)) }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state of `{S}`, nor a part of one",
    note = "derive it with `#[derive(refmap::State)]`, for one system with `#[state(system = …)]`; what is not plain \
            data is kept whole if you say `impl<S: ?Sized> refmap::State<S> for … {{}}`. A `HashMap` or `HashSet` has another order in \
            each run: take a `BTreeMap` or `BTreeSet`"
)]
pub trait State<S: ?Sized>: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static {
    /// Form in which states of this type are kept. If it is [`Kept::Encoded`], the functions below are overridden.
    const KEPT: Kept = Kept::Whole;

    /// True if what is written is known to be read back, which is not known of what is written by hand.
    #[doc(hidden)]
    const EXACT: Exact<Self> = Exact::UNKNOWN;

    /// Its part in a drawing by rows, for systems that do not say how their states are drawn.
    #[doc(hidden)]
    const DRAWN: Drawn = Drawn::Whole;

    /// Shape of a value: the room that it takes at most.
    fn shape(_system: &S, _limits: Limits) -> Shape {
        Shape::UNKNOWN
    }

    /// Number of values, if they are few: what counts is the product of the ranges of the numbers that are
    /// written. A set of few values is kept as a bit for each.
    #[inline(always)]
    fn count(_system: &S, _limits: Limits) -> Option<u64> {
        None
    }

    /// Writes its variables, one after the other. How many are written may depend on those before.
    fn write(&self, _system: &S, _limits: Limits, _sink: &mut impl Sink) {
        unreachable!("a state that is kept whole is not written");
    }

    /// Reads what [`write`](Self::write) has written, in the same order.
    fn read(_system: &S, _limits: Limits, _source: &mut impl Source) -> Self {
        unreachable!("a state that is kept whole is not read");
    }

    /// Visits every value within limits, in the order of the numbers that are written, the last one changing first.
    #[doc(hidden)]
    #[inline(always)]
    fn each_value(system: &S, limits: Limits, visit: &mut impl FnMut(Self)) {
        let mut choices = Digits::new();
        loop {
            visit(Self::read(system, limits, &mut choices));
            if !choices.advance() {
                return;
            }
        }
    }

    /// Becomes equal to `from`, in the memory that it has where it can.
    #[doc(hidden)]
    #[inline(always)]
    fn assign(&mut self, from: &Self) {
        self.clone_from(from);
    }

    /// Becomes what [`read`](Self::read) reads, in the memory that it has where it can.
    #[doc(hidden)]
    #[inline(always)]
    fn read_over(&mut self, system: &S, limits: Limits, source: &mut impl Source) {
        *self = Self::read(system, limits, source);
    }

    /// The bits that a value takes where states have a fixed size: as many as its [`shape`](Self::shape) has at most.
    #[doc(hidden)]
    #[inline(always)]
    fn width(system: &S, limits: Limits) -> u32 {
        Self::shape(system, limits).bits().unwrap_or(0)
    }

    /// Writes what differs from `from` over the bits of that one, which begin at `at`. Values are compared by their numbers,
    /// not by `Eq`.
    #[doc(hidden)]
    #[inline(always)]
    fn write_changes(
        &self,
        _from: &Self,
        system: &S,
        limits: Limits,
        at: impl Fn() -> u32 + Copy,
        changes: &mut Changes<'_>,
    ) {
        changes.replace((self, at()), system, limits);
    }

    /// Visits its names: the numbers of members, and the counters. It has none, by default. What is derived visits all that its fields say; if one
    /// is left out by hand, it takes no part in an exchange, and the test of the symmetry tells what changes.
    fn visit_names(&mut self, _visit: &mut dyn NameVisitor) {}
}
