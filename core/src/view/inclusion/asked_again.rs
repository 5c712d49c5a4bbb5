//! A sample of the states that were expanded, about which the systems are asked again before anything is claimed.

use super::automaton::{Automaton, StepSource};
use super::bounds::{Bounds, Stop};
use super::edge::{Edge, ROOT};
use super::observed::Observed;
use super::pair_search::SearchedPairs;
use super::sides::Sides;
use crate::statement::asked::model_call::named;
use crate::statement::asked::visit::visit_initial;
use crate::statement::erased::ErasedState;
use crate::statement::system::steps;
use crate::view::consistency::sample::{FEW, is_asked_again, is_well_compared};
use crate::view::consistency::{Inconsistency, SystemAgain, SystemName, of_the, same};

/// Work that it takes to ask about a state.
const WORK_A_STATE: u32 = 64;

/// Contradiction of a system with what it answered before, if one is found: to simulations, or to a search of pairs.
pub(super) fn contradiction<'a>(
    sides: &mut Sides<'a>,
    searched: Option<&mut SearchedPairs<'a>>,
) -> Result<Option<Inconsistency>, Stop> {
    let (implementation, specification) = (&mut sides.implementation, &sides.specification);
    let bounds = &mut sides.bounds;
    let sample = searched.map(|searched| {
        let sample = searched.take_sample();
        let numbers = sample.map(|one| implementation.note_expanded(one));
        let numbers: Vec<u32> = numbers.collect();
        (searched, numbers)
    });
    let (searched, numbers) = sample.unzip();
    let numbers = numbers.unwrap_or_default();
    let name = SystemName::IMPLEMENTATION;
    if let Some(found) = of_system(implementation, &numbers, name, bounds)? {
        return Ok(Some(found));
    }
    if let Some(found) = of_system(specification, &[], SystemName::SPECIFICATION, bounds)? {
        return Ok(Some(found));
    }
    match searched {
        None => Ok(None),
        Some(searched) => searched.pairs.with_automaton(|automaton| {
            of_system(automaton, &[], SystemName::SPECIFICATION, bounds)
        }),
    }
}

/// The same of one system, at some states beside those of a sample.
fn of_system(
    automaton: &Automaton<'_>,
    beside: &[u32],
    name: SystemName,
    bounds: &mut Bounds<'_>,
) -> Result<Option<Inconsistency>, Stop> {
    let StepSource::Observed(observed) = &automaton.source else {
        return Ok(None);
    };
    let again = Again {
        observed,
        asked: SystemAgain::new(observed.system(), name),
    };
    let states =
        (ROOT + 1..automaton.numbers() as u32).filter(|state| is_asked_again(u64::from(state - 1)));
    for state in [ROOT]
        .into_iter()
        .chain(states)
        .chain(beside.iter().copied())
    {
        bounds.works(WORK_A_STATE)?;
        if let Some(known) = automaton.known_steps(state) {
            let asked = match observed.state(state) {
                None => again.initial(known),
                Some(from) => again.state(state, from, known),
            };
            if let Err(found) = asked {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// System that is asked again.
struct Again<'o, 'a> {
    observed: &'o Observed<'a>,
    asked: SystemAgain<'a>,
}

impl Again<'_, '_> {
    /// Asks for the initial states.
    fn initial(&self, known: &[Edge]) -> Result<(), Inconsistency> {
        let mut initial = Vec::new();
        visit_initial(&self.observed.system(), &mut |state| initial.push(state));
        self.same_targets(self.asked.name().initial, ROOT, initial.iter(), known)
    }

    /// Asks about a state that was met.
    fn state(&self, number: u32, state: &ErasedState, known: &[Edge]) -> Result<(), Inconsistency> {
        let name = self.asked.name();
        let shown = self.observed.shown(self.observed.label(number));
        self.asked.observation(state, Some(&shown))?;
        let is_within = self.observed.is_within(state);
        same(
            "the constraint",
            &is_within,
            &self.observed.is_within(state),
        )?;
        if !is_within {
            // Of a state that was not within it no step is known.
            return same("the constraint", &!known.is_empty(), &is_within);
        }
        let next = named(name.next, || steps(&self.observed.system(), state));
        let targets = next.iter().map(|(_, to)| to);
        self.same_targets(name.next, number, targets, known)?;
        let next = self.asked.steps(state, next.len(), &next, &[])?;
        let position = u64::from(number - 1);
        // A specification may allow more than its `next` visits; where that matters a warning says so.
        let beyond = &mut |_| ();
        if let Some(found) = self.asked.disagreement(state, &next, position, beyond) {
            return Err(of_the(name.system, found));
        }
        for (place, (_, to)) in next.iter().enumerate() {
            let kept = self.observed.find(number, to);
            let kept = kept.and_then(|edge| self.observed.state(edge.to));
            let asks = is_well_compared(position) || place < FEW;
            if let Some(found) = kept.and_then(|kept| self.asked.unequal(kept, to, asks)) {
                return Err(found);
            }
        }
        Ok(())
    }

    /// Compares the targets to which the steps from a state lead with those to which they led before, which are sorted.
    fn same_targets<'s>(
        &self,
        function: &str,
        from: u32,
        targets: impl Iterator<Item = &'s ErasedState>,
        known: &[Edge],
    ) -> Result<(), Inconsistency> {
        let differs = |first: String, again: String| {
            Err(Inconsistency::NotAFunction {
                function: function.to_owned(),
                first,
                again,
            })
        };
        let mut reached = Vec::new();
        for target in targets {
            let edge = self.observed.find(from, target);
            let is_stutter = edge.is_some_and(|edge| edge.is_stutter(from));
            match edge {
                Some(edge) if is_stutter || known.binary_search(&edge).is_ok() => {
                    reached.push(edge);
                }
                _ => return differs("other states".to_owned(), format!("{target:?}")),
            }
        }
        reached.sort_unstable();
        let is_missing = |edge: &&Edge| reached.binary_search(edge).is_err();
        match known.iter().find(is_missing) {
            Some(edge) => differs(
                format!("{:?}, among others", self.observed.state(edge.to)),
                "others alone".to_owned(),
            ),
            None => Ok(()),
        }
    }
}
