//! What `--json` prints: one object, which says by which schema it is to be read.

use std::io::{self, Write};

use serde::Serialize;

/// The version of the schemas in `core/cli/schema`. It grows when a reader of the version before would misread an object;
/// a field more is none of that.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// Prints `content`, which has to be an object.
pub(super) fn print(content: &impl Serialize, output: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        content,
    };
    let text = serde_json::to_string_pretty(&document)?;
    writeln!(output, "{text}")
}
