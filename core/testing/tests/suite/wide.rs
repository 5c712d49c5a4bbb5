//! States with many steps, and many states of one depth: what is told is the step and the state that are at fault, wherever these are
//! among the others.
//!
//! The engine takes steps by the hundred and states by the chunk; what fails is planted on both sides of each such boundary.

use refmap::AbstractSteps::{self, One};
use refmap::explore::Storage;
use refmap::obligation::{Selection, Until};
use refmap::{Invariant, Refinement, Settings, State, TransitionSystem, Verdict};
use refmap_testing::{Number, Owned, Whole, checked, row_of};

/// Fault of the step that is planted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    /// It is answered by an action that the specification does not take.
    Answer,
    /// `next` panics instead of visiting it.
    Panics,
    /// `map` panics at its target.
    MapPanics,
    /// Its action is that of the first step.
    Twice,
}

/// Some initial states, from each of which so many steps lead to states of its own, and from these nothing leads on.
struct Fan<S> {
    initial: u32,
    steps: u32,
    wrong: Wrong,
    /// The initial state and its step that are wrong.
    planted: (u32, u32),
    of: std::marker::PhantomData<fn() -> S>,
}

impl<S: State<Self> + Number> Fan<S> {
    fn target(&self, from: u32, step: u32) -> u32 {
        self.initial + from * self.steps + step
    }
}

impl<S: State<Self> + Number> TransitionSystem for Fan<S> {
    type State = S;
    type Action = u32;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(S)) {
        (0..self.initial).for_each(|number| visit(S::of(number)));
    }

    fn fire(&self, step: &u32, state: &mut S) -> Option<()> {
        let from = state.number();
        (from < self.initial && *step < self.steps).then_some(())?;
        *state = S::of(self.target(from, *step));
        Some(())
    }

    fn next(&self, from: &S, visit: &mut impl FnMut(u32, &S)) {
        for step in 0..self.steps {
            let Some(to) = refmap::successor(self, from, &step) else {
                return;
            };
            let is_planted = (from.number(), step) == self.planted;
            if is_planted && self.wrong == Wrong::Panics {
                panic!("planted");
            }
            let is_twice = is_planted && self.wrong == Wrong::Twice;
            visit(if is_twice { 0 } else { step }, &to);
        }
    }

    fn observe(&self, _: &S) {}

    fn may_stop(&self, state: &S) -> bool {
        state.number() >= self.initial
    }

    fn is_initial(&self, state: &S) -> bool {
        state.number() < self.initial
    }
}

impl<S: State<Self> + Number> Refinement for Fan<S> {
    type Implementation = Self;
    type Specification = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &S) -> S {
        let (from, step) = self.planted;
        if self.wrong == Wrong::MapPanics && state.number() == self.target(from, step) {
            panic!("planted");
        }
        state.clone()
    }

    fn abstract_steps(&self, from: &S, action: &u32, _: &S) -> AbstractSteps<u32> {
        let is_planted = (from.number(), *action) == self.planted;
        let is_wrong = is_planted && self.wrong == Wrong::Answer;
        One(if is_wrong { u32::MAX } else { *action })
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let bad = self.target(self.planted.0, self.planted.1);
        vec![Invariant::new("not there", "a test", move |state: &S| {
            state.number() != bad
        })]
    }
}

fn assert_planted<S: State<Fan<S>> + Number>(fan: &Fan<S>, settings: &Settings<'_>) {
    let told = format!(
        "{:?} at {:?} of {} × {}, {:?}, {} threads",
        fan.wrong, fan.planted, fan.initial, fan.steps, settings.storage, settings.threads
    );
    let report = checked(fan, settings);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{told}: {report}");
    let found = |row: &str| {
        let row = row_of(&report, row);
        let found = row.counterexamples.first();
        found.cloned().unwrap_or_else(|| panic!("{told}: {report}"))
    };
    let (from, step) = fan.planted;
    let target = fan.target(from, step);
    let json = |state: u32| serde_json::to_value(S::of(state)).expect("it has a JSON form");
    let shows = |row: &str, action: u32| {
        let found = found(row);
        assert_eq!(found.length, 1, "{told}: {row}");
        assert_eq!(found.steps[0].state, json(from), "{told}: {row}");
        assert_eq!(found.steps[1].action, Some(action.into()), "{told}: {row}");
        assert_eq!(found.steps[1].state, json(target), "{told}: {row}");
    };
    match fan.wrong {
        Wrong::Answer => {
            shows("simulation", step);
            shows("invariant:not there", step);
        }
        Wrong::Twice => {
            shows("model", 0);
            shows("invariant:not there", 0);
        }
        Wrong::MapPanics => shows("model", step),
        // The step is none; the state is the one whose steps are not known.
        Wrong::Panics => {
            let found = found("model");
            assert_eq!(found.length, 0, "{told}");
            assert_eq!(found.steps[0].state, json(from), "{told}");
            // What comes before it is known.
            let known = from * fan.steps + step;
            assert!(
                report.states >= u64::from(fan.initial + known),
                "{told}: {report}"
            );
        }
    }
}

const ALL_WRONG: [Wrong; 4] = [Wrong::Answer, Wrong::Panics, Wrong::MapPanics, Wrong::Twice];

fn fan<S>(initial: u32, steps: u32, wrong: Wrong, planted: (u32, u32)) -> Fan<S> {
    Fan {
        initial,
        steps,
        wrong,
        planted,
        of: std::marker::PhantomData,
    }
}

/// One state of more than a thousand steps, of which any one is wrong.
fn wide_state<S>()
where
    S: State<Fan<S>> + Number,
{
    let steps = [1, 16, 17, 256, 511, 512, 513, 514, 1023, 1024, 1025, 1029];
    let storages = [Storage::Packed, Storage::Whole];
    for (number, step) in steps.into_iter().enumerate() {
        // Each way to be wrong in turn, and the first one, which most is told of, at every step.
        for wrong in [Wrong::Answer, ALL_WRONG[1 + number % 3]] {
            let settings = Settings {
                storage: storages[number % 2],
                threads: 1 + number % 2,
                until: Until::End,
                obligations: Selection::only(["simulation", "invariant"]),
                ..Settings::default()
            };
            assert_planted(&fan::<S>(1, 1030, wrong, (0, step)), &settings);
        }
    }
}

#[test]
fn any_step_of_a_wide_state_is_told_as_it_is() {
    wide_state::<u32>();
    wide_state::<Owned>();
    wide_state::<Whole>();
}

/// Thousands of states of one depth, of which any one has a step that is wrong.
fn many_states<S: State<Fan<S>> + Number>(far: &[u32]) {
    let near = [
        0, 1, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025,
    ];
    let near = near.into_iter().map(|place| (1100, place));
    let far = far.iter().map(|place| (place + 7, *place));
    for (number, (states, place)) in near.chain(far).enumerate() {
        let wrong = ALL_WRONG[number % 3];
        let settings = Settings {
            threads: 1 + number % 3,
            until: Until::End,
            obligations: Selection::only(["simulation", "invariant"]),
            ..Settings::default()
        };
        assert_planted(&fan::<S>(states, 1, wrong, (place, 0)), &settings);
    }
}

#[test]
fn any_state_of_many_is_told_as_it_is() {
    many_states::<u32>(&[2048, 8191, 8192]);
    many_states::<Owned>(&[]);
}
