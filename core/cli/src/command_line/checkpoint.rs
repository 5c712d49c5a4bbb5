//! Checkpoints of a check: the command that a checkpoint keeps, and the one that goes on from it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use serde_json::{Value, json};

use super::grammar::{self, CHECKPOINT, RESUME};
use crate::catalogue::{Arguments, Check};
use refmap::explore::{Checkpoints, Start};
use refmap::obligation::Settings;

/// Time between two checkpoints, where none is given.
const EVERY: Duration = Duration::from_secs(600);
/// Options that each command has anew.
const LIMITS: [&str; 2] = ["max-states", "max-depth"];

/// Reads the settings on which the outcome of a check depends.
type Asked = fn(&ArgMatches) -> Result<Settings<'static>, clap::Error>;

/// Question of a command.
pub(super) struct Question {
    /// Parameters of the check,
    pub arguments: Arguments,
    /// settings on which its outcome depends, with its checkpoints,
    pub settings: Settings<'static>,
    /// and the words of both, which another process asks the same with.
    pub words: Vec<String>,
}

/// The question of a command; `asked` reads settings on which its outcome depends.
///
/// # Errors
///
/// If a checkpoint is to be resumed and cannot be, or is one of another check.
pub(super) fn question(
    check: &Check,
    matches: &ArgMatches,
    asked: Asked,
) -> Result<Question, clap::Error> {
    let folder = |name| matches.get_one::<PathBuf>(name);
    if let Some(folder) = folder(RESUME) {
        return resumed(check, matches, folder, asked);
    }
    let question = Question {
        arguments: check.parameters.arguments(matches.clone()),
        settings: asked(matches)?,
        words: words(check, matches, |_| true),
    };
    let every = matches.get_one("every").copied();
    let Some(folder) = folder(CHECKPOINT) else {
        return match every {
            None => Ok(question),
            Some(Duration { .. }) => Err(conflict(
                "the argument '--every <MINUTES>' says how often checkpoints are written, and there are none: \
                 give '--checkpoint <DIR>'",
            )),
        };
    };
    let every = every.unwrap_or(EVERY);
    let label = json!({
        "check": check.name,
        "arguments": words(check, matches, |id| !LIMITS.contains(&id)),
        "every_seconds": every.as_secs_f64(),
    });
    let checkpoints = Some(Checkpoints {
        folder: folder.clone(),
        every,
        start: Start::Anew,
        label,
    });
    let settings = Settings {
        checkpoints,
        ..question.settings
    };
    Ok(Question {
        settings,
        ..question
    })
}

/// The question of the command that wrote a checkpoint.
fn resumed(
    check: &Check,
    matches: &ArgMatches,
    folder: &Path,
    asked: Asked,
) -> Result<Question, clap::Error> {
    let label = Checkpoints::label_of(folder);
    let label = label.map_err(|error| conflict(&error.to_string()))?;
    let command = SavedCommand::of(&label).ok_or_else(|| {
        conflict(&format!(
            "the checkpoint in {} was written by another program",
            folder.display()
        ))
    })?;
    if command.check != check.name {
        return Err(conflict(&format!(
            "the checkpoint in {} is one of the check {:?}",
            folder.display(),
            command.check
        )));
    }
    let grammar = grammar::claim(check);
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut ids = grammar.get_arguments().map(|argument| argument.get_id());
    if let Some(id) = ids.find(|id| !LIMITS.contains(&id.as_str()) && is_given(id.as_str())) {
        return Err(conflict(&format!(
            "the argument '--{id}' cannot be used with '--resume <DIR>': the checkpoint has the command \
             {} {}",
            command.check,
            command.arguments.join(" ")
        )));
    }
    let saved = grammar.clone().try_get_matches_from(&command.arguments)?;
    let settings = asked(&saved)?;
    let every = matches.get_one("every").copied();
    let checkpoints = Some(Checkpoints {
        folder: folder.to_owned(),
        every: every.unwrap_or(command.every),
        start: Start::Resumed,
        label,
    });
    let settings = Settings {
        checkpoints,
        ..settings
    };
    let mut all = command.arguments;
    all.extend(words(check, matches, |id| LIMITS.contains(&id)));
    Ok(Question {
        arguments: check.parameters.arguments(saved),
        settings,
        words: all,
    })
}

fn conflict(message: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, format!("{message}\n"))
}

/// A command as a checkpoint keeps it.
struct SavedCommand {
    check: String,
    /// Its parameters and options, a word each.
    arguments: Vec<String>,
    every: Duration,
}

impl SavedCommand {
    fn of(label: &Value) -> Option<Self> {
        let words = label["arguments"].as_array()?.iter();
        let words = words.map(|word| word.as_str().map(str::to_owned));
        let every = label["every_seconds"].as_f64()?;
        Some(Self {
            check: label["check"].as_str()?.to_owned(),
            arguments: words.collect::<Option<_>>()?,
            every: Duration::try_from_secs_f64(every).ok()?,
        })
    }
}

/// Words of a command on which the outcome of its check depends, of some options.
fn words(check: &Check, matches: &ArgMatches, of: impl Fn(&str) -> bool) -> Vec<String> {
    let mut words = Vec::new();
    for argument in grammar::claim(check).get_arguments() {
        let id = argument.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(name) = argument.get_long().filter(|_| is_given && of(id)) else {
            continue;
        };
        if !argument.get_action().takes_values() {
            words.push(format!("--{name}"));
            continue;
        }
        let values = matches.get_raw(id).unwrap_or_default();
        let values = values.map(|value| value.to_string_lossy().into_owned());
        match argument.get_value_delimiter() {
            Some(delimiter) => {
                let all: Vec<_> = values.collect();
                words.push(format!("--{name}={}", all.join(&delimiter.to_string())));
            }
            None => words.extend(values.map(|value| format!("--{name}={value}"))),
        }
    }
    words
}
