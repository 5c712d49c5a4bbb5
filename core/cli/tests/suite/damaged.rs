//! Every reader over its corpus, damaged: whatever a file has, the command ends with a result or with a reason.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use refmap_cli::Status;
use refmap_cli::catalogue::Catalogue;
use refmap_distributed::Hosts;
use refmap_testing::{Random, damaged};

use super::reading::{READERS, corpus, over, written};
use super::run_all::catalogue;

/// Time after which no command may go on, on a machine that is busy.
const LONGEST: Duration = Duration::from_secs(60);

/// Answer of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Whole,
    Refused,
}

/// Gives a damaged file to what reads it: a command, of which the words are these and what it prints is JSON, or something else.
fn read(folder: &Path, words: &str, name: &str, bytes: &[u8]) -> Read {
    match words {
        "hosts" => match Hosts::read(&String::from_utf8_lossy(bytes)) {
            Ok(hosts) => {
                assert!(hosts.processes() > 0);
                Read::Whole
            }
            Err(error) => refused(&error.to_string()),
        },
        "claims" => {
            let catalogue = Catalogue {
                claims: String::from_utf8_lossy(bytes).into_owned(),
                ..catalogue(&[])
            };
            match catalogue.claims() {
                Ok(_) => Read::Whole,
                Err(errors) => refused(&errors.to_string()),
            }
        }
        words => {
            let limits = "--max-seconds 2 --max-memory 1GiB --json";
            let file = written(folder, name, bytes);
            let (status, text) = over(&file, &format!("{words} {limits}"), &false.into());
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
                    assert!(text.is_empty(), "{words}: {text}");
                    refused(&error.to_string())
                }
            }
        }
    }
}

fn refused(reason: &str) -> Read {
    assert!(!reason.is_empty());
    Read::Refused
}

/// Damages each corpus so many times; each reader reads some and refuses some.
fn damage(times: u64) {
    let folder = tempfile::tempdir().expect("there is room");
    let others = [("hosts", "hosts.txt"), ("claims", "claims.md")];
    let readers = [&READERS[..], &others].concat();
    for (number, (words, name)) in readers.iter().enumerate() {
        let text = &corpus(name);
        let read = |bytes: &[u8]| read(folder.path(), words, name, bytes);
        assert_eq!(read(text), Read::Whole, "{name}");
        let other = &corpus(readers[(number + 1) % readers.len()].1);
        let (mut whole, mut refused) = (0, 0);
        for seed in 0..times {
            let bytes = damaged(text, other, &mut Random(seed));
            let begun = Instant::now();
            let answer = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
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
