//! Visitors of the members of a state.

use std::cmp::Ordering;
use std::mem::take;
use std::ops::Range;

use super::colours::{Colours, Reference};
use crate::state::{CounterName, NameVisitor, Row};
use crate::walk::random::generator::mix;

/// A group of members that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub number: u8,
    /// Number of its members.
    pub members: usize,
    /// Number of the members of the groups before: members of all groups are counted through.
    pub before: usize,
}

impl Group {
    /// A member of it, counted through.
    #[inline]
    fn member(&self, number: usize) -> Option<usize> {
        (number < self.members).then_some(self.before + number)
    }

    /// Its members, counted through.
    #[inline]
    pub fn all(&self) -> Range<usize> {
        self.before..self.before + self.members
    }

    /// The places of its members among themselves, of places of all that are counted through.
    pub fn places(&self, places: &[usize]) -> Vec<usize> {
        let places = places[self.all()].iter();
        places.map(|place| place - self.before).collect()
    }
}

/// The groups of the members of a system.
#[derive(Clone, Default)]
pub(super) struct Groups {
    /// In the order of their numbers.
    pub all: Vec<Group>,
    /// The same by their numbers, without members where there is none.
    by_number: Vec<Group>,
    /// One colour for each.
    pub colours: Colours,
    /// True if members were seen to hold names. PERF: then a state is looked at without them at once.
    pub hold_names: bool,
    /// True if names were seen at all. PERF: otherwise members are sorted, mostly.
    pub have_names: bool,
}

impl Groups {
    /// Number of the members of all.
    pub fn members(&self) -> usize {
        self.all.last().map_or(0, |last| last.before + last.members)
    }

    #[inline]
    fn group(&self, number: u8) -> Option<&Group> {
        self.by_number.get(usize::from(number))
    }

    #[inline]
    fn member(&self, group: u8, number: usize) -> Option<usize> {
        self.group(group)?.member(number)
    }
}

/// True if rows have an element for each of so many members.
fn are_of(rows: &[&mut dyn Row], members: usize) -> bool {
    rows.iter().all(|row| row.length() == members)
}

/// Visits the elements of rows, member by member.
fn visit_elements(rows: &mut [&mut dyn Row], visit: &mut dyn NameVisitor) {
    let longest = rows.iter().map(|row| row.length()).max();
    for at in 0..longest.unwrap_or(0) {
        for row in &mut *rows {
            if at < row.length() {
                row.visit_element(at, visit);
            }
        }
    }
}

/// The names that there are in states.
#[derive(Default)]
pub(super) struct Census {
    members: Vec<(u8, usize)>,
    /// Groups of counters.
    pub counters: Vec<u8>,
    hold_names: bool,
    have_names: bool,
    depth: usize,
}

impl Census {
    /// The groups of members that were found.
    pub fn groups(&self) -> Groups {
        let mut found = self.members.clone();
        found.sort_unstable();
        let mut groups = Groups {
            hold_names: self.hold_names,
            have_names: self.have_names,
            ..Groups::default()
        };
        for (number, members) in found {
            let before = groups.members();
            let group = |number, members| Group {
                number,
                members,
                before,
            };
            let others = groups.by_number.len() as u8..number;
            let others = others.map(|number| group(number, 0));
            groups.by_number.extend(others);
            groups.by_number.push(group(number, members));
            groups.all.push(group(number, members));
        }
        groups.colours = Colours::of(groups.all.iter().map(Group::all));
        groups
    }
}

impl NameVisitor for Census {
    fn counter(&mut self, counter: CounterName<'_>) {
        if !self.counters.contains(&counter.group) {
            self.counters.push(counter.group);
        }
    }

    fn member(&mut self, _: u8, _: &mut usize) {
        self.have_names = true;
        self.hold_names |= self.depth > 0;
    }

    fn rows(&mut self, group: u8, rows: &mut [&mut dyn Row]) {
        let length = rows.first().map_or(0, |row| row.length());
        match self.members.iter_mut().find(|(other, _)| *other == group) {
            Some((_, members)) => *members = length.max(*members),
            None => self.members.push((group, length)),
        }
        let depth = self.depth;
        self.depth += usize::from(length > 1);
        visit_elements(rows, self);
        self.depth = depth;
    }
}

/// Account that a state gives of its members: how they differ without the names that they hold, and who names whom.
#[derive(Default)]
pub(super) struct Account {
    pub colours: Colours,
    pub references: Vec<Reference>,
    /// Members that are named in a set that all share.
    pub in_sets: Vec<u32>,
    /// True if a member holds names.
    pub hold_names: bool,
    /// True if references tell less than the state: which names stand together in a set, or in a part of two members.
    pub is_partial: bool,
    /// True if there are rows of another length.
    pub is_odd: bool,
    within: Vec<usize>,
}

/// Survey of a state, for such an account.
///
/// The position of a name is the number of names before it, which is the same where members are exchanged; those of a set have one position,
/// since their order is that of their numbers.
pub(super) struct Survey<'a> {
    groups: &'a Groups,
    account: &'a mut Account,
    /// True if names are taken out of what is looked at.
    takes_names: bool,
    position: u64,
    sets: usize,
}

impl Account {
    /// Per member, true if it takes part in more than its colour tells.
    pub fn related(&self) -> Vec<bool> {
        let mut related = vec![false; self.colours.order().len()];
        let ends = self.references.iter().flat_map(|one| [one.within, one.of]);
        for member in ends.chain(self.in_sets.iter().copied()) {
            related[member as usize] = true;
        }
        related
    }
}

impl<'a> Survey<'a> {
    /// A survey of the members of these groups. If it takes names, the state that it is shown is none any more.
    pub fn new(groups: &'a Groups, account: &'a mut Account, takes_names: bool) -> Self {
        account.colours.assign(&groups.colours);
        account.references.clear();
        account.in_sets.clear();
        account.hold_names = false;
        account.is_partial = false;
        account.is_odd = false;
        account.within.clear();
        Self {
            groups,
            account,
            takes_names,
            position: 0,
            sets: 0,
        }
    }

    #[inline]
    fn note(&mut self, of: usize, position: u64) {
        let Account {
            colours,
            references,
            in_sets,
            hold_names,
            is_partial,
            within,
            ..
        } = &mut *self.account;
        if self.sets > 0 {
            *is_partial = true;
            in_sets.push(of as u32);
        }
        if within.is_empty() {
            colours.add(of, mix(position));
            return;
        }
        *hold_names = true;
        *is_partial |= within.len() > 1;
        for within in within {
            references.push(Reference {
                within: *within as u32,
                of: of as u32,
                position,
            });
        }
    }

    /// Tells the members of a group apart by their parts, or only orders their parts where they are those of another member.
    fn compare(&mut self, group: &Group, rows: &mut [&mut dyn Row]) {
        if self.account.within.is_empty() {
            self.account.colours.split(group.all(), |one, other| {
                compare(rows, [one - group.before, other - group.before])
            });
            return;
        }
        // A part of two members: its rank is known of the pair.
        self.account.hold_names = true;
        if !self.takes_names {
            return;
        }
        let mut order: Vec<_> = (0..group.members).collect();
        order.sort_by(|one, other| compare(rows, [*one, *other]));
        let mut rank = 0;
        for (place, member) in order.iter().enumerate() {
            if place > 0 && compare(rows, [order[place - 1], *member]).is_ne() {
                rank = place;
            }
            let position = self.position << 16 | rank as u64;
            self.note(group.before + member, mix(position));
        }
        // The order of the other members is not to matter for this one.
        put_in_order(rows, &order, 0);
    }
}

/// Order of two members by their parts.
fn compare(rows: &[&mut dyn Row], [one, other]: [usize; 2]) -> Ordering {
    let mut orders = rows.iter().map(|row| row.compare(one, other));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

impl NameVisitor for Survey<'_> {
    fn counter(&mut self, _: CounterName<'_>) {}

    fn member(&mut self, group: u8, number: &mut usize) {
        self.position += u64::from(self.sets == 0);
        if let Some(member) = self.groups.member(group, *number) {
            self.note(member, self.position);
            if self.takes_names {
                *number = 0;
            }
        }
    }

    fn members(&mut self, group: u8, bits: &mut u64) {
        self.position += u64::from(self.sets == 0);
        let Some(group) = self.groups.group(group).filter(|_| *bits != 0) else {
            return;
        };
        let of_members = u64::MAX.checked_shr(64 - group.members.min(64) as u32);
        let mut left = *bits & of_members.unwrap_or(0);
        if self.takes_names {
            *bits &= !left;
        }
        while left != 0 {
            self.note(group.before + left.trailing_zeros() as usize, self.position);
            left &= left - 1;
        }
    }

    fn rows(&mut self, group: u8, rows: &mut [&mut dyn Row]) {
        let known = self.groups.group(group);
        let Some(group) = known.filter(|group| are_of(rows, group.members)) else {
            self.account.is_odd = true;
            return;
        };
        self.position += u64::from(self.sets == 0);
        let (before, mut last) = (self.position, self.position);
        for at in 0..group.members {
            // What one member of its kind holds is as if all shared it.
            if group.members > 1 {
                self.account.within.push(group.before + at);
            }
            self.position = before;
            for row in &mut *rows {
                row.visit_element(at, self);
            }
            last = last.max(self.position);
            if group.members > 1 {
                self.account.within.pop();
            }
        }
        self.position = before;
        self.compare(group, rows);
        self.position = last;
    }

    fn enter_set(&mut self) {
        self.position += u64::from(self.sets == 0);
        self.sets += 1;
    }

    fn leave_set(&mut self) {
        self.sets -= 1;
    }
}

/// Look at a state that may have no names, whose members then are only to be put in order.
pub(super) struct Look<'a> {
    groups: &'a Groups,
    /// Numbers of the groups of which there were rows, a bit for each of the first.
    met: u64,
    is_within: bool,
    /// True if members are not in order.
    pub are_unordered: bool,
    /// True if there are names, or parts of members at several places.
    pub is_more: bool,
}

/// The most members that are put in order one after the other.
const FEW: usize = 8;

impl<'a> Look<'a> {
    pub fn new(groups: &'a Groups) -> Self {
        Self {
            groups,
            met: 0,
            is_within: false,
            are_unordered: false,
            is_more: false,
        }
    }
}

impl NameVisitor for Look<'_> {
    fn counter(&mut self, _: CounterName<'_>) {}

    fn member(&mut self, _: u8, _: &mut usize) {
        self.is_more = true;
    }

    fn members(&mut self, _: u8, _: &mut u64) {
        self.is_more = true;
    }

    fn rows(&mut self, group: u8, rows: &mut [&mut dyn Row]) {
        let bit = 1u64.checked_shl(group.into()).unwrap_or(0);
        let is_new = self.met & bit != bit;
        self.met |= bit;
        let members = self.groups.group(group).map_or(0, |group| group.members);
        if self.is_within || !is_new || members > FEW || !are_of(rows, members) {
            self.is_more = true;
            return;
        }
        self.is_within = true;
        for at in 0..members {
            for row in &mut *rows {
                row.visit_element(at, self);
            }
            self.are_unordered |= at > 0 && compare(rows, [at - 1, at]).is_gt();
        }
        self.is_within = false;
    }
}

/// Visitor that puts members in order, of which there are few.
pub(super) struct Sorted;

impl NameVisitor for Sorted {
    fn counter(&mut self, _: CounterName<'_>) {}

    fn member(&mut self, _: u8, _: &mut usize) {}

    fn rows(&mut self, _: u8, rows: &mut [&mut dyn Row]) {
        let members = rows.first().map_or(0, |row| row.length());
        for last in 1..members {
            let mut at = last;
            while at > 0 && compare(rows, [at - 1, at]).is_gt() {
                rows.iter_mut().for_each(|row| row.swap(at - 1, at));
                at -= 1;
            }
        }
    }
}

/// Permutation of the members of all groups, which are counted through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Permutation {
    /// The place to which each member goes.
    pub places: Vec<usize>,
    /// The member that comes to each place.
    pub order: Vec<usize>,
}

impl Permutation {
    /// The permutation that puts members in this order.
    pub fn to_order(order: &[usize]) -> Self {
        let mut permutation = Self::default();
        permutation.set_order(order);
        permutation
    }

    /// The permutation by which each member goes to this place.
    pub fn to_places(places: Vec<usize>) -> Self {
        // That to an order of these numbers is its inverse.
        let inverse = Self::to_order(&places);
        Self {
            order: inverse.places,
            places,
        }
    }

    /// Makes it the one that puts members in this order.
    pub fn set_order(&mut self, order: &[usize]) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.places.clear();
        self.places.resize(order.len(), 0);
        for (place, member) in order.iter().enumerate() {
            self.places[*member] = place;
        }
    }

    /// The one that moves nothing.
    pub fn clear(&mut self) {
        self.places.clear();
        self.order.clear();
    }

    /// Visitor that moves members.
    pub fn moved<'a>(&'a self, groups: &'a Groups) -> Moved<'a> {
        Moved {
            groups,
            places: &self.places,
            order: &self.order,
        }
    }

    /// Visitor that moves them back.
    pub fn moved_back<'a>(&'a self, groups: &'a Groups) -> Moved<'a> {
        Moved {
            groups,
            places: &self.order,
            order: &self.places,
        }
    }
}

/// Visitor that sends each member to a place: its parts go there, and its number becomes that of the place.
pub(super) struct Moved<'a> {
    groups: &'a Groups,
    /// Per member, counted through; empty if none is moved.
    places: &'a [usize],
    /// The member that comes to each place.
    order: &'a [usize],
}

impl Moved<'_> {
    /// Number of a member of a group after it was moved.
    #[inline]
    fn number(&self, group: &Group, number: usize) -> usize {
        match group.member(number) {
            Some(member) => self.places[member] - group.before,
            None => number,
        }
    }
}

impl NameVisitor for Moved<'_> {
    fn counter(&mut self, _: CounterName<'_>) {}

    fn member(&mut self, group: u8, number: &mut usize) {
        if let Some(group) = self.groups.group(group) {
            *number = self.number(group, *number);
        }
    }

    fn members(&mut self, group: u8, bits: &mut u64) {
        let Some(group) = self.groups.group(group) else {
            return;
        };
        let mut left = take(bits);
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            *bits |= 1u64
                .checked_shl(self.number(group, number) as u32)
                .unwrap_or(0);
        }
    }

    fn rows(&mut self, group: u8, rows: &mut [&mut dyn Row]) {
        visit_elements(rows, self);
        let group = self.groups.group(group);
        if let Some(group) = group.filter(|group| are_of(rows, group.members)) {
            put_in_order(rows, &self.order[group.all()], group.before);
        }
    }
}

/// Puts the elements of members in an order of these, which are counted from `first`.
fn put_in_order(rows: &mut [&mut dyn Row], order: &[usize], first: usize) {
    for at in 0..order.len() {
        // The element that comes here was sent away from where it was, if that is a place before.
        let mut from = order[at] - first;
        while from < at {
            from = order[from] - first;
        }
        if from != at {
            rows.iter_mut().for_each(|row| row.swap(at, from));
        }
    }
}
