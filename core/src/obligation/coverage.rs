//! `coverage`: every rule of the specification that is enabled in some reached f(s), and would change it, is simulated by
//! some step, unless the refinement waives it with a reason; and something happens at all. A waiver that is not needed
//! fails too.
//!
//! Source: none; an implementation that does nothing passes the rest. Of a view with a prophecy variable only the states and steps
//! count that have a future (`futures`): what a wrong prediction simulates, the system without the variable does not do.

use foldhash::{HashSet, HashSetExt};
use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::error::CheckError;
use super::found::SearchResult;
use super::futures::with_future;
use super::kept::{PanickedAt, kept};
use super::recorded::RecordedGraph;
use super::row::{Judged, ObligationRow, Weight};
use super::rules::{names_one, no_such_rule};
use super::tested::add_counts;
use super::undecided::records_none;
use crate::report::{Counterexample, Obligation, RuleCoverage, Verdict};
use crate::statement::asked::answer::{answer, unsimulated};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::{catch, named};
use crate::statement::asked::visit::{visit_offers, visit_steps};
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::{Refinement, Waiver};
use crate::statement::rule::{Rule, RuleId};
use crate::statement::shown::nearest::nearest;
use crate::statement::system::{ActionOf, TransitionSystem};
use crate::view::auxiliary::Base;
use crate::walk::bits::Bits;
use crate::walk::explore::{Graph, NodeId, Panic, StateId};

const KIND: ObligationKind = ObligationKind::Coverage;

#[derive(Clone)]
pub(super) struct Coverage {
    pub row: ObligationRow,
    /// Whether the implementation predicts, so that the graph tells which of its states have a future.
    predicts: bool,
}

/// Counters of a worker.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct CoverageCounts {
    /// Per rule of the implementation, its transitions.
    pub fired: Vec<u64>,
    /// Per rule of the specification, the transitions that simulate it,
    pub simulated: Vec<u64>,
    /// and whether one of them changes the mapped state.
    pub changing: Vec<bool>,
}

impl CoverageCounts {
    /// None, of so many rules of the implementation and of the specification.
    pub fn new([rules, abstract_rules]: [usize; 2]) -> Self {
        Self {
            fired: vec![0; rules],
            simulated: vec![0; abstract_rules],
            changing: vec![false; abstract_rules],
        }
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: &Self) {
        add_counts(&mut self.fired, &other.fired);
        add_counts(&mut self.simulated, &other.simulated);
        for (changing, other) in self.changing.iter_mut().zip(&other.changing) {
            *changing |= other;
        }
    }

    /// True if these are counters of the same rules.
    pub fn is_of(&self, other: &Self) -> bool {
        let rules = |counts: &Self| {
            [
                counts.fired.len(),
                counts.simulated.len(),
                counts.changing.len(),
            ]
        };
        rules(self) == rules(other)
    }

    /// Counts a step for its rule, and says which that is.
    #[inline(always)]
    pub fn fire<S: TransitionSystem>(&mut self, system: &S, action: &ActionOf<S>) -> usize {
        let RuleId(rule) = named("`rule` of the implementation", || system.call_rule(action));
        match self.fired.get_mut(rule) {
            Some(fired) => *fired += 1,
            None => no_such_rule(rule, action, self.fired.len()),
        }
        rule
    }

    /// Counts a step that simulates `action`; `changes` says whether that changes the mapped state.
    #[inline(always)]
    pub fn simulate<S: TransitionSystem>(
        &mut self,
        specification: &S,
        action: &ActionOf<S>,
        changes: impl FnOnce() -> bool,
    ) {
        let RuleId(rule) = named("`rule` of the specification", || {
            specification.call_rule(action)
        });
        match self.simulated.get_mut(rule) {
            Some(simulated) => *simulated += 1,
            None => no_such_rule(rule, action, specification.call_rules().len()),
        }
        // PERF: it is asked until the first one changes something, which mostly is the first.
        if !self.changing[rule] && named("`eq` of a state of the specification", changes) {
            self.changing[rule] = true;
        }
    }

    /// Number of times that each rule of the implementation fired.
    pub fn rules(&self, rules: &[Rule]) -> Vec<RuleCoverage> {
        let fired = rules.iter().zip(&self.fired);
        fired
            .map(|(rule, &fired)| RuleCoverage {
                rule: rule.name.to_string(),
                process: rule.process.to_string(),
                fired,
            })
            .collect()
    }

    /// The rules of the implementation that never fired.
    pub fn unexercised(&self, rules: &[Rule], undecided: Option<&'static str>) -> Vec<String> {
        if let Some(reason) = undecided {
            return vec![format!("rule:* (unknown: {reason})")];
        }
        let fired = rules.iter().zip(&self.fired);
        let never = fired.filter(|(_, fired)| **fired == 0);
        never
            .map(|(rule, _)| format!("rule:{}", rule.name))
            .collect()
    }
}

/// Judgement of the obligation, and doubts about the rules of the specification.
pub(super) struct CoverageOutcome {
    pub judged: Option<Judged>,
    pub doubts: Vec<String>,
}

/// Reason why the states could not be looked at once more.
enum Unseen {
    /// Those that are on disk, or with another process, cannot be read.
    Unreadable,
    /// A function of the model, whose name is here, panicked at a state.
    Panicked(StateId, &'static str, Panic),
}

impl Coverage {
    pub fn new(refinement: &impl Refinement, choice: &Choice<'_>) -> Result<Self, CheckError> {
        validate(
            &refinement.waivers(),
            refinement.specification().call_rules(),
        )?;
        let view = refinement.implementation().call_caveats().view();
        Ok(Self {
            row: choice.by_default(KIND.to_string()),
            predicts: view.is_some_and(|view| Base::of(view).predicts()),
        })
    }

    /// Whether it takes the complete graph.
    pub fn needs_graph(&self) -> bool {
        self.row.selected && self.predicts
    }

    pub fn judge<R: Refinement>(
        &self,
        counts: &CoverageCounts,
        recorded: &RecordedGraph,
        found: &SearchResult<'_, R>,
    ) -> CoverageOutcome {
        let mut doubts = Vec::new();
        let judged = self.row.judged(Weight::Absence, || {
            let judged;
            (judged, doubts) = if self.predicts && found.totals.complete {
                judge_predicting(recorded, found)
            } else {
                judge(counts, None, found)
            };
            judged
        });
        CoverageOutcome { judged, doubts }
    }
}

/// Validates that each waiver is for one rule, and that each rule has one at most.
fn validate(waivers: &[Waiver], rules: &[Rule]) -> Result<(), CheckError> {
    for (index, waiver) in waivers.iter().enumerate() {
        let mut others = waivers[..index].iter();
        if others.any(|other| other.rule == waiver.rule) {
            return Err(CheckError::DuplicateWaiver {
                name: waiver.rule.to_owned(),
            });
        }
        let mut names = rules.iter().map(|rule| &*rule.name);
        if !names.clone().any(|name| name == waiver.rule) {
            return Err(CheckError::UnknownWaiver {
                name: waiver.rule.to_owned(),
                nearest: nearest(waiver.rule, &mut names),
            });
        }
        names_one(rules, waiver.rule)?;
    }
    Ok(())
}

/// The judgement about an implementation that predicts: of the states and steps that have a future.
fn judge_predicting<R: Refinement>(
    recorded: &RecordedGraph,
    found: &SearchResult<'_, R>,
) -> (Obligation, Vec<String>) {
    let graph = match recorded.graph() {
        Ok(graph) => graph,
        Err(reason) => {
            let why = records_none(found.settings)
                .map(|why| format!("not evaluated: of a system with a prophecy variable, {why}"));
            let reason = why.unwrap_or(reason);
            return (Obligation::incomplete(&reason), Vec::new());
        }
    };
    let judged = with_future(found.refinement, found.constraint, found.states, graph);
    let judged = judged.and_then(|lasting| {
        let lasting = lasting.unwrap_or_else(|| Bits::of(graph.states(), |_| true));
        let counts = recount(found, graph, &lasting)?;
        Ok(judge(&counts, Some(&lasting), found))
    });
    judged.unwrap_or_else(|(state, during, panic)| {
        let counterexample = found.told(found.states.place(state), panic.told(during));
        (Obligation::violated(0, vec![counterexample]), Vec::new())
    })
}

/// The counters of the steps between states that have a future.
fn recount<R: Refinement>(
    found: &SearchResult<'_, R>,
    graph: &Graph,
    lasting: &Bits,
) -> Result<CoverageCounts, PanickedAt> {
    let refinement = found.refinement;
    let (implementation, specification) = (refinement.implementation(), refinement.specification());
    let rules = [implementation.call_rules(), specification.call_rules()].map(<[Rule]>::len);
    let mut counts = CoverageCounts::new(rules);
    for id in lasting.iter().map(NodeId) {
        let state = kept(refinement, found.states, id.into())?;
        let count = || {
            if !found.is_expanded(&state) {
                return;
            }
            let image = refinement.call_map(&state);
            let mut recorded = graph.steps(id);
            visit_steps(implementation, &state, &mut |action, to| {
                let target = recorded.next().map_or(id, |(target, _)| target);
                if (target.0 as usize) < graph.states() && !lasting.contains(target.0) {
                    return;
                }
                let answer = answer(refinement, &image, &state, &action, to);
                let mapped = refinement.call_map(to);
                // A step that is not what it is said to simulate violates another obligation.
                let simulates = unsimulated(specification, &answer, &image, &mapped).is_none();
                for (number, action) in answer.actions().iter().enumerate().filter(|_| simulates) {
                    let changes =
                        || answer.source(&image, number) != answer.target(&mapped, number);
                    counts.simulate(specification, action, changes);
                }
            });
        };
        catch(count).map_err(|panic| (id.into(), "`next`, `map` or `abstract_steps`", panic))?;
    }
    Ok(counts)
}

/// The judgement from what was counted. `lasting` are the states of which the specification's offers count, if not all do.
fn judge<R: Refinement>(
    counts: &CoverageCounts,
    lasting: Option<&Bits>,
    found: &SearchResult<'_, R>,
) -> (Obligation, Vec<String>) {
    let told = |judged| (judged, Vec::new());
    if !found.totals.complete {
        let reason = "not evaluated: it needs every reachable state";
        return told(Obligation::incomplete(reason));
    }
    if let Some(cut) = found
        .totals
        .cut
        .as_ref()
        .filter(|_| found.totals.transitions == 0)
    {
        let reason = format!("not decided: {cut}, and no step was taken");
        return told(Obligation::incomplete(&reason));
    }
    if found.totals.transitions == 0 {
        let explanation = "the implementation never takes a step, so no step was checked";
        let counterexample = Counterexample::without_steps(explanation.to_owned());
        return told(Obligation::violated(0, vec![counterexample]));
    }
    let offered = match first_offers(&counts.simulated, lasting, found) {
        Ok(offered) => offered,
        Err(Unseen::Unreadable) => {
            let reason = "not evaluated: it needs the states once more, and they cannot be read";
            return told(Obligation::incomplete(reason));
        }
        Err(Unseen::Panicked(state, during, panic)) => {
            let counterexample = found.told(found.states.place(state), panic.told(during));
            return told(Obligation::violated(0, vec![counterexample]));
        }
    };
    let rules = named("`rules` of the specification", || {
        found.refinement.specification().call_rules()
    });
    let waivers = named("`waivers`", || found.refinement.waivers());
    let Problems {
        checked,
        problems,
        doubts,
    } = problems(rules, &waivers, counts, &offered);
    if problems.is_empty() {
        return (Obligation::new(Verdict::Holds, checked), doubts);
    }
    // What is found nowhere may be found beyond a bound.
    let (absent, problems): (Vec<_>, Vec<_>) = problems
        .into_iter()
        .partition(|problem| problem.is_absence && found.totals.cut.is_some());
    if let Some(cut) = found.totals.cut.as_ref().filter(|_| problems.is_empty()) {
        let names: Vec<_> = absent.iter().map(|one| format!("`{}`", one.rule)).collect();
        let reason = format!(
            "not decided: {cut}, and beyond that there may be steps of {}",
            names.join(", ")
        );
        return (Obligation::incomplete(&reason), doubts);
    }
    let explain = |problem: Problem| match problem.state {
        None => Counterexample::without_steps(problem.explanation),
        Some(state) => found.told(found.states.place(state), problem.explanation),
    };
    let mut counterexamples: Vec<_> = problems.into_iter().map(explain).collect();
    counterexamples.sort_by_key(|found| found.length);
    let judged = Obligation::violated(checked, counterexamples);
    (judged, doubts)
}

/// Findings on the rules of a specification: problems and doubts.
struct Problems {
    checked: u64,
    problems: Vec<Problem>,
    doubts: Vec<String>,
}

/// Problem of a rule of a specification.
struct Problem {
    rule: String,
    /// The state that shows it.
    state: Option<StateId>,
    explanation: String,
    /// True if the problem is that something is found nowhere.
    is_absence: bool,
}

/// Compares, rule by rule, how many steps simulate it, and the first state that offers it, with the waivers.
fn problems(
    rules: &[Rule],
    waivers: &[Waiver],
    counts: &CoverageCounts,
    offered: &[Option<StateId>],
) -> Problems {
    let mut checked = 0;
    let mut problems = Vec::new();
    let mut doubts = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        let (simulated, offered) = (counts.simulated[place], offered[place]);
        let name = &rule.name;
        let waiver = waivers.iter().find(|waiver| waiver.rule == *name);
        checked += u64::from(simulated > 0 || offered.is_some());
        if simulated == 0 && offered.is_none() {
            doubts.push(format!(
                "the rule `{name}` of the specification changes no mapped state: nothing is said of it"
            ));
        } else if simulated > 0 && !counts.changing[place] {
            doubts.push(format!(
                "no step that simulates the rule `{name}` of the specification changes the mapped state: nothing is said of \
                 what it changes"
            ));
        }
        let problem = |state, explanation| {
            Some(Problem {
                rule: name.to_string(),
                state,
                explanation,
                is_absence: simulated == 0,
            })
        };
        problems.extend(match (simulated, offered, waiver) {
            (0, Some(state), None) => problem(
                Some(state),
                format!("`{name}` is enabled here, and no step anywhere simulates it"),
            ),
            (0, None, Some(_)) => problem(
                None,
                format!("the waiver for `{name}` is not needed: it is never enabled"),
            ),
            (1.., _, Some(_)) => problem(
                None,
                format!("the waiver for `{name}` is not needed: it is simulated"),
            ),
            _ => None,
        });
    }
    Problems {
        checked,
        problems,
        doubts,
    }
}

/// Per rule of the specification that no step simulates, the first state whose image offers it.
fn first_offers<R: Refinement>(
    simulated: &[u64],
    lasting: Option<&Bits>,
    found: &SearchResult<'_, R>,
) -> Result<Vec<Option<StateId>>, Unseen> {
    let refinement = found.refinement;
    let specification = refinement.specification();
    let mut first = vec![None; simulated.len()];
    let missing = simulated.iter().filter(|count| **count == 0).count();
    let mut seen = HashSet::new();
    let mut rules_found = 0;
    for id in (0..found.states.len() as u64).map(StateId) {
        if rules_found == missing {
            break;
        }
        let lasts = |lasting: &Bits| u32::try_from(id.0).is_ok_and(|node| lasting.contains(node));
        if !lasting.is_none_or(lasts) {
            continue;
        }
        let panicked = |during| move |panic| Unseen::Panicked(id, during, panic);
        let state = catch(|| found.state(id))
            .map_err(panicked("`fields` or `clone` of a state, reading it back,"))?;
        let state = state.ok_or(Unseen::Unreadable)?;
        let is_expanded = catch(|| found.is_expanded(&state));
        if !is_expanded.map_err(panicked("the constraint"))? {
            continue;
        }
        let image = catch(|| refinement.call_map(&state)).map_err(panicked("`map`"))?;
        if seen.contains(&image) {
            continue;
        }
        catch(|| {
            visit_offers(specification, &image, &mut |action| {
                let rule = specification.call_rule(&action).0;
                if simulated[rule] == 0 && first[rule].is_none() {
                    first[rule] = Some(id);
                    rules_found += 1;
                }
            });
        })
        .map_err(panicked(
            "`candidates`, `fire` or `next` of the specification",
        ))?;
        if seen.len() >= found.most_remembered() {
            seen.clear();
        }
        seen.insert(image);
    }
    Ok(first)
}

/// The waivers that give no reason.
pub(super) fn doubts_of_waivers(waivers: &[Waiver]) -> impl Iterator<Item = String> {
    let unreasoned = waivers
        .iter()
        .filter(|waiver| waiver.reason.trim().is_empty());
    unreasoned.map(|waiver| format!("the waiver for `{}` gives no reason", waiver.rule))
}
