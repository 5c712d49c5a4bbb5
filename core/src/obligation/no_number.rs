//! Every number of members, in the place of `any_number` without the feature: no check has a crowd.

use std::marker::PhantomData;

use super::error::CheckError;
use super::settings::Settings;
use super::subject::{Alike, InstanceNames};
use crate::report::Report;

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
        _: InstanceNames<'_>,
    ) -> Result<Report, CheckError> {
        Err(CheckError::MissingFeature {
            asked: "a check of every number of members",
            feature: "any-number",
        })
    }
}
