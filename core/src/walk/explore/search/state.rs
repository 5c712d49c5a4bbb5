//! The state of a search, between its waves.

use std::time::Instant;

use super::kept::{BetweenWaves, KeptForCheckpoints};
use super::list::List;
use super::member::Together;
use crate::statement::asked::model_call::Panic;
use crate::walk::explore::duplicates::{DuplicateFilter, Pending};
use crate::walk::explore::expansion::{Expand, Expanded, Expander};
use crate::walk::explore::filtered::Filtered;
use crate::walk::explore::graph::Graph;
use crate::walk::explore::keys::{Compared, Form};
use crate::walk::explore::limits::Clock;
use crate::walk::explore::memory::Resident;
use crate::walk::explore::options::{PlainOptions, Record};
use crate::walk::explore::peers::Trouble;
use crate::walk::explore::predecessors::Predecessors;
use crate::walk::explore::set::{Candidate, Partition, Visited};
use crate::walk::explore::spill::Tentative;

/// A search of the states of a model, which are kept as `K`. It knows nothing else of the model.
pub(in crate::walk::explore) struct StateSearch<'a, K, I> {
    pub(super) model: &'a dyn Expand,
    pub(super) options: PlainOptions<'a>,
    pub(super) clock: Clock<'a>,
    pub(super) list: List<K, I>,
    pub(super) visited: I,
    pub(super) predecessors: Predecessors,
    pub(super) workers: Vec<Worker<'a, K>>,
    pub(super) graph: Option<Graph>,
    /// The steps that there were when they took too much memory.
    pub(super) graph_too_large: Option<u64>,
    pub(super) transitions: u64,
    /// Number of initial states.
    pub(super) initial_states: u64,
    /// The first state to which the level that is being expanded has led.
    pub(super) before: u64,
    /// Bytes that the largest wave took beside what it added.
    pub(super) wave_bytes: u64,
    /// The states expanded since the operating system was asked whether there is headroom.
    pub(super) since_grant: u64,
    /// A state was left out because there was no room for it.
    pub(super) at_capacity: bool,
    /// A panic, or a state that cannot be packed, left steps unknown.
    pub(super) incomplete: bool,
    /// Until when states are looked at that were reached before the time was up.
    pub(super) grace: Option<Instant>,
    /// The states reached that are not looked at, for lack of time.
    pub(super) unexamined: u64,
    pub(super) resident: Resident,
    /// Form in which states are kept.
    pub(super) form: Form,
    /// Position to which a checkpoint goes back: of one process where a wave begins whose states found no room, of several
    /// where the level begins.
    pub(super) earlier: Option<BetweenWaves>,
    /// Data for checkpoints, if there are any.
    pub(super) kept: Option<Box<KeptForCheckpoints<K>>>,
    /// Bytes of the search from which on states go to disk, if there is one.
    pub(super) spill_from: u64,
    /// States that are perhaps new, as long as it is not known whether they are on disk.
    pub(super) tentative: Tentative<K>,
    /// Reason why a file could not be written or read.
    pub(super) unwritten: Option<String>,
    /// Reason why this process expands no more states.
    pub(super) trouble: Option<Trouble>,
    /// Panic of a function of the model that was not called for a state or a step.
    pub(super) panic: Option<Panic>,
    /// Data beside the search, where it is one of several processes.
    pub(super) together: Option<Box<Together>>,
}

/// Data that a worker keeps from wave to wave. PERF: on lines of the cache of its own.
#[repr(align(128))]
pub(super) struct Worker<'a, K> {
    /// Expands the states.
    pub(super) expander: Box<dyn Expander + 'a>,
    /// Steps of the last batch,
    pub(super) expanded: Expanded,
    /// and where they lead.
    pub(super) keys: Vec<K>,
    /// True if the chunk follows all those of the wave that it has worked through. If not, a target met in one of those
    /// may be met here first, in order.
    pub(super) in_order: bool,
    /// The targets that it met last, in order,
    pub(super) recent: DuplicateFilter,
    /// and those of the chunk that were not among them.
    pub(super) passed: Filtered<Candidate<K>>,
    /// Places of the candidates of the chunk, if they were looked up.
    pub(super) pending: Pending,
    /// The candidates of all its chunks of the wave, if they were sorted.
    pub(super) sorted: Partition,
    /// Steps taken since it looked at the memory.
    pub(super) unlooked: u64,
    /// Targets of other processes that it has met lately; none where there are no others.
    pub(super) sent: Vec<Option<K>>,
}

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// A search that has found nothing yet.
    pub fn new(model: &'a dyn Expand, form: Form, options: PlainOptions<'a>, visited: I) -> Self {
        Self {
            model,
            options,
            clock: Clock {
                limits: options.limits,
                watch: options.watch,
                started: Instant::now(),
            },
            list: List::new(),
            predecessors: Predecessors::default(),
            workers: (0..options.threads)
                .map(|_| Worker {
                    expander: model.worker(),
                    expanded: Expanded::new(form),
                    keys: Vec::new(),
                    in_order: true,
                    recent: DuplicateFilter::new(visited.hash_bits()),
                    pending: Pending::new(),
                    passed: Filtered::new(),
                    sorted: Partition::default(),
                    unlooked: 0,
                    sent: Vec::new(),
                })
                .collect(),
            // Without the numbers of targets there are no edges.
            graph: (options.record == Record::Graph && visited.looks_up_first()).then(Graph::new),
            visited,
            graph_too_large: None,
            transitions: 0,
            initial_states: 0,
            before: 0,
            wave_bytes: 0,
            since_grant: 0,
            at_capacity: false,
            incomplete: false,
            grace: None,
            unexamined: 0,
            resident: Resident::default(),
            form,
            earlier: None,
            kept: None,
            spill_from: u64::MAX,
            tentative: Tentative::new(),
            unwritten: None,
            trouble: None,
            panic: None,
            together: None,
        }
    }
}
