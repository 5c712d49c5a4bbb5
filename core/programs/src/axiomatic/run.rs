//! Runs of a single thread, for every value that it may read.

use std::collections::{BTreeMap, BTreeSet};

use refmap::IndexSet;

use super::error::NotEnumerated;
use super::event::{Event, MOST_EVENTS};
use crate::expression::{Expression, Fault, Integer, Location, Register, Value};
use crate::model::AccessKind;
use crate::outcome::ThreadEnd;
use crate::program::{Afterwards, Fence, Instruction, LoadKind, Program, Returned, Update};

/// Run of a thread, for certain values of its reads.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub events: Vec<Event>,
    pub end: ThreadEnd,
    pub output: Vec<Value>,
    pub kept: Vec<Value>,
}

/// Value, with the events that it depends on.
#[derive(Clone, Copy)]
struct Tainted(Value, IndexSet);

/// Thread in the middle of a run, with chosen values for its reads.
#[derive(Clone)]
struct Walker {
    at: usize,
    jumps: u8,
    registers: Vec<Tainted>,
    events: Vec<Event>,
    /// Events that all later instructions depend on.
    control: IndexSet,
    /// Fences passed so far, each with the number of events before it.
    fences: Vec<(Fence, usize)>,
    output: Vec<Value>,
}

/// Enumerates the runs of each thread for all values that some write may have left. A write's value can depend on a
/// read, so the values are computed as a fixed point, in rounds. No value is out of thin air: the number of rounds
/// needed is at most the number of writes in an execution.
pub(super) fn runs(program: &Program, limit: u64) -> Result<Vec<Vec<Run>>, NotEnumerated> {
    let most_jumps = program.backward_jumps.ok_or(NotEnumerated::Unbounded)?;
    if !program.snapshots.is_empty() {
        return Err(NotEnumerated::Snapshot);
    }
    let initial = program.initial_memory();
    let mut known: Vec<BTreeSet<Value>> = initial
        .iter()
        .map(|value| BTreeSet::from([*value]))
        .collect();
    let mut round = 0;
    loop {
        let mut all = Vec::new();
        let mut now = known.clone();
        let mut most_writes = 0;
        for thread in 0..program.threads.len() {
            let mut guesser = Guesser {
                program,
                thread,
                known: &known,
                most_jumps,
                limit,
                runs: Vec::new(),
            };
            guesser.walk(Walker::new(program, thread))?;
            let writes = |run: &Run| run.events.iter().map(|event| event.writes.len()).sum();
            most_writes += guesser.runs.iter().map(writes).max().unwrap_or(0_usize);
            let events = guesser.runs.iter().flat_map(|run| &run.events);
            for (location, value) in events.flat_map(|event| &event.writes) {
                now[usize::from(location.0)].insert(*value);
            }
            all.push(guesser.runs);
        }
        round += 1;
        if now == known || round > most_writes {
            return Ok(all);
        }
        known = now;
    }
}

/// Enumerates the runs of a thread.
struct Guesser<'a> {
    program: &'a Program,
    thread: usize,
    known: &'a [BTreeSet<Value>],
    /// Bound on backward jumps.
    most_jumps: u8,
    limit: u64,
    runs: Vec<Run>,
}

impl Walker {
    fn new(program: &Program, thread: usize) -> Self {
        let registers = program.threads[thread].registers.iter();
        Self {
            at: 0,
            jumps: 0,
            registers: registers
                .map(|of| Tainted(of.initial, IndexSet::EMPTY))
                .collect(),
            events: Vec::new(),
            control: IndexSet::EMPTY,
            fences: Vec::new(),
            output: Vec::new(),
        }
    }

    fn value(&self, expression: &Expression) -> Result<Tainted, Fault> {
        let mut taint = IndexSet::EMPTY;
        expression.registers(&mut |register| {
            taint = taint.union(self.registers[usize::from(register.0)].1);
        });
        let held = |register: Register| Some(self.registers[usize::from(register.0)].0);
        let value = expression.evaluate(&held)?;
        Ok(Tainted(value.expect("every register is known"), taint))
    }

    /// Adds an event of which the address and the value depend on these events, and returns the set of it alone.
    fn event(
        &mut self,
        kind: Option<AccessKind>,
        reads: Vec<(Location, Value)>,
        writes: Vec<(Location, Value)>,
        address: IndexSet,
        value: IndexSet,
    ) -> Result<IndexSet, NotEnumerated> {
        let number = self.events.len();
        if number >= MOST_EVENTS {
            return Err(NotEnumerated::TooLong);
        }
        let mut fenced = IndexSet::EMPTY;
        for (fence, passed) in &self.fences {
            if kind.is_some_and(|kind| !fence.makes_wait(kind)) {
                continue;
            }
            for (earlier, event) in self.events[..*passed].iter().enumerate() {
                if event.kind.is_none_or(|kind| fence.holds_back(kind)) {
                    fenced.insert(earlier);
                }
            }
        }
        let depends = self.control.union(address).union(value);
        self.events.push(Event {
            kind,
            reads,
            writes,
            after: depends.union(fenced),
            value_after: depends,
        });
        // Until an address is known, later accesses cannot be known to be to other locations.
        self.control = self.control.union(address);
        Ok(IndexSet::from_iter([number]))
    }
}

impl Guesser<'_> {
    fn walk(&mut self, mut walker: Walker) -> Result<(), NotEnumerated> {
        let code = &self.program.threads[self.thread].code;
        while walker.at < code.len() {
            match self.step(&mut walker) {
                Ok(Next::On) => (),
                Ok(Next::Stop(end)) => return self.done(walker, end),
                Ok(Next::Fork(forks)) => {
                    return forks.into_iter().try_for_each(|fork| self.walk(fork));
                }
                Err(Halt::Fault) => return Ok(()),
                Err(Halt::Not(reason)) => return Err(reason),
            }
        }
        self.done(walker, ThreadEnd::Ended)
    }

    fn done(&mut self, walker: Walker, end: ThreadEnd) -> Result<(), NotEnumerated> {
        if self.runs.len() as u64 >= self.limit {
            return Err(NotEnumerated::TooMany { limit: self.limit });
        }
        let registers = self.program.threads[self.thread].registers.iter();
        let kept = registers.zip(&walker.registers);
        let kept = kept.filter(|(of, _)| of.afterwards == Afterwards::Kept);
        self.runs.push(Run {
            kept: match end {
                ThreadEnd::Ended => kept.map(|(_, value)| value.0).collect(),
                _ => Vec::new(),
            },
            events: walker.events,
            output: walker.output,
            end,
        });
        Ok(())
    }

    fn kept(&self, location: Location, value: Value) -> Value {
        self.integer(location).keep(value)
    }

    /// Integer type of a location.
    fn integer(&self, location: Location) -> Integer {
        self.program.variables[usize::from(location.0)].integer
    }

    fn step(&self, walker: &mut Walker) -> Result<Next, Halt> {
        let at = walker.at;
        let mut next = at + 1;
        match &self.program.threads[self.thread].code[at] {
            Instruction::Assign { into, value } => {
                walker.registers[usize::from(into.0)] = walker.value(value)?;
            }
            Instruction::Load {
                kind: LoadKind::Linked,
                ..
            }
            | Instruction::StoreConditional { .. } => {
                return Err(Halt::Not(NotEnumerated::Exclusive));
            }
            Instruction::Load { into, from, .. } => {
                let Tainted(address, taint) = walker.value(&from.address)?;
                let location = self.program.dereference(from, address)?;
                walker.at += 1;
                return self.fork(walker, location, |walker, read| {
                    let reads = vec![(location, read)];
                    let event = walker.event(
                        Some(AccessKind::Load),
                        reads,
                        Vec::new(),
                        taint,
                        IndexSet::EMPTY,
                    )?;
                    walker.registers[usize::from(into.0)] = Tainted(read, event);
                    Ok(())
                });
            }
            Instruction::Store { to, value } => {
                let Tainted(address, taint) = walker.value(&to.address)?;
                let location = self.program.dereference(to, address)?;
                let Tainted(value, depends) = walker.value(value)?;
                let writes = vec![(location, self.kept(location, value))];
                walker.event(Some(AccessKind::Store), Vec::new(), writes, taint, depends)?;
            }
            Instruction::Update {
                at: place,
                update,
                result,
            } => {
                let Tainted(address, taint) = walker.value(&place.address)?;
                let location = self.program.dereference(place, address)?;
                walker.at += 1;
                return self.fork(walker, location, |walker, read| {
                    let (new, depends) = updated(walker, update, self.integer(location), read)?;
                    let reads = vec![(location, read)];
                    let writes = new.map(|new| (location, self.kept(location, new)));
                    let writes = writes.into_iter().collect();
                    let kind = Some(AccessKind::Update);
                    let event = walker.event(kind, reads, writes, taint, depends)?;
                    if let Some((into, returned)) = result {
                        let result = match returned {
                            Returned::Old => read,
                            Returned::Success => Value::Number(i64::from(new.is_some())),
                        };
                        walker.registers[usize::from(into.0)] = Tainted(result, event);
                    }
                    Ok(())
                });
            }
            Instruction::Fence { fence, place } => {
                if self.program.stands(*place) {
                    walker.fences.push((*fence, walker.events.len()));
                }
            }
            Instruction::Branch {
                condition,
                otherwise,
            } => {
                let Tainted(condition, taint) = walker.value(condition)?;
                walker.control = walker.control.union(taint);
                if condition == Value::Number(0) {
                    next = *otherwise;
                }
            }
            Instruction::Jump(target) => next = *target,
            Instruction::Assert(condition) => {
                let Tainted(condition, taint) = walker.value(condition)?;
                walker.control = walker.control.union(taint);
                if condition == Value::Number(0) {
                    return Ok(Next::Stop(ThreadEnd::Failed(at as u16)));
                }
            }
            Instruction::Output(value) => {
                let value = walker.value(value)?;
                walker.output.push(value.0);
            }
            Instruction::Choose { into, values } => {
                walker.at += 1;
                let forks = values.iter().map(|value| {
                    let mut fork = walker.clone();
                    fork.registers[usize::from(into.0)] = Tainted(*value, IndexSet::EMPTY);
                    fork
                });
                return Ok(Next::Fork(forks.collect()));
            }
            Instruction::Atomic { end } => {
                let mut done = Vec::new();
                let block = Block {
                    walker: walker.clone(),
                    at: at + 1,
                    reads: Vec::new(),
                    memory: BTreeMap::new(),
                    failed: None,
                };
                self.block(block, *end, &mut done)?;
                return Ok(Next::Fork(done));
            }
            Instruction::Require(_) => unreachable!("it stands in an atomic block"),
        }
        if next <= at {
            if walker.jumps == self.most_jumps {
                return Ok(Next::Stop(ThreadEnd::CutOff));
            }
            walker.jumps += 1;
        }
        walker.at = next;
        Ok(Next::On)
    }

    /// Forks the walker, once for each value that may be read at `location`.
    fn fork(
        &self,
        walker: &Walker,
        location: Location,
        read: impl Fn(&mut Walker, Value) -> Result<(), Halt>,
    ) -> Result<Next, Halt> {
        let mut forks = Vec::new();
        for value in &self.known[usize::from(location.0)] {
            let mut fork = walker.clone();
            match read(&mut fork, *value) {
                Ok(()) => forks.push(fork),
                Err(Halt::Fault) => (),
                Err(reason) => return Err(reason),
            }
        }
        Ok(Next::Fork(forks))
    }

    /// Walks through an atomic block in all ways; each ends as one event.
    fn block(&self, mut block: Block, end: usize, done: &mut Vec<Walker>) -> Result<(), Halt> {
        while block.at < end && block.failed.is_none() {
            let at = block.at;
            let mut next = at + 1;
            let instruction = &self.program.threads[self.thread].code[at];
            let value = |of: &Expression| block.walker.value(of).map(|value| value.0);
            match instruction {
                Instruction::Assign { into, value: of } => {
                    let of = value(of)?;
                    block.walker.registers[usize::from(into.0)] = Tainted(of, IndexSet::EMPTY);
                }
                Instruction::Load { from: place, .. } | Instruction::Update { at: place, .. } => {
                    let location = self.program.dereference(place, value(&place.address)?)?;
                    block.at = next;
                    let known = match block.memory.get(&location) {
                        Some(known) => BTreeSet::from([known.0]),
                        None => self.known[usize::from(location.0)].clone(),
                    };
                    for read in known {
                        let mut fork = block.clone();
                        match self.access_in_block(&mut fork, instruction, location, read) {
                            Ok(()) => self.block(fork, end, done)?,
                            Err(Halt::Fault) => (),
                            Err(reason) => return Err(reason),
                        }
                    }
                    return Ok(());
                }
                Instruction::Store { to, value: of } => {
                    let location = self.program.dereference(to, value(&to.address)?)?;
                    let of = value(of)?;
                    let of = self.kept(location, of);
                    block.memory.insert(location, (of, Written::Yes));
                }
                Instruction::Branch {
                    condition,
                    otherwise,
                } => {
                    if value(condition)? == Value::Number(0) {
                        next = *otherwise;
                    }
                }
                Instruction::Jump(target) => next = *target,
                Instruction::Assert(condition) => {
                    if value(condition)? == Value::Number(0) {
                        block.failed = Some(ThreadEnd::Failed(at as u16));
                    }
                }
                Instruction::Require(condition) => {
                    if value(condition)? == Value::Number(0) {
                        return Ok(());
                    }
                }
                Instruction::Output(of) => {
                    let of = value(of)?;
                    block.walker.output.push(of);
                }
                Instruction::Fence { .. } => (),
                Instruction::StoreConditional { .. } => {
                    return Err(Halt::Not(NotEnumerated::Exclusive));
                }
                Instruction::Choose { .. } | Instruction::Atomic { .. } => {
                    unreachable!("no atomic block holds one")
                }
            }
            block.at = next;
        }
        // A failed assertion in a block ends the thread there: `walk` evaluates the same assertion from registers
        // alone, and sees it fail.
        let mut walker = block.walker;
        let written = block.memory.iter();
        let writes = written
            .filter(|(_, (_, written))| *written == Written::Yes)
            .map(|(location, (value, _))| (*location, *value));
        let writes = writes.collect();
        // At the greatest number of events, the next one is rejected.
        let everything = IndexSet::below(walker.events.len());
        let event = walker.event(None, block.reads, writes, everything, IndexSet::EMPTY)?;
        walker.control = walker.control.union(event);
        walker.at = match block.failed {
            Some(_) => block.at - 1,
            None => end,
        };
        done.push(walker);
        Ok(())
    }

    fn access_in_block(
        &self,
        block: &mut Block,
        instruction: &Instruction,
        location: Location,
        read: Value,
    ) -> Result<(), Halt> {
        if !block.memory.contains_key(&location) {
            block.reads.push((location, read));
            block.memory.insert(location, (read, Written::No));
        }
        match instruction {
            Instruction::Load { into, .. } => {
                block.walker.registers[usize::from(into.0)] = Tainted(read, IndexSet::EMPTY);
            }
            Instruction::Update { update, result, .. } => {
                let (new, _) = updated(&block.walker, update, self.integer(location), read)?;
                if let Some(new) = new {
                    let new = self.kept(location, new);
                    block.memory.insert(location, (new, Written::Yes));
                }
                if let Some((into, returned)) = result {
                    let result = match returned {
                        Returned::Old => read,
                        Returned::Success => Value::Number(i64::from(new.is_some())),
                    };
                    block.walker.registers[usize::from(into.0)] = Tainted(result, IndexSet::EMPTY);
                }
            }
            other => unreachable!("{other:?} does not read"),
        }
        Ok(())
    }
}

/// Value that an update writes after reading `read` from a location of this type, with its dependencies.
fn updated(
    walker: &Walker,
    update: &Update,
    integer: Integer,
    read: Value,
) -> Result<(Option<Value>, IndexSet), Fault> {
    Ok(match update {
        Update::CompareAndSwap { expected, desired } => {
            let (expected, desired) = (walker.value(expected)?, walker.value(desired)?);
            let new = (read == integer.keep(expected.0)).then_some(desired.0);
            (new, expected.1.union(desired.1))
        }
        Update::Exchange(new) => {
            let new = walker.value(new)?;
            (Some(new.0), new.1)
        }
        Update::Fetch(operator, by) => {
            let by = walker.value(by)?;
            (Some(operator.apply(read, by.0)?), by.1)
        }
    })
}

/// Atomic block in the middle of a run.
#[derive(Clone)]
struct Block {
    walker: Walker,
    at: usize,
    reads: Vec<(Location, Value)>,
    memory: BTreeMap<Location, (Value, Written)>,
    failed: Option<ThreadEnd>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Yes,
    No,
}

/// Continuation of a walk.
enum Next {
    On,
    Stop(ThreadEnd),
    Fork(Vec<Walker>),
}

/// Reason why a walk ends without a run.
enum Halt {
    Fault,
    Not(NotEnumerated),
}

impl From<Fault> for Halt {
    fn from(_: Fault) -> Self {
        Self::Fault
    }
}

impl From<NotEnumerated> for Halt {
    fn from(reason: NotEnumerated) -> Self {
        Self::Not(reason)
    }
}
