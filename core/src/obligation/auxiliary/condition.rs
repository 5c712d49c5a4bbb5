//! Side conditions as rows of the report.

use crate::statement::erased::SideCondition;

/// A side condition as a row of the report.
pub(super) struct Condition {
    pub of: SideCondition,
    /// Name of the row, after that of the kind.
    pub name: &'static str,
    /// Note where it was asked of nothing.
    pub untested: &'static str,
}
