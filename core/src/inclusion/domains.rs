//! Images that the states of an implementation may still have, while a mapping is looked for.

use std::collections::VecDeque;

use super::automaton::{Bounds, Stop};
use super::edge::{Edge, ROOT};
use super::relation::Relation;
use super::simulation::{Sides, Simulation};

/// States that are given an image by trial before a search for a mapping is given up.
const MOST_TRIALS: usize = 100_000;

/// Image of a state that is not reached.
pub(super) const NONE: u32 = u32::MAX;

/// Result of trials.
pub(super) enum Assigned {
    All(Vec<u32>),
    None,
    GivenUp,
}

/// Images that each state of the implementation may still have.
#[derive(Clone)]
pub(super) struct Domains {
    pub images: Vec<Vec<u32>>,
    /// The states from which steps lead to each, with the places of these.
    predecessors: Vec<Vec<Predecessor>>,
    /// States whose neighbours are to be looked at.
    is_queued: Vec<bool>,
}

/// State from which a step leads to another.
#[derive(Clone, Copy)]
struct Predecessor {
    state: u32,
    step: u32,
}

/// Domain of a state before a trial changed it.
pub(super) struct Changed {
    state: u32,
    before: Vec<u32>,
}

impl Domains {
    pub fn new(simulation: &Simulation, sides: &mut Sides<'_>) -> Self {
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
                let Edge { to, .. } = sides.implementation.edge(place);
                predecessors[to as usize].push(Predecessor {
                    state: from,
                    step: place,
                });
            }
        }
        Self {
            images,
            predecessors,
            is_queued: vec![false; states],
        }
    }

    /// Takes out what cannot be the image of a state beside the images that are left to its neighbours, and notes the domains
    /// that this changes. False if a state is left without an image.
    pub fn propagate(
        &mut self,
        mut queue: VecDeque<u32>,
        changes: &mut Vec<Changed>,
        relation: &mut Relation,
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
                revised.push(Revised {
                    state: sides.implementation.edge(place).to,
                    step: place,
                    end: End::Target,
                });
            }
            for Predecessor { state, step } in self.predecessors[state as usize].iter().copied() {
                revised.push(Revised {
                    state,
                    step,
                    end: End::Source,
                });
            }
            for Revised {
                state: other,
                step,
                end,
            } in revised
            {
                bounds.work(0)?;
                let here = &self.images[state as usize];
                let there = &self.images[other as usize];
                let mut left = Vec::with_capacity(there.len());
                for image in there {
                    bounds.work(0)?;
                    for support in here {
                        let ends = match end {
                            End::Target => [*support, *image],
                            End::Source => [*image, *support],
                        };
                        if relation.is_mapped(sides, step, ends, bounds)? {
                            left.push(*image);
                            break;
                        }
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
    pub fn assign(
        &mut self,
        relation: &mut Relation,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Assigned, Stop> {
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
                if self.propagate(queue, changes, relation, sides, bounds)? {
                    // What is before the state has one image each.
                    first = state as usize;
                    break;
                }
            }
        }
    }

    /// Takes back changes, the last first.
    fn undo(&mut self, changes: &mut Vec<Changed>) {
        while let Some(Changed { state, before }) = changes.pop() {
            self.images[state as usize] = before;
        }
    }
}

/// State whose images are revised, at one end of a step.
struct Revised {
    state: u32,
    step: u32,
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
