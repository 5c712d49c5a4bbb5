//! Packings that lose something, far from the start or in few states.

use refmap::obligation::{Checker, Selection};
use refmap::{
    Field, Fields, Layout, Packed, Refinement, Report, Rule, RuleId, Settings, TransitionSystem,
    Verdict,
};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct State {
    lane: u8,
    far: u16,
}

impl<S: ?Sized> refmap::State<S> for State {}

/// How the packing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nowhere,
    /// In the last lane, late states come back as others: as ones that were there before, or as ones that were not.
    MergedInALane,
    MovedInALane,
    /// The range of `far` is too small by one.
    Range,
    /// `lane` is not passed on.
    Forgotten,
    /// An initial state does not fit.
    Initially,
    /// The layout is that of half as many lanes, the variables those of all.
    Layout,
}

const LANES: u8 = 64;
const LENGTH: u16 = 300;

struct Lanes {
    wrong: Wrong,
    layout: Layout,
    lane: Field,
    far: Field,
}

impl Lanes {
    fn new(wrong: Wrong) -> Self {
        let mut layout = Layout::new();
        let mut smaller = Layout::new();
        smaller.below(u64::from(LANES / 2));
        smaller.below(u64::from(LENGTH) + 1);
        let lanes = if wrong == Wrong::Initially {
            LANES - 1
        } else {
            LANES
        };
        Self {
            wrong,
            lane: layout.below(lanes.into()),
            far: layout.below(u64::from(LENGTH) + u64::from(wrong != Wrong::Range)),
            layout: match wrong {
                Wrong::Layout => smaller,
                _ => layout,
            },
        }
    }
}

impl TransitionSystem for Lanes {
    type State = State;
    type Action = ();
    type Observation = u16;

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("on", "lanes", "a test")] }
    }

    fn rule_of(&self, (): &()) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        (0..LANES).for_each(|lane| visit(State { lane, far: 0 }));
    }

    fn next(&self, from: &State, visit: &mut impl FnMut((), State)) {
        let far = (from.far + 1) % (LENGTH + 1);
        visit((), State { far, ..*from });
    }

    fn observe(&self, state: &State) -> u16 {
        state.far
    }
}

impl Packed for Lanes {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn fields(&self, state: &State, fields: &mut impl Fields) -> State {
        let late = state.lane == LANES - 1 && state.far >= LENGTH - 1;
        let far = match self.wrong {
            Wrong::MergedInALane if late => state.far - 1,
            Wrong::MovedInALane if late => state.far ^ 1,
            _ => state.far,
        };
        let lane = match self.wrong {
            Wrong::Forgotten => state.lane,
            _ => fields.byte(self.lane, state.lane),
        };
        State {
            lane,
            far: fields.number(self.far, far.into()) as u16,
        }
    }
}

impl Refinement for Lanes {
    type Concrete = Self;
    type Abstract = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &State) -> State {
        *state
    }

    fn abstract_action(&self, _: &State, (): &(), _: &State) -> Option<()> {
        Some(())
    }
}

fn report(wrong: Wrong, obligations: Selection) -> Report {
    let settings = Settings {
        obligations,
        threads: 2,
        ..Settings::default()
    };
    let lanes = Lanes::new(wrong);
    let checked = Checker::new(&lanes).packed().check(&settings);
    checked.expect("the settings fit")
}

#[test]
fn a_packing_that_loses_something() {
    for (wrong, why, length) in [
        (Wrong::MergedInALane, "far was 299 and is 298", LENGTH - 1),
        (Wrong::MovedInALane, "far was 299 and is 298", LENGTH - 1),
        (
            Wrong::Range,
            "`far` (variable 1) is 300, and its range is 0 to 299",
            LENGTH,
        ),
        (Wrong::Forgotten, "lane was 1 and is 0", 0),
        (
            Wrong::Initially,
            "`lane` (variable 0) is 63, and its range is 0 to 62",
            0,
        ),
        // Nothing is lost as long as the last bit is 0.
        (
            Wrong::Layout,
            "`far` (variable 1) is at 9 bits from bit 6 of word 0 on, and `layout` has 14 bits there",
            256,
        ),
    ] {
        for obligations in [Selection::Default, Selection::Nothing] {
            let report = report(wrong, obligations);
            assert_eq!(
                report.verdict,
                Some(Verdict::Violated),
                "{wrong:?}: {report}"
            );
            let fault = report.counterexample.as_ref().expect("it is shown");
            assert_eq!(fault.obligation, "model");
            assert_eq!(fault.length, usize::from(length), "{wrong:?}: {report}");
            assert!(fault.explanation.contains("cannot be packed"), "{report}");
            assert!(fault.explanation.contains(why), "{wrong:?}: {report}");
        }
    }
    let sound = report(Wrong::Nowhere, Selection::Default);
    assert_eq!(sound.verdict, Some(Verdict::Holds), "{sound}");
    assert_eq!(sound.states, u64::from(LANES) * u64::from(LENGTH + 1));
}
