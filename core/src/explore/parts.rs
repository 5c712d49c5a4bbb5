//! Parts of states that were met, and where their steps lead.

mod targets;

use std::hash::Hash;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::visited::prefetch;
use targets::Targets;

/// Parts by their packed variables, and what is known of their steps.
pub(super) struct Parts<J> {
    /// The bits with which a part is written.
    bits: u64,
    /// Open addressing; a power of two of them, at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// How far the upper bits of a product are down to make a slot's number.
    shift: u32,
    targets: Targets,
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

    /// A part of which a step is not as it should be.
    fn odd(part: u64) -> Self {
        Self {
            part,
            judgement: ODD,
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
/// Slots ahead of the one being taken over whose place is asked for.
const SOON: usize = 8;

impl<J: Clone + Eq + Hash> Parts<J> {
    /// None yet, of parts that are written with `bits`.
    pub fn new(bits: u64) -> Self {
        Self {
            bits,
            slots: vec![Slot::EMPTY; FEW],
            taken: 0,
            shift: u64::BITS - FEW.trailing_zeros(),
            targets: Targets::new(bits),
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
        self.targets.ask(self.slots[self.home(part)].run());
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

    /// Adds to `keys` where the steps of a part lead in `frame`.
    #[inline(always)]
    pub fn put(&self, slot: Slot, frame: u64, keys: &mut Vec<[u64; 1]>) {
        self.targets.put(slot.run(), frame, keys);
    }

    /// Remembers what was learned of a part that is not there: nothing, if a step is not as it should be.
    #[cold]
    pub fn add(&mut self, part: u64, learned: Option<(&[u64], &J)>) -> Slot {
        let slot = learned.and_then(|(targets, judged)| {
            let judgement = self.judgement(judged)?;
            let slot = self.slot(part, targets.len(), judgement)?;
            self.targets.extend(targets);
            Some(slot)
        });
        self.insert(slot.unwrap_or(Slot::odd(part)))
    }

    /// The slot of a part whose targets are about to be added; none if there are too many.
    fn slot(&self, part: u64, steps: usize, judgement: u16) -> Option<Slot> {
        Some(Slot {
            part,
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
        let judgements = other.judged.iter().map(|judged| self.judgement(judged));
        let judgements: Vec<_> = judgements.collect();
        let slots = other.give();
        for (index, slot) in slots.iter().enumerate() {
            if let Some(soon) = slots.get(index + SOON) {
                self.ask(soon.part);
            }
            if self.find(slot.part).is_some() {
                continue;
            }
            let judgement = judgements.get(usize::from(slot.judgement)).copied();
            let taken_over = judgement.flatten().and_then(|judgement| {
                let steps = usize::from(slot.steps);
                let taken_over = self.slot(slot.part, steps, judgement)?;
                self.targets.extend_from(&other.targets, slot.run());
                Some(taken_over)
            });
            self.insert(taken_over.unwrap_or(Slot::odd(slot.part)));
        }
        other.targets.clear();
    }

    /// Gives the slots away, and keeps half of their memory if there was much more of it than of them: it is gone
    /// through each time.
    fn give(&mut self) -> Vec<Slot> {
        let mut given = Vec::with_capacity(self.taken);
        for slot in &mut self.slots {
            if slot.judgement != NONE {
                given.push(std::mem::replace(slot, Slot::EMPTY));
            }
        }
        if self.slots.len() > FEW && 8 * self.taken < self.slots.len() {
            self.slots = vec![Slot::EMPTY; self.slots.len() / 2];
            self.shift += 1;
        }
        self.taken = 0;
        given
    }

    /// Forgets everything when it takes more than `bytes`, and for good when that was in vain: when most
    /// parts were looked for once.
    pub fn limit(&mut self, bytes: u64) {
        let held = size_of_val(&*self.slots) + self.targets.bytes();
        if held as u64 > bytes {
            let in_vain = self.asked < 2 * self.taken as u64;
            *self = Self {
                in_vain,
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

    fn known(parts: &Parts<u8>, part: u64) -> Option<Learned> {
        // What is in every key beside a part.
        let frame = !parts.bits;
        let slot = parts.find(part)?;
        Some((slot.judgement != ODD).then(|| {
            let mut keys = Vec::new();
            parts.put(slot, frame, &mut keys);
            let targets = keys.iter().map(|[key]| key - frame).collect();
            (targets, parts.judged[usize::from(slot.judgement)])
        }))
    }

    fn add(parts: &mut Parts<u8>, part: u64, learned: &Learned) {
        let learned = learned
            .as_ref()
            .map(|(targets, judged)| (&**targets, judged));
        parts.add(part, learned);
    }

    /// What several have learned is known when it is gathered, whoever learned it, and is what a map says;
    /// where a part takes half a word and where it takes more.
    #[test]
    fn what_was_learned_is_known() {
        for shift in [0, 19, 20, 40, 51] {
            let bits = 0x1FFF << shift;
            let mut generator = Generator::new(1);
            let mut all = Parts::new(bits);
            let mut workers = [Parts::new(bits), Parts::new(bits)];
            let mut plain: BTreeMap<u64, Learned> = BTreeMap::new();
            for _ in 0..20 {
                for _ in 0..500 {
                    let number = generator.bits() % 5000;
                    let part = number << shift;
                    let learned = (!number.is_multiple_of(7)).then(|| {
                        let targets = (0..number % 4).map(|n| (number + n) << shift);
                        (targets.collect(), (number % 3) as u8)
                    });
                    let worker = &mut workers[(generator.bits() % 2) as usize];
                    if all.find(part).is_none() && worker.find(part).is_none() {
                        add(worker, part, &learned);
                        assert_eq!(known(worker, part), Some(learned.clone()));
                    }
                    plain.insert(part, learned);
                }
                for worker in &mut workers {
                    all.absorb(worker);
                }
                for part in (0..5000).map(|number| number << shift) {
                    assert_eq!(known(&all, part), plain.get(&part).cloned(), "{part}");
                    assert!(workers.iter().all(|worker| worker.find(part).is_none()));
                }
            }
            assert!(plain.len() > 3000);
        }
    }

    /// What takes too much is forgotten, and for good if most parts were looked for once.
    #[test]
    fn what_takes_too_much_is_forgotten() {
        for (asked, in_vain) in [(3000, true), (30_000, false)] {
            let mut parts = Parts::new(0xFFF);
            for part in 0..3000 {
                add(&mut parts, part, &Some((vec![part], 0)));
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
