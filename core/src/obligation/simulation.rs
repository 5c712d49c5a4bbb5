//! `simulation`: every step s → t maps to what `abstract_steps` names: to a step f(s) → f(t), to a stutter f(s) = f(t), or to several
//! steps from f(s) to f(t), of which the states between show nothing of their own.
//!
//! Source: Havelund & Shankar, Definition 6 (3). The search for a matching step is the author's, who names it; nothing
//! of what the author says is trusted.

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::counterexample::{Transition, counterexample, last_step, rule_name};
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::tested::earlier;
use crate::report::{Counterexample, Nearest, changes};
use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::asked::answer::{AnswerOf, Unsimulated, answer, unsimulated};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::{first_visited, tolerated};
use crate::statement::asked::visit::{some_steps, visit_offers, visit_steps};
use crate::statement::guard::false_conjuncts;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf};
use crate::statement::trace::Trace;
use crate::walk::explore::Place;

const KIND: ObligationKind = ObligationKind::Simulation;

/// Number of abstract actions that are shown beside a failed step.
const NEAREST: usize = 4;
/// Number of those that are looked at to find them.
const MOST_LOOKED_AT: usize = 10_000;
/// Abstract states between which steps are looked for, how many from each, and by how many actions besides.
const MOST_IMAGES: usize = 12;
const MOST_STEPS: usize = 1 << 16;
const MOST_ACTIONS: usize = 256;
/// Pairs of them with a step between them from which on the specification hardly says anything.
const NEARLY_ALL_PERCENT: u64 = 95;

#[derive(Clone)]
pub(super) struct SimulationRow {
    pub row: ObligationRow,
}

/// Counters of a worker.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SimulationCounts {
    pub checked: u64,
    /// Per rule of the implementation, the first place where `simulation` fails by it: one rule may fail for another
    /// reason than the next.
    pub failed: Vec<Option<Place>>,
}

impl SimulationCounts {
    /// None, of so many rules of the implementation.
    pub fn new(rules: usize) -> Self {
        Self {
            checked: 0,
            failed: vec![None; rules],
        }
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: Self) {
        self.checked += other.checked;
        for (place, other) in self.failed.iter_mut().zip(other.failed) {
            earlier(place, other);
        }
    }

    /// The first place where `simulation` fails.
    pub fn first(&self) -> Option<Place> {
        self.failed.iter().flatten().min().copied()
    }
}

/// A step that was tested.
pub(super) struct TestedStep<'s, R: Refinement> {
    /// Image of its source.
    pub image: &'s StateOf<R::Specification>,
    /// Its action.
    pub action: &'s ActionOf<R::Implementation>,
    /// Abstract steps that it is said to simulate.
    pub answer: AnswerOf<R>,
    /// Image of its target.
    pub target: StateOf<R::Specification>,
    /// True if it does.
    pub simulates: bool,
}

impl<R: Refinement> TestedStep<'_, R> {
    /// True if the abstract step of this number changes the abstract state.
    pub fn changes(&self, number: usize) -> bool {
        self.answer.source(self.image, number) != self.answer.target(&self.target, number)
    }
}

impl SimulationRow {
    pub fn new(choice: &Choice<'_>) -> Self {
        Self {
            row: choice.by_default(KIND.to_string()),
        }
    }

    /// Tests a step by an action of `rule`. `allow` says whether the specification takes a step from the mapped source, if that is
    /// known.
    #[inline(always)]
    pub fn test<'s, R: Refinement>(
        refinement: &R,
        counts: &mut SimulationCounts,
        place: Place,
        rule: usize,
        (from, action, to): Transition<'s, R::Implementation>,
        image: &'s StateOf<R::Specification>,
        allow: impl FnOnce(&ActionOf<R::Specification>, &StateOf<R::Specification>) -> Option<bool>,
    ) -> TestedStep<'s, R> {
        let answer = answer(refinement, image, from, action, to);
        let target = refinement.call_map(to);
        let known = match &answer.steps {
            AbstractSteps::One(action) => allow(action, &target),
            AbstractSteps::Stutter | AbstractSteps::Several(_) => None,
        };
        let wrong = match known {
            Some(is_allowed) => (!is_allowed).then_some(Unsimulated::Step(0)),
            None => unsimulated(refinement.specification(), &answer, image, &target),
        };
        counts.checked += 1;
        if wrong.is_some() {
            earlier(&mut counts.failed[rule], Some(place));
        }
        TestedStep {
            image,
            action,
            answer,
            target,
            simulates: wrong.is_none(),
        }
    }

    /// The first failure of each rule is shown.
    pub fn judge<R: Refinement>(
        &self,
        counts: &SimulationCounts,
        found: &SearchResult<'_, R>,
    ) -> Option<Judged> {
        self.row.judged(Weight::Behaviour, || {
            let Some(first) = counts.first() else {
                return found.totals.unviolated(counts.checked);
            };
            let mut places: Vec<_> = counts.failed.iter().flatten().copied().collect();
            places.sort_unstable();
            let explained = |place| {
                let fails = |trace: &_| failed(found.refinement, trace).is_some();
                found.explained_again(&self.row, place, &fails, &|trace| {
                    explain(found.refinement, trace)
                })
            };
            let counterexamples = places.into_iter().map(explained).collect();
            found.violated(counts.checked, first, counterexamples)
        })
    }

    /// That the specification allows a step between any two of its states that were reached, if it does.
    pub fn doubt<R: Refinement>(&self, found: &SearchResult<'_, R>) -> Option<String> {
        if !self.row.selected || !found.totals.complete {
            return None;
        }
        let images = some_images(found);
        // Where there are two, a step from one to the other says little; one from each to itself says more.
        let is_told = |from, to| from != to || images.len() == 2;
        let specification = found.refinement.specification();
        let (mut pairs, mut allowed) = (0u64, 0);
        for from in &images {
            let (steps, _) = some_steps(specification, from, MOST_STEPS);
            let offers = |visit: &mut dyn FnMut(_)| {
                visit_offers(specification, from, visit);
                steps.iter().for_each(|(action, _)| visit(action.clone()));
            };
            let (actions, _) = first_visited(MOST_ACTIONS, offers);
            for to in images.iter().filter(|to| is_told(from, *to)) {
                let leads = steps.iter().any(|(_, target)| target == to)
                    || actions
                        .iter()
                        .any(|action| specification.call_allows(from, action, to));
                pairs += 1;
                allowed += u64::from(leads);
            }
        }
        (allowed * 100 >= pairs * NEARLY_ALL_PERCENT && pairs > 0).then(|| {
            let all = if allowed == pairs { "each to each".to_owned() } else { format!("nearly each to each ({allowed} of {pairs} pairs)") };
            format!(
                "the specification allows a step from {all} of the {} mapped states that were compared: it may allow \
                 everything",
                images.len()
            )
        })
    }
}

/// A step whose answer is wrong.
struct WrongAnswer<R: Refinement> {
    image: StateOf<R::Specification>,
    answer: AnswerOf<R>,
    target: StateOf<R::Specification>,
    wrong: Unsimulated,
}

/// The last step of a behaviour, if it is not what it is said to simulate.
fn failed<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
) -> Option<WrongAnswer<R>> {
    let (from, action, to) = last_step(trace);
    let (image, target) = (refinement.call_map(from), refinement.call_map(to));
    let answer = answer(refinement, &image, from, action, to);
    let wrong = unsimulated(refinement.specification(), &answer, &image, &target)?;
    Some(WrongAnswer {
        image,
        answer,
        target,
        wrong,
    })
}

/// Some images of states that were reached.
fn some_images<R: Refinement>(found: &SearchResult<'_, R>) -> Vec<StateOf<R::Specification>> {
    let mut images = Vec::new();
    for state in found.few() {
        let image = found.refinement.call_map(&state);
        if !images.contains(&image) {
            images.push(image);
        }
        if images.len() == MOST_IMAGES {
            break;
        }
    }
    images
}

/// Counterexample in which the last step of a behaviour is not what it is said to simulate. Of one to induction too.
pub(super) fn explain<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
) -> Counterexample {
    let (_, action, _) = last_step(trace);
    let implementation = refinement.implementation();
    let process = implementation.call_process(action);
    let taken = format!("{process} takes {}", rule_name(implementation, action));
    // A specification that panicked once may do so again.
    let failed = tolerated(|| failed(refinement, trace)).flatten();
    let Some(failed) = failed else {
        let explanation = format!("{taken}, which is not what it is said to simulate");
        return counterexample(refinement, trace, explanation);
    };
    let explanation = format!("{taken}, which {}", failed.explanation(refinement));
    let mut counterexample = counterexample(refinement, trace, explanation);
    if let Unsimulated::Step(place) = failed.wrong {
        let nearest = tolerated(|| failed.nearest(refinement.specification(), place));
        counterexample.nearest = nearest.unwrap_or_default();
    }
    counterexample
}

impl<R: Refinement> WrongAnswer<R> {
    /// Fault of the step, as the end of a sentence.
    fn explanation(&self, refinement: &R) -> String {
        let specification = refinement.specification();
        let actions = self.answer.actions();
        let rule = |place| {
            let action = actions.get(place)?;
            Some(&*specification.call_rules()[specification.call_rule(action).0].name)
        };
        let count = actions.len();
        // A last step that the specification takes, to another state.
        let leads_elsewhere = |place| {
            let from = self.answer.source(&self.image, place);
            place + 1 == count
                && specification
                    .call_successor(from, &actions[place])
                    .is_some()
        };
        match self.wrong {
            Unsimulated::Step(place) => match rule(place) {
                None => "is answered by a stutter and changes the mapped state".to_owned(),
                Some(rule) if count == 1 => {
                    format!("is not the specification's `{rule}` as answered")
                }
                Some(_) if leads_elsewhere(place) => {
                    format!(
                        "is answered by {count} abstract steps, which do not end in the mapped state"
                    )
                }
                Some(rule) => format!(
                    "is answered by {count} abstract steps, of which number {}, `{rule}`, is none of the specification",
                    place + 1
                ),
            },
            Unsimulated::Shown(place) => format!(
                "is answered by several abstract steps, and the state after number {}, `{}`, shows neither what the step \
                 showed before nor what it shows in the end",
                place + 1,
                rule(place).unwrap_or_default()
            ),
        }
    }

    /// The abstract actions whose targets differ least from that of the abstract step at a place, the one named first.
    fn nearest(&self, specification: &R::Specification, place: usize) -> Vec<Nearest> {
        let answer = self.answer.actions().get(place);
        let from = self.answer.source(&self.image, place);
        let show = |state: &StateOf<R::Specification>| specification.call_show(state);
        let wanted = show(self.answer.target(&self.target, place));
        let candidate = |action: Option<&ActionOf<R::Specification>>, target: Option<_>| Nearest {
            action: action.map(|action| specification.call_serialize(action)),
            answered: action == answer,
            enabled: target.is_some(),
            false_conjuncts: Vec::new(),
            differs: target.map_or(Vec::new(), |target| changes(&target, &wanted)),
        };
        let answered = match answer {
            None => candidate(None, Some(show(from))),
            Some(action) => {
                let target = specification.call_successor(from, action);
                let conjuncts = match target {
                    Some(_) => Vec::new(),
                    None => false_conjuncts(|| {
                        specification.call_successor(from, action);
                    }),
                };
                Nearest {
                    false_conjuncts: conjuncts.into_iter().map(str::to_owned).collect(),
                    ..candidate(Some(action), target.as_ref().map(show))
                }
            }
        };
        let mut others = Vec::new();
        if answer.is_some() {
            others.push(candidate(None, Some(show(from))));
        }
        visit_steps(specification, from, &mut |action, target| {
            if others.len() < MOST_LOOKED_AT && Some(&action) != answer {
                others.push(candidate(Some(&action), Some(show(target))));
            }
        });
        least_different(answered, others)
    }
}

/// `answered`, and those of `others` that differ least, each difference once.
fn least_different(answered: Nearest, mut others: Vec<Nearest>) -> Vec<Nearest> {
    // Actions that change nothing add nothing to what the stutter says.
    others.sort_by_key(|other| (other.differs.len(), other.action.is_some()));
    let mut nearest = vec![answered];
    for other in others {
        let said = nearest
            .iter()
            .any(|earlier| earlier.enabled && earlier.differs == other.differs);
        if nearest.len() < NEAREST && !said {
            nearest.push(other);
        }
    }
    nearest
}
