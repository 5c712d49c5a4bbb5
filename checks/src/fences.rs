//! Programs for fence synthesis.

use refmap_cli::catalogue::{FenceProblem, InputError, PublishedFences, number};
use refmap_cli::clap::{self, Args};
use refmap_programs::synthesis::Scenario;
use refmap_programs::{Behaviours, MemoryModel};
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{self, Instance, Protocol};
use refmap_systems::dekker;
use strum::VariantArray;

/// An upper bound on the states of the specifications.
const STATES: u64 = 1_000_000;

/// Dekker's mutual exclusion, and the copying protocols.
pub(crate) fn problems() -> Vec<FenceProblem> {
    let copying = Protocol::VARIANTS.iter().copied().map(copying);
    std::iter::once(dekker()).chain(copying).collect()
}

fn dekker() -> FenceProblem {
    FenceProblem::new(
        "dekker",
        "Two threads that take turns by Dekker's protocol increment a counter at once",
        "Dijkstra, EWD 123, section 2.1",
        |arguments: &Dekker| {
            let program = dekker::program(arguments.backward_jumps);
            let specification = dekker::specification();
            let specification = Behaviours::of(specification, MemoryModel::Sc, STATES);
            let specification = specification.map_err(InputError::instance)?;
            Ok(vec![Scenario::refines("atomic", program, specification)])
        },
    )
}

#[derive(Clone, Args)]
struct Dekker {
    /// bound on backward jumps of each thread
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(0..=4))]
    backward_jumps: u8,
}

#[derive(Clone, Args)]
struct Copying {
    /// bound on iterations of a loop
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=copying::MAX_ITERATIONS.into()))]
    iterations: u8,
}

/// Parameters of a protocol that chooses a value α.
#[derive(Clone, Args)]
struct CopyingWithAlpha {
    #[command(flatten)]
    copying: Copying,
    /// The value that stands for an empty slot
    #[arg(long, default_value_t = 0, value_parser = number::<u8>(0..=copying::MAX_ALPHA.into()))]
    alpha: u8,
}

/// A copying protocol in both scenarios of the paper.
fn copying(protocol: Protocol) -> FenceProblem {
    let about = "The copying protocol refines one atomic register, in scenarios WR and RW";
    let source = "Ugawa, Abe & Maeda, section 4";
    let problem = if protocol.has_alpha() {
        FenceProblem::new(
            protocol.name(),
            about,
            source,
            move |with: &CopyingWithAlpha| scenarios(protocol, with.copying.iterations, with.alpha),
        )
    } else {
        FenceProblem::new(protocol.name(), about, source, move |copying: &Copying| {
            scenarios(protocol, copying.iterations, 0)
        })
    };
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

fn scenarios(protocol: Protocol, iterations: u8, alpha: u8) -> Result<Vec<Scenario>, InputError> {
    let scenarios = [copying::Scenario::Wr, copying::Scenario::Rw].into_iter();
    let scenarios = scenarios.map(|scenario| {
        let mut instance = Instance::new(protocol, scenario);
        instance.iterations = iterations;
        instance.alpha = alpha;
        let refinement = CopyingRefinement::new(&instance, MemoryModel::Sc);
        let refinement = refinement.map_err(InputError::instance)?;
        Ok(Scenario::of(scenario.name(), refinement))
    });
    scenarios.collect()
}
