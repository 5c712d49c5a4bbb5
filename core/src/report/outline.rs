//! Outline of the counterexamples of a report: their order, the steps that an earlier one has told, and those that repeat.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use super::repetition::Repetition;
use super::{Counterexample, Report, Step};
use crate::statement::shown::number::counted;

/// Outline of a counterexample: its parts that are told earlier, and its repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline<'r> {
    /// The counterexample.
    pub counterexample: &'r Counterexample,
    /// Its first steps, where an earlier one has told them.
    pub shared: Option<SharedSteps<'r>>,
    /// Its loop, where an earlier one has told that.
    pub shared_loop: Option<SharedLoop<'r>>,
    /// Repetitions: those of the other steps that repeat the ones before them.
    pub repetitions: Vec<Repetition>,
}

/// A counterexample that is told earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Earlier<'r> {
    /// Its number in the order of the outlines.
    pub number: usize,
    counterexample: &'r Counterexample,
    /// True if there is another one of its obligation.
    is_one_of_several: bool,
}

/// Steps that an earlier counterexample has told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedSteps<'r> {
    /// The earlier one.
    pub with: Earlier<'r>,
    /// The last of the steps, which begin with the initial state.
    pub last: usize,
    /// True if these are all, and the same loop.
    pub is_all: bool,
}

/// A loop that an earlier counterexample has told, perhaps from another state on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedLoop<'r> {
    /// The earlier one.
    pub with: Earlier<'r>,
    /// The step of the earlier one with which this loop begins.
    pub first: usize,
}

impl<'r> Outline<'r> {
    /// Outlines of all counterexamples of a report: the one that the verdict rests on, and the others, shortest first.
    pub fn all(report: &'r Report) -> Vec<Self> {
        let first = report.counterexample.as_ref();
        let rows = report.obligations.iter();
        let mut others: Vec<_> = rows
            .flat_map(|row| &row.counterexamples)
            .filter(|other| Some(*other) != first)
            .collect();
        others.sort_by_key(|other| other.length);
        let all: Vec<&Counterexample> = first.into_iter().chain(others).collect();
        let outlines = all.iter().enumerate();
        let outlines = outlines.map(|(number, counterexample)| {
            let earlier = &all[..number];
            let shared = SharedSteps::longest(counterexample, earlier);
            let shared_loop = match shared {
                Some(shared) if shared.is_all => None,
                _ => SharedLoop::of(counterexample, earlier),
            };
            let mut outline = Self::new(counterexample, shared, shared_loop);
            if report.history.is_some() {
                // The events that the steps are differ, whatever the steps do.
                outline.repetitions.clear();
            }
            outline
        });
        outlines.collect()
    }

    /// Outline of a counterexample by itself.
    pub fn alone(counterexample: &'r Counterexample) -> Self {
        Self::new(counterexample, None, None)
    }

    fn new(
        counterexample: &'r Counterexample,
        shared: Option<SharedSteps<'r>>,
        shared_loop: Option<SharedLoop<'r>>,
    ) -> Self {
        let mut outline = Self {
            counterexample,
            shared,
            shared_loop,
            repetitions: Vec::new(),
        };
        let told = outline.told();
        let mut repetitions = Repetition::all(counterexample, told.start);
        repetitions.retain(|repetition| repetition.steps.end <= told.end);
        outline.repetitions = repetitions;
        outline
    }

    /// The steps that are told here, those that repeat others among them.
    pub fn told(&self) -> Range<usize> {
        let end = match (self.shared_loop, self.counterexample.loop_start) {
            (Some(_), Some(start)) => start + 1,
            _ => self.counterexample.steps.len(),
        };
        let start = self.shared.map_or(0, |shared| shared.last + 1);
        start..end.max(start)
    }

    /// The steps that are told one by one, in runs, each with the repetition after it.
    pub fn runs(&self) -> impl Iterator<Item = (Range<usize>, Option<&Repetition>)> {
        let told = self.told();
        let repetitions = self.repetitions.iter();
        let starts = repetitions.clone().map(|one| one.steps.end);
        let ends = repetitions.clone().map(|one| one.steps.start);
        let starts = [told.start].into_iter().chain(starts);
        let ends = ends.chain([told.end]);
        let after = repetitions.map(Some).chain([None]);
        starts.zip(ends).map(|(start, end)| start..end).zip(after)
    }
}

impl<'r> Earlier<'r> {
    /// Counterexamples of `earlier`, in their order.
    fn all(earlier: &[&'r Counterexample]) -> impl Iterator<Item = Self> {
        let all = earlier.iter().enumerate();
        all.map(|(number, counterexample)| {
            let name = &counterexample.obligation;
            let same = earlier.iter().filter(|other| other.obligation == *name);
            Self {
                number,
                counterexample,
                is_one_of_several: same.count() > 1,
            }
        })
    }
}

impl<'r> SharedSteps<'r> {
    /// The most steps that it shares with one of those told earlier.
    fn longest(of: &Counterexample, earlier: &[&'r Counterexample]) -> Option<Self> {
        let mut longest: Option<Self> = None;
        // The step with which it ends is told, and a loop in full.
        let end = of.steps.len().saturating_sub(1);
        let end = end.min(of.loop_start.map_or(end, |start| start + 1));
        for with in Earlier::all(earlier) {
            let other = with.counterexample;
            let pairs = of.steps.iter().zip(&other.steps);
            let count = pairs.take_while(|(step, other)| step == other).count();
            let is_all = count > 0
                && count == of.steps.len()
                && count == other.steps.len()
                && of.loop_start == other.loop_start;
            let told = if is_all { count } else { count.min(end) };
            let last = told.saturating_sub(1);
            let is_longer = longest.is_none_or(|one| (is_all, last) > (one.is_all, one.last));
            if is_longer && (is_all || last > 0) {
                longest = Some(Self { with, last, is_all });
            }
        }
        longest
    }
}

impl<'r> SharedLoop<'r> {
    fn of(of: &Counterexample, earlier: &[&'r Counterexample]) -> Option<Self> {
        let steps = looping(of);
        if steps.is_empty() {
            return None;
        }
        Earlier::all(earlier).find_map(|with| {
            let others = looping(with.counterexample);
            let turned = |by: &usize| others[*by..].iter().chain(&others[..*by]).eq(steps);
            let is_as_long = others.len() == steps.len();
            let by = (0..others.len()).find(|by| is_as_long && turned(by))?;
            let start = with.counterexample.loop_start?;
            Some(Self {
                with,
                first: start + 1 + by,
            })
        })
    }
}

/// The steps of a loop.
fn looping(of: &Counterexample) -> &[Step] {
    of.loop_start.map_or(&[], |start| &of.steps[start + 1..])
}

/// `invariant:small, above`.
impl Display for Earlier<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.counterexample.obligation)?;
        if self.is_one_of_several {
            write!(
                f,
                " after {}",
                counted(self.counterexample.length as u64, "step")
            )?;
        }
        f.write_str(", above")
    }
}

/// `by the same steps as simulation, above`, `steps 0 to 12 as in simulation, above`.
impl Display for SharedSteps<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { with, last, is_all } = self;
        if *is_all {
            write!(f, "by the same steps as {with}")
        } else {
            write!(f, "steps 0 to {last} as in {with}")
        }
    }
}

/// `the loop as in eventually:served, above, from its step 12 on`.
impl Display for SharedLoop<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { with, first } = self;
        write!(f, "the loop as in {with}, from its step {first} on")
    }
}
