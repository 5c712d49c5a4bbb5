//! The soft handshake [Ugawa et al., Fig. 7]: the collector waits until every mutator has passed a
//! yieldpoint.
//!
//! Deviation. D1: where there are several mutators, each has a request of its own, and the collector
//! makes all of them before it waits for the first.

use refmap_programs::{Fence, Location, ProgramBuilder, ThreadBuilder};

use super::framework::{FALSE, Mutator, Parts, TRUE, per_mutator};
use super::instance::Instance;

/// The requests, one for each mutator.
pub(super) struct Handshake {
    hs_req: Vec<Location>,
}

impl Handshake {
    pub fn new(p: &mut ProgramBuilder, instance: &Instance) -> Self {
        Self {
            hs_req: per_mutator(p, instance, "hs_req", FALSE),
        }
    }

    /// `SoftHandshake()` [Fig. 7, lines 10 to 13].
    pub fn soft_handshake(&self, t: &mut ThreadBuilder<'_>, poll: refmap_programs::Register) {
        for hs_req in &self.hs_req {
            t.store(*hs_req, TRUE);
        }
        for hs_req in &self.hs_req {
            t.repeat_until(poll.equals(FALSE), |t| t.load(poll, *hs_req));
        }
    }

    /// `yieldpoint()` [Fig. 7, lines 2 to 7], with the code before the answer [line 4].
    pub fn yieldpoint(
        &self,
        t: &mut ThreadBuilder<'_>,
        m: &Mutator,
        before_answer: impl FnOnce(&mut ThreadBuilder<'_>),
    ) {
        let hs_req = self.hs_req[m.number];
        t.load(m.poll, hs_req);
        t.when(m.poll.equals(TRUE), |t| {
            before_answer(t);
            t.store(hs_req, FALSE);
        });
    }
}

/// A handshake in which the mutator answers without a fence, at a fence place.
pub(super) fn unfenced(
    handshake: &Handshake,
    t: &mut ThreadBuilder<'_>,
    m: &Mutator,
    parts: &Parts,
) {
    handshake.yieldpoint(t, m, |t| parts.place(t, "yieldpoint-fence"));
}

/// The fences with which a mutator may answer.
const KINDS: [(Fence, &str); Fence::ALL.len()] = [
    (Fence::Full, "yieldpoint-fence:full"),
    (Fence::Acquire, "yieldpoint-fence:acquire"),
    (Fence::Release, "yieldpoint-fence:release"),
];

/// A handshake in which the mutator answers after a fence of this kind.
pub(super) fn fenced(
    handshake: &Handshake,
    t: &mut ThreadBuilder<'_>,
    m: &Mutator,
    parts: &Parts,
    fence: Fence,
) {
    handshake.yieldpoint(t, m, |t| {
        parts.fence_of_kind(t, "yieldpoint-fence", KINDS, fence);
    });
}
