//! Semaphore: permits that threads acquire and release.

use refmap::State;
use serde::Serialize;

use super::{Answer, NoValue, Sequential};
use crate::calls;

/// Semaphore: permits that threads acquire and release.
///
/// Any thread may release a permit that is acquired; there are never more than at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semaphore {
    /// Number of permits, all of which are available at first.
    pub permits: u64,
}

calls! {
    /// Call of a semaphore.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Dijkstra, *Cooperating sequential processes*, EWD 123, 1965: P and V"
    )]
    pub enum Call -> NoValue {
        /// Acquires a permit, if one is available; answers nothing.
        Acquire -> Nothing,
        /// Acquires a permit unless none is available; answers whether one was.
        TryAcquire -> Is,
        /// Releases a permit, if one is acquired; answers nothing.
        Release -> Nothing,
    }
}

/// Permits of a semaphore that are available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Available {
    /// Their number.
    pub permits: u64,
}

impl Sequential for Semaphore {
    type State = Available;
    type Call = Call;
    type Answer = Answer<NoValue>;

    fn initial(&self) -> Available {
        let permits = self.permits;
        Available { permits }
    }

    fn execute(&self, call: &Call, state: &mut Available) -> Option<Self::Answer> {
        match call {
            Call::TryAcquire if state.permits == 0 => return Some(Answer::Is(false)),
            Call::Acquire | Call::TryAcquire => state.permits = state.permits.checked_sub(1)?,
            Call::Release if state.permits >= self.permits => return None,
            Call::Release => state.permits += 1,
        }
        Some(match call {
            Call::TryAcquire => Answer::Is(true),
            Call::Acquire | Call::Release => Answer::Nothing,
        })
    }

    fn obstacle(&self, from: &Available, call: &Call) -> Option<String> {
        match call {
            Call::Acquire => Some("no permit is available".to_owned()),
            Call::Release => Some(format!(
                "{} permits are available, which are all",
                from.permits
            )),
            Call::TryAcquire => None,
        }
    }
}
