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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    /// A member moves where no other one has its first counter below its second; it may not, beside one that has.
    Pairs,
    /// A member takes two tickets, and is not to be done with another one.
    Sets,
}

#[derive(Clone, Copy, Debug)]
struct Instance {
    model: Model,
    members: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Step {
    Move(#[process] usize),
}

impl TransitionSystem for Instance {
    type State = Holders;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Holders)) {
        let holder = |is_below: bool| Holder {
            place: u8::from(!is_below),
            pair: match self.model {
                Model::Pairs => vec![Counter::ZERO, Counter::new(is_below.into())],
                Model::Sets => Vec::new(),
            },
            held: BTreeSet::new(),
        };
        let mixes = match self.model {
            Model::Pairs => 0..1 << self.members,
            Model::Sets => 0..1,
        };
        for mix in mixes {
            let is_below = |member: usize| self.model == Model::Pairs && mix >> member & 1 == 0;
            visit(Holders {
                shared: 0,
                next: Counter::ZERO,
                members: (0..self.members)
                    .map(|member| holder(is_below(member)))
                    .collect(),
            });
        }
    }

    fn next(&self, from: &Holders, visit: &mut impl FnMut(Step, Holders)) {
        for (number, holder) in from.members.iter().enumerate() {
            let mut to = from.clone();
            let moved = &mut to.members[number];
            match self.model {
                Model::Pairs => {
                    let mut others = from.members.iter().enumerate();
                    let is_hindered = others.any(|(other, one)| other != number && is_below(one));
                    if from.shared != 0 || holder.place != 0 || is_hindered {
                        continue;
                    }
                    to.shared = 1;
                    moved.place = 2;
                }
                Model::Sets if holder.place == 2 => continue,
                Model::Sets if holder.held.len() < 2 => {
                    moved.held.insert(from.next);
                    to.next = from.next.next();
                }
                Model::Sets => moved.place = 2,
            }
            visit(Step::Move(number), to);
        }
    }

    fn observe(&self, _: &Holders) {}
}

fn is_below(holder: &Holder) -> bool {
    matches!(holder.pair[..], [first, second] if first < second)
}

impl Refinement for Instance {
    type Concrete = Self;
    type Abstract = Self;

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
        let model = self.model;
        let good = move |state: &Holders| {
            let at = |place| state.members.iter().filter(move |one| one.place == place);
            match model {
                Model::Pairs => state.shared == 0 || at(1).count() == 0,
                Model::Sets => at(2).count() < 2,
            }
        };
        vec![Invariant::new("good", "a test", good)]
    }
}

impl Crowd for Model {
    type Instance = Instance;

    fn members(&self) -> &str {
        "holders"
    }

    fn instance(&self, members: usize) -> Instance {
        Instance {
            model: *self,
            members,
        }
    }

    fn kinds(&self) -> u32 {
        u32::from(*self == Self::Pairs)
    }

    fn kind(&self, member: &MemberOf<Self>) -> Option<u32> {
        is_below(member).then_some(0)
    }
}

/// Two members violate each, which views do not exclude, whatever counters are among those of a member.
#[test]
fn several_counters_of_a_member_are_all_that_it_has() {
    for model in [Model::Pairs, Model::Sets] {
        for views in [None, Some(1), Some(2)] {
            let report = check_any_number(&model, &settings(views)).expect("it is a crowd");
            assert_eq!(
                report.verdict,
                Some(Verdict::Incomplete),
                "{model:?} {views:?}: {report}"
            );
        }
    }
}
