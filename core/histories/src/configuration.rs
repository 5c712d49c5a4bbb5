//! Configuration of a search: a state of the specification, and the set of events taken.

use std::sync::Arc;

use super::observed::{Action, Observed, State};

/// Progress of a thread ahead of its responses: the number of events taken that have not ended, and the delayed
/// events taken that have not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ahead {
    pub lane: u32,
    pub taken: u32,
    pub pending: u32,
}

/// Configuration: a state of the specification, and the set of events taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Configuration<S> {
    pub state: S,
    /// Threads that are ahead, sorted, so that equal configurations are represented equally. Usually there is none,
    /// and nothing is allocated.
    ahead: Vec<Ahead>,
}

impl<S> Configuration<S> {
    pub fn new(state: S) -> Self {
        let ahead = Vec::new();
        Self { state, ahead }
    }

    pub fn ahead(&self, lane: u32) -> Ahead {
        let found = self.ahead.binary_search_by_key(&lane, |ahead| ahead.lane);
        found.map_or(
            Ahead {
                lane,
                taken: 0,
                pending: 0,
            },
            |at| self.ahead[at],
        )
    }

    pub fn set(&mut self, ahead: Ahead) {
        let nothing = ahead.taken == 0 && ahead.pending == 0;
        match self
            .ahead
            .binary_search_by_key(&ahead.lane, |ahead| ahead.lane)
        {
            Ok(at) if nothing => drop(self.ahead.remove(at)),
            Ok(at) => self.ahead[at] = ahead,
            Err(_) if nothing => (),
            Err(at) => self.ahead.insert(at, ahead),
        }
    }

    /// Passes the end of the first event of a lane, which it has taken.
    pub fn respond(&mut self, lane: u32) {
        let mut ahead = self.ahead(lane);
        ahead.taken -= 1;
        self.set(ahead);
    }

    /// Replaces the state.
    pub fn with_state<T>(&self, state: T) -> Configuration<T> {
        let ahead = self.ahead.clone();
        Configuration { state, ahead }
    }

    /// Threads that are ahead.
    pub fn all_ahead(&self) -> &[Ahead] {
        &self.ahead
    }
}

/// Path to a configuration: the latest recorded step.
pub(super) type Trail<A, S> = Option<Arc<Link<A, S>>>;

/// Path of a search to a configuration.
pub(super) type Way<O> = Trail<Action<O>, State<O>>;

/// Configurations of a search, each with a path to it.
pub(super) type Frontier<O> = Vec<(Configuration<State<O>>, Way<O>)>;

/// Recorded step on the path to a configuration.
#[derive(Debug)]
pub(super) struct Link<A, S> {
    pub before: Trail<A, S>,
    /// Number of steps up to and including this one.
    pub length: usize,
    pub step: Taken<A>,
    /// Target state.
    pub state: S,
}

/// Iterative drop: the path is as long as the search is deep, which would overflow the stack.
impl<A, S> Drop for Link<A, S> {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.take();
        }
    }
}

/// Step of the path.
#[derive(Clone, Debug)]
pub(super) struct Taken<A> {
    pub kind: Kind,
    /// Number of the event in the history; `None` for an internal step.
    pub event: Option<u64>,
    /// Action of the specification; `None` if the state does not change.
    pub action: Option<A>,
}

/// Step with its target.
pub(super) struct Fresh<O: Observed> {
    pub step: Taken<Action<O>>,
    pub to: Configuration<State<O>>,
}

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No step: the start of the recorded path.
    Start,
    /// An event takes effect, or takes place without an effect.
    Event,
    /// A delayed event takes place; its effect is still to come.
    Issue,
    /// A delayed event takes effect.
    Effect,
    /// The specification takes an internal step.
    Internal,
}
