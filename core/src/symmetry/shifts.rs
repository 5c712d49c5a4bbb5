//! Shifts of counters that a test of a symmetry tries.

/// Steps by which counters are shifted where it is tested that this changes nothing: a value that matters by itself is small, or a bound.
const SHIFTS: [u64; 26] = [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    31,
    32,
    64,
    100,
    255,
    256,
    1000,
    0xffff,
    0x1_0000,
    1 << 40,
];

/// Shifts that are tried of these groups.
pub(super) fn shifts(groups: &[u8]) -> Vec<(u8, u64)> {
    let of_group = |group: &u8| SHIFTS.map(|by| (*group, by));
    groups.iter().flat_map(of_group).collect()
}
