//! The ladder: a simulation in single steps, one in several, inclusion of what is observed; the first that succeeds names what a
//! refinement mapping lacks.
//!
//! Nothing that makes evidence is part of the decision. Which of the three questions is answered soon is not known before, so each is
//! given some work in turn, and then more. Where pairs are on disk, their search goes to its end at once.

use super::candidates::Simulated;
use super::comparison::Comparison;
use super::pair_search::{NoAnswer, SearchedPairs};
use super::sides::Sides;
use super::simulation::{Extent, Simulation};
use crate::walk::explore::{Journal, Limit};

/// Work that each question is given at first.
const FIRST_WORK: u64 = 1 << 20;

/// Factor by which that grows.
const GROWTH: u64 = 4;

/// Decision, with what evidence is made of.
pub(super) enum Decided<'a> {
    /// There is a simulation, on the rung of its steps.
    Simulated(Box<Simulation>),
    /// Each trace is included, and there is no simulation.
    Included(Box<SearchedPairs<'a>>),
    /// The same, but a limit came before it was known whether there is a simulation.
    IncludedSomehow(Limit),
    /// A trace is not included.
    NotIncluded(Box<SearchedPairs<'a>>),
}

/// Answers to the questions.
#[derive(Default)]
struct Answers<'a> {
    /// For each way to simulate that is decided, the simulation, if there is one.
    simulations: [Option<Option<Box<Simulation>>>; 2],
    /// The pairs that were looked at, if each trace is included.
    included: Option<Box<SearchedPairs<'a>>>,
}

/// Decides inclusion, and on which rung of the ladder it is.
pub(super) fn decide<'a>(
    sides: &mut Sides<'a>,
    comparison: &Comparison<'_>,
    mut journal: Option<Journal>,
) -> Result<Decided<'a>, NoAnswer> {
    let mut answers = Answers::default();
    let mut work = FIRST_WORK;
    loop {
        match answers.ask(work, sides, comparison, &mut journal) {
            Ok(Some(decided)) => return Ok(decided),
            Ok(None) => work = work.saturating_mul(GROWTH),
            Err(NoAnswer::Limit(limit)) if answers.included.is_some() || answers.has_several() => {
                return Ok(Decided::IncludedSomehow(limit));
            }
            Err(error) => return Err(error),
        }
    }
}

impl<'a> Answers<'a> {
    /// Asks what is not answered yet, each with so much work; returns what is decided then.
    fn ask(
        &mut self,
        work: u64,
        sides: &mut Sides<'a>,
        comparison: &Comparison<'_>,
        journal: &mut Option<Journal>,
    ) -> Result<Option<Decided<'a>>, NoAnswer> {
        for simulated in [Simulated::AtMostOne, Simulated::Several] {
            let answer = &mut self.simulations[simulated as usize];
            if answer.is_none() {
                let simulation = sides.allow(work, |sides| {
                    Simulation::new(simulated, Extent::Needed, sides)
                });
                *answer = simulation.map_err(NoAnswer::Limit)?;
            }
            if let Some(decided) = self.decided() {
                return Ok(Some(decided));
            }
        }
        // Where there is a simulation, it is included.
        if self.included.is_none() && !self.has_several() {
            let work = if comparison.is_on_disk() {
                u64::MAX
            } else {
                work
            };
            match sides.search_pairs(work, comparison, journal.take())? {
                None => {}
                Some(searched) if searched.is_included() => {
                    self.included = Some(Box::new(searched));
                }
                Some(searched) => return Ok(Some(Decided::NotIncluded(Box::new(searched)))),
            }
        }
        Ok(self.decided())
    }

    fn has_several(&self) -> bool {
        matches!(self.simulations[1], Some(Some(_)))
    }

    /// Decision, if the first question that is answered by yes is known.
    fn decided(&mut self) -> Option<Decided<'a>> {
        for answer in &mut self.simulations {
            if let Some(simulation) = answer.as_mut()?.take() {
                return Some(Decided::Simulated(simulation));
            }
        }
        self.included.take().map(Decided::Included)
    }
}
