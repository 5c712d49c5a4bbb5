//! Models as a user would write them, and the search of one of them.

mod leader_election;
mod termination_detection;
mod two_phase_commit;

use std::io;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use refmap::explore::Storage;
use refmap::obligation::Selection;
use refmap::{Refinement, Settings, check};

use super::instance::Instance;
use leader_election::Election;
use termination_detection::Detection;
use two_phase_commit::Commit;

/// Claims tested on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    /// Nothing: states are enumerated and counted.
    None,
    /// The one claim that the peers' models state.
    Invariant,
    /// All that is tested by default.
    Refinement,
}

impl Claims {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Invariant => "invariant",
            Self::Refinement => "refinement",
        }
    }
}

impl ValueEnum for Claims {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::None, Self::Invariant, Self::Refinement]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// Searches `instance` with one thread, and prints the report in JSON.
///
/// # Errors
///
/// That the instance is none of these models, that the check cannot be run, or that the report cannot be written.
pub fn search(instance: Instance, claims: Claims, storage: Storage) -> Result<(), String> {
    match instance {
        Instance::BenAri(_) => Err(format!("{instance} is searched by refmap itself")),
        Instance::TwoPhaseCommit { managers } => print(&Commit::new(managers), claims, storage),
        Instance::LeaderElection { nodes } => print(&Election::new(nodes), claims, storage),
        Instance::TerminationDetection { nodes, messages } => {
            print(&Detection::new(nodes, messages), claims, storage)
        }
    }
}

fn print(refinement: &impl Refinement, claims: Claims, storage: Storage) -> Result<(), String> {
    let settings = Settings {
        threads: 1,
        storage,
        obligations: match claims {
            Claims::None => Selection::Nothing,
            Claims::Invariant => Selection::Only(vec!["invariant".to_owned()]),
            Claims::Refinement => Selection::Default,
        },
        ..Settings::default()
    };
    let report = check(refinement, &settings).map_err(|error| error.to_string())?;
    serde_json::to_writer(io::stdout(), &report).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use refmap::{Evidence, TransitionSystem, Verdict};

    use super::super::instance::Counts;
    use super::*;

    /// The smaller instances refine their specifications, and have the counts that the peers find, however states are
    /// kept.
    #[test]
    fn the_models_hold_and_have_their_counts() {
        fn has(refinement: &impl Refinement, name: &str) {
            let known = Instance::named(name).expect("it is known").counts();
            for storage in [Storage::Packed, Storage::Whole] {
                let settings = Settings {
                    storage,
                    ..Settings::default()
                };
                let report = check(refinement, &settings).expect("it can be checked");
                assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
                assert_eq!(report.evidence, Evidence::Exhaustive);
                let found = Counts {
                    states: report.states,
                    transitions: report.transitions,
                };
                assert_eq!(found, known, "{name}, {storage:?}");
            }
            assert_eq!(plainly(refinement.implementation()), known, "{name}");
        }
        has(&Commit::new(5), "two-phase-commit-5");
        has(&Election::new(7), "leader-election-7");
        has(&Detection::new(6, 2), "termination-detection-6-2");
    }

    /// Counts of a search that keeps the states in a set, and does nothing else.
    fn plainly<S: TransitionSystem>(system: &S) -> Counts {
        let mut seen = HashSet::new();
        let mut unexpanded = Vec::new();
        let mut transitions = 0;
        system.initial(&mut |state| unexpanded.push(state));
        seen.extend(unexpanded.iter().cloned());
        while let Some(from) = unexpanded.pop() {
            system.next(&from, &mut |_, to| {
                transitions += 1;
                if seen.insert(to.clone()) {
                    unexpanded.push(to.clone());
                }
            });
        }
        Counts {
            states: seen.len() as u64,
            transitions,
        }
    }
}
