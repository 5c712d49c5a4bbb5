//! Whether each process that the environment declares takes actions of the specification.

use std::collections::BTreeSet;

use foldhash::{HashSet, HashSetExt};

use crate::obligation::found::SearchResult;
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::visit::{visit_offers, visit_steps};
use crate::statement::refinement::Refinement;
use crate::statement::rule::Process;

/// A process that the environment declares, and that takes no action of the specification in any mapped state. `acting`
/// are those of which the sample shows that they do.
pub(super) fn idle_process<R: Refinement>(
    environment: &[Process],
    acting: &BTreeSet<Process>,
    found: &SearchResult<'_, R>,
) -> Option<Process> {
    let declared = environment.iter();
    let mut idle: HashSet<_> = declared
        .filter(|process| !acting.contains(*process))
        .collect();
    let nothing = idle.is_empty() || found.states.len() == 0;
    if nothing || !found.totals.complete || found.totals.cut.is_some() {
        return None;
    }
    // The sample did not show them: every state is looked at.
    let specification = found.refinement.specification();
    let mut seen = HashSet::new();
    let mut count = 0;
    for (_, state) in found.kept() {
        count += 1;
        let image = found.refinement.call_map(&state);
        if seen.contains(&image) {
            continue;
        }
        let mut acts = |action| {
            idle.remove(&specification.call_process(&action));
        };
        visit_offers(specification, &image, &mut acts);
        visit_steps(specification, &image, &mut |action, _| acts(action));
        if seen.len() >= found.most_remembered() {
            seen.clear();
        }
        seen.insert(image);
        if idle.is_empty() {
            return None;
        }
    }
    let all = count == found.states.len();
    idle.into_iter().min().copied().filter(|_| all)
}

/// Fault of an idle process.
pub(super) fn explanation(process: Process, acting: &BTreeSet<Process>) -> String {
    let acting: Vec<_> = acting
        .iter()
        .map(|process| format!("`{process}`"))
        .collect();
    format!(
        "the environment has the process `{process}`, which takes no action of the specification in any mapped \
         state; those that do are {}",
        acting.join(", ")
    )
}
