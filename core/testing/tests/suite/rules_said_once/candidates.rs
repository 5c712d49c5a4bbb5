//! Candidates that leave out what is enabled, or come twice, are told.

use refmap::{Action, Report, Settings, TransitionSystem, Verdict, disagreement, successor};
use refmap_testing::{Itself, alike, checked, row_of};
use serde::Serialize;

/// A clock of which a step leads on by less than five hours.
#[derive(Clone)]
struct Clock {
    /// Steps that are candidates, from the range of their hours.
    range: u8,
    /// Steps that are candidates beside these.
    more: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Clock)]
enum Step {
    Add(#[action(range = 0..system.range)] u8),
    Reset,
}

const HOURS: u8 = 12;

impl TransitionSystem for Clock {
    type State = u8;
    type Action = Step;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn candidates(&self, _: &u8, visit: &mut impl FnMut(Step)) {
        Step::candidates(self, visit);
        self.more.iter().cloned().for_each(visit);
    }

    fn fire(&self, step: &Step, hour: &mut u8) -> Option<()> {
        *hour = match step {
            Step::Add(hours) => (*hours < 5).then_some((*hour + hours) % HOURS)?,
            Step::Reset => (*hour == 7).then_some(0)?,
        };
        Some(())
    }

    fn observe(&self, hour: &u8) -> u8 {
        *hour
    }
}

fn clock(range: u8, more: &[Step]) -> Clock {
    Clock {
        range,
        more: more.to_vec(),
    }
}

fn reports<S: TransitionSystem + Clone>(wrong: &S, right: &S) -> [(&'static str, Report); 2] {
    let report = |implementation: &S, specification: &S| {
        let refinement = alike(implementation.clone(), specification.clone());
        checked(&refinement, &Settings::default())
    };
    [
        ("implementation", report(wrong, right)),
        ("specification", report(right, wrong)),
    ]
}

fn assert_at_fault(report: &Report, why: &str) {
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let model = row_of(report, "model");
    let mut told = model.counterexamples.iter();
    assert!(told.any(|one| one.explanation.contains(why)), "{report}");
}

#[test]
fn candidates_of_the_whole_range_are_sound() {
    for more in [&[][..], &[Step::Add(9)]] {
        let refinement = Itself(clock(5, more));
        let report = checked(&refinement, &Settings::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (12, 12 * 5 + 1));
        assert_eq!(report.taken_at_word, Vec::<String>::new());
    }
}

/// An abstract action that a step is said to simulate fires, and is no candidate, though its rule has some.
#[test]
fn an_abstract_action_beyond_the_range_is_told() {
    for range in 1..5 {
        let [_, (_, report)] = reports(&clock(range, &[]), &clock(5, &[]));
        let why =
            format!("of the specification, fire disagrees with candidates about Add({range})");
        assert_at_fault(&report, &why);
        let hours: Vec<_> = (0..HOURS).collect();
        let found = disagreement(&clock(range, &[]), &0, &hours);
        assert_eq!(found, None, "of itself it has no action beyond");
    }
    // One that is a candidate beside the range is none beyond it.
    let [_, (_, report)] = reports(&clock(4, &[Step::Add(4)]), &clock(5, &[]));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// A candidate that comes twice is an action that is offered twice where it is enabled; where it never is, nothing comes of it.
#[test]
fn a_candidate_that_comes_twice_is_told() {
    for twice in [Step::Add(0), Step::Add(4), Step::Reset] {
        let told = format!("the state offers the action {twice:?} twice");
        for (_, report) in reports(&clock(5, &[twice]), &clock(5, &[])) {
            assert_at_fault(&report, &told);
        }
    }
    for (_, report) in reports(&clock(5, &[Step::Add(9), Step::Add(9)]), &clock(5, &[])) {
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
}

/// The clock, with a `next` of its own.
#[derive(Clone)]
struct Overriding {
    range: u8,
    offered: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Overriding)]
enum Add {
    Add {
        #[action(range = 0..system.range)]
        hours: u8,
    },
}

impl TransitionSystem for Overriding {
    type State = u8;
    type Action = Add;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, Add::Add { hours }: &Add, hour: &mut u8) -> Option<()> {
        *hour = (*hours < 5).then_some((*hour + hours) % HOURS)?;
        Some(())
    }

    fn next(&self, from: &u8, visit: &mut impl FnMut(Add, &u8)) {
        for hours in self.offered.iter().copied() {
            visit(Add::Add { hours }, &((from + hours) % HOURS));
        }
    }

    fn observe(&self, hour: &u8) -> u8 {
        *hour
    }
}

/// An overridden `next` offers candidates, and each that fires.
#[test]
fn an_overridden_next_is_compared_with_the_candidates() {
    let overriding = |range, offered: &[u8]| Overriding {
        range,
        offered: offered.to_vec(),
    };
    let right = overriding(3, &[2, 0, 1]);
    for (_, report) in reports(&right, &right) {
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
    for (wrong, told) in [
        (
            overriding(2, &[0, 1, 2]),
            "next disagrees with candidates about Add { hours: 2 }",
        ),
        (
            overriding(3, &[0, 2]),
            "next disagrees with fire about Add { hours: 1 }",
        ),
        (
            overriding(6, &[0, 1, 2, 5]),
            "fire disagrees with next about Add { hours: 5 }",
        ),
    ] {
        for (system, report) in reports(&wrong, &right) {
            assert_at_fault(&report, &format!("of the {system}, {told}"));
        }
    }
}

/// A system that says nowhere which numbers are tried.
#[derive(Clone)]
struct Anything;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Choose {
    Nothing,
    Something { is_loud: bool, number: u8 },
}

impl TransitionSystem for Anything {
    type State = u8;
    type Action = Choose;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, choose: &Choose, chosen: &mut u8) -> Option<()> {
        *chosen = match choose {
            Choose::Nothing => 0,
            Choose::Something { number, .. } => *number,
        };
        Some(())
    }

    fn observe(&self, chosen: &u8) -> u8 {
        *chosen
    }
}

/// The same of actions that are numbers.
#[derive(Clone)]
struct Numbers;

impl TransitionSystem for Numbers {
    type State = u8;
    type Action = u8;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, number: &u8, chosen: &mut u8) -> Option<()> {
        *chosen = *number;
        Some(())
    }

    fn observe(&self, chosen: &u8) -> u8 {
        *chosen
    }
}

/// Candidates that are missing are a fault of the model, which names what has no range.
#[test]
fn candidates_that_are_missing_are_a_fault_that_names_the_field() {
    let (is_loud, number) = (true, 3);
    let something = Choose::Something { is_loud, number };
    assert_eq!(successor(&Anything, &0, &something), Some(3));
    let report = checked(&Itself(Anything), &Settings::default());
    let told = "`candidates` are not derived of `Something.number`, which has no range";
    assert_at_fault(&report, told);
    let report = checked(&Itself(Numbers), &Settings::default());
    let told = "`candidates` are not derived of the type of the actions, which has no range";
    assert_at_fault(&report, told);
}
