//! Statement of a lemma, which a case satisfies or refutes.

use super::case::Case;

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
    pub conclusion: Statement,
}

/// A premise or a conclusion.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
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

/// Builder of a lemma: `lemma(…).given(…).then(…)`.
pub(super) struct LemmaBuilder {
    name: &'static str,
    source: &'static str,
    used_by: &'static str,
    premises: Vec<Statement>,
}

pub(super) fn lemma(
    name: &'static str,
    source: &'static str,
    used_by: &'static str,
) -> LemmaBuilder {
    LemmaBuilder {
        name,
        source,
        used_by,
        premises: Vec::new(),
    }
}

impl LemmaBuilder {
    pub fn given(mut self, text: &'static str, holds: fn(&Case) -> bool) -> Self {
        self.premises.push(Statement { text, holds });
        self
    }

    pub fn then(self, text: &'static str, holds: fn(&Case) -> bool) -> Lemma {
        Lemma {
            name: self.name,
            source: self.source,
            used_by: self.used_by,
            premises: self.premises,
            conclusion: Statement { text, holds },
        }
    }
}
