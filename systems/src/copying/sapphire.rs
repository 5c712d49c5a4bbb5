//! Sapphire [Ugawa et al., section 4.4, Algorithm 5], and its variant for the x86.
//!
//! The from-space object is always up to date: mutators read it, and write to both copies. The
//! collector repeats the copy until it equals the original, and after too many iterations uses LL
//! and SC.
//!
//! Deviations. D1: a full fence is between the lines marked $, in the mutator too, and one after
//! the last of the collector, without which the flip overtakes it; the paper is not explicit about the
//! latter. D2: the fence of the variant for the x86 is between the copy of a slot and the read that
//! checks it. The text puts it after that read, where it does not prevent the copy from being delayed
//! past the read: then the row fails under TSO, for which it is designed (`literal-fence`). D3: a mutator whose
//! root refers to the to-space object writes only there: the copy phase is over.

use refmap_programs::{Fence, Presence, Register, ThreadBuilder};

use super::framework::{Copying, FROM_OBJECT, Heap, Mutator, Parts, TO_OBJECT, is_from};

/// The part of Sapphire that copies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The loop.
    Iteration,
    /// The fallback after it.
    LlSc,
    /// The loop of the variant for the x86.
    X86,
}

pub(super) struct Sapphire<'a> {
    pub heap: Heap,
    pub part: Part,
    pub parts: &'a Parts,
}

impl Sapphire<'_> {
    /// Between two lines marked $ of the collector.
    fn in_order(&self, t: &mut ThreadBuilder<'_>, name: &'static str) {
        match self.part {
            Part::X86 => (),
            Part::Iteration | Part::LlSc => self.parts.fence_of(t, "collector-fences", name),
        }
    }

    fn copy_until_equal(&self, t: &mut ThreadBuilder<'_>, vn: Register, vo: Register) {
        let Heap {
            from_data, to_data, ..
        } = self.heap;
        t.repeat_until(vo.equals(vn), |t| {
            t.load(vn, from_data);
            self.in_order(t, "collector-fences:before-copy");
            t.store(to_data, vn);
            match self.part {
                Part::X86 => self.x86_fence(t, Presence::Present),
                Part::Iteration | Part::LlSc => self.in_order(t, "collector-fences:after-copy"),
            }
            t.load(vo, from_data);
            if self.part == Part::X86 {
                self.x86_fence(t, Presence::Absent);
            }
        });
    }

    /// The one fence of the variant for the x86: in its place, or where the text has it (deviation D2).
    fn x86_fence(&self, t: &mut ThreadBuilder<'_>, in_its_place: Presence) {
        let literal = self.parts.presence("literal-fence", Presence::Absent);
        let check = self.parts.presence("check-fence", Presence::Present);
        let (name, presence) = match (in_its_place, literal) {
            (Presence::Present, Presence::Absent) => ("check-fence", check),
            (Presence::Present, Presence::Present) => ("check-fence", Presence::Absent),
            (Presence::Absent, literal) => ("literal-fence", literal),
        };
        t.fence_at(name, Fence::Full, presence);
    }
}

impl Copying for Sapphire<'_> {
    /// [Algorithm 5, `copy`].
    fn collector(&self, t: &mut ThreadBuilder<'_>) {
        let Heap {
            root,
            from_data,
            to_data,
            ..
        } = self.heap;
        let (vn, vo) = (t.register("vn"), t.register("vo"));
        match self.part {
            Part::Iteration | Part::X86 => self.copy_until_equal(t, vn, vo),
            Part::LlSc => {
                t.load_linked(vo, to_data);
                self.in_order(t, "collector-fences:after-ll");
                t.load(vn, from_data);
                self.in_order(t, "collector-fences:before-sc");
                t.store_conditional(vo, to_data, vn);
            }
        }
        match self.part {
            Part::X86 => self.parts.place(t, "fence-after-last"),
            Part::Iteration | Part::LlSc => self.parts.fence(t, "fence-after-last", Fence::Full),
        }
        t.store(root, TO_OBJECT);
    }

    /// [Algorithm 5, `read`]: no barrier.
    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        self.heap.read(t, m);
    }

    /// [Algorithm 5, `write`].
    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        let Heap {
            from_data, to_data, ..
        } = self.heap;
        t.if_else(
            is_from(m),
            |t| {
                m.write_to(t, from_data, FROM_OBJECT, value);
                match self.part {
                    Part::X86 => self.parts.place(t, "mutator-fence"),
                    Part::Iteration | Part::LlSc => {
                        self.parts.fence(t, "mutator-fence", Fence::Full);
                    }
                }
                t.store(to_data, value);
            },
            |t| m.write_to(t, to_data, TO_OBJECT, value), // deviation D3
        );
    }
}
