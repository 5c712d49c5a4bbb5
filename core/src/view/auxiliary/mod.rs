//! Auxiliary variables: systems with a variable that is there for the sake of a proof alone.
//!
//! | variable | says | side conditions |
//! |---|---|---|
//! | history ([`WithHistory`]) | what has happened | none |
//! | stuttering ([`WithStuttering`]) | at which steps the system changes nothing for a while | `auxiliary:terminates`, `auxiliary:enabled` |
//! | prophecy ([`WithProphecy`]) | what will happen | `auxiliary:initial`, `auxiliary:non-empty`, `auxiliary:backward-total` |
//!
//! A system with a variable is a *view* of the system without it, its *base*: a state of the view has
//! one of the base, and a step of the view takes one of the base, or stutters. If the side conditions hold, each behaviour of the
//! base is one of the view, with the variable added; so what is shown of the view is shown of the base. Views are systems, so that
//! one variable is added to another, and the side conditions of all of them are decided.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, sections 5.1 and 5.2; Lamport & Merz, *Auxiliary Variables
//! in TLA+*; Lamport & Merz, *Prophecy Made Simple*. Left out: predictions that are made with an infinite set of possible
//! values, and one variable for several systems.

mod history;
mod parts;
mod prophecy;
mod stuttering;
mod view;

pub use history::{History, Recording, Remembering, WithHistory};
pub use prophecy::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
pub use stuttering::{Pausing, Stutter, Stuttering, Stutters, When, WithStuttering, enabled};
pub(crate) use view::{Base, base_goes_on};
