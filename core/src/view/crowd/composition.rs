//! Configurations as a crowd has them: their members alike or in a line, and with names of members and counters or without.

use std::sync::Arc;

use super::counters::{Counted, close, placed};
use super::form::{CrowdForm, ErasedClasses, ErasedParts};
use super::parts::CrowdParts;
use super::views::{Composition, Configuration};
use crate::state::numbered::Numbered;
use crate::statement::erased::ErasedPart;

/// The parts that came, by their numbers.
pub(super) struct KnownParts<'c> {
    crowd: &'c dyn CrowdForm,
    shared: Numbered<ErasedPart>,
    /// True of each shared part that keeps names of members.
    have_names: Vec<bool>,
    members: Numbered<ErasedPart>,
    /// The class of each member.
    classes: Vec<u64>,
    /// Members whose counters have the first values, 0, 1, …, where there are counters.
    shapes: Numbered<ErasedPart>,
    /// Sets of classes, in order; the first is empty.
    contexts: Numbered<Arc<[u64]>>,
}

impl<'c> KnownParts<'c> {
    pub fn new(crowd: &'c dyn CrowdForm) -> Self {
        let mut contexts = Numbered::default();
        contexts.number(Arc::from([]));
        Self {
            crowd,
            shared: Numbered::default(),
            have_names: Vec::new(),
            members: Numbered::default(),
            classes: Vec::new(),
            shapes: Numbered::default(),
            contexts,
        }
    }

    /// The configuration that stands for these parts, beside members of some classes that are left out.
    pub fn configuration(&mut self, parts: &ErasedParts, absent: u32) -> Configuration {
        let known = (self.shared.values().len(), self.members.values().len());
        let mut parts = self.crowd.closed(parts);
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
        let members = parts.members.iter().cloned();
        let numbers: Vec<_> = members.map(|member| self.number(member)).collect();
        let names = self.crowd.names(&parts);
        let order = self.order(&numbers, &names);
        let members: Vec<_> = order.iter().map(|place| numbers[*place]).collect();
        if !names.is_empty() {
            let count = members.len();
            let left_out: Vec<_> = names.iter().filter(|name| **name >= count).collect();
            let rename = |name: usize| match order.iter().position(|place| *place == name) {
                Some(place) => place,
                None => {
                    let mut left_out = left_out.iter();
                    count + left_out.position(|other| **other == name).unwrap_or(0)
                }
            };
            parts = self.crowd.renamed(&parts, &rename);
        }
        let shared = self.shared.number(parts.shared);
        if shared as usize == self.have_names.len() {
            self.have_names.push(!names.is_empty());
        }
        if known != (self.shared.values().len(), self.members.values().len()) {
            self.assert_far(shared, &members);
        }
        Configuration {
            shared,
            members,
            absent,
        }
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
        if number as usize == self.classes.len() {
            let class = self.crowd.class(&self.members.values()[number as usize]);
            self.classes.push(class);
        }
        number
    }

    /// The members that came, in that order, with their classes.
    pub fn members(&self) -> impl Iterator<Item = (&ErasedPart, u64)> {
        self.members
            .values()
            .iter()
            .zip(self.classes.iter().copied())
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

    /// The number of a set of classes.
    pub fn context(&mut self, mut classes: Vec<u64>) -> u32 {
        classes.sort_unstable();
        classes.dedup();
        classes.retain(|class| *class != 0);
        self.contexts.number(classes.into())
    }

    /// The classes of members that are left out.
    pub fn classes(&self, absent: u32) -> Arc<[u64]> {
        self.contexts.values()[absent as usize].clone()
    }

    /// The same, with a member of each.
    pub fn examples(&self, absent: u32) -> ErasedClasses {
        let all = self.classes(absent);
        let of_class = |class: &u64| self.members().find(|(_, other)| other == class);
        let examples = all.iter().filter_map(of_class);
        ErasedClasses {
            examples: examples.map(|(member, _)| member.clone()).collect(),
            all,
        }
    }

    /// The classes that are left out where some members are, besides.
    fn with_members(&mut self, absent: u32, members: impl Iterator<Item = u32>) -> u32 {
        let classes = members.map(|member| self.classes[member as usize]);
        let classes: Vec<_> = classes.filter(|class| *class != 0).collect();
        if classes.is_empty() {
            return absent;
        }
        let known = self.classes(absent);
        self.context(known.iter().copied().chain(classes).collect())
    }

    /// The classes that are left out where a member of a class is left out no more, of those with which it was.
    fn without(&mut self, absent: u32, class: u64) -> Vec<u32> {
        if class == 0 {
            return vec![absent];
        }
        let known = self.classes(absent);
        if !known.contains(&class) {
            return Vec::new();
        }
        // Another one of its class may be left out, too.
        let others = known.iter().copied().filter(|other| *other != class);
        vec![absent, self.context(others.collect())]
    }

    /// The places of members in the order in which they stand for all in which they are alike: that of the names that are kept of them, of those that are the same.
    fn order(&self, members: &[u32], names: &[usize]) -> Vec<usize> {
        let mut order: Vec<_> = (0..members.len()).collect();
        if !self.crowd.in_line() {
            let named = |place: usize| names.iter().position(|name| *name == place);
            order.sort_by_key(|place| (members[*place], named(*place).unwrap_or(names.len())));
        }
        order
    }

    /// Places among members where another one may stand.
    fn places(&self, members: usize) -> std::ops::RangeInclusive<usize> {
        if self.crowd.in_line() {
            0..=members
        } else {
            members..=members
        }
    }

    /// The parts with the members alone that have a bit. The names of others are kept as those of members that are left out.
    fn some(&self, parts: &ErasedParts, mask: u32) -> ErasedParts {
        let some = parts.some(mask);
        let members = parts.members.len();
        self.crowd.renamed(&some, &|name| {
            if name < members && mask >> name & 1 == 1 {
                (mask & !(u32::MAX << name)).count_ones() as usize
            } else {
                // Numbers that no member of these has.
                members + name
            }
        })
    }

    /// The parts with one member more at a place, which is none of those that are left out and have a name, or one of them.
    fn with_member(
        &self,
        parts: &ErasedParts,
        member: &ErasedPart,
        place: usize,
    ) -> Vec<ErasedParts> {
        let mut with = parts.clone();
        with.members.insert(place, member.clone());
        let members = parts.members.len();
        let names = self.crowd.names(parts).into_iter();
        let left_out = names.filter(|name| *name >= members).map(Some);
        let all = [None].into_iter().chain(left_out).map(|itself| {
            self.crowd.renamed(&with, &|name| {
                if itself == Some(name) {
                    place
                } else if name < place {
                    name
                } else {
                    name + 1
                }
            })
        });
        all.collect()
    }

    /// The same parts, for all values of the counters of the member at a place.
    fn with_counters(&self, with: &ErasedParts, far: u64, place: usize) -> Vec<ErasedParts> {
        let of_with = self.crowd.counted(with);
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
            self.crowd.with_values(with, &counted)
        });
        all.collect()
    }
}

/// Masks of so many of some members.
fn masks(members: usize, size: usize) -> impl Iterator<Item = u32> {
    let all = 0u32..1 << members;
    all.filter(move |mask| mask.count_ones() as usize == size)
}

/// The members that have a bit.
fn some_of(members: &[u32], mask: u32) -> impl Iterator<Item = u32> {
    let members = members.iter().enumerate();
    let members = members.filter(move |(place, _)| mask >> place & 1 == 1);
    members.map(|(_, member)| *member)
}

impl Composition for KnownParts<'_> {
    fn views(&mut self, of: &Configuration, size: usize) -> Vec<Configuration> {
        let by_parts = self.crowd.far().is_some() || self.have_names[of.shared as usize];
        let parts = by_parts.then(|| self.parts(of));
        let mut views = Vec::new();
        for mask in masks(of.members.len(), size) {
            let absent = self.with_members(of.absent, some_of(&of.members, !mask));
            views.push(match &parts {
                Some(parts) => {
                    let some = self.some(parts, mask);
                    self.configuration(&some, absent)
                }
                None => Configuration {
                    shared: of.shared,
                    members: some_of(&of.members, mask).collect(),
                    absent,
                },
            });
        }
        views.sort_unstable();
        views.dedup();
        views
    }

    fn grown(&mut self, from: &Configuration) -> Vec<Configuration> {
        let places = self.places(from.members.len());
        let mut grown = Vec::new();
        if let Some(far) = self.crowd.far() {
            let parts = self.parts(from);
            let shapes = self.shapes.values().to_vec();
            for shape in &shapes {
                for place in places.clone() {
                    for named in self.with_member(&parts, shape, place) {
                        for with in self.with_counters(&named, far, place) {
                            // The class may depend on how the counters differ.
                            let class = self.crowd.class(&with.members[place]);
                            for absent in self.without(from.absent, class) {
                                grown.push(self.configuration(&with, absent));
                            }
                        }
                    }
                }
            }
            return grown;
        }
        let parts = self.have_names[from.shared as usize].then(|| self.parts(from));
        for member in 0..self.classes.len() as u32 {
            for absent in self.without(from.absent, self.classes[member as usize]) {
                for place in places.clone() {
                    if let Some(parts) = &parts {
                        let member = self.members.values()[member as usize].clone();
                        for with in self.with_member(parts, &member, place) {
                            grown.push(self.configuration(&with, absent));
                        }
                        continue;
                    }
                    let mut with = from.clone();
                    with.members.insert(place, member);
                    with.absent = absent;
                    if !self.crowd.in_line() {
                        with.members.sort_unstable();
                    }
                    grown.push(with);
                }
            }
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::super::form::{NameIn, OthersChange};
    use super::super::views::Views;
    use super::*;
    use crate::Counter;
    use crate::state::{CounterName, NameVisitor, Names, Row};
    use crate::statement::erased::ErasedState;
    use crate::walk::random::Generator;

    /// Members that are numbers below a bound, alike or in a line. The first few are each of a class.
    struct Numbers {
        numbers: u32,
        classes: u32,
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

        fn class_of(&self, member: u32) -> u64 {
            if member < self.classes {
                1 << member
            } else {
                0
            }
        }

        fn views(
            &self,
            known: &mut KnownParts<'_>,
            of: &Configuration,
            size: usize,
        ) -> Vec<Configuration> {
            let masks =
                (0u32..1 << of.members.len()).filter(|mask| mask.count_ones() as usize == size);
            let some = |mask: u32| {
                let members = of.members.iter().enumerate();
                let members = members.filter(move |(place, _)| mask >> place & 1 == 1);
                members.map(|(_, member)| *member)
            };
            let views = masks.map(|mask| {
                let mut absent: BTreeSet<u64> = known.classes(of.absent).iter().copied().collect();
                absent.extend(some(!mask).map(|member| self.class_of(member)));
                Configuration {
                    shared: of.shared,
                    members: some(mask).collect(),
                    absent: known.context(absent.into_iter().collect()),
                }
            });
            views.collect()
        }
    }

    /// Visitor of the one counter that there may be.
    struct Late<'v>(&'v mut dyn FnMut(NameIn<'_>));

    impl NameVisitor for Late<'_> {
        fn counter(&mut self, counter: CounterName<'_>) {
            (self.0)(NameIn::Counter(None, counter));
        }

        fn member(&mut self, _: u8, _: &mut usize) {}

        fn rows(&mut self, _: u8, _: &mut [&mut dyn Row]) {}
    }

    impl CrowdForm for Numbers {
        fn members(&self) -> &str {
            "numbers"
        }

        fn bounds(&self) -> String {
            String::new()
        }

        fn in_line(&self) -> bool {
            self.in_line
        }

        fn widths(&self) -> Vec<(String, usize)> {
            Vec::new()
        }

        fn far(&self) -> Option<u64> {
            None
        }

        fn beginnings(&self) -> Vec<ErasedParts> {
            Vec::new()
        }

        fn apart(&self, _: &ErasedState) -> ErasedParts {
            unreachable!("there are no states")
        }

        fn assembled(&self, _: &ErasedParts, _: Option<ErasedClasses>) -> ErasedState {
            unreachable!("there are no states")
        }

        fn visit_names(
            &self,
            parts: &ErasedParts,
            visit: &mut dyn FnMut(NameIn<'_>),
        ) -> ErasedParts {
            if self.has_late_counter {
                let mut late: Counter = Counter::START;
                late.each_name(0, &mut Late(visit));
            }
            parts.clone()
        }

        fn class(&self, member: &ErasedPart) -> u64 {
            self.class_of(*member.get::<u32>())
        }

        fn changed(&self, _: &ErasedState) -> OthersChange {
            OthersChange::Nothing
        }

        fn class_after(&self, _: &ErasedState, _: &ErasedPart) -> u64 {
            unreachable!("nothing changes")
        }

        fn learn(&self) -> bool {
            false
        }

        fn learn_denied(&self) -> bool {
            false
        }

        fn keeps(&self) -> bool {
            true
        }

        fn has_met(&self) -> bool {
            false
        }

        fn chooses(&self) -> bool {
            false
        }

        fn forget(&self) {}
    }

    /// Of counters that no initial state has it is not known how far apart they are to be kept.
    #[test]
    #[should_panic(expected = "a counter that no initial state has")]
    fn counters_do_not_come_later() {
        let form = Numbers {
            numbers: 1,
            classes: 0,
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
                classes: (case / 9 % 3) as u32,
                in_line: case % 2 == 0,
                has_late_counter: false,
            };
            let mut known = KnownParts::new(&form);
            for shared in 0..2u32 {
                let members = (0..form.numbers).map(ErasedPart::from).collect();
                let shared = ErasedPart::from(shared);
                known.configuration(&CrowdParts { shared, members }, 0);
            }
            let contexts = (0..1u64 << form.classes).map(|mask| {
                let classes = (0..form.classes).filter(|place| mask >> place & 1 == 1);
                known.context(classes.map(|place| 1 << place).collect())
            });
            let contexts: Vec<u32> = contexts.collect();
            let mut views = Views::default();
            let mut added = HashSet::new();
            let mut all = Vec::new();
            for _ in 0..generator.below(60) {
                let shared = generator.below(2) as u32;
                let members = (0..size).map(|_| generator.below(form.numbers as usize) as u32);
                let members = form.ordered(members.collect());
                let absent = contexts[generator.below(contexts.len())];
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
            for (shared, absent) in
                (0..2).flat_map(|one| contexts.iter().map(move |other| (one, *other)))
            {
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
                    let views_of_one = form.views(&mut known, &one, size);
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
