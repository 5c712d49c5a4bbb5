//! Checks of Ben-Ari's collector: three refinements, their composition, and wrong implementations.
//!
//! Paper: Havelund & Shankar, *A Refinement Proof for a Garbage Collector*.

use refmap::obligation::Checkable;
use refmap_cli::catalogue::{Check, InputError, number};
use refmap_cli::clap::{self, Args, ValueEnum};
use refmap_refinements::ben_ari::broken::{BrokenRefinement, Mapping};
use refmap_refinements::ben_ari::{AnyMutators, Refinement1, Refinement2, Refinement3};
use refmap_refinements::{Checked, CheckedCrowd};
use refmap_systems::ben_ari::broken::Fault;
use refmap_systems::ben_ari::{
    CollectorFairness, Figure14, Finishing, InitialColours, Look, MAX_MUTATORS, MAX_NODES,
    MAX_SONS, Midway, MutatorOrder, Scope,
};

use super::named::named;

pub(super) fn checks() -> Vec<Check> {
    vec![
        scoped(
            "ben-ari-1",
            "nodes are coloured and white ones collected: refines collect only garbage",
            "Havelund & Shankar, section 6.1",
            |scope| Refinement1::new(scope).into_checker(),
        ),
        scoped(
            "ben-ari-2",
            "colours are propagated from the roots: refines ben-ari-1's collector",
            "Havelund & Shankar, section 6.2",
            |scope| Refinement2::new(scope).into_checker(),
        ),
        scoped(
            "ben-ari-3",
            "nodes are scanned and black ones counted: refines ben-ari-2's collector",
            "Havelund & Shankar, section 6.3",
            |scope| Refinement3::new(scope).into_checker(),
        ),
        scoped(
            "ben-ari",
            "the algorithm refines collect only garbage, by composition of the three",
            "Havelund & Shankar, Appendix B.3",
            |scope| AnyMutators::new(scope).into_checker(scope.mutators.into()),
        )
        .any_number_of("mutators"),
        Check::new(
            "broken",
            "wrong implementations of collect only garbage that pass simulation",
            "Havelund & Shankar, section 2",
            |broken: &Broken| {
                let scope = broken.bounds.scope().validate();
                let (fault, mapping) = broken.fault.parts();
                let refinement =
                    BrokenRefinement::new(scope.map_err(InputError::instance)?, fault, mapping);
                Ok(refinement.into_checker())
            },
        ),
    ]
}

/// Creates a check with the parameters of a scope.
fn scoped(
    name: &'static str,
    about: &'static str,
    source: &'static str,
    checker: fn(Scope) -> Box<dyn Checkable>,
) -> Check {
    let build = move |collector: &Collector| -> Result<Box<dyn Checkable>, InputError> {
        let scope = Scope {
            colours: collector.colours,
            figure_14: collector.figure_14,
            mutator: collector.mutator,
            fairness: collector.fairness,
            midway: collector.midway,
            look: collector.look,
            finishing: collector.finishing,
            ..collector.bounds.scope()
        };
        let scope = scope.validate().map_err(InputError::instance)?;
        Ok(checker(scope))
    };
    Check::new(name, about, source, build)
}

#[derive(Clone, Args)]
struct Bounds {
    /// NODES, the nodes of the memory
    #[arg(long, default_value_t = 3, value_parser = number::<u8>(1..=MAX_NODES as u64))]
    nodes: u8,
    /// SONS, the cells of a node
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=MAX_SONS as u64))]
    sons: u8,
    /// ROOTS, at most NODES
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_NODES as u64))]
    roots: u8,
    /// how many mutators run
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_MUTATORS as u64))]
    mutators: u8,
}

impl Bounds {
    fn scope(&self) -> Scope {
        Scope {
            mutators: self.mutators,
            ..Scope::new(self.nodes, self.sons, self.roots)
        }
    }
}

#[derive(Clone, Args)]
struct Collector {
    #[command(flatten)]
    bounds: Bounds,
    /// the colours at the start
    #[arg(long, default_value = "any", value_parser = named::<InitialColours>())]
    colours: InitialColours,
    /// where TEST_L.1 goes: to COLOUR_ROOTS, or as printed to TEST_I
    #[arg(long = "figure-14", default_value = "corrected", value_parser = named::<Figure14>())]
    figure_14: Figure14,
    /// the order of the mutator's steps
    #[arg(long, default_value = "redirect-first", value_parser = named::<MutatorOrder>())]
    mutator: MutatorOrder,
    /// what is assumed of the collector's progress
    #[arg(long, default_value = "weak", value_parser = named::<CollectorFairness>())]
    fairness: CollectorFairness,
    /// what the collector does about mutators between their redirection and their colouring
    #[arg(long, default_value = "ignored", value_parser = named::<Midway>())]
    midway: Midway,
    /// when and how it looks for them
    #[arg(long, default_value = "one-by-one", value_parser = named::<Look>())]
    look: Look,
    /// what is assumed of a mutator that has begun
    #[arg(long, default_value = "none", value_parser = named::<Finishing>())]
    finishing: Finishing,
}

#[derive(Clone, Args)]
struct Broken {
    #[command(flatten)]
    bounds: Bounds,
    /// what is wrong
    #[arg(long, value_enum, default_value_t = Wrong::None)]
    fault: Wrong,
}

/// Fault of an implementation, or of the mapping that it is checked with.
#[derive(Clone, Copy, ValueEnum)]
enum Wrong {
    None,
    NeverRedirectsAway,
    IdleMutator,
    IdleCollector,
    OverwritingCollector,
    OneStateMapping,
    NoInitialState,
}

impl Wrong {
    fn parts(self) -> (Fault, Mapping) {
        let fault = match self {
            Self::None | Self::OneStateMapping => Fault::None,
            Self::NeverRedirectsAway => Fault::NeverRedirectsAway,
            Self::IdleMutator => Fault::IdleMutator,
            Self::IdleCollector => Fault::IdleCollector,
            Self::OverwritingCollector => Fault::OverwritingCollector,
            Self::NoInitialState => Fault::NoInitialState,
        };
        let mapping = match self {
            Self::OneStateMapping => Mapping::OneState,
            _ => Mapping::Identity,
        };
        (fault, mapping)
    }
}
