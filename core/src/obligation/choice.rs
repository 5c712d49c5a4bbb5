//! Which rows a check decides.

use std::collections::HashSet;

use super::error::CheckError;
use super::kind::ObligationKind;
use super::row::Row;
use super::selection::Selection;
use super::settings::{Induction, Liveness, Settings};
use crate::nearest::nearest;

/// Chooses rows by the settings of a check.
pub(super) struct Choice<'a> {
    selection: &'a Selection,
    /// Whether rows of induction belong to those chosen, and whether those of liveness do.
    induction: bool,
    liveness: bool,
}

impl<'a> Choice<'a> {
    pub fn new(settings: &'a Settings<'_>) -> Self {
        Self {
            selection: &settings.obligations,
            induction: settings.induction == Induction::Included,
            liveness: settings.liveness == Liveness::Included,
        }
    }

    /// A row that is chosen by name, and by default. `unsupported` is why it cannot be decided for this refinement.
    pub fn by_default(&self, name: String, unsupported: Option<&'static str>) -> Row {
        let chosen = match self.selection {
            Selection::Nothing => false,
            Selection::Default => true,
            Selection::Only(names) => is_among(&name, names),
        };
        Row::new(name, chosen, unsupported)
    }

    /// The row of an obligation that belongs to every check.
    pub fn always(&self, name: String, unsupported: Option<&'static str>) -> Row {
        Row::new(name, true, unsupported)
    }

    /// A row of induction: chosen by name, and on request.
    pub fn of_induction(&self, name: String, unsupported: Option<&'static str>) -> Row {
        self.on_request(self.induction, name, unsupported)
    }

    /// A row of liveness: chosen by name, and on request.
    pub fn of_liveness(&self, name: String) -> Row {
        self.on_request(self.liveness, name, None)
    }

    fn on_request(&self, requested: bool, name: String, unsupported: Option<&'static str>) -> Row {
        let chosen = match self.selection {
            Selection::Nothing => false,
            Selection::Default => requested,
            Selection::Only(names) => requested || is_among(&name, names),
        };
        Row::new(name, chosen, unsupported)
    }
}

fn is_among(row: &str, names: &[String]) -> bool {
    names.iter().any(|name| stands_for(name, row))
}

/// Whether a name is that of a row, or of the obligation to which the row belongs.
pub(super) fn stands_for(name: &str, row: &str) -> bool {
    row.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// The names that a user may choose rows by, and what tells whether these can be decided.
pub(super) struct Names<'a> {
    pub rows: Vec<String>,
    /// Those that stand for several rows, or for none if the refinement has no such rows.
    pub groups: Vec<ObligationKind>,
    /// Names that stand for rows that this refinement might have, and does not.
    pub without_rows: Option<ObligationKind>,
    /// Why obligations of a kind cannot be decided.
    pub unsupported: &'a dyn Fn(ObligationKind) -> Option<&'static str>,
}

impl Names<'_> {
    /// Whether each name chosen stands for a row that can be decided.
    pub fn validate(&self, selection: &Selection) -> Result<(), CheckError> {
        let Selection::Only(names) = selection else {
            return Ok(());
        };
        for name in names {
            let kind = ObligationKind::of(name);
            if let Some(reason) = kind.and_then(self.unsupported) {
                return Err(CheckError::Unsupported {
                    name: name.clone(),
                    reason,
                });
            }
            if self.without_rows.is_some_and(|kind| kind.name() == name) {
                return Err(CheckError::NoInvariants { name: name.clone() });
            }
            if !self.rows.iter().any(|row| stands_for(name, row)) {
                return Err(self.unknown(name));
            }
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> CheckError {
        let groups = self.groups.iter().map(ToString::to_string);
        let mut known: Vec<_> = groups.chain(self.rows.iter().cloned()).collect();
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(name.clone()));
        CheckError::UnknownObligation {
            name: name.to_owned(),
            nearest: nearest(name, known.iter().map(String::as_str)),
            known,
        }
    }
}
