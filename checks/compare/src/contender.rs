//! Something that searches an instance and can be measured: refmap in one of its modes, or a peer.

use std::process::Command;

use super::failure::Failure;
use super::instance::{Counts, Instance};
use super::measurement::{Best, Measurement, Run, run};

/// A contender at an instance.
pub struct Contender {
    /// Program's name.
    pub program: String,
    /// Claims tested on the way.
    pub claims: String,
    /// Storage of states.
    pub storage: &'static str,
    pub threads: u8,
    pub role: Role,
    /// Starts the search.
    pub command: Command,
    /// Finds the counts in what it leaves behind, or says why it is no use.
    pub read: fn(&Run) -> Result<Counts, String>,
    /// Measurements so far.
    pub measurements: Vec<Measurement>,
}

/// Role of a contender when CPU times are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A mode that no peer is compared with.
    Mode,
    /// A measure that peers are compared with: the heading of its column.
    Measure(&'static str),
    /// Another program.
    Peer,
}

impl Contender {
    /// Searches `instance` once more.
    pub fn search(&mut self, instance: Instance) -> Result<(), Failure> {
        let run = run(&self.program, &mut self.command)?;
        if !run.status.success() {
            return Err(Failure::Status {
                program: self.program.clone(),
                status: run.status,
                output: run.stderr,
            });
        }
        let found = (self.read)(&run).map_err(|reason| Failure::Output {
            program: self.program.clone(),
            reason,
        })?;
        let known = instance.counts();
        if found != known {
            return Err(Failure::Counts {
                program: format!("{} ({}, {})", self.program, self.claims, self.storage),
                instance,
                known,
                found,
            });
        }
        self.measurements.push(run.measurement);
        Ok(())
    }

    /// The best of the searches so far.
    pub fn best(&self) -> Option<Best> {
        Best::of(&self.measurements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(read: fn(&Run) -> Result<Counts, String>) -> Contender {
        // These tests: a program that is there.
        let mut command = Command::new(std::env::current_exe().expect("it runs"));
        command.arg("--list");
        Contender {
            program: "the tests".to_owned(),
            claims: "none".to_owned(),
            storage: "whole",
            threads: 1,
            role: Role::Mode,
            command,
            read,
            measurements: Vec::new(),
        }
    }

    fn small() -> Instance {
        Instance::named("2-1-1").expect("it is known")
    }

    #[test]
    fn other_counts_fail_the_comparison() {
        let mut wrong = contender(|_| {
            Ok(Counts {
                states: 685,
                transitions: 2_012,
            })
        });
        let outcome = wrong.search(small());
        assert!(matches!(outcome, Err(Failure::Counts { .. })));
        assert!(wrong.best().is_none());
    }

    #[test]
    fn a_program_that_fails_fails_the_comparison() {
        let mut failing = contender(|_| unreachable!("its output is not read"));
        failing.command.arg("--no-such-option");
        let outcome = failing.search(small());
        assert!(matches!(outcome, Err(Failure::Status { .. })));
    }
}
