//! Names in states and actions: numbers of members, and counters, which say nothing but which is which and how far apart they are.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::take;

use crate::state::bounded::BoundedVec;

/// Visitor of the names in a state or an action, which may give others in their place.
///
/// Members of a group are alike; those of different groups, as references and threads, are not. A group is a number of the model's choice.
pub trait NameVisitor {
    /// Visits a counter of a group.
    fn counter(&mut self, counter: CounterName<'_>);
    /// Visits the number of a member of a group.
    fn member(&mut self, group: u8, number: &mut usize);
    /// Visits the parts of the members of a group: rows of as many elements as there are members.
    fn rows(&mut self, group: u8, rows: &mut [&mut dyn Row]);

    /// Visits a set of members of a group whose numbers are below 64, a bit for each.
    fn members(&mut self, group: u8, bits: &mut u64) {
        let mut left = take(bits);
        while left != 0 {
            let mut number = left.trailing_zeros() as usize;
            left &= left - 1;
            self.member(group, &mut number);
            *bits |= 1u64.checked_shl(number as u32).unwrap_or(0);
        }
    }

    /// Visits a number of an action that follows from its step and from the names in it: that of a result among several, or of a rule
    /// that is of one member.
    fn choice(&mut self, _number: &mut usize) {}

    /// Begins a set or a map, in which the order of what is visited is that of its names.
    fn enter_set(&mut self) {}

    /// Ends it.
    fn leave_set(&mut self) {}
}

/// A [`Counter`](crate::Counter) in a state or an action.
pub struct CounterName<'a> {
    /// Number of its group.
    pub(crate) group: u8,
    /// The least steps apart from another one that are as good as any more.
    pub(crate) far: u64,
    /// The value, which may be given another one.
    pub(crate) value: &'a mut u64,
    /// True if it has begun anew, and comes from no state.
    pub(crate) is_new: bool,
}

/// Parts of the members of a group that stand in one field, an element a member.
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

/// A row of elements, with a function that visits the names in one.
pub struct RowOf<'a, T, F> {
    elements: &'a mut [T],
    visit: F,
}

impl<'a, T: Ord, F: Fn(&mut T, &mut dyn NameVisitor)> RowOf<'a, T, F> {
    /// The row of these elements.
    pub fn new(elements: &'a mut [T], visit: F) -> Self {
        Self { elements, visit }
    }
}

impl<T: Ord, F: Fn(&mut T, &mut dyn NameVisitor)> Row for RowOf<'_, T, F> {
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
        (self.visit)(&mut self.elements[at], visit);
    }
}

/// A value that consists of names: what `#[state(member)]` is said of in a state, and `#[process]`, `#[member]` or `#[counter]` in an action.
///
/// An integer is the number of a member, counted from 0, and a `bool` one of two; of a map the keys are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of a member, and holds none",
    note = "a number of a member is an integer or a `bool`, in an `Option`, a vector, an array, a set, or the keys of a map; the number of a process that is \
            no member is `#[process(fixed)]`"
)]
pub trait Names {
    /// Visits each of them, as a member of this group.
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor);
}

macro_rules! numbers {
    ($($integer:ty)*) => {$(
        impl Names for $integer {
            fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
                let mut number = *self as usize;
                if number as $integer == *self {
                    visit.member(group, &mut number);
                    *self = number as $integer;
                }
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Names for bool {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        let mut number = usize::from(*self);
        visit.member(group, &mut number);
        *self = number == 1;
    }
}

impl<T: Names> Names for Option<T> {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        if let Some(name) = self {
            name.each_name(group, visit);
        }
    }
}

macro_rules! sequences {
    ($([$($parameters:tt)*] $sequence:ty)*) => {$(
        impl<T: Names, $($parameters)*> Names for $sequence {
            fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
                for name in self.iter_mut() {
                    name.each_name(group, visit);
                }
            }
        }
    )*};
}

sequences!([] Vec<T> [] VecDeque<T> [const N: usize] [T; N]);

impl<T: Names + Copy + Default, const N: usize> Names for BoundedVec<T, N> {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        for name in self.iter_mut() {
            name.each_name(group, visit);
        }
    }
}

impl<T: Names + Ord> Names for BTreeSet<T> {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        each_in_set(self, visit, &mut |name, visit| name.each_name(group, visit));
    }
}

impl<K: Names + Ord, V> Names for BTreeMap<K, V> {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        each_in_map(self, visit, &mut |key, _, visit| {
            key.each_name(group, visit)
        });
    }
}

/// Visits the names in the elements of a set.
pub(super) fn each_in_set<T: Ord>(
    set: &mut BTreeSet<T>,
    visit: &mut dyn NameVisitor,
    each: &mut dyn FnMut(&mut T, &mut dyn NameVisitor),
) {
    visit.enter_set();
    for mut element in take(set) {
        each(&mut element, visit);
        set.insert(element);
    }
    visit.leave_set();
}

/// Visits the names in the entries of a map.
pub(super) fn each_in_map<K: Ord, V>(
    map: &mut BTreeMap<K, V>,
    visit: &mut dyn NameVisitor,
    each: &mut dyn FnMut(&mut K, &mut V, &mut dyn NameVisitor),
) {
    let entries = map.len();
    visit.enter_set();
    for (mut key, mut value) in take(map) {
        each(&mut key, &mut value, visit);
        map.insert(key, value);
    }
    visit.leave_set();
    // Where one name is put in the place of several, which of their values is left would depend on what they were.
    if map.len() < entries {
        map.clear();
    }
}
