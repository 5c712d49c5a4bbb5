//! Actions: the labels of steps, and the rules that they are instances of.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;

use crate::rule::{Process, Rule, RuleId};
use crate::state::NameVisitor;

/// The action of a step: the rule that fired, with its arguments.
///
/// Mostly it is an enum of which each variant is a rule, and derived:
///
/// ```
/// use refmap::{Action, Process};
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// #[rule(process = "manager", source = "Gray & Lamport, section 3")]
/// enum Step {
///     RmPrepare { #[process] manager: u8 },
///     #[rule(process = "coordinator", source = "TMCommit")]
///     TmCommit,
/// }
///
/// let step = Step::RmPrepare { manager: 2 };
/// assert_eq!(Step::rules()[step.rule().0].name, "rm_prepare");
/// assert_eq!(step.process(), Some(Process::numbered("manager", 2)));
/// assert_eq!(Step::rules()[Step::TmCommit.rule().0].process, "coordinator");
/// ```
///
/// A system whose rules depend on its instance has actions of any type (`impl Action for Label {}`), and says itself
/// which rules there are: [`rules`](crate::TransitionSystem::rules), [`rule_of`](crate::TransitionSystem::rule_of).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an action",
    note = "derive it with `#[derive(refmap::Action)]`, if each variant is a rule; a system that overrides `rules` and \
            `rule_of` says `impl refmap::Action for … {{}}`"
)]
pub trait Action: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static {
    /// The rules, in the order of their source.
    fn rules() -> &'static [Rule] {
        panic!(
            "the system has to override `rules` and `rule_of`, or `{}` to derive `Action`",
            std::any::type_name::<Self>()
        )
    }

    /// The rule of which this is an instance, as an index into [`rules`](Self::rules).
    fn rule(&self) -> RuleId {
        RuleId(0)
    }

    /// The process that takes the step. None, by default: it is the only one of the kind that its rule names.
    fn process(&self) -> Option<Process> {
        None
    }

    /// Visits its names: the numbers of members, and the counters. It has none, by default.
    fn visit_names(&mut self, _visit: &mut dyn NameVisitor) {}
}

macro_rules! actions {
    ($($type_:ty)*) => {$(
        impl Action for $type_ {}
    )*};
}

actions!(() bool char &'static str String u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<A: Action, B: Action> Action for (A, B) {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.0.visit_names(visit);
        self.1.visit_names(visit);
    }
}

impl<A: Action, B: Action, C: Action> Action for (A, B, C) {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.0.visit_names(visit);
        self.1.visit_names(visit);
        self.2.visit_names(visit);
    }
}

impl<A: Action> Action for Option<A> {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if let Some(action) = self {
            action.visit_names(visit);
        }
    }
}
