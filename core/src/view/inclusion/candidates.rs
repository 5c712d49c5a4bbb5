//! Abstract states that a step of the implementation may lead to: the targets of the abstract steps that show the same.

use std::collections::VecDeque;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::automaton::{Automaton, Bounds, Stop};
use super::edge::StepLabel;

/// Abstract steps that one step of the implementation may simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Simulated {
    /// One, or, where it shows nothing, none.
    AtMostOne,
    /// Several, of which at most one shows something; it shows what the step shows.
    Several,
}

/// Target of abstract steps that show a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AbstractTarget {
    pub to: u32,
    /// Number of abstract steps, the fewest.
    pub steps: u32,
}

/// Candidates of abstract states and labels, computed when they are first asked for, those of the fewest steps first.
pub(super) struct Candidates {
    simulated: Simulated,
    places: HashMap<(u32, StepLabel), Range<u32>>,
    all: Vec<AbstractTarget>,
    /// The targets at some of these places, in the order of their numbers.
    in_order: HashMap<(u32, StepLabel), Vec<u32>>,
    /// Work of a search.
    queue: VecDeque<(bool, AbstractTarget)>,
    /// The states met before and after the visible step of a search, by its number.
    met: [Vec<u32>; 2],
    search: u32,
}

impl Candidates {
    pub fn new(simulated: Simulated) -> Self {
        Self {
            simulated,
            places: HashMap::new(),
            all: Vec::new(),
            in_order: HashMap::new(),
            queue: VecDeque::new(),
            met: [Vec::new(), Vec::new()],
            search: 0,
        }
    }

    /// Abstract steps that a step may simulate.
    pub fn simulated(&self) -> Simulated {
        self.simulated
    }

    /// AbstractTarget at a place.
    pub fn at(&self, place: u32) -> AbstractTarget {
        self.all[place as usize]
    }

    /// Places of the targets of the abstract steps from a state that show a label.
    pub fn of(
        &mut self,
        specification: &mut Automaton<'_>,
        from: u32,
        label: StepLabel,
        bounds: &mut Bounds<'_>,
    ) -> Result<Range<u32>, Stop> {
        if let Some(places) = self.places.get(&(from, label)) {
            return Ok(places.clone());
        }
        let first = self.all.len() as u32;
        // No abstract step leads on before a state is initial.
        let simulated = if specification.is_before_initial(from) {
            Simulated::AtMostOne
        } else {
            self.simulated
        };
        match simulated {
            Simulated::AtMostOne => {
                if label == StepLabel::INVISIBLE {
                    self.all.push(AbstractTarget { to: from, steps: 0 });
                }
                let steps = specification.labelled(from, label);
                let targets = steps.map(|place| AbstractTarget {
                    to: specification.edge(place).to,
                    steps: 1,
                });
                self.all.extend(targets);
            }
            Simulated::Several => self.search(specification, from, label, bounds)?,
        }
        let places = first..self.all.len() as u32;
        self.places.insert((from, label), places.clone());
        Ok(places)
    }

    /// True if abstract steps that show a label lead from one state to another.
    pub fn leads(
        &mut self,
        specification: &mut Automaton<'_>,
        from: u32,
        label: StepLabel,
        to: u32,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Stop> {
        let places = self.of(specification, from, label, bounds)?;
        let all = &self.all[places.start as usize..places.end as usize];
        let in_order = self.in_order.entry((from, label)).or_insert_with(|| {
            let mut in_order: Vec<u32> = all.iter().map(|target| target.to).collect();
            in_order.sort_unstable();
            in_order
        });
        Ok(in_order.binary_search(&to).is_ok())
    }

    /// The abstract states through which the fewest steps that show a label lead, with both ends.
    pub fn path(
        specification: &mut Automaton<'_>,
        from: u32,
        label: StepLabel,
        to: u32,
        bounds: &mut Bounds<'_>,
    ) -> Result<Vec<u32>, Stop> {
        /// State of a search, with the place of the one before.
        struct Met {
            state: u32,
            is_shown: bool,
            before: usize,
        }
        let mut met = vec![Met {
            state: from,
            is_shown: label == StepLabel::INVISIBLE,
            before: 0,
        }];
        let mut at = 0;
        while at < met.len() {
            let Met {
                state, is_shown, ..
            } = met[at];
            if is_shown && state == to {
                let mut path = vec![state];
                while at != 0 {
                    at = met[at].before;
                    path.push(met[at].state);
                }
                path.reverse();
                return Ok(path);
            }
            for place in specification.steps(state) {
                bounds.work(0)?;
                let edge = specification.edge(place);
                let is_now = edge.label == label && !is_shown;
                if edge.label == StepLabel::INVISIBLE || is_now {
                    let is_shown = is_shown || is_now;
                    let is_known =
                        |other: &Met| other.state == edge.to && other.is_shown == is_shown;
                    if !met.iter().any(is_known) {
                        met.push(Met {
                            state: edge.to,
                            is_shown,
                            before: at,
                        });
                    }
                }
            }
            at += 1;
        }
        unreachable!("a candidate is reached by steps that show its label")
    }

    /// Finds the targets of invisible steps with one between them that shows the label, if that is visible.
    fn search(
        &mut self,
        specification: &mut Automaton<'_>,
        from: u32,
        label: StepLabel,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), Stop> {
        self.search += 1;
        // Where nothing is to be shown, it has been shown.
        let is_shown = label == StepLabel::INVISIBLE;
        self.meet(is_shown, AbstractTarget { to: from, steps: 0 });
        while let Some((is_shown, AbstractTarget { to, steps })) = self.queue.pop_front() {
            for place in specification.steps(to) {
                bounds.work(specification.states())?;
                let edge = specification.edge(place);
                let next = AbstractTarget {
                    to: edge.to,
                    steps: steps + 1,
                };
                if edge.label == StepLabel::INVISIBLE {
                    self.meet(is_shown, next);
                } else if edge.label == label && !is_shown {
                    self.meet(true, next);
                }
            }
        }
        Ok(())
    }

    /// Notes a state of a search, which is a candidate if the label has been shown.
    fn meet(&mut self, is_shown: bool, state: AbstractTarget) {
        let met = &mut self.met[usize::from(is_shown)];
        let at = state.to as usize;
        if met.len() <= at {
            met.resize(at + 1, 0);
        }
        if met[at] == self.search {
            return;
        }
        met[at] = self.search;
        self.queue.push_back((is_shown, state));
        if is_shown {
            self.all.push(state);
        }
    }
}
