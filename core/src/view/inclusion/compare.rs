//! Comparisons of systems without a mapping: of two systems, of those of a refinement, of explicit ones.

use std::cell::RefCell;

use super::asked_again;
use super::automaton::{Automaton, StepSource};
use super::candidates::Simulated;
use super::decide::{Decided, decide};
use super::explicit::{Graph, Labels};
use super::inclusion::{Bound, Evidence, Included, Inclusion};
use super::observed::Observed;
use super::sides::{Bounds, Sides};
use crate::state::numbered::Numbered;
use crate::statement::asked::calls::{Function, Of, call};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{Panic, UNNAMED, catch_seldom, named};
use crate::statement::asked::overridden::Overridden;
use crate::statement::asked::visit::some_steps;
use crate::statement::constraint::Constraint;
use crate::statement::erased::{ErasedSystem, RefinementObject, SystemObject, View};
use crate::statement::system::{ObservationOf, TransitionSystem, first_initial};
use crate::view::auxiliary::Base;
use crate::walk::explore::{Clock, Limit, Limits, Watch};

/// Compares what can be observed of an implementation with what can be observed of a specification.
///
/// # Errors
///
/// If a function of a system panics.
pub fn check_inclusion<C, A>(
    implementation: &C,
    specification: &A,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<Inclusion, Panic>
where
    C: TransitionSystem,
    A: TransitionSystem<Observation = ObservationOf<C>>,
{
    observed(implementation, specification, None, limits, watch)
}

/// The same of the systems of a refinement, whose constraint bounds the implementation. Neither its mapping is used nor the auxiliary
/// variables that it adds: what is missing is told of the system without them.
pub(crate) fn of_refinement(
    refinement: &dyn RefinementObject,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<Inclusion, Panic> {
    let constraint = catch_seldom(|| named(UNNAMED, || refinement.constraint()))?;
    let mut implementation = refinement.implementation();
    let mut variables = Vec::new();
    // What a constraint says of a state may depend on a variable.
    while constraint.is_none()
        && let Some(view) = catch_seldom(|| view_of(implementation))?
    {
        variables.push(view.object().variable().to_owned());
        implementation = view.object().base();
    }
    let specification = refinement.specification();
    let constraint = constraint.as_ref();
    let mut inclusion = observed(implementation, specification, constraint, limits, watch)?;
    inclusion.variables = variables;
    let guesses = catch_seldom(|| {
        let view = view_of(implementation);
        view.is_some_and(|view| Base::of(view).guesses())
    })?;
    if guesses && inclusion.verdict == Included::Included {
        // Its side conditions may fail, and then it shows less than the system without it.
        inclusion.claim_nothing(
            "the constraint may speak of a variable that guesses, so that the variable was not left out, and behaviours may be \
             missing with it",
        );
    }
    Ok(inclusion)
}

fn view_of(implementation: &dyn SystemObject) -> Option<View<'_>> {
    let view = || implementation.caveats().view();
    call(|| Function::of("`caveats`", Of::Implementation), None, view)
}

fn observed<'a>(
    implementation: &'a dyn SystemObject,
    specification: &'a dyn SystemObject,
    constraint: Option<&'a Constraint<ErasedSystem<'static>>>,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<Inclusion, Panic> {
    let observations = RefCell::new(Numbered::default());
    let source = |system, of, within| {
        let system = ErasedSystem(system, of);
        StepSource::Observed(Observed::new(system, within, &observations))
    };
    let clock = Clock::new(limits, watch);
    let mut sides = Sides {
        implementation: Automaton::new(source(implementation, Of::Implementation, constraint)),
        specification: Automaton::new(source(specification, Of::Specification, None)),
        bounds: Bounds::new(clock),
    };
    catch_seldom(|| {
        named(UNNAMED, || {
            let mut inclusion = compared(&mut sides, clock);
            if inclusion.verdict == Included::Included && inclusion.states == 0 {
                inclusion.claim_nothing(
                    "the implementation has no initial state, so that nothing was compared",
                );
            }
            let has_mapping = matches!(inclusion.evidence, Some(Evidence::Mapping { .. }));
            if inclusion.verdict != Included::Incomplete
                && !has_mapping
                && states_steps_by_allows(specification)
            {
                inclusion.warnings.push(
                    "the specification overrides `allows`: a step that it allows and that its `next` does not visit was not looked \
                     at"
                        .to_owned(),
                );
            }
            let system = ErasedSystem(implementation, Of::Implementation);
            let caveats = system.call_caveats();
            inclusion.warnings.extend(caveats.doubts());
            if let (StepSource::Observed(observed), Some(constraint)) =
                (&sides.implementation.source, constraint)
                && observed.outside > 0
            {
                inclusion.bounds.push(Bound {
                    bound: constraint.name().to_owned(),
                    outside: Some(observed.outside),
                });
            }
            let own = caveats.bound().map(|bound| Bound {
                bound: bound.to_owned(),
                outside: None,
            });
            inclusion.bounds.extend(own);
            inclusion
        })
    })
}

/// True if a specification says by an `allows` of its own what its steps are.
fn states_steps_by_allows(specification: &dyn SystemObject) -> bool {
    let system = ErasedSystem(specification, Of::Specification);
    let Some(state) = first_initial(&system) else {
        return false;
    };
    let (steps, _) = some_steps(&system, &state, 1);
    steps.first().is_some_and(|(action, _)| {
        let derives = specification.derives_candidates();
        Overridden::of(&system, specification.type_name(), derives, &state, action).allows
    })
}

impl Inclusion {
    /// Takes back what was found, for a reason.
    fn claim_nothing(&mut self, reason: &str) {
        self.verdict = Included::Incomplete;
        self.rung = None;
        self.evidence = None;
        self.unclaimed = Some(reason.to_owned());
    }

    /// Outcome where a limit was reached before the systems were read; `far` says so.
    pub fn unread(limit: Limit, far: String, seconds: f64) -> Self {
        Self {
            limit: Some(limit),
            unclaimed: Some(far),
            seconds,
            ..Self::default()
        }
    }
}

/// Compares what two explicit systems show. Labels are those of both.
pub fn check_graphs(
    implementation: &Graph,
    specification: &Graph,
    labels: &Labels,
    limits: Limits,
    watch: Watch<'_>,
) -> Inclusion {
    let clock = Clock::new(limits, watch);
    let mut sides = Sides {
        implementation: Automaton::new(StepSource::Explicit(implementation, labels)),
        specification: Automaton::new(StepSource::Explicit(specification, labels)),
        bounds: Bounds::new(clock),
    };
    compared(&mut sides, clock)
}

/// Decides, and then looks for evidence.
fn compared(sides: &mut Sides<'_>, clock: Clock<'_>) -> Inclusion {
    let decided = decide(sides);
    let contradiction = match &decided {
        Ok(_) => sides.allow(u64::MAX, asked_again::contradiction),
        Err(_) => Ok(None),
    };
    let mut inclusion = Inclusion {
        states: sides.implementation.states(),
        specification_states: sides.specification.states(),
        ..Inclusion::default()
    };
    let decided = match (decided, contradiction) {
        (_, Ok(Some(Some(contradiction)))) => {
            inclusion.claim_nothing(&format!("the model contradicts itself: {contradiction}"));
            inclusion.seconds = clock.started.elapsed().as_secs_f64();
            return inclusion;
        }
        (Ok(_), Err(limit)) | (Err(limit), _) => Err(limit),
        (Ok(decided), Ok(_)) => Ok(decided),
    };
    inclusion.verdict = match &decided {
        Ok(Decided::NotIncluded(..)) => Included::NotIncluded,
        Ok(_) => Included::Included,
        Err(_) => Included::Incomplete,
    };
    let evidence = match decided {
        Ok(Decided::Simulated(simulation)) => {
            inclusion.rung = Some(match simulation.candidates.simulated {
                Simulated::AtMostOne => 1,
                Simulated::Several => 2,
            });
            inclusion.pairs = simulation.looked_at() as u64;
            sides.of_simulation(simulation).map(Some)
        }
        Ok(Decided::Included(antichain)) => {
            inclusion.rung = Some(3);
            inclusion.pairs = antichain.walk.len().into();
            sides.of_included(&antichain)
        }
        Ok(Decided::NotIncluded(antichain, unmatched)) => {
            inclusion.pairs = antichain.walk.len().into();
            inclusion.trace_length = Some(sides.trace_length(&antichain, unmatched));
            Ok(Some(sides.of_trace(&antichain, unmatched)))
        }
        Ok(Decided::IncludedSomehow(limit)) | Err(limit) => {
            inclusion.limit = Some(limit);
            Ok(None)
        }
    };
    match evidence {
        Ok(evidence) => inclusion.evidence = evidence,
        Err(limit) => inclusion.evidence_limit = Some(limit),
    }
    inclusion.seconds = clock.started.elapsed().as_secs_f64();
    inclusion
}
