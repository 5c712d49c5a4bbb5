//! Seeded faults of the collector.

/// A seeded fault. Each is tested in one place, in the smallest function that differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// A store does not mark what it overwrites [Fig. 6, line 9].
    NoDeletionBarrier,
    /// A store does not mark what it writes [Fig. 6, line 10].
    NoInsertionBarrier,
    /// Marking loads, tests and stores, and continues as the winner [Fig. 5, lines 5–11].
    MarkWithoutCas,
    /// No handshake before `fM` is inverted [Fig. 2, lines 3–4].
    SkipIdleNoop,
    /// No handshake after `fM` is inverted [Fig. 2, lines 6–7].
    SkipIdleFlipNoop,
    /// No handshake after the phase is `Init` [Fig. 2, lines 9–10].
    SkipInitNoop,
    /// No handshake after `fA` is set [Fig. 2, lines 13–14]; its fence goes with it.
    SkipMarkNoop,
    /// Handshakes have no fence [Fig. 4].
    NoHandshakeFence,
    /// Mutators answer get-roots without marking their roots [Fig. 2, lines 18–19].
    RootsNotMarked,
    /// Marking ends without asking mutators for work [Fig. 2, lines 31–34].
    NoGetWork,
    /// A new object is marked with the sense that `fA` is not [Fig. 6, line 17].
    AllocateWrongSense,
    /// Sweeping begins right after root marking: no object is traced [Fig. 2, lines 25–34].
    EarlySweep,
    /// Mutators answer and keep their worklists [Fig. 2, lines 20 and 34].
    WorklistNotHandedOver,
    /// A slot keeps its generation when it is reused.
    GenerationNotBumped,
}

impl Fault {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
