//! Tests of the files that commands write: none over another or over what is read, all of them tried, each whole.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use refmap::internal::TextOptions;
use refmap_cli::catalogue::Catalogue;
use refmap_cli::{OutputFile, Status};

use super::run_all::{HOLDS, carried_out, catalogue};
use crate::has;

const SYSTEM: &str = r#"{"name": "s", "states": 1, "initial": [0], "steps": [], "properties": [], "fairness": [], "labels": {}}"#;

/// An output that is full.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An output whose reader has gone.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn run_with(
    catalogue: &Catalogue,
    words: &[&str],
    files: &[(&str, &Path)],
    output: &mut dyn Write,
) -> Result<Status, String> {
    let mut all: Vec<OsString> = ["mine"].iter().chain(words).map(Into::into).collect();
    for (option, file) in files {
        all.extend((!option.is_empty()).then(|| OsString::from(option)));
        all.push(file.into());
    }
    let cancel = AtomicBool::new(false);
    let options = TextOptions::default();
    refmap_cli::run("mine", "", catalogue, all, &cancel, options, output)
        .map_err(|error| error.to_string())
}

/// A check that is violated, so that there is a counterexample to be written.
const VIOLATED: [&str; 4] = ["check", "count", "--answers", "wrong"];

fn violated(files: &[(&str, &Path)], output: &mut dyn Write) -> Result<Status, String> {
    run_with(&catalogue(&[]), &VIOLATED, files, output)
}

/// A trace says by which program it was written.
#[test]
fn a_trace_has_the_name_of_the_program() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("trace.itf.json");
    let status = violated(&[("--trace", &file)], &mut Vec::new());
    assert_eq!(status, Ok(Status::Violated));
    let trace = fs::read_to_string(file).expect("it is written");
    let trace: serde_json::Value = serde_json::from_str(&trace).expect("it is JSON");
    let source = trace["#meta"]["source"].as_str();
    assert_eq!(source, Some("mine check count answers=\"wrong\""));
}

#[cfg(unix)]
#[test]
fn no_result_is_written_over_another_by_any_path() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("inner")).expect("there is room");
    fs::write(at("there.json"), "old").expect("there is room");
    fs::hard_link(at("there.json"), at("hard.html")).expect("there is room");
    symlink("there.json", at("soft.html")).expect("there is room");
    symlink("inner", at("round")).expect("there is room");
    symlink("inner/new.json", at("to-new.html")).expect("there is room");
    for (one, other) in [
        ("there.json", "there.json"),
        ("there.json", "./there.json"),
        ("there.json", "inner/../there.json"),
        ("there.json", "hard.html"),
        ("there.json", "soft.html"),
        // Of files that do not exist yet.
        ("new.json", "new.json"),
        ("new.json", "./new.json"),
        ("new.json", "round/../new.json"),
        ("inner/new.json", "round/new.json"),
        ("inner/new.json", "to-new.html"),
    ] {
        let (one, other) = (at(one), at(other));
        for options in [
            ["--trace", "--html"],
            ["--trace", "--junit"],
            ["--html", "--junit"],
        ] {
            // A trace has a name that says its format.
            let files = [(options[0], &*one), (options[1], &*other)];
            let mut output = Vec::new();
            let error = violated(&files, &mut output).expect_err("they are one");
            has(&error, "is to be written there");
            assert!(output.is_empty());
            assert_eq!(
                fs::read_to_string(at("there.json")).expect("it is there"),
                "old"
            );
            assert!(!at("new.json").exists() && !at("inner/new.json").exists());
        }
    }
    // A device keeps nothing.
    let null = Path::new("/dev/null");
    let files = [("--trace", null), ("--html", null), ("--junit", null)];
    assert_eq!(violated(&files, &mut Vec::new()), Ok(Status::Violated));
}

#[cfg(unix)]
#[test]
fn no_result_is_written_over_what_is_read() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("inner")).expect("there is room");
    fs::write(at("g.jsonl"), SYSTEM).expect("there is room");
    fs::hard_link(at("g.jsonl"), at("hard")).expect("there is room");
    symlink("g.jsonl", at("soft")).expect("there is room");
    for page in ["g.jsonl", "./g.jsonl", "inner/../g.jsonl", "hard", "soft"] {
        let files = [("--html", &*at(page)), ("", &*at("g.jsonl"))];
        let ended = run_with(&Catalogue::default(), &["graph"], &files, &mut Vec::new());
        let error = ended.expect_err("it is what is read");
        has(&error, "it is a file that the command reads");
        assert_eq!(
            fs::read_to_string(at("g.jsonl")).expect("it is there"),
            SYSTEM
        );
    }
    let files = [("--html", &*at("new")), ("", &*at("inner/../new"))];
    let ended = run_with(&Catalogue::default(), &["graph"], &files, &mut Vec::new());
    assert!(
        ended
            .expect_err("it is one file")
            .contains("that the command reads")
    );
    assert!(!at("new").exists());
}

/// Before anything is decided each path is known to be one that can be written.
#[test]
fn a_path_that_cannot_be_written_is_refused_first() {
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "old").expect("there is room");
    let claims = catalogue(&[HOLDS]);
    let long = "a".repeat(300);
    for (path, expected) in [
        ("", "irectory"),
        ("no/such/x.json", "no file can be made in"),
        ("file/x.json", "ot a directory"),
        ("x.json/", "is a directory"),
        ("x.json/.", "is a directory"),
        (&long, "too long"),
    ] {
        let path = at(path);
        for (words, option) in [
            (&VIOLATED[..], "--trace"),
            (&VIOLATED[..], "--html"),
            (&VIOLATED[..], "--junit"),
            (&[], "--junit"),
        ] {
            let mut output = Vec::new();
            let error = run_with(&claims, words, &[(option, &path)], &mut output);
            let error = error.expect_err("it cannot be written");
            assert!(error.starts_with("error: cannot write the "), "{error}");
            has(&error, expected);
            assert!(output.is_empty());
        }
    }
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
}

/// Each result is tried, each failure told.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_keeps_nothing_else_from_being_written() {
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str| folder.path().join(name);
    let full = Path::new("/dev/full");
    let (trace, html, junit) = (at("t.json"), at("p.html"), at("j.xml"));
    let results = [
        ("--trace", &*trace),
        ("--html", &*html),
        ("--junit", &*junit),
    ];
    for refused in 0..8 {
        let files: Vec<_> = results
            .iter()
            .enumerate()
            .map(|(number, (option, file))| match refused >> number & 1 {
                0 => (*option, *file),
                _ => (*option, full),
            })
            .collect();
        for output in [&mut Full as &mut dyn Write, &mut Vec::new()] {
            let is_printed = output.write(b"\n").is_ok();
            let ended = violated(&files, output);
            let failures = u32::count_ones(refused) as usize + usize::from(!is_printed);
            match failures {
                0 => assert_eq!(ended, Ok(Status::Violated)),
                _ => {
                    let error = ended.expect_err("something is full");
                    assert_eq!(error.lines().count(), failures, "{error}");
                    assert!(
                        error
                            .lines()
                            .all(|line| line.starts_with("error: cannot write"))
                    );
                }
            }
            for (number, (_, file)) in results.iter().enumerate() {
                assert_eq!(file.exists(), refused >> number & 1 == 0, "{file:?}");
                let _ = fs::remove_file(file);
            }
        }
    }
    // Without a reader, too, and there the status is that of the verdict.
    assert_eq!(violated(&results, &mut Gone), Ok(Status::Violated));
    assert!(results.iter().all(|(_, file)| file.exists()));
}

/// A default run whose rows nobody reads, or that cannot be printed, goes on for the sake of its file.
#[test]
fn a_default_run_goes_on_for_its_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("j.xml");
    // Limits that are not reached: no claim repeats another.
    let commands = (10..15).map(|states| format!("check count --max-states {states}"));
    let commands: Vec<String> = commands.collect();
    let [_, expected, source] = HOLDS;
    let claims: Vec<_> = commands
        .iter()
        .map(|command| [command.as_str(), expected, source])
        .collect();
    let claims = catalogue(&claims);
    let junit = [("--junit", &*file)];
    let passed = || {
        let text = fs::read_to_string(&file).expect("it is written");
        fs::remove_file(&file).expect("it is there");
        text.contains("tests=\"5\" failures=\"0\" errors=\"0\"") && !text.contains("not run")
    };
    let words = ["--threads", "1"];
    assert_eq!(
        run_with(&claims, &words, &junit, &mut Gone),
        Ok(Status::Success)
    );
    assert!(passed());
    let error = run_with(&claims, &words, &junit, &mut Full).expect_err("it is full");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(passed());
}

#[test]
fn a_file_is_replaced_whole_or_stays() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("file");
    let never = AtomicBool::new(false);
    let fails = |file: &mut dyn Write| {
        file.write_all(&[b'x'; 1 << 20])?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    };
    let prepared = || OutputFile::prepare(&path).expect("there is room");
    let names = || fs::read_dir(&folder).expect("it is there").count();
    prepared().write(&never, fails).expect_err("it fails");
    assert_eq!(names(), 0);
    fs::write(&path, "old").expect("there is room");
    prepared().write(&never, fails).expect_err("it fails");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "old");
    // While it is written the old one is read.
    let mut open = fs::File::open(&path).expect("it is there");
    let written = prepared().write(&never, |file| {
        file.write_all(b"new, and longer")?;
        assert_eq!(fs::read_to_string(&path)?, "old");
        Ok(())
    });
    written.expect("there is room");
    assert_eq!(
        fs::read_to_string(&path).expect("it is there"),
        "new, and longer"
    );
    assert_eq!(io::read_to_string(&mut open).expect("it is open"), "old");
    assert_eq!(names(), 1);
}

/// A FIFO that nobody reads is waited for until the command is cancelled.
#[cfg(unix)]
#[test]
fn a_fifo_without_a_reader_can_be_interrupted() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("it can be made").success());
    let cancel = AtomicBool::new(false);
    let file = OutputFile::prepare(&path).expect("it can be written");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            cancel.store(true, Ordering::Relaxed);
        });
        let ended = file.write(&cancel, |file| file.write_all(b"x"));
        let error = ended.expect_err("nobody reads").to_string();
        has(&error, "nobody reads from it");
    });
    // A partial result is written to who reads, though the command is cancelled.
    let file = OutputFile::prepare(&path).expect("it can be written");
    let reader = {
        let path = path.clone();
        std::thread::spawn(move || fs::read_to_string(path).expect("it can be read"))
    };
    let mut file = Some(file);
    let opened = |file: OutputFile| file.write(&cancel, |file| file.write_all(b"x"));
    while opened(file.take().expect("it was made anew")).is_err() {
        // The reader has not come yet.
        file = Some(OutputFile::prepare(&path).expect("it can be written"));
    }
    assert_eq!(reader.join().expect("it reads"), "x");
}

/// A litmus test from a FIFO that says nothing is undecided when the command is cancelled, and the others are told.
#[cfg(unix)]
#[test]
fn a_litmus_test_that_does_not_come_can_be_interrupted() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("it can be made").success());
    let cancel = AtomicBool::new(false);
    let (ended, text) = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            cancel.store(true, Ordering::Relaxed);
        });
        let words: [&OsStr; 4] = [
            "litmus".as_ref(),
            "--json".as_ref(),
            path.as_ref(),
            path.as_ref(),
        ];
        carried_out(&Catalogue::default(), words, &cancel)
    });
    assert_eq!(ended.expect("it is no error"), Status::Incomplete);
    let told: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(told["errors"][0]["undecided"], true);
    assert_eq!(told["not_run"], 1);
}
