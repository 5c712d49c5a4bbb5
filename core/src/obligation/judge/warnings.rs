//! What makes a verdict say less than it seems to: what is vacuous is told.

use std::collections::BTreeSet;

use foldhash::{HashSet, HashSetExt};

use super::Judge;
use super::environment::Environment;
use crate::explore::{End, Limit, StateId, catch, first_visited};
use crate::obligation::consistency::{Word, is_in_sample};
use crate::obligation::selection::Kind;
use crate::refinement::Refinement;
use crate::report::{About, Warning};
use crate::system::{Process, StateOf, TransitionSystem};

/// Abstract states between which steps are looked for, how many from each, and by how many actions besides.
const MOST_IMAGES: usize = 12;
const MOST_STEPS: usize = 1 << 16;
const MOST_ACTIONS: usize = 256;
/// Pairs of them with a step between them from which on the specification hardly says anything.
const NEARLY_ALL_PERCENT: u64 = 95;

impl<R: Refinement> Judge<'_, R> {
    /// Everything that is doubtful, and where a function of the model panics so that it is not known.
    pub(super) fn warnings(&self, environment: &Environment<R>) -> Vec<Warning> {
        let warn = |about, text: Option<String>| text.map(|text| Warning { about, text });
        let ask = |doubt: &dyn Fn() -> Option<String>| {
            catch(doubt).unwrap_or_else(|panic| {
                Some(format!(
                    "not everything was looked at that may be doubtful: a function of the model panicked: {panic}"
                ))
            })
        };
        let waivers = self.examiner.refinement.waivers();
        let unreasoned = waivers
            .iter()
            .filter(|waiver| waiver.reason.trim().is_empty());
        let unreasoned = unreasoned.map(|waiver| {
            warn(
                About::Waiver,
                Some(format!("the waiver for `{}` gives no reason", waiver.rule)),
            )
        });
        let never = self.never_enabled.borrow();
        let never = never.iter().map(|rule| {
            let text = format!(
                "the rule `{rule}` of the specification changes no mapped state: nothing is said of it"
            );
            warn(About::SpecificationRule, Some(text))
        });
        let misnamed = self.explored.tally.again.misnamed.iter();
        let misnamed = misnamed.map(|text| warn(About::Rule, Some(text.clone())));
        [
            warn(About::Specification, ask(&|| self.vacuous_specification())),
            warn(About::Observation, ask(&|| self.constant_observation())),
            warn(About::MayStop, ask(&|| self.excuses_everything())),
            warn(About::Specification, ask(&|| self.cut_off_above())),
            warn(About::Environment, ask(&|| self.left_out(environment))),
            warn(
                About::Environment,
                ask(&|| self.left_free_of_nothing(environment)),
            ),
            warn(About::TypeCorrect, self.type_incorrect.borrow().clone()),
        ]
        .into_iter()
        .chain(unreasoned)
        .chain(never)
        .chain(misnamed)
        .flatten()
        .collect()
    }

    /// What of the specification is stated as a predicate.
    pub(super) fn taken_at_word(&self) -> Vec<String> {
        let rules = self.examiner.refinement.specification().rules();
        let words = self.explored.tally.again.words.keys();
        words
            .map(|word| match word {
                Word::Initial => "`is_initial` of the specification".to_owned(),
                Word::Rule(rule) => {
                    format!(
                        "`{}` of the specification, as `allows` states it",
                        rules[rule.0].name
                    )
                }
            })
            .collect()
    }

    /// Whether neither a limit on time or memory nor the user has ended the check.
    pub(super) fn in_time(&self) -> bool {
        if matches!(
            self.explored.end,
            End::Limit(Limit::OutOfMemory | Limit::MemoryBytes(_))
        ) {
            // To look at states takes memory too.
            return false;
        }
        let settings = self.settings;
        let limit = settings
            .limits
            .out_of_time(&settings.watch, self.examiner.started);
        limit.is_none()
    }

    /// The states that were kept, as long as there is time to look at them.
    fn kept(&self) -> impl Iterator<Item = (StateId, StateOf<R::Concrete>)> {
        let implementation = self.examiner.refinement.implementation();
        (0..self.explored.states() as u32)
            .map(StateId)
            .map_while(move |id| {
                let in_time = !id.0.is_multiple_of(1024) || self.in_time();
                let state = in_time.then(|| self.explored.state(implementation, id));
                Some((id, state.flatten()?))
            })
    }

    /// Those of them that are in the sample.
    pub(super) fn sample(&self) -> impl Iterator<Item = StateOf<R::Concrete>> {
        let implementation = self.examiner.refinement.implementation();
        (0..self.explored.states() as u32)
            .filter(|id| is_in_sample(u64::from(*id)))
            .map_while(move |id| self.explored.state(implementation, StateId(id)))
    }

    fn is_selected(&self, kind: Kind) -> bool {
        let mut rows = self.examiner.rows.iter();
        rows.any(|row| row.selected && row.kind == kind)
    }

    /// A specification that allows a step between any two of its states that were reached.
    fn vacuous_specification(&self) -> Option<String> {
        if !self.is_selected(Kind::Simulation) || !self.explored.is_complete() {
            return None;
        }
        let specification = self.examiner.refinement.specification();
        let mut images: Vec<StateOf<R::Abstract>> = Vec::new();
        let sample: Vec<_> = self.sample().collect();
        // The last ones are farthest apart.
        let (half, rest) = sample.split_at(sample.len() / 2);
        for state in half
            .iter()
            .zip(rest.iter().rev())
            .flat_map(|(a, b)| [a, b])
            .chain(rest.last())
        {
            let image = self.examiner.refinement.map(state);
            if !images.contains(&image) {
                images.push(image);
            }
            if images.len() == MOST_IMAGES {
                break;
            }
        }
        // Where there are two, a step from one to the other says little; one from each to itself says more.
        let is_told = |from, to| from != to || images.len() == 2;
        let (mut pairs, mut allowed) = (0u64, 0);
        for from in &images {
            let next = |visit: &mut dyn FnMut(_)| {
                specification.next(from, &mut |action, to| visit((action, to)));
            };
            let (steps, _) = first_visited(MOST_STEPS, next);
            let offers = |visit: &mut dyn FnMut(_)| {
                specification.offers(from, &mut |action| visit(action));
                steps.iter().for_each(|(action, _)| visit(action.clone()));
            };
            let (actions, _) = first_visited(MOST_ACTIONS, offers);
            for to in images.iter().filter(|to| is_told(from, *to)) {
                let leads = steps.iter().any(|(_, target)| target == to)
                    || actions
                        .iter()
                        .any(|action| specification.allows(from, action, to));
                pairs += 1;
                allowed += u64::from(leads);
            }
        }
        (allowed * 100 >= pairs * NEARLY_ALL_PERCENT && pairs > 0).then(|| {
            let all = match allowed == pairs {
                true => "each to each".to_owned(),
                false => format!("nearly each to each ({allowed} of {pairs} pairs)"),
            };
            format!(
                "the specification allows a step from {all} of the {} mapped states that were compared: it may allow \
                 everything",
                images.len()
            )
        })
    }

    /// An observation that is the same in all reachable states.
    fn constant_observation(&self) -> Option<String> {
        let implementation = self.examiner.refinement.implementation();
        if !self.is_selected(Kind::Observation) || self.explored.states() < 2 {
            return None;
        }
        let mut states = self.sample().chain(self.kept().map(|(_, state)| state));
        let first = implementation.observe(&states.next()?);
        let same = states.all(|state| implementation.observe(&state) == first);
        (same && self.looked_at_all()).then(|| {
            let states = self.explored.states();
            format!(
                "all {states} states reached show the same, so `observation` says nothing, and the specification \
                 may hide what matters"
            )
        })
    }

    /// `may_stop` where it is true of all states, and some of them are without a step.
    fn excuses_everything(&self) -> Option<String> {
        let implementation = self.examiner.refinement.implementation();
        let deadlocks = self.explored.tally.deadlocks;
        if !self.is_selected(Kind::Deadlock) || deadlocks == 0 {
            return None;
        }
        let mut states = self.sample().chain(self.kept().map(|(_, state)| state));
        let always = states.all(|state| implementation.may_stop(&state));
        (always && self.looked_at_all()).then(|| {
            format!(
                "`may_stop` is true of every state, so `deadlock` says nothing, and {deadlocks} states have no step"
            )
        })
    }

    /// Whether a pass over the kept states is one over all that were reached.
    fn looked_at_all(&self) -> bool {
        let implementation = self.examiner.refinement.implementation();
        // With fingerprints the initial states are kept, and no others.
        let last = (self.explored.states() as u32).checked_sub(1).map(StateId);
        let is_kept = |last| self.explored.state(implementation, last).is_some();
        self.explored.is_complete() && self.in_time() && last.is_none_or(is_kept)
    }

    /// The processes that take actions of the specification, as far as the sample shows.
    fn acting(&self) -> &BTreeSet<Process> {
        &self.explored.tally.again.processes
    }

    /// A specification that a bound has stopped, where the implementation was not: it allows less than it states.
    fn cut_off_above(&self) -> Option<String> {
        let specification = self.examiner.refinement.specification();
        let bound = specification.bound()?;
        if !self.explored.tally.cut_off.1.is_empty() {
            return None;
        }
        let (initial, _) = first_visited(1, |visit: &mut dyn FnMut(_)| {
            specification.initial(&mut |state| visit(state));
        });
        let threads = specification.cut_off(initial.first()?);
        (!threads.is_empty()).then(|| {
            format!(
                "the specification is cut off, {bound}: what {} would show after that is not among what it allows",
                threads.join(", ")
            )
        })
    }

    /// A process of a kind that the environment has, and that is none of it.
    fn left_out(&self, environment: &Environment<R>) -> Option<String> {
        let declared = self.examiner.environment;
        let undeclared = match environment {
            Environment::Decided(findings) => Some(&findings.undeclared),
            _ => None,
        };
        let mut acting = self.acting().iter().chain(undeclared.into_iter().flatten());
        let left_out = acting.find(|process| {
            !declared.contains(process) && declared.iter().any(|other| other.name == process.name)
        })?;
        Some(format!(
            "the environment has other processes of the kind `{}`, and leaves {left_out} out: nothing says that \
             the implementation leaves it free",
            left_out.name
        ))
    }

    /// A process that the environment declares, and that takes no action of the specification in any mapped state.
    pub(super) fn idle_process(&self) -> Option<Process> {
        let declared = self.examiner.environment.iter();
        let mut idle: HashSet<_> = declared
            .filter(|process| !self.acting().contains(*process))
            .collect();
        let nothing = idle.is_empty() || self.explored.states() == 0;
        if nothing || !self.examiner.wants.image || !self.explored.is_complete() {
            return None;
        }
        // The sample did not show them: every state is looked at.
        let specification = self.examiner.refinement.specification();
        let mut seen = HashSet::new();
        let mut count = 0;
        for (_, state) in self.kept() {
            count += 1;
            let image = self.examiner.refinement.map(&state);
            if seen.contains(&image) {
                continue;
            }
            let mut acts = |action| {
                idle.remove(&specification.process_of(&action));
            };
            specification.offers(&image, &mut acts);
            specification.next(&image, &mut |action, _| acts(action));
            seen.insert(image);
            if idle.is_empty() {
                return None;
            }
        }
        let all = count == self.explored.states();
        idle.into_iter().min().copied().filter(|_| all)
    }
}
