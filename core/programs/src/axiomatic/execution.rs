//! Candidate executions of one combination of runs, with one run per thread.

use std::collections::BTreeSet;

use refmap::IndexSet;

use super::error::NotEnumerated;
use super::event::{Event, MOST_EVENTS};
use super::run::Run;
use crate::expression::{Location, Value};
use crate::model::MemoryModel;
use crate::outcome::{Outcome, ThreadOutcome};
use crate::program::Program;

/// Collects the outcomes of the executions that combine one of these runs per thread.
pub(super) fn executions(
    program: &Program,
    model: MemoryModel,
    limit: u64,
    runs: &[Vec<Run>],
) -> Result<BTreeSet<Outcome>, NotEnumerated> {
    let mut search = Search {
        program,
        model,
        limit,
        candidates: 0,
        found: BTreeSet::new(),
    };
    search.combine(runs, &mut Vec::new())?;
    Ok(search.found)
}

/// Transitively closed order on events: the later events, for each event.
#[derive(Clone)]
struct Order(Vec<IndexSet>);

impl Order {
    fn new(events: usize) -> Self {
        Self(vec![IndexSet::EMPTY; events])
    }

    /// Adds the pair and closes the order; returns false if that makes a cycle.
    fn add(&mut self, before: usize, after: usize) -> bool {
        if before == after || self.0[after].contains(before) {
            return false;
        }
        if !self.0[before].contains(after) {
            let mut more = self.0[after];
            more.insert(after);
            for (event, later) in self.0.iter_mut().enumerate() {
                if event == before || later.contains(before) {
                    *later = later.union(more);
                }
            }
        }
        true
    }
}

/// Event of a combination of runs.
#[derive(Clone, Copy)]
struct Numbered<'a> {
    thread: usize,
    /// Number of the first event of its thread.
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
    /// Enumerates all combinations of one run per thread.
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

    /// Enumerates the executions of a combination of runs.
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

    /// Adds the preserved program order of the model.
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
                        if place(a.event) == place(b.event) {
                            self.model.orders_same_location(before, kind)
                        } else {
                            self.model.orders(before, kind)
                        }
                    }
                    _ => true,
                };
                let depends = b.event.after.contains(earlier - b.first);
                if (kept || depends) && !global.add(earlier, later) {
                    return false;
                }
            }
        }
        true
    }

    /// Chooses co and rf for one location after another.
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
    /// Acyclic global orders, each with the final value of the location.
    found: Vec<(Order, Value)>,
}

impl Choice {
    /// Enumerates the choices of the next write in co.
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

    /// Enumerates the choices of the write that the next read reads from.
    fn read(&mut self, events: &[Numbered<'_>], coherence: Order, global: Order, next: usize) {
        let Some(&(read, value)) = self.reads.get(next) else {
            let last = self.co.last().map_or(self.initial, |(_, value)| *value);
            self.found.push((global, last));
            return;
        };
        // Position 0 is the initial value, and position n the n-th write in co.
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
                    let mut reads = events[write].event.value_after.iter();
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
