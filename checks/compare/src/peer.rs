//! Common parts of peers, which may be absent.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::failure::Failure;
use super::measurement::run;

/// A peer that this machine does not have, or cannot build.
#[derive(Debug)]
pub struct Absent {
    pub peer: String,
    pub why: String,
}

/// The folder with the models for the peers.
pub fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/peers")
}

/// Runs a step of a build; what it prints on success.
pub fn build(peer: &str, program: &str, command: &mut Command) -> Result<String, Absent> {
    let absent = |why| Absent {
        peer: peer.to_owned(),
        why,
    };
    match run(program, command) {
        Ok(run) if run.status.success() => Ok(run.stdout),
        Ok(run) => {
            let output = format!("{}{}", run.stdout, run.stderr);
            let last = output.lines().rfind(|line| !line.trim().is_empty());
            Err(absent(format!(
                "{program} ends with {}: {}",
                run.status,
                last.unwrap_or("no output")
            )))
        }
        Err(Failure::Start { error, .. }) if error.kind() == ErrorKind::NotFound => {
            Err(absent(format!("there is no {program} in the PATH")))
        }
        Err(failure) => Err(absent(failure.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_makes_a_peer_absent() {
        let program = "no-such-program-of-a-peer";
        let absent = build("a peer", program, &mut Command::new(program));
        let why = absent.map_err(|absent| absent.why);
        assert_eq!(
            why,
            Err("there is no no-such-program-of-a-peer in the PATH".to_owned())
        );
    }

    #[test]
    fn a_build_that_fails_makes_a_peer_absent() {
        let mut these = Command::new(std::env::current_exe().expect("it runs"));
        let absent = build("a peer", "these tests", these.arg("--no-such-option"));
        assert!(absent.is_err_and(|absent| absent.peer == "a peer"));
    }
}
