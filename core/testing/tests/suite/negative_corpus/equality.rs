//! Equal states that are not the same.

use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};

use refmap::AbstractSteps::One;
use refmap::{Invariant, Process, Rule, RuleId, TransitionSystem, Verdict};
use serde::Serialize;

use super::{assert_caught, assert_holds, counter, report};
use refmap_testing::{Machine, alike, itself, mapped, row_of};

/// Two variables, of which equality knows the first.
#[derive(Clone, Copy, Debug, Serialize)]
struct HalfEqual {
    known: u8,
    left_out: u8,
}

impl<S: ?Sized> refmap::State<S> for HalfEqual {}

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

/// The same, where the second variable is not serialised, and perhaps not shown.
#[derive(Clone, Copy, Serialize)]
struct Unseen<const SHOWN: bool> {
    known: u8,
    #[serde(skip)]
    left_out: u8,
}

impl<S: ?Sized, const SHOWN: bool> refmap::State<S> for Unseen<SHOWN> {}

impl<const SHOWN: bool> Debug for Unseen<SHOWN> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if SHOWN {
            write!(f, "{}, left out {}", self.known, self.left_out)
        } else {
            write!(f, "{}", self.known)
        }
    }
}

impl<const SHOWN: bool> PartialEq for Unseen<SHOWN> {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known
    }
}

impl<const SHOWN: bool> Eq for Unseen<SHOWN> {}

impl<const SHOWN: bool> Hash for Unseen<SHOWN> {
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
    type Unseen = self::Unseen<false>;
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
    let model = row_of(&report, "model");
    let why = &model.counterexamples[0].explanation;
    assert!(
        why.contains("`next` tells") && why.contains("`Eq` does not"),
        "{why}"
    );
}

/// `Eq` ignores what decides whether the specification goes on: it ticks once, and the implementation always.
#[test]
fn eq_leaves_out_what_the_specification_reads() {
    type Unseen = self::Unseen<true>;
    let state = |known| Unseen { known, left_out: 0 };
    let with = |next| {
        let specification = Machine::new(&[("tick", "clock")], [state(0)], next, |s| s.known);
        let image = move |known: &u8| state(*known);
        mapped(counter(), specification, image, |_, action, _| One(*action))
    };
    assert_holds(&with(|from| {
        let known = (from.known + 1) % 4;
        vec![(("tick", 0), Unseen { known, ..*from })]
    }));
    let locked = with(|from| match from.left_out {
        0 => vec![(
            ("tick", 0),
            Unseen {
                known: (from.known + 1) % 4,
                left_out: 1,
            },
        )],
        _ => Vec::new(),
    });
    assert_caught(
        &locked,
        "model",
        0,
        "two equal states of the specification differ",
    );
}

/// A user who asks for one of some things, and is answered. Equality knows neither what is asked for nor the balance.
struct Counter {
    things: u8,
    balance: u8,
}

#[derive(Clone, Debug, Serialize)]
enum Deal {
    Ask(u8),
    Reply,
}

impl PartialEq for Deal {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Eq for Deal {}

impl Hash for Deal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
    }
}

#[derive(Clone, Debug)]
struct Seen {
    asked: u8,
    #[expect(dead_code, reason = "`Debug` shows it, and nothing else")]
    balance: u8,
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        self.asked == other.asked
    }
}

impl Eq for Seen {}

impl Hash for Seen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.asked.hash(state);
    }
}

impl refmap::Action<Counter> for Deal {
    fn rules(_: &Counter) -> &[Rule] {
        const {
            &[
                Rule::new("ask", "user", "a test"),
                Rule::new("reply", "counter", "a test"),
            ]
        }
    }

    fn rule(&self, _: &Counter) -> RuleId {
        RuleId(usize::from(matches!(self, Deal::Reply)))
    }
}

impl TransitionSystem for Counter {
    type State = u8;
    type Action = Deal;
    type Observation = Seen;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn candidates(&self, _: &u8, visit: &mut impl FnMut(Deal)) {
        (0..self.things).for_each(|thing| visit(Deal::Ask(thing)));
        visit(Deal::Reply);
    }

    fn fire(&self, deal: &Deal, state: &mut u8) -> Option<()> {
        *state = match deal {
            Deal::Ask(thing) => (*state == 0 && *thing < self.things).then_some(1 + thing)?,
            Deal::Reply => (*state != 0).then_some(0)?,
        };
        Some(())
    }

    fn observe(&self, state: &u8) -> Seen {
        Seen {
            asked: *state,
            balance: self.balance,
        }
    }
}

/// The user may ask for a second thing, and the implementation takes the first alone.
#[test]
fn eq_leaves_out_an_argument_of_an_action() {
    let service = |things, balance| {
        let mut service = alike(
            Counter { things: 1, balance },
            Counter { things, balance: 0 },
        );
        service.environment = vec![Process::new("user")];
        service
    };
    assert_holds(&service(1, 0));
    assert_caught(
        &service(2, 0),
        "model",
        0,
        "two equal actions of the specification differ: Ask is 0 in one and 1 in the other",
    );
    assert_caught(
        &service(1, 9),
        "model",
        0,
        "two equal observations differ: one is Seen { asked: 0, balance: 9 }",
    );
}

/// Two variables, of which the hash knows the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct HalfHashed {
    known: u8,
    left_out: u8,
}

impl<S: ?Sized> refmap::State<S> for HalfHashed {}

impl Hash for HalfHashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.known.hash(state);
    }
}

/// That is allowed: states of one hash are compared.
#[test]
fn hash_leaves_out_what_eq_compares() {
    let initial = [HalfHashed {
        known: 0,
        left_out: 0,
    }];
    let next = |from: &HalfHashed| {
        let (known, left_out) = match from.known {
            3 => (0, (from.left_out + 1) % 3),
            known => (known + 1, from.left_out),
        };
        vec![(("tick", 0), HalfHashed { known, left_out })]
    };
    let clock = itself(Machine::new(
        &[("tick", "clock")],
        initial,
        next,
        |state: &HalfHashed| state.known,
    ));
    assert_eq!(assert_holds(&clock).states, 12);
}

/// Of two invariants the second one reads what nothing else does.
#[test]
fn eq_leaves_out_what_nothing_shows_and_the_second_invariant_reads() {
    type Unseen = self::Unseen<false>;
    let with = |next| {
        let initial = [Unseen {
            known: 0,
            left_out: 0,
        }];
        let system = Machine::new(&[("tick", "clock")], initial, next, |state: &Unseen| {
            state.known
        });
        let mut refinement = itself(system);
        refinement.invariants = vec![
            Invariant::new("known", "a test", |state: &Unseen| state.known < 4),
            Invariant::new("never", "a test", |state: &Unseen| state.left_out == 0),
        ];
        refinement
    };
    fn tick(from: &Unseen, left_out: u8) -> Vec<(refmap_testing::Action, Unseen)> {
        let known = (from.known + 1) % 4;
        vec![(("tick", 0), Unseen { known, left_out })]
    }
    assert_holds(&with(|from| tick(from, 0)));
    let hidden = with(|from| tick(from, u8::from(from.known == 3)));
    let why = "`never` tells";
    assert_caught(&hidden, "model", 4, why);
}
