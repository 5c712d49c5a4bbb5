//! JSON output: one object, with the version of its schema. Whatever is not to be seen is an escape in it, so that a reader has what
//! was written, and no terminal is spoken to.

use std::io::{self, Write};

use refmap::internal::is_unseen;
use serde::Serialize;

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
    let mut output = Escaping {
        output,
        indentation: "  ".repeat(depth),
        is_escaped: is_unseen,
    };
    Ok(serde_json::to_writer_pretty(&mut output, value)?)
}

/// The beginning of a line at some depth.
pub(crate) fn line(depth: usize) -> String {
    format!("\n{}", "  ".repeat(depth))
}

/// JSON on one line, inside a page: `<` cannot end the element that it is in.
#[cfg(feature = "pictures")]
pub(crate) fn within_page(value: &serde_json::Value) -> String {
    let mut text = Vec::new();
    let mut output = Escaping {
        output: &mut text,
        indentation: String::new(),
        is_escaped: |one| one == '<' || is_unseen(one),
    };
    serde_json::to_writer(&mut output, value).expect("a value is written into memory");
    String::from_utf8(text).expect("JSON is text")
}

/// Output in which some characters are their escapes, and lines begin further to the right. In JSON the one are in texts alone, and the
/// others between them.
struct Escaping<'o, W: ?Sized> {
    output: &'o mut W,
    indentation: String,
    is_escaped: fn(char) -> bool,
}

impl<W: Write + ?Sized> Write for Escaping<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A serializer writes whole characters.
        let mut rest = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        while let Some(at) = rest.find(|one| one == '\n' || (self.is_escaped)(one)) {
            let (before, found) = rest.split_at(at);
            self.output.write_all(before.as_bytes())?;
            let mut characters = found.chars();
            match characters.next() {
                Some('\n') => write!(self.output, "\n{}", self.indentation)?,
                escaped => {
                    for unit in escaped.unwrap_or_default().encode_utf16(&mut [0; 2]) {
                        write!(self.output, "\\u{unit:04x}")?;
                    }
                }
            }
            rest = characters.as_str();
        }
        self.output.write_all(rest.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
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
