//! Commands of the command line.

use std::path::PathBuf;

#[cfg(feature = "shell")]
use clap_complete::Shell;

use super::new::NewCommand;
#[cfg(feature = "distributed")]
use super::processes::Company;
use crate::catalogue::Arguments;
#[cfg(feature = "pictures")]
use crate::pictures::explorer::{Address, Listen};
use refmap::explore::Limits;
#[cfg(feature = "inclusion")]
use refmap::inclusion::Comparison;
use refmap::internal::Detail;
use refmap::obligation::Settings;
#[cfg(feature = "pictures")]
use refmap::obligation::{Liveness, Selection};
use refmap::report::Verdict;
#[cfg(feature = "histories")]
use refmap::report::history::Criterion;
#[cfg(feature = "programs")]
use refmap_programs::MemoryModel;
#[cfg(feature = "histories")]
use serde_json::{Map, Value};

/// Command.
pub(super) enum Command {
    RunAll(RunAllCommand),
    #[cfg(feature = "shell")]
    Completions(Shell),
    List(Listing),
    /// The manual page of a command, which is a path in the grammar.
    #[cfg(feature = "shell")]
    Man(Vec<String>),
    Table(TableCommand),
    Check(Box<CheckCommand>),
    #[cfg(feature = "pictures")]
    Explore(ExploreCommand),
    #[cfg(feature = "programs")]
    Fences(Box<FencesCommand>),
    #[cfg(feature = "graph")]
    Graph(GraphCommand),
    #[cfg(feature = "inclusion")]
    Include(Box<IncludeCommand>),
    #[cfg(feature = "programs")]
    Litmus(LitmusCommand),
    New(NewCommand),
    #[cfg(feature = "histories")]
    Stress(StressCommand),
    #[cfg(feature = "histories")]
    Validate(ValidateCommand),
}

impl Command {
    /// True if results go to files, beside what is printed.
    pub fn writes_files(&self) -> bool {
        match self {
            Self::RunAll(command) => command.junit.is_some(),
            Self::Table(command) => command.junit.is_some(),
            Self::Check(command) => {
                command.junit.is_some() || command.trace.is_some() || command.html.is_some()
            }
            #[cfg(feature = "graph")]
            Self::Graph(command) => command.html.is_some(),
            #[cfg(feature = "inclusion")]
            Self::Include(command) => command.html.is_some(),
            #[cfg(feature = "histories")]
            Self::Stress(command) => {
                command.record.is_some() || command.junit.is_some() || command.html.is_some()
            }
            #[cfg(feature = "histories")]
            Self::Validate(command) => command.html.is_some(),
            #[cfg(feature = "shell")]
            Self::Completions(_) | Self::Man(_) => false,
            #[cfg(feature = "programs")]
            Self::Fences(_) | Self::Litmus(_) => false,
            Self::List(_) | Self::New(_) => false,
            #[cfg(feature = "pictures")]
            Self::Explore(_) => false,
        }
    }
}

/// Decides every claim of the catalogue.
pub(super) struct RunAllCommand {
    pub threads: usize,
    pub json: bool,
    pub junit: Option<PathBuf>,
    /// True if the source of each claim and what it says are printed.
    pub verbose: bool,
    pub quiet: bool,
}

/// Decides one table.
pub(super) struct TableCommand {
    pub table: String,
    pub threads: usize,
    pub json: bool,
    pub junit: Option<PathBuf>,
    pub quiet: bool,
}

/// Synthesizes the fences of one program.
#[cfg(feature = "programs")]
pub(super) struct FencesCommand {
    pub problem: String,
    pub arguments: Arguments,
    pub model: MemoryModel,
    pub threads: usize,
    pub limits: Limits,
    pub json: bool,
    pub detail: Detail,
    pub quiet: bool,
}

/// Page of HTML that a command writes.
pub(super) struct Page {
    pub path: PathBuf,
    /// The command, as it is typed.
    pub command: String,
}

/// Decides the properties of explicit systems.
#[cfg(feature = "graph")]
pub(super) struct GraphCommand {
    pub files: Vec<PathBuf>,
    pub limits: Limits,
    pub json: bool,
    pub html: Option<Page>,
}

/// Compares two systems without a mapping.
#[cfg(feature = "inclusion")]
pub(super) struct IncludeCommand {
    pub compared: Compared,
    pub comparison: Comparison<'static>,
    pub json: bool,
    pub html: Option<Page>,
    pub quiet: bool,
}

/// Systems that are compared.
#[cfg(feature = "inclusion")]
pub(super) enum Compared {
    /// Those of a check.
    Check {
        name: String,
        arguments: Box<Arguments>,
    },
    /// Explicit ones, the implementation first.
    Files([PathBuf; 2]),
}

/// Runs litmus tests.
#[cfg(feature = "programs")]
pub(super) struct LitmusCommand {
    pub files: Vec<PathBuf>,
    pub model: MemoryModel,
    pub limits: Limits,
    pub json: bool,
}

/// Runs one stress run.
#[cfg(feature = "histories")]
pub(super) struct StressCommand {
    pub stress: String,
    pub arguments: Arguments,
    pub seconds: f64,
    pub seed: u64,
    pub record: Option<PathBuf>,
    pub junit: Option<PathBuf>,
    pub json: bool,
    pub html: Option<Page>,
    pub quiet: bool,
}

/// Validates a recorded history.
#[cfg(feature = "histories")]
pub(super) struct ValidateCommand {
    pub file: PathBuf,
    pub against: String,
    pub criterion: Criterion,
    /// Parameters of the specification that the file does not have.
    pub parameters: Map<String, Value>,
    pub configurations: usize,
    pub buffer: Option<u32>,
    /// True if each value of a history of Jepsen is a key and a value.
    pub keyed: bool,
    pub limits: Limits,
    pub json: bool,
    pub html: Option<Page>,
    pub quiet: bool,
}

/// Explores one check in the browser.
#[cfg(feature = "pictures")]
pub(super) struct ExploreCommand {
    pub check: String,
    pub arguments: Arguments,
    pub threads: usize,
    pub limits: Limits,
    pub obligations: Selection,
    pub without: Vec<String>,
    pub liveness: Liveness,
    pub listen: Listen,
    pub at: Address,
    /// The command, as it is typed.
    pub command: String,
}

/// Runs one check.
pub(super) struct CheckCommand {
    pub check: String,
    pub arguments: Arguments,
    pub settings: Settings<'static>,
    /// Processes that search together, if there are to be several.
    #[cfg(feature = "distributed")]
    pub company: Option<Company>,
    pub expect: Option<Verdict>,
    pub json: bool,
    pub junit: Option<PathBuf>,
    pub trace: Option<PathBuf>,
    pub html: Option<Page>,
    pub detail: Detail,
    pub quiet: bool,
}

/// Format of the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    Text,
    Json,
}
