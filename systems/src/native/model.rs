//! The x86-TSO model, for the threads and the references of a recorded history.
//!
//! A state is one of the [model](crate::tso)'s, with the names that the history has for its parts: which
//! thread is which mutator, by how many roots a mutator holds a reference, and the generation of the
//! object in each slot. Every step is an [`Access`] or a commit of the model, but for three:
//!
//! # Deviations
//!
//! - T1: mutators come and go (D3 of [`native`](super)); the model's are always there. One that no thread
//!   is holds nothing and answers when it is asked. To **join** is to take the place of such a one; who is
//!   forked from a mutator that owes an answer owes it too, and to **hold** is to come by a root of another
//!   mutator. To **leave** is to discard all roots, when nothing is pending, and to hand over the worklist
//!   outside any handshake. Of a model with these steps nothing has been proved. A history in which all
//!   mutators join before the first cycle, and leave after the last, needs them for its initial state and
//!   for nothing else.
//! - T2: an object has a slot, which is the model's reference, and a generation. That the generation is the
//!   one of the object that is there is looked at here; the model has none.
//! - T3: roots are counted: the model's are a set, and only the last of several roots to an object is
//!   discarded there.
//! - T4: an allocation that finds its mutator's pool and the common one empty is no step, whatever the
//!   pools of others hold (D1); in the model nothing is free then. What pools do is not looked at.
//! - T5: marking loads `fM` before the mark (D5): [`Loads::SenseFirst`].
//! - T6: a root that is looked at again in the same get-roots is no step. It has to be found marked.
//! - T7: a store buffer has [`MAX_BUFFER`] places here, and some dozens in a processor. So a history may be
//!   refused in which a thread was that far ahead of memory; none is accepted for it.
//! - T8: the request of a handshake and its answer act at once in the model; in the code they are stores
//!   (D2). The model allows more: a store of a mutator that is pending when it has answered. A fault that
//!   x86-64 does no harm to (`no-handshake-fence`) is refused, because a fence of the model is missing.

use refmap::{Process, Rule, RuleId, TransitionSystem, offer};
use serde::Serialize;
use tinyvec::ArrayVec;

use super::on_the_fly::Reference;
use crate::heap::Object as Ref;
use crate::tso::{
    Access, ByAccess, Loads, MAX_BUFFER, MAX_MUTATORS, MAX_REFS, Mark, Mutators, Phase, Round,
    ScopeError, State, Variant, Who,
};

/// The model for histories of heaps of so many objects.
pub struct Model {
    by_access: ByAccess,
    mutators: u8,
    refs: u8,
    fields: u8,
}

/// A state of the model, and what its parts are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Followed {
    /// The state of the model.
    pub model: State,
    /// Which thread each mutator is, if any.
    pub threads: ArrayVec<[Option<u32>; MAX_MUTATORS]>,
    /// By how many roots each mutator holds each reference.
    pub held: [[u32; MAX_REFS]; MAX_MUTATORS],
    /// The generation of the object in each slot; of a free one, the least that the next may have.
    pub generations: [u32; MAX_REFS],
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A thread becomes a mutator that none is.
    Join {
        /// Which mutator.
        mutator: u8,
        /// The thread.
        thread: u32,
        /// What it is asked for from the beginning.
        owes: Option<Round>,
    },
    /// A mutator comes to hold what another does.
    Hold {
        /// Who.
        mutator: u8,
        /// What.
        reference: Reference,
    },
    /// A mutator goes.
    Leave {
        /// Who.
        mutator: u8,
    },
    /// A mutator gets a fresh object.
    Alloc {
        /// Who.
        mutator: u8,
        /// What.
        reference: Reference,
        /// Its mark, if it is told.
        mark: Option<Mark>,
    },
    /// Any other access of the model.
    Take {
        /// Whose.
        by: Who,
        /// Which.
        access: Access,
    },
    /// A pending store goes to memory.
    Commit {
        /// Whose.
        of: Who,
    },
}

impl Model {
    /// The model for so many mutators, objects, and fields of an object.
    ///
    /// # Errors
    ///
    /// If the model has no such instance.
    pub fn new(mutators: u8, objects: u8, fields: u8) -> Result<Self, ScopeError> {
        let variant = Variant {
            loads: Loads::SenseFirst,
            ..Variant::default()
        };
        let scope = [mutators, objects, fields, MAX_BUFFER as u8];
        Ok(Self {
            by_access: ByAccess::new(scope, variant)?,
            mutators,
            refs: objects,
            fields,
        })
    }

    /// How many objects there can be.
    pub fn objects(&self) -> u8 {
        self.refs
    }

    /// The model by accesses.
    pub fn by_access(&self) -> &ByAccess {
        &self.by_access
    }

    fn is_at_rest(&self, state: &Followed, mutator: u8) -> bool {
        self.by_access.model().is_at_rest(&state.model, mutator)
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
                    // As the one of whom it was forked.
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
                    .by_access
                    .take(&from.model, Who::Mutator(mutator), access)?;
            }
            Action::Take { by, access } => {
                to.model = match (access, by) {
                    (Access::Alloc { .. }, _) => return None,
                    (Access::Ask { absent, .. }, _) if absent != from.absent() => return None,
                    // T3.
                    (Access::Discard { reference }, Who::Mutator(mutator))
                        if from.counts(mutator, reference) > 1 =>
                    {
                        self.is_at_rest(from, mutator).then_some(from.model)?
                    }
                    _ => self.by_access.take(&from.model, by, access)?,
                };
                to.rename(by, access);
            }
            Action::Commit { of } => to.model = self.by_access.commit(&from.model, of)?,
        }
        Some(to)
    }

    /// Every action that may be enabled in a state, and many that are not; but for joining, which takes a
    /// thread of which nothing is known.
    fn actions(&self, from: &Followed) -> Vec<Action> {
        let mut actions = Vec::new();
        let values: Vec<_> = (0..self.refs).map(Some).chain([None]).collect();
        for by in Who::all(self.mutators) {
            let mut take = |access| actions.push(Action::Take { by, access });
            take(Access::Fence);
            let absent = from.absent();
            for round in Round::ALL {
                take(Access::Ask { round, absent });
                take(Access::Answered(round));
                take(Access::Asked(round));
                take(Access::Done(round));
            }
            for mark in [false, true] {
                take(Access::SetFm(mark));
                take(Access::SetFa(mark));
            }
            for phase in PHASES {
                take(Access::SetPhase(phase));
            }
            for reference in 0..self.refs {
                take(Access::Trace { reference });
                take(Access::Free { reference });
                take(Access::Discard { reference });
                for mark in [false, true] {
                    let [won, fm] = [mark, mark];
                    take(Access::LoadFm { reference, fm });
                    take(Access::LoadMark { reference, mark });
                    let mark = None;
                    take(Access::Cas {
                        reference,
                        won,
                        mark,
                    });
                }
                for phase in PHASES {
                    take(Access::LoadPhase { reference, phase });
                }
                let places = (0..self.fields).map(|field| (reference, field));
                for ((src, field), value) in
                    places.flat_map(|place| values.iter().map(move |value| (place, *value)))
                {
                    take(Access::Load { src, field, value });
                    take(Access::Store { src, field, value });
                    take(Access::Scan { src, field, value });
                    for was in values.iter().copied() {
                        take(Access::Overwrite {
                            src,
                            field,
                            was,
                            value,
                        });
                    }
                }
            }
            actions.push(Action::Commit { of: by });
        }
        for mutator in from.present() {
            actions.push(Action::Leave { mutator });
            for (slot, generation) in (0..u32::from(self.refs)).zip(from.generations) {
                let reference = Reference { slot, generation };
                actions.push(Action::Hold { mutator, reference });
                let mark = None;
                actions.push(Action::Alloc {
                    mutator,
                    reference,
                    mark,
                });
            }
        }
        actions
    }
}

const PHASES: [Phase; 4] = [Phase::Idle, Phase::Init, Phase::Mark, Phase::Sweep];

impl Followed {
    /// The mutator that a thread is.
    pub fn mutator_of(&self, thread: u32) -> Option<u8> {
        let place = self
            .threads
            .iter()
            .position(|place| *place == Some(thread))?;
        Some(place as u8)
    }

    /// Mutators that a thread is.
    pub fn present(&self) -> impl Iterator<Item = u8> + '_ {
        let places = (0..).zip(&self.threads);
        places.filter_map(|(mutator, thread)| thread.map(|_| mutator))
    }

    /// Mutators that no thread is.
    pub fn absent(&self) -> Mutators {
        let mut absent = Mutators::first(self.threads.len() as u8);
        self.present()
            .for_each(|mutator| absent.set(mutator, false));
        absent
    }

    /// The slot of a reference, if the object is there.
    pub fn slot(&self, reference: Reference) -> Option<Ref> {
        let slot = Ref::try_from(reference.slot).ok()?;
        let is_there = self.model.sys.object(slot).is_some();
        let is_it = *self.generations.get(usize::from(slot))? == reference.generation;
        (is_there && is_it).then_some(slot)
    }

    fn holds(&self, mutator: u8, slot: Ref) -> bool {
        self.model.mutator(mutator).roots.contains(slot)
    }

    fn hold(&mut self, mutator: u8, slot: Ref) {
        self.held[usize::from(mutator)][usize::from(slot)] += 1;
    }

    fn counts(&self, mutator: u8, slot: Ref) -> u32 {
        self.held[usize::from(mutator)][usize::from(slot)]
    }

    /// What an access does to the names of things.
    fn rename(&mut self, by: Who, access: Access) {
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
            // A slot without a further generation is not used again; nor is it here.
            (Access::Free { reference }, _) => {
                let generation = &mut self.generations[usize::from(reference)];
                *generation = generation.saturating_add(1);
            }
            _ => (),
        }
    }
}

static RULES: [Rule; 28] = [
    Rule::new("join", "mutator", "Gammie et al., section 4"),
    Rule::new("hold", "mutator", "Gammie et al., section 4"),
    Rule::new("leave", "mutator", "Gammie et al., section 4"),
    Rule::new("alloc", "mutator", "Gammie et al., Fig. 6, Alloc"),
    Rule::new("discard", "mutator", "Gammie et al., Fig. 6, Discard"),
    Rule::new("load", "mutator", "Gammie et al., Fig. 6, Load"),
    Rule::new("overwrite", "mutator", "Gammie et al., Fig. 6, line 9"),
    Rule::new("store", "mutator", "Gammie et al., Fig. 6, line 11"),
    Rule::new("asked", "mutator", "Gammie et al., Fig. 4, the mutator"),
    Rule::new("done", "mutator", "Gammie et al., Fig. 4, the mutator"),
    Rule::new("fence", "mutator", "Gammie et al., Fig. 4, the mutator"),
    Rule::new("mark: load fM", "mutator", "Gammie et al., Fig. 5, line 2"),
    Rule::new(
        "mark: load mark",
        "mutator",
        "Gammie et al., Fig. 5, line 3",
    ),
    Rule::new(
        "mark: load phase",
        "mutator",
        "Gammie et al., Fig. 5, line 4",
    ),
    Rule::new("mark: CAS", "mutator", "Gammie et al., Fig. 5, lines 5–11"),
    Rule::new("fence", "collector", "Gammie et al., Fig. 4, initiation"),
    Rule::new(
        "mark: load fM",
        "collector",
        "Gammie et al., Fig. 5, line 2",
    ),
    Rule::new(
        "mark: load mark",
        "collector",
        "Gammie et al., Fig. 5, line 3",
    ),
    Rule::new(
        "mark: load phase",
        "collector",
        "Gammie et al., Fig. 5, line 4",
    ),
    Rule::new(
        "mark: CAS",
        "collector",
        "Gammie et al., Fig. 5, lines 5–11",
    ),
    Rule::new("ask", "collector", "Gammie et al., Fig. 4, initiation"),
    Rule::new("answered", "collector", "Gammie et al., Fig. 4, polling"),
    Rule::new(
        "set fM or fA",
        "collector",
        "Gammie et al., Fig. 2, lines 5 and 12",
    ),
    Rule::new(
        "set phase",
        "collector",
        "Gammie et al., Fig. 2, lines 8, 11, 37 and 46",
    ),
    Rule::new("trace", "collector", "Gammie et al., Fig. 2, line 27"),
    Rule::new("scan", "collector", "Gammie et al., Fig. 2, line 29"),
    Rule::new("free", "collector", "Gammie et al., Fig. 2, lines 41–44"),
    Rule::new("commit", "memory", "Gammie et al., Fig. 9"),
];

impl TransitionSystem for Model {
    type State = Followed;
    type Action = Action;
    type Observation = Followed;

    fn rules(&self) -> &[Rule] {
        &RULES
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        let (access, by) = match *action {
            Action::Join { .. } => return RuleId(0),
            Action::Hold { .. } => return RuleId(1),
            Action::Leave { .. } => return RuleId(2),
            Action::Alloc { .. } => return RuleId(3),
            Action::Commit { .. } => return RuleId(27),
            Action::Take { access, by } => (access, by),
        };
        let either = |mutator, collector| match by {
            Who::Mutator(_) => mutator,
            Who::Gc => collector,
        };
        RuleId(match access {
            Access::Alloc { .. } => 3,
            Access::Discard { .. } => 4,
            Access::Load { .. } => 5,
            Access::Overwrite { .. } => 6,
            Access::Store { .. } => 7,
            Access::Asked(_) => 8,
            Access::Done(_) => 9,
            Access::Fence => either(10, 15),
            Access::LoadFm { .. } => either(11, 16),
            Access::LoadMark { .. } => either(12, 17),
            Access::LoadPhase { .. } => either(13, 18),
            Access::Cas { .. } => either(14, 19),
            Access::Ask { .. } => 20,
            Access::Answered(_) => 21,
            Access::SetFm(_) | Access::SetFa(_) => 22,
            Access::SetPhase(_) => 23,
            Access::Trace { .. } => 24,
            Access::Scan { .. } => 25,
            Access::Free { .. } => 26,
        })
    }

    fn process_of(&self, action: &Action) -> Process {
        match *action {
            Action::Commit { .. } => Process::new("memory"),
            Action::Take { by: Who::Gc, .. } => Process::new("collector"),
            Action::Join { mutator, .. }
            | Action::Hold { mutator, .. }
            | Action::Leave { mutator }
            | Action::Alloc { mutator, .. }
            | Action::Take {
                by: Who::Mutator(mutator),
                ..
            } => Process::numbered("mutator", u16::from(mutator)),
        }
    }

    /// An empty heap, and no thread.
    fn initial(&self, visit: &mut impl FnMut(Followed)) {
        self.by_access.initial(&mut |model| {
            visit(Followed {
                model,
                threads: (0..self.mutators).map(|_| None).collect(),
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

    fn draw(&self, state: &Followed) -> Option<String> {
        let mut drawing = state.model.draw();
        for mutator in state.present() {
            if let Some(thread) = state.threads[usize::from(mutator)] {
                drawing += &format!("\nthread {thread} is mutator {mutator}");
            }
        }
        Some(drawing)
    }
}
