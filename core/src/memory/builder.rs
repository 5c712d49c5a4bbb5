//! Stating a program so that it reads like the figure it comes from.
//!
//! ```
//! use refmap::memory::{Fence, ProgramBuilder};
//!
//! let mut program = ProgramBuilder::new("message passing");
//! let (data, flag) = (program.location("data", 0), program.location("flag", 0));
//! program.thread("sender", |t| {
//!     t.store(data, 1);
//!     t.fence(Fence::Release);
//!     t.store(flag, 1);
//! });
//! program.thread("receiver", |t| {
//!     let (f, d) = (t.register("f"), t.register("d"));
//!     t.load(f, flag);
//!     t.when(f.equals(1), |t| {
//!         t.load(d, data);
//!         t.assert(d.equals(1));
//!     });
//! });
//! let program = program.build().expect("the program is well formed");
//! assert_eq!(program.threads.len(), 2);
//! ```

use std::collections::BTreeSet;

use super::expression::{Expression, Integer, Location, Operator, Place, Register, Value};
use super::program::{
    Afterwards, Fence, FencePlace, Instruction, LoadKind, MOST_INSTRUCTIONS, MOST_LOCATIONS,
    MOST_REGISTERS, MOST_THREADS, Presence, PrivateRegister, Program, Returned, Thread, Update,
    Variable,
};

/// A program being stated. What is wrong with it is said by [`build`](Self::build).
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    error: Option<BuildError>,
}

impl ProgramBuilder {
    /// A program without locations and threads, in which no thread may jump back.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            program: Program {
                name: name.into(),
                variables: Vec::new(),
                threads: Vec::new(),
                places: Vec::new(),
                backward_jumps: 0,
            },
            error: None,
        }
    }

    /// A shared location, and what it holds at first.
    pub fn location(&mut self, name: impl Into<String>, initial: impl Into<Value>) -> Location {
        self.typed_location(name, initial, Integer::I64)
    }

    /// A shared location that keeps the bits of `integer` of what is written to it.
    pub fn typed_location(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
        integer: Integer,
    ) -> Location {
        let name = name.into();
        let number = self.program.variables.len();
        if self
            .program
            .variables
            .iter()
            .any(|other| other.name == name)
        {
            self.fail(BuildError::DuplicateName { name: name.clone() });
        }
        if number >= MOST_LOCATIONS {
            self.fail(BuildError::too_many("locations", MOST_LOCATIONS));
            return Location(0);
        }
        self.program.variables.push(Variable {
            name,
            initial: initial.into(),
            integer,
        });
        Location(number as u16)
    }

    /// What `location` holds at first, said anew: the address of a location that came later, say.
    pub fn starts_with(&mut self, location: Location, initial: impl Into<Value>) {
        match self.program.variables.get_mut(usize::from(location.0)) {
            Some(variable) => variable.initial = initial.into(),
            None => self.fail(BuildError::ForeignLocation { location }),
        }
    }

    /// How often each thread may jump back before it is cut off; not at all, unless said.
    pub fn backward_jumps(&mut self, most: u8) {
        self.program.backward_jumps = most;
    }

    /// A thread, whose instructions `body` states.
    pub fn thread(&mut self, name: impl Into<String>, body: impl FnOnce(&mut ThreadBuilder<'_>)) {
        let name = name.into();
        if self.program.threads.iter().any(|other| other.name == name) {
            self.fail(BuildError::DuplicateName { name: name.clone() });
        }
        if self.program.threads.len() >= MOST_THREADS {
            return self.fail(BuildError::too_many("threads", MOST_THREADS));
        }
        let mut builder = ThreadBuilder {
            thread: Thread {
                name,
                registers: Vec::new(),
                code: Vec::new(),
            },
            labels: Vec::new(),
            atomic: None,
            of: self,
        };
        body(&mut builder);
        let (mut thread, labels) = (builder.thread, builder.labels);
        for instruction in &mut thread.code {
            match instruction {
                Instruction::Branch { otherwise: to, .. }
                | Instruction::Jump(to)
                | Instruction::Atomic { end: to } => match labels.get(*to).copied().flatten() {
                    Some(target) => *to = target,
                    None => self.fail(BuildError::LabelNowhere {
                        thread: thread.name.clone(),
                    }),
                },
                _ => (),
            }
        }
        self.check(&thread);
        self.program.threads.push(thread);
    }

    /// The program.
    ///
    /// # Errors
    ///
    /// If it is not well formed; with what was wrong first.
    pub fn build(self) -> Result<Program, BuildError> {
        let program = self.program;
        if let Some(error) = self.error {
            return Err(error);
        }
        if program.threads.is_empty() {
            return Err(BuildError::NoThread);
        }
        let holds = |value: Value| match value {
            Value::Address(location) => usize::from(location.0) < program.variables.len(),
            Value::Number(_) => true,
        };
        for variable in &program.variables {
            if !holds(variable.initial) {
                let Value::Address(location) = variable.initial else {
                    unreachable!("every number is fine");
                };
                return Err(BuildError::ForeignLocation { location });
            }
        }
        Ok(program)
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }

    fn check(&mut self, thread: &Thread) {
        let code = &thread.code;
        if code.len() > MOST_INSTRUCTIONS {
            self.fail(BuildError::too_many("instructions", MOST_INSTRUCTIONS));
        }
        let mut foreign = None;
        let mut seen = |register: Register| {
            if usize::from(register.0) >= thread.registers.len() {
                foreign = Some(register);
            }
        };
        for instruction in code {
            instruction.expressions(&mut |expression| expression.registers(&mut seen));
            instruction.target().into_iter().for_each(&mut seen);
        }
        if let Some(register) = foreign {
            self.fail(BuildError::ForeignRegister {
                thread: thread.name.clone(),
                register,
            });
        }
        let blocks = code.iter().enumerate().filter_map(|(start, instruction)| {
            let Instruction::Atomic { end } = instruction else {
                return None;
            };
            Some((start, *end))
        });
        let blocks: Vec<_> = blocks.collect();
        let block_of = |at: usize| {
            blocks
                .iter()
                .position(|(start, end)| *start < at && at < *end)
        };
        for (at, instruction) in code.iter().enumerate() {
            let block = block_of(at);
            let wrong = match instruction {
                Instruction::Choose { .. } | Instruction::Atomic { .. } => block.is_some(),
                Instruction::Require(_) => block.is_none(),
                Instruction::Branch { otherwise: to, .. } | Instruction::Jump(to) => match block {
                    // To the end of the block is within it; back is not.
                    Some(block) => *to <= at || *to > blocks[block].1,
                    None => block_of(*to).is_some(),
                },
                _ => false,
            };
            if wrong {
                self.fail(BuildError::NotInBlock {
                    thread: thread.name.clone(),
                    instruction: at,
                });
            }
        }
    }
}

/// A place in the code of a thread to which a jump may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// A thread being stated.
#[derive(Debug)]
pub struct ThreadBuilder<'a> {
    thread: Thread,
    /// Where each label stands, once it does. Until the thread is done its jumps hold labels.
    labels: Vec<Option<usize>>,
    /// The end of the atomic block that is being stated.
    atomic: Option<Label>,
    of: &'a mut ProgramBuilder,
}

impl ThreadBuilder<'_> {
    /// A private register that holds 0 at first.
    pub fn register(&mut self, name: impl Into<String>) -> Register {
        self.register_with(name, 0, Afterwards::Forgotten)
    }

    /// A private register, what it holds at first, and what becomes of it.
    pub fn register_with(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
        afterwards: Afterwards,
    ) -> Register {
        let (name, number) = (name.into(), self.thread.registers.len());
        if self.thread.registers.iter().any(|other| other.name == name) {
            self.of
                .fail(BuildError::DuplicateName { name: name.clone() });
        }
        if number >= MOST_REGISTERS {
            self.of
                .fail(BuildError::too_many("registers", MOST_REGISTERS));
            return Register(0);
        }
        self.thread.registers.push(PrivateRegister {
            name,
            initial: initial.into(),
            afterwards,
        });
        Register(number as u8)
    }

    fn push(&mut self, instruction: Instruction) {
        self.thread.code.push(instruction);
    }

    /// `into := value`, with registers alone.
    pub fn assign(&mut self, into: Register, value: impl Into<Expression>) {
        let value = value.into();
        self.push(Instruction::Assign { into, value });
    }

    /// `into := from`, a load.
    pub fn load(&mut self, into: Register, from: impl Into<Place>) {
        let (from, kind) = (from.into(), LoadKind::Plain);
        self.push(Instruction::Load { into, from, kind });
    }

    /// `to := value`, a store.
    pub fn store(&mut self, to: impl Into<Place>, value: impl Into<Expression>) {
        let (to, value) = (to.into(), value.into());
        self.push(Instruction::Store { to, value });
    }

    /// `into := LL(from)`: a load that makes the thread's reservation.
    pub fn load_linked(&mut self, into: Register, from: impl Into<Place>) {
        let (from, kind) = (from.into(), LoadKind::Linked);
        self.push(Instruction::Load { into, from, kind });
    }

    /// `succeeded := SC(to, value)`: writes if nobody else has written there since the reservation.
    pub fn store_conditional(
        &mut self,
        succeeded: Register,
        to: impl Into<Place>,
        value: impl Into<Expression>,
    ) {
        let (to, value) = (to.into(), value.into());
        self.push(Instruction::StoreConditional {
            to,
            value,
            succeeded,
        });
    }

    /// `succeeded := CAS(at, expected, desired)`.
    pub fn cas(
        &mut self,
        succeeded: Register,
        at: impl Into<Place>,
        expected: impl Into<Expression>,
        desired: impl Into<Expression>,
    ) {
        let result = Some((succeeded, Returned::Success));
        self.compare_and_swap(result, at, expected, desired);
    }

    /// `CAS(at, expected, desired)`, where nobody asks whether it succeeds.
    pub fn cas_unchecked(
        &mut self,
        at: impl Into<Place>,
        expected: impl Into<Expression>,
        desired: impl Into<Expression>,
    ) {
        self.compare_and_swap(None, at, expected, desired);
    }

    /// `CAS(at, expected, desired)`, and what is left of it in which register.
    pub fn compare_and_swap(
        &mut self,
        result: Option<(Register, Returned)>,
        at: impl Into<Place>,
        expected: impl Into<Expression>,
        desired: impl Into<Expression>,
    ) {
        let (expected, desired) = (expected.into(), desired.into());
        self.update(result, at, Update::CompareAndSwap { expected, desired });
    }

    /// `old := exchange(at, value)`.
    pub fn exchange(&mut self, old: Register, at: impl Into<Place>, value: impl Into<Expression>) {
        let result = Some((old, Returned::Old));
        self.update(result, at, Update::Exchange(value.into()));
    }

    /// `old := fetch_and_add(at, value)`.
    pub fn fetch_and_add(
        &mut self,
        old: Register,
        at: impl Into<Place>,
        value: impl Into<Expression>,
    ) {
        let result = Some((old, Returned::Old));
        self.update(result, at, Update::Fetch(Operator::Add, value.into()));
    }

    /// Any atomic update, and what is left of it in which register.
    pub fn update(
        &mut self,
        result: Option<(Register, Returned)>,
        at: impl Into<Place>,
        update: Update,
    ) {
        let at = at.into();
        self.push(Instruction::Update { at, update, result });
    }

    /// A fence.
    pub fn fence(&mut self, fence: Fence) {
        self.push(Instruction::Fence { fence, place: None });
    }

    /// A place where a fence may stand: see [`Program::with_fences`]. One name may be used at several
    /// places, whose fences then stand or fall together.
    pub fn fence_at(&mut self, name: impl Into<String>, fence: Fence, presence: Presence) {
        let name = name.into();
        self.fence_at_point(name.clone(), name, fence, presence);
    }

    fn fence_at_point(&mut self, point: String, name: String, fence: Fence, presence: Presence) {
        let places = &mut self.of.program.places;
        let known = places.iter().position(|place| place.name == name);
        let number = known.unwrap_or(places.len());
        let Ok(place) = u16::try_from(number) else {
            let most = usize::from(u16::MAX);
            return self.of.fail(BuildError::too_many("places", most));
        };
        match known {
            Some(number) if (places[number].fence, &places[number].point) != (presence, &point) => {
                self.of.fail(BuildError::DuplicateName { name });
            }
            Some(_) => (),
            None => places.push(FencePlace {
                name,
                point,
                fence: presence,
            }),
        }
        let place = Some(place);
        self.push(Instruction::Fence { fence, place });
    }

    /// Places where a fence of one of several kinds may stand, one a kind, called `NAME:full`,
    /// `NAME:acquire` and `NAME:release`. They stand in for each other: a full fence is not asked for
    /// where a weaker one is enough.
    pub fn fence_kinds_at(
        &mut self,
        name: &str,
        kinds: impl IntoIterator<Item = Fence>,
        presence: Presence,
    ) {
        for kind in kinds {
            let full_name = format!("{name}:{}", kind.name());
            self.fence_at_point(name.to_owned(), full_name, kind, presence);
        }
    }

    /// A check that `condition` is not 0. The thread goes no further before it is decided.
    pub fn assert(&mut self, condition: impl Into<Expression>) {
        self.push(Instruction::Assert(condition.into()));
    }

    /// Shows a value to the world: what is observed of the program.
    pub fn output(&mut self, value: impl Into<Expression>) {
        self.push(Instruction::Output(value.into()));
    }

    /// `into := one of values`.
    pub fn choose<V: Into<Value>>(&mut self, into: Register, values: impl IntoIterator<Item = V>) {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        let distinct: BTreeSet<_> = values.iter().collect();
        if values.is_empty() || distinct.len() < values.len() {
            self.of.fail(BuildError::BadChoice {
                thread: self.thread.name.clone(),
            });
        }
        self.push(Instruction::Choose { into, values });
    }

    /// `if condition then body`.
    pub fn when(&mut self, condition: impl Into<Expression>, body: impl FnOnce(&mut Self)) {
        self.if_else(condition, body, |_| ());
    }

    /// `if condition then yes else no`.
    pub fn if_else(
        &mut self,
        condition: impl Into<Expression>,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        let (otherwise, end) = (self.label(), self.label());
        self.branch_unless(condition, otherwise);
        yes(self);
        self.jump(end);
        let jump = self.thread.code.len() - 1;
        self.place(otherwise);
        let labels = self.labels.len();
        no(self);
        // A jump to the next instruction is none.
        if self.thread.code.len() == jump + 1 && self.labels.len() == labels {
            self.thread.code.pop();
            self.labels[otherwise.0] = Some(jump);
        }
        self.place(end);
    }

    /// `while condition do body`, where `condition` reads registers alone; so what it depends on is
    /// loaded before the loop and at the end of `body`.
    pub fn while_do(&mut self, condition: impl Into<Expression>, body: impl FnOnce(&mut Self)) {
        let (start, end) = (self.label(), self.label());
        self.place(start);
        self.branch_unless(condition, end);
        body(self);
        self.jump(start);
        self.place(end);
    }

    /// `repeat body until condition`: `body` runs at least once.
    pub fn repeat_until(&mut self, condition: impl Into<Expression>, body: impl FnOnce(&mut Self)) {
        let start = self.label();
        self.place(start);
        body(self);
        self.branch_unless(condition, start);
    }

    /// `body` as one step, before which everything earlier of the thread is performed and after which
    /// comes everything later. There is no loop, no choice and no other block in it.
    pub fn atomic(&mut self, body: impl FnOnce(&mut Self)) {
        let end = self.label();
        self.push(Instruction::Atomic { end: end.0 });
        let outer = self.atomic.replace(end);
        body(self);
        self.atomic = outer;
        self.place(end);
    }

    /// Lets the atomic block in which it stands run only if `condition` is not 0.
    pub fn require(&mut self, condition: impl Into<Expression>) {
        self.push(Instruction::Require(condition.into()));
    }

    /// A label, which has to be [placed](Self::place) somewhere.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts `label` before the next instruction.
    pub fn place(&mut self, label: Label) {
        let here = self.thread.code.len();
        let thread = || self.thread.name.clone();
        match self.labels.get_mut(label.0) {
            None => self.of.fail(BuildError::LabelNowhere { thread: thread() }),
            Some(Some(_)) => self.of.fail(BuildError::LabelTwice { thread: thread() }),
            Some(unplaced) => *unplaced = Some(here),
        }
    }

    /// Jumps to `label` if `condition` is 0.
    pub fn branch_unless(&mut self, condition: impl Into<Expression>, label: Label) {
        self.push(Instruction::Branch {
            condition: condition.into(),
            otherwise: label.0,
        });
    }

    /// Jumps to `label`.
    pub fn jump(&mut self, label: Label) {
        self.push(Instruction::Jump(label.0));
    }
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Nothing would run.
    #[error("the program has no thread")]
    NoThread,
    /// Two things of one kind have one name, or a place has its fence and has it not.
    #[error("{name:?} is named twice")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// More than fits.
    #[error("there are more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// A jump to a label that was never placed.
    #[error("thread {thread:?} jumps to a label that stands nowhere")]
    LabelNowhere {
        /// The thread.
        thread: String,
    },
    /// A label that was placed twice.
    #[error("thread {thread:?} places a label twice")]
    LabelTwice {
        /// The thread.
        thread: String,
    },
    /// A choice among no values, or among equal ones.
    #[error("thread {thread:?} chooses among values of which there are none, or that are equal")]
    BadChoice {
        /// The thread.
        thread: String,
    },
    /// A register of another thread.
    #[error("thread {thread:?} uses {register:?}, which it does not have")]
    ForeignRegister {
        /// The thread.
        thread: String,
        /// The register.
        register: Register,
    },
    /// A location of another program.
    #[error("{location:?} is not a location of the program")]
    ForeignLocation {
        /// The location.
        location: Location,
    },
    /// A loop, a choice or a block in an atomic block, a jump out of one or into one, or a `require`
    /// that stands in none.
    #[error(
        "instruction {instruction} of thread {thread:?} does not go together with atomic blocks: it \
         loops, chooses or nests in one, jumps out of or into one, or requires outside one"
    )]
    NotInBlock {
        /// The thread.
        thread: String,
        /// Which instruction.
        instruction: usize,
    },
}

impl BuildError {
    fn too_many(what: &'static str, most: usize) -> Self {
        Self::TooMany { what, most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(state: impl FnOnce(&mut ProgramBuilder)) -> BuildError {
        let mut program = ProgramBuilder::new("bad");
        state(&mut program);
        program.build().unwrap_err()
    }

    #[test]
    fn a_program_that_is_not_well_formed_says_why() {
        assert_eq!(error(|_| ()), BuildError::NoThread);
        let twice = error(|p| {
            p.location("x", 0);
            p.location("x", 1);
        });
        assert_eq!(twice.to_string(), "\"x\" is named twice");
        let foreign = error(|p| p.thread("a", |t| t.assign(Register(3), 1)));
        assert!(matches!(foreign, BuildError::ForeignRegister { .. }));
        let nowhere = error(|p| {
            p.thread("a", |t| {
                let label = t.label();
                t.jump(label);
            });
        });
        assert!(matches!(nowhere, BuildError::LabelNowhere { .. }));
        let choice = error(|p| {
            p.thread("a", |t| {
                let r = t.register("r");
                t.choose(r, [1, 1]);
            });
        });
        assert!(matches!(choice, BuildError::BadChoice { .. }));
        let many = error(|p| p.thread("a", |t| (0..5000).for_each(|_| t.fence(Fence::Full))));
        assert_eq!(many.to_string(), "there are more than 4096 instructions");
    }

    #[test]
    fn atomic_blocks_hold_neither_loops_nor_choices_nor_blocks() {
        let wrong = |body: fn(&mut ThreadBuilder<'_>)| {
            let error = error(|p| p.thread("a", body));
            assert!(matches!(error, BuildError::NotInBlock { .. }), "{error}");
        };
        wrong(|t| t.require(1));
        wrong(|t| t.atomic(|t| t.atomic(|_| ())));
        wrong(|t| t.atomic(|t| t.while_do(1, |_| ())));
        wrong(|t| {
            let r = t.register("r");
            t.atomic(|t| t.choose(r, [0, 1]));
        });
        wrong(|t| {
            let inside = t.label();
            t.jump(inside);
            t.atomic(|t| {
                t.assert(1);
                t.place(inside);
                t.assert(1);
            });
        });
        let mut fine = ProgramBuilder::new("fine");
        fine.thread("a", |t| {
            t.atomic(|t| {
                t.require(1);
                t.when(1, |t| t.output(1));
            });
        });
        assert!(fine.build().is_ok());
    }

    #[test]
    fn named_fences_are_put_and_taken_away() {
        let mut program = ProgramBuilder::new("fences");
        program.thread("a", |t| {
            t.fence_at("first", Fence::Full, Presence::Present);
            t.fence_at("second", Fence::Full, Presence::Absent);
        });
        let program = program.build().expect("it is well formed");
        let only_second = program
            .clone()
            .with_fences(["second"])
            .expect("it is a place");
        let standing = |program: &Program| [program.stands(Some(0)), program.stands(Some(1))];
        assert_eq!(standing(&program), [true, false]);
        assert_eq!(standing(&only_second), [false, true]);
        assert_eq!(
            program.with_fences(["third"]).unwrap_err().to_string(),
            "there is no place \"third\" for a fence; there are: first, second"
        );
    }
}
