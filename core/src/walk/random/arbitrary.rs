//! Arbitrary values, for property tests with `quickcheck`. Feature `quickcheck`.
//!
//! ```
//! # use refmap::{TransitionSystem};
//! # #[derive(Clone, Default)]
//! # struct Clock;
//! # impl TransitionSystem for Clock {
//! #     type State = u8;
//! #     type Action = ();
//! #     type Observation = u8;
//! #     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0); }
//! #     fn fire(&self, (): &(), hour: &mut u8) -> Option<()> { *hour = (*hour + 1) % 12; Some(()) }
//! #     fn observe(&self, state: &u8) -> u8 { *state }
//! # }
//! use refmap::Trace;
//! use refmap::random::arbitrary::Any;
//!
//! fn strikes_as_often_as_it_ticks(Any(trace): Any<Trace<Clock>>) -> bool {
//!     usize::from(*trace.last()) == trace.length() % 12
//! }
//! quickcheck::quickcheck(strikes_as_often_as_it_ticks as fn(Any<Trace<Clock>>) -> bool);
//! ```

use quickcheck::{Arbitrary, Gen};

use super::shrink::{Cuts, without};
use super::states::random_state;
use super::{Generator, random_trace};
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::Limits;

/// Any value of a type of this crate.
///
/// Of behaviours: those of the system's default instance, of at most as many steps as the
/// generator's size; they shrink to shorter ones, each of which is a behaviour too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Any<T>(pub T);

/// Names are constants of a model's text, so there is no more than a choice of them.
const NAMES: [&str; 5] = ["collector", "memory", "mutator", "system", "user"];

pub(crate) fn pick<T: Copy>(source: &mut Gen, choices: &[T]) -> T {
    *source
        .choose(choices)
        .expect("there is something to choose from")
}

impl Arbitrary for Any<Process> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(Process {
            name: pick(source, &NAMES),
            number: Option::arbitrary(source),
        })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let name = self.0.name;
        let numbers = self.0.number.shrink();
        Box::new(numbers.map(move |number| Self(Process { name, number })))
    }
}

impl Arbitrary for Any<Rule> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(Rule {
            name: String::arbitrary(source).into(),
            process: pick(source, &NAMES),
            source: String::arbitrary(source).into(),
        })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let process = self.0.process;
        let texts = (self.0.name.to_string(), self.0.source.to_string()).shrink();
        Box::new(texts.map(move |(name, source)| {
            Self(Rule {
                name: name.into(),
                process,
                source: source.into(),
            })
        }))
    }
}

impl Arbitrary for Any<RuleId> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(RuleId(usize::arbitrary(source)))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.0.shrink().map(|index| Self(RuleId(index))))
    }
}

impl Arbitrary for Any<Limits> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(Limits {
            states: Option::arbitrary(source),
            depth: Option::arbitrary(source),
            seconds: Option::<u16>::arbitrary(source).map(f64::from),
            memory_bytes: Option::arbitrary(source),
            since: None,
        })
    }
}

/// A state of the default instance of `S` that respects the ranges of its variables, reachable or not: see
/// [`random_state`]. It does not shrink.
#[derive(Clone, Debug)]
pub struct TypeCorrectState<S: TransitionSystem>(pub StateOf<S>);

impl<S: TransitionSystem + Default + Clone + 'static> Arbitrary for TypeCorrectState<S> {
    fn arbitrary(source: &mut Gen) -> Self {
        let mut generator = Generator::new(u64::arbitrary(source));
        Self(random_state(&S::default(), &mut generator))
    }
}

impl<S: TransitionSystem + Default + 'static> Arbitrary for Any<Trace<S>> {
    fn arbitrary(source: &mut Gen) -> Self {
        let system = S::default();
        let mut generator = Generator::new(u64::arbitrary(source));
        let steps = generator.below(source.size() + 1) as u32;
        let trace = random_trace(&system, &mut generator, steps);
        Self(trace.expect("a system with behaviours has an initial state"))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let system = S::default();
        let trace = self.0.clone();
        let mut cuts = Cuts::new(trace.length());
        Box::new(std::iter::from_fn(move || {
            let run = cuts.next(trace.length())?;
            cuts.needed();
            Some(Self(without(&system, &trace, run)))
        }))
    }
}
