//! Exchanges of identities, by their numbers: what a test of a symmetry tries.

use super::asymmetry::Asymmetry;
use super::exchange::Exchange;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};

/// Exchanges of the identities of a system.
pub(super) trait Exchanges<S: TransitionSystem> {
    /// The state after the exchange of a number.
    fn exchange(&self, system: &S, by: usize, state: &StateOf<S>) -> StateOf<S>;
    /// The action of a step `from` … `to` after it.
    fn exchange_action(
        &self,
        system: &S,
        by: usize,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> ActionOf<S>;
}

/// Exchanges by which states are identified. The first of them is said to exchange nothing.
pub(super) trait Identifies<S: TransitionSystem>: Exchanges<S> {
    /// Number of exchanges that are tried.
    fn count(&self) -> usize;
    /// Description of one.
    fn told(&self, by: usize) -> Exchange;
    /// The state that stands for `state`.
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S>;
    /// Fault of a state that has not the members that are exchanged, if it has one.
    fn other_members(&self, _system: &S, _state: &StateOf<S>) -> Option<Asymmetry> {
        None
    }
    /// True if an exchange makes `other` of `state`.
    fn is_member(&self, system: &S, state: &StateOf<S>, other: &StateOf<S>) -> bool;
}

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
