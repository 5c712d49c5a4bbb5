//! JSON output: one object, with the version of its schema. Whatever is not to be seen is an escape in it, so that a reader has what
//! was written, and no terminal is spoken to.

use std::io::{self, Write};

use refmap::internal::is_unseen;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Version of the schemas in `core/cli/schema`. It increases when a reader of the previous version could misread an
/// object; an additional field is compatible.
pub(crate) const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// Prints `content`, which must serialize to an object.
pub(crate) fn print(content: &impl Serialize, output: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        content,
    };
    write(&document, 0, output)?;
    output.write_all(b"\n")
}

/// Writes a value in lines that are indented, of which the first begins at some depth.
pub(crate) fn write<T: Serialize + ?Sized>(
    value: &T,
    depth: usize,
    output: &mut dyn Write,
) -> io::Result<()> {
    let lines = Lines {
        depth,
        is_empty: false,
    };
    let mut serializer = Serializer::with_formatter(output, lines);
    Ok(value.serialize(&mut serializer)?)
}

/// The beginning of a line at some depth.
pub(crate) fn line(depth: usize) -> String {
    format!("\n{}", "  ".repeat(depth))
}

/// JSON on one line, inside a page: `<` cannot end the element that it is in.
#[cfg(feature = "pictures")]
pub(crate) fn within_page(value: &serde_json::Value) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, WithinPage);
    value
        .serialize(&mut serializer)
        .expect("a value is written into memory");
    String::from_utf8(text).expect("JSON is text")
}

/// Writes a part of a text that has these characters as their escapes.
fn write_escaped<W: Write + ?Sized>(
    output: &mut W,
    text: &str,
    is_escaped: impl Fn(char) -> bool,
) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(&is_escaped) {
        let (before, escaped) = rest.split_at(at);
        output.write_all(before.as_bytes())?;
        let mut characters = escaped.chars();
        if let Some(escaped) = characters.next() {
            for unit in escaped.encode_utf16(&mut [0; 2]) {
                write!(output, "\\u{unit:04x}")?;
            }
        }
        rest = characters.as_str();
    }
    output.write_all(rest.as_bytes())
}

/// Form with a line for each item and each field.
struct Lines {
    depth: usize,
    /// True of a list or an object that has nothing so far.
    is_empty: bool,
}

impl Lines {
    fn open<W: Write + ?Sized>(&mut self, output: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        output.write_all(bracket)
    }

    fn next<W: Write + ?Sized>(&self, output: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            output.write_all(b",")?;
        }
        output.write_all(line(self.depth).as_bytes())
    }

    fn close<W: Write + ?Sized>(&mut self, output: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if !self.is_empty {
            output.write_all(line(self.depth).as_bytes())?;
        }
        self.is_empty = false;
        output.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn begin_array<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.open(output, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.close(output, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        output: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.next(output, is_first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.open(output, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.close(output, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        output: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.next(output, is_first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        output.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }

    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        output: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_escaped(output, text, is_unseen)
    }
}

/// Form without blanks, for a page.
#[cfg(feature = "pictures")]
struct WithinPage;

#[cfg(feature = "pictures")]
impl Formatter for WithinPage {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        output: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_escaped(output, text, |one| one == '<' || is_unseen(one))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A reader has what was written, and no terminal is spoken to.
    #[test]
    fn texts_are_the_same_and_nothing_in_them_is_unseen() {
        let hostile = "\u{1b}[31m\u{9b}1A\u{7f}\u{202e}\u{e0041}\n\t\"\\ σ 🦀<\u{feff}";
        let value = json!({ hostile: [hostile] });
        let mut output = Vec::new();
        print(&value, &mut output).expect("there is room");
        let text = String::from_utf8(output).expect("it is text");
        assert!(!text.replace('\n', "").contains(is_unseen), "{text}");
        let read: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read[hostile][0], hostile);
        #[cfg(feature = "pictures")]
        {
            let text = within_page(&value);
            assert!(!text.contains(|one| one == '<' || is_unseen(one)), "{text}");
            assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
        }
    }

    /// The lines are those of other writers.
    #[test]
    fn each_item_and_each_field_has_a_line() {
        let value = json!({
            "a": [], "b": {}, "c": [[], [{}], [1, 2.5, null]], "d": {"e": {"f": [true]}, "g": "h"},
        });
        for value in [value, json!([]), json!(7), json!("a")] {
            let mut output = Vec::new();
            write(&value, 0, &mut output).expect("there is room");
            let expected = serde_json::to_string_pretty(&value).expect("it is JSON");
            assert_eq!(String::from_utf8(output).expect("it is text"), expected);
            let mut output = Vec::new();
            write(&value, 2, &mut output).expect("there is room");
            let expected = expected.replace('\n', "\n    ");
            assert_eq!(String::from_utf8(output).expect("it is text"), expected);
        }
    }
}
