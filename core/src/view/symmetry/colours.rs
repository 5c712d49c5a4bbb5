//! Classes of members that are not told apart, in an order that does not depend on which member is which.

use std::cmp::Ordering;
use std::ops::Range;

use crate::walk::random::generator::mix;

/// Colours of members: those of one colour are not told apart.
#[derive(Clone, Default)]
pub(super) struct Colours {
    of: Vec<Coloured>,
    /// The members in the order of their colours.
    order: Vec<usize>,
    /// Number of colours.
    count: usize,
}

/// A member that has the name of another one among its parts.
pub(super) struct Reference {
    pub within: u32,
    pub of: u32,
    /// Tells names apart that stand at different places of a state.
    pub position: u64,
}

#[derive(Clone, Copy)]
struct Coloured {
    /// The number of members of lesser colours.
    colour: usize,
    /// A sum of hashes of that by which the member is to be told apart next.
    key: u64,
}

impl Colours {
    /// One colour for each group, of which the members are these, one group after the other.
    pub fn of(groups: impl Iterator<Item = Range<usize>>) -> Self {
        let mut colours = Self::default();
        for group in groups {
            let coloured = Coloured {
                colour: group.start,
                key: 0,
            };
            colours.of.resize(group.end, coloured);
            colours.count += usize::from(!group.is_empty());
            colours.order.extend(group);
        }
        colours
    }

    /// Makes them equal to others, in the memory that they have.
    pub fn assign(&mut self, from: &Self) {
        self.of.clear();
        self.of.extend_from_slice(&from.of);
        self.order.clear();
        self.order.extend_from_slice(&from.order);
        self.count = from.count;
    }

    /// Adds to that by which a member is told apart.
    #[inline]
    pub fn add(&mut self, member: usize, hash: u64) {
        let key = &mut self.of[member].key;
        *key = key.wrapping_add(hash);
    }

    /// Tells members apart by an order of them. Those of a range of places are compared, in which all that have their colours are.
    pub fn split(&mut self, range: Range<usize>, compare: impl Fn(usize, usize) -> Ordering) {
        self.split_by(range, |_, one, other| compare(one, other));
    }

    /// The same by an order that depends on what was added.
    #[inline]
    fn split_by(
        &mut self,
        range: Range<usize>,
        compare: impl Fn(&[Coloured], usize, usize) -> Ordering,
    ) {
        let mut first = range.start;
        while first + 1 < range.end {
            let mut next = first + 1;
            while next < range.end && self.of[self.order[next]].colour == first {
                next += 1;
            }
            if next - first > 1 {
                self.split_class(first..next, &compare);
            }
            first = next;
        }
    }

    fn split_class(
        &mut self,
        class: Range<usize>,
        compare: &impl Fn(&[Coloured], usize, usize) -> Ordering,
    ) {
        let Self { of, order, count } = self;
        let first = class.start;
        let order = &mut order[class];
        // PERF: mostly there are two.
        if let [one, other] = order {
            let by_parts = compare(of, *one, *other);
            if by_parts.is_gt() {
                std::mem::swap(one, other);
            }
            if by_parts.is_ne() {
                of[*other].colour += 1;
                *count += 1;
            }
            return;
        }
        order.sort_by(|one, other| compare(of, *one, *other));
        let mut colour = first;
        for at in 1..order.len() {
            // The key is all that is compared, and not the colour.
            if compare(of, order[at - 1], order[at]).is_ne() {
                colour = first + at;
                *count += 1;
            }
            of[order[at]].colour = colour;
        }
    }

    /// Tells members apart by what was added of them.
    fn split_by_keys(&mut self) {
        let all = 0..self.order.len();
        self.split_by(all, |of, one, other| of[one].key.cmp(&of[other].key));
    }

    /// Tells members apart by what was added, and by the colours of those that they name, and that name them, until nothing is gained.
    pub fn refine(&mut self, references: &[Reference]) {
        if self.are_all_told() {
            return;
        }
        self.split_by_keys();
        while !references.is_empty() && !self.are_all_told() {
            let before = self.count;
            self.of.iter_mut().for_each(|one| one.key = 0);
            for Reference {
                within,
                of,
                position,
            } in references
            {
                let (within, of) = (*within as usize, *of as usize);
                let [by, named] = [within, of].map(|member| (self.of[member].colour as u64) << 1);
                let position = position.rotate_left(20);
                self.add(of, mix(position ^ by));
                self.add(within, mix(position ^ named ^ 1));
            }
            self.split_by_keys();
            if self.count == before {
                return;
            }
        }
    }

    /// True if each member has a colour of its own.
    #[inline]
    pub fn are_all_told(&self) -> bool {
        self.count == self.order.len()
    }

    /// The members of the first colour that several have and of which `is_told` is true.
    pub fn first_alike(&self, is_told: impl Fn(usize) -> bool) -> &[usize] {
        if self.are_all_told() {
            return &[];
        }
        let mut classes = self
            .order
            .chunk_by(|one, other| self.of[*one].colour == self.of[*other].colour);
        let first = classes.find(|class| class.len() > 1 && is_told(class[0]));
        first.unwrap_or_default()
    }

    /// The same colours, with one for a member that comes before those that it had the colour of.
    pub fn with_first(&self, member: usize) -> Self {
        let mut colours = self.clone();
        colours.of.iter_mut().for_each(|one| one.key = 0);
        colours.split(0..self.of.len(), |one, other| {
            (one != member).cmp(&(other != member))
        });
        colours
    }

    /// The members in the order of the colours; of one colour, as they stand.
    pub fn order(&self) -> &[usize] {
        &self.order
    }
}
