//! Granularity `reduced`: steps of a process run together as far as nobody could do anything in between
//! that matters to what is freed.
//!
//! Source: Lipton, *Reduction: A Method of Proving Properties of Parallel Programs*, CACM 18(12), 1975.
//! A step that can be put off until after whatever another process does next is a right mover, one that
//! can be done before what another process did last a left mover. Right movers, at most one step of
//! any kind, and then left movers are run together: what others did in between can as well be
//! done before or after. Steps at coarse granularity are joined; each joined step is therefore an execution
//! of the coarse system, and what is found to be violated is.
//!
//! What moves, and why:
//!
//! - R1. A fence, and the lock, wait for an empty buffer that only the process itself fills: right movers.
//!   The lock is taken only with an empty buffer: what is pending then would be committed before the
//!   unlock with nobody able to look in between, so that it can be committed before the lock.
//! - R2. From the lock to the unlock nobody else loads or commits, and what else others do (storing into
//!   their own buffers, handshakes, allocating, freeing) does not depend on the marks: one step. The
//!   worklist is the process's own.
//! - R3. A store into the process's own buffer is seen by nobody until it is committed: a left mover, and
//!   with SC memory no mover at all.
//! - R4. The collector is the only one to store `fM` and `phase`: its loads of them move both ways. So do a
//!   mutator's, while none is pending and the collector comes to none before it waits for that mutator,
//!   which cannot answer in the midst of something else; and a load from an object that no other mutator can
//!   reach.
//! - R5. Setting the type of a handshake and the bits: nobody reads the type before his bit is set, and
//!   a mutator that finds its bit unset has done nothing. So bits can be set earlier: left movers.
//! - R6. The collector polls when everybody has answered: bits that are cleared stay so until the next
//!   handshake, so that polls can be put off, and a poll that finds a bit set has done nothing.
//! - R7. A mutator polls when it is asked and can pass its fence: it does nothing in between, its bit stays
//!   set and the type the same. Having done its work it says so: nobody but the collector's polls looks at
//!   that, so that it may be earlier.
//! - R8. Taking over the work that was handed over: nobody hands any over before the next handshake.
//! - R9. Between the load of a white mark and the freeing, what was unreachable stays so and what is
//!   reachable was: freeing can be done earlier.
//! - R10. While whoever marks does so with one sense, and none but that can be loaded (R4), objects are
//!   marked and not unmarked: the load before the lock can be put off. What it found marked still is; what
//!   it found white and lost to somebody else it then finds marked, and does nothing in either case.
//! - R11. What is stored is chosen when it is first needed: the choice is the mutator's own.
//! - R12. Ghosts are left out: no guard reads them, and programs do not see them.
//! - R13. Steps of which all are right movers, and behind which the process has to wait, are put off until it
//!   need not.
//! - R14. A mutator loads whatever it can as soon as it can, and discards only when it is asked for its
//!   roots, just before it marks them. An execution in which it does otherwise is followed by one in which
//!   each mutator's roots include those it has there, with everything else the same: that allows the same
//!   stores, loads what was loaded, keeps of the roots what the other keeps where they are marked, and more
//!   is reachable when something is freed.
//!
//! Exact for `simulation` and `deadlock` by these reasons, as long as whatever a process is about to mark is
//! an object (`valid_refs`): an object that is freed, and allocated again, while it is being marked by a
//! variant that has lost it, may make a difference to R2 and R9. That no verdict changes is tested
//! on every variant where both granularities can be explored. It is not exact for invariants, whose
//! intermediate states are passed over, nor for `environment`.

use std::collections::HashSet;

use refmap::process::{Act, Composition, Label, Location};

use super::request::{Answer, Place, Request};
use super::scope::{Memory, Part, Variant};
use super::state::{GC, HandshakeType, Marking, State, Store, Who, place_of};
use crate::heap::Objects as Refs;

/// The system's place among the processes.
const SYS: usize = 1;

/// How a step moves past those of other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mover {
    Right,
    Both,
    Left,
    Neither,
    /// Both where nobody can change what is loaded, and neither elsewhere (R4).
    Load(Shared),
    /// Both where nobody else can reach the object, and neither elsewhere (R4).
    LoadField,
    /// Right where objects are only marked, and neither elsewhere (R10).
    LoadMark,
    /// It begins a step of its own: a choice, or one of the system.
    Begins,
}

/// What the collector stores and mutators load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shared {
    FM,
    Phase,
}

/// When a step can be taken, beyond its own guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// R1.
    Unlocked,
    /// R6.
    AllAnswered,
}

/// What is known of the steps at each location of each process.
pub(super) struct Reduction {
    steps: Vec<Vec<(Mover, When)>>,
    /// Of each location of the collector, whether it may store `fM`, and the phase, before it next waits;
    /// where it waits, after that.
    stores: Vec<[bool; 2]>,
    variant: Variant,
}

impl Reduction {
    pub fn new(processes: &Composition<State, Request, Answer>, variant: Variant) -> Self {
        let of = |process, location| {
            let labels: Vec<Label> = processes.labels(process, location).collect();
            match *labels {
                [label] if process != SYS => step(process, label.as_str(), variant.memory),
                _ => (Mover::Begins, When::Always),
            }
        };
        let locations = |process| {
            let all = 0..processes.locations(process) as u16;
            all.map(move |location| of(process, Location(location)))
        };
        let all = 0..processes.processes();
        let steps: Vec<Vec<_>> = all.map(|process| locations(process).collect()).collect();
        let stores = 0..processes.locations(GC) as u16;
        let stores = stores.map(|at| stores_before_waiting(processes, Location(at)));
        Self {
            stores: stores.collect(),
            steps,
            variant,
        }
    }

    /// Whether a load of `shared` gives the same until `process` has moved (R4).
    fn is_stable(&self, state: &State, process: usize, shared: Shared) -> bool {
        if process == GC {
            return true;
        }
        let mut pending = state.sys.pending_stores(Who::Gc).iter();
        let is_pending = match shared {
            Shared::FM => pending.any(|store| matches!(store, Store::FM(_))),
            Shared::Phase => pending.any(|store| matches!(store, Store::Phase(_))),
        };
        if is_pending {
            return false;
        }
        let at = usize::from(state.at[GC].0);
        let waits_for_it = self.steps[GC][at].1 == When::AllAnswered
            && state.sys.pending.contains((process - place_of(0)) as u8);
        waits_for_it || !self.stores[at][shared as usize]
    }

    /// Whether until `process` has moved objects are marked, and not unmarked (R10).
    fn only_marks(&self, state: &State, process: usize) -> bool {
        let sense = Some(state.sys.fm);
        let is_of_sense = |marking: &Marking| marking.fm.is_none() || marking.fm == sense;
        let pending = state.sys.buffers.iter().flatten();
        self.is_stable(state, process, Shared::FM)
            && is_of_sense(&state.gc.marking)
            && state
                .mutators
                .iter()
                .all(|mutator| is_of_sense(&mutator.marking))
            && pending.into_iter().all(|store| match store {
                Store::Mark(_, mark) => Some(*mark) == sense,
                _ => true,
            })
    }

    /// Visits the joined steps from a state.
    pub fn next(
        &self,
        processes: &Composition<State, Request, Answer>,
        from: &State,
        visit: &mut dyn FnMut(Act, State),
    ) {
        let mut joined = Joined {
            reduction: self,
            processes,
            found: Vec::new(),
        };
        let mutators = from.numbers();
        let mut has_loaded = false;
        for mutator in mutators.clone() {
            if !joined.is_at_rest(from, mutator) || loadable(from, mutator).is_empty() {
                continue;
            }
            let is_load = |label: Label| label.as_str() == "load: choose";
            joined.begin(from, place_of(mutator), &is_load, &mut |act, to| {
                if to.mutator(mutator).roots != from.mutator(mutator).roots {
                    has_loaded = true;
                    visit(act, to);
                }
            });
        }
        // R14: nothing else is done before.
        if has_loaded {
            return;
        }
        joined.begin(from, GC, &|_| true, visit);
        joined.begin(from, SYS, &|_| true, visit);
        for mutator in mutators {
            let process = place_of(mutator);
            match joined.is_at_rest(from, mutator) {
                false => joined.begin(from, process, &|_| true, visit),
                true => {
                    let works = |label: Label| matches!(label.as_str(), "alloc" | "store: choose");
                    joined.begin(from, process, &works, visit);
                    joined.answer_handshake(from, mutator, visit);
                }
            }
        }
    }
}

/// Whether the collector may store `fM`, and the phase, from a location on before it waits; if it waits
/// there, before it waits again.
fn stores_before_waiting(
    processes: &Composition<State, Request, Answer>,
    from: Location,
) -> [bool; 2] {
    let handshake = |at, step: &str| {
        let mut labels = processes.labels(GC, at);
        labels.find_map(|label| label.as_str().strip_suffix(step))
    };
    let waits = |at| handshake(at, ": somebody to wait for");
    let polled = handshake(from, ": poll");
    let mut stores = [false; 2];
    let mut seen = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if waits(at).is_some() && waits(at) != polled {
            continue;
        }
        for label in processes.labels(GC, at) {
            stores[Shared::FM as usize] |= label.as_str().ends_with("store fM");
            stores[Shared::Phase as usize] |= label.as_str().starts_with("phase ←");
        }
        let targets = processes.targets(GC, at).into_iter();
        open.extend(targets.filter(|to| seen.insert(*to)));
    }
    stores
}

/// Whether no other mutator can reach the object from which a process loads next.
fn is_private(state: &State, process: usize) -> bool {
    let src = match process {
        GC => state.gc.src,
        _ => state.mutators[process - place_of(0)].src,
    };
    let mut others = state.numbers().filter(|other| place_of(*other) != process);
    !others.any(|other| state.reachable(other).contains(src))
}

/// What a mutator could load that it does not hold.
fn loadable(state: &State, mutator: u8) -> Refs {
    let roots = state.mutator(mutator).roots;
    let mut seen = Refs::default();
    for src in roots.iter() {
        let fields = state
            .sys
            .object(src)
            .map_or(0, |object| object.fields.len());
        for field in 0..fields as u8 {
            let value = state
                .sys
                .load(Who::Mutator(mutator), Place::Field(src, field));
            seen = seen.with(value.reference());
        }
    }
    seen.without(roots)
}

/// The reasons are those of the module.
fn step(process: usize, label: &str, memory: Memory) -> (Mover, When) {
    let store = match memory {
        Memory::Sc => Mover::Neither,
        Memory::Tso | Memory::Pso => Mover::Left,
    };
    let last = label.rsplit(": ").next().unwrap_or(label);
    let is_collector = process == GC;
    match last {
        "mfence" => (Mover::Right, When::Always),
        "lock" => (Mover::Neither, When::Unlocked),
        "set type" | "set pending" => (Mover::Left, When::Always),
        "poll" if is_collector => (Mover::Right, When::AllAnswered),
        "poll" => (Mover::Right, When::Always),
        "load type" | "W ← collected work" => (Mover::Both, When::Always),
        "load fM" => (Mover::Load(Shared::FM), When::Always),
        "load phase" => (Mover::Load(Shared::Phase), When::Always),
        "ref ← src.field" => (Mover::LoadField, When::Always),
        "load mark" if !label.starts_with("sweep") => (Mover::LoadMark, When::Always),
        "done" | "free" => (Mover::Left, When::Always),
        // What is neither local nor a store has been named, but for loads, allocation and unlocking, which
        // is never where a step begins.
        "store fM" | "fA ← fM" | "phase ← Init" | "phase ← Mark" | "phase ← Sweep"
        | "phase ← Idle" | "store mark" | "src.field ← dst" => (store, When::Always),
        "invert fM" | "add to W" | "blacken" | "work" | "a root to mark" => {
            (Mover::Both, When::Always)
        }
        _ => (Mover::Neither, When::Always),
    }
}

/// The joining of steps.
struct Joined<'a> {
    reduction: &'a Reduction,
    processes: &'a Composition<State, Request, Answer>,
    /// Where the steps labelled alike have led.
    found: Vec<State>,
}

impl Joined<'_> {
    fn at(&self, state: &State, process: usize) -> (Mover, When) {
        let (mover, when) = self.reduction.steps[process][usize::from(state.at[process].0)];
        let or_neither = |moves, mover| if moves { mover } else { Mover::Neither };
        let mover = match mover {
            Mover::Load(shared) => {
                let is_stable = self.reduction.is_stable(state, process, shared);
                or_neither(is_stable, Mover::Both)
            }
            Mover::LoadField => or_neither(is_private(state, process), Mover::Both),
            Mover::LoadMark => or_neither(self.reduction.only_marks(state, process), Mover::Right),
            other => other,
        };
        (mover, when)
    }

    fn is_at_rest(&self, state: &State, mutator: u8) -> bool {
        self.at(state, place_of(mutator)).0 == Mover::Begins
    }

    /// The steps of a process from a state, those that `is_taken`, each with what is joined to it.
    fn begin(
        &mut self,
        from: &State,
        process: usize,
        is_taken: &dyn Fn(Label) -> bool,
        visit: &mut dyn FnMut(Act, State),
    ) {
        let (mover, when) = self.at(from, process);
        if !is_due(from, process, when) {
            return;
        }
        // Which step of a choice it is does not matter here: a mutator chooses by itself, to begin with,
        // and allocates as the last thing it does.
        let is_right = matches!(mover, Mover::Right | Mover::Both | Mover::Begins);
        let processes = self.processes;
        let mut label = None;
        processes.steps_labelled(process, is_taken, from, &mut |act, to| {
            if label != Some((act.label, act.with)) {
                label = Some((act.label, act.with));
                self.found.clear();
            }
            self.go_on(to, process, is_right, &mut |to, number| {
                let choice = number as u16;
                visit(chosen(act, choice), to);
            });
        });
    }

    /// What is joined to a step of `process` that led to a state; `is_right` if only right movers have been
    /// taken.
    fn go_on(
        &mut self,
        state: State,
        process: usize,
        is_right: bool,
        visit: &mut dyn FnMut(State, usize),
    ) {
        let (mover, when) = self.at(&state, process);
        let locks = state.sys.lock.is_some();
        let joins = match mover {
            _ if locks => true,
            Mover::Begins => false,
            Mover::Both | Mover::Left => true,
            _ => is_right,
        };
        if !joins {
            return self.found(state, visit);
        }
        if !is_due(&state, process, when) {
            return self.blocked(state, is_right, visit);
        }
        let was_right = is_right;
        let is_right = is_right && matches!(mover, Mover::Right | Mover::Both);
        let mut is_stuck = true;
        let processes = self.processes;
        processes.steps_of(process, &state, &mut |_, to| {
            is_stuck = false;
            self.go_on(to, process, is_right, visit);
        });
        if locks {
            // Only who holds the lock has anything committed.
            processes.steps_of(SYS, &state, &mut |_, to| {
                is_stuck = false;
                self.go_on(to, process, is_right, visit);
            });
        }
        if is_stuck {
            self.blocked(state, was_right, visit);
        }
    }

    /// What comes next cannot be done yet. Where only right movers have been taken, they can be put off until
    /// it can.
    fn blocked(&mut self, state: State, is_right: bool, visit: &mut dyn FnMut(State, usize)) {
        if !is_right {
            self.found(state, visit);
        }
    }

    /// One of several ways to a state is told.
    fn found(&mut self, mut state: State, visit: &mut dyn FnMut(State, usize)) {
        forget_ghosts(&mut state);
        if !self.found.contains(&state) {
            self.found.push(state);
            visit(state, self.found.len() - 1);
        }
    }

    /// R7, and R14: what is not kept is discarded before.
    fn answer_handshake(&mut self, from: &State, mutator: u8, visit: &mut dyn FnMut(Act, State)) {
        let has_fence = self.reduction.variant.has(Part::MutatorFence);
        let is_fenced = has_fence && !from.sys.pending_stores(Who::Mutator(mutator)).is_empty();
        if !from.sys.pending.contains(mutator) || is_fenced {
            return;
        }
        let process = place_of(mutator);
        let polls = |label: Label| label.as_str() == "handshake: poll";
        let discards = |label: Label| label.as_str() == "discard";
        if from.sys.handshake != HandshakeType::GetRoots {
            return self.begin(from, process, &polls, visit);
        }
        let processes = self.processes;
        self.found.clear();
        processes.steps_labelled(process, &discards, from, &mut |act, kept| {
            processes.steps_labelled(process, &polls, &kept, &mut |_, to| {
                self.go_on(to, process, true, &mut |to, number| {
                    visit(chosen(act, number as u16), to);
                });
            });
        });
    }
}

fn chosen(mut act: Act, choice: u16) -> Act {
    act.choice = choice;
    act
}

/// R12.
fn forget_ghosts(state: &mut State) {
    state.sys.ghost_phase = Default::default();
    state.sys.ghost_in_sync = Default::default();
    state.gc.marking.ghost_honorary_grey = Default::default();
    for mutator in &mut state.mutators {
        mutator.ghost_phase = Default::default();
        mutator.ghost_honorary_root = Default::default();
        mutator.marking.ghost_honorary_grey = Default::default();
    }
}

fn is_due(state: &State, process: usize, when: When) -> bool {
    match when {
        When::Always => true,
        When::AllAnswered => state.sys.pending.is_empty(),
        When::Unlocked => {
            state.sys.lock.is_none() && state.sys.buffers[buffer_of(process)].is_empty()
        }
    }
}

/// The place of a process's buffer among the buffers.
fn buffer_of(process: usize) -> usize {
    match process {
        GC => 0,
        mutator => mutator - 1,
    }
}
