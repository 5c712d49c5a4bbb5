//! Views and configurations, by the numbers of their parts.

use foldhash::{HashSet, HashSetExt};

/// A shared part and members, by their numbers, in one order of those in which they are alike, and what is kept of the members that are left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Configuration {
    pub shared: u32,
    pub members: Vec<u32>,
    /// Kinds of the members that are left out, a bit for each.
    pub absent: u32,
}

/// Relation of a configuration to those with fewer members, and with more.
pub(super) trait Composition {
    /// The views of a configuration: it, with so many of its members.
    fn views(&mut self, of: &Configuration, size: usize) -> Vec<Configuration>;
    /// The configurations with one member more, of those that are known, that it may be one of.
    fn grown(&mut self, from: &Configuration) -> Vec<Configuration>;
}

/// Views of one size, in the order in which they came.
#[derive(Default)]
pub(super) struct Views {
    all: Vec<Configuration>,
    known: HashSet<Configuration>,
    taken_up: HashSet<Configuration>,
}

impl Views {
    /// Number of views.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a view, unless it is there.
    pub fn add(&mut self, view: Configuration) {
        if self.known.insert(view.clone()) {
            self.all.push(view);
        }
    }

    /// Takes up the next view, if there is one. The configurations of so many members more all of whose views have now been taken up, and had
    /// not before, are added to `found`.
    pub fn next(
        &mut self,
        form: &mut dyn Composition,
        more: usize,
        found: &mut Vec<Configuration>,
    ) -> Option<()> {
        let view = self.all.get(self.taken_up.len())?.clone();
        let size = view.members.len();
        self.taken_up.insert(view.clone());
        // What is made of them has this view, and all between has.
        let mut grown = vec![view];
        for _ in 0..more {
            let mut seen = HashSet::new();
            let mut larger = Vec::new();
            for one in grown {
                for with in form.grown(&one) {
                    if seen.insert(with.clone()) && self.is_complete(form, &with, size) {
                        larger.push(with);
                    }
                }
            }
            grown = larger;
        }
        found.extend(grown);
        Some(())
    }

    /// True if all views of a configuration were taken up.
    fn is_complete(
        &self,
        form: &mut dyn Composition,
        configuration: &Configuration,
        size: usize,
    ) -> bool {
        let mut views = form.views(configuration, size).into_iter();
        views.all(|view| self.taken_up.contains(&view))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// Members that are numbers below a bound, alike or in a line. The first few are each a kind.
    struct Numbers {
        numbers: u32,
        kinds: u32,
        in_line: bool,
    }

    impl Numbers {
        fn ordered(&self, mut members: Vec<u32>) -> Vec<u32> {
            if !self.in_line {
                members.sort_unstable();
            }
            members
        }

        fn kind(&self, member: u32) -> u32 {
            if member < self.kinds { 1 << member } else { 0 }
        }
    }

    impl Composition for Numbers {
        fn views(&mut self, of: &Configuration, size: usize) -> Vec<Configuration> {
            let masks =
                (0u32..1 << of.members.len()).filter(|mask| mask.count_ones() as usize == size);
            let some = |mask: u32| {
                let members = of.members.iter().enumerate();
                let members = members.filter(move |(place, _)| mask >> place & 1 == 1);
                members.map(|(_, member)| *member)
            };
            let views = masks.map(|mask| Configuration {
                shared: of.shared,
                members: some(mask).collect(),
                absent: some(!mask).fold(of.absent, |all, member| all | self.kind(member)),
            });
            views.collect()
        }

        fn grown(&mut self, from: &Configuration) -> Vec<Configuration> {
            let mut grown = Vec::new();
            for number in 0..self.numbers {
                for place in 0..=from.members.len() {
                    let mut members = from.members.clone();
                    members.insert(place, number);
                    let is_it = |absent: &u32| absent | self.kind(number) == from.absent;
                    let all = 0..1 << self.kinds;
                    grown.extend(all.filter(is_it).map(|absent| Configuration {
                        shared: from.shared,
                        members: self.ordered(members.clone()),
                        absent,
                    }));
                }
            }
            grown
        }
    }

    /// Each configuration all of whose views were taken up comes once, when the last of them is.
    #[test]
    fn configurations_come_when_their_views_are_complete() {
        let mut generator = Generator::new(3);
        let mut configurations = 0;
        for case in 0..400 {
            let size = 1 + case % 3;
            let more = 1 + case / 3 % 3;
            let mut form = Numbers {
                numbers: 1 + generator.below(4) as u32,
                kinds: (case / 9 % 3) as u32,
                in_line: case % 2 == 0,
            };
            let mut views = Views::default();
            let mut all = Vec::new();
            for _ in 0..generator.below(60) {
                let shared = generator.below(2) as u32;
                let members = (0..size).map(|_| generator.below(form.numbers as usize) as u32);
                let members = form.ordered(members.collect());
                let absent = generator.below(1 << form.kinds) as u32;
                views.add(Configuration {
                    shared,
                    members,
                    absent,
                });
                if generator.below(2) == 0 {
                    views.next(&mut form, more, &mut all);
                }
            }
            while views.next(&mut form, more, &mut all).is_some() {}
            let mut expected = Vec::new();
            for (shared, absent) in (0..2).flat_map(|one| (0..4).map(move |other| (one, other))) {
                for number in 0..form.numbers.pow((size + more) as u32) {
                    let places = 0..(size + more) as u32;
                    let members: Vec<_> = places
                        .map(|place| number / form.numbers.pow(place) % form.numbers)
                        .collect();
                    let is_ordered = form.in_line || members.is_sorted();
                    let one = Configuration {
                        shared,
                        members,
                        absent,
                    };
                    let views_of_one = form.views(&one, size);
                    if is_ordered && views_of_one.iter().all(|view| views.known.contains(view)) {
                        expected.push(one);
                    }
                }
            }
            let order = |one: &Configuration| (one.shared, one.absent, one.members.clone());
            all.sort_unstable_by_key(order);
            expected.sort_unstable_by_key(order);
            assert_eq!(all, expected, "case {case}");
            configurations += all.len();
        }
        assert!(configurations > 1000, "{configurations}");
    }
}
