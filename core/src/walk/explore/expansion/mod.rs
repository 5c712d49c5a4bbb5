//! The expansion of states: all of a search that is compiled for a model.
//!
//! A search gives states by the batch, as they are kept, and gets back what is kept of where their steps lead.

mod model;
mod position;

use serde_json::Value;

use super::StateId;
use super::keys::{Form, KeyList, Keys};
use super::limits::{Clock, Limit};
use super::span::Pass;
use crate::statement::asked::calls::Stage;
use crate::statement::asked::model_call::Panic;
use crate::statement::erased::ErasedSystem;
pub(super) use model::Expansion;
pub(crate) use position::published;

/// A model as a search sees it.
pub(super) trait Expand: Sync {
    /// Shows the key of each initial state to `visit`, which takes it and may break off.
    fn initial(&self, visit: &mut dyn FnMut(&mut KeyList)) -> Initial;
    /// A worker, which has found nothing.
    fn worker(&self) -> Box<dyn Expander + '_>;
    /// True if each level is passed twice.
    fn passes_twice(&self) -> bool;
    /// True if a constraint leaves some states unexpanded.
    fn is_constrained(&self) -> bool;
    /// Limit that the model itself has reached.
    fn limit(&self) -> Option<Limit>;
    /// The length of the shortest trace worth stopping for.
    fn stop(&self) -> Option<u32>;
    /// Data of what was found that a checkpoint keeps, or another process takes; none if there is no form for it.
    #[cfg(feature = "disk")]
    fn tell(&self) -> Option<Value>;
    /// Adds what was told so, whose states have other numbers here, and says whether it could be read.
    #[cfg(feature = "disk")]
    fn hear(&self, told: &Value, number: &dyn Fn(StateId) -> StateId) -> bool;
    /// The sum of what was told, each with the new numbers of its states; none if something cannot be read.
    #[cfg(feature = "disk")]
    fn merged(&self, told: &[(&Value, &dyn Fn(StateId) -> StateId)]) -> Option<Value>;
    /// True if the model is at fault, which no checkpoint tells.
    fn is_at_fault(&self) -> bool;
    /// The states at which something was found, each once and in order.
    fn mentioned(&self) -> Vec<StateId>;
    /// Begins with nothing found.
    fn forget(&self);
    /// From now on, what is found at each state is found again.
    fn ask_again(&self);
    /// True if what is found at a state is found again when a search goes on.
    fn is_sampled(&self, state: StateId) -> bool;
    /// The system, by which states that are kept as they are can be written.
    #[cfg(feature = "disk")]
    fn system(&self) -> ErasedSystem<'_>;
}

/// End of the enumeration of the initial states.
pub(super) enum Initial {
    All,
    BrokenOff,
    /// One of them cannot be kept.
    Misfit,
    Panicked(Panic),
}

/// Expander of states for one worker of a search, with findings of its own.
pub(super) trait Expander: Send + Sync {
    /// Examines the states of a batch and, if that is the task, takes their steps.
    ///
    /// # Errors
    ///
    /// The limit that was reached meanwhile; what has been found is of no use then.
    fn expand(&mut self, batch: &Batch<'_>, found: &mut Expanded) -> Result<(), Limit>;
    /// Publishes the stage of what is done with the first state of the last batch, or with new ones.
    fn set_stage(&self, stage: Stage);
    /// Adds to what is known of all states what was found since the last time, or forgets it.
    fn end_of_wave(&mut self, keeps: Keeps);
}

/// Fate of the findings of a wave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    Found,
    /// The part that [`Visitor::find_again`](super::Visitor::find_again) keeps.
    Sampled,
    Nothing,
}

/// Work to be done with states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    Expand,
    ExamineOnly,
}

/// Consecutive states to which paths of one length were found.
pub(super) struct Batch<'a> {
    pub task: Task,
    pub first: StateId,
    pub length: u32,
    pub pass: Pass,
    pub keys: Keys<'a>,
    pub clock: &'a Clock<'a>,
}

/// Targets of the steps of a batch.
pub(super) struct Expanded {
    /// Per state, how many steps it has.
    pub degrees: Vec<u32>,
    /// The targets of all steps,
    pub keys: KeyList,
    /// and their labels, if the graph is recorded.
    pub labels: Vec<u32>,
    /// Some steps are unknown.
    pub incomplete: bool,
}

impl Expanded {
    /// No state, of those kept in a form.
    pub fn new(form: Form) -> Self {
        Self {
            degrees: Vec::new(),
            keys: KeyList::new(form),
            labels: Vec::new(),
            incomplete: false,
        }
    }

    fn clear(&mut self) {
        self.degrees.clear();
        self.keys.clear();
        self.labels.clear();
        self.incomplete = false;
    }
}
