//! The x86-TSO model with the threads and references of a recorded history.
//!
//! A state is one of the [model](crate::tso), with its correspondence to the history: which
//! thread is which mutator, by how many roots a mutator holds a reference, and the generation of the
//! object in each slot. Every step is an [`Access`] or a commit of the model, except joining, holding and
//! leaving (T1).
//!
//! # Deviations
//!
//! - T1: mutators join and leave (D3 of [`native`](super)); the model has a fixed number. One without a thread
//!   has no roots and answers every request at once. **Join** assigns a thread to such a mutator; one that is
//!   forked from a mutator that owes an answer owes it too, and **hold** gains a root of another
//!   mutator. **Leave** discards all roots, when no store is pending, and hands over the worklist
//!   outside any handshake. The proof does not cover these steps. A history in which all
//!   mutators join before the first cycle, and leave after the last, needs them only for its initial state.
//! - T2: an object has a slot, which is the model's reference, and a generation. Generations are
//!   compared here; the model has none.
//! - T3: roots are counted: the model's are a set, and only the last of several roots to an object is
//!   discarded there.
//! - T4: an allocation that finds its mutator's pool and the common one empty is no step, even if
//!   pools of others have slots (D1); in the model no reference is free then. Pools are not modelled.
//! - T5: marking loads `fM` before the mark (D5): [`LoadOrder::SenseFirst`].
//! - T6: a root that is marked again in the same get-roots is no step. It must be found marked.
//! - T7: a store buffer has [`MAX_BUFFER`] places here, and some dozens in a processor. So a history in
//!   which a thread had more pending stores may be refused; none is accepted because of it.
//! - T8: the request of a handshake and its answer take effect at once in the model; in the code they are stores
//!   (D2). The model allows more: a store that is pending after its mutator has answered. A fault that is
//!   harmless on x86-64 (`no-handshake-fence`) is refused, because a fence of the model is missing.
//! - T9: `Asked` is recorded after its load, since a request persists; `Handshake` before its store,
//!   so in the model the answer is visible earlier. The collector polls it later, which the model allows.

mod action;
mod followed;
mod offered;
mod rules;

pub use action::Action;
pub use followed::Followed;

use refmap::drawing::{Drawing, Row};
use refmap::{TransitionSystem, offer};

use super::on_the_fly::Reference;
use crate::heap::Object as Ref;
use crate::tso::{
    Access, AccessModel, HandshakeRound, LoadOrder, MAX_BUFFER, Scope, ScopeError, Size, State,
    Variant, Who,
};

/// The model for histories of a heap.
pub struct Model {
    access_model: AccessModel,
}

impl Model {
    /// The model for a number of mutators, of objects, and of fields of an object.
    ///
    /// # Errors
    ///
    /// If the model has no instance of this size.
    pub fn new(mutators: u8, objects: u8, fields: u8) -> Result<Self, ScopeError> {
        let variant = Variant {
            load_order: LoadOrder::SenseFirst,
            ..Variant::default()
        };
        let size = Size {
            mutators,
            refs: objects,
            fields,
            buffer: MAX_BUFFER as u8,
        };
        let access_model = AccessModel::new(size, variant)?;
        Ok(Self { access_model })
    }

    /// The instance of the model.
    pub fn scope(&self) -> &Scope {
        &self.access_model.model().scope
    }

    /// The model at the granularity of accesses.
    pub fn access_model(&self) -> &AccessModel {
        &self.access_model
    }

    /// Whether a mutator is between two operations.
    pub fn is_at_rest(&self, state: &Followed, mutator: u8) -> bool {
        self.access_model.model().is_at_rest(&state.model, mutator)
    }

    /// The effect of an action where its guard holds.
    fn step(&self, from: &Followed, action: Action) -> Option<Followed> {
        let mut to = *from;
        match action {
            Action::Join {
                mutator,
                thread,
                owes,
            } => {
                let is_there = from.threads.contains(&Some(thread));
                let place = to.threads.get_mut(usize::from(mutator))?;
                if place.is_some() || is_there {
                    return None;
                }
                *place = Some(thread);
                if let Some(round) = owes {
                    // As its parent.
                    if !round.is_current(&from.model) || from.model.sys.pending.is_empty() {
                        return None;
                    }
                    to.model.sys.pending.set(mutator, true);
                    to.model.sys.ghost_in_sync.set(mutator, false);
                }
            }
            Action::Hold { mutator, reference } => {
                let slot = from.slot(reference)?;
                let mut others = from.present().filter(|other| *other != mutator);
                if !self.is_at_rest(from, mutator) || !others.any(|other| from.holds(other, slot)) {
                    return None;
                }
                to.hold(mutator, slot);
                to.model.mutators[usize::from(mutator)].roots.insert(slot);
            }
            Action::Leave { mutator } => {
                let who = Who::Mutator(mutator);
                if !self.is_at_rest(from, mutator) || !from.model.sys.pending_stores(who).is_empty()
                {
                    return None;
                }
                let sys = &mut to.model.sys;
                let local = &mut to.model.mutators[usize::from(mutator)];
                sys.w = sys.w.and(std::mem::take(&mut local.marking.w));
                sys.pending.set(mutator, false);
                sys.ghost_in_sync.set(mutator, true);
                local.roots = Default::default();
                local.ghost_phase = sys.ghost_phase;
                to.held[usize::from(mutator)] = Default::default();
                to.threads[usize::from(mutator)] = None;
            }
            Action::Alloc {
                mutator,
                reference: Reference { slot, generation },
                mark,
            } => {
                let reference = Ref::try_from(slot).ok()?;
                let least = to.generations.get_mut(usize::from(reference))?;
                if generation < *least {
                    return None;
                }
                *least = generation;
                to.hold(mutator, reference);
                let access = Access::Alloc { reference, mark };
                to.model = self
                    .access_model
                    .take(&from.model, Who::Mutator(mutator), access)?;
            }
            Action::Take { by, access } => {
                to.model = match (access, by) {
                    (Access::Alloc { .. }, _) => return None,
                    (Access::Ask(round), _) => self.ask(from, by, round)?,
                    // T3.
                    (Access::Discard { reference }, Who::Mutator(mutator))
                        if from.counts(mutator, reference) > 1 =>
                    {
                        self.is_at_rest(from, mutator).then_some(from.model)?
                    }
                    _ => self.access_model.take(&from.model, by, access)?,
                };
                to.rename(by, access);
            }
            Action::Commit { of } => to.model = self.access_model.commit(&from.model, of)?,
        }
        Some(to)
    }

    /// Requests a handshake of all mutators; those without a thread answer at once (T1).
    fn ask(&self, from: &Followed, by: Who, round: HandshakeRound) -> Option<State> {
        let mut model = self
            .access_model
            .take(&from.model, by, Access::Ask(round))?;
        for mutator in from.absent().iter() {
            for access in [Access::Asked(round), Access::Fence, Access::Done(round)] {
                model = self
                    .access_model
                    .take(&model, Who::Mutator(mutator), access)?;
            }
        }
        Some(model)
    }
}

impl TransitionSystem for Model {
    type State = Followed;
    type Action = Action;
    type Observation = Followed;

    /// An empty heap, without threads.
    fn initial(&self, visit: &mut impl FnMut(Followed)) {
        self.access_model.initial(&mut |model| {
            visit(Followed {
                model,
                threads: (0..self.scope().mutators).map(|_| None).collect(),
                held: Default::default(),
                generations: Default::default(),
            });
        });
    }

    fn next(&self, from: &Followed, visit: &mut impl FnMut(Action, Followed)) {
        for action in self.actions(from) {
            offer(visit, action, || self.step(from, action));
        }
    }

    fn observe(&self, state: &Followed) -> Followed {
        *state
    }

    fn successor(&self, from: &Followed, action: &Action) -> Option<Followed> {
        self.step(from, *action)
    }

    fn draw(&self, state: &Followed) -> Option<Drawing> {
        let drawing = state.model.draw();
        let threads = state.present().filter_map(|mutator| {
            let thread = state.threads[usize::from(mutator)]?;
            Some(Row::of(format!("thread {thread}")).value("is mutator", mutator))
        });
        Some(threads.fold(drawing, Drawing::row))
    }
}
