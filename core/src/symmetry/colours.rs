//! Classes of members that are not told apart, in an order that does not depend on which member is which.

use std::cmp::Ordering;
use std::ops::Range;

use super::rows::{Group, Reference};
use crate::random::generator::mix;

/// Colours of members: those of one colour are not told apart.
#[derive(Clone)]
pub(super) struct Colours {
    of: Vec<Coloured>,
    /// The members in the order of their colours.
    order: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Coloured {
    /// The number of members of lesser colours.
    colour: usize,
    /// A sum of hashes of that by which the member is to be told apart next.
    key: u64,
}

impl Colours {
    /// A colour for each group.
    pub fn new(groups: &[Group]) -> Self {
        let of_group = |group: &Group| {
            let coloured = Coloured {
                colour: group.before,
                key: 0,
            };
            std::iter::repeat_n(coloured, group.members)
        };
        let of: Vec<_> = groups.iter().flat_map(of_group).collect();
        Self {
            order: (0..of.len()).collect(),
            of,
        }
    }

    /// Adds to that by which a member is told apart.
    pub fn add(&mut self, member: usize, hash: u64) {
        let key = &mut self.of[member].key;
        *key = key.wrapping_add(hash);
    }

    /// Tells members apart by an order of them. Those of a range of places are compared, in which all that have their colours are.
    pub fn split(&mut self, range: Range<usize>, compare: impl Fn(usize, usize) -> Ordering) {
        self.split_by(range, |_, one, other| compare(one, other));
    }

    /// The same by an order that depends on what was added, and says whether some were told apart.
    fn split_by(
        &mut self,
        range: Range<usize>,
        compare: impl Fn(&[Coloured], usize, usize) -> Ordering,
    ) -> bool {
        let Self { of, order } = self;
        let order = &mut order[range.clone()];
        order.sort_by(|one, other| {
            let by_colour = of[*one].colour.cmp(&of[*other].colour);
            by_colour.then_with(|| compare(of, *one, *other))
        });
        let (mut is_split, mut before, mut colour) = (false, None, range.start);
        for (at, member) in order.iter().enumerate() {
            let is_alike = before.is_some_and(|(one, its_colour)| {
                its_colour == of[*member].colour && compare(of, one, *member).is_eq()
            });
            if !is_alike {
                colour = range.start + at;
            }
            before = Some((*member, of[*member].colour));
            is_split |= of[*member].colour != colour;
            of[*member].colour = colour;
        }
        is_split
    }

    /// Tells members apart by what was added of them, and says whether some were.
    fn split_by_keys(&mut self) -> bool {
        let all = 0..self.order.len();
        let is_split = self.split_by(all, |of, one, other| of[one].key.cmp(&of[other].key));
        self.of.iter_mut().for_each(|one| one.key = 0);
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
                let [by, named] = [*within, *of].map(|member| (self.of[member].colour as u64) << 1);
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
        places.all(|(place, member)| self.of[*member].colour == place)
    }

    /// The members of the first colour that several have and of which `is_told` is true.
    pub fn first_alike(&self, is_told: impl Fn(usize) -> bool) -> &[usize] {
        let mut classes = self
            .order
            .chunk_by(|one, other| self.of[*one].colour == self.of[*other].colour);
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
