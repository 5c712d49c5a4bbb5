//! Rules by their names and numbers, where a model may have got them wrong.

use std::fmt::Debug;

use super::error::CheckError;
use crate::statement::rule::Rule;

/// Validates that a name is that of one rule at most.
pub(super) fn names_one(rules: &[Rule], name: &str) -> Result<(), CheckError> {
    let named = rules.iter().filter(|rule| rule.name == name);
    match named.count() {
        0 | 1 => Ok(()),
        _ => Err(CheckError::DuplicateRule {
            name: name.to_owned(),
        }),
    }
}

#[cold]
#[inline(never)]
pub(super) fn no_such_rule(rule: usize, action: &dyn Debug, rules: usize) -> ! {
    panic!("the rule of {action:?} is {rule}, and there are {rules} rules");
}
