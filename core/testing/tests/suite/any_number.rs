//! Any number of members: what is said to hold for every number of them holds with one to five, on random crowds; and what is no crowd is told so.

use std::collections::HashSet;
use std::ops::ControlFlow;

use refmap::AbstractSteps::{self, One};
use refmap::crowd::{AnyNumber, Crowd, CrowdAnswer, CrowdFault, CrowdParts, Members, any_number};
use refmap::explore::{Limit, Limits, Watch};
use refmap::random::Generator;
use refmap::state::Kept;
use refmap::{Constraint, Invariant, Refinement, Rule, RuleId, State, TransitionSystem};

/// Condition on the others under which a member takes a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Guard {
    Nothing,
    /// That none of them is of a kind.
    None(u8),
    /// That one of them is of a kind, which to leave out others may change.
    Some(u8),
}

/// A step of a member of one kind, with one shared part.
#[derive(Clone, Copy, Debug)]
struct Move {
    shared: [u8; 2],
    member: [u8; 2],
    guard: Guard,
}

/// States that are not to be reached.
#[derive(Clone, Copy, Debug)]
enum Bad {
    /// With this shared part, a member of this kind.
    One(u8, u8),
    /// Two members of these kinds.
    Two(u8, u8),
    /// Three members of one kind.
    Three(u8),
}

impl Bad {
    fn speaks_of(self) -> usize {
        match self {
            Self::One(..) => 1,
            Self::Two(..) => 2,
            Self::Three(_) => 3,
        }
    }

    fn is(self, state: &Group) -> bool {
        let count = |kind| state.members.iter().filter(|one| **one == kind).count();
        match self {
            Self::One(shared, kind) => state.shared == shared && count(kind) > 0,
            Self::Two(one, other) if one == other => count(one) > 1,
            Self::Two(one, other) => count(one) > 0 && count(other) > 0,
            Self::Three(kind) => count(kind) > 2,
        }
    }
}

/// A way in which a declaration is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// The first member is another one than the rest.
    First,
    /// One step moves two members.
    MovesTwo,
    /// One member is the leader from the beginning on.
    Leader,
    /// Members are assembled without the last one's kind.
    Assembled,
    /// The invariant speaks of more members than it says.
    Width,
    /// An index of a member is shared.
    Index,
    /// Two shared parts are taken for one.
    Forgotten,
    /// The invariant has another name with each number of members.
    Named,
    /// The premise of the invariant is never true.
    Premise,
    /// There is a constraint.
    Constraint,
    /// There is a bound.
    Bound,
}

#[derive(Clone, Debug)]
struct Rules {
    moves: Vec<Move>,
    initial: Vec<u8>,
    bad: Bad,
    wrong: Wrong,
}

/// A shared part, and the kinds of the members.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Group {
    shared: u8,
    members: Vec<u8>,
    /// Way in which it is taken apart.
    parts: Parting,
}

/// Way in which a state is taken apart and assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
enum Parting {
    Right,
    /// Without the last member's kind.
    WithoutLast,
    /// Two shared parts are one.
    Forgetful,
}

impl Members for Group {
    type Shared = (u8, Parting);
    type Member = u8;

    fn apart(&self) -> CrowdParts<(u8, Parting), u8> {
        let shared = match self.parts {
            Parting::Forgetful => self.shared.min(1),
            Parting::Right | Parting::WithoutLast => self.shared,
        };
        CrowdParts {
            shared: (shared, self.parts),
            members: self.members.clone(),
        }
    }

    fn assembled((shared, parts): &(u8, Parting), members: &[u8]) -> Self {
        let mut members = members.to_vec();
        if *parts == Parting::WithoutLast
            && let [_, .., last] = &mut members[..]
        {
            *last = 0;
        }
        Self {
            shared: *shared,
            members,
            parts: *parts,
        }
    }
}

impl<S: ?Sized> State<S> for Group {
    const KEPT: Kept = Kept::Whole;
}

/// The system of so many members.
struct Instance {
    rules: Rules,
    members: usize,
}

impl Instance {
    fn group(&self, members: Vec<u8>) -> Group {
        Group {
            shared: 0,
            members,
            parts: match self.rules.wrong {
                Wrong::Assembled => Parting::WithoutLast,
                Wrong::Forgotten => Parting::Forgetful,
                _ => Parting::Right,
            },
        }
    }
}

impl TransitionSystem for Instance {
    type State = Group;
    type Action = usize;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("move", "group", "a test")] }
    }

    fn rule_of(&self, _: &usize) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(Group)) {
        let kinds = &self.rules.initial;
        for number in 0..kinds.len().pow(self.members as u32) {
            let kind = |place: u32| kinds[number / kinds.len().pow(place) % kinds.len()];
            let mut members: Vec<_> = (0..self.members as u32).map(kind).collect();
            if self.rules.wrong == Wrong::Leader {
                members.fill(kinds[0]);
                for leader in 0..members.len() {
                    let mut members = members.clone();
                    members[leader] = 2;
                    visit(self.group(members));
                }
                return;
            }
            visit(self.group(members));
        }
    }

    fn next(&self, from: &Group, visit: &mut impl FnMut(usize, Group)) {
        let wrong = self.rules.wrong;
        for (number, step) in self.rules.moves.iter().enumerate() {
            for (mover, kind) in from.members.iter().enumerate() {
                let mut others = from.members.iter().enumerate();
                let mut is_there =
                    |kind: u8| others.any(|(place, one)| place != mover && *one == kind);
                let is_enabled = match step.guard {
                    Guard::Nothing => true,
                    Guard::None(kind) => !is_there(kind),
                    Guard::Some(kind) => is_there(kind),
                };
                if from.shared != step.shared[0] || *kind != step.member[0] || !is_enabled {
                    continue;
                }
                if wrong == Wrong::First && mover == 0 && number == 0 {
                    continue;
                }
                let mut to = from.clone();
                to.shared = step.shared[1];
                to.members[mover] = step.member[1];
                if wrong == Wrong::Index && number == 0 {
                    to.shared = 10 + mover as u8;
                }
                if wrong == Wrong::MovesTwo && number == 0 && from.members.len() > 1 {
                    let other = (mover + 1) % from.members.len();
                    to.members[other] = (to.members[other] + 1) % 3;
                }
                visit(number, to);
            }
        }
    }

    fn observe(&self, _: &Group) {}

    fn bound(&self) -> Option<String> {
        (self.rules.wrong == Wrong::Bound).then(|| "two rounds".to_owned())
    }
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

    fn map(&self, state: &Group) -> Group {
        state.clone()
    }

    fn abstract_steps(&self, _: &Group, action: &usize, _: &Group) -> AbstractSteps<usize> {
        One(*action)
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let bad = self.rules.bad;
        let name = match self.rules.wrong {
            Wrong::Named => format!("good of {}", self.members),
            _ => "good".to_owned(),
        };
        let good = Invariant::new(name, "a test", move |state| !bad.is(state));
        vec![match self.rules.wrong {
            Wrong::Premise => good.when(|_| false),
            _ => good,
        }]
    }

    fn constraint(&self) -> Option<Constraint<Self>> {
        let constraint = || Constraint::new("few", |state: &Group| state.shared < 2);
        (self.rules.wrong == Wrong::Constraint).then(constraint)
    }
}

impl Crowd for Rules {
    type Instance = Instance;

    fn instance(&self, members: usize) -> Instance {
        Instance {
            rules: self.clone(),
            members,
        }
    }

    fn speaks_of(&self, _: &str) -> usize {
        match self.wrong {
            Wrong::Width => 1,
            _ => self.bad.speaks_of(),
        }
    }
}

/// The plainest search: true if a bad state is reached with so many members.
fn is_unsafe(rules: &Rules, members: usize) -> bool {
    let instance = rules.instance(members);
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    instance.initial(&mut |state| left.push(state));
    while let Some(state) = left.pop() {
        if rules.bad.is(&state) {
            return true;
        }
        if seen.insert(state.clone()) {
            instance.next(&state, &mut |_, to| left.push(to));
        }
    }
    false
}

type Shared = (u8, Parting);

fn asked(rules: &Rules, size: usize) -> Result<AnyNumber<Shared, u8>, CrowdFault<Shared, u8>> {
    any_number(rules, size, &Limits::default(), &Watch::default())
}

/// A random crowd with at most three kinds of members and three shared parts.
fn draw(generator: &mut Generator, guards: u8) -> Rules {
    let kinds = 1 + generator.below(3) as u8;
    let shared = 1 + generator.below(3) as u8;
    let below = |generator: &mut Generator, most: u8| generator.below(most.into()) as u8;
    let moves = (0..1 + generator.below(7)).map(|_| Move {
        shared: [below(generator, shared), below(generator, shared)],
        member: [below(generator, kinds), below(generator, kinds)],
        guard: match below(generator, guards) {
            0 => Guard::Nothing,
            1 => Guard::None(below(generator, kinds)),
            _ => Guard::Some(below(generator, kinds)),
        },
    });
    let moves = moves.collect();
    let initial = if generator.below(4) == 0 { 0..2 } else { 0..1 };
    let last = kinds - 1;
    Rules {
        moves,
        initial: initial.filter(|kind| *kind < kinds).collect(),
        bad: match generator.below(3) {
            0 => Bad::One(below(generator, shared), last),
            1 => Bad::Two(last, below(generator, kinds)),
            _ => Bad::Three(last),
        },
        wrong: Wrong::Nothing,
    }
}

/// Counts of random crowds: those of which no bad state is reached with one to five members, and those that are said to hold for every number.
fn compare(seeds: std::ops::Range<u64>) -> [u64; 2] {
    let mut counts = [0; 2];
    for seed in seeds {
        let rules = draw(&mut Generator::new(seed), 2);
        let is_safe = (1..=5).all(|members| !is_unsafe(&rules, members));
        counts[0] += u64::from(is_safe);
        let in_turn = (rules.bad.speaks_of()..=3).try_for_each(|size| {
            let found = asked(&rules, size).expect("it is a crowd");
            match found.answer {
                CrowdAnswer::Holds => ControlFlow::Break(true),
                CrowdAnswer::Unknown {
                    invariant, view, ..
                } => {
                    assert_eq!(invariant, "good");
                    assert_eq!(view.members.len(), size);
                    ControlFlow::Continue(())
                }
                CrowdAnswer::FewMembers { state, .. } => {
                    assert!(is_unsafe(&rules, state.members.len()), "{seed}");
                    ControlFlow::Break(false)
                }
                other => panic!("{seed}: {other:?}"),
            }
        });
        let holds = in_turn == ControlFlow::Break(true);
        assert!(is_safe || !holds, "{seed}: {rules:?}");
        counts[1] += u64::from(holds);
    }
    counts
}

#[test]
fn what_holds_for_every_number_holds_with_few() {
    // Crowds that are safe with one to five members, and those of which all are said to be.
    assert_eq!(compare(0..5000), [2287, 2282]);
}

#[test]
#[ignore = "minutes"]
fn slow_what_holds_for_every_number_holds_with_few() {
    assert_eq!(compare(0..200_000), [90_449, 90_206]);
}

/// Steps that wait for some other member are found out, or make no difference.
#[test]
fn steps_that_need_others_are_found_out() {
    let mut found_out = 0;
    for seed in 0..3000 {
        let rules = draw(&mut Generator::new(seed), 3);
        let size = rules.bad.speaks_of();
        match asked(&rules, size) {
            Err(CrowdFault::NeedsOthers { from, to }) => {
                found_out += 1;
                assert_ne!((&from.shared, &from.members), (&to.shared, &to.members));
            }
            Err(other) => panic!("{seed}: {other}"),
            Ok(found) => {
                let is_safe = (1..=5).all(|members| !is_unsafe(&rules, members));
                assert!(
                    is_safe || found.answer != CrowdAnswer::Holds,
                    "{seed}: {rules:?}"
                );
            }
        }
    }
    assert!(found_out > 300, "{found_out}");
}

const fn step(shared: [u8; 2], member: [u8; 2]) -> Move {
    Move {
        shared,
        member,
        guard: Guard::Nothing,
    }
}

const IDLE: u8 = 0;
const CRITICAL: u8 = 1;
const WAITS: u8 = 2;

fn mutual_exclusion(moves: &[Move]) -> Rules {
    Rules {
        moves: moves.to_vec(),
        initial: vec![IDLE],
        bad: Bad::Two(CRITICAL, CRITICAL),
        wrong: Wrong::Nothing,
    }
}

/// Test and set: whoever finds the shared flag down raises it.
fn test_and_set() -> Rules {
    mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 0], [CRITICAL, IDLE]),
    ])
}

/// A lock whose flag a third member takes down while the second one waits.
fn safe_for_two() -> Rules {
    mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 0], [CRITICAL, IDLE]),
        step([1, 2], [IDLE, WAITS]),
        step([2, 0], [IDLE, IDLE]),
        step([0, 0], [WAITS, IDLE]),
    ])
}

#[test]
fn a_lock_holds_for_every_number() {
    let found = asked(&test_and_set(), 2).expect("it is a crowd");
    assert_eq!(found.answer, CrowdAnswer::Holds);
    // The flag is down and all are idle; it is up, and one is critical, or neither of the two in the view.
    assert_eq!((found.views, found.tested.members), (3, 3));
}

#[test]
fn a_lock_that_is_safe_for_two_never_holds() {
    let rules = safe_for_two();
    assert_eq!(
        [1, 2, 3].map(|members| is_unsafe(&rules, members)),
        [false, false, true]
    );
    for size in [2, 3] {
        let found = asked(&rules, size).expect("it is a crowd");
        let CrowdAnswer::Unknown { view, from, .. } = found.answer else {
            panic!("{found:?}");
        };
        assert!(view.members.iter().filter(|one| **one == CRITICAL).count() > 1);
        assert!(from.is_some());
    }
    // With four members in a view, three are few.
    let found = asked(&rules, 4).expect("it is a crowd");
    assert!(
        matches!(found.answer, CrowdAnswer::FewMembers { .. }),
        "{found:?}"
    );
}

#[test]
fn what_is_no_crowd_is_refused() {
    let wrong = |wrong| {
        let rules = Rules {
            wrong,
            ..test_and_set()
        };
        asked(&rules, 2).expect_err("it is none")
    };
    assert!(matches!(
        wrong(Wrong::First),
        CrowdFault::NotAlike {
            what: "the steps",
            ..
        }
    ));
    assert!(matches!(
        wrong(Wrong::MovesTwo),
        CrowdFault::MovesSeveral { .. }
    ));
    assert!(matches!(
        wrong(Wrong::Leader),
        CrowdFault::InitialNeedsOthers { .. }
    ));
    assert!(matches!(wrong(Wrong::Index), CrowdFault::NotAlike { .. }));
    let rules = Rules {
        wrong: Wrong::Assembled,
        ..mutual_exclusion(&[step([0, 1], [IDLE, CRITICAL])])
    };
    let fault = asked(&rules, 2).expect_err("it is none");
    assert!(matches!(fault, CrowdFault::OtherParts { .. }), "{fault}");
    let rules = Rules {
        wrong: Wrong::Width,
        ..mutual_exclusion(&[step([0, 0], [IDLE, CRITICAL])])
    };
    let fault = asked(&rules, 1).expect_err("it is none");
    assert!(
        matches!(fault, CrowdFault::SpeaksOfMore { members: 1, .. }),
        "{fault}"
    );
}

/// A shared part that is forgotten would make two states one, and a lock safe that is not.
#[test]
fn parts_that_are_not_all_of_a_state_are_found_out() {
    let rules = Rules {
        wrong: Wrong::Forgotten,
        ..safe_for_two()
    };
    let fault = asked(&rules, 2).expect_err("it is none");
    assert!(
        matches!(fault, CrowdFault::OtherParts { count: 2, .. }),
        "{fault}"
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refused = |rules: &Rules, size| asked(rules, size).expect_err("it is refused").to_string();
    assert_eq!(
        refused(&test_and_set(), 1),
        "invariant `good` speaks of 2 members: views of 1 do not show them"
    );
    for size in [0, 7] {
        assert_eq!(
            refused(&test_and_set(), size),
            format!("views of {size} members are not searched: it takes 1 to 6")
        );
    }
    let wrong = |wrong| Rules {
        wrong,
        ..test_and_set()
    };
    assert_eq!(
        refused(&wrong(Wrong::Named), 2),
        "with 1 members there are other invariants than with 2"
    );
    for (bounded, bound) in [(Wrong::Constraint, "few"), (Wrong::Bound, "two rounds")] {
        assert_eq!(
            refused(&wrong(bounded), 2),
            format!("there is a bound, `{bound}`: of what lies beyond it nothing is known")
        );
    }
    let nobody = Rules {
        initial: Vec::new(),
        ..test_and_set()
    };
    assert_eq!(asked(&nobody, 2).err(), Some(CrowdFault::NoInitialStates));
}

/// Neither a limit nor an invariant that says nothing ends in `Holds`.
#[test]
fn what_is_not_known_does_not_hold() {
    let limits = Limits {
        states: Some(1),
        ..Limits::default()
    };
    let found = any_number(&test_and_set(), 2, &limits, &Watch::default()).expect("it is a crowd");
    assert_eq!(found.answer, CrowdAnswer::Limit(Limit::States(1)));
    let rules = Rules {
        wrong: Wrong::Premise,
        ..test_and_set()
    };
    let found = asked(&rules, 2).expect("it is a crowd");
    let invariant = "good".to_owned();
    assert_eq!(found.answer, CrowdAnswer::Untested { invariant });
}
