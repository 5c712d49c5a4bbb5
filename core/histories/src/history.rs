//! Reader of a history, line by line, in bounded memory.

use std::io::{self, BufRead};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::event::{End, Event, Header, VERSION};
use super::ordered::Ordered;
use super::problem::{HistoryError, Problem};
use super::strict::Strict;

/// Greatest length of a line, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;

/// History whose header has been read.
#[derive(Debug)]
pub struct History<R> {
    lines: Lines<R>,
    header: Header,
    is_nothing: bool,
}

impl<R: BufRead> History<R> {
    /// Reads the header. A text of blank lines, or of none, is a history of nothing, which has no end.
    ///
    /// # Errors
    ///
    /// If there is no header, or its format or version is another one.
    pub fn open(input: R) -> Result<Self, HistoryError> {
        let mut lines = Lines {
            input,
            buffer: Vec::new(),
            number: 0,
            is_terminated: true,
        };
        let is_nothing = lines.skip_blank()?;
        let header = if is_nothing {
            // A history that ends before its first line, and does not say that it ends.
            Ok(Header::default())
        } else if lines.number > 1 {
            Err(Problem::NoHeader)
        } else if lines.is_cut() {
            Err(Problem::NoEnd { within_line: true })
        } else {
            header(&lines.buffer)
        };
        let header = header.map_err(|problem| HistoryError { line: 1, problem })?;
        Ok(Self {
            lines,
            header,
            is_nothing,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// True if there was nothing to read, no header either.
    pub fn is_nothing(&self) -> bool {
        self.is_nothing
    }

    /// Iterator over the events.
    pub fn events<E: DeserializeOwned>(self) -> Ordered<Events<R, E>> {
        Ordered::new(Events {
            lines: self.lines,
            is_over: false,
            of: PhantomData,
        })
    }
}

fn header(line: &[u8]) -> Result<Header, Problem> {
    let Ok(Strict { value, twice }) = serde_json::from_slice(line) else {
        return Err(Problem::NoHeader);
    };
    let Value::Object(mut fields) = value else {
        return Err(Problem::NoHeader);
    };
    if let Some(field) = twice {
        return Err(Problem::TwiceInHeader { field });
    }
    match fields.remove("history") {
        Some(Value::String(name)) if name == "refmap" => (),
        None => return Err(Problem::NoHeader),
        Some(found) => return Err(Problem::OtherFormat { found }),
    }
    let found = fields.remove("version");
    let parameters = fields.remove("parameters");
    // The fields of another version are unknown; of an object without a version, one field may be a misspelled one.
    let unknown = fields.into_iter().next();
    match (found, unknown) {
        (Some(found), _) if found.as_u64() != Some(VERSION) => {
            return Err(Problem::OtherVersion { found });
        }
        (_, Some((field, _))) => return Err(Problem::HeaderField { field }),
        (None, None) => return Err(Problem::OtherVersion { found: Value::Null }),
        (Some(_), None) => (),
    }
    match parameters {
        None => Ok(Header::default()),
        Some(Value::Object(parameters)) => Ok(Header { parameters }),
        Some(_) => {
            let field = "parameters".to_owned();
            Err(Problem::HeaderField { field })
        }
    }
}

/// Reader of lines of bounded length.
#[derive(Debug)]
struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
    /// True if the line in the buffer ended with a line break.
    is_terminated: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line into the buffer; returns whether there is one.
    fn next(&mut self) -> Result<bool, HistoryError> {
        self.number += 1;
        self.buffer.clear();
        let most = LONGEST_LINE as u64 + 1;
        let mut bounded = io::Read::take(&mut self.input, most);
        let read = match bounded.read_until(b'\n', &mut self.buffer) {
            Ok(read) => read,
            Err(error) => return Err(self.error(error.into())),
        };
        self.is_terminated = self.buffer.last() == Some(&b'\n');
        if self.is_terminated {
            self.buffer.pop();
        } else if read as u64 == most {
            let limit = LONGEST_LINE;
            return Err(self.error(Problem::TooLong { limit }));
        }
        Ok(read > 0)
    }

    /// Reads lines until one that is not blank; true if there is none.
    fn skip_blank(&mut self) -> Result<bool, HistoryError> {
        while self.next()? {
            if !self.buffer.trim_ascii().is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if the input ended in the middle of the line: without a line break, and before its JSON value does.
    fn is_cut(&self) -> bool {
        if self.is_terminated {
            return false;
        }
        match std::str::from_utf8(&self.buffer) {
            // Only a character that is cut has an error without a length.
            Err(error) => error.error_len().is_none(),
            Ok(text) => serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof()),
        }
    }

    fn error(&self, problem: Problem) -> HistoryError {
        HistoryError {
            line: self.number,
            problem,
        }
    }
}

/// Iterator over the events of a history, in the order of its lines. Of a history without an end the last item is
/// [`Problem::NoEnd`].
#[derive(Debug)]
pub struct Events<R, E> {
    lines: Lines<R>,
    is_over: bool,
    of: PhantomData<fn() -> E>,
}

impl<R: BufRead, E: DeserializeOwned> Iterator for Events<R, E> {
    type Item = Result<Event<E>, HistoryError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<R: BufRead, E: DeserializeOwned> Events<R, E> {
    fn read(&mut self) -> Result<Option<Event<E>>, HistoryError> {
        let before = self.lines.number;
        if !self.lines.next()? {
            // The last line there is.
            self.lines.number = before;
            return Err(self.lines.error(Problem::NoEnd { within_line: false }));
        }
        let line = match line(&self.lines.buffer) {
            Ok(line) => line,
            Err(_) if self.lines.is_cut() => {
                return Err(self.lines.error(Problem::NoEnd { within_line: true }));
            }
            Err(problem) => return Err(self.lines.error(problem)),
        };
        match line {
            Line::Event(event) => Ok(Some(event)),
            Line::End(End { events: given, .. }) => {
                // The header is no event.
                let found = before - 1;
                if given != found {
                    return Err(self.lines.error(Problem::OtherEnd { given, found }));
                }
                if self.lines.next()? {
                    return Err(self.lines.error(Problem::AfterEnd));
                }
                Ok(None)
            }
        }
    }
}

/// Line after the header.
enum Line<E> {
    Event(Event<E>),
    End(End),
}

fn line<E: DeserializeOwned>(line: &[u8]) -> Result<Line<E>, Problem> {
    match as_written(line) {
        Some(event) => Ok(Line::Event(event)),
        None => in_any_form(line),
    }
}

/// Parses an event whose fields have the order and form that [`Writer`](super::Writer) produces.
///
/// PERF: a general JSON reader spends much of its time on field names and numbers; this parser takes two thirds of
/// the time. Every other form, and every error, is left to [`in_any_form`], which reports the errors. A test on
/// lines with arbitrary changes shows that the two agree.
fn as_written<E: DeserializeOwned>(line: &[u8]) -> Option<Event<E>> {
    let rest = line.strip_prefix(b"{\"thread\":")?;
    let (thread, rest) = number(rest)?;
    let (place, rest) = number(rest.strip_prefix(b",\"place\":")?)?;
    let (begin, rest) = number(rest.strip_prefix(b",\"begin\":")?)?;
    let (end, rest) = match rest.strip_prefix(b",\"end\":") {
        Some(rest) => number(rest).map(|(end, rest)| (Some(end), rest))?,
        None => (None, rest),
    };
    let event = rest.strip_prefix(b",\"event\":")?.strip_suffix(b"}")?;
    Some(Event {
        thread: u32::try_from(thread).ok()?,
        place,
        begin,
        end,
        // The rest of the line must be valid UTF-8 too.
        event: serde_json::from_str(std::str::from_utf8(event).ok()?).ok()?,
    })
}

/// Parses a leading number; returns it with the rest. `None` if there is no number, or it may not fit.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    /// A number of this many digits always fits.
    const DIGITS: usize = 19;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    // JSON permits no leading zeros.
    let is_plain = (1..=DIGITS).contains(&digits) && (digits == 1 || number[0] != b'0');
    let add = |sum, digit: &u8| 10 * sum + u64::from(digit - b'0');
    is_plain.then(|| (number.iter().fold(0, add), rest))
}

fn in_any_form<E: DeserializeOwned>(line: &[u8]) -> Result<Line<E>, Problem> {
    /// The fields that tell an end from an event.
    #[derive(Deserialize)]
    struct Mark {
        history: Option<IgnoredAny>,
    }
    let text = std::str::from_utf8(line).map_err(|error| Problem::Malformed {
        reason: error.to_string(),
    })?;
    if serde_json::from_str(text).is_ok_and(|mark: Mark| mark.history.is_some()) {
        let end = serde_json::from_str(text).map_err(|error| Problem::End {
            reason: without_line(&error),
        });
        return end.map(Line::End);
    }
    let event = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            Problem::Truncated
        } else {
            Problem::Malformed {
                reason: without_line(&error),
            }
        }
    });
    event.map(Line::Event)
}

/// Message of the JSON reader without its line, which is always 1.
fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column", " at column")
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum What {
        Store { value: Option<u64> },
        Fence,
    }

    /// An event type that ignores some fields.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    struct Partly {
        value: u64,
    }

    /// Checks that the fast parser agrees with the general one on `line`; returns whether the fast one applies.
    fn agree<E: Clone + fmt::Debug + PartialEq + DeserializeOwned>(line: &[u8]) -> bool {
        let Some(quick) = as_written::<E>(line) else {
            return false;
        };
        match in_any_form::<E>(line) {
            Ok(Line::Event(slow)) => assert_eq!(quick, slow),
            Ok(Line::End(end)) => panic!("{}: {end:?}", String::from_utf8_lossy(line)),
            Err(problem) => panic!("{}: {problem}", String::from_utf8_lossy(line)),
        }
        true
    }

    /// Both parsers agree on lines with any one byte changed, removed or doubled.
    #[test]
    fn both_ways_to_read_agree() {
        let lines = [
            r#"{"thread":1,"place":2,"begin":3,"end":4,"event":{"value":7,"note":"a fence"}}"#,
            r#"{"thread":0,"place":10,"begin":907,"end":12345678901234567890,"event":{"store":{"value":7}}}"#,
            r#"{"thread":4294967295,"place":0,"begin":1,"event":null}"#,
            r#"{"thread":1,"place":2,"begin":3,"end":4,"event":"fence"}"#,
            r#"{"thread":1,"place":2,"begin":3,"end":null,"event":{"store":{"value":null}} }"#,
            r#"{ "place":2,"thread":1,"begin":3,"event":"fence","end":4}"#,
        ];
        let (mut read, mut refused) = (0, 0);
        let mut compare = |line: &[u8]| {
            read += u32::from(agree::<What>(line));
            read += u32::from(agree::<Partly>(line));
        };
        for line in lines.map(str::as_bytes) {
            compare(line);
            for at in 0..line.len() {
                let [before, after] = [&line[..at], &line[at + 1..]];
                compare(&[before, after].concat());
                for byte in *b"0129.-e+\"{}[]:, nu\\\t\x80" {
                    compare(&[before, &[byte], after].concat());
                    compare(&[before, &[byte, line[at]], after].concat());
                }
                refused += usize::from(in_any_form::<What>(before).is_err());
            }
        }
        assert!(read > 100, "{read}");
        assert!(refused > 100, "{refused}");
        // The fast parser applies to the writer's own lines.
        assert!(as_written::<Partly>(lines[0].as_bytes()).is_some());
        assert!(as_written::<What>(lines[3].as_bytes()).is_some());
        assert!(as_written::<What>(lines[2].as_bytes()).is_some());
        assert!(as_written::<What>(lines[5].as_bytes()).is_none());
    }
}
