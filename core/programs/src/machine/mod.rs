//! Transition system of a program under a memory model.
//!
//! One semantics serves all models: each thread fetches in program order and performs out of order, as far as the
//! model's table permits ([`MemoryModel::orders`]). An access waits for an earlier one of its thread if the model
//! orders the two, if a matching fence stands between them, if it needs the other's result, or if the other's
//! location is not known yet. Memory is multi-copy atomic: a write becomes visible to all other threads at once.
//!
//! Source: Ugawa, Abe & Maeda, section 3.1.
//!
//! Deviations. D1: a thread has one reservation. So its LLs and SCs are performed in program order, an LL does not
//! read from a pending store, and an SC does not fail spuriously. The paper does not specify either. D2: an
//! assertion, like a branch, is decided before any later instruction is fetched; the paper's assertion is a full
//! fence and may be left out. To leave one out, put it under a choice. D3: a state in which a thread was cut off by
//! the bound on backward jumps may be terminal, whatever the other threads do, since one of them may block on the
//! thread that was cut off. The paper has no such bound. The verdict therefore does not distinguish a program that
//! stops too early from one that was cut off; the report names the threads that were cut off, with the number of
//! states. D4: without a bound a backward jump waits for the accesses for which all later ones wait anyway, so no order
//! of accesses is lost. A loop that waits has finitely many states then; one that counts, outputs or delays stores
//! without end has not.

mod action;
mod fairness;
mod located;
pub(crate) mod location_names;
mod perform;
mod shown;

use std::sync::Arc;

use super::code::Code;
use super::expression::{Location, Value};
use super::fetch::Fetcher;
use super::model::MemoryModel;
use super::outcome::{Outcome, ThreadEnd, ThreadOutcome};
use super::program::{Afterwards, DrawnObject, Instruction, Program, ThreadNames};
use super::state::{Operand, Progress, State, ThreadState};
pub use action::{Action, Effect};
use refmap::drawing::{Drawing, Node, Row};
use refmap::{Caveats, Fairness, Process, Rule, RuleId, TransitionSystem};
pub use shown::{End, Observation, Show, Shown};

/// Program under a memory model. Its rules are the program's accesses, choices and atomic blocks, each named by its
/// text.
#[derive(Debug)]
pub struct Machine {
    program: Program,
    model: MemoryModel,
    codes: Vec<Code>,
    rules: Vec<Rule>,
    /// Rule number of each instruction, per thread.
    rule_of: Vec<Vec<usize>>,
    /// The instructions that are steps, per thread.
    steps: Vec<Vec<usize>>,
    texts: Vec<Vec<Arc<str>>>,
    /// Names of the locations, per thread.
    names: Vec<Vec<String>>,
    fairness: Vec<Fairness>,
}

impl Machine {
    /// Builds the machine of `program` under `model`.
    ///
    /// # Panics
    ///
    /// If loops have no bound and the model does not [order reads](MemoryModel::orders_reads).
    pub fn new(program: Program, model: MemoryModel) -> Self {
        assert!(
            program.backward_jumps.is_some() || model.orders_reads() || !program.has_loop(),
            "under {model} a loop without a bound reads ahead without end"
        );
        let mut rules = Vec::new();
        let (mut rule_of, mut steps, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let mut names_of = Vec::new();
        for thread in &program.threads {
            let names = ThreadNames {
                program: &program,
                thread,
            };
            let mut numbers = Vec::new();
            let mut steps_of_thread = Vec::new();
            let mut shown = Vec::new();
            // End of the last atomic block: its instructions belong to the block's step.
            let mut block = 0;
            for (at, instruction) in thread.code.iter().enumerate() {
                numbers.push(rules.len());
                let text = instruction.show(&names);
                shown.push(Arc::from(text.as_str()));
                let is_step = match instruction {
                    Instruction::Choose { .. } => true,
                    Instruction::Atomic { end } => {
                        block = *end;
                        true
                    }
                    _ => at >= block && instruction.access().is_some(),
                };
                if is_step {
                    steps_of_thread.push(at);
                    rules.push(Rule {
                        name: text.into(),
                        process: "thread",
                        source: format!("{}, {at}", thread.name).into(),
                    });
                }
            }
            rule_of.push(numbers);
            steps.push(steps_of_thread);
            names_of.push(location_names::names(
                shown.iter().map(|text: &Arc<str>| &**text),
            ));
            texts.push(shown);
        }
        Self {
            codes: program.threads.iter().map(Code::of).collect(),
            program,
            model,
            rules,
            rule_of,
            steps,
            texts,
            names: names_of,
            fairness: Vec::new(),
        }
    }

    /// The same with the rules of one thread for all, if they have the same code: a rule is exercised by whichever thread.
    pub(crate) fn of_one_code(mut self) -> Self {
        let [first, others @ ..] = &self.program.threads[..] else {
            return self;
        };
        if others.iter().all(|thread| thread.has_code_of(first)) {
            self.rules.truncate(self.steps[0].len());
            let of_first = self.rule_of[0].clone();
            self.rule_of.fill(of_first);
        }
        self
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The memory model.
    pub fn model(&self) -> MemoryModel {
        self.model
    }

    /// True if `thread` has performed all its instructions in `state`.
    pub fn has_ended(&self, state: &State, thread: usize) -> bool {
        let of = &state.threads[thread];
        of.progress == Progress::Running
            && usize::from(of.next) == self.codes[thread].end()
            && of.pending.is_empty()
    }

    /// End of `thread` in `state`, as an observer sees it.
    fn end(&self, state: &State, thread: usize) -> End {
        match state.threads[thread].progress {
            Progress::Running if self.has_ended(state, thread) => End::Ended,
            Progress::Running | Progress::CutOff => End::None,
            Progress::Failed(_) => End::Failed,
            Progress::Faulty(_) => End::Faulty,
        }
    }

    /// Output and end of the first thread that shows more in `to` than in `from`, if there is one.
    pub fn shown_by(&self, from: &State, to: &State) -> Option<Show> {
        let mut threads = from.threads.iter().zip(&to.threads).enumerate();
        threads.find_map(|(thread, (before, after))| {
            if Arc::ptr_eq(before, after) {
                return None;
            }
            let ends = [self.end(from, thread), self.end(to, thread)];
            if before.output == after.output && ends[0] == ends[1] {
                return None;
            }
            let more = after.output.get(before.output.len()..);
            Some(Show {
                thread: thread as u16,
                more: Shown {
                    output: more.unwrap_or_default().to_vec(),
                    end: match ends[0] {
                        End::None => ends[1],
                        _ => End::None,
                    },
                },
            })
        })
    }

    fn fetcher(&self, thread: usize) -> Fetcher<'_> {
        Fetcher {
            program: &self.program,
            code: &self.codes[thread],
            model: self.model,
        }
    }

    /// The bound on backward jumps, if there is a loop.
    pub(crate) fn bound(&self) -> Option<String> {
        if !self.program.has_loop() {
            return None;
        }
        Some(match self.program.backward_jumps? {
            0 => "each loop once".to_owned(),
            1 => "one backward jump a thread".to_owned(),
            most => format!("{most} backward jumps a thread"),
        })
    }

    /// The names of the threads that the bound has stopped in `state`.
    pub(crate) fn cut_off(&self, state: &State) -> Vec<&str> {
        let threads = self.program.threads.iter().zip(&state.threads);
        threads
            .filter(|(_, of)| of.progress == Progress::CutOff)
            .map(|(stated, _)| stated.name.as_str())
            .collect()
    }

    fn action(&self, thread: usize, at: u16, position: usize, effect: Effect) -> Action {
        Action {
            thread: thread as u16,
            instruction: at,
            position: position as u16,
            effect,
            text: Arc::clone(&self.texts[thread][usize::from(at)]),
        }
    }
}

impl refmap::Action<Machine> for Action {
    fn rules(machine: &Machine) -> &[Rule] {
        &machine.rules
    }

    fn rule(&self, machine: &Machine) -> RuleId {
        RuleId(machine.rule_of[usize::from(self.thread)][usize::from(self.instruction)])
    }

    fn process(&self, _: &Machine) -> Process {
        Process::numbered("thread", self.thread)
    }
}

impl TransitionSystem for Machine {
    type State = State;
    type Action = Action;
    type Observation = Observation;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let memory = self.program.initial_memory().into();
        let threads = self.program.threads.iter().enumerate();
        let threads = threads.map(|(number, thread)| {
            let registers = thread.registers.iter();
            let mut state = ThreadState {
                next: 0,
                progress: Progress::Running,
                backward_jumps: 0,
                registers: registers
                    .map(|register| Operand::Known(register.initial))
                    .collect(),
                pending: Vec::new(),
                reservation: None,
                output: Vec::new(),
            };
            self.fetcher(number).run(&mut state);
            Arc::new(state)
        });
        visit(State {
            memory,
            threads: threads.collect(),
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let thread = usize::from(action.thread);
        let position = usize::from(action.position);
        let at = state.threads.get(thread)?.instruction(position)?;
        let chosen = match action.effect {
            Effect::Chose(value) => Some(value),
            _ => None,
        };
        let effect = self.take(state, thread, position, chosen)?;
        (self.action(thread, at, position, effect) == *action).then_some(())
    }

    // PERF: an action says its effect, which is known when its step has been taken; to fire the candidates would take it twice.
    fn next(&self, from: &State, visit: &mut impl FnMut(Action, &State)) {
        let mut state = from.clone();
        for (thread, of) in from.threads.iter().enumerate() {
            let mut take = |at: u16, position: usize, chosen: Option<Value>| {
                if let Some(effect) = self.take(&mut state, thread, position, chosen) {
                    visit(self.action(thread, at, position, effect), &state);
                }
                state.put_back(from);
            };
            for (position, pending) in of.pending.iter().enumerate() {
                take(pending.at, position, None);
            }
            match self.ahead(thread, of) {
                Some(Instruction::Choose { values, .. }) => {
                    for value in values {
                        take(of.next, of.pending.len(), Some(*value));
                    }
                }
                Some(Instruction::Atomic { .. }) => take(of.next, of.pending.len(), None),
                _ => (),
            }
        }
    }

    fn observe(&self, state: &State) -> Observation {
        let threads = state.threads.iter().enumerate();
        let shown = threads.map(|(thread, of)| Shown {
            output: of.output.clone(),
            end: self.end(state, thread),
        });
        shown.collect()
    }

    /// True if every thread has ended or stopped, or if one was cut off: another thread may block on it (deviation
    /// D3).
    fn may_stop(&self, state: &State) -> bool {
        let mut threads = state.threads.iter().enumerate();
        let cut_off = |of: &Arc<ThreadState>| of.progress == Progress::CutOff;
        state.threads.iter().any(cut_off)
            || threads.all(|(thread, of)| {
                of.progress != Progress::Running || self.has_ended(state, thread)
            })
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }

    /// The loads that only a branch keeps in order are doubtful: no model speculates.
    fn caveats(&self) -> Caveats<'_, State> {
        let caveats = Caveats::default().doubted(|| self.program.doubts(self.model));
        match self.bound() {
            Some(bound) => caveats.bounded(bound, |state: &State| self.cut_off(state)),
            None => caveats,
        }
    }

    fn show(&self, state: &State) -> serde_json::Value {
        self.located(state)
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        let threads = state.threads.iter().enumerate();
        let threads = threads.map(|(thread, of)| {
            let name = &self.program.threads[thread].name;
            self.draw_thread(thread, name, of, &state.memory)
        });
        Some(threads.fold(self.draw_memory(&state.memory), Drawing::row))
    }
}

impl Machine {
    /// What threads share: the objects, and the other locations.
    pub(crate) fn draw_memory(&self, memory: &[Value]) -> Drawing {
        let objects = &self.program.objects;
        let fields = objects.iter().flat_map(|object| &object.fields);
        let fields: Vec<_> = fields.map(|field| usize::from(field.location.0)).collect();
        let variables = self.program.variables.iter().zip(memory).enumerate();
        let others = variables.filter(|(location, (variable, _))| {
            let is_snapshot = self.program.snapshot(Location(*location as u16)).is_some();
            !fields.contains(location) && !variable.of_each_thread && !is_snapshot
        });
        let row = others.fold(Row::new(), |row, (_, (variable, value))| {
            row.value(&variable.name, self.program.show(*value))
        });
        let nodes = objects
            .iter()
            .map(|object| self.draw_object(object, memory));
        Drawing::default().nodes(nodes).row(row)
    }

    /// An object with its fields; a reference to an object that is known is an edge.
    fn draw_object(&self, object: &DrawnObject, memory: &[Value]) -> Node {
        let is_referred = |to: &&DrawnObject, value: Value| match value {
            Value::Number(number) => to.number == Some(number),
            Value::Address(location) => to.fields.iter().any(|field| field.location == location),
        };
        object
            .fields
            .iter()
            .fold(Node::new(&object.name), |node, field| {
                let value = memory[usize::from(field.location.0)];
                let mut objects = self.program.objects.iter();
                let to = objects.find(|to| field.is_reference && is_referred(to, value));
                match to {
                    Some(to) => node.to(&field.name, &to.name),
                    None => node.value(&field.name, self.program.show(value)),
                }
            })
    }

    /// A thread: what it has for itself of memory, the registers that it needs, its pending instructions, and its location.
    pub(crate) fn draw_thread(
        &self,
        thread: usize,
        name: &str,
        of: &ThreadState,
        memory: &[Value],
    ) -> Row {
        let stated = &self.program.threads[thread];
        let mut row = Row::of(name);
        for (variable, value) in self.program.variables.iter().zip(memory) {
            if variable.of_each_thread {
                row = row.value(&variable.name, self.program.show(*value));
            }
        }
        let needed = self.codes[thread].needed[usize::from(of.next)];
        for (number, (register, held)) in stated.registers.iter().zip(&of.registers).enumerate() {
            if needed.contains(number) {
                let held = match held {
                    Operand::Known(value) => self.program.show(*value),
                    Operand::Awaited(_) => "?".to_owned(),
                };
                row = row.value(&register.name, held);
            }
        }
        let texts = &self.texts[thread];
        let pending = of.pending.iter();
        let row = row.queue("pending", pending.map(|one| &texts[usize::from(one.at)]));
        let at = match of.progress {
            Progress::Running if usize::from(of.next) == self.codes[thread].end() => {
                "at its end".to_owned()
            }
            Progress::Running => format!("at {}", texts[usize::from(of.next)]),
            Progress::CutOff => "cut off".to_owned(),
            Progress::Failed(at) => format!("failed {}", texts[usize::from(at)]),
            Progress::Faulty(fault) => fault.to_string(),
        };
        row.value("", at)
    }

    /// Outcome of the program in the terminal state `state`.
    pub fn outcome(&self, state: &State) -> Outcome {
        let threads = state.threads.iter().enumerate();
        let threads = threads.map(|(thread, of)| ThreadOutcome {
            end: match of.progress {
                Progress::Running if self.has_ended(state, thread) => ThreadEnd::Ended,
                Progress::Running => ThreadEnd::Stuck,
                Progress::CutOff => ThreadEnd::CutOff,
                Progress::Failed(at) => ThreadEnd::Failed(at),
                Progress::Faulty(fault) => ThreadEnd::Faulty(fault),
            },
            output: of.output.clone(),
            kept: if self.has_ended(state, thread) {
                let stated = self.program.threads[thread].registers.iter();
                stated
                    .zip(&of.registers)
                    .filter(|(register, _)| register.afterwards == Afterwards::Kept)
                    .map(|(_, held)| held.value().expect("nothing is pending at the end"))
                    .collect()
            } else {
                Vec::new()
            },
        });
        Outcome {
            memory: state.memory.to_vec(),
            threads: threads.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use refmap::Action as _;

    #[test]
    fn an_atomic_block_is_one_rule() {
        let mut program = ProgramBuilder::new("block");
        let x = program.location("x", 0);
        program.thread("a", |t| {
            let r = t.register("r");
            t.store(x, 1);
            t.atomic(|t| {
                t.load(r, x);
                t.store(x, r + 1);
            });
            t.load(r, x);
        });
        let program = program.build().expect("it is well formed");
        let machine = Machine::new(program, MemoryModel::Sc);
        let names: Vec<_> = machine.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["x := 1", "atomic", "r := x"]);
        // The rule of each step is the rule of its instruction.
        let mut state = None;
        machine.initial(&mut |initial| state = Some(initial));
        for name in names {
            let from = state.take().expect("there is a next state");
            machine.next(&from, &mut |action, to| {
                assert_eq!(machine.rules[action.rule(&machine).0].name, name);
                state = Some(to.clone());
            });
        }
    }

    /// Threads of one code share its rules; those of another do not.
    #[test]
    fn a_rule_is_one_of_all_threads_of_its_code() {
        let program = |last: i64| {
            let mut program = ProgramBuilder::new("writers");
            let x = program.location("x", 0);
            for (name, written) in [("a", 1), ("b", 1), ("c", last)] {
                program.thread(name, |t| {
                    let r = t.register("r");
                    t.load(r, x);
                    t.store(x, written);
                });
            }
            program.build().expect("it is well formed")
        };
        for (last, rules) in [(1, 2), (2, 6)] {
            let machine = Machine::new(program(last), MemoryModel::Sc).of_one_code();
            assert_eq!(machine.rules.len(), rules);
            let mut left = Vec::new();
            machine.initial(&mut |initial| left.push(initial));
            while let Some(from) = left.pop() {
                machine.next(&from, &mut |action, to| {
                    let rule = &machine.rules[action.rule(&machine).0];
                    let thread = usize::from(action.thread);
                    let instruction = usize::from(action.instruction);
                    assert_eq!(*rule.name, *machine.texts[thread][instruction]);
                    left.push(to.clone());
                });
            }
        }
    }
}
