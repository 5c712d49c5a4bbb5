//! What a check knows of a model that it asks again.

use std::sync::OnceLock;
use std::time::Instant;

use foldhash::HashSet;

use crate::invariant::Invariant;
use crate::model_call::named;
use crate::obligation::row::Row;
use crate::overridden::Overridden;
use crate::refinement::Refinement;
use crate::rule::Process;
use crate::symmetry::TestedQuotient;
use crate::system::StateOf;

/// States at which a model is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::obligation) enum Rechecks {
    Nowhere,
    /// In a sample of the states.
    InSample,
    /// Where it is known to be at fault, and that is to be shown.
    Everywhere,
}

/// A model, and how it is asked again.
pub(in crate::obligation) struct Asking<'a, R: Refinement> {
    pub refinement: &'a R,
    pub invariants: &'a [Invariant<R::Concrete>],
    /// The places of those that are checked.
    chosen: Vec<usize>,
    pub environment: &'a [Process],
    /// Where states are identified by a symmetry: the quotient, with the test that it is one.
    pub symmetry: Option<&'a dyn TestedQuotient<R>>,
    pub rechecks: Rechecks,
    /// The most steps of a walk, if these are states of random walks.
    pub steps_of_walk: Option<u32>,
    /// Whether states are kept as fingerprints.
    pub fingerprints: bool,
    /// When the check began.
    pub started: Instant,
    /// Whether to stop what takes long.
    pub out_of_time: &'a (dyn Fn() -> bool + Sync),
    /// Overridden methods of each system, found out when they are first asked for.
    pub overridden_of_implementation: OnceLock<Overridden>,
    pub overridden_of_specification: OnceLock<Overridden>,
    /// The initial states of the specification, unless they are too many; made when they are first asked for.
    pub initial_of_specification: OnceLock<Option<HashSet<StateOf<R::Abstract>>>>,
}

impl<'a, R: Refinement> Asking<'a, R> {
    /// `rows` are those of the invariants.
    pub fn new(refinement: &'a R, invariants: &'a [Invariant<R::Concrete>], rows: &[Row]) -> Self {
        let chosen = rows.iter().enumerate().filter(|(_, row)| row.selected);
        Self {
            refinement,
            invariants,
            chosen: chosen.map(|(place, _)| place).collect(),
            environment: named("`environment`", || refinement.environment()),
            symmetry: None,
            rechecks: Rechecks::InSample,
            steps_of_walk: None,
            fingerprints: false,
            started: Instant::now(),
            out_of_time: &|| false,
            overridden_of_implementation: OnceLock::new(),
            overridden_of_specification: OnceLock::new(),
            initial_of_specification: OnceLock::new(),
        }
    }

    /// The invariants, each with the first answer that was heard of it, if it is checked.
    pub fn with_heard<'s>(
        &'s self,
        heard: &'s [bool],
    ) -> impl Iterator<Item = (&'s Invariant<R::Concrete>, Option<bool>)> {
        let mut heard = self.chosen.iter().zip(heard).peekable();
        let invariants = self.invariants.iter().enumerate();
        invariants.map(move |(place, invariant)| {
            let first = heard.next_if(|(chosen, _)| **chosen == place);
            (invariant, first.map(|(_, holds)| *holds))
        })
    }
}
