//! Crowd of a check, and the check of it.

use std::time::Instant;

use super::crowds::CrowdObject;
use super::{any_number, not_reported};
use crate::obligation::error::CheckError;
use crate::obligation::settings::Settings;
use crate::obligation::subject::{Alike, InstanceNames, declared};
use crate::report::Report;
use crate::statement::asked::model_call::{UNNAMED, take_tolerated};
use crate::view::crowd::{CrowdRefinement, Formed};

/// Crowd of which the refinement of a check is an instance, if there is one.
#[derive(Default)]
pub(in crate::obligation) struct OfCrowd<'a>(Option<Box<dyn CrowdObject + 'a>>);

impl<'a> OfCrowd<'a> {
    pub fn new(crowd: impl CrowdRefinement + 'a) -> Self {
        Self(Some(Box::new(Formed::new(crowd))))
    }

    /// Name of its members.
    pub fn members(&self) -> Option<&str> {
        Some(self.0.as_ref()?.form().members())
    }

    /// Name of its members, if they stand in a line.
    pub fn in_line(&self) -> Option<&str> {
        let form = self.0.as_ref()?.form();
        form.in_line().then(|| form.members())
    }

    /// Discharges the obligations for every number of members.
    pub fn check(
        &self,
        views: Option<usize>,
        settings: &Settings<'_>,
        search: Alike<'_>,
        of_instance: InstanceNames<'_>,
    ) -> Result<Report, CheckError> {
        let crowd = self.0.as_deref().ok_or(CheckError::NoCrowd)?;
        let mut report = of_crowd(crowd, views, settings, Some(search))?;
        if report.violated().next().is_none() {
            let others = of_instance(&|subject| not_reported(subject, settings, &report))?;
            report.not_asked.extend(others);
        }
        Ok(report)
    }
}

/// Discharges the obligations of a crowd, of small instances first where a search of them is given.
pub(in crate::obligation) fn of_crowd(
    crowd: &dyn CrowdObject,
    views: Option<usize>,
    settings: &Settings<'_>,
    search: Option<Alike<'_>>,
) -> Result<Report, CheckError> {
    // What another check on this thread did without is not this one's.
    take_tolerated();
    let started = Instant::now();
    declared(UNNAMED, || {
        any_number(crowd, views, settings, started, search)
    })?
}
