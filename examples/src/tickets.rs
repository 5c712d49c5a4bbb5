//! A ring buffer of two producers and two consumers: threads that are alike, and tickets of which only the differences matter.
//!
//! The one idea: a ticket has no bound, and what its number is never matters. By hand tickets are counted modulo something, which has to be large enough,
//! and multiplies the states by itself. A [`Counter`] has no number that could matter, so states that are a shift of each other are one. The
//! threads are the elements of one vector, `symmetric`, and states that exchange threads are one, too, which is tested on the way.
//!
//! The buffer is that of Vyukov, *Bounded MPMC Queue*, 1024cores.net: a cell is for one ticket at a time, and a producer waits until the cell is for its
//! own. Deviations. D1: a cell says its ticket and whether it is full, where his have one number for both. D2: a thread that lags more than two tickets behind is
//! not looked at, which is a constraint: it finds that its ticket is out of date in any case.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::obligation::{Checker, Symmetry};
use refmap::{
    Action, Constraint, Counter, Distance, Refinement, Report, Settings, State, TransitionSystem,
    guard,
};
use serde::Serialize;

const THREADS: usize = 4;
const CELLS: u64 = 2;
const VALUES: u8 = 2;
/// A ticket, of which it can be told how many others it is ahead of, up to that which is for the same cell.
type Ticket = Counter<CELLS>;

// ANCHOR: state
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Ring {
    /// The next ticket of producers, and of consumers.
    tail: Ticket,
    head: Ticket,
    /// In the order of their tickets.
    cells: Vec<Cell>,
    #[state(symmetric)]
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Cell {
    ticket: Ticket,
    #[state(range = 0..VALUES)]
    value: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Thread {
    /// A producer, which may have read a ticket,
    Producer(Option<Ticket>),
    /// and one whose ticket it is.
    Filling(Ticket, #[state(range = 0..VALUES)] u8),
    /// A consumer, which may have read a ticket,
    Consumer(Option<Ticket>),
    /// and one whose ticket it is.
    Emptying(Ticket),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "thread")]
#[process(0..THREADS)]
enum Step {
    /// A thread reads its next ticket,
    Read(#[process] usize),
    /// and again, if it was not its own.
    GiveUp(#[process] usize),
    /// It is still the next one, and the cell is for it.
    Claim {
        #[process]
        thread: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
    Fill(#[process] usize),
    Take(#[process] usize),
    Empty(#[process] usize),
}
// ANCHOR_END: state

/// Condition under which a producer claims a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claims {
    EmptyCell,
    /// None. Wrong: the cell may be full.
    AnyCell,
}

/// The implementation.
struct Buffer {
    claims: Claims,
}

impl Buffer {
    /// Writes a cell for a ticket in the place of that which is where it belongs.
    fn write(cells: &mut [Cell], written: Cell) {
        let is_there = |cell: &Cell| {
            let steps = written.ticket.ahead(cell.ticket);
            steps == Distance::Exactly(0) || steps == Distance::Exactly(CELLS)
        };
        if let Some(place) = cells.iter().position(is_there) {
            cells[place] = written;
        }
        cells.sort();
    }

    /// The value of a ticket: in its cell, or still in the hands of a producer. It may be lost.
    fn value(from: &Ring, ticket: Ticket) -> Option<u8> {
        let in_cell = from.cells.iter().find(|cell| cell.ticket == ticket);
        let in_hands = || {
            from.threads.iter().find_map(|thread| match thread {
                Thread::Filling(of, value) if *of == ticket => Some(*value),
                _ => None,
            })
        };
        in_cell.and_then(|cell| cell.value).or_else(in_hands)
    }
}

impl TransitionSystem for Buffer {
    type State = Ring;
    type Action = Step;
    type Observation = Vec<Option<u8>>;

    fn initial(&self, visit: &mut impl FnMut(Ring)) {
        let cell = |ticket| Cell {
            ticket,
            value: None,
        };
        let thread = |number| match number % 2 {
            0 => Thread::Producer(None),
            _ => Thread::Consumer(None),
        };
        visit(Ring {
            tail: Ticket::START,
            head: Ticket::START,
            cells: vec![cell(Ticket::START), cell(Ticket::START.next())],
            threads: (0..THREADS).map(thread).collect(),
        });
    }

    fn fire(&self, step: &Step, ring: &mut Ring) -> Option<()> {
        let is_next = |end: Ticket, ticket| guard("the ticket is the next one", ticket == end);
        match *step {
            Step::Read(thread) => {
                ring.threads[thread] = match ring.threads[thread] {
                    Thread::Producer(None) => Thread::Producer(Some(ring.tail)),
                    Thread::Consumer(None) => Thread::Consumer(Some(ring.head)),
                    _ => return None,
                };
            }
            Step::GiveUp(thread) => {
                ring.threads[thread] = match ring.threads[thread] {
                    Thread::Producer(Some(_)) => Thread::Producer(None),
                    Thread::Consumer(Some(_)) => Thread::Consumer(None),
                    _ => return None,
                };
            }
            Step::Claim { thread, value } => {
                let Thread::Producer(Some(ticket)) = ring.threads[thread] else {
                    return None;
                };
                let is_empty = |cell: &Cell| cell.ticket == ticket && cell.value.is_none();
                let may_claim = match self.claims {
                    Claims::EmptyCell => ring.cells.iter().any(is_empty),
                    Claims::AnyCell => true,
                };
                is_next(ring.tail, ticket)?;
                guard("the cell is empty, and for the ticket", may_claim)?;
                ring.tail = ticket.next();
                ring.threads[thread] = Thread::Filling(ticket, value);
            }
            Step::Fill(thread) => {
                let Thread::Filling(ticket, value) = ring.threads[thread] else {
                    return None;
                };
                let value = Some(value);
                Self::write(&mut ring.cells, Cell { ticket, value });
                ring.threads[thread] = Thread::Producer(None);
            }
            Step::Take(thread) => {
                let Thread::Consumer(Some(ticket)) = ring.threads[thread] else {
                    return None;
                };
                let is_full = |cell: &Cell| cell.ticket == ticket && cell.value.is_some();
                is_next(ring.head, ticket)?;
                guard("its cell is full", ring.cells.iter().any(is_full))?;
                ring.head = ticket.next();
                ring.threads[thread] = Thread::Emptying(ticket);
            }
            Step::Empty(thread) => {
                let Thread::Emptying(ticket) = ring.threads[thread] else {
                    return None;
                };
                let free = Cell {
                    ticket: ticket.next().next(),
                    value: None,
                };
                Self::write(&mut ring.cells, free);
                ring.threads[thread] = Thread::Consumer(None);
            }
        }
        Some(())
    }

    /// Values that consumers have in their hands.
    fn observe(&self, state: &Ring) -> Vec<Option<u8>> {
        let hand = |thread: &Thread| match thread {
            Thread::Emptying(ticket) => Self::value(state, *ticket),
            _ => None,
        };
        state.threads.iter().map(hand).collect()
    }
}

/// The specification: a queue of a bounded length, with what threads have taken from it.
struct Bounded;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Queue {
    #[state(range = 0..VALUES)]
    values: Vec<Option<u8>>,
    #[state(symmetric, range = 0..VALUES)]
    hands: Vec<Option<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "thread")]
#[process(0..THREADS)]
enum Operation {
    Enqueue {
        #[process]
        thread: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
    Dequeue(#[process] usize),
    Done(#[process] usize),
}

impl TransitionSystem for Bounded {
    type State = Queue;
    type Action = Operation;
    type Observation = Vec<Option<u8>>;

    fn initial(&self, visit: &mut impl FnMut(Queue)) {
        visit(Queue {
            values: Vec::new(),
            hands: vec![None; THREADS],
        });
    }

    fn fire(&self, operation: &Operation, queue: &mut Queue) -> Option<()> {
        let Queue { values, hands } = queue;
        match *operation {
            Operation::Enqueue { value, .. } => {
                let held = hands.iter().flatten().count();
                guard("there is room", values.len() + held < CELLS as usize)?;
                values.push(Some(value));
            }
            Operation::Dequeue(thread) => {
                guard("the hands are empty", hands[thread].is_none())?;
                guard("there is a value", !values.is_empty())?;
                hands[thread] = values.remove(0);
            }
            Operation::Done(thread) => {
                hands[thread].take()?;
            }
        }
        Some(())
    }

    fn observe(&self, state: &Queue) -> Vec<Option<u8>> {
        state.hands.clone()
    }
}

/// The buffer is a queue: a value is in it when its ticket is claimed.
struct BufferIsAQueue(Buffer);

impl Refinement for BufferIsAQueue {
    type Implementation = Buffer;
    type Specification = Bounded;

    fn implementation(&self) -> &Buffer {
        &self.0
    }

    fn specification(&self) -> &Bounded {
        &Bounded
    }

    fn map(&self, state: &Ring) -> Queue {
        let mut values = Vec::new();
        let mut ticket = state.head;
        while ticket < state.tail {
            values.push(Buffer::value(state, ticket));
            ticket = ticket.next();
        }
        Queue {
            values,
            hands: self.0.observe(state),
        }
    }

    fn abstract_steps(&self, _: &Ring, step: &Step, _: &Ring) -> AbstractSteps<Operation> {
        match *step {
            Step::Claim { thread, value } => One(Operation::Enqueue { thread, value }),
            Step::Take(thread) => One(Operation::Dequeue(thread)),
            Step::Empty(thread) => One(Operation::Done(thread)),
            Step::Read(_) | Step::GiveUp(_) | Step::Fill(_) => Stutter,
        }
    }

    fn constraint(&self) -> Option<Constraint<Buffer>> {
        let is_near = |state: &Ring| {
            let mut lags = state.threads.iter().map(|thread| match thread {
                Thread::Producer(Some(ticket)) => state.tail.ahead(*ticket),
                Thread::Consumer(Some(ticket)) => state.head.ahead(*ticket),
                _ => Distance::Exactly(0),
            });
            lags.all(|lag| lag <= Distance::Exactly(CELLS))
        };
        Some(Constraint::new("no thread lags behind", is_near))
    }
}

fn run(claims: Claims, symmetry: Symmetry) -> Report {
    let settings = Settings {
        symmetry,
        ..Settings::default()
    };
    let refinement = BufferIsAQueue(Buffer { claims });
    Checker::new(&refinement)
        .check(&settings)
        .expect("the settings fit")
}

pub fn main() {
    for claims in [Claims::EmptyCell, Claims::AnyCell] {
        println!("{}", run(claims, Symmetry::Full));
    }
}

// Change it: let producers claim a ticket only if it is not `Ticket::START`. Which row says that it is the ticket itself that matters?

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    /// The figures of the book's page on scale.
    #[test]
    fn the_buffer_is_a_queue() {
        let report = run(Claims::EmptyCell, Symmetry::Full);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.depth), (883, 22), "{report}");
    }

    #[test]
    fn a_full_cell_is_not_claimed() {
        for symmetry in [Symmetry::None, Symmetry::Full] {
            let report = run(Claims::AnyCell, symmetry);
            let shown = report.counterexample.as_ref().expect("it is violated");
            assert_eq!((&*shown.obligation, shown.length), ("simulation", 7));
        }
    }
}
