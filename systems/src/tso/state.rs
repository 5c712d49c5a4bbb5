//! The state: the data of each process, and where each is [section 3.1].

use refmap_processes::{At, Configuration, Data, Location, Register, Registers};
use serde::{Serialize, Serializer};
use strum::{Display, VariantArray};
use tinyvec::ArrayVec;

use super::scope::{MAX_BUFFER, MAX_FIELDS, MAX_MUTATORS, MAX_REFS, Memory};
use crate::heap::{Object as Ref, Objects as Refs};

/// A mark, of one sense or the other.
pub type Mark = bool;

/// Value of a register that is dead, and would hold a reference or a mutator: it is no name.
pub(super) const DEAD: u8 = u8::MAX;

/// Shows a dead register as 0.
fn shown<S: Serializer>(register: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(unless_dead(*register))
}

/// Value of a register, or 0 if it is dead.
pub(super) fn unless_dead(register: u8) -> u8 {
    if register == DEAD { 0 } else { register }
}

/// The state of all processes: the collector is process 0, the system 1, and the mutators follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct State {
    /// Location of each process.
    pub at: At<{ MAX_MUTATORS + 2 }>,
    /// The collector's variables.
    pub gc: Gc,
    pub mutators: ArrayVec<[Mutator; MAX_MUTATORS]>,
    /// The system's.
    pub sys: Sys,
}

/// The collector's place among the processes.
pub(super) const GC: usize = 0;
/// The system's.
pub(super) const SYS: usize = 1;

/// A mutator's place among the processes.
pub fn place_of(mutator: u8) -> usize {
    2 + usize::from(mutator)
}

impl State {
    /// Location of a process.
    pub fn location_of(&self, who: Who) -> Location {
        self.at[who.process()]
    }

    /// Registers of marking of a process.
    pub(super) fn marking(&self, who: Who) -> &Marking {
        match who {
            Who::Gc => &self.gc.marking,
            Who::Mutator(mutator) => &self.mutator(mutator).marking,
        }
    }
}

impl Configuration for State {
    fn location(&self, process: usize) -> Location {
        self.at[process]
    }

    fn go_to(&mut self, process: usize, location: Location) {
        self.at[process] = location;
    }
}

/// A process with a store buffer: the collector or a mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Who {
    /// The collector.
    Gc,
    #[strum(to_string = "mutator {0}")]
    Mutator(u8),
}

impl Who {
    /// Its place among the buffers.
    pub fn index(self) -> usize {
        match self {
            Self::Gc => 0,
            Self::Mutator(mutator) => 1 + usize::from(mutator),
        }
    }

    /// Its place among the processes.
    pub(super) fn process(self) -> usize {
        match self {
            Self::Gc => GC,
            Self::Mutator(mutator) => place_of(mutator),
        }
    }

    /// A process, by its place; the system is none of these.
    pub(super) fn at(process: usize) -> Option<Self> {
        match process {
            GC => Some(Self::Gc),
            SYS => None,
            mutator => Some(Self::Mutator((mutator - place_of(0)) as u8)),
        }
    }

    /// The collector and the first `mutators` mutators.
    pub fn all(mutators: u8) -> impl Iterator<Item = Self> {
        std::iter::once(Self::Gc).chain((0..mutators).map(Self::Mutator))
    }
}

/// The collector's phase.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Display,
    VariantArray,
    refmap::State,
)]
pub enum Phase {
    /// No collection.
    #[default]
    Idle,
    /// The barriers are being switched on.
    Init,
    /// Marking.
    Mark,
    /// Freeing.
    Sweep,
}

/// Type of a handshake: what it requests of a mutator.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Display,
    VariantArray,
    refmap::State,
)]
#[strum(serialize_all = "kebab-case")]
pub enum HandshakeType {
    /// Nothing.
    Noop,
    /// To mark its roots.
    #[default]
    GetRoots,
    /// To hand over its work.
    GetWork,
}

/// The last handshake of a cycle [Fig. 3, bottom].
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    VariantArray,
    refmap::State,
)]
pub enum HandshakePhase {
    Idle,
    /// Idle flip.
    IdleInit,
    InitMark,
    Mark,
    /// Get-roots, and every get-work.
    #[default]
    IdleMarkSweep,
}

/// An object [section 3.1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Object {
    pub mark: Mark,
    pub fields: ArrayVec<[Option<Ref>; MAX_FIELDS]>,
}

/// A pending store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State)]
pub enum Store {
    /// Of the mark of an object.
    Mark(Ref, Mark),
    /// Of a field of an object.
    Field(Ref, u8, Option<Ref>),
    /// Of the sense with which objects are allocated.
    FA(Mark),
    /// Of the sense with which objects are marked.
    FM(Mark),
    Phase(Phase),
}

impl Default for Store {
    fn default() -> Self {
        Self::FA(false)
    }
}

/// Pending stores, the oldest first.
pub type Buffer = ArrayVec<[Store; MAX_BUFFER]>;

/// Variables of the system process: memory, the heap, and the synchronization of handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Sys {
    /// The memory model, in which the order of the buffers is.
    #[serde(skip)]
    pub memory: Memory,
    /// The object at each reference, if there is one.
    pub heap: ArrayVec<[Option<Object>; MAX_REFS]>,
    /// The sense with which objects are allocated.
    pub fa: Mark,
    /// The sense with which objects are marked.
    pub fm: Mark,
    /// The collector's phase.
    pub phase: Phase,
    /// The pending stores of the collector, and of each mutator.
    pub buffers: ArrayVec<[Buffer; MAX_MUTATORS + 1]>,
    /// The process that holds the bus lock.
    pub lock: Option<Who>,
    /// Type of the last handshake.
    pub handshake: HandshakeType,
    /// The pending bits: the mutators that have not answered it.
    pub pending: Mutators,
    /// The work that mutators have handed over.
    pub w: Refs,
    // Ghosts: no guard reads them.
    /// The last noop or get-roots handshake begun.
    pub ghost_phase: HandshakePhase,
    /// The mutators that have answered the last handshake.
    pub ghost_in_sync: Mutators,
}

/// A set of mutators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, refmap::State)]
pub struct Mutators(pub u8);

impl Mutators {
    /// The first `count`.
    pub fn first(count: u8) -> Self {
        Self((1 << count) - 1)
    }

    /// Whether `mutator` is one of them.
    pub fn contains(self, mutator: u8) -> bool {
        self.0 >> mutator & 1 == 1
    }

    /// Puts `mutator` in or takes it out.
    pub fn set(&mut self, mutator: u8, is_in: bool) {
        self.0 = self.0 & !(1 << mutator) | u8::from(is_in) << mutator;
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..MAX_MUTATORS as u8).filter(move |mutator| self.contains(*mutator))
    }
}

impl Serialize for Mutators {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The registers of marking [Fig. 5], of the collector and of each mutator.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
pub struct Marking {
    /// The reference to be marked.
    pub reference: Option<Ref>,
    /// The mark that was seen without the lock.
    pub mark: Option<Mark>,
    /// The mark that was seen with the lock.
    pub cas_mark: Option<Mark>,
    /// The sense of marks as last loaded.
    pub fm: Option<Mark>,
    /// The phase as last loaded; of the collector, as last stored.
    pub phase: Phase,
    /// The worklist.
    pub w: Refs,
    // A ghost: no guard reads it.
    /// The honorary grey: marked, and not yet on the worklist.
    pub ghost_honorary_grey: Refs,
}

/// A process that marks.
pub(super) trait Marks: Data {
    /// The registers `fM` and `phase`.
    const FM: Registers;
    const PHASE: Registers;
    fn marking(&self) -> &Marking;
    fn marking_mut(&mut self) -> &mut Marking;
}

/// The registers of marking come first.
pub(super) const REFERENCE: Register = Register(0);
pub(super) const MARK: Register = Register(1);
pub(super) const CAS_MARK: Register = Register(2);

impl Marking {
    /// Clears the first three registers of marking.
    fn clear(&mut self, registers: Registers) {
        if registers.contains(REFERENCE) {
            self.reference = None;
        }
        if registers.contains(MARK) {
            self.mark = None;
        }
        if registers.contains(CAS_MARK) {
            self.cas_mark = None;
        }
    }

    /// Visits the copies with every value of a register.
    fn havoc(&self, register: u8, visit: &mut dyn FnMut(Self)) {
        let marks = [None, Some(false), Some(true)];
        match register {
            0 => {
                for reference in REFERENCES.map(Some).chain([None]) {
                    visit(Self { reference, ..*self });
                }
            }
            1 => marks
                .into_iter()
                .for_each(|mark| visit(Self { mark, ..*self })),
            2 => marks
                .into_iter()
                .for_each(|cas_mark| visit(Self { cas_mark, ..*self })),
            3 => marks.into_iter().for_each(|fm| visit(Self { fm, ..*self })),
            4 => {
                for phase in [Phase::Idle, Phase::Init, Phase::Mark, Phase::Sweep] {
                    visit(Self { phase, ..*self });
                }
            }
            other => unreachable!("no register {other}"),
        }
    }
}

/// The references that a register may hold.
const REFERENCES: std::ops::Range<Ref> = 0..MAX_REFS as Ref;

/// The collector's variables [Fig. 2].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
pub struct Gc {
    /// Registers of marking. `fM` and `phase` are its own copies, which are always live.
    pub marking: Marking,
    /// The object to trace or sweep.
    #[serde(serialize_with = "shown")]
    pub src: Ref,
    /// The field to trace.
    pub field: u8,
    /// The fields left to trace.
    pub fields: u8,
    /// The references left to sweep.
    pub refs: Refs,
    /// The mutators left to request, or to wait for.
    pub muts: Mutators,
    /// The mutator to request, or to poll.
    #[serde(serialize_with = "shown")]
    pub mutator: u8,
}

/// The collector's registers.
pub(super) mod gc {
    use super::Register;
    pub const SRC: Register = Register(3);
    pub const FIELD: Register = Register(4);
    pub const FIELDS: Register = Register(5);
    pub const REFS: Register = Register(6);
    pub const MUTS: Register = Register(7);
    pub const MUTATOR: Register = Register(8);
}

impl Data for Gc {
    const REGISTERS: &'static [&'static str] = &[
        "ref", "mark", "cas_mark", "src", "field", "fields", "refs", "muts", "mutator",
    ];

    fn clear(&mut self, registers: Registers) {
        self.marking.clear(registers);
        if registers.contains(gc::SRC) {
            self.src = DEAD;
        }
        if registers.contains(gc::FIELD) {
            self.field = 0;
        }
        if registers.contains(gc::FIELDS) {
            self.fields = 0;
        }
        if registers.contains(gc::REFS) {
            self.refs = Refs::default();
        }
        if registers.contains(gc::MUTS) {
            self.muts = Mutators::default();
        }
        if registers.contains(gc::MUTATOR) {
            self.mutator = DEAD;
        }
    }

    fn havoc(&self, register: Register, visit: &mut dyn FnMut(Self)) {
        match register {
            gc::SRC => REFERENCES.for_each(|src| visit(Self { src, ..*self })),
            gc::FIELD => (0..MAX_FIELDS as u8).for_each(|field| visit(Self { field, ..*self })),
            gc::FIELDS => (0..1 << MAX_FIELDS).for_each(|fields| visit(Self { fields, ..*self })),
            gc::REFS => (0..1 << MAX_REFS).for_each(|refs| {
                let refs = Refs(refs);
                visit(Self { refs, ..*self });
            }),
            gc::MUTS => (0..1 << MAX_MUTATORS).for_each(|muts| {
                let muts = Mutators(muts);
                visit(Self { muts, ..*self });
            }),
            gc::MUTATOR => (0..MAX_MUTATORS as u8).for_each(|mutator| {
                visit(Self { mutator, ..*self });
            }),
            Register(other) => self.marking.havoc(other, &mut |marking| {
                visit(Self { marking, ..*self });
            }),
        }
    }
}

impl Marks for Gc {
    const FM: Registers = Registers::NONE;
    const PHASE: Registers = Registers::NONE;

    fn marking(&self) -> &Marking {
        &self.marking
    }

    fn marking_mut(&mut self) -> &mut Marking {
        &mut self.marking
    }
}

/// A mutator's variables [Fig. 6].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
pub struct Mutator {
    /// The references that the program holds.
    pub roots: Refs,
    /// Registers of marking.
    pub marking: Marking,
    /// The object to read or write.
    #[serde(serialize_with = "shown")]
    pub src: Ref,
    pub field: u8,
    /// The value to write.
    pub dst: Option<Ref>,
    /// The roots left to mark.
    pub refs: Refs,
    /// Whether the pending bit was found set.
    pub is_asked: bool,
    /// Type of that handshake, as loaded.
    pub handshake: HandshakeType,
    /// Whether the roots are marked in this cycle; set only in the variant that reads it.
    pub roots_marked: bool,
    // Ghosts: no guard reads them.
    /// The last noop or get-roots handshake that was completed.
    pub ghost_phase: HandshakePhase,
    /// The honorary root: the reference that the deletion barrier of a store has loaded.
    pub ghost_honorary_root: Refs,
}

/// A mutator's registers.
pub(super) mod mutator {
    use super::Register;
    pub const FM: Register = Register(3);
    pub const PHASE: Register = Register(4);
    pub const SRC: Register = Register(5);
    pub const FIELD: Register = Register(6);
    pub const DST: Register = Register(7);
    pub const REFS: Register = Register(8);
    pub const IS_ASKED: Register = Register(9);
    pub const HANDSHAKE: Register = Register(10);
}

impl Data for Mutator {
    const REGISTERS: &'static [&'static str] = &[
        "ref",
        "mark",
        "cas_mark",
        "fM",
        "phase",
        "src",
        "field",
        "dst",
        "refs",
        "is_asked",
        "handshake",
    ];

    fn clear(&mut self, registers: Registers) {
        self.marking.clear(registers);
        if registers.contains(mutator::FM) {
            self.marking.fm = None;
        }
        if registers.contains(mutator::PHASE) {
            self.marking.phase = Phase::Idle;
        }
        if registers.contains(mutator::SRC) {
            self.src = DEAD;
        }
        if registers.contains(mutator::FIELD) {
            self.field = 0;
        }
        if registers.contains(mutator::DST) {
            self.dst = None;
        }
        if registers.contains(mutator::REFS) {
            self.refs = Refs::default();
        }
        if registers.contains(mutator::IS_ASKED) {
            self.is_asked = false;
        }
        if registers.contains(mutator::HANDSHAKE) {
            self.handshake = HandshakeType::default();
        }
    }

    fn havoc(&self, register: Register, visit: &mut dyn FnMut(Self)) {
        match register {
            mutator::SRC => REFERENCES.for_each(|src| visit(Self { src, ..*self })),
            mutator::FIELD => {
                (0..MAX_FIELDS as u8).for_each(|field| visit(Self { field, ..*self }))
            }
            mutator::DST => {
                for dst in REFERENCES.map(Some).chain([None]) {
                    visit(Self { dst, ..*self });
                }
            }
            mutator::REFS => (0..1 << MAX_REFS).for_each(|refs| {
                let refs = Refs(refs);
                visit(Self { refs, ..*self });
            }),
            mutator::IS_ASKED => visit(Self {
                is_asked: !self.is_asked,
                ..*self
            }),
            mutator::HANDSHAKE => {
                use HandshakeType::{GetRoots, GetWork, Noop};
                for handshake in [Noop, GetRoots, GetWork] {
                    visit(Self { handshake, ..*self });
                }
            }
            Register(other) => self.marking.havoc(other, &mut |marking| {
                visit(Self { marking, ..*self });
            }),
        }
    }
}

impl Marks for Mutator {
    const FM: Registers = Registers::one(mutator::FM);
    const PHASE: Registers = Registers::one(mutator::PHASE);

    fn marking(&self) -> &Marking {
        &self.marking
    }

    fn marking_mut(&mut self) -> &mut Marking {
        &mut self.marking
    }
}

impl Data for Sys {}
