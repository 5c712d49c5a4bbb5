//! An allocator that gives each resource to at most one client, in any order.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `SimpleAllocator`.
//!
//! Fairness, for each client: weakly `return_all`, and strongly `allocate`, since what a client waits for may be free
//! again and again and taken by another one each time.

use refmap::{Fairness, IndexSet, TransitionSystem, guard};
use serde::Serialize;

/// Greatest number of clients.
pub const MAX_CLIENTS: usize = 4;
/// Greatest number of resources.
pub const MAX_RESOURCES: usize = 4;

/// An instance of the allocator.
pub struct SimpleAllocator {
    /// Number of clients.
    pub clients: usize,
    /// Number of resources.
    pub resources: usize,
}

/// Resources that each client waits for, and has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Resources a client has requested and not been given.
    #[state(each = "client", max_len = MAX_CLIENTS, range = 0..MAX_RESOURCES)]
    pub unsat: Vec<IndexSet>,
    /// Resources that a client holds.
    #[state(each = "client", max_len = MAX_CLIENTS, range = 0..MAX_RESOURCES)]
    pub alloc: Vec<IndexSet>,
}

/// A step of a client, or of the allocator for it. *Return* is two rules, since the condition of fairness is one on the
/// return of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = SimpleAllocator)]
#[rule(process = "client")]
#[process(0..system.clients)]
pub enum Action {
    /// A client that has nothing and waits for nothing asks for resources.
    #[rule(source = "SimpleAllocator, Request(c, S)")]
    Request(
        #[process] usize,
        #[action(range = 0..system.resources)] IndexSet,
    ),
    /// A client is given resources for which it waits.
    #[rule(source = "SimpleAllocator, Allocate(c, S)")]
    Allocate(
        #[process] usize,
        #[action(range = 0..system.resources)] IndexSet,
    ),
    /// A client returns all that it has.
    #[rule(source = "SimpleAllocator, Return(c, alloc[c])")]
    ReturnAll(#[process] usize),
    /// A client returns a part of what it has.
    #[rule(source = "SimpleAllocator, Return(c, S)")]
    Return(
        #[process] usize,
        #[action(range = 0..system.resources)] IndexSet,
    ),
}

impl Action {
    /// The action of a client that returns `set` in the state `from`.
    pub fn returns(from: &State, client: usize, set: IndexSet) -> Self {
        if set == from.alloc[client] {
            Self::ReturnAll(client)
        } else {
            Self::Return(client, set)
        }
    }
}

impl State {
    /// The state in which `clients` have nothing and wait for nothing.
    pub fn initial(clients: usize) -> Self {
        Self {
            unsat: vec![IndexSet::EMPTY; clients],
            alloc: vec![IndexSet::EMPTY; clients],
        }
    }

    /// Those of `resources` that no client has.
    pub fn available(&self, resources: usize) -> IndexSet {
        let all = IndexSet::below(resources);
        let held = self.alloc.iter();
        held.fold(all, |rest, held| rest.difference(*held))
    }

    /// Rule *Request*.
    pub fn request(&mut self, client: usize, asked: IndexSet) -> Option<()> {
        (!asked.is_empty()).then_some(())?;
        guard("it waits for nothing", self.unsat[client].is_empty())
            .and(guard("it has nothing", self.alloc[client].is_empty()))?;
        self.unsat[client] = asked;
        Some(())
    }

    /// Rule *Allocate*, of what is `available`.
    pub fn allocate(&mut self, client: usize, given: IndexSet, available: IndexSet) -> Option<()> {
        (!given.is_empty()).then_some(())?;
        let (unsat, alloc) = (&mut self.unsat[client], &mut self.alloc[client]);
        guard("it waits for them", given.is_subset(*unsat))
            .and(guard("they are available", given.is_subset(available)))?;
        *unsat = unsat.difference(given);
        *alloc = alloc.union(given);
        Some(())
    }

    /// Rule *Return*.
    pub fn give_back(&mut self, client: usize, returned: IndexSet) -> Option<()> {
        (!returned.is_empty()).then_some(())?;
        let alloc = &mut self.alloc[client];
        guard("it has them", returned.is_subset(*alloc))?;
        *alloc = alloc.difference(returned);
        Some(())
    }
}

impl TransitionSystem for SimpleAllocator {
    type State = State;
    type Action = Action;
    type Observation = State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State::initial(self.clients));
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Request(client, asked) => state.request(client, asked),
            Action::Allocate(client, given) => {
                let available = state.available(self.resources);
                state.allocate(client, given, available)
            }
            Action::ReturnAll(client) => state.give_back(client, state.alloc[client]),
            Action::Return(client, returned) => {
                guard("it keeps some", returned != state.alloc[client])?;
                state.give_back(client, returned)
            }
        }
    }

    fn observe(&self, state: &State) -> State {
        state.clone()
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![
            Fairness::weak("return", ["return_all"]),
            Fairness::strong("allocate", ["allocate"]),
        ]
    }
}
