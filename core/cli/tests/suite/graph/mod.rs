//! Tests of explicit graphs: what is decided, and what is refused.

mod false_greens;
mod random;
mod refused;
