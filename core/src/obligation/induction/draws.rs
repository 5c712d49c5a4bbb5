//! Draws of type-correct states that satisfy the invariants.
//!
//! Few states that are drawn evenly satisfy them. So a draw begins with a state that was reached and changes one to three of its
//! variables, or puts two such states together, or, at times, takes all values at random; and then it climbs: one of the other
//! variables is changed at a time, as long as no more invariants fail than before. A draw may spare an invariant: then it
//! climbs to a state that fails that one and satisfies the others, which shows whether it is needed. From such a state, and from
//! one that satisfies all and is on no walk, the next draws go on along its steps.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::{HashSet, HashSetExt};

use super::examination::{Examination, FailingInvariants, carefully};
use super::findings::{Findings, Unrepeated};
use super::reached::ReachedStates;
use super::variables::Variables;
use crate::statement::asked::model_call::{CallEnd, catch, interruptible};
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::refinement::Refinement;
use crate::walk::random::Generator;
use crate::walk::random::generator::mix;
use crate::walk::random::walk::Offers;

/// Draws that are made one after the other.
pub(super) const CHUNK: u64 = 64;
/// Changes that a draw tries, to have fewer invariants fail: so many for each variable, and no more than the most.
const CHANGES_OF_EACH: usize = 3;
const MOST_CHANGES: usize = 256;

/// The states that draws begin with, and what examines those that they end with.
pub(super) struct Draws<'d, 'a> {
    pub examination: &'d Examination<'d, ErasedRefinement<'a>>,
    pub variables: &'d Variables<'d>,
    pub reached: &'d ReachedStates,
    pub seed: u64,
}

/// Findings of the states that were drawn.
#[derive(Clone, Debug)]
pub(super) struct DrawFindings {
    pub findings: Findings,
    /// Hashes of those that satisfy the invariants and are on no walk.
    pub unmet: HashSet<u64>,
    /// The values of states in which there are gaps, by the numbers of their draws.
    pub values: BTreeMap<u64, Vec<u64>>,
}

impl DrawFindings {
    pub fn new(invariants: usize) -> Self {
        Self {
            findings: Findings::new(invariants),
            unmet: HashSet::new(),
            values: BTreeMap::new(),
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.findings.merge(other.findings);
        self.unmet.extend(other.unmet);
        self.values.extend(other.values);
    }
}

impl<'a> Draws<'_, 'a> {
    /// Makes the draws of these numbers, up to the first one with which no state can be made.
    pub fn chunk(&self, numbers: Range<u64>, drawn: &mut DrawFindings) {
        let mut generator = Generator::numbered(mix(!self.seed), numbers.start);
        let mut offers = Offers::new(self.system());
        let at = Cell::new(numbers.start);
        let mut next = None;
        let made = interruptible(|| {
            for number in numbers {
                at.set(number);
                self.examination.pause();
                let (values, state) = match next.take() {
                    Some(next) => next,
                    None => {
                        let unrepeated = &mut drawn.findings.unrepeated;
                        self.draw(&mut generator, number, unrepeated)
                    }
                };
                let goes_on = self.test(number, &values, &state, drawn);
                if goes_on && generator.below(2) == 0 {
                    next = self.successor(&mut generator, &mut offers, &values, &state);
                }
            }
        });
        match made {
            Ok(()) => (),
            Err(CallEnd::Panicked(panic)) => {
                // A worker takes its chunks in their order.
                drawn.findings.unmade.get_or_insert((at.get(), panic));
            }
            Err(CallEnd::BrokenOff) => drawn.findings.cut_short = true,
        }
    }

    fn system(&self) -> &ErasedSystem<'a> {
        self.examination.refinement.implementation()
    }

    /// Examines a state, and says whether draws are to go on along its steps: it satisfies the invariants and is on no walk, or
    /// fails just one of them, so that what goes wrong without that one may come later.
    fn test(
        &self,
        number: u64,
        values: &[u64],
        state: &ErasedState,
        drawn: &mut DrawFindings,
    ) -> bool {
        let (examination, findings) = (self.examination, &mut drawn.findings);
        findings.states += 1;
        let unrepeated = &mut findings.unrepeated;
        let failing = carefully(number, unrepeated, |care| examination.failing(care, state));
        match failing {
            FailingInvariants::None => (),
            FailingInvariants::One(left_out) => {
                if findings.needed[left_out].is_none() {
                    let failing = carefully(number, unrepeated, |care| {
                        examination.fails_without(care, left_out, state)
                    });
                    findings.needed[left_out] = failing.map(|goal| (number, goal));
                }
                return true;
            }
            FailingInvariants::Several => return false,
        }
        findings.satisfying += 1;
        examination.induct(number, state, findings);
        let mut gaps = findings.gaps.iter().flatten();
        if gaps.any(|(gap, _)| gap.number == number) {
            drawn.values.insert(number, values.to_vec());
        }
        let unmet = self.reached.unmet(state);
        drawn.unmet.extend(unmet);
        unmet.is_some()
    }

    /// A state, with its values.
    fn draw(
        &self,
        generator: &mut Generator,
        number: u64,
        unrepeated: &mut Unrepeated,
    ) -> (Vec<u64>, ErasedState) {
        let Self {
            examination,
            variables,
            ..
        } = *self;
        let invariants = examination.invariants.len();
        let is_spared = invariants > 0 && generator.below(2) == 0;
        let spared = is_spared.then(|| generator.below(invariants));
        let (mut values, changed) = self.beginning(generator);
        // What was changed is to stay, unless something else is to fail.
        let is_free = |place: &usize| spared.is_some() || !changed.contains(place);
        let free = self.places().filter(is_free);
        let free: Vec<_> = free.collect();
        let mut state = variables.make(&values);
        let mut broken = |state: &ErasedState| {
            let (broken, fails_spared) = carefully(number, unrepeated, |care| {
                examination.broken(care, state, spared)
            });
            broken + usize::from(spared.is_some() && !fails_spared)
        };
        let mut least = broken(&state);
        for _ in 0..MOST_CHANGES.min(CHANGES_OF_EACH * free.len()) {
            if least == 0 {
                break;
            }
            let place = free[generator.below(free.len())];
            let before = values[place];
            values[place] = self.other(generator, place, before);
            let other = variables.make(&values);
            let now = broken(&other);
            if now <= least {
                (least, state) = (now, other);
            } else {
                values[place] = before;
            }
        }
        (values, state)
    }

    /// Values to begin with, and the places of those that are to stay.
    fn beginning(&self, generator: &mut Generator) -> (Vec<u64>, Vec<usize>) {
        let bases = &self.reached.bases;
        let kind = generator.below(16);
        if bases.is_empty() || kind == 0 {
            let greatest = self.variables.greatest().iter();
            let values = greatest.map(|most| any(generator, *most)).collect();
            return (values, Vec::new());
        }
        let mut values = bases[generator.below(bases.len())].values.clone();
        let places: Vec<_> = self.places().collect();
        if places.is_empty() {
            return (values, Vec::new());
        }
        // Some are as they were reached, and some are put together of two.
        let mut changes = match kind {
            1 => 0,
            2..=3 => generator.below(2),
            _ => [1, 1, 2, 3][generator.below(4)],
        };
        if (2..=3).contains(&kind) {
            let other = &bases[generator.below(bases.len())].values;
            for place in &places {
                if generator.below(4) == 0 {
                    values[*place] = other[*place];
                }
            }
        }
        let mut changed = Vec::new();
        while changes > 0 {
            changes -= 1;
            let place = places[generator.below(places.len())];
            values[place] = self.other(generator, place, values[place]);
            changed.push(place);
        }
        (values, changed)
    }

    /// The places of variables that have several values.
    fn places(&self) -> impl Iterator<Item = usize> {
        let greatest = self.variables.greatest().iter().enumerate();
        greatest
            .filter(|(_, most)| **most > 0)
            .map(|(place, _)| place)
    }

    /// Another value of a variable that has several: any, the next or the one before, or one that differs in a bit, as a
    /// set does in an element.
    fn other(&self, generator: &mut Generator, place: usize, value: u64) -> u64 {
        let most = self.variables.greatest()[place];
        let bits = u64::BITS - most.leading_zeros();
        let near = match generator.below(4) {
            0 if generator.below(2) == 0 => value.checked_sub(1),
            0 => value.checked_add(1),
            1 => Some(value ^ 1 << generator.below(bits as usize)),
            _ => None,
        };
        let near = near.filter(|near| *near <= most);
        near.unwrap_or_else(|| {
            // Any but the value itself.
            let any = any(generator, most - 1);
            any + u64::from(any >= value)
        })
    }

    /// A state after a random step, with its values, if they are found.
    fn successor(
        &self,
        generator: &mut Generator,
        offers: &mut Offers<ErasedSystem<'a>>,
        values: &[u64],
        state: &ErasedState,
    ) -> Option<(Vec<u64>, ErasedState)> {
        let step = catch(|| {
            offers.fill(self.system(), state);
            offers.choose(generator)
        });
        let (_, _, to) = step.ok().flatten()?;
        let values = self.variables.find(&to, values)?;
        Some((values, to))
    }
}

/// A number of at most `most`.
fn any(generator: &mut Generator, most: u64) -> u64 {
    match most.checked_add(1) {
        Some(count) => generator.below(count as usize) as u64,
        None => generator.bits(),
    }
}
