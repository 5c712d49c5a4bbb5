//! Histories that other tools recorded: Jepsen's, and those in its forms.
//!
//! [`read`] turns a history into a list of operations in a neutral form ([`Foreign`]), in the order in which they were
//! invoked. A value is not interpreted: the specification is chosen by the caller.
//!
//! ```
//! use refmap_histories::foreign::{Format, read};
//! use serde_json::json;
//!
//! let text = "{:process 0, :type :invoke, :f :write, :value 3, :time 10}
//! {:process 1, :type :invoke, :f :read, :value nil, :time 20}
//! {:process 1, :type :ok, :f :read, :value 3, :time 30}
//! {:process 0, :type :info, :f :write, :value :timed-out, :time 40}";
//! let format = Format::of(text.as_bytes()).expect("it is EDN");
//! let [write, read] = &read(&mut text.as_bytes(), format, false)?[..] else { panic!() };
//! assert_eq!((&write.argument, &write.answer, write.end), (&json!(3), &None, None));
//! assert_eq!((&read.answer, read.begin, read.end), (&Some(json!(3)), 20, Some(30)));
//! # Ok::<(), refmap_histories::foreign::ForeignError>(())
//! ```
//!
//! # Meaning
//!
//! Each line, or map, is an event of a process: `invoke` begins an operation, and one of three completes it. After `ok`
//! the answer is known. After `fail` the operation did not take place: it is left out. After `info` it may take effect
//! at any later time, or never: it has no end and no answer. The same holds of an operation that is still open at the
//! end of the file. After `info` Jepsen goes on under another process number; where the same number comes again, it is
//! another thread.
//!
//! Events of a process that is not a number (`:nemesis`) are no operations, and are skipped.
//!
//! # Time
//!
//! The order of the lines is the truth: in Jepsen's semantics a history is a totally ordered list, and its times are
//! readings of a clock that may stand still or run backwards. So an event whose time is not later than that of the event
//! before takes place one nanosecond after it. An event that has no time, or a negative one, does so too; if no event
//! has a time, times are positions. An `:index` that is smaller than the one before shows that the lines are not in
//! order, and is an error.
//!
//! # Not covered
//!
//! Integers beyond 64 bits are text in EDN and floats in JSON. The maps of a namespace `#:name{…}` lose the name. The
//! timestamps in front of the lines of a text log are not read.

mod bytes;
mod edn;
mod jepsen;
mod operation;
mod porcupine;
mod problem;

use std::io::BufRead;

use bytes::Bytes;
pub use operation::Foreign;
pub use problem::{DEEPEST, ForeignError, ForeignProblem};

/// Format of the history of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Maps in EDN, one after another or in one vector: Jepsen's `history.edn`, and the key-value logs of porcupine,
    /// whose maps have a field `:key`.
    JepsenEdn,
    /// The same maps as JSON objects, one on each line or in one array.
    JepsenJson,
    /// Lines of Jepsen's text log, `INFO  jepsen.util - 2  :invoke  :cas  [2 4]`: the etcd logs of porcupine. Its
    /// `history.txt` has the same lines without what is in front of the process. Other lines are skipped.
    JepsenText,
}

impl Format {
    /// Recognises the format from the beginning of a text, which has to have the first operation: some kilobytes suffice,
    /// unless that is long or a text log begins with other lines.
    pub fn of(beginning: &[u8]) -> Option<Self> {
        if porcupine::has_operation(beginning) {
            return Some(Self::JepsenText);
        }
        let text = beginning.trim_ascii_start();
        let first = match text.first()? {
            b';' => return Some(Self::JepsenEdn),
            // A tag or a discarded value; a heading of a page is none.
            b'#' => {
                let next = text.get(1)?;
                let is_edn = next.is_ascii_alphabetic() || *next == b'_';
                return is_edn.then_some(Self::JepsenEdn);
            }
            b'[' | b'(' => text[1..].trim_ascii_start(),
            _ => text,
        };
        let Some(fields) = first.strip_prefix(b"{") else {
            let is_edn = matches!(first.first(), None | Some(b']' | b')' | b';' | b'#'));
            return is_edn.then_some(Self::JepsenEdn);
        };
        let field = fields.trim_ascii_start();
        if !field.starts_with(b"\"") {
            return Some(Self::JepsenEdn);
        }
        // The header of this crate's own format has another first field, and other JSON no process.
        let is_own = field.starts_with(b"\"history\"");
        let has_process = text.windows(8).any(|text| text == b"process\"");
        (has_process && !is_own).then_some(Self::JepsenJson)
    }
}

/// Reads a history that another tool recorded, in the order of invocations. If `keyed`, each value is an independent
/// pair `[key value]`, unless the operation has a field `key`.
///
/// An operation has at most [`LONGEST_LINE`](crate::LONGEST_LINE) bytes, and so has a line of a text log; a vector
/// around all operations may be of any length.
///
/// # Errors
///
/// If the input cannot be read, an operation is malformed, or the operations of a process are not one after another.
pub fn read(
    input: &mut dyn BufRead,
    format: Format,
    keyed: bool,
) -> Result<Vec<Foreign>, ForeignError> {
    let bytes = Bytes::new(input);
    let operations = jepsen::Operations::new(keyed);
    match format {
        Format::JepsenEdn => jepsen::read_edn(bytes, operations),
        Format::JepsenJson => jepsen::read_json(bytes, operations),
        Format::JepsenText => porcupine::read_text(bytes, operations),
    }
}
