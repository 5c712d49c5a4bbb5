//! The search for a trace of the implementation that the specification does not have: the pairs of two systems are explored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bounds::{Bounds, Stop};
use super::comparison::Comparison;
use super::edge::StepLabel;
use super::met::SampledState;
use super::minimal::MinimalPairs;
use super::observed::Within;
use super::pairs::{Pairs, ShownStep, TracePair, TraceStart};
use super::sides::{DiskAccount, Sides};
use crate::state::PackingError;
use crate::statement::asked::model_call::panic_again;
use crate::statement::constraint::Constraint;
use crate::statement::erased::ErasedState;
use crate::statement::system::TransitionSystem;
use crate::statement::trace::Trace;
use crate::view::consistency::sample::is_asked_again;
use crate::walk::explore::{
    DiskError, End, Explored, Journal, Limit, Limits, Means, NoOutcome, Options, Panic, Place,
    Start, StateId, Storage, Unrepeatable, Visitor, Watch, explore_on,
};

/// Abstract states of a pair of which it is asked what each fails.
const MOST_MEMBERS: usize = 64;

/// Pairs of which it is asked.
const MOST_LOOKED_AT: usize = 256;

/// Reason why it is not known whether each trace is included.
#[derive(Debug)]
pub(super) enum NoAnswer {
    Limit(Limit),
    Disk(DiskError),
}

/// Findings of a worker.
#[derive(Default)]
pub(super) struct PairTally {
    /// The first pair without an abstract state, or step to one.
    unmatched: Option<Place>,
    /// Number of pairs that are not expanded, being outside of the constraint.
    outside: u64,
    /// The first pairs with several abstract states, few.
    several: BTreeSet<StateId>,
    /// The states of the sample,
    sample: BTreeMap<StateId, SampledState>,
    /// and the one that is being expanded.
    expanded: Option<SampledState>,
    /// The first panic of a function of the model.
    panicked: Option<(Place, Panic)>,
    /// The first pair that cannot be written, or step to one.
    unwritten: Option<Place>,
}

/// Findings that a checkpoint keeps.
#[derive(Serialize, Deserialize)]
struct ToldPairs {
    unmatched: Option<Place>,
    outside: u64,
    several: Vec<StateId>,
}

impl PairTally {
    fn note_several(&mut self, state: StateId) {
        self.several.insert(state);
        if self.several.len() > MOST_LOOKED_AT {
            self.several.pop_last();
        }
    }

    fn is_first(found: Option<Place>, place: Place) -> bool {
        found.is_none_or(|found| place < found)
    }

    fn note_unmatched(&mut self, place: Place) {
        if Self::is_first(self.unmatched, place) {
            self.unmatched = Some(place);
        }
    }
}

/// Looks at pairs.
struct PairVisitor<'p, 'a> {
    pairs: &'p Pairs<'a>,
    within: Within<'p>,
    minimal: Option<&'p MinimalPairs>,
}

impl PairVisitor<'_, '_> {
    fn is_within(&self, pair: &TracePair) -> bool {
        self.within
            .is_none_or(|within| within.contains(&pair.state))
    }

    /// True if the steps of another pair, which is met before a level, are enough.
    fn is_needless(&self, pair: &TracePair, before: u32) -> bool {
        self.minimal.is_some_and(|minimal| {
            self.pairs.members(pair) > 1 && minimal.is_needless(pair, before, self.pairs)
        })
    }
}

impl<'a> Visitor<Pairs<'a>> for PairVisitor<'_, 'a> {
    type Tally = PairTally;
    type Image = ();

    // What shows nothing makes no trace longer.
    const PASSES_TWICE: bool = true;

    fn tally(&self) -> PairTally {
        PairTally::default()
    }

    fn tell(&self, tally: &PairTally) -> Option<Value> {
        let told = ToldPairs {
            unmatched: tally.unmatched,
            outside: tally.outside,
            several: tally.several.iter().copied().collect(),
        };
        serde_json::to_value(told).ok()
    }

    fn hear(
        &self,
        into: &mut PairTally,
        told: &Value,
        number: &dyn Fn(StateId) -> StateId,
    ) -> bool {
        let Ok(told) = ToldPairs::deserialize(told) else {
            return false;
        };
        let unmatched = told.unmatched.map(|place| Place {
            state: number(place.state),
            ..place
        });
        self.merge(
            into,
            PairTally {
                unmatched,
                outside: told.outside,
                several: told.several.into_iter().map(number).collect(),
                ..PairTally::default()
            },
        );
        true
    }

    fn is_at_fault(&self, tally: &PairTally) -> bool {
        tally.panicked.is_some() || tally.unwritten.is_some()
    }

    fn mentioned(&self, tally: &PairTally) -> Vec<StateId> {
        let unmatched = tally.unmatched.map(|place| place.state);
        tally.several.iter().copied().chain(unmatched).collect()
    }

    fn is_sampled(&self, state: StateId) -> bool {
        is_asked_again(state.0)
    }

    fn find_again(&self, into: &mut PairTally, found: PairTally) {
        into.sample.extend(found.sample);
    }

    fn merge(&self, into: &mut PairTally, from: PairTally) {
        if let Some(place) = from.unmatched {
            into.note_unmatched(place);
        }
        into.outside += from.outside;
        for state in from.several {
            into.note_several(state);
        }
        into.sample.extend(from.sample);
        if let Some((place, panic)) = from.panicked {
            self.panicked(into, place, panic);
        }
        if let Some(place) = from.unwritten
            && PairTally::is_first(into.unwritten, place)
        {
            into.unwritten = Some(place);
        }
    }

    fn met(&self, place: Place, pair: &TracePair) -> bool {
        if let Some(minimal) = self.minimal {
            minimal.note(pair, place.length);
        }
        !pair.is_unmatched() && self.is_within(pair) && !self.is_needless(pair, place.length)
    }

    fn leads_farther(&self, _: &TracePair, step: &ShownStep, _: &TracePair) -> bool {
        step.label != StepLabel::INVISIBLE
    }

    fn examine(&self, tally: &mut PairTally, place: Place, pair: &TracePair) {
        if pair.is_unmatched() {
            tally.note_unmatched(place);
        }
    }

    fn image(&self, _: &mut PairTally, _: &TracePair) {}

    fn is_constrained(&self) -> bool {
        self.within.is_some()
    }

    fn is_expanded(&self, tally: &mut PairTally, place: Place, pair: &TracePair) -> bool {
        if pair.is_unmatched() {
            return false;
        }
        let is_sampled = self.is_sampled(place.state);
        // By now all pairs of the level were met. Those of the sample are to lead to the same, whether it is known which are needless or not.
        if !is_sampled && self.is_needless(pair, place.length + 1) {
            return false;
        }
        let is_within = self.is_within(pair);
        tally.expanded = is_sampled.then(|| SampledState {
            state: Arc::clone(&pair.state),
            targets: Vec::new(),
        });
        if !is_within {
            tally.outside += 1;
            self.leave(tally, place, pair, 0);
        } else if (2..=MOST_MEMBERS).contains(&self.pairs.members(pair)) {
            tally.note_several(place.state);
        }
        is_within
    }

    fn step(
        &self,
        tally: &mut PairTally,
        place: Place,
        _: (&TracePair, &()),
        _: &ShownStep,
        to: &TracePair,
    ) -> u32 {
        if to.is_unmatched() {
            tally.note_unmatched(place);
        }
        if let Some(expanded) = &mut tally.expanded {
            expanded.targets.push(Arc::clone(&to.state));
        }
        0
    }

    fn leave(&self, tally: &mut PairTally, place: Place, pair: &TracePair, _: u32) {
        let Some(mut expanded) = tally.expanded.take() else {
            return;
        };
        if self.is_within(pair) {
            // What shows nothing was not looked at.
            self.pairs.next(pair, &mut |step, to| {
                if step.label == StepLabel::INVISIBLE {
                    expanded.targets.push(Arc::clone(&to.state));
                }
            });
        }
        tally.sample.insert(place.state, expanded);
    }

    fn mispacked(&self, tally: &mut PairTally, place: Place, _: PackingError) {
        if PairTally::is_first(tally.unwritten, place) {
            tally.unwritten = Some(place);
        }
    }

    fn panicked(&self, tally: &mut PairTally, place: Place, panic: Panic) {
        let found = tally.panicked.as_ref().map(|(place, _)| *place);
        if PairTally::is_first(found, place) {
            tally.panicked = Some((place, panic));
        }
    }

    fn stop(&self, tally: &PairTally) -> Option<u32> {
        let panicked = tally.panicked.as_ref().map(|(place, _)| *place);
        let all = [tally.unmatched, tally.unwritten, panicked];
        all.into_iter().flatten().map(|place| place.length).min()
    }

    fn limit(&self) -> Option<Limit> {
        Some(match self.pairs.stopped()? {
            Stop::Limit(limit) => limit,
            // The search is ended as by its user.
            Stop::Allowance => Limit::Cancelled,
        })
    }
}

/// Pieces of work that a pair takes, for all that is known.
const WORK_A_PAIR: u64 = 8;

impl<'a> Sides<'a> {
    /// Searches for a trace that the specification does not have, if so much work is enough.
    pub fn search_pairs(
        &mut self,
        work: u64,
        comparison: &Comparison<'_>,
        journal: Option<Journal>,
    ) -> Result<Option<SearchedPairs<'a>>, NoAnswer> {
        let checkpoints = comparison.checkpoints.as_ref();
        let resumes = checkpoints.is_some_and(|one| one.start == Start::Resumed);
        let pairs = self.pairs(TraceStart::Initial, work, resumes);
        let clock = self.bounds.clock;
        let options = Options {
            threads: comparison.threads,
            limits: clock.limits_since(),
            watch: comparison.watch,
            storage: match comparison.spill {
                Some(_) => Storage::Packed,
                None => Storage::Whole,
            },
            ..Options::default()
        };
        let within = self.implementation.within();
        let means = Means {
            journal,
            spill: comparison.spill.as_ref(),
            ..Means::default()
        };
        let account = &mut self.account;
        let searched = SearchedPairs::new(pairs, within, &options, work, means, account);
        if let Ok(Some(searched)) = &searched {
            self.bounds.clock = clock.not_counting(searched.pairs.uncounted());
        }
        searched
    }

    /// The shortest future of a pair of states that the abstract one fails, if there is one, and so much work is enough.
    pub fn search_future(
        &self,
        states: [ErasedState; 2],
        work: u64,
    ) -> Result<Option<SearchedPairs<'a>>, NoAnswer> {
        let pairs = self.pairs(TraceStart::From(states), work, false);
        let options = Options {
            limits: self.bounds.clock.limits_since(),
            watch: Watch {
                progress: None,
                ..self.bounds.clock.watch
            },
            storage: Storage::Whole,
            ..Options::default()
        };
        let within = self.implementation.within();
        let (means, account) = (Means::default(), &mut DiskAccount::default());
        SearchedPairs::new(pairs, within, &options, work, means, account)
    }

    /// Pairs from a beginning, with sets that take at most so much work.
    fn pairs(&self, start: TraceStart, work: u64, reads_checkpoint: bool) -> Pairs<'a> {
        let bounds = Bounds::allowing(self.bounds.clock, work);
        Pairs::new(&self.searched, start, bounds, reads_checkpoint)
    }
}

/// Pairs that were explored.
pub(super) struct SearchedPairs<'a> {
    pub pairs: Pairs<'a>,
    explored: Explored<Pairs<'a>, PairTally>,
    within: Option<Constraint<Pairs<'a>>>,
    /// Number of states of the implementation that were met, if that was counted.
    pub states: Option<u64>,
}

impl<'a> SearchedPairs<'a> {
    /// Explores pairs; none if so much work was not enough.
    fn new(
        pairs: Pairs<'a>,
        within: Within<'_>,
        options: &Options<'_, Pairs<'a>>,
        work: u64,
        means: Means<'_>,
        account: &mut DiskAccount,
    ) -> Result<Option<Self>, NoAnswer> {
        // It would have all pairs in memory.
        let minimal = means.spill.is_none().then(MinimalPairs::new);
        let visitor = PairVisitor {
            pairs: &pairs,
            within,
            minimal: minimal.as_ref(),
        };
        let most = options.limits.states.unwrap_or(u64::MAX);
        let allowed = work / WORK_A_PAIR;
        let options = Options {
            limits: Limits {
                states: Some(most.min(allowed)),
                ..options.limits
            },
            ..*options
        };
        let means = Means {
            uncounted: Some(&pairs.uncounted),
            ..means
        };
        let explored = match explore_on(&pairs, &visitor, &options, means) {
            Ok(explored) => explored,
            Err(NoOutcome::Disk(error)) => return Err(NoAnswer::Disk(error)),
            Err(NoOutcome::Peers(_) | NoOutcome::Served(_)) => unreachable!("there are no peers"),
        };
        account.checkpoints.clone_from(&explored.written);
        account.spilled.clone_from(&explored.spilled);
        let panicked = explored.tally.panicked.as_ref().map(|(_, panic)| panic);
        if let Some(panic) = explored.panic.as_ref().or(panicked) {
            panic_again(panic.clone());
        }
        if explored.tally.unwritten.is_some() || explored.initial_misfit.is_some() {
            return Err(NoAnswer::Disk(DiskError::Unwritable));
        }
        let is_found = explored.tally.unmatched.is_some();
        match (explored.end.clone(), pairs.stopped()) {
            // Where it ends may depend on timing, and the next one finds what there is.
            (_, Some(Stop::Allowance)) => return Ok(None),
            (End::Limit(Limit::States(_)), None) if allowed < most => return Ok(None),
            _ if is_found => (),
            (_, Some(Stop::Limit(limit))) | (End::Limit(limit), None) => {
                return Err(NoAnswer::Limit(limit));
            }
            (End::Complete, None) => (),
            (End::Stopped | End::Panicked, None) => unreachable!("something was found"),
        }
        // What is asked from now on was found before.
        pairs.unbound();
        Ok(Some(Self {
            within: within
                .map(|within| within.pull_back(|pair: &TracePair| ErasedState::clone(&pair.state))),
            states: minimal.map(|minimal| minimal.states()),
            explored,
            pairs,
        }))
    }

    /// True if each trace is included.
    pub fn is_included(&self) -> bool {
        self.explored.tally.unmatched.is_none()
    }

    /// Number of pairs.
    pub fn looked_at(&self) -> u64 {
        self.explored.states() as u64
    }

    /// Number of pairs that are not expanded, being outside of the constraint.
    pub fn outside(&self) -> u64 {
        self.explored.tally.outside
    }

    /// The states of the sample.
    pub fn take_sample(&mut self) -> impl Iterator<Item = SampledState> + use<> {
        std::mem::take(&mut self.explored.tally.sample).into_values()
    }

    /// A shortest trace that is not included, if there is one.
    pub fn unmatched(&self) -> Result<Option<Trace<Pairs<'a>>>, Unrepeatable> {
        let place = self.explored.tally.unmatched;
        place.map(|place| self.trace(place)).transpose()
    }

    /// The first pairs with several abstract states, in the order in which they were met.
    pub fn several(&self) -> impl Iterator<Item = (StateId, TracePair)> {
        let ids = self.explored.tally.several.iter();
        ids.filter_map(|id| Some((*id, self.explored.state(&self.pairs, *id)?)))
    }

    /// A shortest trace to a pair.
    pub fn trace_to(&self, id: StateId) -> Result<Trace<Pairs<'a>>, Unrepeatable> {
        self.trace(self.explored.place(id))
    }

    fn trace(&self, place: Place) -> Result<Trace<Pairs<'a>>, Unrepeatable> {
        let visitor = PairVisitor {
            pairs: &self.pairs,
            within: None,
            minimal: None,
        };
        let within = self.within.as_ref();
        self.explored
            .trace_of_passes(&self.pairs, &visitor, within, place)
    }
}
