//! Model as a check asks it again.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use foldhash::HashSet;

use crate::obligation::row::ObligationRow;
use crate::statement::asked::model_call::named;
use crate::statement::asked::overridden::Overridden;
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::rule::Process;
use crate::view::consistency::{SystemAgain, SystemName};
use crate::view::symmetry::ExchangesTested;

/// Function that tests the permutations on a state of this number, as long as there is time.
pub(in crate::obligation) type TestSymmetry<'a> =
    dyn Fn(&ErasedState, usize, &dyn Fn() -> bool) -> ExchangesTested + Sync + 'a;

/// States at which a model is asked again.
pub(in crate::obligation) enum AsksAgain {
    Never,
    /// Some, as the search comes by.
    OnTheWay,
    /// Some, once the search is over, which then says that it has begun: of several processes none knows the numbers of its states before.
    Afterwards(AtomicBool),
}

/// A model, and how it is asked again.
pub(in crate::obligation) struct Asking<'a> {
    pub refinement: &'a ErasedRefinement<'a>,
    pub invariants: &'a [Invariant<ErasedSystem<'a>>],
    /// The places of those that are checked.
    chosen: Vec<usize>,
    pub environment: &'a [Process],
    /// Test of the symmetry by which states are identified, if they are.
    pub symmetry: Option<&'a TestSymmetry<'a>>,
    /// States at which the model is asked again.
    pub asks_again: AsksAgain,
    /// Whether these are states of random walks.
    pub walks: bool,
    /// When the check began.
    pub started: Instant,
    /// Whether to stop what takes long.
    pub out_of_time: &'a (dyn Fn() -> bool + Sync),
    /// Implementation that is asked again.
    pub implementation: SystemAgain<'a>,
    /// Overridden methods of the specification, found out when they are first asked for.
    pub overridden_of_specification: OnceLock<Overridden>,
    /// The initial states of the specification, unless they are too many; made when they are first asked for.
    pub initial_of_specification: OnceLock<Option<HashSet<ErasedState>>>,
}

impl<'a> Asking<'a> {
    /// `rows` are those of the invariants.
    pub fn new(
        refinement: &'a ErasedRefinement<'a>,
        invariants: &'a [Invariant<ErasedSystem<'a>>],
        rows: &[ObligationRow],
    ) -> Self {
        let chosen = rows.iter().enumerate().filter(|(_, row)| row.selected);
        Self {
            refinement,
            invariants,
            chosen: chosen.map(|(place, _)| place).collect(),
            environment: named("`environment`", || refinement.environment()),
            symmetry: None,
            asks_again: AsksAgain::OnTheWay,
            walks: false,
            started: Instant::now(),
            out_of_time: &|| false,
            implementation: SystemAgain::new(
                *refinement.implementation(),
                SystemName::IMPLEMENTATION,
            ),
            overridden_of_specification: OnceLock::new(),
            initial_of_specification: OnceLock::new(),
        }
    }

    /// Asks again whether the invariants hold that are checked, beside what was answered `first`.
    pub fn chosen_again<'s>(
        &'s self,
        state: &'s ErasedState,
        first: &'s [bool],
    ) -> impl Iterator<Item = (&'s str, &'s bool, impl Fn() -> bool)> {
        let asked = self.chosen.iter().zip(first);
        asked.map(move |(place, first)| {
            let invariant = &self.invariants[*place];
            (invariant.name(), first, move || invariant.holds(state))
        })
    }
}
