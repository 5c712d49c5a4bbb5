//! Small programs for mutators: a sequence of operations for each thread.
//!
//! A program is data, so it can be generated, shrunk, and written on a command line. Roots are numbered from the
//! newest, 0, modulo their number, so a program stays valid with any operation left out.

use std::fmt::{self, Display};
use std::str::FromStr;

use strum::VariantArray;

use super::on_the_fly::{Place, Stage};

/// A program: the operations of every thread, and the delay place of the collector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// One list a thread. Each thread initially has one root, an object that all of them share.
    pub threads: Vec<Vec<Step>>,
    /// The delay place of the collector, if it has one.
    pub collector: Option<Place>,
}

/// An operation, with a delay place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub operation: Operation,
    /// The delay place in the operation, if it has one.
    pub dwell: Option<Place>,
}

/// Operations of a mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Allocates.
    Alloc,
    /// Loads a field of a root, as a new root.
    Load {
        /// The root.
        src: u8,
        field: u8,
    },
    /// Stores a root or null in a field of a root.
    Store {
        /// The root that is written to.
        src: u8,
        field: u8,
        /// The value written.
        dst: Option<u8>,
    },
    /// Discards a root.
    Discard { root: u8 },
    /// Answers a handshake, if one is requested.
    Safepoint,
    /// Answers handshakes until this one is answered, to synchronise a program with the cycle.
    Until(Stage),
    /// Leaves, and a forked mutator continues with the same roots.
    Relay,
}

impl Program {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The program as text, a line a thread; the collector's line comes last, if it is delayed.
    pub fn lines(&self) -> Vec<String> {
        let line = |steps: &Vec<Step>| {
            let steps: Vec<_> = steps.iter().map(Step::to_string).collect();
            steps.join("; ")
        };
        let collector = self.collector.map(|place| format!("collector@{place}"));
        self.threads.iter().map(line).chain(collector).collect()
    }

    /// Parses a program from lines.
    ///
    /// # Errors
    ///
    /// If a step is not valid.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, ProgramError> {
        let mut program = Self::default();
        for line in lines {
            if let Some(place) = line.trim().strip_prefix("collector@") {
                program.collector = Some(place_named(place)?);
                continue;
            }
            let steps = line
                .split(';')
                .map(str::trim)
                .filter(|step| !step.is_empty());
            let steps = steps.map(str::parse).collect::<Result<_, _>>()?;
            program.threads.push(steps);
        }
        Ok(program)
    }
}

/// Error: the text of a program is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Not one of the operations.
    #[error(
        "{0:?} is no operation; there are: alloc, load SRC.FIELD, store SRC.FIELD=DST, store \
         SRC.FIELD=null, discard ROOT, safepoint, until STAGE, relay, each with @PLACE behind it or not"
    )]
    Operation(String),
    /// Not one of the stages.
    #[error("{0:?} is no stage; there are: {stages}", stages = names(stages()))]
    Stage(String),
    /// Not one of the places.
    #[error("{0:?} is no place; there are: {places}", places = names(Place::VARIANTS.iter()))]
    Place(String),
}

/// The stages that a program can wait for: all but a stop.
pub(crate) fn stages() -> impl Iterator<Item = Stage> {
    let all = Stage::VARIANTS.iter().copied();
    all.filter(|stage| *stage != Stage::Stop)
}

fn names<T: Display>(named: impl Iterator<Item = T>) -> String {
    let names: Vec<_> = named.map(|named| named.to_string()).collect();
    names.join(", ")
}

fn place_named(name: &str) -> Result<Place, ProgramError> {
    let mut places = Place::VARIANTS.iter().copied();
    let found = places.find(|place| place.to_string() == name);
    found.ok_or_else(|| ProgramError::Place(name.to_owned()))
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operation {
            Operation::Alloc => f.write_str("alloc"),
            Operation::Load { src, field } => write!(f, "load {src}.{field}"),
            Operation::Store { src, field, dst } => match dst {
                Some(dst) => write!(f, "store {src}.{field}={dst}"),
                None => write!(f, "store {src}.{field}=null"),
            },
            Operation::Discard { root } => write!(f, "discard {root}"),
            Operation::Safepoint => f.write_str("safepoint"),
            Operation::Until(stage) => write!(f, "until {stage}"),
            Operation::Relay => f.write_str("relay"),
        }?;
        self.dwell.map_or(Ok(()), |place| write!(f, "@{place}"))
    }
}

impl FromStr for Step {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let (words, dwell) = match text.split_once('@') {
            Some((words, place)) => (words, Some(place_named(place)?)),
            None => (text, None),
        };
        let wrong = || ProgramError::Operation(text.to_owned());
        let number = |text: &str| text.parse::<u8>().map_err(|_| wrong());
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        let place = |text: &str| {
            let (src, field) = text.split_once('.').ok_or_else(wrong)?;
            Ok((number(src)?, number(field)?))
        };
        let operation = match (verb, rest) {
            ("alloc", "") => Operation::Alloc,
            ("safepoint", "") => Operation::Safepoint,
            ("relay", "") => Operation::Relay,
            ("load", rest) => {
                let (src, field) = place(rest)?;
                Operation::Load { src, field }
            }
            ("store", rest) => {
                let (written, dst) = rest.split_once('=').ok_or_else(wrong)?;
                let (src, field) = place(written)?;
                let dst = match dst {
                    "null" => None,
                    dst => Some(number(dst)?),
                };
                Operation::Store { src, field, dst }
            }
            ("discard", root) => Operation::Discard {
                root: number(root)?,
            },
            ("until", stage) => {
                let found = stages().find(|known| known.to_string() == stage);
                let found = found.ok_or_else(|| ProgramError::Stage(stage.to_owned()))?;
                Operation::Until(found)
            }
            _ => return Err(wrong()),
        };
        Ok(Self { operation, dwell })
    }
}
