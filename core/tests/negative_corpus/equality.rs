//! Equal states that are not the same.

use std::hash::{Hash, Hasher};

use refmap::{Invariant, Verdict};
use serde::Serialize;

use super::machine::{Machine, itself};
use super::{assert_caught, assert_holds, report};

/// Two variables, of which equality knows the first.
#[derive(Clone, Copy, Debug, Serialize)]
struct HalfEqual {
    known: u8,
    left_out: u8,
}

impl PartialEq for HalfEqual {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known
    }
}

impl Eq for HalfEqual {}

impl Hash for HalfEqual {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.known.hash(state);
    }
}

/// The same, where the second variable is not serialised.
#[derive(Clone, Copy, Debug, Serialize)]
struct Unseen {
    known: u8,
    #[serde(skip)]
    left_out: u8,
}

impl PartialEq for Unseen {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known
    }
}

impl Eq for Unseen {}

impl Hash for Unseen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.known.hash(state);
    }
}

/// The invariant is false of a state that is taken for one that was there before.
#[test]
fn eq_leaves_out_what_an_invariant_reads() {
    let system = |next| {
        let initial = [HalfEqual {
            known: 0,
            left_out: 0,
        }];
        Machine::new(&[("tick", "clock")], initial, next, |state| state.known)
    };
    let with = |next| {
        let mut refinement = itself(system(next));
        refinement.invariants = vec![Invariant::new("never", "a test", |state: &HalfEqual| {
            state.left_out == 0
        })];
        refinement
    };
    assert_holds(&with(|from| {
        vec![(
            ("tick", 0),
            HalfEqual {
                known: (from.known + 1) % 4,
                ..*from
            },
        )]
    }));
    let hidden = with(|from| {
        let left_out = u8::from(from.known == 3);
        vec![(
            ("tick", 0),
            HalfEqual {
                known: (from.known + 1) % 4,
                left_out,
            },
        )]
    });
    let why = "left_out is 0 in one and 1 in the other, and `Eq` does not tell them apart";
    assert_caught(&hidden, "model", 4, why);
}

#[test]
fn eq_leaves_out_what_nothing_shows_and_next_reads() {
    let system = |next| {
        let initial = [Unseen {
            known: 0,
            left_out: 0,
        }];
        Machine::new(&[("tick", "clock")], initial, next, |state: &Unseen| {
            state.known
        })
    };
    assert_holds(&itself(system(|from| {
        vec![(
            ("tick", 0),
            Unseen {
                known: (from.known + 1) % 4,
                ..*from
            },
        )]
    })));
    let hidden = itself(system(|from| {
        let left_out = from.left_out + u8::from(from.known == 3);
        let known = (from.known + 1 + left_out) % 4;
        vec![(
            ("tick", 0),
            Unseen {
                known,
                left_out: left_out % 2,
            },
        )]
    }));
    let report = report(&hidden);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let model = report.obligation("model").expect("the model is at fault");
    let why = &model.counterexamples[0].explanation;
    assert!(
        why.contains("`next` tells") && why.contains("`Eq` does not"),
        "{why}"
    );
}
