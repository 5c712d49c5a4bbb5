//! Reports as data: obligations chosen, notes, waivers, composition, and traces for other tools.

use refmap::obligation::{ObligationKind, Settings};
use refmap::{AbstractSteps, Invariant, Process, Refinement, Report, Verdict, compose};
use refmap_testing::{
    Action, Machine, Via, assert_verdict, checked, counter, counter_with_reset, itself, only,
    sundry_trace, verdict_on, waived,
};

#[test]
fn a_waiver_excuses_a_rule_that_is_never_simulated() {
    let mut refinement = counter_with_reset();
    let report = checked(&refinement, &Settings::default());
    assert_eq!(report.violated().collect::<Vec<_>>(), ["coverage"]);
    refinement.waivers = vec![waived("reset")];
    let report = checked(&refinement, &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

#[test]
fn a_waiver_that_is_not_needed_fails() {
    let mut refinement = counter_with_reset();
    refinement.waivers = vec![waived("reset"), waived("tick")];
    let report = checked(&refinement, &Settings::default());
    let explanation = report.counterexample.unwrap().explanation;
    assert_eq!(
        explanation,
        "the waiver for `tick` is not needed: it is simulated"
    );
}

/// The whole state space is described by the report of a check that chooses one obligation.
#[test]
fn a_chosen_obligation_is_reported_alone() {
    let settings = only(["deadlock"]);
    let report = checked(&itself(counter()), &settings);
    assert_eq!(report.obligations.len(), 1);
    assert_eq!((report.states, report.transitions, report.depth), (4, 4, 3));
    assert_eq!(report.verdict, Some(Verdict::Holds));
}

/// A counter to 16 refines one to 8, which refines one to 4, each by forgetting a bit.
fn halved<const N: u8>() -> Via<u8, u8> {
    fn count<const N: u8>(n: &u8) -> Vec<(Action, u8)> {
        vec![(("tick", 0), (n + 1) % N)]
    }
    let system = |next| Machine::new(&[("tick", "clock")], [0u8], next, |n: &u8| n & 1);
    let mut refinement = itself(system(count::<N>));
    refinement.specification.next = match N {
        16 => count::<8>,
        _ => count::<4>,
    };
    refinement.map = Box::new(|n| n % (N / 2));
    refinement.invariants = vec![Invariant::new("bounded", "a test", |n: &u8| *n < N)];
    refinement
}

/// [Appendix A.1, `transitive`]
#[test]
fn a_composition_is_checked_as_composed() {
    let composed = compose(halved::<8>(), halved::<16>());
    assert_eq!(composed.map(&13), 1);
    assert_eq!(
        composed.abstract_steps(&7, &("tick", 0), &8),
        AbstractSteps::One(("tick", 0))
    );
    let report = checked(&composed, &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.states, 16);
    for name in ["invariant:bounded", "invariant:above.bounded"] {
        assert_verdict(&report, name, Verdict::Holds);
    }
}

#[test]
fn a_composition_with_a_wrong_half_fails() {
    let mut upper = halved::<8>();
    upper.map = Box::new(|n| (n + 2) % 4);
    let report = checked(&compose(upper, halved::<16>()), &Settings::default());
    assert_eq!(report.counterexample.unwrap().obligation, "initiality");
}

/// Processes are asked of both parts: one rests where it does below and above, and acts for whomever the one it acts
/// for below acts for above. Invariants are pulled back with their premises.
#[test]
fn a_composition_asks_both_of_its_parts() {
    let user = Process::new("user");
    let mut lower = halved::<16>();
    lower.at_rest = Box::new(|n, _| *n != 1);
    lower.acts_for = |process| match process.name {
        "buffer" => Process::new("port"),
        _ => process,
    };
    let mut upper = halved::<8>();
    upper.at_rest = Box::new(|n, _| *n != 2);
    upper.acts_for = |process| match process.name {
        "port" => Process::new("user"),
        _ => process,
    };
    upper.environment = vec![user];
    upper.waivers = vec![waived("tick")];
    upper.invariants =
        vec![Invariant::new("bounded", "a test", |n: &u8| *n == 5).when(|n: &u8| *n > 4)];
    let composed = compose(upper, lower);
    let resting = (0..16).filter(|n| composed.at_rest(n, user));
    assert!(resting.eq((0..16).filter(|n| ![1, 2, 10].contains(n))));
    let acts_for = ["buffer", "port", "user", "clock"].map(|name| {
        let process = composed.acts_for(Process::new(name));
        process.name
    });
    assert_eq!(acts_for, ["user", "user", "user", "clock"]);
    assert_eq!(composed.environment(), [user]);
    assert_eq!(composed.waivers(), [waived("tick")]);
    let invariants = composed.invariants();
    let above = &invariants[1];
    assert_eq!(above.name(), "above.bounded");
    let applies = (0..16).filter(|n| above.applies(n));
    assert!(applies.eq([5, 6, 7, 13, 14, 15]));
    let holds = (0..16).filter(|n| !above.holds(n));
    assert!(holds.eq([6, 7, 14, 15]));
}

/// A composition is checked between its ends: what the implementation in the middle cannot decide is not asked of it.
#[test]
fn a_composition_decides_what_its_implementation_can() {
    let coverage = |upper: &[ObligationKind], lower: &[ObligationKind]| {
        let (mut above, mut below) = (halved::<8>(), halved::<16>());
        above.implementation.undecided = upper.to_vec();
        below.implementation.undecided = lower.to_vec();
        let report = checked(&compose(above, below), &Settings::default());
        verdict_on(&report, "coverage")
    };
    let undecided = &[ObligationKind::Coverage];
    assert_eq!(coverage(&[], &[]), Verdict::Holds);
    assert_eq!(coverage(undecided, &[]), Verdict::Holds);
    assert_eq!(coverage(&[], undecided), Verdict::Incomplete);
}

/// A report survives its JSON form.
#[test]
fn reports_can_be_read_back() {
    let mut refinement = itself(counter());
    refinement.abstract_steps = Box::new(|n, action, _| (*n != 2).then_some(*action).into());
    let report = checked(&refinement, &Settings::default());
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    assert_eq!(report.counterexample.unwrap().length, 3);
}

/// ITF as its Rust reader reads it: numbers as big integers, options as variants.
#[test]
fn traces_are_read_by_another_program() {
    #[derive(Debug, serde::Deserialize)]
    struct State {
        state: i64,
        abstract_state: i64,
    }
    let mut refinement = itself(counter());
    refinement.abstract_steps = Box::new(|n, action, _| (*n != 2).then_some(*action).into());
    let report = checked(&refinement, &Settings::default());
    let trace = report.counterexample.as_ref().unwrap().itf(&report);
    assert_eq!(
        trace["vars"],
        serde_json::json!([
            "action",
            "process",
            "abstract_action",
            "abstract_state",
            "state"
        ])
    );
    let read: ::itf::Trace<State> = ::itf::trace_from_str(&trace.to_string()).unwrap();
    let states: Vec<_> = read
        .states
        .iter()
        .map(|s| (s.value.state, s.value.abstract_state))
        .collect();
    assert_eq!(states, [(0, 0), (1, 1), (2, 2), (3, 3)]);
    let actions: Vec<_> = (0..4)
        .map(|index| trace["states"][index]["action"].clone())
        .collect();
    assert_eq!(actions[0], "U_OF_UNIT");
    assert_eq!(actions[3], serde_json::json!(["tick", {"#bigint": "0"}]));
}

/// The same trace in a form that is none: a null, or a variant of an empty tuple.
fn unreadable(trace: &serde_json::Value) -> Vec<serde_json::Value> {
    let unit = serde_json::json!({"tag": "None", "value": {"#tup": []}});
    let spoilt = [serde_json::Value::Null, unit].map(|none| {
        let mut trace = trace.clone();
        trace["states"][0]["none"] = none;
        trace
    });
    spoilt.into()
}

/// Declaration of a program that uses the crate `itf`.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct ReadBack {
    none: String,
    large: u64,
    pair: (u8, String),
    numbered: std::collections::BTreeMap<String, serde::de::IgnoredAny>,
}

#[test]
fn the_crate_itf_reads_every_value() {
    let (_, trace) = sundry_trace();
    let read = ::itf::trace_from_str::<ReadBack>(&trace.to_string()).unwrap();
    let last = &read.states[1].value;
    assert_eq!((&*last.none, last.large), ("U_OF_UNIT", u64::MAX / 2));
    assert_eq!(last.pair, (3, "U_OF_UNIT".to_owned()));
    assert!(last.numbered.keys().eq(["1", "2"]));
    // Its reader of values of any type is tried on all of them.
    for spoilt in unreadable(&trace) {
        let read = ::itf::trace_from_str::<ReadBack>(&spoilt.to_string());
        assert!(read.is_err(), "{read:?}");
    }
}

/// Python with the package `itf-py`: that of `.ci/run`, or the first one on the path.
fn python() -> Option<std::path::PathBuf> {
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let installed = target.map(|target| target.join("itf-py/bin/python3"));
    let mut pythons = installed
        .into_iter()
        .chain([std::path::PathBuf::from("python3")]);
    pythons.find(|python| {
        let import = std::process::Command::new(python)
            .args(["-c", "import itf_py"])
            .stderr(std::process::Stdio::null())
            .status();
        import.is_ok_and(|status| status.success())
    })
}

#[test]
fn the_package_itf_py_reads_every_value() {
    use std::io::Write;
    let Some(python) = python() else {
        // Past the harness, which shows nothing of a test that passes.
        let told = writeln!(
            std::io::stderr(),
            "\nNOT TESTED: what itf-py reads, since there is no python3 with it (pip install itf-py)"
        );
        return told.expect("stderr can be written to");
    };
    let read = |trace: &serde_json::Value| {
        let program = "import itf_py, json, sys\n\
             print(itf_py.trace_from_json(json.load(sys.stdin)).states[1].values[\"large\"])";
        let mut child = std::process::Command::new(&python)
            .args(["-c", program])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(trace.to_string().as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            Ok(String::from_utf8(output.stdout).unwrap())
        } else {
            Err(String::from_utf8(output.stderr).unwrap())
        }
    };
    let (_, trace) = sundry_trace();
    assert_eq!(read(&trace), Ok(format!("{}\n", u64::MAX / 2)));
    let variant = &unreadable(&trace)[1];
    let error = read(variant).unwrap_err();
    assert!(error.contains("ValueError"), "{error}");
}
