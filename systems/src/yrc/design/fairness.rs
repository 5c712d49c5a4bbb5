//! Fairness of the design.

use refmap::{Action as _, Fairness};

use super::variants::{Barrier, Progress};
use super::{Action, Design};

impl Progress {
    /// The conditions that say it.
    pub(super) fn conditions(self, design: &Design) -> Vec<Fairness> {
        let rules = Action::rules(design).iter();
        let of_collector = rules.filter(|rule| rule.process == "collector");
        let collector = Fairness::weak("collector", of_collector.map(|rule| rule.name.clone()));
        let after_the_write: &[&'static str] = match design.variant.barrier {
            Barrier::StoreFirst => &["increment", "decrement"],
            Barrier::IncrementFirst => &["decrement"],
        };
        let after_the_write = after_the_write.iter().copied();
        match self {
            Self::StrongOperations => {
                vec![collector, Fairness::strong("operations", after_the_write)]
            }
            Self::Operations => vec![collector, Fairness::weak("operations", after_the_write)],
            Self::Collector => vec![collector],
            Self::None => Vec::new(),
        }
    }
}
