//! Protocols that keep caches coherent, for any number of clients, and what they are for.

pub mod coherence;
pub mod german;
pub mod mesi;

/// A datum, below [`DATA`].
pub type Data = u8;

/// Number of data: two tell a copy that is old.
pub const DATA: Data = 2;

/// Greatest number of caches.
pub const MAX_CACHES: usize = 12;
