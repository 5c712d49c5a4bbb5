//! Forms in which states are kept: states far from the first ones, and limits.

use refmap::explore::{Limit, Limits, Storage};
use refmap::obligation::Selection;
use refmap::state::{self, Kept, Shape, Sink, Source};
use refmap::{Settings, State, TransitionSystem, Verdict};
use refmap_testing::{Itself, checked};
use serde::Serialize;
use serde_json::json;

/// From 0 to each of many numbers, from each of these to one of as many others, and from there on
/// within these: two levels that are wider than the search looks ahead.
struct Fan {
    /// Greater numbers are written as this one.
    written_up_to: u32,
}

/// A number that is written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
struct Written(u32);

/// The greatest number.
const MOST: u64 = 2 * WIDTH as u64;

impl State<Fan> for Written {
    const KEPT: Kept = Kept::Encoded;

    fn shape(_: &Fan, _: state::Limits) -> Shape {
        Shape::by_hand(Some(u64::BITS - MOST.leading_zeros()))
    }

    fn write(&self, fan: &Fan, _: state::Limits, sink: &mut impl Sink) {
        sink.number(MOST, self.0.min(fan.written_up_to).into());
    }

    fn read(_: &Fan, _: state::Limits, source: &mut impl Source) -> Self {
        Self(source.number(MOST) as u32)
    }
}

/// The numbers of a level.
const WIDTH: u32 = 100_000;

impl TransitionSystem for Fan {
    type State = Written;
    type Action = u32;
    type Observation = u32;

    fn initial(&self, visit: &mut impl FnMut(Written)) {
        visit(Written(0));
    }

    fn candidates(&self, Written(from): &Written, visit: &mut impl FnMut(u32)) {
        match *from {
            0 => (1..=WIDTH).for_each(visit),
            from if from <= WIDTH => visit(from),
            from => (1..=from % 3).for_each(visit),
        }
    }

    fn fire(&self, by: &u32, Written(state): &mut Written) -> Option<()> {
        let (from, by) = (*state, *by);
        let (is_enabled, to) = match from {
            0 => ((1..=WIDTH).contains(&by), by),
            1..=WIDTH => (by == from, WIDTH + from),
            _ => {
                let to = WIDTH + 1 + (from + by * 7919) % WIDTH;
                ((1..=from % 3).contains(&by), to)
            }
        };
        is_enabled.then(|| *state = to)
    }

    fn observe(&self, Written(state): &Written) -> u32 {
        *state
    }

    fn may_stop(&self, _: &Written) -> bool {
        true
    }
}

/// However far from the first ones a state is, it is read back, also where it is written as another one is that was there
/// before. So of the targets from 100 000 + 10 000 on, the first one is seen to be lost. With a packing that loses none
/// nothing is wrong.
#[test]
fn a_packing_that_is_wrong_about_late_states_is_found() {
    for (written_up_to, lost) in [(2 * WIDTH, None), (WIDTH + 10_000, Some(WIDTH + 10_001))] {
        let fan = Itself(Fan { written_up_to });
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
        let fan = Itself(Fan {
            written_up_to: 2 * WIDTH,
        });
        let report = checked(&fan, &settings);
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
            (Storage::Whole, 1),
            (Storage::Whole, 2),
        ] {
            let other = run(most, storage, threads);
            assert_eq!(one, other, "{storage:?} {threads}");
        }
    }
    // Beyond the limit the search goes on to the end of what it has begun: 65 536 states at a time.
    let (counts, ..) = run(Some(1 + width + 500), Storage::Packed, 1);
    assert_eq!(counts.1, width + 65_536);
}
