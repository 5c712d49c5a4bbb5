//! refmap itself, in each of its modes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::contender::{Contender, Role};
use super::instance::{Counts, Instance, LARGE, Memory};
use super::measurement::Run;
use super::models::Claims;

/// Work of a search: the check, and the obligations chosen.
struct Work {
    name: &'static str,
    check: &'static str,
    obligations: &'static str,
    /// The column in which peers are divided by it, with one thread and packed states, if they do as much.
    measure: Option<&'static str>,
}

/// Nothing: states are enumerated and counted.
const PLAIN: Work = Work {
    name: "none",
    check: "ben-ari-3",
    obligations: "none",
    measure: Some("ratio to none"),
};

/// The one claim that the peers' models state.
const INV1: Work = Work {
    name: "inv1",
    check: "ben-ari",
    obligations: "invariant:inv1",
    measure: Some("ratio to inv1"),
};

/// All that is tested by default but for the environment, which takes the graph as well.
const REFINEMENT: Work = Work {
    name: "refinement",
    check: "ben-ari-3",
    obligations: "observation,initiality,simulation,agency,invariant,deadlock,coverage",
    measure: Some("ratio to refinement"),
};

/// Obligations decided on the recorded graph: the environment; and, with simulation alone, that the collector goes
/// on.
const ENVIRONMENT: Work = Work {
    name: "environment",
    check: "ben-ari-3",
    obligations: "observation,initiality,simulation,agency,invariant,deadlock,coverage,environment",
    measure: None,
};
const FAIRNESS: Work = Work {
    name: "fairness",
    check: "ben-ari-3",
    obligations: "simulation,fairness",
    measure: None,
};

/// The modes in which `program`, which is refmap, searches `instance`.
pub fn modes(program: &Path, instance: Instance) -> Vec<Contender> {
    let memory = match instance {
        Instance::BenAri(memory) => memory,
        Instance::TwoPhaseCommit { .. }
        | Instance::LeaderElection { .. }
        | Instance::TerminationDetection { .. } => {
            return of_user_model(instance);
        }
    };
    if instance == LARGE {
        return vec![
            mode(program, memory, &PLAIN, "packed", 2),
            mode(program, memory, &REFINEMENT, "packed", 2),
        ];
    }
    let mut modes = Vec::new();
    for work in [PLAIN, INV1, REFINEMENT] {
        for storage in ["packed", "whole"] {
            for threads in [1, 2] {
                // It is there to be compared with the peers, and they are searched by one thread.
                if work.name != INV1.name || (storage, threads) == ("packed", 1) {
                    modes.push(mode(program, memory, &work, storage, threads));
                }
            }
        }
    }
    let on_graph = [ENVIRONMENT, FAIRNESS];
    modes.extend(on_graph.map(|work| mode(program, memory, &work, "packed", 1)));
    modes
}

fn mode(
    program: &Path,
    memory: Memory,
    work: &Work,
    storage: &'static str,
    threads: u8,
) -> Contender {
    let Memory { nodes, sons, roots } = memory;
    let mut command = Command::new(program);
    command
        .args(["check", work.check, "--colours", "white"])
        .args(["--nodes", &nodes.to_string()])
        .args(["--sons", &sons.to_string()])
        .args(["--roots", &roots.to_string()])
        .args(["--obligations", work.obligations])
        .args(["--storage", storage])
        .args(["--threads", &threads.to_string()])
        .args(["--json", "--quiet"]);
    Contender {
        program: "refmap".to_owned(),
        claims: work.name.to_owned(),
        storage,
        threads,
        role: match (work.measure, storage, threads) {
            (Some(measure), "packed", 1) => Role::Measure(measure),
            _ => Role::Mode,
        },
        command,
        read: |run: &Run| read(&run.stdout),
        measurements: Vec::new(),
    }
}

/// The modes in which this program searches a model as a user would write it.
fn of_user_model(instance: Instance) -> Vec<Contender> {
    let this = std::env::current_exe().expect("the system knows which program runs");
    let mode = |(claims, storage, measure): (Claims, &'static str, &'static str)| {
        let mut command = Command::new(&this);
        command.args(["--bench", "--search", &instance.name()]);
        command.args(["--claims", claims.name()]);
        if storage == WHOLE {
            command.arg("--whole");
        }
        Contender {
            program: "refmap".to_owned(),
            claims: claims.name().to_owned(),
            storage,
            threads: 1,
            role: Role::Measure(measure),
            command,
            read: |run: &Run| read(&run.stdout),
            measurements: Vec::new(),
        }
    };
    let modes = [
        (Claims::None, DERIVED, "ratio to none"),
        (Claims::Invariant, DERIVED, "ratio to invariant"),
        (Claims::Refinement, DERIVED, "ratio to refinement"),
        (Claims::Invariant, WHOLE, "ratio to invariant, whole"),
    ];
    modes.into_iter().map(mode).collect()
}

/// Storage of the states of a model as a user would write it: derived, or whole.
const DERIVED: &str = "derived";
const WHOLE: &str = "whole";

/// The counts of a report in JSON.
fn read(report: &str) -> Result<Counts, String> {
    let report: Value = serde_json::from_str(report).map_err(|error| error.to_string())?;
    if !report["limit"].is_null() {
        return Err(format!("ended early: {}", report["limit"]));
    }
    match report["verdict"].as_str() {
        None | Some("holds") => (),
        Some(verdict) => return Err(format!("the verdict is {verdict:?}")),
    }
    Counts::in_json(&report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_ended_early_does_not_count() {
        let report = r#"{"verdict":null,"limit":{"states":5},"states":686,"transitions":2012}"#;
        assert!(read(report).is_err_and(|reason| reason.contains("ended early")));
    }

    #[test]
    fn a_violation_does_not_count() {
        let report = r#"{"verdict":"violated","limit":null,"states":686,"transitions":2012}"#;
        assert!(read(report).is_err());
    }

    #[test]
    fn a_report_without_counts_does_not_count() {
        let report = r#"{"verdict":null,"limit":null,"states":686}"#;
        assert!(read(report).is_err_and(|reason| reason.contains("transitions")));
    }
}
