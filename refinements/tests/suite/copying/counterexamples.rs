//! The counterexamples that Ugawa et al. describe, replayed step by step.

use refmap::{TransitionSystem, steps};
use refmap_programs::{End, Machine, State, Value};
use refmap_systems::copying;

use super::*;

/// Replays an execution: the name of a thread with a colon, and then a line for each of its steps, which begins as the step's text does.
/// Returns the last state.
fn replay(instance: &Instance, model: MemoryModel, execution: &str) -> (Machine, State) {
    let program = copying::program(instance).expect("there is such a program");
    let names: Vec<_> = program.threads.iter().map(|t| t.name.clone()).collect();
    let machine = Machine::new(program, model);
    let mut state = None;
    machine.initial(&mut |initial| state = Some(initial));
    let mut state = state.expect("there is an initial state");
    let mut thread = "";
    let lines = execution.lines().map(str::trim);
    for text in lines.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if let Some(name) = text.strip_suffix(':') {
            thread = name;
            continue;
        }
        let enabled = steps(&machine, &state);
        let found = enabled.iter().find(|(action, _)| {
            names[usize::from(action.thread)] == thread && action.to_string().starts_with(text)
        });
        let Some((_, to)) = found else {
            let drawn = machine.draw(&state).unwrap_or_default();
            panic!("{thread} cannot take the step {text}\n{drawn}");
        };
        state = to.clone();
    }
    (machine, state)
}

/// Output of the mutator, and how it ended.
fn shown((machine, state): &(Machine, State)) -> (Vec<Value>, End) {
    let shown = machine.observe(state).pop().expect("there is a mutator");
    (shown.output, shown.end)
}

const ZERO: Value = Value::Number(0);

/// The mutator writes 1 to the wide version, before the collector starts.
const WRITTEN_TO_WIDE: &str = "
mutator:
    obj := root, reads 0
    CAS(from_fwd, 0, 1), reads 0 and writes 1
    l_fwd := from_fwd, reads 1
    x := wide_data, reads 2
    success := CAS(wide_data, x, 1 | 8), reads 2 and writes 9";

/// [Section 4.1.3], first: the collector's initialisation of `to_fwd` is delayed until after the flip,
/// and the assertion in the read barrier fails.
#[test]
fn stopless_delays_the_forwarding_pointer_of_the_copy() {
    let stopless = Instance::new(Protocol::Stopless, Scenario::Wr);
    let replayed = replay(
        &stopless,
        PsoNo,
        &format!(
            "{WRITTEN_TO_WIDE}
collector:
    CAS(from_fwd, 0, 1), reads 1 and fails
    x := wide_data, reads 9
    y := from_data, reads 0
    CAS(wide_data
    wide_fwd := 2
    // to_fwd := 2 is delayed.
    x := wide_data, reads 9
    to_data := x & 7, writes 1
    success := CAS(wide_data, x,
    from_fwd := 2
    x := from_fwd, reads 2
    root := x, writes 2
mutator:
    obj := root, reads 2
    asserts := one of 0, 1, chooses 1
    asserts := to_fwd, reads 0"
        ),
    );
    assert_eq!(shown(&replayed), (vec![], End::Failed));
    assert!(!holds(&stopless, PsoNo));
}

/// [Section 4.1.3], second: with a fence before the flip, the write of `wide_fwd` is delayed until
/// after the update of `from_fwd`, and the assertion on it fails.
#[test]
fn stopless_with_a_fence_before_the_flip_delays_the_forwarding_pointer_of_the_wide_version() {
    let stopless = Instance::new(Protocol::Stopless, Scenario::Wr).with("fence-before-flip");
    let replayed = replay(
        &stopless,
        PsoNo,
        &format!(
            "{WRITTEN_TO_WIDE}
collector:
    CAS(from_fwd, 0, 1), reads 1 and fails
    x := wide_data, reads 9
    y := from_data, reads 0
    CAS(wide_data
    // wide_fwd := 2 is delayed.
    to_fwd := 2
    x := wide_data, reads 9
    to_data := x & 7, writes 1
    success := CAS(wide_data, x,
mutator:
    obj := root, reads 0
    l_fwd := from_fwd, reads 1
collector:
    from_fwd := 2
mutator:
    x := wide_data, reads 17
    asserts := one of 0, 1, chooses 1
    asserts := wide_fwd, reads 0"
        ),
    );
    assert_eq!(shown(&replayed), (vec![], End::Failed));
    assert!(!holds(&stopless, PsoNo));
}

/// [Section 4.1.3], third, in its six steps: with two fences, the copy of the initial value is written
/// over what the mutator wrote.
#[test]
fn stopless_with_two_fences_loses_a_value() {
    let stopless = Instance::new(Protocol::Stopless, Scenario::Wr)
        .with("fence-before-flip")
        .with("fence-after-wide-forward");
    let replayed = replay(
        &stopless,
        PsoNo,
        "
collector:
    // (1)
    CAS(from_fwd, 0, 1), reads 0 and writes 1
    x := wide_data, reads 2
    y := from_data, reads 0
    CAS(wide_data, (x & 7) | 0, y | 8), reads 2 and writes 8
    wide_fwd := 2
    to_fwd := 2
    // (2): to_data := 0 is delayed.
    x := wide_data, reads 8
    // (3)
    success := CAS(wide_data, x, (x & 7) | 16), reads 8 and writes 16
mutator:
    // (4)
    obj := root, reads 0
    CAS(from_fwd, 0, 1), reads 1 and fails
    l_fwd := from_fwd, reads 1
    x := wide_data, reads 16
    asserts := one of 0, 1, chooses 1
    asserts := wide_fwd, reads 2
    to_data := 1
collector:
    // (5)
    to_data := x & 7, writes 0
mutator:
    // (6)
    obj := root, reads 0
    l_fwd := from_fwd, reads 1
    x := wide_data, reads 16
    asserts := one of 0, 1, chooses 0
    readval := to_data, reads 0",
    );
    assert_eq!(shown(&replayed), (vec![ZERO], End::Ended));
    assert!(!holds(&stopless, PsoNo));
    // The third fence is the paper's cure. It cures by itself.
    let cured = stopless.with("fence-after-copy");
    let alone = Instance::new(Protocol::Stopless, Scenario::Wr).with("fence-after-copy");
    for model in MemoryModel::ALL {
        assert!(holds(&cured, model) && holds(&alone, model));
    }
}

/// [Section 4.2.3]: the seven steps, after which the mutator reads the initial value from the copy.
#[test]
fn staccato_loses_a_value_in_seven_steps() {
    let staccato = Instance::new(Protocol::Staccato, Scenario::Wr);
    let replayed = replay(
        &staccato,
        PsoFull,
        "
mutator:
    poll := hs_req, reads 0
    poll := hs_req, reads 0
    // (1)
    obj := root, reads 0
    l_fwd := from_fwd, reads 0
collector:
    // (2)
    success := CAS(from_fwd, 0, 1), reads 0
    hs_req := 1
mutator:
    // (3), (4): from_data := 1 is delayed.
    poll := hs_req, reads 1
    hs_req := 0
collector:
    // (5)
    poll := hs_req, reads 0
    x := from_data, reads 0
    to_data := x, writes 0
mutator:
    // (6)
    from_data := 1
collector:
    // (7)
    to_fwd := 2
    hs_req := 1
mutator:
    poll := hs_req, reads 1
    hs_req := 0
collector:
    poll := hs_req, reads 0
    CAS(from_fwd, 1, 2), reads 1 and writes 2
    x := from_fwd, reads 2
    root := x, writes 2
mutator:
    obj := root, reads 2
    asserts := one of 0, 1, chooses 1
    asserts := to_fwd, reads 2
    readval := to_data, reads 0",
    );
    assert_eq!(shown(&replayed), (vec![ZERO], End::Ended));
    // A shortest counterexample reads the copy before the flip, and looks at no assertion.
    let found = report(&staccato, PsoFull).counterexample;
    assert_eq!(found.expect("it fails").length, 20);
}

/// [Section 4.3.3]: with α = 0 the collector copies over what the mutator wrote, even under SC.
#[test]
fn clover_loses_a_value_under_sc() {
    let clover = Instance::new(Protocol::Clover, Scenario::Wr);
    let replayed = replay(
        &clover,
        Sc,
        "
collector:
    value := from_data, reads 0
mutator:
    poll := hs_req, reads 0
    poll := hs_req, reads 0
    obj := root, reads 0
    x := from_data, reads 0
    to_data := 1
collector:
    to_data := value, writes 0
    success := CAS(from_data, value, 0), reads 0 and writes 0
mutator:
    poll := hs_req, reads 0
    poll := hs_req, reads 0
    obj := root, reads 0
    readval := from_data, reads 0
    readval := to_data, reads 0",
    );
    assert_eq!(shown(&replayed), (vec![ZERO], End::Ended));
    let fixed = Instance::new(Protocol::CloverFix, Scenario::Wr);
    assert!(holds(&fixed, Sc));
    assert!(!holds(&fixed.without("alpha-check"), Sc));
}
