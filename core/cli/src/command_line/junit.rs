//! JUnit XML: results as build servers read them, and the file to which `--junit` writes them.
//!
//! The elements and attributes are those that the schemas of Jenkins and of Surefire have in common, in an order that both
//! admit. Only what holds passes: what is incomplete is an error, or skipped where it is so because something else failed.

mod cells;
mod report;

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::files::Files;
use crate::output_file::OutputFile;
use refmap::internal::is_unseen;

/// Error: the results cannot be written as JUnit XML.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the results to {}: {source}", .path.display())]
pub struct JunitFileError {
    /// Path of the file.
    path: PathBuf,
    /// The error.
    source: io::Error,
}

/// File for results, tested to be writable before they are decided.
pub(super) struct JunitFile {
    path: PathBuf,
    file: OutputFile,
}

impl JunitFile {
    /// Prepares the file, if one is asked for.
    pub fn prepare(path: Option<&Path>, files: &mut Files) -> Result<Option<Self>, JunitFileError> {
        let Some(path) = path.map(Path::to_owned) else {
            return Ok(None);
        };
        match files.prepare("the JUnit file", &path) {
            Ok(file) => Ok(Some(Self { path, file })),
            Err(source) => Err(JunitFileError { path, source }),
        }
    }

    pub fn write(self, suite: &Suite, cancel: &AtomicBool) -> Result<(), JunitFileError> {
        let path = self.path;
        self.file
            .write(cancel, |file| write!(file, "{suite}"))
            .map_err(|source| JunitFileError { path, source })
    }
}

/// Results of a command.
pub(super) struct Suite {
    pub name: String,
    /// Properties on which the results depend, with their values.
    pub properties: Vec<(String, String)>,
    pub cases: Vec<Case>,
    pub seconds: f64,
}

/// Result of one claim or obligation.
pub(super) struct Case {
    /// Names with dots between them; a build server groups results by all but the last and then by the last.
    pub class: String,
    pub name: String,
    /// Time, where it is known of this result alone.
    pub seconds: Option<f64>,
    pub outcome: Outcome,
}

pub(super) enum Outcome {
    Passed,
    Failed(Problem),
    /// Nothing was decided.
    Error(Problem),
    /// Nothing was tested, or not all, since something else failed.
    Skipped(String),
}

/// Reason for which a result is not a pass.
pub(super) struct Problem {
    pub kind: &'static str,
    pub message: String,
    pub text: String,
}

impl Suite {
    /// Adds that something of a class cannot be decided.
    pub fn refuse(&mut self, class: String, name: &str, error: &dyn Display) {
        self.cases.push(Case {
            class,
            name: name.to_owned(),
            seconds: None,
            outcome: Outcome::Error(Problem {
                kind: "unusable",
                message: error.to_string(),
                text: String::new(),
            }),
        });
    }
}

impl Display for Suite {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = |is: fn(&Outcome) -> bool| {
            let cases = self.cases.iter();
            cases.filter(|case| is(&case.outcome)).count()
        };
        let name = Escaped(&self.name);
        let counts = format!(
            "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
            self.cases.len(),
            count(|outcome| matches!(outcome, Outcome::Failed(_))),
            count(|outcome| matches!(outcome, Outcome::Error(_))),
        );
        let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        let seconds = self.seconds;
        writeln!(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(
            f,
            "<testsuites name=\"{name}\" {counts} time=\"{seconds:.3}\">"
        )?;
        writeln!(
            f,
            "  <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\" time=\"{seconds:.3}\">"
        )?;
        if !self.properties.is_empty() {
            writeln!(f, "    <properties>")?;
            for (name, value) in &self.properties {
                let (name, value) = (Escaped(name), Escaped(value));
                writeln!(f, "      <property name=\"{name}\" value=\"{value}\"/>")?;
            }
            writeln!(f, "    </properties>")?;
        }
        for case in &self.cases {
            write!(f, "{case}")?;
        }
        writeln!(f, "  </testsuite>\n</testsuites>")
    }
}

impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (class, name) = (Escaped(&self.class), Escaped(&self.name));
        write!(f, "    <testcase classname=\"{class}\" name=\"{name}\"")?;
        if let Some(seconds) = self.seconds {
            write!(f, " time=\"{seconds:.3}\"")?;
        }
        let (element, problem) = match &self.outcome {
            Outcome::Passed => return writeln!(f, "/>"),
            Outcome::Skipped(message) => {
                let message = Escaped(message);
                return writeln!(f, "><skipped message=\"{message}\"/></testcase>");
            }
            Outcome::Failed(problem) => ("failure", problem),
            Outcome::Error(problem) => ("error", problem),
        };
        let (kind, message) = (problem.kind, Escaped(&problem.message));
        let text = EscapedLines(&problem.text);
        writeln!(
            f,
            ">\n      <{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>\n    </testcase>"
        )
    }
}

/// Text as it is written in an attribute.
struct Escaped<'a>(&'a str);

/// Text as it is written in an element, where its lines are kept.
struct EscapedLines<'a>(&'a str);

impl Display for EscapedLines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut lines = self.0.split('\n');
        write!(f, "{}", Escaped(lines.next().unwrap_or_default()))?;
        lines.try_for_each(|line| write!(f, "\n{}", Escaped(line)))
    }
}

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            // `]]>` may not occur in text.
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            // A reader would make a space of these in an attribute, and a line break of a carriage return in text.
            '\n' | '\r' | '\t' => write!(f, "&#{};", character as u32),
            // XML 1.0 has no way to write some of these, and a reader is to see all.
            unseen if is_unseen(unseen) => write!(f, "{}", unseen.escape_default()),
            other => write!(f, "{other}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use roxmltree::{Document, Node};

    use super::*;

    fn problem(text: &str) -> Problem {
        Problem {
            kind: "violated",
            message: text.to_owned(),
            text: text.to_owned(),
        }
    }

    fn suite(text: &str) -> Suite {
        let case = |outcome| Case {
            class: format!("refmap.{text}"),
            name: text.to_owned(),
            seconds: Some(0.1234),
            outcome,
        };
        let mut cases = vec![
            case(Outcome::Passed),
            case(Outcome::Failed(problem(text))),
            case(Outcome::Error(problem(text))),
            case(Outcome::Skipped(text.to_owned())),
        ];
        cases[0].seconds = None;
        Suite {
            name: text.to_owned(),
            properties: vec![(text.to_owned(), text.to_owned())],
            cases,
            seconds: 61.0,
        }
    }

    fn children<'a>(of: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
        of.children().filter(Node::is_element).collect()
    }

    fn names<'a>(nodes: &[Node<'a, 'a>]) -> Vec<&'a str> {
        nodes.iter().map(|node| node.tag_name().name()).collect()
    }

    /// Elements, their order, and required attributes, as in the schemas.
    #[test]
    fn results_have_the_elements_that_build_servers_read() {
        let text = suite("x").to_string();
        let document = Document::parse(&text).expect("it is XML");
        let all = document.root_element();
        assert_eq!(all.tag_name().name(), "testsuites");
        let [suite] = children(all)[..] else {
            panic!("there is one suite");
        };
        for (of, attributes) in [
            (all, &["name", "tests", "failures", "errors", "time"][..]),
            (
                suite,
                &["name", "tests", "failures", "errors", "skipped", "time"],
            ),
        ] {
            let names: Vec<_> = of.attributes().map(|one| one.name()).collect();
            assert_eq!(names, attributes);
            let count = |name| of.attribute(name).expect("it is there");
            assert_eq!(
                ["tests", "failures", "errors", "time"].map(count),
                ["4", "1", "1", "61.000"]
            );
        }
        assert_eq!(suite.attribute("skipped"), Some("1"));
        let parts = children(suite);
        let expected = ["properties", "testcase", "testcase", "testcase", "testcase"];
        assert_eq!(names(&parts), expected);
        let times = parts[1..].iter().map(|case| case.attribute("time"));
        let some = Some("0.123");
        assert_eq!(times.collect::<Vec<_>>(), [None, some, some, some]);
        let outcomes: Vec<_> = parts[1..]
            .iter()
            .map(|case| names(&children(*case)))
            .collect();
        assert_eq!(
            outcomes,
            [&[][..], &["failure"], &["error"], &["skipped"]],
            "{text}"
        );
    }

    /// Whatever a model calls things, the file is well formed, and says so.
    #[test]
    fn every_text_can_be_read_back() {
        for (hostile, read) in [
            ("a<b>&amp;\"c'", "a<b>&amp;\"c'"),
            ("]]><![CDATA[ <!-- --> <?x?>", "]]><![CDATA[ <!-- --> <?x?>"),
            (
                "line\nline\r\n\tindented  twice ",
                "line\nline\r\n\tindented  twice ",
            ),
            (
                "\x1b[31mred\0\u{8}\u{c}",
                "\\u{1b}[31mred\\u{0}\\u{8}\\u{c}",
            ),
            (
                "\u{fffe}\u{ffff}\u{7f}\u{85}\u{2028}\u{202e}",
                "\\u{fffe}\\u{ffff}\\u{7f}\\u{85}\\u{2028}\\u{202e}",
            ),
            ("σ → ∀ 🦀", "σ → ∀ 🦀"),
            ("", ""),
        ] {
            let text = suite(hostile).to_string();
            let document = Document::parse(&text).expect("it is XML");
            let nodes = || document.descendants().filter(Node::is_element);
            for name in ["testsuites", "testsuite", "property", "testcase"] {
                let mut of = nodes().filter(|node| node.tag_name().name() == name);
                assert!(of.all(|node| node.attribute("name") == Some(read)));
            }
            for name in ["failure", "error"] {
                let mut of = nodes().filter(|node| node.tag_name().name() == name);
                let node = of.next().expect("there is one");
                assert_eq!(node.attribute("message"), Some(read));
                assert_eq!(node.text().unwrap_or_default(), read);
            }
            assert!(!text.contains('\r'));
        }
    }
}
