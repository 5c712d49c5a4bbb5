//! Clover [Ugawa et al., section 4.3, Algorithm 4, Fig. 8].
//!
//! A slot of the from-space object that holds α has been copied. A mutator that writes α waits
//! until the object has been copied.
//!
//! Deviations. D1: the collector of the fixed variants leaves the loop when it finds α, as in
//! Algorithm 4 (`continue`); as Fig. 8 is printed it would not terminate. D2: the to-space object
//! forwards to itself, so a value read there is not read a second time.

use refmap_programs::{Fence, Location, Presence, ProgramBuilder, ThreadBuilder};

use super::framework::{
    Copying, FALSE, FROM_OBJECT, Heap, Mutator, Parts, TO_OBJECT, TRUE, is_from,
};
use super::handshake::{self, Handshake};

/// The collector is copying [Fig. 8, line 1].
const COPY: i64 = 0;
/// It is not [Fig. 8, line 16].
const IDLE: i64 = 1;

/// Corrections of the collector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Corrections {
    /// None: Clover as published.
    AsPublished,
    /// It skips a slot that holds α.
    Fix,
    /// And it has a fence before it installs α.
    ForRmo,
}

pub(super) struct Clover<'a> {
    heap: Heap,
    phase: Location,
    handshake: Handshake,
    alpha: i64,
    corrections: Corrections,
    parts: &'a Parts,
}

impl<'a> Clover<'a> {
    pub fn new(
        p: &mut ProgramBuilder,
        heap: Heap,
        handshake: Handshake,
        alpha: i64,
        corrections: Corrections,
        parts: &'a Parts,
    ) -> Self {
        Self {
            heap,
            phase: p.location("phase", COPY),
            handshake,
            alpha,
            corrections,
            parts,
        }
    }

    /// `WaitUntilCopyingEnds()` [Fig. 8, lines 29 to 32].
    fn wait_until_copying_ends(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        t.load(m.x, self.phase);
        t.when(m.x.differs(IDLE), |t| {
            t.repeat_until(m.x.equals(IDLE), |t| {
                self.yieldpoint(t, m);
                t.load(m.x, self.phase);
            });
        });
    }

    /// The loop of `write` for the object whose slot is at `data`.
    fn write_at(
        &self,
        t: &mut ThreadBuilder<'_>,
        m: &Mutator,
        (data, object): (Location, i64),
        value: i64,
    ) {
        t.repeat_until(m.success.equals(TRUE), |t| {
            t.load(m.x, data);
            t.if_else(
                m.x.equals(self.alpha),
                |t| {
                    m.write_to(t, self.heap.to_data, TO_OBJECT, value);
                    t.assign(m.success, TRUE);
                },
                |t| {
                    t.cas(m.success, data, m.x, value);
                    t.assign(m.served, object);
                },
            );
        });
    }
}

impl Copying for Clover<'_> {
    /// [Algorithm 4, `copy`; Fig. 8, lines 2 to 18].
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let Heap {
            root,
            from_data,
            to_data,
            ..
        } = self.heap;
        let (value, poll) = (t.register("value"), t.register("poll"));
        let success = t.register("success");
        let copy = |t: &mut ThreadBuilder<'_>| {
            t.store(to_data, value); // line 9
            let fence = match self.corrections {
                Corrections::ForRmo => Presence::Present,
                Corrections::AsPublished | Corrections::Fix => Presence::Absent,
            };
            let fence = self.parts.presence("fence-before-alpha", fence);
            t.fence_at("fence-before-alpha", Fence::Full, fence); // line 10
            let change = (value.into(), self.alpha.into());
            self.parts.cas(t, "alpha-cas", success, from_data, change); // line 11
        };
        let checks_alpha = self.corrections >= Corrections::Fix && self.parts.has("alpha-check");
        t.repeat_until(success.equals(TRUE), |t| {
            t.load(value, from_data); // line 7
            match checks_alpha {
                // Line 8; deviation D1.
                true => t.if_else(value.differs(self.alpha), copy, |t| {
                    t.assign(success, TRUE);
                }),
                false => copy(t),
            }
        });
        t.store(root, TO_OBJECT); // line 15
        t.store(self.phase, IDLE); // line 16
        self.handshake.soft_handshake(t, poll); // line 17
    }

    /// [Algorithm 4, `read`].
    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        let Heap {
            from_data, to_data, ..
        } = self.heap;
        t.if_else(
            is_from(m),
            |t| {
                m.read_from(t, from_data, FROM_OBJECT);
                t.when(m.readval.equals(self.alpha), |t| {
                    m.read_from(t, to_data, TO_OBJECT);
                });
            },
            |t| m.read_from(t, to_data, TO_OBJECT),
        );
    }

    /// [Algorithm 4, `write`].
    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        let Heap {
            from_data, to_data, ..
        } = self.heap;
        if value == self.alpha {
            self.wait_until_copying_ends(t, m);
        }
        t.assign(m.success, FALSE);
        t.if_else(
            is_from(m),
            |t| self.write_at(t, m, (from_data, FROM_OBJECT), value),
            |t| self.write_at(t, m, (to_data, TO_OBJECT), value),
        );
    }

    /// [Fig. 8, lines 25 to 28].
    fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        handshake::unfenced(&self.handshake, t, m, self.parts);
    }

    fn idle(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.yieldpoint(t, m);
    }
}
