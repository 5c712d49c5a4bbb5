//! Arguments in text form: those of claims as a line of words, which is the shortest way to state most of them, and
//! the values of named choices.

use refmap_cli::catalogue::{Arguments, Parameter, ParameterKind};
use serde_json::Value;

/// Parses `name=value` for numbers, choices and names, which may be repeated, and `name` for a flag.
pub(super) fn arguments_of(parameters: &[Parameter], words: &str) -> Vec<(&'static str, Value)> {
    let mut arguments: Vec<(&'static str, Value)> = Vec::new();
    for word in words.split_whitespace() {
        let (name, value) = match word.split_once('=') {
            None => (word, Value::Bool(true)),
            Some((name, value)) => {
                let number = value.parse::<u64>().map(Value::from);
                (name, number.unwrap_or_else(|_| value.into()))
            }
        };
        let mut named = parameters.iter().filter(|parameter| parameter.name == name);
        let parameter = named
            .next()
            .expect("claims are made of the check's parameters");
        let given = arguments.iter_mut().find(|(given, _)| *given == name);
        match (given, &parameter.kind) {
            (Some((_, Value::Array(names))), _) => names.push(value),
            (_, ParameterKind::Names) => arguments.push((parameter.name, vec![value].into())),
            _ => arguments.push((parameter.name, value)),
        }
    }
    arguments
}

/// Value of a choice, whose names are in the order of the values.
pub(super) fn chosen<T: Copy, const N: usize>(
    arguments: &Arguments,
    parameter: &str,
    names: &[&str; N],
    values: [T; N],
) -> T {
    let choice = arguments.choice(parameter);
    let mut named = names.iter().zip(values);
    let found = named.find(|(name, _)| **name == choice);
    found.expect("the choices are these names").1
}
