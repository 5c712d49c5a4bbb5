//! Counters of a state, moved together.

use super::State;
use super::names::{CounterName, NameVisitor, Row};

/// Visits the names of a value.
pub(crate) type VisitNames<'a> = dyn FnMut(&mut dyn NameVisitor) + 'a;

/// Moves the counters of each group down together, so that the least of them is 0: `S` is the system.
///
/// ```
/// # use refmap::Counter;
/// type Tickets = (Counter, Counter, Counter<1, 1>);
/// let start: Tickets = (Counter::START, Counter::START, Counter::START);
/// let mut tickets = (start.0.next().next(), start.1.next(), start.2.next());
/// refmap::internal::normalise::<(), _>(&mut tickets);
/// assert_eq!(tickets, (start.0.next(), start.1, start.2));
/// ```
pub fn normalise<S: ?Sized, T: State<S>>(state: &mut T) {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    normalise_groups(&mut |visit| state.visit_names(visit), &all);
}

/// The same with the counters of some groups, and by how much those of each were moved.
///
/// # Panics
///
/// If some counters of a group have begun anew beside others of it: to shift these is not to shift those.
pub(crate) fn normalise_groups(visit: &mut VisitNames<'_>, groups: &[u8]) -> Vec<(u8, u64)> {
    let mut least: Vec<Least> = Vec::new();
    if groups.is_empty() {
        return Vec::new();
    }
    visit(&mut CounterSetter(|counter: &CounterName<'_>| {
        let CounterName {
            group,
            is_new,
            ref value,
            ..
        } = *counter;
        let value = **value;
        match least.iter_mut().find(|other| other.group == group) {
            Some(of_group) => {
                assert!(of_group.are_new == is_new, "{BEGUN_ANEW}");
                of_group.value = value.min(of_group.value);
            }
            None => least.push(Least {
                group,
                value,
                are_new: is_new,
            }),
        }
        value
    }));
    least.retain(|of_group| of_group.value > 0 && groups.contains(&of_group.group));
    let by: Vec<_> = least.iter().map(|one| (one.group, one.value)).collect();
    if !by.is_empty() {
        visit(&mut CounterSetter(|counter: &CounterName<'_>| {
            *counter.value - amount(&by, counter.group)
        }));
    }
    by
}

/// Message where a counter of a state begins anew beside one that does not.
pub(crate) const BEGUN_ANEW: &str =
    "a counter has begun anew beside others of its group: its value is looked at";

/// The least counter of a group.
struct Least {
    group: u8,
    value: u64,
    are_new: bool,
}

/// Moves the counters up.
pub(crate) fn shift(visit: &mut VisitNames<'_>, by: &[(u8, u64)]) {
    if !by.is_empty() {
        visit(&mut CounterSetter(|counter: &CounterName<'_>| {
            counter.value.wrapping_add(amount(by, counter.group))
        }));
    }
}

fn amount(by: &[(u8, u64)], group: u8) -> u64 {
    let found = by.iter().find(|(other, _)| *other == group);
    found.map_or(0, |(_, amount)| *amount)
}

/// Visitor that gives counters new values.
struct CounterSetter<F>(F);

impl<F: FnMut(&CounterName<'_>) -> u64> NameVisitor for CounterSetter<F> {
    fn counter(&mut self, counter: CounterName<'_>) {
        let value = (self.0)(&counter);
        *counter.value = value;
    }

    fn member(&mut self, _: u8, _: &mut usize) {}

    fn rows(&mut self, _: u8, rows: &mut [&mut dyn Row]) {
        for row in rows {
            for at in 0..row.length() {
                row.visit_element(at, self);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::Counter;
    use crate::walk::random::Generator;

    type Tickets = (
        Vec<Counter>,
        BTreeSet<(Counter, bool)>,
        BTreeMap<Counter, Option<Counter<1, 7>>>,
    );

    fn at<const GROUP: u8>(steps: usize) -> Counter<1, GROUP> {
        (0..steps).fold(Counter::START, |counter, _| counter.next())
    }

    /// The counters of each group, by their distance from the first one.
    fn all(tickets: &Tickets) -> [Vec<u64>; 2] {
        fn number<const GROUP: u8>(counter: &Counter<1, GROUP>) -> u64 {
            counter.to_string().parse().expect("it is a number")
        }
        let (vector, set, map) = tickets;
        let first = vector.iter().chain(set.iter().map(|(one, _)| one));
        [
            first.chain(map.keys()).map(number).collect(),
            map.values().flatten().map(number).collect(),
        ]
    }

    /// The least of each group is 0, what is between them stays, and it is undone.
    #[test]
    fn counters_are_moved_down_and_back() {
        let mut generator = Generator::new(5);
        for case in 0..500 {
            let base = generator.below(1000);
            let mut draw = || at(base + generator.below(20));
            let vector = (0..case % 4).map(|_| draw()).collect();
            let set = (0..case % 3).map(|at| (draw(), at == 0)).collect();
            let map = (0..case % 5).map(|number| (draw(), (number > 1).then(|| at(number))));
            let tickets: Tickets = (vector, set, map.collect());
            let mut normal = tickets.clone();
            normalise::<(), _>(&mut normal);
            for (before, after) in all(&tickets).into_iter().zip(all(&normal)) {
                let least = before.iter().min().copied().unwrap_or(0);
                let expected: Vec<_> = before.iter().map(|value| value - least).collect();
                assert_eq!(after, expected);
            }
            let mut by_names = tickets.clone();
            let mut visit = |visit: &mut dyn NameVisitor| {
                State::<()>::visit_names(&mut by_names, visit);
            };
            let by = normalise_groups(&mut visit, &[0, 7]);
            assert_eq!(normal, by_names);
            shift(
                &mut |visit| State::<()>::visit_names(&mut by_names, visit),
                &by,
            );
            assert_eq!(by_names, tickets);
        }
    }

    #[test]
    #[should_panic(expected = "a counter has begun anew beside others")]
    fn a_counter_does_not_begin_anew_beside_others() {
        let mut old: Counter = Counter::START.next();
        normalise::<(), _>(&mut old);
        normalise::<(), _>(&mut (old, Counter::<1>::START));
    }
}
