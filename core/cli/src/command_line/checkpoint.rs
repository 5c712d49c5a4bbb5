//! Checkpoints of a command: what of it a checkpoint keeps, and the command that goes on from it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use serde_json::{Value, json};

use super::grammar::{CHECKPOINT, RESUME};
use refmap::explore::{Checkpoints, Start};

/// Time between two checkpoints, where none is given.
const EVERY: Duration = Duration::from_secs(600);
/// Name of the command whose checkpoints may not say which it is.
pub(super) const CHECK: &str = "check";
/// Options that each command has anew.
const LIMITS: [&str; 2] = ["max-states", "max-depth"];

/// Command of which checkpoints are: all that they keep of it.
pub(super) struct KeptCommand<'c> {
    /// Its name,
    pub command: &'static str,
    /// that of the check,
    pub check: &'c str,
    /// and the grammar of the words after that on which its outcome depends.
    pub grammar: clap::Command,
}

/// Words of a command on which its outcome depends.
pub(super) struct Question {
    /// The words as they are parsed,
    pub matches: ArgMatches,
    /// and as they are, which another process asks the same with.
    pub words: Vec<String>,
    /// Checkpoints of the search.
    pub checkpoints: Option<Checkpoints>,
}

impl KeptCommand<'_> {
    /// The question of a command, or, if a checkpoint is resumed, of the one that wrote it.
    ///
    /// # Errors
    ///
    /// If a checkpoint is to be resumed and cannot be, or is one of another command.
    pub fn question(&self, matches: &ArgMatches) -> Result<Question, clap::Error> {
        let folder = |name| matches.get_one::<PathBuf>(name);
        if let Some(folder) = folder(RESUME) {
            return self.resumed(matches, folder);
        }
        let every = matches.get_one("every").copied();
        let checkpoints = match (folder(CHECKPOINT), every) {
            (None, None) => None,
            (None, Some(Duration { .. })) => {
                return Err(conflict(
                    "the argument '--every <MINUTES>' says how often checkpoints are written, and there are none: \
                     give '--checkpoint <DIR>'",
                ));
            }
            (Some(folder), every) => {
                let every = every.unwrap_or(EVERY);
                Some(Checkpoints {
                    folder: folder.clone(),
                    every,
                    start: Start::Anew,
                    label: json!({
                        "command": self.command,
                        "check": self.check,
                        "arguments": self.words(matches, |id| !LIMITS.contains(&id)),
                        "every_seconds": every.as_secs_f64(),
                    }),
                })
            }
        };
        Ok(Question {
            matches: matches.clone(),
            words: self.words(matches, |_| true),
            checkpoints,
        })
    }

    /// The question of the command that wrote a checkpoint.
    fn resumed(&self, matches: &ArgMatches, folder: &Path) -> Result<Question, clap::Error> {
        let label = Checkpoints::label_of(folder);
        let label = label.map_err(|error| conflict(&error.to_string()))?;
        let command = SavedCommand::of(&label).ok_or_else(|| {
            conflict(&format!(
                "the checkpoint in {} was written by another program",
                folder.display()
            ))
        })?;
        for (what, saved, own) in [
            ("command", &*command.command, self.command),
            ("check", &*command.check, self.check),
        ] {
            if saved != own {
                return Err(conflict(&format!(
                    "the checkpoint in {} is one of the {what} {saved:?}",
                    folder.display()
                )));
            }
        }
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let mut ids = self
            .grammar
            .get_arguments()
            .map(|argument| argument.get_id());
        if let Some(id) = ids.find(|id| !LIMITS.contains(&id.as_str()) && is_given(id.as_str())) {
            return Err(conflict(&format!(
                "the argument '--{id}' cannot be used with '--resume <DIR>': the checkpoint has the command \
                 {} {}",
                command.check,
                command.arguments.join(" ")
            )));
        }
        let saved = self
            .grammar
            .clone()
            .try_get_matches_from(&command.arguments)?;
        let every = matches.get_one("every").copied();
        let mut words = command.arguments;
        words.extend(self.words(matches, |id| LIMITS.contains(&id)));
        Ok(Question {
            matches: saved,
            words,
            checkpoints: Some(Checkpoints {
                folder: folder.to_owned(),
                every: every.unwrap_or(command.every),
                start: Start::Resumed,
                label,
            }),
        })
    }

    /// Words on which the outcome depends, of some options.
    fn words(&self, matches: &ArgMatches, of: impl Fn(&str) -> bool) -> Vec<String> {
        let mut words = Vec::new();
        for argument in self.grammar.get_arguments() {
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
}

fn conflict(message: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, format!("{message}\n"))
}

/// A command as a checkpoint keeps it.
struct SavedCommand {
    command: String,
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
            command: label["command"].as_str().unwrap_or(CHECK).to_owned(),
            check: label["check"].as_str()?.to_owned(),
            arguments: words.collect::<Option<_>>()?,
            every: Duration::try_from_secs_f64(every).ok()?,
        })
    }
}
