//! The declaration of a crowd: its parts, and what is claimed of them.

use super::members::Members;
use crate::statement::refinement::Refinement;
use crate::statement::system::{StateOf, TransitionSystem};

/// A system of any number of members that are alike.
///
/// A state is a shared part and a part of each member. What is claimed by implementing this is what makes views enough:
///
/// - members are alike: to exchange two of them changes neither what is initial, nor which steps there are, nor which obligations fail;
/// - a step changes the part of one member at most, or, where there are no [kinds](Self::kinds), that of each member by itself, as a request to all of
///   them does;
/// - to leave out a member takes no step from the others, as long as one of the same [kind](Self::kind) stays beside the one that moves, and an
///   initial state stays one: a step may wait for *no* member to be somewhere, and for *some* member to be there only if that is said;
/// - members of one kind are alike to the steps of the others: another one of it in the place of one that does not move takes no step, nor changes which
///   obligations a step fails;
/// - an obligation that fails does so with some few members, [`speaks_of`](Self::speaks_of) many: as long as there are more, one can be left out.
///
/// All of it is tested on the reachable states with few members, what steps need and what obligations speak of also on random walks with up to six, the last one besides on
/// states that are put together at random from the parts of reachable ones; it is taken at its word for more members. That the parts of a state are all of it is tested of every state that is met.
///
/// A lock whose flag is tested and set at once, of any number of threads:
///
/// ```
/// use refmap::crowd::Crowd;
/// use refmap::{AbstractSteps, Action, Invariant, Refinement, State, TransitionSystem};
/// use refmap::{Settings, Verdict, check_any_number};
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// struct Lock {
///     taken: bool,
///     #[state(symmetric)]
///     inside: Vec<bool>,
/// }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// #[action(system = Threads)]
/// enum Step { Enter(#[process(0..system.0)] usize), Leave(#[process(0..system.0)] usize) }
///
/// struct Threads(usize);
/// impl TransitionSystem for Threads {
///     type State = Lock;
///     type Action = Step;
///     type Observation = ();
///     fn initial(&self, visit: &mut impl FnMut(Lock)) {
///         visit(Lock { taken: false, inside: vec![false; self.0] });
///     }
///     fn fire(&self, step: &Step, lock: &mut Lock) -> Option<()> {
///         let (thread, enters) = match *step {
///             Step::Enter(thread) => (thread, true),
///             Step::Leave(thread) => (thread, false),
///         };
///         (lock.inside[thread] != enters && !(lock.taken && enters)).then_some(())?;
///         lock.inside[thread] = enters;
///         lock.taken = enters;
///         Some(())
///     }
///     fn observe(&self, _: &Lock) {}
/// }
/// impl Refinement for Threads {
///     type Implementation = Self;
///     type Specification = Self;
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
///     fn members(&self) -> &str { "threads" }
///     fn instance(&self, members: usize) -> Threads { Threads(members) }
/// }
///
/// let report = check_any_number(&AnyThreads, &Settings::default())?;
/// assert_eq!(report.verdict, Some(Verdict::Holds));
/// let words = "holds for every number of threads (views of 2)";
/// assert!(report.to_string().contains(words));
/// # Ok::<(), refmap::obligation::CheckError>(())
/// ```
pub trait Crowd: Sync {
    /// The refinement that is checked with a certain number of members. A state of its implementation says what they share, and what each has.
    type Instance: Refinement<Implementation: TransitionSystem<State: Members>>;

    /// Name of the members, in the plural: of the parameter that says how many there are, where a check has one.
    fn members(&self) -> &str;
    /// Bounds that every instance has besides, as the verdict names them: `heap of 3 nodes`. None by default.
    fn bounds(&self) -> String {
        String::new()
    }
    /// The instance with so many members, at least one. All have the same obligations, by their names.
    fn instance(&self, members: usize) -> Self::Instance;
    /// The most members that an instance can have, where something of the model bounds them. Views that need larger instances are not
    /// searched; where there are, instances of up to six members are made, whatever the size of views. No bound by default.
    fn most(&self) -> usize {
        usize::MAX
    }
    /// True if members are in a line, so that a step may tell those before a member from those behind it. Then they need not be alike when they are
    /// exchanged, and views keep their order. Not so by default.
    fn in_line(&self) -> bool {
        false
    }
    /// Number of kinds of members for which steps of others wait. None by default.
    fn kinds(&self) -> u32 {
        0
    }
    /// Kind of a member, below their number: it is one of those for which a step of another may wait, as for *some* thread to have its flag up. None by
    /// default, as of all members that may be left out. Views keep which kinds are among the members that they leave out.
    fn kind(&self, _member: &MemberOf<Self>) -> Option<u32> {
        None
    }
    /// The most members of which an obligation speaks: `invariant:NAME`, `observation`, `initiality`, and of a step, the one that moves included, but not
    /// those for which it waits, `simulation` and `agency`. Of two by default, as mutual exclusion does.
    fn speaks_of(&self, _obligation: &str) -> usize {
        2
    }
}

impl<C: Crowd> Crowd for &C {
    type Instance = C::Instance;

    fn members(&self) -> &str {
        C::members(self)
    }

    fn bounds(&self) -> String {
        C::bounds(self)
    }

    fn instance(&self, members: usize) -> Self::Instance {
        C::instance(self, members)
    }

    fn most(&self) -> usize {
        C::most(self)
    }

    fn in_line(&self) -> bool {
        C::in_line(self)
    }

    fn kinds(&self) -> u32 {
        C::kinds(self)
    }

    fn kind(&self, member: &MemberOf<Self>) -> Option<u32> {
        C::kind(self, member)
    }

    fn speaks_of(&self, obligation: &str) -> usize {
        C::speaks_of(self, obligation)
    }
}

/// Part of a state of a crowd that belongs to one member.
pub type MemberOf<C> =
    <StateOf<<<C as Crowd>::Instance as Refinement>::Implementation> as Members>::Member;
/// The implementation of an instance of a crowd.
pub(super) type SystemOf<C> = <<C as Crowd>::Instance as Refinement>::Implementation;
/// States of it.
pub(super) type CrowdState<C> = StateOf<SystemOf<C>>;
