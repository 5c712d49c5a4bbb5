//! Still: the last step of a counterexample as one picture, an SVG that stands by itself.

use std::fmt::Write;

use refmap::internal::{changes, compact, wrap};
use refmap::report::{Counterexample, Report, Step};

use super::canvas::Canvas;
use super::escape::Escaped;
use super::measures::WIDTH;
use super::page::DRAWING;
use super::row::LINE;
use super::svg::{ARROW, Picture};

/// Gap between the two levels, and around them.
const GAP: f64 = 24.0;
/// Characters of a line that goes over both levels, and of one in a level.
const ACROSS: usize = 116;
const COLUMN: usize = 54;

/// The picture of the last step of a counterexample of `report`.
pub fn svg(report: &Report, of: &Counterexample) -> String {
    let mut still = Still::default();
    let failure = format!("{}: {}: {}", report.check, of.failure(), of.explanation);
    still.text("strong", GAP, &failure, ACROSS);
    if let Some(last) = of.steps.last() {
        let before = of
            .steps
            .len()
            .checked_sub(2)
            .map(|before| &of.steps[before]);
        still.step(&of.steps, before, last);
    }
    still.svg(&report.check)
}

#[derive(Default)]
struct Still {
    body: String,
    /// Position of the next line.
    y: f64,
}

impl Still {
    fn step(&mut self, steps: &[Step], before: Option<&Step>, last: &Step) {
        let process = last
            .process
            .as_deref()
            .map_or(String::new(), |process| format!("{process}: "));
        if let Some(action) = &last.action {
            let simulates = match last.answer() {
                Some(actions) => format!("simulates {actions}"),
                None => "a stutter".to_owned(),
            };
            let line = format!(
                "step {}  {process}{}  {simulates}",
                steps.len() - 1,
                compact(action)
            );
            self.text("name", GAP, &line, ACROSS);
        }
        self.y += 6.0;
        let top = self.y;
        let mut bottom = top;
        let levels = [
            (
                "implementation",
                before.map(|step| (&step.state, &step.picture)),
                (&last.state, &last.picture),
            ),
            (
                "specification",
                before.map(|step| (&step.abstract_state, &step.abstract_picture)),
                (&last.abstract_state, &last.abstract_picture),
            ),
        ];
        for (level, (name, was, (state, picture))) in levels.into_iter().enumerate() {
            let left = GAP + (WIDTH + GAP) * level as f64;
            self.y = top;
            self.text("name", left, name, COLUMN);
            if let Some(drawing) = picture {
                let canvas = match level {
                    0 => Canvas::of(steps.iter().filter_map(|step| step.picture.as_ref())),
                    _ => Canvas::of(
                        steps
                            .iter()
                            .filter_map(|step| step.abstract_picture.as_ref()),
                    ),
                };
                let shown = Picture {
                    canvas: &canvas,
                    drawing,
                    before: was.and_then(|(_, picture)| picture.as_ref()),
                };
                let _ = write!(
                    self.body,
                    "<g transform=\"translate({left:.0} {:.0})\">",
                    self.y
                );
                for part in shown.parts() {
                    let _ = write!(self.body, "{part}");
                }
                self.body.push_str("</g>");
                self.y += canvas.height();
            }
            let changed = was.map(|(was, _)| changes(was, state)).unwrap_or_default();
            for change in changed {
                self.text("v ch", left, &change.to_string(), COLUMN);
            }
            bottom = self.y.max(bottom);
        }
        self.y = bottom;
    }

    /// A text, on as many lines as it needs.
    fn text(&mut self, class: &str, x: f64, text: &str, columns: usize) {
        for line in wrap(text, columns, 2) {
            self.y += LINE - 3.0;
            let indented = line.len() - line.trim_start().len();
            let x = x + 6.6 * indented as f64;
            let _ = write!(
                self.body,
                "<text class=\"{class}\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>",
                self.y,
                Escaped(line.trim())
            );
        }
    }

    fn svg(self, check: &str) -> String {
        let (width, height) = (2.0 * WIDTH + 3.0 * GAP, self.y + GAP);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\">\n<title>The last step of a counterexample to {}</title>\n\
             <style>{DRAWING}.paper{{fill:var(--bg)}}.strong{{font-weight:700;fill:var(--bad)}}</style>\n<defs>{ARROW}</defs>\n\
             <rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>{}\n</svg>\n",
            Escaped(check),
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use refmap::report::AbstractStep;
    use serde_json::{Value, json};

    use super::*;

    fn step(action: Option<Value>, before: Vec<AbstractStep>) -> Step {
        Step {
            rule: None,
            process: None,
            abstract_action: action.clone(),
            action,
            source: None,
            state: Value::Null,
            abstract_before: before,
            abstract_state: Value::Null,
            drawing: None,
            abstract_drawing: None,
            picture: None,
            abstract_picture: None,
        }
    }

    #[test]
    fn all_abstract_steps_are_told() {
        let said = |before| {
            let steps = [step(None, Vec::new()), step(Some(json!("last")), before)];
            let mut still = Still::default();
            still.step(&steps, Some(&steps[0]), &steps[1]);
            still.body
        };
        let before = ["first", "second"].map(|action| AbstractStep {
            action: json!(action),
            state: Value::Null,
        });
        assert!(said(before.to_vec()).contains("simulates first, then second, then last"));
        assert!(said(Vec::new()).contains("simulates last"));
    }
}
