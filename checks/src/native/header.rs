//! Parameters in the headers of recorded histories, of which a validator makes its instance.

use refmap_cli::catalogue::number;
use refmap_cli::clap::{self, Args};
use refmap_systems::native::ben_ari::Bounds;
use refmap_systems::native::on_the_fly::Shape;
use refmap_systems::tso::{MAX_FIELDS, MAX_MUTATORS, MAX_REFS};

/// Header of a history of Ben-Ari's collector.
#[derive(Clone, Args)]
pub(super) struct MemoryParameters {
    /// nodes of the memory
    #[arg(long, value_parser = number::<u32>(1..=Bounds::MOST_NODES.into()))]
    nodes: u32,
    /// sons of a node
    #[arg(long, value_parser = number::<u32>(1..=Bounds::MOST_SONS.into()))]
    sons: u32,
    /// nodes that are roots
    #[arg(long, value_parser = number::<u32>(1..=Bounds::MOST_NODES.into()))]
    roots: u32,
    #[command(flatten)]
    _run: Run,
}

/// Header of a history of the on-the-fly collector, for the specification of a heap.
#[derive(Clone, Args)]
pub(super) struct HeapParameters {
    /// objects that the heap holds
    #[arg(long, value_parser = number::<u32>(1..=Shape::MOST_OBJECTS.into()))]
    objects: u32,
    /// fields of an object
    #[arg(long, value_parser = number::<u32>(0..=Shape::MOST_FIELDS.into()))]
    fields: u32,
    /// the greatest number of mutators at a time
    #[arg(long = "mutators")]
    _mutators: Option<u64>,
    #[command(flatten)]
    _threads: Threads,
    #[command(flatten)]
    _run: Run,
}

/// Header of the same history, for the x86-TSO model, which has smaller heaps.
#[derive(Clone, Args)]
pub(super) struct ModelParameters {
    /// the greatest number of mutators at a time
    #[arg(long, value_parser = number::<u8>(1..=MAX_MUTATORS as u64))]
    pub mutators: u8,
    /// objects that the heap holds
    #[arg(long, value_parser = number::<u8>(1..=MAX_REFS as u64))]
    pub objects: u8,
    /// fields of an object
    #[arg(long, value_parser = number::<u8>(1..=MAX_FIELDS as u64))]
    pub fields: u8,
    #[command(flatten)]
    _threads: Threads,
    #[command(flatten)]
    _run: Run,
}

/// Number of threads of the run that was recorded, which no instance depends on.
#[derive(Clone, Args)]
struct Threads {
    /// a number of threads
    #[arg(long = "threads")]
    _threads: Option<u64>,
}

/// Run that was recorded, which no instance depends on.
#[derive(Clone, Args)]
struct Run {
    /// the name of a collector
    #[arg(long = "collector")]
    _collector: Option<String>,
    // A text, so that a history of a fault that there is no more can be read.
    /// the name of a fault
    #[arg(long = "fault")]
    _fault: Option<String>,
    /// a seed
    #[arg(long = "seed")]
    _seed: Option<u64>,
}

impl MemoryParameters {
    pub fn bounds(&self) -> Bounds {
        Bounds {
            nodes: self.nodes,
            sons: self.sons,
            roots: self.roots,
        }
    }
}

impl HeapParameters {
    pub fn shape(&self) -> Shape {
        Shape {
            objects: self.objects,
            fields: self.fields,
        }
    }
}
