//! Liveness of models: what is decided, what is refused, and what a report shows.

mod between;
mod large;
mod positions;
mod random;
mod settings;
mod shown;
mod vacuous;
mod web;

use refmap::{Fairness, Property, Refinement, Report};
use refmap_testing::{Action, Machine, Via, checked, itself, with_liveness};

/// A client asks, a server serves, and the client may ask again; a clock ticks meanwhile. State: whether the client
/// waits, and the parity of the clock.
pub fn server() -> Via<u8, u8> {
    let next = |state: &u8| {
        let mut steps: Vec<(Action, u8)> = vec![(("tick", 0), state ^ 2)];
        steps.push(match state & 1 {
            0 => (("ask", 0), state | 1),
            _ => (("serve", 0), state & 2),
        });
        steps
    };
    let rules = [("ask", "client"), ("serve", "server"), ("tick", "clock")];
    let mut refinement = itself(Machine::new(&rules, [0u8], next, |state| state & 1));
    refinement.liveness = vec![served()];
    refinement
}

pub fn served() -> Property<Machine<u8>> {
    Property::leads_to("served", "a test", |s: &u8| s & 1 == 1, |s: &u8| s & 1 == 0)
}

pub fn fair(refinement: &mut Via<u8, u8>, conditions: &[Fairness]) {
    refinement.implementation.fairness = conditions.to_vec();
}

/// The report of a check that decides liveness, too.
pub fn live(refinement: &impl Refinement) -> Report {
    checked(refinement, &with_liveness())
}
