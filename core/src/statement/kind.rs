//! Kinds of obligations.

use std::fmt::{self, Display};

/// Declares the kinds: the name of each, which is that of its rows up to the colon, and the statement of such a row.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $name:literal, $states:literal;)*) => {
        /// Kind of obligation: its name up to the colon.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ObligationKind {
            $($(#[$doc])*
            #[doc = ""]
            #[doc = concat!($states, ".")]
            $kind,)*
        }

        impl ObligationKind {
            /// All kinds, in the order of a report.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// Name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Statement of an obligation of this kind.
            const fn states(self) -> &'static str {
                match self {
                    $(Self::$kind => $states,)*
                }
            }
        }
    };
}

kinds! {
    /// `observation`.
    Observation, "observation",
    "a state and its image show the same";
    /// `initiality`.
    Initiality, "initiality",
    "initial states map to initial states, and there is one";
    /// `simulation`.
    Simulation, "simulation",
    "each step maps to the abstract steps that `abstract_steps` names, or to a stutter";
    /// `agency`.
    Agency, "agency",
    "an action of the environment is answered only by its own process";
    /// `invariant:NAME`.
    Invariant, "invariant",
    "the invariant holds in every reachable state";
    /// `inductive:NAME` and `inductive:simulation`.
    Inductive, "inductive",
    "each step from a type-correct state that satisfies all the invariants leads to one that satisfies this one";
    /// `auxiliary:NAME`.
    Auxiliary, "auxiliary",
    "the side condition of an auxiliary variable of the implementation holds, so that no behaviour is lost";
    /// `environment`, `environment:RULE` and `environment:at_rest`.
    Environment, "environment",
    "the implementation never takes the rule away from its process for good";
    /// `fairness:NAME`.
    Fairness, "fairness",
    "the fairness condition of the specification follows from those of the implementation, through the mapping";
    /// `leads-to:NAME`.
    LeadsTo, "leads-to",
    "whenever the premise holds, the conclusion holds then or later";
    /// `eventually:NAME`.
    Eventually, "eventually",
    "the conclusion holds at some time";
    /// `always-eventually:NAME`.
    AlwaysEventually, "always-eventually",
    "the conclusion holds infinitely often";
    /// `eventually-always:NAME`.
    EventuallyAlways, "eventually-always",
    "from some time on the conclusion holds for ever, if the premise, where there is one, holds at some time";
    /// `deadlock`.
    Deadlock, "deadlock",
    "every state has a step, or is one where the system may stop";
    /// `coverage`.
    Coverage, "coverage",
    "what the specification can do, the implementation does somewhere";
    /// `model`.
    Model, "model",
    "the functions of the model return, and are functions; no state offers an action twice; what is overridden \
                 agrees with the rest; states survive packing";
}

impl ObligationKind {
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
            "auxiliary:initial" => "in every initial state every possible prediction is offered",
            "auxiliary:non-empty" => {
                "every state has a possible prediction for each key that is open"
            }
            "auxiliary:backward-total" => {
                "for each step of the system without the variable, and whatever is predicted after it, there is a prediction before it with \
     which the step is taken"
            }
            "auxiliary:terminates" => "each stutter decreases its value, which is bounded below",
            "auxiliary:enabled" => {
                "a stutter before an action begins only where the action is enabled, and it is when the stutter ends"
            }
            // Rows that are of no kind.
            "behaviour" => {
                "there is an order of the events of the history of which the specification takes every step"
            }
            "interest" => "the history has an event worth looking at",
            "sample" => {
                "a type-correct state is drawn that satisfies the invariants and that no walk reaches"
            }
            "warnings" => "nothing makes the verdict say less than it seems to",
            _ => Self::of(obligation)?.states(),
        };
        Some(sentence)
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

    #[test]
    fn an_obligation_is_of_the_kind_of_its_name() {
        for kind in ObligationKind::ALL {
            for name in [kind.name().to_owned(), format!("{kind}:of")] {
                assert_eq!(ObligationKind::of(&name), Some(kind));
                assert_eq!(ObligationKind::sentence(&name), Some(kind.states()));
            }
        }
        assert_eq!(ObligationKind::sentence("nothing:of"), None);
        assert!(ObligationKind::sentence("behaviour").is_some());
    }
}
