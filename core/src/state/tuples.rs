//! Values side by side.

use std::mem::needs_drop;
use std::sync::Arc;

use super::limits::Limits;
use super::{Changes, Drawn, Exact, Kept, NameVisitor, Part, Shape, Sink, Source, State, product};

macro_rules! tuples {
    ($(($($type_:ident $field:tt),+))*) => {$(
        impl<X: ?Sized, $($type_: State<X>),+> State<X> for ($($type_,)+) {
            const KEPT: Kept = Kept::all(&[$($type_::KEPT),+]);
            const EXACT: Exact<Self> = Exact::of_parts(&[$($type_::EXACT.is_exact()),+]);

            fn shape(system: &X, limits: Limits) -> Shape {
                Shape::fields(&[$($type_::shape(system, limits)),+])
            }

            #[inline(always)]
            fn count(system: &X, limits: Limits) -> Option<u64> {
                product(&[$($type_::count(system, limits)),+])
            }

            #[inline(always)]
            fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
                $(
                    sink.enter(Part::Name(stringify!($field)));
                    self.$field.write(system, limits, sink);
                    sink.leave();
                )+
            }

            #[inline(always)]
            fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
                ($($type_::read(system, limits, source),)+)
            }

            #[inline(always)]
            fn assign(&mut self, from: &Self) {
                $(self.$field.assign(&from.$field);)+
            }

            #[inline(always)]
            fn read_over(&mut self, system: &X, limits: Limits, source: &mut impl Source) {
                $(self.$field.read_over(system, limits, source);)+
            }

            #[inline(always)]
            fn width(system: &X, limits: Limits) -> u32 {
                0u32 $(.wrapping_add($type_::width(system, limits)))+
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
                $(
                    self.$field.write_changes(&from.$field, system, limits, at, changes);
                    let at = move || at() + $type_::width(system, limits);
                )+
                let _ = at;
            }

            fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
                $(self.$field.visit_names(visit);)+
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
    const EXACT: Exact<Self> = Exact::of_parts(&[T::EXACT.is_exact()]);
    const DRAWN: Drawn = Drawn::Array(&T::DRAWN);

    fn shape(system: &X, limits: Limits) -> Shape {
        T::shape(system, limits).times(N)
    }

    #[inline(always)]
    fn count(system: &X, limits: Limits) -> Option<u64> {
        T::count(system, limits)?.checked_pow(N as u32)
    }

    #[inline(always)]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        for (index, element) in self.iter().enumerate() {
            sink.enter(Part::Index(index));
            element.write(system, limits, sink);
            sink.leave();
        }
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        std::array::from_fn(|_| T::read(system, limits, source))
    }

    #[inline(always)]
    fn assign(&mut self, from: &Self) {
        if const { !needs_drop::<T>() } {
            return self.clone_from(from);
        }
        for (element, from) in self.iter_mut().zip(from) {
            element.assign(from);
        }
    }

    #[inline(always)]
    fn read_over(&mut self, system: &X, limits: Limits, source: &mut impl Source) {
        for element in self {
            element.read_over(system, limits, source);
        }
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        T::width(system, limits).wrapping_mul(N as u32)
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
        elements(self, from, system, limits, at, changes);
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        for element in self {
            element.visit_names(visit);
        }
    }
}

/// Writes the changes of elements that begin at `at`, and are as many as those before.
#[inline(always)]
pub(super) fn elements<'t, X: ?Sized, T: State<X>>(
    new: impl IntoIterator<Item = &'t T>,
    old: impl IntoIterator<Item = &'t T>,
    system: &X,
    limits: Limits,
    at: impl Fn() -> u32 + Copy,
    changes: &mut Changes<'_>,
) {
    for (number, (new, old)) in (0..).zip(new.into_iter().zip(old)) {
        let at = move || at() + T::width(system, limits) * number;
        new.write_changes(old, system, limits, at, changes);
    }
}

impl<X: ?Sized, T: State<X>> State<X> for Option<T> {
    const KEPT: Kept = T::KEPT;
    const EXACT: Exact<Self> = Exact::of_parts(&[T::EXACT.is_exact()]);

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
        match self {
            Some(value) => value.write(system, limits, sink),
            None => sink.skip(T::width(system, limits)),
        }
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        let is_some = source.number(1) == 1;
        if !is_some {
            source.skip(T::width(system, limits));
        }
        is_some.then(|| T::read(system, limits, source))
    }

    #[inline(always)]
    fn assign(&mut self, from: &Self) {
        match (self, from) {
            (Some(value), Some(from)) => value.assign(from),
            (value, from) => value.clone_from(from),
        }
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        1 + T::width(system, limits)
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
        match (self, from) {
            (None, None) => (),
            (Some(new), Some(old)) => {
                new.write_changes(old, system, limits, move || at() + 1, changes);
            }
            _ => changes.replace((self, at()), system, limits),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if let Some(value) = self {
            value.visit_names(visit);
        }
    }
}

macro_rules! pointers {
    ($($pointer:ident by $inside:expr, $assign:expr;)*) => {$(
        impl<X: ?Sized, T: State<X>> State<X> for $pointer<T>
        where
            Self: serde::Serialize,
        {
            const KEPT: Kept = T::KEPT;
            const EXACT: Exact<Self> = Exact::of_parts(&[T::EXACT.is_exact()]);
            const DRAWN: Drawn = T::DRAWN;

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

            #[inline(always)]
            fn assign(&mut self, from: &Self) {
                let assign: fn(&mut Self, &Self) = $assign;
                assign(self, from);
            }

            #[inline(always)]
            fn width(system: &X, limits: Limits) -> u32 {
                T::width(system, limits)
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
                (**self).write_changes(&**from, system, limits, at, changes);
            }

            fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
                let inside: fn(&mut Self) -> &mut T = $inside;
                inside(self).visit_names(visit);
            }
        }
    )*};
}

pointers! {
    Box by Box::as_mut, |to, from| (**to).assign(from);
    // What is shared is not copied.
    Arc by Arc::make_mut, |to, from| to.clone_from(from);
}
