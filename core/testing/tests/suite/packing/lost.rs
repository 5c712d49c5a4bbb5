//! States by hand that lose something, far from the start or in few states.

use refmap::explore::Storage;
use refmap::obligation::Selection;
use refmap::state::{Kept, Limits, Part, Shape, Sink, Source};
use refmap::{Report, Settings, TransitionSystem, Verdict, check, round_trip};
use refmap_testing::{Go, Itself};
use serde::Serialize;
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct State {
    lane: u8,
    far: u16,
}

impl refmap::State<Lanes> for State {
    const KEPT: Kept = Kept::Encoded;

    fn shape(lanes: &Lanes, _: Limits) -> Shape {
        let bits = lanes.most().map(|most| u64::BITS - most.leading_zeros());
        let more = bits.iter().sum::<u32>();
        Shape::by_hand(Some(more - u32::from(lanes.wrong == Wrong::Shape)))
    }

    fn write(&self, lanes: &Lanes, _: Limits, sink: &mut impl Sink) {
        let late = self.lane == LANES - 1 && self.far >= LENGTH - 1;
        let far = match lanes.wrong {
            Wrong::MergedInALane if late => self.far - 1,
            Wrong::MovedInALane if late => self.far ^ 1,
            _ => self.far,
        };
        let lane = match lanes.wrong {
            Wrong::Forgotten => 0,
            _ => self.lane,
        };
        let [most_lane, most_far] = lanes.most();
        for (name, most, value) in [
            ("lane", most_lane, lane.into()),
            ("far", most_far, far.into()),
        ] {
            sink.enter(Part::Name(name));
            sink.number(most, value);
            sink.leave();
        }
    }

    fn read(lanes: &Lanes, _: Limits, source: &mut impl Source) -> Self {
        let [lane, far] = lanes.most().map(|most| source.number(most));
        Self {
            lane: lane as u8,
            far: far as u16,
        }
    }
}

/// Fault of the packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nowhere,
    /// In the last lane, late states come back as others: as ones that were there before, or as ones that were not.
    MergedInALane,
    MovedInALane,
    /// The range of `far` is too small by one, within the bits that it takes.
    Range,
    /// The range of `far` ends with its bits.
    Bits,
    /// `lane` is not written.
    Forgotten,
    /// An initial state does not fit.
    Initially,
    /// It is said to take a bit less than it does.
    Shape,
}

const LANES: u8 = 64;
const LENGTH: u16 = 300;

struct Lanes {
    wrong: Wrong,
}

impl Lanes {
    /// The greatest lane and the greatest `far` that can be written.
    fn most(&self) -> [u64; 2] {
        let lanes = u64::from(LANES - u8::from(self.wrong == Wrong::Initially));
        let length = match self.wrong {
            Wrong::Range => LENGTH - 1,
            Wrong::Bits => 255,
            _ => LENGTH,
        };
        [lanes - 1, length.into()]
    }
}

impl TransitionSystem for Lanes {
    type State = State;
    type Action = Go;
    type Observation = u16;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        (0..LANES).for_each(|lane| visit(State { lane, far: 0 }));
    }

    fn fire(&self, _: &Go, state: &mut State) -> Option<()> {
        state.far = (state.far + 1) % (LENGTH + 1);
        Some(())
    }

    fn observe(&self, state: &State) -> u16 {
        state.far
    }
}

fn report(wrong: Wrong, storage: Storage, obligations: Selection) -> Report {
    let settings = Settings {
        storage,
        obligations,
        threads: 2,
        ..Settings::default()
    };
    let checked = check(&Itself(Lanes { wrong }), &settings);
    checked.expect("the settings fit")
}

/// The state at the end of the counterexample is the first that the packing is wrong about.
#[test]
fn a_packing_that_loses_something() {
    let last = LANES - 1;
    for (wrong, why, lane, far) in [
        (Wrong::MergedInALane, "far was 299 and is 298", last, 299),
        (Wrong::MovedInALane, "far was 299 and is 298", last, 299),
        (
            Wrong::Range,
            "`far` is 300, and its range is 0 to 299",
            0,
            300,
        ),
        (
            Wrong::Bits,
            "`far` is 256, and its range is 0 to 255",
            0,
            256,
        ),
        (Wrong::Forgotten, "lane was 1 and is 0", 1, 0),
        (
            Wrong::Initially,
            "`lane` is 63, and its range is 0 to 62",
            63,
            0,
        ),
        (
            Wrong::Shape,
            "it takes 15 bits, and the shape of its type says 14 at most",
            0,
            0,
        ),
    ] {
        let state = State { lane, far };
        assert!(round_trip(&Lanes { wrong }, &state).is_err(), "{wrong:?}");
        let sound = Wrong::Nowhere;
        assert_eq!(round_trip(&Lanes { wrong: sound }, &state), Ok(()));
        for obligations in [Selection::Default, Selection::Nothing] {
            // Nothing is packed here.
            let whole = report(wrong, Storage::Whole, obligations.clone());
            assert_ne!(whole.verdict, Some(Verdict::Violated), "{whole}");
            let report = report(wrong, Storage::Packed, obligations);
            assert_eq!(
                report.verdict,
                Some(Verdict::Violated),
                "{wrong:?}: {report}"
            );
            let fault = report.counterexample.as_ref().expect("it is shown");
            assert_eq!(fault.obligation, "model");
            assert_eq!(fault.length, usize::from(far), "{wrong:?}: {report}");
            // An initial state that is lost is in the explanation alone.
            if far > 0 {
                let shown = fault.steps.last().expect("a state is shown");
                assert_eq!(shown.state, json!({ "lane": lane, "far": far }));
            }
            assert!(fault.explanation.contains("cannot be packed"), "{report}");
            assert!(fault.explanation.contains(why), "{wrong:?}: {report}");
        }
    }
    let sound = report(Wrong::Nowhere, Storage::Packed, Selection::Default);
    assert_eq!(sound.verdict, Some(Verdict::Holds), "{sound}");
    assert_eq!(sound.states, u64::from(LANES) * u64::from(LENGTH + 1));
}
