//! The engine that walks state spaces: breadth-first, exact, the same for any number of threads.
//!
//! What is done at each state and step is a [`Visitor`]'s business; the engine knows of no
//! obligation. It numbers states in the order of a sequential search; breadth first, a smaller number
//! never means a greater distance from the initial states.
//!
//! A state is kept once, as it is or packed, and beside it a few bytes by which it is found again.
//! Nothing is kept of how it was reached, since that can be found out when it is asked for.

mod expansion;
mod frontier;
mod graph;
mod keep;
mod kept;
mod limits;
mod local_word;
mod log;
mod memory;
mod options;
mod origins;
mod projections;
mod recent;
mod search;
mod sieve;
mod successors;
mod visited;

use std::fmt;
use std::hash::Hash;

use crate::local::{LocalTransitions, PackedLocal};
pub use crate::model_call::Panic;
pub(crate) use crate::model_call::{
    Ended, break_off, catch, first_visited, interruptible, until_enough,
};
use crate::packed::{Packed, PackingError};
use crate::symmetry::Quotienting;
use crate::system::{ActionOf, StateOf, TransitionSystem, first_initial};
use crate::trace::Trace;

use expansion::{Expand, Expansion};
pub use graph::Graph;
use keep::{Keeper, Whole, Words};
pub use kept::Unrepeatable;
pub(crate) use kept::{States, nth_step};
pub use limits::{Limit, Limits, Phase, Progress, Watch};
use local_word::LocalWord;
pub use memory::resident_bytes;
#[cfg(test)]
pub(crate) use memory::tests::REFUSED;
use options::PlainOptions;
pub use options::{Options, Order, Record, Storage};
use search::{Found, Search};
use successors::{Cached, Direct, Successors};
use visited::{Exact, Fingerprints, Hashed, Numbered};
pub(crate) use visited::{FINGERPRINT_BITS, fingerprint, omission_probability};

/// Explores the reachable states of `system`, showing each state and step to `visitor`. States are
/// kept whole, or as fingerprints.
pub fn explore<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    search_with((system, visitor), options, Whole, Direct, search_hashed)
}

/// The most words into which a state is packed; if it needs more it is kept whole.
const MOST_WORDS: usize = 4;

/// The same of a system that says how its states are packed.
pub fn explore_packed<S: Packed, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    let Some(template) = some_initial(system) else {
        return explore(system, visitor, options);
    };
    let of = (system, visitor);
    let layout = system.layout();
    match (options.storage, layout.words()) {
        (Storage::Packed, 0 | 1) if options.record == Record::States => {
            let words = Words::<1, _>::new(layout, template);
            let bits = layout.bits();
            search_with(of, options, words, Direct, |model, options| {
                search_word(model, options, bits)
            })
        }
        // Beside the graph a word more or less is nothing, and each of these is compiled anew for
        // every model.
        (Storage::Packed, 0..=2) => {
            let words = Words::<2, _>::new(layout, template);
            search_with(of, options, words, Direct, search_two_words)
        }
        // Until they are expanded states are kept packed where fingerprints stand for them.
        (Storage::Packed, 3..=MOST_WORDS) | (Storage::Fingerprints, 0..=MOST_WORDS) => {
            let words = Words::<4, _>::new(layout, template);
            search_with(of, options, words, Direct, search_four_words)
        }
        _ => explore(system, visitor, options),
    }
}

/// The same of a system of local transitions. These are computed, and judged, once for each projection of a
/// state, where states are packed into a word, the graph is not recorded, and no states are identified.
pub fn explore_local<S: PackedLocal, V: LocalVisitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    let is_direct = options.storage != Storage::Packed
        || options.record != Record::States
        || options.symmetry.is_some();
    let template = match is_direct {
        true => None,
        false => some_initial(system),
    };
    let cached = template.and_then(|template| {
        let cached = catch(|| Cached::new(system, &template));
        Some((cached.ok()??, template))
    });
    let Some((cached, template)) = cached else {
        return explore_packed(system, visitor, options);
    };
    let word = LocalWord::new(system, template, cached.bits());
    let bits = PackedLocal::layout(system).bits();
    let of = (system, visitor);
    search_with(of, options, word, cached, |model, options| {
        search_word(model, options, bits)
    })
}

/// Searches the states of a model, kept by `keeper`.
fn search_with<S, V, P, R>(
    of: (&S, &V),
    options: &Options<'_, S>,
    keeper: P,
    successors: R,
    search: impl FnOnce(&dyn Expand<P::Key>, PlainOptions<'_>) -> Found<P::Key>,
) -> Explored<S, V::Tally>
where
    S: TransitionSystem,
    V: Visitor<S>,
    P: Keeper<S>,
    R: Successors<S, V, P::Key>,
{
    let records = options.record == Record::Graph && options.storage != Storage::Fingerprints;
    let expansion = Expansion::new(of, options.symmetry, records, keeper, successors);
    let found = search(&expansion, options.plain());
    expansion.explored(found)
}

/// The search of states in a word, which is compiled once for all models, as the next two are.
fn search_word(
    model: &dyn Expand<[u64; 1]>,
    options: PlainOptions<'_>,
    bits: u32,
) -> Found<[u64; 1]> {
    Search::new(model, options, Exact::new(bits)).run()
}

fn search_two_words(model: &dyn Expand<[u64; 2]>, options: PlainOptions<'_>) -> Found<[u64; 2]> {
    Search::new(model, options, Numbered::new()).run()
}

fn search_four_words(model: &dyn Expand<[u64; 4]>, options: PlainOptions<'_>) -> Found<[u64; 4]> {
    search_hashed(model, options)
}

/// The search of states of any kind.
fn search_hashed<K: Clone + Eq + Hash + Send + Sync>(
    model: &dyn Expand<K>,
    options: PlainOptions<'_>,
) -> Found<K> {
    let visited = match options.storage {
        Storage::Fingerprints => Hashed::Fingerprints(Fingerprints::new()),
        Storage::Packed | Storage::Whole => Hashed::Exact(Numbered::new()),
    };
    Search::new(model, options, visited).run()
}

/// The first initial state, if there is one.
fn some_initial<S: TransitionSystem>(system: &S) -> Option<StateOf<S>> {
    // A model that panics here does so again where the search reports it.
    catch(|| first_initial(system)).ok().flatten()
}

/// The number of a state, in the order in which a sequential search first meets it.
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

impl Place {
    /// The place of a step of the state at this place.
    pub(crate) fn of_step(self, position: u32) -> Self {
        Self {
            length: self.length + 1,
            state: self.state,
            step: Some(position),
        }
    }
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
    fn examine(&self, tally: &mut Self::Tally, place: Place, state: &StateOf<S>);
    /// The image of a state. Called after [`examine`](Self::examine).
    fn image(&self, tally: &mut Self::Tally, state: &StateOf<S>) -> Self::Image;
    /// Looks at a state beside its image, once for every state.
    fn examine_image(
        &self,
        _tally: &mut Self::Tally,
        _place: Place,
        _state: &StateOf<S>,
        _image: &Self::Image,
    ) {
    }
    /// Told of every action that a state offers, whether or not its step is then looked at.
    fn offered(&self, _tally: &mut Self::Tally, _action: &ActionOf<S>) {}
    /// Whether there is anything to look at in steps. If not, a search only passes their actions on to
    /// [`taken`](Self::taken).
    fn looks_at_steps(&self) -> bool {
        true
    }
    /// Told of every step of a search that is not looked at.
    fn taken(&self, _tally: &mut Self::Tally, _action: &ActionOf<S>) {}
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
    /// Called when the target of a step cannot be packed, or is another state when it is read back. By default it
    /// counts as a panic.
    fn mispacked(&self, tally: &mut Self::Tally, place: Place, error: PackingError) {
        let panic = Panic {
            message: error.to_string(),
            location: None,
            action: None,
        };
        self.panicked(tally, place, panic);
    }
    /// Called when a function of the model panicked.
    fn panicked(&self, tally: &mut Self::Tally, place: Place, panic: Panic);
    /// The length of the shortest trace worth stopping for. Asked after each level of the search, or
    /// at each state of a random walk.
    fn stop(&self, tally: &Self::Tally) -> Option<u32>;
}

/// A visitor that judges local transitions once for all states with the same projection.
pub trait LocalVisitor<S: LocalTransitions>: Visitor<S> {
    /// What is said of the local transitions of a projection.
    type Judged: Clone + Eq + Hash + fmt::Debug + Send + Sync;

    /// Judges the local transitions of a projection; none if it is uncacheable, since one of them is not as it should
    /// be: each step is then looked at in its state.
    fn judge(
        &self,
        from: &S::Local,
        transitions: &[(S::LocalAction, S::Local)],
    ) -> Option<Self::Judged>;

    /// Counts the local transitions of a state, which then are not looked at.
    fn count(&self, tally: &mut Self::Tally, judged: &Self::Judged);

    /// Whether what is cached of the state that is being visited is computed once more, and compared.
    fn asks_again(&self, tally: &Self::Tally) -> bool;

    /// Called when something else was computed, as the texts say, than what is cached of the state at `place`.
    fn contradicted(&self, tally: &mut Self::Tally, place: Place, first: String, again: String);
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
}

/// What an exploration found.
pub struct Explored<S: TransitionSystem, T> {
    /// What the visitor gathered.
    pub tally: T,
    /// How it ended.
    pub end: End,
    /// Distinct initial states.
    pub initial_states: u64,
    /// States reached that the visitor was not shown, since the time was up.
    pub unexamined: u64,
    /// Transitions from the states expanded.
    pub transitions: u64,
    /// The greatest distance of a state reached from an initial one.
    pub depth: u32,
    /// How long it took.
    pub seconds: f64,
    /// The most memory the process was seen to hold.
    pub peak_memory_bytes: u64,
    /// Bytes that states took at the end, and what finds them again.
    pub store_bytes: u64,
    /// Of these, what finds states again: the set without the list.
    pub set_bytes: u64,
    /// The steps, if they were recorded and the exploration is complete.
    pub graph: Option<Graph>,
    /// How many steps there were when there was no room for more, if that came about.
    pub graph_too_large: Option<u64>,
    /// What `initial` panicked with, if it did.
    pub initial_panic: Option<Panic>,
    /// An initial state that cannot be packed, if there is one, and why.
    pub initial_misfit: Option<(StateOf<S>, PackingError)>,
    reached: Box<dyn States<S>>,
}

impl<S: TransitionSystem, T> Explored<S, T> {
    /// How many distinct states were reached.
    pub fn states(&self) -> usize {
        self.reached.len()
    }

    /// A state reached; none if it was not kept, as with fingerprints.
    pub fn state(&self, system: &S, id: StateId) -> Option<StateOf<S>> {
        self.reached.state(system, id)
    }

    /// The states reached, and the behaviours that led to them.
    pub(crate) fn reached(&self) -> &dyn States<S> {
        &*self.reached
    }

    /// Whether every reachable state was visited with all its steps.
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    /// The place of a state.
    pub fn place(&self, id: StateId) -> Place {
        self.reached.place(id)
    }

    /// The trace found to `place`, run anew on the model: a shortest one, breadth first. `symmetry` is
    /// that of the exploration; the trace is one of the system itself all the same.
    ///
    /// # Errors
    ///
    /// If the model does not offer the steps that it offered before.
    pub fn trace(
        &self,
        system: &S,
        symmetry: Option<&dyn Quotienting<S>>,
        place: Place,
    ) -> Result<Trace<S>, Unrepeatable> {
        self.reached.trace(system, symmetry, place)
    }
}
