//! Page of a comparison without a mapping: the verdict, and the evidence, with the abstract states beside each state of a trace.

use std::fmt::Write;

use refmap::inclusion::{Evidence, Included, Inclusion};
use refmap::internal::inclusion::{Case, MissingStutter, Part, PassedState, Table};
use refmap::internal::stepper::Stepper;
use refmap::internal::{compact, counted};
use refmap::report::Step;
use serde_json::Value;

use super::behaviour::{FIRST, difference, shown};
use super::canvas::Canvas;
use super::escape::Escaped;
use super::explorer::Address;
use super::figures::Figures;
use super::page::{STEP_KEYS, Script, page};
use super::svg::Picture;

/// Lines of a table that a page shows.
const MOST_CASES: usize = 200;

/// Data that the page of a comparison is made of.
pub struct Page<'p> {
    /// Names of what is compared.
    pub compared: &'p str,
    pub inclusion: &'p Inclusion,
    /// The command, as it is typed.
    pub command: &'p str,
    /// The JSON that the command prints.
    pub answer: &'p Value,
    /// The explorer of which it is a page.
    pub within: Option<Within<'p>>,
}

/// Explorer of the systems that are compared.
#[derive(Clone, Copy)]
pub struct Within<'e> {
    /// The path under which all its pages are.
    pub base: &'e str,
    pub stepper: Stepper<'e>,
}

impl Page<'_> {
    /// The page.
    pub fn html(self) -> String {
        let Self {
            compared,
            inclusion,
            command,
            answer,
            within,
        } = self;
        let class = match inclusion.verdict {
            Included::Included => "holds",
            Included::NotIncluded => "violated",
            Included::Incomplete => "incomplete",
        };
        let mut body = format!(
            "<h1>{}: <span class=\"{class}\">{}</span></h1>\n<p><code>{}</code></p>\n",
            Escaped(compared),
            inclusion.verdict,
            Escaped(command)
        );
        if let Some(Within { base, .. }) = within {
            let _ = writeln!(
                body,
                "<p><a href=\"{base}\">← to the initial states</a></p>"
            );
        }
        let head = format!("{}{}", inclusion.verdict, inclusion.head());
        for line in head.lines().filter(|line| !line.is_empty()) {
            let _ = writeln!(body, "<p>{}</p>", Escaped(line));
        }
        let mut writer = Writer {
            body,
            figures: Figures::default(),
            behaviours: 0,
            within,
        };
        if let Some(found) = &inclusion.evidence {
            writer.evidence(found);
        }
        let title = format!("{compared}: {}", inclusion.verdict);
        page(&title, &writer.body, Some(answer), Script::Steps)
    }
}

impl Within<'_> {
    /// Path of the place to which a behaviour leads, if the refinement has its steps.
    fn place(&self, behaviour: &[&PassedState]) -> Option<String> {
        let steps = behaviour.iter().map(|shown| Step {
            action: shown.action.clone(),
            state: shown.state.clone(),
            ..Step::default()
        });
        let steps: Vec<Step> = steps.collect();
        let choices = self.stepper.choices(&steps).ok()?;
        let leads_there = !choices.is_empty() && choices.len() == steps.len();
        leads_there.then(|| format!("{}at/{}", self.base, Address::of(choices, &steps)))
    }
}

/// Writer of the evidence of a page.
struct Writer<'p> {
    body: String,
    figures: Figures,
    /// Number of the behaviours written.
    behaviours: usize,
    within: Option<Within<'p>>,
}

impl Writer<'_> {
    fn evidence(&mut self, found: &Evidence) {
        match found {
            Evidence::Mapping { mapping } => {
                self.heading("A mapping: no variable is missing");
                self.mapping(mapping);
            }
            Evidence::Undecided => self.text("A mapping, or a history variable", found),
            Evidence::History { pasts: None, .. } => {
                self.text("A history variable is missing", found);
            }
            Evidence::Stuttering {
                stutters,
                or_history,
                mapping,
                ..
            } => {
                self.heading("A step is several abstract steps");
                self.line(if *or_history {
                    "By name, AbstractSteps::Several; or in their place a stuttering variable, or a history variable."
                } else {
                    "By name, AbstractSteps::Several; or in their place a stuttering variable."
                });
                self.stutters(stutters);
                match mapping {
                    Some(mapping) => self.mapping(mapping),
                    None => self.line(
                        "A history variable may be needed: images were not found to be a function of the state.",
                    ),
                }
            }
            Evidence::History {
                pasts: Some([one, other]),
                stutters,
            } => {
                self.heading("A history variable is missing, unless a prophecy variable will do");
                self.line("One state, reached in two ways, needs different images.");
                for (name, past) in [("The first past", one), ("The second past", other)] {
                    self.behaviour(name, &past.steps, None);
                    self.states("The images that it can have:", &past.images);
                }
                self.stutters(stutters);
            }
            Evidence::Prophecy {
                past,
                images,
                futures,
                fails,
            } => {
                self.heading("A prophecy variable is missing");
                self.line("No image of the last state serves all of its futures.");
                self.behaviour("The past", past, None);
                for (number, future) in futures.iter().enumerate() {
                    let name = format!("Future {}", number + 1);
                    self.behaviour(&name, &future.steps, None);
                    self.line(&format!("It shows {}.", future.shows.join(", ")));
                }
                self.body.push_str(
                    "<table><thead><tr><th scope=\"col\">abstract state</th><th scope=\"col\">has not</th></tr></thead><tbody>",
                );
                for (image, fails) in images.iter().zip(fails) {
                    let _ = write!(
                        self.body,
                        "<tr><td><code>{}</code></td><td>future {}</td></tr>",
                        Escaped(compact(image)),
                        fails + 1
                    );
                }
                self.body.push_str("</tbody></table>\n");
            }
            Evidence::Trace {
                steps,
                unmatched,
                shows,
                could_show,
            } => {
                self.heading("A shortest trace that the specification does not have");
                self.behaviour("The trace", steps, Some(unmatched));
                self.line(&format!("The last step shows {shows}."));
                self.line(&match could_show.as_slice() {
                    [] => "The specification can show nothing more.".to_owned(),
                    some => format!("The specification could show {}.", some.join(", or ")),
                });
            }
        }
    }

    fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.body, "<h2>{}</h2>", Escaped(heading));
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "<p>{}</p>", Escaped(line));
    }

    /// A mapping, part by part.
    fn mapping(&mut self, mapping: &Table) {
        let states = counted(mapping.states, "state");
        let Some(parts) = &mapping.parts else {
            self.line(&format!("Of {states}, too many for a table."));
            return;
        };
        self.line(&format!("Of {states}. Each part of an image:"));
        self.body.push_str("<table><tbody>");
        for Part { part, by, cases } in parts {
            let _ = write!(
                self.body,
                "<tr><th scope=\"row\"><code>{}</code></th><td>",
                Escaped(part)
            );
            let alone = match cases.as_deref() {
                None => Some(by.join(", ")),
                Some([Case { values, image }]) if values.is_empty() => Some(compact(image)),
                Some(cases) => {
                    cases_of(&mut self.body, by, cases);
                    None
                }
            };
            if let Some(alone) = alone {
                let _ = write!(self.body, "<code>{}</code>", Escaped(alone));
            }
            self.body.push_str("</td></tr>");
        }
        self.body.push_str("</tbody></table>\n");
    }

    /// The steps that are several.
    fn stutters(&mut self, stutters: &[MissingStutter]) {
        for stutter in stutters {
            let _ = writeln!(
                self.body,
                "<h3><code>{}</code>: up to {} abstract steps, in {}</h3>",
                Escaped(&stutter.rule),
                stutter.abstract_steps,
                counted(stutter.steps, "step")
            );
            self.states("from", std::slice::from_ref(&stutter.from));
            self.states("the specification goes through", &stutter.through);
        }
    }

    /// Evidence that is a line, as it is printed.
    fn text(&mut self, heading: &str, found: &Evidence) {
        self.heading(heading);
        let _ = writeln!(self.body, "<pre>{}</pre>", Escaped(found));
    }

    fn states(&mut self, heading: &str, states: &[Value]) {
        let _ = write!(self.body, "<p>{}</p>\n<ul class=\"d\">", Escaped(heading));
        for state in states {
            let _ = write!(self.body, "<li>{}</li>", Escaped(compact(state)));
        }
        self.body.push_str("</ul>\n");
    }

    /// A behaviour, with the step that cannot be followed at its end, if there is one.
    fn behaviour(&mut self, name: &str, steps: &[PassedState], unmatched: Option<&PassedState>) {
        let _ = writeln!(self.body, "<h3>{}</h3>", Escaped(name));
        let prefix = match self.behaviours {
            0 => String::new(),
            number => format!("behaviour-{}-", number + 1),
        };
        self.behaviours += 1;
        if prefix.is_empty() {
            self.body.push_str(STEP_KEYS);
        }
        let all: Vec<&PassedState> = steps.iter().chain(unmatched).collect();
        if let Some(path) = self.within.and_then(|within| within.place(&all)) {
            let _ = writeln!(
                self.body,
                "<p><a class=\"walk\" href=\"{path}\">To its end, with the mapping beside it</a></p>"
            );
        }
        let behaviour = Behaviour {
            steps: &all,
            prefix: &prefix,
            has_sets: steps.iter().any(|step| step.specification_states > 0),
            has_unmatched: unmatched.is_some(),
            implementation: Canvas::of(all.iter().filter_map(|step| step.picture.as_ref())),
            specification: Canvas::of(
                all.iter()
                    .flat_map(|step| step.specification_pictures.iter().flatten()),
            ),
        };
        let sections = shown((0..all.len()).collect());
        let mut before = None;
        for index in sections {
            if before.is_some_and(|before| before + 1 < index) {
                let _ = write!(
                    self.body,
                    "<p class=\"gap\">Steps {FIRST} to {} are left out.</p>",
                    index - 1
                );
            }
            before = Some(index);
            behaviour.section(&mut self.body, &mut self.figures, index);
        }
    }
}

/// The value of a part for each combination of the fields that decide it.
fn cases_of(html: &mut String, by: &[String], cases: &[Case]) {
    html.push_str("<table><thead><tr>");
    for field in by {
        let _ = write!(
            html,
            "<th scope=\"col\"><code>{}</code></th>",
            Escaped(field)
        );
    }
    html.push_str("<th scope=\"col\">image</th></tr></thead><tbody>");
    for Case { values, image } in cases.iter().take(MOST_CASES) {
        html.push_str("<tr>");
        for value in values.iter().chain([image]) {
            let _ = write!(html, "<td><code>{}</code></td>", Escaped(compact(value)));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
    if let Some(more) = cases.len().checked_sub(MOST_CASES)
        && more > 0
    {
        let _ = write!(html, "<p class=\"note\">and {more} more</p>");
    }
}

/// Behaviour of the implementation.
struct Behaviour<'s> {
    steps: &'s [&'s PassedState],
    prefix: &'s str,
    /// True if the abstract states are known that it can be beside.
    has_sets: bool,
    /// True if its last step cannot be followed.
    has_unmatched: bool,
    implementation: Canvas,
    specification: Canvas,
}

impl Behaviour<'_> {
    /// The section of a step: the state, and the abstract states beside it.
    fn section(&self, html: &mut String, figures: &mut Figures, index: usize) {
        let step = self.steps[index];
        let is_unmatched = self.has_unmatched && index + 1 == self.steps.len();
        let class = if is_unmatched { "step end" } else { "step" };
        let id = format!("{}step-{index}", self.prefix);
        let title = match &step.action {
            Some(action) => format!("<code>{}</code>", Escaped(compact(action))),
            None => "initially".to_owned(),
        };
        let _ = write!(
            html,
            "<section class=\"{class}\" id=\"{id}\"><h3><a href=\"#{id}\">{index}</a> {title}</h3>"
        );
        html.push_str(if self.has_sets {
            "<div class=\"cols\"><div><h4>Implementation</h4>"
        } else {
            "<div><div>"
        });
        let before = index.checked_sub(1).map(|before| self.steps[before]);
        if let Some(drawing) = &step.picture {
            let picture = Picture {
                canvas: &self.implementation,
                drawing,
                before: before.and_then(|before| before.picture.as_ref()),
            };
            figures.add(html, &format!("Implementation, step {index}"), &picture);
        }
        difference(
            html,
            before.map(|before| &before.state),
            &step.state,
            is_unmatched,
        );
        if self.has_sets {
            html.push_str("</div><div>");
            if is_unmatched {
                html.push_str("<p class=\"bad\">none can follow</p>");
            } else {
                let states = counted(step.specification_states, "state");
                let _ = write!(html, "<p class=\"by\">{states} after the same trace</p>");
            }
            html.push_str("</div><div><h4>Specification</h4>");
            self.set(html, figures, index);
        }
        html.push_str("</div></div></section>\n");
    }

    /// The abstract states beside a state.
    fn set(&self, html: &mut String, figures: &mut Figures, index: usize) {
        let step = self.steps[index];
        for (number, state) in step.specification.iter().enumerate() {
            let drawing = step.specification_pictures.get(number);
            if let Some(Some(drawing)) = drawing {
                let picture = Picture {
                    canvas: &self.specification,
                    drawing,
                    before: None,
                };
                let title = format!("Specification, step {index}, state {}", number + 1);
                figures.add(html, &title, &picture);
            }
            let _ = write!(
                html,
                "<ul class=\"d\"><li>{}</li></ul>",
                Escaped(compact(state))
            );
        }
        let more = step.specification_states - step.specification.len() as u64;
        if more > 0 {
            let _ = write!(html, "<p class=\"note\">and {more} more</p>");
        }
    }
}
