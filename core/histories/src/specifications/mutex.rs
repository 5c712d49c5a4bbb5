//! Mutex: a lock that one owner holds at a time.

use refmap::State;
use serde::Serialize;

use super::{Answer, NoValue, Sequential};
use crate::calls;

/// Mutex: a lock that one owner holds at a time.
///
/// A call names its owner, a thread mostly, and only the owner that holds the lock can release it. It is not reentrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutex {
    /// The number of owners in its [calls](Sequential::calls): 0, 1, … A history may have others.
    pub owners: u32,
}

calls! {
    /// Call of a mutex, by an owner.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Dijkstra, *Solution of a problem in concurrent programming control*, CACM 8(9), 1965"
    )]
    pub enum Call -> NoValue {
        /// Takes the lock, if it is free; answers nothing.
        Lock(u32) -> Nothing,
        /// Takes the lock, if it is free; answers whether it took it.
        TryLock(u32) -> Is,
        /// Releases the lock, if the owner holds it; answers nothing.
        Unlock(u32) -> Nothing,
    }
}

/// Owner of a mutex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, State)]
pub struct Held {
    /// The owner; none if the lock is free.
    pub by: Option<u32>,
}

impl Sequential for Mutex {
    type State = Held;
    type Call = Call;
    type Answer = Answer<NoValue>;

    fn initial(&self) -> Held {
        Held::default()
    }

    fn execute(&self, call: &Call, state: &mut Held) -> Option<Self::Answer> {
        let is_free = state.by.is_none();
        match *call {
            Call::TryLock(_) if !is_free => return Some(Answer::Is(false)),
            Call::Lock(_) if !is_free => return None,
            Call::Lock(owner) | Call::TryLock(owner) => state.by = Some(owner),
            Call::Unlock(owner) if state.by == Some(owner) => state.by = None,
            Call::Unlock(_) => return None,
        }
        Some(match call {
            Call::TryLock(_) => Answer::Is(true),
            Call::Lock(_) | Call::Unlock(_) => Answer::Nothing,
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call)) {
        for owner in 0..self.owners {
            visit(Call::Lock(owner));
            visit(Call::TryLock(owner));
            visit(Call::Unlock(owner));
        }
    }

    fn obstacle(&self, from: &Held, call: &Call) -> Option<String> {
        match (call, from.by) {
            (Call::TryLock(_), _) => None,
            (_, Some(owner)) => Some(format!("the lock is held by {owner}")),
            (_, None) => Some("the lock is free".to_owned()),
        }
    }
}
