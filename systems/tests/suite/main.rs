//! The tests of the models: counts, lemmas, packings, and second formulations.

mod ben_ari_agrees_with_itself;
mod cases;
mod lemmas;
mod litmus;
mod packing;
mod support;
mod tso;
mod yrc_module;
