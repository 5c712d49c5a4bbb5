//! Views: systems in the place of others, of which the states say more, or stand for many.

pub mod auxiliary;
pub(crate) mod consistency;
pub mod crowd;
pub mod inclusion;
pub(crate) mod symmetry;
