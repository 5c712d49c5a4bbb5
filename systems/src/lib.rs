//! The models, one folder a family, and under [`native`] the implementations on real threads. A system
//! does not know what it implements, nor who implements it: that is what the refinements say.

pub mod ben_ari;
pub mod copying;
pub mod dekker;
pub mod heap;
pub mod litmus;
pub mod native;
pub mod tso;
pub mod yrc;
