//! The instance, and the variants of the collector.

use refmap_processes::{Choices, DeadRegisters, ProcessError};
use strum::VariantArray;

/// The group of mutators, by whose names states are identified.
pub const MUTATORS: u8 = 0;
/// That of references.
pub const REFERENCES: u8 = 1;
/// That of the two senses of marks.
pub(super) const SENSES: u8 = 2;

/// The most mutators.
pub const MAX_MUTATORS: usize = 3;
/// The most references.
pub const MAX_REFS: usize = 4;
/// The most fields of an object.
pub const MAX_FIELDS: usize = 2;
/// The most stores that a buffer holds.
pub const MAX_BUFFER: usize = 4;

/// The instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Number of mutators.
    pub mutators: u8,
    /// Number of references.
    pub refs: u8,
    /// Number of fields of an object.
    pub fields: u8,
    /// Capacity of a mutator's buffer.
    pub buffer: u8,
    /// Capacity of the collector's buffer. A variant that issues more stores without a fence
    /// blocks, which may hide its violations.
    pub collector_buffer: u8,
    /// Initial states.
    pub initial: Initial,
    /// Granularity of the steps.
    pub granularity: Granularity,
    /// Treatment of dead registers, which are never read again.
    pub registers: DeadRegisters,
}

impl Scope {
    /// The smallest instance of so many mutators and references: objects have a field, and mutators buffers of one store.
    pub fn new(mutators: u8, refs: u8, granularity: Granularity) -> Self {
        Self {
            mutators,
            refs,
            fields: 1,
            buffer: 1,
            collector_buffer: 4,
            initial: Initial::Canonical,
            granularity,
            registers: DeadRegisters::Cleared,
        }
    }

    pub(super) fn check(&self) -> Result<(), ScopeError> {
        let numbers = [
            ("mutators", self.mutators, MAX_MUTATORS),
            ("refs", self.refs, MAX_REFS),
            ("fields", self.fields, MAX_FIELDS),
            ("buffer", self.buffer, MAX_BUFFER),
            ("collector_buffer", self.collector_buffer, MAX_BUFFER),
        ];
        let wrong = numbers
            .into_iter()
            .find(|(_, given, most)| !(1..=*most).contains(&usize::from(*given)));
        match wrong {
            None => Ok(()),
            Some((what, given, most)) => Err(ScopeError::OutOfRange { what, given, most }),
        }
    }
}

/// Error: the instance is not in range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A number outside its range.
    #[error("{what} must be from 1 to {most}, and is {given}")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// The given number.
        given: u8,
        /// The maximum.
        most: usize,
    },
    /// The programs are wrong.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A transaction of any number of mutators.
    #[error(
        "a transaction moves more than one mutator: with any number of them granularity is fine or coarse"
    )]
    Transactions,
}

/// Granularity of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Granularity {
    /// No reduction: each command, and each evaluation of a guard, is a step.
    Fine,
    /// Local fusion: steps are fused if that preserves every invariant and what each step shows.
    #[default]
    Coarse,
    /// Lipton reduction: steps are fused if that preserves what is freed.
    Reduced,
}

impl Granularity {
    /// Granularity of the composition of processes.
    pub(super) fn of_processes(self) -> refmap_processes::Granularity {
        match self {
            Self::Fine => refmap_processes::Granularity::Fine,
            Self::Coarse => refmap_processes::Granularity::Fused(Choices::FusedWithNext),
            Self::Reduced => refmap_processes::Granularity::Fused(Choices::Separate),
        }
    }
}

/// Initial states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Initial {
    /// Object 0 points to object 1 in its field 0, if there are two; the other references are free,
    /// and every mutator holds object 0.
    Canonical,
    /// Any heap and any roots, where everything reachable is an object [section 3.2, `valid_refs`].
    All,
}

/// Memory model: treatment of stores.
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
    strum::IntoStaticStr,
    strum::VariantArray,
    refmap::State,
    serde::Serialize,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Memory {
    /// One FIFO store buffer for each process [Fig. 9].
    #[default]
    Tso,
    /// No store buffers: a store takes effect at once.
    Sc,
    /// One store buffer for each process, FIFO only for each location.
    Pso,
}

/// The variant: by default the collector of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Memory model.
    pub memory: Memory,
    /// Parts that are left out.
    pub without: Without,
    /// Whether the fence of a noop handshake that is left out stays.
    pub residual_fence: ResidualFence,
    /// Order of the write barriers.
    pub barriers: Barriers,
    /// Mark of a new object.
    pub allocate: Allocate,
    /// When `fA` is set to `fM`.
    pub flip: Flip,
    /// Order of the first two loads of marking.
    pub load_order: LoadOrder,
}

impl Variant {
    /// The paper's collector without one part.
    pub fn without(part: Part) -> Self {
        Self {
            without: Without::one(part),
            ..Self::default()
        }
    }

    /// Whether the collector has `part`.
    pub fn has(&self, part: Part) -> bool {
        !self.without.contains(part)
    }
}

/// A part of the collector that can be left out.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Part {
    /// A store marks the reference it overwrites [Fig. 6, line 9].
    DeletionBarrier,
    /// A store marks the reference it writes [Fig. 6, line 10].
    InsertionBarrier,
    /// … also where the mutator has marked its roots in this cycle [section 4].
    InsertionBarrierAfterRoots,
    /// Marking compares and swaps [Fig. 5, lines 5–11]; without this it stores the mark and continues as the
    /// winner.
    Cas,
    /// The collector's fence at the beginning of a noop handshake [Fig. 4].
    CollectorFence,
    /// The mutator's fence in its side of a handshake [Fig. 4].
    MutatorFence,
    /// The handshake before `fM` is inverted [Fig. 2, lines 3–4].
    IdleNoop,
    /// The handshake after that [Fig. 2, lines 6–7].
    IdleFlipNoop,
    /// The handshake after `phase ← Init` [Fig. 2, lines 9–10].
    InitNoop,
    /// The handshake after `fA ← fM` [Fig. 2, lines 13–14].
    MarkNoop,
    /// The round that asks for work before marking ends [Fig. 2, lines 31–34].
    GetWork,
    /// That a mutator marks its roots [Fig. 2, lines 18–19].
    RootMarking,
    /// That nothing is marked while the phase is `Idle` [Fig. 5, line 4].
    PhaseTest,
}

/// The value of an enum by its name.
///
/// # Errors
///
/// If there is none.
pub fn named<T: VariantArray + Copy + Into<&'static str>>(given: &str) -> Result<T, UnknownName> {
    let name = |value: &T| -> &'static str { (*value).into() };
    let found = T::VARIANTS.iter().find(|value| name(value) == given);
    found.copied().ok_or_else(|| UnknownName {
        given: given.to_owned(),
        known: T::VARIANTS.iter().map(name).collect(),
    })
}

/// A name that no value has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {given:?}; there are: {}", known.join(", "))]
pub struct UnknownName {
    /// The name given.
    pub given: String,
    /// Those that there are.
    pub known: Vec<&'static str>,
}

/// A set of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without(u16);

impl Without {
    /// One part.
    pub fn one(part: Part) -> Self {
        Self(1 << part as u16)
    }

    /// This and another one.
    #[must_use]
    pub fn and(self, part: Part) -> Self {
        Self(self.0 | Self::one(part).0)
    }

    /// Whether `part` is left out.
    pub fn contains(self, part: Part) -> bool {
        self.0 & Self::one(part).0 != 0
    }
}

/// Residual fence: whether the collector's fence stays where a noop handshake is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidualFence {
    /// The fence is left out with the handshake.
    #[default]
    Absent,
    /// The fence stays.
    Present,
}

/// Order of the write barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Barriers {
    /// Deletion, insertion [Fig. 6].
    #[default]
    DeletionFirst,
    /// Insertion, deletion.
    InsertionFirst,
}

/// Mark of a new object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Allocate {
    /// With its `fA` [Fig. 6, line 17].
    #[default]
    Fa,
    /// With the other sense.
    NotFa,
    /// With its `fM`: always marked.
    Fm,
    /// With `fA`, but white while its phase is `Mark`.
    WhiteInMark,
}

/// When the collector sets `fA` to `fM`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flip {
    /// Before the mark handshake [Fig. 2, line 12].
    #[default]
    BeforeMark,
    /// One handshake early, before the init handshake.
    BeforeInit,
    Never,
}

/// Order of the first two loads of marking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum LoadOrder {
    /// The mark of the object, then `fM`, as in the proof development.
    #[default]
    MarkFirst,
    /// `fM`, then the mark, as in Fig. 5 and in the native collector.
    SenseFirst,
}
