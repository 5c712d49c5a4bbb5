//! Members with several counters: their kinds depend on the order of these, or they keep them in a set.

use std::collections::BTreeSet;

use refmap::AbstractSteps::{self, One};
use refmap::crowd::{Crowd, MemberOf};
use refmap::{
    Action, Counter, Invariant, Refinement, State, TransitionSystem, Verdict, check_any_number,
};
use serde::Serialize;

use super::settings;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Holder {
    #[state(range = 0..3)]
    place: u8,
    pair: Vec<Counter>,
    held: BTreeSet<Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Holders {
    #[state(range = 0..2)]
    shared: u8,
    next: Counter,
    #[state(symmetric)]
    members: Vec<Holder>,
}

/// Counters that a member has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// Two, and it moves where no other member has its first below its second. Beside one that has not it may not.
    Pairs,
    /// A set, in which it puts two tickets. Then it is done, and is not to be with another one.
    Sets,
}

#[derive(Clone, Copy, Debug)]
struct HolderCrowd {
    held: Held,
    /// True if one member alone moves, or is done, and that is all that is asked.
    is_safe: bool,
}

#[derive(Clone, Copy, Debug)]
struct HolderSystem {
    of: HolderCrowd,
    members: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = HolderSystem)]
enum Step {
    Move(#[process(0..system.members)] usize),
}

impl TransitionSystem for HolderSystem {
    type State = Holders;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Holders)) {
        let holder = |is_below: bool| Holder {
            place: u8::from(!is_below),
            pair: match self.of.held {
                Held::Pairs => {
                    if is_below {
                        vec![Counter::START, Counter::START.next()]
                    } else {
                        vec![Counter::START; 2]
                    }
                }
                Held::Sets => Vec::new(),
            },
            held: BTreeSet::new(),
        };
        let mixes = match self.of.held {
            Held::Pairs => 0..1 << self.members,
            Held::Sets => 0..1,
        };
        for mix in mixes {
            let is_below = |member: usize| self.of.held == Held::Pairs && mix >> member & 1 == 0;
            visit(Holders {
                shared: 0,
                next: Counter::START,
                members: (0..self.members)
                    .map(|member| holder(is_below(member)))
                    .collect(),
            });
        }
    }

    fn fire(&self, Step::Move(number): &Step, state: &mut Holders) -> Option<()> {
        let mut others = state.members.iter().enumerate();
        let is_hindered = others.any(|(other, one)| other != *number && is_below(one));
        let holder = &mut state.members[*number];
        match self.of.held {
            Held::Pairs => {
                (state.shared == 0 && holder.place == 0 && !is_hindered).then_some(())?;
                state.shared = 1;
                holder.place = 2;
            }
            Held::Sets if holder.place == 2 => return None,
            Held::Sets if holder.held.len() < 2 => {
                holder.held.insert(state.next);
                state.next = state.next.next();
            }
            Held::Sets if self.of.is_safe && state.shared != 0 => return None,
            Held::Sets => {
                state.shared = u8::from(self.of.is_safe);
                holder.place = 2;
            }
        }
        Some(())
    }

    fn observe(&self, _: &Holders) {}
}

fn is_below(holder: &Holder) -> bool {
    matches!(holder.pair[..], [first, second] if first < second)
}

impl Refinement for HolderSystem {
    type Implementation = Self;
    type Specification = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &Holders) -> Holders {
        state.clone()
    }

    fn abstract_steps(&self, _: &Holders, step: &Step, _: &Holders) -> AbstractSteps<Step> {
        One(step.clone())
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let HolderCrowd { held, is_safe } = self.of;
        let good = move |state: &Holders| {
            let at = |place| state.members.iter().filter(move |one| one.place == place);
            match held {
                Held::Pairs if !is_safe => state.shared == 0 || at(1).count() == 0,
                Held::Pairs | Held::Sets => at(2).count() < 2,
            }
        };
        vec![Invariant::new("good", "a test", good)]
    }
}

impl Crowd for HolderCrowd {
    type Instance = HolderSystem;

    fn members(&self) -> &str {
        "holders"
    }

    fn instance(&self, members: usize) -> HolderSystem {
        HolderSystem { of: *self, members }
    }

    fn kinds(&self) -> u32 {
        u32::from(self.held == Held::Pairs)
    }

    fn kind(&self, member: &MemberOf<Self>) -> Option<u32> {
        is_below(member).then_some(0)
    }
}

/// Verdicts of crowds, by what members have, whether it is safe, and the views that are asked for.
fn assert_all(cases: &[(Held, bool, Option<usize>, Verdict)]) {
    for (held, is_safe, views, expected) in cases.iter().copied() {
        let crowd = HolderCrowd { held, is_safe };
        let report = check_any_number(&crowd, &settings(views)).expect("it is a crowd");
        assert_eq!(
            report.verdict,
            Some(expected),
            "{crowd:?} {views:?}: {report}"
        );
    }
}

/// Two members violate what is asked, which views do not exclude, whatever counters are among those of a member; and where one alone
/// is done they do.
#[test]
fn several_counters_of_a_member_are_all_that_it_has() {
    assert_all(&[
        (Held::Pairs, false, Some(1), Verdict::Incomplete),
        (Held::Sets, false, Some(1), Verdict::Incomplete),
        (Held::Pairs, true, None, Verdict::Holds),
    ]);
}

#[test]
#[ignore = "half a minute"]
fn slow_sets_of_counters_are_all_that_a_member_has() {
    assert_all(&[(Held::Sets, true, None, Verdict::Holds)]);
}

#[test]
#[ignore = "half a minute"]
fn slow_larger_views_do_not_exclude_it_either() {
    for held in [Held::Pairs, Held::Sets] {
        assert_all(&[
            (held, false, None, Verdict::Incomplete),
            (held, false, Some(2), Verdict::Incomplete),
        ]);
    }
}
