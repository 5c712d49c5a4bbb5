//! The ladder: a simulation in single steps, one in several, inclusion of what is observed; the first that succeeds names what a
//! refinement mapping lacks.
//!
//! Nothing that makes evidence is part of the decision. Which of the three questions is answered soon is not known before, so each is
//! given some work in turn, and then more.

use super::antichain::{Antichain, Unmatched};
use super::automaton::Bounds;
use super::candidates::Simulated;
use super::edge::ROOT;
use super::simulation::{Extent, Sides, Simulation};
use crate::walk::explore::Limit;

/// Work that each question is given at first.
const FIRST_WORK: u64 = 1 << 20;

/// Factor by which that grows.
const GROWTH: u64 = 4;

/// Decision, with what evidence is made of.
pub(super) enum Decided {
    /// There is a simulation in which a step is one abstract step, or none.
    AtMostOne(Box<Simulation>),
    /// There is one in which a step is several.
    Several(Box<Simulation>),
    /// Each trace is included, and there is no simulation.
    Included(Box<Antichain>),
    /// The same, but a limit came before it was known whether there is a simulation.
    IncludedSomehow(Limit),
    /// A trace is not included.
    NotIncluded(Box<Antichain>, Unmatched),
}

/// Answers to the questions, as far as they are known.
#[derive(Default)]
struct Answers {
    at_most_one: Answer<Box<Simulation>>,
    several: Answer<Box<Simulation>>,
    included: Answer<Box<Antichain>>,
}

/// Answer to a question.
#[derive(Default)]
enum Answer<T> {
    #[default]
    Unknown,
    Yes(T),
    No,
}

impl<T> Answer<T> {
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    fn of(found: Option<T>) -> Self {
        found.map_or(Self::No, Self::Yes)
    }
}

/// Decides inclusion, and on which rung of the ladder it is.
pub(super) fn decide(sides: &mut Sides<'_>, bounds: &mut Bounds<'_>) -> Result<Decided, Limit> {
    let mut answers = Answers::default();
    let mut work = FIRST_WORK;
    loop {
        match answers.ask(work, sides, bounds) {
            Ok(Some(decided)) => return Ok(decided),
            Ok(None) => work = work.saturating_mul(GROWTH),
            // It is included if a later question was answered by yes.
            Err(limit) => {
                let later = [
                    matches!(answers.several, Answer::Yes(_)),
                    matches!(answers.included, Answer::Yes(_)),
                ];
                return if later.contains(&true) {
                    Ok(Decided::IncludedSomehow(limit))
                } else {
                    Err(limit)
                };
            }
        }
    }
}

impl Answers {
    /// Asks what is not answered yet, each with so much work; returns what is decided then.
    fn ask(
        &mut self,
        work: u64,
        sides: &mut Sides<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Option<Decided>, Limit> {
        for simulated in [Simulated::AtMostOne, Simulated::Several] {
            let answer = match simulated {
                Simulated::AtMostOne => &mut self.at_most_one,
                Simulated::Several => &mut self.several,
            };
            if answer.is_unknown() {
                let found = bounds.allow(work, |bounds| {
                    Simulation::new(simulated, Extent::Needed, sides, bounds)
                })?;
                *answer = found.map_or(Answer::Unknown, Answer::of);
            }
            if let Some(decided) = self.decided() {
                return Ok(Some(decided));
            }
        }
        // Where there is a simulation, it is included.
        if self.included.is_unknown() && !matches!(self.several, Answer::Yes(_)) {
            let mut antichain = Box::new(Antichain::new());
            let found = bounds.allow(work, |bounds| antichain.search(ROOT, ROOT, sides, bounds))?;
            match found {
                None => {}
                Some(None) => self.included = Answer::Yes(antichain),
                Some(Some(unmatched)) => {
                    return Ok(Some(Decided::NotIncluded(antichain, unmatched)));
                }
            }
        }
        Ok(self.decided())
    }

    /// Decision, if the first question that is answered by yes is known.
    fn decided(&mut self) -> Option<Decided> {
        if let Answer::Yes(simulation) = take(&mut self.at_most_one) {
            return Some(Decided::AtMostOne(simulation));
        }
        if self.at_most_one.is_unknown() {
            return None;
        }
        if let Answer::Yes(simulation) = take(&mut self.several) {
            return Some(Decided::Several(simulation));
        }
        if self.several.is_unknown() {
            return None;
        }
        match take(&mut self.included) {
            Answer::Yes(antichain) => Some(Decided::Included(antichain)),
            Answer::Unknown | Answer::No => None,
        }
    }
}

/// The answer itself, if it is yes; what is left is no.
fn take<T>(answer: &mut Answer<T>) -> Answer<T> {
    match answer {
        Answer::Yes(_) => std::mem::replace(answer, Answer::No),
        Answer::Unknown => Answer::Unknown,
        Answer::No => Answer::No,
    }
}
