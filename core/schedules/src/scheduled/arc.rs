//! A reference count.

#[cfg(not(feature = "loom"))]
pub use std::sync::Arc;
#[cfg(feature = "loom")]
pub use std::sync::Arc;
