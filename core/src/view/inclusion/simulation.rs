//! Greatest forward simulations, as far as they are asked for.
//!
//! Source: Lynch & Vaandrager, *Forward and Backward Simulations I*, section 3. A pair of states is supposed to be in the
//! simulation until a step of its implementation's state has no candidate left; then it is taken out, and the pairs that
//! relied on it look for another. What is left is the greatest simulation on the pairs looked at.

use foldhash::HashSet;

use super::bounds::Stop;
use super::candidates::{Candidates, Simulated};
use super::edge::{Edge, ROOT, StepLabel};
use super::several_steps::AbstractTarget;
use super::sides::Sides;
use super::walk::Walk;
use crate::state::numbered::Numbered;

/// A state of the implementation and one of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub implementation: u32,
    pub specification: u32,
}

/// The roots of both.
const ROOTS: Pair = Pair {
    implementation: ROOT,
    specification: ROOT,
};

/// Image of a state that has none, since it is not reached.
pub(super) const NONE: u32 = u32::MAX;

/// Pairs that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those on which others rely.
    Needed,
    /// All that can be met from the initial ones.
    All,
}

/// Pair that relies on another for a step of its state.
#[derive(Clone, Copy)]
struct Reliance {
    pair: u32,
    /// Place of the step among those of its automaton.
    step: u32,
}

/// Simulation under construction.
pub(super) struct Simulation {
    extent: Extent,
    pub candidates: Candidates,
    pairs: Numbered<Pair>,
    is_out: Vec<bool>,
    /// The pairs that rely on each.
    relied_on: Vec<Vec<Reliance>>,
    /// Pairs whose steps are not looked at yet; the newest first, so that what fails does soon.
    waiting: Vec<u32>,
    /// Reliances on pairs that were taken out.
    broken: Vec<Reliance>,
}

/// Step of the implementation that several abstract steps simulate.
#[derive(Clone, Copy)]
pub(super) struct Several {
    pub from: Pair,
    pub edge: Edge,
    pub target: AbstractTarget,
}

/// Steps as a simulation takes them from the roots on.
pub(super) struct Strategy {
    /// The image of each state, by its number; none if one has several.
    pub images: Option<Vec<u32>>,
    /// The steps that are several abstract steps.
    pub several: Vec<Several>,
}

impl Simulation {
    /// The simulation with a step of the implementation for so many of the specification, or none, if the initial states are
    /// not in it.
    pub fn new(
        simulated: Simulated,
        extent: Extent,
        sides: &mut Sides<'_>,
    ) -> Result<Option<Box<Self>>, Stop> {
        let mut simulation = Self {
            extent,
            candidates: Candidates::new(simulated),
            pairs: Numbered::default(),
            is_out: Vec::new(),
            relied_on: Vec::new(),
            waiting: Vec::new(),
            broken: Vec::new(),
        };
        let initial = simulation.number(ROOTS);
        while !simulation.is_out[initial as usize] {
            // A pair that is in is not looked at before those that relied on what is out rely on others.
            if let Some(reliance) = simulation.broken.pop() {
                sides.work()?;
                if !simulation.is_out[reliance.pair as usize] {
                    simulation.rely(reliance, sides)?;
                }
            } else if let Some(pair) = simulation.waiting.pop() {
                let state = simulation.pairs.values()[pair as usize].implementation;
                for step in sides.implementation.steps(state) {
                    sides.work()?;
                    if simulation.is_out[pair as usize] {
                        break;
                    }
                    simulation.rely(Reliance { pair, step }, sides)?;
                }
            } else {
                return Ok(Some(Box::new(simulation)));
            }
        }
        Ok(None)
    }

    /// Number of pairs looked at.
    pub fn looked_at(&self) -> usize {
        self.is_out.len()
    }

    /// The pairs that are in it, whether others rely on them or not.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        let pairs = self.pairs.values().iter().zip(&self.is_out);
        pairs.filter(|(_, is_out)| !**is_out).map(|(pair, _)| *pair)
    }

    /// Takes steps from the roots on, to the images that some states have already, or else to the first that a state got, where the
    /// simulation has these.
    pub fn taken(&mut self, images: Vec<u32>, sides: &mut Sides<'_>) -> Result<Strategy, Stop> {
        let mut images = images;
        images.resize(sides.implementation.numbers(), NONE);
        images[ROOT as usize] = ROOT;
        let mut is_function = true;
        let mut several = Vec::new();
        let mut known = HashSet::from_iter([ROOTS]);
        let mut walk = Walk::default();
        walk.meet(ROOTS, None);
        walk.breadth_first(|walk, at| {
            let from = walk.node(at);
            for place in sides.implementation.steps(from.implementation) {
                sides.work()?;
                let edge = sides.implementation.edge(place);
                let image = &mut images[edge.to as usize];
                let mut target = self.target(from, edge, *image, sides)?;
                if target.is_none() {
                    is_function &= *image == NONE;
                    target = self.target(from, edge, NONE, sides)?;
                }
                let target = target.expect("a pair of a simulation has a candidate for each step");
                if *image == NONE {
                    *image = target.to;
                }
                if target.steps > 1 {
                    several.push(Several { from, edge, target });
                }
                let to = Pair {
                    implementation: edge.to,
                    specification: target.to,
                };
                if known.insert(to) {
                    walk.meet(to, Some(at));
                }
            }
            Ok(None::<()>)
        })?;
        let images = if is_function { Some(images) } else { None };
        Ok(Strategy { images, several })
    }

    /// The candidate for a step from a pair that is in it, that of the fewest abstract steps; or the one that is wanted, if it is one.
    fn target(
        &mut self,
        pair: Pair,
        edge: Edge,
        wanted: u32,
        sides: &mut Sides<'_>,
    ) -> Result<Option<AbstractTarget>, Stop> {
        let candidates = self.candidates.of(pair.specification, edge.label, sides)?;
        let mut candidates = candidates.map(|place| self.candidates.at(place));
        Ok(candidates.find(|candidate| {
            let number = self.pairs.find(&Pair {
                implementation: edge.to,
                specification: candidate.to,
            });
            (wanted == NONE || candidate.to == wanted)
                && number.is_some_and(|number| !self.is_out[number as usize])
        }))
    }

    fn number(&mut self, pair: Pair) -> u32 {
        let number = self.pairs.number(pair);
        if number as usize == self.is_out.len() {
            self.is_out.push(false);
            self.relied_on.push(Vec::new());
            self.waiting.push(number);
        }
        number
    }

    /// Has a pair rely on a candidate for a step, and takes it out if there is none left.
    fn rely(&mut self, reliance: Reliance, sides: &mut Sides<'_>) -> Result<(), Stop> {
        let Pair { specification, .. } = self.pairs.values()[reliance.pair as usize];
        let edge = sides.implementation.edge(reliance.step);
        let mut unmet = None;
        let mut met = None;
        for place in self.candidates.of(specification, edge.label, sides)? {
            sides.work()?;
            let target = Pair {
                implementation: edge.to,
                specification: self.candidates.at(place).to,
            };
            let number = match self.pairs.find(&target) {
                Some(number) => number,
                None if self.extent == Extent::All => self.number(target),
                None => {
                    if unmet.is_none() && self.can_follow(target, sides) {
                        unmet = Some(target);
                    }
                    continue;
                }
            };
            if !self.is_out[number as usize] {
                met = met.or(Some(number));
                if self.extent == Extent::Needed {
                    break;
                }
            }
        }
        // A pair that is in it already is preferred, so that few are looked at, and a state has few images.
        match met.or_else(|| unmet.map(|target| self.number(target))) {
            Some(relied_on) => self.relied_on[relied_on as usize].push(reliance),
            None => {
                self.is_out[reliance.pair as usize] = true;
                let broken = std::mem::take(&mut self.relied_on[reliance.pair as usize]);
                self.broken.extend(broken);
            }
        }
        Ok(())
    }

    /// True if the abstract state of a pair can show each label that its state can; if it cannot, the pair is in no simulation.
    ///
    /// PERF: most candidates of a large system fail by this, and are not looked at.
    fn can_follow(&self, pair: Pair, sides: &mut Sides<'_>) -> bool {
        if self.candidates.simulated == Simulated::Several {
            // That takes as long as to look at the pair.
            return true;
        }
        let mut last = StepLabel::INVISIBLE;
        let mut steps = sides.implementation.steps(pair.implementation);
        steps.all(|place| {
            let label = sides.implementation.edge(place).label;
            let is_new = std::mem::replace(&mut last, label) != label;
            let abstract_steps = &mut sides.specification;
            !is_new
                || !abstract_steps
                    .labelled(pair.specification, label)
                    .is_empty()
        })
    }
}
