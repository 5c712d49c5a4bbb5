//! Level 0, the specification: collect only garbage.
//!
//! Source: Havelund & Shankar, section 5, Figs. 2–5, and Appendix A.2.2.
//!
//! Deviation D5: there are as many mutators as in the instance, each with the one rule of Fig. 4.

use refmap::drawing::Drawing;
use refmap::{Action as _, Fairness, TransitionSystem, successor};
use serde::Serialize;

use super::drawing;
use super::memory::{AppendToFree, Memory};
use super::scope::Scope;
use super::shape::Node;
use crate::heap;

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
#[action(system = Level0, unnumbered = system.scope.mutators == 1)]
pub enum Action {
    /// Cell (n, i) is redirected to the accessible node `k`.
    #[rule(process = heap::MUTATOR, source = "Fig. 4, MODIFY.1")]
    Mutate {
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

    fn initial(&self, visit: &mut impl FnMut(Memory)) {
        visit(Memory::null_array(self.scope.shape));
    }

    fn candidates(&self, m: &Memory, visit: &mut impl FnMut(Action)) {
        for mutator in 0..self.scope.mutators {
            for k in m.shape.nodes() {
                for (n, i) in m.shape.cells() {
                    visit(Action::Mutate { mutator, n, i, k });
                }
            }
        }
        for n in m.shape.nodes() {
            visit(Action::Append { n });
        }
    }

    /// If the result of an append is open, one of the allowed results: that of the free list.
    fn fire(&self, action: &Action, m: &mut Memory) -> Option<()> {
        match *action {
            // MODIFY.1
            Action::Mutate { n, i, k, .. } => {
                m.is_accessible(k).then_some(())?;
                *m = m.set_son(n, i, k);
            }
            // COLLECT.1
            Action::Append { n } => {
                (!m.is_accessible(n)).then_some(())?;
                *m = m.append_to_free(n);
            }
        }
        Some(())
    }

    fn next(&self, m: &Memory, visit: &mut impl FnMut(Action, &Memory)) {
        self.candidates(m, &mut |action| match (action, self.append) {
            // Of an accessible node no memory is a result: there are too many to look through for nothing.
            (Action::Append { n }, AppendToFree::Axiom) if !m.is_accessible(n) => {
                let results = Memory::all(m.shape).filter(|to| m.append_ax(n, to));
                results.for_each(|to| visit(action, &to));
            }
            _ => {
                if let Some(to) = successor(self, m, &action) {
                    visit(action, &to);
                }
            }
        });
    }

    /// Weak fairness of *append*: it is not enabled for ever without being taken. Fairness of each node is more than that,
    /// and no condition on rules: a mutator may make garbage so fast that one node waits for ever.
    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions(Action::rules(self))
    }

    fn observe(&self, m: &Memory) -> Memory {
        *m
    }

    fn draw(&self, m: &Memory) -> Option<Drawing> {
        Some(drawing::memory(m, None))
    }

    fn allows(&self, m: &Memory, action: &Action, to: &Memory) -> bool {
        match (action, self.append) {
            (Action::Append { n }, AppendToFree::Axiom) => {
                !m.is_accessible(*n) && m.append_ax(*n, to)
            }
            _ => successor(self, m, action) == Some(*to),
        }
    }
}
