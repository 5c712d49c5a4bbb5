//! Tests of the book and of the pages beside it: what they link to and include exists, and what they quote is printed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{obligations, prophecy, remembering, starvation, your_code};

/// Folder of this repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Files below a folder of this repository whose names end so, but of some folders.
fn files(folder: &str, ending: &str, left_out: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![root().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("it can be read").path();
            let is_left_out = left_out.iter().any(|out| path.ends_with(out));
            if path.is_dir() && !is_left_out {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                files.push(path);
            }
        }
    }
    files
}

/// Pages of the book.
fn chapters() -> Vec<PathBuf> {
    let mut pages = files("examples/book/src", ".md", &[]);
    pages.sort();
    pages
}

/// Pages of the book, and those of the repository that link to it.
fn pages() -> Vec<PathBuf> {
    let others = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "checks/CLAIMS.md",
        "examples/README.md",
    ];
    let others = others.map(|page| root().join(page));
    chapters().into_iter().chain(others).collect()
}

fn text(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Texts of `page` between each `open` and the next `close`.
fn between<'p>(page: &'p str, open: &str, close: char) -> Vec<&'p str> {
    let parts = page.split(open).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(close)?.0))
        .collect()
}

/// Text of `page` without its blocks of code.
fn prose(page: &str) -> String {
    let parts = page.split("\n```").enumerate();
    parts
        .filter(|(at, _)| at % 2 == 0)
        .map(|(_, part)| part)
        .collect()
}

#[test]
fn every_relative_link_resolves() {
    let mut links = 0;
    for page in pages() {
        let folder = page.parent().expect("it is in a folder");
        for link in between(&prose(&text(&page)), "](", ')') {
            let target = link.split('#').next().expect("a link has a beginning");
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(folder.join(target).exists(), "{}: {link}", page.display());
            links += 1;
        }
    }
    assert!(links > 50);
}

#[test]
fn every_include_resolves() {
    let mut includes = 0;
    for page in chapters() {
        let folder = page.parent().expect("it is in a folder");
        for include in between(&text(&page), "{{#include ", '}') {
            let (file, anchor) = include.split_once(':').unwrap_or((include, ""));
            let included = text(&folder.join(file));
            for edge in ["ANCHOR", "ANCHOR_END"] {
                let line = format!("// {edge}: {anchor}");
                let found = included
                    .lines()
                    .filter(|other| other.trim() == line)
                    .count();
                assert_eq!(
                    found,
                    usize::from(!anchor.is_empty()),
                    "{}: {include}",
                    page.display()
                );
            }
            includes += 1;
        }
    }
    assert!(includes > 5);
}

/// Sources of the libraries.
fn sources() -> String {
    let folders = ["core", "checks/src"].into_iter();
    let sources = folders.flat_map(|folder| files(folder, ".rs", &["tests"]));
    sources.map(|path| text(&path)).collect()
}

/// The tables for those who come from another checker name what is there, and say "none" of what is not.
#[test]
fn tables_of_capabilities_agree_with_the_program() {
    let sources = sources();
    // Of each row that says "none", a name that it would have.
    let absent = [("ActorModel", "struct ActorModel")];
    let (mut named, mut none) = (0, 0);
    for page in ["from-tla.md", "from-stateright.md"] {
        let page = text(&root().join("examples/book/src").join(page));
        let rows = page.lines().filter(|line| line.starts_with("| "));
        for row in rows.filter(|row| row.contains('`')) {
            let cells: Vec<_> = row.trim_matches('|').rsplitn(2, " | ").collect();
            let (theirs, ours) = (cells[1], cells[0]);
            if ours.trim_start().starts_with("none") {
                none += 1;
                let (_, name) = absent
                    .iter()
                    .find(|(row, _)| theirs.contains(row))
                    .unwrap_or_else(|| panic!("`none` is not checked: {row}"));
                assert!(!sources.contains(name), "{name} is there: {row}");
            }
            for code in ours.split('`').skip(1).step_by(2) {
                let is_name =
                    |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
                let wanted = match code.strip_prefix("--") {
                    Some(option) => option.split(' ').next().expect("it has a name").to_owned(),
                    None if code.chars().all(is_name) && code.contains("::") => {
                        let (_, item) = code.rsplit_once("::").expect("it has two parts");
                        format!("fn {item}")
                    }
                    None => continue,
                };
                let is_there = sources.contains(&wanted) || code.starts_with("refmap::");
                assert!(is_there, "{code} is not there: {row}");
                named += 1;
            }
        }
    }
    assert!(named > 12 && none == absent.len(), "{named}, {none}");
}

/// Files that pages for contributors name are there.
#[test]
fn every_file_that_is_named_is_there() {
    let files = files(".", "", &["target", ".git"]);
    let mut named = 0;
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = text(&root().join(page));
        for code in prose(&text).split('`').skip(1).step_by(2) {
            let is_path = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
            let is_file = code.ends_with(".rs") && code.chars().all(is_path);
            if !is_file || code.contains("NAME") || code.contains("FAMILY") {
                continue;
            }
            let is_there = files.iter().any(|file| file.ends_with(code));
            assert!(is_there, "{page}: {code}");
            named += 1;
        }
    }
    assert!(named > 30, "{named}");
}

#[test]
fn the_summary_lists_every_page() {
    let source = root().join("examples/book/src");
    let summary = text(&source.join("SUMMARY.md"));
    for page in chapters() {
        let page = page.strip_prefix(&source).expect("it is in the book");
        if page == Path::new("SUMMARY.md") {
            continue;
        }
        let link = format!("]({})", page.display());
        assert_eq!(summary.matches(&link).count(), 1, "{link}");
    }
}

/// `<!-- output: NAME -->` before a block says that it is the counterexample to the obligation of this name, or what a tutorial calls
/// so.
#[test]
fn what_a_page_quotes_is_printed() {
    let mut quoted = 0;
    for page in chapters() {
        for output in text(&page).split("<!-- output: ").skip(1) {
            let (name, rest) = output
                .split_once(" -->\n```text\n")
                .expect("a block follows");
            let shown = rest.split("```\n").next().expect("it ends");
            let printed = obligations::counterexample(name)
                .or_else(|| starvation::counterexample(name))
                .or_else(|| remembering::output(name))
                .or_else(|| prophecy::output(name))
                .or_else(|| your_code::output(name))
                .expect("a program prints it");
            assert_eq!(shown.trim_end(), printed.trim_end(), "{}", page.display());
            quoted += 1;
        }
    }
    let others = [
        &remembering::OUTPUTS[..],
        &prophecy::OUTPUTS,
        &your_code::OUTPUTS,
    ];
    let others = others.map(<[_]>::len).into_iter().sum::<usize>();
    assert_eq!(quoted, obligations::FAULTS.len() + 1 + others);
}

/// The actions of the TLA+ module are the rules of the program below it, by their names.
#[test]
fn the_rules_in_tla_are_those_in_rust() {
    let source = root().join("examples/book/src");
    let page = text(&source.join("from-tla.md"));
    let module = page.split("```tla\n").nth(1).expect("there is a module");
    let module = module.split("```").next().expect("it ends");
    let definitions = module.split(" ==").map(|before| {
        let name = before.lines().last().expect("it has a name");
        name.trim_end_matches("(r)").to_lowercase()
    });
    let mut definitions: Vec<_> = definitions.collect();
    // What follows the last definition is no name.
    definitions.pop();
    let program = text(&root().join("examples/src/two_phase_commit.rs"));
    let rules = program
        .split("// ANCHOR: rules")
        .nth(1)
        .expect("it is marked");
    let rules = rules.split("// ANCHOR_END: rules").next().expect("it ends");
    let rules = rules.split("Step::").skip(1).map(|rule| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric();
        let end = rule.find(|letter| !is_letter(letter)).expect("it ends");
        rule[..end].to_lowercase()
    });
    let mut rules: Vec<_> = rules.collect();
    definitions.sort();
    rules.sort();
    assert_eq!(definitions, rules);
    assert_eq!(rules.len(), 7);
}
