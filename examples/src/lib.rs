//! Tutorials on refinement, numbered, the smallest first: the programs in the folder `examples` of
//! this crate. There is nothing in the library itself.
