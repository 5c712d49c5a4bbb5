//! Granularity `reduced`: steps of a process run together as far as nobody could do anything in between
//! that matters to what is freed.
//!
//! Source: Lipton, *Reduction: A Method of Proving Properties of Parallel Programs*, CACM 18(12), 1975.
//! A step that can be put off until after whatever another process does next is a right mover, one that
//! can be done before what another process did last a left mover. Right movers, at most one step of
//! any kind, and then left movers are run together: what others did in between can as well be
//! done before or after. With them is run together what others can as well do just before (R18) or at once
//! (R19). Joined are steps with the quiet ones behind them; each joined step is therefore an execution of the
//! system at fine granularity, and what is found to be violated is.
//!
//! What moves, and why:
//!
//! - R1. A fence waits for an empty buffer that only the process itself fills: a right mover. So does the
//!   lock, which with what follows it (R2) is the one step of any kind. The lock is taken only with an empty
//!   buffer: what is pending then would be committed before the unlock with nobody able to look in between,
//!   so that it can be committed before the lock.
//! - R2. From the lock to the unlock nobody else loads or commits, and what else others do (storing into
//!   their own buffers, handshakes, allocating, freeing) does not depend on the marks: one step. The
//!   worklist is the process's own.
//! - R3. A store into the process's own buffer is seen by nobody until it is committed: a left mover, and
//!   with SC memory no mover at all.
//! - R4. The collector is the only one to store `fM` and `phase`: its loads of them move both ways. So do a
//!   mutator's, while none is pending and the collector comes to none before it waits for that mutator,
//!   which cannot answer in the midst of something else; and a load from an object that no other mutator can
//!   reach, nor will when the loading mutator's own pending stores are committed.
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
//!   it found white and lost to somebody else it then finds marked, and does nothing in either case. (That
//!   is what the CAS is for: without it both would go on, and the load does not move.) A load of what is
//!   marked already moves both ways, unless that is about to be freed. Where the sense may change meanwhile it
//!   can still be put off until just before the sense is loaded, if only those can mark the object by then who
//!   load its mark later, and with the new sense: whoever finds it marked so does nothing, and would else have
//!   lost the CAS.
//! - R11. What is stored is chosen when it is first needed, since the choice is the mutator's own: with the step
//!   before, if whatever is chosen can then be stored at once, and otherwise with what comes next.
//! - R12. Ghosts are left out: no guard reads them, and programs do not see them.
//! - R13. Steps of which all are right movers, and behind which the process has to wait, are put off until it
//!   need not.
//! - R14. A mutator loads whatever it can as soon as it can, and discards only when it is asked for its
//!   roots, just before it marks them. An execution in which it does otherwise is followed by one in which
//!   each mutator's roots include those it has there, with everything else the same: that allows the same
//!   stores, loads what was loaded, keeps of the roots what the other keeps where they are marked, and more
//!   is reachable when something is freed.
//! - R15. The collector's loads as it sweeps move both ways where they find nothing to free, now or later: of what
//!   is marked (R10), and of an object that is missing, where what may come in its place is marked.
//! - R16. While the phase is idle, and stays so until the mutator has moved (R4), its barriers mark nothing:
//!   what they load does not matter, so that these loads move both ways.
//! - R17. A mutator at rest answers a noop handshake as soon as it can, before anybody does anything else: the
//!   answer commutes with what others do and with what the mutator could do first, and nobody waits for
//!   it not to be given. (Not so where it makes the mutator forget that its roots are marked.)
//! - R18. What a mutator loads of a field, of `fM` or of the phase, others change only by committing what they
//!   have stored. So these loads can be put off until just before such a commit: it is run together with the
//!   loads before it, of any of the others, and with what has to come before these. (With SC memory there is
//!   no commit, and they are no movers.)
//! - R19. What can be done before what another process did last need not wait: what moves both ways is run
//!   together with the step that made it possible, and where there is another left mover nothing else is
//!   done before it.
//!
//! Exact for `simulation` and `deadlock` by these reasons, as long as nothing is freed that a mutator is about to
//! mark: R2, R9 and R10 take what is about to be marked for an object. That something a program can still
//! reach is freed is what is looked for; that something else is, which a barrier has loaded and will mark, is an
//! assumption, which is tested at each freeing: where it fails the step panics, and nothing is said
//! to hold. That no verdict changes is tested by comparison with coarse granularity, and where all mutators
//! rest it is tested that joined steps reach what the steps that they join reach. `reduced` is not exact for
//! invariants, whose intermediate states are passed over, nor for `environment`.

mod commits;
mod movers;
#[cfg(test)]
mod rests;
#[cfg(test)]
mod tests;

use self::movers::{Kind, Mover, is_due};
use super::request::{Act, Place, Processes};
use super::scope::Part;
use super::state::{GC, HandshakeType, SYS, State, Who, place_of};
use crate::heap::Objects as Refs;

pub(super) use self::movers::Reduction;

impl Reduction {
    /// Visits the joined steps from a state.
    pub fn next(&self, processes: &Processes, from: &State, visit: &mut dyn FnMut(Act, State)) {
        let mut joined = Joined {
            reduction: self,
            processes,
            found: Vec::new(),
        };
        let mut state = *from;
        if joined.at_once(from, visit) {
            return;
        }
        joined.begin(&mut state, GC, &|_| true, visit);
        for who in from.everybody() {
            joined.commit(&mut state, who, visit);
        }
        for mutator in from.numbers() {
            let process = place_of(mutator);
            match joined.is_at_rest(from, mutator) {
                false => joined.begin(&mut state, process, &|_| true, visit),
                true => {
                    for kind in [Kind::Alloc, Kind::Store] {
                        let works = self.of_kind(from, process, kind);
                        joined.begin(&mut state, process, &works, visit);
                    }
                    joined.answer_handshake(&mut state, mutator, visit);
                }
            }
        }
    }
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

/// The joining of steps.
struct Joined<'a> {
    reduction: &'a Reduction,
    processes: &'a Processes,
    /// Where the steps labelled alike have led.
    found: Vec<State>,
}

impl Joined<'_> {
    fn is_at_rest(&self, state: &State, mutator: u8) -> bool {
        self.reduction.at(state, place_of(mutator)).0 == Mover::Begins
    }

    /// What is done before anybody does anything else, if there is something.
    fn at_once(&mut self, from: &State, visit: &mut dyn FnMut(Act, State)) -> bool {
        let mut state = *from;
        let mutators = from.numbers();
        let mut is_taken = false;
        // R19.
        for process in mutators.clone().map(place_of).chain([GC]) {
            if self.is_left(&mut state, process) {
                self.begin(&mut state, process, &|_| true, &mut |act, to| {
                    is_taken = true;
                    visit(act, to);
                });
            }
        }
        if is_taken {
            return true;
        }
        // R14.
        for mutator in mutators.clone() {
            if !self.is_at_rest(from, mutator) || loadable(from, mutator).is_empty() {
                continue;
            }
            let process = place_of(mutator);
            let loads = self.reduction.of_kind(from, process, Kind::Load);
            self.begin(&mut state, process, &loads, &mut |act, to| {
                if to.mutator(mutator).roots != from.mutator(mutator).roots {
                    is_taken = true;
                    visit(act, to);
                }
            });
        }
        if is_taken {
            return true;
        }
        // R17.
        for mutator in mutators {
            if self.is_only_to_answer(from, mutator) {
                is_taken = true;
                self.answer_handshake(&mut state, mutator, visit);
            }
        }
        is_taken
    }

    /// The steps of a process from a state, those that `is_taken`, each with what is joined to it.
    fn begin(
        &mut self,
        from: &mut State,
        process: usize,
        is_taken: &dyn Fn(usize) -> bool,
        visit: &mut dyn FnMut(Act, State),
    ) {
        let (mover, when) = self.reduction.at(from, process);
        if !is_due(from, process, when) {
            return;
        }
        // Which step of a choice it is does not matter here: a mutator chooses by itself, to begin with,
        // and allocates as the last thing it does.
        let is_right = mover.is_right() || mover == Mover::Begins;
        let mut label = None;
        self.processes
            .steps_of(process, is_taken, from, &mut |act, to| {
                if label != Some((act.label, act.with)) {
                    label = Some((act.label, act.with));
                    self.found.clear();
                }
                self.go_on(to, process, is_right, &mut |to, number| {
                    visit(chosen(act, number), to);
                });
            });
    }

    /// What is joined to a step of `process` that led to a state; `is_right` if only right movers have been
    /// taken.
    fn go_on(
        &mut self,
        state: &mut State,
        process: usize,
        is_right: bool,
        visit: &mut dyn FnMut(State, usize),
    ) {
        let (mover, when) = self.reduction.at(state, process);
        let locks = state.sys.lock.is_some();
        let joins = match mover {
            _ if locks => true,
            Mover::Begins => false,
            Mover::Both | Mover::Left => true,
            Mover::Chooses => is_right || self.comes_to_rest(state, process),
            _ => is_right,
        };
        if !joins {
            return self.found(state, visit);
        }
        if !is_due(state, process, when) {
            return self.blocked(state, is_right, visit);
        }
        let was_right = is_right;
        let is_right = is_right && mover.is_right();
        let mut is_stuck = true;
        let (processes, reduction) = (self.processes, self.reduction);
        let mut join = |_: Act, to: &mut State| {
            is_stuck = false;
            self.go_on(to, process, is_right, visit);
        };
        processes.steps_of(process, &|_| true, state, &mut join);
        if locks {
            // Nobody else has anything committed.
            processes.steps_of(SYS, &reduction.pending(state), state, &mut join);
        }
        if is_stuck {
            self.blocked(state, was_right, visit);
        }
    }

    /// Whether a mutator can do all that is left without waiting for anybody, whatever it chooses.
    fn comes_to_rest(&self, state: &mut State, process: usize) -> bool {
        let (mover, when) = self.reduction.at(state, process);
        match mover {
            Mover::Begins => return true,
            Mover::Both | Mover::Left | Mover::Chooses if is_due(state, process, when) => (),
            _ => return false,
        }
        let (mut is_stuck, mut comes) = (true, true);
        self.processes
            .steps_of(process, &|_| true, state, &mut |_, to| {
                is_stuck = false;
                comes = comes && self.comes_to_rest(to, process);
            });
        !is_stuck && comes
    }

    /// What comes next cannot be done yet. Where only right movers have been taken, they can be put off until
    /// it can.
    fn blocked(&mut self, state: &mut State, is_right: bool, visit: &mut dyn FnMut(State, usize)) {
        if !is_right {
            self.found(state, visit);
        }
    }

    /// A state is told when everybody has done what moves both ways (R19).
    fn found(&mut self, state: &mut State, visit: &mut dyn FnMut(State, usize)) {
        self.catch_up(state, 0, visit);
    }

    /// The same of the processes from one on.
    fn catch_up(&mut self, state: &mut State, process: usize, visit: &mut dyn FnMut(State, usize)) {
        let processes = self.processes;
        if process == processes.processes() {
            return self.tell(state, visit);
        }
        let (mover, when) = self.reduction.at(state, process);
        let mut is_stuck = true;
        if mover == Mover::Both && is_due(state, process, when) {
            processes.steps_of(process, &|_| true, state, &mut |_, to| {
                is_stuck = false;
                self.catch_up(to, process, visit);
            });
        }
        if is_stuck {
            self.catch_up(state, process + 1, visit);
        }
    }

    /// One of several ways to a state is told.
    fn tell(&mut self, state: &State, visit: &mut dyn FnMut(State, usize)) {
        let mut state = *state;
        forget_ghosts(&mut state);
        if !self.found.contains(&state) {
            self.found.push(state);
            visit(state, self.found.len() - 1);
        }
    }

    /// R19: whether what a process does next can be done before what others did last.
    fn is_left(&self, state: &mut State, process: usize) -> bool {
        match self.reduction.at(state, process).0 {
            Mover::Both | Mover::Left => true,
            Mover::Chooses => self.comes_to_rest(state, process),
            _ => false,
        }
    }

    fn can_answer(&self, state: &State, mutator: u8) -> bool {
        let has_fence = self.reduction.variant.has(Part::MutatorFence);
        let is_fenced = has_fence && !state.sys.pending_stores(Who::Mutator(mutator)).is_empty();
        state.sys.pending.contains(mutator) && !is_fenced
    }

    /// R17: whether what a mutator does next can be taken to be that it answers, with nothing to do for it.
    fn is_only_to_answer(&self, state: &State, mutator: u8) -> bool {
        let is_noop = state.sys.handshake == HandshakeType::Noop;
        let keeps_its_mind = !state.mutator(mutator).roots_marked;
        is_noop
            && keeps_its_mind
            && self.is_at_rest(state, mutator)
            && self.can_answer(state, mutator)
    }

    /// R7, and R14: what is not kept is discarded before.
    fn answer_handshake(
        &mut self,
        from: &mut State,
        mutator: u8,
        visit: &mut dyn FnMut(Act, State),
    ) {
        if !self.can_answer(from, mutator) {
            return;
        }
        let process = place_of(mutator);
        let (processes, reduction) = (self.processes, self.reduction);
        if from.sys.handshake != HandshakeType::GetRoots {
            let answers = reduction.of_kind(from, process, Kind::Answer);
            return self.begin(from, process, &answers, visit);
        }
        self.found.clear();
        let discards = reduction.of_kind(from, process, Kind::Discard);
        processes.steps_of(process, &discards, from, &mut |act, kept| {
            let answers = reduction.of_kind(kept, process, Kind::Answer);
            processes.steps_of(process, &answers, kept, &mut |_, to| {
                self.go_on(to, process, true, &mut |to, number| {
                    visit(chosen(act, number), to);
                });
            });
        });
    }
}

/// The act, as that which led to one of several states.
fn chosen(mut act: Act, number: usize) -> Act {
    act.choice = number as u16;
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
