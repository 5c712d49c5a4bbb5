//! From what a walk found to the verdicts of a report: what is decided only once all states are
//! known, and which counterexample the verdict rests on.

use foldhash::{HashSet, HashSetExt};

use super::check::Enumerated;
use super::environment;
use super::examiner::Examiner;
use super::explain::Explainer;
use super::selection::{Kind, Selection};
use super::tally::{During, Fault, INVARIANTS, SIMULATION, Tally};
use super::{Search, Settings, Until, induction};
use crate::explore::{End, Explored, Panic, Place, StateId, Storage, catch, omission_probability};
use crate::invariant::Invariant;
use crate::refinement::Refinement;
use crate::report::{
    Counterexample, CutOff, Evidence, Identified, Obligation, Report, RuleCoverage, Verdict,
};
use crate::symmetry::Quotienting;
use crate::system::{ActionOf, RuleId, TransitionSystem};
use crate::trace::Trace;

/// Makes the report of an exploration.
pub(super) struct Judge<'a, R: Refinement> {
    examiner: &'a Examiner<'a, R>,
    explored: &'a Explored<R::Concrete, Tally<ActionOf<R::Abstract>>>,
    settings: &'a Settings<'a>,
    explainer: Explainer<'a, R>,
    symmetry: Option<&'a dyn Quotienting<R::Concrete>>,
    enumerated: Option<Enumerated<R>>,
}

impl<'a, R: Refinement> Judge<'a, R> {
    pub fn new(
        examiner: &'a Examiner<'a, R>,
        explored: &'a Explored<R::Concrete, Tally<ActionOf<R::Abstract>>>,
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
        } else if self.settings.obligations == Selection::Nothing {
            None
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
                Search::Exhaustive if complete => Evidence::Exhaustive,
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
            cut_off: (tally.cut_off.0 > 0).then(|| CutOff {
                states: tally.cut_off.0,
                threads: tally.cut_off.1.iter().cloned().collect(),
            }),
            unexercised: self.unexercised(),
            counterexample,
        }
    }

    fn trace(&self, place: Place) -> Trace<R::Concrete> {
        let implementation = self.examiner.refinement.implementation();
        self.explored.trace(implementation, self.symmetry, place)
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
            return match self.is_of_representatives_only(index) {
                true => judged.noted("of representatives only: a permutation may exchange it with an invariant that is violated"),
                false => judged,
            };
        };
        let trace = self.trace(place);
        let explainer = &self.explainer;
        let first = match self.examiner.rows[index].kind {
            Kind::Observation => explainer.observation(&trace),
            Kind::Initiality => explainer.initiality(&trace),
            Kind::Simulation => return self.simulation(place, checked),
            Kind::Agency => explainer.agency(&trace),
            Kind::Invariant(invariant) => {
                explainer.invariant(&trace, &self.examiner.invariants[invariant])
            }
            Kind::Deadlock => explainer.deadlock(&trace),
            other => unreachable!("{other:?} is not decided on the walk"),
        };
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
    fn simulation(&self, first: Place, checked: u64) -> Obligation {
        let failed = &self.explored.tally.failed;
        let mut places: Vec<_> = failed.iter().flatten().copied().collect();
        places.sort_unstable();
        debug_assert_eq!(places.first(), Some(&first));
        let counterexamples = places
            .into_iter()
            .map(|place| self.explainer.simulation(&self.trace(place)))
            .collect();
        Obligation::violated(checked, counterexamples)
    }

    fn initiality(&self, index: usize) -> Obligation {
        let nothing_initial =
            self.explored.initial_states == 0 && self.explored.initial_panic.is_none();
        if nothing_initial {
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
        if let Environment::Panicked(state, panic) = environment {
            let trace = self.trace(self.explored.place(*state));
            let explanation =
                format!("`at_rest`, or `offers` of the specification, panicked: {panic}");
            found.push(self.explainer.counterexample(&trace, explanation));
        }
        match found.is_empty() {
            true => Obligation::new(Verdict::Holds, 0),
            false => Obligation::violated(0, found),
        }
    }

    fn model(&self, place: Place, fault: &Fault) -> Counterexample {
        let trace = self.trace(place);
        let explanation = match fault {
            Fault::Asymmetry(asymmetry) => format!("the symmetry is none: {asymmetry}"),
            Fault::OfferedTwice => {
                let last = trace.steps.last().map(|(action, _)| action);
                format!("the state offers the action {last:?} twice, so it does not name one step")
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
        self.explainer.counterexample(&trace, explanation)
    }

    /// The pass over the type-correct states, where it is asked for and the check got that far.
    fn induction(&self) -> Option<induction::Findings> {
        let rows = &mut self.examiner.rows.iter();
        let asked = rows.any(|row| row.selected && matches!(row.kind, Kind::Inductive(_)));
        let violated = self.explored.tally.first.iter().any(Option::is_some);
        let ended = violated && self.settings.until == Until::FirstViolation;
        let enumerated = self.enumerated.as_ref().filter(|_| asked && !ended)?;
        Some((enumerated.decide)(
            self.examiner.refinement,
            self.examiner.invariants,
            self.settings,
        ))
    }

    fn inductive(&self, findings: &Option<induction::Findings>, row: usize) -> Obligation {
        let Some(findings) = findings else {
            let reason = "not evaluated: the check ended at a violation";
            return Obligation::new(Verdict::Incomplete, 0).noted(reason);
        };
        let note = format!(
            "{} of {} type-correct states satisfy the invariants",
            findings.satisfying, findings.states
        );
        let mut judged = match &findings.gaps[row] {
            Some((gap, panic)) => {
                let counterexample = self.gap(row, *gap, panic.as_ref());
                Obligation::violated(findings.steps, vec![counterexample])
            }
            None if findings.cut_short => Obligation::new(Verdict::Incomplete, findings.steps),
            None if findings.steps == 0 => {
                let reason = "no step was tested, so nothing was decided";
                return Obligation::new(Verdict::Incomplete, 0).noted(reason);
            }
            None => Obligation::new(Verdict::Holds, findings.steps),
        };
        // Which of them are needed is a question only about a set that is inductive and suffices.
        if findings.cut_short || findings.gaps.iter().any(Option::is_some) {
            return judged;
        }
        let mut names = self.examiner.invariants.iter().map(Invariant::name);
        judged.note = Some(match findings.needed.get(row) {
            None => note,
            Some(None) => "not needed: the others are inductive and suffice without it".to_owned(),
            Some(Some((_, failing))) => {
                let failing = names.nth(*failing).unwrap_or("simulation");
                format!("needed: without it inductive:{failing} fails")
            }
        });
        judged.needed = findings.needed.get(row).map(Option::is_some);
        judged
    }

    /// A counterexample to induction: a state, and a step unless the state itself is at fault.
    fn gap(&self, row: usize, gap: induction::Gap, panic: Option<&Panic>) -> Counterexample {
        let implementation = self.examiner.refinement.implementation();
        let enumerated = self.enumerated.as_ref();
        let enumerated = enumerated.expect("a gap was found in an enumerated state");
        let initial = (enumerated.state)(implementation, gap.number);
        let mut taken = Vec::new();
        // The state may be one in which a function of the model panics.
        let _ = catch(|| {
            implementation.next(&initial, &mut |action, to| taken.push((action, to)));
        });
        let steps = gap.step.map(|step| taken.swap_remove(step as usize));
        let trace = Trace {
            initial,
            steps: steps.into_iter().collect(),
        };
        let invariant = self.examiner.invariants.get(row);
        let mut counterexample = match (panic, invariant) {
            (Some(panic), _) => self
                .explainer
                .counterexample(&trace, format!("a function of the model panicked: {panic}")),
            (None, Some(invariant)) => self.explainer.invariant(&trace, invariant),
            (None, None) if gap.step.is_some() => self.explainer.simulation(&trace),
            (None, None) => self.explainer.counterexample(
                &trace,
                "the mapped state shows something else, or is not initial".to_owned(),
            ),
        };
        counterexample.reachable = false;
        counterexample
    }

    /// The environment obligations, where they can be decided.
    fn environment(&self) -> Environment<R> {
        if !self.examiner.wants.environment {
            return Environment::Open("not chosen".to_owned());
        }
        if self.explored.tally.first[SIMULATION].is_some() {
            return Environment::Open(
                "not evaluated: simulation fails, so the answers prove nothing".to_owned(),
            );
        }
        if let Some(reason) = environment::undecidable(self.examiner.refinement, self.settings) {
            return Environment::Open(format!("not evaluated: {reason}"));
        }
        if let Some(steps) = self.explored.graph_too_large {
            return Environment::Open(format!(
                "not evaluated: there was no room for the graph, which takes 8 bytes a step, beyond \
                 {steps} steps"
            ));
        }
        let Some(graph) = &self.explored.graph else {
            return Environment::Open("not evaluated: it needs the complete graph".to_owned());
        };
        let inputs = self.examiner.inputs.lock();
        let inputs = inputs.expect("no holder of this lock panics");
        let decided = environment::decide(
            self.examiner.refinement,
            self.explored,
            graph,
            &inputs,
            self.settings.threads,
        );
        match decided {
            Ok(findings) => Environment::Decided(findings),
            Err((state, panic)) => Environment::Panicked(state, panic),
        }
    }

    fn environment_rule(&self, environment: &Environment<R>, rule: RuleId) -> Obligation {
        let findings = match environment {
            Environment::Decided(findings) => findings,
            other => return other.incomplete(),
        };
        let checked = findings.checked[rule.0];
        let Some(refusal) = &findings.refusals[rule.0] else {
            let judged = Obligation::new(Verdict::Holds, checked);
            return match checked {
                0 => judged.noted("never enabled while its process rests"),
                _ => judged,
            };
        };
        let trace = self.trace(self.explored.place(refusal.at.state));
        let counterexample = self.explainer.refusal(&trace, refusal);
        Obligation::violated(checked, vec![counterexample])
    }

    fn at_rest(&self, environment: &Environment<R>) -> Obligation {
        let findings = match environment {
            Environment::Decided(findings) => findings,
            other => return other.incomplete(),
        };
        let Some(unrest) = &findings.unrest else {
            return Obligation::new(Verdict::Holds, findings.rest_checked);
        };
        let trace = self.trace(Place {
            step: unrest.step,
            ..self.explored.place(unrest.state)
        });
        let counterexample = self.explainer.unrest(&trace, unrest);
        Obligation::violated(findings.rest_checked, vec![counterexample])
    }

    /// Every rule of the specification that is enabled somewhere is simulated somewhere, unless it
    /// is waived; and something happened at all.
    fn coverage(&self) -> Obligation {
        if !self.explored.is_complete() {
            let judged = Obligation::new(Verdict::Incomplete, 0);
            return judged.noted("not evaluated: it needs every reachable state");
        }
        if self.explored.transitions == 0 {
            let explanation = "the implementation never takes a step, so no step was checked";
            let counterexample = Counterexample::without_steps(explanation.to_owned());
            return Obligation::violated(0, vec![counterexample]);
        }
        let specification = self.examiner.refinement.specification();
        let waivers = self.examiner.refinement.waivers();
        let simulated = &self.explored.tally.simulated;
        let offered = match self.first_offers(simulated) {
            Ok(offered) => offered,
            Err(Unseen::Forgotten) => {
                let reason =
                    "not evaluated: it needs the states once more, and fingerprints keep none";
                return Obligation::new(Verdict::Incomplete, 0).noted(reason);
            }
            Err(Unseen::Panicked(state, panic)) => {
                let trace = self.trace(self.explored.place(state));
                let explanation = format!("`offers` of the specification panicked: {panic}");
                let counterexample = self.explainer.counterexample(&trace, explanation);
                return Obligation::violated(0, vec![counterexample]);
            }
        };
        let mut checked = 0;
        let mut problems = Vec::new();
        for (rule, (&simulated, &offered)) in specification
            .rules()
            .iter()
            .zip(simulated.iter().zip(&offered))
        {
            let waiver = waivers.iter().find(|waiver| waiver.rule == rule.name);
            checked += u64::from(simulated > 0 || offered.is_some());
            match (simulated, offered, waiver) {
                (0, Some(state), None) => problems.push((
                    Some(state),
                    format!(
                        "`{}` is enabled here, and no step anywhere simulates it",
                        rule.name
                    ),
                )),
                (0, None, Some(_)) => problems.push((
                    None,
                    format!(
                        "the waiver for `{}` is not needed: it is never enabled",
                        rule.name
                    ),
                )),
                (1.., _, Some(_)) => problems.push((
                    None,
                    format!(
                        "the waiver for `{}` is not needed: it is simulated",
                        rule.name
                    ),
                )),
                _ => (),
            }
        }
        if problems.is_empty() {
            return Obligation::new(Verdict::Holds, checked);
        }
        let explain = |(state, explanation): (Option<StateId>, _)| match state {
            None => Counterexample::without_steps(explanation),
            Some(state) => {
                let trace = self.trace(self.explored.place(state));
                self.explainer.counterexample(&trace, explanation)
            }
        };
        let mut counterexamples: Vec<_> = problems.into_iter().map(explain).collect();
        counterexamples.sort_by_key(|found| found.length);
        Obligation::violated(checked, counterexamples)
    }

    /// Per rule of the specification that no step simulates, the first state whose image offers it.
    fn first_offers(&self, simulated: &[u64]) -> Result<Vec<Option<StateId>>, Unseen> {
        let refinement = self.examiner.refinement;
        let specification = refinement.specification();
        let mut first = vec![None; simulated.len()];
        let missing = simulated.iter().filter(|count| **count == 0).count();
        let mut seen = HashSet::new();
        let mut found = 0;
        for id in (0..self.explored.states() as u32).map(StateId) {
            if found == missing {
                break;
            }
            let state = self.explored.state(refinement.implementation(), id);
            let image = refinement.map(&state.ok_or(Unseen::Forgotten)?);
            if seen.contains(&image) {
                continue;
            }
            catch(|| {
                specification.offers(&image, &mut |action| {
                    let rule = specification.rule_of(&action).0;
                    if simulated[rule] == 0 && first[rule].is_none() {
                        first[rule] = Some(id);
                        found += 1;
                    }
                });
            })
            .map_err(|panic| Unseen::Panicked(id, panic))?;
            seen.insert(image);
        }
        Ok(first)
    }
}

/// Why the states could not be looked at once more.
enum Unseen {
    /// They were not kept.
    Forgotten,
    /// A function of the model panicked at a state.
    Panicked(StateId, Panic),
}

/// What became of the environment obligations.
enum Environment<R: Refinement> {
    Decided(environment::Findings<R>),
    /// Not decided, and why.
    Open(String),
    /// A function of the model panicked at a state.
    Panicked(StateId, Panic),
}

impl<R: Refinement> Environment<R> {
    fn incomplete(&self) -> Obligation {
        Obligation::new(Verdict::Incomplete, 0).noted(match self {
            Self::Open(reason) => reason,
            _ => "not evaluated: the model panicked",
        })
    }
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
