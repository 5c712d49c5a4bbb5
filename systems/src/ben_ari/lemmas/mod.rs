//! Function lemmas: the properties of memories and colourings that the inductive steps of the invariants
//! use.
//!
//! Source: Havelund & Shankar, Appendix A.2.1 (three axioms about the memory) and B.1 (the seven
//! lemmas of the first refinement), here under the names they have there. Section 7 counts 57
//! function lemmas for the whole proof; the paper prints those seven and leaves out the others.
//!
//! There are 51 here: the ten that are printed, and 41 found by going through the step of every
//! invariant of the three refinements, rule by rule and for one mutator, and naming what it needs
//! ([`Lemma::used_by`]). As axioms are not counted among lemmas, that is 48 against 57. How the
//! paper's other 50 were divided is unknown, so nothing was added to make the numbers agree; and
//! there are reasons for ours to be fewer. A lemma about one cell serves for all cells behind the
//! scan as well as for one ahead of it. What is checked by enumeration needs no lemmas about an
//! induction. And what types say (a son is a node) is not a lemma.
//!
//! Three kinds of lemmas that one might expect are left out, because no step uses them.
//!
//! - How `bw` and `exists_bw` change when a node is coloured. A white node that is coloured raises
//!   the count, after which the invariants of the scan claim nothing; where it would not, behind
//!   the count, all accessible nodes are black; and colouring a black one changes nothing.
//! - How they change under append: nothing is claimed about them in the append phase.
//! - That the counts below and from a bound add up to all, except for the bound 0.
//!
//! Two observations. Our free list does not need the first premise of `blackened5`, which
//! the axiom alone does need. And `redirect_keeps_target` is about the target of the redirection
//! only: that step fails with several mutators, as `target_accessible` does.
//!
//! Left out: lemmas that are arithmetic alone (`scanned_node_exists`,
//! `counted_node_exists` and `all_counted_at_compare` need no other), and proofs. A lemma is a
//! statement that can be evaluated for a [`Case`]; to check it is to evaluate it for all of them.

mod case;
mod counts;
mod lemma;
mod marking;
mod printed;
mod scan;

pub use case::{Case, Functions};
pub use lemma::{Lemma, Statement};

/// Every lemma, in the paper's order: the axioms about the memory, the lemmas of the first
/// refinement, and then ours, as the second and third refinement need them.
pub fn lemmas() -> Vec<Lemma> {
    let mut lemmas = printed::lemmas();
    lemmas.extend(marking::lemmas());
    lemmas.extend(scan::lemmas());
    lemmas.extend(counts::lemmas());
    lemmas
}
