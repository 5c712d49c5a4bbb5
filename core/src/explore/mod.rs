//! The engine that walks state spaces: breadth-first, exact, the same for any number of threads.
//!
//! What is done at each state and step is a [`Visitor`]'s business; the engine knows of no
//! obligation. It numbers states in the order of a sequential breadth-first search, so a smaller
//! number never means a greater distance from the initial states.
//!
//! States are compared in full: a hash only says where to look.

mod breadth_first;
mod guard;
mod limits;
mod memory;
mod store;

use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::trace::Trace;

pub use breadth_first::explore;
pub use guard::Panic;
pub(crate) use guard::catch;
pub use limits::{Limit, Limits, Progress, Watch};
pub(crate) use memory::resident_bytes;
use store::{Parents, Store};

/// The number of a state, in the order in which breadth-first search first meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// A state, or one of its steps. Places are ordered by the length of the shortest trace that shows
/// them, then by the order of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The length of a shortest trace that ends with the state, or with the step.
    pub length: u32,
    /// The state, or the one from which the step is taken.
    pub state: StateId,
    /// Which of its steps, in the order of `next`; `None` for the state itself.
    pub step: Option<u32>,
}

/// What is done at each state and at each step.
///
/// Every worker fills a tally of its own; tallies are merged in no particular order, so `merge`
/// must not depend on it.
pub trait Visitor<S: TransitionSystem>: Sync {
    /// What is gathered.
    type Tally: Send + Sync;
    /// What is computed once a state, for the use of all its steps.
    type Image;

    /// A tally of nothing.
    fn tally(&self) -> Self::Tally;
    /// Adds `from` to `into`.
    fn merge(&self, into: &mut Self::Tally, from: Self::Tally);
    /// Looks at a state. Called once for every state reached, those at a limit included.
    fn examine(&self, tally: &mut Self::Tally, place: Place, state: &StateOf<S>) -> Self::Image;
    /// Told of every action that a state offers, whether or not its step is then looked at.
    fn offered(&self, _tally: &mut Self::Tally, _action: &ActionOf<S>) {}
    /// Looks at a step; the answer is kept with it if the graph is recorded.
    fn step(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        from: (&StateOf<S>, &Self::Image),
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> u32;
    /// Called after the last step of a state.
    fn leave(&self, tally: &mut Self::Tally, place: Place, state: &StateOf<S>, steps: u32);
    /// Called when a function of the model panicked.
    fn panicked(&self, tally: &mut Self::Tally, place: Place, panic: Panic);
    /// The length of the shortest trace worth stopping for. Asked after each level of the search, or
    /// at each state of a random walk.
    fn stop(&self, tally: &Self::Tally) -> Option<u32>;
}

/// Whether the steps are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// States only.
    States,
    /// States and the steps between them, at 8 bytes a step.
    Graph,
}

/// The steps between the states reached, with what the visitor said of each.
pub struct Graph {
    offsets: Vec<u64>,
    targets: Vec<u32>,
    labels: Vec<u32>,
}

impl Graph {
    /// The steps of `state` in the order of `next`: target and label.
    pub fn steps(&self, state: StateId) -> impl Iterator<Item = (StateId, u32)> {
        let range =
            self.offsets[state.0 as usize] as usize..self.offsets[state.0 as usize + 1] as usize;
        self.targets[range.clone()]
            .iter()
            .zip(&self.labels[range])
            .map(|(&target, &label)| (StateId(target), label))
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every reachable state was visited, with all its steps.
    Complete,
    /// The visitor had seen enough.
    Stopped,
    /// A limit came first, or the user did.
    Limit(Limit),
    /// A function of the model panicked, so that some steps are unknown.
    Panicked,
    /// It was random walks, and all were made; nothing is known of the rest.
    Sampled,
}

/// What an exploration found.
pub struct Explored<S: TransitionSystem, T> {
    /// What the visitor gathered.
    pub tally: T,
    /// How it ended.
    pub end: End,
    /// Distinct initial states.
    pub initial_states: u64,
    /// Transitions from the states expanded.
    pub transitions: u64,
    /// The greatest distance of a state reached from an initial one.
    pub depth: u32,
    /// How long it took.
    pub seconds: f64,
    /// The most memory the process was seen to hold.
    pub peak_memory_bytes: u64,
    /// The steps, if they were recorded and the exploration is complete.
    pub graph: Option<Graph>,
    /// What `initial` panicked with, if it did.
    pub initial_panic: Option<Panic>,
    store: Store<StateOf<S>>,
    parents: Parents,
}

impl<S: TransitionSystem, T> Explored<S, T> {
    /// What a search that keeps no states has found at its start.
    pub(crate) fn nothing(tally: T, end: End) -> Self {
        Self {
            tally,
            end,
            initial_states: 0,
            transitions: 0,
            depth: 0,
            seconds: 0.0,
            peak_memory_bytes: 0,
            graph: None,
            initial_panic: None,
            store: Store::new(),
            parents: Parents::new(),
        }
    }

    /// Keeps a behaviour to be shown, and says by what number its last state goes.
    pub(crate) fn keep(&mut self, trace: Trace<S>) -> StateId {
        let mut last = None;
        let steps = trace.steps.into_iter().map(|(_, state)| state);
        for state in std::iter::once(trace.initial).chain(steps) {
            // Pushed even if another behaviour has the state: each is a path of its own.
            let id = self.store.push(self.store.hash(&state), state);
            self.parents.push(last);
            last = Some(id);
        }
        last.expect("a behaviour has an initial state")
    }

    /// How many distinct states were reached.
    pub fn states(&self) -> usize {
        self.store.len()
    }

    /// A state reached.
    pub fn state(&self, id: StateId) -> &StateOf<S> {
        self.store.get(id)
    }

    /// Whether every reachable state was visited with all its steps.
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    /// The place of a state.
    pub fn place(&self, id: StateId) -> Place {
        let mut length = 0;
        let mut at = id;
        while let Some(parent) = self.parents.of(at) {
            length += 1;
            at = parent;
        }
        Place {
            length,
            state: id,
            step: None,
        }
    }

    /// A shortest trace to `place`, run anew on the model.
    ///
    /// # Panics
    ///
    /// If the model does not answer as it did before.
    pub fn trace(&self, system: &S, place: Place) -> Trace<S> {
        let mut path = vec![place.state];
        while let Some(parent) = self.parents.of(path[path.len() - 1]) {
            path.push(parent);
        }
        path.reverse();
        let mut trace = Trace {
            initial: self.state(path[0]).clone(),
            steps: Vec::with_capacity(path.len()),
        };
        for &id in &path[1..] {
            let mut taken = None;
            system.next(trace.last(), &mut |action, to| {
                if taken.is_none() && to == *self.state(id) {
                    taken = Some((action, to));
                }
            });
            trace
                .steps
                .push(taken.expect("the step by which the search reached the state exists still"));
        }
        if let Some(wanted) = place.step {
            let mut taken = None;
            let mut position = 0;
            // The step may be one whose evaluation is followed by a panic.
            let _ = catch(|| {
                system.next(trace.last(), &mut |action, to| {
                    if position == wanted {
                        taken = Some((action, to));
                    }
                    position += 1;
                });
            });
            trace
                .steps
                .push(taken.expect("the step that the search visited exists still"));
        }
        trace
    }
}
