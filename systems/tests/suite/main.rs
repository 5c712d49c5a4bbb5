//! The tests of the models, counts, lemmas, packings and second formulations, and of the collectors on real threads.

mod ben_ari_agrees_with_itself;
mod cases;
mod lemmas;
mod litmus;
mod native;
mod packing;
mod recorded_graph;
mod support;
mod tso;
mod yrc_module;
