//! Definitions of fairness where steps simulate several abstract steps, so plain that they are obviously right.

use std::collections::BTreeSet;

use refmap::Fairness;
use refmap::Strength;

use crate::liveness::web::{Taken, Webs};

/// A step of the implementation, as the definitions speak of it.
struct Edge {
    from: usize,
    to: usize,
    /// The conditions whose action it takes.
    takes: Vec<bool>,
    /// The abstract states that it comes by, first and last included.
    by: Vec<u32>,
}

/// The implementation as the definitions speak of it.
pub(super) struct Definitions<'a> {
    webs: &'a Webs,
    edges: Vec<Edge>,
    pub strengths: Vec<Strength>,
    /// Per condition and state, whether it is enabled.
    enabled: Vec<Vec<bool>>,
    reached: Vec<bool>,
}

/// Fairness of an action of the specification, whose steps are these pairs.
pub(super) struct Promise {
    strength: Strength,
    pairs: BTreeSet<(u32, u32)>,
    enabled: BTreeSet<u32>,
}

impl Promise {
    fn new(strength: Strength, pairs: BTreeSet<(u32, u32)>) -> Self {
        Self {
            strength,
            enabled: pairs.iter().map(|(from, _)| *from).collect(),
            pairs,
        }
    }

    /// Whether a behaviour that breaks the promise may take a step in the end.
    fn may_take(&self, edge: &Edge) -> bool {
        let mut pairs = edge.by.windows(2);
        let takes = pairs.any(|pair| self.pairs.contains(&(pair[0], pair[1])));
        let enabled = |at: &u32| self.enabled.contains(at);
        !takes && (self.strength == Strength::Strong || edge.by.iter().all(enabled))
    }
}

impl<'a> Definitions<'a> {
    pub fn new(webs: &'a Webs) -> Self {
        let system = &webs.implementation;
        let conditions = system.fairness.iter();
        let actions: Vec<_> = conditions
            .flat_map(|condition| {
                let actions = system.actions(condition).into_iter();
                actions.map(|action| (condition.strength(), action))
            })
            .collect();
        let mut edges = Vec::new();
        let mut enabled = vec![vec![false; system.steps.len()]; actions.len()];
        for (from, steps) in system.steps.iter().enumerate() {
            for (label, to) in steps {
                let to = *to as usize;
                let takes = |(_, action): &(Strength, Taken)| {
                    from != to && action.contains(&(label.rule, label.number))
                };
                let takes: Vec<bool> = actions.iter().map(takes).collect();
                for (enabled, takes) in enabled.iter_mut().zip(&takes) {
                    enabled[from] |= takes;
                }
                let between = webs.answer(from as u32, label).before.iter();
                let between = between.map(|(_, state)| *state);
                let by = [webs.images[from]].into_iter().chain(between);
                let by = by.chain([webs.images[to]]).collect();
                edges.push(Edge {
                    from,
                    to,
                    takes,
                    by,
                });
            }
        }
        let mut definitions = Self {
            webs,
            edges,
            strengths: actions.into_iter().map(|(strength, _)| strength).collect(),
            enabled,
            reached: vec![false; system.steps.len()],
        };
        for initial in &system.initial {
            let all = vec![true; system.steps.len()];
            let steps = definitions.edges.iter().map(|edge| (edge.from, edge.to));
            let from_here = closure(*initial as usize, &all, steps.collect());
            let reached = definitions.reached.iter_mut().zip(from_here);
            reached.for_each(|(reached, from_here)| *reached |= from_here);
        }
        definitions
    }

    /// The steps that a behaviour may take that breaks a promise.
    fn taken_by(&self, promise: &Promise) -> Vec<&Edge> {
        let edges = self.edges.iter();
        edges.filter(|edge| promise.may_take(edge)).collect()
    }

    /// The conditions that a behaviour fails that stays in some states, and takes all of some steps there.
    fn failed(&self, around: &[bool], edges: &[&Edge]) -> Vec<usize> {
        let edges: Vec<_> = within(edges, around).collect();
        let failed = |condition: &usize| {
            let states = (0..around.len()).filter(|at| around[*at]);
            let mut enabled = states.map(|at| self.enabled[*condition][at]);
            !edges.iter().any(|edge| edge.takes[*condition])
                && match self.strengths[*condition] {
                    Strength::Weak => enabled.all(|enabled| enabled),
                    Strength::Strong => enabled.any(|enabled| enabled),
                }
        };
        (0..self.strengths.len()).filter(failed).collect()
    }

    /// Whether it breaks a promise, coming by the images of the states, and by what is between.
    fn breaks(&self, around: &[bool], edges: &[&Edge], promise: &Promise) -> bool {
        let is_enabled = |at: &u32| promise.enabled.contains(at);
        let states = (0..around.len()).filter(|at| around[*at]);
        let mut images = states.map(|at| is_enabled(&self.webs.images[at]));
        match promise.strength {
            Strength::Weak => images.all(|enabled| enabled),
            Strength::Strong => {
                let mut edges = within(edges, around);
                images.any(|enabled| enabled) || edges.any(|edge| edge.by.iter().any(is_enabled))
            }
        }
    }

    /// Whether a fair behaviour breaks a promise: each set of states is tried as what it visits again and again.
    pub fn is_broken(&self, promise: &Promise) -> bool {
        let edges = &self.taken_by(promise);
        let count = self.reached.len();
        let sets = (1..1_u32 << count).map(|set| {
            let is_in = |at| set >> at & 1 == 1;
            (0..count).map(is_in).collect::<Vec<bool>>()
        });
        let mut sets = sets.filter(|around| (0..count).all(|at| self.reached[at] || !around[at]));
        sets.any(|around| {
            let mut states = (0..count).filter(|at| around[*at]);
            self.breaks(&around, edges, promise)
                && self.failed(&around, edges).is_empty()
                && states.all(|from| closure(from, &around, ahead(edges)) == around)
        })
    }

    /// The same of many states: of those that lead to each other, which are as many as can be, and of what is left of these
    /// without those in which a strong condition is enabled that they fail.
    fn is_broken_within(&self, mut within: Vec<bool>, edges: &[&Edge], promise: &Promise) -> bool {
        if promise.strength == Strength::Weak {
            let images = self.webs.images.iter();
            let enabled = images.map(|image| promise.enabled.contains(image));
            let both = within.iter_mut().zip(enabled);
            both.for_each(|(within, enabled)| *within &= enabled);
        }
        while let Some(first) = within.iter().position(|within| *within) {
            let back = edges.iter().map(|edge| (edge.to, edge.from)).collect();
            let ahead = closure(first, &within, ahead(edges));
            let both = ahead.iter().zip(closure(first, &within, back));
            let class: Vec<bool> = both.map(|(ahead, behind)| *ahead && behind).collect();
            let failed = self.failed(&class, edges);
            let is_weak = |condition: &usize| self.strengths[*condition] == Strength::Weak;
            if failed.is_empty() {
                if self.breaks(&class, edges, promise) {
                    return true;
                }
            } else if !failed.iter().any(is_weak) {
                let stays =
                    |at: usize| !failed.iter().any(|condition| self.enabled[*condition][at]);
                let left = (0..class.len()).map(|at| class[at] && stays(at)).collect();
                if self.is_broken_within(left, edges, promise) {
                    return true;
                }
            }
            within
                .iter_mut()
                .zip(class)
                .for_each(|(within, decided)| *within &= !decided);
        }
        false
    }
}

/// The steps that stay in some states.
fn within<'e>(edges: &'e [&Edge], around: &'e [bool]) -> impl Iterator<Item = &'e Edge> {
    let edges = edges.iter().copied();
    edges.filter(|edge| around[edge.from] && around[edge.to])
}

fn ahead(edges: &[&Edge]) -> Vec<(usize, usize)> {
    edges.iter().map(|edge| (edge.from, edge.to)).collect()
}

/// States that are reached by some pairs within some states.
fn closure(from: usize, within: &[bool], pairs: Vec<(usize, usize)>) -> Vec<bool> {
    let mut seen = vec![false; within.len()];
    seen[from] = true;
    loop {
        let mut grows = false;
        for (from, to) in &pairs {
            if seen[*from] && within[*to] && !seen[*to] {
                seen[*to] = true;
                grows = true;
            }
        }
        if !grows {
            return seen;
        }
    }
}

/// The promises that a condition of the specification is: of each process for which it is enabled in an image or between.
pub(super) fn promises(definitions: &Definitions<'_>, condition: &Fairness) -> Vec<Promise> {
    let specification = &definitions.webs.specification;
    let images = definitions.webs.images.iter();
    let images = (0..).zip(images).filter(|(at, _)| definitions.reached[*at]);
    let edges = definitions.edges.iter();
    let edges = edges.filter(|edge| definitions.reached[edge.from]);
    let visited: BTreeSet<u32> = images
        .map(|(_, image)| *image)
        .chain(edges.flat_map(|edge| edge.by.iter().copied()))
        .collect();
    let mut seen = specification.clone();
    for (at, steps) in (0..).zip(&mut seen.steps) {
        steps.retain(|_| visited.contains(&at));
    }
    let promise = |action: Taken| {
        let pairs = seen.pairs(&action).into_iter().collect();
        Promise::new(condition.strength(), pairs)
    };
    seen.actions(condition).into_iter().map(promise).collect()
}

/// Whether one of some promises is broken in the states that are reached.
pub(super) fn is_broken_somewhere(definitions: &Definitions<'_>, promises: &[Promise]) -> bool {
    promises.iter().any(|promise| {
        let edges = definitions.taken_by(promise);
        definitions.is_broken_within(definitions.reached.clone(), &edges, promise)
    })
}
