//! Rows of the report: chosen before the search, judged after it.

use crate::report::{Counterexample, Obligation, Verdict};
use crate::statement::asked::model_call::{UNNAMED, catch};
use crate::walk::explore::Panic;

/// A row that the report of a check may have.
#[derive(Clone, Debug)]
pub(super) struct ObligationRow {
    pub name: String,
    /// True if it is chosen, and can be decided.
    pub selected: bool,
    /// Reason why a row that is chosen cannot be decided for this refinement.
    open: Option<&'static str>,
}

impl ObligationRow {
    /// `unsupported` is why it cannot be decided for this refinement.
    pub fn new(name: String, chosen: bool, unsupported: Option<&'static str>) -> Self {
        let open = unsupported.filter(|_| chosen);
        Self {
            name,
            selected: chosen && open.is_none(),
            open,
        }
    }

    /// True if the report has the row, decided or open.
    pub fn is_chosen(&self) -> bool {
        self.selected || self.open.is_some()
    }

    /// Entry of the row in the report: nothing if it was not chosen, why it is open where it cannot be decided, or what
    /// `judge` finds.
    pub fn judged(&self, weight: Weight, judge: impl FnOnce() -> Obligation) -> Option<Judged> {
        let judged = match self.open {
            Some(reason) => Obligation::incomplete(reason),
            // Much of what is judged asks the model once more.
            None if self.selected => match catch(judge) {
                Ok(judged) => judged,
                Err(panic) => {
                    let told = panic.told(UNNAMED);
                    let judged = Obligation::incomplete(&format!("not evaluated: {told}"));
                    let judged = Judged::new(&self.name, weight, judged);
                    return Some(Judged {
                        panic: Some(panic),
                        ..judged
                    });
                }
            },
            None => return None,
        };
        Some(Judged::new(&self.name, weight, judged))
    }
}

/// Weight of a row and its counterexample in the verdict of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// Something that goes wrong in a behaviour.
    Behaviour,
    /// The same, of a rule of the environment; one at least of these rows has to be tested.
    EnvironmentRule,
    /// Something that is missing everywhere: a behaviour that violates another row says more.
    Absence,
}

/// A row of the report, and what the verdict of the check makes of it.
pub(super) struct Judged {
    pub row: Obligation,
    pub weight: Weight,
    /// Panic of a function of the model, if that is why the row is open.
    pub panic: Option<Panic>,
}

impl Judged {
    pub fn new(name: &str, weight: Weight, mut row: Obligation) -> Self {
        row.name = name.to_owned();
        for counterexample in &mut row.counterexamples {
            counterexample.obligation = name.to_owned();
        }
        Self {
            row,
            weight,
            panic: None,
        }
    }

    /// True if nothing was tested.
    fn is_vacuous(&self) -> bool {
        matches!(self.row.verdict, Verdict::NoneDeclared | Verdict::Untested)
    }
}

/// True if there is no row of which something was tested, or none of those about the environment's rules.
pub(super) fn are_vacuous(rows: &[Judged]) -> bool {
    let of_environment = |judged: &&Judged| judged.weight == Weight::EnvironmentRule;
    let mut rules = rows.iter().filter(of_environment);
    let untested = rules.clone().count() > 0 && rules.all(Judged::is_vacuous);
    untested || rows.iter().all(Judged::is_vacuous)
}

impl Obligation {
    pub(super) fn new(verdict: Verdict, checked: u64) -> Self {
        Self {
            name: String::new(),
            verdict,
            checked,
            note: None,
            needed: None,
            counterexamples: Vec::new(),
        }
    }

    pub(super) fn violated(checked: u64, counterexamples: Vec<Counterexample>) -> Self {
        Self {
            counterexamples,
            ..Self::new(Verdict::Violated, checked)
        }
    }

    /// Not decided, and why.
    pub(super) fn incomplete(reason: &str) -> Self {
        Self::new(Verdict::Incomplete, 0).noted(reason)
    }

    pub(super) fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }
}
