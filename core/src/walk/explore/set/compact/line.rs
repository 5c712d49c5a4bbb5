//! The slots of one cache line, narrow or wide.

/// The slots of one cache line, filled from the left; 0 is an empty slot.
pub(super) trait Line: Copy {
    const SLOTS: usize;
    const WIDTH: u32;
    const EMPTY: Self;
    fn get(&self, slot: usize) -> u64;
    fn contains(&self, value: u64) -> bool;
    fn is_full(&self) -> bool;
    /// Number of slots that are filled.
    fn filled(&self) -> usize;
    /// Fills an empty slot, the first one of its line.
    fn fill(&mut self, slot: usize, value: u64);
}

macro_rules! line {
    ($name:ident, $slot:ty, $slots:literal) => {
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        pub(super) struct $name([$slot; $slots]);

        impl Line for $name {
            const SLOTS: usize = $slots;
            const WIDTH: u32 = <$slot>::BITS;
            const EMPTY: Self = Self([0; $slots]);

            #[inline(always)]
            fn get(&self, slot: usize) -> u64 {
                u64::from(self.0[slot])
            }

            #[inline(always)]
            fn filled(&self) -> usize {
                self.0.partition_point(|slot| *slot != 0)
            }

            #[inline(always)]
            fn fill(&mut self, slot: usize, value: u64) {
                self.0[slot] = value as $slot;
            }

            /// PERF: all slots are compared and none is jumped over, which the compiler turns into
            /// comparisons of several slots at once.
            #[inline(always)]
            fn contains(&self, value: u64) -> bool {
                let value = value as $slot;
                self.0
                    .iter()
                    .fold(false, |found, slot| found | (*slot == value))
            }

            #[inline(always)]
            fn is_full(&self) -> bool {
                self.0[$slots - 1] != 0
            }
        }
    };
}

line!(Narrow, u32, 16);
line!(Wide, u64, 8);
