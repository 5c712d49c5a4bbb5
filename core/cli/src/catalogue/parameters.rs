//! Parameters of a check: the fields of a struct that derives [`clap::Args`].
//!
//! The struct is the one grammar of arguments: the command line, the claims, the tables and the headers of histories are read by
//! it, and the help, the listing and the parameters of a report are found out from it.

use std::any::TypeId;
use std::fmt::Display;
use std::slice;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::InputError;
use crate::shell;
use refmap::internal::nearest;

/// Parameter of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Name, without dashes.
    pub name: String,
    /// Description in one line.
    pub help: String,
    /// Kind of its values.
    #[serde(flatten)]
    pub kind: ParameterKind,
    /// Name of the field.
    #[serde(skip)]
    id: String,
}

/// Kind of a parameter's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A number from `least` to `most`, where its parser is [`number`](super::number).
    Number {
        /// The least value.
        least: Option<u64>,
        /// The greatest value.
        most: Option<u64>,
        /// Default value.
        default: Option<u64>,
    },
    /// One of several names.
    Choice {
        /// The names.
        values: Vec<String>,
        /// The value if none is given; without one it has to be.
        default: Option<String>,
    },
    /// A flag; off by default.
    Flag,
    /// A list of names; empty by default. The permitted names depend on other arguments, so the check rejects
    /// unknown ones.
    Names,
    /// Any text that its parser accepts.
    Text {
        /// The value if none is given.
        default: Option<String>,
    },
}

/// Parameters of a check, in the order of their fields.
#[derive(Clone, Debug)]
pub struct Parameters {
    list: Vec<Parameter>,
    augment: fn(Command) -> Command,
}

/// Values of all parameters of a check: as given, or the defaults.
#[derive(Clone, Debug)]
pub struct Arguments {
    values: Map<String, Value>,
    /// Those that are given, in the order of the words.
    given: Map<String, Value>,
    matches: ArgMatches,
}

impl Arguments {
    /// Values of all parameters by their names: numbers and flags, texts, and lists of texts.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// Values of those that are given, in the order in which they are.
    pub fn given(&self) -> &Map<String, Value> {
        &self.given
    }

    /// The struct of parameters.
    pub(super) fn of<P: Args>(&self) -> Result<P, InputError> {
        // Not `from_arg_matches`, by which to clone them would be compiled with each project.
        P::from_arg_matches_mut(&mut self.matches()).map_err(mismatched)
    }

    fn matches(&self) -> ArgMatches {
        self.matches.clone()
    }
}

impl Parameters {
    /// # Panics
    ///
    /// If a field has no long name.
    pub(super) fn of<P: Args>() -> Self {
        Self::augmenting(P::augment_args)
    }

    fn augmenting(augment: fn(Command) -> Command) -> Self {
        let command = augment(Command::new("parameters"));
        let list = command.get_arguments().map(Parameter::of).collect();
        Self { list, augment }
    }

    /// Iterates over them.
    pub fn iter(&self) -> slice::Iter<'_, Parameter> {
        self.list.iter()
    }

    /// Value of a parameter that is not given.
    pub(crate) fn absent(&self, name: &str) -> Value {
        let mut parameters = self.iter();
        let parameter = parameters.find(|parameter| parameter.name == name);
        match parameter.map(|parameter| &parameter.kind) {
            Some(ParameterKind::Names) => Value::Array(Vec::new()),
            _ => Value::Null,
        }
    }

    /// Name of the field of a parameter.
    pub(crate) fn id(&self, name: &str) -> Option<&str> {
        let mut parameters = self.iter();
        let parameter = parameters.find(|parameter| parameter.name == name);
        parameter.map(|parameter| parameter.id.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.iter().any(|parameter| parameter.name == name)
    }

    /// The command with these arguments.
    pub(crate) fn augment(&self, command: Command) -> Command {
        (self.augment)(command.next_help_heading("Parameters"))
            // Documentation of the struct is not that of the command.
            .about(Resettable::Reset)
            .long_about(Resettable::Reset)
            .mut_args(described)
    }

    /// The arguments of a command that was parsed with these parameters.
    pub(crate) fn arguments(&self, matches: ArgMatches) -> Arguments {
        let (mut values, mut given) = (Map::new(), Vec::new());
        for parameter in self.iter() {
            let value = parameter.value(&matches);
            let source = matches.value_source(&parameter.id);
            if source == Some(ValueSource::CommandLine) {
                let place = matches.index_of(&parameter.id);
                given.push((place, parameter.name.clone(), value.clone()));
            }
            values.insert(parameter.name.clone(), value);
        }
        given.sort_by_key(|(place, ..)| *place);
        let given = given.into_iter();
        let given = given.map(|(_, name, value)| (name, value)).collect();
        Arguments {
            values,
            given,
            matches,
        }
    }

    /// Reads arguments as they are typed to a shell.
    pub(super) fn read(&self, of: &'static str, line: &str) -> Result<Arguments, InputError> {
        self.parse(of, line, self.augment(Command::new(of)))
    }

    /// Reads arguments that are values of JSON, each of the kind of its parameter, as the header of a history has them.
    pub(super) fn read_values(
        &self,
        of: &'static str,
        values: &Map<String, Value>,
    ) -> Result<Arguments, InputError> {
        let mut words = Vec::new();
        for (name, value) in values {
            let mut parameters = self.iter();
            let parameter = parameters.find(|parameter| parameter.name == *name);
            let parameter = parameter.ok_or_else(|| {
                let known = || self.iter().map(|known| known.name.as_str());
                InputError::UnknownParameter {
                    check: of,
                    name: name.clone(),
                    nearest: nearest(name, known()),
                    known: known().map(str::to_owned).collect(),
                }
            })?;
            words.extend(parameter.words(value)?);
        }
        let read = self.read_words(of, words);
        read.map_err(|error| match error {
            // The value as it stands in the header: a text and a number are different there.
            InputError::BadArgument {
                parameter,
                given,
                allowed,
            } => InputError::BadArgument {
                given: values.get(&parameter).map_or(given, Value::to_string),
                parameter,
                allowed,
            },
            other => other,
        })
    }

    /// Reads some of the arguments of a command, and answers those alone.
    pub(crate) fn part(
        &self,
        of: &'static str,
        line: &str,
    ) -> Result<Map<String, Value>, InputError> {
        let command = self.augment(Command::new(of));
        let command = command.mut_args(|arg| arg.required(false));
        Ok(self.parse(of, line, command)?.given)
    }

    fn parse(
        &self,
        of: &'static str,
        line: &str,
        command: Command,
    ) -> Result<Arguments, InputError> {
        self.parse_words(of, shell::words(line)?, command)
    }

    /// Reads arguments that are words of a command line.
    pub(super) fn read_words(
        &self,
        of: &'static str,
        words: Vec<String>,
    ) -> Result<Arguments, InputError> {
        self.parse_words(of, words, self.augment(Command::new(of)))
    }

    fn parse_words(
        &self,
        of: &'static str,
        words: Vec<String>,
        command: Command,
    ) -> Result<Arguments, InputError> {
        let command = command.no_binary_name(true).disable_help_flag(true);
        match command.clone().try_get_matches_from(words) {
            Ok(matches) => Ok(self.arguments(matches)),
            Err(error) => Err(self.refusal(of, &command, &error)),
        }
    }

    /// Reason why the arguments of a command are refused.
    pub(crate) fn refusal(
        &self,
        of: &'static str,
        command: &Command,
        error: &clap::Error,
    ) -> InputError {
        let named = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(named)) => named.as_str(),
            Some(ContextValue::Strings(several)) => several.first().map_or("", String::as_str),
            _ => "",
        };
        // As clap shows it: `--nodes <NODES>`, or `--nodes=3`.
        let name = named.split([' ', '=']).next().unwrap_or_default();
        let parameter = || {
            let mut parameters = self.iter();
            let name = name.strip_prefix("--")?;
            parameters.find(|parameter| parameter.name == name)
        };
        match (error.kind(), parameter()) {
            (ErrorKind::UnknownArgument, _) if name.starts_with("--") => {
                let name = name.trim_start_matches('-');
                // An option that is nearly given is suggested too, and there are many of them.
                let options = command.get_arguments().filter_map(Arg::get_long);
                InputError::UnknownParameter {
                    check: of,
                    name: name.to_owned(),
                    nearest: nearest(name, options),
                    known: self.iter().map(|known| known.name.clone()).collect(),
                }
            }
            (ErrorKind::MissingRequiredArgument, Some(parameter)) => InputError::MissingArgument {
                parameter: parameter.name.clone(),
                allowed: match &parameter.kind {
                    ParameterKind::Choice { values, .. } => format!("one of {}", values.join(", ")),
                    _ => parameter.allowed(),
                },
            },
            (ErrorKind::InvalidValue | ErrorKind::ValueValidation, Some(parameter)) => {
                let given = error.get(ContextKind::InvalidValue);
                let given = given.map_or_else(String::new, ToString::to_string);
                let is_number = !given.is_empty() && given.bytes().all(|b| b.is_ascii_digit());
                InputError::BadArgument {
                    parameter: parameter.name.clone(),
                    given: if is_number {
                        given
                    } else {
                        format!("{given:?}")
                    },
                    allowed: parameter.allowed(),
                }
            }
            _ => InputError::Usage(one_line(error)),
        }
    }
}

impl Serialize for Parameters {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(serializer)
    }
}

impl Parameter {
    fn of(arg: &Arg) -> Self {
        let long = arg.get_long();
        let name = long.unwrap_or_else(|| panic!("`{}` has no long name", arg.get_id()));
        let default = arg.get_default_values().first();
        let default = default.map(|value| value.to_string_lossy().into_owned());
        let values = names(arg);
        let kind = match arg.get_action() {
            ArgAction::SetTrue => ParameterKind::Flag,
            ArgAction::Append => ParameterKind::Names,
            _ if is_number(arg) => {
                let range = range(arg);
                ParameterKind::Number {
                    least: range.map(|(least, _)| least),
                    most: range.map(|(_, most)| most),
                    default: default.and_then(|default| default.parse().ok()),
                }
            }
            _ if values.is_empty() => ParameterKind::Text { default },
            _ => ParameterKind::Choice { values, default },
        };
        let help = arg.get_help().map(ToString::to_string);
        Self {
            name: name.to_owned(),
            help: help.unwrap_or_default(),
            kind,
            id: arg.get_id().to_string(),
        }
    }

    fn value(&self, matches: &ArgMatches) -> Value {
        let texts = matches.get_raw(&self.id).into_iter().flatten();
        let mut texts = texts.map(|text| text.to_string_lossy().into_owned());
        match &self.kind {
            ParameterKind::Flag => matches.get_flag(&self.id).into(),
            ParameterKind::Names => texts.collect(),
            ParameterKind::Number { .. } => {
                let number = texts.next().map(|text| {
                    let whole = text.parse().map(|whole: u64| whole.into());
                    whole.or_else(|_| text.parse().map(|other: f64| other.into()))
                });
                number.and_then(Result::ok).unwrap_or(Value::Null)
            }
            ParameterKind::Choice { .. } | ParameterKind::Text { .. } => {
                texts.next().map_or(Value::Null, Value::from)
            }
        }
    }

    /// Words of a command line that give it a value of JSON.
    fn words(&self, value: &Value) -> Result<Vec<String>, InputError> {
        let name = &self.name;
        let word = |value: &dyn Display| format!("--{name}={value}");
        let texts = |values: &[Value]| -> Option<Vec<String>> {
            let texts = values.iter().map(Value::as_str);
            texts.map(|text| Some(word(&text?))).collect()
        };
        let words = match (&self.kind, value) {
            (ParameterKind::Number { .. }, Value::Number(number)) => Some(vec![word(number)]),
            (ParameterKind::Choice { .. } | ParameterKind::Text { .. }, Value::String(text)) => {
                Some(vec![word(text)])
            }
            (ParameterKind::Flag, Value::Bool(true)) => Some(vec![format!("--{name}")]),
            (ParameterKind::Flag, Value::Bool(false)) => Some(Vec::new()),
            (ParameterKind::Names, Value::Array(values)) => texts(values),
            _ => None,
        };
        words.ok_or_else(|| InputError::BadArgument {
            parameter: name.clone(),
            given: value.to_string(),
            allowed: self.allowed(),
        })
    }

    /// Word of a command line that gives it its first value, if it has no default.
    pub(super) fn first_if_required(&self) -> Option<String> {
        let name = &self.name;
        match &self.kind {
            ParameterKind::Choice {
                values,
                default: None,
            } => Some(format!("--{name}={}", values.first()?)),
            _ => None,
        }
    }

    /// Words each of which gives it a value other than that by default, where its values are listed.
    pub(super) fn other_values(&self) -> Vec<String> {
        let name = &self.name;
        match &self.kind {
            ParameterKind::Choice { values, default } => {
                let values = values.iter();
                let values = values.filter(|value| Some(*value) != default.as_ref());
                values.map(|value| format!("--{name}={value}")).collect()
            }
            ParameterKind::Flag => vec![format!("--{name}")],
            _ => Vec::new(),
        }
    }

    /// True of a word that gives it a value.
    pub(super) fn is_given_by(&self, word: &str) -> bool {
        let given = word
            .strip_prefix("--")
            .and_then(|word| word.strip_prefix(&*self.name));
        given.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    }

    /// Values that it accepts.
    fn allowed(&self) -> String {
        match &self.kind {
            ParameterKind::Number {
                least: Some(least),
                most: Some(most),
                ..
            } => format!("a number from {least} to {most}"),
            ParameterKind::Number { .. } => "a number".to_owned(),
            ParameterKind::Choice { values, .. } => values.join(" or "),
            ParameterKind::Flag => "given or not".to_owned(),
            ParameterKind::Names | ParameterKind::Text { .. } => self.help.clone(),
        }
    }
}

/// The argument as the help shows it: with its range, and whether it has to be given.
fn described(arg: Arg) -> Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let help = match range(&arg) {
        Some((least, most)) if is_number(&arg) => format!("{help} [{least} to {most}]"),
        _ if arg.is_required_set() => format!("{help} [required]"),
        _ => help,
    };
    let arg = arg.help(help);
    if !arg.get_action().takes_values() {
        return arg;
    }
    let arg = arg.allow_negative_numbers(true);
    // The name that clap gives where the field names none, and which repeats the option.
    let by_clap = [arg.get_id().as_str().to_uppercase()];
    let is_named = arg.get_value_names().is_none_or(|names| names != by_clap);
    let name = match arg.get_action() {
        _ if is_named => None,
        ArgAction::Append => Some("NAME".to_owned()),
        _ if is_number(&arg) => Some("N".to_owned()),
        _ => arg.get_long().map(str::to_owned),
    };
    let arg = if let Some(name) = name {
        arg.value_name(name)
    } else {
        arg
    };
    if is_number(&arg) {
        arg.hide_possible_values(true)
    } else {
        arg
    }
}

/// Names of the values of an argument.
fn names(arg: &Arg) -> Vec<String> {
    let values = arg.get_possible_values().into_iter();
    let values = values.filter(|value| !value.is_hide_set());
    values.map(|value| value.get_name().to_owned()).collect()
}

/// Range of an argument that [`number`](super::number) parses.
fn range(arg: &Arg) -> Option<(u64, u64)> {
    let ends = arg.get_possible_values();
    match &ends[..] {
        [least, most] if least.is_hide_set() && most.is_hide_set() => Some((
            least.get_name().parse().ok()?,
            most.get_name().parse().ok()?,
        )),
        _ => None,
    }
}

fn is_number(arg: &Arg) -> bool {
    let of = arg.get_value_parser().type_id();
    [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i8>(),
        TypeId::of::<i16>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
        TypeId::of::<isize>(),
        TypeId::of::<f32>(),
        TypeId::of::<f64>(),
    ]
    .iter()
    .any(|number| of == *number)
}

/// Error of a struct that takes what its grammar does not give.
fn mismatched(error: clap::Error) -> InputError {
    InputError::Usage(one_line(&error))
}

/// The text of an error on one line, without the usage.
pub(crate) fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let paragraphs = text.split("\n\n");
    let paragraphs = paragraphs.filter(|paragraph| {
        !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more information")
    });
    let paragraphs = paragraphs.map(|paragraph| {
        let lines: Vec<_> = paragraph.lines().map(str::trim).collect();
        lines.join(" ").trim().to_owned()
    });
    paragraphs.collect::<Vec<_>>().join("; ")
}
