//! Tests of claims: differences to a report, and the settings of their checks.

use std::sync::Mutex;

use refmap::explore::Limits;
use refmap::obligation::{Checker, Induction, Selection, Settings, Symmetry, Until};
use refmap::{Invariant, check};
use refmap_cli::catalogue::{Catalogue, Check, Claim, Parameter};
use refmap_testing::{Adjusting, counter, itself};

/// A claim lists every difference to a report, and none for a report that is as claimed.
#[test]
fn a_claim_tells_what_differs() {
    let mut refinement = itself(counter());
    refinement.abstract_steps = |n, action, _| (*n != 2).then_some(*action).into();
    refinement.implementation.may_stop = |_| true;
    refinement.invariants = vec![
        Invariant::new("small", "a test", |n: &u8| *n < 3),
        Invariant::new("hollow", "a test", |_: &u8| true).when(|n: &u8| *n > 9),
    ];
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report = check(&refinement, &settings).expect("the settings fit");
    let claim = || Claim::violated("c", Vec::new(), "simulation");
    let as_it_is = claim().length(3).counts(4, 4).also(&["invariant:small"]);
    assert_eq!(as_it_is.differences(&report), Vec::<String>::new());
    for (claim, expected) in [
        (
            Claim::holds("c", Vec::new()),
            "verdict: expected holds, found violated",
        ),
        (
            Claim::violated("c", Vec::new(), "deadlock"),
            "violated obligation: expected deadlock, found simulation",
        ),
        (claim().length(2), "length: expected 2, found 3"),
        (claim().states(5), "states: expected 5, found 4"),
        (claim().counts(5, 4), "states: expected 5, found 4"),
        (claim().counts(4, 3), "transitions: expected 3, found 4"),
        (
            claim().also(&["deadlock"]),
            "deadlock: expected true, found false",
        ),
        (
            claim().exercising_all(),
            "unexercised: expected , found premise:hollow",
        ),
    ] {
        assert_eq!(claim.differences(&report), [expected]);
    }
    // A check that holds or is undecided is not as claimed either.
    let holds = check(&itself(counter()), &settings).expect("the settings fit");
    assert_eq!(claim().length(3).differences(&holds).len(), 3);
    assert_eq!(
        Claim::holds("c", Vec::new())
            .exercising_all()
            .differences(&holds),
        Vec::<String>::new()
    );
    let cut = Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..settings
    };
    let cut = check(&itself(counter()), &cut).expect("the settings fit");
    assert_eq!(
        Claim::holds("c", Vec::new()).differences(&cut),
        ["verdict: expected holds, found incomplete"]
    );
}

/// The settings of a claim determine the check and the command that repeats it.
#[test]
fn a_claim_says_how_its_check_is_run() {
    let claim = || Claim::holds("c", vec![("nodes", 3.into()), ("fast", true.into())]);
    let plain = claim();
    assert_eq!(plain.command(), "check c --nodes 3 --fast");
    assert_eq!(plain.symmetry, Symmetry::None);
    assert_eq!(plain.induction, Induction::Omitted);
    assert_eq!(plain.until, Until::FirstViolation);
    let whole = claim()
        .up_to_symmetry()
        .inductively()
        .also(&["deadlock"])
        .only(&["deadlock", "agency"])
        .source("a paper", "what it says");
    assert_eq!(
        whole.command(),
        "check c --nodes 3 --fast --obligations deadlock,agency --inductive --keep-going \
         --symmetry full"
    );
    assert_eq!(whole.symmetry, Symmetry::Full);
    assert_eq!(whole.induction, Induction::Included);
    assert_eq!(whole.until, Until::End);
    assert_eq!((whole.source, whole.says), ("a paper", "what it says"));
}

/// The catalogue runs a claim with the claim's own settings, whatever the given ones.
#[test]
fn a_catalogue_runs_a_claim_as_it_says() {
    type Asked = (Selection, Induction, Until, Symmetry, Option<u64>);
    static ASKED: Mutex<Vec<Asked>> = Mutex::new(Vec::new());
    let count = Check::new("count", "", "", Vec::new(), |_| {
        let checker = Checker::owning(itself(counter()));
        let ask = |settings: &mut Settings<'_>| {
            ASKED.lock().unwrap().push((
                settings.obligations.clone(),
                settings.induction,
                settings.until,
                settings.symmetry,
                settings.limits.states,
            ));
            *settings = Settings::default();
        };
        Ok(Box::new(Adjusting(checker, ask)))
    });
    let catalogue = Catalogue {
        checks: vec![count],
        ..Catalogue::default()
    };
    let settings = Settings {
        limits: Limits {
            states: Some(7),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let claim = || Claim::holds("count", Vec::new());
    let whole = claim()
        .only(&["deadlock"])
        .inductively()
        .also(&["agency"])
        .up_to_symmetry();
    for claim in [claim(), whole] {
        let report = catalogue.run(&claim, &settings).expect("it is there");
        assert_eq!(report.check, "count");
        let asked = ASKED.lock().unwrap().pop().expect("it was run");
        let Claim {
            obligations,
            induction,
            until,
            symmetry,
            ..
        } = claim;
        assert_eq!(asked, (obligations, induction, until, symmetry, Some(7)));
    }
    let other = catalogue.run(&Claim::holds("cound", Vec::new()), &settings);
    let expected = "there is no check \"cound\" (did you mean \"count\"?); there are: count";
    assert_eq!(other.expect_err("it is not there").to_string(), expected);
}

/// An argument has its last given value, within its range, or the default; the error of any other names it.
#[test]
fn arguments_are_in_their_range_or_refused() {
    let parameters = vec![
        Parameter::number("nodes", 2..=4, 3, ""),
        Parameter::choice("memory", &["sc", "tso"], ""),
        Parameter::flag("fast", ""),
        Parameter::names("fence", ""),
    ];
    let run = |given: &[(&str, serde_json::Value)]| {
        let check = Check::new("c", "", "", parameters.clone(), |_| unreachable!());
        let arguments = check.arguments(given).map_err(|error| error.to_string())?;
        let names = arguments.names("fence").join(" ");
        let (nodes, memory) = (arguments.number::<u8>("nodes"), arguments.choice("memory"));
        Ok(format!(
            "{nodes} {memory} {} [{names}]",
            arguments.flag("fast")
        ))
    };
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(run(&[]), ok("3 sc false []"));
    for nodes in 2..=4 {
        let expected = format!("{nodes} sc false []");
        assert_eq!(run(&[("nodes", nodes.into())]), Ok(expected));
    }
    let given = [
        ("nodes", 2.into()),
        ("memory", "tso".into()),
        ("fast", true.into()),
        ("fence", vec!["a", "b"].into()),
        ("nodes", 4.into()),
    ];
    assert_eq!(run(&given), ok("4 tso true [a b]"));
    let refused: [(&str, serde_json::Value, &str); 9] = [
        (
            "nodes",
            1.into(),
            "nodes is 1, and must be a number from 2 to 4",
        ),
        (
            "nodes",
            5.into(),
            "nodes is 5, and must be a number from 2 to 4",
        ),
        (
            "nodes",
            "3".into(),
            "nodes is \"3\", and must be a number from 2 to 4",
        ),
        (
            "memory",
            "pso".into(),
            "memory is \"pso\", and must be sc or tso",
        ),
        ("memory", 1.into(), "memory is 1, and must be sc or tso"),
        ("fast", 1.into(), "fast is 1, and must be true or false"),
        (
            "fence",
            "a".into(),
            "fence is \"a\", and must be a list of names",
        ),
        (
            "fence",
            serde_json::json!(["a", 1]),
            "fence is [\"a\",1], and must be a list of names",
        ),
        (
            "node",
            3.into(),
            "c has no parameter \"node\" (did you mean \"nodes\"?); there are: nodes, memory, fast, fence",
        ),
    ];
    for (name, value, message) in refused {
        assert_eq!(run(&[(name, value)]), Err(message.to_owned()));
    }
    let required = vec![Parameter::required("memory", &["sc", "tso"], "")];
    let check = Check::new("c", "", "", required, |_| unreachable!());
    let missing = check.arguments(&[]).expect_err("it has no default");
    assert_eq!(
        missing.to_string(),
        "memory is not given, and must be one of sc, tso"
    );
    assert!(check.arguments(&[("memory", "sc".into())]).is_ok());
}
