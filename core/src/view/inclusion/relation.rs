//! Steps of the implementation by the rules that take them, and the abstract steps that each may simulate.

use foldhash::HashMap;

use super::automaton::{Bounds, Source, Stop};
use super::candidates::{Candidates, Simulated};
use super::edge::{Edge, StepLabel};
use super::simulation::Sides;

/// Rules by which the implementation takes each of its steps, by number; of an explicit system, labels.
pub(super) struct StepRules {
    /// By the place of a step. None takes a step to an initial state.
    of_steps: Vec<Vec<u32>>,
}

impl StepRules {
    /// Those of the steps of all states that were met.
    pub fn new(sides: &mut Sides<'_>, bounds: &mut Bounds<'_>) -> Result<Self, Stop> {
        let implementation = &mut sides.implementation;
        let mut of_steps: Vec<Vec<u32>> = Vec::new();
        for from in 0..implementation.numbers() as u32 {
            bounds.work(0)?;
            let steps = implementation.steps(from);
            of_steps.resize(of_steps.len().max(steps.end as usize), Vec::new());
            match &implementation.source {
                Source::Explicit(_) => {
                    for place in steps {
                        of_steps[place as usize].push(implementation.edge(place).label.0);
                    }
                }
                Source::Observed(observed) => {
                    // What is observed of its target is all that a step shows, so that two steps have two targets.
                    let places = steps.map(|place| (implementation.edge(place).to, place));
                    let places: HashMap<u32, u32> = places.collect();
                    observed.visit_rules(from, &mut |rule, to| {
                        if let Some(place) = places.get(&to) {
                            let of_step = &mut of_steps[*place as usize];
                            if !of_step.contains(&rule) {
                                of_step.push(rule);
                            }
                        }
                    });
                }
            }
        }
        Ok(Self { of_steps })
    }

    /// Rules of the step at a place.
    pub fn of(&self, step: u32) -> &[u32] {
        self.of_steps.get(step as usize).map_or(&[], Vec::as_slice)
    }

    /// Rules that take steps, in the order of their numbers.
    pub fn all(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.of_steps.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Abstract steps that each step of the implementation may simulate: at most one, or several where that is allowed.
pub(super) struct Relation {
    several: Candidates,
    /// By the place of a step, whether it may be several abstract steps.
    is_several: Vec<bool>,
}

impl Relation {
    /// Of each step at most one abstract step.
    pub fn of_at_most_one() -> Self {
        Self {
            several: Candidates::new(Simulated::Several),
            is_several: Vec::new(),
        }
    }

    /// Has the steps be several abstract steps that some rules take, and no other rule takes.
    pub fn allow(&mut self, of_steps: &StepRules, rules: &[u32]) {
        let all_allowed = |of_step: &Vec<u32>| {
            !of_step.is_empty() && of_step.iter().all(|rule| rules.contains(rule))
        };
        self.is_several = of_steps.of_steps.iter().map(all_allowed).collect();
    }

    /// True if the step at a place maps to abstract steps from `from` to `to`.
    pub fn is_mapped(
        &mut self,
        sides: &mut Sides<'_>,
        step: u32,
        [from, to]: [u32; 2],
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        let Edge { label, .. } = sides.implementation.edge(step);
        let specification = &mut sides.specification;
        let is_one =
            (label == StepLabel::INVISIBLE && from == to) || specification.has(from, label, to);
        if is_one || !self.is_several.get(step as usize).is_some_and(|is| *is) {
            return Ok(is_one);
        }
        self.several.leads(specification, from, label, to, bounds)
    }

    /// The fewest abstract steps with which a step that shows a label leads from `from` to `to`.
    pub fn fewest(
        &mut self,
        sides: &mut Sides<'_>,
        label: StepLabel,
        [from, to]: [u32; 2],
        bounds: &mut Bounds<'_>,
    ) -> Result<Option<u32>, Stop> {
        let specification = &mut sides.specification;
        let mut places = self.several.of(specification, from, label, bounds)?;
        let target = places.find(|place| self.several.at(*place).to == to);
        Ok(target.map(|place| self.several.at(place).steps))
    }
}
