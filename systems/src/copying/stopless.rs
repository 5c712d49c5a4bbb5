//! Stopless [Ugawa et al., section 4.1, Algorithm 1; the model in Figs. 3 to 5].
//!
//! The object is copied via a wide version, each slot of which records where its value is.
//!
//! Deviations. D1: a slot and its status are packed with three bits for the slot, the paper has
//! two, so that longer scenarios have enough values. D2: the collector has more fence places than the
//! three that the paper tried, one between any two consecutive accesses. The mutators have none,
//! since each would cost at every access: fences of the collector suffice.

use refmap_programs::{
    Expression, Location, Operator, Presence, ProgramBuilder, Register, ThreadBuilder,
};

use super::framework::{
    Copying, FALSE, FROM_OBJECT, Heap, Mutator, Parts, TO_OBJECT, TRUE, WIDE_OBJECT, draw_object,
    is_from,
};
use super::instance::UNINITIALISED;

/// The value is in the original [Fig. 3, line 13].
const IN_ORIGINAL: i64 = 0;
/// The value is in the wide version [Fig. 3, line 14].
const IN_WIDE: i64 = 1;
/// The value is in the copy [Fig. 3, line 15].
const IN_COPY: i64 = 2;
/// See deviation D1.
const BITS: i64 = 3;

/// `WIDE(v, s)` [Fig. 4, line 1].
fn wide(value: impl Into<Expression>, status: i64) -> Expression {
    Expression::of(Operator::Or, value, status << BITS)
}

/// `WIDE_VALUE(x)` [Fig. 4, line 2].
fn wide_value(x: Register) -> Expression {
    x & ((1 << BITS) - 1)
}

/// `WIDE_STATUS(x)` [Fig. 4, line 3].
fn wide_status(x: Register) -> Expression {
    x >> BITS
}

/// The fences of the paper that are present.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fences {
    /// None: Stopless as published.
    AsPublished,
    /// The three: Stopless for RMO.
    ForRmo,
}

pub(super) struct Stopless<'a> {
    heap: Heap,
    wide_fwd: Location,
    wide_data: Location,
    fences: Fences,
    parts: &'a Parts,
}

impl<'a> Stopless<'a> {
    /// The heap of [Fig. 3].
    pub fn new(p: &mut ProgramBuilder, heap: Heap, fences: Fences, parts: &'a Parts) -> Self {
        let wide_fwd = p.location("wide_fwd", FROM_OBJECT);
        let wide_data = p.location("wide_data", UNINITIALISED);
        draw_object(p, "wide", WIDE_OBJECT, wide_fwd, wide_data);
        Self {
            heap,
            wide_fwd,
            wide_data,
            fences,
            parts,
        }
    }

    /// A fence that the paper adds [Fig. 4, lines 14, 21 and 26].
    fn fence(&self, t: &mut ThreadBuilder<'_>, name: &'static str) {
        let presence = match self.fences {
            Fences::AsPublished => Presence::Absent,
            Fences::ForRmo => Presence::Present,
        };
        let presence = self.parts.presence(name, presence);
        t.fence_at(name, refmap_programs::Fence::Full, presence);
    }
}

impl Copying for Stopless<'_> {
    /// [Algorithm 1, `copy`; Fig. 4].
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let Heap {
            root,
            from_fwd,
            from_data,
            to_fwd,
            to_data,
        } = self.heap;
        let (x, y, success) = (t.register("x"), t.register("y"), t.register("success"));
        t.cas_unchecked(from_fwd, FROM_OBJECT, WIDE_OBJECT); // line 7
        self.parts.place(t, "fence-after-wide-install");
        t.load(x, self.wide_data); // lines 9 to 11
        self.parts.place(t, "fence-between-reads");
        t.load(y, from_data);
        self.parts.place(t, "fence-before-fill");
        t.cas_unchecked(
            self.wide_data, // line 12
            wide(wide_value(x), IN_ORIGINAL),
            wide(y, IN_WIDE),
        );
        self.parts.place(t, "fence-after-fill");
        t.store(self.wide_fwd, TO_OBJECT); // line 13
        self.fence(t, "fence-after-wide-forward"); // line 14
        t.store(to_fwd, TO_OBJECT); // line 15
        self.parts.place(t, "fence-after-to-forward");
        t.repeat_until(success.equals(TRUE), |t| {
            t.load(x, self.wide_data); // lines 18 to 20
            self.parts.place(t, "fence-before-copy");
            t.store(to_data, wide_value(x));
            self.fence(t, "fence-after-copy"); // line 21
            let copied = wide(wide_value(x), IN_COPY);
            let change = (x.into(), copied);
            self.parts
                .cas(t, "status-cas", success, self.wide_data, change); // line 22
        });
        self.parts.place(t, "fence-after-status");
        t.store(from_fwd, TO_OBJECT); // line 25
        self.fence(t, "fence-before-flip"); // line 26
        t.load(x, from_fwd); // line 27: flip
        self.parts.place(t, "fence-in-flip");
        t.store(root, x);
    }

    /// [Algorithm 1, `read`; Fig. 5, lines 1 to 24].
    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        let Heap {
            from_fwd,
            from_data,
            to_fwd,
            to_data,
            ..
        } = self.heap;
        let from_original = |t: &mut ThreadBuilder<'_>| m.read_from(t, from_data, FROM_OBJECT);
        let from_copy = |t: &mut ThreadBuilder<'_>| m.read_from(t, to_data, TO_OBJECT);
        t.if_else(
            is_from(m),
            |t| {
                t.load(m.l_fwd, from_fwd);
                t.if_else(m.l_fwd.equals(FROM_OBJECT), from_original, |t| {
                    t.if_else(
                        m.l_fwd.equals(WIDE_OBJECT),
                        |t| {
                            t.load(m.x, self.wide_data);
                            let status = || wide_status(m.x);
                            t.if_else(status().equals(IN_ORIGINAL), from_original, |t| {
                                t.if_else(
                                    status().equals(IN_WIDE),
                                    |t| {
                                        t.assign(m.readval, wide_value(m.x));
                                        t.assign(m.served, WIDE_OBJECT);
                                    },
                                    |t| {
                                        m.assert_eq(t, self.wide_fwd, TO_OBJECT); // line 15
                                        from_copy(t);
                                    },
                                );
                            });
                        },
                        from_copy,
                    );
                });
            },
            |t| {
                m.assert_eq(t, to_fwd, TO_OBJECT); // line 21
                from_copy(t);
            },
        );
    }

    /// [Algorithm 1, `write`; Fig. 5, lines 25 to 48]. The test before the CAS is left out, as there.
    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        let Heap {
            from_fwd,
            to_fwd,
            to_data,
            ..
        } = self.heap;
        let to_copy = |t: &mut ThreadBuilder<'_>| m.write_to(t, to_data, TO_OBJECT, value);
        t.if_else(
            is_from(m),
            |t| {
                t.cas_unchecked(from_fwd, FROM_OBJECT, WIDE_OBJECT); // line 28
                t.load(m.l_fwd, from_fwd);
                t.if_else(
                    m.l_fwd.equals(WIDE_OBJECT),
                    |t| {
                        t.assign(m.success, FALSE);
                        t.repeat_until(m.success.equals(TRUE), |t| {
                            t.load(m.x, self.wide_data); // line 33
                            t.if_else(
                                wide_status(m.x).equals(IN_COPY),
                                |t| {
                                    m.assert_eq(t, self.wide_fwd, TO_OBJECT); // line 35
                                    to_copy(t);
                                    t.assign(m.success, TRUE);
                                },
                                |t| {
                                    t.cas(m.success, self.wide_data, m.x, wide(value, IN_WIDE));
                                    t.assign(m.served, WIDE_OBJECT);
                                },
                            );
                        });
                    },
                    to_copy, // line 43
                );
            },
            |t| {
                m.assert_eq(t, to_fwd, TO_OBJECT); // line 45
                to_copy(t);
            },
        );
    }
}
