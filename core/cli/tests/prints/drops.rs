//! A model whose values panic when they are dropped.

use std::sync::atomic::{AtomicU32, Ordering};

use refmap::obligation::Checker;
use refmap::{Action, State, TransitionSystem};
use refmap_cli::catalogue::Check;
use refmap_cli::clap;
use refmap_testing::Itself;
use serde::Serialize;

/// Number of the values dropped so far.
static DROPPED: AtomicU32 = AtomicU32::new(0);

/// The one that panics, counted from 1; none if it is 0.
static PANICS: AtomicU32 = AtomicU32::new(0);

/// Value that notes when it is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Noted(u8);

impl Drop for Noted {
    fn drop(&mut self) {
        let number = DROPPED.fetch_add(1, Ordering::SeqCst) + 1;
        assert_ne!(
            number,
            PANICS.load(Ordering::SeqCst),
            "value {number} is dropped"
        );
    }
}

impl<S: ?Sized> State<S> for Noted {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Step {
    Increment(Noted),
}

/// Counts in a circle. The system itself is dropped, too.
struct Counter(Noted);

impl TransitionSystem for Counter {
    type State = Noted;
    type Action = Step;
    type Observation = Noted;

    fn initial(&self, visit: &mut impl FnMut(Noted)) {
        visit(Noted(0));
    }

    fn candidates(&self, from: &Noted, visit: &mut impl FnMut(Step)) {
        visit(Step::Increment(Noted((from.0 + 1) % self.0.0)));
    }

    fn fire(&self, Step::Increment(next): &Step, state: &mut Noted) -> Option<()> {
        (next.0 == (state.0 + 1) % self.0.0).then(|| *state = next.clone())
    }

    fn observe(&self, state: &Noted) -> Noted {
        state.clone()
    }
}

#[derive(Clone, clap::Args)]
struct Panics {
    /// Number of the value that panics when it is dropped; none if it is 0
    #[arg(long, default_value_t = 0)]
    panics: u32,
}

/// The check of a circle of three states.
pub fn check() -> Check {
    Check::new("drops", "", "", |arguments: &Panics| {
        PANICS.store(arguments.panics, Ordering::SeqCst);
        Ok(Box::new(Checker::owning(Itself(Counter(Noted(3))))))
    })
}

/// Number of the values that were dropped.
pub fn dropped() -> u32 {
    DROPPED.load(Ordering::SeqCst)
}
