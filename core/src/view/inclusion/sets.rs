//! Sets of abstract states by number: each set once, with what refuses inclusion cheaply.

use foldhash::HashMap;
use serde::Serialize;

use super::bounds::{Bounds, Stop};
use crate::state::numbered::Numbered;

/// Number of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct SetId(u32);

impl SetId {
    /// The set of no state.
    pub const EMPTY: Self = Self(0);
}

/// Sets of states, each with a number.
pub(super) struct Sets {
    all: Numbered<Box<[u32]>>,
    signatures: Vec<u64>,
    /// Answers to whether one large set is a part of another.
    known: HashMap<(SetId, SetId), bool>,
}

/// Members from which on a set is large: an answer is found again sooner than it is made.
const LARGE: usize = 64;

/// Members that are compared in a piece of work.
const MEMBERS_A_PIECE: usize = 8;

impl Default for Sets {
    fn default() -> Self {
        let mut sets = Self {
            all: Numbered::default(),
            signatures: Vec::new(),
            known: HashMap::default(),
        };
        let empty = sets.number(Vec::new());
        debug_assert_eq!(empty, SetId::EMPTY);
        sets
    }
}

impl Sets {
    /// Number of a set. Its members are in their order, each once.
    pub fn number(&mut self, members: Vec<u32>) -> SetId {
        debug_assert!(members.is_sorted_by(|one, other| one < other));
        let number = self.all.number(members.into_boxed_slice());
        if number as usize == self.signatures.len() {
            let members = &self.all.values()[number as usize];
            let bits = members.iter().map(|member| 1 << bit(*member));
            self.signatures
                .push(bits.fold(0, |all, bit: u64| all | bit));
        }
        SetId(number)
    }

    /// Members of a set, in their order.
    pub fn members(&self, set: SetId) -> &[u32] {
        &self.all.values()[set.0 as usize]
    }

    /// True if each member of `part` is one of `whole`.
    ///
    /// # Errors
    ///
    /// As of the work that it takes.
    pub fn is_subset(
        &mut self,
        part: SetId,
        whole: SetId,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        if let Some(known) = self.is_part_by_signature(part, whole) {
            return Ok(known);
        }
        let size = self.members(whole).len();
        let is_large = size > LARGE;
        if is_large && let Some(known) = self.known.get(&(part, whole)) {
            return Ok(*known);
        }
        bounds.works(size.div_ceil(MEMBERS_A_PIECE) as u32)?;
        let is_subset = self.is_part(part, whole);
        if is_large {
            self.known.insert((part, whole), is_subset);
        }
        Ok(is_subset)
    }

    /// The same, of which nothing is kept.
    pub fn is_part(&self, part: SetId, whole: SetId) -> bool {
        self.is_part_by_signature(part, whole).unwrap_or_else(|| {
            let mut rest = self.members(whole).iter();
            let mut members = self.members(part).iter();
            members.all(|member| rest.by_ref().find(|other| *other >= member) == Some(member))
        })
    }

    /// The same, where no member has to be compared.
    fn is_part_by_signature(&self, part: SetId, whole: SetId) -> Option<bool> {
        if part == whole {
            return Some(true);
        }
        let [part_bits, whole_bits] = [part, whole].map(|set| self.signatures[set.0 as usize]);
        let sizes = [part, whole].map(|set| self.members(set).len());
        (part_bits & !whole_bits != 0 || sizes[0] >= sizes[1]).then_some(false)
    }
}

/// Pairs of a state and a set, of which those are kept whose sets are minimal among those of their state.
#[derive(Default)]
pub(super) struct Antichains {
    /// Numbers of the pairs of each state that are kept, with their sets.
    kept: Vec<Vec<(u32, SetId)>>,
    /// Number of pairs that were inserted.
    inserted: u32,
}

impl Antichains {
    /// Numbers of the pairs of a state that are kept, with their sets.
    pub fn of(&self, state: u32) -> &[(u32, SetId)] {
        self.kept.get(state as usize).map_or(&[], Vec::as_slice)
    }

    /// Inserts a pair, unless one of its state is kept whose set is a part of its own; takes out those of which its own is one.
    pub fn insert(
        &mut self,
        state: u32,
        set: SetId,
        sets: &mut Sets,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        let at = state as usize;
        if self.kept.len() <= at {
            self.kept.resize(at + 1, Vec::new());
        }
        let kept = &mut self.kept[at];
        for (_, other) in &*kept {
            bounds.works(1)?;
            if sets.is_subset(*other, set, bounds)? {
                return Ok(false);
            }
        }
        let mut place = 0;
        while let Some((_, other)) = kept.get(place).copied() {
            if sets.is_subset(set, other, bounds)? {
                kept.swap_remove(place);
            } else {
                place += 1;
            }
        }
        kept.push((self.inserted, set));
        self.inserted += 1;
        Ok(true)
    }
}

/// Bit of a member in the signature of a set, from 0 to 63.
fn bit(member: u32) -> u32 {
    member.wrapping_mul(0x9E37_79B9) >> 26
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::walk::explore::{Clock, Limits, Watch};
    use crate::walk::random::generator::Generator;

    /// Sets of up to 200 members, compared with sets of the standard library.
    #[test]
    fn a_set_is_part_of_another_as_the_standard_library_says() {
        let mut generator = Generator::new(7);
        let mut sets = Sets::default();
        let bounds = &mut Bounds::new(Clock::new(Limits::default(), Watch::default()));
        let mut parts = [0; 2];
        for _ in 0..20_000 {
            let most = 1 << (generator.below(8) as u32);
            let mut random = |other: Option<&BTreeSet<u32>>| -> BTreeSet<u32> {
                let members = generator.below(most + 1);
                let all = (0..members).map(|_| generator.below(200) as u32);
                let all: Vec<u32> = all.collect();
                match other {
                    Some(other) => other.iter().copied().chain(all).collect(),
                    None => all.into_iter().collect(),
                }
            };
            let one = random(None);
            let other = random((one.len() % 2 == 0).then_some(&one));
            let [first, second] =
                [&one, &other].map(|set| sets.number(set.iter().copied().collect()));
            // Asked twice, so that what is kept is asked for, too.
            for _ in 0..2 {
                let mut is_part = |part, whole| {
                    sets.is_subset(part, whole, bounds)
                        .expect("there is no limit")
                };
                assert_eq!(is_part(first, second), one.is_subset(&other));
                assert_eq!(is_part(second, first), other.is_subset(&one));
            }
            assert_eq!(first == second, one == other);
            // Of one that has others beside all but one of its members it is no part, whichever that one is.
            if !other.is_empty() {
                let left_out = other.iter().nth(generator.below(other.len()));
                let rest = other.iter().filter(|member| Some(*member) != left_out);
                let beside = sets.number(rest.copied().chain(300..310).collect());
                let is_part = sets.is_subset(second, beside, bounds);
                assert!(!is_part.expect("there is no limit"));
            }
            parts[usize::from(one.is_subset(&other))] += 1;
        }
        assert!(parts.iter().all(|number| *number > 4_000), "{parts:?}");
    }
}
