//! Programs: a set of threads over shared locations and private registers.
//!
//! A thread is a list of instructions with jumps. The [builder](super::ProgramBuilder) states it with the
//! structured statements of the papers' figures. A program does not fix the memory model under which it runs.

use std::fmt;

use serde::Serialize;

use super::expression::{
    Expression, Fault, Integer, Location, Names, Operator, Place, Register, Value,
};

/// Greatest number of threads of a program.
pub const MOST_THREADS: usize = 64;
/// Greatest number of shared locations of a program.
pub const MOST_LOCATIONS: usize = 1024;
/// Greatest number of registers of a thread.
pub const MOST_REGISTERS: usize = 64;
/// Greatest number of instructions of a thread.
pub const MOST_INSTRUCTIONS: usize = 4096;

/// Threads over shared locations. Where loops are bounded the bound is part of the program, so every claim about it holds
/// for that bound: a thread that jumps backwards more often is cut off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// Name.
    pub name: String,
    /// The shared locations.
    pub variables: Vec<Variable>,
    /// Those that are snapshots of others.
    pub snapshots: Vec<Snapshot>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The objects that some of the locations are fields of, as a drawing shows them.
    pub objects: Vec<DrawnObject>,
    /// The places where a fence may stand.
    pub places: Vec<FencePlace>,
    /// Number of backward jumps after which a thread is cut off, if loops are bounded. At 0 the body of every loop runs
    /// once [Ugawa et al., section 3.3].
    pub backward_jumps: Option<u8>,
}

/// Object in memory, for drawings: references to it are numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DrawnObject {
    /// Name.
    pub name: String,
    /// The number that refers to it; none if it is referred to by the address of a field, or not at all.
    pub number: Option<i64>,
    /// Its fields.
    pub fields: Vec<DrawnField>,
}

/// Field of an object, for drawings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DrawnField {
    /// Name.
    pub name: String,
    /// The location.
    pub location: Location,
    /// True if what it holds refers to an object.
    pub is_reference: bool,
}

/// Location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Initial value.
    pub initial: Value,
    /// Type to which written values are truncated.
    pub integer: Integer,
    /// True if each thread has one, and sees those of others in a [`Snapshot`] alone. Otherwise all share it.
    pub of_each_thread: bool,
}

/// Location that holds 1 if the content of some of several others compares so with a value, and otherwise 0. A load reads it by its name
/// ([`load_some`](crate::ThreadBuilder::load_some)); nothing writes it, and it has no address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// The location.
    pub location: Location,
    /// The others: either such as all threads share, or such as each has, of which those of all other threads are meant.
    pub of: Vec<Location>,
    /// The comparison, with the content on its left. One that is undefined is false.
    pub is: Operator,
    /// The value on its right.
    pub value: Value,
}

/// Thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Name.
    pub name: String,
    /// Registers.
    pub registers: Vec<PrivateRegister>,
    /// Instructions. The number past the last one is the end.
    pub code: Vec<Instruction>,
}

impl Thread {
    /// True if it is another one but for its name.
    pub(crate) fn has_code_of(&self, other: &Self) -> bool {
        self.registers == other.registers && self.code == other.code
    }
}

/// Register of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrivateRegister {
    /// Name.
    pub name: String,
    /// Initial value.
    pub initial: Value,
    /// Use after the end of the thread.
    pub afterwards: Afterwards,
}

/// Use of a register after the end of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Afterwards {
    /// None: the register is cleared where it is dead.
    Forgotten,
    /// The register is part of the outcome.
    Kept,
}

/// Place where a fence may stand, so that a check can determine which fences are needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FencePlace {
    /// Name.
    pub name: String,
    /// Common part of the names of alternative places, one per kind of fence; the name itself, if there are no
    /// alternatives.
    pub point: String,
    /// Presence of a fence.
    pub fence: Presence,
}

/// Presence of a fence at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// No fence stands there.
    Absent,
    /// A fence stands there.
    Present,
}

/// Kind of a fence: the earlier and the later accesses that it orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
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
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Full, Self::Acquire, Self::Release];

    /// Name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Acquire => "acquire",
            Self::Release => "release",
        }
    }

    /// True if this kind orders at least what `other` orders.
    pub fn covers(self, other: Self) -> bool {
        self == Self::Full || self == other
    }

    /// True if the fence makes later accesses wait for an earlier access of `kind`.
    pub fn holds_back(self, kind: super::AccessKind) -> bool {
        match self {
            Self::Full | Self::Release => true,
            Self::Acquire => kind.reads(),
        }
    }

    /// True if the fence makes a later access of `kind` wait for earlier ones.
    pub fn makes_wait(self, kind: super::AccessKind) -> bool {
        match self {
            Self::Full | Self::Acquire => true,
            Self::Release => kind.writes(),
        }
    }
}

/// Effect of an atomic update on the value that it reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// Writes `desired` if it reads `expected`, otherwise nothing (CAS).
    CompareAndSwap {
        /// Expected value.
        expected: Expression,
        /// Value that it writes on success.
        desired: Expression,
    },
    /// Writes this value unconditionally.
    Exchange(Expression),
    /// Writes the value read, combined by the operator with this as the right operand (fetch-and-add and similar).
    Fetch(Operator, Expression),
}

/// Result of an atomic update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Returned {
    /// The value that was read.
    Old,
    /// 1 if it wrote, otherwise 0.
    Success,
}

/// Kind of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadKind {
    /// Plain load.
    Plain,
    /// Makes the thread's reservation (LL).
    Linked,
}

/// Instruction. Jump targets are instruction numbers of the same thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Computes a value from registers only.
    Assign {
        /// Target register.
        into: Register,
        /// The value.
        value: Expression,
    },
    /// Reads memory.
    Load {
        /// Target register.
        into: Register,
        /// Source.
        from: Place,
        /// Kind of the load.
        kind: LoadKind,
    },
    /// Writes memory.
    Store {
        /// Destination.
        to: Place,
        /// The value.
        value: Expression,
    },
    /// Writes memory if the thread has a reservation for this location and no other thread has written there since
    /// (SC).
    StoreConditional {
        /// Destination.
        to: Place,
        /// The value.
        value: Expression,
        /// Register that receives 1 on success, otherwise 0.
        succeeded: Register,
    },
    /// Reads and writes memory atomically.
    Update {
        /// Operand.
        at: Place,
        /// Its effect.
        update: Update,
        /// Register and kind of the result, if any.
        result: Option<(Register, Returned)>,
    },
    /// Orders accesses.
    Fence {
        /// Kind of the fence.
        fence: Fence,
        /// Its place, an index into [`Program::places`]; a fence without one always stands.
        place: Option<u16>,
    },
    /// Jumps if the condition is 0, otherwise continues.
    Branch {
        /// The condition.
        condition: Expression,
        /// Jump target.
        otherwise: usize,
    },
    /// Jumps.
    Jump(usize),
    /// Fails if the condition is 0.
    Assert(Expression),
    /// Outputs a value; the output of a thread is in program order.
    Output(Expression),
    /// Chooses one of several values.
    Choose {
        /// Target register.
        into: Register,
        /// The values, pairwise different.
        values: Vec<Value>,
    },
    /// Runs the instructions from here to `end` as one step, after everything earlier and before everything later.
    Atomic {
        /// Number of the first instruction after the block.
        end: usize,
    },
    /// Disables the enclosing atomic block if the condition is 0.
    Require(Expression),
}

impl Instruction {
    /// Visits the expressions that the instruction evaluates.
    pub(crate) fn expressions<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Assign { value, .. } => visit(value),
            Self::Load { from, .. } => visit(&from.address),
            Self::Store { to, value } | Self::StoreConditional { to, value, .. } => {
                visit(&to.address);
                visit(value);
            }
            Self::Update { at, update, .. } => {
                visit(&at.address);
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

    /// Register that the instruction writes, if any.
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

    /// Possible successors of the instruction, given that its number is `at`.
    pub(crate) fn successors(&self, at: usize) -> [Option<usize>; 2] {
        match self {
            Self::Branch { otherwise, .. } => [Some(at + 1), Some(*otherwise)],
            Self::Jump(target) => [Some(*target), None],
            _ => [Some(at + 1), None],
        }
    }

    /// Kind of the access, if the instruction is one by itself.
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

    /// Place that the instruction accesses, if it is an access.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Load { from: place, .. }
            | Self::Store { to: place, .. }
            | Self::StoreConditional { to: place, .. }
            | Self::Update { at: place, .. } => Some(place),
            _ => None,
        }
    }

    /// Formats the instruction in the style of a figure.
    pub(crate) fn show(&self, names: &dyn Names) -> String {
        let name = |register: &Register| names.register(*register);
        let place = |place: &Place| match &place.address {
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

/// Names for displaying a thread's instructions.
pub(crate) struct ThreadNames<'a> {
    pub program: &'a Program,
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
    /// True if some thread may jump backwards.
    pub(crate) fn has_loop(&self) -> bool {
        self.threads.iter().any(|thread| {
            let mut code = (0..).zip(&thread.code);
            code.any(|(at, instruction)| {
                let mut to = instruction.successors(at).into_iter().flatten();
                to.any(|to| to <= at)
            })
        })
    }

    /// Name of a location.
    pub fn location_name(&self, location: Location) -> String {
        let known = self.variables.get(usize::from(location.0));
        known.map_or_else(|| location.0.to_string(), |known| known.name.clone())
    }

    /// Formats a value; an address by the name of its location.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            Value::Address(location) => self.location_name(location),
        }
    }

    /// Location that an access to `place` with this address is to.
    pub(crate) fn dereference(&self, place: &Place, address: Value) -> Result<Location, Fault> {
        let Value::Address(location) = address else {
            return Err(Fault::NumberAsAddress);
        };
        let variable = self.variables.get(usize::from(location.0));
        let variable = variable.ok_or(Fault::NoSuchLocation)?;
        if self.snapshot(location).is_some() && !matches!(place.address, Expression::Constant(_)) {
            return Err(Fault::NoSuchLocation);
        }
        if place.bits.is_some_and(|bits| bits != variable.integer.bits) {
            return Err(Fault::OtherWidth);
        }
        Ok(location)
    }

    /// Initial contents of all locations.
    pub fn initial_memory(&self) -> Vec<Value> {
        let initial = |variable: &Variable| variable.integer.keep(variable.initial);
        let mut memory = self.variables.iter().map(initial).collect::<Vec<_>>();
        self.take_snapshots(&mut memory);
        memory
    }

    /// The snapshot that a location is, if it is one.
    pub(crate) fn snapshot(&self, location: Location) -> Option<&Snapshot> {
        let mut snapshots = self.snapshots.iter();
        snapshots.find(|snapshot| snapshot.location == location)
    }

    /// True if a snapshot is of what other threads have for themselves.
    pub(crate) fn is_of_others(&self, snapshot: &Snapshot) -> bool {
        let mut of = snapshot.of.iter();
        of.any(|of| self.variables[usize::from(of.0)].of_each_thread)
    }

    /// Takes the snapshots anew of memory that was written. What other threads have for themselves is not in it.
    pub(crate) fn take_snapshots(&self, memory: &mut [Value]) {
        for snapshot in &self.snapshots {
            if !self.is_of_others(snapshot) {
                let mut of = snapshot.of.iter();
                let is = of.any(|of| {
                    snapshot
                        .is
                        .is_true(memory[usize::from(of.0)], snapshot.value)
                });
                memory[usize::from(snapshot.location.0)] = Value::Number(i64::from(is));
            }
        }
    }

    /// Places fences at exactly those of its places that `places` names.
    ///
    /// # Errors
    ///
    /// If a name is not a place of the program.
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

    /// Kinds of the fences at places of this name.
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

    /// True if the fences of `stronger` make those of `weaker`, to which they are alternatives, redundant: next to
    /// each of the latter stands one of the former that orders at least as much, with only fences between the two,
    /// and no jump bypasses one without the other.
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

    /// True if the fence at `place` stands; one without a place always does.
    pub(crate) fn stands(&self, place: Option<u16>) -> bool {
        place.is_none_or(|place| self.places[usize::from(place)].fence == Presence::Present)
    }
}

/// Error: no place for a fence has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no place {name:?} for a fence; there are: {}", .known.join(", "))]
pub struct UnknownPlace {
    /// The given name.
    pub name: String,
    /// All names of places.
    pub known: Vec<String>,
}

/// Formats the program in the style of a figure: one paragraph per thread, one instruction per line.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        let variables = self.variables.iter().zip(0..);
        for (variable, _) in variables.filter(|(_, at)| self.snapshot(Location(*at)).is_none()) {
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
