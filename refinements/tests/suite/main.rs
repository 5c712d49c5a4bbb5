//! The tests of the refinements: what holds, and what is violated for which reason.

mod ben_ari;
mod copying;
mod induction;
mod mutants;
mod native;
mod properties;
mod published;
mod storage;
mod symmetry;
mod tso;
mod yrc;
mod yrc_second_formulation;
