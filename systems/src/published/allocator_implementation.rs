//! The scheduling allocator as a server, with clients that send it messages.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `AllocatorImplementation`.
//!
//! Fairness: weakly `return_all`, `allocate`, `r_req`, `r_alloc` and `r_ret` for each client, and weakly `schedule`.
//!
//! Deviations. D1: the source has a condition a message where this has one a client. They come to the same: while a
//! message of a client is in transit, only finitely many others of its kind can be sent for that client.

use std::collections::BTreeSet;

use refmap::{Action as _, Fairness, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::conditions::Conditions;
use super::scheduling_allocator::{self, SchedulingAllocator};
use super::simple_allocator::{self, MAX_CLIENTS, MAX_RESOURCES};

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
    pub kind: Kind,
    #[state(range = 0..MAX_CLIENTS)]
    pub client: usize,
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
    #[state(each = "client", max_len = MAX_CLIENTS, range = 0..MAX_RESOURCES)]
    pub requests: Vec<IndexSet>,
    /// Resources that a client holds.
    #[state(each = "client", max_len = MAX_CLIENTS, range = 0..MAX_RESOURCES)]
    pub holding: Vec<IndexSet>,
    /// The messages in transit.
    pub network: BTreeSet<Message>,
}

/// A step of a client, or of the server. *Return* is two rules, since the condition of fairness is one on the return of
/// everything by a client that waits for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = AllocatorImplementation)]
#[rule(process = "client")]
#[process(0..system.server.clients)]
pub enum Action {
    /// A client that has nothing and waits for nothing asks for resources.
    #[rule(source = "AllocatorImplementation, Request(c, S)")]
    Request(
        #[process] usize,
        #[action(range = 0..system.server.resources)] IndexSet,
    ),
    /// The server receives a request.
    #[rule(source = "AllocatorImplementation, RReq(m)")]
    RReq(#[process] usize, IndexSet),
    /// The server gives resources to a client.
    #[rule(source = "AllocatorImplementation, Allocate(c, S)")]
    Allocate(
        #[process] usize,
        #[action(range = 0..system.server.resources)] IndexSet,
    ),
    /// A client receives resources.
    #[rule(source = "AllocatorImplementation, RAlloc(m)")]
    RAlloc(#[process] usize, IndexSet),
    /// A client that waits for nothing returns all that it has.
    #[rule(source = "AllocatorImplementation, requests[c] = {} ∧ Return(c, holding[c])")]
    ReturnAll(#[process] usize),
    /// A client returns a part of what it has, or waits for more.
    #[rule(source = "AllocatorImplementation, Return(c, S)")]
    Return(
        #[process] usize,
        #[action(range = 0..system.server.resources)] IndexSet,
    ),
    /// The server receives what a client returns.
    #[rule(source = "AllocatorImplementation, RRet(m)")]
    RRet(#[process] usize, IndexSet),
    /// The server appends the clients that wait to the schedule in this order.
    #[rule(process = "allocator", source = "AllocatorImplementation, Schedule")]
    Schedule(Vec<usize>),
}

impl State {
    /// A message is sent.
    fn send(&mut self, kind: Kind, client: usize, resources: IndexSet) {
        self.network.insert(Message {
            kind,
            client,
            resources,
        });
    }

    /// A message is received, if it is in transit.
    fn receive(&mut self, kind: Kind, client: usize, resources: IndexSet) -> Option<()> {
        let message = Message {
            kind,
            client,
            resources,
        };
        guard("it is in transit", self.network.remove(&message))
    }

    /// Rule *Return*.
    fn give_back(&mut self, client: usize, returned: IndexSet) -> Option<()> {
        (!returned.is_empty()).then_some(())?;
        let holding = &mut self.holding[client];
        guard("it has them", returned.is_subset(*holding))?;
        *holding = holding.difference(returned);
        self.send(Kind::Return, client, returned);
        Some(())
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

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        Action::candidates(self, visit);
        for message in &from.network {
            let Message {
                kind,
                client,
                resources,
            } = *message;
            visit(match kind {
                Kind::Request => Action::RReq(client, resources),
                Kind::Allocate => Action::RAlloc(client, resources),
                Kind::Return => Action::RRet(client, resources),
            });
        }
        from.server
            .visit_orders(|order| visit(Action::Schedule(order)));
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Request(client, asked) => {
                (!asked.is_empty()).then_some(())?;
                guard("it waits for nothing", state.requests[client].is_empty())
                    .and(guard("it has nothing", state.holding[client].is_empty()))?;
                state.requests[client] = asked;
                state.send(Kind::Request, client, asked);
            }
            Action::RReq(client, asked) => {
                state.receive(Kind::Request, client, asked)?;
                let claims = &mut state.server.claims;
                if self.receives == Receives::AfterReturns {
                    guard("all is returned", claims.alloc[client].is_empty())?;
                }
                claims.unsat[client] = asked;
            }
            // That of the scheduling allocator, and a message.
            Action::Allocate(client, given) => {
                self.server.allocate(client, given, &mut state.server)?;
                state.send(Kind::Allocate, client, given);
            }
            Action::RAlloc(client, given) => {
                state.receive(Kind::Allocate, client, given)?;
                state.holding[client] = state.holding[client].union(given);
                state.requests[client] = state.requests[client].difference(given);
            }
            Action::ReturnAll(client) => {
                guard("it waits for nothing", state.requests[client].is_empty())?;
                state.give_back(client, state.holding[client])?;
            }
            Action::Return(client, returned) => {
                let is_part =
                    returned != state.holding[client] || !state.requests[client].is_empty();
                guard("it keeps some, or waits", is_part)?;
                state.give_back(client, returned)?;
            }
            Action::RRet(client, returned) => {
                state.receive(Kind::Return, client, returned)?;
                let alloc = &mut state.server.claims.alloc[client];
                *alloc = alloc.difference(returned);
            }
            Action::Schedule(ref order) => state.server.schedule(order)?,
        }
        Some(())
    }

    fn observe(&self, state: &State) -> simple_allocator::State {
        state.server.claims.clone()
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
