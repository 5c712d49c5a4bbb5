//! A memory with a cache for each processor, and a queue in which writes wait for the memory.
//!
//! Source: Lamport, *Specifying Systems*, section 5.6, module `WriteThroughCache`; section 8.6 for the fairness, module
//! `LiveWriteThroughCache`.
//!
//! Fairness: for each processor, weakly `rsp` or `do_rd`, and strongly `rd_miss` or `do_wr`, since the queue may be full
//! again and again; and weakly `mem_q_wr_if_needed` or `mem_q_rd`. Writes may stay in the queue for ever while there is
//! room behind them and no read.

use std::collections::VecDeque;

use refmap::{Action as _, Fairness, TransitionSystem, guard};
use serde::Serialize;

use super::conditions::Conditions;
use super::internal_memory::{Control, Datum, Exchange, Interface, InternalMemory, MAX, Request};

/// Greatest length of the queue.
pub const MAX_QUEUE: usize = 4;

/// An instance of the cache.
pub struct WriteThroughCache {
    /// The processors, addresses and values.
    pub memory: InternalMemory,
    /// Greatest number of requests in the queue.
    pub q_len: usize,
    /// The rule that is wrong.
    pub fault: Fault,
    /// The fairness conditions.
    pub fairness: Conditions,
}

/// The rule that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// None: as published.
    None,
    /// *DoWr* leaves old values in the caches of the other processors.
    StaleCopies,
    /// *MemQRd* reads the memory, whatever is written in the queue.
    ReadsAheadOfWrites,
    /// *Evict* removes the value for which a processor waits, so that it may wait for ever.
    EvictsAwaited,
}

/// The values that the cache of a processor has of the addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Cache(#[state(max_len = MAX, range = 0..MAX)] pub Vec<Option<usize>>);

/// A request that waits for the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Queued {
    /// The processor whose request it is.
    #[state(range = 0..MAX)]
    pub processor: usize,
    pub request: Request,
}

/// The memory, the caches, the queue and the interface.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `memInt`, `ctl` and `buf`.
    #[serde(flatten)]
    pub interface: Interface,
    /// The value at an address.
    #[state(max_len = MAX, range = 0..MAX)]
    pub wmem: Vec<usize>,
    /// The cache of a processor.
    #[state(each = "processor", max_len = MAX)]
    pub cache: Vec<Cache>,
    /// The requests that wait for the memory.
    #[state(max_len = MAX_QUEUE)]
    pub mem_q: VecDeque<Queued>,
}

/// A step of a processor, of its cache, or of the memory. *MemQWr* is two rules, since the condition of fairness is one on
/// those of its steps that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = WriteThroughCache)]
#[rule(process = "processor")]
#[process(0..system.memory.processors)]
pub enum Action {
    /// A processor sends a request.
    #[rule(source = "WriteThroughCache, Req(p)")]
    Req(#[process] usize, Request),
    /// The processor receives the response.
    #[rule(source = "WriteThroughCache, Rsp(p)")]
    Rsp(#[process] usize),
    /// A read of what the cache does not have is put into the queue.
    #[rule(source = "WriteThroughCache, RdMiss(p)")]
    RdMiss(#[process] usize),
    /// A read of what the cache has.
    #[rule(source = "WriteThroughCache, DoRd(p)")]
    DoRd(#[process] usize),
    /// A write to the caches, which is put into the queue.
    #[rule(source = "WriteThroughCache, DoWr(p)")]
    DoWr(#[process] usize),
    /// A cache forgets the value at an address.
    #[rule(source = "WriteThroughCache, Evict(p, a)")]
    Evict(
        #[process] usize,
        #[action(range = 0..system.memory.addresses)] usize,
    ),
    /// The first write leaves the queue, which is full or has a read.
    #[rule(process = "memory", source = "LiveWriteThroughCache, QCond ∧ MemQWr")]
    MemQWrIfNeeded,
    /// The first write leaves the queue, which has only writes, and room.
    #[rule(process = "memory", source = "WriteThroughCache, MemQWr")]
    MemQWr,
    /// The first read leaves the queue.
    #[rule(process = "memory", source = "WriteThroughCache, MemQRd")]
    MemQRd,
}

impl State {
    /// The memory as it is when all writes of the queue are carried out.
    pub fn vmem(&self) -> Vec<usize> {
        let mut vmem = self.wmem.clone();
        for queued in &self.mem_q {
            if let Request::Wr { adr, val } = queued.request {
                vmem[adr] = val;
            }
        }
        vmem
    }

    fn is_busy(&self, processor: usize) -> Option<()> {
        guard("it is busy", self.interface.ctl[processor] == Control::Busy)
    }

    fn has_room(&self, q_len: usize) -> Option<()> {
        guard("the queue has room", self.mem_q.len() < q_len)
    }

    /// Rule *MemQWr*.
    fn mem_q_wr(&mut self) -> Option<()> {
        let Request::Wr { adr, val } = self.mem_q.pop_front()?.request else {
            return None;
        };
        self.wmem[adr] = val;
        Some(())
    }

    /// Whether the queue has to move on: it is full, or has a read.
    fn q_cond(&self, q_len: usize) -> bool {
        let is_read = |queued: &Queued| matches!(queued.request, Request::Rd { .. });
        self.mem_q.len() == q_len || self.mem_q.iter().any(is_read)
    }
}

impl TransitionSystem for WriteThroughCache {
    type State = State;
    type Action = Action;
    type Observation = Exchange;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for start in self.memory.starts() {
            visit(State {
                interface: start.interface,
                wmem: start.mem,
                cache: vec![Cache(vec![None; self.memory.addresses]); self.memory.processors],
                mem_q: VecDeque::new(),
            });
        }
    }

    fn candidates(&self, _: &State, visit: &mut impl FnMut(Action)) {
        for processor in 0..self.memory.processors {
            let requests = self.memory.requests();
            requests.for_each(|request| visit(Action::Req(processor, request)));
        }
        Action::candidates(self, visit);
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Req(processor, request) => state.interface.req(processor, request)?,
            Action::Rsp(processor) => state.interface.rsp(processor)?,
            Action::RdMiss(processor) => {
                let request = state.interface.request_of(processor)?;
                let Request::Rd { adr } = request else {
                    return None;
                };
                let is_missing = state.cache[processor].0[adr].is_none();
                state
                    .is_busy(processor)
                    .and(guard("it is not cached", is_missing))
                    .and(state.has_room(self.q_len))?;
                state.mem_q.push_back(Queued { processor, request });
                state.interface.ctl[processor] = Control::Waiting;
            }
            Action::DoRd(processor) => {
                let Request::Rd { adr } = state.interface.request_of(processor)? else {
                    return None;
                };
                let (Control::Busy | Control::Waiting) = state.interface.ctl[processor] else {
                    return None;
                };
                let cached = state.cache[processor].0[adr]?;
                state.interface.done(processor, Datum::Value(cached));
            }
            Action::DoWr(processor) => {
                let request = state.interface.request_of(processor)?;
                let Request::Wr { adr, val } = request else {
                    return None;
                };
                state.is_busy(processor).and(state.has_room(self.q_len))?;
                state.interface.done(processor, Datum::NoVal);
                for (other, Cache(cached)) in state.cache.iter_mut().enumerate() {
                    let has_copy = cached[adr].is_some() && self.fault != Fault::StaleCopies;
                    if other == processor || has_copy {
                        cached[adr] = Some(val);
                    }
                }
                state.mem_q.push_back(Queued { processor, request });
            }
            Action::Evict(processor, adr) => {
                let waits = state.interface.ctl[processor] == Control::Waiting
                    && state.interface.request_of(processor) == Some(Request::Rd { adr });
                let is_evicted = !waits || self.fault == Fault::EvictsAwaited;
                guard("it is not awaited", is_evicted)?;
                state.cache[processor].0[adr] = None;
            }
            Action::MemQWrIfNeeded => {
                state.q_cond(self.q_len).then_some(())?;
                state.mem_q_wr()?;
            }
            Action::MemQWr => {
                (!state.q_cond(self.q_len)).then_some(())?;
                state.mem_q_wr()?;
            }
            Action::MemQRd => {
                let Queued { processor, request } = *state.mem_q.front()?;
                let Request::Rd { adr } = request else {
                    return None;
                };
                let read = match self.fault {
                    Fault::ReadsAheadOfWrites => state.wmem[adr],
                    Fault::None | Fault::StaleCopies | Fault::EvictsAwaited => state.vmem()[adr],
                };
                state.cache[processor].0[adr] = Some(read);
                state.mem_q.pop_front();
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Exchange {
        state.interface.mem_int
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![
            Fairness::weak("respond", ["rsp", "do_rd"]),
            Fairness::strong("enqueue", ["rd_miss", "do_wr"]),
            Fairness::weak("dequeue", ["mem_q_wr_if_needed", "mem_q_rd"]),
        ])
    }
}
