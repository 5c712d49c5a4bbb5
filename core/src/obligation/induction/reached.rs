//! States that random walks reach, from which draws begin, and with which states that are not reached are compared.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use foldhash::{HashSet, HashSetExt};

use super::variables::Variables;
use crate::obligation::found::SearchResult;
use crate::obligation::settings::Search;
use crate::statement::asked::model_call::{catch, named};
use crate::statement::asked::visit::visit_initial;
use crate::statement::constraint::Constraint;
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::refinement::Refinement;
use crate::walk::parallel::{WorkItems, run_in_parallel};
use crate::walk::random::Walks;
use crate::walk::random::walk::again;

/// Walks, and their steps, where the check makes none.
const WALKS: u32 = 100;
const STEPS: u32 = 1000;
/// The most steps of all walks together, from which states are drawn, and beside which a gap is shown.
pub(super) const MOST_TO_DRAW: u32 = 1 << 17;
pub(super) const MOST_TO_SHOW: u32 = 1 << 14;
/// The most states from which draws begin.
const MOST_BASES: usize = 2048;
/// States whose values are found one after the other.
const RUN: usize = 32;

/// A state that a walk reached.
#[derive(Clone, Debug)]
pub(super) struct WalkState {
    /// The values of which it is made.
    pub values: Vec<u64>,
    /// Number of the walk.
    pub walk: u32,
    /// Number of the steps to it.
    pub steps: u32,
}

/// States that walks reached.
pub(super) struct ReachedStates {
    /// Some of them, spread over the walks.
    pub bases: Vec<WalkState>,
    /// Hashes of all.
    met: HashSet<u64>,
    /// Number of states whose values were not found, and the first one.
    pub untraced: Option<(u64, ErasedState)>,
    /// Seed of the walks.
    pub seed: u64,
}

/// A state on a walk, the walk and the number of steps to it.
type OnWalk = (ErasedState, u32, u32);

impl ReachedStates {
    /// Those of the walks that the check makes, or of some walks of the seed if it makes none. Of walks that have more than so many steps
    /// together, some are left out, or not gone to their ends.
    pub fn new<'a>(
        found: &SearchResult<'_, ErasedRefinement<'a>>,
        variables: &Variables<'_>,
        seed: u64,
        most: u32,
        out_of_time: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let walks = match found.settings.search {
            Search::Walks(walks) => walks,
            Search::Exhaustive | Search::AnyNumber { .. } => Walks {
                walks: WALKS,
                steps: STEPS,
                seed,
            },
        };
        let mut met = HashSet::new();
        let mut passed = passed(found, walks, most, out_of_time);
        passed.retain(|(state, ..)| met.insert(hash(state)));
        // PERF: values are sought for as many as draws begin from.
        let count = passed.len().min(MOST_BASES);
        let chosen = (0..count).map(|number| number * passed.len() / count);
        let chosen: Vec<_> = chosen.map(|place| &passed[place]).collect();
        let runs: Vec<_> = chosen.chunks(RUN).collect();
        let traced = in_order(found.settings.threads, runs.len(), &|run| {
            let mut near = variables.least();
            let values = runs[run].iter().map(|(state, ..)| {
                let values = (!out_of_time()).then(|| variables.find(state, &near))?;
                if let Some(values) = &values {
                    near.clone_from(values);
                }
                Some(values)
            });
            values.map_while(|values| values).collect::<Vec<_>>()
        });
        let mut reached = Self {
            bases: Vec::new(),
            met,
            untraced: None,
            seed: walks.seed,
        };
        for (run, values) in runs.iter().zip(traced) {
            for ((state, walk, steps), values) in run.iter().zip(values) {
                match values {
                    Some(values) => reached.bases.push(WalkState {
                        values,
                        walk: *walk,
                        steps: *steps,
                    }),
                    None => {
                        let (count, _) = reached.untraced.get_or_insert((0, state.clone()));
                        *count += 1;
                    }
                }
            }
        }
        reached
    }

    /// Number of distinct states on the walks.
    pub fn states(&self) -> u64 {
        self.met.len() as u64
    }

    /// The hash of a state that is on none of the walks.
    pub fn unmet(&self, state: &ErasedState) -> Option<u64> {
        let hash = hash(state);
        (!self.met.contains(&hash)).then_some(hash)
    }

    /// The place of the state that differs in the fewest variables, the first of several.
    pub fn nearest(&self, values: &[u64]) -> Option<usize> {
        let places = 0..self.bases.len();
        places.min_by_key(|place| self.bases[*place].differing(values).count())
    }
}

impl WalkState {
    /// The places of the variables that differ from those of a state.
    pub fn differing(&self, values: &[u64]) -> impl Iterator<Item = usize> {
        let pairs = self.values.iter().zip(values).enumerate();
        pairs
            .filter(|(_, (one, other))| one != other)
            .map(|(place, _)| place)
    }
}

fn hash(state: &ErasedState) -> u64 {
    named("`hash` of a state", || {
        FixedState::default().hash_one(state)
    })
}

/// The states on the walks, in the order of these.
fn passed<'a>(
    found: &SearchResult<'_, ErasedRefinement<'a>>,
    walks: Walks,
    most: u32,
    out_of_time: &(dyn Fn() -> bool + Sync),
) -> Vec<OnWalk> {
    let system: &ErasedSystem<'a> = found.refinement.implementation();
    let mut initial = Vec::new();
    visit_initial(system, &mut |state| initial.push(state));
    if initial.is_empty() {
        return Vec::new();
    }
    let constraint = found.constraint;
    let steps = walks.steps.min(most);
    let count = walks.walks.min((most / steps.max(1)).max(1));
    let walk = |number: usize| {
        let number = number as u32;
        if out_of_time() {
            return Vec::new();
        }
        // A model that panics here does so where it is told, too.
        let walk = catch(|| again(system, &initial, walks.seed, number, steps));
        let Ok(walk) = walk else {
            return Vec::new();
        };
        let mut passed = Vec::new();
        for (state, steps) in walk.states().zip(0..) {
            passed.push((state.clone(), number, steps));
            // From there no step is taken.
            let is_within = |constraint: &Constraint<_>| constraint.contains(state);
            if !catch(|| constraint.is_none_or(is_within)).unwrap_or(false) {
                break;
            }
        }
        passed
    };
    let walks = in_order(found.settings.threads, count as usize, &walk);
    walks.into_iter().flatten().collect()
}

/// The outcomes of `count` pieces of work, which several threads do, in their order.
pub(super) fn in_order<T: Send>(
    threads: usize,
    count: usize,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let items = WorkItems::new(count);
    let outcomes = run_in_parallel(0..threads.clamp(1, count.max(1)), |_| {
        let mut done = Vec::new();
        while let Some(item) = items.take() {
            done.push((item, work(item)));
        }
        done
    });
    let mut outcomes: Vec<_> = outcomes.into_iter().flatten().collect();
    outcomes.sort_unstable_by_key(|(item, _)| *item);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
