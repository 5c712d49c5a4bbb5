//! Completions and manual pages of the program `refmap`.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::program::{refmap, status, text};

fn print(words: &str) -> String {
    let output = refmap(words);
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn bash_completes_the_names_of_checks() {
    let mut bash = Command::new("bash");
    bash.arg("--norc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let Ok(mut bash) = bash.spawn() else {
        eprintln!("there is no bash, which is not tested");
        return;
    };
    let mut script = print("completions bash");
    script += "COMP_WORDS=(refmap check b)\nCOMP_CWORD=2\n_refmap refmap b check\necho \"${COMPREPLY[@]}\"\n";
    let mut stdin = bash.stdin.take().expect("it is a pipe");
    stdin.write_all(script.as_bytes()).expect("it reads");
    drop(stdin);
    let output = bash.wait_with_output().expect("it ends");
    let offered = text(&output.stdout);
    let offered: Vec<_> = offered.split_whitespace().collect();
    assert!(offered.contains(&"ben-ari-3"), "{offered:?}");
    assert!(offered.iter().all(|name| name.starts_with('b')));
}

#[test]
fn every_check_has_a_manual_page() {
    for check in refmap_checks::catalogue().checks {
        let page = print(&format!("man check {}", check.name));
        for parameter in check.parameters.iter() {
            let option = format!("\\-\\-{}", parameter.name.replace('-', "\\-"));
            assert!(page.contains(&option), "{}: {option}", check.name);
        }
        for option in ["max\\-states", "junit", "trace", "workers"] {
            assert!(page.contains(&format!("\\-\\-{option}")), "{}", check.name);
        }
    }
}
