//! The search of views.

use std::time::Instant;

use super::apart::{apart, assembled};
use super::declaration::{Crowd, MemberOf, PartsOf, SharedOf, SystemOf};
use super::fault::FaultOf;
use super::outcome::{AnswerOf, AnyNumber, CrowdAnswer};
use super::parts::CrowdParts;
use super::tested::{Small, test};
use super::views::{Configuration, Views};
use crate::explore::{Limit, Limits, Watch};
use crate::invariant::Invariant;
use crate::model_call::catch;
use crate::numbered::Numbered;
use crate::refinement::Refinement;
use crate::system::TransitionSystem;
use crate::visit::{visit_initial, visit_steps};

/// Views between two looks at the clock.
const PATIENCE: u64 = 1 << 10;
/// Members that a view may have: all parts of a configuration are looked at.
const MOST_MEMBERS: usize = 6;

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
) -> Result<AnyNumber<SharedOf<C>, MemberOf<C>>, FaultOf<C>> {
    let instances = instances(crowd, size)?;
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

/// The instances with one member, two, and so on, up to one more than a view has, if they can be asked about.
fn instances<C: Crowd>(crowd: &C, size: usize) -> Result<Vec<C::Instance>, FaultOf<C>> {
    if !(1..=MOST_MEMBERS).contains(&size) {
        let most = MOST_MEMBERS;
        return Err(FaultOf::<C>::Size { size, most });
    }
    let instances = (1..=size + 1).map(|members| crowd.instance(members));
    let instances: Vec<_> = instances.collect();
    let names = |instance: &C::Instance| -> Vec<String> {
        let invariants = instance.invariants();
        let names = invariants.iter().map(Invariant::name);
        names.map(str::to_owned).collect()
    };
    let asked = names(&instances[size - 1]);
    if asked.is_empty() {
        return Err(FaultOf::<C>::NothingAsked);
    }
    for (members, instance) in (1..).zip(&instances) {
        let constraint = instance.constraint().map(|one| one.name().to_owned());
        if let Some(bound) = constraint.or_else(|| instance.implementation().bound()) {
            return Err(FaultOf::<C>::Bounded { bound });
        }
        if names(instance) != asked {
            let others = size;
            return Err(FaultOf::<C>::OtherInvariants { members, others });
        }
    }
    let wide = asked.into_iter().find(|name| crowd.speaks_of(name) > size);
    match wide {
        None => Ok(instances),
        Some(invariant) => Err(FaultOf::<C>::TooWide {
            members: crowd.speaks_of(&invariant),
            invariant,
            size,
        }),
    }
}

/// A search of views.
struct ViewSearch<'c, C: Crowd> {
    crowd: &'c C,
    /// The instances with one member, two, and so on, up to one more than a view has;
    instances: Vec<C::Instance>,
    /// their invariants.
    invariants: Vec<Vec<Invariant<SystemOf<C>>>>,
    /// The invariants, by their places, whose premise some view has satisfied.
    applied: Vec<bool>,
    shared: Numbered<SharedOf<C>>,
    members: Numbered<MemberOf<C>>,
    views: Views,
    configurations: u64,
    transitions: u64,
}

impl<'c, C: Crowd> ViewSearch<'c, C> {
    fn new(crowd: &'c C, instances: Vec<C::Instance>) -> Self {
        Self {
            crowd,
            applied: vec![false; instances[0].invariants().len()],
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
        let size = self.size();
        let mut initial = Vec::new();
        let system = self.instances[size - 1].implementation();
        let shown = catch(|| {
            visit_initial(system, &mut |state| initial.push(apart::<C>(&state, size)));
        });
        if let Err(panic) = shown {
            return Err(FaultOf::<C>::Panicked(panic));
        }
        for parts in initial {
            let view = self.numbered(parts?);
            self.views.add(view, None);
        }
        if self.views.len() == 0 {
            return Err(FaultOf::<C>::NoInitialStates);
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
        let untested = self.applied.iter().position(|applied| !applied);
        Ok(match untested {
            None => CrowdAnswer::Holds,
            Some(place) => CrowdAnswer::Untested {
                invariant: self.invariants[0][place].name().to_owned(),
            },
        })
    }

    fn numbered(&mut self, parts: PartsOf<C>) -> Configuration {
        let members = parts.members.into_iter();
        Configuration::new(
            self.shared.number(parts.shared),
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

    fn violated(&mut self, number: usize, view: &Configuration) -> Option<AnswerOf<C>> {
        let parts = self.parts(view);
        match catch(|| self.false_of_some(&parts)) {
            Ok(None) => None,
            Ok(Some(invariant)) => Some(CrowdAnswer::Unknown {
                invariant,
                view: parts,
                from: self.views.origin(number).map(|from| self.parts(from)),
            }),
            Err(panic) => Some(CrowdAnswer::Panicked { at: parts, panic }),
        }
    }

    /// Name of an invariant that is false of some members of a view, of as many as it speaks of.
    fn false_of_some(&mut self, view: &PartsOf<C>) -> Option<String> {
        for mask in 1u32..1 << view.members.len() {
            let some = view.some(mask);
            let state = assembled::<C>(&some);
            let invariants = &self.invariants[some.members.len() - 1];
            for (invariant, applied) in invariants.iter().zip(&mut self.applied) {
                if self.crowd.speaks_of(invariant.name()).max(1) != some.members.len() {
                    continue;
                }
                *applied = *applied || invariant.applies(&state);
                if !invariant.holds(&state) {
                    return Some(invariant.name().to_owned());
                }
            }
        }
        None
    }

    /// Takes the steps of a configuration, and adds the views of what they lead to.
    fn step(&mut self, configuration: &Configuration) -> Result<Option<AnswerOf<C>>, FaultOf<C>> {
        let parts = self.parts(configuration);
        let system = self.instances[parts.members.len() - 1].implementation();
        let mut targets = Vec::new();
        let taken = catch(|| {
            let state = assembled::<C>(&parts);
            visit_steps(system, &state, &mut |_, to| {
                targets.push(apart::<C>(&to, parts.members.len()));
            });
        });
        if let Err(panic) = taken {
            return Ok(Some(CrowdAnswer::Panicked { at: parts, panic }));
        }
        self.configurations += 1;
        for to in targets {
            let to = to?;
            self.transitions += 1;
            if parts.moved(&to) > 1 {
                return Err(FaultOf::<C>::MovesSeveral { from: parts, to });
            }
            let target = self.numbered(to);
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
