//! Detection of faults: where each fault is detected, and a shrunk program of a stress run that shows it.

/// Where a fault is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// On real threads, nearly always.
    Always,
    /// On real threads, rarely; under Shuttle nearly always.
    WithLuck,
    /// In Loom's model of memory alone: x86-64 makes stores visible in their order.
    InLoom,
    /// Nowhere: no failing program is known.
    Never,
}

/// A fault, where it is detected, and a program that shows it, one line a thread.
pub type Row = (&'static str, Seen, &'static [&'static str]);

/// Every fault.
pub const FAULTS: [Row; 14] = [
    (
        "no-deletion-barrier",
        Seen::Always,
        &["alloc; store 1.0=0; discard 0; until get-roots; load 0.0; store 1.0=null; until idle"],
    ),
    (
        "no-insertion-barrier",
        Seen::Always,
        &["until mark; alloc; store 0.0=1; discard 1; until idle"],
    ),
    (
        "mark-without-cas",
        Seen::WithLuck,
        &[
            "alloc; alloc; store 1.0=0; discard 0; until get-roots@claim",
            "until get-roots@claim",
        ],
    ),
    (
        "skip-idle-noop",
        Seen::Never,
        &[
            "until init; store 1.0=0@sense",
            "until idle; store 1.0=0@sense",
        ],
    ),
    (
        "skip-idle-flip-noop",
        Seen::WithLuck,
        &["until idle; store 0.0=0@sense", "until idle; store 0.0=0"],
    ),
    (
        "skip-init-noop",
        Seen::WithLuck,
        &[
            "alloc; until idle-flip; store 1.0=0@write; discard 0; until get-roots; load 0.0; until idle",
            "until mark; store 0.0=null@write; until idle",
        ],
    ),
    (
        "skip-mark-noop",
        Seen::InLoom,
        &["until get-roots; alloc; until idle"],
    ),
    (
        "no-handshake-fence",
        Seen::InLoom,
        &["until get-roots; alloc; until idle"],
    ),
    ("roots-not-marked", Seen::Always, &["until idle"]),
    (
        "no-get-work",
        Seen::Always,
        &[
            "alloc; alloc; store 1.0=0; discard 0; store 1.0=0; discard 0; until get-roots; load 0.0; \
           store 1.0=null; until idle",
        ],
    ),
    (
        "allocate-wrong-sense",
        Seen::Always,
        &["until get-roots; alloc; until idle"],
    ),
    (
        "early-sweep",
        Seen::Always,
        &["alloc; store 1.0=0; discard 0; until idle"],
    ),
    (
        "worklist-not-handed-over",
        Seen::Always,
        &["alloc; store 1.0=0; discard 0; until idle"],
    ),
    (
        "generation-not-bumped",
        Seen::Always,
        &["discard 0; until get-work; alloc"],
    ),
];
