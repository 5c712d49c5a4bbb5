//! Page of a check: its verdict, and the counterexample step by step.

use std::fmt::Write;

use refmap::internal::{compact, summary};
use refmap::report::history::PrefixStep;
use refmap::report::{Counterexample, Report, Step, Verdict};
use serde_json::Value;

use super::behaviour::Behaviour;
use super::escape::Escaped;
use super::explanation::{explanation, failure};
use super::figures::Figures;
use super::history;
use super::page::{STEP_KEYS, Script, lanes, page};

/// The page that `--html` writes of a report: one file of HTML, which is complete without a script and makes no request.
/// `command` is shown as what made it.
pub fn html(report: &Report, command: &str) -> String {
    let history = report.history.as_deref().map(history::part);
    html_with(report, command, &history.unwrap_or_default())
}

/// The same, with a part of its own between head and counterexample.
pub fn html_with(report: &Report, command: &str, part: &str) -> String {
    let verdict = report
        .verdict
        .map_or("explored".to_owned(), |verdict| verdict.to_string());
    let mut body = String::new();
    head(&mut body, report, &verdict, command);
    body.push_str(part);
    let mut figures = Figures::default();
    if let Some(found) = &report.counterexample {
        body.push_str("<h2 id=\"counterexample\">Counterexample</h2>\n");
        failure(&mut body, found);
        behaviour(&mut body, found, "", &mut figures, order(report));
        if let Some(history) = &report.history {
            body.push_str(&history::end(history));
        }
        explanation(&mut body, found);
    }
    let mut others = Vec::new();
    for row in &report.obligations {
        for (number, found) in row.counterexamples.iter().enumerate() {
            if report.counterexample.as_ref() != Some(found) {
                others.push((row.name.as_str(), number, found));
            }
        }
    }
    let mut seen: Vec<(&[Step], String)> = Vec::new();
    if let Some(found) = &report.counterexample {
        seen.push((&found.steps, "counterexample".to_owned()));
    }
    for (place, (name, number, found)) in others.into_iter().enumerate() {
        let prefix = format!("other-{}-", place + 1);
        let more = if number > 0 { ", again" } else { "" };
        let _ = writeln!(body, "<h2 id=\"{prefix}\">{}{more}</h2>", Escaped(name));
        failure(&mut body, found);
        let same = seen.iter().find(|(steps, _)| same(steps, &found.steps));
        match same {
            Some((_, anchor)) => {
                let _ = writeln!(body, "<p>By the <a href=\"#{anchor}\">same steps</a>.</p>");
            }
            None => {
                behaviour(&mut body, found, &prefix, &mut figures, &[]);
                seen.push((&found.steps, prefix));
            }
        }
        explanation(&mut body, found);
    }
    coverage(&mut body, report);
    page(
        &format!("{}: {verdict}", report.check),
        &body,
        Some(&data(report)),
        Script::Steps,
    )
}

/// Whether two behaviours take the same steps.
fn same(steps: &[Step], others: &[Step]) -> bool {
    let taken = |step: &Step| (step.action.clone(), step.state.clone());
    steps.len() == others.len() && steps.iter().map(taken).eq(others.iter().map(taken))
}

/// Of a history that is refused, the steps of the order that goes furthest.
fn order(report: &Report) -> &[PrefixStep] {
    let explanation = report
        .history
        .as_ref()
        .and_then(|history| history.explanation.as_ref());
    let prefix = explanation.and_then(|explanation| explanation.prefixes.first());
    prefix.map_or(&[], |prefix| &prefix.steps)
}

/// A behaviour with its lanes.
fn behaviour(
    body: &mut String,
    found: &Counterexample,
    prefix: &str,
    figures: &mut Figures,
    order: &[PrefixStep],
) {
    if found.steps.is_empty() {
        return;
    }
    let last = found.loop_start.is_none().then(|| found.steps.len() - 1);
    let of = match prefix.is_empty() {
        true => String::new(),
        false => format!(", {} {prefix}", found.obligation),
    };
    body.push_str(&lanes(&found.steps, last, &of, &|step| {
        format!("#{prefix}step-{step}")
    }));
    // The keys are told once.
    if prefix.is_empty() {
        body.push_str(STEP_KEYS);
    }
    let behaviour = Behaviour::new(&found.steps, prefix, figures).in_order(order);
    body.push_str(&behaviour.html(found));
}

fn head(body: &mut String, report: &Report, verdict: &str, command: &str) {
    let _ = write!(
        body,
        "<h1>{}: <span class=\"{}\">{verdict}</span></h1>\n<p><code>{}</code></p>\n<p>",
        Escaped(&report.check),
        class(report.verdict),
        Escaped(command)
    );
    let parameters = report.parameters.iter();
    for (name, value) in parameters {
        let _ = write!(
            body,
            "{} <strong>{}</strong> ",
            Escaped(name),
            Escaped(compact(value))
        );
    }
    body.push_str("</p>\n");
    for line in summary::head(report) {
        let _ = writeln!(body, "<p>{}</p>", Escaped(&line));
    }
    for warning in &report.warnings {
        let _ = writeln!(
            body,
            "<p class=\"bad\">Warning: {}</p>",
            Escaped(&warning.text)
        );
    }
    for line in summary::reservations(report) {
        let _ = writeln!(body, "<p class=\"note\">{}</p>", Escaped(&line));
    }
    if report.obligations.is_empty() {
        return;
    }
    body.push_str(
        "<h2>Obligations</h2>\n<table><thead><tr><th scope=\"col\">obligation</th><th scope=\"col\">verdict</th>\
         <th scope=\"col\">checked</th><th scope=\"col\">note</th></tr></thead><tbody>\n",
    );
    for row in &report.obligations {
        let _ = writeln!(
            body,
            "<tr><td><code>{}</code></td><td class=\"{}\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            Escaped(&row.name),
            class(Some(row.verdict)),
            row.verdict,
            row.checked,
            Escaped(row.note.as_deref().unwrap_or(""))
        );
    }
    body.push_str("</tbody></table>\n");
}

fn class(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Holds) => "holds",
        Some(Verdict::Violated) => "violated",
        _ => "incomplete",
    }
}

fn coverage(body: &mut String, report: &Report) {
    if report.coverage.is_empty() {
        return;
    }
    body.push_str(
        "<h2>Coverage</h2>\n<details><summary>how often each rule fired</summary>\n<table><thead><tr><th \
         scope=\"col\">rule</th><th scope=\"col\">process</th><th scope=\"col\">fired</th></tr></thead><tbody>\n",
    );
    for rule in &report.coverage {
        let _ = writeln!(
            body,
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"n\">{}</td></tr>",
            Escaped(&rule.rule),
            Escaped(&rule.process),
            rule.fired
        );
    }
    body.push_str("</tbody></table></details>\n");
}

/// The report as data, as `--json` prints it, without the drawings and the counterexamples that the page shows once
/// already, and of a long behaviour with the steps that it shows.
fn data(report: &Report) -> Value {
    let mut report = report.clone();
    for row in &mut report.obligations {
        row.counterexamples.clear();
    }
    if let Some(found) = &mut report.counterexample {
        let [first, last] = Behaviour::shown(found.steps.len());
        let all = std::mem::take(&mut found.steps).into_iter().enumerate();
        let shown = all.filter(|(index, _)| first.contains(index) || last.contains(index));
        found.steps = shown.map(|(_, step)| bare(step)).collect();
    }
    serde_json::to_value(&report).unwrap_or_default()
}

/// A step without its drawings.
fn bare(step: Step) -> Step {
    Step {
        drawing: None,
        abstract_drawing: None,
        picture: None,
        abstract_picture: None,
        ..step
    }
}
