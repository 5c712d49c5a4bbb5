//! Reasons why a check cannot be run.

use std::fmt::{self, Debug, Formatter};

use crate::state::WrongLimits;
use crate::statement::asked::model_call::UNNAMED;
use crate::statement::kind::ObligationKind;
use crate::statement::rule::Process;
#[cfg(feature = "any-number")]
use crate::view::crowd::CrowdFault;
#[cfg(feature = "inclusion")]
use crate::view::inclusion::InclusionError;
use crate::walk::explore::{DiskError, Panic, PeersError};

/// Reason why a check cannot be run. Its `Debug` is its message, since that is what `unwrap` shows.
#[derive(Clone, PartialEq, thiserror::Error)]
pub enum CheckError {
    /// An obligation that this refinement does not have.
    #[error("there is no obligation {name:?}{}; there are: {}", nearest_hint(.nearest), .known.join(", "))]
    UnknownObligation {
        /// The name given.
        name: String,
        /// The name most like it.
        nearest: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// Obligations of a kind are chosen, or left out, and there are none.
    #[error("{name:?} stands for nothing: {}", none_of(*.kind))]
    NoneOfKind {
        /// The pattern given.
        name: String,
        /// The kind.
        kind: ObligationKind,
    },
    /// All obligations that were chosen are left out.
    #[error(
        "without {} nothing is left to check; to explore plainly, choose none",
        .without.join(", ")
    )]
    NothingLeft {
        /// The patterns given.
        without: Vec<String>,
    },
    /// An obligation that belongs to every check is left out.
    #[error("{name:?} belongs to every check, and cannot be left out")]
    Indispensable {
        /// The pattern given.
        name: String,
    },
    /// Two invariants of one name, so that a report could not tell them apart.
    #[error("two invariants are named {name:?}")]
    DuplicateInvariant {
        /// The name.
        name: String,
    },
    /// Two liveness properties, or fairness conditions of a system, of one name.
    #[error("two are named {name:?}")]
    DuplicateProperty {
        /// The name, with its kind.
        name: String,
    },
    /// A fairness condition on no rule.
    #[error("the fairness condition {name:?} is on no rule")]
    FairnessOfNothing {
        /// The condition.
        name: String,
    },
    /// A fairness condition on a rule that its system does not have.
    #[error("the fairness condition {name:?} names {rule:?}, which is no rule of its system{}", nearest_hint(.nearest))]
    UnknownFairRule {
        /// The condition.
        name: String,
        /// The name given.
        rule: String,
        /// The name most like it.
        nearest: Option<String>,
    },
    /// A waiver for a rule that the specification does not have.
    #[error("the waiver for {name:?} names no rule of the specification{}", nearest_hint(.nearest))]
    UnknownWaiver {
        /// The name given.
        name: String,
        /// The name most like it.
        nearest: Option<String>,
    },
    /// A process declared twice as one of the environment.
    #[error("the environment declares {process} twice")]
    DuplicateProcess {
        /// The process.
        process: Process,
    },
    /// A process declared as one of the environment, of a kind to which no rule of the specification belongs.
    #[error(
        "the environment declares {process}, and no rule of the specification belongs to a process of that kind{}; there are: {}",
        nearest_hint(.nearest), .known.join(", ")
    )]
    UnknownProcess {
        /// The process.
        process: Process,
        /// The kind most like it.
        nearest: Option<String>,
        /// The kinds of process that the specification's rules belong to.
        known: Vec<String>,
    },
    /// A process of the environment that acts for another one: whose choice its steps are would be
    /// open.
    #[error("{process} is a process of the environment, and is said to act for {other}")]
    EnvironmentActsForOther {
        /// The process.
        process: Process,
        /// The one it is said to act for.
        other: Process,
    },
    /// Induction is asked for, and the system's type-correct states are not enumerated.
    #[error(
        "this check cannot decide inductive:*, since it does not enumerate type-correct states"
    )]
    NotEnumerated,
    /// Induction is to be decided from states that are drawn, and none is to be.
    #[error("no samples decide nothing: at least one state has to be drawn")]
    NoSamples,
    /// A function of the model panicked that declares something of the model, and not of its states, or where there is no
    /// report yet that could tell of it.
    #[error("{}", .0.told(UNNAMED))]
    Panicked(Box<Panic>),
    /// An attribute of a field of the implementation's states that has no effect, or that no value meets.
    #[error("of the states of the implementation {0}")]
    WrongLimits(Box<WrongLimits>),
    /// Two rules of the specification of one name, one of which a waiver or a row of `environment` names.
    #[error(
        "two rules of the specification are named {name:?}, and a waiver, or a row of `environment`, could be about either"
    )]
    DuplicateRule {
        /// The name.
        name: String,
    },
    /// Two waivers for one rule.
    #[error("there are two waivers for {name:?}")]
    DuplicateWaiver {
        /// The name of the rule.
        name: String,
    },
    /// A time that is none.
    #[error("a limit of {seconds} seconds is none: it has to be a number, and not negative")]
    NoTime {
        /// Value that was given, as `Display` shows it.
        seconds: String,
    },
    /// The search cannot be kept on disk, or not go on from there.
    #[error(transparent)]
    Disk(Box<DiskError>),
    /// Processes do not search together, or not any more.
    #[error(transparent)]
    Peers(PeersError),
    /// Several processes are to search what each has to have for itself.
    #[error("processes that search together pack their states: no other storage, no random walks")]
    Together,
    /// Checkpoints of random walks are asked for.
    #[error("random walks have no checkpoints: their seed repeats them")]
    CheckpointsOfWalks,
    /// States are to go to disk that are not packed, or on random walks.
    #[error("states that go to disk are packed, and those of a search of all states")]
    SpilledUnpacked,
    /// States are to go to disk when memory is short, and no limit says when that is.
    #[error("states go to disk when memory is short, and no limit says when that is")]
    SpilledWithoutLimit,
    /// Symmetry is asked for, and the model has none to offer: no initial state has members that are alike, or counters.
    #[error(
        "this check has no symmetry to offer: no initial state has members that are alike, or counters"
    )]
    NotSymmetric,
    /// Symmetry is asked for, and the members of the crowd stand in a line.
    #[error(
        "this check has no symmetry to offer: its {members} stand in a line and are not alike, since what one of them may do depends on which \
         of the others come before it"
    )]
    InLine {
        /// The members, in the plural.
        members: String,
    },
    /// Every number of members is asked for, and the model declares none that are alike.
    #[error(
        "this check is not declared as a crowd, so nothing can be decided for every number of members"
    )]
    NoCrowd,
    /// A setting means nothing of every number of members.
    #[error("`{setting}` is no setting of a check of every number of members")]
    NotOfEveryNumber {
        /// The field of the settings.
        setting: &'static str,
    },
    /// The model is no crowd, or none that can be asked.
    #[cfg(feature = "any-number")]
    #[error(transparent)]
    Crowd(Box<CrowdFault>),
    /// An obligation is named that cannot be decided in the way that is asked for.
    #[error("{name} cannot be decided here: {reason}")]
    Unsupported {
        /// The obligation.
        name: String,
        /// Reason why it cannot.
        reason: &'static str,
    },
    /// More environment processes than the check can tell apart.
    #[error("{given} environment processes, and at most {limit} are allowed")]
    TooManyProcesses {
        /// Number of processes that were declared.
        given: usize,
        /// Number of processes that are allowed.
        limit: usize,
    },
    /// A feature of this crate is needed, without which it was built.
    #[error(
        "{asked} needs the feature {feature:?} of refmap, without which this program was built: `cargo add refmap --features {feature}` \
         adds it to the line of refmap in Cargo.toml"
    )]
    MissingFeature {
        /// Setting or question that needs it.
        asked: &'static str,
        /// The feature.
        feature: &'static str,
    },
}

impl Debug for CheckError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(feature = "any-number")]
impl From<CrowdFault> for CheckError {
    fn from(fault: CrowdFault) -> Self {
        Self::Crowd(Box::new(fault))
    }
}

#[cfg(feature = "inclusion")]
impl From<InclusionError> for CheckError {
    fn from(error: InclusionError) -> Self {
        match error {
            InclusionError::Panicked(panic) => Self::Panicked(Box::new(panic)),
            InclusionError::Disk(error) => error.into(),
        }
    }
}

impl From<DiskError> for CheckError {
    fn from(error: DiskError) -> Self {
        Self::Disk(Box::new(error))
    }
}

/// Says that a refinement has no obligations of a kind, and of which of its functions they would come.
fn none_of(kind: ObligationKind) -> String {
    match kind {
        ObligationKind::Invariant => "the refinement has no invariants".to_owned(),
        ObligationKind::Inductive => {
            "this check cannot decide inductive:*, since it does not enumerate type-correct states"
                .to_owned()
        }
        ObligationKind::Fairness => "the specification has no fairness conditions".to_owned(),
        kind => format!("the refinement has no {kind}:*"),
    }
}

fn nearest_hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}
