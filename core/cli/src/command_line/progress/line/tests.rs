//! Tests of the text of the progress display.

use super::super::tests::progress;
use super::*;
use refmap::internal::explore::OfPeers;

const COST: Measured = Measured {
    elapsed: Duration::from_millis(61_500),
    memory_bytes: Some(3 << 20),
};

/// A state with a job that reported this.
fn reported(progress: Progress) -> State {
    State {
        label: "x".to_owned(),
        running: vec![Running::new("check x", &progress)],
        ..State::default()
    }
}

fn line(state: &State) -> String {
    super::line(state, COST, None)
}

#[test]
fn a_line_has_what_is_done_and_how_far_the_rest_is() {
    let mut state = State {
        label: "check x".to_owned(),
        ..State::default()
    };
    assert_eq!(line(&state), "check x, 3 MiB, 00:01:01");
    state = reported(progress(Phase::Search));
    state.done = (3, 9);
    assert_eq!(
        line(&state),
        "check x: 20 000 states, 2 000/s, frontier 1 500 at depth 7, 50 000 transitions, 3 of 9 done, 3 MiB, 00:01:01"
    );
    state = reported(progress(Phase::Environment));
    let expected = "check x: deciding environment after 20 000 states, 3 MiB, 00:01:01";
    assert_eq!(line(&state), expected);
}

#[test]
fn limits_are_named_with_how_much_of_them_is_used() {
    let mut state = reported(progress(Phase::Search));
    state.limits = Limits {
        states: Some(30_000),
        depth: Some(9),
        seconds: Some(90.0),
        memory_bytes: Some(20 << 30),
        ..Limits::default()
    };
    assert_eq!(
        line(&state),
        "check x: 20 000 of at most 30 000 states (66 %), 2 000/s, frontier 1 500 at depth 7 of at most 9, 50 000 \
         transitions, 3 of 20 480 MiB (0 %), 00:01:01 of 00:01:30"
    );
    // Longer than a duration goes.
    state.limits.seconds = Some(1e300);
    assert!(line(&state).ends_with("(0 %), 00:01:01"));
}
/// Each process has a line: what it has, and what all have.
#[test]
fn a_process_of_several_tells_what_is_its_own() {
    let several = Progress {
        peers: Some(OfPeers {
            process: 2,
            processes: 4,
            own_states: 5_001,
            memory_bytes: 12 << 20,
        }),
        ..progress(Phase::Search)
    };
    assert_eq!(
        line(&reported(several)),
        "check x: 20 000 states, 2 000/s, frontier 1 500 at depth 7, 50 000 transitions, 5 001 in process 2 of 4, 12 MiB in all, 3 MiB, \
         00:01:01"
    );
}

/// The rest is told where it is known: a total, or at least the frontier where that shrinks.
#[test]
fn nothing_is_said_of_what_is_left_but_what_is_known() {
    let mut state = reported(progress(Phase::Search));
    for depth in 8..12 {
        state.running[0].update(&Progress {
            depth,
            frontier: 1_500 - u64::from(depth),
            ..progress(Phase::Search)
        });
    }
    let expected = ", frontier 1 489 at depth 11, shrinking: at least 1 489 to expand, ";
    assert!(line(&state).contains(expected), "{}", line(&state));
    let with = |phase, unit, done, total| Progress {
        work: Some(Work { unit, done, total }),
        ..progress(phase)
    };
    for (progress, expected) in [
        (
            with(Phase::Environment, "states looked at", 9_999, 20_000),
            "check x: deciding environment: 9 999 of 20 000 states looked at (49 %), ",
        ),
        (
            with(Phase::Liveness, "obligations", 1, 3),
            "check x: deciding liveness: 1 of 3 obligations (33 %), ",
        ),
        (
            with(Phase::Induction, "type-correct states", 0, 0),
            "check x: deciding inductive: 0 of 0 type-correct states (0 %), ",
        ),
        (
            with(Phase::Walks, "walks begun", 5, 1_000),
            "check x: 5 of 1 000 walks begun (0 %), 50 000 steps, 2 000/s, ",
        ),
        (progress(Phase::Walks), "check x: 20 000 initial states, "),
    ] {
        let line = line(&reported(progress));
        assert_eq!(line, format!("{expected}3 MiB, 00:01:01"));
    }
    let mut initial = progress(Phase::Search);
    (initial.frontier, initial.depth) = (0, 0);
    assert!(!line(&reported(initial)).contains("frontier"));
}

/// No number is cut: what does not fit is left out, the least important first. It is one line whatever the width.
#[test]
fn a_line_fits_a_terminal() {
    let mut state = reported(progress(Phase::Search));
    state.done = (3, 9);
    let shown = |columns| super::line(&state, COST, Some(columns));
    assert_eq!(shown(200), line(&state));
    for (columns, expected) in [
        (
            100,
            "check x: 20 000 states, 2 000/s, frontier 1 500 at depth 7, 3 of 9 done, 3 MiB, 00:01:01",
        ),
        (
            85,
            "20 000 states, 2 000/s, frontier 1 500 at depth 7, 3 of 9 done, 3 MiB, 00:01:01",
        ),
        (
            75,
            "20 000 states, frontier 1 500 at depth 7, 3 of 9 done, 3 MiB, 00:01:01",
        ),
        (60, "20 000 states, 3 of 9 done, 00:01:01"),
        (55, "20 000 states, 3 of 9 done, 00:01:01"),
        (40, "20 000 states, 3 of 9 done, 00:01:01"),
        (25, "20 000 states, 00:01:01"),
        (15, "20 000 states"),
        (10, "20 000 st…"),
    ] {
        assert_eq!(shown(columns), expected);
    }
    for columns in 0..120 {
        let shown = shown(columns);
        assert!(shown.chars().count() <= columns, "{columns}: {shown}");
        assert!(!shown.contains('\n'), "{columns}: {shown}");
    }
    let mut long = reported(progress(Phase::Environment));
    long.running[0].label = "check tso --references 2 --mutators 2 --granularity fine".to_owned();
    let begins = "check tso --references 2 --mutators 2 -…: deciding environment";
    assert!(line(&long).starts_with(begins), "{}", line(&long));
}
