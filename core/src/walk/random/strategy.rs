//! Strategies for states and behaviours, for property tests with `proptest`. Feature `proptest`.
//!
//! ```
//! # use refmap::{TransitionSystem};
//! # #[derive(Clone)]
//! # struct Clock;
//! # impl TransitionSystem for Clock {
//! #     type State = u8;
//! #     type Action = ();
//! #     type Observation = u8;
//! #     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0); }
//! #     fn fire(&self, (): &(), hour: &mut u8) -> Option<()> { *hour = (*hour + 1) % 12; Some(()) }
//! #     fn observe(&self, state: &u8) -> u8 { *state }
//! # }
//! use proptest::test_runner::{TestError, TestRunner};
//! use refmap::random::strategy::{states, traces};
//!
//! let mut runner = TestRunner::default();
//! runner.run(&states(Clock, 100), |hour| Ok(assert!(hour < 12))).expect("it is a clock");
//!
//! // What fails is made shorter as long as it fails.
//! let mut runner = TestRunner::deterministic();
//! let found = runner.run(&traces(Clock, 100), |trace| {
//!     proptest::prop_assert!(trace.states().all(|hour| *hour < 5));
//!     Ok(())
//! });
//! let Err(TestError::Fail(_, trace)) = found else { panic!("a clock strikes five") };
//! assert_eq!(trace.length(), 5);
//! ```

use std::fmt::{self, Debug};
use std::sync::Arc;

use proptest::arbitrary::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::shrink::{Cuts, without};
use super::states::random_state;
use super::{Generator, random_trace};
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;

/// Behaviours of `system` of at most `steps` steps, drawn as those of [`Walks`](super::Walks) are.
/// They shrink to shorter ones, each of which is a behaviour too.
///
/// A value is rejected where the system has no initial state.
pub fn traces<S: TransitionSystem + Send>(system: S, steps: u32) -> Traces<S> {
    Traces {
        system: Arc::new(system),
        steps,
    }
}

/// States of `system` that are reached in at most `steps` random steps. They shrink to states nearer
/// to an initial one.
pub fn states<S: TransitionSystem + Send>(
    system: S,
    steps: u32,
) -> impl Strategy<Value = StateOf<S>> {
    traces(system, steps).prop_map(|trace| trace.last().clone())
}

/// States of `system` that respect the ranges of their variables, reachable or not: see
/// [`random_state`]. They do not shrink.
pub fn type_correct<S: TransitionSystem + Send>(system: S) -> impl Strategy<Value = StateOf<S>> {
    any::<u64>()
        .no_shrink()
        .prop_map(move |seed| random_state(&system, &mut Generator::new(seed)))
}

/// The strategy that [`traces`] makes.
pub struct Traces<S> {
    system: Arc<S>,
    steps: u32,
}

impl<S> Clone for Traces<S> {
    fn clone(&self) -> Self {
        Self {
            system: Arc::clone(&self.system),
            steps: self.steps,
        }
    }
}

impl<S> Debug for Traces<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Traces of at most {} steps", self.steps)
    }
}

impl<S: TransitionSystem> Strategy for Traces<S> {
    type Tree = TraceTree<S>;
    type Value = Trace<S>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        // The runner's randomness decides all, so that its own seeds reproduce a failure.
        let seed = any::<u64>().new_tree(runner)?.current();
        let mut generator = Generator::new(seed);
        let steps = generator.below(self.steps as usize + 1) as u32;
        let trace = random_trace(&*self.system, &mut generator, steps);
        let trace = trace.ok_or("the system has no initial state")?;
        Ok(TraceTree {
            system: Arc::clone(&self.system),
            cuts: Cuts::new(trace.length()),
            failing: trace.clone(),
            current: trace,
        })
    }
}

/// A behaviour, and what is left to try to make it shorter.
pub struct TraceTree<S: TransitionSystem> {
    system: Arc<S>,
    cuts: Cuts,
    /// The shortest behaviour known to fail, once one is.
    failing: Trace<S>,
    /// The one to be tested.
    current: Trace<S>,
}

impl<S: TransitionSystem> TraceTree<S> {
    /// Goes on to the next behaviour that may fail, if there is one.
    fn advance(&mut self) -> bool {
        let Some(run) = self.cuts.next(self.failing.length()) else {
            return false;
        };
        self.current = without(&*self.system, &self.failing, run);
        true
    }
}

impl<S: TransitionSystem> ValueTree for TraceTree<S> {
    type Value = Trace<S>;

    fn current(&self) -> Trace<S> {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.current.length() < self.failing.length() {
            self.cuts.spared();
            self.failing = self.current.clone();
        }
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        let tried = self.current.length() < self.failing.length();
        self.cuts.needed();
        if self.advance() {
            return true;
        }
        self.current = self.failing.clone();
        tried
    }
}
