//! A state of a running program: memory, and of each thread what it has fetched and not yet
//! performed.
//!
//! A register that waits for a pending access is known by that access's place in the queue, not by a
//! name of its own, so equal situations are equal states.

use std::fmt::{self, Display};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::expression::{Fault, Location, Value};

/// One configuration of a program that runs under a memory model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    /// What each location holds.
    pub memory: Box<[Value]>,
    /// The threads. A step changes one of them, and the others are shared with the state before it.
    // PERF: store buffering with eight threads takes 4.7 s with shared threads, and 10.8 s without.
    #[serde(serialize_with = "threads")]
    pub threads: Box<[Arc<ThreadState>]>,
}

fn threads<S: Serializer>(threads: &[Arc<ThreadState>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(threads.iter().map(|thread| &**thread))
}

impl State {
    /// About how many bytes a search needs for it. It is held twice, and shares all threads but one
    /// with the state before it; which one is not known, so the largest is counted.
    pub(super) fn bytes(&self) -> u64 {
        let own = size_of::<Self>() + size_of_val(&*self.memory) + size_of_val(&*self.threads);
        let thread = self.threads.iter().map(|thread| thread.bytes()).max();
        (2 * own + thread.unwrap_or(0)) as u64
    }

    /// A thread that is about to change.
    pub(super) fn thread_mut(&mut self, thread: usize) -> &mut ThreadState {
        Arc::make_mut(&mut self.threads[thread])
    }
}

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ThreadState {
    /// The instruction to be fetched next.
    pub next: u16,
    /// How far it has come.
    pub progress: Progress,
    /// How often it has jumped back.
    pub backward_jumps: u8,
    /// What its registers hold, or what they wait for.
    pub registers: Box<[Operand]>,
    /// What is fetched and not yet performed, in program order.
    pub pending: Vec<Pending>,
    /// The location of its reservation, while nobody else has written there.
    pub reservation: Option<Location>,
    /// What it has shown to the world.
    pub output: Vec<Value>,
}

impl ThreadState {
    fn bytes(&self) -> usize {
        let pending = self.pending.iter();
        let operands: usize = pending.map(|pending| size_of_val(&*pending.operands)).sum();
        size_of::<Self>()
            + size_of_val(&*self.registers)
            + size_of_val(&*self.pending)
            + operands
            + size_of_val(&*self.output)
    }
}

/// How far a thread has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It goes on, or has ended.
    Running,
    /// It was cut off by the bound on backward jumps. What it has fetched is still performed.
    CutOff,
    /// An assertion failed: the number of its instruction.
    Failed(u16),
    /// It came to something that it cannot compute.
    Faulty(Fault),
}

/// An instruction that is fetched and waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    /// The number of the instruction.
    pub at: u16,
    /// What the registers that it reads held when it was fetched, in the order of their numbers.
    pub operands: Box<[Operand]>,
}

/// The number of the instruction, with what it depends on in parentheses.
impl Serialize for Pending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.operands.is_empty() {
            return serializer.serialize_u16(self.at);
        }
        let operands: Vec<_> = self.operands.iter().map(Operand::to_string).collect();
        serializer.collect_str(&format_args!("{}({})", self.at, operands.join(", ")))
    }
}

/// What a register holds, or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value.
    Known(Value),
    /// The result of what is pending at this position.
    Awaited(u16),
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

/// The value, or `pending n`.
impl Serialize for Operand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(value) => value.serialize(serializer),
            Self::Awaited(_) => serializer.collect_str(self),
        }
    }
}

impl ThreadState {
    /// Ends the wait for what is pending at `position`: whoever waits for it gets `result`, and what
    /// stands behind it moves up.
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

    /// Whether anybody waits for what is pending at `position`.
    pub(super) fn is_awaited(&self, position: usize) -> bool {
        let awaits = |operand: &Operand| matches!(operand, Operand::Awaited(at) if usize::from(*at) == position);
        self.registers.iter().any(awaits)
            || self.pending[position + 1..]
                .iter()
                .any(|pending| pending.operands.iter().any(awaits))
    }
}
