//! Instance of a process in a composition.
//!
//! PERF: a step changes a state in place, passes it to the visitor, and undoes the change. Fused steps of one
//! process often follow each other, and then only that process's data is saved.

use super::command::Kind;
use super::configuration::Configuration;
use super::data::{Data, Register, Registers};
use super::flow::{Edge, Flow, Location};
use super::label::CommandLabel;
use refmap::Process;

/// Process instance, for any type of its data state. A method that calls `visit` restores the state before it
/// returns; `visit` must restore every other process, and may leave this one changed. Only
/// [`clear_dead`](Self::clear_dead) clears dead registers: once per step, at the final location, not at each of
/// the fused steps before it.
pub(super) trait ProcessInstance<S, Q, A>: Send + Sync {
    fn process(&self) -> Process;
    /// Target locations of the steps at a location.
    fn targets(&self, at: Location) -> Vec<Location>;
    /// Takes the step at a location if there is exactly one and it is local and deterministic; returns whether it
    /// did.
    fn pass(&self, state: &mut S, at: Location) -> bool;
    /// Visits the results of a local operation or a guard.
    fn alone(&self, state: &mut S, at: Location, step: usize, visit: &mut dyn FnMut(&mut S));
    fn ask(&self, state: &S, at: Location, step: usize) -> Q;
    fn receive(
        &self,
        state: &mut S,
        at: Location,
        step: usize,
        answer: &A,
        visit: &mut dyn FnMut(&mut S),
    );
    /// Visits the answers of a response, each with its target state.
    fn answer(
        &self,
        state: &mut S,
        at: Location,
        step: usize,
        request: &Q,
        visit: &mut dyn FnMut(&mut S, &A),
    );
    /// Moves the process to its first location.
    fn start(&self, state: &mut S);
    fn registers(&self) -> &'static [&'static str];
    fn clear(&self, state: &mut S, register: Register);
    fn clear_dead(&self, state: &mut S, at: Location);
    /// Visits the state with every other value of a register.
    fn havoc(&self, state: &S, register: Register, visit: &mut dyn FnMut(S));
}

/// Role of a process in a step: local, or one side of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Alone,
    Asks,
    Answers,
}

/// Static description of a step of a process.
#[derive(Clone, Copy)]
pub(super) struct Offer<N> {
    pub label: N,
    pub rule: u16,
    pub role: Role,
    /// True if the command itself is nondeterministic.
    pub is_choice: bool,
    /// True if the step is fused with the next one.
    pub fuses_with_next: bool,
    pub reads: Registers,
    pub writes: Registers,
}

pub(super) struct Instance<S, L, Q, A, N> {
    pub process: Process,
    pub index: usize,
    pub flow: Flow<L, Q, A, N>,
    /// Per location, the registers that are cleared there.
    pub dead: Vec<Registers>,
    pub get: Box<dyn Fn(&S) -> &L + Send + Sync>,
    pub get_mut: Box<dyn Fn(&mut S) -> &mut L + Send + Sync>,
}

impl<S: Configuration, L: Data, Q, A, N> Instance<S, L, Q, A, N> {
    /// Leaves the process at a location with some data.
    fn arrive(&self, state: &mut S, local: L, to: Location) {
        *(self.get_mut)(state) = local;
        state.go_to(self.index, to);
    }

    /// Takes a step, if it is one that is taken alone and has one result.
    fn go(&self, state: &mut S, edge: &Edge<L, Q, A, N>) -> bool {
        let target = match &edge.basic.kind {
            Kind::Guard(guard) if !guard((self.get)(state)) => edge.otherwise,
            Kind::Guard(_) => edge.to,
            Kind::Assign(operation) => {
                operation((self.get_mut)(state));
                edge.to
            }
            Kind::Local(_) | Kind::Request(..) | Kind::Response(_) => return false,
        };
        state.go_to(self.index, target);
        true
    }

    /// Restores the process.
    fn go_back(&self, state: &mut S, local: L, at: Location) {
        *(self.get_mut)(state) = local;
        state.go_to(self.index, at);
    }

    fn step(&self, Location(at): Location, step: usize) -> &Edge<L, Q, A, N> {
        &self.flow.points[usize::from(at)][step]
    }
}

impl<S, L, Q, A, N> ProcessInstance<S, Q, A> for Instance<S, L, Q, A, N>
where
    S: Configuration,
    L: Data,
    N: CommandLabel,
{
    fn process(&self) -> Process {
        self.process
    }

    fn targets(&self, Location(at): Location) -> Vec<Location> {
        let edges = self.flow.points[usize::from(at)].iter();
        edges.flat_map(Edge::targets).collect()
    }

    fn pass(&self, state: &mut S, Location(at): Location) -> bool {
        match &*self.flow.points[usize::from(at)] {
            [edge] => self.go(state, edge),
            _ => false,
        }
    }

    fn alone(&self, state: &mut S, at: Location, step: usize, visit: &mut dyn FnMut(&mut S)) {
        let edge = self.step(at, step);
        let local = (self.get)(state).clone();
        if self.go(state, edge) {
            visit(state);
        } else if let Kind::Local(relation) = &edge.basic.kind {
            relation(&local, &mut |changed| {
                self.arrive(state, changed, edge.to);
                visit(state);
            });
        }
        self.go_back(state, local, at);
    }

    fn ask(&self, state: &S, at: Location, step: usize) -> Q {
        match &self.step(at, step).basic.kind {
            Kind::Request(ask, _) => ask((self.get)(state)),
            _ => unreachable!("the step is not a request"),
        }
    }

    fn receive(
        &self,
        state: &mut S,
        at: Location,
        step: usize,
        answer: &A,
        visit: &mut dyn FnMut(&mut S),
    ) {
        let edge = self.step(at, step);
        let local = (self.get)(state).clone();
        let mut changed = local.clone();
        match &edge.basic.kind {
            Kind::Request(_, receive) => receive(&mut changed, answer),
            _ => unreachable!("the step is not a request"),
        }
        self.arrive(state, changed, edge.to);
        visit(state);
        self.go_back(state, local, at);
    }

    fn answer(
        &self,
        state: &mut S,
        at: Location,
        step: usize,
        request: &Q,
        visit: &mut dyn FnMut(&mut S, &A),
    ) {
        let edge = self.step(at, step);
        let local = (self.get)(state).clone();
        match &edge.basic.kind {
            Kind::Response(answers) => answers(request, &local, &mut |changed, answer| {
                self.arrive(state, changed, edge.to);
                visit(state, &answer);
            }),
            _ => unreachable!("the step is not a response"),
        }
        self.go_back(state, local, at);
    }

    fn start(&self, state: &mut S) {
        state.go_to(self.index, Location(0));
    }

    fn registers(&self) -> &'static [&'static str] {
        L::REGISTERS
    }

    fn clear(&self, state: &mut S, register: Register) {
        (self.get_mut)(state).clear(register.into());
    }

    fn clear_dead(&self, state: &mut S, Location(at): Location) {
        let dead = self.dead[usize::from(at)];
        if dead != Registers::NONE {
            (self.get_mut)(state).clear(dead);
        }
    }

    fn havoc(&self, state: &S, register: Register, visit: &mut dyn FnMut(S)) {
        (self.get)(state).havoc(register, &mut |havocked| {
            let mut state = state.clone();
            *(self.get_mut)(&mut state) = havocked;
            visit(state);
        });
    }
}
