//! Case: an object that is tested, and with which effort.

use std::sync::Arc;

use super::kind::Run;
use super::{Effort, Object};

/// Case: an object that is tested, and with which effort.
pub(super) struct Case<'a, O: Object> {
    pub object: Arc<O>,
    pub specification: O::Specification,
    pub effort: &'a Effort,
    /// Told of a run before it begins, since the run may end the process. It says whether the run is to begin.
    begins: &'a dyn Fn(&str) -> bool,
}

impl<'a, O: Object> Case<'a, O> {
    pub fn new(object: O, effort: &'a Effort, begins: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            specification: object.specification(),
            object: Arc::new(object),
            effort,
            begins,
        }
    }

    /// Tells that a run begins: whether it is to. `what` is its number, or its program.
    pub fn begins(&self, run: Run, what: &dyn std::fmt::Display) -> bool {
        (self.begins)(&format!("{run} {what}, seed {}", self.effort.seed))
    }
}
