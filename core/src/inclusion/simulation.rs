//! Greatest forward simulations, as far as they are asked for.
//!
//! Source: Lynch & Vaandrager, *Forward and Backward Simulations I*, section 3. A pair of states is supposed to be in the
//! simulation until a step of its implementation's state has no candidate left; then it is taken out, and the pairs that
//! relied on it look for another. What is left is the greatest simulation on the pairs looked at.

use foldhash::{HashMap, HashMapExt};

use super::automaton::{Automaton, Bounds, Stop};
use super::candidates::{AbstractTarget, Candidates, Simulated};
use super::edge::{Edge, ROOT, StepLabel};

/// A state of the implementation and one of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub implementation: u32,
    pub specification: u32,
}

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

/// The two automata that are compared.
pub(super) struct Sides<'a> {
    pub implementation: Automaton<'a>,
    pub specification: Automaton<'a>,
}

/// Simulation under construction.
pub(super) struct Simulation {
    extent: Extent,
    candidates: Candidates,
    pairs: Vec<Pair>,
    numbers: HashMap<Pair, u32>,
    is_out: Vec<bool>,
    /// The pairs that rely on each.
    relied_on: Vec<Vec<Reliance>>,
    /// Pairs whose steps are not looked at yet; the newest first, so that what fails does soon.
    waiting: Vec<u32>,
    /// Pairs taken out of which those that relied on them have not been told.
    out: Vec<u32>,
}

impl Simulation {
    /// The simulation with a step of the implementation for so many of the specification, or none, if the initial states are
    /// not in it.
    pub fn new(
        simulated: Simulated,
        extent: Extent,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Option<Box<Self>>, Stop> {
        let mut simulation = Self {
            extent,
            candidates: Candidates::new(simulated),
            pairs: Vec::new(),
            numbers: HashMap::new(),
            is_out: Vec::new(),
            relied_on: Vec::new(),
            waiting: Vec::new(),
            out: Vec::new(),
        };
        let initial = simulation.number(Pair {
            implementation: ROOT,
            specification: ROOT,
        });
        loop {
            simulation.tell_out(sides, bounds)?;
            if simulation.is_out[initial as usize] {
                return Ok(None);
            }
            let Some(pair) = simulation.waiting.pop() else {
                return Ok(Some(Box::new(simulation)));
            };
            if !simulation.is_out[pair as usize] {
                simulation.look_at(pair, sides, bounds)?;
            }
        }
    }

    /// Number of pairs looked at.
    pub fn looked_at(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs that are in it, whether others rely on them or not.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        let pairs = self.pairs.iter().zip(&self.is_out);
        pairs.filter(|(_, is_out)| !**is_out).map(|(pair, _)| *pair)
    }

    /// The candidate for a step from a pair that is in it, that of the fewest abstract steps; or the one that is wanted, if it is one.
    pub fn target(
        &mut self,
        pair: Pair,
        edge: Edge,
        wanted: Option<u32>,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Option<AbstractTarget>, Stop> {
        let specification = &mut sides.specification;
        let from = pair.specification;
        let candidates = self
            .candidates
            .of(specification, from, edge.label, bounds)?;
        let mut candidates = candidates.map(|place| self.candidates.at(place));
        Ok(candidates.find(|candidate| {
            let number = self.numbers.get(&Pair {
                implementation: edge.to,
                specification: candidate.to,
            });
            wanted.is_none_or(|wanted| candidate.to == wanted)
                && number.is_some_and(|number| !self.is_out[*number as usize])
        }))
    }

    fn number(&mut self, pair: Pair) -> u32 {
        let next = self.pairs.len() as u32;
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.pairs.push(pair);
            self.is_out.push(false);
            self.relied_on.push(Vec::new());
            self.waiting.push(number);
        }
        number
    }

    /// Finds a candidate for each step of a pair's state.
    fn look_at(
        &mut self,
        pair: u32,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), Stop> {
        let state = self.pairs[pair as usize].implementation;
        for step in sides.implementation.steps(state) {
            bounds.work(sides.implementation.states())?;
            if !self.rely(Reliance { pair, step }, sides, bounds)? {
                self.take_out(pair);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Has a pair rely on a candidate for a step, if there is one left.
    fn rely(
        &mut self,
        reliance: Reliance,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        let Pair { specification, .. } = self.pairs[reliance.pair as usize];
        let edge = sides.implementation.edge(reliance.step);
        let places =
            self.candidates
                .of(&mut sides.specification, specification, edge.label, bounds)?;
        let mut unmet = None;
        let mut met = None;
        for place in places {
            bounds.work(sides.specification.states())?;
            let target = Pair {
                implementation: edge.to,
                specification: self.candidates.at(place).to,
            };
            let number = match self.numbers.get(&target) {
                Some(number) => *number,
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
        let relied_on = match met {
            Some(number) => number,
            None => match unmet {
                Some(target) => self.number(target),
                None => return Ok(false),
            },
        };
        self.relied_on[relied_on as usize].push(reliance);
        Ok(true)
    }

    /// True if the abstract state of a pair can show each label that its state can; if it cannot, the pair is in no simulation.
    ///
    /// PERF: most candidates of a large system fail by this, and are not looked at.
    fn can_follow(&self, pair: Pair, sides: &mut Sides<'_>) -> bool {
        if self.candidates.simulated() == Simulated::Several {
            // That takes as long as to look at the pair.
            return true;
        }
        let steps = sides.implementation.steps(pair.implementation);
        let mut last = StepLabel::INVISIBLE;
        for place in steps {
            let label = sides.implementation.edge(place).label;
            if label == last {
                continue;
            }
            last = label;
            if sides
                .specification
                .labelled(pair.specification, label)
                .is_empty()
            {
                return false;
            }
        }
        true
    }

    fn take_out(&mut self, pair: u32) {
        if !std::mem::replace(&mut self.is_out[pair as usize], true) {
            self.out.push(pair);
        }
    }

    /// Has the pairs that relied on those taken out rely on others, until none relies on one that is out.
    fn tell_out(&mut self, sides: &mut Sides<'_>, bounds: &mut Bounds<'_>) -> Result<(), Stop> {
        while let Some(out) = self.out.pop() {
            for reliance in std::mem::take(&mut self.relied_on[out as usize]) {
                bounds.work(0)?;
                if !self.is_out[reliance.pair as usize] && !self.rely(reliance, sides, bounds)? {
                    self.take_out(reliance.pair);
                }
            }
        }
        Ok(())
    }
}
