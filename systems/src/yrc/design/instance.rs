//! Instance of the design.

use super::variants::Variant;

/// The design for an instance.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// Number of objects.
    pub objects: u8,
    /// Number of fields of an object.
    pub fields: u8,
    /// Number of mutator threads.
    pub mutators: u8,
    /// Capacity of each queue of a stripe.
    pub queue: u8,
    /// Number of stripes; a thread uses the one of its number modulo this.
    pub stripes: u8,
    /// The variant of the design.
    pub variant: Variant,
}
