//! Result of a test.

use std::fmt::{self, Display};

use refmap::Action;
use refmap::internal::{counted, grouped};
use refmap::report::Verdict;
use serde::{Deserialize, Serialize};

use super::case::Case;
use super::concurrent::EventOf;
use super::finding::Finding;
use super::kind::Run;
use super::once::Once;
use super::overlap::{most_under_way, overlapping};
use super::{CallOf, Object};
use crate::{Event, Outcome};

/// Greatest number of remarks on the runs of one kind.
const MOST_REMARKS: usize = 4;

/// Runs of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Kind of the runs.
    pub run: Run,
    /// Verdict on all of them.
    pub verdict: Verdict,
    /// Number of runs; of schedules and executions, each counts.
    pub runs: u64,
    /// Number of calls that were made.
    pub calls: u64,
    /// Number of them that began while another thread had one under way.
    pub overlapping: u64,
    /// Greatest number of threads that had a call under way at once.
    pub under_way: u64,
    /// Number of steps that calls took on primitives of `refmap_schedules`, under a scheduler.
    pub steps: u64,
    /// Number of runs in which all threads waited for ever, as the specification permits.
    pub blocked: u64,
    /// Number of runs that were given up, and programs of which not every execution was tried. What was seen before counts.
    pub given_up: u64,
    /// Number of runs whose validation reached a limit.
    pub undecided: u64,
    /// True if some call changed the object, as far as the specification tells.
    pub has_changed: bool,
    /// Calls, by their rules, that no run made.
    pub never_called: Vec<String>,
    /// Reasons why the part says less than it seems to.
    pub notes: Vec<String>,
    /// Sentences on what was tried and what was given up, which change no verdict.
    pub remarks: Vec<String>,
    /// The first wrong run.
    pub finding: Option<Finding>,
}

impl Part {
    pub(super) fn new<O: Object>(run: Run) -> Self {
        let rules = CallOf::<O>::rules(&()).iter();
        let never_called = rules.map(|rule| rule.name.clone().into_owned());
        Self {
            never_called: never_called.collect(),
            ..Self::empty(run)
        }
    }

    /// Part of a process that has ended.
    pub(super) fn of_process() -> Self {
        Self::empty(Run::Process)
    }

    fn empty(run: Run) -> Self {
        Self {
            run,
            verdict: Verdict::Incomplete,
            runs: 0,
            calls: 0,
            overlapping: 0,
            under_way: 0,
            steps: 0,
            blocked: 0,
            given_up: 0,
            undecided: 0,
            has_changed: false,
            never_called: Vec::new(),
            notes: Vec::new(),
            remarks: Vec::new(),
            finding: None,
        }
    }

    /// Adds a remark, unless it stands there or there are many.
    pub(super) fn remark(&mut self, remark: String) {
        if self.remarks.len() < MOST_REMARKS && !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// True if a run is to begin. A part that is cancelled says so.
    pub(super) fn begins<O: Object>(&mut self, case: &Case<'_, O>, what: &dyn Display) -> bool {
        let begins = case.begins(self.run, what);
        if !begins {
            self.notes.push("cancelled".to_owned());
        }
        begins
    }

    /// Counts a run.
    pub(super) fn count<O: Object>(&mut self, once: &Once<O>) {
        if let Some(validation) = &once.validation {
            self.has_changed |= validation.has_changed;
            let is_undecided = matches!(validation.outcome, Outcome::Undecided(_));
            self.undecided += u64::from(is_undecided);
        }
        self.count_again::<O>(&once.events);
    }

    /// Counts a run that went as an earlier one.
    pub(super) fn count_again<O: Object>(&mut self, events: &[Event<EventOf<O>>]) {
        self.runs += 1;
        self.calls += events.len() as u64;
        self.overlapping += overlapping(events);
        self.under_way = self.under_way.max(most_under_way(events));
        if self.never_called.is_empty() {
            return;
        }
        let rules = CallOf::<O>::rules(&());
        let calls = events.iter().filter_map(|event| event.event.as_ref());
        for rule in calls.filter_map(|called| rules.get(called.call.rule(&()).0)) {
            self.never_called.retain(|name| *name != rule.name);
        }
    }

    /// Adds the runs of another part of the same kind.
    pub(super) fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.calls += other.calls;
        self.overlapping += other.overlapping;
        self.under_way = self.under_way.max(other.under_way);
        self.steps += other.steps;
        self.blocked += other.blocked;
        self.given_up += other.given_up;
        self.undecided += other.undecided;
        self.has_changed |= other.has_changed;
        self.never_called
            .retain(|rule| other.never_called.contains(rule));
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        for remark in other.remarks {
            self.remark(remark);
        }
    }

    /// Adds a part that has ended.
    fn also(&mut self, mut other: Self) {
        let findings = [self.finding.take(), other.finding.take()];
        let findings = findings.into_iter().flatten();
        let finding = findings.min_by_key(|finding| finding.verdict != Verdict::Violated);
        let holds = self.verdict == Verdict::Holds && other.verdict == Verdict::Holds;
        self.add(other);
        self.verdict = if holds {
            Verdict::Holds
        } else {
            Verdict::Incomplete
        };
        if let Some(finding) = finding {
            self.found(finding);
        }
    }

    /// Ends with a finding.
    pub(super) fn found(&mut self, finding: Finding) {
        self.verdict = finding.verdict;
        self.finding = Some(finding);
    }

    /// Ends without one: `holds`, unless there is a reason why that says nothing.
    pub(super) fn conclude(&mut self) {
        if self.runs == 0 && self.blocked > 0 {
            let all = "all threads waited in each run, as the specification permits";
            self.notes.push(all.to_owned());
        } else if self.runs == 0 {
            self.notes.push("there was no run".to_owned());
        } else if !self.has_changed {
            self.notes
                .push("no call changed the object, so that nothing was asked of it".to_owned());
        }
        if self.undecided > 0 {
            let undecided = counted(self.undecided, "run");
            self.notes.push(format!(
                "{undecided} not decided within the limits of a validation"
            ));
        }
        if self.runs > 0 && self.run != Run::Alone && self.overlapping == 0 {
            let is_scheduled = matches!(self.run, Run::Schedules | Run::Memory);
            let note = if is_scheduled && self.steps == 0 {
                "no two calls overlapped: the object says that it has schedules, and there is one only, since it does not name its \
                 primitives by `refmap_schedules`"
            } else {
                "no two calls overlapped, so that nothing ran concurrently"
            };
            self.notes.push(note.to_owned());
        }
        let is_sound = self.notes.is_empty();
        self.verdict = if is_sound {
            Verdict::Holds
        } else {
            Verdict::Incomplete
        };
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<10} {}", self.run, self.verdict)?;
        if self.run == Run::Process {
            return Ok(());
        }
        let (runs, calls) = (counted(self.runs, "run"), counted(self.calls, "call"));
        write!(f, ": {runs}, {calls}")?;
        if self.run != Run::Alone {
            let (overlapping, under_way) = (grouped(self.overlapping), grouped(self.under_way));
            write!(
                f,
                ", {overlapping} overlapping, {under_way} under way at most"
            )?;
        }
        if self.blocked > 0 {
            write!(
                f,
                ", {} blocked as the specification permits",
                grouped(self.blocked)
            )?;
        }
        if self.given_up > 0 {
            write!(f, ", {} given up", grouped(self.given_up))?;
        }
        if !self.never_called.is_empty() && self.finding.is_none() {
            write!(f, "; never called: {}", self.never_called.join(", "))?;
        }
        let mut lines = self.notes.iter().chain(&self.remarks);
        lines.try_for_each(|line| write!(f, "\n  {line}"))
    }
}

/// Result of a test of an object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tested {
    /// Seed of all choices.
    pub seed: u64,
    /// Parts in the order in which they were tried, up to the first that found something.
    pub parts: Vec<Part>,
    /// Kinds of runs that were left out, each with the reason. They change no verdict: it is about the parts.
    pub left_out: Vec<String>,
}

impl Tested {
    /// `Violated` if a run is not permitted; `Holds` if all parts hold; else `Incomplete`.
    pub fn verdict(&self) -> Verdict {
        let has = |verdict| self.parts.iter().any(|part| part.verdict == verdict);
        if has(Verdict::Violated) {
            Verdict::Violated
        } else if has(Verdict::Incomplete) || self.parts.is_empty() {
            Verdict::Incomplete
        } else {
            Verdict::Holds
        }
    }

    /// The wrong run, if one was found.
    pub fn finding(&self) -> Option<&Finding> {
        self.parts.iter().find_map(|part| part.finding.as_ref())
    }

    /// Greatest number of threads that had a call under way at once.
    pub fn under_way(&self) -> u64 {
        let under_way = self.parts.iter().map(|part| part.under_way);
        under_way.max().unwrap_or(0)
    }

    /// This test and one more of the same object: runs are added, and what either found or noted is kept.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        for part in more.parts {
            match self.parts.iter_mut().find(|known| known.run == part.run) {
                None => self.parts.push(part),
                Some(known) => known.also(part),
            }
        }
        self
    }

    /// Asserts that the verdict is `holds`.
    ///
    /// # Panics
    ///
    /// If it is not; the message is this result as text.
    #[track_caller]
    pub fn assert_holds(&self) {
        assert!(self.verdict() == Verdict::Holds, "{self}");
    }
}

impl Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, seed {}", self.verdict(), self.seed)?;
        self.parts
            .iter()
            .try_for_each(|part| writeln!(f, "{part}"))?;
        self.left_out
            .iter()
            .try_for_each(|left_out| writeln!(f, "left out: {left_out}"))?;
        match self.finding() {
            None => Ok(()),
            Some(finding) => write!(f, "\n{finding}"),
        }
    }
}
