//! Identity of a search: what tells whether a checkpoint, or what another process searches, is of the same one.

use serde_json::{Map, Value};

use super::settings::{Settings, Symmetry, Until};
use super::subject::Subject;
use super::visitor::Plan;
use crate::statement::asked::functions::Functions;
use crate::statement::erased::ErasedSystem;
use crate::statement::refinement::Refinement;
use crate::walk::explore::Storage;

/// Values on which the outcome of a search depends.
pub(super) fn identity(
    subject: &dyn Subject,
    plan: &Plan<'_>,
    settings: &Settings<'_>,
) -> Map<String, Value> {
    let refinement = plan.asking.refinement;
    let systems = [refinement.implementation(), refinement.specification()];
    let rules = |system: &ErasedSystem<'_>| -> Value {
        let rules = system.call_rules().iter();
        rules.map(|rule| rule.name.to_string()).collect()
    };
    let [implementation, specification] = systems.map(rules);
    let constraint = plan.constraint.map(|constraint| constraint.name());
    let storage = match settings.storage {
        Storage::Packed => "packed",
        Storage::Whole => "whole",
    };
    let symmetry = match settings.symmetry {
        Symmetry::None => "none",
        Symmetry::Full => "full",
    };
    let until = match settings.until {
        Until::FirstViolation => "the first violation",
        Until::End => "that of all states",
    };
    let identity = [
        (
            "the version of refmap",
            Value::from(env!("CARGO_PKG_VERSION")),
        ),
        ("the implementation", systems[0].0.type_name().into()),
        ("the specification", systems[1].0.type_name().into()),
        ("the list of the implementation's rules", implementation),
        ("the list of the specification's rules", specification),
        (
            "the size of a state in bits",
            subject.implementation().shape().bits().into(),
        ),
        ("the constraint", constraint.into()),
        ("the list of obligations", plan.obligations.chosen().into()),
        ("the storage", storage.into()),
        ("the symmetry", symmetry.into()),
        ("the end", until.into()),
    ];
    let identity = identity.map(|(name, value)| (name.to_owned(), value));
    identity.into_iter().collect()
}
