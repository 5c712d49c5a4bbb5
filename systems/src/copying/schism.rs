//! Schism [Ugawa et al., section 4.5, "Schism"].
//!
//! An object is a spine that refers to the fragments of its payload. Only spines are copied, and
//! they are immutable, so no write to a fragment is lost.
//!
//! Deviations. D1: the root also models the sentinel, which identifies the current spine.
//! D2: the copied spine is published after a fence (`publication-fence`), which the paper does not
//! mention; without it a mutator may read the spine before it is initialised.

use refmap_programs::{Fence, Location, ProgramBuilder, ThreadBuilder, Value};

use super::framework::{Copying, FROM_OBJECT, Mutator, Parts, ROOT, TO_OBJECT, is_from};
use super::instance::{INITIAL_VALUE, UNINITIALISED};

pub(super) struct Schism<'a> {
    pub root: Location,
    from_spine: Location,
    to_spine: Location,
    parts: &'a Parts,
}

impl<'a> Schism<'a> {
    pub fn new(p: &mut ProgramBuilder, parts: &'a Parts) -> Self {
        let fragment = p.location("fragment", INITIAL_VALUE);
        let root = p.location(ROOT, FROM_OBJECT);
        let from_spine = p.location("from_spine", Value::Address(fragment));
        let to_spine = p.location("to_spine", UNINITIALISED);
        p.draw_object(ROOT, None, &[("", root, true)]);
        p.draw_object("from", Some(FROM_OBJECT), &[("spine", from_spine, true)]);
        p.draw_object("to", Some(TO_OBJECT), &[("spine", to_spine, true)]);
        p.draw_object("fragment", None, &[("data", fragment, false)]);
        Self {
            root,
            from_spine,
            to_spine,
            parts,
        }
    }

    /// Reads the current spine, which refers to the fragment.
    fn spine(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        t.if_else(
            is_from(m),
            |t| {
                t.load(m.x, self.from_spine);
                t.assign(m.served, FROM_OBJECT);
            },
            |t| {
                t.load(m.x, self.to_spine);
                t.assign(m.served, TO_OBJECT);
            },
        );
    }
}

impl Copying for Schism<'_> {
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let x = t.register("x");
        t.load(x, self.from_spine);
        t.store(self.to_spine, x);
        self.parts.fence(t, "publication-fence", Fence::Full);
        t.store(self.root, TO_OBJECT);
    }

    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.spine(t, m);
        t.load(m.readval, m.x);
    }

    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        self.spine(t, m);
        t.store(m.x, value);
    }
}
