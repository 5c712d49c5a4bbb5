//! The expansion of some states of a wave: their steps are taken and looked at, and those of their
//! targets that may be new are found.
//!
//! Nothing is written but what the worker has for itself. What is done with a step is done in loops of
//! its own, each over many steps: the model takes all steps of a state, these are looked at, their
//! targets are written down and asked for, and at last the targets of many states are looked up. PERF:
//! done step by step, what all of it needs finds no room in the registers, and the memory asked for
//! comes too late.

use std::cell::Cell;
use std::ops::Range;
use std::time::Instant;

use super::{PATIENCE, Search, Task, Worker};
use crate::explore::frontier::Span;
use crate::explore::guard::{Ended, Panic, break_off, interruptible};
use crate::explore::keep::Keeper;
use crate::explore::limits::Limit;
use crate::explore::recall::Recall;
use crate::explore::recent::Recent;
use crate::explore::visited::{Candidate, Lookup, Origin, Visited};
use crate::explore::{Place, StateId, Visitor};
use crate::random::generator::mix;
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// Targets that are asked for before the first of them is looked up. PERF: enough to overlap the
/// misses of the cache, few enough that what was asked for is still there.
const BATCH: usize = 256;
/// A state of more steps than this is a wide one: the clock is looked at within it.
const WIDE: usize = 512;
/// And where there are more than this, at the memory too.
const VERY_WIDE: usize = 1 << 14;
/// Steps that are taken between two looks at the memory, each of which takes as long as a few hundred of them.
const MEMORY_STEPS: u64 = 1 << 20;
/// States, from the first on, of which the steps recalled are compared with those that the model takes; and
/// one of how many later ones is.
const COMPARED: u32 = 1 << 10;
const COMPARED_ONE_IN: u64 = 256;
/// How many states ahead the targets of their parts are asked for; the parts, twice as many.
const AHEAD: usize = 8;

/// Whether the steps of a state are compared with those recalled. Its number is hashed, since what is wrong with a
/// model may come back in step with the numbers.
fn is_compared(StateId(id): StateId) -> bool {
    id < COMPARED || mix(id.into()).is_multiple_of(COMPARED_ONE_IN)
}

/// What the expansion of a chunk finds.
pub(super) struct Expansion<K> {
    /// The states; where they are only looked at, those for which there was time.
    pub sources: Range<u32>,
    /// Per expanded state, how many steps; only if the graph is recorded.
    pub degrees: Vec<u32>,
    /// Per step, its target unless that is a candidate, and its label; only if the graph is recorded.
    pub edges: Vec<(Option<StateId>, u32)>,
    /// Targets that are new, or may be, in order.
    pub candidates: Vec<Candidate<K>>,
    pub transitions: u64,
    pub holes: bool,
}

/// What is being done with a state.
#[derive(Clone, Copy)]
enum Phase {
    /// It is looked at itself.
    Examining,
    /// Its steps are taken.
    Stepping,
    /// One of them is looked at.
    LookingAt(u32),
    /// Its targets are written down.
    Writing,
}

/// What became of the steps of a state.
enum Taken {
    All,
    /// Something panicked, or a target cannot be packed. Those before are known.
    SomeUnknown,
    /// A limit was reached before all were taken.
    BrokenOff(Limit),
}

/// Targets met and not looked up yet.
struct Targets<S: TransitionSystem, K> {
    /// The steps of the state being expanded.
    actions: Vec<ActionOf<S>>,
    /// How many steps before these were recalled.
    recalled: u32,
    /// Where they lead, until that is written down,
    targets: Vec<StateOf<S>>,
    /// and then, until it is asked for.
    keys: Vec<K>,
    /// Those asked for, of this state and of some before.
    asked: Vec<Candidate<K>>,
    /// Per target asked for or about to be, the label of its step; only if the graph is recorded.
    labels: Vec<u32>,
    /// The limit that was reached while a state was expanded.
    limit: Option<Limit>,
}

impl<S: TransitionSystem, K> Targets<S, K> {
    fn new() -> Self {
        Self {
            actions: Vec::new(),
            recalled: 0,
            targets: Vec::new(),
            keys: Vec::new(),
            asked: Vec::with_capacity(2 * BATCH),
            labels: Vec::new(),
            limit: None,
        }
    }
}

impl<S, V, P, I, R> Search<'_, S, V, P, I, R>
where
    S: TransitionSystem,
    V: Visitor<S>,
    P: Keeper<S>,
    I: Visited<P::Key>,
    R: Recall<S, V, P::Key>,
{
    /// Examines the states of a chunk and, if that is the task, visits their steps. If a limit is reached
    /// meanwhile, that is the answer.
    pub(super) fn chunk(
        &self,
        chunk: &Span,
        task: Task,
        tally: &mut V::Tally,
        worker: &mut Worker<R::Memory, P::Key>,
    ) -> Result<Expansion<P::Key>, Limit> {
        let mut found = Expansion {
            sources: chunk.states.clone(),
            degrees: Vec::new(),
            edges: Vec::new(),
            candidates: Vec::new(),
            transitions: 0,
            holes: false,
        };
        let mut met = Targets::new();
        let places = chunk.states.start as usize..chunk.states.end as usize;
        for (first, keys) in self.log.runs(places) {
            for (index, key) in keys.iter().enumerate() {
                let state = StateId((first + index) as u32);
                if index.is_multiple_of(PATIENCE) {
                    match task {
                        Task::Expand => self.look_at_limits(&mut worker.unlooked)?,
                        Task::ExamineOnly if self.is_grace_over() => {
                            found.sources.end = state.0;
                            return Ok(found);
                        }
                        Task::ExamineOnly => (),
                    }
                }
                if task == Task::Expand {
                    self.ask_for_parts(&keys[index..]);
                }
                let place = Place {
                    length: chunk.length,
                    state,
                    step: None,
                };
                let at = (place, key);
                match self.take_steps(at, task, tally, &mut met, &mut worker.learned) {
                    Taken::All => (),
                    Taken::SomeUnknown => found.holes = true,
                    Taken::BrokenOff(limit) => return Err(limit),
                }
                let steps = met.keys.len() as u32;
                found.transitions += u64::from(steps);
                worker.unlooked += u64::from(steps);
                if self.graph.is_some() {
                    found.degrees.push(steps);
                }
                match self.visited.looks_up_first() {
                    true => self.ask(state, &mut met, worker),
                    false => self.pass_on(state, &mut met, worker),
                }
                if met.asked.len() >= BATCH {
                    self.look_up(&mut met, &mut found);
                }
            }
        }
        self.look_up(&mut met, &mut found);
        worker.passed.give(&mut found.candidates);
        Ok(found)
    }

    /// Whether a limit is reached between two states; the memory is looked at after many steps.
    fn look_at_limits(&self, unlooked: &mut u64) -> Result<(), Limit> {
        let limit = match *unlooked < MEMORY_STEPS {
            true => self.out_of_time(),
            false => {
                *unlooked = 0;
                self.out_of_time_or_memory()
            }
        };
        limit.map_or(Ok(()), Err)
    }

    fn is_grace_over(&self) -> bool {
        self.grace.is_some_and(|until| Instant::now() >= until)
    }

    /// Asks for the memory of the parts of states that are expanded soon; the next one is the first.
    #[inline(always)]
    fn ask_for_parts(&self, next: &[P::Key]) {
        if let Some(key) = next.get(2 * AHEAD) {
            self.recall.ask(&self.known, key);
        }
        if let Some(key) = next.get(AHEAD) {
            self.recall.ask_more(&self.known, key);
        }
    }

    /// Examines a state and, if that is the task, has the model take its steps, looks at each, and turns
    /// their targets into what is kept of them. If something panics, tells the visitor; the steps are then those
    /// before.
    fn take_steps(
        &self,
        (place, key): (Place, &P::Key),
        task: Task,
        tally: &mut V::Tally,
        met: &mut Targets<S, P::Key>,
        learned: &mut R::Memory,
    ) -> Taken {
        let of = (self.system, self.visitor);
        let phase = Cell::new(Phase::Examining);
        let taken = interruptible(|| {
            self.keeper.with(self.system, key, |from| {
                let judgement = match task {
                    Task::Expand => {
                        self.recall
                            .part(of, (&self.known, learned), key, &mut met.keys)
                    }
                    Task::ExamineOnly => None,
                };
                met.recalled = met.keys.len() as u32;
                self.visitor.examine(tally, place, from);
                // PERF: a copy of what was just written variable by variable has to wait; it is made here,
                // when the state has been looked at.
                let image = self.visitor.image(tally, from);
                self.visitor.examine_image(tally, place, from, &image);
                let at = (place, from, &image);
                self.recall.examine(self.visitor, tally, at);
                if task == Task::ExamineOnly {
                    return;
                }
                if let Some(judgement) = judgement {
                    let memory = (&self.known, &*learned);
                    self.recall.count(self.visitor, memory, tally, judgement);
                    if is_compared(place.state) {
                        self.recall.compare(of, tally, (place, from), &met.keys);
                    }
                }
                phase.set(Phase::Stepping);
                let mut visit = |action, to| {
                    // PERF: limits are looked at where room has to be made anyway.
                    if met.targets.len() == met.targets.capacity() {
                        self.make_room(met);
                    }
                    met.actions.push(action);
                    met.targets.push(to);
                };
                match judgement {
                    None => self.system.next(from, &mut visit),
                    Some(_) => self.recall.next_of_rest(self.system, from, &mut visit),
                }
                self.look_at(&phase, tally, at, met);
                phase.set(Phase::Examining);
                let steps = met.recalled + met.targets.len() as u32;
                self.visitor.leave(tally, place, from, steps);
            });
            phase.set(Phase::Writing);
            self.write_down(place, tally, met)
        });
        let taken = match taken {
            Ok(true) => Taken::All,
            Ok(false) => Taken::SomeUnknown,
            Err(ended) => self.recover(ended, phase.get(), place, tally, met),
        };
        met.actions.clear();
        met.targets.clear();
        if met.targets.capacity() > WIDE {
            // So that the next wide state has to make room too.
            met.targets.shrink_to(WIDE);
        }
        met.labels.truncate(met.asked.len() + met.keys.len());
        taken
    }

    /// Makes room for the targets of more steps, and breaks off if a limit is reached.
    #[cold]
    #[inline(never)]
    fn make_room(&self, met: &mut Targets<S, P::Key>) {
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
        self.look_within(&mut met.limit, steps);
    }

    /// Breaks off if a limit is reached within a state, of which so many steps were taken or looked at.
    #[cold]
    #[inline(never)]
    fn look_within(&self, reached: &mut Option<Limit>, steps: usize) {
        let limit = match steps < VERY_WIDE {
            true => self.out_of_time(),
            false => self.out_of_time_or_memory(),
        };
        if limit.is_some() {
            *reached = limit;
            break_off();
        }
    }

    /// Looks at the steps taken of a state.
    #[inline(always)]
    fn look_at(
        &self,
        phase: &Cell<Phase>,
        tally: &mut V::Tally,
        (place, from, image): (Place, &StateOf<S>, &V::Image),
        met: &mut Targets<S, P::Key>,
    ) {
        let positions = met.recalled..;
        if !self.visitor.looks_at_steps() {
            for (position, action) in positions.zip(&met.actions) {
                phase.set(Phase::LookingAt(position));
                self.visitor.taken(tally, action);
            }
            if self.graph.is_some() {
                met.labels.resize(met.labels.len() + met.targets.len(), 0);
            }
            return;
        }
        let mut positions = positions;
        let mut parts = met.actions.chunks(WIDE).zip(met.targets.chunks(WIDE));
        while let Some((actions, targets)) = parts.next() {
            for ((action, to), position) in actions.iter().zip(targets).zip(&mut positions) {
                phase.set(Phase::LookingAt(position));
                self.visitor.offered(tally, action);
                let place = place.of_step(position);
                let label = self.visitor.step(tally, place, (from, image), action, to);
                if self.graph.is_some() {
                    met.labels.push(label);
                }
            }
            if parts.len() > 0 {
                self.look_within(&mut met.limit, met.targets.len());
            }
        }
    }

    /// Tells the visitor of a panic, and does what is left to do with the steps before it. A state that was
    /// broken off is left as it is.
    #[cold]
    fn recover(
        &self,
        ended: Ended,
        phase: Phase,
        place: Place,
        tally: &mut V::Tally,
        met: &mut Targets<S, P::Key>,
    ) -> Taken {
        let broken_off = |met: &Targets<S, P::Key>| {
            Taken::BrokenOff(met.limit.expect("a limit is what breaks off a state"))
        };
        let Ended::Panicked(panic) = ended else {
            return broken_off(met);
        };
        let of_step = |position: u32, panic: Panic, tally: &mut V::Tally| {
            self.visitor.panicked(tally, place.of_step(position), panic);
        };
        // A step that could not be looked at is none.
        let before = |position: u32, met: &mut Targets<S, P::Key>| {
            met.targets.truncate((position - met.recalled) as usize);
        };
        match phase {
            Phase::Writing => {
                of_step(met.keys.len() as u32, panic, tally);
                return Taken::SomeUnknown;
            }
            Phase::LookingAt(position) => {
                before(position, met);
                of_step(position, panic, tally);
            }
            Phase::Stepping => {
                let key = self.log.get(place.state.0 as usize);
                let phase = Cell::new(Phase::Stepping);
                let looked = interruptible(|| {
                    self.keeper.with(self.system, key, |from| {
                        let image = self.visitor.image(tally, from);
                        self.look_at(&phase, tally, (place, from, &image), met);
                    });
                });
                match (looked, phase.get()) {
                    (Err(Ended::BrokenOff), _) => return broken_off(met),
                    (Err(Ended::Panicked(earlier)), Phase::LookingAt(position)) => {
                        before(position, met);
                        of_step(position, earlier, tally);
                    }
                    _ => self.visitor.panicked(tally, place, panic),
                }
            }
            Phase::Examining => self.visitor.panicked(tally, place, panic),
        }
        match interruptible(|| self.write_down(place, tally, met)) {
            Ok(_) => (),
            Err(Ended::Panicked(panic)) => of_step(met.keys.len() as u32, panic, tally),
            Err(Ended::BrokenOff) => return broken_off(met),
        }
        Taken::SomeUnknown
    }

    /// Turns the targets of the state at `place` into what is kept of them. If one cannot be packed, tells the
    /// visitor, and answers no; that is then done with those before.
    #[inline(always)]
    fn write_down(&self, place: Place, tally: &mut V::Tally, met: &mut Targets<S, P::Key>) -> bool {
        let Targets { targets, keys, .. } = met;
        let unfit = match self.options.symmetry {
            None => {
                let all = self.keeper.keys(self.system, targets, keys);
                let first = keys.len() - met.recalled as usize;
                (!all).then(|| targets.drain(first..).next()).flatten()
            }
            Some(symmetry) => targets.iter().enumerate().find_map(|(step, to)| {
                // To find the state that stands for one may take long.
                if step % PATIENCE == PATIENCE - 1 {
                    self.look_within(&mut met.limit, step);
                }
                let to = symmetry.canonical(self.system, to);
                let Some(key) = self.keeper.key(self.system, &to) else {
                    return Some(to);
                };
                keys.push(key);
                None
            }),
        };
        if let Some(to) = &unfit {
            self.complain(place.of_step(met.keys.len() as u32), to, tally);
        }
        unfit.is_none()
    }

    /// Tells the visitor that a target cannot be packed.
    #[cold]
    fn complain(&self, place: Place, to: &StateOf<S>, tally: &mut V::Tally) {
        let error = self.keeper.complaint(self.system, to);
        self.visitor.mispacked(tally, place, error);
    }

    /// Asks for the memory at which the targets of `source` would be.
    fn ask(
        &self,
        source: StateId,
        met: &mut Targets<S, P::Key>,
        worker: &mut Worker<R::Memory, P::Key>,
    ) {
        // A target met before is known, or is among the candidates already.
        let filtering = self.visited.marks_are_keys() && worker.in_order;
        for (step, key) in (0..).zip(met.keys.drain(..)) {
            let mark = self.visited.mark(&key);
            if filtering && !worker.recent.meet(mark) {
                continue;
            }
            self.visited.prefetch(mark);
            let origin = Origin { source, step };
            met.asked.push(Candidate { key, mark, origin });
        }
    }

    /// Keeps all targets of `source` but those just met, to be looked up when they are added.
    fn pass_on(
        &self,
        source: StateId,
        met: &mut Targets<S, P::Key>,
        worker: &mut Worker<R::Memory, P::Key>,
    ) {
        let Worker {
            in_order,
            recent,
            passed,
            ..
        } = worker;
        let keys = met.keys.iter().enumerate();
        let candidates = keys.map(|(step, key)| Candidate {
            key: key.clone(),
            mark: self.visited.mark(key),
            origin: Origin {
                source,
                step: step as u32,
            },
        });
        // PERF: how long a mark is, is asked once for all of a state.
        match (in_order, recent) {
            (false, _) => passed.sift(candidates, |_| true),
            (true, Recent::Short(met)) => passed.sift(candidates, |one| met.meet(one.mark)),
            (true, Recent::Long(met)) => passed.sift(candidates, |one| met.meet(one.mark)),
        }
        met.keys.clear();
    }

    /// Keeps of the targets asked for those that are not there.
    fn look_up(&self, met: &mut Targets<S, P::Key>, found: &mut Expansion<P::Key>) {
        let Targets { labels, asked, .. } = met;
        let recording = self.graph.is_some();
        for (place, candidate) in asked.drain(..).enumerate() {
            let known = self.visited.find(&self.log, candidate.mark, &candidate.key);
            let number = match known {
                Lookup::Present(number) => number,
                Lookup::Absent => {
                    found.candidates.push(candidate);
                    None
                }
            };
            if recording {
                found.edges.push((number, labels[place]));
            }
        }
        labels.clear();
    }
}
