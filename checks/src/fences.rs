//! The programs for which fences are searched.

use refmap::catalogue::{Arguments, FenceProblem, InputError, Parameter, PublishedFences};
use refmap::check;
use refmap::memory::synthesis::Scenario;
use refmap::memory::{Behaviours, MemoryModel, Presence, Program};
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{self, Instance, Protocol};
use refmap_systems::dekker;

/// More states than any specification has.
const STATES: u64 = 1_000_000;

/// Dekker's mutual exclusion, and the copying protocols.
pub(crate) fn problems() -> Vec<FenceProblem> {
    let copying = Protocol::ALL.into_iter().map(copying);
    std::iter::once(dekker()).chain(copying).collect()
}

fn dekker() -> FenceProblem {
    let bound = "How often each thread may look again";
    FenceProblem::new(
        "dekker",
        "Two threads that take turns by Dekker's protocol increment a counter at once",
        "Dijkstra, EWD 123, section 2.1",
        vec![Parameter::number("backward-jumps", 0..=4, 2, bound)],
        |arguments| {
            let program = dekker::program(arguments.number("backward-jumps"));
            let program = program.map_err(InputError::instance)?;
            let specification = dekker::specification().map_err(InputError::instance)?;
            let specification = Behaviours::of(specification, MemoryModel::Sc, STATES);
            let specification = specification.map_err(InputError::instance)?;
            Ok(vec![Scenario::refines("atomic", program, specification)])
        },
    )
}

/// A copying protocol in both scenarios of the paper.
fn copying(protocol: Protocol) -> FenceProblem {
    let mut parameters = vec![Parameter::number(
        "iterations",
        1..=u64::from(copying::MAX_ITERATIONS),
        1,
        "How often the body of a loop runs",
    )];
    if protocol.has_alpha() {
        let range = 0..=u64::from(copying::MAX_ALPHA);
        let alpha = "The value that stands for an empty slot";
        parameters.push(Parameter::number("alpha", range, 0, alpha));
    }
    let problem = FenceProblem::new(
        protocol.name(),
        "The copying protocol refines one atomic register, in scenarios WR and RW",
        "Ugawa, Abe & Maeda, section 4",
        parameters,
        move |arguments| {
            let scenarios = [copying::Scenario::Wr, copying::Scenario::Rw];
            scenarios
                .into_iter()
                .map(|scenario| in_scenario(protocol, scenario, arguments))
                .collect()
        },
    );
    match protocol {
        Protocol::Stopless | Protocol::StoplessForRmo => problem.published(PublishedFences {
            source: "section 4.1.3",
            memory: vec![MemoryModel::PsoNo, MemoryModel::RmoNo],
            fences: vec![
                "fence-after-wide-forward",
                "fence-after-copy",
                "fence-before-flip",
            ],
        }),
        _ => problem,
    }
}

fn in_scenario(
    protocol: Protocol,
    scenario: copying::Scenario,
    arguments: &Arguments,
) -> Result<Scenario, InputError> {
    let mut instance = Instance::new(protocol, scenario);
    instance.iterations = arguments.number("iterations");
    if protocol.has_alpha() {
        instance.alpha = arguments.number("alpha");
    }
    let program = copying::program(&instance).map_err(InputError::instance)?;
    // So that what cannot be stated is told before the search.
    CopyingRefinement::new(&instance, MemoryModel::Sc).map_err(InputError::instance)?;
    let stated = program.clone();
    let run = move |program: Program, model, settings: &refmap::Settings<'_>| {
        let instance = as_fenced(&instance, &stated, &program);
        let refinement = CopyingRefinement::new(&instance, model)
            .expect("an instance can be stated with other fences at its places");
        check(&refinement, settings)
    };
    Ok(Scenario::new(scenario.name(), program, run))
}

/// The instance of which `fenced` is the program, where `stated` is that of `instance`.
fn as_fenced(instance: &Instance, stated: &Program, fenced: &Program) -> Instance {
    let places = stated.places.iter().zip(&fenced.places);
    places.fold(instance.clone(), |instance, (was, is)| {
        match (was.fence, is.fence) {
            (Presence::Present, Presence::Absent) => instance.without(&was.name),
            (Presence::Absent, Presence::Present) => instance.with(&was.name),
            _ => instance,
        }
    })
}
