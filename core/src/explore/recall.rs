//! Steps that a search takes from memory instead of from the model: those of parts of states.
//!
//! All states with the same part have the same steps of it, with the same verdicts. When a part is met
//! first the model takes them and the visitor judges them, and then their packed targets say where they
//! lead from any other such state. A part of which a step is not as it
//! should be is not remembered: all steps of its states are taken by `next`, and looked at one by one,
//! so that what is wrong is found and shown as without this.

use foldhash::{HashMap, HashMapExt};

use super::guard::catch;
use super::visited::prefetch;
use super::{FramedVisitor, Place, Visitor};
use crate::framed::{PackedPart, PartOf, bits_of_part, next_framed};
use crate::packed::{Reader, write};
use crate::system::{ActionOf, StateOf, TransitionSystem, steps};

/// How a search recalls steps, if it does. States are kept as `K`.
///
/// What is known is read by all workers while they work through a wave, in which each learns for itself;
/// after the wave what they have learned is gathered.
pub(super) trait Recall<S: TransitionSystem, V: Visitor<S>, K>: Sync {
    /// What is remembered: by all, or by one worker since the wave began.
    type Memory: Send + Sync;

    /// Nothing.
    fn memory(&self) -> Self::Memory;

    /// Asks for the memory where a state's part would be.
    fn ask(&self, known: &Self::Memory, key: &K);

    /// Asks for the memory where the targets of a state's part would be.
    fn ask_more(&self, known: &Self::Memory, key: &K);

    /// Adds to `targets` where the steps of a state's part lead, and says how they were judged; `None` if
    /// all steps of the state are to be taken by `next`.
    fn part(
        &self,
        of: (&S, &V),
        memory: (&Self::Memory, &mut Self::Memory),
        key: &K,
        targets: &mut Vec<K>,
    ) -> Option<Judgement>;

    /// Looks at what has to be true of every state.
    fn examine(&self, visitor: &V, tally: &mut V::Tally, at: (Place, &StateOf<S>, &V::Image));

    /// Counts the steps of a state's part as they were judged.
    fn count(
        &self,
        visitor: &V,
        memory: (&Self::Memory, &Self::Memory),
        tally: &mut V::Tally,
        judgement: Judgement,
    );

    /// Visits the steps from a state that are none of its part.
    fn next_of_rest(
        &self,
        system: &S,
        from: &StateOf<S>,
        visit: &mut impl FnMut(ActionOf<S>, StateOf<S>),
    );

    /// Compares the steps recalled for a state, which lead to `targets`, with those that the model takes.
    fn compare(&self, of: (&S, &V), tally: &mut V::Tally, at: (Place, &StateOf<S>), targets: &[K]);

    /// Adds to what is known what a worker has learned, which forgets it.
    fn gather(&self, known: &mut Self::Memory, learned: &mut Self::Memory);

    /// Sees to it that no more than so many bytes are remembered.
    fn limit(&self, known: &mut Self::Memory, bytes: u64);
}

/// How a system is not framed as it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// `next` visits other steps than those of the part and of the rest, or in another order.
    #[error(
        "step {position} of `next` is {next}, and of the steps of the part and the rest it is {framed}"
    )]
    Steps {
        /// Which step of a state, counted from 0.
        position: usize,
        /// The step that `next` visits, as `Debug` shows it.
        next: String,
        /// The step that it should be.
        framed: String,
    },
    /// The variables of the part are packed by `part_fields` otherwise than by `fields`.
    #[error("`part_fields` writes a part otherwise than `fields` does")]
    Packing,
    /// `answer_part` answers otherwise than `answer` does.
    #[error("`answer` to {action} is {answer}, and `answer_part` is {framed}")]
    Answer {
        /// The action, as `Debug` shows it.
        action: String,
        /// The answer.
        answer: String,
        /// What it should be.
        framed: String,
    },
    /// `map` does not take the part to what `map_part` says, or what it takes the rest to depends on the
    /// part.
    #[error("`map` leads to {map}, and part and rest are mapped by themselves to {framed}")]
    Map {
        /// The image, as `Debug` shows it.
        map: String,
        /// What it should be.
        framed: String,
    },
}

/// How the steps of a part were judged.
#[derive(Clone, Copy)]
pub(super) struct Judgement {
    /// By what number the visitor's words are found.
    number: u16,
    /// Whether it was known before the wave.
    known: bool,
}

/// Nothing is recalled.
pub(super) struct Afresh;

impl<S: TransitionSystem, V: Visitor<S>, K> Recall<S, V, K> for Afresh {
    type Memory = ();

    fn memory(&self) {}

    fn ask(&self, (): &(), _key: &K) {}

    fn ask_more(&self, (): &(), _key: &K) {}

    fn part(
        &self,
        _of: (&S, &V),
        _memory: (&(), &mut ()),
        _key: &K,
        _targets: &mut Vec<K>,
    ) -> Option<Judgement> {
        None
    }

    fn examine(&self, _: &V, _tally: &mut V::Tally, _at: (Place, &StateOf<S>, &V::Image)) {}

    fn count(&self, _: &V, _memory: (&(), &()), _tally: &mut V::Tally, _judgement: Judgement) {}

    fn next_of_rest(
        &self,
        _system: &S,
        _from: &StateOf<S>,
        _visit: &mut impl FnMut(ActionOf<S>, StateOf<S>),
    ) {
    }

    fn compare(&self, _: (&S, &V), _: &mut V::Tally, _at: (Place, &StateOf<S>), _: &[K]) {}

    fn gather(&self, (): &mut (), (): &mut ()) {}

    fn limit(&self, (): &mut (), _bytes: u64) {}
}

/// The steps of parts are recalled, where states are packed into a word.
pub(super) struct OfParts<S: PackedPart> {
    /// The part of an initial state, for what is the same in all states.
    template: PartOf<S>,
    /// The bits that a part takes.
    bits: u64,
}

impl<S: PackedPart> OfParts<S> {
    /// Of a system with an initial state `state`; none if its states take more than a word.
    pub fn new(system: &S, state: &StateOf<S>) -> Option<Self> {
        let template = system.part(state);
        Some(Self {
            bits: bits_of_part(system, &template)?,
            template,
        })
    }

    /// The targets of a part, and how its steps are judged; none if a step is not as it should be.
    fn learn<V: FramedVisitor<S>>(
        &self,
        system: &S,
        visitor: &V,
        key: u64,
    ) -> Option<(Vec<u64>, V::Judged)> {
        let read = |key| {
            let words = [key];
            system.part_fields(&self.template, &mut Reader { words: &words })
        };
        let part = read(key);
        let mut steps = Vec::new();
        system.next_of_part(&part, &mut |action, to| steps.push((action, to)));
        let target = |to| {
            let key = write(|words| system.part_fields(to, words))?;
            (read(key) == *to).then_some(key)
        };
        let targets = steps
            .iter()
            .map(|(_, to)| target(to))
            .collect::<Option<_>>()?;
        Some((targets, visitor.judge(&part, &steps)?))
    }
}

impl<S: PackedPart, V: FramedVisitor<S>> Recall<S, V, [u64; 1]> for OfParts<S> {
    type Memory = Parts<V::Judged>;

    fn memory(&self) -> Self::Memory {
        Parts::new()
    }

    #[inline(always)]
    fn ask(&self, known: &Self::Memory, key: &[u64; 1]) {
        known.ask(key[0] & self.bits);
    }

    #[inline(always)]
    fn ask_more(&self, known: &Self::Memory, key: &[u64; 1]) {
        known.ask_more(key[0] & self.bits);
    }

    #[inline(always)]
    fn part(
        &self,
        (system, visitor): (&S, &V),
        (known, learned): (&Self::Memory, &mut Self::Memory),
        key: &[u64; 1],
        targets: &mut Vec<[u64; 1]>,
    ) -> Option<Judgement> {
        if known.in_vain {
            return None;
        }
        let [key] = *key;
        let part = key & self.bits;
        let frame = key & !self.bits;
        learned.asked += 1;
        let mut extend = |memory: &Self::Memory, slot: Slot| {
            let there = memory.targets(slot).iter();
            targets.extend(there.map(|target| [frame | target]));
            (slot.judgement != ODD).then_some(slot.judgement)
        };
        if let Some(slot) = known.find(part) {
            let number = extend(known, slot)?;
            return Some(Judgement {
                number,
                known: true,
            });
        }
        let slot = learned.find(part).unwrap_or_else(|| {
            let judged = catch(|| self.learn(system, visitor, part));
            // What panics does so again where the search reports it.
            learned.add(part, judged.ok().flatten())
        });
        let number = extend(learned, slot)?;
        Some(Judgement {
            number,
            known: false,
        })
    }

    #[inline(always)]
    fn examine(&self, visitor: &V, tally: &mut V::Tally, at: (Place, &StateOf<S>, &V::Image)) {
        visitor.examine_frame(tally, at, &self.template);
    }

    #[inline(always)]
    fn count(
        &self,
        visitor: &V,
        (known, learned): (&Self::Memory, &Self::Memory),
        tally: &mut V::Tally,
        judgement: Judgement,
    ) {
        let memory = if judgement.known { known } else { learned };
        visitor.recall(tally, &memory.judged[usize::from(judgement.number)]);
    }

    #[inline(always)]
    fn next_of_rest(
        &self,
        system: &S,
        from: &StateOf<S>,
        visit: &mut impl FnMut(ActionOf<S>, StateOf<S>),
    ) {
        system.next_of_rest(from, visit);
    }

    fn compare(
        &self,
        (system, visitor): (&S, &V),
        tally: &mut V::Tally,
        (place, from): (Place, &StateOf<S>),
        targets: &[[u64; 1]],
    ) {
        let taken = catch(|| {
            let mut framed = Vec::new();
            next_framed(system, from, &mut |action, to| framed.push((action, to)));
            framed
        });
        // What panics does so again where the search takes the steps of the rest.
        let Ok(framed) = taken else {
            return;
        };
        let next = steps(system, from);
        let mut positions = 0..next.len().max(framed.len());
        let found = positions.find(|&position| next.get(position) != framed.get(position));
        if let Some(position) = found {
            let show = |step: Option<&(ActionOf<S>, StateOf<S>)>| match step {
                Some((action, to)) => format!("{action:?} to {to:?}"),
                None => "none".to_owned(),
            };
            let contradiction = Contradiction::Steps {
                position,
                next: show(next.get(position)),
                framed: show(framed.get(position)),
            };
            return visitor.misframed(tally, place, contradiction);
        }
        let key = |to: &StateOf<S>| write(|words| system.fields(to, words));
        let packed = next.iter().zip(targets);
        if next.len() < targets.len()
            || !packed
                .clone()
                .all(|((_, to), target)| key(to) == Some(target[0]))
        {
            return visitor.misframed(tally, place, Contradiction::Packing);
        }
        for ((action, to), _) in packed {
            visitor.compare(tally, place, from, action, to);
        }
    }

    fn gather(&self, known: &mut Self::Memory, learned: &mut Self::Memory) {
        known.absorb(learned);
    }

    fn limit(&self, known: &mut Self::Memory, bytes: u64) {
        known.limit(bytes);
    }
}

/// Parts by their packed variables, and what is known of their steps.
pub(super) struct Parts<J> {
    /// Open addressing; a power of two of them, at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// How far the upper bits of a product are down to make a slot's number.
    shift: u32,
    targets: Vec<u64>,
    judged: Vec<J>,
    judgements: HashMap<J, u16>,
    /// How often a part was looked for, since all was forgotten the last time.
    asked: u64,
    /// Too few parts were met twice: none is remembered any more.
    in_vain: bool,
}

/// The judgement of a part that is not known,
const NONE: u16 = u16::MAX;
/// and of one of which a step is not as it should be.
const ODD: u16 = u16::MAX - 1;

#[derive(Clone, Copy)]
struct Slot {
    part: u64,
    /// Where its targets begin.
    start: u32,
    steps: u16,
    judgement: u16,
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

impl<J: Clone + Eq + std::hash::Hash> Parts<J> {
    fn new() -> Self {
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
    fn ask(&self, part: u64) {
        prefetch(&self.slots[self.home(part)]);
    }

    #[inline(always)]
    fn ask_more(&self, part: u64) {
        let slot = &self.slots[self.home(part)];
        if let Some(first) = self.targets.get(slot.start as usize) {
            prefetch(first);
        }
    }

    /// What is known of a part.
    #[inline(always)]
    fn find(&self, part: u64) -> Option<Slot> {
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
    fn targets(&self, slot: Slot) -> &[u64] {
        &self.targets[slot.start as usize..][..usize::from(slot.steps)]
    }

    /// Remembers what was learned of a part that is not there.
    #[cold]
    fn add(&mut self, part: u64, learned: Option<(Vec<u64>, J)>) -> Slot {
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
    fn absorb(&mut self, other: &mut Self) {
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
    fn limit(&mut self, bytes: u64) {
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
