//! Notices: what each process tells the others whenever they meet.

use serde::{Deserialize, Serialize};

use crate::walk::explore::limits::Limit;

/// State of a search in one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::walk::explore) struct Notice {
    /// States of the level that it has not expanded; one more if initial states may be missing.
    pub left: u64,
    /// States that it has.
    pub states: u64,
    /// Transitions from those that it has expanded.
    pub transitions: u64,
    /// Bytes of memory that the process holds.
    pub memory_bytes: u64,
    /// The length of the shortest behaviour that is worth stopping for.
    pub stop: Option<u32>,
    /// Reason why it expands no more.
    pub trouble: Option<Trouble>,
    /// Whether a checkpoint is to be written where a level begins, and whether any is: that of process 0 counts.
    pub keeps: bool,
    pub is_kept: bool,
    /// Whether the model was found to be at fault.
    pub is_at_fault: bool,
}

/// Reason why a process expands no more states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::walk::explore) enum Trouble {
    /// A function of the model panicked where it was not asked about a state or a step.
    Panicked,
    /// A limit was reached.
    Limit(Limit),
}

impl Notice {
    /// Sum over all processes.
    pub fn sum(notices: &[Self], of: impl Fn(&Self) -> u64) -> u64 {
        notices.iter().map(of).sum()
    }

    /// Reason why no process expands more states, and the process that tells it: a panic before a limit, and that of the first process
    /// that tells one.
    pub fn trouble(notices: &[Self]) -> Option<(usize, Trouble)> {
        let all = notices.iter().enumerate();
        let mut all = all.filter_map(|(process, notice)| Some((process, notice.trouble?)));
        let panicked = all
            .clone()
            .find(|(_, trouble)| *trouble == Trouble::Panicked);
        panicked.or_else(|| all.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three processes in any plight: the first panic, and where there is none the first limit.
    #[test]
    fn a_panic_is_told_before_a_limit() {
        let limits = [Limit::Cancelled, Limit::States(7)].map(Trouble::Limit);
        let plights = [
            None,
            Some(Trouble::Panicked),
            Some(limits[0]),
            Some(limits[1]),
        ];
        for one in plights {
            for other in plights {
                for third in plights {
                    let all = [one, other, third];
                    let notices = all.map(|trouble| Notice {
                        trouble,
                        ..Notice::default()
                    });
                    let panicked = all.iter().position(|plight| *plight == plights[1]);
                    let first = panicked.or(all.iter().position(Option::is_some));
                    let expected = first.map(|process| (process, all[process].unwrap()));
                    assert_eq!(Notice::trouble(&notices), expected, "{all:?}");
                }
            }
        }
    }
}
