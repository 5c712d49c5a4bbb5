//! Reached states that are tested: those that are met first, and where these are too many, some on random walks.

use std::collections::{HashSet, VecDeque};

use super::declared::{Declared, ErasedParts};
use super::fault::CrowdFault;
use crate::random::Generator;

/// States that are tested on the walks of an instance,
const MOST_WALKED: usize = 16;
/// steps of all of them,
const MOST_STEPS: usize = 64;
/// and steps of each.
const STEPS_OF_ONE: usize = 32;

/// Reached states that are still to be tested, in the order in which they were met.
pub(super) struct Untested<'c> {
    crowd: &'c dyn Declared,
    /// Number of those of each queue that are tested.
    most: usize,
    seen: HashSet<ErasedParts>,
    classes: HashSet<ErasedParts>,
    /// The first states that were met of all that differ by what does not matter of their counters, before the others of them.
    first: VecDeque<ErasedParts>,
    others: VecDeque<ErasedParts>,
    /// Numbers of states that were taken from the queues.
    taken: [usize; 2],
}

impl<'c> Untested<'c> {
    /// None yet, of which so many are tested.
    pub fn new(crowd: &'c dyn Declared, most: usize) -> Self {
        Self {
            crowd,
            most,
            seen: HashSet::new(),
            classes: HashSet::new(),
            first: VecDeque::new(),
            others: VecDeque::new(),
            taken: [0; 2],
        }
    }

    /// Adds states, each once.
    pub fn meet(&mut self, states: impl IntoIterator<Item = ErasedParts>) {
        for state in states {
            if !self.seen.insert(state.clone()) {
                continue;
            }
            if self.classes.insert(self.crowd.closed(&state)) {
                self.first.push_back(state);
            } else {
                self.others.push_back(state);
            }
        }
    }

    /// The next one that is tested.
    pub fn next(&mut self) -> Option<ErasedParts> {
        for (queue, taken) in [&mut self.first, &mut self.others]
            .into_iter()
            .zip(&mut self.taken)
        {
            if *taken < self.most
                && let Some(state) = queue.pop_front()
            {
                *taken += 1;
                return Some(state);
            }
        }
        None
    }

    /// True if no state is left that differs from those that were taken by what matters.
    pub fn is_all(&self) -> bool {
        self.first.is_empty()
    }
}

/// Targets of the steps of a state, in the order of the model.
type StepsOf<'s> = dyn Fn(&ErasedParts) -> Result<Vec<ErasedParts>, CrowdFault> + 's;

/// States on random walks, of which each is tested once.
pub(super) struct Walk<'i> {
    initial: &'i [ErasedParts],
    at: Option<ErasedParts>,
    seen: HashSet<ErasedParts>,
    steps: usize,
}

impl<'i> Walk<'i> {
    /// Walks from initial states.
    pub fn new(initial: &'i [ErasedParts]) -> Self {
        Self {
            initial,
            at: None,
            seen: HashSet::new(),
            steps: 0,
        }
    }

    /// The next state that is to be tested.
    ///
    /// # Errors
    ///
    /// If a target is none of a crowd.
    pub fn next(
        &mut self,
        crowd: &dyn Declared,
        generator: &mut Generator,
        steps: &StepsOf<'_>,
    ) -> Result<Option<ErasedParts>, CrowdFault> {
        while self.steps < MOST_STEPS && self.seen.len() < MOST_WALKED && !self.initial.is_empty() {
            self.steps += 1;
            let targets = match &self.at {
                Some(at) if !self.steps.is_multiple_of(STEPS_OF_ONE) => steps(at)?,
                _ => self.initial.to_vec(),
            };
            self.at = match &targets[..] {
                [] => None,
                targets => Some(targets[generator.below(targets.len())].clone()),
            };
            if let Some(at) = &self.at
                && self.seen.insert(crowd.closed(at))
            {
                return Ok(Some(at.clone()));
            }
        }
        Ok(None)
    }
}
