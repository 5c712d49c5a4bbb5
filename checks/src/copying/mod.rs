//! Checks of copying protocols: refinement of one atomic register under memory models.

mod tables;

use refmap::inclusion::{Comparison, Inclusion};
use refmap::internal::stepper::Stepper;
use refmap::obligation::{CheckError, Checkable, Liveness, Settings};
use refmap::report::Report;
use refmap_cli::catalogue::{Check, Choice, InputError, choice, number};
use refmap_cli::clap::{self, Args};
use refmap_cli::table::Table;
use refmap_programs::MemoryModel;
use refmap_refinements::Checked;
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{
    Instance, MAX_ALPHA, MAX_ITERATIONS, MAX_MUTATORS, Progress, Protocol, Scenario,
};
use strum::VariantArray;

use super::named::named;

/// Name of the check.
const NAME: &str = "copying";

pub(super) fn checks() -> Vec<Check> {
    vec![Check::new(
        NAME,
        "a copying protocol under a memory model: refines one atomic register",
        "Ugawa, Abe & Maeda, sections 3 and 4",
        |arguments: &Copying| {
            let refinement = CopyingRefinement::new(&arguments.instance(), arguments.memory);
            let checker = refinement.map_err(InputError::instance)?.into_checker();
            Ok(match arguments.progress {
                Asked(None) => checker,
                Asked(Some(_)) => Box::new(Progressing(checker)),
            })
        },
    )]
}

#[derive(Clone, Args)]
struct Copying {
    /// a row of Table 2
    #[arg(long, value_parser = named::<Protocol>())]
    protocol: Protocol,
    /// α, in Clover alone
    #[arg(long, default_value_t = 0, value_parser = number::<u8>(0..=MAX_ALPHA.into()))]
    alpha: u8,
    /// the memory model
    #[arg(long, value_parser = choice(MemoryModel::ALL, MemoryModel::name))]
    memory: MemoryModel,
    /// what a mutator does: writes and reads, or reads and writes
    #[arg(long, value_parser = named::<Scenario>())]
    scenario: Scenario,
    /// mutators
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_MUTATORS.into()))]
    mutators: u8,
    /// how often the body of a loop runs before its thread is cut off
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_ITERATIONS.into()))]
    iterations: u8,
    /// what happens in the end: whose operations or copy are completed, and which threads have to go on for it
    #[arg(long, default_value = "none", value_parser = asked())]
    progress: Asked,
    /// a part of the protocol to be taken away
    #[arg(long)]
    without: Vec<String>,
    /// a part to be added that the protocol lacks
    #[arg(long)]
    with: Vec<String>,
}

/// Progress that is asked for, if any.
#[derive(Clone, Copy)]
struct Asked(Option<Progress>);

fn asked() -> Choice<Asked> {
    let all = Progress::VARIANTS.iter();
    let all = all.map(|progress| Asked(Some(*progress)));
    let name = |asked: Asked| asked.0.map_or("none", Progress::name);
    choice([Asked(None)].into_iter().chain(all), name)
}

impl Copying {
    fn instance(&self) -> Instance {
        Instance {
            protocol: self.protocol,
            alpha: self.alpha,
            scenario: self.scenario,
            mutators: self.mutators,
            iterations: self.iterations,
            progress: self.progress.0,
            without: self.without.clone(),
            with: self.with.clone(),
        }
    }
}

/// A check of which progress is asked: what happens in the end is decided by default.
struct Progressing(Box<dyn Checkable>);

fn with_liveness<'a>(settings: &Settings<'a>) -> Settings<'a> {
    Settings {
        liveness: Liveness::Included,
        ..settings.clone()
    }
}

impl Checkable for Progressing {
    fn check(&self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        self.0.check(&with_liveness(settings))
    }

    fn declared(&self, settings: &Settings<'_>) -> Result<Vec<String>, CheckError> {
        self.0.declared(&with_liveness(settings))
    }

    fn any_number_of(&self) -> Option<&str> {
        self.0.any_number_of()
    }

    fn include(&self, comparison: &Comparison<'_>) -> Result<Inclusion, CheckError> {
        self.0.include(comparison)
    }

    fn step_through(
        &self,
        settings: &Settings<'_>,
        receive: &mut dyn FnMut(Stepper<'_>),
    ) -> Result<(), CheckError> {
        self.0.step_through(&with_liveness(settings), receive)
    }
}

pub(super) fn tables() -> Vec<Table> {
    vec![tables::table_2(), tables::progress(), tables::ablations()]
}
