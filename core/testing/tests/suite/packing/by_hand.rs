//! States written by hand whose `shape` is that of another type, and whose `write` loses something: alone, and in whatever
//! else. What is written by hand is read back, whatever it leaves its work to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use refmap::explore::StatesKept;
use refmap::state::{Kept, Limits, Shape, Sink, Source};
use refmap::{Action, BoundedVec, IndexSet, Settings, State, TransitionSystem, Verdict};
use refmap_testing::{checked, with_invariant};
use serde::Serialize;

/// Counts up to `most`, and from each number back to 0, in states of the type `T`.
struct Counter<T> {
    most: i16,
    /// The greatest number that is written; a greater one is written as this one if it is clamped, and otherwise it is outside
    /// of its range.
    most_written: i16,
    clamps: bool,
    state: fn(Hand) -> T,
    number: fn(&T) -> i16,
}

/// A number that is written as an `i16` is, in a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
struct Hand(i16);

impl<T> State<Counter<T>> for Hand {
    const KEPT: Kept = <i16 as State<Counter<T>>>::KEPT;

    fn shape(counter: &Counter<T>, _: Limits) -> Shape {
        i16::shape(counter, Limits::NONE.range(0..=counter.most_written))
    }

    fn count(counter: &Counter<T>, _: Limits) -> Option<u64> {
        i16::count(counter, Limits::NONE.range(0..=counter.most_written))
    }

    fn write(&self, counter: &Counter<T>, _: Limits, sink: &mut impl Sink) {
        let value = if counter.clamps {
            self.0.clamp(0, counter.most_written)
        } else {
            self.0
        };
        let range = Limits::NONE.range(0..=counter.most_written);
        value.write(counter, range, sink);
    }

    fn read(counter: &Counter<T>, _: Limits, source: &mut impl Source) -> Self {
        let range = Limits::NONE.range(0..=counter.most_written);
        Self(i16::read(counter, range, source))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "clock")]
enum Go {
    Tick,
    Reset,
}

impl<T: State<Self>> TransitionSystem for Counter<T> {
    type State = T;
    type Action = Go;
    type Observation = i16;

    fn initial(&self, visit: &mut impl FnMut(T)) {
        visit((self.state)(Hand(0)));
    }

    fn fire(&self, go: &Go, state: &mut T) -> Option<()> {
        let number = (self.number)(state);
        let to = match go {
            Go::Tick => (number < self.most).then_some(number + 1)?,
            Go::Reset => (number > 0).then_some(0)?,
        };
        *state = (self.state)(Hand(to));
        Some(())
    }

    fn observe(&self, from: &T) -> i16 {
        (self.number)(from)
    }
}

/// Of a counter that comes to `end`: where a number that is less is the greatest that is written the state is lossy or outside
/// of its range, and where `end` is, it is reached. Its twin stops before.
fn assert_read_back<T: State<Counter<T>>>(end: i16, state: fn(Hand) -> T, number: fn(&T) -> i16) {
    let run = |most, most_written, clamps| {
        let counter = Counter {
            most,
            most_written,
            clamps,
            state,
            number,
        };
        let below = move |state: &T| number(state) < end;
        let never = with_invariant(counter, "never_at_the_end", below);
        checked(&never, &Settings::default())
    };
    let outside = format!("is {end}, and its range is 0 to {}", end - 1);
    for (most_written, clamps, obligation, why) in [
        (end - 1, true, "model", "what is read back is another state"),
        (end - 1, false, "model", &*outside),
        (end, true, "invariant:never_at_the_end", ""),
        (end, false, "invariant:never_at_the_end", ""),
    ] {
        let report = run(end, most_written, clamps);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let fault = report.counterexample.as_ref().expect("it is shown");
        assert_eq!(fault.obligation, obligation, "{report}");
        assert_eq!(fault.length, end as usize, "{report}");
        assert!(fault.explanation.contains(why), "{report}");
    }
    let sound = run(end - 1, end - 1, true);
    assert_eq!(sound.verdict, Some(Verdict::Holds), "{sound}");
    assert_eq!(sound.states, end as u64, "{sound}");
    let kept = sound.states_kept.expect("a search says how");
    let is_written = matches!(kept, StatesKept::Packed { .. } | StatesKept::Encoded { .. });
    assert!(is_written, "{kept}");
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Beside<T> {
    #[state(range = 7..=7)]
    other: u8,
    hand: T,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Only<T>(T);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Perhaps<T> {
    Nothing,
    Something(bool, T),
}

/// A number that is seldom reached.
#[test]
fn a_number_that_is_clamped() {
    let state = |hand: Hand| Beside { other: 7, hand };
    assert_read_back(20_001, state, |state| state.hand.0);
}

/// In a state of one word, of two, and of as many as it takes; in a set of few numbers, each of which is a bit.
#[test]
fn what_is_written_by_hand_within_whatever_else() {
    assert_read_back(4, |hand| hand, |state| state.0);
    let within = |hand: Hand| (u64::MAX, Perhaps::Something(true, Some(hand)));
    assert_read_back(4, within, |state| match state.1 {
        Perhaps::Something(_, hand) => hand.unwrap_or_default().0,
        Perhaps::Nothing => 0,
    });
    let in_maps = |hand: Hand| vec![BTreeMap::from([(hand, BTreeSet::from([hand]))])];
    assert_read_back(4, in_maps, |state| {
        let first = state[0].first_key_value();
        first.map_or(0, |(hand, _)| hand.0)
    });
}

/// Of each type that has another one within: it is known to be read back if that one is.
#[test]
fn what_has_something_within_that_is_written_by_hand_is_as_that() {
    type System = Counter<()>;
    fn assert<T: State<System>>(is_exact: bool) {
        let of = std::any::type_name::<T>();
        assert_eq!(T::EXACT.is_exact(), is_exact, "{of}");
        assert_eq!(T::KEPT, Kept::Encoded, "{of}");
    }
    macro_rules! within {
        ($($inner:ident => $($type_:ty),+;)*) => {$(
            $({
                type $inner = Hand;
                assert::<$type_>(false);
            }
            {
                type $inner = i16;
                assert::<$type_>(true);
            })+
        )*};
    }
    within! {
        Inner => Inner, Only<Inner>, Beside<Inner>, Perhaps<Inner>, Perhaps<Only<Only<Inner>>>,
            (Inner,), (u8, Inner), (Inner, u8, bool), (u8, u8, u8, u8, u8, Inner), [Inner; 3], Option<Inner>, Box<Inner>,
            Arc<Inner>, Vec<Inner>, Box<[Inner]>, VecDeque<Inner>, BoundedVec<Only<Inner>, 3>, BTreeSet<Inner>,
            BTreeSet<(bool, Inner)>, BTreeMap<Inner, u8>, BTreeMap<u8, Inner>, BTreeMap<String, Vec<Option<Inner>>>;
    }
    assert::<()>(true);
    assert::<(bool, char, String)>(true);
    assert::<(u8, u16, u32, u64, usize)>(true);
    assert::<(i8, i16, i32, i64, isize, IndexSet)>(true);
}
