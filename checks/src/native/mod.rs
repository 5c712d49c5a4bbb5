//! Stress runs on real threads, and validators of their recorded histories.

mod ben_ari;
mod collector;
mod header;
mod history_file;
mod sampled;

use refmap_cli::catalogue::{InputError, StressRun, Validator};
use refmap_histories::Header;
use refmap_refinements::native::{ObservedHeap, ObservedMemory, ObservedModel};
use refmap_systems::native::model::Model;
use serde_json::Value;

use header::{HeapParameters, MemoryParameters, ModelParameters};

/// Validator of both collectors' histories.
const GARBAGE_ONLY: &str = "collect-only-garbage";
/// Name of the collector in the header of a history.
const BEN_ARI: &str = "ben-ari";

pub(super) fn runs() -> Vec<StressRun> {
    vec![collector::run(), ben_ari::run()]
}

pub(super) fn validators() -> Vec<Validator> {
    let of_ben_ari = Validator::new(
        GARBAGE_ONLY,
        "what Ben-Ari's native collector appends to the free list is accessible to no mutator",
        "Havelund & Shankar, section 5",
        |of: &MemoryParameters| ObservedMemory::new(of.bounds()).map_err(InputError::instance),
    );
    let is_of_ben_ari =
        |header: &Header| header.parameters.get("collector") == Some(&Value::from(BEN_ARI));
    vec![
        Validator::new(
            GARBAGE_ONLY,
            "what a native collector frees, or Ben-Ari's appends to the free list, is reachable by no mutator",
            "Gammie et al., section 1.1; Havelund & Shankar, section 5",
            |of: &HeapParameters| ObservedHeap::new(of.shape()).map_err(InputError::instance),
        )
        .or(is_of_ben_ari, of_ben_ari),
        Validator::new(
            "tso",
            "each access of the native collector and of its barriers is one of the x86-TSO model, on heaps \
             that the model has: at most 4 objects of 1 or 2 fields, and 3 mutators at a time",
            "Gammie et al., Figs. 2, 4, 5, 6 and 9",
            |of: &ModelParameters| {
                let model = Model::new(of.mutators, of.objects, of.fields);
                model.map(ObservedModel::new).map_err(InputError::instance)
            },
        ),
    ]
}
