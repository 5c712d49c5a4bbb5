//! A memory that processors read and write, each request in one step.
//!
//! Source: Lamport, *Specifying Systems*, section 5.3, module `InternalMemory`; section 8.5 for the fairness, module
//! `LiveInternalMemory`. The interface is that of the models of both: `memInt` is the processor that sent or received
//! last, and what it sent or received.
//!
//! Fairness: for each processor, weakly `do` or `rsp`.

use refmap::{Action as _, Fairness, TransitionSystem, guard};
use serde::Serialize;

use crate::vectors::vectors;

/// Greatest number of processors, of addresses, and of values.
pub const MAX: usize = 4;

/// An instance of the memory.
pub struct InternalMemory {
    /// Number of processors.
    pub processors: usize,
    /// Number of addresses.
    pub addresses: usize,
    /// Number of values.
    pub values: usize,
}

/// Request of a processor to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Request {
    /// The value at an address.
    Rd {
        /// The address.
        #[state(range = 0..MAX)]
        adr: usize,
    },
    /// Another value at an address.
    Wr {
        /// The address.
        #[state(range = 0..MAX)]
        adr: usize,
        /// The value.
        #[state(range = 0..MAX)]
        val: usize,
    },
}

/// Datum that passes between a processor and the memory, or that the memory keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Datum {
    /// Nothing: the response to a write.
    NoVal,
    Request(Request),
    /// The response to a read.
    Value(#[state(range = 0..MAX)] usize),
}

/// Progress of the request of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Control {
    /// There is none.
    Rdy,
    /// It is to be carried out.
    Busy,
    /// It waits for the memory; only where there is a cache.
    Waiting,
    /// It is carried out, and there is a response.
    Done,
}

/// Datum a processor sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Exchange {
    #[state(range = 0..MAX)]
    pub processor: usize,
    pub datum: Datum,
}

/// Last exchange, and the request of each processor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Interface {
    /// The last exchange.
    pub mem_int: Exchange,
    /// Progress of the request of a processor.
    #[state(each = "processor", max_len = MAX)]
    pub ctl: Vec<Control>,
    /// The request of a processor, or the response.
    #[state(each = "processor", max_len = MAX)]
    pub buf: Vec<Datum>,
}

/// The memory and its interface.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `memInt`, `ctl` and `buf`.
    #[serde(flatten)]
    pub interface: Interface,
    /// The value at an address.
    #[state(max_len = MAX, range = 0..MAX)]
    pub mem: Vec<usize>,
}

/// A step of a processor, or of the memory for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = InternalMemory)]
#[rule(process = "processor")]
#[process(0..system.processors)]
pub enum Action {
    /// A processor sends a request.
    #[rule(source = "InternalMemory, Req(p)")]
    Req(#[process] usize, Request),
    /// The memory carries the request out.
    #[rule(source = "InternalMemory, Do(p)")]
    Do(#[process] usize),
    /// The processor receives the response.
    #[rule(source = "InternalMemory, Rsp(p)")]
    Rsp(#[process] usize),
}

impl Interface {
    /// The interface before the first request.
    fn initial(processors: usize) -> Self {
        Self {
            mem_int: Exchange {
                processor: 0,
                datum: Datum::NoVal,
            },
            ctl: vec![Control::Rdy; processors],
            buf: vec![Datum::NoVal; processors],
        }
    }

    /// The request of a processor, if there is one.
    pub fn request_of(&self, processor: usize) -> Option<Request> {
        match self.buf[processor] {
            Datum::Request(request) => Some(request),
            Datum::NoVal | Datum::Value(_) => None,
        }
    }

    /// Rule *Req*.
    pub fn req(&mut self, processor: usize, request: Request) -> Option<()> {
        guard("it is ready", self.ctl[processor] == Control::Rdy)?;
        let datum = Datum::Request(request);
        self.mem_int = Exchange { processor, datum };
        self.buf[processor] = datum;
        self.ctl[processor] = Control::Busy;
        Some(())
    }

    /// The request of a processor is carried out.
    pub fn done(&mut self, processor: usize, response: Datum) {
        self.buf[processor] = response;
        self.ctl[processor] = Control::Done;
    }

    /// Rule *Rsp*.
    pub fn rsp(&mut self, processor: usize) -> Option<()> {
        guard("it has a response", self.ctl[processor] == Control::Done)?;
        let datum = self.buf[processor];
        self.mem_int = Exchange { processor, datum };
        self.ctl[processor] = Control::Rdy;
        Some(())
    }
}

impl InternalMemory {
    /// The requests that there are.
    pub fn requests(&self) -> impl Iterator<Item = Request> {
        let writes = move |adr| (0..self.values).map(move |val| Request::Wr { adr, val });
        (0..self.addresses)
            .flat_map(move |adr| [Request::Rd { adr }].into_iter().chain(writes(adr)))
    }

    /// The initial states, with any values in the memory.
    pub fn starts(&self) -> Vec<State> {
        let interface = Interface::initial(self.processors);
        let with = |mem| State {
            interface: interface.clone(),
            mem,
        };
        vectors(self.addresses, self.values)
            .into_iter()
            .map(with)
            .collect()
    }
}

impl TransitionSystem for InternalMemory {
    type State = State;
    type Action = Action;
    type Observation = Exchange;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        self.starts().into_iter().for_each(visit);
    }

    fn candidates(&self, _: &State, visit: &mut impl FnMut(Action)) {
        for processor in 0..self.processors {
            self.requests()
                .for_each(|request| visit(Action::Req(processor, request)));
        }
        Action::candidates(self, visit);
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let State { interface, mem } = state;
        match *action {
            Action::Req(processor, request) => interface.req(processor, request)?,
            Action::Do(processor) => {
                let is_busy = interface.ctl[processor] == Control::Busy;
                guard("it has a request", is_busy)?;
                let response = match interface.request_of(processor)? {
                    Request::Rd { adr } => Datum::Value(mem[adr]),
                    Request::Wr { adr, val } => {
                        mem[adr] = val;
                        Datum::NoVal
                    }
                };
                interface.done(processor, response);
            }
            Action::Rsp(processor) => interface.rsp(processor)?,
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Exchange {
        state.interface.mem_int
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![Fairness::weak("respond", ["do", "rsp"])]
    }
}
