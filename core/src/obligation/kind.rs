//! Kinds of obligations.

use std::fmt::{self, Display};

/// Kind of obligation: its name up to the colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObligationKind {
    /// `observation`.
    Observation,
    /// `initiality`.
    Initiality,
    /// `simulation`.
    Simulation,
    /// `agency`.
    Agency,
    /// `invariant:NAME`.
    Invariant,
    /// `inductive:NAME` and `inductive:simulation`.
    Inductive,
    /// `environment`, `environment:RULE` and `environment:at_rest`.
    Environment,
    /// `fairness:NAME`.
    Fairness,
    /// `leads-to:NAME`.
    LeadsTo,
    /// `eventually:NAME`.
    Eventually,
    /// `always-eventually:NAME`.
    AlwaysEventually,
    /// `eventually-always:NAME`.
    EventuallyAlways,
    /// `deadlock`.
    Deadlock,
    /// `coverage`.
    Coverage,
    /// `model`.
    Model,
}

impl ObligationKind {
    /// All kinds, in the order of a report.
    pub const ALL: [Self; 15] = [
        Self::Observation,
        Self::Initiality,
        Self::Simulation,
        Self::Agency,
        Self::Invariant,
        Self::Inductive,
        Self::Environment,
        Self::Fairness,
        Self::LeadsTo,
        Self::Eventually,
        Self::AlwaysEventually,
        Self::EventuallyAlways,
        Self::Deadlock,
        Self::Coverage,
        Self::Model,
    ];

    /// Kind of the obligation of this name; `None` if a check has no such obligation.
    pub fn of(obligation: &str) -> Option<Self> {
        let (kind, _) = obligation.split_once(':').unwrap_or((obligation, ""));
        Self::ALL.into_iter().find(|known| known.name() == kind)
    }

    /// Name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Initiality => "initiality",
            Self::Simulation => "simulation",
            Self::Agency => "agency",
            Self::Invariant => "invariant",
            Self::Inductive => "inductive",
            Self::Environment => "environment",
            Self::Fairness => "fairness",
            Self::LeadsTo => "leads-to",
            Self::Eventually => "eventually",
            Self::AlwaysEventually => "always-eventually",
            Self::EventuallyAlways => "eventually-always",
            Self::Deadlock => "deadlock",
            Self::Coverage => "coverage",
            Self::Model => "model",
        }
    }
}

impl Display for ObligationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
