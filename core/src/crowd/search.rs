//! The search of views.

use std::time::Instant;

use super::declaration::{Crowd, CrowdParts, PartsOf, SystemOf, moved};
use super::fault::FaultOf;
use super::outcome::{AnswerOf, AnyNumber, CrowdAnswer};
use super::tested::{Small, false_of_some, test};
use super::views::{Configuration, Views};
use crate::explore::{Limit, Limits, Watch};
use crate::invariant::Invariant;
use crate::model_call::catch;
use crate::numbered::Numbered;
use crate::refinement::Refinement;
use crate::visit::{visit_initial, visit_steps};

/// Views between two looks at the clock.
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
