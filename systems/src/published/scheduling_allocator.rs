//! An allocator that puts the clients into an order, and gives no client what one before it waits for.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `SchedulingAllocator`.
//!
//! Fairness: weakly `return_all` and `allocate` for each client, and weakly `schedule`.

use refmap::{Action as _, Fairness, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::conditions::Conditions;
use super::simple_allocator::{self, MAX_CLIENTS};

/// An instance of the allocator.
pub struct SchedulingAllocator {
    /// Number of clients.
    pub clients: usize,
    /// Number of resources.
    pub resources: usize,
    /// Conditions of a grant.
    pub grants: Grants,
    /// The fairness conditions.
    pub fairness: Conditions,
}

/// Conditions that the allocator heeds when it gives resources to a scheduled client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Grants {
    /// They are available, and no client before in the schedule waits for them.
    InOrder,
    /// They are available. Wrong: a client may be passed over for ever.
    AnyAvailable,
    /// Nothing. Wrong: two clients may have one resource.
    Any,
}

/// Claims of the clients, and their schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `unsat` and `alloc`.
    #[serde(flatten)]
    pub claims: simple_allocator::State,
    /// The clients that are scheduled, the first one first.
    #[state(max_len = MAX_CLIENTS, range = 0..MAX_CLIENTS)]
    pub sched: Vec<usize>,
}

/// A step of a client, or of the allocator. *Return* is two rules, since the condition of fairness is one on the return of
/// everything by a client that waits for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = SchedulingAllocator)]
#[rule(process = "client")]
#[process(0..system.clients)]
pub enum Action {
    /// A client that has nothing and waits for nothing asks for resources.
    #[rule(source = "SchedulingAllocator, Request(c, S)")]
    Request(
        #[process] usize,
        #[action(range = 0..system.resources)] IndexSet,
    ),
    /// A client that is scheduled is given resources for which it waits.
    #[rule(source = "SchedulingAllocator, Allocate(c, S)")]
    Allocate(
        #[process] usize,
        #[action(range = 0..system.resources)] IndexSet,
    ),
    /// A client that waits for nothing returns all that it has.
    #[rule(source = "SchedulingAllocator, unsat[c] = {} ∧ Return(c, alloc[c])")]
    ReturnAll(#[process] usize),
    /// A client returns a part of what it has, or waits for more.
    #[rule(source = "SchedulingAllocator, Return(c, S)")]
    Return(
        #[process] usize,
        #[action(range = 0..system.resources)] IndexSet,
    ),
    /// The clients that wait and are not scheduled are appended to the schedule in this order.
    #[rule(process = "allocator", source = "SchedulingAllocator, Schedule")]
    Schedule(Vec<usize>),
}

impl Action {
    /// The action of a client that returns `set` where these are the claims.
    pub fn returns(claims: &simple_allocator::State, client: usize, set: IndexSet) -> Self {
        if claims.unsat[client].is_empty() && set == claims.alloc[client] {
            Self::ReturnAll(client)
        } else {
            Self::Return(client, set)
        }
    }
}

/// The orders in which `elements` can be arranged.
fn permutations(elements: &[usize]) -> Vec<Vec<usize>> {
    if elements.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for first in elements {
        let rest: Vec<_> = elements
            .iter()
            .copied()
            .filter(|one| one != first)
            .collect();
        orders.extend(
            permutations(&rest)
                .iter()
                .map(|rest| [&[*first], &rest[..]].concat()),
        );
    }
    orders
}

impl State {
    /// The clients that wait and are not scheduled.
    pub fn to_schedule(&self) -> Vec<usize> {
        let waits = |client: &usize| !self.claims.unsat[*client].is_empty();
        let clients = (0..self.claims.unsat.len()).filter(waits);
        clients
            .filter(|client| !self.sched.contains(client))
            .collect()
    }

    /// Visits the orders that the allocator may choose in *Schedule*.
    pub fn visit_orders(&self, visit: impl FnMut(Vec<usize>)) {
        let waiting = self.to_schedule();
        if !waiting.is_empty() {
            permutations(&waiting).into_iter().for_each(visit);
        }
    }

    /// Rule *Schedule*.
    pub fn schedule(&mut self, order: &[usize]) -> Option<()> {
        let mut clients = order.to_vec();
        clients.sort_unstable();
        (!clients.is_empty() && clients == self.to_schedule()).then_some(())?;
        self.sched.extend(order);
        Some(())
    }
}

impl SchedulingAllocator {
    /// The state in which the clients have nothing and wait for nothing.
    pub fn start(&self) -> State {
        let claims = simple_allocator::State::initial(self.clients);
        let sched = Vec::new();
        State { claims, sched }
    }

    /// Rule *Allocate*.
    pub fn allocate(&self, client: usize, given: IndexSet, state: &mut State) -> Option<()> {
        let State { claims, sched } = state;
        let place = sched.iter().position(|one| *one == client);
        guard("it is scheduled", place.is_some())?;
        let wait_for_them =
            |earlier: &usize| !claims.unsat[*earlier].intersection(given).is_empty();
        let in_order = self.grants != Grants::InOrder || !sched[..place?].iter().any(wait_for_them);
        guard("none before it waits for them", in_order)?;
        let available = match self.grants {
            Grants::InOrder | Grants::AnyAvailable => claims.available(self.resources),
            Grants::Any => IndexSet::below(self.resources),
        };
        claims.allocate(client, given, available)?;
        if claims.unsat[client].is_empty() {
            sched.remove(place?);
        }
        Some(())
    }
}

impl TransitionSystem for SchedulingAllocator {
    type State = State;
    type Action = Action;
    type Observation = simple_allocator::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(self.start());
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        Action::candidates(self, visit);
        from.visit_orders(|order| visit(Action::Schedule(order)));
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let claims = &mut state.claims;
        match action {
            Action::Request(client, asked) => claims.request(*client, *asked),
            Action::Allocate(client, given) => self.allocate(*client, *given, state),
            Action::ReturnAll(client) => {
                guard("it waits for nothing", claims.unsat[*client].is_empty())?;
                claims.give_back(*client, claims.alloc[*client])
            }
            Action::Return(client, returned) => {
                let is_part = Action::returns(claims, *client, *returned) == *action;
                guard("it keeps some, or waits", is_part)?;
                claims.give_back(*client, *returned)
            }
            Action::Schedule(order) => state.schedule(order),
        }
    }

    fn observe(&self, state: &State) -> simple_allocator::State {
        state.claims.clone()
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![
            Fairness::weak("return", ["return_all"]),
            Fairness::weak("allocate", ["allocate"]),
            Fairness::weak("schedule", ["schedule"]),
        ])
    }
}
