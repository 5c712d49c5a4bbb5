//! Obligations that a check cannot decide, and why.
//!
//! An implementation that is made of another system says which obligations are not those of that system; a quotient, a bound
//! of the instance and what is kept of states say it by the settings. All of them are asked here, once a check.

use super::settings::{Settings, Symmetry};
use crate::statement::asked::functions::Functions;
use crate::statement::kind::ObligationKind;
use crate::statement::system::TransitionSystem;

/// Reasons why obligations cannot be decided, by their kinds.
#[derive(Clone, Copy)]
pub(super) struct Undecided([Option<&'static str>; ObligationKind::ALL.len()]);

impl Undecided {
    /// Those of an implementation, checked with these settings.
    pub fn of(implementation: &impl TransitionSystem, settings: &Settings<'_>) -> Self {
        let caveats = implementation.call_caveats();
        let bounded = caveats.bound().map(
            |_| "the runs of this instance are bounded, so that a thread may stop that would go on",
        );
        let (of_environment, of_liveness) = (
            by_settings(settings, ABOUT_ONE_PROCESS),
            by_settings(settings, FAIR_CYCLES),
        );
        let reason = |kind: ObligationKind| {
            let own = caveats.reason(kind);
            match kind {
                ObligationKind::Environment => own.or(of_environment),
                ObligationKind::Fairness
                | ObligationKind::LeadsTo
                | ObligationKind::Eventually
                | ObligationKind::AlwaysEventually
                | ObligationKind::EventuallyAlways => own.or(bounded).or(of_liveness),
                _ => own,
            }
        };
        Self(ObligationKind::ALL.map(reason))
    }

    /// Reason why obligations of a kind cannot be decided, if they cannot.
    pub fn reason(&self, kind: ObligationKind) -> Option<&'static str> {
        self.0[kind as usize]
    }

    /// The same of the kind of a row.
    pub fn of_row(&self, name: &str) -> Option<&'static str> {
        self.reason(ObligationKind::of(name)?)
    }
}

/// Reason why a quotient does not decide `environment`: what one process may do is not the same question of all members of a class.
const ABOUT_ONE_PROCESS: &str =
    "it asks about single processes, and a quotient by symmetry exchanges them";

/// Reason why it does not decide what happens in the end, whether or not a property speaks of single processes.
const FAIR_CYCLES: &str = "it asks for fair cycles, and a cycle of a quotient by symmetry may come back with processes exchanged, so that the steps \
     of one are taken for those of another";

/// Reason why what is decided on the complete graph cannot be decided with these settings, by a quotient for a reason of its own.
fn by_settings(settings: &Settings<'_>, of_quotient: &'static str) -> Option<&'static str> {
    if settings.symmetry != Symmetry::None {
        return Some(of_quotient);
    }
    records_none(settings)
}

/// Reason why a search with these settings does not record the graph, if it does not.
pub(super) fn records_none(settings: &Settings<'_>) -> Option<&'static str> {
    if settings.checkpoints.is_some() {
        return Some("it needs the complete graph, and a search with checkpoints records none");
    }
    if settings.spill.is_some() {
        return Some("it needs the complete graph, and a search that may go to disk records none");
    }
    if settings.peers.is_some() {
        return Some("it needs the complete graph, and a search of several processes records none");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_their_order() {
        for (number, kind) in ObligationKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
    }
}
