//! Corners that random systems seldom or never reach, each once decided wrongly or left open.

use refmap::obligation::Until;
use refmap::report::About;
use refmap::{Rule, Verdict};
use refmap_testing::row_of;

use crate::comparison::{fate, run};
use crate::oracle::{Fate, Oracle};
use crate::table::{Correspondence, Label, PROCESSES, Table};

fn violated(length: u32) -> Fate {
    Fate {
        verdict: Verdict::Violated,
        length: Some(length),
    }
}

/// Fates according to engine and oracle.
fn both(refinement: &Correspondence, obligation: &str) -> (Fate, Fate) {
    let report = run(refinement, 1, Until::End);
    let fates = Oracle::new(refinement).fates();
    let decided = fates.iter().find(|(name, _)| name == obligation);
    (
        fate(row_of(&report, obligation)),
        decided.expect("it is decided").1,
    )
}

/// The only rule, `act`.
fn act(process: u8) -> Label {
    Label {
        rule: 0,
        process,
        input: 0,
        result: 0,
    }
}

/// Two rows with these steps, of which the first `initial` are initial, refining themselves; the
/// environment is worker 0.
fn identity(initial: usize, steps: [Vec<(Label, usize)>; 2]) -> Correspondence {
    let answers = steps.clone().map(|steps| {
        let labels = steps.iter().map(|(label, _)| Some(*label));
        labels.collect()
    });
    let table = Table {
        initial: (0..initial).collect(),
        steps: steps.into(),
        ..Table::new(vec![Rule::new("act", "worker", "0")], 2)
    };
    Correspondence {
        images: vec![0, 1],
        answers: answers.into(),
        environment: vec![PROCESSES[0]],
        ..Correspondence::new(table.clone(), table)
    }
}

const WORKER_0: u8 = 0;
const WORKER_1: u8 = 1;
const SYSTEM: u8 = 2;

/// Of two states at one distance, the first is left by a step of the system that ends the worker's
/// rest, and in the second the worker never rests, which is shown by a trace shorter by that step.
#[test]
fn unrest_by_others_does_not_hide_a_shorter_unrest_for_ever() {
    let mut refinement = identity(2, [vec![(act(SYSTEM), 1)], vec![]]);
    refinement.at_rest[usize::from(WORKER_0)] = vec![true, false];
    let (reported, decided) = both(&refinement, "environment:at_rest");
    assert_eq!((reported, decided), (violated(0), violated(0)));
}

/// Of two rules that are never simulated, the one that is enabled after fewer steps is shown first.
#[test]
fn coverage_shows_a_shortest_trace() {
    let mut refinement = identity(1, [vec![(act(SYSTEM), 1)], vec![]]);
    let rules = &mut refinement.specification.rules;
    rules.push(Rule::new("late", "worker", "1"));
    rules.push(Rule::new("early", "worker", "2"));
    let by_rule = |rule| Label {
        rule,
        ..act(WORKER_0)
    };
    refinement.specification.steps[1].push((by_rule(1), 0));
    refinement.specification.steps[0].push((by_rule(2), 1));
    let report = run(&refinement, 1, Until::End);
    let coverage = row_of(&report, "coverage");
    let lengths = coverage.counterexamples.iter().map(|shown| shown.length);
    assert_eq!(lengths.collect::<Vec<_>>(), [0, 1]);
}

/// Rows are made for the rules filed under the environment's kind of process: an action of the
/// environment that is filed elsewhere would have none.
#[test]
fn a_rule_filed_under_another_kind_of_process_is_a_fault_of_the_model() {
    let mut refinement = identity(1, [vec![(act(WORKER_0), 1)], vec![(act(SYSTEM), 0)]]);
    // Refused in the second state, where the step of the specification leads back.
    refinement.specification.steps[1].push((act(WORKER_0), 0));
    refinement.concrete.steps[0][0].0 = act(SYSTEM);
    refinement.answers[0][0] = Some(act(SYSTEM));
    refinement.specification.steps[0].push((act(SYSTEM), 1));
    let refused = both(&refinement, "environment:act");
    assert_eq!(refused, (violated(0), violated(0)));
    refinement.specification.rules = vec![Rule::new("act", "system", "0")];
    let rules = &mut refinement.specification.rules;
    rules.push(Rule::new("another", "worker", "1"));
    let report = run(&refinement, 1, Until::End);
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let fault = report.counterexample.expect("it is shown");
    assert_eq!(fault.obligation, "model");
    let why = ", and its rule `act` belongs to ";
    assert!(fault.explanation.contains(why), "{}", fault.explanation);
}

/// An environment that has one worker of two says nothing of the other one: that is told.
#[test]
fn a_process_left_out_of_the_environment_is_told() {
    let mut refinement = identity(1, [vec![(act(WORKER_0), 1)], vec![(act(WORKER_1), 0)]]);
    let told = |refinement: &_| {
        let warnings = run(refinement, 1, Until::End).warnings;
        let mut warnings = warnings.into_iter();
        warnings.find(|warning| warning.about == About::Environment)
    };
    refinement.environment = vec![PROCESSES[0]];
    let warning = told(&refinement).expect("it is told");
    assert!(
        warning.text.contains("leaves worker 1 out"),
        "{}",
        warning.text
    );
    refinement.environment = vec![PROCESSES[0], PROCESSES[1]];
    assert_eq!(told(&refinement), None);
}
