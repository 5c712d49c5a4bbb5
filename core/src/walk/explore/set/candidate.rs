//! A candidate: a target of a step that is new, or may be.

/// A target that is new, or may be.
#[derive(Clone)]
pub(in crate::walk::explore) struct Candidate<K> {
    /// Form in which the state is kept.
    pub key: K,
    /// Hash by which the state is looked for.
    pub hash: u64,
}
