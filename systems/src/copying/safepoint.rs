//! Stopping the mutators at yieldpoints, so that the collector's critical section is one step
//! [Ugawa et al., section 4.5].
//!
//! Deviations. D1: the collector waits until every mutator is at a yieldpoint; the paper discards an
//! execution where one is not. D2: a mutator that has ended stays at a yieldpoint, so the
//! collector does not wait for it forever. D3: a yieldpoint orders all accesses before and after
//! it; that is `yieldpoint-fence`: a fence before it, one behind it, and one before the end.

use refmap_programs::{Location, ProgramBuilder, Register, ThreadBuilder};

use super::framework::{FALSE, Mutator, Parts, TRUE, per_mutator};
use super::instance::Instance;

/// The fences of a yieldpoint, all together.
const GROUP: &str = "yieldpoint-fence";

/// Whether each mutator is at a yieldpoint.
pub(super) struct Safepoint {
    at_yieldpoint: Vec<Location>,
}

impl Safepoint {
    pub fn new(p: &mut ProgramBuilder, instance: &Instance) -> Self {
        Self {
            at_yieldpoint: per_mutator(p, instance, "at_yieldpoint", FALSE),
        }
    }

    /// The mutator may be stopped here.
    pub fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, parts: &Parts) {
        let at_yieldpoint = self.at_yieldpoint[m.number];
        parts.fence_of(t, GROUP, "yieldpoint-fence:before");
        t.store(at_yieldpoint, TRUE);
        t.store(at_yieldpoint, FALSE);
        parts.fence_of(t, GROUP, "yieldpoint-fence:behind");
    }

    /// The mutator has ended (deviation D2).
    pub fn end(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, parts: &Parts) {
        parts.fence_of(t, GROUP, "yieldpoint-fence:end");
        t.store(self.at_yieldpoint[m.number], TRUE);
    }

    /// The collector's critical section, with all mutators stopped.
    pub fn stopped(
        &self,
        t: &mut ThreadBuilder<'_>,
        poll: Register,
        section: impl FnOnce(&mut ThreadBuilder<'_>),
    ) {
        t.atomic(|t| {
            for at_yieldpoint in &self.at_yieldpoint {
                t.load(poll, *at_yieldpoint);
                t.require(poll);
            }
            section(t);
        });
    }
}
