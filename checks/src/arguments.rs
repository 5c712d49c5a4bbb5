//! Arguments as words: those of claims as a line of them, which is how most are shortest to state.

use refmap_cli::catalogue::{Parameter, ParameterKind};
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
