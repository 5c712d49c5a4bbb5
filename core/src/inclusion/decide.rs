//! The ladder: a simulation in single steps, one in several, inclusion of what is observed; the first that succeeds names what a
//! refinement mapping lacks.
//!
//! Nothing that makes evidence is part of the decision.

use super::antichain::{Antichain, Searched, Unmatched};
use super::automaton::Bounds;
use super::candidates::Simulated;
use super::simulation::{Extent, Outcome, Sides, Simulation};
use crate::explore::Limit;

/// Pairs of a simulation that are looked at before inclusion is tried: where there is no simulation, there may be many.
const FIRST_PAIRS: usize = 1 << 20;

/// Decision, with what evidence is made of.
pub(super) enum Decided {
    /// There is a simulation in which a step is one abstract step, or none.
    AtMostOne(Box<Simulation>),
    /// There is one in which a step is several.
    Several(Box<Simulation>),
    /// What is observed is included, and there is no simulation.
    Included(Box<Antichain>),
    /// The same, but a limit came before it was known whether there is a simulation.
    IncludedSomehow(Limit),
    /// What is observed is not included.
    NotIncluded(Box<Antichain>, Unmatched),
}

/// Decides inclusion, and on which rung of the ladder it is.
pub(super) fn decide(sides: &mut Sides<'_>, bounds: &mut Bounds<'_>) -> Result<Decided, Limit> {
    let mut too_large = Vec::new();
    for simulated in [Simulated::AtMostOne, Simulated::Several] {
        match simulation(simulated, sides, bounds, FIRST_PAIRS)? {
            Outcome::Found(simulation) if too_large.is_empty() => {
                return Ok(found(simulated, simulation));
            }
            // It is included, and what is not known is whether single steps suffice.
            Outcome::Found(simulation) => {
                return Ok(finish(too_large, Some(simulation), None, sides, bounds));
            }
            Outcome::None => {}
            Outcome::TooLarge => too_large.push(simulated),
        }
    }
    let mut antichain = Box::new(Antichain::new(usize::MAX));
    let root = super::automaton::ROOT;
    match antichain.search(root, root, sides, bounds)? {
        Searched::Unmatched(unmatched) => Ok(Decided::NotIncluded(antichain, unmatched)),
        Searched::Included | Searched::TooLarge => {
            Ok(finish(too_large, None, Some(antichain), sides, bounds))
        }
    }
}

/// Decides on which rung an inclusion is that is known, where simulations were too large to be decided before.
fn finish(
    too_large: Vec<Simulated>,
    in_several: Option<Box<Simulation>>,
    antichain: Option<Box<Antichain>>,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Decided {
    for simulated in too_large {
        match simulation(simulated, sides, bounds, usize::MAX) {
            Ok(Outcome::Found(simulation)) => return found(simulated, simulation),
            Ok(Outcome::None | Outcome::TooLarge) => {}
            Err(limit) => return Decided::IncludedSomehow(limit),
        }
    }
    match (in_several, antichain) {
        (Some(simulation), _) => Decided::Several(simulation),
        (None, Some(antichain)) => Decided::Included(antichain),
        (None, None) => unreachable!("an inclusion is known by a simulation or by an antichain"),
    }
}

fn found(simulated: Simulated, simulation: Box<Simulation>) -> Decided {
    match simulated {
        Simulated::AtMostOne => Decided::AtMostOne(simulation),
        Simulated::Several => Decided::Several(simulation),
    }
}

fn simulation(
    simulated: Simulated,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
    most_pairs: usize,
) -> Result<Outcome, Limit> {
    Simulation::new(simulated, Extent::Needed, sides, bounds, most_pairs)
}
