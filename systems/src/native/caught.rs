//! Detection of faults: where each fault is detected, and a shrunk program of a stress run that shows it.

use super::on_the_fly::Fault;

/// Detection rate of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    /// On real threads, nearly always.
    Always,
    /// On real threads, rarely; under Shuttle nearly always.
    Rarely,
    /// In Loom's model of memory alone: x86-64 makes stores visible in their order.
    InLoom,
    /// Nowhere: no failing program is known.
    Never,
}

/// A fault, where it is detected, and a program that shows it, one line a thread.
pub type Row = (Fault, Detected, &'static [&'static str]);

/// Every fault.
pub const FAULTS: [Row; 14] = [
    (
        Fault::NoDeletionBarrier,
        Detected::Always,
        &["alloc; store 1.0=0; discard 0; until get-roots; load 0.0; store 1.0=null; until idle"],
    ),
    (
        Fault::NoInsertionBarrier,
        Detected::Always,
        &["until mark; alloc; store 0.0=1; discard 1; until idle"],
    ),
    (
        Fault::MarkWithoutCas,
        Detected::Rarely,
        &[
            "alloc; alloc; store 1.0=0; discard 0; until get-roots@claim",
            "until get-roots@claim",
        ],
    ),
    (
        Fault::SkipIdleNoop,
        Detected::Never,
        &[
            "until init; store 1.0=0@sense",
            "until idle; store 1.0=0@sense",
        ],
    ),
    (
        Fault::SkipIdleFlipNoop,
        Detected::Rarely,
        &["until idle; store 0.0=0@sense", "until idle; store 0.0=0"],
    ),
    (
        Fault::SkipInitNoop,
        Detected::Rarely,
        &[
            "alloc; until idle-flip; store 1.0=0@write; discard 0; until get-roots; load 0.0; until idle",
            "until mark; store 0.0=null@write; until idle",
        ],
    ),
    (
        Fault::SkipMarkNoop,
        Detected::InLoom,
        &["until get-roots; alloc; until idle"],
    ),
    (
        Fault::NoHandshakeFence,
        Detected::InLoom,
        &["until get-roots; alloc; until idle"],
    ),
    (Fault::RootsNotMarked, Detected::Always, &["until idle"]),
    (
        Fault::NoGetWork,
        Detected::Always,
        &[
            "alloc; alloc; store 1.0=0; discard 0; store 1.0=0; discard 0; until get-roots; load 0.0; \
           store 1.0=null; until idle",
        ],
    ),
    (
        Fault::AllocateWrongSense,
        Detected::Always,
        &["until get-roots; alloc; until idle"],
    ),
    (
        Fault::EarlySweep,
        Detected::Always,
        &["alloc; store 1.0=0; discard 0; until idle"],
    ),
    (
        Fault::WorklistNotHandedOver,
        Detected::Always,
        &["alloc; store 1.0=0; discard 0; until idle"],
    ),
    (
        Fault::GenerationNotBumped,
        Detected::Always,
        &["discard 0; until get-work; alloc"],
    ),
];
