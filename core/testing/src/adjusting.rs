//! A check that adjusts the settings with which it is asked.

use refmap::inclusion::{Comparison, Inclusion};
use refmap::internal::stepper::Stepper;
use refmap::obligation::{CheckError, Checkable, Settings};
use refmap::report::Report;

/// A check, and a function that looks at the settings first, and may change them.
pub struct Adjusting<C, F>(pub C, pub F);

impl<C: Checkable, F: Fn(&mut Settings<'_>)> Adjusting<C, F> {
    fn adjusted<'s>(&self, settings: &Settings<'s>) -> Settings<'s> {
        let mut settings = settings.clone();
        (self.1)(&mut settings);
        settings
    }
}

impl<C: Checkable, F: Fn(&mut Settings<'_>)> Checkable for Adjusting<C, F> {
    fn check(&self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        self.0.check(&self.adjusted(settings))
    }

    fn declared(&self, settings: &Settings<'_>) -> Result<Vec<String>, CheckError> {
        self.0.declared(settings)
    }

    fn any_number_of(&self) -> Option<&str> {
        self.0.any_number_of()
    }

    fn include(&self, comparison: &Comparison<'_>) -> Result<Inclusion, CheckError> {
        self.0.include(comparison)
    }

    fn step_through(
        &self,
        settings: &Settings<'_>,
        receive: &mut dyn FnMut(Stepper<'_>),
    ) -> Result<(), CheckError> {
        self.0.step_through(&self.adjusted(settings), receive)
    }
}
