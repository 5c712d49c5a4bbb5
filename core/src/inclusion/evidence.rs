//! Evidence for a verdict, in the terms of the systems that were compared.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::antichain::{Antichain, Unmatched};
use super::automaton::{Automaton, Bounds, Source, Stop};
use super::candidates::{AbstractTarget, Candidates, Simulated};
use super::domains;
use super::edge::{Edge, ROOT, StepLabel};
use super::explicit::Labels;
use super::futures::{self, torn};
use super::inclusion::{Evidence, Future, Past, Shown, Stutter};
use super::mapping::{self, Mapped, Search, is_mapping};
use super::relation::{Relation, StepRules};
use super::sets::SetId;
use super::simulation::{Extent, Pair, Sides, Simulation};
use super::table::{MOST_STATES, Table};
use crate::drawing::Drawing;
use crate::explore::Limit;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::named;
use crate::statement::system::TransitionSystem;

/// Abstract states of a set that are shown.
const SHOWN: usize = 8;

/// Work of a search for a mapping.
const WORK: u64 = 1 << 30;

/// The same where a step may be several abstract steps, and of a search in which only those of some rules may.
const WORK_IN_SEVERAL: u64 = 1 << 26;
const WORK_FOR_FEWER_RULES: u64 = 1 << 23;

/// Rules of which it is tried whether the steps of one alone have to be several abstract steps.
const MOST_RULES: usize = 32;

/// Maker of evidence.
pub(super) struct Evidences<'e, 'a, 'w> {
    pub sides: &'e mut Sides<'a>,
    /// Labels of explicit systems.
    pub labels: Option<&'e Labels>,
    pub bounds: &'e mut Bounds<'w>,
}

/// Result of a search for a mapping in which a step may be several abstract steps.
enum InSeveral {
    Mapping {
        /// The steps that are several; none where no step has to be.
        stutters: Vec<Stutter>,
        mapping: Table,
    },
    /// There is none; two pasts of one state that need different images, where they were found.
    None(Option<[Past; 2]>),
    Unknown,
}

/// Steps that are several abstract steps, by the numbers of their rules.
#[derive(Default)]
struct SeveralSteps {
    of_rules: BTreeMap<u32, Longest>,
}

/// The first of the steps of one rule that are the most abstract steps.
struct Longest {
    /// Number of all steps of the rule that are several.
    steps: u64,
    from: Pair,
    edge: Edge,
    target: AbstractTarget,
}

impl SeveralSteps {
    /// Notes a step, if it is several abstract steps.
    fn note(&mut self, rules: &[u32], from: Pair, edge: Edge, target: AbstractTarget) {
        if target.steps < 2 {
            return;
        }
        for rule in rules {
            let longest = self.of_rules.entry(*rule).or_insert(Longest {
                steps: 0,
                from,
                edge,
                target,
            });
            longest.steps += 1;
            if target.steps > longest.target.steps {
                *longest = Longest {
                    steps: longest.steps,
                    from,
                    edge,
                    target,
                };
            }
        }
    }
}

/// Side of a comparison.
#[derive(Clone, Copy)]
enum Of {
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
    fn state(&self, of: Of, number: u32) -> Value {
        match &self.side(of).source {
            Source::Explicit(graph) => Value::from(graph.exchanged(number)),
            Source::Observed(observed) => observed
                .state(number)
                .map_or(Value::Null, |state| observed.system().show(state)),
        }
    }

    /// Action or label of a step of the implementation, if one is given an action of a rule.
    fn action(&self, from: u32, edge: Edge, rule: Option<u32>) -> Option<Value> {
        match &self.side(Of::Implementation).source {
            Source::Explicit(_) => Some(Value::String(self.label(edge.label))),
            Source::Observed(observed) => {
                let action = observed.action(from, edge.to, rule);
                action.map(|action| observed.system().call_serialize(&action))
            }
        }
    }

    /// Text of a label.
    fn label(&self, label: StepLabel) -> String {
        if let Some(labels) = self.labels {
            return labels.text(label).unwrap_or("tau").to_owned();
        }
        match &self.side(Of::Implementation).source {
            Source::Observed(observed) => observed.shown(label),
            Source::Explicit(_) => label.0.to_string(),
        }
    }

    /// Name of a rule of the implementation, or label.
    fn rule(&self, rule: u32) -> String {
        match &self.side(Of::Implementation).source {
            Source::Explicit(_) => self.label(StepLabel(rule)),
            Source::Observed(observed) => {
                let rules = observed.system().call_rules();
                rules[rule as usize].name.clone().into_owned()
            }
        }
    }

    /// A behaviour of the implementation, by its states from the root on, each with a set of abstract states if `sets` has one.
    fn behaviour(&self, states: &[u32], sets: &[&[u32]], edges: &[Edge]) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (at, state) in states.iter().enumerate() {
            if self.side(Of::Implementation).is_before_initial(*state) {
                continue;
            }
            let action = at
                .checked_sub(1)
                .and_then(|before| self.action(states[before], edges[before], None));
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
    fn edges(&mut self, states: &[u32]) -> Vec<Edge> {
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

    /// A mapping, one in which a step may be several abstract steps, or why a history variable is missing.
    pub fn of_at_most_one(&mut self, mut simulation: Box<Simulation>) -> Result<Evidence, Limit> {
        let relation = &mut Relation::of_at_most_one();
        let sides = &mut *self.sides;
        let taken = self.bounds.allow(u64::MAX, |bounds| {
            let images = mapping::taken_by(&mut simulation, sides, bounds)?;
            Ok(match images {
                Some(images) if is_mapping(&images, relation, sides, bounds)? => Some(images),
                _ => None,
            })
        })?;
        if let Some(images) = taken.flatten() {
            let mapping = self.table(&images);
            return Ok(Evidence::Mapping { mapping });
        }
        let sides = &mut *self.sides;
        let mapped = self.bounds.allow(WORK, |bounds| {
            let greatest = Simulation::new(Simulated::AtMostOne, Extent::All, sides, bounds)?;
            let greatest = greatest.expect("the initial states are in a simulation");
            Search::new(&greatest, sides).mapping(relation, sides, bounds)
        })?;
        if let Some(Mapped::Mapping(images)) = mapped {
            let mapping = self.table(&images);
            return Ok(Evidence::Mapping { mapping });
        }
        Ok(match self.in_several()? {
            InSeveral::Mapping { stutters, mapping } if stutters.is_empty() => {
                Evidence::Mapping { mapping }
            }
            InSeveral::Mapping { stutters, mapping } => Evidence::Stuttering {
                stutters,
                is_function: true,
                or_history: true,
                mapping: Some(mapping),
            },
            InSeveral::None(pasts) => Evidence::History {
                pasts,
                stutters: Vec::new(),
            },
            InSeveral::Unknown => Evidence::Undecided,
        })
    }

    /// A mapping in which a step may be several abstract steps, those of as few rules as are found, or two pasts of one state that
    /// need different images even so.
    fn in_several(&mut self) -> Result<InSeveral, Limit> {
        let relation = &mut Relation::of_at_most_one();
        let sides = &mut *self.sides;
        let prepared = self.bounds.allow(WORK_IN_SEVERAL, |bounds| {
            let greatest = Simulation::new(Simulated::Several, Extent::All, sides, bounds)?;
            let greatest = greatest.expect("the initial states are in a simulation");
            let rules = StepRules::new(sides, bounds)?;
            let search = Search::new(&greatest, sides);
            relation.allow(&rules, &rules.all());
            let mapped = search.mapping(relation, sides, bounds)?;
            Ok((rules, search, mapped))
        })?;
        let Some((rules, search, mapped)) = prepared else {
            return Ok(InSeveral::Unknown);
        };
        match mapped {
            Mapped::GivenUp => Ok(InSeveral::Unknown),
            Mapped::None => {
                let pasts = self.bounds.allow(WORK_IN_SEVERAL, |bounds| {
                    search.two_pasts(relation, sides, bounds)
                })?;
                let pasts = pasts.flatten();
                let pasts = pasts.map(|pasts| pasts.map(|past| self.past(&past)));
                Ok(InSeveral::None(pasts))
            }
            Mapped::Mapping(images) => {
                let images = self.of_fewer_rules(images, &rules, &search, relation)?;
                let several = self.several_of(&images, &rules, relation);
                let several = several.map_err(Stop::limit)?;
                Ok(InSeveral::Mapping {
                    stutters: self.stutters(several).map_err(Stop::limit)?,
                    mapping: self.table(&images),
                })
            }
        }
    }

    /// Another mapping in which steps of one rule alone are several abstract steps; else one in which those of as few rules are as the
    /// rules that are left out one by one show.
    fn of_fewer_rules(
        &mut self,
        mut images: Vec<u32>,
        rules: &StepRules,
        search: &Search,
        relation: &mut Relation,
    ) -> Result<Vec<u32>, Limit> {
        let sides = &mut *self.sides;
        let bounds = &mut *self.bounds;
        let mut of_rules = |allowed: &[u32]| -> Result<Option<Vec<u32>>, Limit> {
            relation.allow(rules, allowed);
            let found = bounds.allow(WORK_FOR_FEWER_RULES, |bounds| {
                search.mapping(relation, sides, bounds)
            })?;
            Ok(match found {
                Some(Mapped::Mapping(images)) => Some(images),
                Some(Mapped::None | Mapped::GivenUp) | None => None,
            })
        };
        let all = rules.all();
        for rule in all.iter().take(MOST_RULES) {
            if let Some(images) = of_rules(&[*rule])? {
                return Ok(images);
            }
        }
        let mut left = all.clone();
        for rule in all.iter().take(MOST_RULES) {
            let others: Vec<u32> = left.iter().copied().filter(|other| other != rule).collect();
            if let Some(of_others) = of_rules(&others)? {
                images = of_others;
                left = others;
            }
        }
        Ok(images)
    }

    /// Steps that are several abstract steps in a mapping.
    fn several_of(
        &mut self,
        images: &[u32],
        rules: &StepRules,
        relation: &mut Relation,
    ) -> Result<SeveralSteps, Stop> {
        let mut several = SeveralSteps::default();
        let reached = images
            .iter()
            .zip(0..)
            .filter(|(image, _)| **image != domains::NONE);
        for (image, state) in reached {
            let from = Pair {
                implementation: state,
                specification: *image,
            };
            for place in self.sides.implementation.steps(state) {
                let edge = self.sides.implementation.edge(place);
                let to = images[edge.to as usize];
                let ends = [*image, to];
                let steps = relation.fewest(self.sides, edge.label, ends, self.bounds)?;
                let steps = steps.expect("the images are a mapping");
                let target = AbstractTarget { to, steps };
                several.note(rules.of(place), from, edge, target);
            }
        }
        Ok(several)
    }

    /// Several abstract steps, as they are told.
    fn stutters(&mut self, several: SeveralSteps) -> Result<Vec<Stutter>, Stop> {
        let mut stutters = Vec::new();
        for (rule, one) in several.of_rules {
            let through = Candidates::path(
                &mut self.sides.specification,
                one.from.specification,
                one.edge.label,
                one.target.to,
                self.bounds,
            )?;
            stutters.push(Stutter {
                rule: self.rule(rule),
                steps: one.steps,
                abstract_steps: one.target.steps,
                example: self.action(one.from.implementation, one.edge, Some(rule)),
                from: self.state(Of::Implementation, one.from.implementation),
                through: through
                    .iter()
                    .map(|state| self.state(Of::Specification, *state))
                    .collect(),
            });
        }
        Ok(stutters)
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

    /// A mapping in which steps are several abstract steps, or why a history variable is missing besides.
    pub fn of_several(&mut self, mut simulation: Box<Simulation>) -> Result<Evidence, Limit> {
        let (is_none, pasts) = match self.in_several()? {
            InSeveral::Mapping { stutters, mapping } => {
                return Ok(Evidence::Stuttering {
                    stutters,
                    is_function: true,
                    or_history: false,
                    mapping: Some(mapping),
                });
            }
            InSeveral::None(pasts) => (true, pasts),
            InSeveral::Unknown => (false, None),
        };
        let images = mapping::taken_by(&mut simulation, self.sides, self.bounds);
        let images = images.map_err(Stop::limit)?;
        let several = self.several_taken_by(&mut simulation, images.as_deref());
        let several = several.map_err(Stop::limit)?;
        let stutters = self.stutters(several).map_err(Stop::limit)?;
        Ok(if is_none {
            Evidence::History { pasts, stutters }
        } else {
            Evidence::Stuttering {
                stutters,
                is_function: images.is_some(),
                or_history: false,
                mapping: images.map(|images| self.table(&images)),
            }
        })
    }

    /// Steps that are several abstract steps as a simulation takes them, to the images of a mapping if one is given.
    fn several_taken_by(
        &mut self,
        simulation: &mut Simulation,
        images: Option<&[u32]>,
    ) -> Result<SeveralSteps, Stop> {
        let rules = StepRules::new(self.sides, self.bounds)?;
        let mut several = SeveralSteps::default();
        let root = Pair {
            implementation: ROOT,
            specification: ROOT,
        };
        let mut met = foldhash::HashSet::from_iter([root]);
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            for place in self.sides.implementation.steps(from.implementation) {
                let edge = self.sides.implementation.edge(place);
                let wanted = images.map(|images| images[edge.to as usize]);
                let target = simulation.target(from, edge, wanted, self.sides, self.bounds)?;
                let target = target.expect("a pair of a simulation has a candidate for each step");
                let to = Pair {
                    implementation: edge.to,
                    specification: target.to,
                };
                if met.insert(to) {
                    queue.push_back(to);
                }
                several.note(rules.of(place), from, edge, target);
            }
        }
        Ok(several)
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
            let action = self.action(states[0], *edge, None);
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
        let action = self.action(last, unmatched.edge, None);
        Evidence::Trace {
            steps: self.behaviour(&states, &sets, &edges),
            unmatched: Box::new(self.shown(action, unmatched.edge.to, &[])),
            shows: self.label(unmatched.edge.label),
            could_show: could_show.iter().map(|label| self.label(*label)).collect(),
        }
    }

    /// A mapping as a table, in the order of the states.
    fn table(&self, images: &[u32]) -> Table {
        let implementation = self.side(Of::Implementation);
        let states = 0..images.len() as u32;
        let is_reached = |state: &u32| {
            images[*state as usize] != domains::NONE && !implementation.is_before_initial(*state)
        };
        let mut reached: Vec<u32> = states.filter(is_reached).collect();
        if reached.len() > MOST_STATES {
            return Table {
                states: reached.len() as u64,
                parts: None,
            };
        }
        if let Source::Explicit(graph) = &implementation.source {
            reached.sort_by_key(|state| graph.exchanged(*state));
        }
        let states = reached.iter();
        let states: Vec<Value> = states
            .map(|state| self.state(Of::Implementation, *state))
            .collect();
        let images = reached.iter().map(|state| images[*state as usize]);
        let images: Vec<Value> = images
            .map(|image| self.state(Of::Specification, image))
            .collect();
        Table::new(&states, &images)
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
