//! States and actions of views, kept as the words of their parts.
//!
//! A part belongs to the base, and is written as the base says: a range may be one of its parameters.

/// Implements `State` for the state of a view, or a part of it, by its fields, each of which is a state of the base. The names in it are those of the
/// fields that are listed for them.
macro_rules! written_by_parts {
    (
        impl [$($generics:tt)*] $type_:ty, of $view:ty, based on $base:ty
        $(where [$($bounds:tt)*])?
        { $($field:tt: $part:ty),+ }
        $(names of [$($named:ident: $named_part:ty),+])?
    ) => {
        impl<$($generics)*> $crate::state::State<$view> for $type_
        $(where $($bounds)*)?
        {
            const KEPT: $crate::state::Kept =
                $crate::state::Kept::all(&[$(<$part as $crate::state::State<$base>>::KEPT),+]);
            const EXACT: $crate::state::Exact<Self> = $crate::state::Exact::of_parts(&[
                $(<$part as $crate::state::State<$base>>::EXACT.is_exact()),+
            ]);

            fn shape(view: &$view, limits: $crate::state::Limits) -> $crate::state::Shape {
                let base = &view.system;
                $crate::state::Shape::fields(&[
                    $(<$part as $crate::state::State<$base>>::shape(base, limits)),+
                ])
            }

            #[inline(always)]
            fn count(view: &$view, limits: $crate::state::Limits) -> Option<u64> {
                let base = &view.system;
                $crate::state::product(&[
                    $(<$part as $crate::state::State<$base>>::count(base, limits)),+
                ])
            }

            #[inline(always)]
            fn write(
                &self,
                view: &$view,
                limits: $crate::state::Limits,
                sink: &mut impl $crate::state::Sink,
            ) {
                let base = &view.system;
                $(
                    sink.enter($crate::state::Part::Name(stringify!($field)));
                    <$part as $crate::state::State<$base>>::write(&self.$field, base, limits, sink);
                    sink.leave();
                )+
            }

            #[inline(always)]
            fn read(
                view: &$view,
                limits: $crate::state::Limits,
                source: &mut impl $crate::state::Source,
            ) -> Self {
                let base = &view.system;
                Self {
                    $($field: <$part as $crate::state::State<$base>>::read(base, limits, source)),+
                }
            }

            #[inline(always)]
            fn width(view: &$view, limits: $crate::state::Limits) -> u32 {
                let base = &view.system;
                0u32 $(.wrapping_add(<$part as $crate::state::State<$base>>::width(base, limits)))+
            }

            #[inline(always)]
            fn write_changes(
                &self,
                from: &Self,
                view: &$view,
                limits: $crate::state::Limits,
                at: impl Fn() -> u32 + Copy,
                changes: &mut $crate::state::Changes<'_>,
            ) {
                let base = &view.system;
                $(
                    <$part as $crate::state::State<$base>>::write_changes(
                        &self.$field, &from.$field, base, limits, at, changes,
                    );
                    let at = move || {
                        at() + <$part as $crate::state::State<$base>>::width(base, limits)
                    };
                )+
                let _ = at;
            }

            $(
                fn visit_names(&mut self, visit: &mut dyn $crate::state::NameVisitor) {
                    $(<$named_part as $crate::state::State<$base>>::visit_names(&mut self.$named, visit);)+
                }
            )?
        }
    };
}

pub(super) use written_by_parts;

/// Methods of a system with a variable that its system answers for the state below; `show` adds the variable.
macro_rules! asked_of_the_system {
    (with $variable:literal: $value:ident) => {
        fn observe(&self, from: &Self::State) -> Self::Observation {
            self.system.observe(&from.state)
        }

        fn may_stop(&self, from: &Self::State) -> bool {
            self.system.may_stop(&from.state)
        }

        /// Conditions of the system without the variable, on its own steps: one that changes nothing but the variable, or a stutter, is
        /// none; and one that a guess forbids is enabled nevertheless.
        fn fairness(&self) -> Vec<crate::statement::fairness::Fairness> {
            self.system.fairness()
        }

        fn draw(&self, from: &Self::State) -> Option<crate::statement::drawing::Drawing> {
            self.system.draw(&from.state)
        }

        fn show(&self, from: &Self::State) -> serde_json::Value {
            let value = $crate::statement::shown::json::json(&from.$value);
            serde_json::json!({"state": self.system.show(&from.state), $variable: value})
        }
    };
}

pub(super) use asked_of_the_system;
