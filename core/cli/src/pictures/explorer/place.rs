//! Page of a place: the step that led there, and what can be done next.

use std::fmt::Write;

use refmap::internal::stepper::{Finding, Followed, MOST_OFFERED, Offered, Stepper};
use refmap::internal::{compact, misfit};
use refmap::report::Step;

use super::Explored;
use super::address::{Address, Taken, digest};
use super::http::Answer;
use super::ran::Ran;
use crate::pictures::behaviour::{Behaviour, Columns, shown, simulated, title};
use crate::pictures::escape::Escaped;
use crate::pictures::explanation::explanation;
use crate::pictures::figures::Figures;
use crate::pictures::page::{Lanes, Script, lanes, page};

/// Legend of the keys.
const EXPLORER_KEYS: &str = "<p class=\"keys\" id=\"keys\" hidden><kbd>↓</kbd> <kbd>↑</kbd> choose a row, <kbd>Enter</kbd> takes \
    it, <kbd>←</kbd> <kbd>→</kbd> back and forward, <kbd>e</kbd> to the end of the counterexample</p>\n";

/// Data that a page is made of.
pub struct Place<'p> {
    /// The path under which all pages are.
    pub base: &'p str,
    pub explored: &'p Explored<'p>,
    pub stepper: Stepper<'p>,
    /// Result of the check, if it was run.
    pub ran: Option<&'p Ran>,
}

impl Place<'_> {
    /// The end of the counterexample, or what the check said in its place.
    pub fn end(&self) -> Answer {
        match self.ran {
            Some(Ran::Counterexample { address, .. }) => Answer::Redirect(self.path(address)),
            None => self.again("check"),
            _ => Answer::Page(self.page(&Address::default(), None)),
        }
    }

    /// The page of the comparison without the mapping, or the reason why there is none.
    pub fn comparison(&self, compared: Option<&Result<String, String>>) -> Answer {
        match compared {
            None => self.again("comparison"),
            Some(Ok(page)) => Answer::Page(page.clone()),
            Some(Err(error)) => {
                let mut body = String::new();
                self.head(&mut body);
                let _ = writeln!(
                    body,
                    "<p class=\"bad\">The systems cannot be compared: {}</p>",
                    Escaped(error)
                );
                let title = format!("{}: no comparison", self.explored.check);
                Answer::Page(page(&title, &body, None, Script::Explorer))
            }
        }
    }

    /// The page of work that is being done.
    fn again(&self, work: &str) -> Answer {
        let name = self.explored.check;
        let body = format!(
            "<h1><a href=\"{}\">{}</a></h1>\n<p>The {work} runs. This page asks every second whether it has ended.</p>\n",
            self.base,
            Escaped(name)
        );
        let title = format!("{name}: the {work} runs");
        Answer::Again(page(&title, &body, None, Script::Explorer))
    }

    fn path(&self, address: &Address) -> String {
        if address.0.is_empty() {
            self.base.to_owned()
        } else {
            format!("{}at/{address}", self.base)
        }
    }

    /// The page of an address, at one of its steps: the last one where none is named.
    pub fn page(&self, address: &Address, step: Option<usize>) -> String {
        let mut body = String::new();
        self.head(&mut body);
        let followed = self.follow(address);
        let (address, steps) = match followed {
            Ok(steps) => (address.clone(), steps),
            Err((differs, address, steps)) => {
                let _ = writeln!(
                    body,
                    "<p class=\"bad\" id=\"differs\">{}</p>",
                    Escaped(differs)
                );
                (address, steps)
            }
        };
        let last = steps.len().saturating_sub(1);
        let at = step.unwrap_or(last).min(last);
        self.trail(&mut body, &address, &steps, at);
        let count = if steps.is_empty() { 0 } else { at + 1 };
        match self.stepper.follow(&address.numbers()[..count]) {
            Ok(here) => {
                self.state(&mut body, &steps, at, &here);
                if at == last {
                    self.counterexample(&mut body, &address, &here);
                }
                self.offers(&mut body, &address, count, &here);
            }
            Err(error) => {
                if let Some(step) = steps.get(at) {
                    let before = at.checked_sub(1).and_then(|before| steps.get(before));
                    columns(&mut body, &steps, before, step, at);
                }
                let _ = writeln!(body, "<p class=\"bad\">{}</p>", Escaped(error));
            }
        }
        let name = self.explored.check;
        let title = if steps.is_empty() {
            format!("{name}: explorer")
        } else {
            format!("{name}: step {at}")
        };
        page(&title, &body, None, Script::Explorer)
    }

    /// The steps of an address. If the model has other ones: what differs, and what is left of the address.
    fn follow(&self, address: &Address) -> Result<Vec<Step>, (String, Address, Vec<Step>)> {
        let numbers = address.numbers();
        let mut count = numbers.len();
        let mut why = None;
        // Where one cannot be followed, the ones before it are.
        let mut steps = loop {
            match self.stepper.follow(&numbers[..count]) {
                Ok(followed) => break followed.steps,
                Err(_) if count == 0 => break Vec::new(),
                Err(error) => {
                    why = Some(error.to_string());
                    count = error.followed().min(count - 1);
                }
            }
        };
        let differs = steps
            .iter()
            .zip(&address.0)
            .position(|(step, taken)| digest(&step.state) != taken.digest);
        let (differs, message) = match (differs, why) {
            (None, None) => return Ok(steps),
            (Some(step), _) => {
                let message = format!(
                    "The model differs at step {step} from the one of this address: the step leads to another state \
                     now. Shown is what comes before."
                );
                (step, message)
            }
            (None, Some(why)) => {
                let message = format!(
                    "The model differs at step {count} from the one of this address: {why}. Shown is what comes before."
                );
                (count, message)
            }
        };
        steps.truncate(differs);
        let rest = Address(address.0[..differs].to_vec());
        Err((message, rest, steps))
    }

    fn head(&self, body: &mut String) {
        let explored = self.explored;
        let _ = writeln!(
            body,
            "<h1><a href=\"{}\">{}</a></h1>\n<p><code>{}</code></p>\n<p>{}</p>",
            self.base,
            Escaped(explored.check),
            Escaped(explored.command),
            Escaped(&explored.parameters)
        );
        match self.ran {
            Some(Ran::Told(told)) => {
                let _ = writeln!(body, "<p id=\"ran\">{}</p>", Escaped(told));
            }
            Some(Ran::Counterexample { address, found }) => {
                let _ = writeln!(
                    body,
                    "<p id=\"ran\"><strong>{}</strong> {}: {}. <a id=\"run\" href=\"{}\">To the end of the \
                     counterexample</a></p>",
                    Escaped(&found.obligation),
                    found.fails(),
                    Escaped(&found.explanation),
                    self.path(address)
                );
            }
            None => {
                let _ = writeln!(
                    body,
                    "<p><a id=\"run\" href=\"{}run\">Run to the counterexample</a></p>",
                    self.base
                );
            }
        }
        let _ = writeln!(
            body,
            "<p><a href=\"{}include\">Compare without the mapping</a></p>",
            self.base
        );
    }

    /// The steps taken, by process, and the ways to the one before and the one after.
    fn trail(&self, body: &mut String, address: &Address, steps: &[Step], at: usize) {
        if steps.is_empty() {
            return;
        }
        let path = self.path(address);
        let to = |step: usize| format!("{path}?step={step}");
        let shown = shown((0..steps.len()).collect());
        let trail = Lanes {
            steps,
            shown: &shown,
            at: Some(at),
            of: "",
        };
        body.push_str(&lanes(&trail, &to));
        body.push_str("<p class=\"ways\">");
        let _ = match at.checked_sub(1) {
            Some(before) => write!(
                body,
                "<a id=\"back\" rel=\"prev\" href=\"{}\">← back</a> ",
                to(before)
            ),
            None => write!(
                body,
                "<a id=\"back\" rel=\"prev\" href=\"{}\">← initial states</a> ",
                self.base
            ),
        };
        let _ = write!(body, "step {at} of {} ", steps.len() - 1);
        if at + 1 < steps.len() {
            let _ = write!(
                body,
                "<a id=\"forward\" rel=\"next\" href=\"{}\">forward →</a>",
                to(at + 1)
            );
        }
        body.push_str("</p>\n");
    }

    fn state(&self, body: &mut String, steps: &[Step], at: usize, here: &Followed) {
        let Some(step) = steps.get(at) else {
            return;
        };
        let before = at.checked_sub(1).map(|before| &steps[before]);
        columns(body, steps, before, step, at);
        fails(body, &here.fails);
    }

    /// Explanation at the end of the counterexample, unless it is told of the step already.
    fn counterexample(&self, body: &mut String, address: &Address, here: &Followed) {
        let Some(Ran::Counterexample {
            address: end,
            found,
        }) = self.ran
        else {
            return;
        };
        if address != end
            || here
                .fails
                .iter()
                .any(|one| one.obligation == found.obligation)
        {
            return;
        }
        let _ = writeln!(
            body,
            "<p class=\"bad\" id=\"end\">The counterexample to <strong>{}</strong> ends here: {}</p>",
            Escaped(&found.obligation),
            Escaped(&found.explanation)
        );
        if let Some(start) = found.loop_start {
            let _ = if start + 1 < found.steps.len() {
                writeln!(
                    body,
                    "<p class=\"again\">This is <a href=\"{}?step={start}\">state {start}</a> again: what comes after it \
                     goes on for ever.</p>",
                    self.path(address)
                )
            } else {
                writeln!(
                    body,
                    "<p class=\"again\">From here on nothing happens any more.</p>"
                )
            };
        }
        explanation(body, found);
    }

    /// Steps that can be taken from here, a row each.
    fn offers(&self, body: &mut String, address: &Address, count: usize, here: &Followed) {
        let what = match count {
            0 => "Initial states",
            _ => "Steps from here",
        };
        let _ = writeln!(body, "{EXPLORER_KEYS}<h2>{what}</h2>");
        if let Some(constraint) = &here.cut {
            let _ = writeln!(
                body,
                "<p id=\"none\">None is taken: the state is outside of the constraint {}.</p>",
                Escaped(constraint)
            );
            return;
        }
        if here.offered.is_empty() {
            body.push_str("<p id=\"none\">There is none.</p>\n");
            return;
        }
        if here.more {
            let _ = writeln!(
                body,
                "<p class=\"note\">There are more: the first {MOST_OFFERED} are shown.</p>"
            );
        }
        body.push_str(
            "<table id=\"offers\"><thead><tr><th scope=\"col\">step</th><th scope=\"col\">simulates</th><th \
             scope=\"col\">obligations</th></tr></thead><tbody>\n",
        );
        let followed = address.0.get(count).copied();
        for (number, offered) in here.offered.iter().enumerate() {
            let taken = Taken {
                number,
                digest: digest(&offered.step.state),
            };
            let (class, path) = if followed == Some(taken) {
                (
                    " class=\"next\"",
                    format!("{}?step={count}", self.path(address)),
                )
            } else {
                ("", self.path(&address.then(count, taken)))
            };
            let _ = write!(body, "<tr{class}><td>");
            row(body, offered, &path, here.steps.last(), number);
            body.push_str("</td></tr>\n");
        }
        body.push_str("</tbody></table>\n");
    }
}

fn row(body: &mut String, offered: &Offered, path: &str, from: Option<&Step>, number: usize) {
    let step = &offered.step;
    let text = match &step.action {
        Some(_) => title(step),
        None => format!(
            "initial state {number}: <code>{}</code>",
            Escaped(compact(&step.state))
        ),
    };
    let _ = write!(
        body,
        "<a class=\"take\" href=\"{path}\">{text}</a></td><td>"
    );
    match from {
        Some(from) => simulated(body, step, from),
        None => {
            let _ = write!(
                body,
                "<code>{}</code>",
                Escaped(compact(&step.abstract_state))
            );
        }
    }
    body.push_str("</td><td>");
    match &*offered.fails {
        [] => body.push_str("<span class=\"good\">none fails</span>"),
        fails => {
            let names: Vec<_> = fails.iter().map(|one| &*one.obligation).collect();
            let _ = write!(
                body,
                "<span class=\"bad\">fails: {}</span>",
                Escaped(names.join(", "))
            );
        }
    }
}

fn columns(body: &mut String, steps: &[Step], before: Option<&Step>, step: &Step, at: usize) {
    let _ = write!(
        body,
        "<h2>Where you are</h2>\n<section class=\"step\" id=\"step-{at}\"><h3>{at} {}</h3>",
        title(step)
    );
    let mut figures = Figures::default();
    let columns = Columns {
        index: at,
        open: true,
        is_misfit: false,
    };
    Behaviour::new(steps, "", &mut figures).columns(body, before, step, columns);
    body.push_str("</section>\n");
}

/// Obligations of a step that fail.
fn fails(body: &mut String, fails: &[Finding]) {
    for finding in fails {
        let _ = writeln!(
            body,
            "<p class=\"bad\"><strong>{}</strong> fails here: {}</p>",
            Escaped(&finding.obligation),
            Escaped(&finding.explanation)
        );
        if finding.nearest.is_empty() {
            continue;
        }
        body.push_str("<h3>The nearest abstract actions, and why each does not fit</h3><ul>");
        for nearest in &finding.nearest {
            let _ = write!(body, "<li>{}</li>", Escaped(misfit(nearest)));
        }
        body.push_str("</ul>\n");
    }
}
