//! A memory with a cache for each processor, and a queue in which writes wait for the memory.
//!
//! Source: Lamport, *Specifying Systems*, section 5.6, module `WriteThroughCache`; section 8.6 for the fairness, module
//! `LiveWriteThroughCache`.
//!
//! Fairness: for each processor, weakly `rsp` or `do_rd`, and strongly `rd_miss` or `do_wr`, since the queue may be full
//! again and again; and weakly `mem_q_wr_if_needed` or `mem_q_rd`. Writes may stay in the queue for ever while there is
//! room behind them and no read.

use std::collections::VecDeque;

use refmap::drawing::Row;
use refmap::{Drawing, Fairness, TransitionSystem, guard, offer};
use serde::Serialize;

use super::conditions::Conditions;
use super::internal_memory::{
    Control, Datum, Exchange, Interface, InternalMemory, MAX, Request, interface, request,
};

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
    /// The request.
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
    #[state(max_len = MAX)]
    pub cache: Vec<Cache>,
    /// The requests that wait for the memory.
    #[state(max_len = MAX_QUEUE)]
    pub mem_q: VecDeque<Queued>,
}

/// A step of a processor, of its cache, or of the memory. *MemQWr* is two rules, since the condition of fairness is one on
/// those of its steps that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "processor")]
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
    Evict(#[process] usize, usize),
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

    /// The same with another interface.
    fn with(&self, interface: Interface) -> Self {
        let to = self.clone();
        Self { interface, ..to }
    }

    fn is_busy(&self, processor: usize) -> bool {
        guard("it is busy", self.interface.ctl[processor] == Control::Busy)
    }

    fn has_room(&self, q_len: usize) -> bool {
        guard("the queue has room", self.mem_q.len() < q_len)
    }

    /// Rule *RdMiss*.
    fn rd_miss(&self, processor: usize, q_len: usize) -> Option<Self> {
        let Some(request @ Request::Rd { adr }) = self.interface.request_of(processor) else {
            return None;
        };
        let is_missing = guard("it is not cached", self.cache[processor].0[adr].is_none());
        (self.is_busy(processor) & is_missing & self.has_room(q_len)).then(|| {
            let mut to = self.clone();
            to.mem_q.push_back(Queued { processor, request });
            to.interface.ctl[processor] = Control::Waiting;
            to
        })
    }

    /// Rule *DoRd*.
    fn do_rd(&self, processor: usize) -> Option<Self> {
        let Some(Request::Rd { adr }) = self.interface.request_of(processor) else {
            return None;
        };
        let is_asked = matches!(
            self.interface.ctl[processor],
            Control::Busy | Control::Waiting
        );
        let cached = self.cache[processor].0[adr].filter(|_| is_asked)?;
        Some(self.with(self.interface.done(processor, Datum::Value(cached))))
    }

    /// Rule *DoWr*.
    fn do_wr(&self, processor: usize, q_len: usize, fault: Fault) -> Option<Self> {
        let Some(request @ Request::Wr { adr, val }) = self.interface.request_of(processor) else {
            return None;
        };
        (self.is_busy(processor) & self.has_room(q_len)).then(|| {
            let mut to = self.with(self.interface.done(processor, Datum::NoVal));
            for (other, Cache(cached)) in to.cache.iter_mut().enumerate() {
                let has_copy = cached[adr].is_some() && fault != Fault::StaleCopies;
                if other == processor || has_copy {
                    cached[adr] = Some(val);
                }
            }
            to.mem_q.push_back(Queued { processor, request });
            to
        })
    }

    /// Rule *Evict*.
    fn evict(&self, processor: usize, adr: usize, fault: Fault) -> Option<Self> {
        let waits = self.interface.ctl[processor] == Control::Waiting
            && self.interface.request_of(processor) == Some(Request::Rd { adr });
        let is_evicted = !waits || fault == Fault::EvictsAwaited;
        guard("it is not awaited", is_evicted).then(|| {
            let mut to = self.clone();
            to.cache[processor].0[adr] = None;
            to
        })
    }

    /// Rule *MemQWr*.
    fn mem_q_wr(&self) -> Option<Self> {
        let Request::Wr { adr, val } = self.mem_q.front()?.request else {
            return None;
        };
        let mut to = self.clone();
        to.wmem[adr] = val;
        to.mem_q.pop_front();
        Some(to)
    }

    /// Rule *MemQRd*.
    fn mem_q_rd(&self, fault: Fault) -> Option<Self> {
        let Queued { processor, request } = *self.mem_q.front()?;
        let Request::Rd { adr } = request else {
            return None;
        };
        let read = match fault {
            Fault::ReadsAheadOfWrites => self.wmem[adr],
            Fault::None | Fault::StaleCopies | Fault::EvictsAwaited => self.vmem()[adr],
        };
        let mut to = self.clone();
        to.cache[processor].0[adr] = Some(read);
        to.mem_q.pop_front();
        Some(to)
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        let (memory, q_len, fault) = (&self.memory, self.q_len, self.fault);
        for processor in 0..memory.processors {
            for request in memory.requests() {
                offer(visit, Action::Req(processor, request), || {
                    Some(from.with(from.interface.req(processor, request)?))
                });
            }
            offer(visit, Action::Rsp(processor), || {
                Some(from.with(from.interface.rsp(processor)?))
            });
            offer(visit, Action::RdMiss(processor), || {
                from.rd_miss(processor, q_len)
            });
            offer(visit, Action::DoRd(processor), || from.do_rd(processor));
            offer(visit, Action::DoWr(processor), || {
                from.do_wr(processor, q_len, fault)
            });
            for adr in 0..memory.addresses {
                offer(visit, Action::Evict(processor, adr), || {
                    from.evict(processor, adr, fault)
                });
            }
        }
        let mem_q_wr = if from.q_cond(q_len) {
            Action::MemQWrIfNeeded
        } else {
            Action::MemQWr
        };
        offer(visit, mem_q_wr, || from.mem_q_wr());
        offer(visit, Action::MemQRd, || from.mem_q_rd(fault));
    }

    fn observe(&self, state: &State) -> Exchange {
        state.interface.mem_int
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![
            Fairness::weak("respond", ["rsp", "do_rd"]),
            Fairness::strong("enqueue", ["rd_miss", "do_wr"]),
            Fairness::weak("dequeue", ["mem_q_wr_if_needed", "mem_q_rd"]),
        ])
    }
}

/// The memory with the queue in front of it, and the cache of each processor.
fn drawing(state: &State) -> Drawing {
    let queued = state.mem_q.iter();
    let queued = queued.map(|one| format!("{}: {}", one.processor, request(one.request)));
    let memory = Row::of("memory")
        .queue("", &state.wmem)
        .queue("waiting", queued);
    let cached = |processor: usize, row: Row| {
        let cells = state.cache[processor].0.iter();
        let cells = cells.map(|value| value.map_or("–".to_owned(), |value| value.to_string()));
        row.queue("cache", cells)
    };
    interface(Drawing::default(), &state.interface, cached).row(memory)
}
