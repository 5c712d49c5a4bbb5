//! The functions of a model, called by their names: where one panics, the report names it.
//!
//! Functions that are called by the millions are named where they are called; these are for all that is asked now and then.

use serde_json::Value;

use crate::state::hiding::Hiding;
use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::action::Action;
use crate::statement::asked::calls::json_of;
use crate::statement::asked::model_call::named;
use crate::statement::erased::Caveats;
use crate::statement::refinement::Refinement;
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem, successor};

/// Functions of a system.
pub(crate) trait Functions: TransitionSystem {
    #[inline(always)]
    fn call_rules(&self) -> &[Rule] {
        named("`rules`", || ActionOf::<Self>::rules(self))
    }

    #[inline(always)]
    fn call_rule(&self, action: &ActionOf<Self>) -> RuleId {
        named("`rule`", || action.rule(self))
    }

    #[inline(always)]
    fn call_process(&self, action: &ActionOf<Self>) -> Process {
        named("`process`", || action.process(self))
    }

    #[inline(always)]
    fn call_observe(&self, state: &StateOf<Self>) -> ObservationOf<Self> {
        named("`observe`", || self.observe(state))
    }

    #[inline(always)]
    fn call_may_stop(&self, state: &StateOf<Self>) -> bool {
        named("`may_stop`", || self.may_stop(state))
    }

    #[inline(always)]
    fn call_caveats(&self) -> Caveats<'_, StateOf<Self>> {
        named("`caveats`", || self.caveats())
    }

    #[inline(always)]
    fn call_show(&self, state: &StateOf<Self>) -> Value {
        named("`show`", || self.show(state))
    }

    #[inline(always)]
    fn call_inputs(&self, action: &ActionOf<Self>) -> ActionOf<Self> {
        named("`inputs`", || action.inputs(self))
    }

    /// The action as it serialises; the name of its rule where that is null, which reports have for no action.
    fn call_serialize(&self, action: &ActionOf<Self>) -> Value {
        match json_of(action) {
            Value::Null => {
                let rule = self.call_rules().get(self.call_rule(action).0);
                rule.map_or(Value::Null, |rule| Value::from(&*rule.name))
            }
            value => value,
        }
    }

    #[inline(always)]
    fn call_is_initial(&self, state: &StateOf<Self>) -> bool {
        // An override compares counters with those that have begun anew, as it may: classes of initial states are compared besides.
        let _shown = Hiding::suspend_if_hidden();
        named("`is_initial`", || self.is_initial(state))
    }

    #[inline(always)]
    fn call_fire(&self, action: &ActionOf<Self>, state: &mut StateOf<Self>) -> Option<()> {
        named("`fire`", || self.fire(action, state))
    }

    #[inline(always)]
    fn call_successor(
        &self,
        from: &StateOf<Self>,
        action: &ActionOf<Self>,
    ) -> Option<StateOf<Self>> {
        named("`fire`", || successor(self, from, action))
    }

    #[inline(always)]
    fn call_allows(
        &self,
        from: &StateOf<Self>,
        action: &ActionOf<Self>,
        to: &StateOf<Self>,
    ) -> bool {
        named("`allows`", || self.allows(from, action, to))
    }
}

impl<S: TransitionSystem + ?Sized> Functions for S {}

/// Functions of a refinement.
pub(crate) trait RefinementFunctions: Refinement {
    #[inline(always)]
    fn call_map(&self, state: &StateOf<Self::Implementation>) -> StateOf<Self::Specification> {
        named("`map`", || self.map(state))
    }

    #[inline(always)]
    fn call_abstract_steps(
        &self,
        from: &StateOf<Self::Implementation>,
        action: &ActionOf<Self::Implementation>,
        to: &StateOf<Self::Implementation>,
    ) -> AbstractSteps<ActionOf<Self::Specification>> {
        named("`abstract_steps`", || self.abstract_steps(from, action, to))
    }

    #[inline(always)]
    fn call_environment(&self) -> &[Process] {
        named("`environment`", || self.environment())
    }

    #[inline(always)]
    fn call_at_rest(&self, state: &StateOf<Self::Implementation>, process: Process) -> bool {
        named("`at_rest`", || self.at_rest(state, process))
    }
}

impl<R: Refinement + ?Sized> RefinementFunctions for R {}
