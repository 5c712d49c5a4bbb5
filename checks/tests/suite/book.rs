//! Blocks and commands of the README and the book: each is tested, here or where this says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use refmap_checks::{NAME, catalogue};
use refmap_cli::catalogue::Claim;

use crate::program::{assert_shows, checkout, files, page, refmap, status, text};

const BOOK: &str = "examples/book/src";

/// Pages of the book, and the README.
fn pages() -> Vec<PathBuf> {
    let mut pages = files(BOOK, "");
    pages.push(checkout().join("README.md"));
    pages
}

/// A block of code of a page.
struct Block {
    /// The line before it.
    before: String,
    language: String,
    text: String,
}

/// The blocks of `page`, and the rest of it.
fn parse(page: &str) -> (Vec<Block>, String) {
    let (mut blocks, mut prose, mut before) = (Vec::new(), String::new(), "");
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let code = lines
                .by_ref()
                .take_while(|line| line.trim_start() != "```")
                .map(|line| format!("{line}\n"));
            blocks.push(Block {
                before: before.to_owned(),
                language: language.to_owned(),
                text: code.collect(),
            });
        } else {
            prose += line;
            prose += "\n";
        }
        before = line;
    }
    (blocks, prose)
}

/// Test of a block, if there is one.
fn tested(page: &str, block: &Block) -> Option<&'static str> {
    let first = block.text.lines().next().unwrap_or_default().trim();
    let includes = |line: &str| line.is_empty() || line.starts_with("{{#include ");
    let readme_lists = "cargo run --release        checks every claim";
    match (page, block.language.as_str()) {
        ("README.md", "rust" | "text") if !first.starts_with("cargo") => Some("refmap-testing"),
        ("README.md", "text") if first.starts_with(readme_lists) => Some("`.ci/run`, see below"),
        ("README.md", "toml") | ("your-own-project.md", "sh" | "toml" | "yaml") => Some("new.rs"),
        ("your-own-project.md", "text") if first.starts_with("$ cargo run") => Some("new.rs"),
        ("from-tla.md", "tla") => Some("examples/src/book.rs"),
        (_, "rust" | "markdown") if block.text.lines().all(includes) => {
            Some("the file that is included")
        }
        (_, "text") if block.before.starts_with("<!-- output: ") => Some("examples/src/book.rs"),
        (_, "text") if first.starts_with("$ refmap ") => Some("below"),
        _ => None,
    }
}

fn name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.expect("it has a name")
}

#[test]
fn every_block_is_tested() {
    for path in pages() {
        for block in parse(&page(&path)).0 {
            let tested = tested(name(&path), &block);
            assert!(tested.is_some(), "{}:\n{}", path.display(), block.text);
        }
    }
}

/// A block of commands, `$ refmap …`, each followed by what it prints. They run in one folder, in which `systems` and `examples` are.
#[test]
#[cfg(unix)]
fn every_command_prints_what_its_page_shows() {
    let mut commands = 0;
    for path in pages() {
        for block in parse(&page(&path)).0 {
            if !block.text.trim_start().starts_with("$ refmap ") {
                continue;
            }
            let here = tempfile::tempdir().expect("there is room");
            for folder in ["systems", "examples"] {
                let link = here.path().join(folder);
                std::os::unix::fs::symlink(checkout().join(folder), link).expect("there is room");
            }
            for part in block.text.split("$ refmap ").skip(1) {
                let (command, shown) = part.split_once('\n').expect("it shows something");
                let output = Command::new(env!("CARGO_BIN_EXE_refmap"))
                    .args(command.split_whitespace())
                    .current_dir(here.path())
                    .env_remove("COLUMNS")
                    .output()
                    .expect("the program runs");
                assert_shows(shown, &text(&output.stdout), command);
                commands += 1;
            }
        }
    }
    assert!(commands >= 10);
}

/// The options of a command of a claim, whatever their order.
fn options(command: &str) -> Vec<String> {
    let words: Vec<_> = command.split_whitespace().collect();
    let starts = |at: &usize| words[*at].starts_with("--");
    let starts: Vec<_> = (0..words.len()).filter(starts).collect();
    let first = *starts.first().unwrap_or(&words.len());
    let ends = starts.iter().skip(1).copied().chain([words.len()]);
    let mut options: Vec<_> = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| words[*start..end].join(" "))
        .collect();
    options.sort();
    options.insert(0, words[..first].join(" "));
    options
}

fn claim<'c>(claims: &'c [Claim], command: &str) -> Option<&'c Claim> {
    let wanted = options(command);
    let mut claims = claims.iter();
    claims.find(|claim| options(&format!("{NAME} {}", claim.command)) == wanted)
}

/// Command that a page's row abbreviates.
fn spelled_out(page: &str, command: &str) -> String {
    let rest = "--obligations observation,initiality,simulation,agency,deadlock --symmetry full";
    match page {
        "x86-tso.md" if command.contains(' ') && command.starts_with("--") && command != rest => {
            format!("refmap check tso {}", command.replace("REST", rest))
        }
        "copying.md" if command.starts_with("--protocol ") => {
            format!("refmap check copying --scenario wr {command}")
        }
        _ => command.to_owned(),
    }
}

/// A command within a sentence or a table is a claim or a table of the catalogue, or one that a block shows with its output.
/// Where the cell after it begins with a verdict, that is the claimed one.
#[test]
fn every_command_in_prose_is_claimed() {
    let catalogue = catalogue();
    let claims = catalogue.claims().expect("each row is a claim");
    let elsewhere = [
        // Those of the first chapter and the README, in `new.rs`.
        "refmap new",
        "refmap new NAME --object",
        "cargo run",
        "cargo run -- check counter",
        "cargo run -- check counter --help",
        "cargo run --release -- new ../NAME --refmap .",
        "cargo test",
        // Those of the crates of examples, and of tests on request.
        "cargo run -p refmap-examples -- obligations",
        "cargo nightly",
        // Of files and checks of one's own, and of shells, in the suite of refmap-cli.
        "refmap include NAME",
        "refmap include A.aut B.aut",
        "refmap graph FILE",
        "refmap validate --help",
        "refmap validate FILE --against NAME",
        "refmap completions bash",
        "refmap man",
        "refmap man check",
        // In `browser.rs`, where its pages are.
        "refmap explore",
        "refmap explore ben-ari-3 --figure-14 as-printed",
        // Beginnings of others.
        "refmap check tso",
        "refmap check tso --granularity fine",
        "refmap check copying --scenario wr",
    ];
    let mut claimed = 0;
    for path in pages() {
        let page = page(&path);
        for line in parse(&page).1.lines() {
            let mut parts = line.split('`');
            parts.next();
            while let (Some(code), rest) = (parts.next(), parts.next()) {
                let command = spelled_out(name(&path), code);
                if elsewhere.contains(&command.as_str()) {
                    continue;
                }
                assert!(
                    !command.starts_with("cargo "),
                    "{}: {command}",
                    path.display()
                );
                let Some(words) = command.strip_prefix("refmap ") else {
                    continue;
                };
                if let Some(table) = words.strip_prefix("table ") {
                    let is_it = catalogue.tables.iter().any(|one| one.name == table);
                    assert!(is_it, "{}: {command}", path.display());
                    continue;
                }
                let claim = claim(&claims, &command);
                let claim = claim.unwrap_or_else(|| panic!("{}: {command}", path.display()));
                let says = rest.unwrap_or_default().trim_start_matches([' ', '|']);
                for verdict in [refmap::Verdict::Holds, refmap::Verdict::Violated] {
                    if says.starts_with(&verdict.to_string()) {
                        assert_eq!(claim.expect.verdict, verdict, "{command}");
                    }
                }
                claimed += 1;
            }
        }
    }
    assert!(claimed > 30);
}

/// The picture of the README is what the command beside it draws.
#[test]
fn the_picture_of_the_readme_is_drawn_by_its_command() {
    let here = tempfile::tempdir().expect("there is room");
    let file = here.path().join("counterexample.svg");
    let readme = page("README.md").replace('\n', " ");
    let words = "check tso --without deletion-barrier --obligations simulation";
    assert!(readme.contains(&format!("`refmap {words}`")));
    let output = refmap(&format!("{words} --quiet --trace {}", file.display()));
    assert_eq!(status(&output), 1);
    let drawn = fs::read_to_string(file).expect("it was written");
    assert_eq!(drawn, page(format!("{BOOK}/counterexample.svg")));
}

/// The two commands of the README are what a change has to pass.
#[test]
fn the_commands_of_the_readme_are_those_of_ci() {
    let readme = page("README.md");
    let ci = page(".ci/run");
    for command in ["cargo run --release", "cargo test --workspace"] {
        assert!(readme.contains(&format!("\n{command}  ")), "{command}");
        assert!(ci.contains(&format!("\n{command} --locked\n")), "{command}");
    }
}

#[test]
fn the_tests_that_the_engine_s_page_names_exist() {
    let page = page(format!("{BOOK}/engine.md"));
    let mut tests = 0;
    for code in page.split('`').skip(1).step_by(2) {
        let Some((module, test)) = code.rsplit_once("::") else {
            continue;
        };
        let module = module.replace("::", "/");
        let module = checkout().join("core/testing/tests/suite").join(module);
        let files = [module.with_extension("rs"), module.join("mod.rs")];
        let file = files.iter().find(|file| file.exists());
        let source = fs::read_to_string(file.expect("the module exists")).expect("it is text");
        assert!(source.contains(&format!("#[test]\nfn {test}()")), "{code}");
        tests += 1;
    }
    assert!(tests >= 9);
}
