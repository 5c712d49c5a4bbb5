//! Automata: states by number, with labelled steps that are computed when they are first asked for.

use std::ops::Range;
use std::time::Instant;

use super::edge::{Edge, ROOT, StepLabel};
use super::explicit::Graph;
use super::observed::Observed;
use crate::walk::explore::{Limit, Limits, Watch};

/// Origin of the steps of an automaton.
pub(super) enum Source<'a> {
    Explicit(&'a Graph),
    Observed(Observed<'a>),
}

/// Automaton whose states are expanded once, when they are first asked for.
pub(super) struct Automaton<'a> {
    pub source: Source<'a>,
    /// Place of a state's steps among `edges`; none where it is not expanded.
    places: Vec<Option<Range<u32>>>,
    edges: Vec<Edge>,
    /// Steps of the state that is being expanded.
    buffer: Vec<Edge>,
}

impl<'a> Automaton<'a> {
    pub fn new(source: Source<'a>) -> Self {
        Self {
            source,
            places: Vec::new(),
            edges: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Number of the states of the system met so far, or of all of an explicit one.
    pub fn states(&self) -> u64 {
        match &self.source {
            Source::Explicit(graph) => u64::from(graph.states()),
            Source::Observed(observed) => observed.states(),
        }
    }

    /// Number of the numbers that its states have so far.
    pub fn numbers(&self) -> usize {
        match &self.source {
            Source::Explicit(graph) => graph.mentioned(),
            // The root is one more.
            Source::Observed(observed) => observed.states() as usize + 1,
        }
    }

    /// True if a state is none of the system, but leads to the initial ones.
    pub fn is_before_initial(&self, state: u32) -> bool {
        state == ROOT && matches!(self.source, Source::Observed(_))
    }

    /// Places of the steps of a state, in the order of their labels, each once; [`edge`](Self::edge) has them. A step that shows
    /// nothing and leads nowhere else is none.
    pub fn steps(&mut self, from: u32) -> Range<u32> {
        let at = from as usize;
        if let Some(Some(place)) = self.places.get(at) {
            return place.clone();
        }
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut visit = |edge: Edge| {
            if !edge.is_stutter(from) {
                buffer.push(edge);
            }
        };
        match &mut self.source {
            Source::Explicit(graph) => graph.visit_steps(from, &mut visit),
            Source::Observed(observed) => observed.visit_steps(from, &mut visit),
        }
        buffer.sort_unstable();
        buffer.dedup();
        let first = self.edges.len() as u32;
        self.edges.append(&mut buffer);
        let place = first..self.edges.len() as u32;
        self.buffer = buffer;
        self.places[at] = Some(place.clone());
        place
    }

    /// Steps of a state, if it was asked for them.
    pub fn known_steps(&self, from: u32) -> Option<&[Edge]> {
        let Range { start, end } = self.places.get(from as usize)?.clone()?;
        Some(&self.edges[start as usize..end as usize])
    }

    /// Step at a place.
    pub fn edge(&self, place: u32) -> Edge {
        self.edges[place as usize]
    }

    /// Places of the steps of a state that have a label.
    pub fn labelled(&mut self, from: u32, label: StepLabel) -> Range<u32> {
        let Range { start, end } = self.steps(from);
        let edges = &self.edges[start as usize..end as usize];
        let first = edges.partition_point(|edge| edge.label < label) as u32;
        let last = edges.partition_point(|edge| edge.label <= label) as u32;
        start + first..start + last
    }

    /// True if there is a step with this label.
    pub fn has(&mut self, from: u32, label: StepLabel, to: u32) -> bool {
        let Range { start, end } = self.steps(from);
        let edges = &self.edges[start as usize..end as usize];
        edges.binary_search(&Edge { label, to }).is_ok()
    }

    /// Labels of the visible steps of a state, each once, in their order.
    pub fn visible_labels(&mut self, from: u32) -> Vec<StepLabel> {
        let steps = self.steps(from);
        let labels = steps.map(|place| self.edge(place).label);
        let mut labels: Vec<StepLabel> = labels
            .filter(|label| *label != StepLabel::INVISIBLE)
            .collect();
        labels.dedup();
        labels
    }
}

/// Reason why a search ends before it has its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// A limit of the user is reached.
    Limit(Limit),
    /// The work that the search was allowed is done.
    Allowance,
}

impl Stop {
    /// Limit of a search that is allowed any amount of work.
    pub fn limit(self) -> Limit {
        match self {
            Self::Limit(limit) => limit,
            Self::Allowance => unreachable!("the search is allowed any amount of work"),
        }
    }
}

/// Bounds on a decision: asked at every piece of work, they look at the clock now and then.
pub(super) struct Bounds<'a> {
    /// Pieces of work that are still allowed.
    left: u64,
    limits: Limits,
    watch: Watch<'a>,
    started: Instant,
    work: u32,
}

/// Pieces of work between two looks at the clock.
const WORK: u32 = 4096;

impl<'a> Bounds<'a> {
    pub fn new(limits: Limits, watch: Watch<'a>) -> Self {
        Self {
            limits,
            watch,
            started: Instant::now(),
            work: 0,
            left: u64::MAX,
        }
    }

    /// Runs a search that is allowed so many pieces of work; none if they were not enough. The same work is done each time,
    /// whatever the clock says.
    pub fn allow<T>(
        &mut self,
        work: u64,
        search: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Limit> {
        self.left = work;
        let result = search(self);
        self.left = u64::MAX;
        match result {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Allowance) => Ok(None),
            Err(Stop::Limit(limit)) => Err(limit),
        }
    }

    /// Notes a piece of work on an automaton of so many states.
    ///
    /// # Errors
    ///
    /// If a limit is reached, or no more work is allowed.
    #[inline]
    pub fn work(&mut self, states: u64) -> Result<(), Stop> {
        self.works(1, states)
    }

    /// The same of several pieces.
    ///
    /// # Errors
    ///
    /// As of one.
    #[inline]
    pub fn works(&mut self, pieces: u32, states: u64) -> Result<(), Stop> {
        if let Some(most) = self.limits.states
            && states > most
        {
            return Err(Stop::Limit(Limit::States(most)));
        }
        let Some(left) = self.left.checked_sub(pieces.into()) else {
            return Err(Stop::Allowance);
        };
        self.left = left;
        self.work = self.work.saturating_add(pieces);
        if self.work < WORK {
            return Ok(());
        }
        self.work = 0;
        self.look()
    }

    #[cold]
    fn look(&self) -> Result<(), Stop> {
        let reached = self.limits.out_of_time(&self.watch, self.started);
        match reached.or_else(|| self.limits.out_of_memory()) {
            Some(limit) => Err(Stop::Limit(limit)),
            None => Ok(()),
        }
    }
}
