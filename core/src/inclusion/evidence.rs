//! Evidence for a verdict, in the terms of the systems that were compared.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::antichain::{Antichain, Unmatched};
use super::automaton::{Automaton, Bounds, Source, Stop};
use super::candidates::{Candidates, Simulated};
use super::domains;
use super::edge::{Edge, ROOT, StepLabel};
use super::explicit::Labels;
use super::futures::{self, torn};
use super::inclusion::{Evidence, Future, Past, Shown, Stutter};
use super::mapping::{self, Mapped, is_mapping};
use super::sets::SetId;
use super::simulation::{Extent, Pair, Sides, Simulation};
use super::table::{Row, Table};
use crate::drawing::Drawing;
use crate::explore::Limit;
use crate::model_call::named;
use crate::report::json::json;
use crate::system::TransitionSystem;

/// Abstract states of a set that are shown.
const SHOWN: usize = 8;

/// Work of a search for a mapping.
const WORK: u64 = 1 << 30;

/// The same where one is found already.
const WORK_FOR_ANOTHER: u64 = 1 << 28;

/// Maker of evidence.
pub(super) struct Evidences<'e, 'a, 'w> {
    pub sides: &'e mut Sides<'a>,
    /// Labels of explicit systems.
    pub labels: Option<&'e Labels>,
    pub bounds: &'e mut Bounds<'w>,
}

/// Side of a comparison.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Implementation,
    Specification,
}

impl<'a> Evidences<'_, 'a, '_> {
    fn side(&self, of: Of) -> &Automaton<'a> {
        match of {
            Of::Implementation => &self.sides.implementation,
            Of::Specification => &self.sides.specification,
        }
    }

    /// A state as it is shown: of an explicit system, by its number there.
    pub fn state(&self, of: Of, number: u32) -> Value {
        match &self.side(of).source {
            Source::Explicit(graph) => Value::from(graph.exchanged(number)),
            Source::Observed(observed) => observed
                .state(number)
                .map_or(Value::Null, |state| observed.system().show(state)),
        }
    }

    /// Action or label of a step of the implementation.
    fn action(&self, from: u32, edge: Edge) -> Option<Value> {
        match &self.side(Of::Implementation).source {
            Source::Explicit(_) => Some(Value::String(self.label(edge.label))),
            Source::Observed(observed) => observed.action(from, edge.to).map(|one| json(&one)),
        }
    }

    /// Text of a label.
    pub fn label(&self, label: StepLabel) -> String {
        if let Some(labels) = self.labels {
            return labels.text(label).unwrap_or("tau").to_owned();
        }
        match &self.side(Of::Implementation).source {
            Source::Observed(observed) => observed.shown(label),
            Source::Explicit(_) => label.0.to_string(),
        }
    }

    /// Name under which steps are counted together.
    pub fn rule(&self, from: u32, edge: Edge) -> String {
        match &self.side(Of::Implementation).source {
            Source::Explicit(_) => self.label(edge.label),
            Source::Observed(observed) => match observed.action(from, edge.to) {
                Some(action) => {
                    let rule = observed.system().rule_of(&action);
                    observed.system().rules()[rule.0].name.clone().into_owned()
                }
                None => "the initial state".to_owned(),
            },
        }
    }

    /// True if the root is a state of the systems, and not one that leads to their initial states.
    fn is_shown(&self, number: u32) -> bool {
        number != ROOT || self.labels.is_some()
    }

    /// A behaviour of the implementation, by its states from the root on, each with a set of abstract states if `sets` has one.
    pub fn behaviour(&self, states: &[u32], sets: &[&[u32]], edges: &[Edge]) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (at, state) in states.iter().enumerate() {
            if !self.is_shown(*state) && at == 0 {
                continue;
            }
            let action = at
                .checked_sub(1)
                .and_then(|before| self.action(states[before], edges[before]));
            let set = sets.get(at).copied().unwrap_or_default();
            shown.push(self.shown(action, *state, set));
        }
        shown
    }

    fn shown(&self, action: Option<Value>, state: u32, set: &[u32]) -> Shown {
        let some = set.iter().take(SHOWN);
        Shown {
            action,
            state: self.state(Of::Implementation, state),
            specification: some
                .clone()
                .map(|one| self.state(Of::Specification, *one))
                .collect(),
            specification_states: set.len() as u64,
            picture: self.picture(Of::Implementation, state),
            specification_pictures: some
                .map(|one| self.picture(Of::Specification, *one))
                .collect(),
        }
    }

    /// Drawing of a state, if its system draws it.
    fn picture(&self, of: Of, number: u32) -> Option<Drawing> {
        match &self.side(of).source {
            Source::Explicit(_) => None,
            Source::Observed(observed) => {
                let state = observed.state(number)?;
                named("`draw`", || observed.system().draw(state))
            }
        }
    }

    /// Steps between states that follow one another, those that come first if there are several.
    pub fn edges(&mut self, states: &[u32]) -> Vec<Edge> {
        let mut edges = Vec::new();
        for pair in states.windows(2) {
            let mut steps = self.sides.implementation.steps(pair[0]);
            let found = steps.find_map(|place| {
                let edge = self.sides.implementation.edge(place);
                (edge.to == pair[1]).then_some(edge)
            });
            edges.push(found.expect("a step leads from each state to the next"));
        }
        edges
    }

    /// A mapping, or why a history variable is missing.
    pub fn of_at_most_one(&mut self, mut simulation: Box<Simulation>) -> Result<Evidence, Limit> {
        let sides = &mut *self.sides;
        let images = self.bounds.allow(u64::MAX, |bounds| {
            mapping::taken_by(&mut simulation, sides, bounds)
        })?;
        let images = images.flatten();
        let images = images.filter(|images| is_mapping(self.sides, images));
        let taken = images.map(|images| self.table(&images));
        // A mapping that is no chance is looked for where this one may be.
        let work = match &taken {
            Some(mapping) if mapping.is_plain() => 0,
            Some(_) => WORK_FOR_ANOTHER,
            None => WORK,
        };
        let sides = &mut *self.sides;
        let mapped = self.bounds.allow(work, |bounds| {
            let greatest = Simulation::new(Simulated::AtMostOne, Extent::All, sides, bounds)?;
            let greatest = greatest.expect("the initial states are in a simulation");
            mapping::search(&greatest, sides, bounds)
        })?;
        Ok(match mapped {
            Some(Mapped::Mapping(images)) => {
                let found = self.table(&images);
                let mapping = match taken {
                    Some(taken) if taken.is_plain() || !found.is_plain() => taken,
                    _ => found,
                };
                Evidence::Mapping { mapping }
            }
            _ if let Some(mapping) = taken => Evidence::Mapping { mapping },
            Some(Mapped::GivenUp) | None => Evidence::Undecided,
            Some(Mapped::None(pasts)) => {
                let pasts = pasts.map(|pasts| pasts.map(|past| self.past(&past)));
                Evidence::History { pasts }
            }
        })
    }

    fn past(&mut self, past: &mapping::Past) -> Past {
        let edges = self.edges(&past.states);
        let images = past.images.iter().take(SHOWN);
        Past {
            steps: self.behaviour(&past.states, &[], &edges),
            images: images
                .map(|image| self.state(Of::Specification, *image))
                .collect(),
        }
    }

    /// Steps that have to be several abstract ones.
    pub fn of_several(&mut self, mut simulation: Box<Simulation>) -> Result<Evidence, Limit> {
        match self.stutters(&mut simulation) {
            Ok(evidence) => Ok(evidence),
            Err(Stop::Limit(limit)) => Err(limit),
            Err(Stop::Allowance) => unreachable!("a walk through a simulation has no allowance"),
        }
    }

    fn stutters(&mut self, simulation: &mut Simulation) -> Result<Evidence, Stop> {
        /// The step of most abstract steps under one name.
        struct Longest {
            steps: u64,
            from: Pair,
            edge: Edge,
            to: u32,
            abstract_steps: u32,
        }
        let images = mapping::taken_by(simulation, self.sides, self.bounds)?;
        let mut longest: BTreeMap<String, Longest> = BTreeMap::new();
        let root = Pair {
            implementation: ROOT,
            specification: ROOT,
        };
        let mut met = foldhash::HashSet::from_iter([root]);
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            for place in self.sides.implementation.steps(from.implementation) {
                let edge = self.sides.implementation.edge(place);
                let wanted = images.as_ref().map(|images| images[edge.to as usize]);
                let target = simulation.target(from, edge, wanted, self.sides, self.bounds)?;
                let target = target.expect("a pair of a simulation has a candidate for each step");
                let to = Pair {
                    implementation: edge.to,
                    specification: target.to,
                };
                if met.insert(to) {
                    queue.push_back(to);
                }
                if target.steps < 2 {
                    continue;
                }
                let rule = self.rule(from.implementation, edge);
                let one = longest.entry(rule).or_insert(Longest {
                    steps: 0,
                    from,
                    edge,
                    to: target.to,
                    abstract_steps: target.steps,
                });
                one.steps += 1;
                if target.steps > one.abstract_steps {
                    *one = Longest {
                        steps: one.steps,
                        from,
                        edge,
                        to: target.to,
                        abstract_steps: target.steps,
                    };
                }
            }
        }
        let mut stutters = Vec::new();
        for (rule, one) in longest {
            let through = Candidates::path(
                &mut self.sides.specification,
                one.from.specification,
                one.edge.label,
                one.to,
                self.bounds,
            )?;
            stutters.push(Stutter {
                rule,
                steps: one.steps,
                abstract_steps: one.abstract_steps,
                example: self.action(one.from.implementation, one.edge),
                from: self.state(Of::Implementation, one.from.implementation),
                through: through
                    .iter()
                    .map(|state| self.state(Of::Specification, *state))
                    .collect(),
            });
        }
        Ok(Evidence::Stuttering {
            stutters,
            is_function: images.is_some(),
        })
    }

    /// A state and futures of it that no abstract state serves all, if they are found.
    pub fn of_included(&mut self, antichain: &Antichain) -> Result<Option<Evidence>, Limit> {
        let Some(torn) = torn(antichain, self.sides, self.bounds)? else {
            return Ok(None);
        };
        let past = antichain.past(torn.at);
        let states: Vec<u32> = past
            .iter()
            .map(|at| antichain.met[*at as usize].state)
            .collect();
        let edges = edges_of(antichain, &past);
        let met = antichain.met[torn.at as usize];
        let images = antichain.sets.members(met.set).iter();
        let futures = torn.futures.iter();
        Ok(Some(Evidence::Prophecy {
            past: self.behaviour(&states, &[], &edges),
            images: images
                .map(|image| self.state(Of::Specification, *image))
                .collect(),
            futures: futures
                .map(|future| self.future(met.state, future))
                .collect(),
            fails: torn.failed,
        }))
    }

    fn future(&self, from: u32, future: &futures::Future) -> Future {
        let mut states = vec![from];
        states.extend(future.edges.iter().map(|edge| edge.to));
        let steps = states.windows(2).zip(&future.edges).map(|(states, edge)| {
            let action = self.action(states[0], *edge);
            self.shown(action, edge.to, &[])
        });
        let labels = future.labels();
        Future {
            steps: steps.collect(),
            shows: labels.iter().map(|label| self.label(*label)).collect(),
        }
    }

    /// Number of visible steps of a trace that the specification does not have.
    pub fn trace_length(&self, antichain: &Antichain, unmatched: Unmatched) -> u64 {
        let past = antichain.past(unmatched.at);
        let edges = edges_of(antichain, &past);
        let visible = edges
            .iter()
            .filter(|edge| edge.label != StepLabel::INVISIBLE);
        // What is observed at the beginning is no change.
        let initial = usize::from(self.labels.is_none());
        (visible.count() + 1 - initial) as u64
    }

    /// A trace that the specification does not have.
    pub fn of_trace(&mut self, antichain: &Antichain, unmatched: Unmatched) -> Evidence {
        let past = antichain.past(unmatched.at);
        let edges = edges_of(antichain, &past);
        let met = past.iter().map(|at| antichain.met[*at as usize]);
        let states: Vec<u32> = met.clone().map(|met| met.state).collect();
        let sets: Vec<SetId> = met.map(|met| met.set).collect();
        let sets: Vec<&[u32]> = sets
            .iter()
            .map(|set| antichain.sets.members(*set))
            .collect();
        let last = *states.last().expect("a past has the pair itself");
        let mut could_show: Vec<StepLabel> = Vec::new();
        for state in sets.last().copied().unwrap_or_default() {
            could_show.extend(self.sides.specification.visible_labels(*state));
        }
        could_show.sort_unstable();
        could_show.dedup();
        let action = self.action(last, unmatched.edge);
        Evidence::Trace {
            steps: self.behaviour(&states, &sets, &edges),
            unmatched: Box::new(self.shown(action, unmatched.edge.to, &[])),
            shows: self.label(unmatched.edge.label),
            could_show: could_show.iter().map(|label| self.label(*label)).collect(),
        }
    }

    /// A mapping as a table.
    fn table(&self, images: &[u32]) -> Table {
        let sources = (
            &self.side(Of::Implementation).source,
            &self.side(Of::Specification).source,
        );
        let (Source::Observed(implementation), Source::Observed(specification)) = sources else {
            return self.table_of_numbers(images);
        };
        let reached = (1..images.len() as u32).filter_map(|state| {
            let image = specification.state(images[state as usize])?;
            Some((implementation.state(state)?, image))
        });
        let rows = reached.map(|(state, image)| Row {
            state: format!("{state:?}"),
            image: format!("{image:?}"),
        });
        Table::new(rows.collect())
    }

    /// The same of explicit systems, in the order of their own numbers.
    fn table_of_numbers(&self, images: &[u32]) -> Table {
        let mut rows = Vec::new();
        for (state, image) in images.iter().enumerate() {
            if *image != domains::NONE {
                let state = self.state(Of::Implementation, state as u32).as_u64();
                let image = self.state(Of::Specification, *image);
                rows.push((state, image.to_string()));
            }
        }
        rows.sort_unstable();
        let rows = rows.into_iter().filter_map(|(state, image)| {
            let state = state?.to_string();
            Some(Row { state, image })
        });
        Table::new(rows.collect())
    }
}

/// Steps between the pairs of a past.
fn edges_of(antichain: &Antichain, past: &[u32]) -> Vec<Edge> {
    let met = past.iter().map(|at| antichain.met[*at as usize]);
    met.filter_map(|met| {
        let label = met.reached_by?.label;
        Some(Edge {
            label,
            to: met.state,
        })
    })
    .collect()
}
