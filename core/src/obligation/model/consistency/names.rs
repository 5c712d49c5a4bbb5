//! Names of actions that are filed under another rule than the one that has their name.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use foldhash::HashMap;

use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::named;
use crate::statement::erased::{ErasedAction, ErasedSystem};
use crate::statement::rule::{Rule, RuleId};
use crate::statement::shown::json::json;
use crate::walk::explore::Place;

/// Actions of a system whose names are to be compared with those of the rules: of those of one variant that are filed under
/// one rule the first.
///
/// PERF: a name is text, which is compared once for each of these when the search is over, and not at each step.
#[derive(Default)]
pub(in crate::obligation) struct ActionNames(HashMap<(RuleId, u64), First>);

/// First action of its kind that was heard of.
struct First {
    /// Of those that several workers hear of the first one counts, so that it is the same for any number of them.
    place: Place,
    action: ErasedAction,
}

impl ActionNames {
    /// Notes an action of a rule.
    pub fn note(&mut self, rule: RuleId, place: Place, action: &ErasedAction) {
        let first = || First {
            place,
            action: named("`clone` of an action", || action.clone()),
        };
        match self.0.entry((rule, action.variant())) {
            Entry::Vacant(entry) => {
                entry.insert(first());
            }
            Entry::Occupied(mut entry) if place < entry.get().place => {
                entry.insert(first());
            }
            Entry::Occupied(_) => (),
        }
    }

    /// Adds what another worker noted.
    pub fn add(&mut self, other: Self) {
        for (kind, first) in other.0 {
            let known = self.0.get(&kind);
            if known.is_none_or(|known| first.place < known.place) {
                self.0.insert(kind, first);
            }
        }
    }

    /// Texts on the actions that are filed under another rule than the one that has their name.
    pub fn misnamed(&self, system: &ErasedSystem<'_>) -> BTreeSet<String> {
        let firsts = self.0.values();
        let misnamed = firsts.filter_map(|first| misnamed(system, &first.action));
        misnamed.collect()
    }
}

/// That an action is filed under another rule than the one that has its name, if that is so.
fn misnamed(system: &ErasedSystem<'_>, action: &ErasedAction) -> Option<String> {
    fn plain(name: &str) -> impl Iterator<Item = char> {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase)
    }
    // An enum's variant, as serde writes it.
    let name = match json(action) {
        serde_json::Value::String(name) => name,
        serde_json::Value::Object(fields) if fields.len() == 1 => fields.into_iter().next()?.0,
        _ => return None,
    };
    let (own, rules) = (system.call_rule(action).0, system.call_rules());
    let is_its_name = |rule: &Rule| plain(&rule.name).eq(plain(&name));
    if is_its_name(&rules[own]) {
        return None;
    }
    let other = rules.iter().find(|rule| is_its_name(rule))?;
    Some(format!(
        "`rule` files {action:?} under `{}`, and there is a rule `{}`",
        rules[own].name, other.name
    ))
}
