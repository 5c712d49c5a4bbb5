//! State of a machine: shared memory, and per thread the instructions that are fetched and not yet performed.
//!
//! A register that waits for a pending access refers to it by its position in the queue, not by a unique name, so
//! that equal configurations are equal states.

use std::fmt::{self, Display};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::expression::{Fault, Location, Value};

/// Configuration of a program under a memory model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Contents of each location.
    pub memory: Box<[Value]>,
    /// The threads. A step changes one of them, and the target shares the others with the source state.
    // PERF: store buffering with eight threads takes 4.7 s with shared threads, and 10.8 s without.
    pub threads: Box<[Arc<ThreadState>]>,
}

impl State {
    /// Estimate of the bytes that a search needs for the state. The search holds it twice, and it shares all
    /// threads but one with its predecessor; since that one is unknown, the largest is counted.
    pub(super) fn bytes(&self) -> u64 {
        let own = size_of::<Self>() + size_of_val(&*self.memory) + size_of_val(&*self.threads);
        let thread = self.threads.iter().map(|thread| thread.bytes()).max();
        (2 * own + thread.unwrap_or(0)) as u64
    }

    /// Mutable access to one thread, unshared from other states.
    pub(super) fn thread_mut(&mut self, thread: usize) -> &mut ThreadState {
        Arc::make_mut(&mut self.threads[thread])
    }

    /// Becomes equal to `from`, from which it differs by a step.
    // PERF: counts of the threads that are shared are left alone.
    pub(super) fn put_back(&mut self, from: &Self) {
        self.memory.copy_from_slice(&from.memory);
        for (thread, from) in self.threads.iter_mut().zip(&from.threads) {
            if !Arc::ptr_eq(thread, from) {
                *thread = Arc::clone(from);
            }
        }
    }
}

/// State of a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct ThreadState {
    /// Number of the next instruction to fetch.
    #[state(varint)]
    pub next: u16,
    /// Progress of the thread.
    pub progress: Progress,
    /// Number of backward jumps so far.
    #[state(varint)]
    pub backward_jumps: u8,
    /// Contents of its registers: values, or pending results.
    pub registers: Box<[Operand]>,
    /// Fetched instructions that are not yet performed, in program order.
    pub pending: Vec<Pending>,
    /// Location of its reservation, until another thread writes there.
    #[state(varint)]
    pub reservation: Option<Location>,
    /// Values that it has output.
    pub output: Vec<Value>,
}

impl ThreadState {
    /// Number of the pending instruction at `position`, or of the next instruction, which comes behind these.
    pub(super) fn instruction(&self, position: usize) -> Option<u16> {
        match self.pending.get(position) {
            Some(pending) => Some(pending.at),
            None => (position == self.pending.len()).then_some(self.next),
        }
    }

    /// Loses its reservation, if it has one of this location: another thread has written there.
    pub(super) fn lose(&mut self, location: Location) {
        self.reservation = self.reservation.filter(|reserved| *reserved != location);
    }

    fn bytes(&self) -> usize {
        let pending = self.pending.iter();
        let operands = pending.map(|pending| match &pending.operands {
            Operands::Many(operands) => size_of_val(&**operands),
            Operands::None | Operands::One(_) | Operands::Two(_) => 0,
        });
        let operands: usize = operands.sum();
        size_of::<Self>()
            + size_of_val(&*self.registers)
            + size_of_val(&*self.pending)
            + operands
            + size_of_val(&*self.output)
    }
}

/// Progress of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Running, or at its end.
    Running,
    /// Cut off by the bound on backward jumps. Its fetched instructions are still performed.
    CutOff,
    /// Stopped at a failed assertion, the instruction of this number.
    Failed(#[state(varint)] u16),
    /// Stopped at a fault.
    Faulty(Fault),
}

/// Fetched instruction that is not yet performed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, refmap::State)]
pub struct Pending {
    /// Number of the instruction.
    #[state(varint)]
    pub at: u16,
    /// Contents of the registers that it reads, as of the fetch, in the order of their numbers.
    pub operands: Operands,
}

/// Contents of some registers.
// PERF: most instructions read few, which then take no memory of their own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, refmap::State)]
pub enum Operands {
    /// None.
    None,
    /// One.
    One([Operand; 1]),
    /// Two.
    Two([Operand; 2]),
    /// More than two.
    Many(Box<[Operand]>),
}

impl fmt::Debug for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

impl Serialize for Operands {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl FromIterator<Operand> for Operands {
    fn from_iter<I: IntoIterator<Item = Operand>>(operands: I) -> Self {
        let mut rest = operands.into_iter();
        let Some(first) = rest.next() else {
            return Self::None;
        };
        let Some(second) = rest.next() else {
            return Self::One([first]);
        };
        match rest.next() {
            None => Self::Two([first, second]),
            Some(third) => Self::Many([first, second, third].into_iter().chain(rest).collect()),
        }
    }
}

impl Deref for Operands {
    type Target = [Operand];

    fn deref(&self) -> &[Operand] {
        match self {
            Self::None => &[],
            Self::One(operands) => operands,
            Self::Two(operands) => operands,
            Self::Many(operands) => operands,
        }
    }
}

impl DerefMut for Operands {
    fn deref_mut(&mut self) -> &mut [Operand] {
        match self {
            Self::None => &mut [],
            Self::One(operands) => operands,
            Self::Two(operands) => operands,
            Self::Many(operands) => operands,
        }
    }
}

/// Serializes the number of the instruction, with its operands in parentheses.
impl Serialize for Pending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.operands.is_empty() {
            return serializer.serialize_u16(self.at);
        }
        let operands: Vec<_> = self.operands.iter().map(Operand::to_string).collect();
        serializer.collect_str(&format_args!("{}({})", self.at, operands.join(", ")))
    }
}

/// Content of a register: a value, or a pending result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, refmap::State)]
pub enum Operand {
    /// A value.
    Known(Value),
    /// Result of the pending instruction at this position.
    Awaited(#[state(varint)] u16),
}

impl Operand {
    /// The value, if it is known.
    pub fn value(self) -> Option<Value> {
        match self {
            Self::Known(value) => Some(value),
            Self::Awaited(_) => None,
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Awaited(position) => write!(f, "pending {position}"),
        }
    }
}

/// Serializes the value, or `pending n`.
impl Serialize for Operand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(value) => value.serialize(serializer),
            Self::Awaited(_) => serializer.collect_str(self),
        }
    }
}

impl ThreadState {
    /// Completes the pending instruction at `position`: its dependents receive `result`, and later positions shift
    /// down by one.
    pub(super) fn settle(&mut self, position: usize, result: Value) {
        let behind = self.pending[position + 1..]
            .iter_mut()
            .flat_map(|pending| pending.operands.iter_mut());
        for operand in behind.chain(self.registers.iter_mut()) {
            match operand {
                Operand::Awaited(awaited) if usize::from(*awaited) == position => {
                    *operand = Operand::Known(result);
                }
                Operand::Awaited(awaited) if usize::from(*awaited) > position => *awaited -= 1,
                _ => (),
            }
        }
        self.pending.remove(position);
    }

    /// True if an operand depends on the pending instruction at `position`.
    pub(super) fn is_awaited(&self, position: usize) -> bool {
        let awaits = |operand: &Operand| matches!(operand, Operand::Awaited(at) if usize::from(*at) == position);
        self.registers.iter().any(awaits)
            || self.pending[position + 1..]
                .iter()
                .any(|pending| pending.operands.iter().any(awaits))
    }
}
