//! Liveness under fairness, decided on a graph of states, each with all its steps.
//!
//! A *behaviour* is an infinite sequence of states of which each pair is a step or a stutter. For a set A of rules, ⟨A⟩
//! is the set of pairs of different states that a step of one of the rules joins. Weak fairness of A: infinitely often
//! ⟨A⟩ is not enabled, or infinitely often it is taken. Strong fairness: if ⟨A⟩ is enabled infinitely often, it is taken
//! infinitely often. A property is violated by a *lasso*: a stem from an initial state, and a loop in which the behaviour
//! stays for ever and which meets every condition. A loop of no steps is a stutter.
//!
//! [`violation`] looks for components, strongly connected and fair, of the part of the graph in which a [`Question`]
//! allows a behaviour to stay (`components`), and makes the shortest stem and a short loop of them (`lasso`). What it
//! finds is judged by [`judge`](judge()), which reads the lasso alone and knows nothing of components.
//!
//! Source: Lamport, *The Temporal Logic of Actions*, section 5.3 (fairness); Emerson & Lei, *Modalities for Model Checking*
//! (components, and strong conditions by taking states out); Pearce, *A Space-Efficient Algorithm for Finding Strongly
//! Connected Components*.

mod components;
mod conditions;
mod judge;
mod lasso;
mod question;

pub use crate::statement::fairness::Strength;
pub use conditions::Conditions;
pub use judge::{Facts, Fault, Met, Word, judge};
pub use lasso::{Lasso, is_violated, violation};
pub use question::{Claim, LeftOut, Question};
