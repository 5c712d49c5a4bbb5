//! A counterexample is believed because it replays on the system and shows the violation, not
//! because a search printed it.

use refmap::report::Counterexample;
use refmap::{Action, ActionOf, Refinement, Report, StateOf, TransitionSystem, replay, successor};
use refmap_testing::row_of;
use serde::Serialize;
use serde_json::Value;

use crate::oracle::{Number, Oracle};

/// Every counterexample of a report replays, and shows what it is said to show.
pub fn show<R: Refinement>(oracle: &Oracle<'_, R>, report: &Report) {
    let rows = report.obligations.iter();
    for counterexample in rows.flat_map(|row| &row.counterexamples) {
        assert!(counterexample.reachable);
        match walk(oracle, counterexample) {
            Some(shown) => shows(oracle, counterexample, &shown),
            None => shows_without_steps(oracle, counterexample),
        }
    }
    if let Some(shown) = &report.counterexample {
        let row = row_of(report, &shown.obligation);
        assert_eq!(row.counterexamples.first(), Some(shown));
    }
}

/// End of a counterexample.
struct Shown<R: Refinement> {
    last_step: Option<(Number, ActionOf<R::Implementation>, Number)>,
    last: Number,
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("tables have a JSON form")
}

/// Takes the steps of a counterexample one after the other on the system itself.
fn walk<R: Refinement>(
    oracle: &Oracle<'_, R>,
    counterexample: &Counterexample,
) -> Option<Shown<R>> {
    let refinement = oracle.refinement;
    let system = refinement.implementation();
    let (start, steps) = counterexample.steps.split_first()?;
    assert_eq!(counterexample.length, steps.len());
    assert_eq!((&start.action, &start.abstract_action), (&None, &None));
    let mut here = None;
    system.initial(&mut |state| {
        if json(&state) == start.state {
            here = Some(state);
        }
    });
    let mut here = here.expect("it starts in an initial state");
    assert_eq!(start.abstract_state, json(&refinement.map(&here)));
    let initial = here.clone();
    let mut actions = Vec::new();
    let mut last_step = None;
    for step in steps {
        let mut taken = None;
        system.next(&here, &mut |action, to| {
            if Some(json(&action)) == step.action {
                taken = Some((action, to.clone()));
            }
        });
        let (action, to) =
            taken.unwrap_or_else(|| panic!("{step:?} of {counterexample:?} is no step"));
        assert_eq!(step.state, json(&to));
        assert_eq!(step.abstract_state, json(&refinement.map(&to)));
        let answer = refinement.abstract_steps(&here, &action, &to);
        let answer = answer.actions();
        assert_eq!(step.abstract_action, answer.last().map(json));
        let mut at = Some(refinement.map(&here));
        let before = answer.iter().take(answer.len().saturating_sub(1));
        let shown = step.abstract_before.iter();
        let shown: Vec<_> = shown
            .map(|step| (step.action.clone(), step.state.clone()))
            .collect();
        let before = before.map(|action| {
            let from = at.take();
            at = from.and_then(|from| successor(refinement.specification(), &from, action));
            (json(action), at.as_ref().map_or(Value::Null, json))
        });
        assert_eq!(shown, before.collect::<Vec<_>>());
        let process = action.process(system).to_string();
        assert_eq!(step.process, Some(process));
        last_step = Some((here, action.clone(), to.clone()));
        actions.push(action);
        here = to;
    }
    let replayed = replay(system, initial, actions).expect("each action is enabled in its turn");
    assert_eq!(*replayed.last(), here);
    let reached = |state: &StateOf<R::Implementation>| {
        let number = oracle.states.iter().position(|other| other == state);
        number.expect("the oracle reached the state")
    };
    Some(Shown {
        last_step: last_step.map(|(from, action, to)| (reached(&from), action, reached(&to))),
        last: reached(&here),
    })
}

/// Whether a step shows a violation.
type Fails<'a, R> =
    dyn Fn(Number, &ActionOf<<R as Refinement>::Implementation>, Number) -> bool + 'a;

fn shows<R: Refinement>(oracle: &Oracle<'_, R>, counterexample: &Counterexample, shown: &Shown<R>) {
    let name = counterexample.obligation.as_str();
    let last = shown.last;
    let step_shows = |fails: &Fails<'_, R>| {
        let step = shown.last_step.as_ref();
        let (from, action, to) = step.expect("a step shows it");
        fails(*from, action, *to)
    };
    let specification = oracle.refinement.specification();
    let specification_rule = |name: &str| {
        let mut rules = oracle.abstract_rules().iter();
        rules.position(|rule| rule.name == name)
    };
    let violated = match name.split_once(':') {
        None if name == "observation" => oracle.misshown(last),
        None if name == "initiality" => shown.last_step.is_none() && oracle.starts_wrong(last),
        None if name == "simulation" => step_shows(&|s, a, t| !oracle.simulated(s, a, t)),
        None if name == "agency" => step_shows(&|s, a, t| oracle.misattributed(s, a, t)),
        None if name == "deadlock" => oracle.stuck(last),
        None if name == "coverage" => (0..oracle.abstract_rules().len()).any(|rule| {
            oracle.is_offered(last, rule) && !oracle.is_simulated(rule) && !oracle.is_waived(rule)
        }),
        Some(("invariant", claim)) => {
            let mut invariants = oracle.invariants.iter();
            let invariant = invariants.find(|invariant| invariant.name() == claim);
            !invariant.is_none_or(|invariant| invariant.holds(&oracle.states[last]))
        }
        Some(("environment", "at_rest")) => {
            if oracle.unrest_for_ever(last) {
                true
            } else {
                step_shows(&|s, a, t| oracle.unrest_by_other(s, a, t))
            }
        }
        Some(("environment", rule)) => {
            let offers = oracle.environment_offers(last).into_iter();
            // Results are the system's to choose: an action is refused whatever its result.
            let mut refused = offers.filter(|(_, action)| {
                Some(json(&action.inputs(specification))) == counterexample.refused
            });
            refused.any(|(process, action)| {
                specification_rule(rule) == Some(action.rule(specification).0)
                    && oracle
                        .search(last, process, &action)
                        .earlier_steps
                        .is_none()
            })
        }
        _ => panic!("{name} is no obligation"),
    };
    assert!(violated, "{name} is shown by {counterexample:#?}");
}

/// Violations without a behaviour: no initial state, no step, or a needless waiver.
fn shows_without_steps<R: Refinement>(oracle: &Oracle<'_, R>, counterexample: &Counterexample) {
    assert_eq!(counterexample.length, 0);
    let violated = match counterexample.obligation.as_str() {
        "initiality" => oracle.initial_states == 0,
        "coverage" => {
            let mut waived =
                (0..oracle.abstract_rules().len()).filter(|rule| oracle.is_waived(*rule));
            oracle.transitions() == 0
                || waived.any(|rule| {
                    let mut states = 0..oracle.states.len();
                    oracle.is_simulated(rule) || !states.any(|s| oracle.is_offered(s, rule))
                })
        }
        _ => false,
    };
    assert!(violated, "{counterexample:#?}");
}
