//! Chicken and Staccato [Ugawa et al., section 4.2, Algorithms 2 and 3, Fig. 7].
//!
//! The collector copies the object optimistically: a mutator that writes to the object in the
//! meantime (in Staccato also one that reads it) clears the flag `COPYING`, and the copy is
//! discarded.
//!
//! Deviations. D1: a mutator whose root refers to the to-space object asserts that this has its
//! forwarding pointer, as the model of Stopless does [Fig. 5, lines 21 and 45]. D2: Staccato's
//! collector continues only if its CAS that sets `COPYING` succeeded, which Algorithm 2 and the text
//! leave open; it always succeeds, but the branch on its result orders later accesses behind it
//! (`copying-cas-result`). D3: the flip reads the forwarding pointer, as in Stopless [Fig. 4, line 27],
//! so it has no effect if the copy was discarded. D4: the write barrier may end with a fence,
//! the fix that the paper considers first and rejects as too expensive [section 4.2.3].

use refmap_programs::{Expression, Fence, Operator, Register, ThreadBuilder};

use super::framework::{Copying, FROM_OBJECT, Heap, Mutator, Parts, TO_OBJECT, TRUE, is_from};
use super::handshake::{self, Handshake};

/// The spare bit of the forwarding pointer.
const COPYING: i64 = 1;

/// `o.forward & COPYING`.
fn is_copying(forward: Register) -> Expression {
    forward & COPYING
}

/// `o.forward & ~COPYING`.
fn without_copying(forward: Register) -> Expression {
    Expression::of(Operator::And, forward, !COPYING)
}

/// Chicken, or Staccato.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Chicken,
    /// With the fence of its yieldpoint [Fig. 7, line 4].
    Staccato(Fence),
}

pub(super) struct Chicken<'a> {
    pub heap: Heap,
    pub handshake: Handshake,
    pub kind: Kind,
    pub parts: &'a Parts,
}

impl Chicken<'_> {
    /// Uses the copy of a root that refers to it (deviation D1).
    fn access_copy(
        &self,
        t: &mut ThreadBuilder<'_>,
        m: &Mutator,
        access: impl FnOnce(&mut ThreadBuilder<'_>),
    ) {
        m.assert_eq(t, self.heap.to_fwd, TO_OBJECT);
        access(t);
    }

    /// `access(o)` [Algorithm 3]: leaves the copy to be used in `l_fwd`. Reads of one location are
    /// ordered under every model, so the last one needs no fence.
    fn access(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        let from_fwd = self.heap.from_fwd;
        t.load(m.l_fwd, from_fwd);
        t.when(is_copying(m.l_fwd), |t| {
            t.cas(m.success, from_fwd, m.l_fwd, FROM_OBJECT);
            t.if_else(
                m.success,
                |t| t.assign(m.l_fwd, FROM_OBJECT),
                |t| t.load(m.l_fwd, from_fwd),
            );
        });
    }

    /// `write(o, f, v)` of Chicken [Algorithm 2], up to the choice of the copy, left in `l_fwd`.
    fn abort_copying(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        let from_fwd = self.heap.from_fwd;
        t.load(m.l_fwd, from_fwd);
        t.when(is_copying(m.l_fwd), |t| {
            t.cas_unchecked(from_fwd, FROM_OBJECT | COPYING, FROM_OBJECT);
        });
        t.load(m.l_fwd, from_fwd);
    }

    /// Uses the copy that `l_fwd` names.
    fn dispatch(
        &self,
        t: &mut ThreadBuilder<'_>,
        m: &Mutator,
        original: impl FnOnce(&mut ThreadBuilder<'_>),
        copy: impl FnOnce(&mut ThreadBuilder<'_>),
    ) {
        t.if_else(without_copying(m.l_fwd).equals(FROM_OBJECT), original, copy);
    }
}

impl Copying for Chicken<'_> {
    /// [Algorithm 2, `copy`], the lines marked # in Staccato.
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let Heap {
            root,
            from_fwd,
            from_data,
            to_fwd,
            to_data,
        } = self.heap;
        let (x, poll, success) = (t.register("x"), t.register("poll"), t.register("success"));
        // The steps after the preparation.
        let rest = |t: &mut ThreadBuilder<'_>| {
            self.handshake.soft_handshake(t, poll);
            if let Kind::Staccato(_) = self.kind {
                self.parts.fence(t, "read-sync", Fence::Acquire);
            }
            t.load(x, from_data);
            t.store(to_data, x);
            t.store(to_fwd, TO_OBJECT);
            match self.kind {
                Kind::Chicken => self.parts.place(t, "fence-after-forward"),
                Kind::Staccato(_) => {
                    self.parts.fence(t, "write-sync", Fence::Release);
                    self.handshake.soft_handshake(t, poll);
                }
            }
            match self.parts.has("commit-cas") {
                true => t.cas_unchecked(from_fwd, FROM_OBJECT | COPYING, TO_OBJECT),
                false => t.store(from_fwd, TO_OBJECT),
            }
            t.load(x, from_fwd); // deviation D3
            t.store(root, x);
        };
        match self.kind {
            Kind::Chicken => {
                t.store(from_fwd, FROM_OBJECT | COPYING);
                self.parts.place(t, "fence-before-handshake");
                rest(t);
            }
            Kind::Staccato(_) => {
                t.cas(success, from_fwd, FROM_OBJECT, FROM_OBJECT | COPYING);
                match self.parts.has("copying-cas-result") {
                    true => t.when(success.equals(TRUE), rest), // deviation D2
                    false => rest(t),
                }
            }
        }
    }

    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        let Heap {
            from_fwd,
            from_data,
            to_data,
            ..
        } = self.heap;
        let original = |t: &mut ThreadBuilder<'_>| m.read_from(t, from_data, FROM_OBJECT);
        let copy = |t: &mut ThreadBuilder<'_>| m.read_from(t, to_data, TO_OBJECT);
        t.if_else(
            is_from(m),
            |t| {
                match self.kind {
                    Kind::Chicken => t.load(m.l_fwd, from_fwd),
                    Kind::Staccato(_) => self.access(t, m),
                }
                self.dispatch(t, m, original, copy);
            },
            |t| self.access_copy(t, m, copy),
        );
    }

    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        let Heap {
            from_data, to_data, ..
        } = self.heap;
        let original = |t: &mut ThreadBuilder<'_>| m.write_to(t, from_data, FROM_OBJECT, value);
        let copy = |t: &mut ThreadBuilder<'_>| m.write_to(t, to_data, TO_OBJECT, value);
        t.if_else(
            is_from(m),
            |t| {
                match self.kind {
                    Kind::Chicken => self.abort_copying(t, m),
                    Kind::Staccato(_) => self.access(t, m),
                }
                self.dispatch(t, m, original, copy);
            },
            |t| self.access_copy(t, m, copy),
        );
        self.parts.place(t, "write-barrier-fence");
    }

    fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        match self.kind {
            Kind::Chicken => handshake::unfenced(&self.handshake, t, m, self.parts),
            Kind::Staccato(fence) => {
                handshake::fenced(&self.handshake, t, m, self.parts, fence);
            }
        }
    }

    fn idle(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.yieldpoint(t, m);
    }
}
