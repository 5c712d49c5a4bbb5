//! Programs: a handful of threads over shared locations and private registers.
//!
//! A thread is a list of instructions, some of which jump. It is written with the
//! [builder](super::ProgramBuilder), whose structure is that of the papers' figures, and it does not
//! say under which memory model it runs.

use std::fmt;

use serde::Serialize;

use super::expression::{Expression, Integer, Location, Names, Place, Register, Value};

/// The most threads of a program.
pub const MOST_THREADS: usize = 64;
/// The most shared locations of a program.
pub const MOST_LOCATIONS: usize = 1024;
/// The most registers of a thread.
pub const MOST_REGISTERS: usize = 64;
/// The most instructions of a thread.
pub const MOST_INSTRUCTIONS: usize = 4096;

/// Threads over shared locations. Whatever is true of it is true of its bound, too: a thread that
/// jumps back more often is cut off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// What it is called.
    pub name: String,
    /// The shared locations.
    pub variables: Vec<Variable>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The places where a fence may stand.
    pub places: Vec<FencePlace>,
    /// How often each thread may jump back before it is cut off. At 0 the body of every loop runs
    /// once [Ugawa et al., section 3.3].
    pub backward_jumps: u8,
}

/// A shared location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// What it is called.
    pub name: String,
    /// What it holds at first.
    pub initial: Value,
    /// What is kept of a value written to it.
    pub integer: Integer,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// What it is called.
    pub name: String,
    /// Its registers.
    pub registers: Vec<PrivateRegister>,
    /// Its instructions. The one past the last is its end.
    pub code: Vec<Instruction>,
}

/// A register of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrivateRegister {
    /// What it is called.
    pub name: String,
    /// What it holds at first.
    pub initial: Value,
    /// What becomes of it when the thread has ended.
    pub afterwards: Afterwards,
}

/// What becomes of a register when its thread has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Afterwards {
    /// Nobody asks: it is cleared where the thread needs it no longer.
    Forgotten,
    /// It belongs to the final state.
    Kept,
}

/// A place where a fence may stand, so that it can be asked which ones are needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FencePlace {
    /// What it is called.
    pub name: String,
    /// What is common to the names of those that stand in for each other, a kind of fence each; the
    /// name, if there are no others.
    pub point: String,
    /// Whether a fence stands there.
    pub fence: Presence,
}

/// Whether a fence stands in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// There is none.
    Absent,
    /// There is one.
    Present,
}

/// Which accesses a fence keeps apart: those of one kind before it, those of another after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fence {
    /// All earlier accesses before all later ones.
    Full,
    /// Earlier reads before all later accesses.
    Acquire,
    /// All earlier accesses before later writes.
    Release,
}

impl Fence {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::Acquire, Self::Release];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Acquire => "acquire",
            Self::Release => "release",
        }
    }

    /// Whether it keeps apart all that `other` does.
    pub fn covers(self, other: Self) -> bool {
        self == Self::Full || self == other
    }

    /// Whether an access of `kind` before the fence has to be waited for by what is behind it.
    pub fn holds_back(self, kind: super::AccessKind) -> bool {
        match self {
            Self::Full | Self::Release => true,
            Self::Acquire => kind.reads(),
        }
    }

    /// Whether an access of `kind` behind the fence waits for what is before it.
    pub fn makes_wait(self, kind: super::AccessKind) -> bool {
        match self {
            Self::Full | Self::Acquire => true,
            Self::Release => kind.writes(),
        }
    }
}

/// What an atomic update does to what it reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// Writes `desired` if it reads `expected`, and otherwise nothing (CAS).
    CompareAndSwap {
        /// What it has to read.
        expected: Expression,
        /// What it then writes.
        desired: Expression,
    },
    /// Writes this, whatever it reads.
    Exchange(Expression),
    /// Writes what it reads under an operator with this on its right (fetch-and-add and its like).
    Fetch(super::Operator, Expression),
}

/// What an atomic update leaves in its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Returned {
    /// What it read.
    Old,
    /// 1 if it wrote, and otherwise 0.
    Success,
}

/// How a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadKind {
    /// It just reads.
    Plain,
    /// It makes the thread's reservation (LL).
    Linked,
}

/// One instruction. Targets are numbers of instructions of the same thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Computes, with registers alone.
    Assign {
        /// Where the value goes.
        into: Register,
        /// The value.
        value: Expression,
    },
    /// Reads memory.
    Load {
        /// Where the value goes.
        into: Register,
        /// What is read.
        from: Place,
        /// How.
        kind: LoadKind,
    },
    /// Writes memory.
    Store {
        /// What is written.
        to: Place,
        /// The value.
        value: Expression,
    },
    /// Writes memory if the thread's reservation is for this location and nobody else has written
    /// there since it was made (SC).
    StoreConditional {
        /// What is written.
        to: Place,
        /// The value.
        value: Expression,
        /// Where 1 goes if it wrote, and otherwise 0.
        succeeded: Register,
    },
    /// Reads and writes memory at once.
    Update {
        /// What is read and written.
        at: Place,
        /// What is done to it.
        update: Update,
        /// What is left in which register, if anything.
        result: Option<(Register, Returned)>,
    },
    /// Keeps accesses in order.
    Fence {
        /// Which ones.
        fence: Fence,
        /// The place it stands at, a number in [`Program::places`]; without one it always stands.
        place: Option<u16>,
    },
    /// Jumps if the condition is 0, and otherwise goes on.
    Branch {
        /// The condition.
        condition: Expression,
        /// Where it jumps.
        otherwise: usize,
    },
    /// Jumps.
    Jump(usize),
    /// Fails if the condition is 0.
    Assert(Expression),
    /// Shows a value to the world; the values of a thread are shown in program order.
    Output(Expression),
    /// Chooses one of several values.
    Choose {
        /// Where the value goes.
        into: Register,
        /// The values, all different.
        values: Vec<Value>,
    },
    /// The instructions from here to `end` are one step, before which everything earlier is performed
    /// and after which comes everything later.
    Atomic {
        /// The first instruction behind the block.
        end: usize,
    },
    /// The atomic block that it stands in may run only if the condition is not 0.
    Require(Expression),
}

impl Instruction {
    /// Visits the expressions that it computes.
    pub(crate) fn expressions<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Assign { value, .. } => visit(value),
            Self::Load { from, .. } => visit(&from.0),
            Self::Store { to, value } | Self::StoreConditional { to, value, .. } => {
                visit(&to.0);
                visit(value);
            }
            Self::Update { at, update, .. } => {
                visit(&at.0);
                match update {
                    Update::CompareAndSwap { expected, desired } => {
                        visit(expected);
                        visit(desired);
                    }
                    Update::Exchange(value) | Update::Fetch(_, value) => visit(value),
                }
            }
            Self::Branch { condition, .. } => visit(condition),
            Self::Assert(value) | Self::Output(value) | Self::Require(value) => visit(value),
            Self::Fence { .. } | Self::Jump(_) | Self::Choose { .. } | Self::Atomic { .. } => (),
        }
    }

    /// The register that it writes, if any.
    pub(crate) fn target(&self) -> Option<Register> {
        match self {
            Self::Assign { into, .. } | Self::Load { into, .. } | Self::Choose { into, .. } => {
                Some(*into)
            }
            Self::StoreConditional { succeeded, .. } => Some(*succeeded),
            Self::Update { result, .. } => result.map(|(register, _)| register),
            Self::Store { .. }
            | Self::Fence { .. }
            | Self::Branch { .. }
            | Self::Jump(_)
            | Self::Assert(_)
            | Self::Output(_)
            | Self::Atomic { .. }
            | Self::Require(_) => None,
        }
    }

    /// The instructions that may follow it, if it is number `at`.
    pub(crate) fn successors(&self, at: usize) -> [Option<usize>; 2] {
        match self {
            Self::Branch { otherwise, .. } => [Some(at + 1), Some(*otherwise)],
            Self::Jump(target) => [Some(*target), None],
            _ => [Some(at + 1), None],
        }
    }

    /// What it does to memory, if it is an access of its own.
    pub(crate) fn access(&self) -> Option<super::AccessKind> {
        use super::AccessKind;
        match self {
            Self::Load { kind, .. } => Some(match kind {
                LoadKind::Plain => AccessKind::Load,
                LoadKind::Linked => AccessKind::LoadLinked,
            }),
            Self::Store { .. } => Some(AccessKind::Store),
            Self::StoreConditional { .. } => Some(AccessKind::StoreConditional),
            Self::Update { .. } => Some(AccessKind::Update),
            _ => None,
        }
    }

    /// As text, as a figure would write it.
    pub(crate) fn show(&self, names: &dyn Names) -> String {
        let name = |register: &Register| names.register(*register);
        let place = |place: &Place| match &place.0 {
            Expression::Constant(Value::Address(location)) => names.location(*location),
            address => format!("[{}]", address.show(names)),
        };
        match self {
            Self::Assign { into, value } => format!("{} := {}", name(into), value.show(names)),
            Self::Load {
                into,
                from,
                kind: LoadKind::Plain,
            } => format!("{} := {}", name(into), place(from)),
            Self::Load { into, from, .. } => format!("{} := LL({})", name(into), place(from)),
            Self::Store { to, value } => format!("{} := {}", place(to), value.show(names)),
            Self::StoreConditional {
                to,
                value,
                succeeded,
            } => format!(
                "{} := SC({}, {})",
                name(succeeded),
                place(to),
                value.show(names)
            ),
            Self::Update { at, update, result } => {
                let into = result.map_or_else(String::new, |(register, _)| {
                    format!("{} := ", name(&register))
                });
                let at = place(at);
                match update {
                    Update::CompareAndSwap { expected, desired } => format!(
                        "{into}CAS({at}, {}, {})",
                        expected.show(names),
                        desired.show(names)
                    ),
                    Update::Exchange(value) => {
                        format!("{into}exchange({at}, {})", value.show(names))
                    }
                    Update::Fetch(operator, value) => {
                        format!(
                            "{into}fetch {}({at}, {})",
                            operator.symbol(),
                            value.show(names)
                        )
                    }
                }
            }
            Self::Fence { fence, .. } => match fence {
                Fence::Full => "fence".to_owned(),
                Fence::Acquire => "acquire fence".to_owned(),
                Fence::Release => "release fence".to_owned(),
            },
            Self::Branch { condition, .. } => format!("if {}", condition.show(names)),
            Self::Jump(target) => format!("jump to {target}"),
            Self::Assert(condition) => format!("assert {}", condition.show(names)),
            Self::Output(value) => format!("output {}", value.show(names)),
            Self::Choose { into, values } => {
                let values: Vec<_> = values.iter().map(Value::to_string).collect();
                format!("{} := one of {}", name(into), values.join(", "))
            }
            Self::Atomic { .. } => "atomic".to_owned(),
            Self::Require(condition) => format!("require {}", condition.show(names)),
        }
    }
}

/// The names that a thread's instructions are shown with.
pub(crate) struct ThreadNames<'a> {
    /// The program.
    pub program: &'a Program,
    /// The thread.
    pub thread: &'a Thread,
}

impl Names for ThreadNames<'_> {
    fn register(&self, register: Register) -> String {
        let known = self.thread.registers.get(usize::from(register.0));
        known.map_or_else(|| format!("r{}", register.0), |known| known.name.clone())
    }

    fn location(&self, location: Location) -> String {
        self.program.location_name(location)
    }
}

impl Program {
    /// What a location is called.
    pub fn location_name(&self, location: Location) -> String {
        let known = self.variables.get(usize::from(location.0));
        known.map_or_else(|| location.0.to_string(), |known| known.name.clone())
    }

    /// A value as text, addresses by the names of their locations.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            Value::Address(location) => self.location_name(location),
        }
    }

    /// What every location holds at first.
    pub fn initial_memory(&self) -> Vec<Value> {
        let initial = |variable: &Variable| variable.integer.keep(variable.initial);
        self.variables.iter().map(initial).collect()
    }

    /// The same program with another bound on backward jumps.
    #[must_use]
    pub fn with_backward_jumps(mut self, most: u8) -> Self {
        self.backward_jumps = most;
        self
    }

    /// The same program with fences at `places`, and at no other place that has a name.
    ///
    /// # Errors
    ///
    /// If one of them is not a place of the program.
    pub fn with_fences<'a>(
        mut self,
        places: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, UnknownPlace> {
        for place in &mut self.places {
            place.fence = Presence::Absent;
        }
        for name in places {
            match self.places.iter_mut().find(|place| place.name == name) {
                Some(place) => place.fence = Presence::Present,
                None => {
                    return Err(UnknownPlace {
                        name: name.to_owned(),
                        known: self.places.into_iter().map(|place| place.name).collect(),
                    });
                }
            }
        }
        Ok(self)
    }

    /// The kinds of the fences at a place of this name.
    pub(crate) fn fences_at<'a>(&'a self, place: &'a str) -> impl Iterator<Item = Fence> + 'a {
        let threads = self.threads.iter();
        threads
            .flat_map(|thread| &thread.code)
            .filter_map(move |of| match of {
                Instruction::Fence {
                    fence,
                    place: Some(number),
                } if self.places[usize::from(*number)].name == place => Some(*fence),
                _ => None,
            })
    }

    /// Whether the fences of `stronger` make those of `weaker` superfluous, for which they were to
    /// stand in: wherever one of the latter stands, one that keeps as much apart stands next to it, with
    /// but fences between them, and none is passed by without the other.
    pub(crate) fn covers(&self, stronger: &str, weaker: &str) -> bool {
        let point = |name: &str| {
            let place = self.places.iter().find(|place| place.name == name);
            place.map(|place| place.point.as_str())
        };
        if let (Some(one), Some(other)) = (point(stronger), point(weaker))
            && one != other
        {
            return false;
        }
        let kind_at = |instruction: &Instruction, name: &str| match instruction {
            Instruction::Fence {
                fence,
                place: Some(number),
            } if self.places[usize::from(*number)].name == name => Some(*fence),
            _ => None,
        };
        self.threads.iter().all(|thread| {
            let code = &thread.code;
            let lands = |at: usize| {
                code.iter().any(|instruction| match instruction {
                    Instruction::Branch { otherwise: to, .. }
                    | Instruction::Jump(to)
                    | Instruction::Atomic { end: to } => *to == at,
                    _ => false,
                })
            };
            let is_fence = |at: usize| matches!(code.get(at), Some(Instruction::Fence { .. }));
            let covered = |at: usize, weak: Fence| {
                let mut first = at;
                while first > 0 && is_fence(first - 1) && !lands(first) {
                    first -= 1;
                }
                let mut end = at + 1;
                while is_fence(end) && !lands(end) {
                    end += 1;
                }
                let mut strong = code[first..end]
                    .iter()
                    .filter_map(|instruction| kind_at(instruction, stronger));
                strong.any(|strong| strong.covers(weak))
            };
            let mut fences = code.iter().enumerate();
            fences.all(|(at, instruction)| {
                kind_at(instruction, weaker).is_none_or(|weak| covered(at, weak))
            })
        })
    }

    /// Whether the fence at `place` stands; one without a place always does.
    pub(crate) fn stands(&self, place: Option<u16>) -> bool {
        place.is_none_or(|place| self.places[usize::from(place)].fence == Presence::Present)
    }
}

/// A name that no place for a fence has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no place {name:?} for a fence; there are: {}", .known.join(", "))]
pub struct UnknownPlace {
    /// The name given.
    pub name: String,
    /// All names.
    pub known: Vec<String>,
}

/// The program as a figure would show it: a thread a paragraph, an instruction a line.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        for variable in &self.variables {
            writeln!(f, "  {} = {}", variable.name, self.show(variable.initial))?;
        }
        for thread in &self.threads {
            let names = ThreadNames {
                program: self,
                thread,
            };
            writeln!(f, "{}:", thread.name)?;
            for (at, instruction) in thread.code.iter().enumerate() {
                writeln!(f, "{at:4}  {}", instruction.show(&names))?;
            }
        }
        Ok(())
    }
}
