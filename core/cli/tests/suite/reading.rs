//! Tests of what is common to all readers: limits and cancellation while a file is read, and files that are no text in UTF-8.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use refmap_cli::catalogue::Catalogue;
use refmap_cli::{CommandError, Status};
use serde_json::Value;

use super::run_all;
use crate::has;

/// Time after which no command may go on, on a machine that is busy.
const LONGEST: Duration = Duration::from_secs(20);

/// Commands that read a file, with the name of one that they can read.
pub const READERS: [(&str, &str); 9] = [
    ("validate FILE --against register", "history.jsonl"),
    ("validate FILE --against register", "register.edn"),
    ("validate FILE --against register --keyed", "register.json"),
    ("validate FILE --against register", "register.txt"),
    ("validate FILE --against fifo", "trace.itf.json"),
    ("include FILE OTHER", "before.aut"),
    ("include OTHER FILE", "after.aut"),
    ("graph FILE", "graphs.jsonl"),
    ("litmus FILE", "sb.litmus"),
];

/// The file that a reader can read.
pub fn corpus(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    fs::read(folder.join(name)).expect("it is there")
}

/// Runs a command over the file; the other one, of a command that reads two, is there.
pub fn over(
    file: &Path,
    words: &str,
    cancel: &AtomicBool,
) -> (Result<Status, CommandError>, String) {
    let folder = tempfile::tempdir().expect("there is room");
    let other = folder.path().join("other.aut");
    fs::write(&other, "des (0,1,2)\n(0,a,1)\n").expect("there is room");
    let words = words.split_whitespace().map(|word| match word {
        "FILE" => file.into(),
        "OTHER" => other.as_os_str().to_owned(),
        word => word.into(),
    });
    run_all::carried_out(&Catalogue::default(), words, cancel)
}

/// The answer of a command that does not come to an end: it is incomplete, and in time.
fn incomplete(file: &Path, words: &str, cancel: &AtomicBool) -> String {
    let begun = Instant::now();
    let (status, text) = over(file, words, cancel);
    assert!(begun.elapsed() < LONGEST, "{words}");
    match status {
        Ok(Status::Incomplete) => (),
        other => panic!("{words}: {other:?}: {text}"),
    }
    let answer: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_ne!(answer["verdict"], "holds", "{words}");
    text
}

pub fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, bytes).expect("there is room");
    file
}

#[cfg(unix)]
fn fifo(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(name);
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.expect("it can be made").success());
    file
}

/// A FIFO to which nothing is written, one whose writer stops after some bytes, and cancellation of both.
#[cfg(unix)]
#[test]
fn a_silent_input_is_left_at_a_limit() {
    thread::scope(|scope| {
        for (words, name) in READERS {
            scope.spawn(move || silent(words, name));
        }
    });
}

#[cfg(unix)]
fn silent(words: &str, name: &str) {
    let bytes = corpus(name);
    let folder = tempfile::tempdir().expect("there is room");
    let never = AtomicBool::new(false);
    let file = fifo(folder.path(), name);
    let limited = format!("{words} --max-seconds 0.05 --json");
    let told = incomplete(&file, &limited, &never);
    let nothing = "the limit of 0.05 seconds came before there was anything to read";
    assert!(told.contains(nothing), "{limited}: {told}");
    // The writer says something, and then no more until the command has ended. The reader of the command before may have opened it too.
    let (ended, waits) = mpsc::channel::<()>();
    let writer = file.clone();
    let writer = thread::spawn(move || {
        let file = fs::File::options().write(true).open(writer);
        let mut file = file.expect("it is read");
        let _ = file.write_all(&bytes[..bytes.len() / 2]);
        let _ = waits.recv();
    });
    let limited = format!("{words} --max-seconds 0.2 --json");
    let told = incomplete(&file, &limited, &never);
    has(&told, "the limit of 0.2 seconds came ");
    drop(ended);
    writer.join().expect("it writes");
    let cancel = AtomicBool::new(false);
    let told = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            cancel.store(true, Ordering::Relaxed);
        });
        incomplete(&file, &format!("{words} --json"), &cancel)
    });
    has(&told, "cancellation came before");
}

/// Of a command that has a limit on memory of the process.
#[test]
fn memory_is_looked_at_while_a_file_is_read() {
    let folder = tempfile::tempdir().expect("there is room");
    for (words, name) in READERS {
        if words.starts_with("litmus") {
            // Its limit is on what the test takes, and its files are small.
            continue;
        }
        let file = written(folder.path(), name, &corpus(name));
        let limited = format!("{words} --max-memory 1KiB --json");
        let told = incomplete(&file, &limited, &AtomicBool::new(false));
        let limit = "bytes of memory came";
        assert!(told.contains(limit), "{limited}: {told}");
    }
}

/// A line without an end, and lines without one.
#[cfg(target_os = "linux")]
#[test]
fn an_endless_input_ends() {
    for (words, name) in READERS {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join(name);
        std::os::unix::fs::symlink("/dev/zero", &file).expect("there is room");
        let begun = Instant::now();
        let limited = format!("{words} --max-seconds 0.2");
        let (status, text) = over(&file, &limited, &AtomicBool::new(false));
        assert!(begun.elapsed() < LONGEST, "{words}");
        match status {
            Err(_) | Ok(Status::Incomplete | Status::Unusable) => (),
            Ok(status) => panic!("{words}: {status:?}: {text}"),
        }
    }
}

/// Beginnings of which some are longer than a block: the limit comes in the midst of the file.
#[test]
fn time_is_looked_at_while_a_long_file_is_read() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut log = String::new();
    for number in 0..40_000 {
        let (time, value) = (2 * number, number % 5);
        log += &format!(
            "{{:process 0, :type :invoke, :f :write, :value {value}, :time {time}}}\n{{:process 0, :type :ok, :f :write, :value {value}, :time {}}}\n",
            time + 1
        );
    }
    let mut aut = "des (0, 400000, 400001)\n".to_owned();
    for state in 0..400_000 {
        aut += &format!("({state}, a{}, {})\n", state % 7, state + 1);
    }
    let steps: Vec<String> = (0..200_000)
        .map(|state| format!("[{state},\"r\",{}]", state + 1))
        .collect();
    let graph = format!(
        "{{\"name\":\"s\",\"states\":200001,\"initial\":[0],\"labels\":{{}},\"steps\":[{}],\"fairness\":[],\"properties\":[]}}",
        steps.join(",")
    );
    for (words, text, name) in [
        ("validate FILE --against register", log, "log.edn"),
        ("include FILE OTHER", aut, "long.aut"),
        ("graph FILE", graph, "graph.jsonl"),
    ] {
        let file = written(folder.path(), name, text.as_bytes());
        let limited = format!("{words} --max-seconds 0.001 --json");
        let told = incomplete(&file, &limited, &AtomicBool::new(false));
        has(&told, "the limit of 0.001 seconds came ");
    }
}

#[test]
fn a_mark_is_no_part_of_a_text_and_other_encodings_are_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let refusals = |file: &Path, words: &str| {
        let (status, text) = over(file, &format!("{words} --json"), &AtomicBool::new(false));
        match status {
            Err(error) => error.to_string(),
            Ok(Status::Unusable) => text,
            Ok(status) => panic!("{words}: {status:?}: {text}"),
        }
    };
    for (words, name) in READERS {
        let bytes = &*corpus(name);
        let plain = written(folder.path(), name, bytes);
        let never = AtomicBool::new(false);
        let (status, _) = over(&plain, words, &never);
        let status = status.expect("it can be read");
        let marked = [b"\xef\xbb\xbf", bytes].concat();
        let marked = written(folder.path(), name, &marked);
        let (of_marked, told) = over(&marked, words, &never);
        assert_eq!(
            of_marked.expect("it can be read"),
            status,
            "{words}: {told}"
        );
        let text = std::str::from_utf8(bytes).expect("it is text");
        let units = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(to_bytes).collect()
        };
        let little = units(u16::to_le_bytes);
        let big = units(u16::to_be_bytes);
        for (mark, bytes, encoding) in [
            (&b"\xff\xfe"[..], &little, "UTF-16"),
            (b"\xfe\xff", &big, "UTF-16"),
            (b"", &little, "UTF-16LE"),
            (b"", &big, "UTF-16BE"),
        ] {
            let file = written(folder.path(), name, &[mark, bytes].concat());
            let told = refusals(&file, words);
            let remedy = format!("`iconv -f {encoding} -t UTF-8` converts it");
            assert!(told.contains(&remedy), "{words}: {told}");
        }
        let file = written(folder.path(), name, b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0");
        let told = refusals(&file, words);
        assert!(told.contains("compressed by gzip"), "{words}: {told}");
    }
}

/// A list of hosts is read within limits too, and it is said what it is where it is no text.
#[cfg(unix)]
#[test]
fn a_list_of_hosts_is_read_as_any_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let refused = |file: &Path, options: &str| {
        let words = format!(
            "check count --hosts {} --process 0 {options}",
            file.display()
        );
        let (status, _) = run_all::run(&run_all::catalogue(&[]), &words, false);
        status.expect_err("nothing is connected")
    };
    let silent = fifo(folder.path(), "silent");
    let told = refused(&silent, "--max-seconds 0.05");
    has(
        &told,
        "the limit of 0.05 seconds came before there was anything",
    );
    let gzip = written(folder.path(), "gzip", b"\x1f\x8b\x08\0");
    assert!(refused(&gzip, "").contains("compressed by gzip"));
    let marked = written(folder.path(), "marked", b"\xef\xbb\xbfhost\n");
    let told = refused(&marked, "");
    has(&told, "line 1: `host` is no address");
    let long = written(folder.path(), "long", &vec![b'\n'; 1 << 20]);
    let told = refused(&long, "");
    has(&told, "a list of hosts has less than 1048576 bytes");
}
