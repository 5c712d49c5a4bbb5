//! Crowds, as they are stated.

use std::fmt::Debug;
use std::hash::Hash;

use serde_json::Value;

use super::instance::{Instance, StateOfCrowd, fields};
use super::others::Others;
use crate::state::State;
use crate::statement::action::Action;
use crate::statement::drawing::Drawing;
use crate::statement::erased::Caveats;
use crate::statement::shown::json::json;
use crate::statement::shown::number::one_of;

/// A system of any number of members that are alike: a shared part, a part of each member, and steps that a member takes, or none.
///
/// A step sees the shared part, the part of the member that takes it, and of the [others](Others) what is asked of them, one at a time. So there is nothing to
/// declare: [instances](Instance) of so many members are systems, with members that can be exchanged, and what views of few members show is so of every number of them.
///
/// A lock whose flag is tested and set at once, of any number of threads, refines one whose members know that nobody is inside:
///
/// ```
/// use refmap::crowd::{Crowd, CrowdInvariant, CrowdRefinement, Moment, Others};
/// use refmap::{AbstractSteps, Action, Settings, State, Verdict, check, check_any_number, guard};
///
/// #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State)]
/// enum Thread { Outside, Inside }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// #[rule(process = "thread")]
/// enum Step { Enter, Leave }
///
/// #[derive(Clone)]
/// struct TestAndSet;
/// impl Crowd for TestAndSet {
///     type Shared = bool;
///     type Member = Thread;
///     type Action = Step;
///     type Observation = bool;
///     fn members(&self) -> &str { "threads" }
///     fn initial(&self, visit: &mut impl FnMut(bool, &[Thread])) {
///         visit(false, &[Thread::Outside]);
///     }
///     fn fire(&self, step: &Step, taken: &mut bool, me: &mut Thread, _: &mut Others<'_, Thread>) -> Option<()> {
///         match step {
///             Step::Enter => {
///                 guard("it is outside, and the flag is down", *me == Thread::Outside && !*taken)?;
///                 (*taken, *me) = (true, Thread::Inside);
///             }
///             Step::Leave => {
///                 guard("it is inside", *me == Thread::Inside)?;
///                 (*taken, *me) = (false, Thread::Outside);
///             }
///         }
///         Some(())
///     }
///     fn observe_member(&self, _: &bool, thread: &Thread) -> Option<bool> {
///         Some(*thread == Thread::Inside)
///     }
/// }
///
/// /// Mutual exclusion: a thread enters where nobody is inside.
/// #[derive(Clone)]
/// struct Exclusion;
/// impl Crowd for Exclusion {
///     type Shared = ();
///     type Member = Thread;
///     type Action = Step;
///     type Observation = bool;
///     fn members(&self) -> &str { "threads" }
///     fn initial(&self, visit: &mut impl FnMut((), &[Thread])) {
///         visit((), &[Thread::Outside]);
///     }
///     fn fire(&self, step: &Step, _: &mut (), me: &mut Thread, others: &mut Others<'_, Thread>) -> Option<()> {
///         match step {
///             Step::Enter => {
///                 others.none(|it| *it == Thread::Inside)?;
///                 *me = Thread::Inside;
///             }
///             Step::Leave => *me = Thread::Outside,
///         }
///         Some(())
///     }
///     fn observe_member(&self, _: &(), thread: &Thread) -> Option<bool> {
///         Some(*thread == Thread::Inside)
///     }
/// }
///
/// #[derive(Clone)]
/// struct Refines;
/// impl CrowdRefinement for Refines {
///     type Implementation = TestAndSet;
///     type Specification = Exclusion;
///     fn implementation(&self) -> TestAndSet { TestAndSet }
///     fn specification(&self) -> Exclusion { Exclusion }
///     fn map(&self, _: &bool) {}
///     fn map_member(&self, _: &bool, thread: &Thread) -> Thread { thread.clone() }
///     fn abstract_steps(&self, _: Moment<'_, TestAndSet>, step: &Step, _: Moment<'_, TestAndSet>) -> AbstractSteps<Step> {
///         AbstractSteps::One(step.clone())
///     }
///     fn invariants(&self) -> Vec<CrowdInvariant<TestAndSet>> {
///         let alone = |_: &bool, [one, other]: [&Thread; 2]| *one == Thread::Outside || *other == Thread::Outside;
///         vec![CrowdInvariant::of_members("one_is_inside", "mutual exclusion", alone)]
///     }
/// }
///
/// let report = check_any_number(&Refines, &Settings::default())?;
/// assert_eq!(report.verdict, Some(Verdict::Holds));
/// let words = "holds for every number of threads (views of 2)";
/// assert!(report.to_string().contains(words), "{report}");
/// // Its instances are systems as others are.
/// let report = check(&Refines.of(3), &Settings::default())?;
/// assert_eq!((report.verdict, report.states), (Some(Verdict::Holds), 4));
/// # Ok::<(), refmap::obligation::CheckError>(())
/// ```
pub trait Crowd: Clone + Send + Sync + 'static {
    /// The part of a state that belongs to no member. It may keep the [names](super::Chosen) of some.
    type Shared: State<Self>;
    /// The part of a state that belongs to one member. It holds no name of a member.
    type Member: State<Self> + Ord;
    /// The label of a step beside the member that takes it: the rule that fired, with its other arguments.
    type Action: Action<Self>;
    /// Type of what can be observed of the shared part, and of a member.
    type Observation: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// True if members stand in a line, so that a step may tell those before a member from those behind it. Views keep their order, and then they are not exchanged.
    const IN_LINE: bool = false;

    /// Name of the members, in the plural: of the field that shows them, and of the parameter that says how many there are, where a check has one.
    fn members(&self) -> &str;

    /// Bounds that every instance has besides, as a verdict names them: `heap of 3 nodes`. None by default.
    fn bounds(&self) -> String {
        String::new()
    }

    /// Visits the initial shared parts, each with the parts that members may have beside it: each member has one of these.
    fn initial(&self, visit: &mut impl FnMut(Self::Shared, &[Self::Member]));

    /// Guard, then effect, of a step that a member takes. None if it is not enabled; what has changed by then is put back.
    fn fire(
        &self,
        action: &Self::Action,
        shared: &mut Self::Shared,
        me: &mut Self::Member,
        others: &mut Others<'_, Self::Member>,
    ) -> Option<()>;

    /// The same of a step that no member takes; the others are all. None, by default.
    fn act(
        &self,
        _action: &Self::Action,
        _shared: &mut Self::Shared,
        _others: &mut Others<'_, Self::Member>,
    ) -> Option<()> {
        None
    }

    /// Observation of the shared part. Of it nothing is observed, by default.
    fn observe(&self, _shared: &Self::Shared) -> Option<Self::Observation> {
        None
    }

    /// Observation of a member, beside the shared part. Of members nothing is observed, by default.
    fn observe_member(
        &self,
        _shared: &Self::Shared,
        _member: &Self::Member,
    ) -> Option<Self::Observation> {
        None
    }

    /// Visits the actions that a member tries, each once, or that no member does. By default those whose arguments are in the ranges of their fields.
    ///
    /// # Panics
    ///
    /// By default, if a field of an action has no range.
    fn candidates(
        &self,
        _shared: &Self::Shared,
        _me: Option<&Self::Member>,
        visit: &mut impl FnMut(Self::Action),
    ) {
        if let Some(field) = Self::Action::WITHOUT_RANGE {
            crate::statement::system::without_range(field);
        }
        Self::Action::candidates(self, visit);
    }

    /// True if a member may be without a step: a thread that has ended. An instance may stop where all of its members may. Never, by default.
    fn may_stop(&self, _shared: &Self::Shared, _member: &Self::Member) -> bool {
        false
    }

    /// Facts that are seldom to be said, as [those of a system](crate::TransitionSystem::caveats). None, by default.
    fn caveats(&self) -> Caveats<'_, StateOfCrowd<Self>> {
        Caveats::default()
    }

    /// A state of an instance as reports show it. By default the fields of the shared part, and the members under their name.
    fn show(&self, state: &StateOfCrowd<Self>) -> Value {
        Value::Object(fields(state, self.members()))
    }

    /// Drawing of a state of an instance. By default a picture alone, [by rows](crate::draw_by_rows).
    fn draw(&self, state: &StateOfCrowd<Self>) -> Option<Drawing> {
        let members: Vec<_> = state.members.iter().map(json).collect();
        Some(Drawing::of_members(
            &json(&state.shared),
            Self::Shared::DRAWN,
            one_of(self.members()),
            &members,
            Self::Member::DRAWN,
        ))
    }

    /// The instance with so many members.
    fn of(&self, members: usize) -> Instance<Self> {
        Instance::new(self.clone(), members)
    }
}
