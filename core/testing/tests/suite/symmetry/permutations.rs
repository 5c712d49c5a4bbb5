//! Permutations that are no symmetry.

use std::sync::atomic::{AtomicUsize, Ordering};

use refmap::obligation::{CheckError, Checker, Settings, Symmetry, Until};
use refmap::{Action, Constraint, Invariant, Report, Symmetric, TransitionSystem, Verdict};
use refmap_testing::{Mapped, alike, row_of};
use serde::Serialize;

/// Progress of each of three components.
pub type State = [u8; 3];
/// To what place the component at each place goes.
pub type Permutation = [usize; 3];

pub const IDENTITY: Permutation = [0, 1, 2];
const ROTATIONS: [Permutation; 3] = [IDENTITY, [1, 2, 0], [2, 0, 1]];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
pub enum Step {
    Step(#[action(range = 0..3)] usize),
}

/// Three components, each of which goes round for itself.
pub struct Three {
    length: u8,
    /// The permutations, as they are asked for the first time, and from then on.
    permutations: [Vec<Permutation>; 2],
    asked: AtomicUsize,
    /// Number of calls that `canonical` answers rightly.
    right: usize,
    canonical: AtomicUsize,
}

impl Three {
    fn new(length: u8, permutations: &[Permutation]) -> Self {
        Self {
            length,
            permutations: [permutations.to_vec(), permutations.to_vec()],
            asked: AtomicUsize::new(0),
            right: usize::MAX,
            canonical: AtomicUsize::new(0),
        }
    }
}

impl TransitionSystem for Three {
    type State = State;
    type Action = Step;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit([0; 3]);
    }

    fn fire(&self, Step::Step(place): &Step, state: &mut State) -> Option<()> {
        state[*place] = (state[*place] + 1) % self.length;
        Some(())
    }

    fn observe(&self, state: &State) -> u8 {
        state.iter().sum()
    }
}

impl Symmetric for Three {
    type Permutation = Permutation;

    fn permutations(&self) -> Vec<Permutation> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        self.permutations[asked.min(1)].clone()
    }

    fn permute(&self, by: &Permutation, state: &State) -> State {
        let mut permuted = *state;
        for (place, to) in by.iter().enumerate() {
            permuted[*to] = state[place];
        }
        permuted
    }

    fn permute_action(&self, by: &Permutation, _: &State, step: &Step, _: &State) -> Step {
        let Step::Step(place) = *step;
        Step::Step(by[place])
    }

    fn canonical(&self, all: &[Permutation], state: &State) -> State {
        if self.canonical.fetch_add(1, Ordering::Relaxed) >= self.right {
            return [0; 3];
        }
        let members = all.iter().map(|by| self.permute(by, state));
        members.min().unwrap_or(*state)
    }
}

pub fn itself(length: u8, permutations: &[Permutation]) -> Mapped<Three, Three> {
    alike(
        Three::new(length, permutations),
        Three::new(length, permutations),
    )
}

pub fn check(refinement: &Mapped<Three, Three>) -> Result<Report, CheckError> {
    let settings = Settings {
        symmetry: Symmetry::Full,
        until: Until::End,
        threads: 3,
        ..Settings::default()
    };
    Checker::new(refinement).symmetric().check(&settings)
}

/// The model is blamed, among others for this reason.
fn assert_blamed(report: &Report, why: &str) {
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let model = row_of(report, "model");
    let mut told = model.counterexamples.iter();
    assert!(told.any(|one| one.explanation.contains(why)), "{report}");
}

#[test]
fn a_group() {
    let report = check(&itself(4, &ROTATIONS)).expect("they can be exchanged");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert!(report.states < 64, "{report}");
}

/// Only one of the rotations. An invariant is violated, and there is no behaviour to show it.
#[test]
fn permutations_that_are_no_group() {
    let mut one = itself(4, &ROTATIONS[..2]);
    assert_blamed(&check(&one).expect("it is checked"), "the symmetry is none");
    let sum = |state: &State| state.iter().sum::<u8>() < 7;
    one.invariants = vec![Invariant::new("sum", "a test", sum)];
    assert_blamed(&check(&one).expect("it is checked"), "are no group");
    // Of a group there is one.
    let mut all = itself(4, &ROTATIONS);
    all.invariants = vec![Invariant::new("sum", "a test", sum)];
    let shown = check(&all).expect("it is checked").counterexample;
    assert_eq!(
        shown.map(|shown| (shown.obligation, shown.length)),
        Some(("invariant:sum".to_owned(), 7))
    );
}

/// Those that the quotient is made of, and that are none, are tested, and not those that come when the model is asked
/// again.
#[test]
fn permutations_that_change() {
    let swap = [1, 0, 2];
    let mut changing = itself(4, &[IDENTITY]);
    // Of two invariants the second one is what is changed.
    changing.invariants = vec![
        Invariant::new("any", "a test", |_: &State| true),
        Invariant::new("first", "a test", |state: &State| *state != [3, 0, 0]),
    ];
    changing.implementation.permutations[0] = vec![IDENTITY, swap];
    assert_blamed(
        &check(&changing).expect("it is checked"),
        "permutation 1 changes how many invariants hold",
    );
}

/// A constraint on one component alone.
#[test]
fn a_constraint_that_is_not_symmetric() {
    let with = |within: fn(&State) -> bool| {
        let mut constrained = itself(4, &ROTATIONS);
        constrained.constraint = Some(Constraint::new("a test", within));
        check(&constrained).expect("it is checked")
    };
    let all = with(|state| state.iter().all(|n| *n < 3));
    assert_eq!(all.verdict, Some(Verdict::Holds), "{all}");
    assert!(all.states <= 27 && all.constraint.is_some_and(|told| told.states_outside > 0));
    let first = with(|state| state[0] < 3);
    assert_blamed(&first, "the constraint does not commute");
}

#[test]
fn a_first_permutation_that_exchanges_something() {
    let report = check(&itself(4, &ROTATIONS[1..])).expect("it is checked");
    assert_blamed(&report, "has to be the one that exchanges nothing");
}

/// Representatives are the initial state from some call on, long after the states that are all tested.
#[test]
fn a_representative_that_is_forgotten_late() {
    let with = |right| {
        let mut late = itself(30, &ROTATIONS);
        late.implementation.right = right;
        check(&late).expect("it is checked")
    };
    let whole = with(usize::MAX);
    assert_eq!(whole.verdict, Some(Verdict::Holds), "{whole}");
    let late = with(30_000);
    assert!(late.states > 1024 && late.states < whole.states, "{late}");
    assert_blamed(&late, "which no permutation makes of it");
}
