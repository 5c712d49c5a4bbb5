//! The scan of level 3, steps 2 and 3 of Fig. 14, as its invariants speak of it.

use refmap_systems::ben_ari::level_3::{Chi, State};

/// Step 2 of Fig. 14: nodes are being scanned.
pub(super) fn scanning(s: &State) -> bool {
    matches!(s.chi, Chi::TestI | Chi::TestColour | Chi::ColourSons)
}

/// Step 3 of Fig. 14 up to the comparison: black nodes are being counted.
pub(super) fn counting(s: &State) -> bool {
    matches!(s.chi, Chi::TestH | Chi::Count)
}

/// Nothing was coloured since the last count, as far as the counters can tell.
pub(super) fn nothing_coloured(s: &State) -> bool {
    let nodes = s.shared.m.shape.nodes;
    match s.chi {
        Chi::TestI | Chi::TestColour | Chi::ColourSons => s.obc == s.shared.c.blacks_below(nodes),
        _ => s.obc == s.bc + s.shared.c.blacks_from(s.h),
    }
}

/// The cells (n, i) that are black-to-white, behind the scan (true) or still ahead of it (false).
pub(super) fn bw_cells(s: &State, behind: bool) -> impl Iterator<Item = (u8, u8)> {
    let next = (s.i, if s.chi == Chi::ColourSons { s.j } else { 0 });
    let (m, c) = (s.shared.m, s.shared.c);
    m.shape
        .cells()
        .filter(move |cell| (*cell < next) == behind)
        .filter(move |&(n, i)| c.bw(&m, n, i))
}
