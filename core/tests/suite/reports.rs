//! Reports as data: obligations chosen, notes, waivers, composition, and traces for other tools.

use std::sync::Mutex;

use crate::machine::{Action, Machine, Via, itself};
use refmap::catalogue::{
    Catalogue, Check, Claim, FenceProblem, InputError, Parameter, PublishedFences,
};
use refmap::explore::Limits;
use refmap::grid::{Axis, Expected, Failing, Grid, GridRow, Outcome};
use refmap::memory::synthesis::{Answer, Scenario, synthesise};
use refmap::memory::{
    Behaviours, Fence, MemoryModel, Presence, Program, ProgramBuilder, ProgramRefinement,
};
use refmap::obligation::{CheckError, Induction, Selection, Settings, Symmetry, Until};
use refmap::report::itf;
use refmap::table::{Instance, Row, Table, TableRow};
use refmap::{
    ActionOf, Invariant, Process, Refinement, Report, StateOf, Verdict, Waiver, check, compose,
};

fn counter() -> Machine<u8> {
    let next = |n: &u8| vec![(("tick", 0), (n + 1) % 4)];
    Machine::new(&[("tick", "clock")], [0], next, |n| *n)
}

/// The counter, and a rule that the implementation leaves out.
fn counter_with_reset() -> Via<u8, u8> {
    let mut specification = counter();
    specification.rules = Machine::new(
        &[("tick", "clock"), ("reset", "user")],
        [0u8],
        |_| Vec::new(),
        |n| *n,
    )
    .rules;
    let mut refinement = itself(specification);
    refinement.specification.next = |n| vec![(("tick", 0), (n + 1) % 4), (("reset", 0), 0)];
    refinement
}

fn waived(rule: &'static str) -> Waiver {
    Waiver {
        rule,
        reason: "a test",
    }
}

#[test]
fn a_waiver_excuses_a_rule_that_is_never_simulated() {
    let mut refinement = counter_with_reset();
    let report = check(&refinement, &Settings::default()).unwrap();
    assert_eq!(report.violated().collect::<Vec<_>>(), ["coverage"]);
    refinement.waivers = vec![waived("reset")];
    let report = check(&refinement, &Settings::default()).unwrap();
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

#[test]
fn a_waiver_that_is_not_needed_fails() {
    let mut refinement = counter_with_reset();
    refinement.waivers = vec![waived("reset"), waived("tick")];
    let report = check(&refinement, &Settings::default()).unwrap();
    let explanation = report.counterexample.unwrap().explanation;
    assert_eq!(
        explanation,
        "the waiver for `tick` is not needed: it is simulated"
    );
    refinement.waivers = vec![waived("resett")];
    assert!(matches!(
        check(&refinement, &Settings::default()),
        Err(CheckError::UnknownWaiver { nearest: Some(nearest), .. }) if nearest == "reset"
    ));
}

#[test]
fn unknown_obligations_and_double_names_are_refused() {
    let choose = |name| Settings {
        obligations: Selection::only([name]),
        ..Settings::default()
    };
    let error = check(&itself(counter()), &choose("deadlok")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("there is no obligation \"deadlok\" (did you mean \"deadlock\"?)")
    );
    let mut refinement = itself(counter());
    let small = || Invariant::new("small", "a test", |n: &u8| *n < 9);
    refinement.invariants = vec![small(), small()];
    let error = check(&refinement, &Settings::default()).unwrap_err();
    assert_eq!(error.to_string(), "two invariants are named \"small\"");
}

/// The whole state space is described by the report of a check that chooses one obligation.
#[test]
fn a_chosen_obligation_is_reported_alone() {
    let settings = Settings {
        obligations: Selection::only(["deadlock"]),
        ..Settings::default()
    };
    let report = check(&itself(counter()), &settings).unwrap();
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
    refinement.map = |n| n % (N / 2);
    refinement.invariants = vec![Invariant::new("bounded", "a test", |n: &u8| *n < N)];
    refinement
}

/// [Appendix A.1, `transitive`]
#[test]
fn a_composition_is_checked_as_composed() {
    let composed = compose(halved::<8>(), halved::<16>());
    assert_eq!(composed.map(&13), 1);
    assert_eq!(composed.answer(&7, &("tick", 0), &8), Some(("tick", 0)));
    let report = check(&composed, &Settings::default()).unwrap();
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.states, 16);
    for name in ["invariant:bounded", "invariant:above.bounded"] {
        assert_eq!(report.obligation(name).unwrap().verdict, Verdict::Holds);
    }
}

#[test]
fn a_composition_with_a_wrong_half_fails() {
    let mut upper = halved::<8>();
    upper.map = |n| (n + 2) % 4;
    let report = check(&compose(upper, halved::<16>()), &Settings::default()).unwrap();
    assert_eq!(report.counterexample.unwrap().obligation, "initiality");
}

/// What is said of processes is asked of both: a process rests where it does below and above, and acts for whom the
/// other one of the two acts for. Invariants are pulled back with their premises.
#[test]
fn a_composition_asks_both_of_its_parts() {
    let user = Process::new("user");
    let mut lower = halved::<16>();
    lower.at_rest = |n, _| *n != 1;
    lower.acts_for = |process| match process.name {
        "buffer" => Process::new("port"),
        _ => process,
    };
    let mut upper = halved::<8>();
    upper.at_rest = |n, _| *n != 2;
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

/// A refinement that says one thing more of itself.
struct Changed<R>(R, Change);

enum Change {
    /// These obligations cannot be decided.
    Undecided(&'static [&'static str]),
    /// There is an invariant that nothing satisfies.
    Falsified,
}

impl<R: Refinement> Refinement for Changed<R> {
    type Concrete = R::Concrete;
    type Abstract = R::Abstract;

    fn implementation(&self) -> &R::Concrete {
        self.0.implementation()
    }

    fn specification(&self) -> &R::Abstract {
        self.0.specification()
    }

    fn map(&self, state: &StateOf<R::Concrete>) -> StateOf<R::Abstract> {
        self.0.map(state)
    }

    fn answer(
        &self,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> Option<ActionOf<R::Abstract>> {
        self.0.answer(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<R::Concrete>> {
        let mut invariants = self.0.invariants();
        if matches!(self.1, Change::Falsified) {
            invariants.push(Invariant::new("never", "a test", |_: &_| false));
        }
        invariants
    }

    fn environment(&self) -> &[Process] {
        self.0.environment()
    }

    fn undecidable(&self, obligation: &str) -> Option<&'static str> {
        match self.1 {
            Change::Undecided(all) => all.contains(&obligation).then_some("steps are joined"),
            Change::Falsified => None,
        }
    }
}

/// What cannot be decided is in the report with its reason, beside what can, and nothing holds as a whole; asked for by
/// name it is refused. In a composition either part may say so.
#[test]
fn an_obligation_that_cannot_be_decided_is_reported() {
    let of_clock = || {
        let mut refinement = itself(counter());
        refinement.environment = vec![Process::new("clock")];
        refinement.invariants = vec![Invariant::new("small", "a test", |n: &u8| *n < 4)];
        refinement
    };
    let all = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "invariant:small",
        "environment:tick",
        "environment:at_rest",
        "deadlock",
        "coverage",
    ];
    let group = |name: &str| name.split(':').next().expect("it begins").to_owned();
    for undecided in ["agency", "invariant", "environment", "deadlock", "coverage"] {
        let leaked: &'static [&'static str] = Box::leak(Box::new([undecided]));
        let refinement = Changed(of_clock(), Change::Undecided(leaked));
        let report = check(&refinement, &Settings::default()).expect("the settings fit");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        let names = report.obligations.iter().map(|row| row.name.as_str());
        assert!(names.eq(all), "{report}");
        for row in &report.obligations {
            let is_open = group(&row.name) == undecided;
            let expected = if is_open {
                Verdict::Incomplete
            } else {
                Verdict::Holds
            };
            assert_eq!(row.verdict, expected, "{undecided}: {report}");
            let note = row.note.as_deref().unwrap_or_default();
            assert_eq!(
                note.contains("steps are joined"),
                is_open,
                "{undecided}: {note}"
            );
        }
        let named = Settings {
            obligations: Selection::only([undecided]),
            ..Settings::default()
        };
        let refused = check(&refinement, &named);
        assert!(
            matches!(refused, Err(CheckError::Undecidable { .. })),
            "{undecided}"
        );
        // Where it is not asked for nothing is open.
        let others = all.iter().filter(|name| group(name) != undecided);
        let others = Settings {
            obligations: Selection::only(others.copied()),
            ..Settings::default()
        };
        let report = check(&refinement, &others).expect("the settings fit");
        assert_eq!(
            report.verdict,
            Some(Verdict::Holds),
            "{undecided}: {report}"
        );
    }
    let reason = |upper, lower| {
        let composed = compose(
            Changed(halved::<8>(), Change::Undecided(upper)),
            Changed(halved::<16>(), Change::Undecided(lower)),
        );
        composed.undecidable("coverage").is_some()
    };
    let (none, coverage): (&[_], &[_]) = (&[], &["coverage"]);
    assert!(!reason(none, none) && reason(coverage, none) && reason(none, coverage));
}

/// A claim says of a report each thing in which it differs, and nothing of one that is as claimed.
#[test]
fn a_claim_tells_what_differs() {
    let mut refinement = itself(counter());
    refinement.answer = |n, action, _| (*n != 2).then_some(*action);
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
    // What holds, and what was not decided, is not what was claimed either.
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

/// What a claim asks for is what its check is run with, and what the command that repeats it says.
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

/// The settings of a claim are those that its check is run with, and not those that are asked for otherwise.
#[test]
fn a_catalogue_runs_a_claim_as_it_says() {
    type Asked = (Selection, Induction, Until, Symmetry, Option<u64>);
    static ASKED: Mutex<Vec<Asked>> = Mutex::new(Vec::new());
    let count = Check::new("count", "", "", Vec::new(), |_, settings| {
        ASKED.lock().unwrap().push((
            settings.obligations.clone(),
            settings.induction,
            settings.until,
            settings.symmetry,
            settings.limits.states,
        ));
        Ok(check(&itself(counter()), &Settings::default())?)
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

/// An argument is what was given last, within its range, or the default; all else is refused by name.
#[test]
fn arguments_are_in_their_range_or_refused() {
    let parameters = vec![
        Parameter::number("nodes", 2..=4, 3, ""),
        Parameter::choice("memory", &["sc", "tso"], ""),
        Parameter::flag("fast", ""),
        Parameter::names("fence", ""),
    ];
    let run = |given: &[(&str, serde_json::Value)]| {
        let check = Check::new("c", "", "", parameters.clone(), |_, _| unreachable!());
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
    let check = Check::new("c", "", "", required, |_, _| unreachable!());
    let missing = check.arguments(&[]).expect_err("it has no default");
    assert_eq!(
        missing.to_string(),
        "memory is not given, and must be one of sc, tso"
    );
    assert!(check.arguments(&[("memory", "sc".into())]).is_ok());
}

/// One thread sends data behind a flag, the other one receives them; fences of all kinds have a place in each.
fn message_passing() -> Program {
    let mut program = ProgramBuilder::new("message passing");
    let (data, flag) = (program.location("data", 0), program.location("flag", 0));
    program.thread("sender", |t| {
        t.store(data, 1);
        t.fence_kinds_at("sent", Fence::ALL, Presence::Absent);
        t.store(flag, 1);
    });
    program.thread("receiver", |t| {
        let [f, d] = ["f", "d"].map(|name| t.register(name));
        t.load(f, flag);
        t.fence_kinds_at("received", Fence::ALL, Presence::Absent);
        t.load(d, data);
        t.output(f);
        t.output(d);
    });
    program.build().expect("it is well formed")
}

/// Of published fences it is said whether they suffice, which of them nothing needs, and in whose place a weaker one
/// would do. Those for another memory are not spoken of, and none where nothing was found.
#[test]
fn published_fences_are_compared_with_the_minimal_ones() {
    let published = |memory, fences: &[&'static str]| PublishedFences {
        source: "a paper",
        memory: vec![memory],
        fences: fences.to_vec(),
    };
    let of_rmo: [&[&str]; 4] = [
        &["sent:release", "received:acquire"],
        &["sent:full", "received:acquire"],
        &["sent:release", "received:acquire", "received:release"],
        &["sent:acquire", "received:acquire"],
    ];
    let problem = FenceProblem::new("message passing", "", "", Vec::new(), |_| {
        let robust = Scenario::robust("robust", message_passing(), 1000);
        Ok(vec![robust.map_err(InputError::instance)?])
    });
    let problem = problem.published(published(MemoryModel::Tso, &["sent:full"]));
    let problem = of_rmo.iter().fold(problem, |problem, fences| {
        problem.published(published(MemoryModel::RmoNo, fences))
    });
    let solve = |settings: &Settings<'_>| {
        let solved = problem.solve(&[], MemoryModel::RmoNo, settings);
        solved.expect("it can be searched")
    };
    let report = solve(&Settings::default());
    let sets = report.synthesis.sets();
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].fences, of_rmo[0]);
    let none: Vec<Vec<String>> = vec![Vec::new()];
    let one = |fence: &str| vec![vec![fence.to_owned()]];
    let expected = [
        (true, none.clone(), none.clone()),
        (true, none.clone(), one("sent:full")),
        (true, one("received:release"), none),
        (false, Vec::new(), Vec::new()),
    ];
    let found = report.published.iter();
    let found: Vec<_> = found
        .map(|c| (c.suffices, c.superfluous.clone(), c.stronger.clone()))
        .collect();
    assert_eq!(found, expected);
    let json = serde_json::to_value(&report.published).expect("it has a JSON form");
    let says: Vec<_> = (0..4)
        .map(|at| json[at].get("stronger").is_some())
        .collect();
    assert_eq!(says, [false, true, false, false]);
    let cut = solve(&Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..Settings::default()
    });
    assert!(cut.synthesis.sets().is_empty() && cut.published.is_empty());
}

/// The invariants of a refinement have to hold with its fences too.
#[test]
fn fences_have_to_make_invariants_hold() {
    let program = message_passing();
    let specification = Behaviours::of(program.clone(), MemoryModel::Sc, 1000).expect("small");
    let refinement = ProgramRefinement::new(program, MemoryModel::Sc, specification);
    let scenarios = [Scenario::of(
        "falsified",
        Changed(refinement, Change::Falsified),
    )];
    let found = synthesise(&scenarios, MemoryModel::RmoNo, &Settings::default());
    let Answer::Unmendable {
        failure: Some(failure),
        ..
    } = found.expect("it can be searched").answer
    else {
        panic!("the invariant is false everywhere");
    };
    assert_eq!(failure.counterexample.obligation, "invariant:never");
}

/// A part of a cell that fails nothing but `coverage` was not put to the test, and does not fail; the states of a cell are
/// those of all its parts.
#[test]
fn a_cell_of_a_grid_fails_by_what_was_put_to_the_test() {
    let parameters = vec![
        Parameter::choice("side", &["left", "right"], ""),
        Parameter::choice("part", &["whole", "idle", "wrong"], ""),
    ];
    let count = Check::new("count", "", "", parameters, |arguments, settings| {
        let mut refinement = counter_with_reset();
        match arguments.choice("part") {
            "whole" => refinement.waivers = vec![waived("reset")],
            "idle" => (),
            _ => refinement.answer = |_, _, _| None,
        }
        let settings = Settings {
            until: Until::End,
            ..settings.clone()
        };
        Ok(check(&refinement, &settings)?)
    });
    let catalogue = Catalogue {
        checks: vec![count],
        ..Catalogue::default()
    };
    let decide = |parts: &[&'static str]| {
        let grid = Grid {
            name: "grid",
            about: "",
            source: "",
            check: "count",
            columns: Axis {
                parameter: "side",
                values: vec!["left"],
            },
            parts: Axis {
                parameter: "part",
                values: parts.to_vec(),
            },
            rows: vec![GridRow {
                given: Vec::new(),
                cells: vec![Expected::found(Failing::NONE)],
            }],
        };
        let mut rows = Vec::new();
        let visit = |row| {
            rows.push(row);
            Ok::<_, InputError>(true)
        };
        let decided = grid.decide(&catalogue, &Settings::default(), visit);
        decided.expect("the check is there");
        let json = grid.json(&rows);
        let cell = &json["rows"][0]["cells"][0];
        assert!(
            cell["seconds"]
                .as_f64()
                .is_some_and(|seconds| seconds > 0.0)
        );
        assert!(cell.get("paper").is_none());
        (rows[0].cells[0].ours, cell["states"].as_u64())
    };
    let fails = |part: u8| Outcome::Decided(Failing(1 << part));
    assert_eq!(
        decide(&["whole"]),
        (Outcome::Decided(Failing::NONE), Some(4))
    );
    assert_eq!(decide(&["idle"]), (Outcome::NotExercised(0), Some(4)));
    assert_eq!(decide(&["whole", "wrong"]), (fails(1), Some(8)));
    assert_eq!(
        decide(&["wrong", "idle"]),
        (Outcome::NotExercised(1), Some(8))
    );
}

/// A row of a table holds if every instance does: one that is cut short, that decides nothing or that is violated ends
/// the row, and is what the row says.
#[test]
fn a_row_of_a_table_says_what_its_worst_instance_says() {
    let check = Check::new("count", "", "", Vec::new(), |_, settings| {
        Ok(check(&itself(counter()), settings)?)
    });
    let catalogue = Catalogue {
        checks: vec![check],
        ..Catalogue::default()
    };
    let decide = |instances: &[Selection], settings: &Settings<'_>| {
        let instances = instances.iter().map(|obligations| Instance {
            obligations: obligations.clone(),
            ..Instance::default()
        });
        let table = Table {
            name: "table",
            about: "",
            check: "count",
            rows: vec![Row {
                given: Vec::new(),
                instances: instances.collect(),
            }],
            on_the_way: None,
        };
        let mut found: Vec<TableRow> = Vec::new();
        let visit = |row| {
            found.push(row);
            Ok::<_, InputError>(true)
        };
        table
            .decide(&catalogue, settings, visit)
            .expect("the check is there");
        let row = found.pop().expect("there is a row");
        assert_eq!(found.len(), 0);
        (row.verdict, row.instances.len())
    };
    let whole = Settings::default();
    let cut = Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let (all, nothing) = (Selection::Default, Selection::Nothing);
    assert_eq!(
        decide(&[all.clone(), all.clone()], &whole),
        (Verdict::Holds, 2)
    );
    assert_eq!(
        decide(&[all.clone(), all.clone()], &cut),
        (Verdict::Incomplete, 1)
    );
    assert_eq!(
        decide(&[all.clone(), nothing.clone(), all.clone()], &whole),
        (Verdict::Incomplete, 2)
    );
    assert_eq!(decide(&[nothing, all], &whole), (Verdict::Incomplete, 1));
}

/// What is broken on the way of a row that is violated at once is what is by then, and not what is broken later; of a row
/// that holds at first, or that is violated at a larger instance, it is all.
#[test]
fn a_table_tells_what_is_broken_by_the_time_a_row_is_violated() {
    let parameters = vec![Parameter::number("small", 1..=9, 9, "what stays below it")];
    let check = Check::new("count", "", "", parameters, |arguments, settings| {
        let mut refinement = itself(counter());
        refinement.invariants = vec![
            Invariant::new("below_two", "a test", |n: &u8| *n < 2),
            Invariant::new("below_three", "a test", |n: &u8| *n < 3),
            match arguments.number("small") {
                1 => Invariant::new("small", "a test", |n: &u8| *n < 1),
                3 => Invariant::new("small", "a test", |n: &u8| *n < 3),
                _ => Invariant::new("small", "a test", |_: &u8| true),
            },
        ];
        Ok(check(&refinement, settings)?)
    });
    let catalogue = Catalogue {
        checks: vec![check],
        ..Catalogue::default()
    };
    let at = |small: u64| Instance {
        given: vec![("small", small.into())],
        obligations: Selection::only(["invariant:small"]),
        ..Instance::default()
    };
    let decide = |instances: &[u64]| {
        let table = Table {
            name: "table",
            about: "",
            check: "count",
            rows: vec![Row {
                given: Vec::new(),
                instances: instances.iter().map(|small| at(*small)).collect(),
            }],
            on_the_way: Some(Instance {
                given: at(instances[0]).given,
                ..Instance::default()
            }),
        };
        let mut found: Vec<TableRow> = Vec::new();
        let visit = |row| {
            found.push(row);
            Ok::<_, InputError>(true)
        };
        let decided = table.decide(&catalogue, &Settings::default(), visit);
        decided.expect("the check is there");
        let row = found.remove(0);
        (row.length, row.broken.expect("the table looks"))
    };
    // 1 is reached after a step, 2 after two and 3 after three.
    let (two, three, small) = (
        "invariant:below_two",
        "invariant:below_three",
        "invariant:small",
    );
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(decide(&[1]), (Some(1), names(&[small])));
    assert_eq!(decide(&[3]), (Some(3), names(&[two, three, small])));
    assert_eq!(decide(&[9]), (None, names(&[two, three])));
    assert_eq!(decide(&[9, 1]), (Some(1), names(&[two, three])));
}

/// A report survives its JSON form.
#[test]
fn reports_can_be_read_back() {
    let mut refinement = itself(counter());
    refinement.answer = |n, action, _| (*n != 2).then_some(*action);
    let report = check(&refinement, &Settings::default()).unwrap();
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
    refinement.answer = |n, action, _| (*n != 2).then_some(*action);
    let report = check(&refinement, &Settings::default()).unwrap();
    let trace = itf::trace(&report, report.counterexample.as_ref().unwrap());
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

/// Of each way in which a value can serialise, with names that no reader expects.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Sundry {
    none: Option<u8>,
    unit: (),
    nothing: [u8; 0],
    text: &'static str,
    large: u64,
    pair: (u8, Option<bool>),
    kinds: Vec<Kind>,
    numbered: std::collections::BTreeMap<u8, Option<u8>>,
    tag: Tagged,
    r#from: Keyword,
    empty: std::collections::BTreeMap<String, u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
enum Kind {
    None,
    Busy { r#for: u8 },
    Done(u8, u8),
}

/// A record that looks like a variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Tagged {
    tag: &'static str,
    value: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Keyword {
    class: u8,
    _hidden: u8,
    #[serde(rename = "#tup")]
    tuple: u8,
    #[serde(rename = "zwei Wörter")]
    words: u8,
}

fn sundry(large: u64) -> Sundry {
    Sundry {
        none: None,
        unit: (),
        nothing: [],
        text: "\u{1b}",
        large,
        pair: (3, None),
        kinds: vec![Kind::None, Kind::Busy { r#for: 1 }, Kind::Done(1, 2)],
        numbered: [(1, None), (2, Some(3))].into(),
        tag: Tagged { tag: "a", value: 1 },
        r#from: Keyword {
            class: 1,
            _hidden: 2,
            tuple: 3,
            words: 4,
        },
        empty: std::collections::BTreeMap::new(),
    }
}

/// A counterexample of one step between such states, as ITF.
fn sundry_trace() -> (Machine<Sundry>, serde_json::Value) {
    let next = |from: &Sundry| vec![(("grow", 0), sundry(from.large.saturating_add(u64::MAX / 2)))];
    let machine = Machine::new(&[("grow", "it")], [sundry(0)], next, |_| 0);
    let mut refinement = itself(machine.clone());
    refinement.invariants = vec![Invariant::new("small", "a test", |state: &Sundry| {
        state.large < u64::MAX / 2
    })];
    let report = check(&refinement, &Settings::default()).expect("the settings fit");
    let counterexample = report.counterexample.as_ref().expect("it is violated");
    let trace = itf::trace(&report, counterexample);
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(2));
    (machine, trace)
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

/// What a program that uses the crate `itf` declares.
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

/// The validator takes what is written for what it was.
#[test]
fn what_is_written_is_a_behaviour() {
    let (machine, mut trace) = sundry_trace();
    let settings = refmap::validate::Settings::default();
    let verdict = |trace: &serde_json::Value| {
        let validation = refmap::validate::validate_trace(&machine, trace, &settings);
        validation.unwrap().verdict()
    };
    assert_eq!(verdict(&trace), Verdict::Holds);
    // What was written before is read too.
    trace["states"][0]["none"] = serde_json::json!({"tag": "None", "value": {"#tup": []}});
    assert_eq!(verdict(&trace), Verdict::Holds);
    for (variable, other) in [
        ("none", serde_json::json!("None")),
        ("unit", serde_json::json!("unit")),
        (
            "tag",
            serde_json::json!({"#map": [["tag", "b"], ["value", 1]]}),
        ),
    ] {
        let mut spoilt = trace.clone();
        spoilt["states"][0][variable] = other;
        assert_eq!(verdict(&spoilt), Verdict::Violated, "{variable}");
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
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout).unwrap()),
            false => Err(String::from_utf8(output.stderr).unwrap()),
        }
    };
    let (_, trace) = sundry_trace();
    assert_eq!(read(&trace), Ok(format!("{}\n", u64::MAX / 2)));
    let variant = &unreadable(&trace)[1];
    let error = read(variant).unwrap_err();
    assert!(error.contains("ValueError"), "{error}");
}
