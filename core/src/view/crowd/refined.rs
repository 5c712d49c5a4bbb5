//! Refinements of crowds by crowds, and their instances.

use std::borrow::Cow;
use std::sync::Arc;

use super::chosen::{Chosen, Named};
use super::instance::{CrowdState, CrowdStep, Instance, StateOfCrowd};
use super::left_out::LeftOutMembers;
use super::others::AnswerBits;
use super::statement::Crowd;
use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::invariant::Invariant;
use crate::statement::refinement::{Refinement, Waiver};
use crate::statement::rule::Process;

/// Argument that a crowd refines another one, whatever the number of members: each member is mapped for itself, with the shared part beside it, and the
/// abstract steps of a step are taken by the same member.
///
/// Its [instances](Self::of) are refinements, and [`check_any_number`](crate::check_any_number) speaks of all of them.
pub trait CrowdRefinement: Clone + Send + Sync + 'static {
    /// The implementation.
    type Implementation: Crowd;
    /// The specification; it shows exactly what the implementation shows.
    type Specification: Crowd<Observation = <Self::Implementation as Crowd>::Observation>;

    /// The implementation.
    fn implementation(&self) -> Self::Implementation;
    /// The specification.
    fn specification(&self) -> Self::Specification;

    /// The refinement mapping of a shared part.
    fn map(&self, shared: &SharedOf<Self::Implementation>) -> SharedOf<Self::Specification>;
    /// The refinement mapping of a member, beside a shared part.
    fn map_member(
        &self,
        shared: &SharedOf<Self::Implementation>,
        member: &MemberOf<Self::Implementation>,
    ) -> MemberOf<Self::Specification>;

    /// The abstract steps that a step simulates, of the same member.
    fn abstract_steps(
        &self,
        from: Moment<'_, Self::Implementation>,
        action: &<Self::Implementation as Crowd>::Action,
        to: Moment<'_, Self::Implementation>,
    ) -> AbstractSteps<<Self::Specification as Crowd>::Action>;

    /// The implementation invariant, as named conjuncts.
    fn invariants(&self) -> Vec<CrowdInvariant<Self::Implementation>> {
        Vec::new()
    }

    /// Kind of the processes of the specification, one a member, that the implementation may not restrict. None, by default.
    fn environment(&self) -> Option<&'static str> {
        None
    }

    /// True if a member, as a process of the environment, is between two operations. Always, by default.
    fn at_rest(
        &self,
        _shared: &SharedOf<Self::Implementation>,
        _member: &MemberOf<Self::Implementation>,
    ) -> bool {
        true
    }

    /// Rules of the specification that the implementation never simulates, and why that is right.
    fn waivers(&self) -> Vec<Waiver> {
        Vec::new()
    }

    /// The refinement of the instances with so many members.
    fn of(&self, members: usize) -> RefinementOf<Self> {
        RefinementOf {
            implementation: self.implementation().of(members),
            specification: self.specification().of(members),
            environment: self.environment().map_or_else(Vec::new, |kind| {
                let numbers = 0..members as u16;
                numbers
                    .map(|number| Process::numbered(kind, number))
                    .collect()
            }),
            refinement: self.clone(),
        }
    }
}

/// The shared part of a crowd.
pub type SharedOf<C> = <C as Crowd>::Shared;
/// The part of a member of a crowd.
pub type MemberOf<C> = <C as Crowd>::Member;

/// Before a step, or after it: the shared part, and the part of the member that takes the step.
pub struct Moment<'a, C: Crowd> {
    /// The shared part.
    pub shared: &'a C::Shared,
    /// The member, if one takes it.
    pub me: Option<&'a C::Member>,
}

impl<C: Crowd> Clone for Moment<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Crowd> Copy for Moment<'_, C> {}

impl<'a, C: Crowd> Moment<'a, C> {
    fn of(state: &'a StateOfCrowd<C>, member: Option<usize>) -> Self {
        Self {
            shared: &state.shared,
            me: member.map(|member| &state.members[member]),
        }
    }
}

/// A predicate on the shared part and so many members.
type OfMembers<C> = dyn Fn(&SharedOf<C>, &[Named<&MemberOf<C>>]) -> bool + Send + Sync;

/// A named predicate on the shared part and any few members, which says in its type how many.
pub struct CrowdInvariant<C: Crowd> {
    name: Cow<'static, str>,
    source: Cow<'static, str>,
    members: usize,
    premise: Option<Arc<OfMembers<C>>>,
    holds: Arc<OfMembers<C>>,
}

impl<C: Crowd> CrowdInvariant<C> {
    /// An invariant of any `N` members, in any order; in a line, in that of the line. Of none, it is one of the shared part.
    pub fn of_members<const N: usize>(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        holds: impl Fn(&C::Shared, [&C::Member; N]) -> bool + Send + Sync + 'static,
    ) -> Self {
        let holds = move |shared: &_, named: [Named<&_>; N]| holds(shared, parts(&named));
        Self::of_named(name, source, holds)
    }

    /// The same of members with their names, which are compared with those that the shared part keeps.
    pub fn of_named<const N: usize>(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        holds: impl Fn(&C::Shared, [Named<&C::Member>; N]) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            source: source.into(),
            members: N,
            premise: None,
            holds: Arc::new(move |shared, named| {
                holds(shared, named.try_into().expect("there are so many"))
            }),
        }
    }

    /// The same, claimed only of the members that satisfy `premise`.
    ///
    /// # Panics
    ///
    /// If the premise is one of another number of members.
    #[must_use]
    pub fn when<const N: usize>(
        mut self,
        premise: impl Fn(&C::Shared, [&C::Member; N]) -> bool + Send + Sync + 'static,
    ) -> Self {
        let members = self.members;
        assert!(
            members == N,
            "the premise of the invariant `{}` is of {N} members, and it of {members}",
            self.name
        );
        let earlier = self.premise.take();
        self.premise = Some(Arc::new(move |shared, members: &[Named<&C::Member>]| {
            earlier
                .as_ref()
                .is_none_or(|earlier| earlier(shared, members))
                && premise(shared, parts(members))
        }));
        self
    }

    /// Its name, unique within a refinement.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of members of which it speaks.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The invariant of an instance.
    fn of_instance(&self) -> Invariant<Instance<C>> {
        let width = self.members;
        let (premise, holds) = (self.premise.clone(), self.holds.clone());
        let is_claimed = move |shared: &C::Shared, members: &[Named<&C::Member>]| {
            premise
                .as_ref()
                .is_none_or(|premise| premise(shared, members))
        };
        let of_premise = is_claimed.clone();
        let invariant = Invariant::new(
            self.name.clone(),
            self.source.clone(),
            move |state: &StateOfCrowd<C>| {
                !some_members::<C>(state, width, &mut |members| {
                    is_claimed(&state.shared, members) && !holds(&state.shared, members)
                })
            },
        );
        match self.premise {
            None => invariant,
            Some(_) => invariant.when(move |state: &StateOfCrowd<C>| {
                some_members::<C>(state, width, &mut |members| {
                    of_premise(&state.shared, members)
                })
            }),
        }
    }
}

/// The parts of so many members.
///
/// # Panics
///
/// If there are not so many.
fn parts<'m, M, const N: usize>(members: &[Named<&'m M>]) -> [&'m M; N] {
    let members: &[Named<&M>; N] = members.try_into().expect("there are so many");
    members.each_ref().map(|member| member.part)
}

/// Test of some members.
type IsOfMembers<'i, M> = dyn FnMut(&[Named<&M>]) -> bool + 'i;

/// True if this is true of some so many members of a state, all different.
fn some_members<C: Crowd>(
    state: &StateOfCrowd<C>,
    width: usize,
    is: &mut IsOfMembers<'_, C::Member>,
) -> bool {
    fn from<'m, M>(
        all: &'m [M],
        is_line: bool,
        taken: &mut Vec<usize>,
        chosen: &mut Vec<Named<&'m M>>,
        width: usize,
        is: &mut IsOfMembers<'_, M>,
    ) -> bool {
        if chosen.len() == width {
            return is(chosen);
        }
        let first = match taken.last() {
            Some(last) if is_line => last + 1,
            _ => 0,
        };
        for place in first..all.len() {
            if taken.contains(&place) {
                continue;
            }
            taken.push(place);
            chosen.push(Named {
                name: Chosen(place),
                part: &all[place],
            });
            let found = from(all, is_line, taken, chosen, width, is);
            chosen.pop();
            taken.pop();
            if found {
                return true;
            }
        }
        false
    }
    let (mut taken, mut chosen) = (Vec::new(), Vec::new());
    from(
        &state.members,
        C::IN_LINE,
        &mut taken,
        &mut chosen,
        width,
        is,
    )
}

/// The refinement of a crowd, of so many members.
#[derive(Clone)]
pub struct RefinementOf<R: CrowdRefinement> {
    refinement: R,
    implementation: Instance<R::Implementation>,
    specification: Instance<R::Specification>,
    environment: Vec<Process>,
}

impl<R: CrowdRefinement> Refinement for RefinementOf<R> {
    type Implementation = Instance<R::Implementation>;
    type Specification = Instance<R::Specification>;

    fn implementation(&self) -> &Self::Implementation {
        &self.implementation
    }

    fn specification(&self) -> &Self::Specification {
        &self.specification
    }

    fn map(&self, state: &StateOfCrowd<R::Implementation>) -> StateOfCrowd<R::Specification> {
        let map = |member| self.refinement.map_member(&state.shared, member);
        let left_out = match state.left_out {
            LeftOutMembers::Nobody => LeftOutMembers::Nobody,
            _ => LeftOutMembers::Anybody,
        };
        CrowdState::beside(
            self.refinement.map(&state.shared),
            state.members.iter().map(map).collect(),
            left_out,
        )
    }

    fn abstract_steps(
        &self,
        from: &StateOfCrowd<R::Implementation>,
        step: &CrowdStep<<R::Implementation as Crowd>::Action>,
        to: &StateOfCrowd<R::Implementation>,
    ) -> AbstractSteps<CrowdStep<<R::Specification as Crowd>::Action>> {
        let CrowdStep {
            action,
            member,
            other,
            ..
        } = step;
        let [before, after] = [from, to].map(|state| Moment::of(state, *member));
        let steps = self.refinement.abstract_steps(before, action, after);
        // An abstract step that chooses another member chooses the same one, and one that chooses none has none.
        let mut state = other.map(|_| self.map(from));
        steps.map(|action| {
            let mut step = CrowdStep {
                action,
                member: *member,
                other: *other,
                answers: AnswerBits::default(),
            };
            let state = state.as_mut();
            if state.is_some_and(|state| !self.specification.chooses(&step, state)) {
                step.other = None;
            }
            step
        })
    }

    fn invariants(&self) -> Vec<Invariant<Self::Implementation>> {
        let invariants = self.refinement.invariants().into_iter();
        invariants
            .map(|invariant| invariant.of_instance())
            .collect()
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &StateOfCrowd<R::Implementation>, process: Process) -> bool {
        let member = &state.members[usize::from(process.number.unwrap_or(0))];
        self.refinement.at_rest(&state.shared, member)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.refinement.waivers()
    }
}
