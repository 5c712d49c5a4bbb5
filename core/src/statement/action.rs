//! Actions: the labels of steps, and the rules that they are instances of.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;

use crate::state::NameVisitor;
use crate::statement::rule::{Process, Rule, RuleId};

/// An action of the system `S`: the rule that fired, with its arguments.
///
/// Mostly it is an enum of which each variant is a rule, and derived. Its *candidates*, the actions that are tried in each state,
/// have every combination of arguments that the ranges of the fields admit:
///
/// ```
/// use refmap::{Action, Process};
///
/// /// An instance, and its parameters.
/// struct Commit { managers: u8 }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// #[action(system = Commit)]
/// #[rule(process = "manager", source = "Gray & Lamport, section 3")]
/// enum Step {
///     RmPrepare { #[process(0..system.managers)] manager: u8 },
///     #[rule(process = "coordinator", source = "TMCommit")]
///     TmCommit,
/// }
///
/// let commit = Commit { managers: 3 };
/// let step = Step::RmPrepare { manager: 2 };
/// let rules = Step::rules(&commit);
/// assert_eq!((&*rules[0].name, rules[0].process), ("rm_prepare", "manager"));
/// assert_eq!((&*rules[1].name, rules[1].process), ("tm_commit", "coordinator"));
/// assert_eq!(step.process(&commit), Process::numbered("manager", 2));
///
/// let mut candidates = Vec::new();
/// Step::candidates(&commit, &mut |step| candidates.push(step));
/// assert_eq!(candidates.len(), 4);
/// assert_eq!(candidates[2], step);
/// ```
///
/// A number, a text, or `()` is an action of the one rule `step`. A report names an action that serialises to null, as `()` does, by its
/// rule. Where the rules depend on the instance, [`rules`](Self::rules) and
/// [`rule`](Self::rule) are written by hand, for that system, and the system overrides
/// [`candidates`](crate::TransitionSystem::candidates).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an action of `{S}`",
    note = "derive it with `#[derive(refmap::Action)]`, if each variant is a rule, for one system with `#[action(system = …)]`; \
            `impl refmap::Action<…> for … {{}}` makes it one of the rule `step`, or of those that it says"
)]
pub trait Action<S: ?Sized>: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static {
    /// The first field without a range, `Variant.field`, or the type, if that derives none: then its candidates are not all visited
    /// by [`candidates`](Self::candidates).
    #[doc(hidden)]
    const WITHOUT_RANGE: Option<&'static str> = Some("the type of the actions");

    /// The rules of a system, in the order of their source: what coverage and reports speak of. By default one that is named `step`.
    fn rules(_system: &S) -> &[Rule] {
        const { &[Rule::new("step", "system", "")] }
    }

    /// The rule of which this is an instance, as an index into [`rules`](Self::rules). By default the first.
    #[inline]
    fn rule(&self, _system: &S) -> RuleId {
        RuleId(0)
    }

    /// The process that takes the step, of the kind that its rule names. By default the only one of that kind.
    fn process(&self, system: &S) -> Process {
        Process::new(Self::rules(system)[self.rule(system).0].process)
    }

    /// The same with each of its *results* (arguments that the system chooses, as the reference that an allocation returns) replaced
    /// by one fixed value, so that two actions with the same inputs become equal. By default all arguments are inputs.
    fn inputs(&self, _system: &S) -> Self {
        self.clone()
    }

    /// Visits its names: the numbers of members, and the counters. It has none, by default.
    fn visit_names(&mut self, _visit: &mut dyn NameVisitor) {}

    /// Visits the actions of which every field has a range, with all values in these: variant by variant, the last field first.
    /// None, by default.
    #[inline(always)]
    fn candidates(_system: &S, _visit: &mut impl FnMut(Self)) {}
}

macro_rules! actions {
    ($($type_:ty)*) => {$(
        impl<S: ?Sized> Action<S> for $type_ {}
    )*};
}

actions!(bool char &'static str String u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// The action of a system that has one.
impl<S: ?Sized> Action<S> for () {
    const WITHOUT_RANGE: Option<&'static str> = None;

    #[inline(always)]
    fn candidates(_system: &S, visit: &mut impl FnMut(Self)) {
        visit(());
    }
}

impl<S: ?Sized, A: Action<S>> Action<S> for Option<A> {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if let Some(action) = self {
            action.visit_names(visit);
        }
    }
}
