//! Control dependencies of loads: the order that a branch alone keeps between an earlier access and a load.
//!
//! A thread fetches nothing past an undecided branch, so a load behind one waits for the accesses that the branch depends on. A
//! processor predicts the branch and may load first, as ARM and POWER do (Sarkar, Sewell, Alglave, Maranget & Williams, *Understanding
//! POWER Multiprocessors*: MP+sync+ctrl is allowed, and observed). A verdict under a model that does not order the two accesses by
//! itself says nothing of that, so it comes with a warning.
//!
//! The analysis passes over the paths of a thread's code, whatever the values of its registers. Nothing is found where the model orders
//! the two accesses, a fence or an atomic block stands between them, the load needs the result of the earlier access besides, or both are known
//! to be to the same location. An assertion is a branch, and a read-modify-write counts as either access. A store-conditional
//! counts as the earlier one; it is no load.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use refmap::IndexSet;

use super::code::Code;
use super::expression::{Expression, Register};
use super::machine::location_names::names as location_names;
use super::model::{AccessKind, MemoryModel};
use super::program::{Fence, Instruction, Program, Thread, ThreadNames};

/// Load that waits for an earlier access of its thread because of a branch, and for no other reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlDependency {
    /// The thread.
    pub thread: usize,
    /// Number of the load among its instructions.
    pub load: usize,
    /// Number of the first branch, or assertion, between the two that depends on the earlier access.
    pub branch: usize,
    /// Number of the earlier access.
    pub earlier: usize,
}

/// Control dependencies of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlDependencies {
    /// Those that were found.
    pub found: BTreeSet<ControlDependency>,
    /// Threads that have too many paths, so that there may be more.
    pub unfinished: BTreeSet<usize>,
}

/// Greatest number of situations that are looked at of a program, which takes a quarter of a second. More arise where branches merge
/// registers in very many ways, or where thousands of loads are behind a branch.
const MOST_SITUATIONS: usize = 1 << 19;

impl Program {
    /// Loads that wait for an earlier access under `model` because of a branch, and for no other reason.
    pub fn control_dependencies(&self, model: MemoryModel) -> ControlDependencies {
        let mut all = ControlDependencies::default();
        let mut left = MOST_SITUATIONS;
        for (number, thread) in self.threads.iter().enumerate() {
            let mut search = Search::new(self, model, number, thread, left);
            if !search.run() {
                all.unfinished.insert(number);
            }
            all.found.append(&mut search.found);
            left = search.left;
        }
        all
    }

    /// Doubts of a verdict on the program under `model`: a sentence for the loads that wait because of a branch, for each branch.
    pub(crate) fn doubts(&self, model: MemoryModel) -> Vec<String> {
        let dependencies = self.control_dependencies(model);
        let mut doubts = Vec::new();
        for (number, thread) in self.threads.iter().enumerate() {
            let names = ThreadNames {
                program: self,
                thread,
            };
            let texts: Vec<_> = thread.code.iter().map(|of| of.show(&names)).collect();
            let names = location_names(texts.iter().map(String::as_str));
            let mut own: Vec<_> = dependencies.found.iter().collect();
            own.retain(|dependency| dependency.thread == number);
            own.dedup_by_key(|dependency| dependency.load);
            let mut behind: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
            for of in own {
                let loads = behind.entry((of.branch, of.earlier)).or_default();
                loads.push(format!("`{}`", names[of.load]));
            }
            for ((branch, earlier), loads) in behind {
                let verb = if loads.len() == 1 { "waits" } else { "wait" };
                doubts.push(format!(
                    "{}: {} {verb} for `{}` only because of `{}` between them: {model} does not speculate, and what does may load first; an \
                     acquire fence behind the branch keeps the order",
                    thread.name,
                    loads.join(", "),
                    names[earlier],
                    names[branch],
                ));
            }
            if dependencies.unfinished.contains(&number) {
                doubts.push(format!(
                    "{}: it has too many paths to find every load that waits only because of a branch: {model} does not speculate",
                    thread.name
                ));
            }
        }
        doubts
    }
}

/// Situation on a path that has passed the earlier access.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Situation {
    /// Number of the next instruction.
    at: usize,
    /// The first branch on the path that depends on the earlier access.
    branch: Option<usize>,
    /// Registers whose values depend on it.
    depending: IndexSet,
    /// True if no register has been written that its address depends on.
    has_its_address: bool,
    /// True if a fence stands on the path that makes later writes wait for it.
    is_released: bool,
}

/// Search for the control dependencies of a thread.
struct Search<'a> {
    program: &'a Program,
    model: MemoryModel,
    number: usize,
    thread: &'a Thread,
    code: Code,
    /// Registers that some instruction writes.
    written: IndexSet,
    /// Situations that may still be looked at.
    left: usize,
    found: BTreeSet<ControlDependency>,
}

fn numbers(registers: &[Register]) -> IndexSet {
    let registers = registers.iter();
    registers.map(|register| register.0.into()).collect()
}

fn registers_of(expression: &Expression) -> IndexSet {
    let mut registers = IndexSet::EMPTY;
    expression.registers(&mut |register| {
        registers.insert(register.0.into());
    });
    registers
}

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        model: MemoryModel,
        number: usize,
        thread: &'a Thread,
        left: usize,
    ) -> Self {
        let targets: Vec<_> = thread.code.iter().filter_map(Instruction::target).collect();
        Self {
            program,
            model,
            number,
            thread,
            code: Code::of(thread),
            written: numbers(&targets),
            left,
            found: BTreeSet::new(),
        }
    }

    /// Passes over the paths behind each access that reads and can be reached; returns whether it could be done.
    fn run(&mut self) -> bool {
        let mut reached = BTreeSet::new();
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if at < self.code.end() && reached.insert(at) {
                open.extend(self.successors(at));
            }
        }
        reached.into_iter().all(|at| {
            let kind = self.thread.code[at].access();
            let kind = kind.filter(|kind| kind.reads());
            kind.is_none_or(|kind| self.behind(at, kind))
        })
    }

    /// Instructions that may follow the one at `at`; an atomic block is one instruction.
    fn successors(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let next = match &self.thread.code[at] {
            Instruction::Atomic { end } => [Some(*end), None],
            other => other.successors(at),
        };
        let loops = self.program.backward_jumps != Some(0);
        next.into_iter()
            .flatten()
            .filter(move |to| loops || *to > at)
    }

    /// Passes over the paths behind the access at `earlier`; returns whether it could be done.
    fn behind(&mut self, earlier: usize, kind: AccessKind) -> bool {
        if AccessKind::LOADS
            .iter()
            .all(|load| self.model.orders(kind, *load))
        {
            return true;
        }
        let instruction = &self.thread.code[earlier];
        let target = numbers(instruction.target().as_slice());
        let begin = Situation {
            at: earlier,
            branch: None,
            depending: target,
            has_its_address: target.intersection(self.address(earlier)).is_empty(),
            is_released: false,
        };
        let mut seen = HashSet::new();
        let mut open = Vec::new();
        self.go_on(begin, &mut open);
        while let Some(situation) = open.pop() {
            if self.left == 0 {
                return false;
            }
            if seen.insert(situation) {
                self.left -= 1;
                if let Some(behind) = self.pass(earlier, kind, situation) {
                    self.go_on(behind, &mut open);
                }
            }
        }
        true
    }

    /// Adds the situations that follow the instruction of `behind`. A register that is dead no longer matters.
    fn go_on(&self, behind: Situation, open: &mut Vec<Situation>) {
        for at in self.successors(behind.at) {
            let needed = self.code.needed[at];
            let depending = behind.depending.intersection(needed);
            // Without a register that depends on the access no later branch does.
            if at < self.code.end() && (behind.branch.is_some() || !depending.is_empty()) {
                open.push(Situation {
                    at,
                    depending,
                    ..behind
                });
            }
        }
    }

    /// Passes the instruction of a situation; `None` if everything behind it waits for the access at `earlier` anyway.
    fn pass(
        &mut self,
        earlier: usize,
        before: AccessKind,
        mut situation: Situation,
    ) -> Option<Situation> {
        let at = situation.at;
        let instruction = &self.thread.code[at];
        let reads = numbers(&self.code.reads[at]);
        let depends = !reads.intersection(situation.depending).is_empty();
        match instruction {
            Instruction::Atomic { .. } => return None,
            Instruction::Fence { fence, place }
                if self.program.stands(*place) && fence.holds_back(before) =>
            {
                if AccessKind::ALL.iter().all(|kind| fence.makes_wait(*kind)) {
                    return None;
                }
                situation.is_released = true;
            }
            Instruction::Branch { .. } | Instruction::Assert(_) if depends => {
                situation.branch.get_or_insert(at);
            }
            _ => (),
        }
        if let Some(kind) = instruction.access() {
            let waits = self.model.orders(before, kind)
                || before.is_exclusive() && kind.is_exclusive()
                || situation.is_released && Fence::Release.makes_wait(kind);
            if waits && self.model.orders_all_behind(kind) {
                return None;
            }
            let is_load = AccessKind::LOADS.contains(&kind);
            let waits = waits || depends || self.is_same_location(earlier, situation);
            if let Some(branch) = situation.branch
                && is_load
                && !waits
            {
                self.found.insert(ControlDependency {
                    thread: self.number,
                    load: at,
                    branch,
                    earlier,
                });
            }
        }
        if let Some(target) = instruction.target() {
            let target = usize::from(target.0);
            if depends {
                situation.depending.insert(target);
            } else {
                situation.depending.remove(target);
            }
            situation.has_its_address &= !self.address(earlier).contains(target);
        }
        Some(situation)
    }

    /// Registers that the address of the access at `at` depends on.
    fn address(&self, at: usize) -> IndexSet {
        let place = self.thread.code[at].place();
        place.map_or(IndexSet::EMPTY, |place| registers_of(&place.address))
    }

    /// True if the accesses at `earlier` and in `situation` are known to be to one location.
    fn is_same_location(&self, earlier: usize, situation: Situation) -> bool {
        let address = |at: usize| self.thread.code[at].place().map(|place| &place.address);
        let (one, other) = (address(earlier), address(situation.at));
        // A register that is never written holds its initial value.
        let held = |register: Register| {
            let number = usize::from(register.0);
            (!self.written.contains(number)).then(|| self.thread.registers[number].initial)
        };
        let known = |of: Option<&Expression>| of.and_then(|of| of.evaluate(&held).ok().flatten());
        situation.has_its_address && one == other
            || known(one).is_some() && known(one) == known(other)
    }
}
