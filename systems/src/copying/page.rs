//! Collectors that protect pages: Compressor and Pauseless [Ugawa et al., section 4.5]. The
//! protection of a page is a shared flag, which a mutator reads before it uses the page.
//!
//! Deviations. D1: the test of the flag and the use of the page are two steps, where the hardware makes them one;
//! the branch between them orders them, and the flag is set only while mutators are stopped. D2:
//! Compressor's trap handler copies the page, unless the collector or another mutator has claimed
//! it by a CAS; so the row uses one, as the paper's table says, while its text leaves open
//! how pages are claimed. D3: in Pauseless no mutator traps as long as yieldpoints order
//! accesses, since the only root is replaced at the stop; the barrier is stated nevertheless.

use refmap_programs::{Fence, Location, ProgramBuilder, Register, ThreadBuilder};

use super::framework::{
    Copying, FALSE, FROM_OBJECT, Heap, Mutator, Parts, TO_OBJECT, TRUE, is_from,
};
use super::safepoint::Safepoint;

/// No access traps.
const UNPROTECTED: i64 = 0;
/// Every access traps.
const PROTECTED: i64 = 1;
/// Every access traps, and a thread is copying the page.
const CLAIMED: i64 = 2;

/// Compressor: at a stop the roots are redirected to protected pages of the to-space, which are then filled one by
/// one, by the collector or in a trap handler.
pub(super) struct Compressor<'a> {
    heap: Heap,
    /// The page of the to-space object.
    page: Location,
    safepoint: Safepoint,
    parts: &'a Parts,
}

impl<'a> Compressor<'a> {
    pub fn new(p: &mut ProgramBuilder, heap: Heap, safepoint: Safepoint, parts: &'a Parts) -> Self {
        Self {
            heap,
            page: p.location("page", PROTECTED),
            safepoint,
            parts,
        }
    }

    /// Claims the page by a CAS, and copies it on success.
    fn fill(&self, t: &mut ThreadBuilder<'_>, success: Register, x: Register) {
        t.cas(success, self.page, PROTECTED, CLAIMED);
        t.when(success.equals(TRUE), |t| {
            t.load(x, self.heap.from_data);
            t.store(self.heap.to_data, x);
            self.parts.fence(t, "fence-before-unprotect", Fence::Full);
            t.store(self.page, UNPROTECTED);
        });
    }

    /// The trap of a mutator before it uses the to-space object.
    fn check(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        t.load(m.l_fwd, self.page);
        t.when(m.l_fwd.differs(UNPROTECTED), |t| {
            self.fill(t, m.success, m.x);
            t.repeat_until(m.l_fwd.equals(UNPROTECTED), |t| {
                t.load(m.l_fwd, self.page);
            });
        });
    }
}

impl Copying for Compressor<'_> {
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let (x, poll, success) = (t.register("x"), t.register("poll"), t.register("success"));
        self.safepoint.stopped(t, poll, |t| {
            t.store(self.heap.root, TO_OBJECT);
        });
        self.fill(t, success, x);
    }

    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        t.if_else(
            is_from(m),
            |t| m.read_from(t, self.heap.from_data, FROM_OBJECT),
            |t| {
                self.check(t, m);
                m.read_from(t, self.heap.to_data, TO_OBJECT);
            },
        );
    }

    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        t.if_else(
            is_from(m),
            |t| m.write_to(t, self.heap.from_data, FROM_OBJECT, value),
            |t| {
                self.check(t, m);
                m.write_to(t, self.heap.to_data, TO_OBJECT, value);
            },
        );
    }

    fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.yieldpoint(t, m, self.parts);
    }

    fn end(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.end(t, m, self.parts);
    }
}

/// Pauseless: the objects that roots refer to are copied at a stop, as in Baker's collector; an evacuated page
/// is protected, and a loaded reference to it is replaced by one to the copy.
pub(super) struct Pauseless<'a> {
    heap: Heap,
    /// Whether the page of the from-space object is protected.
    protected: Location,
    safepoint: Safepoint,
    parts: &'a Parts,
}

impl<'a> Pauseless<'a> {
    pub fn new(p: &mut ProgramBuilder, heap: Heap, safepoint: Safepoint, parts: &'a Parts) -> Self {
        Self {
            heap,
            protected: p.location("protected", FALSE),
            safepoint,
            parts,
        }
    }

    /// The barrier on a loaded reference: one to a protected page is replaced by one to the copy.
    fn check(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        t.when(is_from(m), |t| {
            t.load(m.l_fwd, self.protected);
            t.when(m.l_fwd.equals(TRUE), |t| t.load(m.obj, self.heap.from_fwd));
        });
    }
}

impl Copying for Pauseless<'_> {
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let (x, poll) = (t.register("x"), t.register("poll"));
        self.safepoint.stopped(t, poll, |t| {
            t.store(self.protected, TRUE);
            t.load(x, self.heap.from_data);
            t.store(self.heap.to_data, x);
            t.store(self.heap.from_fwd, TO_OBJECT);
            t.store(self.heap.root, TO_OBJECT);
        });
    }

    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.check(t, m);
        self.heap.read(t, m);
    }

    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        self.check(t, m);
        self.heap.write(t, m, value);
    }

    fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.yieldpoint(t, m, self.parts);
    }

    fn end(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.end(t, m, self.parts);
    }
}
