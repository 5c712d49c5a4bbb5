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

use refmap::TransitionSystem;
use refmap::drawing::{Drawing, Row};

use super::on_the_fly::Reference;
use crate::heap::Object as Ref;
use crate::tso::{
    Access, AccessModel, Granularity, HandshakeRound, LoadOrder, MAX_BUFFER, Scope, ScopeError,
    State, Variant, Who,
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
        let scope = Scope {
            fields,
            buffer: MAX_BUFFER as u8,
            collector_buffer: MAX_BUFFER as u8,
            ..Scope::new(mutators, objects, Granularity::Fine)
        };
        let access_model = AccessModel::new(scope, variant)?;
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

    /// Takes an access.
    fn take(&self, by: Who, access: Access, model: &mut State) -> Option<()> {
        *model = self.access_model.take(model, by, access)?;
        Some(())
    }

    /// Requests a handshake of all mutators; those without a thread answer at once (T1).
    fn ask(&self, by: Who, round: HandshakeRound, state: &mut Followed) -> Option<()> {
        let absent = state.absent();
        let model = &mut state.model;
        self.take(by, Access::Ask(round), model)?;
        for who in absent.iter().map(Who::Mutator) {
            for access in [Access::Asked(round), Access::Fence, Access::Done(round)] {
                self.take(who, access, model)?;
            }
        }
        Some(())
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

    /// Joining, whose thread is not known, is none of them.
    fn candidates(&self, from: &Followed, visit: &mut impl FnMut(Action)) {
        for by in Who::all(self.scope().mutators) {
            self.accesses(by, visit);
            visit(Action::Commit { of: by });
        }
        for mutator in from.present() {
            self.of_mutator(mutator, from, visit);
        }
    }

    fn fire(&self, action: &Action, state: &mut Followed) -> Option<()> {
        match *action {
            Action::Join {
                mutator,
                thread,
                owes,
            } => {
                let is_there = state.threads.contains(&Some(thread));
                let place = state.threads.get_mut(usize::from(mutator))?;
                (place.is_none() && !is_there).then_some(())?;
                *place = Some(thread);
                if let Some(round) = owes {
                    // As its parent.
                    let is_owed = !state.model.sys.pending.is_empty();
                    (round.is_current(&state.model) && is_owed).then_some(())?;
                    state.model.sys.pending.set(mutator, true);
                    state.model.sys.ghost_in_sync.set(mutator, false);
                }
            }
            Action::Hold { mutator, reference } => {
                let slot = state.slot(reference)?;
                self.is_at_rest(state, mutator).then_some(())?;
                let is_other = |other: &u8| *other != mutator && state.holds(*other, slot);
                state.present().find(is_other)?;
                state.hold(mutator, slot);
                let local = &mut state.model.mutators[usize::from(mutator)];
                local.roots.insert(slot);
            }
            Action::Leave { mutator } => {
                self.is_at_rest(state, mutator).then_some(())?;
                let sys = &mut state.model.sys;
                let pending = sys.pending_stores(Who::Mutator(mutator));
                pending.is_empty().then_some(())?;
                let local = &mut state.model.mutators[usize::from(mutator)];
                sys.w = sys.w.and(std::mem::take(&mut local.marking.w));
                sys.pending.set(mutator, false);
                sys.ghost_in_sync.set(mutator, true);
                local.roots = Default::default();
                local.ghost_phase = sys.ghost_phase;
                state.held[usize::from(mutator)] = Default::default();
                state.threads[usize::from(mutator)] = None;
            }
            Action::Alloc {
                mutator,
                reference: Reference { slot, generation },
                mark,
            } => {
                let reference = Ref::try_from(slot).ok()?;
                let least = state.generations.get_mut(usize::from(reference))?;
                (generation >= *least).then_some(())?;
                *least = generation;
                state.hold(mutator, reference);
                let access = Access::Alloc { reference, mark };
                self.take(Who::Mutator(mutator), access, &mut state.model)?;
            }
            Action::Take { by, access } => {
                match (access, by) {
                    (Access::Alloc { .. }, _) => return None,
                    (Access::Ask(round), _) => self.ask(by, round, state)?,
                    // T3.
                    (Access::Discard { reference }, Who::Mutator(mutator))
                        if state.counts(mutator, reference) > 1 =>
                    {
                        self.is_at_rest(state, mutator).then_some(())?;
                    }
                    _ => self.take(by, access, &mut state.model)?,
                }
                state.rename(by, access);
            }
            Action::Commit { of } => state.model = self.access_model.commit(&state.model, of)?,
        }
        Some(())
    }

    fn observe(&self, state: &Followed) -> Followed {
        *state
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
