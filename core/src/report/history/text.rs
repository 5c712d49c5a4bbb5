//! Report on a recorded history, as text for people.

use std::fmt::{self, Formatter};

use serde_json::Value;

use super::{
    Criterion, Explanation, NoEnd, Prefix, PrefixStep, Recorded, ShownEvent, Situation, StepKind,
};
use crate::report::layout::Ink;
use crate::report::text::Text;
use crate::report::{Evidence, Report, Verdict};
use crate::statement::shown::number::{counted, grouped};
use crate::statement::shown::value::compact;

/// Evidence on which the verdict rests: one order is enough to hold, and none must be left to be violated.
pub(in crate::report) fn evidence(report: &Report, history: &Recorded) -> String {
    let is_violated = report.verdict == Some(Verdict::Violated);
    let is_decided = report.evidence == Evidence::Exhaustive;
    let is_refused = history.explanation.is_some();
    // By default the intervals count, and so does what an adapter says of the memory: there is no one word for it.
    let orders = match history.criterion {
        Criterion::Linearizable => String::new(),
        other => format!(", {other},"),
    };
    match history.no_end {
        Some(_) if is_decided && is_violated => format!(
            ", no order of its events{orders} is a behaviour, whatever comes after: it has no end; nothing is said of other runs"
        ),
        Some(NoEnd { line, .. }) if is_decided => format!(
            ", an order of its events up to line {line}{orders} is a behaviour: it has no end, so that more may be missing"
        ),
        Some(NoEnd { line, .. }) if is_refused => format!(
            ", no order of its events up to line {line}{orders} is a behaviour, unless one that is missing makes it so: it has no end"
        ),
        None if is_decided && is_violated => {
            format!(
                ", no order of its events{orders} is a behaviour; nothing is said of other runs"
            )
        }
        None if is_decided => {
            format!(
                ", an order of its events{orders} is a behaviour; nothing is said of other runs"
            )
        }
        Some(_) | None => format!(", the orders{orders} looked at before the search ended"),
    }
}

pub(in crate::report) fn counts(report: &Report, history: &Recorded) -> String {
    format!(
        "{} ({} of interest) of {}, at most {} under way, at most {}, {} tried, {:.2} s, {} MiB",
        counted(history.events, "event"),
        grouped(history.interesting),
        counted(history.threads as u64, "thread"),
        grouped(history.widest_window as u64),
        counted(history.widest_frontier as u64, "configuration"),
        counted(report.transitions, "step"),
        report.seconds,
        grouped(report.peak_memory_bytes >> 20),
    )
}

impl Text<'_, Report> {
    /// Assumptions that were made, and the reason why the history is no behaviour.
    pub(in crate::report) fn history(
        &self,
        f: &mut Formatter<'_>,
        history: &Recorded,
    ) -> fmt::Result {
        if !history.assumed.is_empty() {
            writeln!(f)?;
            self.paragraph(f, "assumed, in one order that was found:", 2)?;
            for assumption in &history.assumed {
                let action = action(assumption.action.as_ref());
                self.paragraph(f, &format!("  line {}: {action}", assumption.line), 4)?;
            }
        }
        let model = self.of.obligation("model").into_iter();
        for fault in model.flat_map(|row| &row.counterexamples) {
            writeln!(f)?;
            let told = self.options.colour.paint(Ink::Bad, &fault.explanation);
            self.paragraph(f, &told, 2)?;
        }
        match &history.explanation {
            None => Ok(()),
            Some(explanation) => self.explanation(f, explanation),
        }
    }

    fn explanation(&self, f: &mut Formatter<'_>, explanation: &Explanation) -> fmt::Result {
        writeln!(f)?;
        let head = match &explanation.event {
            Some(event) => format!("no order of the events takes {}", shown(event)),
            None => "there is no order in which all delayed events take effect".to_owned(),
        };
        self.paragraph(f, &self.options.colour.paint(Ink::Bad, head), 2)?;
        if let Some(limit) = explanation.cut_short {
            let cut = format!("{limit} came before all orders were looked at to explain it");
            self.paragraph(f, &cut, 2)?;
        }
        for prefix in &explanation.prefixes {
            self.prefix(f, prefix)?;
        }
        if explanation.more_prefixes > 0 {
            let line = match explanation.more_prefixes {
                1 => "and 1 more order that is as long".to_owned(),
                more => format!("and {} more orders that are as long", grouped(more as u64)),
            };
            self.paragraph(f, &line, 2)?;
        }
        let Some(window) = &explanation.window else {
            return Ok(());
        };
        writeln!(f)?;
        let from = match window.states {
            1 => "the one state".to_owned(),
            states => format!("each of the {} states", grouped(states as u64)),
        };
        let head = format!(
            "the smallest part that cannot be, from {from} that the search passed near its end:"
        );
        self.paragraph(f, &self.options.colour.paint(Ink::Strong, head), 2)?;
        for event in &window.events {
            self.paragraph(f, &format!("  {}", shown(event)), 6)?;
        }
        Ok(())
    }

    fn prefix(&self, f: &mut Formatter<'_>, prefix: &Prefix) -> fmt::Result {
        writeln!(f)?;
        let head = format!(
            "a longest order takes {} events, the last of them:",
            prefix.events
        );
        self.paragraph(f, &self.options.colour.paint(Ink::Strong, head), 2)?;
        self.situation(f, "before", &prefix.before)?;
        for step in &prefix.steps {
            self.paragraph(f, &format!("  {}", told(step)), 6)?;
            self.situation(f, "then", &step.after)?;
        }
        if prefix.next.is_empty() {
            return Ok(());
        }
        self.paragraph(f, "  what could come next, and why it cannot:", 4)?;
        for refused in &prefix.next {
            let line = format!("    {}: {}", shown(&refused.event), refused.reason);
            self.paragraph(f, &line, 8)?;
        }
        Ok(())
    }

    fn situation(&self, f: &mut Formatter<'_>, when: &str, situation: &Situation) -> fmt::Result {
        let text = match &situation.drawing {
            Some(drawing) if drawing.is_empty() => "nothing".to_owned(),
            Some(drawing) => drawing.clone(),
            None => compact(&situation.state),
        };
        for (number, line) in text.lines().enumerate() {
            let when = if number == 0 { when } else { "" };
            self.paragraph(f, &format!("      {when:<6}  {line}"), 14)?;
        }
        Ok(())
    }
}

/// `line 7, thread 1, [120, 180] ns: pop(1)`.
fn shown(event: &ShownEvent) -> String {
    let ShownEvent {
        line,
        thread,
        place,
        begin,
        end,
        text,
    } = event;
    let end = end.map_or_else(|| "?".to_owned(), |end| end.to_string());
    match line {
        Some(line) => format!("line {line}, thread {thread}, [{begin}, {end}] ns: {text}"),
        None => format!("state {place}: {text}"),
    }
}

fn told(step: &PrefixStep) -> String {
    let action = action(step.action.as_ref());
    match (&step.event, step.kind) {
        // An event that is the action need not be said twice.
        (Some(event), StepKind::Event) if step.action.is_none() || event.text == action => {
            shown(event)
        }
        (Some(event), StepKind::Issue) => format!("{} (takes effect later)", shown(event)),
        (Some(event), StepKind::Effect) => format!("{} takes effect", shown(event)),
        (Some(event), _) => format!("{} = {action}", shown(event)),
        (None, _) => format!("no event: {action}"),
    }
}

fn action(action: Option<&Value>) -> String {
    action.map_or_else(|| "nothing changed".to_owned(), compact)
}
