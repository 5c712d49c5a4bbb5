//! Counters of a state, moved together.

use std::collections::BTreeMap;

use super::State;
use super::names::{NameVisitor, Row};

/// Visits the names of a value.
pub(crate) type VisitNames<'a> = dyn FnMut(&mut dyn NameVisitor) + 'a;

/// Moves the counters of each group down together, so that the least of them is 0: `S` is the system.
///
/// ```
/// # use refmap::Counter;
/// let mut tickets: (Counter, Counter, Counter<1>) = (Counter::new(7), Counter::new(5), Counter::new(9));
/// refmap::state::normalise::<(), _>(&mut tickets);
/// assert_eq!(tickets, (Counter::new(2), Counter::ZERO, Counter::ZERO));
/// ```
pub fn normalise<S: ?Sized, T: State<S>>(state: &mut T) {
    close_gaps::<S, T>(state, u64::MAX);
}

/// The same, with the difference of a counter and the next greater one of its group cut down to `far`.
pub(crate) fn close_gaps<S: ?Sized, T: State<S>>(state: &mut T, far: u64) {
    let mut visit = |visitor: &mut dyn NameVisitor| state.visit_names(visitor);
    let values = values(&mut visit);
    let mut closed = BTreeMap::new();
    for (group, values) in values {
        let (mut last, mut to) = (values[0], 0);
        for value in values {
            to += (value - last).min(far);
            closed.insert((group, value), to);
            last = value;
        }
    }
    visit(&mut Moved(|group, value| closed[&(group, value)]));
}

/// Values of the counters, by their groups, in ascending order.
fn values(visit: &mut VisitNames<'_>) -> BTreeMap<u8, Vec<u64>> {
    let mut values: BTreeMap<u8, Vec<u64>> = BTreeMap::new();
    visit(&mut Moved(|group, value| {
        values.entry(group).or_default().push(value);
        value
    }));
    for values in values.values_mut() {
        values.sort_unstable();
    }
    values
}

/// Moves the counters of some groups down as [`normalise`] does, and says by how much those of each.
pub(crate) fn normalise_groups(visit: &mut VisitNames<'_>, groups: &[u8]) -> Vec<(u8, u64)> {
    let mut least: Vec<(u8, u64)> = Vec::new();
    if groups.is_empty() {
        return least;
    }
    visit(&mut Moved(|group, value: u64| {
        match least.iter_mut().find(|(other, _)| *other == group) {
            Some((_, least)) => *least = value.min(*least),
            None => least.push((group, value)),
        }
        value
    }));
    least.retain(|(group, least)| *least > 0 && groups.contains(group));
    if !least.is_empty() {
        visit(&mut Moved(|group, value| value - amount(&least, group)));
    }
    least
}

/// Moves the counters up.
pub(crate) fn shift(visit: &mut VisitNames<'_>, by: &[(u8, u64)]) {
    if !by.is_empty() {
        visit(&mut Moved(|group, value: u64| {
            value.wrapping_add(amount(by, group))
        }));
    }
}

fn amount(by: &[(u8, u64)], group: u8) -> u64 {
    let found = by.iter().find(|(other, _)| *other == group);
    found.map_or(0, |(_, amount)| *amount)
}

/// Visitor that gives counters new values.
struct Moved<F>(F);

impl<F: FnMut(u8, u64) -> u64> NameVisitor for Moved<F> {
    fn counter(&mut self, group: u8, value: &mut u64) {
        *value = (self.0)(group, *value);
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
    use crate::random::Generator;

    type Tickets = (
        Vec<Counter>,
        BTreeSet<(Counter, bool)>,
        BTreeMap<Counter, Option<Counter<7>>>,
    );

    fn all(tickets: &Tickets) -> (Vec<u64>, Vec<u64>) {
        let number = |counter: &Counter| (*counter - Counter::ZERO) as u64;
        let first = tickets.0.iter().chain(tickets.1.iter().map(|(one, _)| one));
        let first = first.chain(tickets.2.keys()).map(number).collect();
        let second = tickets.2.values().flatten();
        let second = second.map(|one| (*one - Counter::ZERO) as u64);
        (first, second.collect())
    }

    /// The plainest account: the distances of neighbours.
    fn distances(mut values: Vec<u64>, far: u64) -> Vec<u64> {
        values.sort_unstable();
        let gaps = values.windows(2).map(|pair| (pair[1] - pair[0]).min(far));
        gaps.collect()
    }

    #[test]
    fn gaps_are_closed_and_nothing_else_is_changed() {
        let mut generator = Generator::new(5);
        for case in 0..500 {
            let base = generator.below(1000) as u64;
            let mut draw = || Counter::new(base + generator.below(20) as u64);
            let vector = (0..case % 4).map(|_| draw()).collect();
            let set = (0..case % 3).map(|at| (draw(), at == 0)).collect();
            let map = (0..case % 5).map(|at| (draw(), (at > 1).then(|| Counter::new(at))));
            let tickets: Tickets = (vector, set, map.collect());
            for far in [1, 3, u64::MAX] {
                let mut closed = tickets.clone();
                close_gaps::<(), _>(&mut closed, far);
                let (before, after) = (all(&tickets), all(&closed));
                for (before, after) in [(before.0, after.0), (before.1, after.1)] {
                    assert_eq!(before.is_empty(), after.is_empty());
                    assert!(after.is_empty() || after.contains(&0));
                    let least = before.iter().min().copied().unwrap_or(0);
                    for (one, to) in before.iter().zip(&after) {
                        assert!(far != u64::MAX || one - least == *to);
                        for (other, other_to) in before.iter().zip(&after) {
                            assert_eq!(one.cmp(other), to.cmp(other_to));
                        }
                    }
                    assert_eq!(distances(before, far), distances(after, u64::MAX));
                }
            }
            let mut normal = tickets.clone();
            normalise::<(), _>(&mut normal);
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
}
