//! Symmetry: identities that can be exchanged in a model, and the checks that then look at one state of each class.

mod ben_ari;
mod tso;
