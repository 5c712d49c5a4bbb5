//! Forms in which states are kept: fingerprints that take less, and states far from the first ones.

use std::marker::PhantomData;

use refmap::explore::{Limit, Limits, Options, Storage, explore};
use refmap::obligation::{Selection, Until};
use refmap::state::{self, Kept, Shape, Sink, Source};
use refmap::{Refinement, Settings, State, TransitionSystem, Verdict, check};
use refmap_testing::{Itself, Labelling, Machine, Number, Whole, checked, with_invariant};
use serde::Serialize;
use serde_json::json;

#[test]
fn fingerprints_say_what_they_may_leave_out() {
    let settings = |storage| Settings {
        storage,
        until: Until::End,
        ..Settings::default()
    };
    let counters = counters(9);
    let run = |storage| checked(&counters, &settings(storage));
    let report = run(Storage::Fingerprints);
    let pairs = f64::from(1000 * 999 / 2);
    assert_eq!(report.omission_probability, Some(pairs / 2f64.powi(64)));
    assert_eq!(run(Storage::Packed).omission_probability, None);
}

/// Three counters, of 60 bits each: states for which fingerprints are meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Three(#[state(range = 0..1u64 << 60)] [u64; 3]);

/// So many values has each.
const COUNT: u64 = 80;

/// Such counters from 0 to `most` as an implementation of themselves, with an invariant that fails.
fn counters(most: u64) -> impl Refinement<Implementation = Machine<Three, (), usize>> {
    let count = move |state: &mut Three, counter: &usize| {
        state.0[*counter] = (state.0[*counter] + 1) % (most + 1);
        Some(())
    };
    let counters = Machine::new(&[], [Three([0; 3])], |_| Vec::new(), |_| ());
    let counters = counters.rule_of_each("count", 0..3, count);
    with_invariant(counters, "far", |state: &Three| state.0 != [5, 3, 2])
}

/// Fingerprints of packed states take less than states of several words, and find the same.
#[test]
fn fingerprints_of_large_states_take_less_than_the_states() {
    let counters = counters(COUNT - 1);
    let bytes = |storage| {
        let options = Options {
            storage,
            ..Options::default()
        };
        let explored = explore(
            counters.implementation(),
            &Labelling(|_: &refmap_testing::Action<usize>| 0),
            &options,
        );
        assert_eq!(explored.states() as u64, COUNT.pow(3));
        explored.store_bytes
    };
    let (packed, whole) = (bytes(Storage::Packed), bytes(Storage::Whole));
    let fingerprints = bytes(Storage::Fingerprints);
    assert!(
        fingerprints < packed.min(whole),
        "{fingerprints} {packed} {whole}"
    );
    let run = |storage| {
        let settings = Settings {
            storage,
            threads: 2,
            ..Settings::default()
        };
        checked(&counters, &settings)
    };
    let (one, other) = (run(Storage::Packed), run(Storage::Fingerprints));
    assert_eq!(one.verdict, Some(Verdict::Violated));
    assert_eq!(one.counterexample, other.counterexample);
    assert_eq!(
        (one.states, one.transitions),
        (other.states, other.transitions)
    );
}

/// From 0 to each of many numbers, from each of these to one of as many others, and from there on
/// within these: two levels that are wider than the search looks ahead.
struct Fan<N> {
    /// Greater numbers are written as this one.
    written_up_to: u32,
    of: PhantomData<fn() -> N>,
}

/// A number that is written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
struct Written(u32);

/// The greatest number.
const MOST: u64 = 2 * WIDTH as u64;

impl State<Fan<Self>> for Written {
    const KEPT: Kept = Kept::Encoded;

    fn shape(_: &Fan<Self>, _: state::Limits) -> Shape {
        Shape::by_hand(Some(u64::BITS - MOST.leading_zeros()))
    }

    fn write(&self, fan: &Fan<Self>, _: state::Limits, sink: &mut impl Sink) {
        sink.number(MOST, self.0.min(fan.written_up_to).into());
    }

    fn read(_: &Fan<Self>, _: state::Limits, source: &mut impl Source) -> Self {
        Self(source.number(MOST) as u32)
    }
}

impl Number for Written {
    fn of(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }
}

/// The numbers of a level.
const WIDTH: u32 = 100_000;

impl<N> Fan<N> {
    fn new() -> Self {
        Self {
            written_up_to: 2 * WIDTH,
            of: PhantomData,
        }
    }
}

impl<N: Number + State<Self>> TransitionSystem for Fan<N> {
    type State = N;
    type Action = u32;
    type Observation = u32;

    fn initial(&self, visit: &mut impl FnMut(N)) {
        visit(N::of(0));
    }

    fn candidates(&self, from: &N, visit: &mut impl FnMut(u32)) {
        match from.number() {
            0 => (1..=WIDTH).for_each(visit),
            from if from <= WIDTH => visit(from),
            from => (1..=from % 3).for_each(visit),
        }
    }

    fn fire(&self, by: &u32, state: &mut N) -> Option<()> {
        let (from, by) = (state.number(), *by);
        let (is_enabled, to) = match from {
            0 => ((1..=WIDTH).contains(&by), by),
            1..=WIDTH => (by == from, WIDTH + from),
            _ => {
                let to = WIDTH + 1 + (from + by * 7919) % WIDTH;
                ((1..=from % 3).contains(&by), to)
            }
        };
        is_enabled.then(|| *state = N::of(to))
    }

    fn observe(&self, state: &N) -> u32 {
        state.number()
    }

    fn may_stop(&self, _: &N) -> bool {
        true
    }
}

/// However far from the first ones a state is, it is read back, also where it is written as another one is that was there
/// before. So of the targets from 100 000 + 10 000 on, the first one is seen to be lost. With a packing that loses none
/// nothing is wrong.
#[test]
fn a_packing_that_is_wrong_about_late_states_is_found() {
    for (written_up_to, lost) in [(2 * WIDTH, None), (WIDTH + 10_000, Some(WIDTH + 10_001))] {
        let fan = Itself(Fan::<Written> {
            written_up_to,
            ..Fan::new()
        });
        for threads in [1, 2] {
            let settings = Settings {
                threads,
                obligations: Selection::only(["observation"]),
                ..Settings::default()
            };
            let report = checked(&fan, &settings);
            let shown = report.obligation("model").map(|row| {
                let steps = &row.counterexamples[0].steps;
                steps.last().expect("a step is shown").state.clone()
            });
            assert_eq!(shown, lost.map(|state| json!(state)), "{report}");
            let verdict = lost.map_or(Verdict::Holds, |_| Verdict::Violated);
            assert_eq!(report.verdict, Some(verdict), "{report}");
        }
    }
}

/// One thread takes states in smaller portions than several do. That must not show in where a limit
/// ends the search, wherever in a level that is.
#[test]
fn a_limit_ends_the_search_at_the_same_place_for_any_number_of_threads() {
    let run = |most, storage, threads| {
        let settings = Settings {
            storage,
            threads,
            limits: Limits {
                states: most,
                ..Limits::default()
            },
            obligations: Selection::only(["observation", "deadlock"]),
            ..Settings::default()
        };
        let report = match storage {
            // They are refused where states are packed into a word.
            Storage::Fingerprints => check(&Itself(Fan::<Whole>::new()), &settings),
            Storage::Packed | Storage::Whole => check(&Itself(Fan::<Written>::new()), &settings),
        };
        let report = report.expect("the settings fit");
        let rows = report.obligations.iter();
        let tested: Vec<_> = rows.map(|row| (row.name.clone(), row.checked)).collect();
        let counts = (report.states, report.transitions, report.depth);
        (counts, report.limit, tested)
    };
    let all = u64::from(2 * WIDTH) + 1;
    let width = u64::from(WIDTH);
    for most in [None, Some(1 + width + 500), Some(1 + width + 80_000)] {
        let one = run(most, Storage::Packed, 1);
        assert_eq!(one.1, most.map(Limit::States));
        assert_eq!(one.0.0, most.unwrap_or(all));
        for (storage, threads) in [
            (Storage::Packed, 3),
            (Storage::Whole, 2),
            (Storage::Fingerprints, 1),
            (Storage::Fingerprints, 3),
        ] {
            let other = run(most, storage, threads);
            assert_eq!((one.0, one.1), (other.0, other.1), "{storage:?} {threads}");
            if storage != Storage::Fingerprints {
                assert_eq!(one.2, other.2, "{storage:?} {threads}");
            }
        }
    }
    // Beyond the limit the search goes on to the end of what it has begun: 65 536 states at a time.
    let (counts, ..) = run(Some(1 + width + 500), Storage::Packed, 1);
    assert_eq!(counts.1, width + 65_536);
}
