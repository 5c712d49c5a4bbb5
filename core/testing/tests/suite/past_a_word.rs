//! More than a word has bits, than a byte counts, than two words hold: processes, conditions, members of a set, elements of an array,
//! variants.

use std::collections::BTreeSet;

use refmap::inclusion::{Comparison, Included};
use refmap::internal::inclusion::{LabelledGraph, LabelledStep, Labels, check_graphs};
use refmap::report::{About, Warning};
use refmap::{AbstractSteps, Process, State, Verdict, round_trip};
use refmap_testing::{Action, Itself, Machine, Via, mapped, row_of, rules};
use serde::Serialize;

use crate::auxiliary::live;

/// As many processes as an environment may have.
const USERS: u8 = 32;

fn user(number: u8) -> Process {
    Process::numbered("user", number.into())
}

/// States of a desk between two uses.
const STATES: u8 = 2 * USERS + 1;

/// Users of one desk, which is in one of two orders: each begins, goes on, and is done with its use, which is one step of the
/// specification and changes the order.
fn desk() -> Via<u8, u8> {
    fn next(at: &u8) -> Vec<(Action, u8)> {
        let (order, at) = (at / STATES, at % STATES);
        let within = |at| order * STATES + at;
        match at {
            0 => (0..USERS).map(|n| (("begin", n), within(1 + n))).collect(),
            1..=USERS => vec![(("go on", at - 1), within(at + USERS))],
            _ => vec![(("use", at - 1 - USERS), (1 - order) * STATES)],
        }
    }
    let rules = [("begin", "user"), ("go on", "user"), ("use", "user")];
    let mut implementation = Machine::new(&rules, [0], next, |_| 0);
    implementation.number_of = |action| Some(action.1.into());
    let all = |order: &u8| (0..USERS).map(|n| (("use", n), 1 - order)).collect();
    let mut specification = Machine::new(&[("use", "user")], [0], all, |_| 0);
    specification.number_of = |action| Some(action.1.into());
    let mut refinement = mapped(
        implementation,
        specification,
        |at| at / STATES,
        |_, action, _| (action.0 == "use").then_some(*action).into(),
    );
    refinement.environment = (0..USERS).map(user).collect();
    refinement.at_rest = Box::new(|at, process| {
        let busy = (at % STATES).checked_sub(1).map(|at| u16::from(at % USERS));
        process.number != busy
    });
    refinement
}

/// Of as many processes as there may be each rests, waits and is refused for itself.
#[test]
fn each_of_many_processes_counts() {
    let report = live(&desk());
    let row = row_of(&report, "environment:use");
    assert_eq!(
        (row.verdict, row.note.as_deref()),
        (Verdict::Holds, None),
        "{report}"
    );
    // Each rests where no other one is busy with it.
    let (users, states) = (u64::from(USERS), u64::from(STATES));
    assert_eq!(row.checked, users * 2 * (states - 2), "{report}");
    let of_environment = |one: &Warning| one.about == About::Environment;
    assert!(!report.warnings.iter().any(of_environment), "{report}");

    // One of them has no use after it has begun: it can never come to rest, and all others are refused from there on.
    fn stuck<const USER: u8>(at: &u8) -> Vec<(Action, u8)> {
        if at % STATES == 1 + USER + USERS {
            vec![(("go on", USER), *at)]
        } else {
            (desk().implementation.next)(at)
        }
    }
    type Next = fn(&u8) -> Vec<(Action, u8)>;
    let stuck: [(u8, Next); 5] = [
        (0, stuck::<0>),
        (1, stuck::<1>),
        (15, stuck::<15>),
        (16, stuck::<16>),
        (31, stuck::<31>),
    ];
    for (number, next) in stuck {
        let mut refinement = desk();
        refinement.implementation.next = next;
        let report = live(&refinement);
        let row = row_of(&report, "environment:at_rest");
        assert_eq!(row.verdict, Verdict::Violated, "{number} {report}");
        let told = format!("{} is in the middle of an operation", user(number));
        let shown = &row.counterexamples[0];
        assert!(shown.explanation.starts_with(&told), "{report}");
    }

    // Some are offered their use only where they are said not to rest.
    fn seldom(at: &u8) -> Vec<(Action, u8)> {
        let is_now = |n: &u8| [9, 30].contains(n) == (at & 1 == 1);
        let uses = (0..USERS).filter(is_now).map(|n| (("use", n), at ^ 2));
        uses.chain([(("turn", 0), at ^ 1)]).collect()
    }
    let mut refinement = desk();
    refinement.specification.rules = rules(&[("use", "user"), ("turn", "desk")]);
    refinement.specification.next = seldom;
    refinement.specification.number_of = |action| (action.0 == "use").then_some(action.1.into());
    refinement.implementation = refinement.specification.clone();
    refinement.implementation.next = seldom;
    refinement.map = Box::new(|at| *at);
    refinement.abstract_steps = Box::new(|_, action, _| AbstractSteps::One(*action));
    refinement.at_rest = Box::new(|at, process| match process.number {
        Some(9 | 30) => at & 1 == 0,
        _ => true,
    });
    let report = live(&refinement);
    let row = row_of(&report, "environment:use");
    let note = row.note.as_deref().unwrap_or_default();
    assert_eq!(row.verdict, Verdict::Holds, "{report}");
    let names = format!("not tested of {}, {}, which", user(9), user(30));
    assert!(note.starts_with(&names), "{note}");
}

/// Variants of which a tag has more than six bits.
macro_rules! variants {
    ($($name:ident)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
        enum Bare { $($name),* }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
        enum Full { $($name(bool)),* }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
        enum Mixed { First(bool), $($name,)* Last(bool) }

        const MIXED: [Mixed; VARIANTS] = [$(Mixed::$name),*];

        const BARE: [Bare; VARIANTS] = [$(Bare::$name),*];

        const FULL: [fn(bool) -> Full; VARIANTS] = [$(Full::$name),*];
    };
}

const VARIANTS: usize = 70;

variants! {
    A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 C0 C1 C2 C3 C4 C5 C6 C7 C8 C9 D0 D1 D2 D3 D4
    D5 D6 D7 D8 D9 E0 E1 E2 E3 E4 E5 E6 E7 E8 E9 F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 G0 G1 G2 G3 G4 G5 G6 G7 G8 G9
}

/// More than is in a word, in ways that are each written otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Long {
    #[state(range = 0..64)]
    set: BTreeSet<u8>,
    bare: Bare,
    full: Full,
    count: u16,
    last: bool,
}

/// Flags of two words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Flags {
    #[state(len = 100)]
    all: Vec<bool>,
}

/// Goes on by one and by seven, round: the states of numbers, and back, and how many there are.
struct Many<T>(fn(u8) -> T, fn(&T) -> u8, u8);

fn assert_all<T: Clone + State<Machine<T, ()>>>(Many(state, number, states): Many<T>) {
    let by = move |at: &mut T, by: &u8| {
        *at = state((number(at) + by) % states);
        Some(())
    };
    let many = Machine::of([state(0)], |_| ()).rule_of_each("go", [1, 7], by);
    for at in 0..states {
        round_trip(&many, &state(at)).expect("it is read back as it was written");
    }
    let report = live(&Itself(many));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.states, u64::from(states), "{report}");
}

/// Each of the last ones is told from the first ones, and a step changes none but what it changes.
#[test]
fn members_variants_and_elements_past_the_64th_are_what_they_are() {
    assert_all(Many(
        |at| Long {
            set: (0..64)
                .filter(|one| at == 63 || one % 64 >= at % 64)
                .collect(),
            bare: BARE[usize::from(at) % VARIANTS],
            full: FULL[usize::from(at) % VARIANTS](at % 2 == 1),
            count: u16::from(at) * 900,
            last: at % 3 == 0,
        },
        |long| {
            let variant = BARE.iter().position(|one| *one == long.bare);
            variant.expect("it is one of them") as u8
        },
        VARIANTS as u8,
    ));
    assert_all(Many(
        |at| Flags {
            all: (0..100).map(|one| one == at).collect(),
        },
        |flags| flags.all.iter().position(|one| *one).unwrap_or(0) as u8,
        100,
    ));
    assert_all(Many(
        |at| FULL[usize::from(at) % VARIANTS](at >= VARIANTS as u8),
        |full| {
            let all = |is_set| FULL.iter().position(move |one| one(is_set) == *full);
            let second = all(true).map(|at| at + VARIANTS);
            all(false).or(second).expect("it is one of them") as u8
        },
        2 * VARIANTS as u8,
    ));
    // Few have a field, and most have none.
    assert_all(Many(
        |at| match usize::from(at) {
            0 | 1 => Mixed::First(at == 1),
            at if at < VARIANTS + 2 => MIXED[at - 2],
            at => Mixed::Last(at == VARIANTS + 3),
        },
        |mixed| match mixed {
            Mixed::First(is_set) => u8::from(*is_set),
            Mixed::Last(is_set) => VARIANTS as u8 + 2 + u8::from(*is_set),
            _ => {
                let place = MIXED.iter().position(|one| one == mixed);
                place.expect("it is one of them") as u8 + 2
            }
        },
        VARIANTS as u8 + 4,
    ));
}

/// Of a hundred states that the specification may be in, the last two allow what is shown next, each something else.
#[test]
fn the_last_of_a_hundred_states_that_it_may_be_in_counts() {
    const STATES: u32 = 100;
    for allowed in [true, false] {
        let mut labels = Labels::new();
        let mut steps = |steps: &[(u32, &str, u32)]| -> Vec<LabelledStep> {
            let step = |(from, label, to): &(u32, &str, u32)| LabelledStep {
                from: *from,
                label: labels.label(label),
                to: *to,
            };
            steps.iter().map(step).collect()
        };
        let implementation = steps(&[(0, "a", 1), (1, "b", 2), (1, "c", 3)]);
        let mut specification = steps(&[(STATES - 1, "b", STATES + 1)]);
        specification.extend(
            steps(&[(STATES, "c", STATES + 2)])
                .into_iter()
                .filter(|_| allowed),
        );
        for to in 1..=STATES {
            specification.extend(steps(&[(0, "a", to)]));
        }
        let graph = |states, steps: &[LabelledStep]| {
            LabelledGraph::new(states, 0, steps).expect("they are in range")
        };
        let [implementation, specification] =
            [graph(4, &implementation), graph(STATES + 3, &specification)];
        let found = check_graphs(
            &implementation,
            &specification,
            &labels,
            &Comparison::default(),
        )
        .expect("nothing is on disk");
        let expected = if allowed {
            (Included::Included, None)
        } else {
            (Included::NotIncluded, Some(2))
        };
        assert_eq!((found.verdict, found.trace_length), expected, "{found:?}");
    }
}
