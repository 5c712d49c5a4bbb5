//! Locks of any number of members, and declarations that are wrong.

use refmap::crowd::{Crowd, CrowdFault};
use refmap::explore::{Limit, Limits};
use refmap::obligation::{CheckError, Checkable, Checker, Selection, Symmetry, Until};
use refmap::{Report, Settings, Verdict, check_any_number};
use refmap_testing::row_of;

use super::group::{Asks, Bad, CRITICAL, Guard, IDLE, Move, Rules, Ticket, WAITS, Wrong};
use super::random::is_unsafe;
use super::settings;

fn asked(rules: &Rules, size: usize) -> Result<Report, CheckError> {
    check_any_number(rules, &settings(Some(size)))
}

/// Fault for which a crowd is refused.
fn refused(rules: &Rules, size: usize) -> CrowdFault {
    match asked(rules, size) {
        Err(CheckError::Crowd(fault)) => *fault,
        other => panic!("{other:?}"),
    }
}

const fn step(shared: [u8; 2], member: [u8; 2]) -> Move {
    Move {
        shared,
        member,
        guard: Guard::Nothing,
        ticket: Ticket::Nothing,
        others: None,
    }
}

fn mutual_exclusion(moves: &[Move]) -> Rules {
    Rules {
        moves: moves.to_vec(),
        initial: vec![IDLE],
        bad: Bad::Two(CRITICAL, CRITICAL),
        asks: Asks::Invariant,
        simulates: None,
        waits_for: Vec::new(),
        wrong: Wrong::Nothing,
    }
}

/// Test and set: whoever finds the shared flag down raises it.
fn test_and_set() -> Rules {
    mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 0], [CRITICAL, IDLE]),
    ])
}

/// A lock whose flag a third member takes down while the second one waits.
fn safe_for_two() -> Rules {
    mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 0], [CRITICAL, IDLE]),
        step([1, 2], [IDLE, WAITS]),
        step([2, 0], [IDLE, IDLE]),
        step([0, 0], [WAITS, IDLE]),
    ])
}

/// Tickets: a member that has taken one waits until it is served.
fn ticket_lock() -> Rules {
    let with = |ticket, member| Move {
        ticket,
        ..step([0, 0], member)
    };
    mutual_exclusion(&[
        with(Ticket::Take, [IDLE, WAITS]),
        with(Ticket::IsServed, [WAITS, CRITICAL]),
        with(Ticket::Serve, [CRITICAL, IDLE]),
    ])
}

fn assert_ticket_lock(asks: Asks) {
    let rules = Rules {
        asks,
        ..ticket_lock()
    };
    let report = check_any_number(&rules, &settings(None)).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let mut unsafe_one = rules.clone();
    // Whoever waits leaves, and serves the next one.
    unsafe_one.moves[1].ticket = Ticket::Nothing;
    let report = check_any_number(&unsafe_one, &settings(None)).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
}

#[test]
#[ignore = "two seconds"]
fn slow_a_lock_with_tickets_holds_whatever_is_asked() {
    for asks in [Asks::Simulation, Asks::Observation] {
        assert_ticket_lock(asks);
    }
}

/// A crowd that looks at more of its counters than views keep does not hold, and the report says so.
fn assert_looks_at_counters(rules: &Rules, told: &str) {
    let report = asked(rules, 2).expect("it is a crowd");
    assert_ne!(report.verdict, Some(Verdict::Holds), "{report}");
    let model = row_of(&report, "model");
    let explanation = &model.counterexamples[0].explanation;
    assert!(explanation.contains(told), "{explanation}");
}

#[test]
fn a_lock_with_tickets_holds_for_every_number() {
    assert_ticket_lock(Asks::Invariant);
    // Whether a ticket is even is not to be asked.
    let mut even = ticket_lock();
    even.moves[1].ticket = Ticket::IsEven;
    assert_looks_at_counters(&even, "the value of a counter is looked at");
}

/// Of two steps that lead to the same one fails, of three members and not of two: the other one does not excuse it.
#[test]
fn a_step_is_not_excused_by_another_one() {
    let beside = |kind, shared, member| Move {
        guard: Guard::Some(kind),
        ..step(shared, member)
    };
    let twice = beside(WAITS, [2, 3], [IDLE, IDLE]);
    let mut rules = mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        beside(CRITICAL, [1, 2], [IDLE, WAITS]),
        twice,
        twice,
    ]);
    rules.waits_for = vec![CRITICAL, WAITS];
    let verdict = |rules: &Rules, size| asked(rules, size).expect("it is a crowd").verdict;
    for size in [1, 2] {
        assert_eq!(verdict(&rules, size), Some(Verdict::Holds));
        for number in [2, 3] {
            let fails = Rules {
                simulates: Some(number),
                ..rules.clone()
            };
            assert_eq!(verdict(&fails, size), Some(Verdict::Incomplete));
        }
    }
}

/// A step that waits for members of several kinds at once is taken beside all of them; and whoever stands in for others, each step that is
/// taken counts.
#[test]
fn a_step_waits_for_members_of_several_kinds() {
    const KINDS: [u8; 4] = [1, 2, 3, 4];
    for count in 1..=KINDS.len() {
        let kinds = &KINDS[..count];
        let ready = count as u8;
        let after = ready + 1;
        let turns = (0..)
            .zip(kinds)
            .map(|(shared, kind)| step([shared, shared + 1], [IDLE, *kind]));
        let mut moves: Vec<_> = turns.collect();
        moves.push(Move {
            guard: Guard::Each(kinds),
            ..step([ready, ready], [IDLE, after])
        });
        let mut rules = mutual_exclusion(&moves);
        rules.bad = Bad::One(ready, after);
        rules.waits_for = kinds.to_vec();
        assert_eq!(
            [count, count + 1].map(|members| is_unsafe(&rules, members)),
            [false, true]
        );
        for size in [1, 2] {
            let report = asked(&rules, size).expect("it is a crowd");
            assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        }
        rules.bad = Bad::One(0, after);
        for size in [1, 2] {
            let report = asked(&rules, size).expect("it is a crowd");
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
            let row = row_of(&report, "simulation");
            assert_eq!(row.checked, report.transitions, "{report}");
        }
    }
}

/// Members of one kind are alike to the steps of others.
#[test]
fn a_kind_of_members_that_are_not_alike_is_found_out() {
    let waits = Move {
        guard: Guard::Some(CRITICAL),
        ..step([1, 1], [WAITS, IDLE])
    };
    // The critical one is known first.
    let mut rules = mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([0, 0], [IDLE, WAITS]),
        waits,
    ]);
    rules.waits_for = vec![CRITICAL, WAITS];
    let report = asked(&rules, 2).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    rules.wrong = Wrong::Kinds;
    let fault = refused(&rules, 2);
    assert!(
        matches!(fault, CrowdFault::NeedsOthers { kinds: 1, .. }),
        "{fault}"
    );
}

/// A gap that stands for larger ones is still one when it has become less by one: the fourth ticket is served after three others.
#[test]
fn a_gap_stands_for_all_larger_ones() {
    let serve = |shared| Move {
        ticket: Ticket::Serve,
        ..step(shared, [WAITS, IDLE])
    };
    let with = |ticket, shared, member| Move {
        ticket,
        ..step(shared, member)
    };
    let rules = Rules {
        bad: Bad::One(4, CRITICAL),
        ..mutual_exclusion(&[
            with(Ticket::Take, [0, 0], [IDLE, WAITS]),
            step([0, 1], [WAITS, WAITS]),
            serve([1, 2]),
            serve([2, 3]),
            serve([3, 4]),
            with(Ticket::IsServed, [4, 4], [WAITS, CRITICAL]),
        ])
    };
    assert_eq!(
        [3, 4].map(|members| is_unsafe(&rules, members)),
        [false, true]
    );
    for size in [1, 2] {
        let report = asked(&rules, size).expect("it is a crowd");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    }
}

#[test]
fn a_lock_holds_for_every_number() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            ..test_and_set()
        };
        let report = asked(&rules, 2).expect("it is a crowd");
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        // The flag is down and all are idle; it is up, and one is critical, or neither of the two in the view.
        assert_eq!((found.views, found.tested_members), (3, 4));
        let text = report.to_string();
        let words = "holds for every number of members (views of 2; few kinds)\n";
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_lock_that_is_safe_for_two_never_holds() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            ..safe_for_two()
        };
        assert_eq!(
            [1, 2, 3].map(|members| is_unsafe(&rules, members)),
            [false, false, true]
        );
        let report = asked(&rules, 2).expect("it is a crowd");
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert!(shown.by_views, "{report}");
        assert_eq!(report.verdict, Some(Verdict::Incomplete));
        let text = report.to_string();
        assert!(
            text.contains("unknown for every number of members (views of 2; few kinds), "),
            "{text}"
        );
        assert!(text.contains("in a state that views leave"), "{text}");
        // With configurations of four, three members are few.
        let report = asked(&rules, 3).expect("it is a crowd");
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(found.failed_with, Some(3));
        assert_eq!(report.verdict, Some(Verdict::Incomplete));
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert!(shown.reachable && shown.length > 1, "{report}");
        let text = report.to_string();
        assert!(
            text.contains("(views of 3; few kinds), with 3 members "),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_crowd_is_refused() {
    let wrong = |wrong| {
        let rules = Rules {
            wrong,
            ..test_and_set()
        };
        refused(&rules, 2)
    };
    assert!(matches!(wrong(Wrong::First), CrowdFault::NotAlike { .. }));
    // It is the next member in turn, whichever that is.
    assert!(matches!(
        wrong(Wrong::MovesTwo),
        CrowdFault::NeedsOthers { kinds: 0, .. }
    ));
    let mut request = test_and_set();
    request.moves[0].others = Some([IDLE, WAITS]);
    request.waits_for = vec![WAITS];
    assert!(matches!(
        refused(&request, 2),
        CrowdFault::MovesSeveral { .. }
    ));
    assert!(matches!(
        wrong(Wrong::Leader),
        CrowdFault::InitialNeedsOthers { .. }
    ));
    assert!(matches!(wrong(Wrong::Index), CrowdFault::NotAlike { .. }));
    let rules = Rules {
        wrong: Wrong::Assembled,
        ..mutual_exclusion(&[step([0, 1], [IDLE, CRITICAL])])
    };
    let fault = refused(&rules, 2);
    assert!(matches!(fault, CrowdFault::OtherParts { .. }), "{fault}");
}

/// An obligation that is never false of a state that is reached is found to speak of more than is said, on states that are put together.
#[test]
fn obligations_that_speak_of_more_are_found_out() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            wrong: Wrong::Width,
            ..test_and_set()
        };
        let fault = refused(&rules, 2);
        assert!(
            matches!(fault, CrowdFault::SpeaksOfMore { members: 1, .. }),
            "{fault}"
        );
    }
}

/// More members than views show are tested, since what is false of four is false of no three.
#[test]
fn obligations_that_speak_of_more_than_views_show_are_found_out() {
    for many in 3..=6 {
        let rules = Rules {
            bad: Bad::Many(CRITICAL, many),
            wrong: Wrong::Width,
            ..mutual_exclusion(&[step([0, 0], [IDLE, CRITICAL])])
        };
        let fault = refused(&rules, 1);
        assert!(
            matches!(fault, CrowdFault::SpeaksOfMore { members: 1, .. }),
            "{many}: {fault}"
        );
    }
}

/// Nor is a wait for several members seen with few.
#[test]
fn waits_for_more_than_views_show_are_found_out() {
    for (least, is_kind) in [
        (2, false),
        (3, false),
        (4, false),
        (2, true),
        (3, true),
        (4, true),
    ] {
        let mut rules = mutual_exclusion(&[
            step([0, 0], [IDLE, WAITS]),
            Move {
                guard: Guard::AtLeast(WAITS, least),
                ..step([0, 1], [WAITS, CRITICAL])
            },
        ]);
        rules.bad = Bad::One(1, CRITICAL);
        rules.waits_for = if is_kind { vec![WAITS] } else { Vec::new() };
        let fault = refused(&rules, 1);
        assert!(
            matches!(fault, CrowdFault::NeedsOthers { .. }),
            "{least} {is_kind}: {fault}"
        );
    }
}

/// Tickets without end do not keep the test from what comes late.
#[test]
fn what_comes_late_is_tested_beside_tickets() {
    for late in [6, 10, 14] {
        let mut moves = vec![Move {
            ticket: Ticket::Take,
            ..step([0, 0], [IDLE, IDLE])
        }];
        moves.extend((0..late).map(|shared| step([shared, shared + 1], [IDLE, IDLE])));
        moves.push(step([late, late], [IDLE, WAITS]));
        moves.push(Move {
            guard: Guard::Some(WAITS),
            ..step([late, late + 1], [IDLE, CRITICAL])
        });
        let rules = Rules {
            bad: Bad::One(late + 1, IDLE),
            ..mutual_exclusion(&moves)
        };
        let fault = refused(&rules, 1);
        assert!(
            matches!(fault, CrowdFault::NeedsOthers { .. }),
            "{late}: {fault}"
        );
    }
}

/// The ticket of a member is served after so many others were, of which some are passed over at once.
fn passed_over(turns: u8, at_once: u64) -> Rules {
    let with = |ticket, shared, member| Move {
        ticket,
        ..step(shared, member)
    };
    let mut moves = vec![
        with(Ticket::Skip, [0, 0], [IDLE, WAITS]),
        with(Ticket::Take, [0, 1], [IDLE, CRITICAL]),
    ];
    let turns = (1..=turns).map(|turn| {
        let ticket = Ticket::Advance(at_once);
        with(ticket, [turn, turn + 1], [CRITICAL, CRITICAL])
    });
    moves.extend(turns);
    let last = moves.len() as u8 - 1;
    moves.push(with(
        Ticket::IsServed,
        [last, last + 1],
        [CRITICAL, CRITICAL],
    ));
    Rules {
        bad: Bad::One(last + 1, CRITICAL),
        ..mutual_exclusion(&moves)
    }
}

/// A gap that stands for all larger ones may become smaller by as much as it is, as often as there are steps.
#[test]
fn a_gap_may_become_smaller_by_what_it_is() {
    for (turns, members) in [(1, 3), (2, 5)] {
        let rules = passed_over(turns, 2);
        assert!(is_unsafe(&rules, members) && !is_unsafe(&rules, members - 1));
        for views in 1..=2 {
            let report = asked(&rules, views).expect("it is a crowd");
            assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        }
    }
    let goes_far = "a counter goes 3 steps at once: a `Counter<1>` goes 2 at most";
    assert_looks_at_counters(&passed_over(2, 3), goes_far);
}

/// A shared part that is forgotten would make two states one, and a lock safe that is not.
#[test]
fn parts_that_are_not_all_of_a_state_are_found_out() {
    let rules = Rules {
        wrong: Wrong::Forgotten,
        ..safe_for_two()
    };
    let fault = refused(&rules, 2);
    assert!(
        matches!(fault, CrowdFault::OtherParts { count: 2, .. }),
        "{fault}"
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let told = |rules: &Rules, size| refused(rules, size).to_string();
    let three = Rules {
        bad: Bad::Many(CRITICAL, 3),
        ..test_and_set()
    };
    assert_eq!(
        told(&three, 1),
        "invariant:good speaks of 3 members: views of 1 do not show them"
    );
    for size in [0, 7] {
        assert_eq!(
            told(&test_and_set(), size),
            format!("views of {size} members are not searched: it takes 1 to 6")
        );
    }
    let wrong = |wrong| Rules {
        wrong,
        ..test_and_set()
    };
    assert_eq!(
        told(&wrong(Wrong::Named), 2),
        "with 1 members there are other obligations than with 3"
    );
    for (bounded, bound) in [(Wrong::Constraint, "few"), (Wrong::Bound, "two rounds")] {
        assert_eq!(
            told(&wrong(bounded), 2),
            format!("there is a bound, `{bound}`: of what lies beyond it nothing is known")
        );
    }
    let settings = |change: fn(&mut Settings<'static>)| {
        let mut settings = settings(None);
        change(&mut settings);
        let refused = check_any_number(&test_and_set(), &settings);
        refused.expect_err("it is refused").to_string()
    };
    let told = settings(|settings| settings.obligations = Selection::only(["deadlock"]));
    assert!(
        told.starts_with("deadlock cannot be decided here: of every number of members"),
        "{told}"
    );
    assert_eq!(
        settings(|settings| settings.symmetry = Symmetry::Full),
        "`symmetry` is no setting of a check of every number of members"
    );
    let nobody = Rules {
        initial: Vec::new(),
        ..test_and_set()
    };
    let report = asked(&nobody, 2).expect("it is asked");
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
}

/// Members that stand in a line are refused as such, whatever their states say.
#[test]
fn members_in_a_line_are_not_exchanged() {
    let symmetric = |rules: &Rules| {
        let checker = Checker::owning(rules.instance(2)).crowd(rules.clone());
        let settings = Settings {
            symmetry: Symmetry::Full,
            ..Settings::default()
        };
        assert_eq!(
            checker.check(&settings).err(),
            checker.declared(&settings).err()
        );
        checker.check(&settings)
    };
    // Of this one nothing is declared in the states.
    let refused = symmetric(&test_and_set()).expect_err("it has no names");
    assert_eq!(refused, CheckError::NotSymmetric);
    let mut in_line = test_and_set();
    in_line.moves[0].guard = Guard::NoneBefore(CRITICAL);
    assert!(in_line.in_line());
    let refused = symmetric(&in_line).expect_err("they are not alike");
    let members = in_line.members().to_owned();
    assert_eq!(refused, CheckError::InLine { members });
}

/// Neither a limit nor a panic ends in `holds`, and an invariant that says nothing is told.
#[test]
fn what_is_not_known_does_not_hold() {
    let limited = Settings {
        limits: Limits {
            states: Some(1),
            ..Limits::default()
        },
        ..settings(Some(2))
    };
    let report = check_any_number(&test_and_set(), &limited).expect("it is a crowd");
    assert_eq!(report.limit, Some(Limit::States(1)));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    let rules = |wrong| Rules {
        wrong,
        ..test_and_set()
    };
    let report = asked(&rules(Wrong::Premise), 2).expect("it is a crowd");
    assert_eq!(report.unexercised, ["premise:good"]);
    let report = asked(&rules(Wrong::Panics), 2).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    let model = row_of(&report, "model");
    assert!(
        model.counterexamples[0]
            .explanation
            .contains("all are idle"),
        "{report}"
    );
    // Of one that was not looked for to the end, all is told that fails.
    let all = Settings {
        until: Until::End,
        ..settings(Some(2))
    };
    let report = check_any_number(&safe_for_two(), &all).expect("it is a crowd");
    assert!(report.complete);
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
}
