//! Agreement of the methods of a system: what is derived from `next` and `initial` may be overridden, and
//! each action belongs to a rule and to a process.

use std::fmt::Debug;

use foldhash::HashSet;

use crate::statement::action::Action;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::overridden::Overridden;
use crate::statement::asked::visit::{visit_candidates, visit_initial};
use crate::statement::rule::RuleId;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem, steps};

/// Contradiction of a system with itself in one state: what [`disagreement`] finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// `rule` answers with an index past the end of `rules`.
    #[error("the rule of {action} is {rule}, and there are {rules} rules")]
    NoSuchRule {
        /// The action, as `Debug` shows it.
        action: String,
        /// The index given.
        rule: usize,
        /// Number of rules.
        rules: usize,
    },
    /// `process` names a process of another kind than the action's rule does.
    #[error("the process of {action} is {process}, and its rule `{rule}` belongs to {kind}")]
    OtherProcess {
        /// The action, as `Debug` shows it.
        action: String,
        /// The process given.
        process: String,
        /// The name of the action's rule.
        rule: String,
        /// The kind of process to which the rule belongs.
        kind: String,
    },
    /// The state offers one action twice.
    #[error("the state offers the action {action} twice, so it does not name one step")]
    OfferedTwice {
        /// The action, as `Debug` shows it.
        action: String,
    },
    /// An overridden derived method answers otherwise than `next` or `initial` do.
    #[error("{method} disagrees with {origin} about {about}")]
    Overridden {
        /// The method overridden.
        method: &'static str,
        /// The method from which it is derived.
        origin: &'static str,
        /// The action or state it is wrong about, as `Debug` shows it.
        about: String,
    },
}

impl Disagreement {
    /// Disagreement of `method`, which is overridden, with `origin`.
    pub fn overridden(method: &'static str, origin: &'static str, about: &dyn Debug) -> Self {
        Self::Overridden {
            method,
            origin,
            about: format!("{about:?}"),
        }
    }
}

/// Looks for a contradiction between the methods of `system` at `from`, where `others` are states
/// with which the answers of `allows` and `is_initial` are compared. A test of a model calls this
/// on every state of a small instance.
pub fn disagreement<S: TransitionSystem>(
    system: &S,
    from: &S::State,
    others: &[S::State],
) -> Option<Disagreement> {
    let offered = steps(system, from);
    for (position, (action, _)) in offered.iter().enumerate() {
        if offered[..position].iter().any(|(other, _)| other == action) {
            return Some(Disagreement::OfferedTwice {
                action: format!("{action:?}"),
            });
        }
    }
    // Actions enabled elsewhere: none of them may be enabled here unless `next` says so.
    let elsewhere = others.iter().flat_map(|other| steps(system, other));
    let elsewhere: Vec<_> = elsewhere.map(|(action, _)| action).collect();
    let at = StateWithSteps {
        system,
        from,
        offered: &offered,
        overridden: Overridden {
            candidates: <ActionOf<S> as Action<S>>::WITHOUT_RANGE.is_none(),
            ..Overridden::ALL
        },
    };
    let mut doubtful = None;
    let actions = offered.iter().map(|(action, _)| action);
    let found = at.disagreement(actions.chain(&elsewhere), others, &mut |_, found| {
        doubtful.get_or_insert(found);
    });
    let initial = || {
        others.iter().find_map(|other| {
            let mut initial = false;
            visit_initial(system, &mut |state| initial |= state == *other);
            let agrees = system.is_initial(other) == initial;
            (!agrees).then(|| Disagreement::overridden("is_initial", "initial", other))
        })
    };
    found.or(doubtful).or_else(initial)
}

/// The rule of `action` and the process that takes it fit each other and the system's rules.
pub fn misfiled<S: TransitionSystem>(system: &S, action: &ActionOf<S>) -> Option<Disagreement> {
    let (RuleId(number), rules) = (system.call_rule(action), system.call_rules());
    let Some(rule) = rules.get(number) else {
        return Some(Disagreement::NoSuchRule {
            action: format!("{action:?}"),
            rule: number,
            rules: rules.len(),
        });
    };
    let process = system.call_process(action);
    (process.name != rule.process).then(|| Disagreement::OtherProcess {
        action: format!("{action:?}"),
        process: process.to_string(),
        rule: rule.name.to_string(),
        kind: rule.process.to_owned(),
    })
}

/// A state, and the steps that `next` visits from it.
pub(crate) struct StateWithSteps<'a, S: TransitionSystem> {
    pub system: &'a S,
    pub from: &'a StateOf<S>,
    pub offered: &'a [(ActionOf<S>, StateOf<S>)],
    /// Methods that are overridden, and so not derived from these steps.
    pub overridden: Overridden,
}

impl<S: TransitionSystem> StateWithSteps<'_, S> {
    /// Compares `fire` with `next` for `actions`, and what is overridden of what is derived from them: to their targets and to `others`,
    /// `allows`; and the candidates. A step that `next` does not visit, by an action that it does not visit here at all,
    /// is told to `doubtful` with the action's rule: the rule may be stated as a predicate.
    pub fn disagreement<'b>(
        &self,
        actions: impl Iterator<Item = &'b ActionOf<S>>,
        others: &[StateOf<S>],
        doubtful: &mut impl FnMut(RuleId, Disagreement),
    ) -> Option<Disagreement>
    where
        S: 'b,
    {
        for action in actions {
            if let Some(found) = misfiled(self.system, action) {
                return Some(found);
            }
            let offered = self.offered.iter().filter(|(other, _)| other == action);
            let results: Vec<_> = offered.map(|(_, to)| to).collect();
            let rule = self.system.call_rule(action);
            let origin = if self.overridden.next {
                "next"
            } else {
                "candidates"
            };
            let mut compare = |method, agrees: bool| {
                let found = (!agrees).then(|| Disagreement::overridden(method, origin, action))?;
                if results.is_empty() {
                    doubtful(rule, found);
                    None
                } else {
                    Some(found)
                }
            };
            let mut to = self.from.clone();
            let agrees = match self.system.call_fire(action, &mut to) {
                Some(()) => results.contains(&&to),
                None => results.is_empty(),
            };
            if let Some(found) = compare("fire", agrees) {
                return Some(found);
            }
            let asked: &[StateOf<S>] = if self.overridden.allows { others } else { &[] };
            let first = if self.overridden.allows { 2 } else { 0 };
            for to in results.iter().copied().take(first).chain(asked) {
                let allowed = self.system.call_allows(self.from, action, to);
                // Where the result is open, what is derived allows the first one only.
                let agrees = allowed == results.contains(&to) || !allowed && results.len() > 1;
                if let Some(found) = compare("allows", agrees) {
                    return Some(found);
                }
            }
        }
        if self.overridden.next
            && self.overridden.candidates
            && let Some(found) = self.candidates()
        {
            return Some(found);
        }
        None
    }

    /// Compares `next`, which is overridden, with the candidates: it visits those that fire, and no others.
    fn candidates(&self) -> Option<Disagreement> {
        let mut candidates = Vec::new();
        visit_candidates(self.system, self.from, &mut |action| {
            candidates.push(action);
        });
        let known: HashSet<_> = candidates.iter().collect();
        let offered = self.offered.iter().map(|(action, _)| action);
        if let Some(beyond) = offered.clone().find(|action| !known.contains(action)) {
            return Some(Disagreement::overridden("next", "candidates", beyond));
        }
        let offered: HashSet<_> = offered.collect();
        let fires = |action: &&ActionOf<S>| {
            let mut to = self.from.clone();
            self.system.call_fire(action, &mut to).is_some()
        };
        let mut left_out = candidates.iter().filter(|action| !offered.contains(action));
        let left_out = left_out.find(fires);
        left_out.map(|action| Disagreement::overridden("next", "fire", action))
    }
}
