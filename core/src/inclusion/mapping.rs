//! Refinement mappings within a simulation: one abstract state for each state of the implementation, or the reason why there is none.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 2.2. Each state has the abstract states that the
//! greatest simulation leaves it; what no predecessor or no successor can be mapped with is taken out, and what is left is tried.

use std::collections::VecDeque;

use super::automaton::{Bounds, Stop};
use super::domains::{Assigned, Domains, NONE, is_mapped};
use super::edge::ROOT;
use super::sets::{SetId, Sets};
use super::simulation::{Pair, Sides, Simulation};
use super::uniform::restrict;

/// Pairs of a state and of the images that one past of it leaves, before a search for two pasts is given up.
const MOST_PASTS: usize = 1 << 20;

/// Result of a search for a mapping.
pub(super) enum Mapped {
    /// A mapping: the image of each state of the implementation, by its number.
    Mapping(Vec<u32>),
    /// There is none; two pasts of one state that need different images, where they were found.
    None(Option<[Past; 2]>),
    /// Neither a mapping nor a reason was found in so many trials.
    GivenUp,
}

/// Past of a state of the implementation, with the images that it leaves possible.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// The states of the implementation, from the root on.
    pub states: Vec<u32>,
    /// The images that the last state can have after that.
    pub images: Vec<u32>,
}

/// True if `images` is a refinement mapping: plainly, without anything by which it was found. A state that has none is not
/// reached, or else the image of a step that leads there is wrong.
pub(super) fn is_mapping(sides: &mut Sides<'_>, images: &[u32]) -> bool {
    let is_reached = |state: &u32| images[*state as usize] != NONE;
    let mut reached = (0..images.len() as u32).filter(is_reached);
    images[ROOT as usize] == ROOT
        && reached.all(|from| {
            sides.implementation.steps(from).all(|place| {
                let edge = sides.implementation.edge(place);
                let [before, after] = [from, edge.to].map(|state| images[state as usize]);
                is_mapped(&mut sides.specification, before, edge.label, after)
            })
        })
}

/// Images of the states as a simulation takes its steps: the first image of a state is kept where it can be. None if a state
/// needs two.
pub(super) fn taken_by(
    simulation: &mut Simulation,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<Option<Vec<u32>>, Stop> {
    let mut images = vec![NONE; sides.implementation.numbers()];
    images[ROOT as usize] = ROOT;
    let mut queue = VecDeque::from([ROOT]);
    while let Some(from) = queue.pop_front() {
        let pair = Pair {
            implementation: from,
            specification: images[from as usize],
        };
        for place in sides.implementation.steps(from) {
            bounds.work(0)?;
            let edge = sides.implementation.edge(place);
            let wanted = Some(images[edge.to as usize]).filter(|image| *image != NONE);
            let target = simulation.target(pair, edge, wanted, sides, bounds)?;
            let Some(target) = target else {
                return Ok(None);
            };
            if wanted.is_none() {
                images[edge.to as usize] = target.to;
                queue.push_back(edge.to);
            }
        }
    }
    Ok(Some(images))
}

/// Finds a mapping within the greatest simulation on all pairs.
pub(super) fn search(
    simulation: &Simulation,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<Mapped, Stop> {
    let mut domains = Domains::new(simulation, sides);
    let simulated = domains.images.clone();
    let everything = (0..simulated.len() as u32).collect();
    let found = if domains.propagate(everything, &mut Vec::new(), sides, bounds)? {
        restrict(&mut domains, sides, bounds)?;
        domains.assign(sides, bounds)?
    } else {
        Assigned::None
    };
    Ok(match found {
        Assigned::All(images) if is_mapping(sides, &images) => Mapped::Mapping(images),
        Assigned::All(_) | Assigned::GivenUp => Mapped::GivenUp,
        Assigned::None => Mapped::None(two_pasts(&simulated, sides, bounds)?),
    })
}

/// Two pasts of a state after which it needs different images, if they are found.
fn two_pasts(
    simulated: &[Vec<u32>],
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<Option<[Past; 2]>, Stop> {
    let mut sets = Sets::default();
    /// A state with the images that its past leaves, and the place of the one before.
    struct Met {
        state: u32,
        images: SetId,
        before: usize,
    }
    let mut met = vec![Met {
        state: ROOT,
        images: sets.number(vec![ROOT]),
        before: 0,
    }];
    let mut of_state: Vec<Vec<usize>> = vec![Vec::new(); simulated.len()];
    of_state[ROOT as usize].push(0);
    let mut at = 0;
    while at < met.len() && met.len() < MOST_PASTS {
        let Met { state, images, .. } = met[at];
        for place in sides.implementation.steps(state) {
            bounds.work(0)?;
            let edge = sides.implementation.edge(place);
            let here = sets.members(images);
            let there = simulated[edge.to as usize].iter().copied();
            let left = there.filter(|to| {
                here.iter()
                    .any(|from| is_mapped(&mut sides.specification, *from, edge.label, *to))
            });
            let left = left.collect();
            let images = sets.number(left);
            let others = &of_state[edge.to as usize];
            if others.iter().any(|other| met[*other].images == images) {
                continue;
            }
            let disjoint = others.iter().find(|other| {
                let other = sets.members(met[**other].images);
                let images = sets.members(images);
                images
                    .iter()
                    .all(|image| other.binary_search(image).is_err())
            });
            let disjoint = disjoint.copied();
            let new = met.len();
            of_state[edge.to as usize].push(new);
            met.push(Met {
                state: edge.to,
                images,
                before: at,
            });
            if let Some(other) = disjoint {
                return Ok(Some([other, new].map(|mut at| {
                    let images = sets.members(met[at].images).to_vec();
                    let mut states = vec![met[at].state];
                    while at != 0 {
                        at = met[at].before;
                        states.push(met[at].state);
                    }
                    states.reverse();
                    Past { states, images }
                })));
            }
        }
        at += 1;
    }
    Ok(None)
}
