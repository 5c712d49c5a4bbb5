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

    /// Statement of the obligation of this name, those of a recorded history among them, as a sentence without its stop;
    /// `None` if there is no such obligation.
    pub fn sentence(obligation: &str) -> Option<&'static str> {
        let sentence = match obligation {
            "inductive:simulation" => {
                "observation, initiality and simulation hold from every type-correct state that satisfies the invariants"
            }
            "environment:at_rest" => {
                "an environment process can always come to rest, and only its steps change whether it does"
            }
            // Rows that are of no kind.
            "behaviour" => {
                "there is an order of the events of the history of which the specification takes every step"
            }
            "interest" => "the history has an event worth looking at",
            "warnings" => "nothing makes the verdict say less than it seems to",
            _ => Self::of(obligation)?.states(),
        };
        Some(sentence)
    }

    /// Statement of an obligation of this kind.
    const fn states(self) -> &'static str {
        match self {
            Self::Observation => "a state and its image show the same",
            Self::Initiality => "initial states map to initial states, and there is one",
            Self::Simulation => {
                "each step maps to the abstract steps that `abstract_steps` names, or to a stutter"
            }
            Self::Agency => "an action of the environment is answered only by its own process",
            Self::Invariant => "the invariant holds in every reachable state",
            Self::Inductive => {
                "each step from a type-correct state that satisfies all the invariants leads to one that satisfies this one"
            }
            Self::Environment => {
                "the implementation never takes the rule away from its process for good"
            }
            Self::Fairness => {
                "the fairness condition of the specification follows from those of the implementation, through the mapping"
            }
            Self::LeadsTo => "whenever the premise holds, the conclusion holds then or later",
            Self::Eventually => "the conclusion holds at some time",
            Self::AlwaysEventually => "the conclusion holds infinitely often",
            Self::EventuallyAlways => {
                "from some time on the conclusion holds for ever, if the premise, where there is one, holds at some time"
            }
            Self::Deadlock => "every state has a step, or is one where the system may stop",
            Self::Coverage => "what the specification can do, the implementation does somewhere",
            Self::Model => {
                "the functions of the model return, and are functions; no state offers an action twice; what is overridden \
                 agrees with the rest; states survive packing"
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in the head of this module, that of the documentation, says of each obligation what reports and pages say.
    #[test]
    fn the_table_of_obligations_has_the_sentences() {
        let table = include_str!("mod.rs").lines().filter_map(|line| {
            let (name, sentence) = line.strip_prefix("//! | `")?.split_once("` | ")?;
            Some((name, sentence.strip_suffix(" |")?))
        });
        let mut kinds = Vec::new();
        for (name, sentence) in table {
            let said = ObligationKind::sentence(name).expect(name);
            let rest = sentence.strip_prefix(said);
            let rest = rest.unwrap_or_else(|| panic!("{name}: {sentence}\n{said}"));
            assert!(
                rest.is_empty() || rest.starts_with("; listed only if"),
                "{name}: {rest}"
            );
            kinds.extend(ObligationKind::of(name));
        }
        for kind in ObligationKind::ALL {
            assert!(kinds.contains(&kind), "{kind} is not in the table");
        }
        assert_eq!(ObligationKind::sentence("nothing:of"), None);
        assert!(ObligationKind::sentence("behaviour").is_some());
    }
}
