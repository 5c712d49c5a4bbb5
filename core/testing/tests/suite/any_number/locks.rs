//! Locks of any number of members, and what is no crowd, or cannot be asked.

use refmap::crowd::{Crowd, CrowdRefinement};
use refmap::explore::Limit;
use refmap::internal::CrowdFault;
use refmap::obligation::{CheckError, Checkable, Checker, Selection, Symmetry, Until};
use refmap::{Report, Settings, Verdict, check, check_any_number};
use refmap_testing::{assert_explained, assert_verdict, row_of, up_to_states};

use super::group::{Asks, Bad, CRITICAL, Guard, IDLE, Move, Name, Rules, Ticket, WAITS, step};
use super::plain::is_unsafe;
use super::settings;

fn asked(rules: &Rules, size: usize) -> Report {
    check_any_number(rules, &settings(Some(size))).expect("it can be asked")
}

fn mutual_exclusion(moves: &[Move]) -> Rules {
    Rules {
        moves: moves.to_vec(),
        initial: vec![IDLE],
        bad: Bad::Two(CRITICAL, CRITICAL),
        asks: Asks::Invariant,
        simulates: None,
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

/// A crowd that looks at more of its counters than views keep does not hold, and the report says so.
fn assert_looks_at_counters(rules: &Rules, told: &str) {
    let report = asked(rules, 2);
    assert_ne!(report.verdict, Some(Verdict::Holds), "{report}");
    let model = row_of(&report, "model");
    let explanation = &model.counterexamples[0].explanation;
    assert!(explanation.contains(told), "{explanation}");
}

#[test]
fn a_lock_with_tickets_holds_for_every_number() {
    for asks in [Asks::Invariant, Asks::Simulation] {
        let rules = Rules {
            asks,
            ..ticket_lock()
        };
        let report = check_any_number(&rules, &settings(None)).expect("it is a crowd");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let mut unsafe_one = rules.clone();
        // Whoever waits enters.
        unsafe_one.moves[1].ticket = Ticket::Nothing;
        let report = check_any_number(&unsafe_one, &settings(None)).expect("it is a crowd");
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    }
    // Whether a ticket is even is not to be asked.
    let mut even = ticket_lock();
    even.moves.push(Move {
        ticket: Ticket::IsEven,
        ..step([0, 0], [CRITICAL, CRITICAL])
    });
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
    let rules = mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        beside(CRITICAL, [1, 2], [IDLE, WAITS]),
        twice,
        twice,
    ]);
    for size in [1, 2] {
        assert_eq!(asked(&rules, size).verdict, Some(Verdict::Holds));
        for number in [2, 3] {
            let fails = Rules {
                simulates: Some(number),
                ..rules.clone()
            };
            let report = asked(&fails, size);
            assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
            let found = report.every_number.expect("it is asked for");
            assert_eq!(found.failed_with, Some(3));
        }
    }
}

/// A step that waits for members of several kinds at once is taken beside all of them, and only there. Of members that are left out is learnt
/// which of them there are, as far as it is asked.
#[test]
fn a_step_waits_for_members_of_several_kinds() {
    const KINDS: [u8; 5] = [1, 2, 3, 4, 5];
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
        assert_eq!(
            [count, count + 1].map(|members| is_unsafe(&rules, members)),
            [false, true]
        );
        let expected = if count < 5 {
            Verdict::Violated
        } else {
            // More than the small instances have.
            Verdict::Incomplete
        };
        for size in [1, 2] {
            let report = asked(&rules, size);
            assert_eq!(report.verdict, Some(expected), "{report}");
        }
        rules.bad = Bad::One(0, after);
        // Of one kind there is none, so the step is never taken.
        rules.moves.remove(0);
        rules.moves[0].shared[0] = 0;
        for size in [1, 2] {
            let report = asked(&rules, size);
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        }
    }
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
        let report = asked(&rules, size);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
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
    for (turns, members) in [(1, 3), (2, 5), (3, 7)] {
        let rules = passed_over(turns, 2);
        assert!(is_unsafe(&rules, members) && !is_unsafe(&rules, members - 1));
        for views in 1..=2 {
            let report = asked(&rules, views);
            assert_ne!(report.verdict, Some(Verdict::Holds), "{report}");
        }
    }
    let goes_far = "a counter goes 3 steps at once: a `Counter<1>` goes 2 at most";
    let mut far = passed_over(3, 3);
    far.bad = Bad::One(9, CRITICAL);
    assert_looks_at_counters(&far, goes_far);
}

#[test]
fn a_lock_holds_for_every_number() {
    for asks in [Asks::Invariant, Asks::Simulation] {
        let rules = Rules {
            asks,
            ..test_and_set()
        };
        let report = asked(&rules, 2);
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        // The flag is down and all are idle; it is up, and one is critical, or neither of the two in the view.
        assert_eq!(found.views, 3);
        let text = report.to_string();
        let words = "holds for every number of members (views of 2; few kinds)\n";
        assert!(text.contains(words), "{text}");
    }
}

/// A member that the shared part names is told from all others, in a view or not.
#[test]
fn a_name_is_that_of_one_member() {
    let named = |name, shared, member| Move {
        name,
        ..step(shared, member)
    };
    // The owner alone leaves, and only then somebody enters.
    let mut rules = mutual_exclusion(&[
        named(Name::Take, [0, 1], [IDLE, WAITS]),
        named(Name::IsMe, [1, 1], [WAITS, CRITICAL]),
        named(Name::IsMe, [1, 0], [CRITICAL, IDLE]),
    ]);
    for size in [1, 2] {
        let report = asked(&rules, size);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
    // Whoever is critical is the owner, and whoever is idle is not.
    for (kind, verdict) in [(CRITICAL, Verdict::Holds), (IDLE, Verdict::Violated)] {
        let claimed = Rules {
            bad: Bad::Nameless(kind),
            ..rules.clone()
        };
        assert_eq!(asked(&claimed, 1).verdict, Some(verdict));
    }
    // Whoever is not the owner may, too.
    rules.moves[1].name = Name::IsNotMe;
    rules.moves[0].shared = [0, 0];
    rules.moves[1].shared = [0, 0];
    assert_eq!(asked(&rules, 2).verdict, Some(Verdict::Violated));
    // The lock is handed on, to one that waits: configurations have one member more.
    let handed_on = mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 1], [IDLE, WAITS]),
        named(Name::Choose(WAITS), [1, 2], [CRITICAL, IDLE]),
        named(Name::IsMe, [2, 1], [WAITS, CRITICAL]),
    ]);
    let report = asked(&handed_on, 2);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let found = report.every_number.expect("it is asked for");
    assert_eq!((found.view_members, found.configuration_members), (2, 4));
    let mut wrong = handed_on;
    wrong.moves[3].name = Name::Nothing;
    wrong.moves[3].shared = [2, 2];
    assert_eq!(asked(&wrong, 2).verdict, Some(Verdict::Violated));
}

#[test]
fn a_lock_that_is_safe_for_two_is_violated_with_three() {
    for asks in [Asks::Invariant, Asks::Simulation] {
        let rules = Rules {
            asks,
            ..safe_for_two()
        };
        assert_eq!(
            [1, 2, 3].map(|members| is_unsafe(&rules, members)),
            [false, false, true]
        );
        let report = asked(&rules, 2);
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(found.failed_with, Some(3));
        assert_eq!(report.verdict, Some(Verdict::Violated));
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert!(shown.reachable && shown.length > 1, "{report}");
        let text = report.to_string();
        let words = "violated with 3 members (few kinds), ";
        assert!(text.contains(words), "{text}");
    }
}

/// A violation with more members than small instances have is not known of the views, and shown from a state that these leave.
#[test]
fn what_fails_with_many_is_unknown() {
    let mut moves: Vec<_> = (0..6)
        .map(|turn| step([turn, turn + 1], [IDLE, WAITS]))
        .collect();
    moves.push(step([6, 6], [WAITS, CRITICAL]));
    let mut rules = mutual_exclusion(&moves);
    rules.bad = Bad::One(6, CRITICAL);
    assert!(!is_unsafe(&rules, 5) && is_unsafe(&rules, 6));
    let report = asked(&rules, 2);
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    let shown = report.counterexample.as_ref().expect("it is shown");
    assert!(shown.by_views, "{report}");
    let text = report.to_string();
    let words = "unknown for every number of members (views of 2; few kinds), ";
    assert!(text.contains(words), "{text}");
    assert!(text.contains("state that views leave"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refused = |rules: &Rules, size| match check_any_number(rules, &settings(Some(size))) {
        Err(CheckError::Crowd(fault)) => *fault,
        other => panic!("{other:?}"),
    };
    let three = Rules {
        bad: Bad::Many(CRITICAL, 3),
        ..test_and_set()
    };
    let fault = refused(&three, 1);
    assert!(matches!(fault, CrowdFault::TooWide { members: 3, .. }));
    assert_eq!(
        fault.to_string(),
        "`invariant:good` speaks of 3 members, and with views of 1 no more than 2 are seen at once: it is decided with views of 2"
    );
    for size in [0, 7] {
        assert_eq!(
            refused(&test_and_set(), size).to_string(),
            format!("views have {size} members: they have 1 to 6")
        );
    }
    let told = |change: fn(&mut Settings<'static>)| {
        let mut settings = settings(None);
        change(&mut settings);
        let refused = check_any_number(&test_and_set(), &settings);
        refused.expect_err("it is refused").to_string()
    };
    let deadlock = told(|settings| settings.obligations = Selection::only(["deadlock"]));
    assert!(
        deadlock.starts_with("deadlock cannot be decided here: of every number of members"),
        "{deadlock}"
    );
    assert_eq!(
        told(|settings| settings.symmetry = Symmetry::Full),
        "`symmetry` is no setting of a check of every number of members"
    );
    let nobody = Rules {
        initial: Vec::new(),
        ..test_and_set()
    };
    let report = asked(&nobody, 2);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
}

/// Members can be exchanged without a word, and those that stand in a line cannot.
#[test]
fn instances_have_their_symmetry() {
    let full = Settings {
        symmetry: Symmetry::Full,
        obligations: Selection::only(super::DECIDED),
        ..Settings::default()
    };
    let of = |rules: &Rules, members| {
        let plain = Settings {
            symmetry: Symmetry::None,
            ..full.clone()
        };
        let instance = CrowdRefinement::of(rules, members);
        [&plain, &full].map(|settings| check(&instance, settings).expect("it is right").states)
    };
    assert_eq!(of(&test_and_set(), 5), [6, 2]);
    let mut named = test_and_set();
    named.moves[0].name = Name::Take;
    assert_eq!(of(&named, 5), [11, 3]);
    let mut in_line = test_and_set().in_line();
    in_line.moves[0].guard = Guard::NoneBefore(CRITICAL);
    let checker = Checker::owning(CrowdRefinement::of(&in_line, 2)).crowd(in_line.clone());
    let members = in_line.members().to_owned();
    let refused = checker.check(&full).expect_err("they are not alike");
    assert_eq!(refused, CheckError::InLine { members });
    assert_eq!(checker.declared(&full).err(), Some(refused));
}

/// A crowd that asks who stands before a member says that members stand in a line.
#[test]
fn a_line_is_said() {
    let mut rules = test_and_set();
    rules.moves[0].guard = Guard::NoneBefore(CRITICAL);
    let report = asked(&rules, 2);
    assert_explained(&report, "model", "const IN_LINE: bool = true");
}

/// Obligations that are not decided for every number are rows, and so are those that speak of nothing that is declared.
#[test]
fn what_is_not_decided_is_a_row() {
    let all = Settings {
        obligations: Selection::Default,
        ..settings(Some(2))
    };
    let report = check_any_number(&test_and_set(), &all).expect("it is a crowd");
    assert_eq!(report.not_asked, ["environment", "deadlock", "coverage"]);
    let row = row_of(&report, "deadlock");
    assert_eq!(row.verdict, Verdict::NotDecided);
    let note = row.note.as_deref();
    assert_eq!(note, Some("no instance with up to 5 members violates it"));
    assert_verdict(&report, "coverage", Verdict::NotDecided);
    assert_verdict(&report, "environment", Verdict::NoneDeclared);
}

/// Neither a limit nor a deadlock ends in `holds`.
#[test]
fn what_is_not_known_does_not_hold() {
    let limited = Settings {
        limits: up_to_states(1),
        ..settings(Some(2))
    };
    let report = check_any_number(&test_and_set(), &limited).expect("it is a crowd");
    assert_eq!(report.limit, Some(Limit::States(1)));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    // Nobody leaves.
    let mut stops = test_and_set();
    stops.moves.pop();
    assert_eq!(asked(&stops, 2).verdict, Some(Verdict::Holds));
    let all = Settings {
        obligations: Selection::Default,
        ..settings(Some(2))
    };
    let report = check_any_number(&stops, &all).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    assert!(
        report
            .to_string()
            .contains("violated with 1 member (few kinds), deadlock"),
        "{report}"
    );
    // Of one that was not looked for to the end, all is told that fails.
    let to_the_end = Settings {
        until: Until::End,
        ..settings(Some(2))
    };
    let report = check_any_number(&safe_for_two(), &to_the_end).expect("it is a crowd");
    assert!(report.complete);
    assert_eq!(report.verdict, Some(Verdict::Violated));
}
