//! Numbers and what is like them.

use super::limits::{Limits, LimitsFault};
use super::shape::bits;
use super::{Changes, Exact, Kept, Shape, Sink, Source, State};

/// An integer as a number that is small where its magnitude is.
#[inline(always)]
const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[inline(always)]
const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The shape of an integer from `least` to `most`.
fn integer(of: &'static str, least: i128, most: i128, limits: Limits) -> Shape {
    if let Some(fault) = limits.length_of(of) {
        return Shape::wrong(fault);
    }
    if limits.is_varint() {
        return Shape::of_bits(None).with_integers();
    }
    let (low, high) = limits.or(least, most);
    if low > high {
        return Shape::wrong(LimitsFault::Empty { low, high });
    }
    if low < least || high > most {
        return Shape::wrong(LimitsFault::Beyond {
            low,
            high,
            of,
            least,
            most,
        });
    }
    Shape::number((high as u64).wrapping_sub(low as u64)).with_integers()
}

/// The shape of a number from 0 to `most` that is no integer, so that no length can be said of it, and a range leaves it out.
fn no_integer(of: &'static str, most: u64, limits: Limits) -> Shape {
    match limits.length_of(of) {
        Some(fault) => Shape::wrong(fault),
        None => Shape::number(most),
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl<S: ?Sized> State<S> for $integer {
            const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

            fn shape(_: &S, limits: Limits) -> Shape {
                integer(
                    stringify!($integer),
                    <$integer>::MIN as i128,
                    <$integer>::MAX as i128,
                    limits,
                )
            }

            #[inline(always)]
            fn count(_: &S, limits: Limits) -> Option<u64> {
                if limits.is_varint() {
                    return None;
                }
                let (low, high) = limits.or(<$integer>::MIN as i128, <$integer>::MAX as i128);
                (high as u64).wrapping_sub(low as u64).checked_add(1)
            }

            #[inline(always)]
            fn write(&self, _: &S, limits: Limits, sink: &mut impl Sink) {
                if limits.is_varint() {
                    return sink.varint(match <$integer>::MIN {
                        0 => *self as u64,
                        _ => zigzag(*self as i64),
                    });
                }
                let (low, high) = limits.or(<$integer>::MIN as i128, <$integer>::MAX as i128);
                sink.integer(low, high, *self as i128);
            }

            #[inline(always)]
            fn read(_: &S, limits: Limits, source: &mut impl Source) -> Self {
                if limits.is_varint() {
                    return match <$integer>::MIN {
                        0 => source.varint() as $integer,
                        _ => unzigzag(source.varint()) as $integer,
                    };
                }
                let (low, high) = limits.or(<$integer>::MIN as i128, <$integer>::MAX as i128);
                source.integer(low, high) as $integer
            }

            #[inline(always)]
            fn each_value(_: &S, limits: Limits, visit: &mut impl FnMut(Self)) {
                let (low, high) = limits.or(<$integer>::MIN as i128, <$integer>::MAX as i128);
                if low <= high {
                    assert!(
                        low >= <$integer>::MIN as i128 && high <= <$integer>::MAX as i128,
                        "the range from {low} to {high} is not one of `{}`",
                        stringify!($integer)
                    );
                    // PERF: a loop over 128 bits takes twice as long.
                    (low as $integer..=high as $integer).for_each(visit);
                }
            }

            #[inline(always)]
            fn width(_: &S, limits: Limits) -> u32 {
                let (low, high) = limits.or(<$integer>::MIN as i128, <$integer>::MAX as i128);
                bits((high as u64).wrapping_sub(low as u64))
            }

            #[inline(always)]
            fn write_changes(
                &self,
                from: &Self,
                _: &S,
                limits: Limits,
                at: impl Fn() -> u32 + Copy,
                changes: &mut Changes<'_>,
            ) {
                if self != from {
                    let (low, high) = limits.or(<$integer>::MIN as i128, <$integer>::MAX as i128);
                    let most = (high as u64).wrapping_sub(low as u64);
                    // What is below the range is a large number.
                    let number = |value: $integer| (value as u64).wrapping_sub(low as u64);
                    changes.number_over(at(), most, [number(*from), number(*self)]);
                }
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<S: ?Sized> State<S> for bool {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

    fn shape(_: &S, limits: Limits) -> Shape {
        no_integer("bool", 1, limits)
    }

    #[inline(always)]
    fn count(_: &S, _: Limits) -> Option<u64> {
        Some(2)
    }

    #[inline(always)]
    fn write(&self, _: &S, _: Limits, sink: &mut impl Sink) {
        sink.number(1, u64::from(*self));
    }

    #[inline(always)]
    fn read(_: &S, _: Limits, source: &mut impl Source) -> Self {
        source.number(1) == 1
    }

    #[inline(always)]
    fn width(_: &S, _: Limits) -> u32 {
        1
    }

    #[inline(always)]
    fn write_changes(
        &self,
        from: &Self,
        _: &S,
        _: Limits,
        at: impl Fn() -> u32 + Copy,
        changes: &mut Changes<'_>,
    ) {
        if self != from {
            changes.number_over(at(), 1, [u64::from(*from), u64::from(*self)]);
        }
    }
}

impl<S: ?Sized> State<S> for () {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

    fn shape(_: &S, limits: Limits) -> Shape {
        no_integer("()", 0, limits)
    }

    #[inline(always)]
    fn count(_: &S, _: Limits) -> Option<u64> {
        Some(1)
    }

    #[inline(always)]
    fn write(&self, _: &S, _: Limits, _: &mut impl Sink) {}

    #[inline(always)]
    fn read(_: &S, _: Limits, _: &mut impl Source) {}
}

impl<S: ?Sized> State<S> for char {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

    fn shape(_: &S, limits: Limits) -> Shape {
        no_integer("char", u64::from(u32::from(char::MAX)), limits)
    }

    #[inline(always)]
    fn write(&self, _: &S, _: Limits, sink: &mut impl Sink) {
        sink.number(u64::from(u32::from(char::MAX)), u64::from(u32::from(*self)));
    }

    #[inline(always)]
    fn read(_: &S, _: Limits, source: &mut impl Source) -> Self {
        let number = source.number(u64::from(u32::from(char::MAX)));
        // Random choices fall on numbers of no character, too.
        char::from_u32(number as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}
