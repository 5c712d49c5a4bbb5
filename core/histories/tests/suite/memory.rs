//! A memory of two cells, with its adapters.

use refmap::TransitionSystem;
use refmap_histories::{Effect, Happening, Observed};
use serde::{Deserialize, Serialize};

/// Operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Access {
    Store {
        cell: usize,
        value: u8,
    },
    /// The value may be unrecorded.
    Load {
        cell: usize,
        value: Option<u8>,
    },
    Fence,
    /// Locked: atomic, with an empty store buffer.
    Swap {
        cell: usize,
        old: u8,
        new: u8,
    },
}

impl Access {
    /// Load of a cell, with the value that is read.
    pub fn load(cell: usize, value: u8) -> Self {
        let value = Some(value);
        Self::Load { cell, value }
    }
}

/// Time of the effect of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    AtOnce,
    Delayed,
}

pub struct Memory;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Write {
    pub cell: usize,
    pub value: u8,
}

impl<S: ?Sized> refmap::Action<S> for Write {}

impl TransitionSystem for Memory {
    type State = [u8; 2];
    type Action = Write;
    type Observation = [u8; 2];

    fn initial(&self, visit: &mut impl FnMut([u8; 2])) {
        visit([0, 0]);
    }

    fn fire(&self, write: &Write, memory: &mut [u8; 2]) -> Option<()> {
        memory[write.cell] = write.value;
        Some(())
    }

    fn candidates(&self, _: &[u8; 2], visit: &mut impl FnMut(Write)) {
        for cell in 0..2 {
            (0..4).for_each(|value| visit(Write { cell, value }));
        }
    }

    fn observe(&self, state: &[u8; 2]) -> [u8; 2] {
        *state
    }
}

/// Adapter with or without store buffers.
pub struct ObservedMemory(pub Stores);

/// Value that a thread reads: its own latest pending store, or the memory.
fn read(memory: &[u8; 2], cell: usize, pending: &[&Access]) -> Option<u8> {
    let own = pending.iter().rev().find_map(|access| match access {
        Access::Store { cell: of, value } if *of == cell => Some(*value),
        _ => None,
    });
    own.or_else(|| memory.get(cell).copied())
}

/// Cell of an access.
fn cell(access: &Access) -> Option<usize> {
    match access {
        Access::Store { cell, .. } | Access::Load { cell, .. } | Access::Swap { cell, .. } => {
            Some(*cell)
        }
        Access::Fence => None,
    }
}

impl Observed for ObservedMemory {
    type Specification = Memory;
    type Event = Access;

    fn specification(&self) -> &Memory {
        &Memory
    }

    fn shows(
        &self,
        from: &[u8; 2],
        happening: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<Write>),
    ) {
        match *happening.event {
            Access::Store { cell, value } => visit(Some(Write { cell, value })),
            Access::Load { value: None, .. } | Access::Fence => visit(None),
            Access::Load {
                cell,
                value: Some(value),
            } => {
                if read(from, cell, happening.pending) == Some(value) {
                    visit(None);
                }
            }
            Access::Swap { cell, old, new } => {
                if from.get(cell) == Some(&old) {
                    visit(Some(Write { cell, value: new }));
                }
            }
        }
    }

    fn effect(&self, access: &Access) -> Effect {
        match (self.0, access) {
            (Stores::AtOnce, _) | (_, Access::Load { .. }) => Effect::Within,
            (Stores::Delayed, Access::Store { .. }) => Effect::Delayed,
            (Stores::Delayed, Access::Fence | Access::Swap { .. }) => Effect::Draining,
        }
    }

    fn commute(&self, one: &Access, other: &Access) -> bool {
        match (cell(one), cell(other)) {
            (Some(one_cell), Some(other_cell)) => {
                let looks = self.only_looks(one) && self.only_looks(other);
                one_cell != other_cell || looks
            }
            // A fence concerns its own thread only.
            _ => true,
        }
    }

    fn only_looks(&self, access: &Access) -> bool {
        matches!(access, Access::Load { .. } | Access::Fence)
    }

    fn refusal(&self, from: &[u8; 2], happening: &Happening<'_, Access>) -> String {
        match *happening.event {
            Access::Load { cell, .. } => match read(from, cell, happening.pending) {
                Some(value) => format!("it would read {value}"),
                None => "there is no such cell".to_owned(),
            },
            Access::Swap { cell, .. } => format!("it would find {:?}", from.get(cell)),
            Access::Store { .. } | Access::Fence => "never".to_owned(),
        }
    }

    fn is_interesting(&self, access: &Access) -> bool {
        matches!(access, Access::Load { .. } | Access::Swap { .. })
    }

    fn is_partial(&self, access: &Access) -> bool {
        matches!(access, Access::Load { value: None, .. })
    }
}

/// The same memory with explicit store buffers, whose commits are internal actions: another specification of TSO.
pub struct Buffers;

/// Greatest number of threads of a history.
pub const THREADS: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Buffered {
    memory: [u8; 2],
    buffers: [Vec<(usize, u8)>; THREADS],
}

impl<S: ?Sized> refmap::State<S> for Buffered {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread", source = "test")]
pub enum Move {
    Buffer {
        #[action(range = 0..THREADS)]
        thread: usize,
        #[action(range = 0..2)]
        cell: usize,
        #[action(range = 0..4)]
        value: u8,
    },
    #[rule(process = "memory")]
    Commit {
        #[action(range = 0..THREADS)]
        thread: usize,
    },
    Swap {
        #[action(range = 0..2)]
        cell: usize,
        #[action(range = 0..4)]
        value: u8,
    },
}

impl TransitionSystem for Buffers {
    type State = Buffered;
    type Action = Move;
    type Observation = [u8; 2];

    fn initial(&self, visit: &mut impl FnMut(Buffered)) {
        visit(Buffered::default());
    }

    fn fire(&self, action: &Move, state: &mut Buffered) -> Option<()> {
        match *action {
            Move::Buffer {
                thread,
                cell,
                value,
            } => state.buffers[thread].push((cell, value)),
            Move::Commit { thread } => {
                (!state.buffers[thread].is_empty()).then_some(())?;
                let (cell, value) = state.buffers[thread].remove(0);
                state.memory[cell] = value;
            }
            Move::Swap { cell, value } => state.memory[cell] = value,
        }
        Some(())
    }

    fn observe(&self, state: &Buffered) -> [u8; 2] {
        state.memory
    }
}

impl Observed for Buffers {
    type Specification = Self;
    type Event = Access;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &Buffered,
        happening: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<Move>),
    ) {
        let thread = happening.thread as usize;
        let buffer = &from.buffers[thread];
        match *happening.event {
            Access::Store { cell, value } => visit(Some(Move::Buffer {
                thread,
                cell,
                value,
            })),
            Access::Load { value: None, .. } => visit(None),
            Access::Load {
                cell,
                value: Some(value),
            } => {
                let own = buffer.iter().rev().find(|(of, _)| *of == cell);
                if own.map_or(from.memory[cell], |(_, own)| *own) == value {
                    visit(None);
                }
            }
            Access::Fence if buffer.is_empty() => visit(None),
            Access::Swap { cell, old, new } if buffer.is_empty() && from.memory[cell] == old => {
                visit(Some(Move::Swap { cell, value: new }));
            }
            Access::Fence | Access::Swap { .. } => (),
        }
    }

    fn internal(&self, from: &Buffered, visit: &mut impl FnMut(Move)) {
        for (thread, buffer) in from.buffers.iter().enumerate() {
            if !buffer.is_empty() {
                visit(Move::Commit { thread });
            }
        }
    }
}
