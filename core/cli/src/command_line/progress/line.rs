//! Text of the progress display: what is said, and what of it is left out where it does not fit.

use std::time::Duration;

use indicatif::{FormattedDuration, HumanCount};

use super::State;
use super::running::Running;
use crate::command_line::terminal::shortened;
use refmap::explore::{Limits, Phase, Progress, Work};

/// The most columns of a label beside other parts of a line.
const LABEL: usize = 40;

/// What is measured when a line is drawn.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    /// Time since the command began.
    pub elapsed: Duration,
    /// Memory held by the process.
    pub memory_bytes: Option<u64>,
}

/// Part of a line. Where a line is too long, the parts of the highest rank are left out first.
struct Part {
    rank: u8,
    text: String,
}

/// Formats the state: on one line if it fits or `columns` is none, otherwise the work on one and time and memory on
/// another, each as far as it fits.
pub(super) fn lines(state: &State, measured: Measured, columns: Option<usize>) -> String {
    let (work, cost) = (of_work(state), of_cost(&state.limits, measured));
    let columns = columns.unwrap_or(usize::MAX);
    let both = joined(work.iter().chain(&cost));
    match both.chars().count() <= columns {
        true => both,
        false => format!("{}\n{}", fitted(work, columns), fitted(cost, columns)),
    }
}

fn joined<'a>(parts: impl Iterator<Item = &'a Part>) -> String {
    let mut line = String::new();
    for part in parts {
        line += match line.chars().last() {
            None => "",
            Some(':') => " ",
            Some(_) => ", ",
        };
        line += &part.text;
    }
    line
}

/// Joins as many parts as fit, and shortens the last one that is left.
fn fitted(mut parts: Vec<Part>, columns: usize) -> String {
    loop {
        let line = joined(parts.iter());
        if line.chars().count() <= columns {
            return line;
        }
        let ranks = parts.iter().enumerate();
        match ranks.max_by_key(|(_, part)| part.rank) {
            Some((place, _)) if parts.len() > 1 => parts.remove(place),
            _ => return shortened(&line, columns),
        };
    }
}

fn of_work(state: &State) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = |rank, text| parts.push(Part { rank, text });
    let (done, total) = state.done;
    if total > 0 {
        part(1, format!("{done} of {total} done"));
    }
    match state.running.first() {
        None => part(0, state.label.clone()),
        Some(running) => {
            part(5, format!("{}:", shortened(&running.label, LABEL)));
            match running.progress.phase {
                Phase::Search => search(running, &state.limits, &mut part),
                _ => other(running, &mut part),
            }
        }
    }
    parts
}

fn search(running: &Running, limits: &Limits, part: &mut impl FnMut(u8, String)) {
    let progress = &running.progress;
    let states = HumanCount(progress.states);
    part(
        0,
        match limits.states {
            None => format!("{states} states"),
            Some(most) => format!(
                "{states} of at most {} states ({})",
                HumanCount(most),
                percentage(progress.states, most)
            ),
        },
    );
    rate(running, part);
    // There is none while initial states are made.
    if progress.frontier > 0 {
        let (frontier, depth) = (HumanCount(progress.frontier), progress.depth);
        let most = limits.depth.map(|most| format!(" of at most {most}"));
        let most = most.unwrap_or_default();
        part(2, format!("frontier {frontier} at depth {depth}{most}"));
        if running.is_shrinking() {
            part(6, format!("shrinking: at least {frontier} to expand"));
        }
    }
    let transitions = HumanCount(progress.transitions);
    part(7, format!("{transitions} transitions"));
}

/// A phase other than the search.
fn other(running: &Running, part: &mut impl FnMut(u8, String)) {
    let Progress {
        phase,
        states,
        transitions,
        work,
        ..
    } = running.progress;
    let deciding = match phase {
        Phase::Search | Phase::Walks => None,
        Phase::Environment => Some("environment"),
        Phase::Liveness => Some("liveness"),
        Phase::Induction => Some("inductive"),
    };
    let states = HumanCount(states);
    match (deciding, work) {
        (Some(deciding), Some(work)) => part(0, format!("deciding {deciding}: {}", of_total(work))),
        (Some(deciding), None) => part(0, format!("deciding {deciding} after {states} states")),
        (None, Some(work)) => part(0, of_total(work)),
        (None, None) => part(0, format!("{states} initial states")),
    }
    if phase == Phase::Walks && work.is_some() {
        part(2, format!("{} steps", HumanCount(transitions)));
        rate(running, part);
    }
}

fn rate(running: &Running, part: &mut impl FnMut(u8, String)) {
    if let Some(rate) = running.rate() {
        part(4, format!("{}/s", HumanCount(rate)));
    }
}

fn of_cost(limits: &Limits, measured: Measured) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = |rank, text| parts.push(Part { rank, text });
    if let Some(memory) = measured.memory_bytes {
        let mebibytes = |bytes: u64| HumanCount(bytes >> 20);
        let most = limits
            .memory_bytes
            .map(|most| format!(" of {} MiB ({})", mebibytes(most), percentage(memory, most)));
        let most = most.unwrap_or_else(|| " MiB".to_owned());
        part(1, format!("{}{most}", mebibytes(memory)));
    }
    let elapsed = FormattedDuration(measured.elapsed);
    let most = limits
        .seconds
        .and_then(|most| Duration::try_from_secs_f64(most).ok());
    let most = most.map(|most| format!(" of {}", FormattedDuration(most)));
    part(0, format!("{elapsed}{}", most.unwrap_or_default()));
    parts
}

fn of_total(work: Work) -> String {
    format!(
        "{} of {} {} ({})",
        HumanCount(work.done),
        HumanCount(work.total),
        work.unit,
        percentage(work.done, work.total)
    )
}

/// Rounded down, so that 100 % is all.
fn percentage(done: u64, total: u64) -> String {
    let percent = u128::from(done) * 100 / u128::from(total.max(1));
    format!("{percent} %")
}

#[cfg(test)]
mod tests {
    use super::super::tests::progress;
    use super::*;

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
        lines(state, COST, None)
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
            "3 of 9 done, check x: 20,000 states, 2,000/s, frontier 1,500 at depth 7, 50,000 transitions, 3 MiB, \
             00:01:01"
        );
        state = reported(progress(Phase::Environment));
        let expected = "check x: deciding environment after 20,000 states, 3 MiB, 00:01:01";
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
        };
        assert_eq!(
            line(&state),
            "check x: 20,000 of at most 30,000 states (66 %), 2,000/s, frontier 1,500 at depth 7 of at most 9, 50,000 \
             transitions, 3 of 20,480 MiB (0 %), 00:01:01 of 00:01:30"
        );
        // Longer than a duration goes.
        state.limits.seconds = Some(1e300);
        assert!(line(&state).ends_with("(0 %), 00:01:01"));
    }

    /// What is left is said where it is known: a total, or at least the frontier where that shrinks.
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
        let expected = ", frontier 1,489 at depth 11, shrinking: at least 1,489 to expand, ";
        assert!(line(&state).contains(expected), "{}", line(&state));
        let with = |phase, unit, done, total| Progress {
            work: Some(Work { unit, done, total }),
            ..progress(phase)
        };
        for (progress, expected) in [
            (
                with(Phase::Environment, "states looked at", 9_999, 20_000),
                "check x: deciding environment: 9,999 of 20,000 states looked at (49 %), ",
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
                "check x: 5 of 1,000 walks begun (0 %), 50,000 steps, 2,000/s, ",
            ),
            (progress(Phase::Walks), "check x: 20,000 initial states, "),
        ] {
            let line = line(&reported(progress));
            assert_eq!(line, format!("{expected}3 MiB, 00:01:01"));
        }
        let mut initial = progress(Phase::Search);
        (initial.frontier, initial.depth) = (0, 0);
        assert!(!line(&reported(initial)).contains("frontier"));
    }

    /// No number is cut: what does not fit is left out, the least important first.
    #[test]
    fn lines_fit_a_terminal() {
        let mut state = reported(progress(Phase::Search));
        state.done = (3, 9);
        let shown = |columns| lines(&state, COST, Some(columns));
        assert_eq!(shown(200), line(&state));
        assert_eq!(
            shown(90),
            "3 of 9 done, check x: 20,000 states, 2,000/s, frontier 1,500 at depth 7\n3 MiB, 00:01:01"
        );
        let expected =
            "3 of 9 done, 20,000 states, 2,000/s, frontier 1,500 at depth 7\n3 MiB, 00:01:01";
        assert_eq!(shown(65), expected);
        let expected = "3 of 9 done, 20,000 states, frontier 1,500 at depth 7\n3 MiB, 00:01:01";
        assert_eq!(shown(60), expected);
        assert_eq!(shown(30), "3 of 9 done, 20,000 states\n3 MiB, 00:01:01");
        assert_eq!(shown(10), "20,000 st…\n00:01:01");
        for columns in 0..120 {
            for line in shown(columns).lines() {
                assert!(line.chars().count() <= columns, "{columns}: {line}");
            }
        }
        let mut long = reported(progress(Phase::Environment));
        long.running[0].label =
            "check tso --references 2 --mutators 2 --granularity fine".to_owned();
        let begins = "check tso --references 2 --mutators 2 -…: deciding environment";
        assert!(line(&long).starts_with(begins), "{}", line(&long));
    }
}
