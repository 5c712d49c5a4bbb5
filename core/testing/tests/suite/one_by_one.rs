//! Steps of states that own memory are taken one by one, and those of others state by state: what is found is the same,
//! whatever the model does.

use refmap_testing::up_to_states;
use std::panic::{AssertUnwindSafe, catch_unwind};

use refmap::AbstractSteps::{self, One};
use refmap::explore::{Limits, Storage};
use refmap::obligation::Until;
use refmap::{
    Action, Invariant, Refinement, Report, Settings, State, TransitionSystem, Verdict, check,
};
use refmap_testing::{Number, Owned};
use serde::Serialize;

/// State of every system here.
trait Anywhere: Number + State<Grid<Self>> {}
impl<T: Number + State<Grid<T>>> Anywhere for T {}

/// Fault of the model at state 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// `fire` panics of the first step, or of the second.
    FirstStep,
    SecondStep,
    /// The specification panics when the second step is looked at.
    Allows,
    /// The same, and `candidates` of the implementation goes on as if nothing had happened.
    AllowsUnheard,
    /// The invariant panics.
    Invariant,
    /// The second step is none of the specification.
    Simulation,
}

/// Numbers below 25, by steps of 1 and of 5.
struct Grid<T> {
    fault: Fault,
    specification: Counting,
    of: std::marker::PhantomData<fn() -> T>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Step {
    One,
    Five,
}

impl<T: Anywhere> TransitionSystem for Grid<T> {
    type State = T;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(T)) {
        visit(T::of(0));
    }

    fn candidates(&self, _: &T, visit: &mut impl FnMut(Step)) {
        visit(Step::One);
        match self.fault {
            Fault::AllowsUnheard => {
                let _ = catch_unwind(AssertUnwindSafe(|| visit(Step::Five)));
            }
            _ => visit(Step::Five),
        }
    }

    fn fire(&self, step: &Step, state: &mut T) -> Option<()> {
        let (by, panics) = match step {
            Step::One => (1, Fault::FirstStep),
            Step::Five => (5, Fault::SecondStep),
        };
        let number = state.number();
        assert!(number != 9 || self.fault != panics, "at nine");
        *state = T::of((number + by) % 25);
        Some(())
    }

    fn observe(&self, _: &T) {}
}

struct Counting(Fault);

impl TransitionSystem for Counting {
    type State = u32;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        visit(0);
    }

    fn fire(&self, step: &Step, state: &mut u32) -> Option<()> {
        let by = match step {
            Step::One => 1,
            Step::Five if self.0 == Fault::Simulation && *state == 9 => 6,
            Step::Five => 5,
        };
        *state = (*state + by) % 25;
        Some(())
    }

    fn allows(&self, from: &u32, step: &Step, to: &u32) -> bool {
        let panics = matches!(self.0, Fault::Allows | Fault::AllowsUnheard);
        assert!(
            !(panics && *from == 9 && *step == Step::Five),
            "in the specification"
        );
        refmap::successor(self, from, step) == Some(*to)
    }

    fn observe(&self, _: &u32) {}
}

impl<T: Anywhere> Refinement for Grid<T> {
    type Implementation = Self;
    type Specification = Counting;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Counting {
        &self.specification
    }

    fn map(&self, state: &T) -> u32 {
        state.number()
    }

    fn abstract_steps(&self, _: &T, step: &Step, _: &T) -> AbstractSteps<Step> {
        One(*step)
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let panics = self.fault == Fault::Invariant;
        vec![Invariant::new("calm", "a test", move |state: &T| {
            assert!(!panics || state.number() != 9, "in the invariant");
            true
        })]
    }
}

fn report<T: Anywhere>(fault: Fault, settings: &Settings<'_>) -> Report {
    let grid = Grid::<T> {
        fault,
        specification: Counting(fault),
        of: std::marker::PhantomData,
    };
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        states_kept: None,
        ..check(&grid, settings).expect("it can be checked")
    }
}

#[test]
fn both_find_the_same_whatever_the_model_does() {
    for fault in [
        Fault::None,
        Fault::FirstStep,
        Fault::SecondStep,
        Fault::Allows,
        Fault::Invariant,
        Fault::Simulation,
    ] {
        for until in [Until::FirstViolation, Until::End] {
            for limits in [Limits::default(), up_to_states(7)] {
                for (threads, storage) in [(1, Storage::Packed), (3, Storage::Whole)] {
                    let settings = Settings {
                        threads,
                        storage,
                        until,
                        limits,
                        ..Settings::default()
                    };
                    let plain = report::<u32>(fault, &settings);
                    let owned = report::<Owned>(fault, &settings);
                    assert_eq!(owned, plain, "{fault:?}, {until:?}, {limits:?}");
                    let is_reached = limits == Limits::default();
                    let holds = (plain.verdict == Some(Verdict::Holds)) == (fault == Fault::None);
                    assert!(holds || !is_reached, "{fault:?}: {plain}");
                }
            }
        }
    }
}

/// A model that catches panics of what it calls back does not hide them.
#[test]
fn a_panic_that_the_model_catches_is_found() {
    let report = report::<Owned>(Fault::AllowsUnheard, &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    assert!(report.to_string().contains("panic"), "{report}");
}
