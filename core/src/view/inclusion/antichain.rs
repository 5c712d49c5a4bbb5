//! Inclusion of what is observed: whether each trace of the implementation is one of the specification.
//!
//! Source: Laveaux, Groote & Willemse, *Correct and Efficient Antichain Algorithms for Refinement Checking*. A pair has a state of the
//! implementation and the states of the specification in which it can be after the same trace. Of the pairs of a state those
//! are kept whose sets are minimal: what a set cannot follow no part of it can. A pair is inserted when it is found.
//!
//! A layer has the pairs after traces of one length. All its invisible steps come first; what the next layer then inserts
//! takes no pair of this one out of the list that waits. So the first trace that is found is a shortest one.

use foldhash::HashMap;

use super::candidates::SeveralSteps;
use super::edge::{Edge, StepLabel};
use super::sets::{Antichains, SetId, Sets};
use super::sides::{Sides, Stop};
use super::walk::{Layer, Walk};

/// State of the implementation, and the states of the specification after the same trace.
#[derive(Clone, Copy)]
pub(super) struct MetPair {
    /// Step that led to the state; one that shows nothing, if none did.
    pub by: Edge,
    pub set: SetId,
}

/// Step of the implementation that no state of a set can follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unmatched {
    /// Place of the pair in which it begins.
    pub at: u32,
    pub edge: Edge,
}

/// Search for a trace of the implementation that the specification does not have.
#[derive(Default)]
pub(super) struct Antichain {
    pub walk: Walk<MetPair>,
    pub sets: Sets,
    images: HashMap<(SetId, StepLabel), SetId>,
    several: SeveralSteps,
}

impl Antichain {
    /// Finds a shortest trace of the implementation that the specification does not have, from a pair of states.
    pub fn search(
        &mut self,
        implementation: u32,
        specification: u32,
        sides: &mut Sides<'_>,
    ) -> Result<Option<Unmatched>, Stop> {
        let mut kept = Antichains::default();
        let by = Edge {
            label: StepLabel::INVISIBLE,
            to: implementation,
        };
        let set = self.closed(&[specification], sides)?;
        kept.insert(by.to, set, &mut self.sets, &mut sides.bounds)?;
        let mut walk = Walk::default();
        walk.meet(MetPair { by, set }, None);
        let found = walk.by_layers(|walk, at, layer| {
            let end = match layer {
                Layer::Open => walk.len(),
                Layer::Ends(end) => end,
            };
            if kept.is_replaced(at, end) {
                return Ok(None);
            }
            let MetPair { by, set } = walk.node(at);
            let invisible = sides.implementation.labelled(by.to, StepLabel::INVISIBLE);
            let places = match layer {
                Layer::Open => invisible,
                Layer::Ends(_) => invisible.end..sides.implementation.steps(by.to).end,
            };
            for place in places {
                sides.work()?;
                let edge = sides.implementation.edge(place);
                // What shows nothing leaves the set alone.
                let set = match edge.label {
                    StepLabel::INVISIBLE => set,
                    label => self.image(set, label, sides)?,
                };
                if self.sets.members(set).is_empty() {
                    return Ok(Some(Unmatched { at, edge }));
                }
                if kept.insert(edge.to, set, &mut self.sets, &mut sides.bounds)? {
                    walk.meet(MetPair { by: edge, set }, Some(at));
                }
            }
            Ok(None)
        })?;
        self.walk = walk;
        Ok(found)
    }

    /// States of the specification after a label that it shows in a state of a set, and what shows nothing after that.
    fn image(
        &mut self,
        set: SetId,
        label: StepLabel,
        sides: &mut Sides<'_>,
    ) -> Result<SetId, Stop> {
        if let Some(image) = self.images.get(&(set, label)) {
            return Ok(*image);
        }
        let mut targets = Vec::new();
        for from in self.sets.members(set) {
            sides.work()?;
            for place in sides.specification.labelled(*from, label) {
                targets.push(sides.specification.edge(place).to);
            }
        }
        let image = self.closed(&targets, sides)?;
        self.images.insert((set, label), image);
        Ok(image)
    }

    /// States of the specification that are reached from some by steps that show nothing.
    fn closed(&mut self, states: &[u32], sides: &mut Sides<'_>) -> Result<SetId, Stop> {
        let reached = self.several.search(states, StepLabel::INVISIBLE, sides)?;
        let mut states: Vec<u32> = reached.nodes().map(|reached| reached.target.to).collect();
        states.sort_unstable();
        Ok(self.sets.number(states))
    }
}

/// Steps by which the last of some pairs was reached.
pub(super) fn edges(path: &[MetPair]) -> Vec<Edge> {
    path.iter().skip(1).map(|met| met.by).collect()
}
