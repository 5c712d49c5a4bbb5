//! Fairness conditions of a machine: which threads go on.
//!
//! A thread goes on in *weak* fairness if it does not stop for ever where it has a step all the time: a scheduler runs it
//! again and again. In *strong* fairness it also does what it has a step for again and again, though not all the time, as
//! an atomic block that others enable and disable. A thread that only reads the same again in a loop goes on: that changes
//! nothing, so it is not enabled.
//!
//! Where a thread goes on and the model delays its stores, memory is assumed to perform each after some time. A thread that
//! stops may have stopped before its pending stores, so of those nothing is assumed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use refmap::Fairness;

use super::Machine;
use crate::model::AccessKind;
use crate::program::Instruction;

type RuleName = Cow<'static, str>;

impl Machine {
    /// Assumes that these threads go on in weak fairness, and that memory performs their stores.
    #[must_use]
    pub fn fair(self, threads: impl IntoIterator<Item = usize>) -> Self {
        self.going_on(threads, Fairness::weak)
    }

    /// Assumes that these threads go on in strong fairness, and that memory performs their stores.
    #[must_use]
    pub fn strongly_fair(self, threads: impl IntoIterator<Item = usize>) -> Self {
        self.going_on(threads, Fairness::strong)
    }

    fn going_on(
        mut self,
        threads: impl IntoIterator<Item = usize>,
        fair: fn(String, Vec<RuleName>) -> Fairness,
    ) -> Self {
        let mut conditions = Vec::new();
        for thread in threads {
            let rules = self.step_names(thread, |_| true);
            if !rules.is_empty() {
                let name = format!("{} goes on", self.program.threads[thread].name);
                conditions.push(fair(name, rules.into_iter().collect()).of(thread as u16));
            }
            conditions.extend(self.memory(thread));
        }
        self.fairness = conditions;
        self
    }

    /// That memory performs the stores of a thread, where the model delays them: one condition of all where it performs them
    /// in their order, and else one of each.
    fn memory(&self, thread: usize) -> Vec<Fairness> {
        let is_store = |instruction: &Instruction| matches!(instruction, Instruction::Store { .. });
        let stores = self.step_names(thread, is_store);
        if self.model.orders_all_behind(AccessKind::Store) || stores.is_empty() {
            return Vec::new();
        }
        let stated = &self.program.threads[thread].name;
        let fair =
            |name: String, stores: Vec<RuleName>| Fairness::weak(name, stores).of(thread as u16);
        if self.model.orders(AccessKind::Store, AccessKind::Store) {
            let name = format!("memory performs the stores of {stated}");
            return vec![fair(name, stores.into_iter().collect())];
        }
        let each = stores.into_iter();
        let each = each.map(|store| {
            let name = format!("memory performs `{store}` of {stated}");
            fair(name, vec![store])
        });
        each.collect()
    }

    /// Names of the rules of a thread whose instructions are `chosen`.
    fn step_names(
        &self,
        thread: usize,
        chosen: impl Fn(&Instruction) -> bool,
    ) -> BTreeSet<RuleName> {
        let code = &self.program.threads[thread].code;
        let steps = self.steps[thread].iter().filter(|at| chosen(&code[**at]));
        steps
            .map(|at| self.rules[self.rule_of[thread][*at]].name.clone())
            .collect()
    }
}
