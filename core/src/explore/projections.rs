//! The projection table: projections of states, and where their local transitions lead.

mod targets;

use std::hash::Hash;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::set::prefetch;
use targets::Targets;

/// Packed projections, and what is known of their local transitions.
pub(super) struct Projections<J> {
    /// The bits of a projection.
    bits: u64,
    /// Open addressing; a power of two of them, at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// Right shift that maps a 64-bit hash to a slot's index.
    shift: u32,
    targets: Targets,
    /// The distinct judgements, by their numbers.
    judged: Vec<J>,
    judgements: HashMap<J, u16>,
    /// How often a projection was looked up since the table was last cleared.
    pub lookups: u64,
    /// Whether caching is disabled: the hit rate was too low to pay.
    disabled: bool,
}

/// The judgement of an empty slot,
const NONE: u16 = u16::MAX;
/// and of an uncacheable projection: one of its transitions is not as it should be.
const UNCACHEABLE: u16 = u16::MAX - 1;

/// What is known of a projection.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    projection: u64,
    /// Where its targets begin.
    start: u32,
    steps: u16,
    /// The number of its judgement.
    judgement: u16,
}

impl Slot {
    const EMPTY: Self = Self {
        projection: 0,
        start: 0,
        steps: 0,
        judgement: NONE,
    };

    fn uncacheable(projection: u64) -> Self {
        Self {
            projection,
            judgement: UNCACHEABLE,
            ..Self::EMPTY
        }
    }

    /// Where its targets are.
    #[inline(always)]
    fn run(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.steps)
    }
}

/// Slots at the start.
const FEW: usize = 1 << 10;
/// How many slots ahead of the one being merged are prefetched.
const SOON: usize = 8;

impl<J: Clone + Eq + Hash> Projections<J> {
    /// An empty table of projections of these bits.
    pub fn new(bits: u64) -> Self {
        Self {
            bits,
            slots: vec![Slot::EMPTY; FEW],
            taken: 0,
            shift: u64::BITS - FEW.trailing_zeros(),
            targets: Targets::new(bits),
            judged: Vec::new(),
            judgements: HashMap::new(),
            lookups: 0,
            disabled: false,
        }
    }

    #[inline(always)]
    fn home(&self, projection: u64) -> usize {
        (projection.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    #[inline(always)]
    pub fn prefetch(&self, projection: u64) {
        prefetch(&self.slots[self.home(projection)]);
    }

    #[inline(always)]
    pub fn prefetch_targets(&self, projection: u64) {
        self.targets
            .prefetch(self.slots[self.home(projection)].run());
    }

    pub fn is_disabled(&self) -> bool {
        self.disabled
    }

    /// What is known of a projection.
    #[inline(always)]
    pub fn find(&self, projection: u64) -> Option<Slot> {
        let mut at = self.home(projection);
        loop {
            let slot = self.slots[at];
            if slot.judgement == NONE {
                return None;
            }
            if slot.projection == projection {
                return Some(slot);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// How the transitions of a projection were judged; none if it is uncacheable.
    #[inline(always)]
    pub fn judged(&self, slot: Slot) -> Option<&J> {
        (slot.judgement != UNCACHEABLE).then(|| &self.judged[usize::from(slot.judgement)])
    }

    /// Adds to `keys` where the transitions of a projection lead in `context`.
    #[inline(always)]
    pub fn extend(&self, slot: Slot, context: u64, keys: &mut Vec<[u64; 1]>) {
        self.targets.extend_keys(slot.run(), context, keys);
    }

    /// Adds a projection that is not there, with its targets and their judgement if it is cacheable.
    #[cold]
    pub fn add(&mut self, projection: u64, learned: Option<(&[u64], &J)>) -> Slot {
        let slot = learned.and_then(|(targets, judged)| {
            let judgement = self.judgement(judged)?;
            let slot = self.slot(projection, targets.len(), judgement)?;
            self.targets.extend(targets);
            Some(slot)
        });
        self.insert(slot.unwrap_or(Slot::uncacheable(projection)))
    }

    /// The slot of a projection whose targets are about to be added; none if there are too many.
    fn slot(&self, projection: u64, steps: usize, judgement: u16) -> Option<Slot> {
        Some(Slot {
            projection,
            start: u32::try_from(self.targets.len()).ok()?,
            steps: u16::try_from(steps).ok()?,
            judgement,
        })
    }

    fn insert(&mut self, slot: Slot) -> Slot {
        if 2 * (self.taken + 1) > self.slots.len() {
            self.shift -= 1;
            let larger = vec![Slot::EMPTY; 2 * self.slots.len()];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.judgement != NONE {
                    self.place(slot);
                }
            }
        }
        self.place(slot);
        self.taken += 1;
        slot
    }

    fn place(&mut self, slot: Slot) {
        let mut at = self.home(slot.projection);
        while self.slots[at].judgement != NONE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    /// The number of a judgement, if there are not too many.
    fn judgement(&mut self, judged: &J) -> Option<u16> {
        if let Some(known) = self.judgements.get(judged) {
            return Some(*known);
        }
        let new = u16::try_from(self.judged.len()).ok()?;
        if new >= UNCACHEABLE {
            return None;
        }
        self.judged.push(judged.clone());
        self.judgements.insert(judged.clone(), new);
        Some(new)
    }

    /// Moves what another table has learned to this one.
    pub fn absorb(&mut self, other: &mut Self) {
        self.lookups += std::mem::take(&mut other.lookups);
        if other.taken == 0 {
            return;
        }
        let judgements = other.judged.iter().map(|judged| self.judgement(judged));
        let judgements: Vec<_> = judgements.collect();
        let slots = other.take();
        for (index, slot) in slots.iter().enumerate() {
            if let Some(soon) = slots.get(index + SOON) {
                self.prefetch(soon.projection);
            }
            if self.find(slot.projection).is_some() {
                continue;
            }
            let judgement = judgements.get(usize::from(slot.judgement)).copied();
            let moved = judgement.flatten().and_then(|judgement| {
                let steps = usize::from(slot.steps);
                let moved = self.slot(slot.projection, steps, judgement)?;
                self.targets.extend_from(&other.targets, slot.run());
                Some(moved)
            });
            self.insert(moved.unwrap_or(Slot::uncacheable(slot.projection)));
        }
        other.targets.clear();
    }

    /// Takes all slots out. A table that was mostly empty is halved, since each merge goes through all of it.
    fn take(&mut self) -> Vec<Slot> {
        let mut taken = Vec::with_capacity(self.taken);
        for slot in &mut self.slots {
            if slot.judgement != NONE {
                taken.push(std::mem::replace(slot, Slot::EMPTY));
            }
        }
        if self.slots.len() > FEW && 8 * self.taken < self.slots.len() {
            self.slots = vec![Slot::EMPTY; self.slots.len() / 2];
            self.shift += 1;
        }
        self.taken = 0;
        taken
    }

    /// Clears a table that takes more than `bytes`, and disables it if the hit rate was too low to pay: if most
    /// projections were looked up once.
    pub fn limit(&mut self, bytes: u64) {
        let held = size_of_val(&*self.slots) + self.targets.bytes();
        if held as u64 > bytes {
            let disabled = self.lookups < 2 * self.taken as u64;
            *self = Self {
                disabled,
                ..Self::new(self.bits)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::random::Generator;

    type Learned = Option<(Vec<u64>, u8)>;

    fn known(projections: &Projections<u8>, projection: u64) -> Option<Learned> {
        // What is in every key beside a projection.
        let context = !projections.bits;
        let slot = projections.find(projection)?;
        Some(projections.judged(slot).map(|judged| {
            let mut keys = Vec::new();
            projections.extend(slot, context, &mut keys);
            let targets = keys.iter().map(|[key]| key - context).collect();
            (targets, *judged)
        }))
    }

    fn add(projections: &mut Projections<u8>, projection: u64, learned: &Learned) {
        let learned = learned
            .as_ref()
            .map(|(targets, judged)| (&**targets, judged));
        projections.add(projection, learned);
    }

    /// A merged table has what any worker has learned, as a map says; where a projection takes half a word and
    /// where it takes more.
    #[test]
    fn a_merged_table_has_what_workers_learned() {
        for shift in [0, 19, 20, 40, 51] {
            let bits = 0x1FFF << shift;
            let mut generator = Generator::new(1);
            let mut all = Projections::new(bits);
            let mut workers = [Projections::new(bits), Projections::new(bits)];
            let mut plain: BTreeMap<u64, Learned> = BTreeMap::new();
            for _ in 0..20 {
                for _ in 0..500 {
                    let number = generator.bits() % 5000;
                    let projection = number << shift;
                    let learned = (!number.is_multiple_of(7)).then(|| {
                        let targets = (0..number % 4).map(|n| (number + n) << shift);
                        (targets.collect(), (number % 3) as u8)
                    });
                    let worker = &mut workers[(generator.bits() % 2) as usize];
                    if all.find(projection).is_none() && worker.find(projection).is_none() {
                        add(worker, projection, &learned);
                        assert_eq!(known(worker, projection), Some(learned.clone()));
                    }
                    plain.insert(projection, learned);
                }
                for worker in &mut workers {
                    all.absorb(worker);
                }
                for projection in (0..5000).map(|number| number << shift) {
                    let expected = plain.get(&projection).cloned();
                    assert_eq!(known(&all, projection), expected, "{projection}");
                    assert!(
                        workers
                            .iter()
                            .all(|worker| worker.find(projection).is_none())
                    );
                }
            }
            assert!(plain.len() > 3000);
        }
    }

    /// A table that takes too much is cleared, and disabled if most projections were looked up once.
    #[test]
    fn a_table_that_takes_too_much_is_cleared() {
        for (lookups, disabled) in [(3000, true), (30_000, false)] {
            let mut projections = Projections::new(0xFFF);
            for projection in 0..3000 {
                add(&mut projections, projection, &Some((vec![projection], 0)));
            }
            projections.lookups = lookups;
            projections.limit(1 << 20);
            assert!(projections.find(7).is_some());
            projections.limit(1 << 10);
            assert!(projections.find(7).is_none());
            assert_eq!(projections.is_disabled(), disabled);
        }
    }
}
