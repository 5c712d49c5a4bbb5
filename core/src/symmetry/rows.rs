//! Visitors of the members of a state.

use crate::state::{NameVisitor, Row};

/// True if rows have an element for each of so many members.
fn are_of(rows: &[&mut dyn Row], members: usize) -> bool {
    rows.iter().all(|row| row.length() == members)
}

/// Visits the elements of rows, member by member.
fn visit_elements(rows: &mut [&mut dyn Row], at: usize, visit: &mut dyn NameVisitor) {
    for row in rows {
        if at < row.length() {
            row.visit_element(at, visit);
        }
    }
}

fn longest(rows: &[&mut dyn Row]) -> usize {
    rows.iter().map(|row| row.length()).max().unwrap_or(0)
}

/// The names that there are in a state.
#[derive(Default)]
pub(super) struct Census {
    /// Number of members, if there are any.
    pub members: Option<usize>,
    /// Groups of counters.
    pub groups: Vec<u8>,
}

impl NameVisitor for Census {
    fn counter(&mut self, group: u8, _: &mut u64) {
        if !self.groups.contains(&group) {
            self.groups.push(group);
        }
    }

    fn member(&mut self, _: &mut usize) {}

    fn rows(&mut self, rows: &mut [&mut dyn Row]) {
        self.members = self.members.max(rows.first().map(|row| row.length()));
        for at in 0..longest(rows) {
            visit_elements(rows, at, self);
        }
    }
}

/// Account that a state gives of its members: the order of their parts, and the members that each names.
pub(super) struct Survey {
    pub members: usize,
    /// Per member, the ranks of its parts among those of the others.
    pub ranks: Vec<Vec<usize>>,
    /// Member whose parts hold a number, or none if it is shared, and the member of that number.
    pub references: Vec<(Option<usize>, usize)>,
    /// True if there are rows of another length.
    pub is_odd: bool,
    within: Option<usize>,
}

impl Survey {
    /// A survey of so many members.
    pub fn new(members: usize) -> Self {
        Self {
            members,
            ranks: vec![Vec::new(); members],
            references: Vec::new(),
            is_odd: false,
            within: None,
        }
    }
}

impl NameVisitor for Survey {
    fn counter(&mut self, _: u8, _: &mut u64) {}

    fn member(&mut self, number: &mut usize) {
        if *number < self.members {
            self.references.push((self.within, *number));
        }
    }

    fn rows(&mut self, rows: &mut [&mut dyn Row]) {
        if !are_of(rows, self.members) {
            self.is_odd = true;
            return;
        }
        let mut order: Vec<_> = (0..self.members).collect();
        for row in &mut *rows {
            order.sort_by(|one, other| row.compare(*one, *other));
            let mut rank = 0;
            for (place, member) in order.iter().enumerate() {
                if place > 0 && row.compare(order[place - 1], *member).is_ne() {
                    rank = place;
                }
                self.ranks[*member].push(rank);
            }
        }
        for at in 0..self.members {
            self.within = Some(at);
            visit_elements(rows, at, self);
            self.within = None;
        }
    }
}

/// Puts another number in the place of each number of a member.
pub(super) struct Masked(pub usize);

impl NameVisitor for Masked {
    fn counter(&mut self, _: u8, _: &mut u64) {}

    fn member(&mut self, number: &mut usize) {
        if *number < self.0 {
            *number = 0;
        }
    }

    fn rows(&mut self, rows: &mut [&mut dyn Row]) {
        for at in 0..longest(rows) {
            visit_elements(rows, at, self);
        }
    }
}

/// Numbers of members, in the order in which they are visited.
pub(super) struct Listed {
    pub members: usize,
    pub numbers: Vec<usize>,
}

impl NameVisitor for Listed {
    fn counter(&mut self, _: u8, _: &mut u64) {}

    fn member(&mut self, number: &mut usize) {
        if *number < self.members {
            self.numbers.push(*number);
        }
    }

    fn rows(&mut self, rows: &mut [&mut dyn Row]) {
        for at in 0..longest(rows) {
            visit_elements(rows, at, self);
        }
    }
}

/// Sends each member to a place: its parts go there, and its number becomes that of the place.
pub(super) struct Moved<'a>(pub &'a [usize]);

impl NameVisitor for Moved<'_> {
    fn counter(&mut self, _: u8, _: &mut u64) {}

    fn member(&mut self, number: &mut usize) {
        if let Some(place) = self.0.get(*number) {
            *number = *place;
        }
    }

    fn rows(&mut self, rows: &mut [&mut dyn Row]) {
        for at in 0..longest(rows) {
            visit_elements(rows, at, self);
        }
        if !are_of(rows, self.0.len()) {
            return;
        }
        let mut places = self.0.to_vec();
        for at in 0..places.len() {
            while places[at] != at {
                let to = places[at];
                for row in &mut *rows {
                    row.swap(at, to);
                }
                places.swap(at, to);
            }
        }
    }
}
