//! Programs for fence synthesis.

use refmap_cli::catalogue::{Arguments, FenceProblem, InputError, Parameter, PublishedFences};
use refmap_programs::synthesis::Scenario;
use refmap_programs::{Behaviours, MemoryModel};
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{self, Instance, Protocol};
use refmap_systems::dekker;

/// An upper bound on the states of the specifications.
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
            let specification = dekker::specification();
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
        Protocol::Staccato | Protocol::StaccatoFence | Protocol::StaccatoRelFence => {
            let weak = |model: &MemoryModel| *model > MemoryModel::Tso;
            let cure = |fence| PublishedFences {
                source: "section 4.2.3",
                memory: MemoryModel::ALL.into_iter().filter(weak).collect(),
                fences: vec!["read-sync", "write-sync", fence],
            };
            problem
                .published(cure("yieldpoint-fence:full"))
                .published(cure("yieldpoint-fence:release"))
        }
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
    let refinement = CopyingRefinement::new(&instance, MemoryModel::Sc);
    let refinement = refinement.map_err(InputError::instance)?;
    Ok(Scenario::of(scenario.name(), refinement))
}
