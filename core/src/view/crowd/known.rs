//! The views that a search knows, and the configurations that are complete with one of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use super::configuration::{Configuration, Likeness, Part};

/// Views that are known.
#[derive(Default)]
pub(super) struct Known {
    /// The level at which each was met.
    pub levels: HashMap<Configuration, u32>,
    /// The shapes of members beside each shape of a shared part.
    beside: HashMap<Arc<Part>, HashSet<Arc<Part>>>,
    /// The members, each with the level at which it was met,
    pub members: HashMap<Arc<Part>, u32>,
    /// and the first one of each class.
    pub examples: HashMap<u64, (u32, Arc<Part>)>,
}

impl Known {
    /// Adds a view, unless it is there.
    pub fn add(&mut self, mut view: Configuration, level: u32) {
        if self.levels.contains_key(&view) {
            return;
        }
        for member in &mut view.members {
            let met = self.members.get_key_value(member);
            if let Some((same, _)) = met {
                *member = Arc::clone(same);
                continue;
            }
            self.members.insert(Arc::clone(member), level);
            let example = (level, Arc::clone(member));
            let first = self
                .examples
                .entry(member.class)
                .or_insert_with(|| example.clone());
            if example < *first {
                *first = example;
            }
        }
        let beside = self.beside.entry(view.shared.shape()).or_default();
        beside.extend(view.members.iter().map(Part::shape));
        self.levels.insert(view, level);
    }

    /// The configurations with so many members more than a view that has `size` whose views are all known at its level, and of which it is the least one of that level.
    pub fn completed(
        &self,
        view: &Configuration,
        size: usize,
        more: usize,
        like: &Likeness<'_>,
    ) -> Vec<Configuration> {
        let level = self.levels[view];
        let is_complete = |one: &Configuration, is_last: bool| {
            let mut views = one.views(size, like).into_iter();
            views.all(|other| match self.levels.get(&other) {
                Some(met) if *met == level => !is_last || other >= *view,
                Some(met) => *met < level,
                None => false,
            })
        };
        let shapes = self.beside.get(&view.shared.shape());
        // What is made of them has this view, and all between has.
        let mut all = vec![view.clone()];
        for left in (0..more).rev() {
            let mut grown = BTreeSet::new();
            for one in &all {
                for with in one.grown(shapes.into_iter().flatten(), like) {
                    if !grown.contains(&with) && is_complete(&with, left == 0) {
                        grown.insert(with);
                    }
                }
            }
            all = grown.into_iter().collect();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::configuration::classes;
    use super::*;
    use crate::walk::random::Generator;

    /// Members that are numbers below a bound, alike or in a line. The first few are each of a class.
    struct Numbers {
        numbers: u64,
        classes: u64,
        in_line: bool,
    }

    impl Numbers {
        fn class_of(&self, member: u64) -> u64 {
            u64::from(member < self.classes) << member
        }

        fn configuration(&self, shared: u64, mut members: Vec<u64>, absent: u64) -> Configuration {
            if !self.in_line {
                members.sort_unstable();
            }
            let part = |number: u64, class: u64| {
                Arc::new(Part {
                    words: vec![number],
                    counters: Vec::new(),
                    class,
                })
            };
            let absent = (0..self.classes).map(|place| absent & 1 << place);
            Configuration {
                shared: part(shared, 0),
                names: Vec::new(),
                members: members
                    .iter()
                    .map(|member| part(*member, self.class_of(*member)))
                    .collect(),
                absent: classes(absent),
            }
        }

        /// The views of a configuration, as plainly as can be.
        fn views(
            &self,
            shared: u64,
            members: &[u64],
            absent: u64,
            size: usize,
        ) -> Vec<Configuration> {
            let masks =
                (0u32..1 << members.len()).filter(|mask| mask.count_ones() as usize == size);
            let views = masks.map(|mask| {
                let is_in = |place: usize| mask >> place & 1 == 1;
                let places = 0..members.len();
                let out = places.clone().filter(|place| !is_in(*place));
                let absent = out.fold(absent, |all, place| all | self.class_of(members[place]));
                let members = places
                    .filter(|place| is_in(*place))
                    .map(|place| members[place]);
                self.configuration(shared, members.collect(), absent)
            });
            views.collect()
        }
    }

    /// Each configuration all of whose views are known is posed at one of them, which is of the last level, once.
    #[test]
    fn configurations_come_once_when_their_views_are_complete() {
        let mut generator = Generator::new(3);
        let mut configurations = 0;
        for case in 0..400 {
            let size = 1 + case % 3;
            let more = 1 + case / 3 % 3;
            let form = Numbers {
                numbers: 1 + generator.below(4) as u64,
                classes: (case / 9 % 3) as u64,
                in_line: case % 2 == 0,
            };
            let like = Likeness {
                in_line: form.in_line,
                far: None,
                rewritten: Box::new(|parts| parts),
            };
            let mut known = Known::default();
            for _ in 0..generator.below(60) {
                let members = (0..size).map(|_| generator.below(form.numbers as usize) as u64);
                let members = members.collect();
                let absent = generator.below(1 << form.classes) as u64;
                let shared = generator.below(2) as u64;
                let view = form.configuration(shared, members, absent);
                known.add(view, generator.below(3) as u32);
            }
            let mut posed = Vec::new();
            for (view, level) in &known.levels {
                for one in known.completed(view, size, more, &like) {
                    let mut views = one.views(size, &like).into_iter();
                    assert!(
                        views.all(|other| known.levels[&other] <= *level),
                        "case {case}"
                    );
                    posed.push(one);
                }
            }
            let mut expected = Vec::new();
            for shared in 0..2 {
                for absent in 0..1 << form.classes {
                    for number in 0..form.numbers.pow((size + more) as u32) {
                        let places = 0..(size + more) as u32;
                        let members: Vec<_> = places
                            .map(|place| number / form.numbers.pow(place) % form.numbers)
                            .collect();
                        let mut views = form.views(shared, &members, absent, size).into_iter();
                        let is_ordered = form.in_line || members.is_sorted();
                        if is_ordered && views.all(|view| known.levels.contains_key(&view)) {
                            expected.push(form.configuration(shared, members, absent));
                        }
                    }
                }
            }
            posed.sort_unstable();
            expected.sort_unstable();
            assert_eq!(posed, expected, "case {case}");
            configurations += posed.len();
        }
        assert!(configurations > 1000, "{configurations}");
    }
}
