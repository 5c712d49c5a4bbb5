//! A model that expands states for a search.
//!
//! What is done with a step is done in loops of its own, each over many steps: the model takes all steps of a state, these
//! are looked at, their targets are written down. PERF: done step by step, what all of it needs finds no room in the
//! registers.

use std::cell::Cell;
use std::mem::needs_drop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::position::publish;
use super::{Batch, Expand, Expanded, Expander, Initial, Keeps, Task};
use crate::state::PackingError;
use crate::state::hiding::Hiding;
use crate::statement::asked::calls::{
    Function, Of, Stage, Watched, WorkerPosition, call, calls_back,
};
use crate::statement::asked::model_call::{
    CallEnd, Panic, UNNAMED, break_off, interruptible, named,
};
use crate::statement::asked::visit::visit_initial;
#[cfg(feature = "disk")]
use crate::statement::erased::ErasedSystem;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::walk::explore::Quotienting;
use crate::walk::explore::codec::{
    complaint, push, push_owned, push_target, push_targets, with, with_over,
};
use crate::walk::explore::keys::{Form, KeyList, StateKey};
use crate::walk::explore::limits::{Clock, Limit};
use crate::walk::explore::search::Found;
use crate::walk::explore::span::Pass;
use crate::walk::explore::store::kept;
use crate::walk::explore::{Explored, Place, StateId, Visitor};

/// A state of more steps than this is a wide one: the clock is looked at within it.
const WIDE: usize = 512;
/// And where there are more than this, at the memory too.
const VERY_WIDE: usize = 1 << 14;
/// States between two looks at the clock, and targets where each takes long.
const PATIENCE: usize = 16;

/// Phase of the work on a state.
#[derive(Clone, Copy, PartialEq)]
enum ExpansionPhase {
    /// It is looked at itself.
    Examining,
    /// Its steps are taken.
    Stepping,
    /// One of them is looked at.
    LookingAt(u32),
    /// Its targets are written down.
    Writing,
}

/// The state being expanded.
#[derive(Clone, Copy)]
struct ExpandedState<'e> {
    place: Place,
    key: StateKey<'e>,
    /// The clock that is looked at on the way.
    clock: &'e Clock<'e>,
    /// The pass of its level.
    pass: Pass,
    /// Position of the worker, which it publishes,
    position: &'e WorkerPosition,
    /// and the place of the state in its batch.
    index: u64,
}

impl ExpandedState<'_> {
    /// Publishes what is done with the state.
    #[inline(always)]
    fn enter(&self, stage: Stage) {
        self.position.set(self.index, stage);
    }
}

/// Result of the steps of a state.
enum StepsTaken {
    All,
    /// Something panicked, or a target cannot be packed. Those before are known.
    SomeUnknown,
    /// A limit was reached before all were taken.
    BrokenOff(Limit),
}

/// The steps of the state being expanded.
struct Targets<S: TransitionSystem> {
    /// Memory of the state that was expanded last, if it owns some.
    source: Option<StateOf<S>>,
    actions: Vec<ActionOf<S>>,
    /// Targets, until they are written down.
    targets: Vec<StateOf<S>>,
    /// Per step its label; only if the graph is recorded.
    labels: Vec<u32>,
    /// The limit that was reached while the state was expanded.
    limit: Option<Limit>,
}

/// A model with a visitor.
pub(in crate::walk::explore) struct Expansion<'a, S, V>
where
    S: TransitionSystem,
    V: Visitor<S>,
{
    system: &'a S,
    visitor: &'a V,
    /// Form in which states are kept.
    form: Form,
    symmetry: Option<&'a dyn Quotienting<S>>,
    /// True if steps are labelled.
    records: bool,
    /// The tally of all workers. A function of the model that is called under this lock may panic: the search ends then, and
    /// what it guards is as good as it was.
    tally: Mutex<V::Tally>,
    /// An initial state that cannot be packed.
    misfit: Mutex<Option<(StateOf<S>, PackingError)>>,
}

const NEXT: &str = "`next` of the implementation";

impl<'a, S, V> Expansion<'a, S, V>
where
    S: TransitionSystem,
    V: Visitor<S>,
{
    pub fn new(
        system: &'a S,
        visitor: &'a V,
        symmetry: Option<&'a dyn Quotienting<S>>,
        records: bool,
        form: Form,
    ) -> Self {
        Self {
            system,
            visitor,
            form,
            symmetry,
            records,
            tally: Mutex::new(visitor.tally()),
            misfit: Mutex::new(None),
        }
    }

    fn tally(&self) -> MutexGuard<'_, V::Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Findings of a search of its states.
    pub fn explored(self, found: Found) -> Explored<S, V::Tally> {
        Explored {
            tally: self
                .tally
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            end: found.end,
            limit_process: found.limit_process,
            initial_states: found.initial_states,
            unexamined: found.unexamined,
            transitions: found.transitions,
            depth: found.depth,
            seconds: found.seconds,
            peak_memory_bytes: found.peak_memory_bytes,
            kept: kept(&*found.store, self.form),
            store_bytes: found.store_bytes,
            set_bytes: found.set_bytes,
            graph: found.graph,
            graph_too_large: found.graph_too_large,
            panic: found.panic,
            spilled: found.spilled,
            written: found.written,
            initial_misfit: self
                .misfit
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            reached: Box::new(found.store),
        }
    }

    /// Examines a state and, if that is the task, has the model take its steps, looks at each, and turns
    /// their targets into what is kept of them. If something panics, tells the visitor; the steps are then those
    /// before.
    #[inline(always)]
    fn take_steps(
        &self,
        system: &S,
        source: ExpandedState<'_>,
        task: Task,
        tally: &mut V::Tally,
        met: &mut Targets<S>,
        keys: &mut KeyList,
    ) -> StepsTaken {
        if const { needs_drop::<StateOf<S>>() || V::PASSES_TWICE } {
            return self.take_steps_one_by_one(system, source, task, tally, met, keys);
        }
        let ExpandedState {
            place, key, clock, ..
        } = source;
        let phase = Cell::new(ExpansionPhase::Examining);
        source.enter(Stage::Examining);
        let _hidden = self.hidden();
        let taken = interruptible(|| {
            with(system, key, |from| {
                self.visitor.examine(tally, place, from);
                // PERF: a copy of what was just written variable by variable has to wait; it is made here,
                // when the state has been looked at.
                let image = self.visitor.image(tally, from);
                self.visitor.examine_image(tally, place, from, &image);
                let at = (place, from, &image);
                let is_expanded = self.visitor.is_expanded(tally, place, from);
                if task == Task::ExamineOnly || !is_expanded {
                    return true;
                }
                phase.set(ExpansionPhase::Stepping);
                let mut visit = |action, to: &StateOf<S>| {
                    // PERF: limits are looked at where room has to be made anyway.
                    if met.targets.len() == met.targets.capacity() {
                        self.make_room(clock, met);
                    }
                    met.actions.push(action);
                    met.targets.push(to.clone());
                };
                source.enter(Stage::Stepping);
                named(NEXT, || system.next(from, &mut visit));
                source.enter(Stage::LookingAt);
                self.look_at(clock, &phase, tally, at, met);
                phase.set(ExpansionPhase::Examining);
                self.visitor
                    .leave(tally, place, from, met.targets.len() as u32);
                phase.set(ExpansionPhase::Writing);
                source.enter(Stage::Writing);
                self.write_down(system, source, from, tally, met, keys)
            })
        });
        let taken = match taken {
            Ok(true) => StepsTaken::All,
            Ok(false) => StepsTaken::SomeUnknown,
            Err(ended) => self.recover(ended, phase.get(), source, tally, met, keys),
        };
        met.actions.clear();
        met.targets.clear();
        if met.targets.capacity() > WIDE {
            // So that the next wide state has to make room too.
            met.targets.shrink_to(WIDE);
        }
        met.labels.truncate(keys.len());
        taken
    }

    /// The same, each step for itself. PERF: a target that owns memory gives it to the next one, and many of them at once
    /// would have to be found room for.
    fn take_steps_one_by_one(
        &self,
        system: &S,
        source: ExpandedState<'_>,
        task: Task,
        tally: &mut V::Tally,
        met: &mut Targets<S>,
        keys: &mut KeyList,
    ) -> StepsTaken {
        let ExpandedState {
            place,
            key,
            clock,
            pass,
            ..
        } = source;
        let is_first = const { V::PASSES_TWICE } && pass == Pass::First;
        let looks = self.visitor.looks_at_steps();
        let phase = Cell::new(ExpansionPhase::Examining);
        source.enter(Stage::Examining);
        let mut unfit = None;
        // A state may panic as it is dropped, when its key is written.
        let steps = Cell::new(0);
        // Of two passes each takes some of them.
        let written = Cell::new(0);
        let _hidden = self.hidden();
        let taken = interruptible(|| {
            with_over(system, key, &mut met.source, |from| {
                let mut image = None;
                let is_expanded = if is_first {
                    self.visitor.met(place, from)
                } else {
                    self.visitor.examine(tally, place, from);
                    let image = image.insert(self.visitor.image(tally, from));
                    self.visitor.examine_image(tally, place, from, image);
                    self.visitor.is_expanded(tally, place, from)
                };
                if task == Task::ExamineOnly || !is_expanded {
                    return;
                }
                phase.set(ExpansionPhase::Stepping);
                let mut visit = |action, to: &StateOf<S>| {
                    if phase.get() != ExpansionPhase::Stepping {
                        // The model has caught what an earlier step panicked with: what comes is as unknown.
                        return;
                    }
                    let position = steps.get();
                    if position as usize % WIDE == WIDE - 1 {
                        look_within(clock, &mut met.limit, position as usize);
                    }
                    phase.set(ExpansionPhase::LookingAt(position));
                    source.enter(Stage::LookingAt);
                    if const { V::PASSES_TWICE }
                        && self.visitor.leads_farther(from, &action, to) == is_first
                    {
                        steps.set(position + 1);
                        phase.set(ExpansionPhase::Stepping);
                        source.enter(Stage::Stepping);
                        return;
                    }
                    let mut label = 0;
                    match &image {
                        Some(image) if looks => {
                            self.visitor.offered(tally, &action);
                            let place = place.of_step(position);
                            label = self.visitor.step(tally, place, (from, image), &action, to);
                        }
                        Some(_) => self.visitor.taken(tally, &action),
                        None => (),
                    }
                    phase.set(ExpansionPhase::Writing);
                    // To find the state that stands for one may take long.
                    if self.symmetry.is_some() && position as usize % PATIENCE == PATIENCE - 1 {
                        look_within(clock, &mut met.limit, position as usize);
                    }
                    if !self.write(system, (key, from), to, keys) {
                        unfit = Some(to.clone());
                        break_off();
                    }
                    if self.records {
                        met.labels.push(label);
                    }
                    steps.set(position + 1);
                    written.set(written.get() + 1);
                    phase.set(ExpansionPhase::Stepping);
                    source.enter(Stage::Stepping);
                };
                let mut visit = |action, to: &_| named(UNNAMED, || visit(action, to));
                source.enter(Stage::Stepping);
                named(NEXT, || system.next(from, &mut visit));
                if phase.get() != ExpansionPhase::Stepping {
                    panic!("`next` has caught a panic of its callback");
                }
                phase.set(ExpansionPhase::Examining);
                source.enter(Stage::Examining);
                if image.is_some() {
                    self.visitor.leave(tally, place, from, written.get());
                }
            });
        });
        let position = steps.get();
        keys.truncate(written.get() as usize);
        match (taken, unfit) {
            (Ok(()), _) => return StepsTaken::All,
            (_, Some(to)) => self.complain(place.of_step(position), &to, tally),
            (Err(CallEnd::BrokenOff), None) => {
                return StepsTaken::BrokenOff(self.limit_of(met));
            }
            (Err(CallEnd::Panicked(panic)), None) => {
                let place = match phase.get() {
                    ExpansionPhase::LookingAt(_) | ExpansionPhase::Writing => {
                        place.of_step(position)
                    }
                    ExpansionPhase::Examining | ExpansionPhase::Stepping => place,
                };
                self.visitor.panicked(tally, place, panic);
            }
        }
        met.labels.truncate(keys.len());
        StepsTaken::SomeUnknown
    }

    /// Limit for which a state was broken off: of the search, or of the system.
    fn limit_of(&self, met: &Targets<S>) -> Limit {
        let limit = met.limit.or_else(|| self.visitor.limit());
        limit.expect("a limit is what breaks off a state")
    }

    /// Adds the key of the target of a step, or of the state that stands for it, and says whether it can be kept.
    #[inline(always)]
    fn write(
        &self,
        system: &S,
        from: (StateKey<'_>, &StateOf<S>),
        to: &StateOf<S>,
        keys: &mut KeyList,
    ) -> bool {
        match self.symmetry {
            Some(symmetry) => push_owned(
                system,
                self.form,
                from,
                symmetry.canonical(system, to),
                keys,
            )
            .is_ok(),
            None => push_target(system, self.form, from, to, keys),
        }
    }

    /// Makes room for the targets of more steps, and breaks off if a limit is reached.
    #[cold]
    #[inline(never)]
    fn make_room(&self, clock: &Clock<'_>, met: &mut Targets<S>) {
        let steps = met.targets.len();
        if steps < WIDE {
            met.targets.reserve_exact(WIDE.min(steps.max(4)));
            return;
        }
        // Little by little, so that it is not long until the next look.
        if met
            .targets
            .try_reserve_exact((steps / 16).max(WIDE))
            .is_err()
        {
            met.limit = Some(Limit::OutOfMemory);
            break_off();
        }
        look_within(clock, &mut met.limit, steps);
    }

    /// Looks at the steps taken of a state.
    #[inline(always)]
    fn look_at(
        &self,
        clock: &Clock<'_>,
        phase: &Cell<ExpansionPhase>,
        tally: &mut V::Tally,
        (place, from, image): (Place, &StateOf<S>, &V::Image),
        met: &mut Targets<S>,
    ) {
        if !self.visitor.looks_at_steps() {
            for (position, action) in (0..).zip(&met.actions) {
                phase.set(ExpansionPhase::LookingAt(position));
                self.visitor.taken(tally, action);
            }
            if self.records {
                met.labels.resize(met.labels.len() + met.targets.len(), 0);
            }
            return;
        }
        let mut positions = 0..;
        let mut parts = met.actions.chunks(WIDE).zip(met.targets.chunks(WIDE));
        while let Some((actions, targets)) = parts.next() {
            for ((action, to), position) in actions.iter().zip(targets).zip(&mut positions) {
                phase.set(ExpansionPhase::LookingAt(position));
                self.visitor.offered(tally, action);
                let place = place.of_step(position);
                let label = self.visitor.step(tally, place, (from, image), action, to);
                if self.records {
                    met.labels.push(label);
                }
            }
            if parts.len() > 0 {
                look_within(clock, &mut met.limit, met.targets.len());
            }
        }
    }

    /// Tells the visitor of a panic, and does what is left to do with the steps before it. A state that was
    /// broken off is left as it is.
    #[cold]
    fn recover(
        &self,
        ended: CallEnd,
        phase: ExpansionPhase,
        source: ExpandedState<'_>,
        tally: &mut V::Tally,
        met: &mut Targets<S>,
        keys: &mut KeyList,
    ) -> StepsTaken {
        let ExpandedState {
            place, key, clock, ..
        } = source;
        let broken_off = |met: &Targets<S>| StepsTaken::BrokenOff(self.limit_of(met));
        let CallEnd::Panicked(panic) = ended else {
            return broken_off(met);
        };
        let of_step = |position: u32, panic: Panic, tally: &mut V::Tally| {
            self.visitor.panicked(tally, place.of_step(position), panic);
        };
        // A step that could not be looked at is none.
        let before = |position: u32, met: &mut Targets<S>| {
            met.targets.truncate(position as usize);
        };
        match phase {
            ExpansionPhase::Writing => {
                of_step(0, panic, tally);
                return StepsTaken::SomeUnknown;
            }
            ExpansionPhase::LookingAt(position) => {
                before(position, met);
                of_step(position, panic, tally);
            }
            ExpansionPhase::Stepping => {
                let phase = Cell::new(ExpansionPhase::Stepping);
                let looked = interruptible(|| {
                    with(self.system, key, |from| {
                        let image = self.visitor.image(tally, from);
                        let at = (place, from, &image);
                        self.look_at(clock, &phase, tally, at, met);
                    });
                });
                match (looked, phase.get()) {
                    (Err(CallEnd::BrokenOff), _) => return broken_off(met),
                    (Err(CallEnd::Panicked(earlier)), ExpansionPhase::LookingAt(position)) => {
                        before(position, met);
                        of_step(position, earlier, tally);
                    }
                    _ => self.visitor.panicked(tally, place, panic),
                }
            }
            ExpansionPhase::Examining => self.visitor.panicked(tally, place, panic),
        }
        let written = interruptible(|| {
            with(self.system, key, |from| {
                self.write_down(self.system, source, from, tally, met, keys)
            })
        });
        match written {
            Ok(_) => (),
            Err(CallEnd::Panicked(panic)) => of_step(keys.len() as u32, panic, tally),
            Err(CallEnd::BrokenOff) => return broken_off(met),
        }
        StepsTaken::SomeUnknown
    }

    /// Turns the targets of the state at `place` into what is kept of them. If one cannot be packed, tells the
    /// visitor, and answers no; that is then done with those before.
    #[inline(always)]
    fn write_down(
        &self,
        system: &S,
        ExpandedState {
            place, key, clock, ..
        }: ExpandedState<'_>,
        from: &StateOf<S>,
        tally: &mut V::Tally,
        met: &mut Targets<S>,
        keys: &mut KeyList,
    ) -> bool {
        let targets = &mut met.targets;
        let unfit = match self.symmetry {
            None => {
                let all = push_targets(system, self.form, (key, from), targets, keys);
                (!all).then(|| targets.drain(keys.len()..).next()).flatten()
            }
            Some(symmetry) => targets.iter().enumerate().find_map(|(step, to)| {
                // To find the state that stands for one may take long.
                if step % PATIENCE == PATIENCE - 1 {
                    look_within(clock, &mut met.limit, step);
                }
                let to = symmetry.canonical(system, to);
                push_owned(system, self.form, (key, from), to, keys).err()
            }),
        };
        if let Some(to) = &unfit {
            self.complain(place.of_step(keys.len() as u32), to, tally);
        }
        unfit.is_none()
    }

    /// Tells the visitor that a target cannot be packed.
    #[cold]
    fn complain(&self, place: Place, to: &StateOf<S>, tally: &mut V::Tally) {
        let error = complaint(self.system, to);
        self.visitor.mispacked(tally, place, error);
    }

    /// Hides the values of counters, where states that differ by them are one.
    fn hidden(&self) -> Option<Hiding> {
        self.symmetry.map(|_| Hiding::begin())
    }

    fn representative(&self, state: StateOf<S>) -> StateOf<S> {
        match self.symmetry {
            Some(symmetry) => symmetry.canonical(self.system, &state),
            None => state,
        }
    }
}

/// Breaks off if a limit is reached within a state, of which so many steps were taken or looked at.
#[cold]
#[inline(never)]
fn look_within(clock: &Clock<'_>, reached: &mut Option<Limit>, steps: usize) {
    let limit = if steps < VERY_WIDE {
        clock.out_of_time()
    } else {
        clock.out_of_time_or_memory()
    };
    if limit.is_some() {
        *reached = limit;
        break_off();
    }
}

impl<S, V> Expand for Expansion<'_, S, V>
where
    S: TransitionSystem,
    V: Visitor<S>,
{
    fn initial(&self, visit: &mut dyn FnMut(&mut KeyList)) -> Initial {
        let system = self.system;
        let mut misfit = None;
        let mut key = KeyList::new(self.form);
        let enumerated = interruptible(|| {
            let mut visit_one = |state| {
                let state = self.representative(state);
                if !push(system, self.form, &state, &mut key) {
                    let error = complaint(system, &state);
                    misfit = Some((state, error));
                    break_off();
                }
                visit(&mut key);
            };
            let mut visit_one = |state| {
                calls_back();
                visit_one(state);
            };
            let enumerate = || visit_initial(system, &mut visit_one);
            call(
                || Function::of("`initial`", Of::Implementation),
                None,
                || named("`initial` of the implementation", enumerate),
            );
        });
        let is_misfit = misfit.is_some();
        *self.misfit.lock().unwrap_or_else(PoisonError::into_inner) = misfit;
        match enumerated {
            Err(CallEnd::Panicked(panic)) => Initial::Panicked(panic),
            Err(CallEnd::BrokenOff) if is_misfit => Initial::Misfit,
            Err(CallEnd::BrokenOff) => Initial::BrokenOff,
            Ok(()) => Initial::All,
        }
    }

    fn worker(&self) -> Box<dyn Expander + '_> {
        let position = Arc::new(WorkerPosition::default());
        let watched = Watched::of_this_thread();
        if let Some(watched) = &watched {
            watched.position(&position);
        }
        Box::new(OfModel {
            expansion: self,
            position,
            is_watched: watched.is_some(),
            tally: self.visitor.tally(),
            met: Targets {
                source: None,
                actions: Vec::new(),
                targets: Vec::new(),
                labels: Vec::new(),
                limit: None,
            },
            keys: KeyList::new(self.form),
        })
    }

    fn passes_twice(&self) -> bool {
        V::PASSES_TWICE
    }

    fn is_constrained(&self) -> bool {
        self.visitor.is_constrained()
    }

    fn stop(&self) -> Option<u32> {
        self.visitor.stop(&self.tally())
    }

    fn limit(&self) -> Option<Limit> {
        self.visitor.limit()
    }

    #[cfg(feature = "disk")]
    fn tell(&self) -> Option<Value> {
        self.visitor.tell(&self.tally())
    }

    #[cfg(feature = "disk")]
    fn hear(&self, told: &Value, number: &dyn Fn(StateId) -> StateId) -> bool {
        self.visitor.hear(&mut self.tally(), told, number)
    }

    #[cfg(feature = "disk")]
    fn merged(&self, told: &[(&Value, &dyn Fn(StateId) -> StateId)]) -> Option<Value> {
        let mut tally = self.visitor.tally();
        for (told, number) in told {
            if !self.visitor.hear(&mut tally, told, number) {
                return None;
            }
        }
        self.visitor.tell(&tally)
    }

    fn is_at_fault(&self) -> bool {
        self.visitor.is_at_fault(&self.tally())
    }

    fn mentioned(&self) -> Vec<StateId> {
        let mut ids = self.visitor.mentioned(&self.tally());
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn forget(&self) {
        *self.tally() = self.visitor.tally();
    }

    fn ask_again(&self) {
        self.visitor.ask_again();
    }

    fn is_sampled(&self, state: StateId) -> bool {
        self.visitor.is_sampled(state)
    }

    #[cfg(feature = "disk")]
    fn system(&self) -> ErasedSystem<'_> {
        ErasedSystem::alone(self.system)
    }
}

/// A worker's part of an expansion. PERF: what a worker counts is on lines of the cache of its own.
#[repr(align(128))]
struct OfModel<'e, 'a, S, V>
where
    S: TransitionSystem,
    V: Visitor<S>,
{
    expansion: &'e Expansion<'a, S, V>,
    /// Position that it publishes,
    position: Arc<WorkerPosition>,
    /// and whether another thread looks at it.
    is_watched: bool,
    tally: V::Tally,
    met: Targets<S>,
    /// Keys of the targets of the state being expanded.
    keys: KeyList,
}

impl<S, V> OfModel<'_, '_, S, V>
where
    S: TransitionSystem,
    V: Visitor<S>,
{
    /// Expands the states of a batch.
    ///
    /// PERF: `system` is an argument, so that the compiler knows that nothing writes to it, and finds out once for all states
    /// where their variables are. To read a state takes half of the instructions.
    #[inline(never)]
    fn expand_all(
        &mut self,
        system: &S,
        batch: &Batch<'_>,
        found: &mut Expanded,
    ) -> Result<(), Limit> {
        let expansion = self.expansion;
        found.clear();
        if self.is_watched {
            // The model clones states that are kept whole.
            self.position.set(0, Stage::Writing);
            self.position.batch(|batched| publish(batch.keys, batched));
        }
        for index in 0..batch.keys.len() {
            let key = batch.keys.at(index);
            if batch.task == Task::Expand
                && index.is_multiple_of(PATIENCE)
                && let Some(limit) = batch.clock.out_of_time()
            {
                return Err(limit);
            }
            let place = Place {
                length: batch.length,
                state: StateId(batch.first.0 + index as u64),
                step: None,
            };
            let Self {
                tally,
                met,
                keys,
                position,
                ..
            } = self;
            let source = ExpandedState {
                place,
                key,
                clock: batch.clock,
                pass: batch.pass,
                position,
                index: index as u64,
            };
            match expansion.take_steps(system, source, batch.task, tally, met, keys) {
                StepsTaken::All => (),
                StepsTaken::SomeUnknown => found.incomplete = true,
                StepsTaken::BrokenOff(limit) => return Err(limit),
            }
            found.degrees.push(keys.len() as u32);
            found.keys.append(keys);
            found.labels.append(&mut met.labels);
        }
        Ok(())
    }
}

impl<S, V> Expander for OfModel<'_, '_, S, V>
where
    S: TransitionSystem,
    V: Visitor<S>,
{
    fn expand(&mut self, batch: &Batch<'_>, found: &mut Expanded) -> Result<(), Limit> {
        let expanded = self.expand_all(self.expansion.system, batch, found);
        self.position.set(0, Stage::Idle);
        expanded
    }

    fn set_stage(&self, stage: Stage) {
        self.position.set(0, stage);
    }

    fn end_of_wave(&mut self, keeps: Keeps) {
        let visitor = self.expansion.visitor;
        let own = std::mem::replace(&mut self.tally, visitor.tally());
        if keeps == Keeps::Nothing {
            return;
        }
        let mut tally = self.expansion.tally();
        let merge = || match keeps {
            Keeps::Found => visitor.merge(&mut tally, own),
            Keeps::Sampled => visitor.find_again(&mut tally, own),
            Keeps::Nothing => (),
        };
        const MERGES: &str = "`hash`, `eq` or `clone` of a state";
        call(|| Function::named(MERGES), None, || named(MERGES, merge));
    }
}
