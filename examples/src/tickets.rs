//! A ring buffer of two producers and two consumers: threads that are alike, and tickets of which only the differences matter.
//!
//! The one idea: a ticket has no bound, and what its number is never matters. By hand tickets are counted modulo something, which has to be large enough,
//! and multiplies the states by itself. A [`Counter`] says that only differences matter, and states that are a shift of each other are one. The
//! threads are the elements of one vector, `symmetric`, and states that exchange threads are one, too. That both is so is tested on the way.
//!
//! The buffer is that of Vyukov, *Bounded MPMC Queue*, 1024cores.net: a cell is for one ticket at a time, and a producer waits until the cell is for its
//! own. Deviations. D1: a cell says its ticket and whether it is full, where his have one number for both. D2: a thread that lags more than two tickets behind is
//! not looked at, which is a constraint: it finds that its ticket is out of date in any case.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::obligation::{Checker, Symmetry};
use refmap::{
    Action, Constraint, Counter, Refinement, Report, Settings, State, TransitionSystem, guard,
};
use serde::Serialize;

const THREADS: usize = 4;
const CELLS: i64 = 2;
const VALUES: u8 = 2;
/// Tickets that a thread may lag behind.
const LAG: i64 = 2;

// ANCHOR: state
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Ring {
    /// The next ticket of producers, and of consumers.
    tail: Counter,
    head: Counter,
    /// In the order of their tickets.
    cells: Vec<Cell>,
    #[state(symmetric)]
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Cell {
    ticket: Counter,
    #[state(range = 0..VALUES)]
    value: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Thread {
    /// A producer, which may have read a ticket,
    Producer(Option<Counter>),
    /// and one whose ticket it is.
    Filling(Counter, #[state(range = 0..VALUES)] u8),
    /// A consumer, which may have read a ticket,
    Consumer(Option<Counter>),
    /// and one whose ticket it is.
    Emptying(Counter),
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

/// Way in which tickets are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tickets {
    /// Modulo a number, by hand.
    Modulo(u64),
    /// Without a bound.
    Unbounded,
}

/// Condition under which a producer claims a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claims {
    EmptyCell,
    /// None. Wrong: the cell may be full.
    AnyCell,
}

/// The implementation.
struct Buffer {
    tickets: Tickets,
    claims: Claims,
}

impl Buffer {
    fn after(&self, ticket: Counter, steps: i64) -> Counter {
        let later = ticket + steps as u64;
        match self.tickets {
            Tickets::Modulo(modulus) => Counter::new((later - Counter::ZERO) as u64 % modulus),
            Tickets::Unbounded => later,
        }
    }

    /// Tickets from one to a later one.
    fn distance(&self, from: Counter, to: Counter) -> i64 {
        match self.tickets {
            Tickets::Modulo(modulus) => (to - from).rem_euclid(modulus as i64),
            Tickets::Unbounded => to - from,
        }
    }

    /// Writes a cell for a ticket in the place of that which is where it belongs.
    fn write(cells: &mut [Cell], ticket: Counter, written: Cell) {
        let is_there = |cell: &Cell| (cell.ticket - ticket).rem_euclid(CELLS) == 0;
        if let Some(place) = cells.iter().position(is_there) {
            cells[place] = written;
        }
        cells.sort();
    }

    /// The value of a ticket: in its cell, or still in the hands of a producer. It may be lost.
    fn value(from: &Ring, ticket: Counter) -> Option<u8> {
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
            ticket: Counter::new(ticket),
            value: None,
        };
        let thread = |number| match number % 2 {
            0 => Thread::Producer(None),
            _ => Thread::Consumer(None),
        };
        visit(Ring {
            tail: Counter::ZERO,
            head: Counter::ZERO,
            cells: (0..CELLS as u64).map(cell).collect(),
            threads: (0..THREADS).map(thread).collect(),
        });
    }

    fn fire(&self, step: &Step, ring: &mut Ring) -> Option<()> {
        let is_next = |end: Counter, ticket| guard("the ticket is the next one", ticket == end);
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
                ring.tail = self.after(ticket, 1);
                ring.threads[thread] = Thread::Filling(ticket, value);
            }
            Step::Fill(thread) => {
                let Thread::Filling(ticket, value) = ring.threads[thread] else {
                    return None;
                };
                let value = Some(value);
                Self::write(&mut ring.cells, ticket, Cell { ticket, value });
                ring.threads[thread] = Thread::Producer(None);
            }
            Step::Take(thread) => {
                let Thread::Consumer(Some(ticket)) = ring.threads[thread] else {
                    return None;
                };
                let is_full = |cell: &Cell| cell.ticket == ticket && cell.value.is_some();
                is_next(ring.head, ticket)?;
                guard("its cell is full", ring.cells.iter().any(is_full))?;
                ring.head = self.after(ticket, 1);
                ring.threads[thread] = Thread::Emptying(ticket);
            }
            Step::Empty(thread) => {
                let Thread::Emptying(ticket) = ring.threads[thread] else {
                    return None;
                };
                let free = Cell {
                    ticket: self.after(ticket, CELLS),
                    value: None,
                };
                Self::write(&mut ring.cells, ticket, free);
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
        let count = self.0.distance(state.head, state.tail);
        let tickets = (0..count).map(|steps| self.0.after(state.head, steps));
        Queue {
            values: tickets.map(|ticket| Buffer::value(state, ticket)).collect(),
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
        let buffer = Buffer { ..self.0 };
        let is_near = move |state: &Ring| {
            let lags = state.threads.iter().map(|thread| match thread {
                Thread::Producer(Some(ticket)) => buffer.distance(*ticket, state.tail),
                Thread::Consumer(Some(ticket)) => buffer.distance(*ticket, state.head),
                _ => 0,
            });
            lags.max() <= Some(LAG)
        };
        Some(Constraint::new("no thread lags behind", is_near))
    }
}

fn run(tickets: Tickets, claims: Claims, symmetry: Symmetry) -> Report {
    let settings = Settings {
        symmetry,
        ..Settings::default()
    };
    let refinement = BufferIsAQueue(Buffer { tickets, claims });
    Checker::new(&refinement)
        .check(&settings)
        .expect("the settings fit")
}

pub fn main() {
    for claims in [Claims::EmptyCell, Claims::AnyCell] {
        println!("{}", run(Tickets::Modulo(12), claims, Symmetry::None));
        println!("{}", run(Tickets::Unbounded, claims, Symmetry::Full));
    }
}

// Change it: let producers claim odd tickets only if the value is 1. Which row says that it is the ticket itself that matters?

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    /// The row that is violated, and after how many steps.
    fn violation(report: &Report) -> (&str, usize) {
        let shown = report.counterexample.as_ref().expect("it is violated");
        (&shown.obligation, shown.length)
    }

    /// The figures of the book's page on scale.
    #[test]
    fn all_forms_decide_the_same_of_fewer_states() {
        for (tickets, symmetry, states, depth) in [
            (Tickets::Modulo(8), Symmetry::None, 23_168, 64),
            (Tickets::Modulo(12), Symmetry::None, 34_752, 88),
            (Tickets::Unbounded, Symmetry::Full, 883, 22),
        ] {
            let report = run(tickets, Claims::EmptyCell, symmetry);
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
            assert_eq!((report.states, report.depth), (states, depth), "{report}");
            let broken = run(tickets, Claims::AnyCell, symmetry);
            assert_eq!(violation(&broken), ("simulation", 7), "{broken}");
        }
    }

    /// A modulus is a number that matters.
    #[test]
    fn tickets_by_hand_are_no_counters() {
        let report = run(Tickets::Modulo(12), Claims::EmptyCell, Symmetry::Full);
        assert_eq!(violation(&report).0, "model", "{report}");
        let told = "next does not commute with a shift of all counters";
        assert!(report.to_string().contains(told), "{report}");
    }
}
