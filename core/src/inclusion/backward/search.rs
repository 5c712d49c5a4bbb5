//! Search of the reachable states of an implementation that tests a backward simulation at each state and step.

use std::collections::VecDeque;

use foldhash::{HashMap, HashMapExt};

use super::obligation::{BackwardObligation, Related};
use crate::explore::Limit;
use crate::inclusion::automaton::{Automaton, Bounds, Source, Stop};
use crate::inclusion::candidates::{Candidates, Simulated};
use crate::inclusion::edge::{Edge, ROOT, StepLabel};
use crate::inclusion::observed::Observed;
use crate::inclusion::sets::{SetId, Sets};
use crate::inclusion::simulation::Sides;
use crate::statement::asked::model_call::{UNNAMED, break_off, named, until_enough};

/// Test that failed, by the numbers of its states.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unmet {
    Total {
        state: u32,
    },
    Observation {
        state: u32,
        shows: StepLabel,
        related: u32,
        related_shows: StepLabel,
    },
    Initial {
        state: u32,
        related: u32,
    },
    Step {
        from: u32,
        edge: Edge,
        related: u32,
    },
}

/// Tests of an obligation.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub tested: u64,
    pub failed: u64,
    pub first: Option<Unmet>,
}

impl Tally {
    /// Notes a test, and why it failed if it did.
    fn note(&mut self, unmet: Option<Unmet>) {
        self.tested += 1;
        if let Some(unmet) = unmet {
            self.failed += 1;
            self.first.get_or_insert(unmet);
        }
    }
}

/// Tests of all obligations.
#[derive(Default)]
pub(super) struct Tallies([Tally; BackwardObligation::ALL.len()]);

impl Tallies {
    pub fn of(&self, obligation: BackwardObligation) -> &Tally {
        &self.0[obligation as usize]
    }

    fn note(&mut self, obligation: BackwardObligation, unmet: Option<Unmet>) {
        self.0[obligation as usize].note(unmet);
    }
}

/// State that was met.
#[derive(Clone, Copy)]
pub(super) struct Met {
    /// The abstract states that are related to it.
    pub related: SetId,
    /// State from which it was met first.
    before: u32,
    /// Distance from the initial states.
    depth: u32,
}

/// Search under way. States are expanded in the order in which they are met.
pub(super) struct Search<'a, 'r> {
    pub sides: Sides<'a>,
    relation: &'r Related<'r>,
    candidates: Candidates,
    pub sets: Sets,
    /// The states that were met, by number.
    pub met: Vec<Option<Met>>,
    /// Abstract states that are reached from a set of them by steps that show a label.
    targets: HashMap<(SetId, StepLabel), SetId>,
    waiting: VecDeque<u32>,
    pub tallies: Tallies,
    /// Number of steps tested.
    pub steps: u64,
}

impl<'a, 'r> Search<'a, 'r> {
    pub fn new(sides: Sides<'a>, relation: &'r Related<'r>) -> Self {
        Self {
            sides,
            relation,
            candidates: Candidates::new(Simulated::Several),
            sets: Sets::default(),
            met: Vec::new(),
            targets: HashMap::new(),
            waiting: VecDeque::new(),
            tallies: Tallies::default(),
            steps: 0,
        }
    }

    /// Number of states of the implementation that were met.
    pub fn states(&self) -> u64 {
        self.sides.implementation.states()
    }

    /// Tests everything at all reachable states, up to a distance from the initial ones if one is given.
    pub fn run(&mut self, depth: Option<u32>, bounds: &mut Bounds<'_>) -> Result<(), Stop> {
        for place in self.sides.implementation.steps(ROOT) {
            let edge = self.sides.implementation.edge(place);
            let related = self.meet(edge.to, ROOT, bounds)?;
            for related in self.sets.members(related).to_vec() {
                bounds.work(self.states())?;
                let shows = observed(&mut self.sides.specification).label(related);
                let is_initial = self.sides.specification.has(ROOT, shows, related);
                let unmet = Unmet::Initial {
                    state: edge.to,
                    related,
                };
                let unmet = (!is_initial).then_some(unmet);
                self.tallies.note(BackwardObligation::Initial, unmet);
            }
        }
        while let Some(from) = self.waiting.pop_front() {
            let met = self.met[from as usize].expect("it waits since it was met");
            if let Some(most) = depth
                && met.depth >= most
            {
                return Err(Stop::Limit(Limit::Depth(most)));
            }
            self.expand(from, met.related, bounds)?;
        }
        Ok(())
    }

    /// States from the root to the one at which a test failed, by the fewest steps; it ends with the step that failed.
    pub fn path(&self, unmet: Unmet) -> Vec<u32> {
        let (state, end) = match unmet {
            Unmet::Total { state }
            | Unmet::Observation { state, .. }
            | Unmet::Initial { state, .. } => (state, None),
            Unmet::Step { from, edge, .. } => (from, Some(edge.to)),
        };
        let before = |state: &u32| Some(self.met[*state as usize]?.before);
        let mut path: Vec<u32> = std::iter::successors(Some(state), before).collect();
        path.reverse();
        path.extend(end);
        path
    }

    /// Tests the steps of a state.
    fn expand(&mut self, from: u32, related: SetId, bounds: &mut Bounds<'_>) -> Result<(), Stop> {
        for place in self.sides.implementation.steps(from) {
            bounds.work(self.states())?;
            let edge = self.sides.implementation.edge(place);
            let ends = self.meet(edge.to, from, bounds)?;
            let targets = self.targets(related, edge.label, bounds)?;
            self.steps += 1;
            let reached = self.sets.members(targets);
            for related in self.sets.members(ends) {
                let is_reached = reached.binary_search(related).is_ok();
                let unmet = Unmet::Step {
                    from,
                    edge,
                    related: *related,
                };
                let unmet = (!is_reached).then_some(unmet);
                self.tallies.note(BackwardObligation::Step, unmet);
            }
        }
        Ok(())
    }

    /// Abstract states that are reached from a set of them by steps that show a label.
    fn targets(
        &mut self,
        from: SetId,
        label: StepLabel,
        bounds: &mut Bounds<'_>,
    ) -> Result<SetId, Stop> {
        if let Some(targets) = self.targets.get(&(from, label)) {
            return Ok(*targets);
        }
        let mut targets = Vec::new();
        for state in self.sets.members(from) {
            let specification = &mut self.sides.specification;
            let places = self.candidates.of(specification, *state, label, bounds)?;
            targets.extend(places.map(|place| self.candidates.at(place).to));
        }
        targets.sort_unstable();
        targets.dedup();
        let targets = self.sets.number(targets);
        self.targets.insert((from, label), targets);
        Ok(targets)
    }

    /// Asks for what is related to a state when it is met first, and tests it.
    fn meet(&mut self, state: u32, before: u32, bounds: &mut Bounds<'_>) -> Result<SetId, Stop> {
        let at = state as usize;
        if let Some(Some(met)) = self.met.get(at) {
            return Ok(met.related);
        }
        let related = self.related(state, bounds)?;
        let shows = observed(&mut self.sides.implementation).label(state);
        let unmet = related.is_empty().then_some(Unmet::Total { state });
        self.tallies.note(BackwardObligation::Total, unmet);
        for related in related.iter().copied() {
            let related_shows = observed(&mut self.sides.specification).label(related);
            let unmet = Unmet::Observation {
                state,
                shows,
                related,
                related_shows,
            };
            let unmet = (related_shows != shows).then_some(unmet);
            self.tallies.note(BackwardObligation::Observation, unmet);
        }
        let depth = match self.met.get(before as usize) {
            Some(Some(before)) => before.depth + 1,
            _ => 0,
        };
        if self.met.len() <= at {
            self.met.resize(at + 1, None);
        }
        let related = self.sets.number(related);
        self.met[at] = Some(Met {
            related,
            before,
            depth,
        });
        self.waiting.push_back(state);
        Ok(related)
    }

    /// Numbers of the abstract states that are related to a state, in their order.
    fn related(&mut self, state: u32, bounds: &mut Bounds<'_>) -> Result<Vec<u32>, Stop> {
        let states = self.states();
        let state = observed(&mut self.sides.implementation).state(state);
        let state = state.expect("the root is never met").clone();
        let specification = observed(&mut self.sides.specification);
        let mut related = Vec::new();
        let mut ended = Ok(());
        let mut visit = |one| {
            // A relation that visits for ever is ended by a limit.
            ended = bounds.work(states);
            if ended.is_err() {
                break_off();
            }
            named(UNNAMED, || related.push(specification.meet(one).to));
        };
        until_enough(|| named("`related`", || (self.relation)(&state, &mut visit)));
        ended?;
        related.sort_unstable();
        related.dedup();
        Ok(related)
    }
}

/// The observed system of an automaton.
fn observed<'s, 'a>(automaton: &'s mut Automaton<'a>) -> &'s mut Observed<'a> {
    match &mut automaton.source {
        Source::Observed(observed) => observed,
        Source::Explicit(_) => unreachable!("related states are those of observed systems"),
    }
}
