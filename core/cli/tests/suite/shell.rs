//! Tests of what a shell and `man` get: completions and manual pages, from the grammar of `--help`.

use std::io::Write;
use std::process::{Command, Stdio};

use refmap_cli::Status;
use refmap_cli::catalogue::Catalogue;

use super::run_all::{catalogue, run};
use crate::has;

fn print(words: &str) -> String {
    let (status, text) = run(&catalogue(&[]), words, false);
    assert_eq!(status, Ok(Status::Success), "{words}");
    text
}

/// Output of a tool; none where there is no such tool.
fn tool(name: &str, words: &[&str], input: &str) -> Option<(bool, String)> {
    let mut command = Command::new(name);
    command.args(words).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        eprintln!("there is no {name}, which is not tested");
        return None;
    };
    let mut stdin = child.stdin.take().expect("it is a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Some((output.status.success(), text))
}

/// Words that bash offers for the last of some.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let script = print("completions bash");
    let listed = words.iter().map(|word| format!("'{word}'"));
    let listed: Vec<_> = listed.collect();
    let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
    let script = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_mine mine '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        listed.join(" "),
        words.len() - 1
    );
    let (succeeds, text) = tool("bash", &["--norc", "-eu"], &script)?;
    assert!(succeeds, "{text}");
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_checks_parameters_and_values() {
    for (words, expected) in [
        (&["mine", "ch"][..], &["check"][..]),
        (&["mine", "check", "c"], &["count"]),
        (&["mine", "check", "count", "--ans"], &["--answers"]),
        (
            &["mine", "check", "count", "--answers", ""],
            &["right", "wrong"],
        ),
        (&["mine", "--ju"], &["--junit"]),
        (&["mine", "completions", "z"], &["zsh"]),
    ] {
        if let Some(offered) = offered(words) {
            assert_eq!(offered, expected, "{words:?}");
        }
    }
}

/// Each script is one that its shell can read, where there is the shell.
#[test]
fn every_shell_has_a_script() {
    for (shell, program, words) in [
        ("bash", "bash", &["-n"][..]),
        ("zsh", "zsh", &["-n"]),
        ("fish", "fish", &["--no-execute"]),
        ("powershell", "", &[]),
        ("elvish", "", &[]),
    ] {
        let script = print(&format!("completions {shell}"));
        for name in ["mine", "count", "answers"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
        if !program.is_empty()
            && let Some((succeeds, text)) = tool(program, words, &script)
        {
            assert!(succeeds, "{shell}: {text}");
        }
    }
    let (status, _) = run(&Catalogue::default(), "completions csh", false);
    let error = status.expect_err("there is no script for it");
    has(&error, "bash, elvish, fish, powershell, zsh");
}

/// The help of a command, of a program over the catalogue.
fn help(words: &str) -> String {
    let (status, _) = run(&catalogue(&[]), &format!("{words} --help"), false);
    status.expect_err("to clap it is one")
}

/// Every option of the help is in the manual page, which the formatter reads without a warning.
#[test]
fn a_manual_page_says_what_help_says() {
    for words in [
        "",
        "check",
        "check count",
        "litmus",
        "graph",
        "completions",
        "man",
    ] {
        let page = print(&format!("man {words}"));
        let help = help(words);
        let mut options = 0;
        for option in help
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("--"))
        {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let option = option
                .split(|c| !is_part(c))
                .next()
                .expect("there is a part");
            let written = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&written), "{words}: --{option}\n{page}");
            options += 1;
        }
        assert!(options > 0, "{help}");
        let name = ["mine"].into_iter().chain(words.split_whitespace());
        let name = name.collect::<Vec<_>>().join("-");
        has(&page, &format!("\n.TH {name} 1 "));
        let groff = ["-ww", "-z", "-man", "-Tutf8", "-K", "utf8"];
        if let Some((succeeds, warnings)) = tool("groff", &groff, &page) {
            assert!(succeeds && warnings.is_empty(), "{words}: {warnings}");
        }
    }
    let page = print("man check count");
    for part in ["right", "wrong", ".SH PARAMETERS", "Source:"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn a_page_of_no_command_is_refused() {
    for (words, expected) in [
        (
            "man chekc",
            "there is no command \"chekc\" of mine; there are: list, check, ",
        ),
        (
            "man check cuont",
            "there is no command \"cuont\" of mine-check; there are: count",
        ),
    ] {
        let (status, text) = run(&catalogue(&[]), words, false);
        let error = status.expect_err("there is none");
        has(&error, expected);
        assert!(text.is_empty());
    }
}
