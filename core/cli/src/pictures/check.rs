//! Page of a check: its verdict, and the counterexample step by step.

use std::fmt::Write;

use refmap::internal::outline::Outline;
use refmap::internal::{compact, grouped, summary};
use refmap::obligation::ObligationKind;
use refmap::report::history::PrefixStep;
use refmap::report::{Report, Step, Verdict};
use serde_json::Value;

use super::behaviour::{Behaviour, shown};
use super::escape::Escaped;
use super::explanation::{explanation, failure};
use super::figures::Figures;
use super::history;
use super::legend::legend;
use super::page::{Lanes, STEP_KEYS, Script, lanes, page};

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
    counterexamples(&mut body, report, &Outline::all(report));
    coverage(&mut body, report);
    page(
        &format!("{}: {verdict}", report.check),
        &body,
        Some(&data(report)),
        Script::Steps,
    )
}

/// All counterexamples, the one that the verdict rests on first.
fn counterexamples(body: &mut String, report: &Report, outlines: &[Outline<'_>]) {
    let prefixes: Vec<String> = (0..outlines.len())
        .map(|number| prefix(report, number))
        .collect();
    let anchors = prefixes.iter().map(|prefix| {
        if prefix.is_empty() {
            "counterexample".to_owned()
        } else {
            prefix.clone()
        }
    });
    let anchors: Vec<String> = anchors.collect();
    let mut figures = Figures::default();
    if outlines
        .iter()
        .any(|outline| !outline.told().is_empty() && has_steps(outline))
    {
        legend(body, outlines);
    }
    for (number, outline) in outlines.iter().enumerate() {
        let (found, prefix) = (outline.counterexample, &prefixes[number]);
        let is_first = prefix.is_empty();
        let heading = if is_first {
            "Counterexample".to_owned()
        } else {
            let earlier = outlines[..number].iter();
            let mut earlier = earlier.map(|earlier| &earlier.counterexample.obligation);
            let again = if earlier.any(|name| *name == found.obligation) {
                ", again"
            } else {
                ""
            };
            format!("{}{again}", found.obligation)
        };
        let _ = writeln!(
            body,
            "<h2 id=\"{}\">{}</h2>",
            anchors[number],
            Escaped(heading)
        );
        failure(body, found);
        if has_steps(outline) {
            let shown = shown_of(outline);
            let last = found.loop_start.is_none().then(|| found.steps.len() - 1);
            let of = if is_first {
                String::new()
            } else {
                format!(", {} {prefix}", found.obligation)
            };
            let trail = Lanes {
                steps: &found.steps,
                shown: &shown,
                at: last,
                of: &of,
            };
            body.push_str(&lanes(&trail, &|step| format!("#{prefix}step-{step}")));
            // The keys are told once.
            if is_first {
                body.push_str(STEP_KEYS);
            }
            let order = if is_first { order(report) } else { &[] };
            let behaviour = Behaviour::new(&found.steps, prefix, &mut figures).in_order(order);
            body.push_str(&behaviour.html(outline, &shown, &anchors));
        } else if let Some(shared) = &outline.shared {
            let anchor = &anchors[shared.with.number];
            let _ = writeln!(body, "<p><a href=\"#{anchor}\">{}</a></p>", Escaped(shared));
        }
        if let Some(history) = report.history.as_ref().filter(|_| is_first) {
            body.push_str(&history::end(history));
        }
        explanation(body, found);
    }
}

/// Prefix of the anchors of a counterexample's steps: empty for the one that the verdict rests on.
fn prefix(report: &Report, number: usize) -> String {
    if number == 0 && report.counterexample.is_some() {
        String::new()
    } else {
        format!("other-{number}-")
    }
}

/// True if a counterexample tells steps that no earlier one has told.
fn has_steps(outline: &Outline<'_>) -> bool {
    !outline.counterexample.steps.is_empty() && outline.shared.is_none_or(|shared| !shared.is_all)
}

/// The steps of a counterexample that are shown.
fn shown_of(outline: &Outline<'_>) -> Vec<usize> {
    shown(outline.runs().flat_map(|(run, _)| run).collect())
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

fn head(body: &mut String, report: &Report, verdict: &str, command: &str) {
    let _ = write!(
        body,
        "<h1>{}: <span class=\"{}\">{verdict}</span></h1>\n<p><code>{}</code></p>\n",
        Escaped(&report.check),
        class(report.verdict),
        Escaped(command)
    );
    if let Some(claim) = &report.claim {
        let _ = writeln!(body, "<p class=\"claim\">{}</p>", Escaped(claim));
    }
    body.push_str("<p>");
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
         <th scope=\"col\">tested</th><th scope=\"col\">note</th></tr></thead><tbody>\n",
    );
    let outlines = Outline::all(report);
    for row in &report.obligations {
        let mut outlines = outlines.iter();
        let shown = outlines.position(|outline| outline.counterexample.obligation == row.name);
        let name = match shown.map(|number| prefix(report, number)) {
            None => format!("<code>{}</code>", Escaped(&row.name)),
            Some(prefix) => {
                let anchor = if prefix.is_empty() {
                    "counterexample"
                } else {
                    &*prefix
                };
                format!(
                    "<a href=\"#{anchor}\"><code>{}</code></a>",
                    Escaped(&row.name)
                )
            }
        };
        let says = ObligationKind::sentence(&row.name)
            .map(|sentence| format!("<br><span class=\"says\">{}</span>", Escaped(sentence)));
        let _ = writeln!(
            body,
            "<tr><td>{name}{}</td><td class=\"{}\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            says.unwrap_or_default(),
            class(Some(row.verdict)),
            row.verdict,
            grouped(row.checked),
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
            grouped(rule.fired)
        );
    }
    body.push_str("</tbody></table></details>\n");
}

/// The report as data, as `--json` prints it, without the drawings and the counterexamples that the page shows once
/// already, and of the first counterexample with the steps that it shows.
fn data(report: &Report) -> Value {
    let shown = Outline::all(report).first().map(shown_of);
    let shown = shown.unwrap_or_default();
    let mut report = report.clone();
    for row in &mut report.obligations {
        row.counterexamples.clear();
    }
    let mut left_out = Vec::new();
    if let Some(found) = &mut report.counterexample {
        let all = std::mem::take(&mut found.steps).into_iter().enumerate();
        for (index, step) in all {
            if shown.binary_search(&index).is_ok() {
                found.steps.push(bare(step));
            } else {
                left_out.push(index);
            }
        }
    }
    let mut data = serde_json::to_value(&report).unwrap_or_default();
    if !left_out.is_empty() {
        data["steps_left_out"] = left_out.into();
    }
    data
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
