//! Small systems and refinements, given as functions, for the tests of refmap's crates.
//!
//! Crates depend on it only for their tests.

#![expect(
    missing_docs,
    reason = "a field is the method of its name, in the traits of refmap"
)]

mod adjusting;
pub mod clustered;
mod damage;
pub mod decomposed;
pub mod explicit;
mod itself;
mod labelling;
mod machine;
mod mapped;
mod meeting;
mod number;
mod plain;
mod random;
mod reports;
mod settings;
mod sundry;
pub mod textbook;
mod with_invariants;

pub use adjusting::Adjusting;
pub use damage::damaged;
pub use itself::Itself;
pub use labelling::Labelling;
pub use machine::{Action, Machine, rules};
pub use mapped::{Mapped, Via, alike, itself, mapped};
pub use meeting::{Participant, participants};
pub use number::{Number, Owned, Whole};
pub use plain::{Counts, reachable, search};
pub use random::Random;
pub use reports::{assert_explained, assert_verdict, checked, row_of, verdict_on};
pub use settings::{
    cancelled_by, only, to_the_end, until_with, up_to_bytes, up_to_depth, up_to_seconds,
    up_to_states, walking, with_liveness,
};
pub use sundry::{Sundry, sundry_trace};
pub use with_invariants::{WithInvariants, with_invariant};

use refmap::{Rule, Waiver};

/// The action of a system that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, refmap::Action)]
pub enum Go {
    Go,
}

/// A clock of four hours.
pub fn counter() -> Machine<u8> {
    let next = |n: &u8| vec![(("tick", 0), (n + 1) % 4)];
    Machine::new(&[("tick", "clock")], [0], next, |n| *n)
}

/// The counter as an implementation of itself with a further rule, which it leaves out.
pub fn counter_with_reset() -> Via<u8, u8> {
    let mut specification = counter();
    specification
        .rules
        .push(Rule::new("reset", "user", "a test"));
    let mut refinement = itself(specification);
    refinement.specification.next = |n| vec![(("tick", 0), (n + 1) % 4), (("reset", 0), 0)];
    refinement
}

/// A waiver for a rule.
pub fn waived(rule: &'static str) -> Waiver {
    Waiver {
        rule,
        reason: "a test",
    }
}

/// The README's example is tested. Here and not in `refmap`, which is packaged without it.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
