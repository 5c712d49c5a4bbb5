//! **refmap** checks refinement in the style of Abadi and Lamport.
//!
//! You state a specification and an implementation as observed transition systems
//! ([`TransitionSystem`]), say how the states of the one map to the states of the other and which
//! step each step simulates ([`Refinement`]), and [`check`] discharges the obligations that make
//! the mapping a refinement mapping. The outcome is a [`Report`]: which obligations hold, how often
//! each was tested, what was never exercised, and for each that fails a shortest counterexample.
//!
//! | to | use |
//! |---|---|
//! | state a system and what it refines | [`TransitionSystem`], [`Refinement`], [`Invariant`]; [`guard`] names a conjunct of a rule's guard |
//! | check it | [`check`], [`Settings`]; [`obligation`] lists what has to hold |
//! | read the outcome | [`Report`], [`report::Counterexample`] |
//! | bound a search | [`Constraint`], [`explore::Limits`]; [`random::Walks`] go beyond the bounds |
//! | keep states in a few bits, name each rule once | [`derive(State)`](macro@State), [`derive(Action)`](macro@Action) |
//! | ask for every number of processes | [`crowd`] |
//! | identify states that differ by which member is which, or by how far counters have come | `#[state(symmetric)]` ([`State`](macro@State)), [`Counter`]; [`obligation::Symmetry`] |
//! | decide induction | [`TypeCorrect`]; [`obligation::Checker`] |
//! | refine in two stages, add an auxiliary variable | [`compose`], [`auxiliary`] |
//! | test a model by itself | [`disagreement`], [`round_trip`], [`asymmetry`], [`replay`] |
//!
//! A counter modulo 4 refines one modulo 2, of which the parity is seen:
//!
//! ```
//! use refmap::AbstractSteps::{self, One};
//! use refmap::{Action, Refinement, Settings, TransitionSystem, Verdict, check};
//!
//! struct Counter(u8);
//! #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
//! enum Step { Increment }
//! impl TransitionSystem for Counter {
//!     type State = u8;
//!     type Action = Step;
//!     type Observation = bool;
//!     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0) }
//!     fn fire(&self, _: &Step, n: &mut u8) -> Option<()> {
//!         *n = (*n + 1) % self.0;
//!         Some(())
//!     }
//!     fn observe(&self, n: &u8) -> bool { n % 2 == 0 }
//! }
//!
//! struct FourRefinesTwo;
//! impl Refinement for FourRefinesTwo {
//!     type Implementation = Counter;
//!     type Specification = Counter;
//!     fn implementation(&self) -> &Counter { &Counter(4) }
//!     fn specification(&self) -> &Counter { &Counter(2) }
//!     fn map(&self, n: &u8) -> u8 { n % 2 }
//!     fn abstract_steps(&self, _: &u8, _: &Step, _: &u8) -> AbstractSteps<Step> { One(Step::Increment) }
//! }
//!
//! let report = check(&FourRefinesTwo, &Settings::default())?;
//! assert_eq!(report.verdict, Some(Verdict::Holds));
//! assert_eq!(report.states, 4);
//! # Ok::<(), refmap::obligation::CheckError>(())
//! ```
//!
//! The book in the repository, `examples/book`, begins with a project of your own, and has a page for each obligation.
//!
//! The theory is that of Havelund and Shankar, *A Refinement Proof for a Garbage Collector*,
//! section 3, which in turn follows Abadi and Lamport, *The Existence of Refinement Mappings*.
//!
//! This crate knows no algorithm, and it neither prints nor exits.

// What features share is used by none of them alone. With all of them nothing is unused.
#![cfg_attr(
    not(all(feature = "any-number", feature = "disk", feature = "inclusion")),
    allow(dead_code, unused_imports)
)]

// What is derived names this crate by its name, here too.
extern crate self as refmap;

pub mod obligation;
pub mod report;
pub mod state;
mod statement;
mod view;
mod walk;

#[cfg(feature = "any-number")]
pub use obligation::check_any_number;
pub use obligation::{Search, Settings, asymmetry, check};
pub use refmap_derive::{Action, State};
pub use report::{Evidence, Report, Verdict};
pub use state::{BoundedVec, Counter, Distance, IndexSet, PackingError, State};
pub use statement::abstract_steps::AbstractSteps;
pub use statement::action::Action;
pub use statement::asked::disagreement::{Disagreement, disagreement};
pub use statement::asked::type_correct::{Choices, TypeCorrect, type_correct_states};
pub use statement::compose::{Composed, compose};
pub use statement::constraint::Constraint;
pub use statement::drawing;
pub use statement::erased::Caveats;
pub use statement::fairness::{Fairness, Strength};
pub use statement::guard::guard;
pub use statement::invariant::Invariant;
pub use statement::property::Property;
pub use statement::refinement::{Refinement, Waiver};
pub use statement::round_trip::round_trip;
pub use statement::rule::{Process, Rule, RuleId};
pub use statement::system::{
    ActionOf, ObservationOf, StateOf, TransitionSystem, draw_by_rows, fire_by_next, steps,
    successor,
};
pub use statement::trace::{ReplayError, Trace, replay};
pub use view::auxiliary;
#[cfg(feature = "any-number")]
pub use view::crowd;
#[cfg(feature = "inclusion")]
pub use view::inclusion;
pub use walk::explore::{Asymmetry, Exchange};
pub use walk::random;

/// The search of a check: its bounds, what is told of it while it is under way, and what it writes to disk.
///
/// It is breadth-first, exact, and the same for any number of threads. A state is kept once, as it is or packed, and beside it a
/// few bytes by which it is found again. Nothing is kept of how it was reached, since that can be found out when it is asked for.
pub mod explore {
    pub use crate::walk::explore::{
        Checkpoints, Limit, Limits, Progress, Spilling, Start, StatesKept, Storage, Watch, Watchdog,
    };
}

/// Items that the other crates of this workspace share with this one; no part of its interface.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "any-number")]
    pub use crate::obligation::check_by_views;
    pub use crate::obligation::check_erased;
    pub use crate::report::itf::{STEP_VARIABLES, UNIT, fields};
    pub use crate::report::layout::{Colour, Ink, plain, wrap};
    pub use crate::report::outline;
    pub use crate::report::story::{comes_near, misfit};
    pub use crate::report::summary;
    pub use crate::report::text::{Detail, TextOptions};
    pub use crate::state::gaps::normalise;
    pub use crate::state::limits::LimitsFault;
    pub use crate::statement::asked::calls::{calling, calls_back, on_state, watched_as_here};
    pub use crate::statement::asked::disagreement::misfiled;
    pub use crate::statement::asked::model_call::{break_off, catch, first_visited, until_enough};
    pub use crate::statement::asked::visit::{some_steps, visit_initial, visit_steps};
    pub use crate::statement::erased::without_types;
    pub use crate::statement::shown::difference::changes;
    pub use crate::statement::shown::json::json;
    pub use crate::statement::shown::nearest::nearest;
    pub use crate::statement::shown::number::{counted, grouped, numbered};
    pub use crate::statement::shown::value::{compact, parts};
    pub use crate::statement::shown::visible::{is_unseen, visible, visible_lines};
    pub use crate::statement::system::first_initial;
    #[cfg(feature = "any-number")]
    pub use crate::view::crowd::{chosen::Named, fault::CrowdFault, instance::CrowdState};
    pub use crate::view::symmetry::Quotient;
    pub use crate::walk::bits::Bits;
    pub use crate::walk::explore::memory::resident_bytes;
    pub use crate::walk::random::generator::mix;
    pub use crate::walk::random::shrink::Cuts;
    pub use crate::walk::random::states::random_state;
    pub use crate::walk::steps::Steps;
    pub use crate::walk::{input, liveness};

    /// A walk that is chosen step by step.
    pub mod stepper {
        pub use crate::obligation::stepper::{
            Finding, Followed, MOST_OFFERED, Offered, StepError, Stepper,
        };
    }

    /// The engine that walks state spaces, and the graph that it leaves.
    pub mod explore {
        pub use crate::walk::explore::{
            Clock, DiskError, End, Explored, Graph, Lifting, NodeId, OfPeers, Options, Panic,
            Peers, PeersError, Phase, Place, Quotienting, Record, StateId, Unrepeatable,
            Unreturned, Visitor, Work, explore,
        };
    }

    /// Graphs that are compared without their types, and the parts of what is found.
    #[cfg(feature = "inclusion")]
    pub mod inclusion {
        pub use crate::view::inclusion::compare::check_graphs;
        pub use crate::view::inclusion::edge::StepLabel;
        pub use crate::view::inclusion::explicit::{
            GraphError, LabelledGraph, LabelledStep, Labels,
        };
        pub use crate::view::inclusion::inclusion::{
            Bound, Future, MissingStutter, PassedState, Past,
        };
        pub use crate::view::inclusion::table::{Case, Part, Table};
    }
}
