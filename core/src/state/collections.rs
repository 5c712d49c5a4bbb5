//! Vectors, deques, strings, sets and maps.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::needs_drop;

use super::limits::{Length, Limits, LimitsFault};
use super::names::{each_in_map, each_in_set};
use super::shape::bits;
use super::sink::{FromIndex, ToIndex};
use super::tuples::elements;
use super::{Changes, Drawn, Exact, Kept, Misfit, NameVisitor, Part, Shape, Sink, Source, State};
use crate::state::bounded::BoundedVec;

/// The most values of an element for which a set is a bit for each of them.
const FEW: u64 = 64;

/// Writes a length, and says whether it is one of those that there may be.
#[inline(always)]
fn write_length(length: usize, limits: Limits, sink: &mut impl Sink) -> bool {
    check_length(length, limits, sink);
    match limits.length() {
        Length::Any => sink.varint(length as u64),
        Length::Exactly(exactly) => return length == exactly,
        Length::AtMost(most) if length <= most => sink.number(most as u64, length as u64),
        Length::AtMost(_) => return false,
    }
    true
}

/// True if a length that is not written is one of those that there may be.
#[inline(always)]
fn check_length(length: usize, limits: Limits, sink: &mut impl Sink) {
    let (low, high) = match limits.length() {
        Length::Any => return,
        Length::Exactly(exactly) => (exactly, exactly),
        Length::AtMost(most) => (0, most),
    };
    if length < low || length > high {
        sink.misfit(Misfit::Length {
            value: length,
            low,
            high,
        });
    }
}

#[inline(always)]
fn read_length(limits: Limits, source: &mut impl Source) -> usize {
    match limits.length() {
        Length::Any => source.length(),
        Length::Exactly(exactly) => exactly,
        Length::AtMost(most) => source.number(most as u64) as usize,
    }
}

/// The bits that a sequence of this length takes less than the longest.
#[inline(always)]
fn shorter(length: usize, limits: Limits, width: u32) -> u32 {
    match limits.length() {
        Length::Any | Length::Exactly(_) => 0,
        Length::AtMost(most) => width.wrapping_mul(most.wrapping_sub(length) as u32),
    }
}

/// The bits of a length.
#[inline(always)]
fn length_width(limits: Limits) -> u32 {
    match limits.length() {
        Length::Any | Length::Exactly(_) => 0,
        Length::AtMost(most) => bits(most as u64),
    }
}

/// The bits of as many values as `limits` say, where there is a bound.
#[inline(always)]
fn sequence_width(element: u32, limits: Limits) -> u32 {
    match limits.length() {
        Length::Any => 0,
        Length::Exactly(most) | Length::AtMost(most) => element
            .wrapping_mul(most as u32)
            .wrapping_add(length_width(limits)),
    }
}

/// The shape of as many values as `limits` say.
fn sequence(element: Shape, limits: Limits) -> Shape {
    let most = match limits.length() {
        Length::Any => return element.unbounded(),
        Length::Exactly(most) | Length::AtMost(most) => most,
    };
    if most > isize::MAX as usize {
        return Shape::wrong(LimitsFault::NoSuchLength);
    }
    let length = Shape::of_bits(Some(length_width(limits)));
    Shape::fields(&[length, element.times(most)])
}

/// Functions of a sequence that can grow, which keep its memory and that of its elements.
macro_rules! keeps_memory {
    ($system:ident) => {
        #[inline]
        fn assign(&mut self, from: &Self) {
            if const { !needs_drop::<T>() } {
                return self.clone_from(from);
            }
            self.truncate(from.len());
            let kept = self.len();
            for (element, from) in self.iter_mut().zip(from) {
                element.assign(from);
            }
            self.extend(from.iter().skip(kept).cloned());
        }

        #[inline]
        fn read_over(&mut self, system: &$system, limits: Limits, source: &mut impl Source) {
            let length = read_length(limits, source);
            let of_elements = limits.of_elements();
            self.truncate(length);
            let kept = self.len();
            for element in self.iter_mut() {
                element.read_over(system, of_elements, source);
            }
            self.extend((kept..length).map(|_| T::read(system, of_elements, source)));
            source.skip(shorter(length, limits, T::width(system, of_elements)));
        }
    };
}

macro_rules! sequences {
    ($($sequence:ty { $($keeps_memory:ident)? })*) => {$(
        impl<X: ?Sized, T: State<X>> State<X> for $sequence {
            $($keeps_memory! { X })?

            const KEPT: Kept = T::KEPT;
            const EXACT: Exact<Self> = Exact::of_parts(&[T::EXACT.is_exact()]);
            const DRAWN: Drawn = Drawn::Queue(&T::DRAWN);

            fn shape(system: &X, limits: Limits) -> Shape {
                sequence(T::shape(system, limits.of_elements()), limits)
            }

            #[inline]
            fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
                if write_length(self.len(), limits, sink) {
                    for (index, element) in self.iter().enumerate() {
                        sink.enter(Part::Index(index));
                        element.write(system, limits.of_elements(), sink);
                        sink.leave();
                    }
                    sink.skip(shorter(self.len(), limits, T::width(system, limits.of_elements())));
                }
            }

            #[inline]
            fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
                let length = read_length(limits, source);
                let all = (0..length).map(|_| T::read(system, limits.of_elements(), source)).collect();
                source.skip(shorter(length, limits, T::width(system, limits.of_elements())));
                all
            }

            #[inline(always)]
            fn width(system: &X, limits: Limits) -> u32 {
                sequence_width(T::width(system, limits.of_elements()), limits)
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
                if self.len() != from.len() {
                    return changes.replace((self, at()), system, limits);
                }
                let at = move || at() + length_width(limits);
                elements(self.iter(), from.iter(), system, limits.of_elements(), at, changes);
            }

            fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
                for element in self.iter_mut() {
                    element.visit_names(visit);
                }
            }
        }
    )*};
}

sequences!(Vec<T> { keeps_memory } Box<[T]> {} VecDeque<T> { keeps_memory });

/// Limit on the length of a vector that has a bound of its own.
#[inline(always)]
fn bounded(limits: Limits, bound: usize) -> Limits {
    match limits.length() {
        Length::Any => limits.max_len(bound),
        Length::Exactly(_) | Length::AtMost(_) => limits,
    }
}

impl<X: ?Sized, T: State<X> + Copy + Default, const N: usize> State<X> for BoundedVec<T, N> {
    const KEPT: Kept = T::KEPT;
    const EXACT: Exact<Self> = Exact::of_parts(&[T::EXACT.is_exact()]);
    const DRAWN: Drawn = Drawn::Queue(&T::DRAWN);

    fn shape(system: &X, limits: Limits) -> Shape {
        let limits = bounded(limits, N);
        let (Length::Exactly(most) | Length::AtMost(most)) = limits.length() else {
            unreachable!("it is bounded");
        };
        let fault = || LimitsFault::TooLong {
            length: most,
            most: N,
        };
        let shape = sequence(T::shape(system, limits.of_elements()), limits);
        shape.unless(most > N, fault)
    }

    #[inline(always)]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        let limits = bounded(limits, N);
        if write_length(self.len(), limits, sink) {
            for (index, element) in self.iter().enumerate() {
                sink.enter(Part::Index(index));
                element.write(system, limits.of_elements(), sink);
                sink.leave();
            }
            sink.skip(shorter(
                self.len(),
                limits,
                T::width(system, limits.of_elements()),
            ));
        }
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        let limits = bounded(limits, N);
        let length = read_length(limits, source);
        let mut all = Self::of_length(length);
        for element in &mut all {
            *element = T::read(system, limits.of_elements(), source);
        }
        source.skip(shorter(
            length,
            limits,
            T::width(system, limits.of_elements()),
        ));
        all
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        let limits = bounded(limits, N);
        sequence_width(T::width(system, limits.of_elements()), limits)
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
        if self.len() != from.len() {
            return changes.replace((self, at()), system, limits);
        }
        let limits = bounded(limits, N);
        let at = move || at() + length_width(limits);
        elements(&**self, &**from, system, limits.of_elements(), at, changes);
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        for element in self.iter_mut() {
            element.visit_names(visit);
        }
    }
}

impl<X: ?Sized> State<X> for String {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

    fn shape(_: &X, limits: Limits) -> Shape {
        sequence(Shape::number(u64::from(u8::MAX)), limits)
    }

    fn write(&self, _: &X, limits: Limits, sink: &mut impl Sink) {
        if write_length(self.len(), limits, sink) {
            for byte in self.bytes() {
                sink.number(u64::from(u8::MAX), u64::from(byte));
            }
            sink.skip(shorter(self.len(), limits, u8::BITS));
        }
    }

    fn read(_: &X, limits: Limits, source: &mut impl Source) -> Self {
        let length = read_length(limits, source);
        let bytes = (0..length).map(|_| source.number(u64::from(u8::MAX)) as u8);
        let bytes: Vec<_> = bytes.collect();
        source.skip(shorter(length, limits, u8::BITS));
        // Random choices fall on bytes of no text, too.
        String::from_utf8(bytes).unwrap_or_else(|error| {
            let bytes = error.into_bytes();
            bytes.iter().map(|byte| char::from(byte & 127)).collect()
        })
    }
}

/// Kept whole: what is read is no part of the program.
impl<X: ?Sized> State<X> for &'static str {}

/// The bits of a set of so many values, if they are few.
#[inline(always)]
fn mask_of(count: Option<u64>) -> Option<u64> {
    count
        .filter(|count| *count <= FEW)
        .map(|count| u64::MAX.checked_shr((FEW - count) as u32).unwrap_or(0))
}

/// The bit of a value in a set.
#[inline]
fn bit_of<X: ?Sized, T: State<X>>(
    value: &T,
    system: &X,
    limits: Limits,
    sink: &mut impl Sink,
) -> u64 {
    let mut index = ToIndex::new();
    value.write(system, limits, &mut index);
    match index.index() {
        Some(index) => 1 << (index % FEW),
        None => {
            // Says which integer it is.
            value.write(system, limits, sink);
            0
        }
    }
}

/// The values of the bits of a set.
#[inline]
fn values<X: ?Sized, T: State<X>>(
    mask: u64,
    system: &X,
    limits: Limits,
) -> impl Iterator<Item = T> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let index = (rest != 0).then(|| rest.trailing_zeros())?;
        rest &= rest - 1;
        Some(T::read(system, limits, &mut FromIndex(u64::from(index))))
    })
}

impl<X: ?Sized, T: State<X> + Ord> State<X> for BTreeSet<T> {
    /// PERF: the one element that a rule has put into it is taken out, since to make a set anew is to look for memory.
    #[inline]
    fn assign(&mut self, from: &Self) {
        let (mut own, mut others) = (self.iter(), from.iter());
        loop {
            match (own.next(), others.next()) {
                (None, None) => return,
                (element, other) if element == other => (),
                (Some(added), other) if own.next() == other && own.eq(others.clone()) => {
                    let added = added.clone();
                    self.remove(&added);
                    return;
                }
                _ => break,
            }
        }
        self.clone_from(from);
    }

    const KEPT: Kept = T::KEPT;
    const EXACT: Exact<Self> = Exact::of_parts(&[T::EXACT.is_exact()]);
    const DRAWN: Drawn = Drawn::Set;

    fn shape(system: &X, limits: Limits) -> Shape {
        let element = T::shape(system, limits.of_elements());
        match mask_of(T::count(system, limits.of_elements())) {
            Some(mask) => sequence(element, limits).of_set(mask),
            None => sequence(element, limits),
        }
    }

    #[inline]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        let of_elements = limits.of_elements();
        let Some(mask) = mask_of(T::count(system, of_elements)) else {
            if write_length(self.len(), limits, sink) {
                for element in self {
                    element.write(system, of_elements, sink);
                }
                sink.skip(shorter(self.len(), limits, T::width(system, of_elements)));
            }
            return;
        };
        check_length(self.len(), limits, sink);
        let mut bits = 0;
        for element in self {
            bits |= bit_of(element, system, of_elements, sink);
        }
        sink.number(mask, bits);
    }

    #[inline]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        let of_elements = limits.of_elements();
        match mask_of(T::count(system, of_elements)) {
            Some(mask) => {
                // PERF: put in one by one. To collect is to sort, in a vector, by code that is compiled for each reader.
                let mut all = Self::new();
                all.extend(values(source.number(mask), system, of_elements));
                all
            }
            None => {
                let length = read_length(limits, source);
                let mut all = Self::new();
                all.extend((0..length).map(|_| T::read(system, of_elements, source)));
                source.skip(shorter(length, limits, T::width(system, of_elements)));
                all
            }
        }
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        let of_elements = limits.of_elements();
        match mask_of(T::count(system, of_elements)) {
            Some(mask) => bits(mask),
            None => sequence_width(T::width(system, of_elements), limits),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        each_in_set(self, visit, &mut |element, visit| {
            element.visit_names(visit)
        });
    }
}

impl<X: ?Sized, K: State<X> + Ord, V: State<X>> State<X> for BTreeMap<K, V> {
    #[inline]
    fn assign(&mut self, from: &Self) {
        if self != from {
            self.clone_from(from);
        }
    }

    const KEPT: Kept = Kept::all(&[K::KEPT, V::KEPT]);
    const EXACT: Exact<Self> = Exact::of_parts(&[K::EXACT.is_exact(), V::EXACT.is_exact()]);

    fn shape(system: &X, limits: Limits) -> Shape {
        let of_elements = limits.of_elements();
        let (key, value) = (K::shape(system, of_elements), V::shape(system, of_elements));
        let pairs = sequence(Shape::fields(&[key, value.clone()]), limits);
        match mask_of(K::count(system, of_elements)) {
            Some(mask) => {
                let values = value.times(mask.count_ones() as usize);
                Shape::fields(&[pairs.of_set(mask), values])
            }
            None => pairs,
        }
    }

    #[inline]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        let of_elements = limits.of_elements();
        let Some(mask) = mask_of(K::count(system, of_elements)) else {
            if write_length(self.len(), limits, sink) {
                for (key, value) in self {
                    sink.enter(Part::Key(key));
                    key.write(system, of_elements, sink);
                    value.write(system, of_elements, sink);
                    sink.leave();
                }
                let width =
                    K::width(system, of_elements).wrapping_add(V::width(system, of_elements));
                sink.skip(shorter(self.len(), limits, width));
            }
            return;
        };
        check_length(self.len(), limits, sink);
        let mut bits = 0;
        for key in self.keys() {
            bits |= bit_of(key, system, of_elements, sink);
        }
        sink.number(mask, bits);
        for (key, value) in self {
            sink.enter(Part::Key(key));
            value.write(system, of_elements, sink);
            sink.leave();
        }
        let missing = mask.count_ones().saturating_sub(self.len() as u32);
        sink.skip(missing.wrapping_mul(V::width(system, of_elements)));
    }

    #[inline]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        let of_elements = limits.of_elements();
        match mask_of(K::count(system, of_elements)) {
            Some(mask) => {
                // In the order of the keys, which is that in which the values were written.
                let mut keys = BTreeSet::<K>::new();
                keys.extend(values(source.number(mask), system, of_elements));
                let missing = mask.count_ones().saturating_sub(keys.len() as u32);
                let mut all = Self::new();
                let keys = keys.into_iter();
                all.extend(keys.map(|key| (key, V::read(system, of_elements, source))));
                source.skip(missing.wrapping_mul(V::width(system, of_elements)));
                all
            }
            None => {
                let length = read_length(limits, source);
                let pair = |_| {
                    (
                        K::read(system, of_elements, source),
                        V::read(system, of_elements, source),
                    )
                };
                let mut all = Self::new();
                all.extend((0..length).map(pair));
                let width =
                    K::width(system, of_elements).wrapping_add(V::width(system, of_elements));
                source.skip(shorter(length, limits, width));
                all
            }
        }
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        let of_elements = limits.of_elements();
        let value = V::width(system, of_elements);
        match mask_of(K::count(system, of_elements)) {
            Some(mask) => bits(mask).wrapping_add(value.wrapping_mul(mask.count_ones())),
            None => sequence_width(K::width(system, of_elements).wrapping_add(value), limits),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        each_in_map(self, visit, &mut |key, value, visit| {
            key.visit_names(visit);
            value.visit_names(visit);
        });
    }
}
