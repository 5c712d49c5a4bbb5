//! Rows that a check decides.

use std::collections::HashSet;

use super::error::CheckError;
use super::pattern::stands_for;
use super::row::ObligationRow;
use super::selection::Selection;
use super::settings::{Induction, Liveness, Settings};
use super::undecided::Undecided;
use crate::statement::kind::ObligationKind;
use crate::statement::shown::nearest::nearest;

/// Chooses rows by the settings of a check: those that it asks for, without those that it leaves out.
pub(super) struct Choice<'a> {
    selection: &'a Selection,
    without: &'a [String],
    /// Whether rows of induction belong to those chosen, and whether those of liveness do.
    induction: bool,
    liveness: bool,
    /// Kinds that cannot be decided, and why.
    pub undecided: Undecided,
}

impl<'a> Choice<'a> {
    pub fn new(settings: &'a Settings<'_>, undecided: Undecided) -> Self {
        Self {
            undecided,
            selection: &settings.obligations,
            without: &settings.without,
            induction: settings.induction != Induction::Omitted,
            liveness: settings.liveness == Liveness::Included,
        }
    }

    /// A row that is chosen by name, and by default.
    pub fn by_default(&self, name: String) -> ObligationRow {
        let undecided = self.undecided.of_row(&name);
        self.row(name, true, false, undecided)
    }

    /// The same of one that tells when it is judged why it cannot be decided.
    pub fn told_when_judged(&self, name: String) -> ObligationRow {
        self.row(name, true, false, None)
    }

    /// The row of an obligation that belongs to every check.
    pub fn always(&self, name: String) -> ObligationRow {
        let undecided = self.undecided.of_row(&name);
        ObligationRow::new(name, true, undecided)
    }

    /// A row of induction: chosen by name, and on request, whatever others are chosen by their names.
    pub fn of_induction(&self, name: String) -> ObligationRow {
        let undecided = self.undecided.of_row(&name);
        self.row(name, self.induction, self.induction, undecided)
    }

    /// A row of liveness: chosen by name, and on request, whatever others are chosen by their names. It tells when it is judged
    /// why it cannot be decided.
    pub fn of_liveness(&self, name: String) -> ObligationRow {
        self.row(name, self.liveness, self.liveness, None)
    }

    /// A row that is chosen `by_default`, and beside others that are chosen by their names.
    fn row(
        &self,
        name: String,
        by_default: bool,
        beside_others: bool,
        undecided: Option<&'static str>,
    ) -> ObligationRow {
        let chosen = match self.selection {
            Selection::Nothing => false,
            Selection::Default => by_default,
            Selection::Only(patterns) => beside_others || is_among(&name, patterns),
        };
        let chosen = chosen && !is_among(&name, self.without);
        ObligationRow::new(name, chosen, undecided)
    }
}

/// Whether one of the patterns stands for a row.
pub(super) fn is_among(row: &str, patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| stands_for(pattern, row))
}

/// The names that a user may choose rows by, and what tells whether these can be decided.
pub(super) struct RowNames<'a> {
    /// Each row with whether it is chosen.
    pub rows: Vec<(String, bool)>,
    /// Those that stand for several rows, or for none if the refinement has no such rows.
    pub groups: Vec<ObligationKind>,
    /// The row that belongs to every check.
    pub always: ObligationKind,
    pub undecided: &'a Undecided,
}

impl RowNames<'_> {
    /// Whether each pattern stands for rows: one by which rows are chosen for some that can be decided, and one by which they
    /// are left out for some that may be. And whether a row is left.
    pub fn validate(&self, settings: &Settings<'_>) -> Result<(), CheckError> {
        if let Selection::Only(patterns) = &settings.obligations {
            patterns
                .iter()
                .try_for_each(|pattern| self.validate_chosen(pattern))?;
        }
        if settings.without.is_empty() {
            return Ok(());
        }
        settings
            .without
            .iter()
            .try_for_each(|pattern| self.validate_left_out(pattern))?;
        let is_left = |(name, is_chosen): &(String, bool)| *is_chosen && !self.is_always(name);
        if self.rows.iter().any(is_left) {
            Ok(())
        } else {
            Err(CheckError::NothingLeft {
                without: settings.without.clone(),
            })
        }
    }

    fn validate_chosen(&self, pattern: &str) -> Result<(), CheckError> {
        let refused = |reason| CheckError::Unsupported {
            name: pattern.to_owned(),
            reason,
        };
        if let Some(reason) = self.undecided.of_row(pattern) {
            return Err(refused(reason));
        }
        let rows = self.rows_of(pattern)?;
        let reasons = rows.map(|row| self.undecided.of_row(row));
        // Of several some may be open: their rows say why.
        let reasons: Option<Vec<_>> = reasons.collect();
        match reasons.as_deref() {
            Some([reason, ..]) => Err(refused(reason)),
            _ => Ok(()),
        }
    }

    fn validate_left_out(&self, pattern: &str) -> Result<(), CheckError> {
        if self.rows_of(pattern)?.all(|row| self.is_always(row)) {
            Err(CheckError::Indispensable {
                name: pattern.to_owned(),
            })
        } else {
            Ok(())
        }
    }

    fn is_always(&self, row: &str) -> bool {
        row == self.always.name()
    }

    /// The rows for which a pattern stands: one at least.
    fn rows_of<'r>(
        &'r self,
        pattern: &'r str,
    ) -> Result<impl Iterator<Item = &'r str>, CheckError> {
        let rows = self.rows.iter().map(|(row, _)| row.as_str());
        let mut rows = rows.filter(move |row| stands_for(pattern, row)).peekable();
        match rows.peek() {
            Some(_) => Ok(rows),
            None => Err(self.unknown(pattern)),
        }
    }

    fn unknown(&self, pattern: &str) -> CheckError {
        let name = pattern.to_owned();
        let of_kind = |kind: &ObligationKind| {
            let is_kind = |row: &(String, bool)| ObligationKind::of(&row.0) == Some(*kind);
            !self.rows.iter().any(is_kind)
        };
        // `invariant` and `invariant:*` of a refinement that has none are no misspellings.
        let kind = pattern.strip_suffix(":*").unwrap_or(pattern);
        let kind = ObligationKind::ALL
            .into_iter()
            .find(|known| known.name() == kind);
        if let Some(kind) = kind.filter(of_kind) {
            return CheckError::NoneOfKind { name, kind };
        }
        let groups = self.groups.iter().map(ToString::to_string);
        let rows = self.rows.iter().map(|(row, _)| row.clone());
        let mut known: Vec<_> = groups.chain(rows).collect();
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(name.clone()));
        let of_groups = self.groups.iter().map(|kind| format!("{kind}:*"));
        let of_groups: Vec<_> = of_groups.filter(|_| pattern.contains('*')).collect();
        let meant = known.iter().chain(&of_groups).map(String::as_str);
        CheckError::UnknownObligation {
            nearest: nearest(pattern, meant),
            name,
            known,
        }
    }
}
