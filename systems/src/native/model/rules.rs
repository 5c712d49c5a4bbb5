//! Rules of the model, for coverage and reports.

use refmap::{Rule, RuleId};

use super::action::Action;
use crate::tso::{Access, Who};

pub(super) static RULES: [Rule; 28] = [
    Rule::new("join", "mutator", "Gammie et al., section 4"),
    Rule::new("hold", "mutator", "Gammie et al., section 4"),
    Rule::new("leave", "mutator", "Gammie et al., section 4"),
    Rule::new("alloc", "mutator", "Gammie et al., Fig. 6, Alloc"),
    Rule::new("discard", "mutator", "Gammie et al., Fig. 6, Discard"),
    Rule::new("load", "mutator", "Gammie et al., Fig. 6, Load"),
    Rule::new("overwrite", "mutator", "Gammie et al., Fig. 6, line 9"),
    Rule::new("store", "mutator", "Gammie et al., Fig. 6, line 11"),
    Rule::new("asked", "mutator", "Gammie et al., Fig. 4, the mutator"),
    Rule::new("done", "mutator", "Gammie et al., Fig. 4, the mutator"),
    Rule::new("fence", "mutator", "Gammie et al., Fig. 4, the mutator"),
    Rule::new("mark: load fM", "mutator", "Gammie et al., Fig. 5, line 2"),
    Rule::new(
        "mark: load mark",
        "mutator",
        "Gammie et al., Fig. 5, line 3",
    ),
    Rule::new(
        "mark: load phase",
        "mutator",
        "Gammie et al., Fig. 5, line 4",
    ),
    Rule::new("mark: CAS", "mutator", "Gammie et al., Fig. 5, lines 5–11"),
    Rule::new("fence", "collector", "Gammie et al., Fig. 4, initiation"),
    Rule::new(
        "mark: load fM",
        "collector",
        "Gammie et al., Fig. 5, line 2",
    ),
    Rule::new(
        "mark: load mark",
        "collector",
        "Gammie et al., Fig. 5, line 3",
    ),
    Rule::new(
        "mark: load phase",
        "collector",
        "Gammie et al., Fig. 5, line 4",
    ),
    Rule::new(
        "mark: CAS",
        "collector",
        "Gammie et al., Fig. 5, lines 5–11",
    ),
    Rule::new("ask", "collector", "Gammie et al., Fig. 4, initiation"),
    Rule::new("answered", "collector", "Gammie et al., Fig. 4, polling"),
    Rule::new(
        "set fM or fA",
        "collector",
        "Gammie et al., Fig. 2, lines 5 and 12",
    ),
    Rule::new(
        "set phase",
        "collector",
        "Gammie et al., Fig. 2, lines 8, 11, 37 and 46",
    ),
    Rule::new("trace", "collector", "Gammie et al., Fig. 2, line 27"),
    Rule::new("scan", "collector", "Gammie et al., Fig. 2, line 29"),
    Rule::new("free", "collector", "Gammie et al., Fig. 2, lines 41–44"),
    Rule::new("commit", "memory", "Gammie et al., Fig. 9"),
];

/// The rule of which an action is an instance.
pub(super) fn rule_of(action: &Action) -> RuleId {
    let (access, by) = match *action {
        Action::Join { .. } => return RuleId(0),
        Action::Hold { .. } => return RuleId(1),
        Action::Leave { .. } => return RuleId(2),
        Action::Alloc { .. } => return RuleId(3),
        Action::Commit { .. } => return RuleId(27),
        Action::Take { access, by } => (access, by),
    };
    let either = |mutator, collector| match by {
        Who::Mutator(_) => mutator,
        Who::Gc => collector,
    };
    RuleId(match access {
        Access::Alloc { .. } => 3,
        Access::Discard { .. } => 4,
        Access::Load { .. } => 5,
        Access::Overwrite { .. } => 6,
        Access::Store { .. } => 7,
        Access::Asked(_) => 8,
        Access::Done(_) => 9,
        Access::Fence => either(10, 15),
        Access::LoadFm { .. } => either(11, 16),
        Access::LoadMark { .. } => either(12, 17),
        Access::LoadPhase { .. } => either(13, 18),
        Access::Cas { .. } => either(14, 19),
        Access::Ask(_) => 20,
        Access::Answered(_) => 21,
        Access::SetFm(_) | Access::SetFa(_) => 22,
        Access::SetPhase(_) => 23,
        Access::Trace { .. } => 24,
        Access::Scan { .. } => 25,
        Access::Free { .. } => 26,
    })
}
