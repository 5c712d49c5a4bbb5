//! The tests of the models, counts, lemmas and second formulations, and of the collectors on real threads.

mod ben_ari_agrees_with_itself;
mod lemmas;
mod litmus;
mod native;
mod recorded_graph;
mod support;
mod tso;
mod yrc_module;
