//! Visitors: what is done at each state and at each step of a search.

use serde_json::Value;

use super::limits::Limit;
use super::place::{Place, StateId};
use crate::state::PackingError;
use crate::statement::asked::model_call::Panic;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};

/// Work that is done at each state and at each step.
///
/// Every worker fills a tally of its own; tallies are merged in no particular order, so `merge`
/// must not depend on it.
pub trait Visitor<S: TransitionSystem>: Sync {
    /// Findings that are gathered.
    type Tally: Send + Sync;
    /// Value that is computed once a state, for the use of all its steps.
    type Image;
    /// True if each level of a search is passed twice. In the first pass all its states are [met](Self::met), and steps are taken that
    /// lead no [farther](Self::leads_farther), and add to it, until none leads to a new state; in the last one its states are looked at, and the other steps are. Such
    /// a search is one of a single process, without a symmetry, and records no graph.
    const PASSES_TWICE: bool = false;

    /// A tally of nothing.
    fn tally(&self) -> Self::Tally;
    /// Data of a tally that a checkpoint keeps, or another process takes; none if there is no form for it. What is found again at the states
    /// of the sample is left out.
    fn tell(&self, _tally: &Self::Tally) -> Option<Value> {
        None
    }
    /// Adds what was told of a tally, whose states have other numbers here, and says whether it could be read.
    fn hear(
        &self,
        _into: &mut Self::Tally,
        _told: &Value,
        _number: &dyn Fn(StateId) -> StateId,
    ) -> bool {
        false
    }
    /// Whether the model is at fault, which no checkpoint tells.
    fn is_at_fault(&self, _tally: &Self::Tally) -> bool {
        false
    }
    /// The states at which something was found that a tally tells, in whatever order.
    fn mentioned(&self, _tally: &Self::Tally) -> Vec<StateId> {
        Vec::new()
    }
    /// Called where the model is asked again when a search is over: all states that come are of the sample.
    fn ask_again(&self) {}
    /// Whether a state is one of the sample: what is found at it is found again when a search goes on from a checkpoint.
    fn is_sampled(&self, _state: StateId) -> bool {
        false
    }
    /// Adds to `into` what `load` has left out of it, from what was found at some states of the sample.
    fn find_again(&self, _into: &mut Self::Tally, _found: Self::Tally) {}
    /// Adds `from` to `into`.
    fn merge(&self, into: &mut Self::Tally, from: Self::Tally);
    /// Meets a state, where each level is passed twice, and says whether steps are taken that lead no farther. All states of earlier levels have been met by then.
    /// Called once for every state, and once more where a search goes on from a checkpoint.
    fn met(&self, _place: Place, _state: &StateOf<S>) -> bool {
        false
    }
    /// True if a step is taken in the last of two passes, so that it leads to the next level. Steps that do not are not looked at.
    fn leads_farther(&self, _from: &StateOf<S>, _action: &ActionOf<S>, _to: &StateOf<S>) -> bool {
        true
    }
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
    /// Whether a constraint leaves some states unexpanded.
    fn is_constrained(&self) -> bool {
        false
    }
    /// Whether the steps of a state are taken. Called after [`examine_image`](Self::examine_image), once for every state.
    fn is_expanded(&self, _tally: &mut Self::Tally, _place: Place, _state: &StateOf<S>) -> bool {
        true
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
            function: None,
        };
        self.panicked(tally, place, panic);
    }
    /// Limit that the system itself has reached, if it breaks off its steps for that.
    fn limit(&self) -> Option<Limit> {
        None
    }
    /// Called when a function of the model panicked.
    fn panicked(&self, tally: &mut Self::Tally, place: Place, panic: Panic);
    /// The length of the shortest trace worth stopping for. Asked after each level of the search, or
    /// at each state of a random walk.
    fn stop(&self, tally: &Self::Tally) -> Option<u32>;
}

/// Looks at a state, and says what its image is. Compiled once for random walks, for what shortens them, and for the
/// stepper; the exhaustive search compiles the visitor together with itself.
#[inline(never)]
pub(crate) fn look_at<S: TransitionSystem, V: Visitor<S>>(
    visitor: &V,
    tally: &mut V::Tally,
    place: Place,
    state: &StateOf<S>,
) -> V::Image {
    visitor.examine(tally, place, state);
    let image = visitor.image(tally, state);
    visitor.examine_image(tally, place, state, &image);
    image
}

/// The same of a step.
#[inline(never)]
pub(crate) fn look_at_step<S: TransitionSystem, V: Visitor<S>>(
    visitor: &V,
    tally: &mut V::Tally,
    place: Place,
    from: (&StateOf<S>, &V::Image),
    action: &ActionOf<S>,
    to: &StateOf<S>,
) {
    visitor.step(tally, place, from, action, to);
}
