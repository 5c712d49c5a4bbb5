//! Values of a model behind a pointer: states, actions, observations.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{BuildHasher, Hash, Hasher};
use std::mem::discriminant;

use foldhash::fast::FixedState;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::state::State;
use crate::state::hiding::Hiding;
use crate::statement::shown::json::json;

/// Value that can be compared with one of its own type.
trait Comparable: Any + Debug {
    fn equals(&self, other: &dyn Any) -> bool;
    fn hash_one(&self) -> u64;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<T: Any + Debug + Eq + Hash> Comparable for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn hash_one(&self) -> u64 {
        FixedState::default().hash_one(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

/// Value that a system shows.
trait ObservedValue: Comparable + Send + Sync {
    fn cloned(&self) -> Box<dyn ObservedValue>;
}

impl<T: Comparable + Clone + Send + Sync> ObservedValue for T {
    fn cloned(&self) -> Box<dyn ObservedValue> {
        Box::new(self.clone())
    }
}

/// Value that reports show as JSON.
trait Reported: Comparable + Send + Sync {
    fn cloned(&self) -> Box<dyn Reported>;
    fn json(&self) -> Value;
    fn variant(&self) -> u64;
}

impl<T: Comparable + Clone + Serialize + Send + Sync> Reported for T {
    fn cloned(&self) -> Box<dyn Reported> {
        Box::new(self.clone())
    }

    fn json(&self) -> Value {
        json(self)
    }

    fn variant(&self) -> u64 {
        FixedState::default().hash_one(discriminant(self))
    }
}

macro_rules! erased {
    ($(#[$documentation:meta])* $name:ident, $object:ident) => {
        $(#[$documentation])*
        pub(crate) struct $name(Box<dyn $object>);

        impl $name {
            fn as_any(&self) -> &dyn Any {
                &*self.0
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                Self((*self.0).cloned())
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                let _shown = Hiding::suspend();
                (*self.0).equals(other.as_any())
            }
        }

        impl Eq for $name {}

        /// PERF: a hasher without a type takes a call through a table for each part of a value; one hash is made by one that has
        /// a type, and passed on.
        impl Hash for $name {
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                let _shown = Hiding::suspend();
                hasher.write_u64((*self.0).hash_one());
            }
        }

        impl Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let _shown = Hiding::suspend();
                (*self.0).fmt(f)
            }
        }
    };
}

macro_rules! reported {
    ($(#[$documentation:meta])* $name:ident, $value:ident) => {
        erased!($(#[$documentation])* $name, Reported);

        impl $name {
            /// The same value without its type. What has none is itself.
            #[inline]
            pub fn from<T: $value>(value: T) -> Self {
                let mut value = Some(value);
                match (&mut value as &mut dyn Any).downcast_mut::<Option<Self>>() {
                    Some(erased) => erased.take().expect("it is not taken yet"),
                    None => Self(Box::new(value.take().expect("it is not taken yet"))),
                }
            }

            /// A clone of a value, without its type.
            #[inline]
            pub fn of<T: $value>(value: &T) -> Self {
                Self::from(value.clone())
            }

            /// The value of its type.
            ///
            /// # Panics
            ///
            /// If it is of another one.
            #[inline]
            pub fn get<T: $value>(&self) -> &T {
                let itself: &dyn Any = self;
                let value = itself.downcast_ref().or_else(|| self.as_any().downcast_ref());
                value.expect("a value is asked about in the system that made it")
            }

            /// The same, to be changed.
            ///
            /// # Panics
            ///
            /// If it is of another type.
            pub fn get_mut<T: $value>(&mut self) -> &mut T {
                let is_itself = (self as &dyn Any).is::<T>();
                let value: &mut dyn Any = if is_itself { self } else { &mut *self.0 };
                let value = value.downcast_mut();
                value.expect("a value is asked about in the system that made it")
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let _shown = Hiding::suspend();
                (*self.0).json().serialize(serializer)
            }
        }
    };
}

/// Bound of what is erased as a state: all that a [`State`] is but the way to write it.
pub trait Plain: Any + Clone + Eq + Hash + Debug + Serialize + Send + Sync {}

impl<T: Any + Clone + Eq + Hash + Debug + Serialize + Send + Sync> Plain for T {}

reported! {
    /// A state of some system.
    ErasedState, Plain
}

reported! {
    /// An action of some system.
    ErasedAction, Plain
}

erased! {
    /// An observation of some system.
    ErasedObservation, ObservedValue
}

impl ErasedObservation {
    /// The same value without its type.
    pub fn from<T: Any + Clone + Eq + Hash + Debug + Send + Sync>(value: T) -> Self {
        Self(Box::new(value))
    }
}

impl ErasedState {
    /// The state, hashed part by part as one that has its type is.
    pub fn parts(&self) -> Parts<'_> {
        Parts(self)
    }
}

/// A state, of which each part is hashed.
pub(crate) struct Parts<'a>(&'a ErasedState);

impl Hash for Parts<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let _shown = Hiding::suspend();
        (*self.0.0).hash_into(hasher);
    }
}

impl ErasedAction {
    /// A number that two actions share that are of one variant.
    pub fn variant(&self) -> u64 {
        (*self.0).variant()
    }

    /// Actions without their type.
    pub fn all<T: Plain>(actions: Vec<T>) -> Vec<Self> {
        // A loop, of which less is compiled than of iterators that use the memory of the list again.
        let mut all = Vec::new();
        for action in actions {
            all.push(Self::from(action));
        }
        all
    }
}

/// A step from a state that is known.
pub(crate) type ErasedStep = (ErasedAction, ErasedState);

/// States without their type.
pub(crate) fn erased_states<T: Plain>(states: &[T]) -> Vec<ErasedState> {
    let mut erased = Vec::new();
    for state in states {
        erased.push(ErasedState::of(state));
    }
    erased
}

// Where it is kept, it is kept as it is.
impl<S: ?Sized> State<S> for ErasedState {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_erased_value_is_the_value() {
        let values: [(u8, Vec<Option<u16>>); 3] = [
            (1, vec![Some(2), None]),
            (1, vec![Some(2)]),
            (1, vec![Some(2)]),
        ];
        let erased = values.each_ref().map(ErasedState::of);
        let hasher = FixedState::default();
        for (one, value) in erased.iter().zip(&values) {
            assert_eq!(one.get::<(u8, Vec<Option<u16>>)>(), value);
            assert_eq!(hasher.hash_one(one.parts()), hasher.hash_one(value));
            assert_eq!(
                (json(one), format!("{one:?}")),
                (json(value), format!("{value:?}"))
            );
            assert_eq!(ErasedState::of(one).get::<ErasedState>(), one);
            for (other, other_value) in erased.iter().zip(&values) {
                assert_eq!(one == other, value == other_value);
                let [one, other] = [one, other].map(|state| hasher.hash_one(state));
                assert_eq!(one == other, value == other_value);
            }
        }
        // Values of two types are never one.
        assert_ne!(ErasedState::of(&1_u8), ErasedState::of(&1_u16));
        assert_eq!(
            ErasedObservation::from("seen").clone(),
            ErasedObservation::from("seen")
        );
        assert_eq!(ErasedAction::from("act").get::<&str>(), &"act");
    }
}
