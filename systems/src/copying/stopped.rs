//! Collectors that copy, at least in part, while mutators are stopped: Baker's and Replication
//! [Ugawa et al., section 4.5].

use refmap_programs::{Location, ProgramBuilder, ThreadBuilder};

use super::framework::{
    Copying, FALSE, FROM_OBJECT, Heap, Mutator, Parts, TO_OBJECT, TRUE, is_from,
};
use super::safepoint::Safepoint;

/// Baker's collector: copies all objects that roots refer to at a stop, here the only object
/// [section 4.5, "Baker"].
pub(super) struct Baker<'a> {
    pub heap: Heap,
    pub safepoint: Safepoint,
    pub parts: &'a Parts,
}

impl Copying for Baker<'_> {
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let (x, poll) = (t.register("x"), t.register("poll"));
        self.safepoint.stopped(t, poll, |t| {
            t.load(x, self.heap.from_data);
            t.store(self.heap.to_data, x);
            t.store(self.heap.root, TO_OBJECT);
        });
    }

    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.heap.read(t, m);
    }

    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        self.heap.write(t, m, value);
    }

    fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.yieldpoint(t, m, self.parts);
    }

    fn end(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.end(t, m, self.parts);
    }
}

/// Replication: mutators use the from-space during the copy, and log their writes;
/// at a stop the collector copies the logged slots again [section 4.5, "Replication GC"].
pub(super) struct Replication<'a> {
    heap: Heap,
    /// Whether the slot is in the mutation log.
    log: Location,
    safepoint: Safepoint,
    parts: &'a Parts,
}

impl<'a> Replication<'a> {
    pub fn new(p: &mut ProgramBuilder, heap: Heap, safepoint: Safepoint, parts: &'a Parts) -> Self {
        Self {
            heap,
            log: p.location("log", FALSE),
            safepoint,
            parts,
        }
    }
}

impl Copying for Replication<'_> {
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let Heap {
            root,
            from_data,
            to_data,
            ..
        } = self.heap;
        let (x, poll) = (t.register("x"), t.register("poll"));
        t.load(x, from_data);
        t.store(to_data, x);
        self.safepoint.stopped(t, poll, |t| {
            t.load(x, self.log);
            t.when(x.equals(TRUE), |t| {
                t.load(x, from_data);
                t.store(to_data, x);
            });
            t.store(root, TO_OBJECT);
        });
    }

    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.heap.read(t, m);
    }

    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        t.if_else(
            is_from(m),
            |t| {
                m.write_to(t, self.heap.from_data, FROM_OBJECT, value);
                if self.parts.has("log") {
                    t.store(self.log, TRUE);
                }
            },
            |t| m.write_to(t, self.heap.to_data, TO_OBJECT, value),
        );
    }

    fn yieldpoint(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.yieldpoint(t, m, self.parts);
    }

    fn end(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.safepoint.end(t, m, self.parts);
    }
}
