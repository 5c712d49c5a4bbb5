//! Views and configurations, by the numbers of their parts.

use foldhash::{HashMap, HashSet};

/// A shared part, and members in ascending order, of which some may be equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Configuration {
    pub shared: u32,
    pub members: Vec<u32>,
}

impl Configuration {
    pub fn new(shared: u32, members: impl IntoIterator<Item = u32>) -> Self {
        let mut members: Vec<_> = members.into_iter().collect();
        members.sort_unstable();
        Self { shared, members }
    }

    /// The same with one member more.
    fn with(&self, member: u32) -> Self {
        let place = self.members.partition_point(|other| *other < member);
        let mut members = self.members.clone();
        members.insert(place, member);
        Self {
            shared: self.shared,
            members,
        }
    }

    /// The same without one of its members, for each of these that differ.
    pub fn but_one(&self) -> impl Iterator<Item = Self> {
        self.without().map(|(_, rest)| rest)
    }

    /// The same, with the member that is left out.
    fn without(&self) -> impl Iterator<Item = (u32, Self)> {
        let is_first = |place: usize| place == 0 || self.members[place] != self.members[place - 1];
        let places = (0..self.members.len()).filter(move |place| is_first(*place));
        places.map(|place| {
            let mut rest = self.clone();
            let member = rest.members.remove(place);
            (member, rest)
        })
    }
}

/// Views of one size, in the order in which they came.
#[derive(Default)]
pub(super) struct Views {
    /// Each, with the configuration that led to it.
    all: Vec<(Configuration, Option<Configuration>)>,
    known: HashSet<Configuration>,
    /// The views that were taken up, by all of their members but one.
    complete: HashMap<Configuration, HashSet<u32>>,
    /// Number of views that were taken up.
    taken_up: usize,
}

impl Views {
    /// Number of views.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a view, unless it is there.
    pub fn add(&mut self, view: Configuration, from: Option<&Configuration>) {
        if self.known.insert(view.clone()) {
            self.all.push((view, from.cloned()));
        }
    }

    /// The configuration a step of which led to a view, if it is not initial.
    pub fn origin(&self, number: usize) -> Option<&Configuration> {
        self.all[number].1.as_ref()
    }

    /// Takes up the next view, which is given with its number. The configurations of one member more all of whose views have now been taken up, and had
    /// not before, are added to `found`.
    pub fn next(&mut self, found: &mut Vec<Configuration>) -> Option<(usize, Configuration)> {
        let number = self.taken_up;
        let (view, _) = self.all.get(number)?;
        let view = view.clone();
        self.taken_up += 1;
        for (member, rest) in view.without() {
            self.complete.entry(rest).or_default().insert(member);
        }
        let rest = view.without().next();
        let candidates = rest.and_then(|(_, rest)| self.complete.get(&rest));
        for member in candidates.into_iter().flatten() {
            let configuration = view.with(*member);
            let is_complete = configuration.but_one().all(|view| {
                let first = view.without().next();
                first.is_some_and(|(member, rest)| {
                    let completions = self.complete.get(&rest);
                    completions.is_some_and(|members| members.contains(&member))
                })
            });
            if is_complete {
                found.push(configuration);
            }
        }
        // Hash sets give their members in no order.
        found.sort_unstable_by(|one, other| one.members.cmp(&other.members));
        Some((number, view))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// Each configuration all of whose views were taken up comes once, when the last of them is.
    #[test]
    fn configurations_come_when_their_views_are_complete() {
        let mut generator = Generator::new(3);
        for case in 0..300 {
            let size = 1 + case % 3;
            let kinds = 1 + generator.below(4) as u32;
            let mut views = Views::default();
            let mut found = Vec::new();
            let mut all = Vec::new();
            for _ in 0..generator.below(40) {
                let shared = generator.below(2) as u32;
                let members = (0..size).map(|_| generator.below(kinds as usize) as u32);
                views.add(
                    Configuration::new(shared, members.collect::<Vec<_>>()),
                    None,
                );
                if generator.below(2) == 0 {
                    views.next(&mut found);
                    all.append(&mut found);
                }
            }
            while views.next(&mut found).is_some() {
                all.append(&mut found);
            }
            let mut expected = Vec::new();
            for shared in 0..2 {
                for number in 0..kinds.pow(size as u32 + 1) {
                    let digits = (0..=size as u32).map(|place| number / kinds.pow(place) % kinds);
                    let digits: Vec<_> = digits.collect();
                    let one = Configuration::new(shared, digits.clone());
                    let is_known = |view: &Configuration| views.known.contains(view);
                    if digits.is_sorted() && one.but_one().all(|view| is_known(&view)) {
                        expected.push(one);
                    }
                }
            }
            let order = |one: &Configuration| (one.shared, one.members.clone());
            all.sort_unstable_by_key(order);
            expected.sort_unstable_by_key(order);
            assert_eq!(all, expected, "case {case}");
        }
    }
}
