//! Crowds as a check sees them: a declaration, and instances with few members.

use crate::crowd::{Crowd, Declared, DeclaredBy};
use crate::obligation::error::CheckError;
use crate::obligation::subject::{Subject, Typed, declared};

/// Receives the instances of a crowd.
pub(in crate::obligation) type OfInstances<'t> =
    dyn FnMut(&[&dyn Subject]) -> Result<(), CheckError> + 't;

/// A crowd of whatever types.
pub(in crate::obligation) trait CrowdObject: Sync {
    /// Its declaration.
    fn declared(&self) -> &dyn Declared;
    /// Shows the instances with one member, two, and so on, up to so many.
    fn with_instances(&self, most: usize, then: &mut OfInstances<'_>) -> Result<(), CheckError>;
}

impl<C: Crowd> CrowdObject for DeclaredBy<C> {
    fn declared(&self) -> &dyn Declared {
        self
    }

    fn with_instances(&self, most: usize, then: &mut OfInstances<'_>) -> Result<(), CheckError> {
        let make = || -> Vec<_> {
            (1..=most)
                .map(|members| self.crowd.instance(members))
                .collect()
        };
        let instances = declared("`instance`", make)?;
        let typed = instances.iter().map(|one| Typed::new(one, None));
        let typed = typed.collect::<Result<Vec<_>, _>>()?;
        let subjects: Vec<&dyn Subject> = typed.iter().map(|one| one as _).collect();
        then(&subjects)
    }
}
