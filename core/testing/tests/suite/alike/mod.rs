//! Members that are alike, and counters of which the differences matter, found in states by their type: one state of each class decides what
//! all states decide, by a search that tries all permutations and shifts.

mod many;
mod queue;
mod several;

use std::collections::HashMap;

use refmap::explore::Storage;
use refmap::internal::json;
use refmap::obligation::{Checker, Symmetry, Until};
use refmap::report::Counterexample;
use refmap::{Refinement, Report, Settings, StateOf, TransitionSystem, Verdict, steps};
use refmap_testing::{assert_explained, up_to_states};

pub use queue::permutations;
use queue::{Members, Themselves, World, Wrong, normal, permuted, themselves};

/// Findings of the plainest search: the least member of each class, by all permutations and shifts.
struct Plain {
    states: u64,
    transitions: u64,
    depth: u32,
    deadlocks: u64,
    outside: u64,
    /// Per invariant the least number of steps to a state of which it is false.
    violated: HashMap<String, usize>,
}

/// States after which a case is left.
const MOST: usize = 600;

fn least(all: &[Vec<u8>], state: &World) -> World {
    let state = normal(state);
    let members = all.iter().map(|by| permuted(by, &state));
    members.min().expect("a class has a member")
}

/// Searches the least states of all classes, up to some hundred.
fn search<R: Refinement>(
    refinement: &R,
    least: impl Fn(&StateOf<R::Implementation>) -> StateOf<R::Implementation>,
) -> Option<Plain> {
    let system = refinement.implementation();
    let mut seen = HashMap::new();
    system.initial(&mut |state| {
        seen.insert(least(&state), 0);
    });
    let mut left: std::collections::VecDeque<_> = seen.keys().cloned().collect();
    let constraint = refinement.constraint();
    let mut plain = Plain {
        states: 0,
        transitions: 0,
        depth: 0,
        deadlocks: 0,
        outside: 0,
        violated: HashMap::new(),
    };
    while let Some(state) = left.pop_front() {
        if seen.len() > MOST {
            return None;
        }
        let depth = seen[&state];
        if constraint.as_ref().is_some_and(|one| !one.contains(&state)) {
            plain.outside += 1;
            continue;
        }
        plain.depth = plain.depth.max(depth as u32);
        plain.states += 1;
        for invariant in refinement.invariants() {
            if !invariant.holds(&state) {
                let name = format!("invariant:{}", invariant.name());
                plain.violated.entry(name).or_insert(depth);
            }
        }
        let steps = steps(system, &state);
        plain.deadlocks += u64::from(steps.is_empty());
        for (_, to) in steps {
            let to = least(&to);
            let is_within = constraint.as_ref().is_none_or(|one| one.contains(&to));
            plain.transitions += u64::from(is_within);
            if !seen.contains_key(&to) {
                seen.insert(to.clone(), depth + 1);
                left.push_back(to);
            }
        }
    }
    Some(plain)
}

fn settings<'a>(threads: usize) -> Settings<'a> {
    Settings {
        symmetry: Symmetry::Full,
        until: Until::End,
        threads,
        limits: up_to_states(4 * MOST as u64),
        ..Settings::default()
    }
}

fn run(refinement: &Themselves, settings: &Settings<'_>) -> Report {
    let report = Checker::new(refinement).check(settings);
    report.expect("there are names")
}

/// A counterexample is a behaviour of the model, states and actions, from an initial state on, to a state of which the invariant is false.
fn assert_real(refinement: &Themselves, shown: &Counterexample) {
    let system = refinement.implementation();
    let mut states = Vec::new();
    system.initial(&mut |state| states.push(state));
    let mut taken = shown.steps.iter();
    let first = taken.next().expect("there is an initial state");
    let mut at = states.into_iter().find(|state| json(state) == first.state);
    for step in taken {
        let from = at.expect("it is a state of the model");
        let mut next = steps(system, &from).into_iter();
        let is_it =
            |(action, to): &(_, World)| json(to) == step.state && Some(json(action)) == step.action;
        at = next.find(is_it).map(|(_, to)| to);
    }
    let last = at.expect("it is a behaviour of the model");
    let invariants = refinement.invariants();
    let name = shown.obligation.strip_prefix("invariant:");
    let invariant = invariants.iter().find(|one| Some(one.name()) == name);
    assert!(invariant.is_none_or(|invariant| !invariant.holds(&last)));
}

fn assert_agrees(refinement: &Themselves, plain: &Plain, report: &Report) {
    let figures = (report.states, report.transitions, report.deadlocks);
    assert_eq!(
        figures,
        (plain.states, plain.transitions, plain.deadlocks),
        "{report}"
    );
    assert_eq!(report.obligation("model"), None, "{report}");
    assert_eq!(report.depth, plain.depth);
    for row in &report.obligations {
        let Some(name) = row.name.strip_prefix("invariant:") else {
            continue;
        };
        let violated = plain.violated.get(&row.name);
        assert_eq!(
            row.verdict == Verdict::Violated,
            violated.is_some(),
            "{name}"
        );
        if let (Some(shown), Some(violated)) = (row.counterexamples.first(), violated) {
            assert_eq!(shown.length, *violated);
            assert_real(refinement, shown);
        }
    }
    let identified = report.symmetry.expect("states were identified");
    let members = usize::from(refinement.implementation.count);
    assert_eq!(
        (identified.permutations, identified.shifts),
        ((1..=members).product(), true)
    );
    assert!(identified.tested_states > 0);
}

/// Figures of random cases.
#[derive(Debug, Default)]
struct Cases {
    compared: usize,
    violated: usize,
    /// Violations that take more than two steps to show.
    deep: usize,
    /// Cases of more than 50 classes.
    large: usize,
}

/// Compares random members, by each way to keep states, with the plainest search.
fn compare(seeds: std::ops::Range<u64>) -> Cases {
    let mut cases = Cases::default();
    for seed in seeds {
        let members = Members::draw(seed);
        let refinement = themselves(&members);
        let all = permutations(members.count);
        let Some(plain) = search(&refinement, |state| least(&all, state)) else {
            continue;
        };
        cases.compared += 1;
        cases.violated += plain.violated.len();
        let deep = plain.violated.values().filter(|depth| **depth > 2);
        cases.deep += deep.count();
        cases.large += usize::from(plain.states > 50);
        let threads = 1 + (seed % 3) as usize;
        let in_mode = Settings {
            storage: match seed % 2 {
                0 => Storage::Packed,
                _ => Storage::Whole,
            },
            ..settings(threads)
        };
        assert_agrees(&refinement, &plain, &run(&refinement, &in_mode));
        if seed % 5 == 0 {
            let folder = tempfile::tempdir().expect("there is room");
            let spilled = Settings {
                spill: crate::spilling::spilling(folder.path(), 0),
                ..settings(threads)
            };
            let report = run(&refinement, &spilled);
            assert_agrees(&refinement, &plain, &report);
        }
    }
    cases
}

#[test]
fn names_decide_what_all_permutations_and_shifts_decide() {
    let cases = compare(0..16);
    assert!(cases.compared > 2, "{cases:?}");
}

#[test]
#[ignore = "minutes"]
fn slow_names_decide_what_all_permutations_and_shifts_decide() {
    let cases = compare(0..80);
    eprintln!("{cases:?}");
    assert!(cases.compared > 40 && cases.violated > 8, "{cases:?}");
    assert!(cases.deep > 3 && cases.large > 8, "{cases:?}");
    let cases = compare(80..2000);
    assert!(cases.compared > 1000 && cases.deep > 100, "{cases:?}");
}

/// Rules of which most are exercised soon.
fn busy(wrong: Wrong) -> Themselves {
    use queue::{Effect, Move, themselves};
    let effects = [
        Effect::Take,
        Effect::Serve,
        Effect::Choose,
        Effect::Bump,
        Effect::See,
    ];
    let stays = |effect| Move {
        place: [0, 0],
        mode: [0, 0],
        effect,
    };
    let mut moves: Vec<_> = effects.into_iter().map(stays).collect();
    moves.push(Move {
        place: [0, 1],
        ..stays(Effect::Nothing)
    });
    themselves(&Members {
        count: 3,
        moves,
        wrong,
        begin: 0,
        is_bounded: false,
        most: (2, 1),
    })
}

/// A name that matters by itself is told with what it changes.
#[test]
fn names_that_matter_are_found_out() {
    let wrongs = [
        (Wrong::First, "next does not commute with the permutation"),
        (
            Wrong::ItsOwnNumber,
            "next does not commute with the permutation",
        ),
        (
            Wrong::Odd,
            "the value of a counter is looked at, as text or by its hash",
        ),
        (
            Wrong::Third,
            "a counter is compared with one that has begun anew",
        ),
        (
            Wrong::Anew,
            "a counter has begun anew beside others of its group",
        ),
        (
            Wrong::Epoch,
            "the value of a counter is looked at, as text or by its hash",
        ),
        (Wrong::InvariantOfOne, "changes how many invariants hold"),
        (
            Wrong::InvariantOfTicket,
            "a counter is compared with one that has begun anew",
        ),
        (Wrong::Shown, "observe does not commute"),
        (Wrong::Action, "next does not commute with the permutation"),
        (
            Wrong::Constraint,
            "a counter is compared with one that has begun anew",
        ),
    ];
    let soon = |threads| Settings {
        limits: up_to_states(MOST as u64 / 4),
        ..settings(threads)
    };
    for (place, (wrong, told)) in wrongs.into_iter().enumerate() {
        let report = run(&busy(wrong), &soon(1 + place % 2));
        assert_eq!(
            report.verdict,
            Some(Verdict::Violated),
            "{wrong:?}: {report}"
        );
        assert_explained(&report, "model", told);
    }
    let report = run(&busy(Wrong::Nothing), &settings(2));
    assert_eq!(report.obligation("model"), None, "{report}");
}

/// Counters that begin elsewhere than at 0: the representative of an initial state is none, and is told, since the specification says which is initial.
#[test]
fn counters_begin_at_their_least_value() {
    let members = Members {
        begin: 5,
        ..busy(Wrong::Nothing).implementation
    };
    let report = run(&themselves(&members), &settings(1));
    assert_explained(&report, "model", "only one maps to an initial state");
}

/// States that have no names have no symmetry, and plain search is not changed by names.
#[test]
fn without_symmetry_nothing_is_identified() {
    let refinement = busy(Wrong::Nothing);
    let plain = Settings {
        symmetry: Symmetry::None,
        ..settings(1)
    };
    let report = run(&refinement, &plain);
    assert!(
        report.limit.is_some() && report.symmetry.is_none(),
        "{report}"
    );
}
