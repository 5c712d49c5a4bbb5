//! Rules of the model, for coverage and reports.

use serde::Serialize;

/// A rule of the model. What mutators and the collector both do, marking and fences, is a rule of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "mutator")]
pub(super) enum ModelRule {
    #[rule(source = "Gammie et al., section 4")]
    Join,
    #[rule(source = "Gammie et al., section 4")]
    Hold,
    #[rule(source = "Gammie et al., section 4")]
    Leave,
    #[rule(source = "Gammie et al., Fig. 6, Alloc")]
    Alloc,
    #[rule(source = "Gammie et al., Fig. 6, Discard")]
    Discard,
    #[rule(source = "Gammie et al., Fig. 6, Load")]
    Load,
    #[rule(source = "Gammie et al., Fig. 6, line 9")]
    Overwrite,
    #[rule(source = "Gammie et al., Fig. 6, line 11")]
    Store,
    #[rule(source = "Gammie et al., Fig. 4, the mutator")]
    Asked,
    #[rule(source = "Gammie et al., Fig. 4, the mutator")]
    Done,
    #[rule(source = "Gammie et al., Fig. 4, the mutator")]
    Fence,
    #[rule(name = "mark: load fM", source = "Gammie et al., Fig. 5, line 2")]
    LoadFm,
    #[rule(name = "mark: load mark", source = "Gammie et al., Fig. 5, line 3")]
    LoadMark,
    #[rule(name = "mark: load phase", source = "Gammie et al., Fig. 5, line 4")]
    LoadPhase,
    #[rule(name = "mark: CAS", source = "Gammie et al., Fig. 5, lines 5–11")]
    Cas,
    #[rule(
        name = "fence",
        process = "collector",
        source = "Gammie et al., Fig. 4, initiation"
    )]
    CollectorFence,
    #[rule(
        name = "mark: load fM",
        process = "collector",
        source = "Gammie et al., Fig. 5, line 2"
    )]
    CollectorLoadFm,
    #[rule(
        name = "mark: load mark",
        process = "collector",
        source = "Gammie et al., Fig. 5, line 3"
    )]
    CollectorLoadMark,
    #[rule(
        name = "mark: load phase",
        process = "collector",
        source = "Gammie et al., Fig. 5, line 4"
    )]
    CollectorLoadPhase,
    #[rule(
        name = "mark: CAS",
        process = "collector",
        source = "Gammie et al., Fig. 5, lines 5–11"
    )]
    CollectorCas,
    #[rule(process = "collector", source = "Gammie et al., Fig. 4, initiation")]
    Ask,
    #[rule(process = "collector", source = "Gammie et al., Fig. 4, polling")]
    Answered,
    #[rule(
        name = "set fM or fA",
        process = "collector",
        source = "Gammie et al., Fig. 2, lines 5 and 12"
    )]
    SetFmOrFa,
    #[rule(
        name = "set phase",
        process = "collector",
        source = "Gammie et al., Fig. 2, lines 8, 11, 37 and 46"
    )]
    SetPhase,
    #[rule(process = "collector", source = "Gammie et al., Fig. 2, line 27")]
    Trace,
    #[rule(process = "collector", source = "Gammie et al., Fig. 2, line 29")]
    Scan,
    #[rule(process = "collector", source = "Gammie et al., Fig. 2, lines 41–44")]
    Free,
    #[rule(process = "memory", source = "Gammie et al., Fig. 9")]
    Commit,
}
