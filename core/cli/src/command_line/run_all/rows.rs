//! Text of the default run: one line a row, what there is to say of those that are not as claimed, and a summary.

use std::io::{self, Write};

use super::row::Row;
use crate::command_line::terminal::shortened;
use refmap::internal::{Ink, TextOptions, grouped, wrap};

/// Column of a row at which its command begins.
const COMMAND: usize = 13;
/// Columns of a command that is not longer.
const COMMAND_WIDTH: usize = 64;
/// Columns that are left for a command beside the states and the time, or these are left out.
const LEAST_COMMAND_WIDTH: usize = 24;

/// Format of rows.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// Name of the program.
    pub program: &'a str,
    pub options: TextOptions,
    /// Columns of the terminal. Lines that go elsewhere, to be searched, are not shortened.
    pub columns: Option<usize>,
    /// True if the source of each row and what it says are written too.
    pub verbose: bool,
}

impl Rows<'_> {
    /// Writes a row, and its details if it is not as claimed.
    pub fn row(&self, row: &Row, output: &mut dyn Write) -> io::Result<()> {
        if self.verbose {
            let text = format!("{}  [{}]  {}", full(row), row.source, row.says);
            let line = format!("{} {text}", self.mark(row));
            for line in wrap(&line, self.options.width, COMMAND) {
                writeln!(output, "{}", line.trim_end())?;
            }
        } else {
            self.line(row, output)?;
        }
        if !row.is_as_claimed() {
            let mut details = row.details(self.program);
            // On a line of its own, whatever its length, so that it can be copied.
            let again = details.pop();
            self.indented(&details, output)?;
            again.map_or(Ok(()), |again| writeln!(output, "    {again}"))?;
        }
        output.flush()
    }

    /// Writes the rows that are not as claimed once more, with what differs.
    pub fn otherwise(&self, rows: &[Row], output: &mut dyn Write) -> io::Result<()> {
        if !rows.is_empty() {
            writeln!(output, "\nnot as claimed:")?;
        }
        for row in rows {
            self.line(row, output)?;
            self.indented(&row.differences, output)?;
        }
        Ok(())
    }

    fn indented(&self, lines: &[String], output: &mut dyn Write) -> io::Result<()> {
        for line in lines {
            let columns = self.columns.unwrap_or(usize::MAX);
            for line in wrap(&format!("    {line}"), columns, 6) {
                writeln!(output, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    fn line(&self, row: &Row, output: &mut dyn Write) -> io::Result<()> {
        let text = match self.columns {
            None => format!("{}  [{}]", full(row), row.source),
            Some(columns) => fitted(row, columns.saturating_sub(2)),
        };
        writeln!(output, "{} {}", self.mark(row), text.trim_end())
    }

    fn mark(&self, row: &Row) -> String {
        if row.is_as_claimed() {
            self.options.colour.paint(Ink::Good, "✓")
        } else {
            self.options.colour.paint(Ink::Bad, "✗")
        }
    }
}

fn cost(row: &Row) -> String {
    let states = grouped(row.states);
    format!("  {states:>9} states {:>6.2} s", row.seconds)
}

fn full(row: &Row) -> String {
    format!(
        "{:<10} {:<COMMAND_WIDTH$}{}",
        row.verdict,
        row.command,
        cost(row)
    )
}

/// Formats a row in at most `columns`: its command is shortened, and its source is left out, if they do not fit.
fn fitted(row: &Row, columns: usize) -> String {
    let mut cost = cost(row);
    let for_command = columns.saturating_sub(COMMAND - 2);
    let mut width = for_command.saturating_sub(cost.chars().count());
    if width < LEAST_COMMAND_WIDTH {
        cost.clear();
        width = for_command;
    }
    let command = shortened(&row.command, width);
    let padded = COMMAND_WIDTH.min(width);
    let line = format!("{:<10} {command:<padded$}{cost}", row.verdict);
    let source = format!("  [{}]", row.source);
    if line.chars().count() + source.chars().count() <= columns {
        line + &source
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(columns: Option<usize>, verbose: bool, rows: &[Row]) -> Vec<String> {
        let written = Rows {
            program: "refmap",
            options: TextOptions {
                width: columns.unwrap_or(100),
                ..TextOptions::default()
            },
            columns,
            verbose,
        };
        let mut output = Vec::new();
        for row in rows {
            written.row(row, &mut output).expect("there is room");
        }
        let text = String::from_utf8(output).expect("it is text");
        text.lines().map(str::to_owned).collect()
    }

    const SHORT: &str = "ben-ari-3 --nodes 2";
    const LONG: &str = "ben-ari-3 --nodes 4 --sons 1 --obligations observation,initiality,simulation,agency,deadlock";

    #[test]
    fn a_row_is_one_line_that_fits() {
        let rows = [Row::of_test(SHORT, &[]), Row::of_test(LONG, &[])];
        assert_eq!(
            written(Some(80), false, &rows),
            [
                "✓ holds      ben-ari-3 --nodes 2                         415 633 states   1.23 s",
                "✓ holds      ben-ari-3 --nodes 4 --sons 1 --obligati…    415 633 states   1.23 s",
            ]
        );
        assert_eq!(
            written(Some(50), false, &rows),
            [
                "✓ holds      ben-ari-3 --nodes 2",
                "✓ holds      ben-ari-3 --nodes 4 --sons 1 --oblig…",
            ]
        );
        let wide = written(Some(140), false, &rows);
        assert!(wide[0].ends_with(" 415 633 states   1.23 s  [a paper, Fig. 3]"));
        assert!(wide[1].contains("agency,deadlock  ") && wide[1].ends_with(" s"));
        for columns in 40..200 {
            let lines = written(Some(columns), false, &rows);
            assert_eq!(lines.len(), 2);
            assert!(lines.iter().all(|line| line.chars().count() <= columns));
        }
    }

    /// A row is a whole line where the output is searched.
    #[test]
    fn without_a_terminal_nothing_is_left_out() {
        let [line] = &written(None, false, &[Row::of_test(LONG, &[])])[..] else {
            panic!("it is one line");
        };
        for part in [LONG, " 415 633 states", "[a paper, Fig. 3]"] {
            assert!(line.contains(part), "{line}");
        }
    }

    #[test]
    fn what_is_not_as_claimed_has_details() {
        let differs = Row::of_test(LONG, &["verdict: expected holds, found violated"]);
        let lines = written(Some(80), false, std::slice::from_ref(&differs));
        let details = [
            "    verdict: expected holds, found violated",
            "    claimed: holds",
            "    [a paper, Fig. 3] it holds",
        ];
        assert!(lines[0].starts_with("✗ holds "));
        assert_eq!(lines[1..4], details);
        assert_eq!(lines[4], format!("    refmap check {LONG}"));
        assert_eq!(lines.len(), 5);
        let again = Rows {
            program: "refmap",
            options: TextOptions::default(),
            columns: Some(80),
            verbose: false,
        };
        let mut output = Vec::new();
        let listed = again.otherwise(&[differs], &mut output);
        listed.expect("there is room");
        let text = String::from_utf8(output).expect("it is text");
        let expected = format!("\nnot as claimed:\n{}\n{}\n", lines[0], lines[1]);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_verbose_row_has_its_source_and_what_it_says() {
        let lines = written(Some(80), true, &[Row::of_test(SHORT, &[])]);
        let text = lines.join("\n");
        assert!(text.contains("[a paper, Fig. 3]  it holds"), "{text}");
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= 80));
    }
}
