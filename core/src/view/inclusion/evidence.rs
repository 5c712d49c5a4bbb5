//! Evidence for a verdict, in the terms of the systems that were compared.

use std::collections::BTreeMap;

use serde_json::Value;

use super::after::AfterTraces;
use super::automaton::StepSource;
use super::bounds::Bounds;
use super::candidates::{Candidates, Simulated};
use super::edge::{Edge, ROOT, StepLabel};
use super::futures::torn;
use super::inclusion::{Evidence, Future, MissingStutter, PassedState, Past};
use super::mapping::{self, mapping, two_pasts};
use super::pair_search::{NoAnswer, SearchedPairs};
use super::pairs::Pairs;
use super::sides::Sides;
use super::simulation::{Extent, NONE, Several, Simulation, Strategy};
use super::table::{MOST_STATES, Table};
use crate::statement::erased::ErasedState;
use crate::statement::trace::Trace;
use crate::walk::explore::Limit;

/// Abstract states of a set that are shown.
const SHOWN: usize = 8;

/// Work of a search for a mapping.
const WORK: u64 = 1 << 30;

/// The same where a step may be several abstract steps, and of a search for two pasts.
const WORK_IN_SEVERAL: u64 = 1 << 26;

impl<'a> Sides<'a> {
    /// A behaviour of the implementation from a state on, each state with a set of abstract states if `sets` has one.
    fn behaviour(&self, first: u32, edges: &[Edge], sets: &[&[u32]]) -> Vec<PassedState> {
        let mut shown = Vec::new();
        let mut sets = sets.iter().copied();
        let set = sets.next().unwrap_or_default();
        if !self.implementation.is_before_initial(first) {
            shown.push(self.shown(None, first, set));
        }
        let mut before = first;
        for edge in edges {
            let action = self.implementation.action(before, *edge, None);
            shown.push(self.shown(action, edge.to, sets.next().unwrap_or_default()));
            before = edge.to;
        }
        shown
    }

    fn shown(&self, action: Option<Value>, state: u32, set: &[u32]) -> PassedState {
        let some = set.iter().take(SHOWN);
        PassedState {
            action,
            state: self.implementation.state(state),
            specification: some
                .clone()
                .map(|one| self.specification.state(*one))
                .collect(),
            specification_states: set.len() as u64,
            picture: self.implementation.drawing(state),
            specification_pictures: some.map(|one| self.specification.drawing(*one)).collect(),
        }
    }

    /// Evidence where there is a simulation: a mapping, or why a history variable is missing.
    pub fn of_simulation(&mut self, mut simulation: Box<Simulation>) -> Result<Evidence, Limit> {
        let rung = simulation.candidates.simulated;
        let taken = self.whole(|sides| simulation.taken(Vec::new(), sides))?;
        if taken.images.is_some() {
            return self.of_mapping(rung, taken);
        }
        for simulated in [Simulated::AtMostOne, Simulated::Several] {
            if simulated < rung {
                continue;
            }
            let work = match simulated {
                Simulated::AtMostOne => WORK,
                Simulated::Several => WORK_IN_SEVERAL,
            };
            let searched = self.allow(work, |sides| {
                let greatest = Simulation::new(simulated, Extent::All, sides)?;
                let mut greatest = greatest.expect("the initial states are in a simulation");
                Ok((mapping(&mut greatest, sides)?, greatest))
            })?;
            match searched {
                Some((Some(images), mut greatest)) => {
                    let taken = self.whole(|sides| greatest.taken(images, sides))?;
                    return self.of_mapping(rung, taken);
                }
                Some((None, mut greatest)) if simulated == Simulated::Several => {
                    let pasts = self.allow(work, |sides| two_pasts(&mut greatest, sides))?;
                    let pasts = pasts.flatten();
                    return Ok(Evidence::History {
                        pasts: pasts.map(|pasts| pasts.map(|past| self.past(&past))),
                        stutters: self.stutters(&taken.several)?,
                    });
                }
                _ => {}
            }
        }
        Ok(match rung {
            Simulated::AtMostOne => Evidence::Undecided,
            Simulated::Several => Evidence::Stuttering {
                stutters: self.stutters(&taken.several)?,
                is_function: false,
                or_history: false,
                mapping: None,
            },
        })
    }

    /// A mapping, by the steps that lead from each image to the next.
    fn of_mapping(&mut self, rung: Simulated, taken: Strategy) -> Result<Evidence, Limit> {
        let images = taken.images.expect("a state has one image");
        let mapping = self.table(&images);
        if taken.several.is_empty() {
            return Ok(Evidence::Mapping { mapping });
        }
        Ok(Evidence::Stuttering {
            stutters: self.stutters(&taken.several)?,
            is_function: true,
            or_history: rung == Simulated::AtMostOne,
            mapping: Some(mapping),
        })
    }

    /// Steps that are several abstract steps, as they are told: of each rule one of those that are the most.
    fn stutters(&mut self, several: &[Several]) -> Result<Vec<MissingStutter>, Limit> {
        /// The first of the steps of one rule that are the most abstract steps, and the number of all that are several.
        struct Longest {
            of: Several,
            steps: u64,
        }
        let mut of_rules: BTreeMap<u32, Longest> = BTreeMap::new();
        for of in several.iter().copied() {
            self.whole(Self::work)?;
            for rule in self.implementation.rules(of.from.implementation, of.edge) {
                let longest = of_rules.entry(rule).or_insert(Longest { of, steps: 0 });
                longest.steps += 1;
                if of.target.steps > longest.of.target.steps {
                    longest.of = of;
                }
            }
        }
        let mut stutters = Vec::new();
        let mut candidates = Candidates::new(Simulated::Several);
        for (rule, Longest { of, steps }) in of_rules {
            let Several { from, edge, target } = of;
            let ends = [from.specification, target.to];
            let through = self.whole(|sides| candidates.path(ends, edge.label, sides))?;
            let through = through.into_iter();
            stutters.push(MissingStutter {
                rule: self.implementation.rule(rule),
                steps,
                abstract_steps: target.steps,
                example: self
                    .implementation
                    .action(from.implementation, edge, Some(rule)),
                from: self.implementation.state(from.implementation),
                through: through
                    .map(|state| self.specification.state(state))
                    .collect(),
            });
        }
        Ok(stutters)
    }

    fn past(&self, past: &mapping::BranchingPast) -> Past {
        let images = past.images.iter().take(SHOWN);
        Past {
            steps: self.behaviour(ROOT, &past.edges, &[]),
            images: images
                .map(|image| self.specification.state(*image))
                .collect(),
        }
    }

    /// A state and futures of it that no abstract state serves all, if they are found.
    pub fn of_included(
        &mut self,
        searched: &SearchedPairs<'a>,
    ) -> Result<Option<Evidence>, NoAnswer> {
        let Some(torn) = torn(searched, self)? else {
            return Ok(None);
        };
        let Ok(past) = searched.trace_to(torn.at) else {
            return Ok(None);
        };
        let past = self.edges_of(&past);
        let images = torn.images.into_iter();
        let images = images.map(|image| {
            let number = self.specification.number_of(image);
            self.specification.state(number)
        });
        let images = images.collect();
        let state = past.last().map_or(ROOT, |edge| edge.to);
        let futures = torn.futures.iter();
        Ok(Some(Evidence::Prophecy {
            past: self.behaviour(ROOT, &past, &[]),
            images,
            futures: futures.map(|future| self.future(state, future)).collect(),
            fails: torn.failed,
        }))
    }

    /// Steps of a trace, from the root on.
    pub fn edges_of(&mut self, trace: &Trace<Pairs<'_>>) -> Vec<Edge> {
        let to_initial = match &mut self.implementation.source {
            StepSource::Explicit(..) => None,
            StepSource::Observed(observed) => {
                Some(observed.meet(ErasedState::clone(&trace.initial.state)))
            }
        };
        let steps = self.steps_of(trace);
        to_initial.into_iter().chain(steps).collect()
    }

    /// Steps of a trace, from the state on in which it begins.
    pub fn steps_of(&mut self, trace: &Trace<Pairs<'_>>) -> Vec<Edge> {
        let automaton = &mut self.implementation;
        let mut from = automaton.number_of(ErasedState::clone(&trace.initial.state));
        let steps = trace.steps.iter().map(|(step, pair)| {
            let state = ErasedState::clone(&pair.state);
            let edge = match &mut automaton.source {
                StepSource::Explicit(graph, _) => Edge {
                    label: step.label,
                    to: graph.exchanged(*state.get()),
                },
                StepSource::Observed(observed) => {
                    let edge = observed.meet(state);
                    observed.seen_from(from, edge)
                }
            };
            from = edge.to;
            edge
        });
        steps.collect()
    }

    fn future(&self, from: u32, edges: &[Edge]) -> Future {
        let labels = edges.iter().map(|edge| edge.label);
        let visible = labels.filter(|label| *label != StepLabel::INVISIBLE);
        Future {
            steps: self.behaviour(from, edges, &[]).split_off(1),
            shows: visible
                .map(|label| self.implementation.label(label))
                .collect(),
        }
    }

    /// Number of visible steps of a trace that the specification does not have.
    pub fn trace_length(&self, trace: &[Edge]) -> u64 {
        let visible = trace
            .iter()
            .filter(|edge| edge.label != StepLabel::INVISIBLE);
        // What is observed at the beginning is no change.
        let initial = usize::from(self.implementation.is_before_initial(ROOT));
        (visible.count() - initial) as u64
    }

    /// A trace that the specification does not have, by its steps. The sets of abstract states are found once more, by one worker.
    pub fn of_trace(&mut self, trace: &[Edge]) -> Evidence {
        let (unmatched, past) = trace.split_last().expect("a step cannot be followed");
        let (mut after, bounds) = (AfterTraces::default(), &mut Bounds::none());
        let specification = &mut self.specification;
        let known = "what was found is found again";
        let first = after.closed(&[ROOT], specification, bounds).expect(known);
        let mut path = vec![first];
        for edge in past {
            let set = path[path.len() - 1];
            let image = after.image(set, edge.label, specification, bounds);
            path.push(image.expect(known));
        }
        let sets = path.iter().map(|set| after.sets.members(*set));
        let sets: Vec<&[u32]> = sets.collect();
        let mut could_show = Vec::new();
        for state in sets[sets.len() - 1] {
            let steps = self.specification.steps(*state);
            let labels = steps.map(|place| self.specification.edge(place).label);
            could_show.extend(labels.filter(|label| *label != StepLabel::INVISIBLE));
        }
        could_show.sort_unstable();
        could_show.dedup();
        let before = past.last().map_or(ROOT, |edge| edge.to);
        let action = self.implementation.action(before, *unmatched, None);
        Evidence::Trace {
            steps: self.behaviour(ROOT, past, &sets),
            unmatched: Box::new(self.shown(action, unmatched.to, &[])),
            shows: self.implementation.label(unmatched.label),
            could_show: could_show
                .iter()
                .map(|label| self.implementation.label(*label))
                .collect(),
        }
    }

    /// A mapping as a table, in the order of the states.
    fn table(&self, images: &[u32]) -> Table {
        let implementation = &self.implementation;
        let states = 0..images.len() as u32;
        let is_reached = |state: &u32| {
            images[*state as usize] != NONE && !implementation.is_before_initial(*state)
        };
        let mut reached: Vec<u32> = states.filter(is_reached).collect();
        if reached.len() > MOST_STATES {
            return Table {
                states: reached.len() as u64,
                parts: None,
            };
        }
        if let StepSource::Explicit(graph, _) = &implementation.source {
            reached.sort_by_key(|state| graph.exchanged(*state));
        }
        let states = reached.iter();
        let states: Vec<Value> = states
            .map(|state| self.implementation.state(*state))
            .collect();
        let images = reached.iter().map(|state| images[*state as usize]);
        let images: Vec<Value> = images
            .map(|image| self.specification.state(image))
            .collect();
        Table::new(&states, &images)
    }
}
