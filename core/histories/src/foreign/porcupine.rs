//! Lines of Jepsen's text log, as porcupine's collection of etcd logs has them:
//!
//! ```text
//! INFO  jepsen.util - 2   :invoke   :cas   [2 4]
//! INFO  jepsen.util - 2   :info   :cas   :timed-out
//! 2021-02-26 11:42:48,813{GMT}   INFO   [jepsen worker 1] jepsen.util: 1   :ok   :read   3
//! ```
//!
//! and of Jepsen's `history.txt`, which has the fields alone:
//!
//! ```text
//! 1   :ok   :read   3
//! ```
//!
//! The fields, between tabs or spaces, are process, type, function and value. After `:fail` and `:info` an error may
//! stand in place of the value, or follow it; neither is read.

use serde_json::Value;

use super::bytes::Bytes;
use super::edn::Reader;
use super::jepsen::{Event, Kind, Operations, Outcome};
use super::operation::Foreign;
use super::problem::{ForeignError, ForeignProblem};

/// Texts in front of an operation.
const MARKS: [&[u8]; 2] = [b"jepsen.util - ", b"jepsen.util: "];

/// Reads the lines that have an operation; all others are skipped.
pub(super) fn read_text(
    mut bytes: Bytes<'_>,
    mut operations: Operations,
) -> Result<Vec<Foreign>, ForeignError> {
    let mut text = Vec::new();
    loop {
        let line = bytes.line;
        if !bytes.read_line(&mut text)? {
            return Ok(operations.finish());
        }
        let Some(start) = operation(&text) else {
            continue;
        };
        let event = event(&text, start, line)?;
        let added = operations.add(event.into(), line);
        added.map_err(|problem| ForeignError { line, problem })?;
    }
}

/// True if the text is not in EDN or JSON, and one of its lines has an operation.
pub(super) fn has_operation(text: &[u8]) -> bool {
    let is_map = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let is_value = text
        .trim_ascii_start()
        .first()
        .is_some_and(|first| b"{[(#;".contains(first));
    text.split(|byte| *byte == b'\n').any(|line| {
        if is_value && is_bare(line) {
            return false;
        }
        !is_map(line) && operation(line).is_some()
    })
}

/// Start of the operation in a line; none if there is none. The process of an operation is a number.
fn operation(line: &[u8]) -> Option<usize> {
    if is_bare(line) {
        return Some(0);
    }
    let ends = MARKS.iter().filter_map(|mark| {
        let start = line.windows(mark.len()).position(|text| text == *mark)?;
        Some(start + mark.len())
    });
    let end = ends.min()?;
    let digits = line[end..].trim_ascii_start();
    let is_operation = digits.first().is_some_and(u8::is_ascii_digit);
    is_operation.then(|| line.len() - digits.len())
}

/// True of a line that begins with a number and a keyword.
fn is_bare(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &line[digits..];
    let keyword = rest.trim_ascii_start();
    digits > 0 && keyword.len() < rest.len() && keyword.starts_with(b":")
}

/// Reads the operation that begins within a line.
fn event(text: &[u8], start: usize, line: u64) -> Result<Event, ForeignError> {
    let error = |problem| ForeignError { line, problem };
    let column = String::from_utf8_lossy(&text[..start]).chars().count() as u64 + 1;
    let mut rest = &text[start..];
    let mut reader = Reader::new(Bytes::at(&mut rest, line, column));
    let mut field = |field, expected, has_type: fn(&Value) -> bool| match reader.value()? {
        None => Err(error(ForeignProblem::Missing { field })),
        Some(value) if has_type(&value) => Ok(value),
        Some(found) => Err(error(ForeignProblem::WrongField {
            field,
            expected,
            found,
        })),
    };
    let process = field("process", "an integer", Value::is_i64)?;
    let kind = field("type", "a keyword", Value::is_string)?;
    let function = field("f", "a keyword", Value::is_string)?;
    let kind = Kind::named(kind.as_str().unwrap_or_default()).map_err(error)?;
    let value = match kind {
        Kind::Invoke | Kind::Complete(Outcome::Ok) => Some(field("value", "a value", |_| true)?),
        Kind::Complete(Outcome::Fail | Outcome::Info) => None,
    };
    Ok(Event {
        process: process.as_i64().unwrap_or_default(),
        kind,
        function: function.as_str().unwrap_or_default().to_owned(),
        key: None,
        value,
        time: None,
        index: None,
    })
}
