//! Builder of programs, whose statements read like the figure of a paper.
//!
//! ```
//! use refmap_programs::{Fence, ProgramBuilder};
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

mod error;
mod thread;

use super::expression::{Integer, Location, Register, Value};
use super::model::AccessKind;
use super::program::{
    DrawnField, DrawnObject, Instruction, MOST_INSTRUCTIONS, MOST_LOCATIONS, MOST_THREADS, Program,
    Thread, Variable,
};
pub use error::BuildError;
pub use thread::{Label, ThreadBuilder};

// A thread is stated to the program that it is part of, by which it is made: the two builders are one concept.

/// Program under construction. [`build`](Self::build) reports its errors.
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    error: Option<BuildError>,
}

impl ProgramBuilder {
    /// Starts a program without locations and threads, in which no thread may jump backwards.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            program: Program {
                name: name.into(),
                variables: Vec::new(),
                snapshots: Vec::new(),
                threads: Vec::new(),
                objects: Vec::new(),
                places: Vec::new(),
                backward_jumps: Some(0),
            },
            error: None,
        }
    }

    /// Says which locations are the fields of an object, for drawings: each with its name, and whether it holds a reference,
    /// which is the `number` of an object or the address of one of its fields.
    pub fn draw_object(
        &mut self,
        name: impl Into<String>,
        number: Option<i64>,
        fields: &[(&str, Location, bool)],
    ) {
        let field = |(name, location, is_reference): &(&str, Location, bool)| DrawnField {
            name: (*name).to_owned(),
            location: *location,
            is_reference: *is_reference,
        };
        self.program.objects.push(DrawnObject {
            name: name.into(),
            number,
            fields: fields.iter().map(field).collect(),
        });
    }

    /// Adds a shared location with its initial value.
    pub fn location(&mut self, name: impl Into<String>, initial: impl Into<Value>) -> Location {
        self.typed_location(name, initial, Integer::I64)
    }

    /// Adds a shared location that truncates written values to `integer`.
    pub fn typed_location(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
        integer: Integer,
    ) -> Location {
        self.declare(name.into(), initial.into(), integer, false)
    }

    /// Adds a location that each thread has for itself, in a program of one thread, of which there are
    /// [any number](crate::IdenticalThreads). Other threads see it by [`ThreadBuilder::load_some`] alone, so its address is not written to what threads share.
    pub fn location_of_each_thread(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
    ) -> Location {
        self.declare(name.into(), initial.into(), Integer::I64, true)
    }

    fn declare(
        &mut self,
        name: String,
        initial: Value,
        integer: Integer,
        of_each_thread: bool,
    ) -> Location {
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
            initial,
            integer,
            of_each_thread,
        });
        Location(number as u16)
    }

    /// Replaces the initial value of `location`, for instance by the address of a location declared later.
    pub fn starts_with(&mut self, location: Location, initial: impl Into<Value>) {
        match self.program.variables.get_mut(usize::from(location.0)) {
            Some(variable) => variable.initial = initial.into(),
            None => self.fail(BuildError::ForeignLocation { location }),
        }
    }

    /// Sets the number of backward jumps after which a thread is cut off; the default is 0.
    pub fn backward_jumps(&mut self, most: u8) {
        self.program.backward_jumps = Some(most);
    }

    /// Lets every thread jump backwards as often as it will. Each loop then has to read memory or to choose, on every way
    /// through it.
    pub fn without_bound(&mut self) {
        self.program.backward_jumps = None;
    }

    /// Adds a thread, whose instructions `body` states.
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

    /// Finishes the program.
    ///
    /// # Errors
    ///
    /// The first error, if the program is not well formed.
    pub fn build(self) -> Result<Program, BuildError> {
        let program = self.program;
        if let Some(error) = self.error {
            return Err(error);
        }
        if program.threads.is_empty() {
            return Err(BuildError::NoThread);
        }
        let of_each = program.variables.iter().find(|one| one.of_each_thread);
        if let Some(Variable { name, .. }) = of_each.filter(|_| program.threads.len() > 1) {
            return Err(BuildError::OfEachThread { name: name.clone() });
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
        if program.backward_jumps.is_none() {
            for thread in &program.threads {
                if let Some(instruction) = blind_loop(thread) {
                    let thread = thread.name.clone();
                    return Err(BuildError::BlindLoop {
                        thread,
                        instruction,
                    });
                }
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
                    // A jump to the end of the block stays within it; a backward jump is not permitted.
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

/// An instruction to which a way of the thread leads back that neither reads memory nor chooses.
fn blind_loop(thread: &Thread) -> Option<usize> {
    let looks = |instruction: &Instruction| match instruction {
        Instruction::Choose { .. } | Instruction::Atomic { .. } => true,
        other => other.access().is_some_and(AccessKind::reads),
    };
    let successors = |at: usize| {
        let known = thread
            .code
            .get(at)
            .filter(|instruction| !looks(instruction));
        let next = known.map(|instruction| instruction.successors(at));
        next.into_iter().flatten().flatten()
    };
    let leads_back = |start: usize| {
        let mut seen = vec![false; thread.code.len() + 1];
        let mut ahead: Vec<_> = successors(start).collect();
        while let Some(at) = ahead.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                ahead.extend(successors(at));
            }
        }
        seen[start]
    };
    // Every loop has a jump backwards.
    let mut jumps = (0..thread.code.len()).filter(|at| successors(*at).any(|next| next <= *at));
    jumps.find(|at| leads_back(*at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Fence, Presence};

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
        let own = error(|p| {
            p.location_of_each_thread("own", 0);
            p.thread("a", |_| ());
            p.thread("b", |_| ());
        });
        assert!(matches!(own, BuildError::OfEachThread { name } if name == "own"));
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
