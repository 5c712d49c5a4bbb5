//! Systems that contradict themselves: asked again, they are found out, and nothing is claimed.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use refmap::inclusion::{Comparison, Included, Inclusion};
use refmap::obligation::{Checkable, Checker};
use refmap::{Action, Constraint, State, TransitionSystem};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::itself;
use serde::Serialize;

use super::observed::compared;

/// Function of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Initial,
    Next,
    Observe,
    Fire,
}

/// A system of which a function answers otherwise from one call on.
struct Fickle {
    system: Explicit,
    function: Function,
    /// Number of calls that are answered rightly.
    rightly: u32,
    calls: AtomicU32,
}

impl Fickle {
    fn new(function: Function, rightly: u32) -> Self {
        Self {
            system: line(),
            function,
            rightly,
            calls: AtomicU32::new(0),
        }
    }

    /// True if this call of a function is to be answered wrongly.
    fn is_wrong(&self, function: Function) -> bool {
        function == self.function && self.calls.fetch_add(1, Ordering::Relaxed) >= self.rightly
    }
}

/// Three states, each of which shows itself, and two rules.
fn line() -> Explicit {
    let rules = [("step", "one"), ("jump", "one")];
    Explicit::new(&rules, &[(0, "step", 1), (0, "jump", 2), (1, "step", 2)])
}

impl AsRef<Explicit> for Fickle {
    fn as_ref(&self) -> &Explicit {
        &self.system
    }
}

impl TransitionSystem for Fickle {
    type State = u8;
    type Action = Edge;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(u8::from(self.is_wrong(Function::Initial)));
    }

    fn fire(&self, action: &Edge, state: &mut u8) -> Option<()> {
        (!self.is_wrong(Function::Fire)).then_some(())?;
        self.system.fire(action, state)
    }

    fn next(&self, from: &u8, visit: &mut impl FnMut(Edge, &u8)) {
        if !self.is_wrong(Function::Next) {
            self.system.next(from, visit);
        }
    }

    fn observe(&self, state: &u8) -> u8 {
        state + 3 * u8::from(self.is_wrong(Function::Observe))
    }
}

/// Asserts that nothing is claimed, for a reason that has some words.
fn assert_contradiction(inclusion: &Inclusion, words: &str) {
    assert_eq!(inclusion.verdict, Included::Incomplete, "{inclusion}");
    assert_eq!((inclusion.rung, &inclusion.evidence), (None, &None));
    let unclaimed = inclusion.unclaimed.as_deref().unwrap_or_default();
    let told = format!("the model contradicts itself: {words}");
    assert!(unclaimed.contains(&told), "{words}: {inclusion}");
}

/// Each of the three states is asked for its steps once, and the rest of the calls are those that ask again.
#[test]
fn a_function_that_answers_otherwise_when_it_is_asked_again_claims_nothing() {
    for (function, name, once) in [
        (Function::Initial, "initial", 1),
        (Function::Next, "next", 3),
        (Function::Observe, "observe", 3),
    ] {
        // As soon as the comparison has its answers, and some calls later, where the state is asked about for the second time.
        for rightly in once..once + 2 {
            if function == Function::Initial && rightly > once {
                // It is asked for initial states once more, and no third time.
                continue;
            }
            let fickle = || Fickle::new(function, rightly);
            let of_implementation = compared(&fickle(), &line());
            let told =
                format!("`{name}` of the implementation is not a function of what it is given");
            assert_contradiction(&of_implementation, &told);
            let of_specification = compared(&line(), &fickle());
            let told =
                format!("`{name}` of the specification is not a function of what it is given");
            assert_contradiction(&of_specification, &told);
        }
        let steady = Fickle::new(function, u32::MAX);
        let inclusion = compared(&steady, &line());
        assert_eq!(inclusion.verdict, Included::Included, "{inclusion}");
        assert_eq!(inclusion.unclaimed, None);
    }
}

/// Each of the three states is asked about once, and is no longer within the constraint when it is asked about again, twice.
#[test]
fn a_constraint_that_lets_go_of_states_claims_nothing() {
    for (rightly, is_included) in [(3, false), (u32::MAX, true)] {
        let calls = AtomicU32::new(0);
        let constraint = move |_: &u8| calls.fetch_add(1, Ordering::Relaxed) < rightly;
        let mut within = itself(line());
        within.constraint = Some(Constraint::new("a test", constraint));
        let inclusion = Checker::new(&within).include(&Comparison::default());
        let inclusion = inclusion.expect("nothing panics");
        if is_included {
            assert_eq!(inclusion.verdict, Included::Included, "{inclusion}");
        } else {
            assert_contradiction(&inclusion, "the constraint is not a function");
        }
    }
}

/// `fire` disagrees with `next`, which is overridden.
#[test]
fn an_overridden_function_that_is_wrong_claims_nothing() {
    let wrong = || Fickle::new(Function::Fire, 0);
    let inclusion = compared(&wrong(), &line());
    assert_contradiction(
        &inclusion,
        "of the implementation, fire disagrees with next",
    );
    let inclusion = compared(&line(), &wrong());
    assert_contradiction(&inclusion, "of the specification, fire disagrees with next");
}

/// A state of which `Eq` leaves a part out.
#[derive(Clone, Debug, Serialize)]
pub struct Loose {
    told: u8,
    untold: u8,
}

impl PartialEq for Loose {
    fn eq(&self, other: &Self) -> bool {
        self.told == other.told
    }
}

impl Eq for Loose {}

impl Hash for Loose {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.told.hash(hasher);
    }
}

impl<S: ?Sized> State<S> for Loose {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
pub enum Go {
    Once,
    Twice,
}

/// Goes from 0 to 1, and remembers by which way, if there are two.
pub struct Ways(pub u8);

impl TransitionSystem for Ways {
    type State = Loose;
    type Action = Go;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(Loose)) {
        visit(Loose { told: 0, untold: 0 });
    }

    fn fire(&self, go: &Go, state: &mut Loose) -> Option<()> {
        (state.told == 0).then_some(())?;
        let untold = match go {
            Go::Once => 1,
            Go::Twice => self.0,
        };
        *state = Loose { told: 1, untold };
        Some(())
    }

    fn observe(&self, state: &Loose) -> u8 {
        state.told
    }
}

/// Two states that are equal, and are not the same.
#[test]
fn equal_states_that_differ_claim_nothing() {
    let inclusion = compared(&Ways(2), &Ways(1));
    let told =
        "two equal states of the implementation differ: untold is 1 in one and 2 in the other";
    assert_contradiction(&inclusion, told);
    let inclusion = compared(&Ways(1), &Ways(2));
    assert_contradiction(&inclusion, "two equal states of the specification differ");
    let inclusion = compared(&Ways(1), &Ways(1));
    assert_eq!(inclusion.verdict, Included::Included, "{inclusion}");
}
