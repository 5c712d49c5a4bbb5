//! Steps that a search takes from memory instead of from the model: those of parts of states.
//!
//! All states with the same part have the same steps of it, with the same verdicts. When a part is met
//! first the model takes them and the visitor judges them, and then their packed targets say where they
//! lead from any other such state. A part of which a step is not as it
//! should be is not remembered: all steps of its states are taken by `next`, and looked at one by one,
//! so that what is wrong is found and shown as without this.

use super::parts::{ODD, Parts, Slot};
use super::{FramedVisitor, Place, Visitor};
use crate::framed::{Misframed, PackedPart, PartOf, bits_of_part, next_framed};
use crate::model_call::catch;
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

/// What is known of parts, and what is being learned of one.
pub(super) struct Memory<S: PackedPart, J> {
    parts: Parts<J>,
    /// The steps of a part, and their packed targets.
    ///
    /// PERF: a part has few, and what would be asked for and given back for each takes as long.
    steps: Vec<(ActionOf<S>, PartOf<S>)>,
    targets: Vec<u64>,
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

    /// Takes the steps of a part, leaves their packed targets, and says how they are judged; none if one is not as
    /// it should be.
    ///
    /// Every target is read back, and not only some as those of states are: a part stands for many states.
    fn learn<V: FramedVisitor<S>>(
        &self,
        (system, visitor): (&S, &V),
        key: u64,
        memory: &mut Memory<S, V::Judged>,
    ) -> Option<V::Judged> {
        let Memory { steps, targets, .. } = memory;
        let read = |key| {
            let words = [key];
            system.part_fields(&self.template, &mut Reader { words: &words })
        };
        let part = read(key);
        steps.clear();
        targets.clear();
        system.next_of_part(&part, &mut |action, to| steps.push((action, to)));
        for (_, to) in &*steps {
            let key = write(|words| system.part_fields(to, words))?;
            let astray = key & !self.bits != 0;
            if astray || read(key) != *to {
                return None;
            }
            targets.push(key);
        }
        visitor.judge(&part, steps)
    }
}

impl<S: PackedPart, V: FramedVisitor<S>> Recall<S, V, [u64; 1]> for OfParts<S> {
    type Memory = Memory<S, V::Judged>;

    fn memory(&self) -> Self::Memory {
        Memory {
            parts: Parts::new(self.bits),
            steps: Vec::new(),
            targets: Vec::new(),
        }
    }

    #[inline(always)]
    fn ask(&self, known: &Self::Memory, key: &[u64; 1]) {
        known.parts.ask(key[0] & self.bits);
    }

    #[inline(always)]
    fn ask_more(&self, known: &Self::Memory, key: &[u64; 1]) {
        known.parts.ask_more(key[0] & self.bits);
    }

    #[inline(always)]
    fn part(
        &self,
        of: (&S, &V),
        (known, learned): (&Self::Memory, &mut Self::Memory),
        key: &[u64; 1],
        targets: &mut Vec<[u64; 1]>,
    ) -> Option<Judgement> {
        let known = &known.parts;
        if known.in_vain {
            return None;
        }
        let [key] = *key;
        let part = key & self.bits;
        let frame = key & !self.bits;
        learned.parts.asked += 1;
        let mut extend = |parts: &Parts<V::Judged>, slot: Slot| {
            parts.put(slot, frame, targets);
            (slot.judgement != ODD).then_some(slot.judgement)
        };
        if let Some(slot) = known.find(part) {
            let number = extend(known, slot)?;
            return Some(Judgement {
                number,
                known: true,
            });
        }
        let slot = learned.parts.find(part).unwrap_or_else(|| {
            // What panics does so again where the search reports it.
            let judged = catch(|| self.learn(of, part, learned));
            let judged = judged.ok().flatten();
            let found = judged.as_ref().map(|judged| (&*learned.targets, judged));
            learned.parts.add(part, found)
        });
        let number = extend(&learned.parts, slot)?;
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
        visitor.recall(tally, &memory.parts.judged[usize::from(judgement.number)]);
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
            let misframed = Misframed::Steps {
                position,
                next: show(next.get(position)),
                framed: show(framed.get(position)),
            };
            return visitor.misframed(tally, place, misframed);
        }
        let key = |to: &StateOf<S>| write(|words| system.fields(to, words));
        let packed = next.iter().zip(targets);
        if next.len() < targets.len()
            || !packed
                .clone()
                .all(|((_, to), target)| key(to) == Some(target[0]))
        {
            return visitor.misframed(tally, place, Misframed::Packing);
        }
        for ((action, to), _) in packed {
            visitor.compare(tally, place, from, action, to);
        }
    }

    fn gather(&self, known: &mut Self::Memory, learned: &mut Self::Memory) {
        known.parts.absorb(&mut learned.parts);
    }

    fn limit(&self, known: &mut Self::Memory, bytes: u64) {
        known.parts.limit(bytes);
    }
}
