//! Explicit fair transition systems: read from JSON lines, and their properties decided.
//!
//! `refmap graph --help` has the format, and what each property says; [`FORMAT`] is that text.
//!
//! For a set A of rules, ⟨A⟩ is the set of pairs of different states that a step by a rule of A joins, so that going from a
//! state to another is a step of all the rules that join them. Stuttering is allowed everywhere.

mod decide;
mod json;
mod line;
mod read;
mod system;

pub use decide::{Decided, Decider, Undecided, Vacuous};
pub use line::{LONGEST_LINE, Lines};
pub use read::{GraphError, read};
pub use system::{Condition, Property, PropertyKind, System};

/// Description of the format, for people.
pub const FORMAT: &str = include_str!("format.txt");
