//! Parts of states that were met, and where their steps lead.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

use super::visited::prefetch;

/// Parts by their packed variables, and what is known of their steps.
pub(super) struct Parts<J> {
    /// Open addressing; a power of two of them, at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// How far the upper bits of a product are down to make a slot's number.
    shift: u32,
    targets: Vec<u64>,
    /// The judgements, by their numbers.
    pub judged: Vec<J>,
    judgements: HashMap<J, u16>,
    /// How often a part was looked for, since all was forgotten the last time.
    pub asked: u64,
    /// Too few parts were met twice: none is remembered any more.
    pub in_vain: bool,
}

/// The judgement of a part that is not known,
const NONE: u16 = u16::MAX;
/// and of one of which a step is not as it should be.
pub(super) const ODD: u16 = u16::MAX - 1;

/// What is known of a part.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    part: u64,
    /// Where its targets begin.
    start: u32,
    steps: u16,
    /// By what number its judgement is found.
    pub judgement: u16,
}

impl Slot {
    const EMPTY: Self = Self {
        part: 0,
        start: 0,
        steps: 0,
        judgement: NONE,
    };
}

/// Slots at the start.
const FEW: usize = 1 << 10;

impl<J: Clone + Eq + Hash> Parts<J> {
    pub fn new() -> Self {
        Self {
            slots: vec![Slot::EMPTY; FEW],
            taken: 0,
            shift: u64::BITS - FEW.trailing_zeros(),
            targets: Vec::new(),
            judged: Vec::new(),
            judgements: HashMap::new(),
            asked: 0,
            in_vain: false,
        }
    }

    #[inline(always)]
    fn home(&self, part: u64) -> usize {
        (part.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    #[inline(always)]
    pub fn ask(&self, part: u64) {
        prefetch(&self.slots[self.home(part)]);
    }

    #[inline(always)]
    pub fn ask_more(&self, part: u64) {
        let slot = &self.slots[self.home(part)];
        if let Some(first) = self.targets.get(slot.start as usize) {
            prefetch(first);
        }
    }

    /// What is known of a part.
    #[inline(always)]
    pub fn find(&self, part: u64) -> Option<Slot> {
        let mut at = self.home(part);
        loop {
            let slot = self.slots[at];
            if slot.judgement == NONE {
                return None;
            }
            if slot.part == part {
                return Some(slot);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline(always)]
    pub fn targets(&self, slot: Slot) -> &[u64] {
        &self.targets[slot.start as usize..][..usize::from(slot.steps)]
    }

    /// Remembers what was learned of a part that is not there.
    #[cold]
    pub fn add(&mut self, part: u64, learned: Option<(Vec<u64>, J)>) -> Slot {
        let slot = match &learned {
            Some((targets, judged)) => self.remember(part, targets, judged),
            None => None,
        };
        let slot = slot.unwrap_or(Slot {
            part,
            judgement: ODD,
            ..Slot::EMPTY
        });
        if 2 * (self.taken + 1) > self.slots.len() {
            self.shift -= 1;
            let larger = vec![Slot::EMPTY; 2 * self.slots.len()];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.judgement != NONE {
                    self.insert(slot);
                }
            }
        }
        self.insert(slot);
        self.taken += 1;
        slot
    }

    /// The slot of a part whose steps are as they should be; none if there are too many numbers in it.
    fn remember(&mut self, part: u64, targets: &[u64], judged: &J) -> Option<Slot> {
        let start = u32::try_from(self.targets.len()).ok()?;
        let steps = u16::try_from(targets.len()).ok()?;
        let judgement = self.judgement(judged)?;
        self.targets.extend(targets);
        Some(Slot {
            part,
            start,
            steps,
            judgement,
        })
    }

    fn insert(&mut self, slot: Slot) {
        let mut at = self.home(slot.part);
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
        if new >= ODD {
            return None;
        }
        self.judged.push(judged.clone());
        self.judgements.insert(judged.clone(), new);
        Some(new)
    }

    /// Takes over what another one has learned, which forgets it.
    pub fn absorb(&mut self, other: &mut Self) {
        self.asked += std::mem::take(&mut other.asked);
        if other.taken == 0 {
            return;
        }
        for slot in &mut other.slots {
            let slot = std::mem::replace(slot, Slot::EMPTY);
            if slot.judgement == NONE || self.find(slot.part).is_some() {
                continue;
            }
            let learned = (slot.judgement != ODD).then(|| {
                let judged = other.judged[usize::from(slot.judgement)].clone();
                let targets = &other.targets[slot.start as usize..][..usize::from(slot.steps)];
                (targets.to_vec(), judged)
            });
            self.add(slot.part, learned);
        }
        other.taken = 0;
        other.targets.clear();
    }

    /// Forgets everything when it takes more than `bytes`, and for good when that was in vain: when most
    /// parts were looked for once.
    pub fn limit(&mut self, bytes: u64) {
        let held = size_of_val(&*self.slots) + size_of_val(&*self.targets);
        if held as u64 > bytes {
            let in_vain = self.asked < 2 * self.taken as u64;
            *self = Self {
                in_vain,
                ..Self::new()
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

    fn known(parts: &Parts<u8>, part: u64) -> Option<Learned> {
        let slot = parts.find(part)?;
        Some((slot.judgement != ODD).then(|| {
            let judged = parts.judged[usize::from(slot.judgement)];
            (parts.targets(slot).to_vec(), judged)
        }))
    }

    /// What several have learned is known when it is gathered, whoever learned it, and is what a map says.
    #[test]
    fn what_was_learned_is_known() {
        let mut generator = Generator::new(1);
        let mut all = Parts::new();
        let mut workers = [Parts::new(), Parts::new()];
        let mut plain: BTreeMap<u64, Learned> = BTreeMap::new();
        for _ in 0..50 {
            for _ in 0..200 {
                let part = generator.bits() % 5000;
                let steps = part % 4;
                let learned = (!part.is_multiple_of(7))
                    .then(|| ((0..steps).map(|n| part + n).collect(), (part % 3) as u8));
                let worker = &mut workers[(generator.bits() % 2) as usize];
                if all.find(part).is_none() && worker.find(part).is_none() {
                    worker.add(part, learned.clone());
                    assert_eq!(known(worker, part), Some(learned.clone()));
                }
                plain.insert(part, learned);
            }
            for worker in &mut workers {
                all.absorb(worker);
            }
            for part in 0..5000 {
                assert_eq!(known(&all, part), plain.get(&part).cloned(), "{part}");
                assert!(workers.iter().all(|worker| worker.find(part).is_none()));
            }
        }
        assert!(plain.len() > 3000);
    }

    /// What takes too much is forgotten, and for good if most parts were looked for once.
    #[test]
    fn what_takes_too_much_is_forgotten() {
        for (asked, in_vain) in [(3000, true), (30_000, false)] {
            let mut parts = Parts::new();
            for part in 0..3000 {
                parts.add(part, Some((vec![part], 0u8)));
            }
            parts.asked = asked;
            parts.limit(1 << 20);
            assert!(parts.find(7).is_some());
            parts.limit(1 << 10);
            assert!(parts.find(7).is_none());
            assert_eq!(parts.in_vain, in_vain);
        }
    }
}
