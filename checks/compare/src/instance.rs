//! The instances that are searched, and what every search of them has to find.

use std::fmt;

use refmap::internal::grouped;
use serde_json::Value;

/// A model and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instance {
    /// Level 3 of Ben-Ari's collector, with every node white at the start.
    BenAri(Memory),
    /// Two-phase commit, with a set of messages.
    TwoPhaseCommit { managers: u8 },
    /// Leader election in a ring, with queues of messages.
    LeaderElection { nodes: u8 },
    /// Termination detection in a ring, with counters of messages.
    TerminationDetection { nodes: u8, messages: u8 },
}

/// A size of Ben-Ari's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub nodes: u8,
    pub sons: u8,
    pub roots: u8,
}

/// Counts of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
}

impl Counts {
    /// The counts that a program prints in JSON.
    pub fn in_json(printed: &Value) -> Result<Self, String> {
        let count = |name: &str| {
            let count = printed[name].as_u64();
            count.ok_or_else(|| format!("it prints no number {name:?}"))
        };
        Ok(Self {
            states: count("states")?,
            transitions: count("transitions")?,
        })
    }
}

/// The instances whose counts two programs agree on.
const KNOWN: [(Instance, Counts); 14] = [
    (ben_ari(2, 1, 1), counts(686, 2_012)),
    (ben_ari(3, 1, 1), counts(12_497, 54_070)),
    (ben_ari(3, 1, 2), counts(12_244, 62_583)),
    (ben_ari(3, 2, 1), counts(415_633, 3_659_911)),
    (ben_ari(4, 1, 1), counts(347_458, 2_082_401)),
    (ben_ari(5, 1, 1), counts(12_365_444, 97_065_565)),
    (LARGE, counts(116_202_402, 1_616_235_329)),
    (two_phase_commit(5), counts(8_832, 58_145)),
    (two_phase_commit(7), counts(296_448, 2_744_705)),
    (two_phase_commit(8), counts(1_745_408, 18_507_777)),
    (leader_election(7), counts(11_524, 43_533)),
    (leader_election(9), counts(273_916, 1_269_488)),
    (termination_detection(6, 2), counts(24_572, 102_776)),
    (termination_detection(12, 2), counts(4_723_227, 35_235_188)),
];

/// The smallest.
pub const SMALL: Instance = ben_ari(2, 1, 1);

/// Those of a comparison that does not say which.
pub const DEFAULT: [Instance; 5] = [
    ben_ari(3, 2, 1),
    ben_ari(5, 1, 1),
    two_phase_commit(8),
    leader_election(9),
    termination_detection(12, 2),
];

/// The one that takes minutes, and more memory than the peers can have.
pub const LARGE: Instance = ben_ari(4, 2, 1);

const fn ben_ari(nodes: u8, sons: u8, roots: u8) -> Instance {
    Instance::BenAri(Memory { nodes, sons, roots })
}

const fn two_phase_commit(managers: u8) -> Instance {
    Instance::TwoPhaseCommit { managers }
}

const fn leader_election(nodes: u8) -> Instance {
    Instance::LeaderElection { nodes }
}

const fn termination_detection(nodes: u8, messages: u8) -> Instance {
    Instance::TerminationDetection { nodes, messages }
}

const fn counts(states: u64, transitions: u64) -> Counts {
    Counts {
        states,
        transitions,
    }
}

impl Instance {
    /// The instance by this name: `3-2-1` is Ben-Ari's collector with three nodes of two sons each, and one root. None
    /// whose counts are not known.
    pub fn named(name: &str) -> Option<Self> {
        KNOWN
            .iter()
            .map(|(instance, _)| *instance)
            .find(|instance| instance.name() == name)
    }

    /// Name on the command line.
    pub fn name(&self) -> String {
        match self {
            Self::BenAri(Memory { nodes, sons, roots }) => format!("{nodes}-{sons}-{roots}"),
            Self::TwoPhaseCommit { managers } => format!("two-phase-commit-{managers}"),
            Self::LeaderElection { nodes } => format!("leader-election-{nodes}"),
            Self::TerminationDetection { nodes, messages } => {
                format!("termination-detection-{nodes}-{messages}")
            }
        }
    }

    /// The names of all of them.
    pub fn names() -> Vec<String> {
        KNOWN.iter().map(|(instance, _)| instance.name()).collect()
    }

    /// Counts that every search has to find.
    pub fn counts(&self) -> Counts {
        let known = KNOWN.iter().find(|(instance, _)| instance == self);
        known.expect("instances are made from this table").1
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BenAri(Memory { nodes, sons, roots }) => write!(f, "({nodes}, {sons}, {roots})"),
            Self::TwoPhaseCommit { managers } => {
                write!(f, "two-phase commit of {managers} managers")
            }
            Self::LeaderElection { nodes } => write!(f, "leader election of {nodes} nodes"),
            Self::TerminationDetection { nodes, messages } => {
                write!(
                    f,
                    "termination detection of {nodes} nodes and {messages} messages"
                )
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (states, transitions) = (grouped(self.states), grouped(self.transitions));
        write!(f, "{states} states and {transitions} transitions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_found_by_its_name() {
        for (instance, _) in KNOWN {
            assert_eq!(Instance::named(&instance.name()), Some(instance));
        }
    }

    #[test]
    fn an_instance_without_known_counts_is_not_found() {
        assert_eq!(Instance::named("7-1-1"), None);
    }
}
