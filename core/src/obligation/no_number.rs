//! Every number of members, in the place of `any_number` without the feature: no check has a crowd.

use std::marker::PhantomData;

use super::error::CheckError;
use super::settings::Settings;
use super::subject::Subject;
use crate::report::Report;

/// Question for names about the instance of a check.
pub(super) type AskNames<'q> = &'q dyn Fn(&dyn Subject) -> Result<Vec<String>, CheckError>;

/// Exhaustive search of one instance.
pub(super) type Alike<'s> = &'s dyn Fn(&dyn Subject, &Settings<'_>) -> Result<Report, CheckError>;

/// Crowd of which the refinement of a check is an instance: none.
#[derive(Default)]
pub(super) struct OfCrowd<'a>(PhantomData<&'a ()>);

impl OfCrowd<'_> {
    /// Name of its members.
    pub fn members(&self) -> Option<&str> {
        None
    }

    /// Name of its members, if they stand in a line.
    pub fn in_line(&self) -> Option<&str> {
        None
    }

    /// Refuses to discharge the obligations for every number of members.
    pub fn check(
        &self,
        _: Option<usize>,
        _: &Settings<'_>,
        _: Alike<'_>,
        _: &dyn Fn(AskNames<'_>) -> Result<Vec<String>, CheckError>,
    ) -> Result<Report, CheckError> {
        Err(CheckError::MissingFeature {
            asked: "a check of every number of members",
            feature: "any-number",
        })
    }
}
