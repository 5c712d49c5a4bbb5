//! Lipton reduction (granularity `reduced`): steps of a process are fused into a transaction if no interleaving
//! within it matters to what is freed.
//!
//! Source: Lipton, *Reduction: A Method of Proving Properties of Parallel Programs*, CACM 18(12), 1975.
//! A right mover can be postponed until after the next step of another process; a left mover can be executed
//! before the previous step of another process. A transaction is a sequence of right movers, at most one step of
//! any kind, and left movers: the steps of others that interleave with it can as well be taken before or after it.
//! A transaction also contains steps of others that can be taken just before it (R18) or at once (R19). Its steps
//! include the fused commands behind each, so every transaction is an execution at fine granularity, and a
//! violation that is found is one of the system.
//!
//! The movers, and why they move:
//!
//! - R1. A fence waits until the buffer, which only the process itself fills, is empty: a right mover. So does the
//!   lock, which with the steps under it (R2) is the one step of any kind. The lock is taken only with an empty
//!   buffer: stores that are pending then would be committed before the unlock, and no process could load in
//!   between, so they can be committed before the lock.
//! - R2. From the lock to the unlock no other process loads or commits, and the other steps (stores into their
//!   own buffers, handshakes, allocation, freeing) do not depend on marks: one step. The worklist is the
//!   process's own.
//! - R3. A store into the process's own buffer is invisible to others until it is committed: a left mover; with
//!   SC memory, no mover.
//! - R4. Only the collector stores `fM` and `phase`: its loads of them are both movers. So are a mutator's, while
//!   no store of them is pending and the collector reaches none before it waits for that mutator,
//!   which cannot answer in the middle of another operation; and so is a load from an object that no other mutator
//!   can reach, even after the loading mutator's own pending stores are committed.
//! - R5. Setting of the handshake type and of the pending bits: a mutator reads the type only after its bit is
//!   set, and a poll that finds the bit cleared has no effect. So bits can be set earlier: left movers.
//! - R6. The collector polls when every mutator has answered: cleared bits stay cleared until the next
//!   handshake, so polls can be postponed, and a poll that finds a bit set has no effect.
//! - R7. A mutator polls when its bit is set and its fence can pass: nothing happens in between, its bit stays
//!   set and the type unchanged. The answer is read only by the collector's polls, so it can be given
//!   earlier.
//! - R8. The transfer of the work handed over: no mutator hands over more before the next handshake.
//! - R9. Between the load of a white mark and the freeing, unreachable objects stay unreachable, and what is
//!   reachable was reachable: freeing can be executed earlier.
//! - R10. While all marking uses one sense, and only that sense can be loaded (R4), objects are marked and never
//!   unmarked: the load before the lock can be postponed. An object found marked still is marked; one found
//!   white, whose race another process wins, is then found marked, and marking has no effect in either case. (This is
//!   the purpose of the CAS: without it both would continue, and the load does not move.) A load of a mark that is
//!   already set is a both mover, unless the object is about to be freed. If the sense may change meanwhile, the load
//!   can still be postponed until just before the load of the sense, provided that only processes which load the
//!   mark later, and with the new sense, can mark the object until then: finding it marked so has no effect, and
//!   without the postponement the CAS would have been lost.
//! - R11. The value to store is chosen when it is first needed, since the choice is the mutator's own: with the
//!   previous step if every choice can then be stored at once, and otherwise with the next step.
//! - R12. Ghosts are left out: no guard reads them, and programs do not observe them.
//! - R13. A sequence of right movers only, after which the process blocks, is postponed until it can continue.
//! - R14. A mutator loads whatever it can as soon as it can, and discards only when get-roots is requested,
//!   just before it marks its roots. Every other execution is simulated by one in which
//!   each mutator's roots include those of the original, with everything else equal: that allows the same
//!   stores, loads the same values, keeps at root marking the roots that the original keeps, and more
//!   is reachable when something is freed.
//! - R15. The collector's loads in the sweep are both movers if they find nothing to free, now or later: of a
//!   marked object (R10), and of a free reference at which a new object would be marked.
//! - R16. While the phase is idle, and stays so until the mutator has moved (R4), its barriers mark nothing:
//!   the loaded values are irrelevant, so these loads are both movers.
//! - R17. A mutator at rest answers a noop handshake as soon as it can, before any other step: the
//!   answer commutes with the steps of others and with the mutator's other first steps, and no guard waits for
//!   its absence. (Not so where it resets the mutator's record that its roots are marked.)
//! - R18. The value that a mutator loads from a field, from `fM` or from the phase is changed by others only by
//!   commits. So these loads can be postponed until just before such a commit: a commit is fused with the
//!   loads before it, of any of the others, and with the steps that must precede these. (With SC memory there is
//!   no commit, and they are no movers.)
//! - R19. A left mover need not wait: a both mover is fused with the step that enabled it, and where another
//!   left mover is enabled no other step is taken before it.
//!
//! By these arguments the reduction is exact for `simulation` and `deadlock`, as long as no object is freed that a
//! mutator is about to mark: R2, R9 and R10 assume that such an object exists. The check looks for freed objects
//! that a program can still reach. That no object is freed which only a barrier has loaded, and will mark, is an
//! assumption; it is tested at each freeing, and where it fails the step panics, so that nothing is said to
//! hold. Tests compare all verdicts with those at coarse granularity, and the reached quiescent states with those
//! at fine granularity. The reduction is not exact for invariants, whose intermediate states are skipped, nor for
//! `environment`.

mod commits;
mod movers;
#[cfg(test)]
mod quiescent_states;
#[cfg(test)]
mod tests;

use self::movers::{Kind, Mover, is_due};
use super::request::{Act, Place, Processes};
use super::scope::Part;
use super::state::{GC, HandshakeType, SYS, State, Who, place_of};
use crate::heap::Objects as Refs;

pub(super) use self::movers::LiptonReduction;

impl LiptonReduction {
    /// Visits the transactions from a state.
    pub fn next(&self, processes: &Processes, from: &State, visit: &mut dyn FnMut(Act, &State)) {
        let mut transactions = Transactions {
            reduction: self,
            processes,
            found: Vec::new(),
        };
        let mut state = *from;
        if transactions.at_once(from, visit) {
            return;
        }
        transactions.begin(&mut state, GC, &|_| true, visit);
        for who in from.buffer_owners() {
            transactions.commit(&mut state, who, visit);
        }
        for mutator in from.numbers() {
            let process = place_of(mutator);
            if transactions.is_at_rest(from, mutator) {
                for kind in [Kind::Alloc, Kind::Store] {
                    let works = self.of_kind(from, process, kind);
                    transactions.begin(&mut state, process, &works, visit);
                }
                transactions.answer_handshake(&mut state, mutator, visit);
            } else {
                transactions.begin(&mut state, process, &|_| true, visit)
            }
        }
    }
}

/// References that a mutator could load and does not hold.
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

/// Enumeration of the transactions from one state.
struct Transactions<'a> {
    reduction: &'a LiptonReduction,
    processes: &'a Processes,
    /// Targets of the transactions with the same first label, to visit each once.
    found: Vec<State>,
}

impl Transactions<'_> {
    fn is_at_rest(&self, state: &State, mutator: u8) -> bool {
        self.reduction.at(state, place_of(mutator)).0 == Mover::Begins
    }

    /// Visits the transactions that are taken before all others (R14, R17, R19); whether there is one.
    fn at_once(&mut self, from: &State, visit: &mut dyn FnMut(Act, &State)) -> bool {
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

    /// Visits the transactions of a process that begin with a step accepted by `is_taken`.
    fn begin(
        &mut self,
        from: &mut State,
        process: usize,
        is_taken: &dyn Fn(usize) -> bool,
        visit: &mut dyn FnMut(Act, &State),
    ) {
        let (mover, when) = self.reduction.at(from, process);
        if !is_due(from, process, when) {
            return;
        }
        // The step of a choice is irrelevant here: a mutator chooses at the beginning of an operation, and
        // allocates as its last step.
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

    /// Continues a transaction of `process` from a state; `is_right` if all its steps so far are right movers.
    fn go_on(
        &mut self,
        state: &mut State,
        process: usize,
        is_right: bool,
        visit: &mut dyn FnMut(&State, usize),
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
            // No other process commits under the lock.
            processes.steps_of(SYS, &reduction.pending(state), state, &mut join);
        }
        if is_stuck {
            self.blocked(state, was_right, visit);
        }
    }

    /// Whether a mutator can finish its operation without blocking, whatever it chooses.
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

    /// Ends a transaction whose next step is disabled. One of right movers only is postponed (R13).
    fn blocked(&mut self, state: &mut State, is_right: bool, visit: &mut dyn FnMut(&State, usize)) {
        if !is_right {
            self.found(state, visit);
        }
    }

    /// Visits a target, after the enabled both movers of every process (R19).
    fn found(&mut self, state: &mut State, visit: &mut dyn FnMut(&State, usize)) {
        self.catch_up(state, 0, visit);
    }

    /// The same for the processes from `process` on.
    fn catch_up(
        &mut self,
        state: &mut State,
        process: usize,
        visit: &mut dyn FnMut(&State, usize),
    ) {
        let processes = self.processes;
        if process == processes.processes() {
            return self.visit_once(state, visit);
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

    /// Visits a target once, without ghosts (R12).
    fn visit_once(&mut self, state: &State, visit: &mut dyn FnMut(&State, usize)) {
        let mut state = *state;
        forget_ghosts(&mut state);
        if !self.found.contains(&state) {
            self.found.push(state);
            visit(&state, self.found.len() - 1);
        }
    }

    /// R19: whether the next step of a process is a left mover.
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

    /// R17: whether a mutator at rest answers a noop handshake before all other steps.
    fn is_only_to_answer(&self, state: &State, mutator: u8) -> bool {
        let is_noop = state.sys.handshake == HandshakeType::Noop;
        let keeps_record = !state.mutator(mutator).roots_marked;
        is_noop
            && keeps_record
            && self.is_at_rest(state, mutator)
            && self.can_answer(state, mutator)
    }

    /// R7, and R14: roots are discarded just before get-roots is answered.
    fn answer_handshake(
        &mut self,
        from: &mut State,
        mutator: u8,
        visit: &mut dyn FnMut(Act, &State),
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

/// The action that leads to the target of this number.
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
