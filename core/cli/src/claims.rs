//! Page of claims: a text in which each row of each table is a claim.
//!
//! Between the tables anything may stand that has no bar. A table is
//!
//! ```text
//! | claim | expected | source |
//! |---|---|---|
//! | `refmap check counter --threads 2` | holds, 12 states | this page: two threads and a lock |
//! ```
//!
//! A command is written as it is typed to a shell: the name of the program, or none in all rows, `check`, the name of a check,
//! and its arguments and options. `table` and the name of a published table is a row about all of its cells. The expected
//! result is an [`Expectation`](crate::catalogue::Expectation). The source ends at the first `: `, before what it says; a colon in the
//! source has a backslash before it, and so has a bar anywhere.

use crate::catalogue::{Catalogue, Claim, ClaimError, ClaimErrors, Read, RowError};
use crate::command_line::ClaimGrammar;
use crate::shell;
use refmap::internal::nearest;

/// Header of a table of claims.
const COLUMNS: [&str; 3] = ["claim", "expected", "source"];

/// Part of a table that the line before belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Header,
    Rows,
}

impl Catalogue {
    /// Reads the claims of the page, in the order of its rows.
    ///
    /// The page is a text in Markdown. Between its tables anything may stand that has no bar, and a table is
    ///
    /// ```text
    /// | claim | expected | source |
    /// |---|---|---|
    /// | `my-project check counter --threads 2` | holds, 12 states | this page: two threads and a lock |
    /// | `my-project check counter --lock absent` | violated by simulation after 4 steps | this page: an update is lost |
    /// ```
    ///
    /// A command is written as it is typed to a shell: the name of the program (or, in all rows, none), `check`, the name of a
    /// check, its arguments, and the options that say what is asked: obligations, limits of states and of depth, walks, symmetry
    /// and the like. A row `table NAME` is about a published table, and says what the table does. An expected result is a
    /// verdict, and what may follow it is, in this order,
    ///
    /// ```text
    /// by OBLIGATION   after N steps   , and by OBLIGATION, …   , N states   , N transitions   , all exercised
    /// ```
    ///
    /// An obligation whose name has a space, a comma or a quote is in single quotes. The source ends at the first `: `; a colon
    /// in the source has a backslash before it, and so has a bar anywhere.
    ///
    /// # Errors
    ///
    /// One for each row that is malformed, or has a check or an argument that the catalogue does not have.
    pub fn claims(&self) -> Result<Vec<Claim>, ClaimErrors> {
        let Read { claims, errors } = read(self);
        if errors.is_empty() {
            Ok(claims)
        } else {
            Err(ClaimErrors(errors))
        }
    }

    /// Tests whether every claim and every published table can be decided as it is stated, and no claim repeats another.
    ///
    /// # Errors
    ///
    /// Reasons, one for each that cannot be decided.
    pub fn validate(&self) -> Result<(), ClaimErrors> {
        let Read { errors, .. } = self.validated();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(ClaimErrors(errors))
        }
    }

    /// Rows of the page, and why rows and published tables cannot be decided as they are stated, in their order.
    pub(crate) fn validated(&self) -> Read {
        let Read { claims, mut errors } = read(self);
        errors.extend(claims.iter().enumerate().filter_map(|(number, claim)| {
            let undecidable = self.validate_claim(claim).err().map(RowError::from);
            let error = undecidable.or_else(|| repeated(&claims[..number], claim))?;
            Some(ClaimError {
                line: Some(claim.line),
                command: claim.command.clone(),
                error,
            })
        }));
        errors.sort_by_key(|error| error.line);
        errors.extend(self.published().filter_map(|(table, published)| {
            let check = self.check(table.check);
            let error = check.and_then(|check| published.validate(check)).err()?;
            Some(ClaimError {
                line: None,
                command: format!("table {}", table.name),
                error: error.into(),
            })
        }));
        Read { claims, errors }
    }
}

/// Error of a claim that asks the same as an earlier one, if there is one.
fn repeated(earlier: &[Claim], claim: &Claim) -> Option<RowError> {
    let mut earlier = earlier.iter();
    let first = earlier.find(|first| first.asks_the_same(claim))?;
    Some(RowError::Repeated { line: first.line })
}

fn read(catalogue: &Catalogue) -> Read {
    let mut reader = Reader {
        catalogue,
        grammar: ClaimGrammar::default(),
        program: None,
    };
    let mut read = Read::default();
    let mut place = Place::Outside;
    for (number, line) in catalogue.claims.split('\n').enumerate() {
        let line = line.trim_end_matches('\r');
        let cells = cells(line);
        let row = match (place, cells) {
            (_, Err(error)) => Err(error),
            (Place::Header, Ok(cells)) if !is_delimiter(&cells) => Err(RowError::Header),
            (Place::Header, Ok(_)) => {
                place = Place::Rows;
                continue;
            }
            (_, Ok(cells)) if cells.is_empty() => {
                place = Place::Outside;
                continue;
            }
            (Place::Outside, Ok(cells)) if cells == COLUMNS => {
                place = Place::Header;
                continue;
            }
            (Place::Outside, Ok(_)) => Err(RowError::Header),
            (Place::Rows, Ok(cells)) => reader.row(number + 1, &cells),
        };
        match row {
            Ok(claim) => read.claims.extend(claim),
            Err(error) => read.errors.push(ClaimError {
                line: Some(number + 1),
                command: told(line),
                error,
            }),
        }
        // Each row behind a header that is none would be told of as the header is.
        if place == Place::Header {
            place = Place::Rows;
        }
    }
    read
}

/// The command of a row without the name of the program, or the whole line.
fn told(line: &str) -> String {
    let command = cells(line).ok().and_then(|cells| {
        let command = cells
            .first()?
            .strip_prefix('`')?
            .strip_suffix('`')?
            .to_owned();
        let begins = |word: &str| {
            command
                .find(word)
                .filter(|at| command[..*at].trim_end().find(' ').is_none())
        };
        let at = begins("check ").or_else(|| begins("table "))?;
        Some(command[at..].to_owned())
    });
    command.unwrap_or_else(|| line.trim().to_owned())
}

/// Cells of a row; none of a line without a bar.
fn cells(line: &str) -> Result<Vec<String>, RowError> {
    let mut cells = vec![String::new()];
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        let cell = cells.last_mut().expect("there is one from the beginning");
        match character {
            '\\' if rest.next_if_eq(&'|').is_some() => cell.push('|'),
            '|' => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    if cells.len() == 1 {
        return Ok(Vec::new());
    }
    let last = cells.pop().expect("there are two at least");
    let first = cells.remove(0);
    if !first.is_empty() || !last.trim_end().is_empty() {
        return Err(RowError::Bar);
    }
    Ok(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

fn is_delimiter(cells: &[String]) -> bool {
    let is_line = |cell: &String| cell.len() >= 3 && cell.bytes().all(|byte| byte == b'-');
    cells.len() == COLUMNS.len() && cells.iter().all(is_line)
}

struct Reader<'a> {
    catalogue: &'a Catalogue,
    grammar: ClaimGrammar,
    /// Words before `check` or `table` in the first row.
    program: Option<String>,
}

impl Reader<'_> {
    /// The claim of a row; none of one about a published table.
    fn row(&mut self, line: usize, cells: &[String]) -> Result<Option<Claim>, RowError> {
        let [command, expected, source] = cells else {
            return Err(RowError::Cells { given: cells.len() });
        };
        let command = command
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'));
        let command = command.filter(|command| !command.contains('`'));
        let command = command.ok_or(RowError::Backticks)?;
        let words = shell::words(command)?;
        let begins = |word: &String| ["check", "table"].contains(&word.as_str());
        let at = words.iter().position(begins).filter(|at| *at <= 1);
        let at = at.ok_or(RowError::Command)?;
        let (program, words) = words.split_at(at);
        let program = program.concat();
        let first = self.program.get_or_insert_with(|| program.clone());
        if *first != program {
            return Err(RowError::Program {
                given: program,
                first: first.clone(),
            });
        }
        let [kind, name, arguments @ ..] = words else {
            return Err(RowError::Command);
        };
        let (source, says) = split_source(source)?;
        if kind == "table" {
            return match arguments {
                [] => self.table(name, [expected, &source, &says]).map(|()| None),
                _ => Err(RowError::Command),
            };
        }
        let check = self.catalogue.check(name)?;
        let (arguments, settings) = self.grammar.read(check, arguments)?;
        let command = command.strip_prefix(&program).unwrap_or(command);
        Ok(Some(Claim {
            line,
            command: command.trim().to_owned(),
            check: name.clone(),
            arguments,
            settings,
            expect: expected.parse()?,
            source,
            says,
        }))
    }

    /// Tests that a row says of a published table what the table is.
    fn table(&self, name: &str, given: [&str; 3]) -> Result<(), RowError> {
        let mut tables = self.catalogue.published();
        let Some((table, published)) = tables.find(|(table, _)| table.name == name) else {
            let names = || self.catalogue.published().map(|(table, _)| table.name);
            return Err(RowError::UnknownTable {
                name: name.to_owned(),
                nearest: nearest(name, names()),
                known: names().collect(),
            });
        };
        let size = published.size();
        for (given, expected) in given
            .into_iter()
            .zip([&size, published.source, table.about])
        {
            if given != expected {
                return Err(RowError::Table {
                    given: given.to_owned(),
                    expected: expected.to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// The source, and what it says.
fn split_source(cell: &str) -> Result<(String, String), RowError> {
    let mut source = String::new();
    let mut rest = cell.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.as_str().starts_with(':') => source.extend(rest.next()),
            ':' if rest.as_str().starts_with(' ') => {
                let says = rest.as_str().trim();
                let is_whole = !source.is_empty() && !says.is_empty();
                return is_whole
                    .then(|| (source, says.to_owned()))
                    .ok_or(RowError::Source);
            }
            other => source.push(other),
        }
    }
    Err(RowError::Source)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::catalogue::{Check, Expectation, number};
    use refmap::report::Verdict;

    #[derive(Clone, clap::Args)]
    #[allow(dead_code, reason = "that they are read is tested")]
    struct Arguments {
        #[arg(long, default_value_t = 3, value_parser = number::<u64>(0..=u64::MAX))]
        nodes: u64,
        #[arg(long, default_value = "sc", value_parser = ["sc", "tso"])]
        memory: String,
        #[arg(long)]
        fast: bool,
        #[arg(long)]
        fence: Vec<String>,
    }

    /// Text of one line that neither begins nor ends with a space, and is not empty.
    fn text() -> impl Strategy<Value = String> {
        let parts = select(vec![
            "a", "B", "é", "σ", "1", " ", ", ", ": ", ":", "|", "\\", "\\|", "'", "''", "all",
            "by", "after", "steps", "(0)", "$", "*", "\t", "\u{1b}", "\u{a0}", "--", "=", "`",
        ]);
        let text = proptest::collection::vec(parts, 1..8).prop_map(|parts| parts.concat());
        text.prop_map(|text| text.trim().to_owned())
            .prop_filter("it is not empty", |text| !text.is_empty())
    }

    fn expectation() -> impl Strategy<Value = Expectation> {
        use proptest::option::of;
        let verdicts = [Verdict::Holds, Verdict::Violated, Verdict::Incomplete];
        let name = || {
            prop_oneof![
                text(),
                Just("invariant:a".to_owned()),
                Just("all".to_owned())
            ]
        };
        let also = proptest::collection::vec(name(), 0..3);
        (
            select(verdicts.to_vec()),
            of(name()),
            of(0..3000usize),
            also,
            of(any::<u64>()),
            of(0..2000u64),
            any::<bool>(),
        )
            .prop_map(
                |(verdict, by, length, also, states, transitions, all_exercised)| Expectation {
                    verdict,
                    by,
                    length,
                    also,
                    states,
                    transitions,
                    all_exercised,
                },
            )
    }

    fn catalogue(claims: String) -> Catalogue {
        let check = Check::new("c", "", "", |_: &Arguments| unreachable!("nothing is run"));
        Catalogue {
            checks: vec![check],
            claims,
            ..Catalogue::default()
        }
    }

    fn cell(text: &str) -> String {
        text.replace('|', "\\|")
    }

    proptest! {
        /// A claim that is written as a row is read back as it is, in whatever page it stands.
        #[test]
        fn a_claim_is_read_back(
            nodes in any::<u64>(),
            fences in proptest::collection::vec(text().prop_filter("no code has one", |text| !text.contains('`')), 0..3),
            obligations in proptest::option::of(select(vec!["deadlock", "invariant:s*", "none"])),
            expect in expectation(),
            source in text().prop_filter("a backslash before a colon is none", |text| !text.contains("\\:") && !text.ends_with('\\')),
            says in text(),
            program in select(vec!["", "mine "]),
        ) {
            let mut words = vec!["check".to_owned(), "c".to_owned(), format!("--nodes={nodes}"), "--fast".to_owned()];
            words.extend(fences.iter().map(|fence| format!("--fence={fence}")));
            words.extend(obligations.map(|obligations| format!("--obligations={obligations}")));
            let command = shell::command(&words);
            let row = format!(
                "| `{program}{}` | {} | {}: {} |",
                cell(&command),
                cell(&expect.to_string()),
                cell(&source.replace(':', "\\:")),
                cell(&says),
            );
            let page = format!("# Page\n\n| claim | expected | source |\n|---|---|---|\n{row}\n\nEnd.\n");
            let catalogue = catalogue(page);
            let claims = catalogue.claims();
            let claims = claims.unwrap_or_else(|error| panic!("{error}"));
            prop_assert_eq!(claims.len(), 1);
            let claim = &claims[0];
            prop_assert_eq!(claim.line, 5);
            prop_assert_eq!(&claim.command, &command);
            prop_assert_eq!(&claim.arguments.given()["nodes"], nodes);
            prop_assert_eq!(&claim.arguments.given()["fast"], true);
            prop_assert_eq!(claim.arguments.values()["fence"].as_array().map(Vec::len), Some(fences.len()));
            prop_assert_eq!(&claim.arguments.values()["fence"], &serde_json::json!(fences));
            prop_assert_eq!(&claim.expect, &expect);
            prop_assert_eq!(&claim.source, &source);
            prop_assert_eq!(&claim.says, &says);
        }

        /// Whatever a page is, it is read or refused.
        #[test]
        fn no_page_is_too_strange(lines in proptest::collection::vec(proptest::collection::vec(select(vec![
            "|", " ", "`", "check", "c", "--nodes", "3", "holds", ",", "states", "by", "after", "'", ": ", "a", "claim", "expected",
            "source", "---", "\\", "$'", "table", "\n",
        ]), 0..12), 0..6)) {
            let page = lines.iter().map(|line| line.concat() + "\n").collect();
            let _ = catalogue(page).claims();
        }
    }
}
