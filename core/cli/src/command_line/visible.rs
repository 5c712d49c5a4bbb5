//! Output in which nothing but this program speaks to the terminal.

use std::io::{self, Write};

use refmap::internal::{Colour, Ink, visible_lines};

/// Inks whose escape sequences this program writes.
const INKS: [Ink; 6] = [
    Ink::Good,
    Ink::Bad,
    Ink::Doubtful,
    Ink::Strong,
    Ink::Faint,
    Ink::Changed,
];

/// Writer of text that shows controls as their escapes, but those of its own colours. Lines are written when they are complete.
pub(super) struct Visible<'a> {
    output: &'a mut dyn Write,
    /// Escape sequences of colours.
    own: Vec<String>,
    line: Vec<u8>,
}

impl<'a> Visible<'a> {
    pub fn new(output: &'a mut dyn Write, colour: Colour) -> Self {
        let around = |ink| {
            let painted = colour.paint(ink, "\n");
            let ends = painted.split('\n').map(str::to_owned);
            ends.filter(|end| !end.is_empty()).collect::<Vec<_>>()
        };
        Self {
            output,
            own: INKS.into_iter().flat_map(around).collect(),
            line: Vec::new(),
        }
    }

    fn write_lines(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&lines);
        self.output.write_all(shown(&text, &self.own).as_bytes())
    }
}

/// The text without controls but those of `own`.
fn shown(mut text: &str, own: &[String]) -> String {
    let mut shown = String::with_capacity(text.len());
    while let Some(escape) = text.find('\x1b') {
        let (before, rest) = text.split_at(escape);
        shown += &visible_lines(before);
        let sequence = own.iter().find(|own| rest.starts_with(own.as_str()));
        let length = sequence.map_or(1, String::len);
        match sequence {
            Some(sequence) => shown += sequence,
            None => shown += &visible_lines(&rest[..length]),
        }
        text = &rest[length..];
    }
    shown + &visible_lines(text)
}

impl Write for Visible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = self.line.len();
        self.line.extend_from_slice(bytes);
        // Text before it has no end of a line: a long one that comes in small parts is looked at once.
        if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.line.split_off(before + end + 1);
            let written = self.write_lines();
            self.line = rest;
            written?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_lines()?;
        self.output.flush()
    }
}

/// Writes a message to standard error, if it can be written there.
pub(super) fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "{}", visible_lines(message));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(colour: Colour, parts: &[&str]) -> String {
        let mut written = Vec::new();
        let mut output = Visible::new(&mut written, colour);
        for part in parts {
            output.write_all(part.as_bytes()).expect("there is room");
        }
        output.flush().expect("there is room");
        String::from_utf8(written).expect("it is text")
    }

    #[test]
    fn only_its_own_colours_reach_the_terminal() {
        let painted = Colour::Ansi.paint(Ink::Bad, "violated");
        let hostile = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}1A\u{202e}";
        let shown = "\\u{1b}]0;title\\u{7}\\u{1b}[2J\\u{9b}1A\\u{202e}";
        let parts = [painted.as_str(), hostile, "\nσ", "\n", "end"];
        let expected = format!("{painted}{shown}\nσ\nend");
        assert_eq!(written(Colour::Ansi, &parts), expected);
        let expected = format!("\\u{{1b}}[1;31mviolated\\u{{1b}}[0m{shown}\nσ\nend");
        assert_eq!(written(Colour::Plain, &parts), expected);
    }

    /// A character that comes in two writes is one.
    #[test]
    fn what_is_written_in_pieces_is_one_text() {
        let mut written = Vec::new();
        let mut output = Visible::new(&mut written, Colour::Plain);
        for byte in "a→\u{1b}[31m\n".as_bytes() {
            output.write_all(&[*byte]).expect("there is room");
        }
        assert!(output.line.is_empty(), "a line is written when it ends");
        output.write_all(b"b\nc\nd").expect("there is room");
        assert_eq!(output.line, b"d", "and each of two that come at once");
        assert_eq!(
            String::from_utf8(written).expect("it is text"),
            "a→\\u{1b}[31m\nb\nc\n"
        );
    }
}
