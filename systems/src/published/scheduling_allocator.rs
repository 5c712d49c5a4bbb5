//! An allocator that puts the clients into an order, and gives no client what one before it waits for.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `SchedulingAllocator`.
//!
//! Fairness: weakly `return_all` and `allocate` for each client, and weakly `schedule`.

use refmap::drawing::Row;
use refmap::{Drawing, Fairness, IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::conditions::Conditions;
use super::simple_allocator::{self, MAX_CLIENTS};
use crate::subsets::subsets;

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
#[rule(process = "client")]
pub enum Action {
    /// A client that has nothing and waits for nothing asks for resources.
    #[rule(source = "SchedulingAllocator, Request(c, S)")]
    Request(#[process] usize, IndexSet),
    /// A client that is scheduled is given resources for which it waits.
    #[rule(source = "SchedulingAllocator, Allocate(c, S)")]
    Allocate(#[process] usize, IndexSet),
    /// A client that waits for nothing returns all that it has.
    #[rule(source = "SchedulingAllocator, unsat[c] = {} ∧ Return(c, alloc[c])")]
    ReturnAll(#[process] usize),
    /// A client returns a part of what it has, or waits for more.
    #[rule(source = "SchedulingAllocator, Return(c, S)")]
    Return(#[process] usize, IndexSet),
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

    /// The same schedule with other claims.
    pub fn with(&self, claims: simple_allocator::State) -> Self {
        let sched = self.sched.clone();
        Self { claims, sched }
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
    pub fn allocate(&self, from: &State, client: usize, given: IndexSet) -> Option<State> {
        let place = from.sched.iter().position(|one| *one == client);
        guard("it is scheduled", place.is_some());
        let place = place?;
        let wait_for_them =
            |earlier: &usize| !from.claims.unsat[*earlier].intersection(given).is_empty();
        let (available, heeds_order) = match self.grants {
            Grants::InOrder => (from.claims.available(self.resources), true),
            Grants::AnyAvailable => (from.claims.available(self.resources), false),
            Grants::Any => (IndexSet::below(self.resources), false),
        };
        let in_order = !heeds_order || !from.sched[..place].iter().any(wait_for_them);
        if !guard("none before it waits for them", in_order) {
            return None;
        }
        let mut to = from.with(from.claims.allocate(client, given, available)?);
        if to.claims.unsat[client].is_empty() {
            to.sched.remove(place);
        }
        Some(to)
    }

    /// Rule *Schedule*: the orders that the allocator may choose, and where each leads.
    pub fn schedules(&self, from: &State) -> Vec<(Vec<usize>, State)> {
        let waiting = from.to_schedule();
        if waiting.is_empty() {
            return Vec::new();
        }
        let append = |order: Vec<usize>| {
            let mut to = from.clone();
            to.sched.extend(&order);
            (order, to)
        };
        permutations(&waiting).into_iter().map(append).collect()
    }
}

impl TransitionSystem for SchedulingAllocator {
    type State = State;
    type Action = Action;
    type Observation = simple_allocator::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(self.start());
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        let claims = &from.claims;
        for client in 0..self.clients {
            for set in subsets(IndexSet::below(self.resources)).skip(1) {
                offer(visit, Action::Request(client, set), || {
                    Some(from.with(claims.request(client, set)?))
                });
                offer(visit, Action::Allocate(client, set), || {
                    self.allocate(from, client, set)
                });
                let returns = Action::returns(claims, client, set);
                offer(visit, returns, || {
                    Some(from.with(claims.give_back(client, set)?))
                });
            }
        }
        for (order, to) in self.schedules(from) {
            visit(Action::Schedule(order), to);
        }
    }

    fn observe(&self, state: &State) -> simple_allocator::State {
        state.claims.clone()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![
            Fairness::weak("return", ["return_all"]),
            Fairness::weak("allocate", ["allocate"]),
            Fairness::weak("schedule", ["schedule"]),
        ])
    }
}

fn drawing(state: &State) -> Drawing {
    let schedule = Row::of("server").queue("schedule", &state.sched);
    simple_allocator::drawing(&state.claims).row(schedule)
}
