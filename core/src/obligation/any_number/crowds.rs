//! Crowds as a check sees them: a form, and instances with few members.

use crate::obligation::error::CheckError;
use crate::obligation::subject::{Subject, Typed};
use crate::view::crowd::{CrowdForm, CrowdRefinement, Formed};

/// Receives an instance of a crowd.
pub(in crate::obligation) type OfInstance<'t> =
    dyn FnMut(&dyn Subject) -> Result<(), CheckError> + 't;

/// A crowd of whatever types.
pub(in crate::obligation) trait CrowdObject: Sync {
    /// Its form.
    fn form(&self) -> &dyn CrowdForm;
    /// Shows the instance with so many members.
    fn with_instance(&self, members: usize, then: &mut OfInstance<'_>) -> Result<(), CheckError>;
}

impl<R: CrowdRefinement> CrowdObject for Formed<R> {
    fn form(&self) -> &dyn CrowdForm {
        self
    }

    fn with_instance(&self, members: usize, then: &mut OfInstance<'_>) -> Result<(), CheckError> {
        then(&Typed::new(&self.refinement.of(members), None)?)
    }
}
