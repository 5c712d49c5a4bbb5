//! A state of the model, with its correspondence to a history.

use serde::Serialize;
use tinyvec::ArrayVec;

use crate::heap::Object as Ref;
use crate::native::on_the_fly::Reference;
use crate::tso::{Access, MAX_MUTATORS, MAX_REFS, Mutators, State, Who};

/// A state of the model, with its correspondence to a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Followed {
    /// The state of the model.
    pub model: State,
    /// The thread of each mutator, if it has one.
    pub threads: ArrayVec<[Option<u32>; MAX_MUTATORS]>,
    /// The number of roots by which each mutator holds each reference.
    pub held: [[u32; MAX_REFS]; MAX_MUTATORS],
    /// The generation of the object in each slot; of a free slot, the least generation of the next object.
    pub generations: [u32; MAX_REFS],
}

impl<S: ?Sized> refmap::State<S> for Followed {}

impl Followed {
    /// The mutator of a thread.
    pub fn mutator_of(&self, thread: u32) -> Option<u8> {
        let place = self
            .threads
            .iter()
            .position(|place| *place == Some(thread))?;
        Some(place as u8)
    }

    /// Mutators with a thread.
    pub fn present(&self) -> impl Iterator<Item = u8> + '_ {
        let places = (0..).zip(&self.threads);
        places.filter_map(|(mutator, thread)| thread.map(|_| mutator))
    }

    /// Mutators without a thread.
    pub fn absent(&self) -> Mutators {
        let mut absent = Mutators::first(self.threads.len() as u8);
        self.present()
            .for_each(|mutator| absent.set(mutator, false));
        absent
    }

    /// The slot of a reference, if the object exists.
    pub fn slot(&self, reference: Reference) -> Option<Ref> {
        let slot = Ref::try_from(reference.slot).ok()?;
        let is_there = self.model.sys.object(slot).is_some();
        let is_it = *self.generations.get(usize::from(slot))? == reference.generation;
        (is_there && is_it).then_some(slot)
    }

    pub(super) fn holds(&self, mutator: u8, slot: Ref) -> bool {
        self.model.mutator(mutator).roots.contains(slot)
    }

    pub(super) fn hold(&mut self, mutator: u8, slot: Ref) {
        self.held[usize::from(mutator)][usize::from(slot)] += 1;
    }

    pub(super) fn counts(&self, mutator: u8, slot: Ref) -> u32 {
        self.held[usize::from(mutator)][usize::from(slot)]
    }

    /// Updates root counts and generations after an access.
    pub(super) fn rename(&mut self, by: Who, access: Access) {
        match (access, by) {
            (
                Access::Load {
                    value: Some(value), ..
                },
                Who::Mutator(mutator),
            ) => self.hold(mutator, value),
            (Access::Discard { reference }, Who::Mutator(mutator)) => {
                self.held[usize::from(mutator)][usize::from(reference)] -= 1;
            }
            // The collector does not reuse a slot without a further generation.
            (Access::Free { reference }, _) => {
                let generation = &mut self.generations[usize::from(reference)];
                *generation = generation.saturating_add(1);
            }
            _ => (),
        }
    }
}
