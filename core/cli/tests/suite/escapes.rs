//! Tests that no text of a model, a file or a command line speaks to the terminal.

use std::fs;

use refmap::Invariant;
use refmap::obligation::Checker;
use refmap_cli::catalogue::{Catalogue, Check};
use refmap_cli::clap;
use refmap_testing::{counter, itself};
use roxmltree::Document;

use super::run_all::{page, run};
use crate::has;

/// Escape sequences of several kinds: of seven and of eight bits, of the title, and of the direction of writing.
const HOSTILE: &str = "\u{1b}[31m\u{9b}2J\u{1b}]0;t\u{7}\u{202e}\u{2066}\u{7f}\r";
const SHOWN: &str = "\\u{1b}[31m\\u{9b}2J\\u{1b}]0;t\\u{7}\\u{202e}\\u{2066}\\u{7f}\\r";

fn is_seen(text: &str) -> bool {
    !text.contains(|c: char| c != '\n' && refmap::internal::is_unseen(c))
}

/// The hostile text as a shell reads it.
const QUOTED: &str = r"$'\033[31m\302\2332J\033]0;t\007\342\200\256\342\201\246\177\015'";

#[derive(Clone, clap::Args)]
struct Names {
    #[arg(long, help = HOSTILE)]
    name: Vec<String>,
}

/// A check in which whatever can have a name, or say something, has a hostile one.
fn catalogue() -> Catalogue {
    let count = Check::new("count", HOSTILE, HOSTILE, |arguments: &Names| {
        let mut refinement = itself(counter());
        refinement.invariants = vec![Invariant::new(HOSTILE, HOSTILE, |n: &u8| *n < 2)];
        if arguments.name == ["panics"] {
            refinement.invariants = vec![Invariant::new("i", "", |_: &u8| panic!("{HOSTILE}"))];
        }
        Ok(Box::new(Checker::owning(refinement)))
    });
    let command = format!("check count --name {QUOTED}");
    Catalogue {
        checks: vec![count],
        claims: page(&[[&command, "holds", &format!("{HOSTILE}: {HOSTILE}.")]]),
        ..Catalogue::default()
    }
}

#[test]
fn what_is_printed_is_seen() {
    for words in [
        "",
        "--verbose",
        "--json",
        "list",
        "list --json",
        "check count",
        "check count --verbose",
        "check count --json",
        "check count --name panics",
        "check count --name panics --json",
        "man check count",
    ] {
        let (status, text) = run(&catalogue(), words, false);
        assert!(status.is_ok(), "{words}: {status:?}");
        assert!(is_seen(&text), "{words}: {text:?}");
        let is_escaped =
            text.contains(SHOWN) || text.contains("\\u009b2J") || text.contains("u{9b}2J");
        assert!(is_escaped || words.starts_with("man"), "{words}: {text}");
    }
    // A panic says where it was, and its text is on the page and in the other files.
    let (_, text) = run(&catalogue(), "check count --name panics", false);
    has(&text, &format!("“{SHOWN}”"));
}

#[test]
fn what_is_written_is_seen() {
    let folder = tempfile::tempdir().expect("there is room");
    for (option, file) in [
        ("--trace", "t.json"),
        ("--trace", "t.mmd"),
        ("--trace", "t.dot"),
        ("--trace", "t.svg"),
        ("--html", "p.html"),
        ("--junit", "j.xml"),
    ] {
        let path = folder.path().join(file);
        for words in ["check count", "check count --name panics"] {
            let (status, _) = run(
                &catalogue(),
                &format!("{words} {option} {}", path.display()),
                false,
            );
            assert!(status.is_ok(), "{status:?}");
            let text = fs::read_to_string(&path).expect("it is written");
            assert!(is_seen(&text), "{file}: {text:?}");
        }
        if option == "--junit" {
            let text = fs::read_to_string(&path).expect("it is written");
            let document = Document::parse(&text).expect("it is XML");
            let mut messages = document
                .descendants()
                .filter_map(|node| node.attribute("message"));
            assert!(
                messages.any(|message| message.replace('\r', "\\r").contains(SHOWN)),
                "{text}"
            );
        }
    }
}

/// The command of a claim is quoted so that a shell reads the name back.
#[test]
fn a_command_with_escapes_can_be_pasted() {
    let catalogue = catalogue();
    let claims = catalogue.claims().expect("it is one");
    let command = &claims[0].command;
    assert_eq!(
        claims[0].arguments.given()["name"],
        serde_json::json!([HOSTILE])
    );
    assert!(is_seen(command), "{command}");
    let script = format!("printf '%s\\0' {command}");
    let Ok(output) = std::process::Command::new("bash")
        .args(["-c", &script])
        .output()
    else {
        return eprintln!("there is no bash, which is not tested");
    };
    let read = String::from_utf8(output.stdout).expect("it is text");
    let read: Vec<_> = read.split_terminator('\0').collect();
    assert_eq!(read, ["check", "count", "--name", HOSTILE]);
}
