//! Systems and refinements given by tables, small enough to be drawn at random.

mod packing;
pub mod random;

use std::collections::HashMap;

use refmap::{
    AbstractSteps, Constraint, Fairness, Invariant, Process, Property, Refinement, Rule, RuleId,
    TransitionSystem, Waiver,
};
use serde::Serialize;

pub use packing::Packing;

/// One configuration. All of it counts; nobody outside sees `secret` or `lane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    /// The low part of the state's row in the tables.
    pub place: u8,
    /// The high part.
    pub secret: u8,
    /// Number of the copy of the table.
    pub lane: u16,
}

/// Values of `State::place`.
const PLACES: u8 = 4;

impl State {
    /// The state of a row, in the first lane.
    pub fn of_row(row: usize) -> Self {
        Self {
            place: row as u8 % PLACES,
            secret: row as u8 / PLACES,
            lane: 0,
        }
    }

    /// The row of the tables that speaks of the state.
    pub fn row(&self) -> usize {
        usize::from(self.secret * PLACES + self.place)
    }
}

/// The label of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Label {
    /// An index into the rules.
    pub rule: u8,
    /// An index into [`PROCESSES`].
    pub process: u8,
    /// An argument that the environment chooses.
    pub input: u8,
    /// An argument that the system chooses.
    pub result: u8,
}

/// Everybody who takes steps.
pub const PROCESSES: [Process; 4] = [
    Process::numbered("worker", 0),
    Process::numbered("worker", 1),
    Process::new("system"),
    Process::new("buffer"),
];

/// The index of a process.
pub fn index_of(process: Process) -> usize {
    let index = PROCESSES.iter().position(|other| *other == process);
    index.expect("tables speak of these processes only")
}

/// A transition system, row by row.
#[derive(Clone, Debug)]
pub struct Table {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The rows of the initial states.
    pub initial: Vec<usize>,
    /// Per row, the steps: label and target row.
    pub steps: Vec<Vec<(Label, usize)>>,
    /// Per row, what can be seen.
    pub shown: Vec<u8>,
    /// Per row, whether the system may stop.
    pub may_stop: Vec<bool>,
    /// Number of copies of the table; a step by rule n leads n lanes on.
    pub lanes: u16,
    /// In how many of them there are initial states.
    pub initial_lanes: u16,
    /// The fairness conditions.
    pub fairness: Vec<Fairness>,
    /// Form in which states are written.
    pub packing: Packing,
}

impl Table {
    /// Rows without a step, where the system may stop.
    pub fn new(rules: Vec<Rule>, rows: usize) -> Self {
        Self {
            rules,
            initial: Vec::new(),
            steps: vec![Vec::new(); rows],
            shown: vec![0; rows],
            may_stop: vec![true; rows],
            lanes: 1,
            initial_lanes: 1,
            fairness: Vec::new(),
            packing: Packing::of(0, 1),
        }
    }
}

impl refmap::Action<Table> for Label {
    fn rules(system: &Table) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, _: &Table) -> RuleId {
        RuleId(self.rule.into())
    }

    fn process(&self, _: &Table) -> Process {
        PROCESSES[usize::from(self.process)]
    }

    fn inputs(&self, _: &Table) -> Self {
        Label { result: 0, ..*self }
    }
}

impl TransitionSystem for Table {
    type State = State;
    type Action = Label;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for lane in 0..self.initial_lanes {
            for &row in &self.initial {
                visit(State {
                    lane,
                    ..State::of_row(row)
                });
            }
        }
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Label)) {
        let steps = self.steps[from.row()].iter();
        steps.map(|(label, _)| *label).for_each(visit);
    }

    fn fire(&self, action: &Label, state: &mut State) -> Option<()> {
        let mut steps = self.steps[state.row()].iter();
        let (label, to) = steps.find(|(label, _)| label == action)?;
        let lane = (state.lane + u16::from(label.rule)) % self.lanes;
        *state = State {
            lane,
            ..State::of_row(*to)
        };
        Some(())
    }

    fn observe(&self, state: &State) -> u8 {
        self.shown[state.row()]
    }

    fn may_stop(&self, state: &State) -> bool {
        self.may_stop[state.row()]
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// An invariant, row by row.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: &'static str,
    /// Per row, whether something is claimed.
    pub premise: Option<Vec<bool>>,
    /// Per row, whether that is so.
    pub conclusion: Vec<bool>,
}

/// A refinement between two tables, with a table for each of its functions.
#[derive(Clone, Debug)]
pub struct Correspondence {
    /// The implementation.
    pub concrete: Table,
    /// The specification, which has one lane.
    pub specification: Table,
    /// Per row of the implementation, the row of its image.
    pub images: Vec<usize>,
    /// Per row and step of the implementation, the answer.
    pub answers: Vec<Vec<Option<Label>>>,
    /// Per row and step of the implementation, the abstract steps before the answer, where there are any.
    pub before: HashMap<(usize, usize), Vec<Label>>,
    /// A row of the implementation with another image in `wrong_lane`.
    pub wrong_image: Option<(usize, usize)>,
    /// A step of the implementation (row, position) with another answer in `wrong_lane`.
    pub wrong_answer: Option<(usize, usize, Option<Label>)>,
    /// The lane in which the two corruptions above are.
    pub wrong_lane: u16,
    /// Per row of the implementation, whether it satisfies the constraint, if there is one.
    pub within: Option<Vec<bool>>,
    /// The liveness properties.
    pub properties: Vec<Property<Table>>,
    /// The invariants.
    pub claims: Vec<Claim>,
    /// The environment's processes.
    pub environment: Vec<Process>,
    /// Per process and row of the implementation, whether the process is at rest.
    pub at_rest: [Vec<bool>; PROCESSES.len()],
    /// Per process, the one for which it acts.
    pub acts_for: [Process; PROCESSES.len()],
    /// The rules waived.
    pub waived: Vec<&'static str>,
}

impl Correspondence {
    /// Maps every row to the first and answers no step; declares no environment.
    pub fn new(concrete: Table, specification: Table) -> Self {
        let rows = concrete.steps.len();
        Self {
            concrete,
            specification,
            images: vec![0; rows],
            answers: vec![Vec::new(); rows],
            before: HashMap::new(),
            wrong_image: None,
            wrong_answer: None,
            wrong_lane: 0,
            within: None,
            properties: Vec::new(),
            claims: Vec::new(),
            environment: Vec::new(),
            at_rest: std::array::from_fn(|_| vec![true; rows]),
            acts_for: PROCESSES,
            waived: Vec::new(),
        }
    }

    /// Index of an action in its row.
    fn position(&self, row: usize, action: &Label) -> usize {
        let mut steps = self.concrete.steps[row].iter();
        let position = steps.position(|(label, _)| label == action);
        position.expect("the engine asks about steps that exist")
    }
}

impl Refinement for Correspondence {
    type Implementation = Table;
    type Specification = Table;

    fn implementation(&self) -> &Table {
        &self.concrete
    }

    fn specification(&self) -> &Table {
        &self.specification
    }

    fn map(&self, state: &State) -> State {
        let row = state.row();
        State::of_row(match self.wrong_image {
            Some((wrong, image)) if wrong == row && state.lane == self.wrong_lane => image,
            _ => self.images[row],
        })
    }

    fn abstract_steps(&self, from: &State, action: &Label, _to: &State) -> AbstractSteps<Label> {
        let row = from.row();
        let position = self.position(row, action);
        let last = match self.wrong_answer {
            Some((wrong, step, answer))
                if (wrong, step) == (row, position) && from.lane == self.wrong_lane =>
            {
                answer
            }
            _ => self.answers[row][position],
        };
        match self.before.get(&(row, position)) {
            None => last.into(),
            Some(before) => AbstractSteps::Several(before.iter().copied().chain(last).collect()),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Table>> {
        let invariant = |claim: &Claim| {
            let conclusion = claim.conclusion.clone();
            let invariant = Invariant::new(claim.name, "random", move |state: &State| {
                conclusion[state.row()]
            });
            match claim.premise.clone() {
                None => invariant,
                Some(premise) => invariant.when(move |state: &State| premise[state.row()]),
            }
        };
        self.claims.iter().map(invariant).collect()
    }

    fn constraint(&self) -> Option<Constraint<Table>> {
        let within = self.within.clone()?;
        let contains = move |state: &State| within[state.row()];
        Some(Constraint::new("some rows", contains))
    }

    fn liveness(&self) -> Vec<Property<Table>> {
        self.properties.clone()
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &State, process: Process) -> bool {
        self.at_rest[index_of(process)][state.row()]
    }

    fn acts_for(&self, process: Process) -> Process {
        self.acts_for[index_of(process)]
    }

    fn waivers(&self) -> Vec<Waiver> {
        let waiver = |&rule| Waiver {
            rule,
            reason: "drawn at random",
        };
        self.waived.iter().map(waiver).collect()
    }
}
