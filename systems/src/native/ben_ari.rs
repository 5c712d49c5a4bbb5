//! Ben-Ari's collector on real threads, small and sequentially consistent.
//!
//! Source: Havelund & Shankar, *A Refinement Proof for a Garbage Collector*, sections 4–6, Figs. 8 and
//! 12–14; [`ben_ari`](crate::ben_ari) is the model. Nodes have sons; no cell is null; inaccessible nodes
//! are appended to the free list, which begins in cell (0, 0).
//!
//! Every access is `SeqCst`: the proof is for sequentially consistent memory, and on x86-64 that
//! compiles each store to an exchange.
//!
//! Deviations.
//!
//! - D1: the mutator does not write cell (0, 0), nor any cell of a node that it cannot reach. An append is
//!   several stores here; a store of the mutator in between would be lost, or would truncate the free list.
//! - D2: one mutator, as in the paper, so its knowledge of the memory is exact: see
//!   `Mutator::redirect`.

use std::sync::Arc;

use refmap::random::Generator;
use refmap_histories::{Recorder, ThreadLog};
use serde::{Deserialize, Serialize};

use super::primitives::{self, AtomicBool, AtomicU32, Ordering, thread};

/// A seeded fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// The mutator colours and then redirects: the order that Dijkstra et al. and Ben-Ari proposed, and
    /// Pixley and van de Snepscheut refuted [section 1].
    ColourFirst,
    /// The mutator does not colour [Fig. 8].
    NoColour,
    /// The collector makes one pass over the memory, and does not count [Fig. 13].
    NoCount,
}

impl Fault {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The bounds of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Number of nodes.
    pub nodes: u32,
    /// Number of sons of a node.
    pub sons: u32,
    /// Number of roots, which are the first nodes.
    pub roots: u32,
}

impl Bounds {
    /// The most nodes that are run and validated.
    pub const MOST_NODES: u32 = 1 << 16;
    /// The most sons.
    pub const MOST_SONS: u32 = 16;

    /// The bounds, if they are valid.
    ///
    /// # Errors
    ///
    /// If there is none of something, or there are more roots than nodes.
    pub fn validate(self) -> Result<Self, BoundsError> {
        let Self { nodes, sons, roots } = self;
        if nodes == 0 || sons == 0 || roots == 0 || roots > nodes {
            return Err(BoundsError { nodes, sons, roots });
        }
        Ok(self)
    }
}

/// Error: the bounds are not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{nodes} nodes of {sons} sons with {roots} roots; a memory has at least one of each, and no more roots than nodes"
)]
pub struct BoundsError {
    /// The given number of nodes.
    pub nodes: u32,
    /// The given number of sons.
    pub sons: u32,
    /// The given number of roots.
    pub roots: u32,
}

/// Violation: the collector appended a node that the mutator can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "node {node} is accessible, and its son {son} was {was} and is {is}: it was appended to the free list"
)]
pub struct Appended {
    pub node: u32,
    /// The index of the cell.
    pub son: u32,
    /// The value that the mutator knows.
    pub was: u32,
    /// The value found.
    pub is: u32,
}

/// Recorded events: those that simulate steps of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The mutator redirected a cell.
    Redirect {
        /// The node of the cell.
        node: u32,
        /// The index of the cell.
        son: u32,
        /// The target.
        to: u32,
    },
    /// The collector put a node in front of the free list.
    Append { node: u32 },
}

/// Runs `done`, and records it if there is a log.
fn recorded<T>(log: &mut Option<ThreadLog<Event>>, event: Event, done: impl FnOnce() -> T) -> T {
    let begin = log.as_mut().map(ThreadLog::begin);
    let done = done();
    if let (Some(log), Some(begin)) = (log, begin) {
        log.end(begin, event);
    }
    done
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Cycles of the collector.
    pub cycles: u64,
    /// Nodes appended to the free list.
    pub appended: u64,
    /// Passes over the memory to propagate black.
    pub passes: u64,
    /// Cells redirected by the mutator.
    pub redirected: u64,
    /// Nodes made inaccessible by the mutator.
    pub dropped: u64,
    /// Cells of accessible nodes that were compared with the mutator's knowledge.
    pub compared: u64,
}

/// The memory, and the colours.
struct Memory {
    bounds: Bounds,
    fault: Fault,
    cells: Box<[AtomicU32]>,
    black: Box<[AtomicBool]>,
    ended: AtomicBool,
}

impl Memory {
    fn cell(&self, node: u32, son: u32) -> &AtomicU32 {
        &self.cells[(node * self.bounds.sons + son) as usize]
    }

    fn son(&self, node: u32, son: u32) -> u32 {
        self.cell(node, son).load(Ordering::SeqCst)
    }

    fn set_son(&self, node: u32, son: u32, to: u32) {
        self.cell(node, son).store(to, Ordering::SeqCst);
    }

    fn is_black(&self, node: u32) -> bool {
        self.black[node as usize].load(Ordering::SeqCst)
    }

    fn colour(&self, node: u32, black: bool) {
        self.black[node as usize].store(black, Ordering::SeqCst);
    }
}

/// Number of nodes between two looks at whether the run has ended.
const NODES: u32 = 64;

/// The collector [Figs. 12–14].
struct Collector {
    memory: Arc<Memory>,
    counts: Counts,
    noise: Generator,
    log: Option<ThreadLog<Event>>,
}

impl Collector {
    /// True if the run has ended, which is asked at some nodes: a pass over a large memory takes long, and blackens a long list by
    /// one node where it points backwards, so that a cycle can take as many passes as there are nodes.
    fn has_ended(&self, node: u32) -> bool {
        node % NODES == NODES - 1 && self.memory.ended.load(Ordering::SeqCst)
    }

    fn cycle(&mut self) {
        let Bounds { nodes, roots, .. } = self.memory.bounds;
        for root in 0..roots {
            self.memory.colour(root, true);
        }
        let mut counted = 0;
        loop {
            if !self.propagate() {
                return;
            }
            let blacks = (0..nodes)
                .filter(|node| self.memory.is_black(*node))
                .count();
            if blacks == counted || self.memory.fault == Fault::NoCount {
                break;
            }
            counted = blacks;
        }
        for node in 0..nodes {
            if self.has_ended(node) {
                return;
            }
            if self.memory.is_black(node) {
                self.memory.colour(node, false)
            } else {
                self.append(node)
            }
        }
        self.counts.cycles += 1;
    }

    /// The sons of black nodes become black, in one pass; returns whether it is complete.
    fn propagate(&mut self) -> bool {
        let Bounds { nodes, sons, .. } = self.memory.bounds;
        self.counts.passes += 1;
        for node in 0..nodes {
            if self.has_ended(node) {
                return false;
            }
            linger(&mut self.noise);
            if self.memory.is_black(node) {
                for son in 0..sons {
                    self.memory.colour(self.memory.son(node, son), true);
                }
            }
        }
        true
    }

    /// Puts a node in front of the free list.
    fn append(&mut self, node: u32) {
        let memory = &self.memory;
        recorded(&mut self.log, Event::Append { node }, || {
            let first = memory.son(0, 0);
            for son in 0..memory.bounds.sons {
                memory.set_son(node, son, first);
            }
            memory.set_son(0, 0, node);
        });
        self.counts.appended += 1;
    }
}

/// The mutator [Fig. 8].
struct Mutator {
    memory: Arc<Memory>,
    /// Known values of the cells of accessible nodes.
    known: Vec<Option<u32>>,
    /// The cell that points to what is being hidden.
    hidden: Option<(u32, u32)>,
    counts: Counts,
    choice: Generator,
    log: Option<ThreadLog<Event>>,
}

impl Mutator {
    /// The nodes that are accessible once cell (n, i) is redirected to k.
    /// Each cell is compared with its known value: the collector changes only (0, 0).
    fn accessible(&mut self, redirected: Option<(u32, u32, u32)>) -> Result<Vec<bool>, Appended> {
        let Bounds { nodes, sons, roots } = self.memory.bounds;
        let mut reached: Vec<bool> = (0..nodes).map(|node| node < roots).collect();
        let mut work: Vec<u32> = (0..roots).collect();
        while let Some(node) = work.pop() {
            for son in 0..sons {
                let is = self.memory.son(node, son);
                let known = &mut self.known[(node * sons + son) as usize];
                if (node, son) != (0, 0) {
                    self.counts.compared += u64::from(known.is_some());
                    let was = known.replace(is).unwrap_or(is);
                    if was != is {
                        return Err(Appended { node, son, was, is });
                    }
                }
                let to = match redirected {
                    Some((n, i, k)) if (n, i) == (node, son) => k,
                    _ => is,
                };
                if !std::mem::replace(&mut reached[to as usize], true) {
                    work.push(to);
                }
            }
        }
        Ok(reached)
    }

    /// The end of a random walk from a root.
    fn walk(&mut self) -> u32 {
        let Bounds { sons, roots, .. } = self.memory.bounds;
        let mut node = self.choice.below(roots as usize) as u32;
        for _ in 0..self.choice.below(5) {
            node = self
                .memory
                .son(node, self.choice.below(sons as usize) as u32);
        }
        node
    }

    /// A cell of an accessible node, if the mutator may write it.
    fn some_cell(&mut self) -> Option<(u32, u32)> {
        let sons = self.memory.bounds.sons as usize;
        let cell = (self.walk(), self.choice.below(sons) as u32);
        (cell != (0, 0)).then_some(cell)
    }

    /// Redirects a random cell to a random accessible node; or hides a node from the collector: redirects another cell
    /// to it, and then removes the old path, often repeatedly for the same node.
    fn step(&mut self) -> Result<(), Appended> {
        let Some(cell) = self.some_cell() else {
            return Ok(());
        };
        if self.choice.below(2) == 0 {
            let to = self.walk();
            return self.redirect(cell, to);
        }
        let was = match self.hidden {
            Some(was) if self.choice.below(8) > 0 => was,
            _ => match self.some_cell() {
                Some(was) => was,
                None => return Ok(()),
            },
        };
        // A redirection in between may have made it inaccessible.
        if was == cell || !self.accessible(None)?[was.0 as usize] {
            self.hidden = None;
            return Ok(());
        }
        self.hidden = Some(cell);
        self.redirect(cell, self.memory.son(was.0, was.1))?;
        let root = self.choice.below(self.memory.bounds.roots as usize) as u32;
        self.redirect(was, root)
    }

    /// Redirects a cell of a node, if that is accessible, to an accessible node, and colours that.
    ///
    /// Knowledge of nodes that become inaccessible is discarded before: afterwards the collector may append them. The
    /// cells of nodes that remain accessible are known, since no other thread writes them.
    fn redirect(&mut self, (n, i): (u32, u32), k: u32) -> Result<(), Appended> {
        let sons = self.memory.bounds.sons;
        let before = self.accessible(None)?;
        if !before[n as usize] {
            return Ok(());
        }
        let reached = self.accessible(Some((n, i, k)))?;
        for (node, reached) in reached.iter().enumerate() {
            if !reached {
                let cells = node * sons as usize..(node + 1) * sons as usize;
                self.known[cells].fill(None);
                self.counts.dropped += u64::from(before[node]);
            }
        }
        let memory = Arc::clone(&self.memory);
        if memory.fault == Fault::ColourFirst {
            memory.colour(k, true);
            linger(&mut self.choice);
        }
        self.known[(n * sons + i) as usize] = Some(k);
        let event = Event::Redirect {
            node: n,
            son: i,
            to: k,
        };
        recorded(&mut self.log, event, || memory.set_son(n, i, k));
        if !matches!(memory.fault, Fault::ColourFirst | Fault::NoColour) {
            linger(&mut self.choice);
            memory.colour(k, true);
        }
        self.counts.redirected += 1;
        Ok(())
    }
}

/// Yields or sleeps at random, so that the other thread interleaves.
fn linger(choice: &mut Generator) {
    match choice.below(64) {
        0 => primitives::dwell(),
        1..8 => thread::yield_now(),
        _ => (),
    }
}

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Counters.
    pub counts: Counts,
    /// The violation, if there is one.
    pub violation: Option<Appended>,
}

/// Runs the mutator, which redirects random cells, for at most `steps` steps and while `goes_on` returns true,
/// concurrently with cycles of the collector. Initially every cell points to node 0. A recorder, if there is one,
/// records both.
///
/// # Errors
///
/// If the bounds are not valid.
pub fn run(
    bounds: Bounds,
    fault: Fault,
    seed: u64,
    steps: u64,
    recorder: Option<&Recorder<Event>>,
    goes_on: impl Fn() -> bool,
) -> Result<Outcome, BoundsError> {
    let Bounds { nodes, sons, .. } = bounds.validate()?;
    let cells = (nodes * sons) as usize;
    let memory = Arc::new(Memory {
        bounds,
        fault,
        cells: (0..cells).map(|_| AtomicU32::new(0)).collect(),
        black: (0..nodes).map(|_| AtomicBool::new(false)).collect(),
        ended: AtomicBool::new(false),
    });
    let mut collector = Collector {
        memory: Arc::clone(&memory),
        counts: Counts::default(),
        noise: Generator::numbered(seed, 1),
        log: recorder.map(Recorder::thread),
    };
    let collector = thread::spawn(move || {
        while !collector.memory.ended.load(Ordering::SeqCst) {
            collector.cycle();
        }
        collector.counts
    });
    let mut mutator = Mutator {
        memory: Arc::clone(&memory),
        known: vec![None; cells],
        hidden: None,
        counts: Counts::default(),
        choice: Generator::numbered(seed, 0),
        log: recorder.map(Recorder::thread),
    };
    let mut violation = None;
    for _ in 0..steps {
        violation = mutator.step().err();
        if violation.is_some() || !goes_on() {
            break;
        }
    }
    memory.ended.store(true, Ordering::SeqCst);
    let collected = collector.join().expect("the collector does not panic");
    let counts = Counts {
        cycles: collected.cycles,
        appended: collected.appended,
        passes: collected.passes,
        ..mutator.counts
    };
    Ok(Outcome { counts, violation })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A collector of a memory that is one list, which points backwards: a pass blackens one more node of it.
    fn collector(nodes: u32, ended: bool) -> Collector {
        let bounds = Bounds {
            nodes,
            sons: 1,
            roots: 1,
        };
        let before = |node: u32| node.checked_sub(1).unwrap_or(nodes - 1);
        let memory = Memory {
            bounds,
            fault: Fault::None,
            cells: (0..nodes).map(before).map(AtomicU32::new).collect(),
            black: (0..nodes).map(|_| AtomicBool::new(false)).collect(),
            ended: AtomicBool::new(ended),
        };
        Collector {
            memory: Arc::new(memory),
            counts: Counts::default(),
            noise: Generator::numbered(0, 1),
            log: None,
        }
    }

    #[test]
    fn a_cycle_ends_with_the_run() {
        let mut whole = collector(10, false);
        whole.cycle();
        // The last pass finds that there is nothing more.
        assert_eq!((whole.counts.cycles, whole.counts.passes), (1, 9));
        let mut ended = collector(Bounds::MOST_NODES, true);
        ended.cycle();
        assert_eq!((ended.counts.cycles, ended.counts.passes), (0, 1));
        let is_black = |node: &u32| ended.memory.is_black(*node);
        let blackened: Vec<u32> = (0..Bounds::MOST_NODES).filter(is_black).collect();
        assert_eq!(blackened, [0, Bounds::MOST_NODES - 1]);
    }
}
