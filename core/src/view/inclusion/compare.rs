//! Comparisons of systems without a mapping: of two systems, of those of a refinement, of explicit ones.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::asked_again;
use super::automaton::{Automaton, StepSource};
use super::candidates::Simulated;
use super::comparison::Comparison;
use super::decide::{Decided, decide};
use super::explicit::{LabelledGraph, Labels};
use super::inclusion::{Bound, Evidence, Included, Inclusion, InclusionError};
use super::met::{Labelling, MetStates};
use super::observations::Observations;
use super::observed::Observed;
use super::pair_search::{NoAnswer, SearchedPairs};
use super::sides::{DiskAccount, Sides};
use crate::state::Kept;
use crate::statement::asked::calls::{Function, Of, call};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{UNNAMED, catch_seldom, named};
use crate::statement::asked::overridden::Overridden;
use crate::statement::asked::visit::some_steps;
use crate::statement::constraint::Constraint;
use crate::statement::erased::{ErasedSystem, RefinementObject, SystemObject, View};
use crate::statement::system::{ObservationOf, TransitionSystem, first_initial};
use crate::view::auxiliary::Base;
use crate::walk::explore::{DiskError, Journal, Limit};

/// Compares what can be observed of an implementation with what can be observed of a specification.
///
/// # Errors
///
/// If a function of a system panics, or a folder cannot be used as the settings say.
pub fn check_inclusion<C, A>(
    implementation: &C,
    specification: &A,
    comparison: &Comparison<'_>,
) -> Result<Inclusion, InclusionError>
where
    C: TransitionSystem,
    A: TransitionSystem<Observation = ObservationOf<C>>,
{
    observed(implementation, specification, None, comparison)
}

/// The same of the systems of a refinement, whose constraint bounds the implementation. Neither its mapping is used nor the auxiliary
/// variables that it adds: what is missing is told of the system without them.
pub(crate) fn of_refinement(
    refinement: &dyn RefinementObject,
    comparison: &Comparison<'_>,
) -> Result<Inclusion, InclusionError> {
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
    let mut inclusion = observed(implementation, specification, constraint, comparison)?;
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
    comparison: &Comparison<'_>,
) -> Result<Inclusion, InclusionError> {
    let met = Arc::<Observations>::default();
    let observations = Arc::<Observations>::default();
    // Where pairs are on disk, there may be no memory for their states.
    let keeps = comparison.spill.is_none();
    let source = |system, of, within| {
        let labelling = Labelling::Changes(Arc::clone(&met));
        let met = MetStates::new(ErasedSystem(system, of), labelling, keeps);
        StepSource::Observed(Observed::new(
            Arc::new(met),
            within,
            Arc::clone(&observations),
        ))
    };
    let sources = [
        source(implementation, Of::Implementation, constraint),
        source(specification, Of::Specification, None),
    ];
    let mut sides = Sides::new(sources, comparison);
    catch_seldom(|| {
        named(UNNAMED, || {
            let mut inclusion = compared(&mut sides, comparison)?;
            if inclusion.verdict == Included::Included && sides.implementation.states() == 0 {
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
            Ok(inclusion)
        })
    })?
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
            states: Some(0),
            seconds,
            ..Self::default()
        }
    }
}

/// Compares what two explicit systems show. Labels are those of both.
pub fn check_graphs(
    implementation: &LabelledGraph,
    specification: &LabelledGraph,
    labels: &Labels,
    comparison: &Comparison<'_>,
) -> Result<Inclusion, InclusionError> {
    let sources = [implementation, specification];
    let sources = sources.map(|graph| StepSource::Explicit(graph, labels));
    let mut sides = Sides::new(sources, comparison);
    compared(&mut sides, comparison)
}

/// Decides, and then looks for evidence.
fn compared(
    sides: &mut Sides<'_>,
    comparison: &Comparison<'_>,
) -> Result<Inclusion, InclusionError> {
    let started = sides.bounds.clock.started;
    let journal = journal(sides, comparison)?;
    let mut decided = match decide(sides, comparison, journal) {
        Ok(decided) => Ok(decided),
        Err(NoAnswer::Limit(limit)) => Err(limit),
        Err(NoAnswer::Disk(error)) => return Err(error.into()),
    };
    let searched = decided.as_mut().ok().and_then(Decided::searched);
    let mut inclusion = Inclusion::figures(sides, searched.as_deref());
    if let (Some(searched), StepSource::Observed(observed)) =
        (&searched, &mut sides.implementation.source)
    {
        observed.outside = observed.outside.max(searched.outside());
    }
    let is_decided = decided.is_ok();
    let searched = decided.as_mut().ok().and_then(Decided::searched);
    let contradiction = if is_decided {
        sides.whole(|sides| asked_again::contradiction(sides, searched))
    } else {
        Ok(None)
    };
    let decided = match (decided, contradiction) {
        (_, Ok(Some(contradiction))) => {
            inclusion.claim_nothing(&format!("the model contradicts itself: {contradiction}"));
            Err(None)
        }
        (Ok(_), Err(limit)) | (Err(limit), _) => Err(Some(limit)),
        (Ok(decided), Ok(_)) => Ok(decided),
    };
    let evidence = match decided {
        Ok(decided) => inclusion.decide(decided, sides),
        Err(limit) => {
            inclusion.limit = limit;
            Ok(None)
        }
    };
    match evidence {
        Ok(evidence) => inclusion.evidence = evidence,
        Err(NoAnswer::Limit(limit)) => inclusion.evidence_limit = Some(limit),
        Err(NoAnswer::Disk(error)) => return Err(error.into()),
    }
    let DiskAccount {
        checkpoints,
        spilled,
    } = std::mem::take(&mut sides.account);
    inclusion.checkpoints = checkpoints;
    inclusion.spilled = spilled;
    inclusion.seconds = started.elapsed().as_secs_f64();
    Ok(inclusion)
}

impl<'a> Decided<'a> {
    /// The pairs that were explored.
    fn searched(&mut self) -> Option<&mut SearchedPairs<'a>> {
        match self {
            Self::Included(searched) | Self::NotIncluded(searched) => Some(searched),
            Self::Simulated(_) | Self::IncludedSomehow(_) => None,
        }
    }
}

impl Inclusion {
    /// Figures of a comparison: those of pairs that were explored, or of simulations.
    fn figures(sides: &Sides<'_>, searched: Option<&SearchedPairs<'_>>) -> Self {
        let met = sides.implementation.states();
        let abstract_met = searched.map(|searched| searched.pairs.specification_states());
        Self {
            states: match searched {
                None => Some(met),
                Some(searched) => searched.states.map(|states| states.max(met)),
            },
            specification_states: sides.specification.states().max(abstract_met.unwrap_or(0)),
            pairs: searched.map_or(0, SearchedPairs::looked_at),
            ..Self::default()
        }
    }

    /// Tells a decision, and looks for evidence.
    fn decide<'a>(
        &mut self,
        decided: Decided<'a>,
        sides: &mut Sides<'a>,
    ) -> Result<Option<Evidence>, NoAnswer> {
        self.verdict = Included::Included;
        match decided {
            Decided::Simulated(simulation) => {
                self.rung = Some(match simulation.candidates.simulated {
                    Simulated::AtMostOne => 1,
                    Simulated::Several => 2,
                });
                self.pairs = simulation.looked_at() as u64;
                let evidence = sides.of_simulation(simulation);
                evidence.map(Some).map_err(NoAnswer::Limit)
            }
            Decided::Included(searched) => {
                self.rung = Some(3);
                sides.of_included(&searched)
            }
            Decided::NotIncluded(searched) => {
                let trace = match searched.unmatched() {
                    Ok(trace) => trace.expect("a trace is not included"),
                    Err(error) => {
                        self.claim_nothing(&format!("the model contradicts itself: {error}"));
                        return Ok(None);
                    }
                };
                let trace = sides.edges_of(&trace);
                self.verdict = Included::NotIncluded;
                self.trace_length = Some(sides.trace_length(&trace));
                Ok(Some(sides.of_trace(&trace)))
            }
            Decided::IncludedSomehow(limit) => {
                self.limit = Some(limit);
                Ok(None)
            }
        }
    }
}

/// The journal of a search of pairs, if there are to be checkpoints.
fn journal(sides: &Sides<'_>, comparison: &Comparison<'_>) -> Result<Option<Journal>, DiskError> {
    let automata = [&sides.implementation, &sides.specification];
    let is_written = |automaton: &&Automaton<'_>| automaton.system().0.kept() == Kept::Encoded;
    if comparison.is_on_disk() && !automata.iter().all(is_written) {
        return Err(DiskError::NotWritten);
    }
    let Some(checkpoints) = &comparison.checkpoints else {
        return Ok(None);
    };
    let names = ["implementation", "specification"];
    let of_systems = names.iter().zip(automata).flat_map(|(name, automaton)| {
        let system = automaton.system();
        let rules = system.call_rules().iter();
        let rules: Value = rules.map(|rule| rule.name.to_string()).collect();
        [
            (format!("the {name}"), system.0.type_name().into()),
            (format!("the list of the {name}'s rules"), rules),
            (
                format!("the checksum of the {name}"),
                automaton.checksum().into(),
            ),
        ]
    });
    let constraint = sides.implementation.within();
    let constraint = constraint.map(|constraint| constraint.name().to_owned());
    let others = [
        ("the version of refmap", env!("CARGO_PKG_VERSION").into()),
        ("the question", "inclusion".into()),
        ("the constraint", constraint.into()),
    ];
    let others = others.map(|(name, value)| (name.to_owned(), value));
    let identity: Map<String, Value> = of_systems.chain(others).collect();
    let journal = Journal::open(checkpoints, identity)?;
    Ok(Some(journal.within(&comparison.limits)?))
}
