//! A model whose values panic when they are dropped: whichever of them does, it is no success.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use refmap::AbstractSteps::{self, One};
use refmap::obligation::Checker;
use refmap::report::TextOptions;
use refmap::{Action, Refinement, State, TransitionSystem};
use refmap_cli::catalogue::{Catalogue, Check};
use refmap_cli::{Status, clap, run};
use serde::Serialize;

/// Number of the values dropped in a run.
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

    fn next(&self, from: &Noted, visit: &mut impl FnMut(Step, Noted)) {
        let next = (from.0 + 1) % self.0.0;
        visit(Step::Increment(Noted(next)), Noted(next));
    }

    fn observe(&self, state: &Noted) -> Noted {
        state.clone()
    }
}

struct Itself(Counter);

impl Refinement for Itself {
    type Concrete = Counter;
    type Abstract = Counter;

    fn implementation(&self) -> &Counter {
        &self.0
    }

    fn specification(&self) -> &Counter {
        &self.0
    }

    fn map(&self, state: &Noted) -> Noted {
        state.clone()
    }

    fn abstract_steps(&self, _: &Noted, action: &Step, _: &Noted) -> AbstractSteps<Step> {
        One(action.clone())
    }
}

#[derive(Clone, clap::Args)]
struct Nothing {}

/// The status of a command while the value of this number panics, and the number of values dropped in all.
fn status(words: &[&str], panics: u32) -> (Option<Status>, u32) {
    let count = Check::new("count", "", "", |_: &Nothing| {
        Ok(Box::new(Checker::owning(Itself(Counter(Noted(3))))))
    });
    let catalogue = Catalogue {
        checks: vec![count],
        ..Catalogue::default()
    };
    PANICS.store(panics, Ordering::SeqCst);
    DROPPED.store(0, Ordering::SeqCst);
    let words = ["refmap"].iter().chain(words).map(Into::into);
    let (cancel, options) = (AtomicBool::new(false), TextOptions::default());
    let output = &mut Vec::new();
    let status = run("refmap", "", &catalogue, words, &cancel, options, output);
    (status.ok(), DROPPED.load(Ordering::SeqCst))
}

/// One test, since all runs count with one number.
#[test]
fn a_panic_in_drop_is_no_success() {
    for words in [
        &["check", "count", "--threads", "1", "--quiet"][..],
        &["check", "count", "--threads", "2", "--quiet"],
        &["include", "count", "--quiet"],
    ] {
        let (success, dropped) = status(words, 0);
        assert_eq!(success, Some(Status::Success), "{words:?}");
        assert!(dropped > 10, "{words:?}: {dropped}");
        let successes: Vec<u32> = (1..=dropped)
            .filter(|number| {
                let (status, dropped) = status(words, *number);
                // A second worker may find nothing to do, and then fewer are dropped.
                status == Some(Status::Success) && dropped >= *number
            })
            .collect();
        assert!(
            successes.is_empty(),
            "{words:?}: {successes:?} of {dropped}"
        );
    }
}
