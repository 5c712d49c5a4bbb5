//! Tests on small programs whose minimal fences are known, and on inputs that a synthesis rejects or leaves
//! incomplete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::{Behaviours, MemoryModel, Presence, Program, ProgramBuilder, ProgramRefinement};
use refmap::explore::{Limits, Watch};
use refmap::internal::TextOptions;
use refmap::obligation::{Search, Selection, Settings, check};
use refmap::random::Walks;

const STATES: u64 = 100_000;

fn two_workers() -> Settings<'static> {
    Settings {
        threads: 2,
        ..Settings::default()
    }
}

fn robust(program: Program) -> Scenario {
    Scenario::robust("robust", program, STATES).expect("it is small")
}

fn synthesis(program: Program, model: MemoryModel) -> Synthesis {
    synthesise(&[robust(program)], model, &two_workers()).expect("it can be searched")
}

fn fences(synthesis: &Synthesis) -> Vec<Vec<&str>> {
    let sets = synthesis.sets().iter();
    sets.map(|set| set.fences.iter().map(String::as_str).collect())
        .collect()
}

/// Formats a synthesis with long lines.
fn wide(synthesis: &Synthesis) -> String {
    let options = TextOptions {
        width: 1000,
        ..TextOptions::default()
    };
    synthesis.text(options).to_string()
}

/// Each thread writes its flag and then reads the other's.
fn store_buffering(places: [&str; 2]) -> Program {
    let mut program = ProgramBuilder::new("store buffering");
    let flags = [program.location("x", 0), program.location("y", 0)];
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let r = t.register("r");
            t.store(flags[me], 1);
            t.fence_at(places[me], Fence::Full, Presence::Absent);
            t.load(r, flags[1 - me]);
            t.output(r);
        });
    }
    program.build().expect("it is well formed")
}

/// One thread writes data and then a flag, the other reads the flag and then the data; a fence of one of `kinds`
/// may stand between the two accesses.
fn message_passing(kinds: &[Fence]) -> Program {
    let mut program = ProgramBuilder::new("message passing");
    let (data, flag) = (program.location("data", 0), program.location("flag", 0));
    program.thread("sender", |t| {
        t.store(data, 1);
        t.fence_kinds_at("sent", kinds.iter().copied(), Presence::Present);
        t.store(flag, 1);
    });
    program.thread("receiver", |t| {
        let (f, d) = (t.register("f"), t.register("d"));
        t.load(f, flag);
        t.fence_kinds_at("received", kinds.iter().copied(), Presence::Absent);
        t.load(d, data);
        t.output(f);
        t.output(d);
    });
    program.build().expect("it is well formed")
}

/// Two threads increment a counter by a load and a store, with a fence between them.
fn lost_update() -> Program {
    let mut program = ProgramBuilder::new("lost update");
    let counter = program.location("counter", 0);
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let n = t.register("n");
            t.load(n, counter);
            t.fence_at("between", Fence::Full, Presence::Absent);
            t.store(counter, n + 1);
            t.output(n);
        });
    }
    program.build().expect("it is well formed")
}

fn atomic_update() -> Behaviours {
    let mut program = ProgramBuilder::new("atomic update");
    let counter = program.location("counter", 0);
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let n = t.register("n");
            t.fetch_and_add(n, counter, 1);
            t.output(n);
        });
    }
    let program = program.build().expect("it is well formed");
    Behaviours::of(program, MemoryModel::Sc, STATES).expect("it is small")
}

/// A synthesis names the threads that were cut off.
#[test]
fn a_thread_that_never_ends_is_cut_off_and_the_synthesis_says_so() {
    let mut program = ProgramBuilder::new("endless");
    program.backward_jumps(1);
    let never = program.location("never", 0);
    program.thread("waiting", |t| {
        let r = t.register("r");
        t.fence_at("before", Fence::Full, Presence::Absent);
        t.repeat_until(r.equals(1), |t| t.load(r, never));
    });
    let program = program.build().expect("it is well formed");
    let found = synthesis(program, MemoryModel::Tso);
    assert_eq!(fences(&found), [[""; 0]; 1]);
    assert_eq!(found.cut_off, ["waiting"]);
    let line = "\ncut off by the bound on loops: waiting\n";
    assert!(found.to_string().contains(line), "{found}");
    let ending = synthesis(store_buffering(["left", "right"]), MemoryModel::Tso);
    assert!(ending.cut_off.is_empty() && !ending.to_string().contains("cut off"));
}

#[test]
fn store_buffering_needs_a_fence_in_each_thread() {
    let program = || store_buffering(["left", "right"]);
    assert_eq!(
        fences(&synthesis(program(), MemoryModel::Sc)),
        [[""; 0]; 1],
        "none"
    );
    for model in &MemoryModel::ALL[1..] {
        let found = synthesis(program(), *model);
        assert_eq!(fences(&found), [["left", "right"]]);
        for (without, fence) in found.sets()[0].without.iter().zip(["left", "right"]) {
            assert_eq!(without.fence, fence);
            assert_eq!(without.failure.scenario, "robust");
            let counterexample = &without.failure.counterexample;
            assert_eq!(counterexample.obligation, "simulation");
            assert!(counterexample.reachable && counterexample.length >= 2);
        }
    }
}

#[test]
fn places_of_one_name_are_one_place() {
    let found = synthesis(store_buffering(["both", "both"]), MemoryModel::Tso);
    assert_eq!(fences(&found), [["both"]]);
    assert_eq!(found.places.len(), 1);
}

/// TSO needs no fence, PSO one in the sender, RMO one in both threads. The presence stated in the program makes no
/// difference.
#[test]
fn message_passing_needs_what_its_model_reorders() {
    let full = |model| synthesis(message_passing(&[Fence::Full]), model);
    assert_eq!(fences(&full(MemoryModel::Tso)), [[""; 0]; 1]);
    assert_eq!(fences(&full(MemoryModel::PsoNo)), [["sent:full"]]);
    assert_eq!(
        fences(&full(MemoryModel::RmoNo)),
        [["sent:full", "received:full"]]
    );
}

/// Of several kinds, the weakest sufficient one is found: stronger ones are not minimal, and an acquire fence has
/// no effect in the sender.
#[test]
fn a_full_fence_is_not_minimal_where_a_weaker_one_is_enough() {
    let found = synthesis(message_passing(&Fence::ALL), MemoryModel::RmoNo);
    assert_eq!(fences(&found), [["sent:release", "received:acquire"]]);
    assert_eq!(found.places.len(), 6);
    assert!(
        found.sets()[0]
            .without
            .iter()
            .all(|of| of.instead.is_empty())
    );
}

/// Between a store and a load only a full fence suffices, not the two weaker ones together.
#[test]
fn a_full_fence_is_minimal_only_if_both_weaker_ones_are_not_enough() {
    let mut program = ProgramBuilder::new("store buffering");
    let flags = [program.location("x", 0), program.location("y", 0)];
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let r = t.register("r");
            t.store(flags[me], 1);
            t.fence_kinds_at("between", Fence::ALL, Presence::Absent);
            t.load(r, flags[1 - me]);
            t.output(r);
        });
    }
    let program = program.build().expect("it is well formed");
    let found = synthesis(program, MemoryModel::Tso);
    assert_eq!(fences(&found), [["between:full"]]);
    let without = &found.sets()[0].without[0];
    assert_eq!(without.instead, ["between:acquire", "between:release"]);
    let text = wide(&found);
    assert!(
        text.contains("without between:full, with between:acquire and between:release instead:"),
        "{text}"
    );
}

/// A jump between two fences bypasses the first one, which therefore covers no other; nor does a fence of another
/// name.
#[test]
fn a_fence_that_can_be_passed_by_covers_no_other() {
    let program = |jump: bool| {
        let mut program = ProgramBuilder::new("jump");
        program.thread("P0", |t| {
            let inside = t.label();
            if jump {
                t.branch_unless(0, inside);
            }
            t.fence_kinds_at("point", [Fence::Full], Presence::Absent);
            t.place(inside);
            t.fence_kinds_at("point", [Fence::Release], Presence::Absent);
            t.fence_at("other", Fence::Full, Presence::Absent);
        });
        program.build().expect("it is well formed")
    };
    assert!(program(false).covers("point:full", "point:release"));
    assert!(!program(true).covers("point:full", "point:release"));
    assert!(!program(false).covers("point:release", "point:full"));
    assert!(!program(false).covers("other", "point:release"));
}

#[test]
fn what_fails_with_all_fences_is_told_with_its_trace() {
    let scenario = Scenario::refines("atomic", lost_update(), atomic_update());
    let found = synthesise(&[scenario], MemoryModel::Tso, &two_workers()).expect("it is searched");
    let Answer::Unmendable {
        failure: Some(failure),
        vacuous,
    } = &found.answer
    else {
        panic!("{found}");
    };
    assert!(vacuous.is_empty());
    assert_eq!(failure.scenario, "atomic");
    assert_eq!(failure.counterexample.obligation, "simulation");
    assert_eq!(found.checks, 1);
    assert!(
        found
            .to_string()
            .contains("no set of fences suffices; with all of them:")
    );
}

/// A set that satisfies each scenario alone does not satisfy both.
#[test]
fn all_scenarios_have_to_hold_at_once() {
    let one = |thread: usize, name: &str| {
        let names = [["mine", "other"], ["other", "mine"]][thread];
        Scenario::robust(name, store_buffering(names), STATES).expect("it is small")
    };
    let passing = message_passing(&[Fence::Full]);
    let passing = Scenario::robust("passing", passing, STATES).expect("it is small");
    let scenarios = [one(0, "left"), one(1, "right"), passing];
    let found =
        synthesise(&scenarios, MemoryModel::PsoFull, &two_workers()).expect("it is searched");
    assert_eq!(fences(&found), [["mine", "other", "sent:full"]]);
    let set = &found.sets()[0];
    assert_eq!(set.holds.len(), 3);
    assert_eq!(set.without[2].failure.scenario, "passing");
}

#[test]
fn a_limit_ends_in_no_claim() {
    let settings = Settings {
        limits: Limits {
            states: Some(3),
            ..Limits::default()
        },
        ..two_workers()
    };
    let scenarios = [robust(store_buffering(["left", "right"]))];
    let found = synthesise(&scenarios, MemoryModel::Tso, &settings).expect("it is searched");
    let Answer::Incomplete(undecided) = &found.answer else {
        panic!("{found}");
    };
    assert_eq!(undecided.fences, ["left", "right"]);
    assert_eq!(undecided.limit, Some(Limit::States(3)));
    assert!(found.sets().is_empty());
    assert!(wide(&found).ends_with(
        "incomplete: with fences at left, right the check of robust was ended by the limit of 3 states, \
         so nothing is claimed\n"
    ));
}

/// The time limit covers all checks together.
#[test]
fn time_is_shared_by_the_checks() {
    let settings = Settings {
        limits: Limits {
            seconds: Some(1e-9),
            ..Limits::default()
        },
        ..two_workers()
    };
    let scenarios = [robust(store_buffering(["left", "right"]))];
    let found = synthesise(&scenarios, MemoryModel::Tso, &settings).expect("it is searched");
    assert!(matches!(found.answer, Answer::Incomplete(_)), "{found}");
}

/// Limits hold while it is looked for what is doubtful of a set, too.
#[test]
fn a_set_whose_doubts_are_not_looked_for_is_not_told() {
    let cancel = Arc::new(AtomicBool::new(false));
    let cancels = Arc::clone(&cancel);
    let program = store_buffering(["left", "right"]);
    let scenario = Scenario::new("decided", program, move |program, model, _| {
        let refinement = ProgramRefinement::robust(program, model, STATES).expect("it is small");
        let report = check(&refinement, &Settings::default());
        cancels.store(true, Ordering::Relaxed);
        report
    });
    let settings = Settings {
        watch: Watch {
            cancel: Some(&cancel),
            ..Watch::default()
        },
        ..two_workers()
    };
    let found = synthesise(&[scenario], MemoryModel::Sc, &settings).expect("it is searched");
    let undecided = Undecided {
        fences: Vec::new(),
        scenario: String::new(),
        limit: Some(Limit::Cancelled),
    };
    assert_eq!(
        (found.checks, found.answer),
        (2, Answer::Incomplete(undecided))
    );
}

/// A thread outputs a value only if both loads are early, and never ends otherwise. With the fences the program
/// satisfies its specification vacuously, since it outputs nothing.
#[test]
fn a_set_that_holds_because_nothing_happens_is_vacuous() {
    let program = |order: [bool; 2]| {
        let mut program = ProgramBuilder::new("vacuous");
        let flags = [program.location("x", 0), program.location("y", 0)];
        let seen = [program.location("seen 0", 9), program.location("seen 1", 9)];
        for me in 0..2 {
            program.thread(format!("P{me}"), |t| {
                let (r, other) = (t.register("r"), t.register("other"));
                t.store(flags[me], 1);
                if order[me] {
                    t.fence_at("between", Fence::Full, Presence::Absent);
                }
                t.load(r, flags[1 - me]);
                t.store(seen[me], r);
                t.fence(Fence::Full);
                t.repeat_until(r.is_false().and(other.is_false()), |t| {
                    t.load(other, seen[1 - me]);
                });
                t.output(7);
            });
        }
        program.build().expect("it is well formed")
    };
    let mut specification = ProgramBuilder::new("seven");
    for me in 0..2 {
        specification.thread(format!("P{me}"), |t| t.output(7));
    }
    let specification = specification.build().expect("it is well formed");
    let specification =
        Behaviours::of(specification, MemoryModel::Sc, STATES).expect("it is small");
    let scenario = Scenario::refines("seven", program([true, true]), specification);
    let found = synthesise(&[scenario], MemoryModel::Tso, &two_workers()).expect("it is searched");
    // Without fences the program outputs 7, which is permitted; so the empty set suffices and is exercised.
    assert_eq!(fences(&found), [[""; 0]; 1]);

    // If 7 is not permitted, the scenario holds with the fences, vacuously.
    let mut specification = ProgramBuilder::new("eight");
    for me in 0..2 {
        specification.thread(format!("P{me}"), |t| t.output(8));
    }
    let specification = specification.build().expect("it is well formed");
    let specification =
        Behaviours::of(specification, MemoryModel::Sc, STATES).expect("it is small");
    let scenario = Scenario::refines("eight", program([true, true]), specification);
    let found = synthesise(&[scenario], MemoryModel::Tso, &two_workers()).expect("it is searched");
    let Answer::Unmendable {
        failure: None,
        vacuous,
    } = &found.answer
    else {
        panic!("{found}");
    };
    assert_eq!(vacuous.len(), 1);
    assert_eq!(vacuous[0].fences, ["between"]);
    assert_eq!(vacuous[0].obligation, "coverage");
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let tso = MemoryModel::Tso;
    let none = synthesise(&[], tso, &two_workers());
    assert_eq!(none, Err(SynthesisError::NoScenario));
    let twice = [robust(store_buffering(["a", "b"])), robust(lost_update())];
    let error = synthesise(&twice, tso, &two_workers()).unwrap_err();
    assert_eq!(error.to_string(), "two scenarios are named \"robust\"");

    let mut program = ProgramBuilder::new("many places");
    program.thread("P0", |t| {
        for number in 0..65 {
            t.fence_at(number.to_string(), Fence::Full, Presence::Absent);
        }
    });
    let many = robust(program.build().expect("it is well formed"));
    let error = synthesise(&[many], tso, &two_workers()).unwrap_err();
    assert_eq!(error, SynthesisError::TooManyPlaces { given: 65 });

    let scenarios = [robust(store_buffering(["a", "b"]))];
    let nothing = Settings {
        obligations: Selection::Nothing,
        ..two_workers()
    };
    let walks = Settings {
        search: Search::Walks(Walks {
            walks: 1,
            steps: 1,
            seed: 0,
        }),
        ..two_workers()
    };
    for settings in [nothing, walks] {
        let error = synthesise(&scenarios, tso, &settings).unwrap_err();
        assert!(
            matches!(error, SynthesisError::NothingDecided { .. }),
            "{error}"
        );
    }
    let unknown = Settings {
        obligations: Selection::only(["simulation", "similarity"]),
        ..two_workers()
    };
    let error = synthesise(&scenarios, tso, &unknown).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("scenario \"robust\": there is no obligation \"similarity\""),
        "{error}"
    );
}

/// An obligation that is not monotone is rejected, whatever its verdict.
#[test]
fn an_obligation_that_is_not_monotone_is_refused() {
    let program = store_buffering(["a", "b"]);
    let scenario = Scenario::new(
        "environment",
        program.clone(),
        |program, model, settings| {
            let refinement =
                ProgramRefinement::robust(program, model, STATES).expect("it is small");
            let mut report = check(&refinement, settings)?;
            for row in &mut report.obligations {
                if row.name == "environment" {
                    row.verdict = refmap::Verdict::Holds;
                    row.name = "environment:show".to_owned();
                }
            }
            Ok(report)
        },
    );
    let error = synthesise(&[scenario], MemoryModel::Sc, &two_workers()).unwrap_err();
    let SynthesisError::NotMonotone { obligation, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(obligation, "environment:show");
}

/// A check that depends on which fences stand can hold with fewer of them; the search detects this when it shows
/// that a set is minimal.
#[test]
fn a_check_that_contradicts_the_lemma_is_noticed() {
    let mut places = ProgramBuilder::new("three places");
    let x = places.location("x", 0);
    places.thread("P0", |t| {
        let r = t.register("r");
        for name in ["a", "b", "c"] {
            t.fence_at(name, Fence::Full, Presence::Absent);
        }
        t.load(r, x);
        t.output(r);
    });
    let places = places.build().expect("it is well formed");
    let wrong = {
        let mut wrong = ProgramBuilder::new("wrong");
        let x = wrong.location("x", 1);
        wrong.thread("P0", |t| {
            let r = t.register("r");
            t.load(r, x);
            t.output(r);
        });
        wrong.build().expect("it is well formed")
    };
    let scenario = Scenario::new(
        "by name",
        places.clone(),
        move |program, model, settings| {
            let standing = program.places.iter();
            let standing: Vec<_> = standing
                .map(|place| place.fence == Presence::Present)
                .collect();
            // The last place and one of the others hold; so does the second alone, but not with the first.
            let right = matches!(
                standing[..],
                [true, _, true] | [_, true, true] | [false, true, false]
            );
            let program = if right { places.clone() } else { wrong.clone() };
            let specification = Behaviours::of(places.clone(), MemoryModel::Sc, STATES);
            let specification = specification.expect("it is small");
            check(
                &ProgramRefinement::new(program, model, specification),
                settings,
            )
        },
    );
    let error = synthesise(&[scenario], MemoryModel::Sc, &two_workers()).unwrap_err();
    let SynthesisError::Contradiction { more, fewer, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((more.as_str(), fewer.as_str()), ("a, b", "b"));
}

#[test]
fn a_synthesis_is_json() {
    let found = synthesis(store_buffering(["left", "right"]), MemoryModel::Tso);
    let json = serde_json::to_value(&found).expect("it is serialised");
    assert_eq!(json["memory"], "tso");
    assert_eq!(json["verdict"], "mended");
    assert_eq!(
        json["places"][0],
        serde_json::json!({"name": "left", "fences": ["full"]})
    );
    let set = &json["sets"][0];
    assert_eq!(set["fences"], serde_json::json!(["left", "right"]));
    let without = &set["without"][0];
    assert_eq!(without["fence"], "left");
    assert_eq!(without["scenario"], "robust");
    assert_eq!(without["counterexample"]["obligation"], "simulation");
    let steps = without["counterexample"]["steps"].as_array();
    assert!(steps.is_some_and(|steps| steps.len() > 2));
    assert_eq!(json["hollow"], serde_json::json!([]));
}
