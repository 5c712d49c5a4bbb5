//! Stepping through a refinement agrees with its check.

use std::sync::Mutex;

use refmap::obligation::stepper::{StepError, Stepper};
use refmap::obligation::{CheckError, Settings};
use refmap::report::Counterexample;
use refmap::{Refinement, check};
use refmap_testing::{Machine, itself};

/// Steps through a refinement.
fn step_through<R: Refinement, T: Send>(
    refinement: &R,
    visit: impl Fn(Stepper<'_>) -> T + Sync,
) -> T {
    let visited = Mutex::new(None);
    let step_through = |stepper: Stepper<'_>| {
        *visited.lock().expect("no visit panics") = Some(visit(stepper));
    };
    let settings = Settings {
        step_through: Some(&step_through),
        ..Settings::default()
    };
    let ended = check(refinement, &settings);
    assert!(matches!(ended, Err(CheckError::SteppedThrough)));
    let visited = visited.into_inner().expect("no visit panics");
    visited.expect("the refinement was handed over")
}

/// The steps of a counterexample can be taken one by one, nothing fails before its end, and there its obligation does.
pub fn assert_stepped<R: Refinement>(refinement: &R, found: &Counterexample) {
    let kind = found.obligation.split(':').next().unwrap_or_default();
    let at_a_step = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "invariant",
        "deadlock",
    ];
    if !at_a_step.contains(&kind) || !found.reachable || found.steps.is_empty() {
        return;
    }
    step_through(refinement, |stepper| {
        let choices = stepper
            .choices(&found.steps)
            .expect("the model does not panic");
        assert_eq!(choices.len(), found.steps.len(), "{found:?}");
        for count in 0..=choices.len() {
            let followed = stepper
                .follow(&choices[..count])
                .expect("the steps are there");
            assert_eq!(followed.steps, found.steps[..count]);
            let fails = |obligation: &str| {
                let mut fails = followed.fails.iter();
                fails.any(|finding| finding.obligation == obligation)
            };
            // A counterexample is a shortest one.
            assert_eq!(
                fails(&found.obligation),
                count == choices.len(),
                "{found:?}"
            );
            // What would fail is known before the step is taken.
            if let Some(next) = choices.get(count) {
                let offered = &followed.offered[*next];
                assert_eq!(offered.step, found.steps[count]);
                let after = stepper
                    .follow(&choices[..=count])
                    .expect("the steps are there");
                assert_eq!(offered.fails, after.fails);
            }
        }
        let last = stepper.follow(&choices).expect("the steps are there");
        let mut fails = last.fails.iter();
        let finding = fails.find(|finding| finding.obligation == found.obligation);
        let finding = finding.expect("it fails");
        assert_eq!(finding.explanation, found.explanation);
        assert_eq!(finding.nearest, found.nearest);
    });
}

fn counter() -> Machine<u8> {
    let next = |n: &u8| match n {
        7 => panic!("seven"),
        n => vec![(("tick", 0), n + 1), (("tick", 1), 0)],
    };
    Machine::new(&[("tick", "clock")], [0, 5], next, |n| *n)
}

#[test]
fn choices_that_are_not_offered_are_refused() {
    step_through(&itself(counter()), |stepper| {
        let start = stepper.follow(&[]).expect("there are initial states");
        assert_eq!((start.steps.len(), start.offered.len()), (0, 2));
        let follow = |choices: &[usize]| stepper.follow(choices).map(|_| ());
        let refused = |at, number| {
            Err(StepError::NotOffered {
                at,
                number,
                offered: 2,
            })
        };
        assert_eq!(follow(&[2]), refused(0, 2));
        assert_eq!(follow(&[0, 0, 0, 9, 0]), refused(3, 9));
    });
}

#[test]
fn a_model_that_panics_is_stepped_through_up_to_there() {
    step_through(&itself(counter()), |stepper| {
        assert!(stepper.follow(&[1, 0]).is_ok());
        let panicked = stepper.follow(&[1, 0, 0]).expect_err("it panics");
        assert_eq!(panicked.followed(), 3);
        assert!(panicked.to_string().contains("seven"), "{panicked}");
    });
}

/// Of many initial states a thousand are offered.
#[test]
fn more_than_can_be_shown_is_told() {
    let next = |n: &u32| vec![(("tick", 0), n + 1)];
    let initial: Vec<u32> = (0..5000).collect();
    let machine = Machine::new(&[("tick", "clock")], initial, next, |_| 0);
    step_through(&itself(machine), |stepper| {
        let start = stepper.follow(&[]).expect("it does not panic");
        assert_eq!((start.offered.len(), start.more), (1000, true));
        assert!(!stepper.follow(&[999]).expect("it is offered").more);
    });
}
