//! Error: a check cannot be run as requested.

use refmap::obligation::CheckError;

/// Error: a check cannot be run as requested.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The catalogue has no such check.
    #[error("there is no check {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownCheck {
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The check has no such parameter.
    #[error("{check} has no parameter {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownParameter {
        /// The check.
        check: &'static str,
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The parameter does not accept the value.
    #[error("{parameter} is {given}, and must be {allowed}")]
    BadArgument {
        /// The parameter.
        parameter: &'static str,
        /// The given value.
        given: String,
        /// Permitted values.
        allowed: String,
    },
    /// A parameter without a default has no value.
    #[error("{parameter} is not given, and must be one of {allowed}")]
    MissingArgument {
        /// The parameter.
        parameter: &'static str,
        /// Permitted values.
        allowed: String,
    },
    /// The arguments are inconsistent.
    #[error(transparent)]
    Instance(Box<dyn std::error::Error + Send + Sync>),
    /// The refinement does not support the settings.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl InputError {
    /// Error for inconsistent arguments, with its cause.
    pub fn instance(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Instance(Box::new(error))
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}
