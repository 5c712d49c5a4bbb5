//! Part of a page on a recorded history: why it is no behaviour, with the events as bars in time.

use std::collections::BTreeSet;
use std::fmt::Write;

use refmap::internal::compact;
use refmap::report::history::{Explanation, NoEnd, PrefixStep, Recorded, ShownEvent, StepKind};

use super::escape::Escaped;
use super::svg::PLAIN;

/// Height of a bar with its gap, and width of a moment.
const BAR: usize = 22;
const MOMENT: usize = 26;
/// Left end of the bars.
const LEFT: usize = 80;

/// Part of a page about a history.
pub fn part(history: &Recorded) -> String {
    let mut part = format!(
        "<h2>History</h2>\n<p>{} events ({} of interest) of {} threads; at most {} under way at a time.</p>\n",
        history.events, history.interesting, history.threads, history.widest_window
    );
    if let Some(NoEnd { line, within_line }) = history.no_end {
        let place = if within_line {
            "in the middle of"
        } else {
            "after"
        };
        let _ = writeln!(
            part,
            "<p class=\"bad\">The history has no end: it stops {place} line {line}, and may have been cut.</p>"
        );
    }
    if let Some(explanation) = &history.explanation {
        refused(&mut part, explanation);
    }
    part
}

fn refused(part: &mut String, explanation: &Explanation) {
    let head = match &explanation.event {
        Some(event) => format!("No order of the events takes {}.", told(event)),
        None => "There is no order in which all delayed events take effect.".to_owned(),
    };
    let _ = writeln!(part, "<p class=\"bad\">{}</p>", Escaped(head));
    if let Some(limit) = &explanation.cut_short {
        let _ = writeln!(
            part,
            "<p>A limit came before all orders were looked at to explain it: {}.</p>",
            Escaped(limit)
        );
    }
    let mut events: Vec<&ShownEvent> = Vec::new();
    let mut add = |event| {
        if !events.contains(&event) {
            events.push(event);
        }
    };
    if let Some(prefix) = explanation.prefixes.first() {
        let steps = prefix.steps.iter().filter_map(|step| step.event.as_ref());
        steps.for_each(&mut add);
        prefix
            .next
            .iter()
            .map(|refused| &refused.event)
            .for_each(&mut add);
    }
    if let Some(window) = &explanation.window {
        window.events.iter().for_each(&mut add);
    }
    explanation.event.iter().for_each(add);
    events.sort_by_key(|event| event.begin);
    bars(part, &events, explanation.event.as_ref());
    if let Some(prefix) = explanation.prefixes.first()
        && !prefix.next.is_empty()
    {
        part.push_str("<h3>What could come next, and why it cannot</h3>\n<ul>\n");
        for refused in &prefix.next {
            let _ = writeln!(
                part,
                "<li>{}: {}</li>",
                Escaped(told(&refused.event)),
                Escaped(&refused.reason)
            );
        }
        part.push_str("</ul>\n");
    }
    if let Some(window) = &explanation.window {
        part.push_str("<h3>The smallest part that cannot be</h3>\n<ul>\n");
        for event in &window.events {
            let _ = writeln!(part, "<li>{}</li>", Escaped(told(event)));
        }
        part.push_str("</ul>\n");
    }
}

/// A step of an order, as HTML: the event, and what the specification makes of it.
pub fn event(step: &PrefixStep) -> String {
    let mut html = String::new();
    if let Some(event) = &step.event {
        let _ = write!(
            html,
            "<b>thread {}</b> <code>{}</code>",
            event.thread,
            Escaped(&event.text)
        );
    }
    html.push_str(match step.kind {
        StepKind::Event => "",
        StepKind::Issue => " takes place, and takes effect later",
        StepKind::Effect => " takes effect",
        StepKind::Internal => "the specification moves by itself",
    });
    match &step.action {
        Some(action) => {
            let _ = write!(html, " as <code>{}</code>", Escaped(compact(action)));
        }
        None => html.push_str(", which changes nothing"),
    }
    if let Some(source) = step.source.as_deref().filter(|source| !source.is_empty()) {
        let _ = write!(html, " <cite>{}</cite>", Escaped(source));
    }
    html
}

/// The end of the order: the event that no order takes.
pub fn end(history: &Recorded) -> String {
    let event = history.explanation.as_ref();
    let event = event.and_then(|explanation| explanation.event.as_ref());
    event.map_or(String::new(), |event| {
        let told = told(event);
        let told = Escaped(&told);
        format!("<p class=\"bad\">No order takes what comes next: {told}.</p>\n")
    })
}

fn told(event: &ShownEvent) -> String {
    let line = event
        .line
        .map_or(String::new(), |line| format!("line {line}, "));
    format!("{line}thread {}: {}", event.thread, event.text)
}

/// The events of each thread as bars with their numbers, between the moments at which they began and ended, and a list of
/// them. Moments are in their order, and not to scale.
fn bars(part: &mut String, events: &[&ShownEvent], refused: Option<&ShownEvent>) {
    if events.is_empty() {
        return;
    }
    let times = events
        .iter()
        .flat_map(|event| [Some(event.begin), event.end]);
    let moments: Vec<u64> = times
        .flatten()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let place = |time: u64| LEFT + MOMENT * moments.partition_point(|moment| *moment < time);
    let threads: BTreeSet<u32> = events.iter().map(|event| event.thread).collect();
    let row = |event: &ShownEvent| threads.iter().position(|thread| *thread == event.thread);
    let end = LEFT + MOMENT * moments.len();
    let width = end + MOMENT;
    let texts: Vec<_> = events.iter().map(|event| told(event)).collect();
    let _ = write!(
        part,
        "<figure class=\"events\" tabindex=\"0\"><svg role=\"img\" width=\"{width}\" height=\"{}\" {PLAIN}><title>Events in \
         time</title><desc>{}</desc>",
        2 * BAR * threads.len(),
        Escaped(texts.join("; "))
    );
    for (number, thread) in threads.iter().enumerate() {
        let y = 2 * BAR * number + 15;
        let _ = write!(
            part,
            "<text class=\"row\" x=\"2\" y=\"{y}\">thread {thread}</text>"
        );
    }
    for (number, event) in (1..).zip(events) {
        let (from, to) = (place(event.begin), event.end.map_or(end, place));
        let y = 2 * BAR * row(event).unwrap_or(0);
        let class = if Some(*event) == refused {
            "cell ch"
        } else {
            "cell"
        };
        let _ = write!(
            part,
            "<rect class=\"{class}\" x=\"{from}\" y=\"{}\" width=\"{}\" height=\"6\"/><text class=\"v\" x=\"{from}\" \
             y=\"{}\">{number}</text>",
            y + 4,
            (to - from).max(4),
            y + 24
        );
    }
    part.push_str("</svg></figure>\n<ol>\n");
    for event in events {
        let _ = writeln!(part, "<li>{}</li>", Escaped(told(event)));
    }
    part.push_str("</ol>\n");
}
