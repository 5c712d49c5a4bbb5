//! Induction: decided from every type-correct state, never presented as a reachable bug.

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Checker, Induction, Selection, Settings};
use refmap::report::{About, Warning};
use refmap::{Choices, Invariant, Refinement, Report, TransitionSystem, TypeCorrect, Verdict};
use refmap_testing::{
    Action, Go, Machine, Via, assert_explained, assert_verdict, itself, only, row_of,
    with_invariant,
};

use crate::comparison::with_any_threads;

/// A counter in steps of two from 0, round at 8: odd numbers are type-correct and never reached.
fn evens() -> Via<u8, u8> {
    let next = |n: &u8| vec![(("tick", 0), (n + 2) % 8)];
    let mut system = Machine::new(&[("tick", "clock")], [0], next, |n| *n);
    system.type_correct = (0..8).collect();
    itself(system)
}

fn even() -> Invariant<Machine<u8>> {
    Invariant::new("even", "a test", |n: &u8| n.is_multiple_of(2))
}

fn not_five() -> Invariant<Machine<u8>> {
    Invariant::new("not_five", "a test", |n: &u8| *n != 5)
}

fn induct<R: Refinement>(refinement: &R) -> Report
where
    R::Implementation: TypeCorrect,
{
    with_any_threads(|threads| {
        let settings = Settings {
            threads,
            induction: Induction::Included,
            ..Settings::default()
        };
        let checker = Checker::new(refinement).inductive();
        checker.check(&settings).expect("the settings fit")
    })
}

/// True of every reachable state, and not inductive by itself: 3 leads to 5.
#[test]
fn a_true_invariant_need_not_be_inductive() {
    let mut refinement = evens();
    refinement.invariants = vec![not_five()];
    let report = induct(&refinement);
    assert_verdict(&report, "invariant:not_five", Verdict::Holds);
    let inductive = row_of(&report, "inductive:not_five");
    assert_eq!(inductive.verdict, Verdict::Violated);
    let counterexample = &inductive.counterexamples[0];
    assert!(!counterexample.reachable);
    assert_eq!(counterexample.length, 1);
    assert_eq!(
        (
            &counterexample.steps[0].state,
            &counterexample.steps[1].state
        ),
        (&3.into(), &5.into())
    );
    assert_eq!(report.verdict, Some(Verdict::Violated));
    assert!(
        report.to_string().contains("counterexample to induction"),
        "{report}"
    );
}

/// With the invariant that explains it, it is; and is then not needed itself.
#[test]
fn a_stronger_set_is_inductive_and_says_what_is_needed() {
    let mut refinement = evens();
    refinement.invariants = vec![not_five(), even()];
    let report = induct(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let note = row_of(&report, "inductive:simulation").note.as_deref();
    assert_eq!(
        note,
        Some("4 of 8 type-correct states satisfy the invariants")
    );
    // Two of eight states have even numbers' successors tested: 0, 2, 4, 6.
    assert_eq!(row_of(&report, "inductive:even").checked, 4);
    assert_eq!(row_of(&report, "inductive:even").needed, Some(true));
    assert_eq!(row_of(&report, "inductive:not_five").needed, Some(false));
}

/// A conjunct is needed if the others or the simulation fail without it: of the states that fail nothing else, the
/// targets are asked for all the others, and the first that fails is named.
#[test]
fn a_conjunct_that_the_others_do_without_is_not_needed() {
    let mut refinement = evens();
    // 8 and 9 lead to 2 and 3, so that 8 fails `below_eight` alone, and leads to where all is well.
    refinement.implementation.type_correct = (0..10).collect();
    let below_eight = Invariant::new("below_eight", "a test", |n: &u8| *n < 8);
    refinement.invariants = vec![below_eight, not_five(), even()];
    let report = induct(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let needed = ["below_eight", "not_five", "even"].map(|name| {
        let row = row_of(&report, &format!("inductive:{name}"));
        (row.needed, row.note.as_deref().unwrap_or_default())
    });
    let not_needed = (
        Some(false),
        "not needed: the others are inductive and suffice without it",
    );
    assert_eq!(needed[0], not_needed);
    assert_eq!(needed[1], not_needed);
    // 3 leads to 5.
    let for_five = "needed: without it inductive:not_five fails";
    assert_eq!(needed[2], (Some(true), for_five));
}

/// `inductive:simulation` fails where the mapping only works in reachable states.
#[test]
fn simulation_must_hold_from_every_state_that_satisfies_the_invariants() {
    let mut refinement = evens();
    // At odd numbers the implementation does something else.
    refinement.implementation.next = |n| vec![(("tick", 0), (n + 2 + (n & 1)) % 8)];
    let report = induct(&refinement);
    let simulation = row_of(&report, "inductive:simulation");
    assert_eq!(simulation.verdict, Verdict::Violated);
    assert!(!simulation.counterexamples[0].reachable);
    assert_eq!(simulation.counterexamples[0].steps[0].state, 1);
    refinement.invariants = vec![even()];
    assert_eq!(induct(&refinement).verdict, Some(Verdict::Holds));
}

/// Definition 6 (1) is part of it.
#[test]
fn observations_must_agree_in_every_state_that_satisfies_the_invariants() {
    let mut refinement = evens();
    refinement.implementation.observe = |n| if *n == 7 { 0 } else { *n };
    let report = induct(&refinement);
    let simulation = row_of(&report, "inductive:simulation");
    assert_eq!(simulation.counterexamples[0].length, 0);
    assert_eq!(simulation.counterexamples[0].steps[0].state, 7);
}

/// An invariant is decided from states of which the mapping says something wrong, too.
#[test]
fn a_wrong_mapping_does_not_hide_what_is_not_inductive() {
    let mut refinement = evens();
    refinement.implementation.observe = |n| if *n == 3 { 0 } else { *n };
    refinement.invariants = vec![not_five()];
    let report = induct(&refinement);
    assert_verdict(&report, "inductive:not_five", Verdict::Violated);
    assert_verdict(&report, "inductive:simulation", Verdict::Violated);
}

/// A panic from such a state counts as not inductive.
#[test]
fn a_panic_is_not_inductive() {
    let mut refinement = evens();
    refinement.implementation.next = |n| {
        assert!(*n != 7, "seven is too many");
        vec![(("tick", 0), (n + 2) % 8)]
    };
    refinement.invariants = vec![even().when(|n: &u8| *n < 7)];
    let report = induct(&refinement);
    for name in ["inductive:even", "inductive:simulation"] {
        assert_explained(&report, name, "seven is too many");
    }
    refinement.invariants = vec![even()];
    assert_eq!(induct(&refinement).verdict, Some(Verdict::Holds));
}

/// Invariants that no state satisfies would make everything inductive.
#[test]
fn nothing_to_test_is_no_pass() {
    let mut refinement = evens();
    refinement.implementation.type_correct = vec![1, 3];
    refinement.invariants = vec![even()];
    let report = induct(&refinement);
    assert_verdict(&report, "inductive:even", Verdict::Incomplete);
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
}

#[test]
fn induction_is_decided_where_asked_for_only() {
    let report = Checker::new(&evens())
        .inductive()
        .check(&Settings::default())
        .unwrap();
    assert_eq!(report.obligation("inductive:simulation"), None);
    let chosen = only(["inductive"]);
    let report = Checker::new(&evens()).inductive().check(&chosen).unwrap();
    assert_eq!(report.obligations.len(), 1);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// A counter whose `type_correct` is to be wrong.
struct Counter {
    make: fn(&mut Choices) -> u8,
}

impl TransitionSystem for Counter {
    type State = u8;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, _: &Go, state: &mut u8) -> Option<()> {
        // From 3 alone it leads to what is not below 4.
        *state = if *state == 3 { 7 } else { 0 };
        Some(())
    }

    fn observe(&self, _: &u8) {}
}

impl TypeCorrect for Counter {
    fn type_correct(&self, choices: &mut Choices) -> u8 {
        (self.make)(choices)
    }
}

/// The counter as an implementation of itself, with an invariant.
fn making(make: fn(&mut Choices) -> u8) -> impl Refinement<Implementation = Counter> {
    with_invariant(Counter { make }, "below_four", |state: &u8| *state < 4)
}

/// Neither invariants nor the simulation can hold where not all states are known.
fn assert_unmade(
    refinement: &impl Refinement<Implementation = Counter>,
    number: u64,
    message: &str,
) {
    let report = induct(refinement);
    for name in ["inductive:below_four", "inductive:simulation"] {
        let row = row_of(&report, name);
        assert_eq!(row.verdict, Verdict::Violated, "{report}");
        let note = row.note.as_deref().unwrap_or_default();
        assert!(note.contains(&format!("state {number}: ")), "{note}");
        assert!(note.contains(message), "{note}");
    }
}

/// The first state asks for one choice, so that two states seem to be all, and 3 is never seen.
#[test]
fn choices_that_depend_on_choices_are_no_pass() {
    let refinement = making(|choices| match choices.below(2) {
        0 => 0,
        _ => 1 + choices.below(3) as u8,
    });
    assert_unmade(&refinement, 1, "other choices in some states");
}

/// No state is shown, for there is none; its number is.
#[test]
fn a_state_that_cannot_be_made_is_no_pass() {
    let first = making(|_| panic!("no state at all"));
    assert_unmade(&first, 0, "no state at all");
    let later = making(|choices| match choices.below(3) as u8 {
        2 => panic!("there is no 2"),
        made => made,
    });
    assert_unmade(&later, 2, "there is no 2");
    let all_made = induct(&making(|choices| choices.below(3) as u8));
    assert_eq!(all_made.verdict, Some(Verdict::Holds), "{all_made}");
}

/// Of many type-correct states, so that they are several workers' shares: one number that is wrong, beside the number
/// that is counted. An odd number is never reached.
type Numbered = (u16, u16);

/// States of a pass: one share, and what is left over of a second.
const MANY: u16 = 4096 + 17;

/// Fault of the state whose number is the wrong one.
#[derive(Clone, Copy, Debug)]
enum Gap {
    /// The last of its steps leads to a state that fails the invariant.
    LastStep,
    /// The last of its steps is none of the specification's.
    Simulation,
    /// It shows something else than its image.
    Shown,
    /// It is initial, and its image is not.
    Initial,
}

/// So many steps a state that none is left out by accident.
const STEPS: u8 = 12;

fn numbered(gap: Gap, wrong: u16) -> Via<Numbered, Numbered> {
    fn even(&(n, wrong): &Numbered) -> Vec<(Action, Numbered)> {
        let steps = 0..STEPS;
        steps.map(|by| (("step", by), (n & !1, wrong))).collect()
    }
    fn to_odd(&(n, wrong): &Numbered) -> Vec<(Action, Numbered)> {
        let mut steps = even(&(n, wrong));
        if n == wrong {
            steps[usize::from(STEPS) - 1].1 = (u16::MAX, wrong);
        }
        steps
    }
    let mut system = Machine::new(&[("step", "counter")], [(0, wrong)], even, |state| {
        (state.0 % 7) as u8
    });
    system.type_correct = (0..MANY).map(|n| (n, wrong)).collect();
    let mut refinement = itself(system);
    let below = Invariant::new("below", "a test", |state: &Numbered| state.0 < MANY);
    refinement.invariants = vec![below];
    match gap {
        Gap::LastStep => {
            refinement.implementation.next = to_odd;
            refinement.specification.next = to_odd;
        }
        Gap::Simulation => {
            refinement.specification.next = |&(n, wrong)| {
                let mut steps = even(&(n, wrong));
                steps.truncate(usize::from(STEPS) - usize::from(n == wrong));
                steps
            }
        }
        Gap::Shown => {
            refinement.implementation.observe =
                |&(n, wrong)| if n == wrong { 9 } else { (n % 7) as u8 }
        }
        Gap::Initial => refinement.implementation.initial.push((wrong, wrong)),
    }
    refinement
}

/// Wherever a state is among those of a pass, first or last of a share or of all, and whichever of its steps it is.
#[test]
fn the_one_state_that_is_wrong_is_found_among_many() {
    for wrong in [0, 4095, 4096, MANY - 1] {
        for gap in [Gap::LastStep, Gap::Simulation, Gap::Shown, Gap::Initial] {
            // The first state is initial itself.
            if wrong == 0 && matches!(gap, Gap::Initial) {
                continue;
            }
            let refinement = numbered(gap, wrong);
            let settings = Settings {
                threads: 1 + usize::from(wrong) % 3,
                obligations: Selection::only(["inductive"]),
                ..Settings::default()
            };
            let report = Checker::new(&refinement)
                .inductive()
                .check(&settings)
                .expect("they are there");
            let (name, step) = match gap {
                Gap::LastStep => ("inductive:below", Some(STEPS - 1)),
                Gap::Simulation => ("inductive:simulation", Some(STEPS - 1)),
                Gap::Shown | Gap::Initial => ("inductive:simulation", None),
            };
            for row in &report.obligations {
                let expected = if row.name == name {
                    Verdict::Violated
                } else {
                    Verdict::Holds
                };
                assert_eq!(row.verdict, expected, "{gap:?} {wrong}: {report}");
                assert_eq!(row.checked, u64::from(MANY) * u64::from(STEPS));
                assert_eq!(row.needed, None);
            }
            let shown = &row_of(&report, name).counterexamples[0].steps;
            assert_eq!(shown[0].state, serde_json::json!([wrong, wrong]), "{gap:?}");
            let action = step.map(|by| serde_json::json!(["step", by]));
            assert_eq!(
                shown.get(1).map(|step| step.action.clone()),
                action.map(Some)
            );
        }
    }
}

/// A pass that is cut short says so, whatever cut it, and nothing holds.
#[test]
fn a_pass_that_is_cut_short_is_no_pass() {
    let refinement = numbered(Gap::LastStep, u16::MAX);
    let whole = only(["inductive"]);
    let report = Checker::new(&refinement)
        .inductive()
        .check(&whole)
        .expect("they are there");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let mut cancelled = whole.clone();
    cancelled.watch.cancel = Some(&cancel);
    let mut late = whole;
    late.limits.seconds = Some(0.0);
    for settings in [cancelled, late] {
        let report = Checker::new(&refinement)
            .inductive()
            .check(&settings)
            .expect("they are there");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        for row in &report.obligations {
            assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
            assert_eq!(row.needed, None);
        }
    }
}

/// Numbers of a pass of several shares, and the place about which there is something: from it on there are three numbers that tell.
type Placed = (u16, u16);

/// Shares of the pass, of each worker some.
const SHARES: u16 = 6;
const ALL: u16 = SHARES * 4096 - 5;

/// From the first number of a place a step leads to a number that is none of them, from the second one to the first, and from the
/// third one to where all is well; all others stay.
fn placed(place: u16) -> Via<Placed, Placed> {
    let next = |&(n, place): &Placed| {
        let to = match n.checked_sub(place) {
            Some(0) => u16::MAX,
            Some(1) => place,
            Some(2) => 0,
            _ => n,
        };
        vec![(("stay", 0), (n, place)), (("step", 0), (to, place))]
    };
    // Some are reached, in the first share, the last one, and in between.
    let reached = [0, ALL / 2 + 100, ALL - 1].map(|n| (n, place));
    let rules = [("stay", "counter"), ("step", "counter")];
    let mut system = Machine::new(&rules, reached, next, |state| (state.0 % 7) as u8);
    system.type_correct = (0..ALL).map(|n| (n, place)).collect();
    itself(system)
}

fn places() -> impl Iterator<Item = u16> {
    (0..SHARES).map(|share| (share * 4096 + 17).min(ALL - 4))
}

/// All that one share has found, whichever worker it was that passed over it: what is needed, and for what; which reached states were
/// met.
#[test]
fn what_one_share_shows_is_shown_by_any_worker() {
    for place in places() {
        let mut refinement = placed(place);
        refinement.invariants = vec![
            Invariant::new("below", "a test", |state: &Placed| state.0 < ALL),
            // Without it the first number is left by a step to none.
            Invariant::new("not first", "a test", |&(n, place): &Placed| n != place),
            // Without it the second one is left by a step to the first.
            Invariant::new("not second", "a test", |&(n, place): &Placed| {
                n != place + 1
            }),
            Invariant::new("not third", "a test", |&(n, place): &Placed| n != place + 2),
        ];
        let report = induct(&refinement);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{place}: {report}");
        let of_states = |warning: &Warning| warning.about == About::TypeCorrect;
        assert!(!report.warnings.iter().any(of_states), "{place}: {report}");
        for (name, needed_for) in [
            ("below", None),
            ("not first", Some("inductive:below")),
            ("not second", Some("inductive:not first")),
            ("not third", None),
        ] {
            let row = row_of(&report, &format!("inductive:{name}"));
            assert_eq!(row.needed, Some(needed_for.is_some()), "{name} {report}");
            let note = row.note.as_deref().unwrap_or_default();
            assert!(note.contains(needed_for.unwrap_or("not needed")), "{note}");
        }
    }
}

/// A step that breaks two invariants breaks both, and the simulation besides; and a state that fails two tells of neither that it is
/// needed.
#[test]
fn a_step_that_breaks_two_invariants_breaks_both() {
    for place in places() {
        let mut refinement = placed(place);
        let both = |name| Invariant::new(name, "a test", |state: &Placed| state.0 < ALL);
        let either = |name| {
            let is_other = |&(n, place): &Placed| n != place && n != place + 1;
            Invariant::new(name, "a test", is_other)
        };
        let still = Invariant::new("any", "a test", |_: &Placed| true);
        refinement.invariants = vec![both("below"), still.clone(), both("few")];
        refinement.specification.next = |state| vec![(("stay", 0), *state)];
        refinement.abstract_steps = Box::new(|from, _, to| {
            if from == to {
                One(("stay", 0))
            } else {
                AbstractSteps::Stutter
            }
        });
        let report = induct(&refinement);
        for name in ["below", "few", "simulation"] {
            let row = row_of(&report, &format!("inductive:{name}"));
            assert_eq!(row.verdict, Verdict::Violated, "{report}");
            let shown = &row.counterexamples[0].steps;
            assert_eq!(
                shown[0].state,
                serde_json::json!([place, place]),
                "{report}"
            );
        }
        assert_verdict(&report, "inductive:any", Verdict::Holds);

        let mut refinement = placed(place);
        refinement.invariants = vec![either("one"), still, either("other")];
        let report = induct(&refinement);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        for name in ["one", "any", "other"] {
            let row = row_of(&report, &format!("inductive:{name}"));
            assert_eq!(row.needed, Some(false), "{name} {report}");
        }
    }
}
