//! The scheduling allocator as a server, with clients that send it messages.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `AllocatorImplementation`.
//!
//! Fairness: weakly `return_all`, `allocate`, `r_req`, `r_alloc` and `r_ret` for each client, and weakly `schedule`.
//!
//! Deviations. D1: the source has a condition a message where this has one a client. They come to the same: while a
//! message of a client is in transit, only finitely many others of its kind can be sent for that client.

use std::collections::BTreeSet;

use refmap::drawing::Row;
use refmap::{Drawing, Fairness, IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::conditions::Conditions;
use super::scheduling_allocator::{self, SchedulingAllocator};
use super::simple_allocator::{self, MAX_CLIENTS, MAX_RESOURCES};
use crate::subsets::subsets;

/// An instance: a server and its clients.
pub struct AllocatorImplementation {
    /// The server's allocator.
    pub server: SchedulingAllocator,
    /// When the server receives a request.
    pub receives: Receives,
    /// The fairness conditions.
    pub fairness: Conditions,
}

/// When the server receives a request. Messages may overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Receives {
    /// When all has been returned that the client had.
    AfterReturns,
    /// At any time. Wrong: the request may have overtaken a return.
    AtAnyTime,
}

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub enum Kind {
    /// A client asks for resources.
    Request,
    /// The server gives resources.
    Allocate,
    /// A client returns resources.
    Return,
}

/// A message between the server and a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Message {
    /// Its kind.
    pub kind: Kind,
    /// The client.
    #[state(range = 0..MAX_CLIENTS)]
    pub client: usize,
    /// The resources.
    #[state(range = 0..MAX_RESOURCES)]
    pub resources: IndexSet,
}

/// The variables of the server and of the clients, and the messages between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `unsat`, `alloc` and `sched`.
    #[serde(flatten)]
    pub server: scheduling_allocator::State,
    /// Resources a client has requested and not received.
    #[state(max_len = MAX_CLIENTS, range = 0..MAX_RESOURCES)]
    pub requests: Vec<IndexSet>,
    /// Resources that a client holds.
    #[state(max_len = MAX_CLIENTS, range = 0..MAX_RESOURCES)]
    pub holding: Vec<IndexSet>,
    /// The messages in transit.
    pub network: BTreeSet<Message>,
}

/// A step of a client, or of the server. *Return* is two rules, since the condition of fairness is one on the return of
/// everything by a client that waits for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "client")]
pub enum Action {
    /// A client that has nothing and waits for nothing asks for resources.
    #[rule(source = "AllocatorImplementation, Request(c, S)")]
    Request(#[process] usize, IndexSet),
    /// The server receives a request.
    #[rule(source = "AllocatorImplementation, RReq(m)")]
    RReq(#[process] usize, IndexSet),
    /// The server gives resources to a client.
    #[rule(source = "AllocatorImplementation, Allocate(c, S)")]
    Allocate(#[process] usize, IndexSet),
    /// A client receives resources.
    #[rule(source = "AllocatorImplementation, RAlloc(m)")]
    RAlloc(#[process] usize, IndexSet),
    /// A client that waits for nothing returns all that it has.
    #[rule(source = "AllocatorImplementation, requests[c] = {} ∧ Return(c, holding[c])")]
    ReturnAll(#[process] usize),
    /// A client returns a part of what it has, or waits for more.
    #[rule(source = "AllocatorImplementation, Return(c, S)")]
    Return(#[process] usize, IndexSet),
    /// The server receives what a client returns.
    #[rule(source = "AllocatorImplementation, RRet(m)")]
    RRet(#[process] usize, IndexSet),
    /// The server appends the clients that wait to the schedule in this order.
    #[rule(process = "allocator", source = "AllocatorImplementation, Schedule")]
    Schedule(Vec<usize>),
}

impl State {
    /// Rule *Request*.
    fn request(&self, client: usize, asked: IndexSet) -> Option<Self> {
        let enabled = guard("it waits for nothing", self.requests[client].is_empty())
            & guard("it has nothing", self.holding[client].is_empty());
        enabled.then(|| {
            let mut to = self.sent(Kind::Request, client, asked);
            to.requests[client] = asked;
            to
        })
    }

    /// Rule *RReq*.
    fn receive_request(&self, message: Message, receives: Receives) -> Option<Self> {
        let Message { client, .. } = message;
        let all_returned = match receives {
            Receives::AfterReturns => self.server.claims.alloc[client].is_empty(),
            Receives::AtAnyTime => true,
        };
        guard("all is returned", all_returned).then(|| {
            let mut to = self.received(message);
            to.server.claims.unsat[client] = message.resources;
            to
        })
    }

    /// Rule *RAlloc*.
    fn receive_allocation(&self, message: Message) -> Self {
        let Message {
            client, resources, ..
        } = message;
        let mut to = self.received(message);
        to.holding[client] = to.holding[client].union(resources);
        to.requests[client] = to.requests[client].difference(resources);
        to
    }

    /// Rule *Return*.
    fn give_back(&self, client: usize, returned: IndexSet) -> Option<Self> {
        guard("it has them", returned.is_subset(self.holding[client])).then(|| {
            let mut to = self.sent(Kind::Return, client, returned);
            to.holding[client] = to.holding[client].difference(returned);
            to
        })
    }

    /// Rule *RRet*.
    fn receive_return(&self, message: Message) -> Self {
        let mut to = self.received(message);
        let alloc = &mut to.server.claims.alloc[message.client];
        *alloc = alloc.difference(message.resources);
        to
    }

    fn sent(&self, kind: Kind, client: usize, resources: IndexSet) -> Self {
        let mut to = self.clone();
        to.network.insert(Message {
            kind,
            client,
            resources,
        });
        to
    }

    fn received(&self, message: Message) -> Self {
        let mut to = self.clone();
        to.network.remove(&message);
        to
    }
}

impl AllocatorImplementation {
    /// Rule *Allocate*: that of the scheduling allocator, and a message.
    fn allocate(&self, from: &State, client: usize, given: IndexSet) -> Option<State> {
        let server = self.server.allocate(&from.server, client, given)?;
        let to = from.sent(Kind::Allocate, client, given);
        Some(State { server, ..to })
    }
}

impl TransitionSystem for AllocatorImplementation {
    type State = State;
    type Action = Action;
    type Observation = simple_allocator::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            server: self.server.start(),
            requests: vec![IndexSet::EMPTY; self.server.clients],
            holding: vec![IndexSet::EMPTY; self.server.clients],
            network: BTreeSet::new(),
        });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for client in 0..self.server.clients {
            for set in subsets(IndexSet::below(self.server.resources)).skip(1) {
                offer(visit, Action::Request(client, set), || {
                    from.request(client, set)
                });
                offer(visit, Action::Allocate(client, set), || {
                    self.allocate(from, client, set)
                });
                let is_all = set == from.holding[client] && from.requests[client].is_empty();
                let returns = if is_all {
                    Action::ReturnAll(client)
                } else {
                    Action::Return(client, set)
                };
                offer(visit, returns, || from.give_back(client, set));
            }
        }
        for message in &from.network {
            let Message {
                kind,
                client,
                resources,
            } = *message;
            match kind {
                Kind::Request => offer(visit, Action::RReq(client, resources), || {
                    from.receive_request(*message, self.receives)
                }),
                Kind::Allocate => visit(
                    Action::RAlloc(client, resources),
                    from.receive_allocation(*message),
                ),
                Kind::Return => visit(
                    Action::RRet(client, resources),
                    from.receive_return(*message),
                ),
            }
        }
        for (order, server) in self.server.schedules(&from.server) {
            let to = from.clone();
            visit(Action::Schedule(order), State { server, ..to });
        }
    }

    fn observe(&self, state: &State) -> simple_allocator::State {
        state.server.claims.clone()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![
            Fairness::weak("return", ["return_all"]),
            Fairness::weak("allocate", ["allocate"]),
            Fairness::weak("schedule", ["schedule"]),
            Fairness::weak("r_req", ["r_req"]),
            Fairness::weak("r_alloc", ["r_alloc"]),
            Fairness::weak("r_ret", ["r_ret"]),
        ])
    }
}

/// Drawing of the knowledge of the server, the requests of the clients, and the messages between them.
fn drawing(state: &State) -> Drawing {
    let clients = state.requests.iter().zip(&state.holding).enumerate();
    let drawing = clients.fold(Drawing::default(), |drawing, (client, (asked, held))| {
        let row = Row::of(format!("client {client}"));
        drawing.row(row.set("holds", held.iter()).set("asks for", asked.iter()))
    });
    let server = &state.server;
    let of_server = server
        .claims
        .alloc
        .iter()
        .zip(&server.claims.unsat)
        .enumerate();
    let row = of_server.fold(Row::of("server"), |row, (client, (given, asked))| {
        row.set(format!("given to {client}"), given.iter())
            .set("unsatisfied", asked.iter())
    });
    let messages = state.network.iter().map(|message| {
        let resources: Vec<_> = message
            .resources
            .iter()
            .map(|one| one.to_string())
            .collect();
        format!(
            "{:?} {} of {}",
            message.kind,
            resources.join("+"),
            message.client
        )
    });
    drawing
        .row(row.queue("schedule", &server.sched))
        .row(Row::of("network").set("", messages))
}
