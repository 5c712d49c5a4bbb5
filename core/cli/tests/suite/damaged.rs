//! Every reader over its corpus, damaged: whatever a file has, the command ends with a result or with a reason.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use refmap_cli::Status;
use refmap_cli::catalogue::Catalogue;
use refmap_distributed::Hosts;
use refmap_testing::{Random, damaged};

use super::run_all::{catalogue, run};

/// Time after which no command may go on, on a machine that is busy.
const LONGEST: Duration = Duration::from_secs(60);

/// Reader of files: the name of its corpus, its text, and what it is given to.
struct Reader {
    name: &'static str,
    text: &'static [u8],
    read: fn(&Path, &[u8]) -> Read,
}

/// Answer of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Whole,
    Refused,
}

/// Runs a command with the file of this name; what it prints is JSON.
fn command(words: &str) -> Read {
    let (status, text) = run(&Catalogue::default(), words, false);
    match status {
        Ok(status) => {
            let read = serde_json::from_str::<serde_json::Value>(&text);
            assert!(read.is_ok(), "{words}: {text}");
            match status {
                Status::Unusable => Read::Refused,
                _ => Read::Whole,
            }
        }
        Err(error) => {
            assert!(!error.is_empty() && text.is_empty(), "{words}: {text}");
            Read::Refused
        }
    }
}

/// Runs a command over a file of this name with these bytes.
fn over(folder: &Path, name: &str, bytes: &[u8], words: &str) -> Read {
    let file = folder.join(name);
    fs::write(&file, bytes).expect("there is room");
    let limits = "--max-seconds 2 --max-memory 1GiB --json";
    command(&words.replace("FILE", &format!("{} {limits}", file.display())))
}

macro_rules! reader {
    ($name:literal, $read:expr) => {
        Reader {
            name: $name,
            text: include_bytes!(concat!("../corpus/", $name)),
            read: $read,
        }
    };
}

const READERS: [Reader; 11] = [
    reader!("history.jsonl", |folder, bytes| {
        over(
            folder,
            "history.jsonl",
            bytes,
            "validate FILE --against register",
        )
    }),
    reader!("register.edn", |folder, bytes| {
        over(
            folder,
            "register.edn",
            bytes,
            "validate FILE --against register",
        )
    }),
    reader!("register.json", |folder, bytes| {
        let words = "validate FILE --against register --keyed";
        over(folder, "register.json", bytes, words)
    }),
    reader!("register.txt", |folder, bytes| {
        over(
            folder,
            "register.txt",
            bytes,
            "validate FILE --against register",
        )
    }),
    reader!("trace.itf.json", |folder, bytes| {
        over(
            folder,
            "trace.itf.json",
            bytes,
            "validate FILE --against fifo",
        )
    }),
    reader!("before.aut", |folder, bytes| {
        let other = folder.join("after.aut");
        fs::write(&other, include_bytes!("../corpus/after.aut")).expect("there is room");
        let words = format!("include FILE {}", other.display());
        over(folder, "before.aut", bytes, &words)
    }),
    reader!("after.aut", |folder, bytes| {
        let other = folder.join("before.aut");
        fs::write(&other, include_bytes!("../corpus/before.aut")).expect("there is room");
        let words = format!("include {} FILE", other.display());
        over(folder, "after.aut", bytes, &words)
    }),
    reader!("graphs.jsonl", |folder, bytes| {
        over(folder, "graphs.jsonl", bytes, "graph FILE")
    }),
    reader!("sb.litmus", |folder, bytes| {
        over(folder, "sb.litmus", bytes, "litmus FILE --max-states 1000")
    }),
    reader!("hosts.txt", |_, bytes| {
        match Hosts::read(&String::from_utf8_lossy(bytes)) {
            Ok(hosts) => {
                assert!(hosts.processes() > 0);
                Read::Whole
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                Read::Refused
            }
        }
    }),
    reader!("claims.md", |_, bytes| {
        let catalogue = Catalogue {
            claims: String::from_utf8_lossy(bytes).into_owned(),
            ..catalogue(&[])
        };
        match catalogue.claims() {
            Ok(_) => Read::Whole,
            Err(errors) => {
                assert!(!errors.to_string().is_empty());
                Read::Refused
            }
        }
    }),
];

/// Damages each corpus so many times; each reader reads some and refuses some.
fn damage(times: u64) {
    let folder = tempfile::tempdir().expect("there is room");
    for (number, reader) in READERS.iter().enumerate() {
        let Reader { name, text, read } = reader;
        assert_eq!(read(folder.path(), text), Read::Whole, "{name}");
        let other = READERS[(number + 1) % READERS.len()].text;
        let (mut whole, mut refused) = (0, 0);
        for seed in 0..times {
            let bytes = damaged(text, other, &mut Random(seed));
            let begun = Instant::now();
            let answer = catch_unwind(AssertUnwindSafe(|| read(folder.path(), &bytes)));
            let answer = answer.unwrap_or_else(|_| {
                panic!("{name}, seed {seed}: {:?}", String::from_utf8_lossy(&bytes))
            });
            assert!(begun.elapsed() < LONGEST, "{name}, seed {seed}");
            match answer {
                Read::Whole => whole += 1,
                Read::Refused => refused += 1,
            }
        }
        assert!(
            whole > 0 && refused > 0,
            "{name}: {whole} read, {refused} refused"
        );
    }
}

#[test]
fn a_damaged_file_has_an_answer() {
    damage(40);
}

#[test]
#[ignore = "takes minutes"]
fn nightly_many_damaged_files_have_an_answer() {
    damage(20_000);
}
