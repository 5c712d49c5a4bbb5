//! Results for build servers, `--junit`: of a check, of one that is interrupted, and of a table.

use std::fs;
use std::path::Path;

use refmap_cli::Status;
use roxmltree::{Document, Node};

use super::SMALL;
use crate::program::{refmap, status};

/// Outcome of a test case: the name of its element, or none of one that passes.
fn outcome<'a>(case: Node<'a, 'a>) -> Option<&'a str> {
    let outcome = case.children().find(Node::is_element);
    outcome.map(|outcome| outcome.tag_name().name())
}

fn cases<'a>(document: &'a Document<'a>) -> Vec<Node<'a, 'a>> {
    let nodes = document.descendants();
    nodes.filter(|node| node.has_tag_name("testcase")).collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("it is written")
}

#[test]
fn a_violated_obligation_is_a_failure_with_its_counterexample() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("junit.xml");
    let words = format!(
        "check ben-ari-3 {SMALL} --figure-14 as-printed --quiet --junit {}",
        file.display()
    );
    assert_eq!(status(&refmap(&words)), 1);
    let text = read(&file);
    let document = Document::parse(&text).expect("it is XML");
    let parameter = |node: &Node<'_, '_>| node.attribute("name") == Some("figure-14");
    let parameter = document.descendants().find(parameter);
    let value = parameter.and_then(|node| node.attribute("value"));
    assert_eq!(value, Some("as-printed"));
    let cases = cases(&document);
    let simulation = cases
        .iter()
        .find(|case| case.attribute("name") == Some("simulation"));
    let simulation = *simulation.expect("there is a case");
    assert_eq!(simulation.attribute("classname"), Some("refmap.ben-ari-3"));
    assert_eq!(outcome(simulation), Some("failure"));
    let failure = simulation.first_element_child().expect("there is one");
    let message = failure.attribute("message").expect("there is one");
    assert!(
        message.starts_with("simulation fails after 33 steps: "),
        "{message}"
    );
    let shown = failure.text().expect("there is text");
    assert!(shown.contains("collector: stop_appending  [Fig. 14, TEST_L.1, as printed]"));
    // The search ended there, so that nothing else is decided: nothing passes.
    assert!(cases.iter().all(|case| outcome(*case).is_some()), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_check_passes_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("junit.xml");
    let path = file.to_str().expect("it is text");
    let child = super::signals::long_check("", &["--json", "--junit", path]);
    super::signals::send("-TERM", &child);
    super::signals::is_partial(child);
    let text = read(&file);
    let document = Document::parse(&text).expect("it is XML");
    let cases = cases(&document);
    assert!(
        cases.len() > 10 && cases.iter().all(|case| outcome(*case) == Some("error")),
        "{text}"
    );
    let error = cases[0].first_element_child().expect("there is one");
    assert_eq!(error.attribute("type"), Some("incomplete"));
}

/// A cell is a test case. A sweep claims nothing, and has no such option.
#[test]
fn a_cell_that_was_not_decided_is_skipped() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("junit.xml");
    let catalogue = refmap_checks::catalogue();
    let words = |table: &str| format!("table {table} --quiet --junit {}", file.display());
    let (ended, _) = super::schema::printed(&catalogue, &words("copying"), true);
    assert_eq!(ended, Status::Incomplete);
    let text = read(&file);
    let document = Document::parse(&text).expect("it is XML");
    let cases = cases(&document);
    assert_eq!(cases.len(), 138);
    assert!(cases.iter().all(|case| outcome(*case) == Some("skipped")));
    let name = cases[0].attribute("name").expect("there is one");
    assert!(
        name.starts_with("protocol ") && name.ends_with(", sc"),
        "{name}"
    );
    assert_eq!(status(&refmap(&words("yrc"))), 2);
}
