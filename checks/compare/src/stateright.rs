//! stateright: a model checker as a Rust library, which searches breadth-first and keeps
//! fingerprints.
//!
//! It is measured in two versions, since the newer one copies paths as it goes and the older one
//! does not; the peers' page says more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::contender::{Contender, Role};
use super::instance::{Counts, Instance, Memory};
use super::measurement::Run;
use super::peer::{Absent, build, models};

/// A version of it, built.
pub struct Stateright {
    name: String,
    program: PathBuf,
}

/// Dependency in the peer's manifest, and its replacement for the older version.
const NEWER: &str = "stateright = \"0.31\"";
const OLDER: &str = "stateright = \"=0.30.2\"";

/// The peer's sources.
const FILES: [&str; 5] = [
    "src/main.rs",
    "src/ben_ari.rs",
    "src/leader_election.rs",
    "src/termination_detection.rs",
    "src/two_phase_commit.rs",
];

/// Both versions, built below `folder`, where a build that was made before is used again.
pub fn built(folder: &Path) -> Vec<Result<Stateright, Absent>> {
    let source = models().join("stateright");
    let newer = compile(
        "stateright 0.31",
        &source,
        &folder.join("0.31"),
        &["--locked"],
    );
    let name = "stateright 0.30.2";
    let older = older_source(&source, &folder.join("0.30-source"))
        .map_err(|why| Absent {
            peer: name.to_owned(),
            why,
        })
        .and_then(|source| compile(name, &source, &folder.join("0.30"), &[]));
    vec![newer, older]
}

fn compile(
    name: &str,
    source: &Path,
    target: &Path,
    options: &[&str],
) -> Result<Stateright, Absent> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build_it = Command::new(cargo);
    build_it
        .args(["build", "--release", "--quiet"])
        .args(options);
    build_it.arg("--target-dir").arg(target);
    build(name, "cargo", build_it.current_dir(source))?;
    Ok(Stateright {
        name: name.to_owned(),
        program: target.join("release/peer-stateright"),
    })
}

/// A copy of the peer that asks for the older version.
fn older_source(source: &Path, copy: &Path) -> Result<PathBuf, String> {
    let write = || -> Result<(), String> {
        let manifest =
            fs::read_to_string(source.join("Cargo.toml")).map_err(|error| error.to_string())?;
        let older = older_manifest(&manifest)?;
        fs::create_dir_all(copy.join("src")).map_err(|error| error.to_string())?;
        fs::write(copy.join("Cargo.toml"), older).map_err(|error| error.to_string())?;
        for file in FILES {
            fs::copy(source.join(file), copy.join(file)).map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    write().map_err(|why| format!("{}: {why}", copy.display()))?;
    Ok(copy.to_owned())
}

fn older_manifest(manifest: &str) -> Result<String, String> {
    if manifest.contains(NEWER) {
        Ok(manifest.replace(NEWER, OLDER))
    } else {
        Err(format!("the manifest does not say {NEWER}"))
    }
}

impl Stateright {
    /// It at `instance`.
    pub fn contender(&self, instance: Instance) -> Contender {
        let mut command = Command::new(&self.program);
        let claims = match instance {
            Instance::BenAri(Memory { nodes, sons, roots }) => {
                command.arg("ben-ari");
                command.args([nodes, sons, roots].map(|number| number.to_string()));
                "inv1"
            }
            Instance::TwoPhaseCommit { managers } => {
                command.args(["two-phase-commit", &managers.to_string()]);
                "invariant"
            }
            Instance::LeaderElection { nodes } => {
                command.args(["leader-election", &nodes.to_string()]);
                "invariant"
            }
            Instance::TerminationDetection { nodes, messages } => {
                command.arg("termination-detection");
                command.args([nodes, messages].map(|number| number.to_string()));
                "invariant"
            }
        };
        Contender {
            program: self.name.clone(),
            claims: claims.to_owned(),
            storage: "fingerprints",
            threads: 1,
            role: Role::Peer,
            command,
            read: |run: &Run| read(&run.stdout),
            measurements: Vec::new(),
        }
    }
}

/// The counts in the one line that it prints.
fn read(output: &str) -> Result<Counts, String> {
    let line: Value = serde_json::from_str(output).map_err(|error| error.to_string())?;
    Counts::in_json(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_in_one_line() {
        let counts = Counts {
            states: 415_633,
            transitions: 3_659_911,
        };
        let line = "{\"states\":415633,\"transitions\":3659911,\"seconds\":1.027}\n";
        assert_eq!(read(line), Ok(counts));
    }

    /// It prints nothing where it finds a violation.
    #[test]
    fn no_line_does_not_count() {
        assert!(read("").is_err());
        assert!(read("{\"states\":1}").is_err_and(|reason| reason.contains("transitions")));
    }

    /// The manifest in the repository, so that the two cannot drift apart.
    #[test]
    fn the_older_version_is_asked_for() {
        let manifest = models().join("stateright/Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("the peer has a manifest");
        assert!(older_manifest(&manifest).is_ok_and(|older| older.contains(OLDER)));
        assert!(older_manifest("").is_err());
    }
}
