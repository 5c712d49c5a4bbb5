//! Refinement mappings within a simulation: one abstract state for each state of the implementation, or the reason why there is none.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 2.2. Each state has the abstract states that the
//! greatest simulation leaves it; what no predecessor or no successor can be mapped with is taken out, and what is left is tried.

use std::collections::VecDeque;

use super::automaton::{Bounds, Stop};
use super::domains::{Assigned, Domains, NONE};
use super::edge::ROOT;
use super::relation::Relation;
use super::sets::{SetId, Sets};
use super::simulation::{Pair, Sides, Simulation};

/// Pairs of a state and of the images that one past of it leaves, before a search for two pasts is given up.
const MOST_PASTS: usize = 1 << 20;

/// Result of a search for a mapping.
pub(super) enum Mapped {
    /// A mapping: the image of each state of the implementation, by its number.
    Mapping(Vec<u32>),
    /// There is none.
    None,
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
pub(super) fn is_mapping(
    images: &[u32],
    relation: &mut Relation,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<bool, Stop> {
    if images[ROOT as usize] != ROOT {
        return Ok(false);
    }
    for from in 0..images.len() as u32 {
        let before = images[from as usize];
        if before == NONE {
            continue;
        }
        for place in sides.implementation.steps(from) {
            bounds.work(0)?;
            let after = images[sides.implementation.edge(place).to as usize];
            if !relation.is_mapped(sides, place, [before, after], bounds)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
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

/// Images that the greatest simulation on all pairs leaves, among which mappings are looked for.
pub(super) struct Search {
    /// Those of the simulation itself.
    simulated: Vec<Vec<u32>>,
    domains: Domains,
}

impl Search {
    /// Search among the pairs of a simulation.
    pub fn new(simulation: &Simulation, sides: &mut Sides<'_>) -> Self {
        let domains = Domains::new(simulation, sides);
        Self {
            simulated: domains.images.clone(),
            domains,
        }
    }

    /// Finds a mapping of which each step is as the relation has it. What is found of one relation is not kept for the next.
    pub fn mapping(
        &self,
        relation: &mut Relation,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Mapped, Stop> {
        let mut domains = self.domains.clone();
        let everything = (0..self.simulated.len() as u32).collect();
        let changes = &mut Vec::new();
        if !domains.propagate(everything, changes, relation, sides, bounds)? {
            return Ok(Mapped::None);
        }
        Ok(match domains.assign(relation, sides, bounds)? {
            Assigned::All(images) if is_mapping(&images, relation, sides, bounds)? => {
                Mapped::Mapping(images)
            }
            Assigned::All(_) | Assigned::GivenUp => Mapped::GivenUp,
            Assigned::None => Mapped::None,
        })
    }

    /// Two pasts of a state after which it needs different images, each step as the relation has it, if they are found.
    pub fn two_pasts(
        &self,
        relation: &mut Relation,
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
        let mut of_state: Vec<Vec<usize>> = vec![Vec::new(); self.simulated.len()];
        of_state[ROOT as usize].push(0);
        let mut at = 0;
        while at < met.len() && met.len() < MOST_PASTS {
            let Met { state, images, .. } = met[at];
            for place in sides.implementation.steps(state) {
                bounds.work(0)?;
                let to = sides.implementation.edge(place).to;
                let mut left = Vec::new();
                for image in self.simulated[to as usize].iter().copied() {
                    for from in sets.members(images) {
                        if relation.is_mapped(sides, place, [*from, image], bounds)? {
                            left.push(image);
                            break;
                        }
                    }
                }
                let images = sets.number(left);
                let others = &of_state[to as usize];
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
                of_state[to as usize].push(new);
                met.push(Met {
                    state: to,
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
}
