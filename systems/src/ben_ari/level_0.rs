//! Level 0, the specification: collect only garbage.
//!
//! Source: Havelund & Shankar, section 5, Figs. 2–5, and Appendix A.2.2.
//!
//! Deviation D5: there are as many mutators as in the instance, each with the one rule of Fig. 4.

use refmap::{Drawing, Fairness, Process, TransitionSystem, offer};
use serde::Serialize;

use super::drawing;
use super::memory::{AppendToFree, Memory};
use super::scope::Scope;
use super::shape::Node;
use crate::heap::{self, Objects as NodeSet};

/// The specification.
pub struct Level0 {
    /// The instance; only its bounds and the number of mutators matter here.
    pub scope: Scope,
    /// Semantics of append. With [`AppendToFree::Axiom`] the result of an append is left open, as in
    /// the paper; `next` then enumerates all memories.
    pub append: AppendToFree,
}

/// A step of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Cell (n, i) is redirected to the accessible node `k`.
    #[rule(process = heap::MUTATOR, source = "Fig. 4, MODIFY.1")]
    Mutate {
        /// The mutator.
        #[process]
        mutator: u8,
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
        /// The target.
        k: Node,
    },
    /// The inaccessible node `n` is appended to the free list.
    #[rule(process = "collector", source = "Fig. 5, COLLECT.1")]
    Append {
        /// The node.
        n: Node,
    },
}

impl Level0 {
    /// The specification for an instance, append as in the axiom.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            append: AppendToFree::Axiom,
        }
    }

    /// Rule *mutate* [Fig. 4, MODIFY.1].
    fn mutate(&self, m: &Memory, accessible: NodeSet, n: Node, i: u8, k: Node) -> Option<Memory> {
        accessible.contains(k).then(|| m.set_son(n, i, k))
    }

    /// Rule *append* [Fig. 5, COLLECT.1], the result as on the free list.
    fn append(&self, m: &Memory, accessible: NodeSet, n: Node) -> Option<Memory> {
        (!accessible.contains(n)).then(|| m.append_to_free(n))
    }

    /// Visits every mutation that is enabled.
    fn mutations(&self, m: &Memory, visit: &mut impl FnMut(Action, Memory)) {
        let accessible = m.accessible();
        for mutator in 0..self.scope.mutators {
            for k in m.shape.nodes() {
                for (n, i) in m.shape.cells() {
                    let action = Action::Mutate { mutator, n, i, k };
                    offer(visit, action, || self.mutate(m, accessible, n, i, k));
                }
            }
        }
    }
}

impl From<Scope> for Level0 {
    fn from(scope: Scope) -> Self {
        Self::new(scope)
    }
}

impl AsRef<Scope> for Level0 {
    fn as_ref(&self) -> &Scope {
        &self.scope
    }
}

impl TransitionSystem for Level0 {
    type State = Memory;
    type Action = Action;
    type Observation = Memory;

    fn process_of(&self, action: &Action) -> Process {
        heap::process_of(action, self.scope.mutators)
    }

    fn initial(&self, visit: &mut impl FnMut(Memory)) {
        visit(Memory::null_array(self.scope.shape));
    }

    fn next(&self, m: &Memory, visit: &mut impl FnMut(Action, Memory)) {
        self.mutations(m, visit);
        let accessible = m.accessible();
        for n in m.shape.nodes() {
            let action = Action::Append { n };
            match self.append {
                AppendToFree::FreeList => offer(visit, action, || self.append(m, accessible, n)),
                // Of an accessible node no memory is a result: there are too many to look through for nothing.
                AppendToFree::Axiom if accessible.contains(n) => offer(visit, action, || None),
                AppendToFree::Axiom => {
                    for to in Memory::all(m.shape) {
                        offer(visit, action, || self.allows(m, &action, &to).then_some(to));
                    }
                }
            }
        }
    }

    /// Weak fairness of *append*: it is not enabled for ever without being taken. Fairness of each node is more than that,
    /// and no condition on rules: a mutator may make garbage so fast that one node waits for ever.
    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions(self.rules())
    }

    fn observe(&self, m: &Memory) -> Memory {
        *m
    }

    fn draw(&self, m: &Memory) -> Option<Drawing> {
        Some(drawing::memory(m, None))
    }

    /// If the result is open, one of the allowed results: that of the free list.
    fn successor(&self, m: &Memory, action: &Action) -> Option<Memory> {
        let accessible = m.accessible();
        match *action {
            Action::Mutate { n, i, k, .. } => self.mutate(m, accessible, n, i, k),
            Action::Append { n } => self.append(m, accessible, n),
        }
    }

    fn allows(&self, m: &Memory, action: &Action, to: &Memory) -> bool {
        match (action, self.append) {
            (Action::Append { n }, AppendToFree::Axiom) => {
                !m.accessible().contains(*n) && m.append_ax(*n, to)
            }
            _ => self.successor(m, action) == Some(*to),
        }
    }

    fn offers(&self, m: &Memory, visit: &mut impl FnMut(Action)) {
        self.mutations(m, &mut |action, to| {
            if to != *m {
                visit(action);
            }
        });
        // The node appended becomes accessible, so an append always changes the memory.
        let accessible = m.accessible();
        for n in m.shape.nodes().filter(|n| !accessible.contains(*n)) {
            visit(Action::Append { n });
        }
    }
}
