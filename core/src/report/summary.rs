//! A report as text for people: the verdict, its evidence and bounds, a row an obligation, and every counterexample.

use std::fmt::{self, Display, Formatter};

use super::history::text as history;
use super::layout::{Ink, pad, plain, width};
use super::outline::Outline;
use super::text::{Text, TextOptions};
use super::{
    Constrained, CutOff, DrawnStates, EveryNumber, Evidence, Report, UnreturnedCall, Verdict,
};
use crate::statement::shown::number::{counted, grouped, one_of};
use crate::statement::shown::value::compact;
use crate::walk::explore::{Spilled, Written};

impl Display for Text<'_, Report> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.of;
        let mut instance = self.options.colour.paint(Ink::Strong, &report.check);
        for (name, value) in &report.parameters {
            instance += &format!("  {name} {}", plain(value));
        }
        self.paragraph(f, &instance, 2)?;
        for line in self.head() {
            self.paragraph(f, &line, 2)?;
        }
        self.obligations(f)?;
        for warning in &report.warnings {
            let painted = self.options.colour.paint(Ink::Doubtful, "warning");
            writeln!(f)?;
            self.paragraph(f, &format!("{painted}: {}", warning.text), 2)?;
        }
        for line in reservations(report) {
            writeln!(f)?;
            self.paragraph(f, &line, 2)?;
        }
        if let Some(history) = &report.history {
            return self.history(f, history);
        }
        for outline in Outline::all(report) {
            writeln!(f)?;
            let text = Text {
                of: &outline,
                options: self.options,
            };
            text.fmt(f)?;
        }
        Ok(())
    }
}

/// First lines of a report: how it was found, and of how much, a line each, without the names of the instance.
pub fn head(report: &Report) -> Vec<String> {
    let options = TextOptions::default();
    let text = Text {
        of: report,
        options,
    };
    text.head()
}

/// Line about the checkpoints of a search.
pub(crate) fn checkpoints(written: &Written) -> String {
    let mut line = format!(
        "{} in {}",
        counted(written.checkpoints, "checkpoint"),
        written.folder.display()
    );
    if let Some(states) = written.resumed_states {
        line += &format!(", resumed at {}", counted(states, "state"));
    }
    if let Some(reason) = &written.ended {
        line += &format!("; no more were written: {reason}");
    }
    line
}

/// Line about the disk of a search, if it used it.
pub(crate) fn spilled(spilled: &Spilled) -> Option<String> {
    let mebibytes = grouped(spilled.bytes.div_ceil(1 << 20));
    let ended = spilled.ended.as_ref();
    match (spilled.bytes, ended) {
        (0, None) => None,
        (_, None) => Some(format!("{mebibytes} MiB on disk")),
        (_, Some(reason)) => Some(format!("{mebibytes} MiB on disk, and no more: {reason}")),
    }
}

/// Claims that a report does not make, a line each, beside its warnings.
pub fn reservations(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(UnreturnedCall { function, state }) = &report.unreturned {
        let at = state.as_ref().map(compact);
        let at = at.map_or_else(String::new, |at| format!(", called on the state {at}"));
        lines.push(format!("did not return: {function}{at}"));
    }
    if !report.taken_at_word.is_empty() {
        let word = report.taken_at_word.join(", ");
        lines.push(format!(
            "taken at its word, since no steps state it: {word}"
        ));
    }
    if report.not_compared > 0 {
        let (some, all) = (grouped(report.not_compared), grouped(report.asked_again));
        lines.push(format!(
            "not compared with `next` or `initial` of the specification, which visit too much: what it overrides, at {some} of \
             {all} states; a smaller instance compares it everywhere"
        ));
    }
    if !report.unexercised.is_empty() {
        let names = report.unexercised.join(", ");
        lines.push(format!("never exercised: {names}"));
    }
    // Of every number of members, rows say so of most.
    let has_row = |name: &&String| report.obligation(name).is_some();
    let names: Vec<_> = report
        .not_asked
        .iter()
        .filter(|name| !has_row(name))
        .collect();
    if !names.is_empty() {
        let names: Vec<_> = names.into_iter().map(String::as_str).collect();
        let names = names.join(", ");
        lines.push(match &report.every_number {
            None => format!("not asked for: {names}; asking for liveness decides them"),
            Some(EveryNumber { members, .. }) => format!(
                "not asked for every number of {members}: {names}; an instance may violate them, which the check of one tells"
            ),
        });
    }
    lines
}

impl Text<'_, Report> {
    /// Lines that follow the name of the instance.
    fn head(&self) -> Vec<String> {
        let report = self.of;
        let counted = match &report.history {
            Some(history) => history::counts(report, history),
            None => counts(report),
        };
        let cut_off = report.cut_off.as_ref();
        let cut_off = cut_off.filter(|cut_off| cut_off.states > 0);
        let cut_off = cut_off.map(|cut_off| {
            let (states, of) = (grouped(cut_off.states), grouped(report.deadlocks));
            format!("cut off in {states} of {of} ends")
        });
        let checkpoints = report.checkpoints.as_ref().map(checkpoints);
        let spilled = report.spilled.as_ref().and_then(spilled);
        [self.headline(), counted]
            .into_iter()
            .chain(cut_off)
            .chain(checkpoints)
            .chain(spilled)
            .collect()
    }

    fn headline(&self) -> String {
        let report = self.of;
        if let Some(every_number) = &report.every_number {
            return self.of_every_number(every_number);
        }
        let mut line = match report.verdict {
            None => "explored, nothing checked".to_owned(),
            Some(verdict) => self.verdict(verdict),
        };
        line += &self.left_open();
        if let Some(first) = &report.counterexample {
            line += &format!(
                " by {} after {}",
                first.obligation,
                counted(first.length as u64, "step")
            );
        }
        if let Some(constraint) = &report.constraint {
            line += &format!(", {}", constraint.told());
        }
        if let Some(cut_off) = &report.cut_off {
            line += &format!(", {}", cut_off.told());
        }
        let history = report.history.as_deref();
        let history = history.map(|history| history::evidence(report, history));
        line += &match report.evidence {
            Evidence::Bounded if report.is_bounded_by_instance() => {
                ", bounded: every reachable state within that".to_owned()
            }
            _ if history.is_some() => history.unwrap_or_default(),
            Evidence::Exhaustive => {
                ", exhaustive: every reachable state of this instance".to_owned()
            }
            Evidence::Bounded => ", bounded: the states reached before the search ended".to_owned(),
            Evidence::Sampled => walks(report),
            Evidence::Views => String::new(),
        };
        if let Some(limit) = report.limit {
            line += &format!(" by {limit}");
        }
        if let Some(process) = report.limit_process {
            line += &format!(" (process {process})");
        }
        if let Some(symmetry) = &report.symmetry {
            let permutations = counted(symmetry.permutations as u64, "permutation");
            let by = match (symmetry.permutations, symmetry.shifts) {
                (_, false) => permutations,
                (0 | 1, true) => "shifts of counters".to_owned(),
                (_, true) => format!("{permutations} and shifts of counters"),
            };
            line += &format!(
                ", up to {by} (tested in turn on {} states, and else believed)",
                grouped(symmetry.tested_states)
            );
        }
        line
    }

    /// The headline of a check of every number of members.
    fn of_every_number(&self, every_number: &EveryNumber) -> String {
        let report = self.of;
        let EveryNumber {
            members,
            bounds,
            view_members,
            ..
        } = every_number;
        let mut line = match report.verdict {
            None => "nothing checked".to_owned(),
            Some(Verdict::Incomplete) => self.options.colour.paint(Ink::Doubtful, "unknown"),
            Some(verdict) => self.verdict(verdict),
        };
        if let (Some(with), Some(first)) = (every_number.failed_with, &report.counterexample) {
            line += &format!(" with {with} {}", named(members, with));
            if !bounds.is_empty() {
                line += &format!(" ({bounds})");
            }
            return line + ", " + &first.failure();
        }
        line += &format!(" for every number of {members} (views of {view_members}");
        if !bounds.is_empty() {
            line += &format!("; {bounds}");
        }
        line += ")";
        if let Some(first) = &report.counterexample {
            line += &format!(", {} from a state that views leave", first.failure());
        }
        if let Some(limit) = report.limit {
            line += &format!(", ended by {limit}");
        }
        line
    }

    /// Obligations that are open of a search that was not ended early and is incomplete nevertheless, and what the
    /// first of them says of it, which is why, and what to ask for.
    fn left_open(&self) -> String {
        let report = self.of;
        let is_open = report.verdict == Some(Verdict::Incomplete)
            && (report.evidence == Evidence::Exhaustive || report.is_bounded_by_instance())
            && report.limit.is_none()
            // The evidence of a history says by itself what is open of it.
            && report.history.is_none();
        let rows = report.obligations.iter();
        let open: Vec<_> = rows
            .filter(|row| is_open && row.verdict == Verdict::Incomplete)
            .collect();
        let Some(note) = open.iter().find_map(|row| row.note.as_deref()) else {
            return String::new();
        };
        let mut names: Vec<&str> = Vec::new();
        for row in &open {
            let name = row.name.split(':').next().unwrap_or(&row.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let names = names.join(", ");
        let prefixes = ["not evaluated: ", "not decided: "];
        let reason = prefixes.iter().find_map(|prefix| note.strip_prefix(prefix));
        let note = reason.unwrap_or(note);
        format!(": {names} not decided, since {note}; of the others")
    }

    fn verdict(&self, verdict: Verdict) -> String {
        let ink = match verdict {
            Verdict::Holds => Ink::Good,
            Verdict::Violated => Ink::Bad,
            Verdict::Incomplete
            | Verdict::NoneDeclared
            | Verdict::Untested
            | Verdict::NotDecided => Ink::Doubtful,
        };
        self.options.colour.paint(ink, verdict)
    }

    /// One row each. A note that the row above has too is not repeated.
    fn obligations(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = &self.of.obligations;
        let Some(names) = rows.iter().map(|row| width(&row.name)).max() else {
            return Ok(());
        };
        let names = names.max("obligation".len()) + 2;
        let heading = format!(
            "{}  {:<13}  {:>10}",
            pad("obligation", names),
            "verdict",
            "tested"
        );
        writeln!(f)?;
        self.paragraph(f, &self.options.colour.paint(Ink::Faint, heading), 4)?;
        let mut said = None;
        for row in rows {
            let name = pad(&format!("  {}", row.name), names);
            let is_unknown = self.of.every_number.is_some() && row.verdict == Verdict::Incomplete;
            let verdict = if is_unknown {
                self.options.colour.paint(Ink::Doubtful, "unknown")
            } else {
                self.verdict(row.verdict)
            };
            let verdict = pad(&verdict, 13);
            let line = format!("{name}  {verdict}  {:>10}", grouped(row.checked));
            self.paragraph(f, &line, 4)?;
            if let Some(note) = row.note.as_deref().filter(|note| said != Some(*note)) {
                self.paragraph(f, &format!("    {note}"), 4)?;
            }
            said = row.note.as_deref();
        }
        Ok(())
    }
}

impl DrawnStates {
    /// Number of states that were drawn, and what they were.
    pub(crate) fn told(&self) -> String {
        let Self {
            samples,
            drawn,
            satisfying,
            unmet,
            on_walks,
            ..
        } = *self;
        let of = if drawn < samples {
            format!("{} of ", grouped(drawn))
        } else {
            String::new()
        };
        format!(
            "{of}{} drawn, {} of which satisfy the invariants, with {} different ones that are not among the {} of the walks",
            counted(samples, "state"),
            grouped(satisfying),
            grouped(unmet),
            grouped(on_walks),
        )
    }
}

impl Constrained {
    /// The constraint, and how much it left out.
    fn told(&self) -> String {
        let Self {
            name,
            states_outside,
            ..
        } = self;
        match states_outside {
            0 => format!("{name}: no state was left out"),
            1 => format!("{name}: 1 state was not expanded"),
            _ => format!(
                "{name}: {} were not expanded",
                counted(*states_outside, "state")
            ),
        }
    }
}

impl CutOff {
    /// The bound, and the threads that it has stopped.
    pub(crate) fn told(&self) -> String {
        let were = if self.threads.len() == 1 {
            "was"
        } else {
            "were"
        };
        format!("{}: {} {were} cut off", self.bound, self.threads.join(", "))
    }
}

impl Report {
    /// True if every state was seen that a constraint, or a bound on loops, leaves.
    fn is_bounded_by_instance(&self) -> bool {
        self.complete && self.evidence == Evidence::Bounded
    }
}

fn walks(report: &Report) -> String {
    let mut text = ", sampled: ".to_owned();
    if let Some(walks) = &report.walks {
        if walks.begun < walks.walks {
            text += &format!("{} of ", grouped(walks.begun.into()));
        }
        text += &format!(
            "{} of at most {}, seed {}",
            counted(walks.walks.into(), "random walk"),
            counted(walks.steps.into(), "step"),
            walks.seed
        );
    }
    if report.limit.is_some() {
        text += ", ended";
    }
    text
}

/// Counts of a check of every number of members.
fn views(report: &Report, every_number: &EveryNumber) -> String {
    let EveryNumber {
        members,
        configuration_members,
        views,
        ..
    } = every_number;
    format!(
        "{}, {} of {configuration_members} ({} initial), {}, {:.2} s, {} MiB; with fewer {members} searched as they are",
        counted(*views, "view"),
        counted(report.states, "configuration"),
        grouped(report.initial_states),
        counted(report.transitions, "transition"),
        report.seconds,
        grouped(report.peak_memory_bytes >> 20),
    )
}

/// Name of so many members, of their name in the plural.
fn named(members: &str, count: usize) -> &str {
    if count == 1 { one_of(members) } else { members }
}

fn counts(report: &Report) -> String {
    if let Some(every_number) = &report.every_number
        && every_number.failed_with.is_none()
    {
        return views(report, every_number);
    }
    let states = match report.evidence {
        Evidence::Sampled if report.states == 1 => "1 visit of a state".to_owned(),
        Evidence::Sampled => format!("{} visits of states", grouped(report.states)),
        Evidence::Exhaustive | Evidence::Bounded | Evidence::Views => {
            counted(report.states, "state")
        }
    };
    let kept = match report.states_kept {
        None => String::new(),
        Some(kept) => format!(", states {kept}"),
    };
    // Of a search that did not return these are not known.
    let (initial, deadlocks) = match report.unreturned {
        Some(_) => (String::new(), String::new()),
        None => (
            format!(" ({} initial)", grouped(report.initial_states)),
            format!(" {},", counted(report.deadlocks, "deadlock")),
        ),
    };
    format!(
        "{states}{initial}, {}, depth {},{deadlocks} {:.2} s, {} MiB, {}{kept}",
        counted(report.transitions, "transition"),
        grouped(report.depth.into()),
        report.seconds,
        grouped(report.peak_memory_bytes >> 20),
        workers(report),
    )
}

/// Workers, by the process if there are several.
fn workers(report: &Report) -> String {
    let threads = counted(report.threads as u64, "thread");
    match report.processes {
        None => threads,
        Some(1) => format!("{threads} in 1 process"),
        Some(processes) => format!("{threads} in each of {processes} processes"),
    }
}
