//! Errors of a catalogue: a check cannot be run as requested, or a claim not be read or decided.

use super::expectation::ExpectationError;
use crate::shell::WordsError;
use refmap::obligation::CheckError;
use refmap::report::Verdict;

/// Error: a check cannot be run as requested.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The catalogue has no such check.
    #[error("there is no check {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownCheck {
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The check has no such parameter.
    #[error("{check} has no parameter {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownParameter {
        /// The check.
        check: &'static str,
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// The parameter does not accept the value.
    #[error("{parameter} is {given}, and must be {allowed}")]
    BadArgument {
        /// The parameter.
        parameter: String,
        /// The given value.
        given: String,
        /// Permitted values.
        allowed: String,
    },
    /// A parameter without a default has no value.
    #[error("{parameter} is not given, and must be {allowed}")]
    MissingArgument {
        /// The parameter.
        parameter: String,
        /// Permitted values.
        allowed: String,
    },
    /// The arguments are no words, as a shell reads them.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// The arguments are refused for another reason.
    #[error("{0}")]
    Usage(String),
    /// A claim expects an obligation to be violated that is not checked.
    #[error("no obligation {name:?} is checked, which is expected to be violated{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownExpected {
        /// The name given.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// The names of those that are checked.
        known: Vec<String>,
    },
    /// A claim expects what only a violation has.
    #[error("{what} is expected, and the verdict {verdict}: it must be violated")]
    NoViolationExpected {
        /// The expectation that only a violation can meet.
        what: &'static str,
        /// The verdict that is expected.
        verdict: Verdict,
    },
    /// A claim expects what a search that ends at the first violation does not decide.
    #[error("further violated obligations are expected, which are decided with --keep-going alone")]
    NotKeptGoing,
    /// A row of a published table says what must come of another number of columns.
    #[error("row {row} has {given} cells, and must have {columns}, one a column")]
    Cells {
        /// The number of the row, from 1.
        row: usize,
        /// The number of its cells.
        given: usize,
        /// The number of columns.
        columns: usize,
    },
    /// It is asked what happens in the end, and nothing is said of that.
    #[error(
        "of what happens in the end nothing is said: the specification has no fairness conditions, and the refinement no properties"
    )]
    NothingLive,
    /// The check cannot be asked so, and others perhaps can.
    #[error("{error}; {}", listed(option, .able))]
    Unable {
        /// Reason why it cannot.
        error: Box<InputError>,
        /// Option that asks so.
        option: &'static str,
        /// Names of the checks that can.
        able: Vec<String>,
    },
    /// The arguments are inconsistent.
    #[error(transparent)]
    Instance(Box<dyn std::error::Error + Send + Sync>),
    /// The refinement does not support the settings.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl InputError {
    /// Error for inconsistent arguments, with its cause.
    pub fn instance(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Instance(Box::new(error))
    }
}

/// Error: a row of claims is malformed, or cannot be decided as it is stated.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// A line with a bar is no row.
    #[error("a line with a bar is a row of a table, and begins and ends with one")]
    Bar,
    /// A row follows no header.
    #[error(
        "it follows no header: a table begins with the lines `| claim | expected | source |` and `|---|---|---|`"
    )]
    Header,
    /// A row has another number of cells.
    #[error("it has {given} cells, and must have 3: claim, expected and source")]
    Cells {
        /// The number of its cells.
        given: usize,
    },
    /// The command is not in backticks.
    #[error("the command has to be between backticks")]
    Backticks,
    /// The command is no line of words.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// The command is of another program than that of the first row.
    #[error("the command is one of {given:?}, and those before it of {first:?}")]
    Program {
        /// The words before `check` or `table`.
        given: String,
        /// Those of the first row.
        first: String,
    },
    /// The command is neither a check nor a table.
    #[error("the command is neither `check NAME` nor `table NAME`")]
    Command,
    /// The expected result cannot be read.
    #[error(transparent)]
    Expectation(#[from] ExpectationError),
    /// The last cell is no source and statement.
    #[error("the last cell must be a source and what it says, with `: ` between them")]
    Source,
    /// The catalogue has no such published table.
    #[error("there is no published table {name:?}{}; there are: {}", .nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean {name:?}?)")), .known.join(", "))]
    UnknownTable {
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The row is not what the published table says.
    #[error("the table says {expected:?}, and the row {given:?}")]
    Table {
        /// The cell.
        given: String,
        /// The cell that the table has.
        expected: String,
    },
    /// The row asks the same as an earlier one.
    #[error(
        "it repeats the claim of line {line}: the same check at the same arguments, with the same options"
    )]
    Repeated {
        /// Number of the earlier line, from 1.
        line: usize,
    },
    /// The check cannot be run as requested.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Error: a row of claims, or a published table, cannot be decided as it is stated.
#[derive(Debug, thiserror::Error)]
#[error("error: {}the claim `{command}` cannot be decided: {error}", .line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct ClaimError {
    /// Number of the line, from 1; a table that is stated in code has none.
    pub line: Option<usize>,
    /// Its command, without the name of the program; the line, where none can be read.
    pub command: String,
    /// Reason why it cannot be decided.
    #[source]
    pub error: RowError,
}

/// Error: claims of a catalogue cannot be decided as they are stated.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ClaimErrors(
    /// Each of them, in the catalogue's order.
    pub Vec<ClaimError>,
);

/// The checks that an option can be given to.
fn listed(option: &str, able: &[String]) -> String {
    if able.is_empty() {
        return format!("no check has {option}");
    }
    format!("{option} is for {}", able.join(", "))
}

fn hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}
