//! Inclusion of what is observed: whether each trace of the implementation is one of the specification.
//!
//! Source: Laveaux, Groote & Willemse, *Correct and Efficient Antichain Algorithms for Refinement Checking*. A pair has a state of the
//! implementation and the states of the specification in which it can be after the same trace. Of the pairs of a state those
//! are kept whose sets are minimal: what a set cannot follow no part of it can. A pair is inserted when it is found.
//!
//! A level has the pairs after traces of one length. All its invisible steps come first; what the next level then inserts
//! takes no pair of this one out of the list that waits. So the first trace that is found is a shortest one.

use foldhash::{HashMap, HashMapExt};

use super::automaton::{Bounds, Stop};
use super::edge::{Edge, StepLabel};
use super::sets::{SetId, Sets};
use super::simulation::Sides;

/// State of the implementation, and the states of the specification after the same trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub state: u32,
    pub set: SetId,
    /// Step that led here, and the place of the pair in which it begins; none for the initial pair.
    pub reached_by: Option<Reached>,
}

/// Step from a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub before: u32,
    pub label: StepLabel,
}

/// Step of the implementation that no state of a set can follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unmatched {
    /// Place of the pair in which it begins.
    pub at: u32,
    pub edge: Edge,
}

/// Search for a trace of the implementation that the specification does not have.
pub(super) struct Antichain {
    pub met: Vec<Met>,
    pub sets: Sets,
    /// Places of the pairs of each state that are kept.
    kept: Vec<Vec<u32>>,
    /// True of each pair whose place another one has taken.
    is_replaced: Vec<bool>,
    images: HashMap<(SetId, StepLabel), SetId>,
    closure: Closure,
}

impl Antichain {
    /// No pair yet.
    pub fn new() -> Self {
        Self {
            met: Vec::new(),
            sets: Sets::default(),
            kept: Vec::new(),
            is_replaced: Vec::new(),
            images: HashMap::new(),
            closure: Closure::default(),
        }
    }

    /// Number of pairs that were inserted.
    pub fn pairs(&self) -> usize {
        self.met.len()
    }

    /// Finds a shortest trace of the implementation that the specification does not have, from a pair of states.
    pub fn search(
        &mut self,
        implementation: u32,
        specification: u32,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Option<Unmatched>, Stop> {
        let initial = self.closure.of(vec![specification], sides, bounds)?;
        let set = self.sets.number(initial);
        let initial = Met {
            state: implementation,
            set,
            reached_by: None,
        };
        self.insert(initial, bounds)?;
        let mut first = 0;
        while first < self.met.len() {
            // What shows nothing leaves the set alone.
            let mut at = first;
            while at < self.met.len() {
                if !self.is_replaced[at] {
                    let Met { state, set, .. } = self.met[at];
                    for place in sides.implementation.labelled(state, StepLabel::INVISIBLE) {
                        bounds.work(sides.implementation.states())?;
                        let reached_by = Some(Reached {
                            before: at as u32,
                            label: StepLabel::INVISIBLE,
                        });
                        let pair = Met {
                            state: sides.implementation.edge(place).to,
                            set,
                            reached_by,
                        };
                        self.insert(pair, bounds)?;
                    }
                }
                at += 1;
            }
            let level = (first..at).filter(|at| !self.is_replaced[*at]);
            for at in level.collect::<Vec<_>>() {
                let Met { state, set, .. } = self.met[at];
                for place in sides.implementation.steps(state) {
                    bounds.work(sides.implementation.states())?;
                    let edge = sides.implementation.edge(place);
                    if edge.label == StepLabel::INVISIBLE {
                        continue;
                    }
                    let image = self.image(set, edge.label, sides, bounds)?;
                    if self.sets.members(image).is_empty() {
                        let at = at as u32;
                        return Ok(Some(Unmatched { at, edge }));
                    }
                    let reached_by = Some(Reached {
                        before: at as u32,
                        label: edge.label,
                    });
                    let pair = Met {
                        state: edge.to,
                        set: image,
                        reached_by,
                    };
                    self.insert(pair, bounds)?;
                }
            }
            first = at;
        }
        Ok(None)
    }

    /// Places of the pairs that lead to one, from the initial one on.
    pub fn past(&self, mut at: u32) -> Vec<u32> {
        let mut past = vec![at];
        while let Some(reached) = self.met[at as usize].reached_by {
            at = reached.before;
            past.push(at);
        }
        past.reverse();
        past
    }

    /// Inserts a pair, unless one of its state is kept whose set is a part of its own; takes out those of which its own is one.
    fn insert(&mut self, pair: Met, bounds: &mut Bounds<'_>) -> Result<(), Stop> {
        let at = pair.state as usize;
        if self.kept.len() <= at {
            self.kept.resize(at + 1, Vec::new());
        }
        let Self {
            kept,
            met,
            sets,
            is_replaced,
            ..
        } = self;
        let kept = &mut kept[at];
        for other in &*kept {
            bounds.work(0)?;
            if sets.is_subset(met[*other as usize].set, pair.set, bounds)? {
                return Ok(());
            }
        }
        let mut place = 0;
        while let Some(other) = kept.get(place).copied() {
            if sets.is_subset(pair.set, met[other as usize].set, bounds)? {
                is_replaced[other as usize] = true;
                kept.swap_remove(place);
            } else {
                place += 1;
            }
        }
        kept.push(met.len() as u32);
        met.push(pair);
        is_replaced.push(false);
        Ok(())
    }

    /// True if a state of the specification can show labels one after the other, and what shows nothing between them.
    pub fn can_show(
        &mut self,
        from: u32,
        labels: &[StepLabel],
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        let initial = self.closure.of(vec![from], sides, bounds)?;
        let mut set = self.sets.number(initial);
        for label in labels {
            set = self.image(set, *label, sides, bounds)?;
        }
        Ok(!self.sets.members(set).is_empty())
    }

    /// States of the specification after a label that it shows in a state of a set, and what shows nothing after that.
    fn image(
        &mut self,
        set: SetId,
        label: StepLabel,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<SetId, Stop> {
        if let Some(image) = self.images.get(&(set, label)) {
            return Ok(*image);
        }
        let mut targets = Vec::new();
        for from in self.sets.members(set) {
            bounds.work(sides.specification.states())?;
            for place in sides.specification.labelled(*from, label) {
                targets.push(sides.specification.edge(place).to);
            }
        }
        let closed = self.closure.of(targets, sides, bounds)?;
        let image = self.sets.number(closed);
        self.images.insert((set, label), image);
        Ok(image)
    }
}

/// Closures of sets of abstract states under steps that show nothing.
#[derive(Default)]
struct Closure {
    /// The last closure in which each state was, by number.
    last: Vec<u32>,
    number: u32,
}

impl Closure {
    /// States of the specification that are reached from some by steps that show nothing, in their order.
    fn of(
        &mut self,
        mut states: Vec<u32>,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Vec<u32>, Stop> {
        self.number += 1;
        states.retain(|state| self.is_new(*state));
        let mut at = 0;
        while at < states.len() {
            for place in sides
                .specification
                .labelled(states[at], StepLabel::INVISIBLE)
            {
                bounds.work(sides.specification.states())?;
                let to = sides.specification.edge(place).to;
                if self.is_new(to) {
                    states.push(to);
                }
            }
            at += 1;
        }
        states.sort_unstable();
        Ok(states)
    }

    fn is_new(&mut self, state: u32) -> bool {
        let at = state as usize;
        if self.last.len() <= at {
            self.last.resize(at + 1, 0);
        }
        std::mem::replace(&mut self.last[at], self.number) != self.number
    }
}
