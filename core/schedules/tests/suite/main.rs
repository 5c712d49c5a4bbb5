//! Explorations under each scheduler.

mod shuttle;
