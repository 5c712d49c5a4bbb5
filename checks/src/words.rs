//! Arguments of claims as a line of words, which is how most of them are shortest to state.

use refmap::catalogue::Parameter;
use serde_json::Value;

/// `name=value` for numbers and choices, `name` for a flag.
pub(super) fn arguments_of(parameters: &[Parameter], words: &str) -> Vec<(&'static str, Value)> {
    words
        .split_whitespace()
        .map(|word| {
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
            (parameter.name, value)
        })
        .collect()
}
