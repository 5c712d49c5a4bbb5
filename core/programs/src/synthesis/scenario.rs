//! Requirement that a synthesis has to satisfy.

use std::fmt;
use std::sync::Arc;

use super::super::behaviour::{Behaviours, ProgramRefinement};
use super::super::ends::TooManyStates;
use super::super::machine::Machine;
use super::super::model::MemoryModel;
use super::super::program::Program;
use super::refenced::Refenced;
use refmap::Refinement;
use refmap::obligation::{CheckError, Settings, check};
use refmap::report::Report;

type Run = dyn Fn(Program, MemoryModel, &Settings<'_>) -> Result<Report, CheckError> + Send + Sync;

/// Program with places for fences, and the property required of it.
pub struct Scenario {
    name: String,
    program: Program,
    run: Box<Run>,
}

impl Scenario {
    /// Requires that `refinement` holds, with other fences at the places of its program. Its own memory model is
    /// ignored. Its mapping, abstract actions and invariants must not depend on pending fences.
    pub fn of<R>(name: impl Into<String>, refinement: R) -> Self
    where
        R: Refinement<Implementation = Machine> + Send + 'static,
        R::Specification: Sync,
    {
        let program = refinement.implementation().program().clone();
        Self::new(name, program, move |program, model, settings| {
            check(&Refenced::new(&refinement, program, model), settings)
        })
    }

    /// Requires that the check `run` holds of `program`, which it receives with fences at some of its places. For
    /// properties that are not a refinement of a [`Machine`].
    pub fn new(
        name: impl Into<String>,
        program: Program,
        run: impl Fn(Program, MemoryModel, &Settings<'_>) -> Result<Report, CheckError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            program,
            run: Box::new(run),
        }
    }

    /// Requires that `program` refines `specification`.
    pub fn refines(
        name: impl Into<String>,
        program: Program,
        specification: impl Into<Arc<Behaviours>>,
    ) -> Self {
        Self::of(
            name,
            ProgramRefinement::new(program, MemoryModel::Sc, specification),
        )
    }

    /// Requires that `program` is robust: it outputs only what it outputs under SC, where fences have no effect. If
    /// the program outputs nothing and no assertion fails under SC, robustness means that no assertion fails.
    ///
    /// # Errors
    ///
    /// If the program has more than `limit` states under SC.
    pub fn robust(
        name: impl Into<String>,
        program: Program,
        limit: u64,
    ) -> Result<Self, TooManyStates> {
        let specification = Behaviours::of(program.clone(), MemoryModel::Sc, limit)?;
        Ok(Self::refines(name, program, specification))
    }

    /// Name of the scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Checks the scenario with fences at exactly those of its places that `places` names.
    pub(super) fn check<'a>(
        &self,
        places: impl IntoIterator<Item = &'a str>,
        model: MemoryModel,
        settings: &Settings<'_>,
    ) -> Result<Report, CheckError> {
        (self.run)(self.with_fences(places), model, settings)
    }

    /// The program with fences at exactly those of its places that `places` names.
    pub(super) fn with_fences<'a>(&self, places: impl IntoIterator<Item = &'a str>) -> Program {
        let own = |place: &&str| self.program.places.iter().any(|own| own.name == *place);
        let program = self.program.clone();
        let program = program.with_fences(places.into_iter().filter(own));
        program.expect("these are its own places")
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scenario({:?})", self.name)
    }
}
