//! JSON output: one object, with the version of its schema.

use std::io::{self, Write};

use refmap::internal::is_unseen;
use serde::Serialize;

/// Version of the schemas in `core/cli/schema`. It increases when a reader of the previous version could misread an
/// object; an additional field is compatible.
pub(super) const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// Prints `content`, which must serialize to an object.
pub(super) fn print(content: &impl Serialize, output: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        content,
    };
    let text = serde_json::to_string_pretty(&document)?;
    writeln!(output, "{}", visible(&text))
}

/// JSON whose texts have controls and the like as their escapes. Outside of texts there are none but line breaks.
pub(super) fn visible(json: &str) -> String {
    escaped(json, |character| character != '\n' && is_unseen(character))
}

/// JSON whose texts have these characters as their escapes.
pub(crate) fn escaped(json: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if is_escaped(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text += &format!("\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader has what was written, and no terminal is spoken to.
    #[test]
    fn texts_are_the_same_and_nothing_in_them_is_unseen() {
        let hostile = "\u{1b}[31m\u{9b}1A\u{7f}\u{202e}\u{e0041}\n\t\"\\ σ 🦀";
        let mut output = Vec::new();
        print(&serde_json::json!({ hostile: [hostile] }), &mut output).expect("there is room");
        let text = String::from_utf8(output).expect("it is text");
        assert!(!text.replace('\n', "").contains(is_unseen), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read[hostile][0], hostile);
    }
}
