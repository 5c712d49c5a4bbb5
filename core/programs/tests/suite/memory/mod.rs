//! Memory models, each semantics against the other.

mod agreement;
mod fences;
mod generator;
