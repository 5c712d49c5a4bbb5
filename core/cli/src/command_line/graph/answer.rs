//! Answer of `graph --json`: one object, of which each part is written as soon as it is found, so that memory is that of
//! one property. Errors come after all systems, and stay in a file until then.

use std::io::{self, Seek, Write};

use serde::Serialize;
use tempfile::SpooledTempFile;

use crate::json::{self, SCHEMA, line};

/// Most bytes of errors that are held in memory.
const IN_MEMORY: usize = 1 << 20;

/// Answer: its beginning, then systems and errors in any order, then its end.
pub struct Answer<'o> {
    output: &'o mut dyn Write,
    systems: List,
    properties: List,
    errors: List,
    errors_until_then: SpooledTempFile,
}

impl<'o> Answer<'o> {
    pub fn new(output: &'o mut dyn Write) -> Self {
        Self {
            output,
            systems: List::within(1),
            properties: List::within(3),
            errors: List::within(1),
            errors_until_then: SpooledTempFile::new(IN_MEMORY),
        }
    }

    pub fn begin(&mut self) -> io::Result<()> {
        let beginning = format!("{{\n  \"schema\": {SCHEMA},\n  \"graphs\": [");
        self.output.write_all(beginning.as_bytes())
    }

    /// Begins a system, of which the properties follow.
    pub fn begin_system(&mut self, name: &str, warnings: &[String]) -> io::Result<()> {
        self.systems.next(self.output)?;
        self.output.write_all(b"{\n      \"name\": ")?;
        json::write(name, 3, self.output)?;
        self.output.write_all(b",\n      \"warnings\": ")?;
        json::write(warnings, 3, self.output)?;
        self.output.write_all(b",\n      \"properties\": [")
    }

    pub fn property(&mut self, property: &impl Serialize) -> io::Result<()> {
        self.properties.item(self.output, property)
    }

    pub fn end_system(&mut self) -> io::Result<()> {
        self.properties.end(self.output)?;
        self.output.write_all(b"\n    }")
    }

    pub fn error(&mut self, error: &impl Serialize) -> io::Result<()> {
        self.errors.item(&mut self.errors_until_then, error)
    }

    pub fn end(mut self) -> io::Result<()> {
        self.systems.end(self.output)?;
        self.output.write_all(b",\n  \"errors\": [")?;
        self.errors.end(&mut self.errors_until_then)?;
        self.errors_until_then.rewind()?;
        io::copy(&mut self.errors_until_then, self.output)?;
        self.output.write_all(b"\n}\n")?;
        self.output.flush()
    }
}

/// List of which the items are written one after the other.
struct List {
    /// Depth of its bracket.
    depth: usize,
    is_empty: bool,
}

impl List {
    fn within(depth: usize) -> Self {
        Self {
            depth,
            is_empty: true,
        }
    }

    /// Begins an item.
    fn next(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if !self.is_empty {
            output.write_all(b",")?;
        }
        self.is_empty = false;
        output.write_all(line(self.depth + 1).as_bytes())
    }

    fn item(&mut self, output: &mut dyn Write, item: &impl Serialize) -> io::Result<()> {
        self.next(output)?;
        json::write(item, self.depth + 1, output)
    }

    /// Ends the list. The next item is the first one of another.
    fn end(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if !self.is_empty {
            output.write_all(line(self.depth).as_bytes())?;
        }
        self.is_empty = true;
        output.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The parts make what the whole would be, written at once.
    #[test]
    fn it_is_one_object() {
        let property = |name: &str| json!({"name": name, "states": [1, 2], "stem": null});
        let error = |line: u32| json!({"file": "a\nb", "line": line, "message": "\u{1b}"});
        for systems in 0..3 {
            for errors in [0, 1, 40_000] {
                let mut output = Vec::new();
                let mut answer = Answer::new(&mut output);
                answer.begin().expect("it can be written");
                let mut expected = Vec::new();
                for properties in 0..systems {
                    let warnings = vec!["two\nlines".to_owned(); properties];
                    answer
                        .begin_system("s", &warnings)
                        .expect("it can be written");
                    let all = vec![property("p"); properties];
                    for property in &all {
                        answer.property(property).expect("it can be written");
                    }
                    answer.end_system().expect("it can be written");
                    expected.push(json!({"name": "s", "warnings": warnings, "properties": all}));
                }
                let all: Vec<Value> = (0..errors).map(error).collect();
                for error in &all {
                    answer.error(error).expect("it can be written");
                }
                answer.end().expect("it can be written");
                let expected = json!({"schema": SCHEMA, "graphs": expected, "errors": all});
                let expected = serde_json::to_string_pretty(&expected).expect("it is JSON") + "\n";
                let output = String::from_utf8(output).expect("it is text");
                assert!(output == expected, "{systems} {errors}: {output}");
            }
        }
    }

    /// Errors go to a file, and systems to the output at once.
    #[test]
    fn nothing_is_held_in_memory() {
        let mut output = Vec::new();
        let mut answer = Answer::new(&mut output);
        let error = json!({"file": "f", "line": 1, "message": "e".repeat(1000)});
        for _ in 0..IN_MEMORY / 1000 + 1 {
            answer.error(&error).expect("it can be written");
        }
        assert!(answer.errors_until_then.is_rolled());
        answer.begin_system("s", &[]).expect("it can be written");
        answer.property(&"p").expect("it can be written");
        drop(answer);
        assert!(
            String::from_utf8(output)
                .expect("it is text")
                .contains("\"p\"")
        );
    }
}
