//! What fences have to make hold.

use std::fmt;
use std::sync::Arc;

use super::super::behaviour::{Behaviours, ProgramRefinement};
use super::super::machine::Machine;
use super::super::model::MemoryModel;
use super::super::outcome::TooManyStates;
use super::super::program::Program;
use super::refenced::Refenced;
use refmap::Refinement;
use refmap::obligation::{CheckError, Settings, check};
use refmap::report::Report;

type Run = dyn Fn(Program, MemoryModel, &Settings<'_>) -> Result<Report, CheckError> + Send + Sync;

/// A program with places for fences, and what has to hold of it.
pub struct Scenario {
    name: String,
    program: Program,
    run: Box<Run>,
}

impl Scenario {
    /// That `refinement` holds, with other fences at the places of its program. Its model does not
    /// matter. Its mapping, answers and invariants may not look at pending fences.
    pub fn of<R>(name: impl Into<String>, refinement: R) -> Self
    where
        R: Refinement<Concrete = Machine> + Send + 'static,
        R::Abstract: Sync,
    {
        let program = refinement.implementation().program().clone();
        Self::new(name, program, move |program, model, settings| {
            check(&Refenced::new(&refinement, program, model), settings)
        })
    }

    /// That what `run` checks holds of `program`, which it is given with fences at some of its places.
    /// For what is no refinement of a [`Machine`].
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

    /// That `program` shows only what `specification` may.
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

    /// That `program` is robust: it shows only what it shows under SC, where fences change nothing. Of
    /// a program that shows nothing but whether its assertions fail, and under SC none does, this says
    /// that none does.
    ///
    /// # Errors
    ///
    /// If it has more than `limit` states under SC.
    pub fn robust(
        name: impl Into<String>,
        program: Program,
        limit: u64,
    ) -> Result<Self, TooManyStates> {
        let specification = Behaviours::of(program.clone(), MemoryModel::Sc, limit)?;
        Ok(Self::refines(name, program, specification))
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Checks it with fences at `places`, those that it has, and at no other place.
    pub(super) fn check<'a>(
        &self,
        places: impl IntoIterator<Item = &'a str>,
        model: MemoryModel,
        settings: &Settings<'_>,
    ) -> Result<Report, CheckError> {
        let own = |place: &&str| self.program.places.iter().any(|own| own.name == *place);
        let program = self.program.clone();
        let program = program
            .with_fences(places.into_iter().filter(own))
            .expect("these are its own places");
        (self.run)(program, model, settings)
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scenario({:?})", self.name)
    }
}
