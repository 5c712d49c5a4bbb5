//! Processes side by side [Gammie, Hosking & Engelhardt, Fig. 8], in a state that is the model's.

use std::collections::HashMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::command::{Command, Kind};
use super::flow::{Edge, Flow, Location, ProcessError};
use super::label::Label;
use super::liveness::{Data, DeadRegisters, Register, Registers, dead};
use crate::system::{Process, Rule, RuleId};

/// Where each of `N` processes is.
pub type At<const N: usize> = [Location; N];

/// A state in which processes have a place.
pub trait Configuration: Clone {
    /// Where a process is; processes are counted from 0 in the order in which they were placed.
    fn location(&self, process: usize) -> Location;
    /// Moves a process.
    fn go_to(&mut self, process: usize, location: Location);
}

/// In place of the rule of a command that begins no step.
const NO_RULE: u16 = u16::MAX;

/// What is one step of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// Each command.
    #[default]
    Fine,
    /// Each command that is not quiet, with the quiet ones behind it.
    Coarse,
}

/// What was done: by one process, or by one that requested and one that responded.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Act {
    /// Whose command it was.
    pub process: Process,
    /// Which of its commands.
    pub label: Label,
    /// Who answered, by which command.
    pub with: Option<(Process, Label)>,
    /// Which of the results there were to choose from, counted from 0.
    pub choice: u16,
    rule: u16,
}

impl Act {
    /// The rule of the command, among [`Composition::rules`].
    pub fn rule(self) -> RuleId {
        RuleId(usize::from(self.rule))
    }

    fn write(self, f: &mut impl fmt::Write) -> fmt::Result {
        write!(f, "{}", self.label)?;
        if let Some((process, label)) = self.with {
            write!(f, ", {process}: {label}")?;
        }
        match self.choice {
            0 => Ok(()),
            choice => write!(f, " ({choice})"),
        }
    }
}

/// The process and what it did.
impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.process)?;
        self.write(f)
    }
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What was done, by whom is said beside it: `acquire, server: answer`.
impl Serialize for Act {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut text = String::new();
        self.write(&mut text).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

/// A set of locations of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations(Vec<bool>);

impl Locations {
    /// Whether a location is one of them.
    pub fn contains(&self, Location(location): Location) -> bool {
        self.0[usize::from(location)]
    }
}

/// A command that says wrongly what it does with a register.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{label}` of {process} depends on what register `{register}` holds, and does not say so")]
pub struct Undeclared {
    /// Whose command.
    pub process: Process,
    /// Which.
    pub label: Label,
    /// Which register.
    pub register: &'static str,
}

/// Processes in a state `S`, which meet by requests `Q` and answers `A`.
pub struct Composition<S, Q, A> {
    parties: Vec<Box<dyn Party<S, Q, A>>>,
    rules: Vec<Rule>,
    granularity: Granularity,
    registers: DeadRegisters,
}

/// A process in its place, whatever the type of its data state.
trait Party<S, Q, A>: Send + Sync {
    fn process(&self) -> Process;
    /// What may be done at a location: one for each of its steps.
    fn offers(&self, at: Location) -> &[Offer];
    /// Those of the steps at a location that are responses.
    fn responses(&self, at: Location) -> &[usize];
    /// How many locations there are.
    fn count(&self) -> usize;
    fn is_quiet(&self, at: Location) -> bool;
    /// Where the steps at a location lead.
    fn targets(&self, at: Location) -> Vec<Location>;
    /// The results of a local operation or a guard.
    fn alone(&self, state: &S, at: Location, step: usize, visit: &mut dyn FnMut(S));
    fn ask(&self, state: &S, at: Location, step: usize) -> Q;
    fn receive(&self, state: &mut S, at: Location, step: usize, answer: &A);
    /// The answers of a response, and the states they lead to.
    fn answer(
        &self,
        state: &S,
        at: Location,
        step: usize,
        request: &Q,
        visit: &mut dyn FnMut(S, A),
    );
    /// Begins the process.
    fn start(&self, state: &mut S);
    fn locations(&self, label: Label) -> Option<Locations>;
    fn registers(&self) -> &'static [&'static str];
    fn clear(&self, state: &mut S, register: Register);
    fn clear_dead(&self, state: &mut S, at: Location);
    fn spoil(&self, state: &S, register: Register, visit: &mut dyn FnMut(S));
}

/// What a step of a process is like.
#[derive(Clone, Copy)]
struct Offer {
    label: Label,
    rule: u16,
    role: Role,
    reads: Registers,
    writes: Registers,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Alone,
    Asks,
    Answers,
}

struct Placed<S, L, Q, A> {
    process: Process,
    index: usize,
    flow: Flow<L, Q, A>,
    offers: Vec<Vec<Offer>>,
    responses: Vec<Vec<usize>>,
    dead: Vec<Vec<Register>>,
    get: Box<dyn Fn(&S) -> &L + Send + Sync>,
    get_mut: Box<dyn Fn(&mut S) -> &mut L + Send + Sync>,
}

impl<S: Configuration, L: Data, Q, A> Placed<S, L, Q, A> {
    fn arrive(&self, state: &mut S, to: Location) {
        state.go_to(self.index, to);
        self.clear_dead(state, to);
    }

    fn step(&self, Location(at): Location, step: usize) -> &Edge<L, Q, A> {
        &self.flow.points[usize::from(at)][step]
    }
}

impl<S, L, Q, A> Party<S, Q, A> for Placed<S, L, Q, A>
where
    S: Configuration,
    L: Data,
{
    fn process(&self) -> Process {
        self.process
    }

    fn offers(&self, Location(at): Location) -> &[Offer] {
        &self.offers[usize::from(at)]
    }

    fn responses(&self, Location(at): Location) -> &[usize] {
        &self.responses[usize::from(at)]
    }

    fn count(&self) -> usize {
        self.offers.len()
    }

    fn is_quiet(&self, at: Location) -> bool {
        self.flow.is_quiet(at)
    }

    fn targets(&self, Location(at): Location) -> Vec<Location> {
        let edges = self.flow.points[usize::from(at)].iter();
        edges.flat_map(Edge::targets).collect()
    }

    fn alone(&self, state: &S, at: Location, step: usize, visit: &mut dyn FnMut(S)) {
        let edge = self.step(at, step);
        let local = (self.get)(state);
        match &edge.basic.kind {
            Kind::Local(relation) => relation(local, &mut |changed| {
                let mut to = state.clone();
                *(self.get_mut)(&mut to) = changed;
                self.arrive(&mut to, edge.to);
                visit(to);
            }),
            Kind::Guard(guard) => {
                let mut to = state.clone();
                let target = match guard(local) {
                    true => edge.to,
                    false => edge.otherwise,
                };
                self.arrive(&mut to, target);
                visit(to);
            }
            Kind::Request(..) | Kind::Response(_) => unreachable!("it takes two processes"),
        }
    }

    fn ask(&self, state: &S, at: Location, step: usize) -> Q {
        match &self.step(at, step).basic.kind {
            Kind::Request(ask, _) => ask((self.get)(state)),
            _ => unreachable!("it is no request"),
        }
    }

    fn receive(&self, state: &mut S, at: Location, step: usize, answer: &A) {
        let edge = self.step(at, step);
        match &edge.basic.kind {
            Kind::Request(_, receive) => receive((self.get_mut)(state), answer),
            _ => unreachable!("it is no request"),
        }
        self.arrive(state, edge.to);
    }

    fn answer(
        &self,
        state: &S,
        at: Location,
        step: usize,
        request: &Q,
        visit: &mut dyn FnMut(S, A),
    ) {
        let edge = self.step(at, step);
        match &edge.basic.kind {
            Kind::Response(answers) => {
                answers(request, (self.get)(state), &mut |changed, answer| {
                    let mut to = state.clone();
                    *(self.get_mut)(&mut to) = changed;
                    self.arrive(&mut to, edge.to);
                    visit(to, answer);
                });
            }
            _ => unreachable!("it is no response"),
        }
    }

    fn start(&self, state: &mut S) {
        self.arrive(state, Location(0));
    }

    fn locations(&self, label: Label) -> Option<Locations> {
        let points = self.offers.iter();
        let at: Vec<_> = points
            .map(|offers| offers.iter().any(|offer| offer.label == label))
            .collect();
        at.contains(&true).then_some(Locations(at))
    }

    fn registers(&self) -> &'static [&'static str] {
        L::REGISTERS
    }

    fn clear(&self, state: &mut S, register: Register) {
        (self.get_mut)(state).clear(register);
    }

    fn clear_dead(&self, state: &mut S, Location(at): Location) {
        for register in &self.dead[usize::from(at)] {
            (self.get_mut)(state).clear(*register);
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

impl<S: Configuration + 'static, Q: 'static, A: 'static> Default for Composition<S, Q, A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Configuration + 'static, Q: 'static, A: 'static> Composition<S, Q, A> {
    /// No processes.
    pub fn new() -> Self {
        Self {
            parties: Vec::new(),
            rules: Vec::new(),
            granularity: Granularity::Fine,
            registers: DeadRegisters::Cleared,
        }
    }

    /// What becomes of the dead registers of the processes placed from now on.
    #[must_use]
    pub fn registers(mut self, registers: DeadRegisters) -> Self {
        self.registers = registers;
        self
    }

    /// What is one step.
    ///
    /// # Panics
    ///
    /// If there is a process already: which of its commands are rules depends on this.
    #[must_use]
    pub fn with(mut self, granularity: Granularity) -> Self {
        assert!(
            self.parties.is_empty(),
            "granularity comes before processes"
        );
        self.granularity = granularity;
        self
    }

    /// Places a process; its data state is where `get` and `get_mut` say. Processes of one kind
    /// share their rules, a rule for each command that is no response and may begin a step.
    ///
    /// # Errors
    ///
    /// What is wrong with its commands.
    pub fn process<L: Data>(
        &mut self,
        process: Process,
        command: &Command<L, Q, A>,
        get: impl Fn(&S) -> &L + Send + Sync + 'static,
        get_mut: impl Fn(&mut S) -> &mut L + Send + Sync + 'static,
    ) -> Result<(), ProcessError> {
        let flow = Flow::of(&process.to_string(), command)?;
        let dead = match self.registers {
            DeadRegisters::Cleared => dead(&flow),
            DeadRegisters::Kept => vec![Registers::NONE; flow.points.len()],
        };
        let known = self.rules.iter().enumerate();
        let mut numbers: HashMap<Label, u16> = known
            .filter(|(_, rule)| rule.process == process.name)
            .map(|(number, rule)| (Label::from(&*rule.name), number as u16))
            .collect();
        let mut offers = Vec::with_capacity(flow.points.len());
        for (at, point) in flow.points.iter().enumerate() {
            let is_quiet =
                self.granularity == Granularity::Coarse && flow.is_quiet(Location(at as u16));
            let mut here = Vec::with_capacity(point.len());
            for edge in point {
                let (label, basic) = (edge.basic.label, &edge.basic);
                let role = match basic.kind {
                    Kind::Local(_) | Kind::Guard(_) => Role::Alone,
                    Kind::Request(..) => Role::Asks,
                    Kind::Response(_) => Role::Answers,
                };
                let rule = match role {
                    Role::Answers => NO_RULE,
                    // It is run with the step before it, whose rule counts.
                    _ if is_quiet => NO_RULE,
                    Role::Alone | Role::Asks => *numbers.entry(label).or_insert_with(|| {
                        self.rules.push(Rule {
                            name: label.as_str().into(),
                            process: process.name,
                            source: basic.source.clone(),
                        });
                        (self.rules.len() - 1) as u16
                    }),
                };
                here.push(Offer {
                    label,
                    rule,
                    role,
                    reads: basic.reads,
                    writes: basic.writes,
                });
            }
            offers.push(here);
        }
        let responses = offers.iter().map(|here: &Vec<Offer>| {
            let steps = here.iter().enumerate();
            let answering = steps.filter(|(_, offer)| offer.role == Role::Answers);
            answering.map(|(step, _)| step).collect()
        });
        self.parties.push(Box::new(Placed {
            process,
            index: self.parties.len(),
            flow,
            responses: responses.collect(),
            offers,
            dead: dead.into_iter().map(|dead| dead.iter().collect()).collect(),
            get: Box::new(get),
            get_mut: Box::new(get_mut),
        }));
        Ok(())
    }

    /// The rules of all processes.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Where a process can take the step labelled so.
    ///
    /// # Panics
    ///
    /// If it has no such command: an invariant that speaks of nowhere would hold.
    pub fn at(&self, process: usize, label: impl Into<Label>) -> Locations {
        let label = label.into();
        match self.find(process, label) {
            Some(locations) => locations,
            None => panic!(
                "{} has no command `{label}`",
                self.parties[process].process()
            ),
        }
    }

    /// The same, or `None` if the process has no such command.
    pub fn find(&self, process: usize, label: impl Into<Label>) -> Option<Locations> {
        self.parties[process].locations(label.into())
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.parties.len()
    }

    /// The labels of the steps that a process can take at a location.
    pub fn labels(&self, process: usize, at: Location) -> impl Iterator<Item = Label> {
        let offers = self.parties[process].offers(at).iter();
        offers.map(|offer| offer.label)
    }

    /// Where the steps of a process at a location lead, quiet ones by themselves.
    pub fn targets(&self, process: usize, at: Location) -> Vec<Location> {
        self.parties[process].targets(at)
    }

    /// Whether what a process can do at a location concerns nobody else: it neither asks nor answers.
    pub fn is_alone(&self, process: usize, at: Location) -> bool {
        let offers = self.parties[process].offers(at);
        offers.iter().all(|offer| offer.role == Role::Alone)
    }

    /// How many locations a process has.
    pub fn locations(&self, process: usize) -> usize {
        self.parties[process].count()
    }

    /// Visits the states in which all processes begin, with the data that `state` has.
    pub fn start(&self, mut state: S, visit: &mut dyn FnMut(S)) {
        for party in &self.parties {
            party.start(&mut state);
        }
        let all: Vec<usize> = (0..self.parties.len()).collect();
        self.settle(self.granularity, state, &all, visit);
    }

    /// Clears the registers that are dead where the processes are, if that is what becomes of them: for a
    /// state that was not made by steps.
    pub fn clear_dead(&self, state: &mut S) {
        for (number, party) in self.parties.iter().enumerate() {
            party.clear_dead(state, state.location(number));
        }
    }

    /// Visits the steps from a state.
    pub fn steps(&self, from: &S, visit: &mut dyn FnMut(Act, S)) {
        (0..self.parties.len()).for_each(|process| self.steps_of(process, from, visit));
    }

    /// Visits the steps from a state that a process begins.
    pub fn steps_of(&self, process: usize, from: &S, visit: &mut dyn FnMut(Act, S)) {
        self.steps_labelled(process, &|_| true, from, visit);
    }

    /// Visits those of them that are labelled so.
    pub fn steps_labelled(
        &self,
        process: usize,
        is_wanted: &dyn Fn(Label) -> bool,
        from: &S,
        visit: &mut dyn FnMut(Act, S),
    ) {
        let at = from.location(process);
        for (step, offer) in self.parties[process].offers(at).iter().enumerate() {
            if is_wanted(offer.label) {
                self.step(self.granularity, from, (process, step), *offer, visit);
            }
        }
    }

    /// Visits the results of a step that a process begins.
    fn step(
        &self,
        granularity: Granularity,
        from: &S,
        (number, step): (usize, usize),
        offer: Offer,
        visit: &mut dyn FnMut(Act, S),
    ) {
        let party = &self.parties[number];
        let at = from.location(number);
        let mut act = Act {
            process: party.process(),
            label: offer.label,
            with: None,
            choice: 0,
            rule: offer.rule,
        };
        match offer.role {
            Role::Answers => (),
            Role::Alone => party.alone(from, at, step, &mut |to| {
                self.settle(granularity, to, &[number], &mut |to| {
                    visit(act, to);
                    act.choice += 1;
                });
            }),
            Role::Asks => {
                let request = party.ask(from, at, step);
                for (other, answering) in self.parties.iter().enumerate() {
                    if other == number {
                        continue;
                    }
                    let there = from.location(other);
                    for response in answering.responses(there) {
                        let offer = answering.offers(there)[*response];
                        act.with = Some((answering.process(), offer.label));
                        act.choice = 0;
                        answering.answer(
                            from,
                            there,
                            *response,
                            &request,
                            &mut |mut to, answer| {
                                party.receive(&mut to, at, step, &answer);
                                self.settle(granularity, to, &[number, other], &mut |to| {
                                    visit(act, to);
                                    act.choice += 1;
                                });
                            },
                        );
                    }
                }
            }
        }
    }

    /// Runs the quiet steps of processes that have just moved, if that is the granularity.
    fn settle(
        &self,
        granularity: Granularity,
        state: S,
        moved: &[usize],
        visit: &mut dyn FnMut(S),
    ) {
        let still = moved.iter().position(|number| {
            let at = state.location(*number);
            granularity == Granularity::Coarse && self.parties[*number].is_quiet(at)
        });
        let Some(position) = still else {
            return visit(state);
        };
        let number = moved[position];
        let party = &self.parties[number];
        let at = state.location(number);
        for step in 0..party.offers(at).len() {
            party.alone(&state, at, step, &mut |to| {
                self.settle(granularity, to, &moved[position..], visit)
            });
        }
    }
}

impl<S: Configuration + PartialEq + 'static, Q: 'static, A: 'static> Composition<S, Q, A> {
    /// Tests in a state what the commands say of registers: that none depends on a register that it
    /// does not read, and that what it writes does not depend on what was there. On this rests that
    /// dead registers can be cleared. Each command is looked at by itself, whatever the granularity.
    ///
    /// # Errors
    ///
    /// The first command that says it wrongly.
    pub fn test_registers(&self, state: &S) -> Result<(), Undeclared> {
        for (number, party) in self.parties.iter().enumerate() {
            let at = state.location(number);
            for (step, offer) in party.offers(at).iter().enumerate() {
                let registers = (0..party.registers().len()).map(|r| Register(r as u8));
                for register in registers.filter(|register| !offer.reads.contains(*register)) {
                    let outcomes = |from: &S| {
                        let mut outcomes = Vec::new();
                        self.outcomes(from, (number, step), *offer, &mut |mut to| {
                            if !offer.writes.contains(register) {
                                party.clear(&mut to, register);
                            }
                            outcomes.push(to);
                        });
                        outcomes
                    };
                    let expected = outcomes(state);
                    let mut depends = false;
                    party.spoil(state, register, &mut |spoilt| {
                        depends |= outcomes(&spoilt) != expected;
                    });
                    if depends {
                        return Err(Undeclared {
                            process: party.process(),
                            label: offer.label,
                            register: party.registers()[usize::from(register.0)],
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// The results of a step in which a process takes part, whoever begins it.
    fn outcomes(
        &self,
        from: &S,
        (number, step): (usize, usize),
        offer: Offer,
        visit: &mut dyn FnMut(S),
    ) {
        if offer.role != Role::Answers {
            return self.step(
                Granularity::Fine,
                from,
                (number, step),
                offer,
                &mut |_, to| visit(to),
            );
        }
        let others = (0..self.parties.len()).filter(|other| *other != number);
        for other in others {
            let offers = self.parties[other].offers(from.location(other));
            for (step, asking) in offers.iter().enumerate() {
                self.step(
                    Granularity::Fine,
                    from,
                    (other, step),
                    *asking,
                    &mut |act, to| {
                        let answer = (self.parties[number].process(), offer.label);
                        if act.with == Some(answer) {
                            visit(to);
                        }
                    },
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Data, DeadRegisters, Register, assign, forever, guess, sequence};
    use super::*;

    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct Guesser {
        guessed: u8,
    }

    impl Data for Guesser {
        const REGISTERS: &'static [&'static str] = &["guessed"];

        fn clear(&mut self, _: Register) {
            self.guessed = 0;
        }

        fn spoil(&self, _: Register, visit: &mut dyn FnMut(Self)) {
            (0..3).for_each(|guessed| visit(Self { guessed }));
        }
    }

    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct State(At<1>, Guesser);

    impl Configuration for State {
        fn location(&self, process: usize) -> Location {
            self.0[process]
        }

        fn go_to(&mut self, process: usize, location: Location) {
            self.0[process] = location;
        }
    }

    /// A process that guesses a number, looks at it, and then does something else.
    fn states(registers: DeadRegisters) -> usize {
        let mut composition = Composition::<State, (), ()>::new().registers(registers);
        let guessed = Register(0);
        let guesses = guess("guess", |_: &Guesser, visit| {
            (0..3).for_each(|guessed| visit(Guesser { guessed }));
        });
        let steps = [
            guesses.writes(guessed),
            assign("look", |_: &mut Guesser| ()).reads(guessed),
            assign("rest", |_| ()),
        ];
        let placed = composition.process(
            Process::new("guesser"),
            &forever(sequence(steps)),
            |s| &s.1,
            |s| &mut s.1,
        );
        placed.expect("its labels differ");
        assert_eq!(composition.locations(0), 3);
        let mut found = std::collections::HashSet::new();
        let mut left = Vec::new();
        let data = State(At::default(), Guesser { guessed: 0 });
        composition.start(data, &mut |state| left.push(state));
        while let Some(state) = left.pop() {
            if found.insert(state.clone()) {
                composition.steps(&state, &mut |_, to| left.push(to));
            }
        }
        found.len()
    }

    /// Cleared, the guess counts only where it will be looked at.
    #[test]
    fn a_dead_register_counts_where_it_is_kept() {
        assert_eq!(states(DeadRegisters::Cleared), 5);
        assert_eq!(states(DeadRegisters::Kept), 9);
    }
}
