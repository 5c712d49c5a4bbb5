//! States of a view that have a future: some behaviour of the system without the prophecy variable goes on from there for ever, or to
//! where that system ends, and all its predictions come true.
//!
//! A wrong prediction leads to states that have none: in the end no step is left, where the system without the variable has one.
//! What happens only on the way there happens in no behaviour of that system.
//! Left out: fairness. A behaviour that goes on for ever, and in which a prediction stays open for ever, is a future.

use super::kept::{PanickedAt, kept};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::catch;
use crate::statement::constraint::Constraint;
use crate::statement::refinement::Refinement;
use crate::view::auxiliary::{Base, base_goes_on};
use crate::walk::bits::Bits;
use crate::walk::explore::{Graph, NodeId, States};

/// The states that have a future, of those whose steps are recorded; `None` if the implementation predicts nothing. What is not
/// expanded is supposed to have one.
pub(super) fn with_future<R: Refinement>(
    refinement: &R,
    constraint: Option<&Constraint<R::Implementation>>,
    reached: &dyn States<R::Implementation>,
    graph: &Graph,
) -> Result<Option<Bits>, PanickedAt> {
    let implementation = refinement.implementation();
    let view = implementation.call_caveats().view();
    if !view.is_some_and(|view| Base::of(view).predicts()) {
        return Ok(None);
    }
    let mut with_future = Bits::of(graph.states(), |_| true);
    for id in graph.nodes() {
        if graph.steps(id).next().is_some() {
            continue;
        }
        let state = kept(refinement, reached, id.into())?;
        let is_stuck = || {
            let is_expanded = constraint.is_none_or(|constraint| constraint.contains(&state));
            is_expanded && base_goes_on(view, &state)
        };
        let is_stuck = catch(is_stuck);
        if is_stuck.map_err(|panic| (id.into(), "`next` of the implementation", panic))? {
            with_future.remove(id.0);
        }
    }
    graph.settle(|id| {
        let mut steps = graph.steps(id).peekable();
        let is_known = |to: NodeId| (to.0 as usize) < graph.states();
        let is_lost = with_future.contains(id.0)
            && steps.peek().is_some()
            && steps.all(|(to, _)| is_known(to) && !with_future.contains(to.0));
        if is_lost {
            with_future.remove(id.0);
        }
        is_lost
    });
    Ok(Some(with_future))
}
