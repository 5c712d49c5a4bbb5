//! Parallel composition of processes [Gammie, Hosking & Engelhardt, Fig. 8], over the model's own state.

mod point;
mod registers;
mod shown;
mod steps;

use std::collections::HashMap;

use super::command::{Command, Kind};
use super::configuration::Configuration;
use super::data::{Data, Registers};
use super::flow::{Edge, Flow, Location, ProcessError};
use super::instance::{Instance, Offer, ProcessInstance, Role};
use super::label::{CommandLabel, Label};
use super::liveness::{DeadRegisters, dead};
use point::Point;
use refmap::{Process, Rule};

pub use registers::Undeclared;

/// Rule number of a command that begins no step.
const NO_RULE: u16 = u16::MAX;

/// Granularity of the steps of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// Each command is one step.
    #[default]
    Fine,
    /// Local fusion: a step is a command together with the commands after it that
    /// [fuse with the previous one](Command::fuse_with_previous).
    Fused(Choices),
}

/// Treatment of choices that are marked to [fuse with the next step](Command::fuse_with_next).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choices {
    /// A choice is a step of its own.
    Separate,
    /// A choice is part of the next step.
    FusedWithNext,
}

/// Set of locations of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations(Vec<bool>);

impl Locations {
    /// True if the set contains a location.
    pub fn contains(&self, Location(location): Location) -> bool {
        self.0[usize::from(location)]
    }
}

/// Processes in a state `S`, which meet by requests `Q` and answers `A`; their commands are labelled by texts, or
/// by another type `N`.
pub struct Composition<S, Q, A, N = Label> {
    instances: Vec<Box<dyn ProcessInstance<S, Q, A>>>,
    /// Of each process, its locations.
    points: Vec<Vec<Point<N>>>,
    /// Of each process, the names of its locations.
    names: Vec<Vec<String>>,
    /// The processes that respond to requests anywhere.
    responding: Vec<usize>,
    rules: Vec<Rule>,
    /// Of each rule, the label of its commands.
    labels: Vec<N>,
    granularity: Granularity,
    registers: DeadRegisters,
}

/// The rules of all processes.
impl<S, Q, A, N> AsRef<[Rule]> for Composition<S, Q, A, N> {
    fn as_ref(&self) -> &[Rule] {
        &self.rules
    }
}

impl<S, Q, A, N> Default for Composition<S, Q, A, N>
where
    S: Configuration + 'static,
    Q: 'static,
    A: 'static,
    N: CommandLabel,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S, Q, A, N> Composition<S, Q, A, N>
where
    S: Configuration + 'static,
    Q: 'static,
    A: 'static,
    N: CommandLabel,
{
    /// No processes.
    pub fn new() -> Self {
        Self {
            instances: Vec::new(),
            points: Vec::new(),
            names: Vec::new(),
            responding: Vec::new(),
            rules: Vec::new(),
            labels: Vec::new(),
            granularity: Granularity::Fine,
            registers: DeadRegisters::Cleared,
        }
    }

    /// Sets the treatment of dead registers for the processes that are placed from now on.
    #[must_use]
    pub fn registers(mut self, registers: DeadRegisters) -> Self {
        self.registers = registers;
        self
    }

    /// Sets the granularity.
    ///
    /// # Panics
    ///
    /// If a process is already placed: which of its commands are rules depends on the granularity.
    #[must_use]
    pub fn with(mut self, granularity: Granularity) -> Self {
        assert!(
            self.instances.is_empty(),
            "granularity comes before processes"
        );
        self.granularity = granularity;
        self
    }

    /// Places a process; `get` and `get_mut` project the state to its data state. Processes of one name share their
    /// rules: one for each command that may begin a step and is not a response.
    ///
    /// # Errors
    ///
    /// If its commands are not well formed.
    pub fn process<L: Data>(
        &mut self,
        process: Process,
        command: &Command<L, Q, A, N>,
        get: impl Fn(&S) -> &L + Send + Sync + 'static,
        get_mut: impl Fn(&mut S) -> &mut L + Send + Sync + 'static,
    ) -> Result<(), ProcessError> {
        let flow = Flow::of(&process.to_string(), command)?;
        let dead = match self.registers {
            DeadRegisters::Cleared => dead(&flow),
            DeadRegisters::Kept => vec![Registers::NONE; flow.points.len()],
        };
        let known = self.rules.iter().zip(&self.labels).enumerate();
        let mut numbers: HashMap<N, u16> = known
            .filter(|(_, (rule, _))| rule.process == process.name)
            .map(|(number, (_, label))| (*label, number as u16))
            .collect();
        let mut points = Vec::with_capacity(flow.points.len());
        let fuses_choices = self.granularity == Granularity::Fused(Choices::FusedWithNext);
        for (at, point) in flow.points.iter().enumerate() {
            let fuses_with_next =
                |edge: &Edge<L, Q, A, N>| fuses_choices && edge.basic.fuses_with_next;
            let is_fused = flow.is_fused(Location(at as u16)) && !point.iter().any(fuses_with_next);
            let is_passed = is_fused && self.granularity != Granularity::Fine;
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
                    // The command is fused with a neighbouring step and has that step's rule.
                    _ if is_passed || fuses_with_next(edge) => NO_RULE,
                    Role::Alone | Role::Asks => *numbers.entry(label).or_insert_with(|| {
                        self.rules.push(Rule {
                            name: label.to_string().into(),
                            process: process.name,
                            source: basic.source.clone(),
                        });
                        self.labels.push(label);
                        (self.rules.len() - 1) as u16
                    }),
                };
                here.push(Offer {
                    label,
                    rule,
                    role,
                    is_choice: matches!(basic.kind, Kind::Local(_)),
                    fuses_with_next: fuses_with_next(edge),
                    reads: basic.reads,
                    writes: basic.writes,
                });
            }
            let steps = here.iter().enumerate();
            let answering = steps.filter(|(_, offer)| offer.role == Role::Answers);
            points.push(Point {
                responses: answering.map(|(step, _)| step).collect(),
                offers: here,
                is_fused,
            });
        }
        let index = self.instances.len();
        if points.iter().any(|point| !point.responses.is_empty()) {
            self.responding.push(index);
        }
        self.names.push(point::names(&points));
        self.points.push(points);
        self.instances.push(Box::new(Instance {
            process,
            index,
            flow,
            dead,
            get: Box::new(get),
            get_mut: Box::new(get_mut),
        }));
        Ok(())
    }

    /// Rules of all processes.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Locations at which a process can take the step with the given label.
    ///
    /// # Panics
    ///
    /// If it has no such command: an invariant that speaks of nowhere would hold.
    pub fn at(&self, process: usize, label: impl Into<N>) -> Locations {
        let label = label.into();
        match self.find(process, label) {
            Some(locations) => locations,
            None => panic!(
                "{} has no command `{label}`",
                self.instances[process].process()
            ),
        }
    }

    /// The same, or `None` if the process has no such command.
    pub fn find(&self, process: usize, label: impl Into<N>) -> Option<Locations> {
        let label = label.into();
        self.find_any(process, |offered| offered == label)
    }

    /// Locations at which a process can take any of the steps that are meant, or `None` if it has no such command.
    pub fn find_any(&self, process: usize, is_meant: impl Fn(N) -> bool) -> Option<Locations> {
        let offers = |point: &Point<N>| point.offers.iter().any(|offer| is_meant(offer.label));
        let at: Vec<_> = self.points[process].iter().map(offers).collect();
        at.contains(&true).then_some(Locations(at))
    }

    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.instances.len()
    }

    fn point(&self, process: usize, Location(at): Location) -> &Point<N> {
        &self.points[process][usize::from(at)]
    }

    /// The labels of the steps that a process can take at a location, in the order in which they are taken.
    pub fn labels(&self, process: usize, at: Location) -> impl Iterator<Item = N> {
        let offers = self.point(process, at).offers.iter();
        offers.map(|offer| offer.label)
    }

    /// Target locations of the steps of a process at a location, without the steps fused with them.
    pub fn targets(&self, process: usize, at: Location) -> Vec<Location> {
        self.instances[process].targets(at)
    }

    /// True if all steps of a process at a location are local: none is a request or a response.
    pub fn is_alone(&self, process: usize, at: Location) -> bool {
        let offers = &self.point(process, at).offers;
        offers.iter().all(|offer| offer.role == Role::Alone)
    }

    /// True if a process is nondeterministic at a location: it has several steps, or one that is a
    /// [`choose`](super::choose).
    pub fn is_choice(&self, process: usize, at: Location) -> bool {
        let offers = &self.point(process, at).offers;
        offers.len() > 1 || offers.iter().any(|offer| offer.is_choice)
    }

    /// Number of locations of a process.
    pub fn locations(&self, process: usize) -> usize {
        self.points[process].len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        At, Data, DeadRegisters, Register, assign, choice, choose, forever, request, respond_any,
        sequence,
    };
    use super::*;

    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct Chooser {
        chosen: u8,
    }

    impl Data for Chooser {
        const REGISTERS: &'static [&'static str] = &["chosen"];

        fn clear(&mut self, _: Registers) {
            self.chosen = 0;
        }

        fn havoc(&self, _: Register, visit: &mut dyn FnMut(Self)) {
            (0..3).for_each(|chosen| visit(Self { chosen }));
        }
    }

    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct State(At<1>, Chooser);

    impl Configuration for State {
        fn location(&self, process: usize) -> Location {
            self.0[process]
        }

        fn go_to(&mut self, process: usize, location: Location) {
            self.0[process] = location;
        }
    }

    /// States of a process that chooses a number, reads it, and then takes a step that does not read it.
    fn states(registers: DeadRegisters) -> usize {
        let mut composition = Composition::<State, (), ()>::new().registers(registers);
        let chosen = Register(0);
        let choice = choose("choose", |_: &Chooser, visit| {
            (0..3).for_each(|chosen| visit(Chooser { chosen }));
        });
        let steps = [
            choice.writes(chosen),
            assign("look", |_: &mut Chooser| ()).reads(chosen),
            assign("rest", |_| ()),
        ];
        let placed = composition.process(
            Process::new("chooser"),
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
        let data = State(At::default(), Chooser { chosen: 0 });
        composition.start(data, &mut |state| left.push(state));
        while let Some(state) = left.pop() {
            if found.insert(state.clone()) {
                composition.steps(&state, &mut |_, to| left.push(to.clone()));
            }
        }
        found.len()
    }

    /// With clearing, the chosen number distinguishes states only where it is live.
    #[test]
    fn a_dead_register_distinguishes_states_only_if_kept() {
        assert_eq!(states(DeadRegisters::Cleared), 5);
        assert_eq!(states(DeadRegisters::Kept), 9);
    }

    /// A process that counts its rendezvous.
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
    struct Met(Vec<u8>);

    impl Data for Met {
        const REGISTERS: &'static [&'static str] = &[];

        fn clear(&mut self, _: Registers) {}

        fn havoc(&self, _: Register, _: &mut dyn FnMut(Self)) {}
    }

    #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
    struct Several(At<4>, [Met; 4]);

    impl Configuration for Several {
        fn location(&self, process: usize) -> Location {
            self.0[process]
        }

        fn go_to(&mut self, process: usize, location: Location) {
            self.0[process] = location;
        }
    }

    /// A request forms a rendezvous with every response of every other process and each of its answers; processes
    /// outside the rendezvous keep their state.
    #[test]
    fn a_request_meets_everybody_who_responds() {
        let asker =
            || request::<Met, u8, u8, Label>("ask", |_| 7, |met, answer| met.0.push(*answer));
        let answers = |label: &'static str, of: &'static [u8]| {
            respond_any::<Met, u8, u8, Label>(label, move |asked, from, visit| {
                for answer in of {
                    let mut to = from.clone();
                    to.0.push(100 + asked);
                    visit(to, *answer);
                }
            })
        };
        let processes = [
            // Requests, and also offers a response.
            choice([asker(), answers("own", &[1])]),
            answers("first", &[2]),
            choice([answers("second", &[3, 4]), answers("third", &[5])]),
            assign("alone", |met: &mut Met| met.0.push(0)),
        ];
        let mut composition = Composition::<Several, u8, u8>::new();
        for (number, command) in processes.into_iter().enumerate() {
            let process = Process::numbered("party", number as u16);
            composition
                .process(
                    process,
                    &forever(command),
                    move |state: &Several| &state.1[number],
                    move |state| &mut state.1[number],
                )
                .expect("its labels differ");
        }
        let mut initial = Vec::new();
        composition.start(Several::default(), &mut |state| initial.push(state));
        assert_eq!(initial.len(), 1);
        let mut found = Vec::new();
        composition.steps(&initial[0], &mut |act, to| {
            let with = act.with.map(|(process, label)| (process.number, label));
            let met = to.1.clone().map(|met| met.0);
            found.push((act.process.number, with, act.choice, met));
        });
        let none: fn() -> Vec<u8> = Vec::new;
        let with = |number, label: &'static str| Some((Some(number), Label::from(label)));
        let asked = || vec![107];
        let expected = [
            (
                Some(0),
                with(1, "first"),
                0,
                [vec![2], asked(), none(), none()],
            ),
            (
                Some(0),
                with(2, "second"),
                0,
                [vec![3], none(), asked(), none()],
            ),
            (
                Some(0),
                with(2, "second"),
                1,
                [vec![4], none(), asked(), none()],
            ),
            (
                Some(0),
                with(2, "third"),
                0,
                [vec![5], none(), asked(), none()],
            ),
            (Some(3), None, 0, [none(), none(), none(), vec![0]]),
        ];
        assert_eq!(found, expected);
    }
}
