//! A second semantics for all models: candidate executions, and the axioms that choose among them.
//!
//! A candidate says of every read which write it reads from (rf), and of the writes to a location in
//! which order memory saw them (co); fr leads from a read to the writes that come after what it read.
//! It is an execution of the model if
//!
//! - *coherence*: program order per location, rf, co and fr have no cycle together, and
//! - *global order*: what the model keeps of program order, rf between threads, co and fr have none.
//!
//! An update, or an atomic block, is one event that reads and writes, so that its atomicity follows
//! from the second axiom. Program order is kept where the model's table says so, across fences, from
//! a read to what depends on it by data, address or control, from the reads behind an address to all
//! that follows the access, and from the reads behind a store's value to a read of that store.
//!
//! Source: Alglave, Maranget & Tautschnig, *Herding Cats*, for the shape of the axioms;
//! Ugawa, Abe & Maeda, section 3.1, for what is kept.
//!
//! Left out: LL and SC, whose failure no event shows; executions in which a thread is stuck before an
//! atomic block, or comes to what it cannot compute.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Expression, Fault, Integer, Location, Value};
use super::model::{AccessKind, MemoryModel};
use super::outcome::{Outcome, ThreadEnd, ThreadOutcome};
use super::program::{Afterwards, Fence, Instruction, LoadKind, Program, Returned, Update};

/// The most events of an execution.
const MOST_EVENTS: usize = 64;

/// Why the executions of a program are not enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEnumerated {
    /// An instruction that is left out.
    #[error("LL and SC have no axioms here")]
    Exclusive,
    /// Too much to enumerate.
    #[error("there are more than {limit} candidates")]
    TooMany {
        /// The most that were allowed.
        limit: u64,
    },
    /// Too many events for one execution.
    #[error("an execution has more than {MOST_EVENTS} events")]
    TooLong,
}

/// Every way in which `program` can end under `model`, but for ends in which a thread is stuck or
/// faulty.
///
/// # Errors
///
/// If the program uses LL or SC, or there are more than `limit` candidates to look at.
pub fn outcomes(
    program: &Program,
    model: MemoryModel,
    limit: u64,
) -> Result<BTreeSet<Outcome>, NotEnumerated> {
    let runs = runs(program, limit)?;
    let mut search = Search {
        program,
        model,
        limit,
        candidates: 0,
        found: BTreeSet::new(),
    };
    search.combine(&runs, &mut Vec::new())?;
    Ok(search.found)
}

/// What one event does.
#[derive(Clone, Debug)]
struct Event {
    /// Of what kind it is; an atomic block is of none.
    kind: Option<AccessKind>,
    /// What it reads from others, at most once per location.
    reads: Vec<(Location, Value)>,
    /// What it leaves in memory, at most once per location.
    writes: Vec<(Location, Value)>,
    /// The earlier events of its thread that come before it whatever the model, by their bits.
    after: u64,
    /// Of a store: the events that its value depends on.
    value_after: u64,
}

impl Event {
    fn touches(&self, location: Location) -> bool {
        let mut all = self.reads.iter().chain(&self.writes);
        all.any(|(at, _)| *at == location)
    }
}

/// One way through a thread, for certain values read.
#[derive(Clone, Debug)]
struct Run {
    events: Vec<Event>,
    end: ThreadEnd,
    output: Vec<Value>,
    kept: Vec<Value>,
}

/// A value, and the events that it depends on.
#[derive(Clone, Copy)]
struct Tainted(Value, u64);

/// A thread on its way, guessing what it reads.
#[derive(Clone)]
struct Walker {
    at: usize,
    jumps: u8,
    registers: Vec<Tainted>,
    events: Vec<Event>,
    /// The events that everything fetched from now on depends on.
    control: u64,
    /// The fences passed so far, and how many events had been by then.
    fences: Vec<(Fence, usize)>,
    output: Vec<Value>,
}

/// The runs of each thread, for all values that some write may have left. Values feed each other, so
/// they are found in rounds: nothing is read out of thin air, hence after as many rounds as there
/// are writes in an execution there is nothing new that could be read.
fn runs(program: &Program, limit: u64) -> Result<Vec<Vec<Run>>, NotEnumerated> {
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
    limit: u64,
    runs: Vec<Run>,
}

impl Walker {
    fn new(program: &Program, thread: usize) -> Self {
        let registers = program.threads[thread].registers.iter();
        Self {
            at: 0,
            jumps: 0,
            registers: registers.map(|of| Tainted(of.initial, 0)).collect(),
            events: Vec::new(),
            control: 0,
            fences: Vec::new(),
            output: Vec::new(),
        }
    }

    fn value(&self, expression: &Expression) -> Result<Tainted, Fault> {
        let mut taint = 0;
        expression.registers(&mut |register| taint |= self.registers[usize::from(register.0)].1);
        let held = |register: super::Register| Some(self.registers[usize::from(register.0)].0);
        let value = expression.evaluate(&held)?;
        Ok(Tainted(value.expect("every register is known"), taint))
    }

    /// Adds an event that depends on the events `after`, and gives back its bit.
    fn event(
        &mut self,
        kind: Option<AccessKind>,
        reads: Vec<(Location, Value)>,
        writes: Vec<(Location, Value)>,
        address: u64,
        value: u64,
    ) -> Result<u64, NotEnumerated> {
        let number = self.events.len();
        if number >= MOST_EVENTS {
            return Err(NotEnumerated::TooLong);
        }
        let mut fenced = 0;
        for (fence, passed) in &self.fences {
            if kind.is_some_and(|kind| !fence.makes_wait(kind)) {
                continue;
            }
            for (earlier, event) in self.events[..*passed].iter().enumerate() {
                if event.kind.is_none_or(|kind| fence.holds_back(kind)) {
                    fenced |= 1 << earlier;
                }
            }
        }
        self.events.push(Event {
            kind,
            reads,
            writes,
            after: self.control | address | value | fenced,
            value_after: value | address | self.control,
        });
        // Until an address is known, nothing behind it knows whether it is to the same location.
        self.control |= address;
        Ok(1 << number)
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

    fn location(&self, address: Value) -> Result<Location, Fault> {
        match address {
            Value::Address(at) if usize::from(at.0) < self.program.variables.len() => Ok(at),
            Value::Address(_) => Err(Fault::NoSuchLocation),
            Value::Number(_) => Err(Fault::NumberAsAddress),
        }
    }

    fn kept(&self, location: Location, value: Value) -> Value {
        self.integer(location).keep(value)
    }

    /// The type of what a location holds.
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
                let Tainted(address, taint) = walker.value(&from.0)?;
                let location = self.location(address)?;
                walker.at += 1;
                return self.fork(walker, location, |walker, read| {
                    let reads = vec![(location, read)];
                    let bit = walker.event(Some(AccessKind::Load), reads, Vec::new(), taint, 0)?;
                    walker.registers[usize::from(into.0)] = Tainted(read, bit);
                    Ok(())
                });
            }
            Instruction::Store { to, value } => {
                let Tainted(address, taint) = walker.value(&to.0)?;
                let location = self.location(address)?;
                let Tainted(value, depends) = walker.value(value)?;
                let writes = vec![(location, self.kept(location, value))];
                walker.event(Some(AccessKind::Store), Vec::new(), writes, taint, depends)?;
            }
            Instruction::Update {
                at: place,
                update,
                result,
            } => {
                let Tainted(address, taint) = walker.value(&place.0)?;
                let location = self.location(address)?;
                walker.at += 1;
                return self.fork(walker, location, |walker, read| {
                    let (new, depends) = updated(walker, update, self.integer(location), read)?;
                    let reads = vec![(location, read)];
                    let writes = new.map(|new| (location, self.kept(location, new)));
                    let writes = writes.into_iter().collect();
                    let kind = Some(AccessKind::Update);
                    let bit = walker.event(kind, reads, writes, taint, depends)?;
                    if let Some((into, returned)) = result {
                        let result = match returned {
                            Returned::Old => read,
                            Returned::Success => Value::Number(i64::from(new.is_some())),
                        };
                        walker.registers[usize::from(into.0)] = Tainted(result, bit);
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
                walker.control |= taint;
                if condition == Value::Number(0) {
                    next = *otherwise;
                }
            }
            Instruction::Jump(target) => next = *target,
            Instruction::Assert(condition) => {
                let Tainted(condition, taint) = walker.value(condition)?;
                walker.control |= taint;
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
                    fork.registers[usize::from(into.0)] = Tainted(*value, 0);
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
            if walker.jumps == self.program.backward_jumps {
                return Ok(Next::Stop(ThreadEnd::CutOff));
            }
            walker.jumps += 1;
        }
        walker.at = next;
        Ok(Next::On)
    }

    /// One walker for each value that may be read at `location`.
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

    /// Walks through an atomic block in all ways, each of which ends as one event.
    fn block(&self, mut block: Block, end: usize, done: &mut Vec<Walker>) -> Result<(), Halt> {
        while block.at < end && block.failed.is_none() {
            let at = block.at;
            let mut next = at + 1;
            let instruction = &self.program.threads[self.thread].code[at];
            let value = |of: &Expression| block.walker.value(of).map(|value| value.0);
            match instruction {
                Instruction::Assign { into, value: of } => {
                    let of = value(of)?;
                    block.walker.registers[usize::from(into.0)] = Tainted(of, 0);
                }
                Instruction::Load { from: place, .. } | Instruction::Update { at: place, .. } => {
                    let location = self.location(value(&place.0)?)?;
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
                    let (location, of) = (self.location(value(&to.0)?)?, value(of)?);
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
        // A failure in a block leaves its thread where nothing more can be guessed of it: `walk` sees
        // the same assertion fail again, from registers alone.
        let mut walker = block.walker;
        let written = block.memory.iter();
        let writes = written
            .filter(|(_, (_, written))| *written == Written::Yes)
            .map(|(location, (value, _))| (*location, *value));
        let writes = writes.collect();
        // With as many events as there may be, the next one is refused.
        let everything = u64::MAX.unbounded_shr((MOST_EVENTS - walker.events.len()) as u32);
        let bit = walker.event(None, block.reads, writes, everything, 0)?;
        walker.control |= bit;
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
                block.walker.registers[usize::from(into.0)] = Tainted(read, 0);
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
                    block.walker.registers[usize::from(into.0)] = Tainted(result, 0);
                }
            }
            other => unreachable!("{other:?} does not read"),
        }
        Ok(())
    }
}

/// What an update writes where it reads `read` from a location of this type, and what that depends
/// on.
fn updated(
    walker: &Walker,
    update: &Update,
    integer: Integer,
    read: Value,
) -> Result<(Option<Value>, u64), Fault> {
    Ok(match update {
        Update::CompareAndSwap { expected, desired } => {
            let (expected, desired) = (walker.value(expected)?, walker.value(desired)?);
            let new = (read == integer.keep(expected.0)).then_some(desired.0);
            (new, expected.1 | desired.1)
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

/// An atomic block on its way.
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

/// How a walk goes on.
enum Next {
    On,
    Stop(ThreadEnd),
    Fork(Vec<Walker>),
}

/// Why a walk ends without a run.
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

/// What comes before what, always transitively closed: of each event the later ones, by their bits.
#[derive(Clone)]
struct Order(Vec<u64>);

impl Order {
    fn new(events: usize) -> Self {
        Self(vec![0; events])
    }

    /// Adds that `before` comes before `after`; false if that makes a cycle.
    fn add(&mut self, before: usize, after: usize) -> bool {
        if before == after || self.0[after] >> before & 1 == 1 {
            return false;
        }
        if self.0[before] >> after & 1 == 0 {
            let more = self.0[after] | 1 << after;
            for (event, later) in self.0.iter_mut().enumerate() {
                if event == before || *later >> before & 1 == 1 {
                    *later |= more;
                }
            }
        }
        true
    }
}

/// An event of a combination of runs.
#[derive(Clone, Copy)]
struct Numbered<'a> {
    thread: usize,
    /// The number of the first event of its thread.
    first: usize,
    event: &'a Event,
}

/// The search for executions.
struct Search<'a> {
    program: &'a Program,
    model: MemoryModel,
    limit: u64,
    candidates: u64,
    found: BTreeSet<Outcome>,
}

impl Search<'_> {
    /// Combines the runs of the threads in all ways.
    fn combine<'r>(
        &mut self,
        runs: &'r [Vec<Run>],
        chosen: &mut Vec<&'r Run>,
    ) -> Result<(), NotEnumerated> {
        let Some(of_this_thread) = runs.get(chosen.len()) else {
            return self.executions(chosen);
        };
        for run in of_this_thread {
            chosen.push(run);
            self.combine(runs, chosen)?;
            chosen.pop();
        }
        Ok(())
    }

    /// Looks for executions that consist of these runs.
    fn executions(&mut self, runs: &[&Run]) -> Result<(), NotEnumerated> {
        let mut events = Vec::new();
        for (thread, run) in runs.iter().enumerate() {
            let first = events.len();
            events.extend(run.events.iter().map(|event| Numbered {
                thread,
                first,
                event,
            }));
        }
        if events.len() > MOST_EVENTS {
            return Err(NotEnumerated::TooLong);
        }
        let mut global = Order::new(events.len());
        if !self.keep_program_order(&events, &mut global) {
            return Ok(());
        }
        let memory = self.program.initial_memory();
        self.locate(runs, &events, global, memory, 0)
    }

    /// The part of program order that the model keeps.
    fn keep_program_order(&self, events: &[Numbered<'_>], global: &mut Order) -> bool {
        for (later, b) in events.iter().enumerate() {
            for (earlier, a) in events.iter().enumerate().take(later).skip(b.first) {
                let kept = match (a.event.kind, b.event.kind) {
                    (Some(before), Some(kind)) => {
                        let place = |event: &Event| {
                            event
                                .reads
                                .iter()
                                .chain(&event.writes)
                                .next()
                                .map(|at| at.0)
                        };
                        match place(a.event) == place(b.event) {
                            true => self.model.orders_same_location(before, kind),
                            false => self.model.orders(before, kind),
                        }
                    }
                    _ => true,
                };
                let depends = b.event.after >> (earlier - b.first) & 1 == 1;
                if (kept || depends) && !global.add(earlier, later) {
                    return false;
                }
            }
        }
        true
    }

    /// Chooses co and rf of one location after the other.
    fn locate(
        &mut self,
        runs: &[&Run],
        events: &[Numbered<'_>],
        global: Order,
        memory: Vec<Value>,
        number: usize,
    ) -> Result<(), NotEnumerated> {
        if number == self.program.variables.len() {
            self.found.insert(outcome(runs, memory));
            return Ok(());
        }
        let location = Location(number as u16);
        let value = |pairs: &[(Location, Value)]| {
            let pair = pairs.iter().find(|(at, _)| *at == location);
            pair.map(|(_, value)| *value)
        };
        let mut writes = Vec::new();
        let mut reads = Vec::new();
        let mut coherence = Order::new(events.len());
        for (number, of) in events.iter().enumerate() {
            writes.extend(value(&of.event.writes).map(|value| (number, value)));
            reads.extend(value(&of.event.reads).map(|value| (number, value)));
            for (earlier, before) in events.iter().enumerate().take(number).skip(of.first) {
                if of.event.touches(location) && before.event.touches(location) {
                    // Program order alone has no cycle.
                    coherence.add(earlier, number);
                }
            }
        }
        let mut choice = Choice {
            initial: memory[number],
            writes,
            reads,
            co: Vec::new(),
            found: Vec::new(),
        };
        choice.order_writes(events, &coherence, &global);
        self.candidates += choice.found.len() as u64 + 1;
        if self.candidates > self.limit {
            return Err(NotEnumerated::TooMany { limit: self.limit });
        }
        for (global, last) in choice.found {
            let mut memory = memory.clone();
            memory[number] = last;
            self.locate(runs, events, global, memory, number + 1)?;
        }
        Ok(())
    }
}

/// The choice of co and rf at one location.
struct Choice {
    initial: Value,
    writes: Vec<(usize, Value)>,
    reads: Vec<(usize, Value)>,
    co: Vec<(usize, Value)>,
    /// The global orders that have no cycle, each with the value that is left in memory.
    found: Vec<(Order, Value)>,
}

impl Choice {
    /// Chooses the next write in co, in all ways.
    fn order_writes(&mut self, events: &[Numbered<'_>], coherence: &Order, global: &Order) {
        if self.co.len() == self.writes.len() {
            return self.read(events, coherence.clone(), global.clone(), 0);
        }
        for write in self.writes.clone() {
            if self.co.contains(&write) {
                continue;
            }
            let (mut coherence, mut global) = (coherence.clone(), global.clone());
            let fits = self
                .co
                .last()
                .is_none_or(|last| coherence.add(last.0, write.0) && global.add(last.0, write.0));
            if fits {
                self.co.push(write);
                self.order_writes(events, &coherence, &global);
                self.co.pop();
            }
        }
    }

    /// Chooses what the next read reads from, in all ways.
    fn read(&mut self, events: &[Numbered<'_>], coherence: Order, global: Order, next: usize) {
        let Some(&(read, value)) = self.reads.get(next) else {
            let last = self.co.last().map_or(self.initial, |(_, value)| *value);
            self.found.push((global, last));
            return;
        };
        // Position 0 is the initial value, position n the n-th write in co.
        for position in 0..=self.co.len() {
            let source = position.checked_sub(1).map(|position| self.co[position]);
            if source.map_or(self.initial, |(_, value)| value) != value
                || source.is_some_and(|(write, _)| write == read)
            {
                continue;
            }
            let (mut coherence, mut global) = (coherence.clone(), global.clone());
            let mut fits = true;
            if let Some((write, _)) = source {
                fits = coherence.add(write, read);
                if events[write].thread != events[read].thread {
                    fits = fits && global.add(write, read);
                } else {
                    let first = events[write].first;
                    let reads = events[write].event.value_after;
                    let mut reads = (0..MOST_EVENTS).filter(|bit| reads >> bit & 1 == 1);
                    fits = fits && reads.all(|earlier| global.add(first + earlier, read));
                }
            }
            let mut later = self.co[position..]
                .iter()
                .filter(|(write, _)| *write != read);
            fits = fits
                && later.all(|(write, _)| coherence.add(read, *write) && global.add(read, *write));
            if fits {
                self.read(events, coherence, global, next + 1);
            }
        }
    }
}

fn outcome(runs: &[&Run], memory: Vec<Value>) -> Outcome {
    let threads = runs.iter().map(|run| ThreadOutcome {
        end: run.end,
        output: run.output.clone(),
        kept: run.kept.clone(),
    });
    Outcome {
        memory,
        threads: threads.collect(),
    }
}
