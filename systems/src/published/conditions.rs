//! Fairness conditions of a variant.

use refmap::Fairness;

/// Fairness conditions of a system: those published, but for one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditions {
    Published,
    /// Without the condition of this name.
    Without(&'static str),
    /// The condition of this name is weak.
    Weakened(&'static str),
}

impl Conditions {
    /// The conditions of a system of which these are `published`.
    pub(super) fn of(self, mut published: Vec<Fairness>) -> Vec<Fairness> {
        match self {
            Self::Published => (),
            Self::Without(name) => published.retain(|condition| condition.name() != name),
            Self::Weakened(name) => {
                for condition in published.iter_mut().filter(|each| each.name() == name) {
                    *condition = Fairness::weak(name, condition.rules().map(str::to_owned));
                }
            }
        }
        published
    }
}
