//! Explicit fair transition systems: read from JSON lines, and their properties decided.
//!
//! One system a line: `name`, distinct in a file; `states`, a number, of states 0 to `states` − 1; `initial`, a list that is
//! not empty; `labels`, an object from names to lists of states; `steps`, a list of `[from, "rule", to]`; `fairness`, a list
//! of `name`, `kind` (`weak` or `strong`) and `rules`; `properties`, a list that is not empty of `name`, `kind` and what the
//! kind needs ([`PropertyKind`]). A repetition means nothing.
//!
//! For a set A of rules, ⟨A⟩ is the set of pairs of different states that a step by a rule of A joins, so that going from a
//! state to another is a step of all the rules that join them. Stuttering is allowed everywhere.

mod decide;
mod json;
mod line;
mod read;
mod system;

pub use decide::{Decided, decide};
pub use line::{LONGEST_LINE, Lines};
pub use read::{GraphError, read};
pub use system::{Condition, Property, PropertyKind, System};
