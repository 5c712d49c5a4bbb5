//! Configurations as a crowd has them: their members alike or in a line, and with counters or without.

use super::counters::{Counted, close, placed};
use super::declared::{Declared, DeclaredCounters, ErasedParts};
use super::parts::CrowdParts;
use super::stand_ins::OfKind;
use super::views::{Composition, Configuration};
use crate::erased::ErasedPart;
use crate::numbered::Numbered;

/// The parts that came, by their numbers.
pub(super) struct KnownParts<'c> {
    crowd: &'c dyn Declared,
    shared: Numbered<ErasedPart>,
    members: Numbered<ErasedPart>,
    /// The bit of the kind of each member, of most none.
    kinds: Vec<u32>,
    /// Members whose counters have the first values, 0, 1, …, where there are counters.
    shapes: Numbered<ErasedPart>,
}

impl<'c> KnownParts<'c> {
    pub fn new(crowd: &'c dyn Declared) -> Self {
        Self {
            crowd,
            shared: Numbered::default(),
            members: Numbered::default(),
            kinds: Vec::new(),
            shapes: Numbered::default(),
        }
    }

    /// The configuration that stands for these parts, beside members of some kinds that are left out.
    pub fn configuration(&mut self, parts: &ErasedParts, absent: u32) -> Configuration {
        let known = (self.shared.values().len(), self.members.values().len());
        let parts = self.crowd.closed(parts);
        if self.crowd.far().is_some() {
            for member in &parts.members {
                let alone = CrowdParts {
                    shared: parts.shared.clone(),
                    members: vec![member.clone()],
                };
                let mut counted = self.crowd.counted(&alone);
                // Different values, so that a set of counters stays as large as it is.
                for ((_, value), different) in counted.values[counted.shared..].iter_mut().zip(0..)
                {
                    *value = different;
                }
                let mut alone = self.crowd.with_values(&alone, &counted);
                self.shapes.number(alone.members.remove(0));
            }
        }
        let members = parts.members.into_iter();
        let members: Vec<_> = members.map(|member| self.number(member)).collect();
        let shared = self.shared.number(parts.shared);
        if known != (self.shared.values().len(), self.members.values().len()) {
            self.assert_far(shared, &members);
        }
        self.ordered(Configuration {
            shared,
            members,
            absent,
        })
    }

    /// # Panics
    ///
    /// If there are counters that have to be kept further apart than those of the first initial state.
    fn assert_far(&self, shared: u32, members: &[u32]) {
        let parts = self.parts(&Configuration {
            shared,
            members: members.to_vec(),
            absent: 0,
        });
        assert!(
            self.crowd.counted(&parts).far <= self.crowd.far(),
            "a counter that no initial state has tells more steps apart than those that it has, or there are none"
        );
    }

    fn number(&mut self, member: ErasedPart) -> u32 {
        let number = self.members.number(member);
        if number as usize == self.kinds.len() {
            let kind = self.crowd.kind(&self.members.values()[number as usize]);
            self.kinds.push(kind.map_or(0, |kind| 1 << kind));
        }
        number
    }

    /// Parts of a configuration.
    pub fn parts(&self, of: &Configuration) -> ErasedParts {
        let members = of.members.iter();
        CrowdParts {
            shared: self.shared.values()[of.shared as usize].clone(),
            members: members
                .map(|member| self.members.values()[*member as usize].clone())
                .collect(),
        }
    }

    /// The kinds of members of a configuration that have a bit of their own in a mask.
    fn bits(&self, of: &Configuration, mask: u32) -> u32 {
        let members = of.members.iter().enumerate();
        let members = members.filter(|(place, _)| mask >> place & 1 == 1);
        members.fold(0, |all, (_, member)| all | self.kinds[*member as usize])
    }

    /// The same in the order in which its members stand for all in which they are alike.
    fn ordered(&self, mut configuration: Configuration) -> Configuration {
        if !self.crowd.in_line() {
            configuration.members.sort_unstable();
        }
        configuration
    }

    /// Places among members where another one may stand.
    fn places(&self, members: usize) -> std::ops::RangeInclusive<usize> {
        if self.crowd.in_line() {
            0..=members
        } else {
            members..=members
        }
    }

    /// The configurations with a member of this shape at a place, for all values of its counters.
    fn with_shape(
        &self,
        parts: &ErasedParts,
        far: u64,
        shape: &ErasedPart,
        place: usize,
    ) -> Vec<ErasedParts> {
        let mut with = parts.clone();
        with.members.insert(place, shape.clone());
        let of_with = self.crowd.counted(&with);
        let first = of_with.shared + of_with.members[..place].iter().sum::<usize>();
        let new = first..first + of_with.members[place];
        let mut without = of_with.values.clone();
        let groups: Vec<_> = without.drain(new.clone()).map(|(group, _)| group).collect();
        // All values with so many of the new ones among them.
        let mut all = vec![without];
        for (at, group) in new.zip(groups) {
            let placed = all.iter().flat_map(|values| placed(values, group, far));
            let inserted = placed.map(|(mut values, value)| {
                values.insert(at, (group, value));
                close(&mut values, far);
                values
            });
            all = inserted.collect();
        }
        let all = all.into_iter().map(|values| {
            let counted = Counted {
                values,
                ..of_with.clone()
            };
            self.crowd.with_values(&with, &counted)
        });
        all.collect()
    }
}

/// The kinds of the members that are left out where one with this bit is left out no more, of those with which it was.
fn without(absent: u32, bit: u32) -> impl Iterator<Item = u32> {
    // Another one of its kind may be left out, too.
    let others = [absent, absent & !bit];
    let different = if bit == 0 { 1 } else { 2 };
    let is_possible = absent & bit == bit;
    others
        .into_iter()
        .take(if is_possible { different } else { 0 })
}

/// In the order in which they came.
impl OfKind for KnownParts<'_> {
    fn of_kind(&self, kind: u32) -> Vec<&ErasedPart> {
        let members = self.members.values().iter().zip(&self.kinds);
        let of_kind = members.filter(|(_, bit)| **bit == 1 << kind);
        of_kind.map(|(member, _)| member).collect()
    }
}

/// Masks of so many of some members.
fn masks(members: usize, size: usize) -> impl Iterator<Item = u32> {
    let all = 0u32..1 << members;
    all.filter(move |mask| mask.count_ones() as usize == size)
}

impl Composition for KnownParts<'_> {
    fn views(&mut self, of: &Configuration, size: usize) -> Vec<Configuration> {
        let mut views = Vec::new();
        if self.crowd.far().is_some() {
            let parts = self.parts(of);
            for mask in masks(of.members.len(), size) {
                let absent = of.absent | self.bits(of, !mask);
                views.push(self.configuration(&parts.some(mask), absent));
            }
        } else {
            for mask in masks(of.members.len(), size) {
                let members = of.members.iter().enumerate();
                let members = members.filter(|(place, _)| mask >> place & 1 == 1);
                views.push(Configuration {
                    shared: of.shared,
                    members: members.map(|(_, member)| *member).collect(),
                    absent: of.absent | self.bits(of, !mask),
                });
            }
        }
        views.sort_unstable();
        views.dedup();
        views
    }

    fn grown(&mut self, from: &Configuration) -> Vec<Configuration> {
        let places = self.places(from.members.len());
        let mut grown = Vec::new();
        let Some(far) = self.crowd.far() else {
            for (member, bit) in (0..).zip(&self.kinds) {
                for absent in without(from.absent, *bit) {
                    for place in places.clone() {
                        let mut with = from.clone();
                        with.members.insert(place, member);
                        with.absent = absent;
                        grown.push(self.ordered(with));
                    }
                }
            }
            return grown;
        };
        let parts = self.parts(from);
        let shapes = self.shapes.values().to_vec();
        for shape in &shapes {
            for place in places.clone() {
                for with in self.with_shape(&parts, far, shape, place) {
                    // The kind may depend on how the counters differ.
                    let bit = self.crowd.kinds_of([&with.members[place]]);
                    for absent in without(from.absent, bit) {
                        grown.push(self.configuration(&with, absent));
                    }
                }
            }
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::views::Views;
    use super::*;
    use crate::Counter;
    use crate::erased::ErasedState;
    use crate::random::Generator;
    use crate::state::{NameVisitor, Names};

    /// Members that are numbers below a bound, alike or in a line. The first few are each a kind.
    struct Numbers {
        numbers: u32,
        kinds: u32,
        in_line: bool,
        /// True if a part has a counter, though the first initial state has none.
        has_late_counter: bool,
    }

    impl Numbers {
        fn ordered(&self, mut members: Vec<u32>) -> Vec<u32> {
            if !self.in_line {
                members.sort_unstable();
            }
            members
        }

        fn bit(&self, member: u32) -> u32 {
            if member < self.kinds { 1 << member } else { 0 }
        }

        fn views(&self, of: &Configuration, size: usize) -> Vec<Configuration> {
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
                absent: some(!mask).fold(of.absent, |all, member| all | self.bit(member)),
            });
            views.collect()
        }
    }

    impl Declared for Numbers {
        fn members(&self) -> &str {
            "numbers"
        }

        fn bounds(&self) -> String {
            String::new()
        }

        fn most(&self) -> usize {
            usize::MAX
        }

        fn in_line(&self) -> bool {
            self.in_line
        }

        fn far(&self) -> Option<u64> {
            None
        }

        fn kinds(&self) -> u32 {
            self.kinds
        }

        fn kind(&self, member: &ErasedPart) -> Option<u32> {
            let member = *member.get::<u32>();
            (member < self.kinds).then_some(member)
        }

        fn speaks_of(&self, _: &str) -> usize {
            1
        }

        fn parts(&self, _: &ErasedState) -> ErasedParts {
            unreachable!("there are no states")
        }

        fn assembled(&self, _: &ErasedParts) -> ErasedState {
            unreachable!("there are no states")
        }

        fn visit_names(&self, parts: &ErasedParts, visit: &mut dyn NameVisitor) -> ErasedParts {
            if self.has_late_counter {
                let mut late: Counter = Counter::START;
                late.each_name(0, visit);
            }
            parts.clone()
        }
    }

    /// Of counters that no initial state has it is not known how far apart they are to be kept.
    #[test]
    #[should_panic(expected = "a counter that no initial state has")]
    fn counters_do_not_come_later() {
        let form = Numbers {
            numbers: 1,
            kinds: 0,
            in_line: false,
            has_late_counter: true,
        };
        let shared = ErasedPart::from(0u32);
        let members = vec![ErasedPart::from(0u32)];
        KnownParts::new(&form).configuration(&CrowdParts { shared, members }, 0);
    }

    /// Each configuration all of whose views were taken up comes once, when the last of them is.
    #[test]
    fn configurations_come_when_their_views_are_complete() {
        let mut generator = Generator::new(3);
        let mut configurations = 0;
        for case in 0..400 {
            let size = 1 + case % 3;
            let more = 1 + case / 3 % 3;
            let form = Numbers {
                numbers: 1 + generator.below(4) as u32,
                kinds: (case / 9 % 3) as u32,
                in_line: case % 2 == 0,
                has_late_counter: false,
            };
            let mut known = KnownParts::new(&form);
            for shared in 0..2u32 {
                let members = (0..form.numbers).map(ErasedPart::from).collect();
                let shared = ErasedPart::from(shared);
                known.configuration(&CrowdParts { shared, members }, 0);
            }
            let mut views = Views::default();
            let mut added = HashSet::new();
            let mut all = Vec::new();
            for _ in 0..generator.below(60) {
                let shared = generator.below(2) as u32;
                let members = (0..size).map(|_| generator.below(form.numbers as usize) as u32);
                let members = form.ordered(members.collect());
                let absent = generator.below(1 << form.kinds) as u32;
                let view = Configuration {
                    shared,
                    members,
                    absent,
                };
                added.insert(view.clone());
                views.add(view);
                if generator.below(2) == 0 {
                    views.next(&mut known, more, &mut all);
                }
            }
            while views.next(&mut known, more, &mut all).is_some() {}
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
                    if is_ordered && views_of_one.iter().all(|view| added.contains(view)) {
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
