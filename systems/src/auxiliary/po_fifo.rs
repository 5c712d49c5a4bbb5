//! The queue POFifo, whose elements are in a partial order: one is before another if its operation ended before that of the other
//! began.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6, with the internal variables `elts`, `before` and `adding`; the
//! order is that of the queue of Herlihy & Wing, *Linearizability*, section 4.2.
//!
//! An element is a datum with an id that no other element of this datum has. It is in `elts` from the beginning of its operation
//! on, so that it may be received before the operation ends; its id is free again when both have happened.

use std::collections::BTreeSet;

use refmap::{Action as _, TransitionSystem, guard};
use serde::Serialize;

use super::queue::{Interface, MAX, Users};

/// Greatest number of ids.
pub const MAX_IDS: usize = 4;

/// An instance of POFifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoFifo {
    /// The users and their data.
    pub users: Users,
    /// Number of ids.
    pub ids: usize,
    /// The elements that a dequeuer may receive.
    pub receives: Receives,
}

/// The elements that a dequeuer may receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Receives {
    /// One before which there is none: as published.
    Minimal,
    /// Any one. Wrong: dequeuers ignore the order.
    Any,
}

/// A datum with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Element {
    #[state(range = 0..MAX)]
    pub datum: usize,
    #[state(range = 0..MAX_IDS)]
    pub id: usize,
}

/// The interface and the elements behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `enq` and `deq`.
    #[serde(flatten)]
    pub interface: Interface,
    /// The elements.
    pub elts: BTreeSet<Element>,
    /// The pairs of elements of which the first is before the second.
    pub before: BTreeSet<(Element, Element)>,
    /// The element that an enqueuer is adding; none is the source's `NonElt`.
    #[state(each = "enqueuer", max_len = MAX)]
    pub adding: Vec<Option<Element>>,
}

/// A step of an enqueuer or a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = PoFifo)]
#[rule(process = "enqueuer")]
#[process(0..system.users.enqueuers)]
pub enum Action {
    /// An enqueuer begins to add an element.
    #[rule(source = "POFifo, BeginPOEnq(e)")]
    BeginEnq(#[process] usize, Element),
    /// It has added it.
    #[rule(source = "POFifo, EndPOEnq(e)")]
    EndEnq(#[process] usize),
    /// A dequeuer begins.
    #[rule(process = "dequeuer", source = "POFifo, BeginPODeq(d)")]
    BeginDeq(#[process(0..system.users.dequeuers)] usize),
    /// It receives an element.
    #[rule(process = "dequeuer", source = "POFifo, EndPODeq(d)")]
    EndDeq(#[process] usize, Element),
}

impl State {
    /// The elements that are being added, received or not: `beingAdded`.
    pub fn being_added(&self) -> BTreeSet<Element> {
        self.adding.iter().copied().flatten().collect()
    }

    /// Whether there is no element before this one.
    pub fn is_minimal(&self, element: Element) -> bool {
        !self.before.iter().any(|(_, later)| *later == element)
    }
}

impl PoFifo {
    /// The elements that there can be.
    pub fn elements(&self) -> impl Iterator<Item = Element> {
        let ids = self.ids;
        (0..self.users.data).flat_map(move |datum| (0..ids).map(move |id| Element { datum, id }))
    }
}

impl TransitionSystem for PoFifo {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for interface in self.users.interfaces() {
            visit(State {
                interface,
                elts: BTreeSet::new(),
                before: BTreeSet::new(),
                adding: vec![None; self.users.enqueuers],
            });
        }
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        Action::candidates(self, visit);
        for enqueuer in 0..self.users.enqueuers {
            for element in self.elements() {
                visit(Action::BeginEnq(enqueuer, element));
            }
        }
        for dequeuer in 0..self.users.dequeuers {
            for element in &from.elts {
                visit(Action::EndDeq(dequeuer, *element));
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            // What is being added still is not before the new element.
            Action::BeginEnq(enqueuer, element) => {
                state.interface.begin_enq(enqueuer, element.datum)?;
                let being_added = state.being_added();
                let is_new = !state.elts.contains(&element) && !being_added.contains(&element);
                guard("the element is new", is_new)?;
                let added = state.elts.difference(&being_added);
                state
                    .before
                    .extend(added.map(|earlier| (*earlier, element)));
                state.elts.insert(element);
                state.adding[enqueuer] = Some(element);
            }
            Action::EndEnq(enqueuer) => {
                state.interface.end_enq(enqueuer)?;
                state.adding[enqueuer] = None;
            }
            Action::BeginDeq(dequeuer) => state.interface.begin_deq(dequeuer)?,
            Action::EndDeq(dequeuer, element) => {
                state.interface.end_deq(dequeuer, element.datum)?;
                if self.receives == Receives::Minimal {
                    guard("no element is before it", state.is_minimal(element))?;
                }
                guard("the element is there", state.elts.remove(&element))?;
                state
                    .before
                    .retain(|(earlier, later)| *earlier != element && *later != element);
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    fn po_fifo([enqueuers, dequeuers, data, ids]: [usize; 4]) -> PoFifo {
        let users = Users {
            enqueuers,
            dequeuers,
            data,
        };
        PoFifo {
            users,
            ids,
            receives: Receives::Minimal,
        }
    }

    /// The counts of an independent search of the same instances, for (enqueuers, dequeuers, data, ids).
    #[test]
    fn the_instances_have_their_states() {
        for (instance, expected) in [
            ([1, 1, 1, 1], 8),
            ([2, 1, 1, 2], 68),
            ([2, 2, 1, 2], 136),
            ([2, 1, 2, 1], 102),
            ([2, 2, 2, 2], 14_009),
        ] {
            let (states, _) = search(&po_fifo(instance));
            assert_eq!(states.len(), expected, "{instance:?}");
        }
    }

    /// An element with no element before it exists wherever there is an element: dequeuers never wait for an order.
    #[test]
    fn the_order_has_a_minimal_element() {
        let (states, _) = search(&po_fifo([2, 1, 2, 2]));
        for state in states {
            let mut elements = state.elts.iter();
            let has_minimal = elements.any(|element| state.is_minimal(*element));
            assert!(state.elts.is_empty() || has_minimal, "{state:?}");
        }
    }
}
