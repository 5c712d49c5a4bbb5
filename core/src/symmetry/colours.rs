//! Classes of members that are not told apart, in an order that does not depend on which member is which.

use std::cmp::Ordering;
use std::ops::Range;

use super::rows::{Group, Reference};
use crate::random::generator::mix;

/// Colours of members: those of one colour are not told apart.
#[derive(Clone)]
pub(super) struct Colours {
    /// Per member: the number of members of lesser colours.
    of: Vec<usize>,
    /// The members in the order of their colours.
    order: Vec<usize>,
    /// Per member, a sum of hashes of that by which it is to be told apart next.
    keys: Vec<u64>,
}

impl Colours {
    /// A colour for each group.
    pub fn new(groups: &[Group]) -> Self {
        let of_group = |group: &Group| std::iter::repeat_n(group.before, group.members);
        let of: Vec<_> = groups.iter().flat_map(of_group).collect();
        Self {
            order: (0..of.len()).collect(),
            keys: vec![0; of.len()],
            of,
        }
    }

    /// Adds to that by which a member is told apart.
    pub fn add(&mut self, member: usize, hash: u64) {
        self.keys[member] = self.keys[member].wrapping_add(hash);
    }

    /// Tells members apart by an order of them, and says whether some were. Those of a range of places are compared, in which all
    /// that have their colours are.
    pub fn split(
        &mut self,
        range: Range<usize>,
        compare: impl Fn(usize, usize) -> Ordering,
    ) -> bool {
        let Self { of, order, .. } = self;
        let compare = |one: usize, other: usize| {
            let by_colour = of[one].cmp(&of[other]);
            by_colour.then_with(|| compare(one, other))
        };
        let order = &mut order[range.clone()];
        order.sort_by(|one, other| compare(*one, *other));
        let mut colours = Vec::with_capacity(order.len());
        for (at, member) in order.iter().enumerate() {
            colours.push(match at {
                0 => range.start,
                _ if compare(order[at - 1], *member).is_eq() => colours[at - 1],
                _ => range.start + at,
            });
        }
        let mut is_split = false;
        for (member, colour) in order.iter().zip(colours) {
            is_split |= of[*member] != colour;
            of[*member] = colour;
        }
        is_split
    }

    /// Tells members apart by what was added of them.
    fn split_by_keys(&mut self) -> bool {
        let keys = std::mem::take(&mut self.keys);
        let is_split = self.split(0..keys.len(), |one, other| keys[one].cmp(&keys[other]));
        self.keys = keys;
        self.keys.fill(0);
        is_split
    }

    /// Tells members apart by what was added, and by the colours of those that they name, and that name them, until nothing is gained.
    pub fn refine(&mut self, references: &[Reference]) {
        self.split_by_keys();
        while !references.is_empty() && !self.are_all_told() {
            for Reference {
                within,
                of,
                position,
            } in references
            {
                let [by, named] = [*within, *of].map(|member| (self.of[member] as u64) << 1);
                let position = position.rotate_left(20);
                self.add(*of, mix(position ^ by));
                self.add(*within, mix(position ^ named ^ 1));
            }
            if !self.split_by_keys() {
                return;
            }
        }
    }

    fn are_all_told(&self) -> bool {
        let mut places = self.order.iter().enumerate();
        places.all(|(place, member)| self.of[*member] == place)
    }

    /// The members of the first colour that several have and of which `is_told` is true.
    pub fn first_alike(&self, is_told: impl Fn(usize) -> bool) -> &[usize] {
        let mut classes = self
            .order
            .chunk_by(|one, other| self.of[*one] == self.of[*other]);
        let first = classes.find(|class| class.len() > 1 && is_told(class[0]));
        first.unwrap_or_default()
    }

    /// The same colours, with one for a member that comes before those that it had the colour of.
    pub fn with_first(&self, member: usize) -> Self {
        let mut colours = self.clone();
        colours.split(0..self.of.len(), |one, other| {
            (one != member).cmp(&(other != member))
        });
        colours
    }

    /// The place of each member in the order of the colours; of one colour, as they stand.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.order.len()];
        for (place, member) in self.order.iter().enumerate() {
            places[*member] = place;
        }
        places
    }
}
