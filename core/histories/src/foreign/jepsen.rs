//! Operation maps of Jepsen, in EDN and in JSON, and the operations that they make up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::{Map, Value};

use super::bytes::Bytes;
use super::edn;
use super::operation::Foreign;
use super::problem::{DEEPEST, ForeignError, ForeignProblem};
use crate::event::MOST_THREADS;
use crate::strict::Strict;

/// Reads maps in EDN.
pub(super) fn read_edn(
    bytes: Bytes<'_>,
    mut operations: Operations,
) -> Result<Vec<Foreign>, ForeignError> {
    let mut reader = edn::Reader::new(bytes);
    while let Some(edn::Entry { line, value }) = reader.next()? {
        let added = Event::of(value).and_then(|event| operations.add(event, line));
        added.map_err(|problem| ForeignError { line, problem })?;
    }
    Ok(operations.finish())
}

/// Reads JSON objects, one after another or in one array.
pub(super) fn read_json(
    mut bytes: Bytes<'_>,
    mut operations: Operations,
) -> Result<Vec<Foreign>, ForeignError> {
    let mut is_in_array = false;
    let mut object = Vec::new();
    while let Some(byte) = bytes.peek()? {
        let line = bytes.line;
        match byte {
            b'[' if !is_in_array => is_in_array = true,
            b']' if is_in_array => is_in_array = false,
            b',' if is_in_array => (),
            _ if byte.is_ascii_whitespace() => (),
            b'{' => {
                let column = bytes.column;
                read_object(&mut bytes, &mut object)?;
                let value = parse_object(&object, line, column)?;
                let added = Event::of(value).and_then(|event| operations.add(event, line));
                added.map_err(|problem| ForeignError { line, problem })?;
                continue;
            }
            _ => {
                let reason = "an object is expected".to_owned();
                let column = bytes.column;
                return Err(bytes.error(ForeignProblem::NotJson { column, reason }));
            }
        }
        bytes.take(byte)?;
    }
    if is_in_array {
        return Err(bytes.error(ForeignProblem::Truncated));
    }
    Ok(operations.finish())
}

/// Copies the bytes of an object to the buffer; the next byte is its brace. Only strings and the depth are looked at:
/// the object may be malformed.
fn read_object(bytes: &mut Bytes<'_>, object: &mut Vec<u8>) -> Result<(), ForeignError> {
    let line = bytes.line;
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    object.clear();
    bytes.begin();
    while let Some(byte) = bytes.peek()? {
        if is_in_string && byte < b' ' {
            let (column, reason) = (bytes.column, "a string is not closed".to_owned());
            return Err(bytes.error(ForeignProblem::NotJson { column, reason }));
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_in_string,
            b'"' => is_in_string = !is_in_string,
            b'{' | b'[' if !is_in_string => depth += 1,
            b'}' | b']' if !is_in_string => depth -= 1,
            _ => (),
        }
        if depth > DEEPEST {
            return Err(bytes.error(ForeignProblem::TooDeep));
        }
        bytes.take(byte)?;
        object.push(byte);
        if depth == 0 {
            bytes.end();
            return Ok(());
        }
    }
    let problem = ForeignProblem::Truncated;
    Err(ForeignError { line, problem })
}

/// Parses an object that begins at a line and column.
fn parse_object(object: &[u8], line: u64, column: u64) -> Result<Value, ForeignError> {
    let Strict { value, twice } = serde_json::from_slice(object).map_err(|error| {
        let above = error.line().max(1) as u64 - 1;
        let left = if above == 0 { column - 1 } else { 0 };
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let reason = message.strip_suffix(&position).unwrap_or(&message);
        ForeignError {
            line: line + above,
            problem: ForeignProblem::NotJson {
                column: error.column() as u64 + left,
                reason: reason.to_owned(),
            },
        }
    })?;
    match twice {
        None => Ok(value),
        Some(field) => {
            let problem = ForeignProblem::Twice { field };
            Err(ForeignError { line, problem })
        }
    }
}

/// Event of a process.
#[derive(Debug)]
pub(super) struct Event {
    pub process: i64,
    pub kind: Kind,
    pub function: String,
    pub key: Option<Value>,
    pub value: Option<Value>,
    pub time: Option<u64>,
    pub index: Option<u64>,
}

/// Type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operation begins.
    Invoke,
    Complete(Outcome),
}

/// Outcome of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It took place, and this is its answer.
    Ok,
    /// It did not take place.
    Fail,
    /// It may take place at any later time, or never.
    Info,
}

impl Kind {
    pub fn named(name: &str) -> Result<Self, ForeignProblem> {
        match name {
            "invoke" => Ok(Self::Invoke),
            "ok" => Ok(Self::Complete(Outcome::Ok)),
            "fail" => Ok(Self::Complete(Outcome::Fail)),
            "info" => Ok(Self::Complete(Outcome::Info)),
            found => Err(ForeignProblem::NoSuchType {
                found: found.to_owned(),
            }),
        }
    }
}

impl Event {
    /// The event that a map describes; none if it is not one of a client.
    fn of(map: Value) -> Result<Option<Self>, ForeignProblem> {
        let Value::Object(map) = map else {
            return Err(ForeignProblem::NoMap);
        };
        let mut fields = Fields(map);
        let process = match fields.take("process")? {
            None => return Err(ForeignProblem::Missing { field: "process" }),
            Some(Value::Number(number)) if number.is_i64() => number.as_i64(),
            // A number that a writer put between quotation marks, or that is none of a process.
            Some(found @ Value::Number(_)) => return Err(wrong("process", "an integer", found)),
            Some(Value::String(text)) if text.parse::<i64>().is_ok() => {
                return Err(wrong("process", "an integer", text.into()));
            }
            Some(_) => None,
        };
        let Some(process) = process else {
            return Ok(None);
        };
        Ok(Some(Self {
            process,
            kind: Kind::named(&fields.keyword("type")?)?,
            function: fields.keyword("f")?,
            key: fields.take("key")?,
            value: fields.take("value")?,
            time: fields.count("time")?,
            index: fields.count("index")?,
        }))
    }
}

/// Fields of a map. JSON may have them with the colons of the keywords that they were.
struct Fields(Map<String, Value>);

impl Fields {
    fn take(&mut self, field: &'static str) -> Result<Option<Value>, ForeignProblem> {
        let plain = self.0.remove(field);
        let with_colon = self.0.remove(&format!(":{field}"));
        if plain.is_some() && with_colon.is_some() {
            let field = field.to_owned();
            return Err(ForeignProblem::Twice { field });
        }
        Ok(plain.or(with_colon))
    }

    fn keyword(&mut self, field: &'static str) -> Result<String, ForeignProblem> {
        match self.take(field)? {
            None => Err(ForeignProblem::Missing { field }),
            Some(Value::String(text)) => Ok(text.strip_prefix(':').unwrap_or(&text).to_owned()),
            Some(found) => Err(wrong(field, "a keyword", found)),
        }
    }

    /// A number of 63 bits; none if it is absent or, as Jepsen writes an unknown one, negative.
    fn count(&mut self, field: &'static str) -> Result<Option<u64>, ForeignProblem> {
        match self.take(field)? {
            None | Some(Value::Null) => Ok(None),
            Some(found) => match found.as_i64() {
                Some(number) => Ok(number.try_into().ok()),
                None => Err(wrong(field, "an integer of 64 bits", found)),
            },
        }
    }
}

fn wrong(field: &'static str, expected: &'static str, found: Value) -> ForeignProblem {
    ForeignProblem::WrongField {
        field,
        expected,
        found,
    }
}

/// Operations that events make up.
#[derive(Debug)]
pub(super) struct Operations {
    keyed: bool,
    /// In the order of invocations; those that did not take place are none.
    operations: Vec<Option<Foreign>>,
    /// Open operation of a process, as its position.
    open: HashMap<i64, usize>,
    /// Thread of a process.
    threads: HashMap<i64, u32>,
    /// Number of threads so far.
    count: u32,
    /// Time of the latest event.
    latest: Option<u64>,
    /// Index of the latest event that has one.
    index: u64,
}

impl Operations {
    pub fn new(keyed: bool) -> Self {
        Self {
            keyed,
            operations: Vec::new(),
            open: HashMap::new(),
            threads: HashMap::new(),
            count: 0,
            latest: None,
            index: 0,
        }
    }

    /// Adds the next event of the file, if it is one of a client.
    pub fn add(&mut self, event: Option<Event>, line: u64) -> Result<(), ForeignProblem> {
        let Some(event) = event else {
            return Ok(());
        };
        if let Some(index) = event.index {
            let before = std::mem::replace(&mut self.index, index);
            if index < before {
                return Err(ForeignProblem::IndexRanBackwards { index, before });
            }
        }
        // A time has 63 bits, and there are fewer events than that.
        let earliest = self.latest.map_or(0, |latest| latest + 1);
        let time = event.time.unwrap_or(0).max(earliest);
        self.latest = Some(time);
        match event.kind {
            Kind::Invoke => self.invoke(event, time, line),
            Kind::Complete(outcome) => self.complete(event, outcome, time, line),
        }
    }

    fn invoke(&mut self, event: Event, begin: u64, line: u64) -> Result<(), ForeignProblem> {
        let process = event.process;
        if let Some(open) = self.open.insert(process, self.operations.len()) {
            let since = self.operations[open].as_ref().map_or(0, |open| open.line);
            return Err(ForeignProblem::Busy { process, since });
        }
        let thread = match self.threads.entry(process) {
            Entry::Occupied(thread) => *thread.get(),
            Entry::Vacant(_) if self.count as usize == MOST_THREADS => {
                return Err(ForeignProblem::TooManyProcesses);
            }
            Entry::Vacant(vacant) => {
                self.count += 1;
                *vacant.insert(self.count - 1)
            }
        };
        let (key, argument) = split(event.key, event.value.unwrap_or_default(), self.keyed)?;
        self.operations.push(Some(Foreign {
            thread,
            function: event.function,
            key,
            argument,
            answer: None,
            begin,
            end: None,
            line,
            end_line: None,
        }));
        Ok(())
    }

    fn complete(
        &mut self,
        event: Event,
        outcome: Outcome,
        end: u64,
        line: u64,
    ) -> Result<(), ForeignProblem> {
        let process = event.process;
        let Some(position) = self.open.remove(&process) else {
            return Err(ForeignProblem::NotInvoked { process });
        };
        let slot = &mut self.operations[position];
        let open = slot.as_mut().expect("only a completion takes it");
        if event.function != open.function {
            return Err(ForeignProblem::OtherFunction {
                process,
                invoked: open.function.clone(),
                found: event.function,
            });
        }
        open.end_line = Some(line);
        match outcome {
            Outcome::Fail => *slot = None,
            Outcome::Info => {
                self.threads.remove(&process);
            }
            Outcome::Ok => {
                // A call without an argument may have no answer either; that of another one is lost.
                if event.value.is_none() && !open.argument.is_null() {
                    return Err(ForeignProblem::Missing { field: "value" });
                }
                let value = event.value.unwrap_or_default();
                let (found, answer) = split(event.key, value, self.keyed)?;
                match (&open.key, found) {
                    (Some(invoked), Some(found)) if *invoked != found => {
                        return Err(ForeignProblem::OtherKey {
                            process,
                            invoked: invoked.to_string(),
                            found: found.to_string(),
                        });
                    }
                    _ => (),
                }
                (open.answer, open.end) = (Some(answer), Some(end));
            }
        }
        Ok(())
    }

    /// The operations that took place or may have, in the order of invocations.
    pub fn finish(self) -> Vec<Foreign> {
        self.operations.into_iter().flatten().collect()
    }
}

/// Splits a value into its key, if it has one, and the rest.
fn split(
    key: Option<Value>,
    value: Value,
    keyed: bool,
) -> Result<(Option<Value>, Value), ForeignProblem> {
    if key.is_some() || !keyed {
        return Ok((key, value));
    }
    match value {
        Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
            Ok([key, value]) => Ok((Some(key), value)),
            Err(found) => Err(ForeignProblem::NoPair {
                found: found.into(),
            }),
        },
        found => Err(ForeignProblem::NoPair { found }),
    }
}
