//! Refinement mappings within a simulation: one abstract state for each state of the implementation, or the reason why there is none.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 2.2. Each state has the abstract states that the
//! greatest simulation leaves it; what no predecessor or no successor can be mapped with is taken out, and what is left is tried.

use std::collections::BTreeSet;

use super::bounds::Stop;
use super::candidates::Candidates;
use super::edge::{Edge, ROOT, StepLabel};
use super::sets::{Antichains, SetId, Sets};
use super::sides::Sides;
use super::simulation::{NONE, Simulation};
use super::walk::Walk;

/// States that are given an image by trial before a search for a mapping is given up.
const MOST_TRIALS: usize = 100_000;

/// State of the implementation, and the images that it can have after a past.
#[derive(Clone, Copy)]
struct MetPair {
    /// Step that led to the state; one that shows nothing, if none did.
    by: Edge,
    set: SetId,
}

/// Past of a state of the implementation, with the images that it leaves possible.
pub(super) struct BranchingPast {
    /// The steps of the implementation, from the root on.
    pub edges: Vec<Edge>,
    /// The images that the last state can have after that.
    pub images: Vec<u32>,
}

/// Finds a mapping among the images that the greatest simulation on all pairs leaves: the image of each state, by its number.
pub(super) fn mapping(
    simulation: &mut Simulation,
    sides: &mut Sides<'_>,
) -> Result<Option<Vec<u32>>, Stop> {
    let mut domains = Domains::new(simulation, sides);
    let candidates = &mut simulation.candidates;
    let everything = 0..domains.images.len() as u32;
    if !domains.propagate(everything.collect(), &mut Vec::new(), candidates, sides)? {
        return Ok(None);
    }
    domains.assign(candidates, sides)
}

/// Two pasts of a state after which it needs different images of those that the greatest simulation on all pairs leaves, if they are
/// found.
pub(super) fn two_pasts(
    simulation: &mut Simulation,
    sides: &mut Sides<'_>,
) -> Result<Option<[BranchingPast; 2]>, Stop> {
    let simulated = images(simulation, sides);
    let (mut sets, mut kept) = (Sets::default(), Antichains::default());
    let root = MetPair {
        by: Edge {
            label: StepLabel::INVISIBLE,
            to: ROOT,
        },
        set: sets.number(vec![ROOT]),
    };
    let mut walk = Walk::default();
    kept.insert(ROOT, root.set, &mut sets, &mut sides.bounds)?;
    walk.meet(root, None);
    let found = walk.breadth_first(|walk, at| {
        let from = walk.node(at);
        for place in sides.implementation.steps(from.by.to) {
            let by = sides.implementation.edge(place);
            let mut left = Vec::new();
            for image in &simulated[by.to as usize] {
                sides.work()?;
                for before in sets.members(from.set) {
                    let ends = [*before, *image];
                    if simulation.candidates.leads(ends, by.label, sides)? {
                        left.push(*image);
                        break;
                    }
                }
            }
            let set = sets.number(left);
            if !kept.insert(by.to, set, &mut sets, &mut sides.bounds)? {
                continue;
            }
            let new = walk.len();
            walk.meet(MetPair { by, set }, Some(at));
            let disjoint = kept.of(by.to).iter().find(|(_, other)| {
                let [one, other] = [set, *other].map(|set| sets.members(set));
                one.iter().all(|image| other.binary_search(image).is_err())
            });
            if let Some((other, _)) = disjoint {
                return Ok(Some([*other, new]));
            }
        }
        Ok(None)
    })?;
    let past = |at: u32| BranchingPast {
        edges: walk.path(at).iter().skip(1).map(|met| met.by).collect(),
        images: sets.members(walk.node(at).set).to_vec(),
    };
    Ok(found.map(|places| places.map(past)))
}

/// Images that a simulation leaves each state of the implementation, in their order; none of a state that is not reached.
fn images(simulation: &Simulation, sides: &Sides<'_>) -> Vec<Vec<u32>> {
    let mut images = vec![Vec::new(); sides.implementation.numbers()];
    for pair in simulation.pairs() {
        images[pair.implementation as usize].push(pair.specification);
    }
    images[ROOT as usize] = vec![ROOT];
    for images in &mut images {
        images.sort_unstable();
    }
    images
}

/// Images that each state of the implementation may still have.
struct Domains {
    images: Vec<Vec<u32>>,
    /// The steps from and to each state.
    steps: Vec<Vec<MappedStep>>,
}

/// Step of the implementation.
#[derive(Clone, Copy)]
struct MappedStep {
    from: u32,
    edge: Edge,
}

/// Domain of a state before a trial changed it.
struct Changed {
    state: u32,
    before: Vec<u32>,
}

/// State that is given one image after another.
struct Trial {
    state: u32,
    /// Images not tried yet, the next one last.
    untried: Vec<u32>,
    /// Domains that the image that is tried has changed.
    changes: Vec<Changed>,
}

impl Domains {
    fn new(simulation: &Simulation, sides: &mut Sides<'_>) -> Self {
        let images = images(simulation, sides);
        let mut steps = vec![Vec::new(); images.len()];
        for from in 0..images.len() as u32 {
            if images[from as usize].is_empty() {
                continue;
            }
            for place in sides.implementation.steps(from) {
                let edge = sides.implementation.edge(place);
                let step = MappedStep { from, edge };
                steps[from as usize].push(step);
                steps[edge.to as usize].push(step);
            }
        }
        Self { images, steps }
    }

    /// Takes out what cannot be the image of a state beside the images that are left to its neighbours, of which the
    /// first are in the queue, and notes the domains that this changes. False if a state is left without an image.
    fn propagate(
        &mut self,
        mut queue: BTreeSet<u32>,
        changes: &mut Vec<Changed>,
        candidates: &mut Candidates,
        sides: &mut Sides<'_>,
    ) -> Result<bool, Stop> {
        while let Some(state) = queue.pop_first() {
            if self.images[state as usize].is_empty() {
                // It is not reached.
                continue;
            }
            for MappedStep { from, edge } in &self.steps[state as usize] {
                let leads_on = *from == state;
                let other = if leads_on { edge.to } else { *from };
                let here = &self.images[state as usize];
                let there = &self.images[other as usize];
                let mut left = Vec::with_capacity(there.len());
                sides.work()?;
                for image in there {
                    sides.work()?;
                    for support in here {
                        let ends = if leads_on {
                            [*support, *image]
                        } else {
                            [*image, *support]
                        };
                        if candidates.leads(ends, edge.label, sides)? {
                            left.push(*image);
                            break;
                        }
                    }
                }
                if left.len() == there.len() {
                    continue;
                }
                let is_empty = left.is_empty();
                let before = std::mem::replace(&mut self.images[other as usize], left);
                changes.push(Changed {
                    state: other,
                    before,
                });
                if is_empty {
                    return Ok(false);
                }
                queue.insert(other);
            }
        }
        Ok(true)
    }

    /// Tries images for the states that have several left, until each has one.
    fn assign(
        &mut self,
        candidates: &mut Candidates,
        sides: &mut Sides<'_>,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let mut trials: Vec<Trial> = Vec::new();
        let mut number = 0;
        let mut first = 0;
        loop {
            let mut open = self.images.iter().skip(first);
            let Some(open) = open.position(|images| images.len() > 1) else {
                let images = self.images.iter().map(|images| images.first());
                let images = images.map(|image| *image.unwrap_or(&NONE));
                return Ok(Some(images.collect()));
            };
            let state = first + open;
            trials.push(Trial {
                state: state as u32,
                untried: self.images[state].iter().rev().copied().collect(),
                changes: Vec::new(),
            });
            // The newest trial goes on with its next image, and if it has none the one before does.
            loop {
                let Some(trial) = trials.last_mut() else {
                    return Ok(None);
                };
                for Changed { state, before } in trial.changes.drain(..).rev() {
                    self.images[state as usize] = before;
                }
                let Some(image) = trial.untried.pop() else {
                    trials.pop();
                    continue;
                };
                number += 1;
                if number > MOST_TRIALS {
                    return Err(Stop::Allowance);
                }
                let state = trial.state;
                let before = std::mem::replace(&mut self.images[state as usize], vec![image]);
                trial.changes.push(Changed { state, before });
                let queue = BTreeSet::from([state]);
                if self.propagate(queue, &mut trial.changes, candidates, sides)? {
                    // What is before the state has one image each.
                    first = state as usize;
                    break;
                }
            }
        }
    }
}
