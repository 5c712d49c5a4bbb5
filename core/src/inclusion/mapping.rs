//! Refinement mappings within a simulation: one abstract state for each state of the implementation, or the reason why there is none.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 2.2. Each state has the abstract states that the
//! greatest simulation leaves it; what no predecessor or no successor can be mapped with is taken out, and what is left is tried.

use std::collections::VecDeque;

use super::automaton::{Automaton, Bounds, Stop};
use super::edge::{Edge, Label, ROOT};
use super::sets::{SetId, Sets};
use super::simulation::{Pair, Sides, Simulation};
use super::uniform::restrict;

/// States that are given an image by trial before a search for a mapping is given up.
const MOST_TRIALS: usize = 100_000;

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

/// True if a step with this label, of the implementation, maps to at most one step from `from` to `to`.
fn is_mapped(specification: &mut Automaton<'_>, from: u32, label: Label, to: u32) -> bool {
    (label == Label::INVISIBLE && from == to) || specification.has(from, label, to)
}

/// Image of a state that is not reached.
pub(super) const NONE: u32 = u32::MAX;

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

enum Assigned {
    All(Vec<u32>),
    None,
    GivenUp,
}

/// Images that each state of the implementation may still have.
pub(super) struct Domains {
    images: Vec<Vec<u32>>,
    /// The states from which steps lead to each, with their labels.
    predecessors: Vec<Vec<Predecessor>>,
    /// States whose neighbours are to be looked at.
    is_queued: Vec<bool>,
}

/// State from which a step leads to another.
#[derive(Clone, Copy)]
struct Predecessor {
    state: u32,
    label: Label,
}

/// Domain of a state before a trial changed it.
pub(super) struct Changed {
    state: u32,
    before: Vec<u32>,
}

impl Domains {
    fn new(simulation: &Simulation, sides: &mut Sides<'_>) -> Self {
        let states = sides.implementation.numbers();
        let mut images = vec![Vec::new(); states];
        for pair in simulation.pairs() {
            images[pair.implementation as usize].push(pair.specification);
        }
        images[ROOT as usize] = vec![ROOT];
        let mut predecessors = vec![Vec::new(); states];
        for from in 0..states as u32 {
            images[from as usize].sort_unstable();
            if images[from as usize].is_empty() {
                // It is not reached.
                continue;
            }
            for place in sides.implementation.steps(from) {
                let Edge { label, to } = sides.implementation.edge(place);
                predecessors[to as usize].push(Predecessor { state: from, label });
            }
        }
        Self {
            images,
            predecessors,
            is_queued: vec![false; states],
        }
    }

    /// The states that are reached, in their order, without the root.
    pub fn reached(&self) -> Vec<u32> {
        let states =
            (ROOT + 1..self.images.len() as u32).filter(|state| !self.of(*state).is_empty());
        states.collect()
    }

    /// Images that a state may still have.
    pub fn of(&self, state: u32) -> &[u32] {
        &self.images[state as usize]
    }

    /// Leaves some states only the images that `is_left` says, and notes what that changes; returns the states that it changes.
    pub fn restrict(
        &mut self,
        states: &[u32],
        is_left: impl Fn(&u32) -> bool,
        changes: &mut Vec<Changed>,
    ) -> Vec<u32> {
        let mut changed = Vec::new();
        for state in states {
            let images = &mut self.images[*state as usize];
            if images.iter().all(&is_left) {
                continue;
            }
            let left = images.iter().copied().filter(&is_left).collect();
            let before = std::mem::replace(images, left);
            changes.push(Changed {
                state: *state,
                before,
            });
            changed.push(*state);
        }
        changed
    }

    /// Takes out what cannot be the image of a state beside the images that are left to its neighbours, and notes the domains
    /// that this changes. False if a state is left without an image.
    pub fn propagate(
        &mut self,
        mut queue: VecDeque<u32>,
        changes: &mut Vec<Changed>,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        for state in &queue {
            self.is_queued[*state as usize] = true;
        }
        while let Some(state) = queue.pop_front() {
            self.is_queued[state as usize] = false;
            if self.images[state as usize].is_empty() {
                // It is not reached.
                continue;
            }
            let mut revised = Vec::new();
            for place in sides.implementation.steps(state) {
                let Edge { label, to } = sides.implementation.edge(place);
                revised.push(Revised {
                    state: to,
                    label,
                    end: End::Target,
                });
            }
            for Predecessor { state, label } in self.predecessors[state as usize].iter().copied() {
                revised.push(Revised {
                    state,
                    label,
                    end: End::Source,
                });
            }
            for Revised {
                state: other,
                label,
                end,
            } in revised
            {
                bounds.work(0)?;
                let here = &self.images[state as usize];
                let there = &self.images[other as usize];
                let mut left = Vec::with_capacity(there.len());
                for image in there {
                    bounds.work(0)?;
                    let is_supported = here.iter().any(|support| match end {
                        End::Target => is_mapped(&mut sides.specification, *support, label, *image),
                        End::Source => is_mapped(&mut sides.specification, *image, label, *support),
                    });
                    if is_supported {
                        left.push(*image);
                    }
                }
                if left.len() < there.len() {
                    let is_empty = left.is_empty();
                    let before = std::mem::replace(&mut self.images[other as usize], left);
                    changes.push(Changed {
                        state: other,
                        before,
                    });
                    if is_empty {
                        for state in queue {
                            self.is_queued[state as usize] = false;
                        }
                        return Ok(false);
                    }
                    if !std::mem::replace(&mut self.is_queued[other as usize], true) {
                        queue.push_back(other);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Tries images for the states that have several left, until each has one.
    fn assign(&mut self, sides: &mut Sides<'_>, bounds: &mut Bounds<'_>) -> Result<Assigned, Stop> {
        let mut trials: Vec<Trial> = Vec::new();
        let mut number = 0;
        let mut first = 0;
        loop {
            let open = self.images[first..].iter();
            let Some(open) = open.clone().position(|images| images.len() > 1) else {
                let images = self.images.iter().map(|images| images.first());
                return Ok(Assigned::All(
                    images.map(|image| *image.unwrap_or(&NONE)).collect(),
                ));
            };
            let state = first + open;
            let mut untried = self.images[state].clone();
            untried.reverse();
            untried.sort_by_cached_key(|image| {
                sides.likeness(Pair {
                    implementation: state as u32,
                    specification: *image,
                })
            });
            trials.push(Trial {
                state: state as u32,
                untried,
                changes: Vec::new(),
            });
            // The newest trial goes on with its next image, and if it has none the one before does.
            loop {
                let Some(trial) = trials.last_mut() else {
                    return Ok(Assigned::None);
                };
                self.undo(&mut trial.changes);
                let Some(image) = trial.untried.pop() else {
                    trials.pop();
                    continue;
                };
                number += 1;
                if number > MOST_TRIALS {
                    return Ok(Assigned::GivenUp);
                }
                let state = trial.state;
                let before = std::mem::replace(&mut self.images[state as usize], vec![image]);
                trial.changes.push(Changed { state, before });
                let queue = VecDeque::from([state]);
                let changes = &mut trial.changes;
                if self.propagate(queue, changes, sides, bounds)? {
                    // What is before the state has one image each.
                    first = state as usize;
                    break;
                }
            }
        }
    }

    /// Takes back changes, the last first.
    pub fn undo(&mut self, changes: &mut Vec<Changed>) {
        while let Some(Changed { state, before }) = changes.pop() {
            self.images[state as usize] = before;
        }
    }
}

/// State whose images are revised, at one end of a step.
struct Revised {
    state: u32,
    label: Label,
    end: End,
}

/// End of a step.
#[derive(Clone, Copy)]
enum End {
    Source,
    Target,
}

/// State that is given one image after another.
struct Trial {
    state: u32,
    /// Images not tried yet, the next one last.
    untried: Vec<u32>,
    /// Domains that the image that is tried has changed.
    changes: Vec<Changed>,
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
