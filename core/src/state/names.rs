//! Names in states and actions: numbers of members, and counters, which say nothing but which is which and how far apart they are.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::marker::PhantomData;
use std::mem::take;

use super::State;
use crate::bounded::BoundedVec;

/// Visitor of the names in a state or an action, which may give others in their place.
pub trait NameVisitor {
    /// Visits the value of a counter of a group.
    fn counter(&mut self, group: u8, value: &mut u64);
    /// Visits the number of a member.
    fn member(&mut self, number: &mut usize);
    /// Visits the parts of the members: rows of as many elements as there are members.
    fn rows(&mut self, rows: &mut [&mut dyn Row]);
}

/// Parts of the members that stand in one field, an element a member.
pub trait Row {
    /// Number of elements.
    fn length(&self) -> usize;
    /// Order of two elements, by their places.
    fn compare(&self, one: usize, other: usize) -> Ordering;
    /// Exchanges two elements.
    fn swap(&mut self, one: usize, other: usize);
    /// Visits the names in an element.
    fn visit_element(&mut self, at: usize, visit: &mut dyn NameVisitor);
}

/// A row of parts of states of the system `S`.
pub struct RowOf<'a, T, S: ?Sized> {
    elements: &'a mut [T],
    of: PhantomData<fn(&S)>,
}

impl<'a, T, S: ?Sized> RowOf<'a, T, S> {
    /// The row of these elements.
    pub fn new(elements: &'a mut [T]) -> Self {
        Self {
            elements,
            of: PhantomData,
        }
    }
}

impl<T: State<S> + Ord, S: ?Sized> Row for RowOf<'_, T, S> {
    fn length(&self) -> usize {
        self.elements.len()
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        self.elements[one].cmp(&self.elements[other])
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.elements.swap(one, other);
    }

    fn visit_element(&mut self, at: usize, visit: &mut dyn NameVisitor) {
        self.elements[at].visit_names(visit);
    }
}

/// A row of numbers of members.
pub struct RowOfNames<'a, T>(pub &'a mut [T]);

impl<T: Names + Ord> Row for RowOfNames<'_, T> {
    fn length(&self) -> usize {
        self.0.len()
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        self.0[one].cmp(&self.0[other])
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.0.swap(one, other);
    }

    fn visit_element(&mut self, at: usize, visit: &mut dyn NameVisitor) {
        self.0[at].each_name(visit);
    }
}

/// A value that consists of names: what `#[state(member)]` is said of in a state, and `#[process]`, `#[member]` or `#[counter]` in an action.
///
/// An integer is the number of a member, counted from 0; of a map the keys are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of a member, and holds none",
    note = "a number of a member is an integer, in an `Option`, a vector, an array, a set, or the keys of a map; the number of a process that is \
            no member is `#[process(fixed)]`"
)]
pub trait Names {
    /// Visits each of them.
    fn each_name(&mut self, visit: &mut dyn NameVisitor);
}

macro_rules! numbers {
    ($($integer:ty)*) => {$(
        impl Names for $integer {
            fn each_name(&mut self, visit: &mut dyn NameVisitor) {
                let mut number = *self as usize;
                if number as $integer == *self {
                    visit.member(&mut number);
                    *self = number as $integer;
                }
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: Names> Names for Option<T> {
    fn each_name(&mut self, visit: &mut dyn NameVisitor) {
        if let Some(name) = self {
            name.each_name(visit);
        }
    }
}

macro_rules! sequences {
    ($([$($parameters:tt)*] $sequence:ty)*) => {$(
        impl<T: Names, $($parameters)*> Names for $sequence {
            fn each_name(&mut self, visit: &mut dyn NameVisitor) {
                for name in self.iter_mut() {
                    name.each_name(visit);
                }
            }
        }
    )*};
}

sequences!([] Vec<T> [] VecDeque<T> [const N: usize] [T; N]);

impl<T: Names + Copy + Default, const N: usize> Names for BoundedVec<T, N> {
    fn each_name(&mut self, visit: &mut dyn NameVisitor) {
        for name in self.iter_mut() {
            name.each_name(visit);
        }
    }
}

impl<T: Names + Ord> Names for BTreeSet<T> {
    fn each_name(&mut self, visit: &mut dyn NameVisitor) {
        for mut name in take(self) {
            name.each_name(visit);
            self.insert(name);
        }
    }
}

impl<K: Names + Ord, V> Names for BTreeMap<K, V> {
    fn each_name(&mut self, visit: &mut dyn NameVisitor) {
        for (mut key, value) in take(self) {
            key.each_name(visit);
            self.insert(key, value);
        }
    }
}
