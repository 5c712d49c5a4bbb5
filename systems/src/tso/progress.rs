//! Fairness conditions of the collector, its mutators and the memory.
//!
//! Source: Gammie et al., section 4, Connection With Reality, which assumes that mutators and the hardware make progress.

use refmap::{Fairness, Rule};

use super::label::{AnswerStep, Label, SysStep};
use super::scope::Scope;
use super::state::Who;
use crate::heap::MUTATOR;

/// Progress of a part of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Progress {
    /// Weak fairness of the collector's steps.
    Collector,
    /// Weak fairness of each mutator's steps: it does not stop in the middle of an operation.
    Mutators,
    /// Fairness of each mutator's polls of its handshake bit: between operations it does not forget to look.
    Polls,
    /// That the fairness of polls is strong: between polls a mutator is in operations, where it cannot poll.
    StrongPolls,
    /// Weak fairness of the commits of the collector's stores.
    CollectorCommits,
    /// Weak fairness of the commits of each mutator's stores.
    MutatorCommits,
}

/// The conditions that say this progress, of a system with these rules.
pub(super) fn conditions(assumed: &[Progress], scope: &Scope, rules: &[Rule]) -> Vec<Fairness> {
    let of = |process: &str| -> Vec<_> {
        let own = rules.iter().filter(|rule| rule.process == process);
        own.map(|rule| rule.name.clone()).collect()
    };
    let named = |name: &'static str, label: Label| Fairness::weak(name, [label.to_string()]);
    let poll = || [Label::Answer(AnswerStep::Poll).to_string()];
    let mut conditions = Vec::new();
    for progress in assumed {
        let name: &'static str = progress.into();
        match progress {
            Progress::Collector => conditions.push(Fairness::weak(name, of("gc"))),
            Progress::Mutators => conditions.push(Fairness::weak(name, of(MUTATOR))),
            Progress::Polls if assumed.contains(&Progress::StrongPolls) => {
                conditions.push(Fairness::strong(name, poll()));
            }
            Progress::Polls => conditions.push(Fairness::weak(name, poll())),
            Progress::StrongPolls => (),
            Progress::CollectorCommits => {
                let label = Label::Sys(SysStep::Commit(Who::Gc));
                conditions.push(named(name, label));
            }
            Progress::MutatorCommits => conditions.extend((0..scope.mutators).map(|mutator| {
                let label = Label::Sys(SysStep::Commit(Who::Mutator(mutator)));
                Fairness::weak(format!("{name}({mutator})"), [label.to_string()])
            })),
        }
    }
    conditions
}
