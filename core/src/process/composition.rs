//! Processes side by side [Gammie, Hosking & Engelhardt, Fig. 8], in a state that is the model's.

use std::collections::HashMap;

use super::act::Act;
use super::command::{Command, Kind};
use super::flow::{Flow, Location, ProcessError};
use super::label::Label;
use super::liveness::{Data, DeadRegisters, Register, Registers, dead};
use super::party::{Offer, Party, Placed, Role};
use crate::system::{Process, Rule};

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

/// A set of locations of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations(pub(super) Vec<bool>);

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
    /// Of each process, its locations.
    points: Vec<Vec<Point>>,
    /// The processes that respond to requests anywhere.
    responding: Vec<usize>,
    rules: Vec<Rule>,
    granularity: Granularity,
    registers: DeadRegisters,
}

/// What can be done at a location of a process.
struct Point {
    /// One for each of its steps.
    offers: Vec<Offer>,
    /// Those of the steps that are responses.
    responses: Vec<usize>,
    /// Whether the process goes on by quiet steps only.
    is_quiet: bool,
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
            points: Vec::new(),
            responding: Vec::new(),
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
        let mut points = Vec::with_capacity(flow.points.len());
        for (at, point) in flow.points.iter().enumerate() {
            let is_quiet = flow.is_quiet(Location(at as u16));
            let is_passed = is_quiet && self.granularity == Granularity::Coarse;
            let mut here = Vec::with_capacity(point.len());
            for edge in point {
                let (label, basic) = (edge.basic.label, &edge.basic);
                let role = match basic.kind {
                    Kind::Local(_) | Kind::Assign(_) | Kind::Guard(_) => Role::Alone,
                    Kind::Request(..) => Role::Asks,
                    Kind::Response(_) => Role::Answers,
                };
                let rule = match role {
                    Role::Answers => NO_RULE,
                    // It is run with the step before it, whose rule counts.
                    _ if is_passed => NO_RULE,
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
                    is_guess: matches!(basic.kind, Kind::Local(_)),
                    reads: basic.reads,
                    writes: basic.writes,
                });
            }
            let steps = here.iter().enumerate();
            let answering = steps.filter(|(_, offer)| offer.role == Role::Answers);
            points.push(Point {
                responses: answering.map(|(step, _)| step).collect(),
                offers: here,
                is_quiet,
            });
        }
        let index = self.parties.len();
        if points.iter().any(|point| !point.responses.is_empty()) {
            self.responding.push(index);
        }
        self.points.push(points);
        self.parties.push(Box::new(Placed {
            process,
            index,
            flow,
            dead,
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

    fn point(&self, process: usize, Location(at): Location) -> &Point {
        &self.points[process][usize::from(at)]
    }

    /// The labels of the steps that a process can take at a location, in the order in which they are taken.
    pub fn labels(&self, process: usize, at: Location) -> impl Iterator<Item = Label> {
        let offers = self.point(process, at).offers.iter();
        offers.map(|offer| offer.label)
    }

    /// Where the steps of a process at a location lead, quiet ones by themselves.
    pub fn targets(&self, process: usize, at: Location) -> Vec<Location> {
        self.parties[process].targets(at)
    }

    /// Whether what a process can do at a location concerns nobody else: it neither asks nor answers.
    pub fn is_alone(&self, process: usize, at: Location) -> bool {
        let offers = &self.point(process, at).offers;
        offers.iter().all(|offer| offer.role == Role::Alone)
    }

    /// Whether a process may go on in several ways from a location: by one of several steps, or by one that
    /// is a guess.
    pub fn is_choice(&self, process: usize, at: Location) -> bool {
        let offers = &self.point(process, at).offers;
        offers.len() > 1 || offers.iter().any(|offer| offer.is_guess)
    }

    /// How many locations a process has.
    pub fn locations(&self, process: usize) -> usize {
        self.points[process].len()
    }

    /// Visits the states in which all processes begin, with the data that `state` has.
    pub fn start(&self, mut state: S, visit: &mut dyn FnMut(S)) {
        for party in &self.parties {
            party.start(&mut state);
        }
        let all: Vec<usize> = (0..self.parties.len()).collect();
        self.settle(self.granularity, &mut state, &all, &mut |state| {
            visit(state.clone())
        });
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
        let mut state = from.clone();
        for process in 0..self.parties.len() {
            self.steps_of(process, &|_| true, &mut state, &mut |act, to| {
                visit(act, to.clone());
            });
        }
    }

    /// Visits the steps that a process begins, those that are wanted by the place they have among the
    /// [labels](Self::labels). `state` is what a step leads to while that is visited, and is as it was
    /// in the end; whoever is visited may go on from there, and has to leave it as it was too.
    pub fn steps_of(
        &self,
        process: usize,
        is_wanted: &dyn Fn(usize) -> bool,
        state: &mut S,
        visit: &mut dyn FnMut(Act, &mut S),
    ) {
        let offers = &self.point(process, state.location(process)).offers;
        for (step, offer) in offers.iter().enumerate() {
            if is_wanted(step) {
                self.step(self.granularity, state, (process, step), offer, visit);
            }
        }
    }

    /// Visits the results of a step that a process begins.
    fn step(
        &self,
        granularity: Granularity,
        state: &mut S,
        (number, step): (usize, usize),
        offer: &Offer,
        visit: &mut dyn FnMut(Act, &mut S),
    ) {
        let party = &self.parties[number];
        let at = state.location(number);
        let mut act = Act {
            process: party.process(),
            label: offer.label,
            with: None,
            choice: 0,
            rule: offer.rule,
        };
        match offer.role {
            Role::Answers => (),
            Role::Alone => party.alone(state, at, step, &mut |to| {
                self.settle(granularity, to, &[number], &mut |to| {
                    visit(act, to);
                    act.choice += 1;
                });
            }),
            Role::Asks => {
                let request = party.ask(state, at, step);
                for other in self.responding.iter().copied().filter(|n| *n != number) {
                    let answering = &self.parties[other];
                    let there = state.location(other);
                    let point = self.point(other, there);
                    for response in &point.responses {
                        act.with = Some((answering.process(), point.offers[*response].label));
                        act.choice = 0;
                        answering.answer(state, there, *response, &request, &mut |to, answer| {
                            party.receive(to, at, step, answer, &mut |to| {
                                self.settle(granularity, to, &[number, other], &mut |to| {
                                    visit(act, to);
                                    act.choice += 1;
                                });
                            });
                        });
                    }
                }
            }
        }
    }

    /// Runs the quiet steps of processes that have just moved, if that is the granularity, and clears the
    /// registers that are dead where they come to. Those processes are not put back.
    fn settle(
        &self,
        granularity: Granularity,
        state: &mut S,
        moved: &[usize],
        visit: &mut dyn FnMut(&mut S),
    ) {
        for (position, number) in moved.iter().enumerate() {
            loop {
                let at = state.location(*number);
                let point = self.point(*number, at);
                if !point.is_quiet || granularity == Granularity::Fine {
                    self.parties[*number].clear_dead(state, at);
                    break;
                }
                if self.parties[*number].pass(state, at) {
                    continue;
                }
                for step in 0..point.offers.len() {
                    self.parties[*number].alone(state, at, step, &mut |to| {
                        self.settle(granularity, to, &moved[position..], visit);
                    });
                }
                return;
            }
        }
        visit(state);
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
            for (step, offer) in self.point(number, at).offers.iter().enumerate() {
                let registers = (0..party.registers().len()).map(|r| Register(r as u8));
                for register in registers.filter(|register| !offer.reads.contains(*register)) {
                    let outcomes = |from: &S| {
                        let mut outcomes = Vec::new();
                        self.outcomes(from, (number, step), offer, &mut |mut to| {
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
        offer: &Offer,
        visit: &mut dyn FnMut(S),
    ) {
        let mut state = from.clone();
        let mut step_of = |process, step, offer: &Offer, visit: &mut dyn FnMut(Act, S)| {
            let visit = &mut |act, to: &mut S| visit(act, to.clone());
            self.step(Granularity::Fine, &mut state, (process, step), offer, visit);
        };
        if offer.role != Role::Answers {
            return step_of(number, step, offer, &mut |_, to| visit(to));
        }
        let answer = Some((self.parties[number].process(), offer.label));
        for other in (0..self.parties.len()).filter(|other| *other != number) {
            let offers = &self.point(other, from.location(other)).offers;
            for (step, asking) in offers.iter().enumerate() {
                step_of(other, step, asking, &mut |act, to| {
                    if act.with == answer {
                        visit(to);
                    }
                });
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

        fn clear(&mut self, _: Registers) {
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
        let is_choice = [0, 1, 2].map(|at| composition.is_choice(0, Location(at)));
        assert_eq!(is_choice, [true, false, false]);
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
