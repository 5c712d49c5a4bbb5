//! The obligations of the steps of a part, judged once for all states with that part.

use std::hash::Hash;

use foldhash::{HashSet, HashSetExt};

use super::agency::agent;
use super::fault::ModelCall;
use super::model::Offers;
use super::visitor::Tester;
use crate::explore::{FramedVisitor, Place, Visitor};
use crate::framed::{Framed, FramedRefinement, Misframed, PartOf};
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// What the steps of a part add to a tally.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Judged {
    /// Per rule of the implementation that they are instances of, how many.
    fired: Vec<(usize, u64)>,
    /// The same of the specification's rules, by which they are simulated.
    simulated: Vec<(usize, u64)>,
    /// How often `simulation` and `agency` were tested.
    simulations: u64,
    agencies: u64,
    /// The rules of the implementation, a bit each.
    rules: u64,
}

fn count(counts: &mut Vec<(usize, u64)>, rule: usize) {
    match counts.iter_mut().find(|(known, _)| *known == rule) {
        Some((_, count)) => *count += 1,
        None => counts.push((rule, 1)),
    }
}

/// Whether two of the steps are labelled by one action.
fn offers_twice<A: Eq + Hash, P>(steps: &[(A, P)]) -> bool {
    let mut offers = Offers::default();
    let noted = steps.iter().map(|(action, _)| offers.note(action));
    let perhaps = noted.fold(false, |twice, again| twice | again);
    let mut actions = HashSet::new();
    perhaps && !steps.iter().all(|(action, _)| actions.insert(action))
}

impl<R: FramedRefinement> FramedVisitor<R::Concrete> for Tester<'_, R> {
    type Judged = Judged;

    fn judge(
        &self,
        part: &PartOf<R::Concrete>,
        steps: &[(ActionOf<R::Concrete>, PartOf<R::Concrete>)],
    ) -> Option<Judged> {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        let mut judged = Judged {
            fired: Vec::new(),
            simulated: Vec::new(),
            simulations: 0,
            agencies: 0,
            rules: 0,
        };
        if self.looks_at_steps() && offers_twice(steps) {
            return None;
        }
        let image = self.refinement.map_part(part);
        let mut abstract_steps = Vec::new();
        // PERF: mostly the steps are simulated in the order in which they are taken.
        let mut simulated = 0;
        if self.needs.simulation {
            abstract_steps.reserve(steps.len());
            specification.next_of_part(&image, &mut |action, to| abstract_steps.push((action, to)));
        }
        for (action, to) in steps {
            let rule = implementation.rule_of(action).0;
            if rule >= implementation.rules().len() {
                return None;
            }
            judged.rules |= 1u64.checked_shl(rule as u32)?;
            count(&mut judged.fired, rule);
            if !self.needs.simulation {
                continue;
            }
            judged.simulations += 1;
            let target = self.refinement.map_part(to);
            let Some(abstract_action) = self.refinement.answer_part(part, action, to) else {
                if target != image {
                    return None;
                }
                continue;
            };
            let step = (abstract_action, target);
            match abstract_steps.get(simulated) == Some(&step) {
                true => simulated += 1,
                false if abstract_steps.contains(&step) => {}
                false => return None,
            }
            let (abstract_action, _) = step;
            count(
                &mut judged.simulated,
                specification.rule_of(&abstract_action).0,
            );
            let process = specification.process_of(&abstract_action);
            if self.obligations.agency.position(process).is_some() {
                judged.agencies += 1;
                if !agent(self.refinement, action).is(process) {
                    return None;
                }
            }
        }
        Some(judged)
    }

    #[inline]
    fn examine_frame(
        &self,
        tally: &mut Self::Tally,
        (place, state, image): (Place, &StateOf<R::Concrete>, &Self::Image),
        other: &PartOf<R::Concrete>,
    ) {
        let Some(image) = image.as_ref().filter(|_| self.needs.simulation) else {
            return;
        };
        tally.model.call = ModelCall::Framed;
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        let mut rest = state.clone();
        implementation.put(other, &mut rest);
        let mut framed = self.refinement.map(&rest);
        let part = self.refinement.map_part(&implementation.part(state));
        specification.put(&part, &mut framed);
        if framed != *image {
            let misframed = Misframed::Map {
                map: format!("{image:?}"),
                framed: format!("{framed:?}"),
            };
            self.misframed(tally, place, misframed);
        }
        tally.model.call = ModelCall::Next;
    }

    fn compare(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) {
        if !self.needs.simulation {
            return;
        }
        tally.model.call = ModelCall::Framed;
        let (implementation, specification) = (
            self.refinement.implementation(),
            self.refinement.specification(),
        );
        let image = self.refinement.map(to);
        let mapped = self.refinement.map_part(&implementation.part(to));
        if specification.part(&image) != mapped {
            let misframed = Misframed::Map {
                map: format!("{image:?}"),
                framed: "one with another part".to_owned(),
            };
            self.misframed(tally, place, misframed);
        }
        tally.model.call = ModelCall::Answer;
        let part = |state| self.refinement.implementation().part(state);
        let answer = self.refinement.answer(from, action, to);
        let framed = self.refinement.answer_part(&part(from), action, &part(to));
        if answer != framed {
            let misframed = Misframed::Answer {
                action: format!("{action:?}"),
                answer: format!("{answer:?}"),
                framed: format!("{framed:?}"),
            };
            self.misframed(tally, place, misframed);
        }
        tally.model.call = ModelCall::Next;
    }

    #[inline]
    fn recall(&self, tally: &mut Self::Tally, judged: &Judged) {
        for (rule, times) in &judged.fired {
            tally.coverage.fired[*rule] += times;
        }
        tally.model.recall(judged.rules);
        tally.simulation.checked += judged.simulations;
        tally.agency.checked += judged.agencies;
        for (rule, times) in &judged.simulated {
            tally.coverage.simulated[*rule] += times;
        }
    }
}
