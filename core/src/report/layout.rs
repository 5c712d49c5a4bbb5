//! Lines of text: their width, their colours, breaking them and laying them side by side.
//!
//! Left out: characters that are wider or narrower than one column. Each counts as one.

use std::fmt::Display;

use serde_json::Value;

use crate::statement::shown::value::compact;

/// Choice whether text carries the escape sequences of a terminal's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// Kind of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Something that holds.
    Good,
    /// Something that fails.
    Bad,
    /// Something that is not decided.
    Doubtful,
    /// Text that the eye should find first.
    Strong,
    /// Text that it may skip.
    Faint,
    /// Something that differs.
    Changed,
}

impl Colour {
    /// `text` as it is printed, in the colour of `ink` where there are colours.
    pub fn paint(self, ink: Ink, text: impl Display) -> String {
        let code = match (self, ink) {
            (Self::Plain, _) => return text.to_string(),
            (Self::Ansi, Ink::Good) => "32",
            (Self::Ansi, Ink::Bad) => "1;31",
            (Self::Ansi, Ink::Doubtful) => "33",
            (Self::Ansi, Ink::Strong) => "1",
            (Self::Ansi, Ink::Faint) => "2",
            (Self::Ansi, Ink::Changed) => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Number of columns that `text` takes: its characters, without escape sequences.
pub(crate) fn width(text: &str) -> usize {
    let mut escaped = false;
    let mut columns = 0;
    for character in text.chars() {
        match (escaped, character) {
            (true, 'm') => escaped = false,
            (true, _) => (),
            (false, '\x1b') => escaped = true,
            (false, _) => columns += 1,
        }
    }
    columns
}

/// `text` with spaces behind it, up to `columns`.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// One line of text as lines of at most `columns`, all but the first indented by `indent`.
///
/// Parts that two spaces separate are kept together if that is possible, and then what one separates.
pub fn wrap(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut lines = WrappedLines {
        done: Vec::new(),
        line: String::new(),
        used: 0,
        columns: columns.max(indent + 8),
        indent,
    };
    for (gap, piece) in pieces(text, 2) {
        if width(piece) <= lines.columns - indent {
            lines.put(gap, piece);
            continue;
        }
        let mut first = true;
        for (inner, word) in pieces(piece, 1) {
            let gap = if first { gap } else { inner };
            first = false;
            if width(word) > lines.columns - indent && !word.contains('\x1b') {
                lines.break_word(gap, word);
            } else {
                lines.put(gap, word);
            }
        }
    }
    lines.done.push(lines.line);
    lines.done
}

/// The parts of `text` between runs of at least `spaces` spaces, each with the run before it. A number whose digits are
/// [`grouped`] is not parted.
fn pieces(text: &str, spaces: usize) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let piece = rest.trim_start_matches(' ');
        let gap = rest.len() - piece.len();
        let gap_of = " ".repeat(spaces);
        let mut gaps = piece.match_indices(&gap_of).map(|(at, _)| at);
        let end = gaps.find(|at| !is_within_number(piece, *at));
        let end = end.unwrap_or(piece.len());
        found.push((gap, &piece[..end]));
        rest = &piece[end..];
    }
    found
}

/// True if the space at a place of `text` is one between the groups of a number's digits.
fn is_within_number(text: &str, space: usize) -> bool {
    let after = &text.as_bytes()[space + 1..];
    let group = after.iter().take_while(|byte| byte.is_ascii_digit());
    text[..space].ends_with(|before: char| before.is_ascii_digit()) && group.count() == 3
}

struct WrappedLines {
    done: Vec<String>,
    line: String,
    used: usize,
    columns: usize,
    indent: usize,
}

impl WrappedLines {
    fn put(&mut self, gap: usize, piece: &str) {
        let columns = width(piece);
        let fresh = self.line.trim_start().is_empty() && !self.done.is_empty();
        let gap = if fresh { 0 } else { gap };
        if !fresh && self.used > 0 && self.used + gap + columns > self.columns {
            self.start_line();
            return self.put(0, piece);
        }
        self.line += &" ".repeat(gap);
        self.line += piece;
        self.used += gap + columns;
    }

    /// A word that no line can hold is cut where a line ends.
    fn break_word(&mut self, gap: usize, word: &str) {
        let mut gap = gap;
        let mut rest = word;
        while !rest.is_empty() {
            if self.used + gap >= self.columns {
                self.start_line();
                gap = 0;
            }
            let room = self.columns - self.used - gap;
            let end = rest
                .char_indices()
                .nth(room)
                .map_or(rest.len(), |(at, _)| at);
            self.line += &" ".repeat(gap);
            self.line += &rest[..end];
            self.used += gap + width(&rest[..end]);
            rest = &rest[end..];
            gap = 0;
        }
    }

    fn start_line(&mut self) {
        let next = " ".repeat(self.indent);
        self.done.push(std::mem::replace(&mut self.line, next));
        self.used = self.indent;
    }
}

/// Two blocks of lines next to each other, within `columns` if that leaves each some 30;
/// otherwise the second below the first. A line that is too long for its side is wrapped.
pub(crate) fn beside(left: &[String], right: &[String], columns: usize) -> Vec<String> {
    const GAP: usize = 3;
    const LEAST: usize = 30;
    let widest = |lines: &[String]| lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let (wanted_left, wanted_right) = (widest(left), widest(right));
    let wrapped = |lines: &[String], columns| {
        let lines = lines.iter().flat_map(|line| wrap(line, columns, 4));
        lines.collect::<Vec<_>>()
    };
    let fits = wanted_left + GAP + wanted_right <= columns;
    if !fits && columns < 2 * LEAST + GAP {
        let mut stacked = wrapped(left, columns);
        stacked.extend(wrapped(right, columns));
        return stacked;
    }
    let half = (columns - GAP) / 2;
    // A side that needs less than its half leaves the rest to the other.
    let left_columns = if fits || wanted_left <= half {
        wanted_left
    } else {
        half.max((columns - GAP).saturating_sub(wanted_right))
            .min(wanted_left)
    };
    let left = wrapped(left, left_columns);
    let right = wrapped(right, columns - GAP - left_columns);
    let rows = 0..left.len().max(right.len());
    rows.map(|row| {
        let first = left.get(row).map_or("", String::as_str);
        let second = right.get(row).map_or("", String::as_str);
        let line = format!("{}{}{second}", pad(first, left_columns), " ".repeat(GAP));
        line.trim_end().to_owned()
    })
    .collect()
}
/// A parameter: texts without quotation marks, lists without brackets.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => compact(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_fields_first() {
        assert_eq!(
            wrap("chi test_l  m [[1] [0]]  l 2", 16, 2),
            ["chi test_l", "  m [[1] [0]]", "  l 2"]
        );
        assert_eq!(
            wrap("  one two three four", 12, 4),
            ["  one two", "    three", "    four"]
        );
    }

    #[test]
    fn no_line_ends_within_a_number() {
        let text = "in all 1 616 235 329 states and 12 345 678 steps";
        for columns in 20..60 {
            let lines = wrap(text, columns, 2);
            for number in ["1 616 235 329", "12 345 678"] {
                assert!(lines.iter().any(|line| line.contains(number)), "{lines:?}");
            }
        }
        assert_eq!(wrap("n 1 2 3 4", 9, 1), ["n 1 2 3 4"]);
        assert_eq!(wrap("n 12 34 567 8901", 9, 1), ["n 12", " 34 567", " 8901"]);
    }

    #[test]
    fn no_line_is_too_long() {
        let texts = [
            "a b c  d e f g h i j k l m n o p",
            "abcdefghijklmnopqrstuvwxyz0123456789  x yz",
            "  indented  abcdefghijklmnopqrstuvwxyz → 1",
            "",
        ];
        for text in texts {
            for columns in 12..50 {
                let lines = wrap(text, columns, 4);
                assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
                let letters = |text: &str| text.replace(' ', "");
                assert_eq!(letters(&lines.concat()), letters(text));
            }
        }
    }

    #[test]
    fn colours_take_no_room() {
        let red = Colour::Ansi.paint(Ink::Bad, "red");
        assert_eq!(width(&red), 3);
        assert_eq!(pad(&red, 5), format!("{red}  "));
        assert_eq!(Colour::Plain.paint(Ink::Bad, "red"), "red");
    }

    #[test]
    fn blocks_stand_side_by_side_where_there_is_room() {
        let left = ["a 1".to_owned(), "b 2".to_owned()];
        let right = ["c 3".to_owned()];
        assert_eq!(beside(&left, &right, 20), ["a 1   c 3", "b 2"]);
        let long = ["x".repeat(40)];
        assert_eq!(beside(&long, &right, 42), [long[0].as_str(), "c 3"]);
        let both = beside(&[long[0].clone()], &[long[0].clone()], 70);
        assert!(
            both.len() == 2 && both.iter().all(|line| width(line) <= 70),
            "{both:?}"
        );
    }
}
