//! The environment obligations, condition by condition [architecture page; Havelund & Shankar,
//! section 2].

use refmap::obligation::Settings;
use refmap::{AbstractSteps, Process, Verdict};
use refmap_testing::{
    Action, Machine, Via, assert_explained, assert_verdict, checked, itself, mapped, row_of,
};

use crate::auxiliary::report_of;

const USER: Process = Process::new("user");
const OTHER: Process = Process::new("other");

/// Number of outstanding requests, from 0 to 2: the user makes them, the server serves them.
fn desk() -> Machine<u8> {
    fn next(waiting: &u8) -> Vec<(Action, u8)> {
        let mut steps = Vec::new();
        if *waiting < 2 {
            steps.push((("request", 0), waiting + 1));
        }
        if *waiting > 0 {
            steps.push((("serve", 0), waiting - 1));
        }
        steps
    }
    Machine::new(
        &[("request", "user"), ("serve", "server")],
        [0],
        next,
        |waiting| *waiting,
    )
}

fn with_user(mut refinement: Via<u8, u8>) -> Via<u8, u8> {
    refinement.environment = vec![USER];
    refinement
}

#[test]
fn no_environment_is_not_a_pass() {
    let report = report_of(&itself(desk()));
    assert_verdict(&report, "environment", Verdict::NoneDeclared);
    assert_verdict(&report, "agency", Verdict::NoneDeclared);
    assert_eq!(report.verdict, Some(Verdict::Holds));
}

#[test]
fn a_specification_leaves_its_own_environment_free() {
    let report = report_of(&with_user(itself(desk())));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Enabled with 0 and with 1 waiting.
    assert_eq!(row_of(&report, "environment:request").checked, 2);
}

/// (a) A desk that takes one request at a time never refuses the second for good: the server first
/// serves. The system's own visible steps may come before.
#[test]
fn the_system_may_serve_first() {
    let mut refinement = with_user(itself(desk()));
    refinement.implementation.next = |waiting| match waiting {
        0 => vec![(("request", 0), 1)],
        _ => vec![(("serve", 0), 0)],
    };
    let report = report_of(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// (a) A desk that closes with a request outstanding refuses the next one for good.
#[test]
fn a_refusal_names_the_action_and_shows_the_way_to_it() {
    let mut refinement = with_user(itself(desk()));
    refinement.implementation.next = |waiting| match waiting {
        0 => vec![(("request", 0), 1)],
        _ => Vec::new(),
    };
    refinement.implementation.may_stop = |_| true;
    let report = report_of(&refinement);
    let row = row_of(&report, "environment:request");
    assert_eq!(row.verdict, Verdict::Violated);
    let counterexample = &row.counterexamples[0];
    assert_eq!(counterexample.length, 1);
    assert_eq!(
        counterexample.refused,
        Some(serde_json::json!(["request", 0]))
    );
    assert_eq!(counterexample.steps[1].abstract_state, 1);
}

/// (a) Another request of the user itself, before the one that was asked for, does not count.
#[test]
fn another_step_of_the_process_does_not_excuse() {
    // The user may set the variable to 1, 2 or 3; the implementation wants 1 before 2.
    let system = |next| Machine::new(&[("set", "user")], [0u8], next, |n: &u8| *n);
    let any = |_: &u8| {
        (1..=3)
            .map(|n| (("set", n), n))
            .collect::<Vec<(Action, u8)>>()
    };
    let mut refinement = with_user(itself(system(any)));
    assert_eq!(report_of(&refinement).verdict, Some(Verdict::Holds));
    refinement.implementation.next = |n| match n {
        0 => vec![(("set", 1), 1)],
        _ => (1..=3).map(|n| (("set", n), n)).collect(),
    };
    let report = report_of(&refinement);
    let row = row_of(&report, "environment:set");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(
        row.counterexamples[0].refused,
        Some(serde_json::json!(["set", 2]))
    );
    assert_eq!(row.counterexamples[0].length, 0);
}

/// A state of two users that share one lock: who holds it, and how often each has used it.
type Lock = (Option<u8>, [u8; 2]);

/// The specification: a use is one step.
fn uses() -> Machine<[u8; 2]> {
    fn next(used: &[u8; 2]) -> Vec<(Action, [u8; 2])> {
        let mut zero = *used;
        zero[0] = (zero[0] + 1) % 2;
        let mut one = *used;
        one[1] = (one[1] + 1) % 2;
        vec![(("use_0", 0), zero), (("use_1", 0), one)]
    }
    let rules = [("use_0", "user"), ("use_1", "other")];
    Machine::new(&rules, [[0, 0]], next, |used| used[0] + 2 * used[1])
}

/// The implementation: take the lock, then use and give it back. At rest: not holding it.
fn locked() -> Via<Lock, [u8; 2]> {
    fn next(&(holder, used): &Lock) -> Vec<(Action, Lock)> {
        match holder {
            None => vec![
                (("take_0", 0), (Some(0), used)),
                (("take_1", 0), (Some(1), used)),
            ],
            Some(user) => {
                let mut then = used;
                then[usize::from(user)] = (used[usize::from(user)] + 1) % 2;
                let name = ["use_0", "use_1"][usize::from(user)];
                vec![((name, 0), (None, then))]
            }
        }
    }
    let rules = [
        ("take_0", "user"),
        ("take_1", "other"),
        ("use_0", "user"),
        ("use_1", "other"),
    ];
    let observe = |state: &Lock| state.1[0] + 2 * state.1[1];
    let uses_it =
        |_: &_, action: &Action, _: &_| action.0.starts_with("use").then_some(*action).into();
    let implementation = Machine::new(&rules, [(None, [0, 0])], next, observe);
    let mut refinement = mapped(implementation, uses(), |state| state.1, uses_it);
    refinement.environment = vec![USER, OTHER];
    refinement.at_rest = Box::new(|state, process| state.0 != Some(u8::from(process == OTHER)));
    refinement
}

/// (a) While the other holds the lock the user waits for it to finish what it began.
#[test]
fn other_processes_may_finish_what_they_began() {
    let report = report_of(&locked());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// (a) But they need not begin anything for it: here the user's turn comes only after a use by the
/// other, which takes one step.
#[test]
fn other_processes_need_not_begin_anything() {
    let mut refinement = locked();
    refinement.implementation.next = |&(holder, used)| {
        let other = (("use_1", 0), (None, [used[0], (used[1] + 1) % 2]));
        match (holder, used[1]) {
            (None, 0) => vec![other],
            (None, _) => vec![(("take_0", 0), (Some(0), used)), other],
            (Some(_), _) => vec![(("use_0", 0), (None, [(used[0] + 1) % 2, used[1]]))],
        }
    };
    let report = report_of(&refinement);
    assert_verdict(&report, "environment:use_0", Verdict::Violated);
    assert_verdict(&report, "environment:use_1", Verdict::Holds);
    assert_verdict(&report, "environment:at_rest", Verdict::Holds);
}

/// (b) A process that can never finish is not at rest for ever.
#[test]
fn a_process_must_be_able_to_come_to_rest() {
    let mut refinement = locked();
    refinement.implementation.next = |&(holder, used)| match holder {
        None => vec![
            (("take_0", 0), (Some(0), used)),
            (("take_1", 0), (Some(1), used)),
        ],
        Some(0) => vec![(("use_0", 0), (None, [(used[0] + 1) % 2, used[1]]))],
        // The other takes the lock again and again.
        Some(_) => vec![(("take_1", 0), (Some(1), used))],
    };
    let report = report_of(&refinement);
    let row = row_of(&report, "environment:at_rest");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(row.counterexamples[0].length, 1);
    assert!(
        row.counterexamples[0]
            .explanation
            .contains("can never come to rest")
    );
}

/// (c) Only its own steps, or those on its behalf, change whether it is at rest.
#[test]
fn rest_is_a_process_s_own_affair() {
    let mut refinement = locked();
    refinement.implementation.rules[2].process = "server";
    let report = report_of(&refinement);
    assert_explained(&report, "environment:at_rest", "is not taken by user");
    assert_verdict(&report, "agency", Verdict::Violated);
    // Unless the server acts for the user.
    refinement.acts_for = |process| match process.name {
        "server" => USER,
        _ => process,
    };
    let report = report_of(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// Results are the system's to choose: only inputs are compared.
#[test]
fn an_allocation_may_return_any_of_the_results_allowed() {
    // The specification returns any free slot; the implementation the first.
    fn allocate(used: &u8, first_only: bool) -> Vec<(Action, u8)> {
        let free = (0..3).filter(|slot| used >> slot & 1 == 0);
        let mut steps: Vec<_> = free
            .map(|slot| (("allocate", slot), used | 1 << slot))
            .collect();
        steps.truncate(if first_only { 1 } else { 3 });
        steps.push((("reset", 0), 0));
        steps
    }
    let rules = [("allocate", "user"), ("reset", "server")];
    let specification = Machine::new(&rules, [0], |used| allocate(used, false), |used| *used);
    let mut refinement = with_user(itself(specification));
    refinement.implementation.next = |used| allocate(used, true);
    assert_verdict(
        &report_of(&refinement),
        "environment:allocate",
        Verdict::Violated,
    );
    let erase: fn(&Action) -> Action = |action| (action.0, 0);
    refinement.specification.inputs = erase;
    assert_eq!(report_of(&refinement).verdict, Some(Verdict::Holds));
}

#[test]
fn it_is_not_evaluated_where_simulation_fails_or_states_are_missing() {
    let mut refinement = with_user(itself(desk()));
    refinement.abstract_steps = Box::new(|_, _, _| AbstractSteps::One(("serve", 0)));
    let report = report_of(&refinement);
    let row = row_of(&report, "environment:request");
    assert_eq!(row.verdict, Verdict::Incomplete);
    assert!(row.note.as_ref().unwrap().contains("simulation fails"));

    let mut settings = Settings::default();
    settings.limits.depth = Some(1);
    let report = checked(&with_user(itself(desk())), &settings);
    assert_verdict(&report, "environment:request", Verdict::Incomplete);
}

/// A step that is answered by two inputs chooses both at once: it meets neither of them.
#[test]
fn two_inputs_at_once_are_neither() {
    // The user sets 1, and then 2; nobody sees it before it is done.
    let mut refinement = with_user(itself(Machine::new(
        &[("set", "user"), ("set both", "user")],
        [0u8],
        |n| match n {
            0 => vec![(("set", 1), 1)],
            1 => vec![(("set", 2), 2)],
            _ => Vec::new(),
        },
        |n| n / 2,
    )));
    refinement.implementation.may_stop = |_| true;
    assert_verdict(&report_of(&refinement), "environment:set", Verdict::Holds);
    refinement.implementation.next = |n| match n {
        0 => vec![(("set both", 0), 2)],
        _ => Vec::new(),
    };
    refinement.abstract_steps =
        Box::new(|_, _, _| AbstractSteps::Several(vec![("set", 1), ("set", 2)]));
    let report = report_of(&refinement);
    assert_verdict(&report, "simulation", Verdict::Holds);
    let row = row_of(&report, "environment:set");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(
        row.counterexamples[0].refused,
        Some(serde_json::json!(["set", 1]))
    );
    // By itself either may come.
    refinement.implementation.next = |n| match n {
        0 => vec![(("set both", 0), 2), (("set", 1), 1)],
        1 => vec![(("set", 2), 2)],
        _ => Vec::new(),
    };
    refinement.abstract_steps = Box::new(|_, action, _| match action.0 {
        "set" => AbstractSteps::One(*action),
        _ => AbstractSteps::Several(vec![("set", 1), ("set", 2)]),
    });
    let report = report_of(&refinement);
    assert_verdict(&report, "environment:set", Verdict::Holds);
}
