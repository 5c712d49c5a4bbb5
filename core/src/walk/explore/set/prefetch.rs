//! A hint to the processor that an address will be read soon.

/// Asks for the cache line at which `place` begins.
///
/// PERF: probes of a large table miss the cache nearly always; asked for ahead, the misses of a batch
/// overlap.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program can observe, writes nothing and never
        // faults, whatever the address; this one is that of a live reference besides. SSE, which it
        // belongs to, is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
