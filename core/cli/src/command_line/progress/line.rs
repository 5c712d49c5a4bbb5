//! Text of the progress display: what is said, and what of it is left out where it does not fit.

use std::time::Duration;

use indicatif::FormattedDuration;

use super::running::Running;
use super::state::State;
use crate::command_line::terminal::shortened;
use refmap::explore::{Limits, Progress};
use refmap::internal::explore::{Phase, Work};
use refmap::internal::{counted, grouped};

/// The most columns of a label beside other parts of a line.
const LABEL: usize = 40;

/// Measurements at the time at which a line is drawn.
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

/// Formats the state on one line: what is under way, completed jobs, memory and time, as far as they fit.
pub(super) fn line(state: &State, measured: Measured, columns: Option<usize>) -> String {
    let mut parts = of_work(state);
    parts.extend(of_cost(state, measured));
    fitted(parts, columns.unwrap_or(usize::MAX))
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
    part(
        0,
        match limits.states {
            None => counted(progress.states, "state"),
            Some(most) => format!(
                "{} of at most {} ({})",
                grouped(progress.states),
                counted(most, "state"),
                percentage(progress.states, most)
            ),
        },
    );
    rate(running, part);
    // There is none while initial states are made.
    if progress.frontier > 0 {
        let (frontier, depth) = (grouped(progress.frontier), progress.depth);
        let most = limits.depth.map(|most| format!(" of at most {most}"));
        let most = most.unwrap_or_default();
        part(2, format!("frontier {frontier} at depth {depth}{most}"));
        if running.is_shrinking() {
            part(6, format!("shrinking: at least {frontier} to expand"));
        }
    }
    part(7, counted(progress.transitions, "transition"));
    if let Some(peers) = progress.peers {
        let (process, processes) = (peers.process, peers.processes);
        let own = grouped(peers.own_states);
        part(3, format!("{own} in process {process} of {processes}"));
        let memory = grouped(peers.memory_bytes >> 20);
        part(4, format!("{memory} MiB in all"));
    }
    if let Some(disk) = progress.disk {
        part(3, format!("{} MiB on disk", grouped(disk.bytes >> 20)));
        let age = FormattedDuration(disk.checkpoint_age);
        part(4, format!("checkpoint {age} ago"));
    }
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
        Phase::Search | Phase::Walks | Phase::Views => None,
        Phase::Environment => Some("environment"),
        Phase::Liveness => Some("liveness"),
        Phase::Induction => Some("inductive"),
    };
    if phase == Phase::Views {
        part(0, counted(states, "view"));
        part(2, counted(transitions, "transition"));
        return rate(running, part);
    }
    match (deciding, work) {
        (Some(deciding), Some(work)) => part(0, format!("deciding {deciding}: {}", of_total(work))),
        (Some(deciding), None) => part(
            0,
            format!("deciding {deciding} after {}", counted(states, "state")),
        ),
        (None, Some(work)) => part(0, of_total(work)),
        (None, None) => part(0, counted(states, "initial state")),
    }
    if phase == Phase::Walks && work.is_some() {
        part(2, counted(transitions, "step"));
        rate(running, part);
    }
}

fn rate(running: &Running, part: &mut impl FnMut(u8, String)) {
    if let Some(rate) = running.rate() {
        part(4, format!("{}/s", grouped(rate)));
    }
}

fn of_cost(state: &State, measured: Measured) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = |rank, text| parts.push(Part { rank, text });
    let limits = &state.limits;
    let (done, total) = state.done;
    if total > 0 {
        part(1, format!("{done} of {total} done"));
    }
    if let Some(memory) = measured.memory_bytes {
        let mebibytes = |bytes: u64| grouped(bytes >> 20);
        let most = limits
            .memory_bytes
            .map(|most| format!(" of {} MiB ({})", mebibytes(most), percentage(memory, most)));
        let most = most.unwrap_or_else(|| " MiB".to_owned());
        part(2, format!("{}{most}", mebibytes(memory)));
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
        grouped(work.done),
        grouped(work.total),
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
mod tests;
