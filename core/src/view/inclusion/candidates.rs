//! Abstract states that a step of the implementation may lead to: the targets of the abstract steps that show the same.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::bounds::Stop;
use super::edge::StepLabel;
use super::several_steps::{AbstractTarget, SeveralSteps, Weak};
use super::sides::Sides;
use super::walk::Walk;

/// Abstract steps that one step of the implementation may simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Simulated {
    /// One, or, where it shows nothing, none.
    AtMostOne,
    /// Several, of which at most one shows something; it shows what the step shows.
    Several,
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
