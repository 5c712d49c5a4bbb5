//! Findings of several workers are complete, wherever they are: in the share of the first worker, of the last, or of
//! one between.
//!
//! A level of the search is one worker's if it has no more states than a chunk, so the levels here have many; graphs are shared
//! out state by state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refmap::obligation::{Liveness, Until};
use refmap::report::About;
use refmap::{Constraint, Fairness, Invariant, Process, Property, Report, Settings, Verdict};
use refmap_testing::{Action, Machine, Via, assert_verdict, checked, itself, row_of, waived};
use serde_json::{Value, json};

use crate::comparison::with_any_threads;

/// States of a level.
const LEVEL: u32 = 2000;
/// Places in a level about which there is something.
const PLACES: [u32; 3] = [0, LEVEL / 2, LEVEL - 1];

/// The rule of a place of its own, and that of all others.
fn rule(place: u32) -> &'static str {
    match PLACES.iter().position(|other| *other == place) {
        Some(0) => "first",
        Some(1) => "middle",
        Some(_) => "last",
        None => "other",
    }
}

/// A step from each state of a level to one of a second level, by the rule of its place.
fn step(at: &u32) -> Vec<(Action, u32)> {
    if *at < LEVEL {
        vec![((rule(*at), 0), at + LEVEL)]
    } else {
        Vec::new()
    }
}

/// A system of two levels, of which the second one is left by none.
fn two_levels() -> Machine<u32> {
    let rules = ["first", "middle", "last", "other"].map(|name| (name, "worker"));
    let mut system = Machine::new(&rules, (0..LEVEL).collect::<Vec<_>>(), step, |_| 0);
    system.may_stop = |_| true;
    system
}

/// Rendezvous of two workers: the one at the first place of a level waits until another has been at the last place.
#[derive(Default)]
struct Meeting {
    /// False if there is one worker.
    waits: AtomicBool,
    /// Per level, whether somebody has been at its last place.
    met: [AtomicBool; 2],
}

impl Meeting {
    fn begin(&self, threads: usize) {
        self.waits.store(threads > 1, Ordering::SeqCst);
        self.met
            .iter()
            .for_each(|met| met.store(false, Ordering::SeqCst));
    }

    /// An invariant that is true, and evaluated by several workers if there are several.
    fn invariant(meeting: &Arc<Self>) -> Invariant<Machine<u32>> {
        let meeting = meeting.clone();
        Invariant::new("met", "a test", move |at: &u32| {
            let met = &meeting.met[(at / LEVEL) as usize];
            match PLACES.iter().position(|place| *place == at % LEVEL) {
                Some(0) if meeting.waits.load(Ordering::SeqCst) => {
                    let since = Instant::now();
                    while !met.load(Ordering::SeqCst) && since.elapsed() < MOST {
                        std::thread::yield_now();
                    }
                }
                Some(2) => met.store(true, Ordering::SeqCst),
                _ => {}
            }
            true
        })
    }
}

/// The most that a worker waits, where the others are not given a processor.
const MOST: Duration = Duration::from_secs(2);

fn to_the_end(refinement: &Via<u32, u32>, threads: usize) -> Report {
    let settings = Settings {
        threads,
        until: Until::End,
        liveness: Liveness::Included,
        ..Settings::default()
    };
    checked(refinement, &settings)
}

/// The report of one worker, which is that of several that share each level.
fn shared(refinement: &mut Via<u32, u32>) -> Report {
    let meeting = Arc::<Meeting>::default();
    refinement.invariants.push(Meeting::invariant(&meeting));
    let mut report = with_any_threads(|threads| {
        meeting.begin(threads);
        to_the_end(refinement, threads)
    });
    refinement.invariants.pop();
    report.obligations.retain(|row| row.name != "invariant:met");
    report
}

/// The last states of the counterexamples of a row.
fn shown(report: &Report, name: &str) -> Vec<Value> {
    let row = row_of(report, name);
    let steps = row.counterexamples.iter().map(|one| one.steps.last());
    steps
        .map(|last| last.expect("it is shown").state.clone())
        .collect()
}

fn at(place: usize) -> impl Fn(&u32) -> bool + Send + Sync + 'static {
    move |at| *at == PLACES[place]
}

/// A fault of a state, of a step, of a last state, and what is told of all of them.
#[test]
fn all_that_fails_in_a_level_is_found_by_any_worker() {
    let mut refinement = itself(two_levels());
    refinement.specification.next = |at| match rule(*at) {
        "other" => vec![(("other", 0), at + LEVEL)],
        _ => Vec::new(),
    };
    refinement.implementation.observe = |at| u8::from(*at == PLACES[2]);
    refinement.implementation.may_stop = |at| *at != LEVEL + PLACES[1];
    refinement.implementation.bound = Some("bounded");
    refinement.implementation.cut_off = |at| match at.checked_sub(LEVEL).map(rule) {
        Some("first") => vec!["a"],
        Some("middle") => vec!["b", "c"],
        Some("last") => vec!["d"],
        _ => Vec::new(),
    };
    for (place, name) in ["of first", "of middle", "of last"].into_iter().enumerate() {
        let is_there = at(place);
        let invariant = Invariant::new(name, "a test", move |at: &u32| !is_there(at));
        refinement.invariants.push(invariant);
    }
    for (place, name) in ["if first", "if middle", "if last"].into_iter().enumerate() {
        let invariant = Invariant::new(name, "a test", |_: &u32| true);
        refinement.invariants.push(invariant.when(at(place)));
    }
    let never = Invariant::new("if never", "a test", |_: &u32| true);
    refinement.invariants.push(never.when(|_| false));

    let report = shared(&mut refinement);
    let targets = PLACES.map(|place| json!(place + LEVEL));
    assert_eq!(shown(&report, "simulation"), targets);
    assert_eq!(shown(&report, "observation"), [json!(PLACES[2])]);
    assert_eq!(shown(&report, "deadlock"), [json!(LEVEL + PLACES[1])]);
    for (place, name) in ["of first", "of middle", "of last"].into_iter().enumerate() {
        let shown = shown(&report, &format!("invariant:{name}"));
        assert_eq!(shown, [json!(PLACES[place])]);
    }
    assert_eq!(report.unexercised, ["premise:if never"], "{report}");
    let cut_off = report.cut_off.as_ref().expect("some are cut off");
    assert_eq!(cut_off.threads, ["a", "b", "c", "d"]);
    assert_eq!((cut_off.states, report.deadlocks), (3, LEVEL.into()));
    let fired: Vec<u64> = report.coverage.iter().map(|rule| rule.fired).collect();
    assert_eq!(fired, [1, 1, 1, u64::from(LEVEL) - 3]);
    assert_eq!(row_of(&report, "simulation").checked, u64::from(LEVEL));
}

/// Nothing is missed where nothing is wrong: each of three rules is simulated at one place, and each of three properties has its premise
/// or its conclusion at one.
#[test]
fn all_that_holds_at_one_place_is_found_by_any_worker() {
    let users = [0, 1, 7].map(|number| Process::numbered("user", number));
    for place in 0..PLACES.len() {
        let mut refinement = itself(two_levels());
        for system in [
            &mut refinement.implementation,
            &mut refinement.specification,
        ] {
            system.rules = two_levels().rules;
            for rule in &mut system.rules {
                rule.process = "user";
            }
            system.number_of = |action| match action.0 {
                "first" => Some(0),
                "middle" => Some(1),
                "last" => Some(7),
                _ => Some(0),
            };
            system.fairness = vec![Fairness::weak("goes", ["first", "middle", "last", "other"])];
        }
        // One of the users is left out, and seen at one place.
        refinement.environment = users
            .iter()
            .copied()
            .filter(|one| *one != users[place])
            .collect();
        let then = move |of: &u32| *of == PLACES[place] + LEVEL;
        refinement.liveness = vec![
            Property::leads_to("there", "a test", at(place), then),
            Property::eventually("left", "a test", |at: &u32| *at >= LEVEL),
        ];
        let report = shared(&mut refinement);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{place}: {report}");
        let of_environment = report
            .warnings
            .iter()
            .filter(|warning| warning.about == About::Environment);
        let told: Vec<&str> = of_environment.map(|warning| &*warning.text).collect();
        let left_out = format!("leaves {} out", users[place]);
        assert!(told.iter().any(|text| text.contains(&left_out)), "{report}");
        let changes_nothing = |text: &str| text.contains("changes the mapped state");
        let mut texts = report.warnings.iter().map(|warning| &*warning.text);
        assert!(!texts.any(changes_nothing), "{report}");
        // The other way round it does not lead there, which one state shows.
        let other = move |at: &u32| *at == PLACES[(place + 1) % 3] + LEVEL;
        refinement.liveness = vec![Property::leads_to("there", "a test", at(place), other)];
        let report = shared(&mut refinement);
        let row = row_of(&report, "leads-to:there");
        assert_eq!(row.verdict, Verdict::Violated, "{report}");
        assert_eq!(row.counterexamples[0].steps[0].state, json!(PLACES[place]));
    }
}

/// States outside of a constraint are expanded by none, wherever they are, and those that they lead to are not reached.
#[test]
fn a_constraint_is_looked_at_by_any_worker() {
    let mut refinement = itself(two_levels());
    refinement.environment = vec![Process::new("worker")];
    refinement.constraint = Some(Constraint::new("not there", |at: &u32| {
        rule(*at) == "other"
    }));
    refinement.liveness = vec![Property::eventually("left", "a test", |at: &u32| {
        *at >= LEVEL
    })];
    refinement.implementation.fairness =
        vec![Fairness::weak("goes", ["first", "middle", "last", "other"])];
    let report = shared(&mut refinement);
    let constrained = report.constraint.as_ref().expect("there is a constraint");
    assert_eq!(
        (constrained.states_outside, constrained.steps_outside),
        (3, 0)
    );
    let within = u64::from(LEVEL) - 3;
    assert_eq!(
        (report.initial_states, report.transitions),
        (within, within)
    );
    assert_eq!(report.states, 2 * within);
    for row in ["environment:other", "eventually:left"] {
        let row = row_of(&report, row);
        assert_eq!(row.counterexamples, [], "{report}");
    }
    // What is outside refuses nothing: the rules of these places are offered there alone.
    for row in [
        "environment:first",
        "environment:middle",
        "environment:last",
    ] {
        let row = row_of(&report, row);
        assert_eq!(
            (row.checked, row.verdict),
            (0, Verdict::Incomplete),
            "{report}"
        );
    }
}

/// A state whose steps are unknown leaves the search incomplete, whichever it is, and what needs all of the graph open.
#[test]
fn a_panic_at_one_place_leaves_the_search_open() {
    fn next<const PLACE: u32>(at: &u32) -> Vec<(Action, u32)> {
        assert!(*at != PLACE, "not here");
        step(at)
    }
    const MIDDLE: u32 = PLACES[1];
    const LAST: u32 = PLACES[2];
    let panicking: [fn(&u32) -> _; 3] = [next::<0>, next::<MIDDLE>, next::<LAST>];
    for (place, next) in PLACES.into_iter().zip(panicking) {
        let mut refinement = itself(two_levels());
        refinement.environment = vec![Process::new("worker")];
        refinement.implementation.next = next;
        let report = with_any_threads(|threads| to_the_end(&refinement, threads));
        assert_eq!(shown(&report, "model"), [json!(place)], "{report}");
        assert!(!report.complete, "{report}");
        assert_eq!(report.transitions, u64::from(LEVEL) - 1, "{report}");
        for row in ["environment:other", "environment:at_rest", "coverage"] {
            assert_verdict(&report, row, Verdict::Incomplete);
        }
    }
}

/// A process that is left out is seen where the specification offers it something, wherever that is, though no step is taken by it.
#[test]
fn a_process_that_is_left_out_is_seen_by_any_worker() {
    fn offers<const PLACE: u32>(at: &u32) -> Vec<(Action, u32)> {
        let mut steps = step(at);
        steps.extend((*at == PLACE).then_some((("extra", 0), at + LEVEL)));
        steps
    }
    const MIDDLE: u32 = PLACES[1];
    const LAST: u32 = PLACES[2];
    let offering: [fn(&u32) -> _; 3] = [offers::<0>, offers::<MIDDLE>, offers::<LAST>];
    for next in offering {
        let mut refinement = itself(two_levels());
        let rules = ["first", "middle", "last", "other", "extra"].map(|name| (name, "user"));
        refinement.implementation.rules = refmap_testing::rules(&rules[..4]);
        refinement.specification.rules = refmap_testing::rules(&rules);
        refinement.specification.next = next;
        refinement.implementation.number_of = |_| Some(0);
        refinement.specification.number_of = |action| Some(if action.0 == "extra" { 9 } else { 0 });
        refinement.environment = vec![Process::numbered("user", 0)];
        refinement.waivers = vec![waived("extra")];
        let report = shared(&mut refinement);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let mut told = report.warnings.iter().map(|warning| &*warning.text);
        assert!(
            told.any(|text| text.contains("leaves user 9 out")),
            "{report}"
        );
    }
}
