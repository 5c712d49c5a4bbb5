//! The declaration of a crowd, and what is claimed by it.

use super::members::Members;
use super::parts::CrowdParts;
use crate::refinement::Refinement;
use crate::system::{StateOf, TransitionSystem};

/// The implementation of an instance of a crowd.
pub(super) type SystemOf<C> = <<C as Crowd>::Instance as Refinement>::Concrete;
/// States of it.
pub(super) type CrowdState<C> = StateOf<SystemOf<C>>;

/// A system of any number of members that are alike.
///
/// A state is a shared part and a part of each member. What is claimed by implementing this is what makes views enough:
///
/// - members are alike: to exchange two of them changes neither what is initial, nor which steps there are, nor which invariants hold;
/// - a step changes the part of one member at most;
/// - to leave out a member takes no step from the others, and an initial state stays one: a step may wait for *no* member to be somewhere, and not
///   for *some* member to be;
/// - an invariant that is false is false of the shared part with some few members, [`speaks_of`](Self::speaks_of) many.
///
/// [`any_number`](super::any_number) tests all of it on the reachable states with few members, and takes it at its word for more. That the parts of a state
/// are all of it is tested of every state that it meets.
///
/// A lock whose flag is tested and set at once, of any number of threads:
///
/// ```
/// use refmap::crowd::{Crowd, CrowdAnswer, any_number};
/// use refmap::explore::{Limits, Watch};
/// use refmap::{AbstractSteps, Action, Invariant, Refinement, State, TransitionSystem};
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// struct Lock {
///     taken: bool,
///     #[state(symmetric)]
///     inside: Vec<bool>,
/// }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// enum Step { Enter(#[process] usize), Leave(#[process] usize) }
///
/// struct Threads(usize);
/// impl TransitionSystem for Threads {
///     type State = Lock;
///     type Action = Step;
///     type Observation = ();
///     fn initial(&self, visit: &mut impl FnMut(Lock)) {
///         visit(Lock { taken: false, inside: vec![false; self.0] });
///     }
///     fn next(&self, lock: &Lock, visit: &mut impl FnMut(Step, Lock)) {
///         for thread in 0..self.0 {
///             let mut to = lock.clone();
///             to.inside[thread] = !lock.inside[thread];
///             to.taken = to.inside[thread];
///             if lock.inside[thread] {
///                 visit(Step::Leave(thread), to);
///             } else if !lock.taken {
///                 visit(Step::Enter(thread), to);
///             }
///         }
///     }
///     fn observe(&self, _: &Lock) {}
/// }
/// impl Refinement for Threads {
///     type Concrete = Self;
///     type Abstract = Self;
///     fn implementation(&self) -> &Self { self }
///     fn specification(&self) -> &Self { self }
///     fn map(&self, lock: &Lock) -> Lock { lock.clone() }
///     fn abstract_steps(&self, _: &Lock, step: &Step, _: &Lock) -> AbstractSteps<Step> {
///         AbstractSteps::One(step.clone())
///     }
///     fn invariants(&self) -> Vec<Invariant<Self>> {
///         let alone = |lock: &Lock| lock.inside.iter().filter(|inside| **inside).count() < 2;
///         vec![Invariant::new("one_is_inside", "mutual exclusion", alone)]
///     }
/// }
///
/// struct AnyThreads;
/// impl Crowd for AnyThreads {
///     type Instance = Threads;
///     fn instance(&self, members: usize) -> Threads { Threads(members) }
/// }
///
/// let found = any_number(&AnyThreads, 2, &Limits::default(), &Watch::default())?;
/// assert_eq!(found.answer, CrowdAnswer::Holds);
/// assert_eq!((found.views, found.tested.members), (3, 3));
/// # Ok::<(), refmap::crowd::CrowdFault<bool, bool>>(())
/// ```
pub trait Crowd: Sync {
    /// The refinement that is checked with a certain number of members. A state of its implementation says what they share, and what each has.
    type Instance: Refinement<Concrete: TransitionSystem<State: Members>>;

    /// The instance with so many members, at least one. All have the same invariants, by their names.
    fn instance(&self, members: usize) -> Self::Instance;
    /// The most members of which an invariant speaks. Of two by default, as mutual exclusion does.
    fn speaks_of(&self, _invariant: &str) -> usize {
        2
    }
}

/// Parts of a state of a crowd.
pub type PartsOf<C> = CrowdParts<SharedOf<C>, MemberOf<C>>;
/// Part of a state of a crowd that belongs to no member.
pub type SharedOf<C> = <CrowdState<C> as Members>::Shared;
/// Part of a state of a crowd that belongs to one member.
pub type MemberOf<C> = <CrowdState<C> as Members>::Member;
