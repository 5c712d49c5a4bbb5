//! Tests of explicit graphs: what is decided, what is refused, and how it is told.

mod false_greens;
mod large;
mod random;
mod refused;
mod streamed;
