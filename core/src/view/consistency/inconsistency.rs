//! Contradictions of a model with itself.

use crate::statement::asked::disagreement::Disagreement;

/// Contradiction of a model with itself.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Inconsistency {
    #[error(
        "{function} is not a function of what it is given: at first it answered {first}; asked again, {again}"
    )]
    NotAFunction {
        function: String,
        first: String,
        again: String,
    },
    #[error("of the {system}, {found}")]
    Disagreement {
        system: &'static str,
        found: Disagreement,
    },
    #[error(
        "`inputs` of the specification makes {inputs} of {action}, and that is not the same action with its results fixed"
    )]
    Inputs { action: String, inputs: String },
    #[error("two equal {what} differ: {difference}")]
    Equal {
        what: &'static str,
        difference: String,
    },
}
