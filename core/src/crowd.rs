//! Crowds: systems of any number of members that are alike, and what holds for every number of them.
//!
//! An exhaustive check of two members says nothing of three. View abstraction keeps of each state only its *views*: the shared part with any *k*
//! of the members. A *configuration* of *k* + 1 members is supposed to be reachable if all its views are; its steps are taken by
//! the model itself, and what they lead to is cut to views, until nothing is new. What is true of all these views is true for
//! every number of members, since a step moves one of them, and reads of the others nothing that needs them to be there.
//!
//! Source: Abdulla, Haziza & Holík, *All for the Price of Few (Parameterized Verification through View Abstraction)*, VMCAI 2013, Algorithm 1 with
//! the abstraction of section 4, Theorem 1.
//! Left out: views of fewer members than *k* (systems of so few are searched as they are), contexts of views, and members that know each
//! other by name.

mod fault;
mod tested;
mod views;

use std::fmt::Debug;
use std::hash::Hash;
use std::time::Instant;

pub use self::fault::CrowdFault;
use self::tested::{Small, false_of_some, test};
use self::views::{Configuration, Views};
use crate::explore::{Limit, Limits, Watch};
use crate::invariant::Invariant;
use crate::model_call::{Panic, catch};
use crate::numbered::Numbered;
use crate::refinement::Refinement;
use crate::system::StateOf;
use crate::visit::{visit_initial, visit_steps};

/// The implementation of an instance of a crowd.
type SystemOf<C> = <<C as Crowd>::Instance as Refinement>::Concrete;
/// States of it.
type CrowdState<C> = StateOf<SystemOf<C>>;

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
/// [`any_number`] tests all of it on the reachable states with few members, and takes it at its word for more.
///
/// A lock whose flag is tested and set at once, of any number of threads:
///
/// ```
/// use refmap::crowd::{Crowd, CrowdAnswer, any_number};
/// use refmap::explore::{Limits, Watch};
/// use refmap::{AbstractSteps, Action, Invariant, Refinement, State, TransitionSystem};
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
/// struct Lock { taken: bool, inside: Vec<bool> }
/// impl<S: ?Sized> State<S> for Lock {}
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// enum Step { Enter(usize), Leave(usize) }
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
///     type Shared = bool;
///     type Member = bool;
///     fn instance(&self, members: usize) -> Threads { Threads(members) }
///     fn apart(&self, lock: &Lock) -> (bool, Vec<bool>) { (lock.taken, lock.inside.clone()) }
///     fn assembled(&self, taken: &bool, inside: &[bool]) -> Lock {
///         Lock { taken: *taken, inside: inside.to_vec() }
///     }
/// }
///
/// let found = any_number(&AnyThreads, 2, &Limits::default(), &Watch::default())?;
/// assert_eq!(found.answer, CrowdAnswer::Holds);
/// assert_eq!((found.views, found.tested.members), (3, 3));
/// # Ok::<(), refmap::crowd::CrowdFault<bool, bool>>(())
/// ```
pub trait Crowd: Sync {
    /// The refinement that is checked with a certain number of members.
    type Instance: Refinement;
    /// Part of a state that belongs to no member. It holds no member's number.
    type Shared: Clone + Debug + Eq + Hash;
    /// Part of a state that belongs to one member.
    type Member: Clone + Debug + Eq + Hash;

    /// The instance with so many members, at least one.
    fn instance(&self, members: usize) -> Self::Instance;
    /// The parts of a state.
    fn apart(&self, state: &CrowdState<Self>) -> (Self::Shared, Vec<Self::Member>);
    /// The state of which these are the parts, of the instance with so many members.
    fn assembled(&self, shared: &Self::Shared, members: &[Self::Member]) -> CrowdState<Self>;
    /// The most members of which an invariant speaks. Of two by default, as mutual exclusion does.
    fn speaks_of(&self, _invariant: &str) -> usize {
        2
    }
}

/// CrowdParts of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CrowdParts<Shared, Member> {
    /// The part that belongs to no member.
    pub shared: Shared,
    /// The part of each member.
    pub members: Vec<Member>,
}

/// CrowdParts of a state of a crowd.
pub type PartsOf<C> = CrowdParts<<C as Crowd>::Shared, <C as Crowd>::Member>;
/// Faults of it.
pub type FaultOf<C> = CrowdFault<<C as Crowd>::Shared, <C as Crowd>::Member>;
/// Answers about it.
pub type AnswerOf<C> = CrowdAnswer<<C as Crowd>::Shared, <C as Crowd>::Member>;

/// Outcome of a search of views.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyNumber<Shared, Member> {
    /// Number of members of a view.
    pub size: usize,
    /// Views that were found,
    pub views: u64,
    /// configurations that were made from them,
    pub configurations: u64,
    /// and their steps.
    pub transitions: u64,
    /// Reachable states, with one member more than a view has at most, on which the crowd was tested, and the number of members up to which these
    /// were all.
    pub tested: TestedCrowd,
    /// CrowdAnswer to what was asked.
    pub answer: CrowdAnswer<Shared, Member>,
}

/// Account of the test of a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestedCrowd {
    /// Number of states.
    pub states: u64,
    /// Number of members with which all reachable states were tested.
    pub members: usize,
}

/// CrowdAnswer to the question whether invariants hold for every number of members.
#[derive(Clone, Debug, PartialEq)]
pub enum CrowdAnswer<Shared, Member> {
    /// They do, if the crowd is one: that it is was tested with few members.
    Holds,
    /// An invariant is false of a view. Whether it is one of a reachable state is not known: larger views may tell, and the ordinary search of
    /// an instance does.
    Unknown {
        /// Name of the invariant.
        invariant: String,
        /// The view.
        view: CrowdParts<Shared, Member>,
        /// The configuration a step of which led to it; none if it is initial.
        from: Option<CrowdParts<Shared, Member>>,
    },
    /// An invariant is false with fewer members than a view has.
    FewMembers {
        /// Name of the invariant.
        invariant: String,
        /// The state.
        state: CrowdParts<Shared, Member>,
    },
    /// A function of the model panicked in a configuration.
    Panicked {
        /// The configuration.
        at: CrowdParts<Shared, Member>,
        /// The panic.
        panic: Panic,
    },
    /// A limit came first.
    Limit(Limit),
}

/// Views and parts between two looks at the clock.
const PATIENCE: u64 = 1 << 10;

/// Searches the views of so many members for one of which an invariant is false.
///
/// The limit on states is one on views, and on the states of each instance on which the crowd is tested.
///
/// # Errors
///
/// If the crowd is none, or its invariants speak of more members than a view has.
pub fn any_number<C: Crowd>(
    crowd: &C,
    size: usize,
    limits: &Limits,
    watch: &Watch<'_>,
) -> Result<AnyNumber<C::Shared, C::Member>, FaultOf<C>> {
    let instances: Vec<_> = (1..=size + 1)
        .map(|members| crowd.instance(members))
        .collect();
    if instances
        .iter()
        .any(|instance| instance.constraint().is_some())
    {
        return Err(FaultOf::<C>::Constrained);
    }
    let invariants = instances[size.max(1) - 1].invariants();
    if invariants.is_empty() || size == 0 {
        return Err(FaultOf::<C>::NothingAsked);
    }
    let is_wide = |invariant: &&Invariant<_>| crowd.speaks_of(invariant.name()) > size;
    if let Some(invariant) = invariants.iter().find(is_wide) {
        return Err(FaultOf::<C>::TooWide {
            invariant: invariant.name().to_owned(),
            members: crowd.speaks_of(invariant.name()),
            size,
        });
    }
    let begun = Instant::now();
    let out_of_time = || limits.out_of_time(watch, begun);
    let (tested, small) = test(crowd, &instances, limits, &out_of_time)?;
    let mut search = ViewSearch::new(crowd, instances);
    let answer = match small {
        Small::Holds => search.run(limits, &out_of_time)?,
        Small::Violated { invariant, state } => CrowdAnswer::FewMembers { invariant, state },
        Small::Limit(limit) => CrowdAnswer::Limit(limit),
        Small::Panicked { at, panic } => CrowdAnswer::Panicked { at, panic },
    };
    Ok(AnyNumber {
        size,
        views: search.views.len() as u64,
        configurations: search.configurations,
        transitions: search.transitions,
        tested,
        answer,
    })
}

/// A search of views.
struct ViewSearch<'c, C: Crowd> {
    crowd: &'c C,
    /// The instances with one member, two, and so on, up to one more than a view has;
    instances: Vec<C::Instance>,
    /// their invariants.
    invariants: Vec<Vec<Invariant<SystemOf<C>>>>,
    shared: Numbered<C::Shared>,
    members: Numbered<C::Member>,
    views: Views,
    configurations: u64,
    transitions: u64,
}

impl<'c, C: Crowd> ViewSearch<'c, C> {
    fn new(crowd: &'c C, instances: Vec<C::Instance>) -> Self {
        Self {
            crowd,
            invariants: instances.iter().map(Refinement::invariants).collect(),
            instances,
            shared: Numbered::default(),
            members: Numbered::default(),
            views: Views::default(),
            configurations: 0,
            transitions: 0,
        }
    }

    /// Number of members of a view.
    fn size(&self) -> usize {
        self.instances.len() - 1
    }

    fn run(
        &mut self,
        limits: &Limits,
        out_of_time: &dyn Fn() -> Option<Limit>,
    ) -> Result<AnswerOf<C>, FaultOf<C>> {
        let mut initial = Vec::new();
        let system = self.instances[self.size() - 1].implementation();
        let shown = catch(|| visit_initial(system, &mut |state| initial.push(state)));
        if let Err(panic) = shown {
            return Err(FaultOf::<C>::Panicked(panic));
        }
        for state in initial {
            let (shared, members) = self.crowd.apart(&state);
            let view = self.numbered(shared, members);
            self.views.add(view, None);
        }
        let mut configurations = Vec::new();
        while let Some((number, view)) = self.views.next(&mut configurations) {
            let most = limits.states.unwrap_or(u64::MAX);
            if self.views.len() as u64 > most {
                return Ok(CrowdAnswer::Limit(Limit::States(most)));
            }
            if (number as u64).is_multiple_of(PATIENCE)
                && let Some(limit) = out_of_time()
            {
                return Ok(CrowdAnswer::Limit(limit));
            }
            if let Some(answer) = self.violated(number, &view) {
                return Ok(answer);
            }
            // A state of as many members as a view has is its only view, and one of more is a configuration.
            configurations.push(view);
            for configuration in configurations.drain(..) {
                if let Some(answer) = self.step(&configuration)? {
                    return Ok(answer);
                }
            }
        }
        Ok(CrowdAnswer::Holds)
    }

    fn numbered(&mut self, shared: C::Shared, members: Vec<C::Member>) -> Configuration {
        let members = members.into_iter();
        Configuration::new(
            self.shared.number(shared),
            members.map(|member| self.members.number(member)),
        )
    }

    fn parts(&self, of: &Configuration) -> PartsOf<C> {
        let members = of.members.iter();
        CrowdParts {
            shared: self.shared.values()[of.shared as usize].clone(),
            members: members
                .map(|member| self.members.values()[*member as usize].clone())
                .collect(),
        }
    }

    fn violated(&self, number: usize, view: &Configuration) -> Option<AnswerOf<C>> {
        let parts = self.parts(view);
        let asked = catch(|| false_of_some(self.crowd, &self.invariants, &parts));
        match asked {
            Ok(None) => None,
            Ok(Some(invariant)) => Some(CrowdAnswer::Unknown {
                invariant,
                view: parts,
                from: self.views.origin(number).map(|from| self.parts(from)),
            }),
            Err(panic) => Some(CrowdAnswer::Panicked { at: parts, panic }),
        }
    }

    /// Takes the steps of a configuration, and adds the views of what they lead to.
    fn step(&mut self, configuration: &Configuration) -> Result<Option<AnswerOf<C>>, FaultOf<C>> {
        let parts = self.parts(configuration);
        let system = self.instances[parts.members.len() - 1].implementation();
        let mut targets = Vec::new();
        let taken = catch(|| {
            let state = self.crowd.assembled(&parts.shared, &parts.members);
            visit_steps(system, &state, &mut |_, to| {
                targets.push(self.crowd.apart(&to));
            });
        });
        if let Err(panic) = taken {
            return Ok(Some(CrowdAnswer::Panicked { at: parts, panic }));
        }
        self.configurations += 1;
        for (shared, members) in targets {
            self.transitions += 1;
            if members.len() != parts.members.len() || moved(&parts.members, &members) > 1 {
                let to = CrowdParts { shared, members };
                return Err(FaultOf::<C>::MovesSeveral { from: parts, to });
            }
            let target = self.numbered(shared, members);
            if parts.members.len() == self.size() {
                self.views.add(target, Some(configuration));
            } else {
                for view in target.but_one() {
                    self.views.add(view, Some(configuration));
                }
            }
        }
        Ok(None)
    }
}

/// Number of members whose parts differ.
fn moved<M: PartialEq>(from: &[M], to: &[M]) -> usize {
    from.iter().zip(to).filter(|(from, to)| from != to).count()
}
