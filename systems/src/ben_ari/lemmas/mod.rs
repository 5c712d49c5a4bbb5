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
mod marking;
mod printed;
mod scan;

pub use case::{Case, Functions};

/// A property of the functions on memories and colourings, for all values of its variables.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// Its name: the paper's, where it is printed there.
    pub name: &'static str,
    /// Place where it is printed, or the definition it is about.
    pub source: &'static str,
    /// The inductive steps that use it, or the lemma through which they do.
    pub used_by: &'static str,
    /// Its premises; each is needed (the tests name the exception).
    pub premises: Vec<Statement>,
    /// Its conclusion.
    pub conclusion: Statement,
}

/// A premise or a conclusion.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// Its text.
    pub text: &'static str,
    /// Whether it is true of a case.
    pub holds: fn(&Case) -> bool,
}

impl Lemma {
    /// Whether all its premises hold of `case`, so that it is not vacuous there.
    pub fn applies(&self, case: &Case) -> bool {
        self.premises.iter().all(|premise| (premise.holds)(case))
    }

    /// Whether it is true of `case`: its conclusion follows from its premises there.
    pub fn holds(&self, case: &Case) -> bool {
        !self.applies(case) || (self.conclusion.holds)(case)
    }

    /// The same lemma without one of its premises, which makes it a stronger claim.
    #[must_use]
    pub fn without(&self, premise: usize) -> Self {
        let mut stronger = self.clone();
        stronger.premises.remove(premise);
        stronger
    }
}

/// Every lemma, in the paper's order: the axioms about the memory, the lemmas of the first
/// refinement, and then ours, as the second and third refinement need them.
pub fn lemmas() -> Vec<Lemma> {
    let mut lemmas = printed::lemmas();
    lemmas.extend(marking::lemmas());
    lemmas.extend(scan::lemmas());
    lemmas.extend(counts::lemmas());
    lemmas
}

/// Builder of a lemma: `lemma(…).given(…).then(…)`.
struct LemmaBuilder {
    name: &'static str,
    source: &'static str,
    used_by: &'static str,
    premises: Vec<Statement>,
}

fn lemma(name: &'static str, source: &'static str, used_by: &'static str) -> LemmaBuilder {
    LemmaBuilder {
        name,
        source,
        used_by,
        premises: Vec::new(),
    }
}

impl LemmaBuilder {
    fn given(mut self, text: &'static str, holds: fn(&Case) -> bool) -> Self {
        self.premises.push(Statement { text, holds });
        self
    }

    fn then(self, text: &'static str, holds: fn(&Case) -> bool) -> Lemma {
        Lemma {
            name: self.name,
            source: self.source,
            used_by: self.used_by,
            premises: self.premises,
            conclusion: Statement { text, holds },
        }
    }
}
