//! From what a walk found to the verdicts of a report: what is decided only once all states are
//! known, and which counterexample the verdict rests on.

mod coverage;
mod environment;
mod equal;
mod inductive;
mod warnings;

use std::cell::RefCell;

use self::environment::Environment;
use super::check::Enumerated;
use super::examiner::Examiner;
use super::explain::Explainer;
use super::selection::Kind;
use super::tally::{During, Fault, INVARIANTS, Tally};
use super::{Search, Settings, Warnings};
use crate::explore::{End, Explored, Place, Storage, Visitor, catch, omission_probability};
use crate::refinement::Refinement;
use crate::report::{
    Counterexample, CutOff, Evidence, Identified, Obligation, Report, RuleCoverage, Verdict,
};
use crate::symmetry::{Asymmetry, Quotienting};
use crate::system::{Process, TransitionSystem, steps};
use crate::trace::Trace;

/// Makes the report of an exploration.
pub(super) struct Judge<'a, R: Refinement> {
    examiner: &'a Examiner<'a, R>,
    explored: &'a Explored<R::Concrete, Tally<R>>,
    settings: &'a Settings<'a>,
    explainer: Explainer<'a, R>,
    symmetry: Option<&'a dyn Quotienting<R::Concrete>>,
    enumerated: Option<Enumerated<R>>,
    /// What the model did otherwise when it was asked again to explain a violation.
    unrepeated: RefCell<Vec<Counterexample>>,
    /// The rules of the specification that `coverage` found enabled nowhere.
    never_enabled: RefCell<Vec<String>>,
    /// How `type_correct` leaves reachable states out, as far as induction met them.
    type_incorrect: RefCell<Option<String>>,
}

impl<'a, R: Refinement> Judge<'a, R> {
    pub fn new(
        examiner: &'a Examiner<'a, R>,
        explored: &'a Explored<R::Concrete, Tally<R>>,
        settings: &'a Settings<'a>,
        symmetry: Option<&'a dyn Quotienting<R::Concrete>>,
        enumerated: Option<Enumerated<R>>,
    ) -> Self {
        let explainer = Explainer {
            refinement: examiner.refinement,
        };
        Self {
            examiner,
            explored,
            settings,
            explainer,
            symmetry,
            enumerated,
            unrepeated: RefCell::new(Vec::new()),
            never_enabled: RefCell::new(Vec::new()),
            type_incorrect: RefCell::new(None),
        }
    }

    pub fn report(&self) -> Report {
        let mut rows = Vec::new();
        let environment = self.environment();
        let induction = self.induction();
        for (index, row) in self.examiner.rows.iter().enumerate() {
            if let Some(reason) = row.open {
                let mut open = Obligation::new(Verdict::Incomplete, 0).noted(reason);
                open.name.clone_from(&row.name);
                rows.push((row.kind, open));
            }
            if !row.selected {
                continue;
            }
            let mut judged = match row.kind {
                Kind::NoEnvironment => Obligation::new(Verdict::NoneDeclared, 0),
                Kind::Agency if self.examiner.environment.is_empty() => {
                    Obligation::new(Verdict::NoneDeclared, 0)
                }
                Kind::Inductive(row) => self.inductive(&induction, row),
                Kind::Environment(rule) => self.environment_rule(&environment, rule),
                Kind::AtRest => self.at_rest(&environment),
                Kind::Coverage => self.coverage(),
                Kind::Initiality => self.initiality(index),
                Kind::Model => self.soundness(&environment),
                _ => self.walked(index),
            };
            judged.name.clone_from(&row.name);
            for counterexample in &mut judged.counterexamples {
                counterexample.obligation.clone_from(&row.name);
            }
            if row.kind != Kind::Model || judged.verdict == Verdict::Violated {
                rows.push((row.kind, judged));
            }
        }
        let warnings = self.warnings(&environment);
        if self.settings.warnings == Warnings::Fail && !warnings.is_empty() {
            let texts = warnings.iter().map(|warning| warning.text.clone());
            let mut failed = Obligation::violated(
                warnings.len() as u64,
                texts.map(Counterexample::without_steps).collect(),
            );
            failed.name = "warnings".to_owned();
            for counterexample in &mut failed.counterexamples {
                counterexample.obligation.clone_from(&failed.name);
            }
            rows.push((Kind::Model, failed));
        }
        let counterexample = rows
            .iter()
            .filter_map(|(kind, row)| Some((*kind, row.counterexamples.first()?)))
            // A behaviour says more than a counterexample to induction; coverage speaks of what is
            // missing everywhere.
            .min_by_key(|(kind, first)| (!first.reachable, *kind == Kind::Coverage, first.length))
            .map(|(_, first)| first.clone());
        let verdicts: Vec<_> = rows.iter().map(|(_, row)| row.verdict).collect();
        let complete = self.explored.is_complete();
        let verdict = if verdicts.contains(&Verdict::Violated) {
            Some(Verdict::Violated)
        } else if verdicts.is_empty() {
            // Nothing was asked, in one way or another, so nothing holds.
            None
        } else if rows_are_vacuous(&rows) {
            // What is not declared, or was never tested, is no pass.
            Some(Verdict::Incomplete)
        } else if complete && !verdicts.contains(&Verdict::Incomplete) {
            Some(Verdict::Holds)
        } else {
            Some(Verdict::Incomplete)
        };
        let tally = &self.explored.tally;
        let implementation = self.examiner.refinement.implementation();
        Report {
            check: String::new(),
            parameters: serde_json::Map::new(),
            verdict,
            evidence: match self.settings.search {
                Search::Walks(_) => Evidence::Sampled,
                // A bound on loops leaves steps out as a limit does.
                Search::Exhaustive if complete && tally.cut_off.1.is_empty() => {
                    Evidence::Exhaustive
                }
                Search::Exhaustive => Evidence::Bounded,
            },
            walks: None,
            history: None,
            symmetry: self.symmetry.map(|symmetry| Identified {
                permutations: symmetry.permutations(),
                tested_states: tally.tested_symmetry,
            }),
            omission_probability: (self.settings.storage == Storage::Fingerprints
                && self.settings.search == Search::Exhaustive)
                .then(|| omission_probability(self.explored.states() as u64)),
            limit: match &self.explored.end {
                End::Limit(limit) => Some(*limit),
                _ => None,
            },
            initial_states: self.explored.initial_states,
            states: self.explored.states() as u64,
            transitions: self.explored.transitions,
            depth: self.explored.depth,
            seconds: self.explored.seconds,
            peak_memory_bytes: self.explored.peak_memory_bytes,
            threads: self.settings.threads,
            obligations: rows.into_iter().map(|(_, row)| row).collect(),
            coverage: implementation
                .rules()
                .iter()
                .zip(&tally.fired)
                .map(|(rule, &fired)| RuleCoverage {
                    rule: rule.name.to_string(),
                    process: rule.process.to_string(),
                    fired,
                })
                .collect(),
            deadlocks: tally.deadlocks,
            warnings,
            taken_at_word: self.taken_at_word(),
            asked_again: tally.again.states,
            not_compared: tally.again.not_compared,
            cut_off: (!tally.cut_off.1.is_empty()).then(|| CutOff {
                bound: implementation
                    .bound()
                    .unwrap_or_else(|| "bounded".to_owned()),
                states: tally.cut_off.0,
                threads: tally.cut_off.1.iter().cloned().collect(),
            }),
            unexercised: self.unexercised(),
            counterexample,
        }
    }

    /// What `explain` says of the behaviour found to `place`; where the model does not offer its steps again, that
    /// is told.
    fn explained(
        &self,
        place: Place,
        explain: impl FnOnce(&Trace<R::Concrete>) -> Counterexample,
    ) -> Counterexample {
        let implementation = self.examiner.refinement.implementation();
        let trace = || self.explored.trace(implementation, self.symmetry, place);
        // What the search did not ask may panic, or what did not panic then.
        let explained = match catch(trace) {
            Ok(Ok(trace)) => catch(|| explain(&trace)).map_err(|panic| {
                format!(
                    "a function of the model panicked when its behaviour was to be shown: {panic}"
                )
            }),
            Ok(Err(unrepeatable)) => Err(unrepeatable.to_string()),
            Err(panic) => Err(format!(
                "{} panicked when the search's behaviour was taken again: {panic}",
                match self.symmetry {
                    None => "`next`, or `fields`,",
                    Some(_) => "`next`, `fields`, `canonical`, `permute` or `permute_action`",
                }
            )),
        };
        explained.unwrap_or_else(|explanation| {
            let found = Counterexample::without_steps(explanation);
            self.unrepeated.borrow_mut().push(found.clone());
            found
        })
    }

    /// A behaviour with an explanation that was found without it, and that is told even if the behaviour is lost.
    fn told(&self, place: Place, explanation: String) -> Counterexample {
        let mut told = self.explained(place, |trace| {
            self.explainer.counterexample(trace, explanation.clone())
        });
        if told.explanation != explanation {
            told.explanation = format!("{explanation}; {}", told.explanation);
        }
        told
    }

    /// The same of a place where the row of this index fails: that is tested once more.
    fn explained_again(
        &self,
        index: usize,
        place: Place,
        explain: impl FnOnce(&Trace<R::Concrete>) -> Counterexample,
    ) -> Counterexample {
        self.explained(place, |trace| {
            if self.fails_again(index, place, trace) {
                return explain(trace);
            }
            let explanation = format!(
                "`{}` failed here when the search came by, and does not fail when it is tested again:                  something that it asks is not a function of the state",
                self.examiner.rows[index].name
            );
            let found = self.explainer.counterexample(trace, explanation);
            self.unrepeated.borrow_mut().push(found.clone());
            found
        })
    }

    /// Whether a row fails at the end of `trace`. Of a trace that a permutation has changed another row may.
    fn fails_again(&self, index: usize, place: Place, trace: &Trace<R::Concrete>) -> bool {
        let visitor = self.examiner;
        let mut tally = visitor.tally();
        let tested = catch(|| match trace.steps.split_last() {
            Some(((action, to), before)) if place.step.is_some() => {
                let from = before.last().map_or(&trace.initial, |(_, state)| state);
                let image = visitor.image(&mut tally, from);
                visitor.step(&mut tally, place, (from, &image), action, to);
            }
            _ => {
                let state = trace.last();
                visitor.examine(&mut tally, place, state);
                let image = visitor.image(&mut tally, state);
                visitor.examine_image(&mut tally, place, state, &image);
                let count = steps(visitor.refinement.implementation(), state).len();
                visitor.leave(&mut tally, place, state, count as u32);
            }
        });
        let merged = {
            let mut all = visitor.tally();
            visitor.merge(&mut all, tally);
            all
        };
        self.symmetry.is_some() || tested.is_err() || merged.first[index].is_some()
    }

    fn unexercised(&self) -> Vec<String> {
        let tally = &self.explored.tally;
        let rules = self.examiner.refinement.implementation().rules();
        let rules = rules
            .iter()
            .zip(&tally.fired)
            .filter(|(_, fired)| **fired == 0)
            .map(|(rule, _)| format!("rule:{}", rule.name));
        let rules: Vec<_> = match self.examiner.refinement.undecidable("coverage") {
            None => rules.collect(),
            Some(reason) => vec![format!("rule:* (unknown: {reason})")],
        };
        let premises = self
            .examiner
            .invariants
            .iter()
            .enumerate()
            .filter(|(index, _)| self.examiner.rows[INVARIANTS + index].selected)
            .filter(|(index, _)| tally.applied[*index] == 0)
            .map(|(_, invariant)| format!("premise:{}", invariant.name()));
        rules.into_iter().chain(premises).collect()
    }

    /// A row that was tested on the walk itself.
    fn walked(&self, index: usize) -> Obligation {
        let tally = &self.explored.tally;
        let checked = tally.checked[index];
        let Some(place) = tally.first[index] else {
            let judged = Obligation::new(
                match self.explored.is_complete() {
                    true => Verdict::Holds,
                    false => Verdict::Incomplete,
                },
                checked,
            );
            let unexamined = self.explored.unexamined;
            if unexamined > 0 {
                return judged.noted(&format!(
                    "{unexamined} states reached were not looked at, since the time was up"
                ));
            }
            return match self.is_of_representatives_only(index) {
                true => judged.noted("of representatives only: a permutation may exchange it with an invariant that is violated"),
                false => judged,
            };
        };
        if self.examiner.rows[index].kind == Kind::Simulation {
            return self.simulation(index, place, checked);
        }
        let explainer = &self.explainer;
        let first =
            self.explained_again(index, place, |trace| match self.examiner.rows[index].kind {
                Kind::Observation => explainer.observation(trace),
                Kind::Initiality => explainer.initiality(trace),
                Kind::Agency => explainer.agency(trace),
                Kind::Invariant(invariant) => {
                    explainer.invariant(trace, &self.examiner.invariants[invariant])
                }
                Kind::Deadlock => explainer.deadlock(trace),
                other => unreachable!("{other:?} is not decided on the walk"),
            });
        Obligation::violated(checked, vec![first])
    }

    /// Whether what a row says of an invariant is said of representatives only: a permutation may
    /// exchange it with one that is violated.
    fn is_of_representatives_only(&self, index: usize) -> bool {
        let rows = self.examiner.rows.iter().zip(&self.explored.tally.first);
        let is_invariant = |kind| matches!(kind, Kind::Invariant(_));
        let mut others = rows.filter(|(row, _)| is_invariant(row.kind));
        self.symmetry.is_some()
            && is_invariant(self.examiner.rows[index].kind)
            && others.any(|(_, first)| first.is_some())
    }

    /// A failed simulation, the first failure of each further rule included: one rule may fail for
    /// another reason than the next.
    fn simulation(&self, index: usize, first: Place, checked: u64) -> Obligation {
        let failed = &self.explored.tally.failed;
        let mut places: Vec<_> = failed.iter().flatten().copied().collect();
        places.sort_unstable();
        debug_assert_eq!(places.first(), Some(&first));
        let counterexamples = places
            .into_iter()
            .map(|place| {
                self.explained_again(index, place, |trace| self.explainer.simulation(trace))
            })
            .collect();
        Obligation::violated(checked, counterexamples)
    }

    fn initiality(&self, index: usize) -> Obligation {
        let nothing_initial =
            self.explored.initial_states == 0 && self.explored.initial_panic.is_none();
        // Where a limit came first it is not known whether there is one.
        if nothing_initial && !matches!(self.explored.end, End::Limit(_)) {
            let explanation = "the implementation has no initial state, so nothing was checked";
            let counterexample = Counterexample::without_steps(explanation.to_owned());
            return Obligation::violated(0, vec![counterexample]);
        }
        self.walked(index)
    }

    /// What is wrong with the model itself.
    fn soundness(&self, environment: &Environment<R>) -> Obligation {
        let mut found = Vec::new();
        if let Some(panic) = &self.explored.initial_panic {
            let explanation = format!("`initial` of the implementation panicked: {panic}");
            found.push(Counterexample::without_steps(explanation));
        }
        if let Some((place, fault)) = &self.explored.tally.fault {
            found.push(self.model(*place, fault));
        }
        if let Some((state, error)) = &self.explored.initial_misfit {
            let explanation = format!(
                "an initial state cannot be packed as `fields` says: {error}; it is {state:?}"
            );
            found.push(Counterexample::without_steps(explanation));
        }
        if let Some((place, inconsistency)) = self.explored.tally.again.contradicted() {
            found.push(self.model(place, &Fault::Inconsistent(inconsistency)));
        }
        if let Some((place, inconsistency)) = &self.explored.tally.again.confused {
            found.push(self.model(*place, &Fault::Inconsistent(inconsistency.clone())));
        }
        if let Some(asymmetry) = self.strange() {
            let explanation = format!("the symmetry is none: {asymmetry}");
            found.push(Counterexample::without_steps(explanation));
        }
        // A model that has just contradicted itself would do so again.
        let mut later = Vec::new();
        if found.is_empty() {
            match catch(|| self.unequal()) {
                Ok(None) => (),
                Ok(Some((place, inconsistency))) => {
                    later.push(self.model(place, &Fault::Inconsistent(inconsistency)));
                }
                Err(panic) => later.push(Counterexample::without_steps(format!(
                    "a function of the model panicked when states were compared after the search: {panic}"
                ))),
            }
        }
        match catch(|| self.idle_process()) {
            Ok(None) => (),
            Ok(Some(process)) => later.push(Counterexample::without_steps(self.idle(process))),
            // A row that could not be decided says so.
            Err(_) if matches!(environment, Environment::Panicked(..)) || !found.is_empty() => (),
            Err(panic) => later.push(Counterexample::without_steps(format!(
                "`fields`, `map`, or `offers`, `next` or `process_of` of the specification panicked when the states \
                 were looked at after the search: {panic}"
            ))),
        }
        found.extend(later);
        if let Environment::Panicked(state, during, panic) = environment {
            let explanation = format!("{during} panicked: {panic}");
            found.push(self.told(self.explored.place(*state), explanation));
        }
        // What was found while the rows before this one were explained, unless it is told already.
        for one in self.unrepeated.take() {
            let is_told = |told: &Counterexample| told.explanation.contains(&one.explanation);
            if !found.iter().any(is_told) {
                found.push(one);
            }
        }
        match found.is_empty() {
            true => Obligation::new(Verdict::Holds, 0),
            false => Obligation::violated(0, found),
        }
    }

    /// What stands for a state and is none of its class, unless a function of the model was found to be at fault there.
    fn strange(&self) -> Option<Asymmetry> {
        match self.explored.tally.fault {
            Some(_) => None,
            None => self.symmetry?.strange(),
        }
    }

    fn idle(&self, process: Process) -> String {
        let acting = &self.explored.tally.again.processes;
        let acting: Vec<_> = acting
            .iter()
            .map(|process| format!("`{process}`"))
            .collect();
        format!(
            "the environment has the process `{process}`, which takes no action of the specification in any mapped \
             state; those that do are {}",
            acting.join(", ")
        )
    }

    fn model(&self, place: Place, fault: &Fault) -> Counterexample {
        let explanation = match fault {
            Fault::Asymmetry(asymmetry) => format!("the symmetry is none: {asymmetry}"),
            Fault::Mispacked(error) => {
                format!("the state cannot be packed as `fields` says: {error}")
            }
            Fault::Inconsistent(found) => format!("the model contradicts itself: {found}"),
            Fault::OfferedTwice => {
                return self.explained(place, |trace| {
                    let last = trace.steps.last().map(|(action, _)| format!("{action:?}"));
                    let action = last.unwrap_or_default();
                    let explanation = format!(
                        "the state offers the action {action} twice, so it does not name one step"
                    );
                    self.explainer.counterexample(trace, explanation)
                });
            }
            Fault::Panic(during, panic) => {
                let function = match during {
                    During::Map => "`map`".to_owned(),
                    During::Observe => "`observe`".to_owned(),
                    During::IsInitial => "`is_initial` of the specification".to_owned(),
                    During::Invariant(index) => {
                        format!("invariant `{}`", self.examiner.invariants[*index].name())
                    }
                    During::Next => "`next` of the implementation".to_owned(),
                    During::Answer => "`answer`".to_owned(),
                    During::Allows => "`allows` of the specification".to_owned(),
                    During::Again(function) => (*function).to_owned(),
                    During::Symmetry => "a function that the test of the symmetry calls".to_owned(),
                };
                let rule = match (&panic.action, during) {
                    (Some(action), During::Next | During::Allows) => {
                        format!(", evaluating {action}")
                    }
                    _ => String::new(),
                };
                format!("{function} panicked{rule}: {panic}")
            }
        };
        // Of a model that contradicts itself the behaviour may be lost; what is wrong is told all the same.
        self.told(place, explanation)
    }
}

/// Whether there is no row of which something was tested, or none of those about the environment's rules.
fn rows_are_vacuous(rows: &[(Kind, Obligation)]) -> bool {
    let is_vacuous =
        |row: &Obligation| matches!(row.verdict, Verdict::NoneDeclared | Verdict::Untested);
    let of_environment = |kind: &Kind| matches!(kind, Kind::Environment(_));
    let mut rules = rows.iter().filter(|(kind, _)| of_environment(kind));
    let untested = rules.clone().count() > 0 && rules.all(|(_, row)| is_vacuous(row));
    untested || rows.iter().all(|(_, row)| is_vacuous(row))
}

impl Obligation {
    fn violated(checked: u64, counterexamples: Vec<Counterexample>) -> Self {
        Self {
            counterexamples,
            ..Self::new(Verdict::Violated, checked)
        }
    }

    fn new(verdict: Verdict, checked: u64) -> Self {
        Self {
            name: String::new(),
            verdict,
            checked,
            note: None,
            needed: None,
            counterexamples: Vec::new(),
        }
    }

    fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }
}
