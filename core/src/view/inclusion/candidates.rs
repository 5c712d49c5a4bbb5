//! Abstract states that a step of the implementation may lead to: the targets of the abstract steps that show the same.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::automaton::Automaton;
use super::edge::StepLabel;
use super::sides::{Bounds, Sides, Stop};
use super::walk::Walk;

/// Abstract steps that one step of the implementation may simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
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
    pub simulated: Simulated,
    places: HashMap<(u32, StepLabel), Range<u32>>,
    all: Vec<AbstractTarget>,
    /// The targets at some of these places, in the order of their numbers.
    in_order: HashMap<(u32, StepLabel), Vec<u32>>,
    several: SeveralSteps,
}

impl Candidates {
    pub fn new(simulated: Simulated) -> Self {
        Self {
            simulated,
            places: HashMap::new(),
            all: Vec::new(),
            in_order: HashMap::new(),
            several: SeveralSteps::default(),
        }
    }

    /// Target at a place.
    pub fn at(&self, place: u32) -> AbstractTarget {
        self.all[place as usize]
    }

    /// Places of the targets of the abstract steps from a state that show a label.
    pub fn of(
        &mut self,
        from: u32,
        label: StepLabel,
        sides: &mut Sides<'_>,
    ) -> Result<Range<u32>, Stop> {
        if let Some(places) = self.places.get(&(from, label)) {
            return Ok(places.clone());
        }
        let first = self.all.len() as u32;
        let specification = &mut sides.specification;
        // No abstract step leads on before a state is initial.
        if self.simulated == Simulated::AtMostOne || specification.is_before_initial(from) {
            if label == StepLabel::INVISIBLE {
                self.all.push(AbstractTarget { to: from, steps: 0 });
            }
            let steps = specification.labelled(from, label);
            let targets = steps.map(|place| AbstractTarget {
                to: specification.edge(place).to,
                steps: 1,
            });
            self.all.extend(targets);
        } else {
            let reached = self.search(from, label, sides)?;
            let shown = reached.nodes().filter(|reached| reached.is_shown);
            self.all.extend(shown.map(|reached| reached.target));
        }
        let places = first..self.all.len() as u32;
        self.places.insert((from, label), places.clone());
        Ok(places)
    }

    fn search(
        &mut self,
        from: u32,
        label: StepLabel,
        sides: &mut Sides<'_>,
    ) -> Result<Walk<Weak>, Stop> {
        let (specification, bounds) = (&mut sides.specification, &mut sides.bounds);
        self.several.search(&[from], label, specification, bounds)
    }

    /// True if abstract steps that show a label lead from one state to another.
    pub fn leads(
        &mut self,
        [from, to]: [u32; 2],
        label: StepLabel,
        sides: &mut Sides<'_>,
    ) -> Result<bool, Stop> {
        let is_one = (label == StepLabel::INVISIBLE && from == to)
            || sides.specification.has(from, label, to);
        if is_one || self.simulated == Simulated::AtMostOne {
            return Ok(is_one);
        }
        let places = self.of(from, label, sides)?;
        let all = &self.all[places.start as usize..places.end as usize];
        let in_order = self.in_order.entry((from, label)).or_insert_with(|| {
            let mut in_order: Vec<u32> = all.iter().map(|target| target.to).collect();
            in_order.sort_unstable();
            in_order
        });
        Ok(in_order.binary_search(&to).is_ok())
    }

    /// The abstract states through which the fewest steps that show a label lead from one state to another, with both ends.
    pub fn path(
        &mut self,
        [from, to]: [u32; 2],
        label: StepLabel,
        sides: &mut Sides<'_>,
    ) -> Result<Vec<u32>, Stop> {
        let reached = self.search(from, label, sides)?;
        let mut nodes = reached.nodes();
        let end = nodes.position(|reached| reached.is_shown && reached.target.to == to);
        let end = end.expect("a candidate is reached by steps that show its label");
        let path = reached.path(end as u32).into_iter();
        Ok(path.map(|reached| reached.target.to).collect())
    }
}

/// Searches for what several abstract steps lead to.
#[derive(Default)]
pub(super) struct SeveralSteps {
    /// The last search that met each state, by number, before and after the step that is visible.
    last: [Vec<u32>; 2],
    search: u32,
}

/// Abstract state that several steps lead to.
#[derive(Clone, Copy)]
pub(super) struct Weak {
    pub target: AbstractTarget,
    /// True if the label has been shown.
    is_shown: bool,
}

impl SeveralSteps {
    /// Finds the targets of invisible steps from some states with one between them that shows the label, if that is visible.
    pub fn search(
        &mut self,
        from: &[u32],
        label: StepLabel,
        automaton: &mut Automaton<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Walk<Weak>, Stop> {
        self.search += 1;
        let mut walk = Walk::default();
        for from in from {
            let first = Weak {
                target: AbstractTarget {
                    to: *from,
                    steps: 0,
                },
                // Where nothing is to be shown, it has been shown.
                is_shown: label == StepLabel::INVISIBLE,
            };
            self.meet(first, None, &mut walk);
        }
        walk.breadth_first(|walk, at| {
            let Weak { target, is_shown } = walk.node(at);
            let to_show = if is_shown { &[][..] } else { &[label] };
            for shows in [StepLabel::INVISIBLE].iter().chain(to_show) {
                for place in automaton.labelled(target.to, *shows) {
                    bounds.work(automaton.states())?;
                    let to = automaton.edge(place).to;
                    let steps = target.steps + 1;
                    let next = Weak {
                        target: AbstractTarget { to, steps },
                        is_shown: is_shown || *shows == label,
                    };
                    self.meet(next, Some(at), walk);
                }
            }
            Ok(None::<()>)
        })?;
        Ok(walk)
    }

    /// Notes a state, if it is new to the search.
    fn meet(&mut self, reached: Weak, before: Option<u32>, walk: &mut Walk<Weak>) {
        let last = &mut self.last[usize::from(reached.is_shown)];
        let at = reached.target.to as usize;
        if last.len() <= at {
            last.resize(at + 1, 0);
        }
        if std::mem::replace(&mut last[at], self.search) != self.search {
            walk.meet(reached, before);
        }
    }
}
