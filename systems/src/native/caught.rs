//! Detection of faults: where each fault is detected, and a shrunk program of a stress run that shows it.

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
pub type Row = (&'static str, Detected, &'static [&'static str]);

/// Every fault.
pub const FAULTS: [Row; 14] = [
    (
        "no-deletion-barrier",
        Detected::Always,
        &["alloc; store 1.0=0; discard 0; until get-roots; load 0.0; store 1.0=null; until idle"],
    ),
    (
        "no-insertion-barrier",
        Detected::Always,
        &["until mark; alloc; store 0.0=1; discard 1; until idle"],
    ),
    (
        "mark-without-cas",
        Detected::Rarely,
        &[
            "alloc; alloc; store 1.0=0; discard 0; until get-roots@claim",
            "until get-roots@claim",
        ],
    ),
    (
        "skip-idle-noop",
        Detected::Never,
        &[
            "until init; store 1.0=0@sense",
            "until idle; store 1.0=0@sense",
        ],
    ),
    (
        "skip-idle-flip-noop",
        Detected::Rarely,
        &["until idle; store 0.0=0@sense", "until idle; store 0.0=0"],
    ),
    (
        "skip-init-noop",
        Detected::Rarely,
        &[
            "alloc; until idle-flip; store 1.0=0@write; discard 0; until get-roots; load 0.0; until idle",
            "until mark; store 0.0=null@write; until idle",
        ],
    ),
    (
        "skip-mark-noop",
        Detected::InLoom,
        &["until get-roots; alloc; until idle"],
    ),
    (
        "no-handshake-fence",
        Detected::InLoom,
        &["until get-roots; alloc; until idle"],
    ),
    ("roots-not-marked", Detected::Always, &["until idle"]),
    (
        "no-get-work",
        Detected::Always,
        &[
            "alloc; alloc; store 1.0=0; discard 0; store 1.0=0; discard 0; until get-roots; load 0.0; \
           store 1.0=null; until idle",
        ],
    ),
    (
        "allocate-wrong-sense",
        Detected::Always,
        &["until get-roots; alloc; until idle"],
    ),
    (
        "early-sweep",
        Detected::Always,
        &["alloc; store 1.0=0; discard 0; until idle"],
    ),
    (
        "worklist-not-handed-over",
        Detected::Always,
        &["alloc; store 1.0=0; discard 0; until idle"],
    ),
    (
        "generation-not-bumped",
        Detected::Always,
        &["discard 0; until get-work; alloc"],
    ),
];
