//! A process in its place among others.
//!
//! PERF: a step changes a state in place, shows it to whoever visits it, and takes the change back. A step is
//! often followed by others of the same process at once, and then nothing but its own data has to be kept.

use super::command::Kind;
use super::composition::Configuration;
use super::flow::{Edge, Flow, Location};
use super::label::CommandLabel;
use super::liveness::{Data, Register, Registers};
use refmap::Process;

/// A process in its place, whatever the type of its data state. A method that calls `visit` leaves the state
/// as it was, and expects of `visit` that it puts everybody back but this process. Dead registers are cleared
/// by [`clear_dead`](Self::clear_dead) alone: once where a process stays, and not at each of the steps on its
/// way there.
pub(super) trait Party<S, Q, A>: Send + Sync {
    fn process(&self) -> Process;
    /// Where the steps at a location lead.
    fn targets(&self, at: Location) -> Vec<Location>;
    /// Takes the step at a location, if there is one and that has one result.
    fn pass(&self, state: &mut S, at: Location) -> bool;
    /// The results of a local operation or a guard.
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
    /// The answers of a response, each in the state it leads to.
    fn answer(
        &self,
        state: &mut S,
        at: Location,
        step: usize,
        request: &Q,
        visit: &mut dyn FnMut(&mut S, &A),
    );
    /// Begins the process.
    fn start(&self, state: &mut S);
    fn registers(&self) -> &'static [&'static str];
    fn clear(&self, state: &mut S, register: Register);
    fn clear_dead(&self, state: &mut S, at: Location);
    fn spoil(&self, state: &S, register: Register, visit: &mut dyn FnMut(S));
}

/// How a step is taken: by itself, or by two processes that meet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Alone,
    Asks,
    Answers,
}

/// What a step of a process is like.
#[derive(Clone, Copy)]
pub(super) struct Offer<N> {
    pub label: N,
    pub rule: u16,
    pub role: Role,
    /// Whether it may have several results by itself.
    pub is_guess: bool,
    /// Whether it is run together with the step behind it.
    pub is_late: bool,
    pub reads: Registers,
    pub writes: Registers,
}

pub(super) struct Placed<S, L, Q, A, N> {
    pub process: Process,
    pub index: usize,
    pub flow: Flow<L, Q, A, N>,
    /// Per location, the registers that are cleared there.
    pub dead: Vec<Registers>,
    pub get: Box<dyn Fn(&S) -> &L + Send + Sync>,
    pub get_mut: Box<dyn Fn(&mut S) -> &mut L + Send + Sync>,
}

impl<S: Configuration, L: Data, Q, A, N> Placed<S, L, Q, A, N> {
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

    /// Puts the process back to where it was.
    fn go_back(&self, state: &mut S, local: L, at: Location) {
        *(self.get_mut)(state) = local;
        state.go_to(self.index, at);
    }

    fn step(&self, Location(at): Location, step: usize) -> &Edge<L, Q, A, N> {
        &self.flow.points[usize::from(at)][step]
    }
}

impl<S, L, Q, A, N> Party<S, Q, A> for Placed<S, L, Q, A, N>
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
            _ => unreachable!("it is no request"),
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
            _ => unreachable!("it is no request"),
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
            _ => unreachable!("it is no response"),
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

    fn spoil(&self, state: &S, register: Register, visit: &mut dyn FnMut(S)) {
        (self.get)(state).spoil(register, &mut |spoilt| {
            let mut state = state.clone();
            *(self.get_mut)(&mut state) = spoilt;
            visit(state);
        });
    }
}
