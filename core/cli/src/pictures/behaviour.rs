//! A behaviour as HTML: a section a step, with both levels side by side.

use std::fmt::Write;

use refmap::internal::outline::Outline;
use refmap::internal::{changes, compact, counted, parts};
use refmap::report::history::PrefixStep;
use refmap::report::{Counterexample, Step};
use serde_json::Value;

use super::canvas::Canvas;
use super::escape::Escaped;
use super::figures::Figures;
use super::history::event;
use super::svg::Picture;

/// The most steps that a page shows.
const MOST: usize = 500;
/// The most characters of a value that does not change.
const MOST_OF_A_VALUE: usize = 72;
/// Of a longer behaviour, the first and the last ones shown.
pub const FIRST: usize = 20;

/// Beginning of the bracket around a loop.
const LOOP: &str = "<div class=\"loop\"><p>From here on, again and again:</p>";

/// Of the steps that are told those that a page shows: the first and the last, if they are many.
pub fn shown(mut told: Vec<usize>) -> Vec<usize> {
    if told.len() > MOST {
        told.drain(FIRST..told.len() - (MOST - FIRST));
    }
    told
}

/// Writer of the steps of a behaviour.
pub struct Behaviour<'s> {
    steps: &'s [Step],
    /// In front of the anchors of its steps: empty for the first behaviour of a page.
    prefix: &'s str,
    /// Of a history, the steps of the order that was found.
    order: &'s [PrefixStep],
    implementation: Canvas,
    specification: Canvas,
    figures: &'s mut Figures,
}

impl<'s> Behaviour<'s> {
    pub fn new(steps: &'s [Step], prefix: &'s str, figures: &'s mut Figures) -> Self {
        let own = steps.iter().filter_map(|step| step.picture.as_ref());
        let mapped = steps
            .iter()
            .filter_map(|step| step.abstract_picture.as_ref());
        Self {
            steps,
            prefix,
            order: &[],
            implementation: Canvas::of(own),
            specification: Canvas::of(mapped),
            figures,
        }
    }

    /// The same of an order of a history's events.
    pub fn in_order(self, order: &'s [PrefixStep]) -> Self {
        Self { order, ..self }
    }

    /// The sections of the steps that are told and `shown`, with a bracket around the loop of a lasso. `anchors` are those of
    /// the counterexamples of the page, in the order of their outlines.
    pub fn html(mut self, outline: &Outline<'_>, shown: &[usize], anchors: &[String]) -> String {
        let of = outline.counterexample;
        let mut html = String::new();
        let told = outline.runs().map(|(run, _)| run.len()).sum::<usize>();
        if shown.len() < told {
            let (first, last) = (FIRST, shown.len() - FIRST);
            let _ = write!(
                html,
                "<p class=\"note\">The behaviour has {}: the first {} and the last {last} are shown.</p>",
                counted(self.steps.len() as u64 - 1, "step"),
                first - 1,
            );
        }
        let left_out = self
            .implementation
            .left_out
            .max(self.specification.left_out);
        if left_out > 0 {
            let _ = write!(
                html,
                "<p class=\"note\">{left_out} nodes are not drawn: those that change least.</p>"
            );
        }
        let to = |number: usize| anchors.get(number).map_or("", String::as_str);
        if let Some(shared) = &outline.shared {
            let anchor = to(shared.with.number);
            let _ = write!(
                html,
                "<p class=\"gap\"><a href=\"#{anchor}\">{}</a></p>",
                Escaped(shared)
            );
        }
        let mut bracket = false;
        let mut hidden: Option<usize> = None;
        for (run, repetition) in outline.runs() {
            for index in run {
                if of.loop_start.is_some_and(|start| index > start) && !bracket {
                    bracket = true;
                    html.push_str(LOOP);
                }
                if shown.binary_search(&index).is_err() {
                    hidden.get_or_insert(index);
                    continue;
                }
                if let Some(first) = hidden.take() {
                    let _ = write!(
                        html,
                        "<p class=\"gap\">Steps {first} to {} are left out.</p>",
                        index - 1
                    );
                }
                self.section(&mut html, of, index);
            }
            if let Some(repetition) = repetition {
                let _ = write!(html, "<p class=\"gap\">{}</p>", Escaped(repetition));
            }
        }
        if let Some(start) = of.loop_start {
            if let Some(shared) = &outline.shared_loop {
                bracket = true;
                let anchor = to(shared.with.number);
                let _ = write!(
                    html,
                    "{LOOP}<p class=\"gap\"><a href=\"#{anchor}\">{}</a></p>",
                    Escaped(shared)
                );
            }
            let line = if bracket {
                format!("which is state {start} again")
            } else {
                "From here on nothing happens any more.".to_owned()
            };
            let _ = write!(html, "<p class=\"again\">{line}</p>");
        }
        if bracket {
            html.push_str("</div>");
        }
        html
    }

    /// The section of a step.
    fn section(&mut self, html: &mut String, of: &Counterexample, index: usize) {
        let step = &self.steps[index];
        let is_last = index + 1 == self.steps.len() && of.loop_start.is_none();
        let before = index.checked_sub(1).map(|before| &self.steps[before]);
        let id = format!("{}step-{index}", self.prefix);
        let process = step.process.as_deref().unwrap_or("");
        let of_order = index
            .checked_sub(1)
            .and_then(|before| self.order.get(before));
        let title = match of_order {
            Some(of_order) => event(of_order),
            None => title(step),
        };
        let class = match (is_last, is_stutter(step)) {
            (true, _) => "step end",
            (false, true) => "step stutter",
            (false, false) => "step",
        };
        let _ = write!(
            html,
            "<section class=\"{class}\" id=\"{id}\" data-p=\"{}\"><h3><a href=\"#{id}\">{index}</a> {}</h3>",
            Escaped(process),
            title
        );
        let columns = Columns {
            index,
            open: is_last,
            is_misfit: is_last && of.obligation == "simulation",
        };
        self.columns(html, before, step, columns);
        html.push_str("</section>\n");
    }

    /// The three columns of a step: the implementation, what it simulates, the specification.
    pub fn columns(
        &mut self,
        html: &mut String,
        before: Option<&'s Step>,
        step: &'s Step,
        columns: Columns,
    ) {
        let Columns {
            index,
            open,
            is_misfit,
        } = columns;
        // A history is a behaviour of one system.
        let is_mapped = self.steps.iter().any(|step| !step.abstract_state.is_null());
        html.push_str(if is_mapped {
            "<div class=\"cols\"><div><h4>Implementation</h4>"
        } else {
            "<div><div>"
        });
        let was = before.and_then(|before| before.picture.as_ref());
        let title = if is_mapped {
            format!("Implementation, step {index}")
        } else {
            format!("State, step {index}")
        };
        if let Some(drawing) = &step.picture {
            let picture = Picture {
                canvas: &self.implementation,
                drawing,
                before: was,
            };
            self.figures.add(html, &title, &picture);
        }
        difference(html, before.map(|before| &before.state), &step.state, open);
        if !is_mapped {
            html.push_str("</div></div>");
            return;
        }
        html.push_str("</div><div>");
        if let Some(before) = before {
            html.push_str(if is_misfit {
                "<h4>Should simulate, and does not</h4>"
            } else {
                "<h4>Simulates</h4>"
            });
            simulated(html, step, before);
        }
        html.push_str("</div><div><h4>Specification</h4>");
        // Where nothing happens the drawing before it tells all.
        let is_same = before.is_some_and(|before| before.abstract_state == step.abstract_state);
        if !is_same || open {
            let was = before.and_then(|before| before.abstract_picture.as_ref());
            if let Some(drawing) = &step.abstract_picture {
                let picture = Picture {
                    canvas: &self.specification,
                    drawing,
                    before: was,
                };
                let title = format!("Specification, step {index}");
                self.figures.add(html, &title, &picture);
            }
        }
        let was = before.map(|before| &before.abstract_state);
        difference(html, was, &step.abstract_state, open);
        html.push_str("</div></div>");
    }
}

/// Content of the columns of a step.
#[derive(Clone, Copy)]
pub struct Columns {
    /// The number of the step.
    pub index: usize,
    /// True if values that do not change are shown in full.
    pub open: bool,
    /// True if the step does not simulate the abstract steps that are stated.
    pub is_misfit: bool,
}

/// True if a step simulates no abstract action.
pub fn is_stutter(step: &Step) -> bool {
    step.action.is_some() && step.simulated().next().is_none()
}

/// Title of a step: its process, its action, and the source of its rule.
pub fn title(step: &Step) -> String {
    let Some(action) = &step.action else {
        return "initially".to_owned();
    };
    let mut title = String::new();
    if let Some(process) = &step.process {
        let _ = write!(title, "<b>{}</b> ", Escaped(process));
    }
    let _ = write!(title, "<code>{}</code>", Escaped(compact(action)));
    if let Some(source) = step.source.as_deref().filter(|source| !source.is_empty()) {
        let _ = write!(title, " <cite>{}</cite>", Escaped(source));
    }
    title
}

/// The abstract actions that a step simulates.
pub fn simulated(html: &mut String, step: &Step, before: &Step) {
    if step.simulated().next().is_none() {
        let changes = step.abstract_state != before.abstract_state;
        let but = if changes {
            ", and the mapped state changes"
        } else {
            ""
        };
        let _ = write!(html, "<p class=\"stutters\">a stutter{but}</p>");
        return;
    }
    for action in step.simulated() {
        let _ = write!(
            html,
            "<p class=\"by\"><code>{}</code></p>",
            Escaped(compact(action))
        );
    }
}

/// Differences between two states, and folded what is equal. Of the first state all is shown.
pub fn difference(html: &mut String, before: Option<&Value>, state: &Value, open: bool) {
    if state.is_null() {
        html.push_str("<p class=\"none\">no state</p>");
        return;
    }
    let Some(before) = before else {
        html.push_str("<ul class=\"d\">");
        for (name, value) in parts(state) {
            let _ = write!(
                html,
                "<li>{} {}</li>",
                Escaped(name),
                Escaped(compact(value))
            );
        }
        html.push_str("</ul>");
        return;
    };
    let changed = changes(before, state);
    if changed.is_empty() {
        html.push_str("<p class=\"none\">no change</p>")
    } else {
        html.push_str("<ul class=\"d\">");
        for change in &changed {
            let _ = write!(html, "<li class=\"ch\">{}</li>", Escaped(change));
        }
        html.push_str("</ul>");
    }
    let before = parts(before);
    let same: Vec<_> = parts(state)
        .into_iter()
        .filter(|part| !part.0.is_empty() && before.contains(part))
        .collect();
    if same.is_empty() {
        return;
    }
    let is_open = if open { " open" } else { "" };
    let _ = write!(
        html,
        "<details{is_open}><summary>{} unchanged</summary><ul>",
        same.len()
    );
    for (name, value) in same {
        let value = compact(value);
        let value = if open { value } else { cut(value) };
        let _ = write!(html, "<li>{} {}</li>", Escaped(name), Escaped(value));
    }
    html.push_str("</ul></details>");
}

/// The beginning of a text that is long: of a value that does not change, which was shown where it did.
fn cut(text: String) -> String {
    match text.char_indices().nth(MOST_OF_A_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
