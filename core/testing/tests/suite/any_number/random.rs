//! Random crowds: what is said to hold for every number of members holds with one to five.

use std::collections::{HashSet, VecDeque};

use refmap::crowd::{Crowd, CrowdFault};
use refmap::explore::Limits;
use refmap::obligation::CheckError;
use refmap::random::Generator;
use refmap::{Evidence, Settings, TransitionSystem, Verdict, check_any_number};

use super::group::{Asks, Bad, Guard, Move, Rules, Ticket, Wrong};
use super::settings;

/// The plainest search: true if a bad state is reached with so many members.
pub fn is_unsafe(rules: &Rules, members: usize) -> bool {
    let instance = rules.instance(members);
    let mut seen = HashSet::new();
    let mut left = VecDeque::new();
    instance.initial(&mut |state| left.push_back(state));
    while let Some(state) = left.pop_front() {
        if rules.bad.is(&state) {
            return true;
        }
        // Tickets may grow for ever.
        if seen.len() < MOST_SEARCHED && seen.insert(state.clone()) {
            instance.next(&state, &mut |_, to| left.push_back(to.clone()));
        }
    }
    false
}

/// States of an instance that the plainest search looks at.
pub const MOST_SEARCHED: usize = 3000;

/// Kind of random crowds, by the steps that they may have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    /// Steps wait for nobody to be somewhere.
    Plain,
    /// They may wait for somebody, too.
    Waits,
    /// Members are in a line.
    Line,
    /// They have tickets.
    Tickets,
    /// They may change all others of a kind.
    Requests,
    /// All of these but requests.
    All,
    /// All of these but waits for somebody.
    AllRequests,
}

/// A random crowd with at most three kinds of members and three shared parts.
fn draw(generator: &mut Generator, family: Family) -> Rules {
    let kinds = 1 + generator.below(3) as u8;
    let shared = 1 + generator.below(3) as u8;
    let below = |generator: &mut Generator, most: u8| generator.below(most.into()) as u8;
    let kind = |generator: &mut Generator| below(generator, kinds);
    let guards: &[fn(u8) -> Guard] = match family {
        Family::Plain | Family::Requests | Family::Tickets => &[|_| Guard::Nothing, Guard::None],
        Family::Waits => &[|_| Guard::Nothing, Guard::None, Guard::Some],
        Family::Line | Family::All => &[
            |_| Guard::Nothing,
            Guard::None,
            Guard::Some,
            Guard::NoneBefore,
            Guard::SomeBefore,
        ],
        Family::AllRequests => &[|_| Guard::Nothing, Guard::None, Guard::NoneBefore],
    };
    let tickets = match family {
        Family::Plain | Family::Requests | Family::Waits | Family::Line => 1,
        Family::Tickets | Family::All | Family::AllRequests => 4,
    };
    let has_requests = [Family::Requests, Family::AllRequests].contains(&family);
    let moves = (0..1 + generator.below(7)).map(|_| Move {
        shared: [below(generator, shared), below(generator, shared)],
        member: [kind(generator), kind(generator)],
        guard: match generator.below(guards.len()) {
            0 => Guard::Nothing,
            guard => guards[guard](kind(generator)),
        },
        ticket: match below(generator, tickets) {
            0 => Ticket::Nothing,
            1 => Ticket::Take,
            2 => Ticket::IsServed,
            _ => Ticket::Serve,
        },
        others: (has_requests && generator.below(2) == 0)
            .then(|| [kind(generator), kind(generator)]),
    });
    let moves: Vec<_> = moves.collect();
    let mut waits_for: Vec<_> = moves.iter().flat_map(Move::waits_for).collect();
    waits_for.sort_unstable();
    waits_for.dedup();
    let initial = if generator.below(4) == 0 { 0..2 } else { 0..1 };
    let last = kinds - 1;
    Rules {
        moves,
        initial: initial.filter(|kind| *kind < kinds).collect(),
        bad: match generator.below(3) {
            0 => Bad::One(below(generator, shared), last),
            1 => Bad::Two(last, kind(generator)),
            _ => Bad::Many(last, 3),
        },
        asks: Asks::ALL[generator.below(3)],
        simulates: None,
        waits_for,
        wrong: Wrong::Nothing,
    }
}

/// Views of a random crowd, beyond which it is not known whether it holds.
const MOST_VIEWS: u64 = 300;

/// Counts of random crowds: those of which no bad state is reached with one to five members, and those that are said to hold for every number.
fn compare(seeds: std::ops::Range<u64>, family: Family) -> [u64; 2] {
    let mut counts = [0; 2];
    for seed in seeds {
        let rules = draw(&mut Generator::new(seed), family);
        let is_safe = (1..=5).all(|members| !is_unsafe(&rules, members));
        counts[0] += u64::from(is_safe);
        let few = |views| Settings {
            limits: Limits {
                states: Some(MOST_VIEWS),
                ..Limits::default()
            },
            ..settings(views)
        };
        if !is_safe {
            // Small views leave to the search of instances what is unsafe with fewer members than a configuration has.
            for size in [1, 2] {
                match check_any_number(&rules, &few(Some(size))) {
                    Ok(report) => assert_ne!(report.verdict, Some(Verdict::Holds), "{seed}"),
                    Err(CheckError::Crowd(fault)) => {
                        assert!(matches!(*fault, CrowdFault::TooWide { .. }), "{fault}");
                    }
                    Err(other) => panic!("{seed}: {other}"),
                }
            }
        }
        let report = check_any_number(&rules, &few(None)).expect("it is a crowd");
        let holds = report.verdict == Some(Verdict::Holds);
        assert!(is_safe || !holds, "{seed}: {rules:?}");
        if report.limit.is_some() {
            assert_eq!(report.verdict, Some(Verdict::Incomplete), "{seed}");
            continue;
        }
        counts[1] += u64::from(holds);
        let found = report.every_number.expect("it is asked for");
        assert_eq!(report.evidence, Evidence::Views);
        if holds {
            assert!(report.complete && report.counterexample.is_none());
            let mut rows = report.obligations.iter().filter(|row| row.name != "agency");
            assert!(rows.all(|row| row.verdict == Verdict::Holds));
            continue;
        }
        // What is not known is shown, and whether it is a behaviour.
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{seed}");
        let shown = report.counterexample.expect("it is shown");
        assert!(rules.asks.is_about(&shown.obligation), "{seed}: {shown:?}");
        match found.failed_with {
            Some(members) => {
                assert!(shown.reachable && is_unsafe(&rules, members), "{seed}");
                assert!(members < found.configuration_members);
            }
            None => {
                let of_simulation = shown.obligation == "simulation";
                assert!(shown.by_views && !shown.reachable);
                assert_eq!(shown.length, usize::from(of_simulation), "{seed}");
            }
        }
        // With few members, and counters, states that stand for others are searched as well.
        let few = found.view_members == found.configuration_members;
        let larger = found.configuration_members == 4;
        assert!(larger || few || found.failed_with.is_some(), "{seed}");
    }
    counts
}

/// Crowds that are safe with one to five members, and those of which all are said to be.
#[test]
fn what_holds_for_every_number_holds_with_few() {
    assert_eq!(compare(0..80, Family::Plain), [37, 37]);
}

/// The same with steps that wait for some other member.
#[test]
fn what_waits_for_others_holds_for_every_number() {
    assert_eq!(compare(0..40, Family::Waits), [17, 17]);
}

/// The same with steps that change all others.
#[test]
fn what_changes_all_others_holds_for_every_number() {
    assert_eq!(compare(0..24, Family::Requests), [10, 10]);
}

/// The same with members in a line.
#[test]
fn what_is_in_a_line_holds_for_every_number() {
    assert_eq!(compare(0..40, Family::Line), [16, 16]);
}

/// The same with tickets, of which there is no end.
#[test]
fn what_has_tickets_holds_for_every_number() {
    assert_eq!(compare(0..8, Family::Tickets), [3, 3]);
}

/// The same with all of it at once.
#[test]
fn what_has_all_of_it_holds_for_every_number() {
    assert_eq!(compare(0..4, Family::All), [2, 2]);
}

/// The same with requests to all, in a line and with tickets.
#[test]
fn what_has_requests_and_tickets_in_a_line_holds_for_every_number() {
    assert_eq!(compare(0..4, Family::AllRequests), [3, 3]);
}

#[test]
#[ignore = "minutes"]
fn slow_what_is_drawn_holds_for_every_number() {
    for (seeds, family, counts) in [
        (5000, Family::Plain, [2255, 2249]),
        (1000, Family::Waits, [456, 455]),
        (2000, Family::Requests, [871, 869]),
        (400, Family::Line, [166, 166]),
        (150, Family::Tickets, [77, 77]),
        (100, Family::All, [51, 50]),
        (150, Family::AllRequests, [74, 74]),
    ] {
        assert_eq!(compare(0..seeds, family), counts, "{family:?}");
    }
}

#[test]
#[ignore = "minutes"]
fn slow_what_holds_for_every_number_holds_with_few() {
    let [safe, holds] = compare(0..200_000, Family::Plain);
    println!("{holds} of {safe} hold for every number");
    assert!(
        safe > 80_000 && holds * 1000 > safe * 990,
        "{holds} of {safe}"
    );
}

/// Steps that wait for some other member without a word are found out, or make no difference.
#[test]
fn steps_that_need_others_are_found_out() {
    let mut found_out = 0;
    for seed in 0..400 {
        let mut rules = draw(&mut Generator::new(seed), Family::Waits);
        rules.waits_for.clear();
        match check_any_number(&rules, &settings(None)) {
            Err(CheckError::Crowd(fault)) => {
                found_out += 1;
                match *fault {
                    // Of a step that changes nothing, too: it may be none of the specification's.
                    CrowdFault::NeedsOthers { kinds, .. } => assert_eq!(kinds, 0),
                    // A step that fails needs its witness as well.
                    CrowdFault::SpeaksOfMore { obligation, .. } => {
                        assert_eq!(obligation, "simulation", "{seed}");
                    }
                    other => panic!("{seed}: {other}"),
                }
            }
            Err(other) => panic!("{seed}: {other}"),
            Ok(report) => {
                let is_safe = (1..=5).all(|members| !is_unsafe(&rules, members));
                let holds = report.verdict == Some(Verdict::Holds);
                assert!(is_safe || !holds, "{seed}: {rules:?}");
            }
        }
    }
    assert!(found_out > 30, "{found_out}");
}
