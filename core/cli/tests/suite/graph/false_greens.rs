//! Where other checkers said that a property holds and it does not, or the other way round: each as a graph of a few states.

use refmap_cli::graph::{Decided, Decider, System, Vacuous, read};

/// A system of states 0 to `states` − 1, 0 initial. Fairness and properties are given as JSON.
fn system(
    states: u32,
    labels: &str,
    steps: &[(u32, &str, u32)],
    fairness: &[(&str, &str)],
    properties: &str,
) -> System {
    let steps: Vec<_> = steps
        .iter()
        .map(|(from, rule, to)| format!("[{from},\"{rule}\",{to}]"))
        .collect();
    let fairness: Vec<_> = fairness
        .iter()
        .map(|(kind, rule)| {
            format!("{{\"name\":\"{kind} {rule}\",\"kind\":\"{kind}\",\"rules\":[\"{rule}\"]}}")
        })
        .collect();
    let line = format!(
        "{{\"name\":\"a test\",\"states\":{states},\"initial\":[0],\"labels\":{{{labels}}},\"steps\":[{}],\
         \"fairness\":[{}],\"properties\":[{properties}]}}",
        steps.join(","),
        fairness.join(",")
    );
    read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn one(system: &System) -> Decided {
    assert_eq!(system.properties.len(), 1);
    let decided = Decider::new(system).decide(&system.properties[0].kind);
    decided.expect("the search finds lassos only")
}

/// The states of the lasso that violates the only property, and where its loop begins.
fn lasso(system: &System) -> Option<(Vec<u64>, usize)> {
    let (lasso, _) = one(system).violation?;
    let given = |at: &u32| system.given[*at as usize];
    Some((lasso.states.iter().map(given).collect(), lasso.loop_start))
}

const EVENTUALLY: &str = r#"{"name":"p","kind":"eventually","conclusion":"Q"}"#;
const AGAIN: &str = r#"{"name":"p","kind":"always_eventually","conclusion":"Q"}"#;
const LEADS_TO: &str = r#"{"name":"p","kind":"leads_to","premise":"P","conclusion":"Q"}"#;

#[test]
fn a_stutter_is_no_step_and_always_allowed() {
    let steps = [(0, "go", 1)];
    let unfair = system(2, r#""Q":[1]"#, &steps, &[], EVENTUALLY);
    assert_eq!(lasso(&unfair), Some((vec![0], 0)));
    let fair = system(2, r#""Q":[1]"#, &steps, &[("weak", "go")], EVENTUALLY);
    assert_eq!(lasso(&fair), None);
    // A step that changes nothing is neither enabled nor taken.
    let steps = [(0, "idle", 0)];
    let idle = system(2, r#""Q":[1]"#, &steps, &[("strong", "idle")], EVENTUALLY);
    assert_eq!(lasso(&idle), Some((vec![0], 0)));
    let steps = [(0, "go", 0), (0, "go", 1)];
    let both = system(2, r#""Q":[1]"#, &steps, &[("weak", "go")], EVENTUALLY);
    assert_eq!(lasso(&both), None);
}

#[test]
fn a_finite_prefix_that_fairness_excludes_is_no_violation() {
    let steps = [(0, "a", 1), (1, "b", 2)];
    let fairness = [("weak", "a"), ("weak", "b")];
    assert_eq!(
        lasso(&system(3, r#""Q":[2]"#, &steps, &fairness, EVENTUALLY)),
        None
    );
    let half = &fairness[..1];
    let stuck = system(3, r#""Q":[2]"#, &steps, half, EVENTUALLY);
    assert_eq!(lasso(&stuck), Some((vec![0, 1], 1)));
}

/// The component {0, 1} has steps of `up`, but only there and back: a lap takes both, and `out` is enabled in 1 alone.
#[test]
fn a_component_is_not_taken_for_a_cycle() {
    let steps = [(0, "up", 1), (1, "down", 0), (1, "out", 2)];
    let labels = r#""Q":[2]"#;
    let weak = [("weak", "up"), ("weak", "down"), ("weak", "out")];
    assert_eq!(
        lasso(&system(3, labels, &steps, &weak, EVENTUALLY)),
        Some((vec![0, 1], 0))
    );
    let strong = [("weak", "up"), ("strong", "out")];
    assert_eq!(lasso(&system(3, labels, &steps, &strong, EVENTUALLY)), None);
    // Only the lap without 1 is fair, and it is not the whole component.
    let steps = [
        (0, "up", 1),
        (1, "down", 0),
        (1, "out", 2),
        (0, "left", 3),
        (3, "right", 0),
    ];
    let strong = [("strong", "out"), ("weak", "left")];
    let around = lasso(&system(4, labels, &steps, &strong, EVENTUALLY));
    assert_eq!(around, Some((vec![0, 3], 0)));
}

#[test]
fn an_unfair_cycle_in_a_fair_component_is_none() {
    // The component {0, 1, 2} is fair as a whole, and its part that avoids Q is not.
    let steps = [
        (0, "a", 1),
        (1, "b", 0),
        (1, "c", 2),
        (2, "d", 0),
        (0, "c", 2),
    ];
    let labels = r#""Q":[2]"#;
    let fairness = [("weak", "c"), ("weak", "a")];
    assert_eq!(lasso(&system(3, labels, &steps, &fairness, AGAIN)), None);
    // With `c` enabled in 1 only, the part is fair again under a weak condition, and not under a strong one.
    let steps = [(0, "a", 1), (1, "b", 0), (1, "c", 2), (2, "d", 0)];
    let weak = system(3, labels, &steps, &fairness, AGAIN);
    assert_eq!(lasso(&weak), Some((vec![0, 1], 0)));
    let fairness = [("strong", "c"), ("weak", "a")];
    assert_eq!(lasso(&system(3, labels, &steps, &fairness, AGAIN)), None);
}

#[test]
fn a_premise_may_hold_only_before_the_cycle() {
    let steps = [(0, "a", 1), (1, "b", 2), (2, "c", 1)];
    let fairness = [("weak", "a"), ("weak", "b"), ("weak", "c")];
    let once = system(3, r#""P":[0],"Q":[]"#, &steps, &fairness, LEADS_TO);
    assert_eq!(lasso(&once), Some((vec![0, 1, 2], 1)));
    // The conclusion comes with the premise, or between it and the cycle.
    for conclusion in [0, 1] {
        let labels = format!(r#""P":[0],"Q":[{conclusion}]"#);
        assert_eq!(
            lasso(&system(3, &labels, &steps, &fairness, LEADS_TO)),
            None
        );
    }
}

#[test]
fn two_conditions_may_need_states_that_no_loop_has_both() {
    // Weak `a` needs the loop by 1, weak `b` that by 2; each loop alone leaves one enabled all the time.
    let steps = [
        (0, "a", 1),
        (1, "c", 0),
        (0, "b", 2),
        (2, "c", 0),
        (1, "b", 2),
        (2, "a", 1),
    ];
    let labels = r#""Q":[]"#;
    let fairness = [("weak", "a"), ("weak", "b")];
    let both = lasso(&system(3, labels, &steps, &fairness, AGAIN)).expect("a loop by 1 and 2");
    assert!(both.0.contains(&1) && both.0.contains(&2), "{both:?}");
    // Where 1 and 2 lead back to different states, none has both.
    let steps = [
        (0, "x", 1),
        (1, "y", 0),
        (0, "a", 3),
        (1, "a", 3),
        (0, "b", 4),
        (1, "b", 4),
    ];
    let apart = system(5, r#""Q":[3,4]"#, &steps, &fairness, EVENTUALLY);
    assert_eq!(lasso(&apart), None);
    let apart = system(5, r#""Q":[3]"#, &steps, &fairness, EVENTUALLY);
    assert_eq!(lasso(&apart), Some((vec![0, 4], 1)));
}

#[test]
fn a_premise_that_never_holds_is_told() {
    let steps = [(0, "a", 1)];
    let never = one(&system(3, r#""P":[2],"Q":[1]"#, &steps, &[], LEADS_TO));
    assert_eq!(never.vacuous, Some(Vacuous::Premise));
    assert!(never.violation.is_none());
    let holds = one(&system(3, r#""P":[1],"Q":[1]"#, &steps, &[], LEADS_TO));
    assert!(holds.vacuous.is_none() && holds.violation.is_none());
    // Of a behaviour in which the premise never holds nothing is said, and of one in which it does it is not said in vain.
    let after = r#"{"name":"p","kind":"eventually_always","premise":"P","conclusion":"Q"}"#;
    let never = one(&system(3, r#""P":[2],"Q":[1]"#, &steps, &[], after));
    assert_eq!(never.vacuous, Some(Vacuous::Premise));
    let holds = one(&system(3, r#""P":[1],"Q":[1]"#, &steps, &[], after));
    assert!(holds.vacuous.is_none() && holds.violation.is_none());
}

/// Fairness of an action that is never enabled says nothing: its steps change no state, or begin where nothing leads.
#[test]
fn fairness_of_what_is_never_enabled_is_vacuous() {
    for kind in ["weak", "strong"] {
        let fair = format!(r#"{{"name":"p","kind":"{kind}_fairness","rules":["a"]}}"#);
        let vacuous = |states, steps: &[(u32, &str, u32)]| {
            let one = one(&system(states, "", steps, &[], &fair));
            (one.vacuous, one.violation.is_some())
        };
        let loops = [(0, "a", 0), (0, "b", 1), (1, "b", 0)];
        assert_eq!(vacuous(2, &loops), (Some(Vacuous::Action), false));
        let unreached = [(0, "b", 1), (1, "b", 0), (2, "a", 3)];
        assert_eq!(vacuous(4, &unreached), (Some(Vacuous::Action), false));
        // It is enabled once, and is to be taken.
        let enabled = [(0, "b", 1), (1, "b", 0), (1, "a", 2)];
        assert_eq!(vacuous(3, &enabled), (None, true));
        // Its only step is taken in every behaviour that goes on.
        let same = format!(r#"{{"name":"F","kind":"{kind}","rules":["a"]}}"#);
        let line = format!(
            r#"{{"name":"a test","states":2,"initial":[0],"labels":{{}},"steps":[[0,"a",1]],"fairness":[{same}],"properties":[{fair}]}}"#
        );
        let held = one(&read(line.as_bytes()).unwrap());
        assert!(held.vacuous.is_none() && held.violation.is_none());
    }
}

/// The premise may come before the conclusion is last false, with it, or after it, on the way or in the loop.
#[test]
fn eventually_always_may_have_a_premise() {
    let after = |labels: &str, steps: &[(u32, &str, u32)], fair: &[(&str, &str)]| {
        let property = r#"{"name":"p","kind":"eventually_always","premise":"P","conclusion":"Q"}"#;
        lasso(&system(4, labels, steps, fair, property))
    };
    // 0 → 1 → 2 ⇄ 3.
    let steps = [(0, "a", 1), (1, "b", 2), (2, "c", 3), (3, "c", 2)];
    let fair = [("weak", "a"), ("weak", "b"), ("weak", "c")];
    for premise in [0, 1, 2, 3] {
        let labels = |conclusion: &str| format!(r#""P":[{premise}],"Q":{conclusion}"#);
        // The conclusion is false for a while after the premise, and then true.
        assert_eq!(after(&labels("[2,3]"), &steps, &fair), None);
        // It is false again and again, be it that the premise comes only once.
        let violated = Some((vec![0, 1, 2, 3], 2));
        assert_eq!(after(&labels("[0,1,2]"), &steps, &fair), violated);
    }
    // A behaviour that never comes to the premise may do what it likes.
    let fork = [(0, "a", 1), (0, "a", 2), (2, "c", 0)];
    let labels = r#""P":[1],"Q":[1]"#;
    assert_eq!(after(labels, &fork, &[]), None);
    let without = r#"{"name":"p","kind":"eventually_always","conclusion":"Q"}"#;
    let stays = lasso(&system(4, labels, &fork, &[], without));
    assert_eq!(stays, Some((vec![0], 0)));
    // And the premise may be given up: it held once.
    let given_up = after(r#""P":[0],"Q":[0,2]"#, &fork, &[]);
    assert_eq!(given_up, Some((vec![0, 1], 1)));
}

/// A step of another rule between the same states is a step of both; conditions that are not stated assume nothing.
#[test]
fn fairness_is_of_pairs_of_states_and_of_what_is_stated() {
    let steps = [(0, "a", 1), (0, "b", 1), (1, "c", 0)];
    let labels = r#""Q":[]"#;
    let fairness = [("strong", "a"), ("strong", "b"), ("weak", "c")];
    let around = lasso(&system(2, labels, &steps, &fairness, EVENTUALLY));
    assert_eq!(around, Some((vec![0, 1], 0)));
    let other = [("weak", "c")];
    let stays = lasso(&system(2, r#""Q":[1]"#, &steps, &other, EVENTUALLY));
    assert_eq!(stays, Some((vec![0], 0)));
}

/// Two processes that take turns at asking: that one or the other is served every lap does not serve each. A quotient by
/// the exchange of the two has one state for 1 and 2, and cannot tell.
#[test]
fn every_lap_another_process_is_served() {
    let steps = [
        (0, "ask 1", 1),
        (0, "ask 2", 2),
        (1, "serve 1", 0),
        (2, "serve 2", 0),
    ];
    let labels = r#""P":[0],"Q":[1]"#;
    let jointly = [("weak", "serve 1"), ("weak", "serve 2")];
    let starved = lasso(&system(3, labels, &steps, &jointly, AGAIN));
    assert_eq!(starved, Some((vec![0], 0)));
    let asked = [("weak", "serve 1"), ("weak", "serve 2"), ("weak", "ask 1")];
    let starved = lasso(&system(3, labels, &steps, &asked, AGAIN));
    assert_eq!(starved, Some((vec![0, 2], 0)));
    let strong = [
        ("weak", "serve 1"),
        ("weak", "serve 2"),
        ("strong", "ask 1"),
    ];
    assert_eq!(lasso(&system(3, labels, &steps, &strong, AGAIN)), None);
}

/// A violation in the initial state is one; a state that nothing leads to is none.
#[test]
fn initial_states_count_and_states_that_are_not_reached_do_not() {
    let steps = [(0, "a", 1), (2, "a", 1)];
    let fairness = [("weak", "a")];
    let always = r#"{"name":"p","kind":"always","conclusion":"Q"}"#;
    assert_eq!(
        lasso(&system(3, r#""Q":[1]"#, &steps, &fairness, always)),
        Some((vec![0, 1], 1))
    );
    assert_eq!(
        lasso(&system(3, r#""Q":[0,1]"#, &steps, &fairness, always)),
        None
    );
    let leads = system(3, r#""P":[0],"Q":[]"#, &[], &[], LEADS_TO);
    assert_eq!(lasso(&leads), Some((vec![0], 0)));
}

/// Eventually is not infinitely often, nor from some time on.
#[test]
fn the_four_kinds_are_told_apart() {
    let steps = [(0, "a", 1), (1, "b", 2), (2, "c", 1)];
    let fairness = [("weak", "a"), ("weak", "b"), ("weak", "c")];
    let kinds = ["eventually", "always_eventually", "eventually_always"];
    let holds = |conclusion: &str| {
        kinds.map(|kind| {
            let property = format!(r#"{{"name":"p","kind":"{kind}","conclusion":"Q"}}"#);
            let labels = format!(r#""Q":{conclusion}"#);
            lasso(&system(3, &labels, &steps, &fairness, &property)).is_none()
        })
    };
    assert_eq!(holds("[0]"), [true, false, false]);
    assert_eq!(holds("[1]"), [true, true, false]);
    assert_eq!(holds("[1,2]"), [true, true, true]);
}
