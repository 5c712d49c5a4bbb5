//! The instances that are searched, and what every search of them has to find.

use std::fmt;

use super::number::grouped;

/// A size of Ben-Ari's memory, with every node white at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    pub nodes: u8,
    pub sons: u8,
    pub roots: u8,
}

/// What a search counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
}

/// The instances whose counts two programs agree on; the last one is the large one.
const KNOWN: [(Instance, Counts); 7] = [
    known(2, 1, 1, 686, 2_012),
    known(3, 1, 1, 12_497, 54_070),
    known(3, 1, 2, 12_244, 62_583),
    known(3, 2, 1, 415_633, 3_659_911),
    known(4, 1, 1, 347_458, 2_082_401),
    known(5, 1, 1, 12_365_444, 97_065_565),
    known(4, 2, 1, 116_202_402, 1_616_235_329),
];

/// The smallest.
pub const SMALL: Instance = KNOWN[0].0;

/// Those of a comparison that does not say which.
pub const DEFAULT: [Instance; 2] = [KNOWN[3].0, KNOWN[5].0];

/// The one that takes minutes, and more memory than the peers can have.
pub const LARGE: Instance = KNOWN[6].0;

const fn known(
    nodes: u8,
    sons: u8,
    roots: u8,
    states: u64,
    transitions: u64,
) -> (Instance, Counts) {
    let instance = Instance { nodes, sons, roots };
    let counts = Counts {
        states,
        transitions,
    };
    (instance, counts)
}

impl Instance {
    /// The instance by this name: `3-2-1` is three nodes of two sons each, and one root. None whose
    /// counts are not known.
    pub fn named(name: &str) -> Option<Self> {
        KNOWN
            .iter()
            .map(|(instance, _)| *instance)
            .find(|instance| instance.name() == name)
    }

    /// What the command line calls it.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.nodes, self.sons, self.roots)
    }

    /// The names of all of them.
    pub fn names() -> Vec<String> {
        KNOWN.iter().map(|(instance, _)| instance.name()).collect()
    }

    /// What every search of it has to find.
    pub fn counts(&self) -> Counts {
        let known = KNOWN.iter().find(|(instance, _)| instance == self);
        known.expect("instances are made from this table").1
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.nodes, self.sons, self.roots)
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
