//! Random walks: what they find, what they are shortened to, and that a seed decides all of it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use refmap::AbstractSteps::One;
use refmap::explore::{Limit, Progress, Watch};
use refmap::internal::explore::Phase;
use refmap::obligation::{Selection, Until};
use refmap::random::{Generator, Walks, random_trace};
use refmap::report::{Counterexample, Sample};
use refmap::{
    Constraint, Evidence, Invariant, Refinement, Report, Search, Settings, TransitionSystem,
    Verdict, steps,
};
use refmap_testing::{Action, Go, Itself, Machine, Via, checked, itself, row_of, up_to_bytes};

fn walks(walks: u32, steps: u32, seed: u64) -> Settings<'static> {
    Settings {
        search: Search::Walks(Walks { walks, steps, seed }),
        threads: 2,
        ..Settings::default()
    }
}

/// The report but for what may differ from run to run.
fn lasting(report: Report) -> Report {
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        states_kept: None,
        // Comparing stops where it takes too much of the time.
        threads: 0,
        ..report
    }
}

/// Takes the steps of a counterexample on the model, and checks that they are there.
fn assert_replays<R: Refinement>(refinement: &R, shown: &Counterexample) {
    let system = refinement.implementation();
    let json = |state: &_| serde_json::to_value(state).expect("a state has a JSON form");
    let mut at = None;
    system.initial(&mut |state| {
        if json(&state) == shown.steps[0].state {
            at = Some(state);
        }
    });
    let mut at = at.expect("it begins in an initial state");
    for step in &shown.steps[1..] {
        let mut taken = steps(system, &at).into_iter().filter(|(action, to)| {
            serde_json::to_value(action).ok() == step.action && json(to) == step.state
        });
        at = taken.next().expect("the step is one of the system's").1;
    }
    assert_eq!(shown.length + 1, shown.steps.len());
}

/// A counter from 0 to 99 and round again, with a second rule that leads back to 0.
fn counter() -> Machine<u8> {
    let next = |n: &u8| vec![(("tick", 0), (n + 1) % 100), (("reset", 0), 0)];
    Machine::new(&[("tick", "clock"), ("reset", "user")], [0], next, |n| *n)
}

/// Numbers that go up and down; the invariant fails at 10.
fn wanderer() -> Via<u8, u8> {
    let next = |n: &u8| vec![(("up", 0), n + 1), (("down", 0), n.saturating_sub(1))];
    let rules = [("up", "walker"), ("down", "walker")];
    let mut refinement = itself(Machine::new(&rules, [0u8, 3], next, |n| *n));
    refinement.invariants = vec![Invariant::new("low", "a test", |n: &u8| *n < 10)];
    refinement
}

#[test]
fn walks_never_make_a_check_hold() {
    let report = checked(&itself(counter()), &walks(50, 500, 0));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    assert_eq!(report.evidence, Evidence::Sampled);
    assert_eq!(report.limit, None);
    for row in &report.obligations {
        assert_ne!(row.verdict, Verdict::Holds, "{}", row.name);
    }
    let coverage = row_of(&report, "coverage");
    assert!(coverage.note.is_some());
    let text = report.to_string();
    let headline = "incomplete, sampled: 50 random walks of at most 500 steps, seed 0\n";
    assert!(text.contains(headline), "{text}");
}

/// The environment is left undecided, and the report says why.
#[test]
fn the_environment_is_incomplete_with_a_reason() {
    let mut refinement = itself(counter());
    refinement.environment = vec![refmap::Process::new("user")];
    let report = checked(&refinement, &walks(5, 50, 0));
    for name in ["environment:reset", "environment:at_rest"] {
        let row = row_of(&report, name);
        assert_eq!(row.verdict, Verdict::Incomplete);
        let note = row.note.as_deref().unwrap();
        assert!(note.contains("needs the complete graph"), "{note}");
    }
}

#[test]
fn what_is_counted_is_what_was_walked() {
    let report = checked(&itself(counter()), &walks(7, 30, 5));
    assert_eq!(report.states, 7 * 31);
    assert_eq!(report.transitions, 7 * 30);
    assert_eq!(report.depth, 30);
    let fired: u64 = report.coverage.iter().map(|row| row.fired).sum();
    assert_eq!(fired, report.transitions);
    let tested = |name| row_of(&report, name).checked;
    assert_eq!(tested("initiality"), 7);
    assert_eq!(tested("observation"), report.states);
    assert_eq!(tested("simulation"), report.transitions);
    assert_eq!(tested("deadlock"), report.states);
    let sample = Sample {
        walks: 7,
        steps: 30,
        seed: 5,
        begun: 7,
    };
    assert_eq!(report.walks, Some(sample));
}

/// A rule with one instance gets as many turns as one with a hundred.
#[test]
fn rules_are_taken_evenly() {
    let next = |n: &u8| {
        let mut steps = vec![(("one", 0), *n)];
        steps.extend((0..100).map(|to| (("many", to), to)));
        steps
    };
    let system = Machine::new(&[("one", "a"), ("many", "b")], [0], next, |n| *n);
    let report = checked(&itself(system), &walks(20, 1000, 1));
    for row in &report.coverage {
        assert!((9_000..11_000).contains(&row.fired), "{row:?}");
    }
}

/// The first, the last and one in the middle.
#[test]
fn every_instance_of_a_rule_comes_up() {
    let next = |_: &u8| (0..10).map(|to| (("go", to), to)).collect();
    let system = Machine::new(&[("go", "a")], [0], next, |n| *n);
    let mut refinement = itself(system);
    refinement.invariants = vec![
        Invariant::new("not_0", "a test", |n: &u8| *n != 0),
        Invariant::new("not_4", "a test", |n: &u8| *n != 4),
        Invariant::new("not_9", "a test", |n: &u8| *n != 9),
    ];
    let settings = Settings {
        until: Until::End,
        ..walks(1, 200, 1)
    };
    let report = checked(&refinement, &settings);
    assert_eq!(report.violated().count(), 3, "{report}");
}

#[test]
fn a_seed_decides_all_whatever_the_threads() {
    let wandering = wanderer();
    let mut failing_late = itself(counter());
    failing_late.invariants = vec![Invariant::new("early", "a test", |n: &u8| *n < 12)];
    for seed in 0..2 {
        for until in [Until::FirstViolation, Until::End] {
            let report = |threads: usize, refinement: &Via<u8, u8>| {
                let settings = Settings {
                    threads,
                    until,
                    ..walks(600, 200, seed)
                };
                lasting(checked(refinement, &settings))
            };
            for refinement in [&wandering, &failing_late] {
                let alone = report(1, refinement);
                for threads in [1, 2, 3] {
                    assert_eq!(alone, report(threads, refinement));
                }
            }
        }
    }
    let other = |seed| lasting(checked(&itself(counter()), &walks(5, 100, seed)));
    assert_ne!(other(1).coverage, other(2).coverage);
}

/// Walks that were done before an earlier one had failed are as if they had not been begun.
#[test]
fn a_walk_behind_one_that_fails_counts_for_nothing() {
    /// Number of calls from initial states other than 0.
    static ELSEWHERE: AtomicU64 = AtomicU64::new(0);
    /// Whether the next walk that begins in 0 waits for another one.
    static WAITS: AtomicBool = AtomicBool::new(false);
    fn next(n: &u8) -> Vec<(Action, u8)> {
        if *n >= 200 {
            ELSEWHERE.fetch_add(1, Ordering::SeqCst);
            return Vec::new();
        }
        if *n == 0 && WAITS.swap(false, Ordering::SeqCst) {
            let (before, since) = (ELSEWHERE.load(Ordering::SeqCst), Instant::now());
            let goes_on = || since.elapsed() < Duration::from_secs(1);
            while ELSEWHERE.load(Ordering::SeqCst) < before + 3 && goes_on() {
                std::thread::yield_now();
            }
        }
        vec![(("up", 0), n + 1)]
    }
    let initial: Vec<u8> = [0].into_iter().chain(200..216).collect();
    let mut refinement = itself(Machine::new(&[("up", "walker")], initial, next, |n| *n));
    refinement.implementation.may_stop = |n| *n >= 200;
    refinement.invariants = vec![Invariant::new("low", "a test", |n: &u8| {
        *n < 9 || *n >= 200
    })];
    let report = |threads, waits| {
        WAITS.store(waits, Ordering::SeqCst);
        let settings = Settings {
            threads,
            ..walks(400, 100, 1)
        };
        lasting(checked(&refinement, &settings))
    };
    let alone = report(1, false);
    assert_eq!(alone.violated().collect::<Vec<_>>(), ["invariant:low"]);
    assert_eq!(alone.transitions, 9);
    assert_eq!(alone, report(2, true));
}

/// From the better of the two initial states, seven steps up are the shortest there is.
#[test]
fn a_failing_walk_is_shortened_to_the_minimum() {
    for seed in 0..20 {
        let refinement = wanderer();
        let report = checked(&refinement, &walks(100, 1000, seed));
        assert_eq!(report.verdict, Some(Verdict::Violated));
        let shown = report.counterexample.as_ref().unwrap();
        assert_eq!(shown.obligation, "invariant:low");
        assert_eq!(shown.length, 7, "{report}");
        assert_eq!(shown.explanation, "`low` is false here [a test]");
        assert_replays(&refinement, shown);
    }
}

/// The state in which a walk ends is looked at like all others, and the step that leads there: with one step fewer it is
/// not reached.
#[test]
fn the_last_state_of_a_walk_is_examined() {
    type Broken = fn(&mut Via<u8, u8>);
    let cases: [(Broken, &str); 4] = [
        (
            |r| r.invariants = vec![Invariant::new("below", "a test", |n: &u8| *n < 5)],
            "invariant:below",
        ),
        (
            |r| r.implementation.observe = |n| if *n == 5 { 9 } else { *n },
            "observation",
        ),
        (
            |r| r.abstract_steps = Box::new(|n, action, _| (*n != 4).then_some(*action).into()),
            "simulation",
        ),
        (
            |r| r.implementation.next = |n| if *n == 5 { Vec::new() } else { straight(n) },
            "deadlock",
        ),
    ];
    fn straight(n: &u8) -> Vec<(Action, u8)> {
        vec![(("up", 0), n + 1)]
    }
    for (break_it, obligation) in cases {
        let mut refinement = itself(Machine::new(&[("up", "walker")], [0], straight, |n| *n));
        break_it(&mut refinement);
        for (steps, found) in [(4, false), (5, true), (6, true)] {
            let report = checked(&refinement, &walks(3, steps, 1));
            let shown = report.counterexample.as_ref();
            let shown = shown.map(|shown| (shown.obligation.as_str(), shown.length));
            assert_eq!(shown, found.then_some((obligation, 5)), "{steps}: {report}");
            let verdict = if found {
                Verdict::Violated
            } else {
                Verdict::Incomplete
            };
            assert_eq!(report.verdict, Some(verdict));
        }
    }
}

/// The note says which walk it was and how long.
#[test]
fn a_shortened_walk_is_named() {
    let report = checked(&wanderer(), &walks(100, 1000, 3));
    let row = row_of(&report, "invariant:low");
    let note = row.note.as_deref().unwrap();
    let begun = report.walks.unwrap().begun;
    let start = format!("walk {} of seed 3, ", begun - 1);
    assert!(note.starts_with(&start), "{note}");
    assert!(note.ends_with(" steps, shortened to 7"), "{note}");
}

/// Steps that a step needs stay, those between them go, wherever they are.
#[test]
fn only_the_steps_that_are_needed_stay() {
    // Three locks to be opened in any order, and a great deal else to do.
    type Locks = (u8, u8);
    let next = |&(open, busy): &Locks| {
        let mut steps: Vec<_> = (0..3)
            .filter(|lock| open & 1 << lock == 0)
            .map(|lock| (("open", lock), (open | 1 << lock, busy)))
            .collect();
        steps.extend((0..50).map(|to| (("work", to), (open, to))));
        steps
    };
    let rules = [("open", "thief"), ("work", "clerk")];
    let mut refinement = itself(Machine::new(&rules, [(0, 0)], next, |s: &Locks| s.1));
    refinement.invariants = vec![Invariant::new("shut", "a test", |&(open, busy): &Locks| {
        open != 7 || busy % 2 == 0
    })];
    for seed in 0..10 {
        let report = checked(&refinement, &walks(50, 400, seed));
        let shown = report.counterexample.unwrap();
        assert_eq!(
            (shown.obligation.as_str(), shown.length),
            ("invariant:shut", 4)
        );
        assert_replays(&refinement, &shown);
    }
}

#[test]
fn a_wrong_answer_is_found_and_explained() {
    let mut refinement = itself(counter());
    refinement.abstract_steps =
        Box::new(|n, action, _| (*n != 3 || action.0 != "tick").then_some(*action).into());
    let report = checked(&refinement, &walks(100, 100, 0));
    let shown = report.counterexample.as_ref().unwrap();
    assert_eq!((shown.obligation.as_str(), shown.length), ("simulation", 4));
    assert!(shown.explanation.contains("answered by a stutter"));
    assert!(!shown.nearest.is_empty());
    assert_replays(&refinement, shown);
}

/// The step that is wrong is the one that is shown, wherever it is among those that its state offers.
#[test]
fn the_step_that_is_wrong_is_the_last_one_shown() {
    for wrong in ["tick", "reset"] {
        let mut refinement = itself(counter());
        refinement.abstract_steps =
            Box::new(move |n, action, _| (*n != 3 || action.0 != wrong).then_some(*action).into());
        let report = checked(&refinement, &walks(100, 100, 0));
        let shown = report.counterexample.as_ref().unwrap();
        assert_eq!((shown.obligation.as_str(), shown.length), ("simulation", 4));
        let last = shown.steps.last().unwrap();
        assert_eq!(last.action, Some(serde_json::json!([wrong, 0])));
        assert_replays(&refinement, shown);
    }
}

/// Each rule by which simulation fails has a counterexample of its own.
#[test]
fn with_keep_going_every_failure_is_shown() {
    let mut refinement = wanderer();
    refinement.abstract_steps = Box::new(|n, action, _| (*n != 5).then_some(*action).into());
    let settings = Settings {
        until: Until::End,
        ..walks(50, 300, 0)
    };
    let report = checked(&refinement, &settings);
    assert_eq!(report.walks.unwrap().begun, 50);
    let violated: Vec<_> = report.violated().collect();
    assert_eq!(violated, ["simulation", "invariant:low"]);
    let rows = report.obligations.iter();
    let shown: Vec<_> = rows.flat_map(|row| &row.counterexamples).collect();
    let lengths: Vec<_> = shown.iter().map(|shown| shown.length).collect();
    assert_eq!(lengths, [3, 3, 7]);
    for shown in shown {
        assert_replays(&refinement, shown);
    }
}

#[test]
fn an_initial_state_that_is_wrong_is_shown_without_steps() {
    let mut refinement = itself(counter());
    refinement.specification.initial = vec![1];
    let report = checked(&refinement, &walks(3, 10, 0));
    let shown = report.counterexample.unwrap();
    assert_eq!((shown.obligation.as_str(), shown.length), ("initiality", 0));
    refinement.implementation.initial.clear();
    let report = checked(&refinement, &walks(3, 10, 0));
    assert_eq!(report.violated().collect::<Vec<_>>(), ["initiality"]);
    assert_eq!(report.walks.unwrap().begun, 0);
}

#[test]
fn a_deadlock_is_found_and_shortened() {
    let mut refinement = wanderer();
    refinement.invariants.clear();
    let next: fn(&u8) -> Vec<(Action, u8)> = |n| match n {
        6 => Vec::new(),
        n => vec![(("up", 0), n + 1), (("down", 0), n.saturating_sub(1))],
    };
    refinement.implementation.next = next;
    refinement.specification.next = next;
    let report = checked(&refinement, &walks(100, 1000, 0));
    let shown = report.counterexample.as_ref().unwrap();
    assert_eq!((shown.obligation.as_str(), shown.length), ("deadlock", 3));
    assert_eq!(report.deadlocks, 1);
    assert_replays(&refinement, shown);
    // Where the system may stop, walks just end.
    refinement.implementation.may_stop = |_| true;
    let report = checked(&refinement, &walks(100, 1000, 0));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    assert_eq!(report.deadlocks, 100);
    assert!(report.depth < 1000);
}

/// Whichever function panics, it is a fault of the model, named and shortened.
#[test]
fn panics_are_findings() {
    type Change = fn(&mut Via<u8, u8>);
    fn panics_at_9(n: &u8) -> u8 {
        assert!(*n != 9, "nine");
        *n
    }
    let with = |change: Change| {
        let mut refinement = wanderer();
        refinement.invariants.clear();
        change(&mut refinement);
        checked(&refinement, &walks(50, 500, 2))
    };
    let cases: [(&str, usize, Change); 4] = [
        ("`next` of the implementation panicked", 6, |r| {
            r.implementation.next = |n| {
                let n = panics_at_9(n);
                vec![(("up", 0), n + 1), (("down", 0), n.saturating_sub(1))]
            };
        }),
        ("`observe` of the implementation panicked", 6, |r| {
            r.implementation.observe = panics_at_9
        }),
        ("`abstract_steps` panicked", 7, |r| {
            r.abstract_steps = Box::new(|n, action, _| {
                panics_at_9(n);
                One(*action)
            });
        }),
        ("invariant `low` panicked", 6, |r| {
            let low = Invariant::new("low", "a test", |n: &u8| panics_at_9(n) < 200);
            r.invariants = vec![low];
        }),
    ];
    for (why, length, change) in cases {
        let report = with(change);
        let shown = report.counterexample.as_ref().unwrap();
        assert_eq!(shown.obligation, "model");
        assert!(shown.explanation.starts_with(why), "{report}");
        assert!(shown.explanation.contains("“nine”"), "{report}");
        assert_eq!(shown.length, length, "{report}");
    }
}

#[test]
fn an_action_offered_twice_is_found_even_if_it_is_not_taken() {
    let mut refinement = wanderer();
    refinement.invariants.clear();
    refinement.implementation.next = |n| match n {
        8 => vec![(("down", 0), 7), (("up", 0), 9), (("up", 0), 7)],
        n => vec![(("up", 0), n + 1), (("down", 0), n.saturating_sub(1))],
    };
    let report = checked(&refinement, &walks(50, 500, 2));
    let shown = report.counterexample.as_ref().unwrap();
    assert_eq!((shown.obligation.as_str(), shown.length), ("model", 6));
    assert!(shown.explanation.contains("twice"), "{report}");
    assert_replays(&refinement, shown);
}

#[test]
fn only_the_obligations_chosen_are_tested() {
    let choose = |obligations| Settings {
        obligations,
        ..walks(100, 1000, 0)
    };
    let report = checked(&wanderer(), &choose(Selection::only(["deadlock"])));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    assert_eq!(report.obligations.len(), 1);
    let report = checked(&wanderer(), &choose(Selection::Nothing));
    assert_eq!((report.verdict, report.transitions), (None, 100_000));
}

#[test]
fn time_cancellation_and_memory_end_the_walks() {
    let endless = || walks(u32::MAX, u32::MAX, 0);
    let mut settings = endless();
    settings.limits.seconds = Some(0.05);
    let report = checked(&itself(counter()), &settings);
    assert_eq!(report.limit, Some(Limit::Seconds(0.05)));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    assert!(report.transitions > 0 && report.walks.unwrap().begun > 0);
    let text = report.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains(", ended by the limit of 0.05 seconds")
    );

    let cancel = AtomicBool::new(false);
    let seen = AtomicU64::new(0);
    let settings = Settings {
        watch: Watch {
            cancel: Some(&cancel),
            progress: Some(&|progress| {
                seen.fetch_max(progress.transitions, Ordering::Relaxed);
                cancel.store(progress.transitions > 10_000, Ordering::Relaxed);
            }),
        },
        ..endless()
    };
    let report = checked(&itself(counter()), &settings);
    assert_eq!(report.limit, Some(Limit::Cancelled));
    assert!(seen.into_inner() > 10_000);

    let settings = Settings {
        limits: up_to_bytes(1),
        ..endless()
    };
    let report = checked(&itself(counter()), &settings);
    assert_eq!(report.limit, Some(Limit::MemoryBytes(1)));
}

/// A report of walks survives its JSON form.
#[test]
fn reports_of_walks_can_be_read_back() {
    let report = checked(&wanderer(), &walks(100, 1000, 3));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["evidence"], "sampled");
    assert_eq!(json["walks"]["steps"], 1000);
    assert_eq!(serde_json::from_value::<Report>(json).unwrap(), report);
    let exhaustive = checked(&itself(counter()), &Settings::default());
    let json = serde_json::to_value(&exhaustive).unwrap();
    assert!(json.get("walks").is_none());
}

/// A clock of as many initial states as may be shown, or fewer if it fails first.
pub struct Starts {
    states: u32,
    fails_at: u32,
    /// Number of times that they were enumerated.
    pub enumerations: AtomicU32,
}

impl Starts {
    pub fn new(states: u32, fails_at: u32) -> Self {
        Self {
            states,
            fails_at,
            enumerations: AtomicU32::new(0),
        }
    }
}

impl TransitionSystem for Starts {
    type State = u32;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        self.enumerations.fetch_add(1, Ordering::Relaxed);
        for state in 0..self.states {
            assert!(state != self.fails_at, "that is too many");
            // Each twice.
            visit(state);
            visit(state);
        }
    }

    fn is_initial(&self, state: &u32) -> bool {
        *state < self.states
    }

    fn fire(&self, _: &Go, _: &mut u32) -> Option<()> {
        Some(())
    }

    fn observe(&self, _: &u32) {}
}

/// Time, cancellation and memory are looked at while initial states are shown, and those who watch are told.
#[test]
fn walks_over_many_initial_states_end_at_a_limit() {
    const MANY: u32 = 1 << 20;
    let few = checked(&Itself(Starts::new(3, MANY)), &walks(5, 10, 0));
    assert_eq!((few.initial_states, few.transitions), (3, 50));
    let cancel = AtomicBool::new(false);
    let told = AtomicU64::new(0);
    let tell = |progress: &Progress| {
        assert_eq!(
            (progress.transitions, progress.depth, progress.frontier),
            (0, 0, 0)
        );
        told.fetch_max(progress.states, Ordering::Relaxed);
        cancel.store(true, Ordering::Relaxed);
    };
    let nothing = |settings: &mut Settings<'_>| settings.obligations = Selection::Nothing;
    let in_time = |settings: &mut Settings<'_>| settings.limits.seconds = Some(0.0);
    let in_memory = |settings: &mut Settings<'_>| settings.limits.memory_bytes = Some(1);
    type Bound<'a> = &'a dyn Fn(&mut Settings<'_>);
    let bounds: [(Bound<'_>, Limit); 2] = [
        (&in_time, Limit::Seconds(0.0)),
        (&in_memory, Limit::MemoryBytes(1)),
    ];
    for (bound, limit) in bounds {
        let mut settings = walks(5, 10, 0);
        bound(&mut settings);
        nothing(&mut settings);
        let report = checked(&Itself(Starts::new(MANY, MANY)), &settings);
        assert_eq!(report.limit, Some(limit));
        assert!(report.initial_states < u64::from(MANY) / 16, "{report}");
        assert_eq!(report.transitions, 0);
    }
    let mut settings = Settings {
        watch: Watch {
            cancel: Some(&cancel),
            progress: Some(&tell),
        },
        ..walks(5, 10, 0)
    };
    nothing(&mut settings);
    let report = checked(&Itself(Starts::new(MANY, MANY)), &settings);
    assert_eq!(report.limit, Some(Limit::Cancelled));
    assert!(report.initial_states < u64::from(MANY) / 16, "{report}");
    // Half of those shown had been shown before.
    assert_eq!(told.into_inner(), 1 << 13);
}

/// A model that fails while it shows its initial states is at fault, whatever can be walked from those it has shown.
#[test]
fn a_panic_among_initial_states_is_a_finding() {
    for fails_at in [0, 2] {
        let report = checked(&Itself(Starts::new(3, fails_at)), &walks(5, 10, 0));
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert_eq!(shown.obligation, "model");
        assert!(shown.explanation.contains("“that is too many”"), "{report}");
    }
}

/// Watchers are told what was walked; a bound that is far off ends nothing, and there is at least one thread.
#[test]
fn those_who_watch_are_told_what_was_walked() {
    let told = AtomicU64::new(0);
    let tell = |progress: &Progress| {
        assert_eq!(
            (progress.states, progress.frontier),
            (progress.transitions, 0)
        );
        assert!(progress.depth <= 100);
        let work = progress.work.expect("the number of walks is known");
        assert_eq!((progress.phase, work.total), (Phase::Walks, 7));
        assert!((1..=7).contains(&work.done));
        told.fetch_max(progress.transitions, Ordering::Relaxed);
    };
    let settings = Settings {
        threads: 0,
        limits: up_to_bytes(u64::MAX),
        watch: Watch {
            progress: Some(&tell),
            ..Watch::default()
        },
        ..walks(7, 100, 5)
    };
    let report = checked(&itself(counter()), &settings);
    assert_eq!((report.limit, report.transitions), (None, 700));
    assert!(report.seconds > 0.0 && report.peak_memory_bytes > 0);
    assert_eq!(told.into_inner(), 700);
}

/// A behaviour at random is as long as it is asked for, or ends where there is no step; of a system without a beginning
/// there is none.
#[test]
fn a_random_trace_is_as_long_as_it_can_be() {
    let up = |n: &u8| match n {
        20 => Vec::new(),
        n => vec![(("up", 0), n + 1)],
    };
    let mut system = Machine::new(&[("up", "walker")], [0], up, |n| *n);
    let mut generator = Generator::new(1);
    for steps in [0, 1, 7, 20, 25] {
        let trace = random_trace(&system, &mut generator, steps).expect("there is a beginning");
        let length = steps.min(20) as usize;
        assert_eq!(
            (trace.length(), usize::from(*trace.last())),
            (length, length)
        );
        assert!(trace.states().copied().eq(0..=length as u8));
    }
    system.initial = vec![0, 9];
    let beginnings = (0..50).map(|_| random_trace(&system, &mut generator, 1));
    let beginnings = beginnings.map(|trace| trace.expect("there are two").initial);
    let beginnings: std::collections::BTreeSet<_> = beginnings.collect();
    assert!(beginnings.into_iter().eq([0, 9]));
    system.initial.clear();
    assert!(random_trace(&system, &mut generator, 5).is_none());
}

/// Each of many walks is another one, however many have been made before: those past the 512th are not the first ones again.
#[test]
fn walks_past_what_is_made_at_a_time_are_others() {
    static BEGUN: std::sync::Mutex<Vec<u32>> = std::sync::Mutex::new(Vec::new());
    let initial: Vec<u32> = (0..50_000).collect();
    let system = Machine::of(initial, |_| ());
    let mut refinement = itself(system);
    refinement.implementation.may_stop = |_| true;
    refinement.invariants = vec![Invariant::new("noted", "a test", |at: &u32| {
        BEGUN.lock().expect("no holder panics").push(*at);
        true
    })];
    let settings = Settings {
        threads: 1,
        obligations: Selection::only(["invariant"]),
        ..walks(1200, 0, 3)
    };
    let report = checked(&refinement, &settings);
    assert_eq!(report.states, 1200, "{report}");
    let begun = BEGUN.lock().expect("no holder panics");
    let others: std::collections::HashSet<u32> = begun.iter().copied().collect();
    // Of 1200 that are drawn from 50 000 some fourteen are drawn twice.
    assert!(others.len() > 1150, "{}", others.len());
}

/// The depth that is told is the length of the longest walk, whenever that was taken.
#[test]
fn the_longest_walk_is_told() {
    let next = |n: &u8| match n {
        0 => vec![],
        n => vec![(("down", 0), n - 1)],
    };
    let initial: Vec<u8> = (1..=10).collect();
    let mut falling = itself(Machine::new(&[("down", "it")], initial, next, |n| *n));
    falling.implementation.may_stop = |n| *n == 0;
    for seed in 0..10 {
        let report = checked(&falling, &walks(200, 50, seed));
        assert_eq!((report.depth, report.limit), (10, None), "{seed}: {report}");
    }
}

/// A way through a state outside of the constraint is none of the instance, though it is shorter.
#[test]
fn a_walk_is_not_shortened_by_a_way_out_of_the_constraint() {
    let next = |n: &u8| match n {
        0 => vec![(("a", 0), 1), (("b", 0), 100)],
        1 => vec![(("b", 0), 2)],
        2 | 100 => vec![(("c", 0), 5)],
        _ => vec![],
    };
    let rules = [("a", "it"), ("b", "it"), ("c", "it")];
    let mut refinement = itself(Machine::new(&rules, [0], next, |n| *n));
    refinement.implementation.may_stop = |_| true;
    refinement.invariants = vec![Invariant::new("not five", "a test", |n: &u8| *n != 5)];
    let length = |refinement: &Via<u8, u8>| {
        let report = checked(refinement, &walks(100, 10, 1));
        let row = row_of(&report, "invariant:not five");
        row.counterexamples.first().map(|found| found.length)
    };
    assert_eq!(length(&refinement), Some(2));
    refinement.constraint = Some(Constraint::new("below 100", |n: &u8| *n < 100));
    assert_eq!(length(&refinement), Some(3));
}
