//! Values side by side.

use std::sync::Arc;

use super::limits::Limits;
use super::{Kept, Shape, Sink, Source, State, product};

macro_rules! tuples {
    ($(($($type_:ident $field:tt),+))*) => {$(
        impl<X: ?Sized, $($type_: State<X>),+> State<X> for ($($type_,)+) {
            const KEPT: Kept = Kept::all(&[$($type_::KEPT),+]);

            fn shape(system: &X, limits: Limits) -> Shape {
                Shape::fields(&[$($type_::shape(system, limits)),+])
            }

            #[inline(always)]
            fn count(system: &X, limits: Limits) -> Option<u64> {
                product(&[$($type_::count(system, limits)),+])
            }

            #[inline(always)]
            fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
                $(self.$field.write(system, limits, sink);)+
            }

            #[inline(always)]
            fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
                ($($type_::read(system, limits, source),)+)
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

impl<X: ?Sized, T: State<X>, const N: usize> State<X> for [T; N]
where
    Self: serde::Serialize,
{
    const KEPT: Kept = T::KEPT;

    fn shape(system: &X, limits: Limits) -> Shape {
        T::shape(system, limits).times(N)
    }

    #[inline(always)]
    fn count(system: &X, limits: Limits) -> Option<u64> {
        T::count(system, limits)?.checked_pow(N as u32)
    }

    #[inline(always)]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        for element in self {
            element.write(system, limits, sink);
        }
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        std::array::from_fn(|_| T::read(system, limits, source))
    }
}

impl<X: ?Sized, T: State<X>> State<X> for Option<T> {
    const KEPT: Kept = T::KEPT;

    fn shape(system: &X, limits: Limits) -> Shape {
        Shape::variants(&[Shape::number(0), T::shape(system, limits)])
    }

    #[inline(always)]
    fn count(system: &X, limits: Limits) -> Option<u64> {
        T::count(system, limits)?.checked_mul(2)
    }

    #[inline(always)]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        sink.number(1, u64::from(self.is_some()));
        if let Some(value) = self {
            value.write(system, limits, sink);
        }
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        (source.number(1) == 1).then(|| T::read(system, limits, source))
    }
}

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<X: ?Sized, T: State<X>> State<X> for $pointer<T>
        where
            Self: serde::Serialize,
        {
            const KEPT: Kept = T::KEPT;

            fn shape(system: &X, limits: Limits) -> Shape {
                T::shape(system, limits)
            }

            #[inline(always)]
            fn count(system: &X, limits: Limits) -> Option<u64> {
                T::count(system, limits)
            }

            #[inline(always)]
            fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
                (**self).write(system, limits, sink);
            }

            #[inline(always)]
            fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
                Self::new(T::read(system, limits, source))
            }
        }
    )*};
}

pointers!(Box Arc);
