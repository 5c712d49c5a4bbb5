//! Page of what was decided: of the first systems, and of the first errors. A page is held in memory, and read by people.

use refmap::internal::liveness::Fault;
use serde_json::{Value, json};

use super::text::{Ways, reason};
use crate::graph::{Decided, System};
use crate::pictures::graph::{GraphPage, Outcome};

/// Most systems that a page shows, and most errors.
const MOST: usize = 1_000;

/// Page under construction, with what it shows once more as data.
pub struct ShownPage {
    page: GraphPage,
    systems: Vec<Value>,
    errors: Vec<Value>,
    left_out: usize,
}

impl ShownPage {
    pub fn new(command: &str) -> Self {
        Self {
            page: GraphPage::new(command),
            systems: Vec::new(),
            errors: Vec::new(),
            left_out: 0,
        }
    }

    /// Adds what has no result, `text` for people and `data` for programs.
    pub fn error(&mut self, text: &str, data: Value) {
        if self.errors.len() == MOST {
            self.left_out += 1;
            return;
        }
        self.page.error(text);
        self.errors.push(data);
    }

    /// Adds a system: what was decided of its properties, the first of them if it was interrupted, and the same as data.
    pub fn system(
        &mut self,
        ways: &Ways<'_>,
        system: &System,
        decided: &[Result<Decided, Fault>],
        data: Value,
    ) {
        if self.systems.len() == MOST {
            self.left_out += 1;
            return;
        }
        let properties = system.properties.iter().zip(decided);
        let outcomes: Vec<_> = properties
            .map(|(property, decided)| {
                let violation = decided.as_ref().ok().and_then(|one| one.violation.as_ref());
                Outcome {
                    property: format!("{} {}", property.kind.name(), property.name),
                    kind: &property.kind,
                    is_pass: decided
                        .as_ref()
                        .is_ok_and(|one| violation.is_none() && one.vacuous.is_none()),
                    verdict: match decided {
                        Err(fault) => format!("a fault of this program: {fault}"),
                        Ok(Decided {
                            vacuous: Some(because),
                            ..
                        }) => format!("holds vacuously: {because}"),
                        Ok(_) if violation.is_some() => "violated".to_owned(),
                        Ok(_) => "holds".to_owned(),
                    },
                    violation: violation.map(|(lasso, met)| {
                        let met = met.iter().map(|met| reason(system, lasso, *met));
                        (lasso, met.collect())
                    }),
                }
            })
            .collect();
        self.page
            .system(system, &outcomes, &|from, to| ways.between(from, to));
        self.systems.push(data);
    }

    /// The whole page.
    pub fn html(mut self) -> String {
        if self.left_out > 0 {
            self.page.error(&format!(
                "{} more systems and errors are not shown on this page; --json tells all",
                self.left_out
            ));
        }
        self.page
            .html(&json!({"graphs": self.systems, "errors": self.errors}))
    }
}
