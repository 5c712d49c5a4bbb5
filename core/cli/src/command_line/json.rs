//! JSON output: one object, with the version of its schema.

use std::io::{self, Write};

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
    writeln!(output, "{text}")
}
