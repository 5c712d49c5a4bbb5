//! Comparisons of systems without a mapping: of two systems, of those of a refinement, of explicit ones.

use std::cell::RefCell;
use std::time::Instant;

use super::asked_again;
use super::automaton::{Automaton, Bounds, Source, Stop};
use super::decide::{Decided, decide};
use super::evidence::Evidences;
use super::explicit::{Graph, Labels};
use super::inclusion::{Bound, Evidence, Included, Inclusion};
use super::observed::Observed;
use super::simulation::Sides;
use crate::auxiliary::Base;
use crate::erased::{ErasedRefinement, ErasedState, ErasedSystem, SystemObject, View};
use crate::explore::{Limit, Limits, Watch};
use crate::numbered::Numbered;
use crate::statement::asked::calls::{Function, Of, call};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{Panic, UNNAMED, catch_seldom, named};
use crate::statement::asked::overridden::Overridden;
use crate::statement::asked::visit::some_steps;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ObservationOf, TransitionSystem, first_initial};

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
    refinement: &ErasedRefinement<'_>,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<Inclusion, Panic> {
    let constraint = catch_seldom(|| named(UNNAMED, || refinement.constraint()))?;
    let within = |state: &ErasedState| {
        let constraint = constraint.as_ref();
        constraint.is_none_or(|constraint| constraint.contains(state))
    };
    let constraint = constraint.as_ref().map(|constraint| Within {
        name: constraint.name(),
        contains: &within,
    });
    let mut implementation = refinement.implementation().0;
    let mut variables = Vec::new();
    // What a constraint says of a state may depend on a variable.
    while constraint.is_none()
        && let Some(view) = catch_seldom(|| view_of(implementation))?
    {
        variables.push(view.object().variable().to_owned());
        implementation = view.object().base();
    }
    let specification = refinement.specification().0;
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

/// Constraint on the states of the implementation that are expanded.
#[derive(Clone, Copy)]
struct Within<'a> {
    name: &'a str,
    contains: &'a dyn Fn(&ErasedState) -> bool,
}

fn observed<'a>(
    implementation: &'a dyn SystemObject,
    specification: &'a dyn SystemObject,
    constraint: Option<Within<'a>>,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<Inclusion, Panic> {
    let observations = RefCell::new(Numbered::default());
    let source = |system, of, within| {
        let system = ErasedSystem(system, of);
        Source::Observed(Observed::new(system, within, &observations))
    };
    let within = constraint.map(|constraint| constraint.contains);
    let mut sides = Sides {
        implementation: Automaton::new(source(implementation, Of::Implementation, within)),
        specification: Automaton::new(source(specification, Of::Specification, None)),
    };
    catch_seldom(|| {
        named(UNNAMED, || {
            let mut inclusion = compared(&mut sides, None, limits, watch);
            if inclusion.verdict == Included::Included && inclusion.states == 0 {
                inclusion.claim_nothing(
                    "the implementation has no initial state, so that nothing was compared",
                );
            }
            if inclusion.lacks_something() && states_steps_by_allows(specification) {
                inclusion.warnings.push(
                    "the specification overrides `allows`: a step that it allows and that its `next` does not visit was not looked \
                     at"
                        .to_owned(),
                );
            }
            let system = ErasedSystem(implementation, Of::Implementation);
            let caveats = system.call_caveats();
            inclusion.warnings.extend(caveats.doubts());
            if let (Source::Observed(observed), Some(Within { name, .. })) =
                (&sides.implementation.source, constraint)
                && observed.outside() > 0
            {
                inclusion.bounds.push(Bound {
                    bound: name.to_owned(),
                    outside: Some(observed.outside()),
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
    /// True if it says of all mappings that they lack something.
    fn lacks_something(&self) -> bool {
        match self.verdict {
            Included::Included => !matches!(self.evidence, Some(Evidence::Mapping { .. })),
            Included::NotIncluded => true,
            Included::Incomplete => false,
        }
    }

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
            verdict: Included::Incomplete,
            limit: Some(limit),
            unclaimed: Some(far),
            seconds,
            ..Self::NOTHING
        }
    }

    /// Outcome of systems of which nothing was looked at.
    const NOTHING: Self = Self {
        verdict: Included::Included,
        rung: None,
        trace_length: None,
        pairs: 0,
        states: 0,
        specification_states: 0,
        limit: None,
        unclaimed: None,
        warnings: Vec::new(),
        bounds: Vec::new(),
        variables: Vec::new(),
        evidence: None,
        evidence_limit: None,
        seconds: 0.0,
    };
}

/// Compares what two explicit systems show. Labels are those of both.
pub fn check_graphs(
    implementation: &Graph,
    specification: &Graph,
    labels: &Labels,
    limits: Limits,
    watch: Watch<'_>,
) -> Inclusion {
    let mut sides = Sides {
        implementation: Automaton::new(Source::Explicit(implementation)),
        specification: Automaton::new(Source::Explicit(specification)),
    };
    compared(&mut sides, Some(labels), limits, watch)
}

/// Decides, and then looks for evidence.
fn compared(
    sides: &mut Sides<'_>,
    labels: Option<&Labels>,
    limits: Limits,
    watch: Watch<'_>,
) -> Inclusion {
    let started = Instant::now();
    let bounds = &mut Bounds::new(limits, watch);
    let decided = decide(sides, bounds).and_then(|decided| {
        let contradiction = asked_again::contradiction(sides, bounds).map_err(Stop::limit)?;
        Ok((decided, contradiction))
    });
    let (decided, contradiction) = match decided {
        Ok((decided, contradiction)) => (Ok(decided), contradiction),
        Err(limit) => (Err(limit), None),
    };
    let mut inclusion = Inclusion {
        states: sides.implementation.states(),
        specification_states: sides.specification.states(),
        ..Inclusion::NOTHING
    };
    if let Some(contradiction) = contradiction {
        inclusion.claim_nothing(&format!("the model contradicts itself: {contradiction}"));
        inclusion.seconds = started.elapsed().as_secs_f64();
        return inclusion;
    }
    let evidences = &mut Evidences {
        sides,
        labels,
        bounds,
    };
    let evidence = match decided {
        Ok(Decided::AtMostOne(simulation)) => {
            inclusion.rung = Some(1);
            inclusion.pairs = simulation.looked_at() as u64;
            evidences.of_at_most_one(simulation).map(Some)
        }
        Ok(Decided::Several(simulation)) => {
            inclusion.rung = Some(2);
            inclusion.pairs = simulation.looked_at() as u64;
            evidences.of_several(simulation).map(Some)
        }
        Ok(Decided::Included(antichain)) => {
            inclusion.rung = Some(3);
            inclusion.pairs = antichain.pairs() as u64;
            evidences.of_included(&antichain)
        }
        Ok(Decided::IncludedSomehow(limit)) => {
            inclusion.limit = Some(limit);
            Ok(None)
        }
        Ok(Decided::NotIncluded(antichain, unmatched)) => {
            inclusion.verdict = Included::NotIncluded;
            inclusion.pairs = antichain.pairs() as u64;
            inclusion.trace_length = Some(evidences.trace_length(&antichain, unmatched));
            Ok(Some(evidences.of_trace(&antichain, unmatched)))
        }
        Err(limit) => {
            inclusion.verdict = Included::Incomplete;
            inclusion.limit = Some(limit);
            Ok(None)
        }
    };
    match evidence {
        Ok(evidence) => inclusion.evidence = evidence,
        Err(limit) => inclusion.evidence_limit = Some(limit),
    }
    inclusion.seconds = started.elapsed().as_secs_f64();
    inclusion
}
