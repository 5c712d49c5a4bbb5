//! Which obligations a check reports, and in which order.

use std::collections::HashSet;

use super::{Induction, Settings};
use crate::explore::{Order, Panic, Storage};
use crate::refinement::Refinement;
use crate::system::{Process, Rule, RuleId, TransitionSystem};

/// The obligations chosen for a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    #[default]
    Default,
    /// None: explore and count.
    Nothing,
    /// Those named; `invariant` and `environment` stand for all of theirs.
    Only(Vec<String>),
}

impl Selection {
    /// Just these.
    pub fn only<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Only(names.into_iter().map(str::to_owned).collect())
    }
}

/// Why a check cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    /// Invariants are asked for, and there are none.
    #[error("{name:?} chooses nothing: the refinement has no invariants")]
    NoInvariants {
        /// The name given.
        name: String,
    },
    /// Two invariants of one name, so that a report could not tell them apart.
    #[error("two invariants are named {name:?}")]
    DuplicateInvariant {
        /// The name.
        name: String,
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
    /// A function that declares something of the model, and not of its states, panicked.
    #[error("`{functions}` panicked: {panic}")]
    Panicked {
        /// The function, or those that were asked.
        functions: &'static str,
        /// With what.
        panic: Box<Panic>,
    },
    /// Symmetry is asked for, and there is not even the permutation that exchanges nothing.
    #[error(
        "`permutations` of the implementation is empty: there has to be the one that exchanges nothing at least"
    )]
    NoPermutations,
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
        /// What was given, as `Display` shows it.
        seconds: String,
    },
    /// Symmetry is asked for, and the model has none to offer.
    #[error("this check has no symmetry to offer: --symmetry must be none")]
    NotSymmetric,
    /// An obligation is named that cannot be decided in the way that is asked for.
    #[error("{name} cannot be decided here: {reason}")]
    Undecidable {
        /// The obligation.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// Fingerprints let go of states once they are expanded, oldest first.
    #[error("fingerprints need states in breadth-first order")]
    FingerprintsDepthFirst,
    /// Fingerprints are asked for where they would be no smaller than states.
    #[error(
        "fingerprints have 64 bits, and a state is packed into {bits}: packed states take less memory and \
         time, and none is left out; --storage must be packed or whole"
    )]
    FingerprintsOfSmallStates {
        /// How many bits a state takes.
        bits: u32,
    },
    /// More environment processes than the check can tell apart.
    #[error("{given} environment processes, and at most {limit} are allowed")]
    TooManyProcesses {
        /// How many were declared.
        given: usize,
        /// How many are allowed.
        limit: usize,
    },
}

fn nearest_hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// The name most like `name`, if one is at all.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|other| (strsim::jaro_winkler(name, other), other))
        // What was given itself is no hint.
        .filter(|(likeness, other)| *likeness > 0.7 && *other != name)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other.to_owned())
}

/// An obligation of a refinement: a row of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Observation,
    Initiality,
    Simulation,
    Agency,
    /// By its place among the refinement's invariants.
    Invariant(usize),
    /// By the place of its row: an invariant's, or after these the simulation's.
    Inductive(usize),
    /// By the rule of the specification.
    Environment(RuleId),
    AtRest,
    NoEnvironment,
    Deadlock,
    Coverage,
    Model,
}

#[derive(Clone)]
pub(super) struct Row {
    pub name: String,
    pub kind: Kind,
    pub selected: bool,
    /// Why it is not decided although it belongs to those chosen. That of `environment` depends on the
    /// settings as well, and is not here.
    pub open: Option<&'static str>,
}

/// The bits of a transition's label allow for this many environment processes.
pub(super) const MOST_PROCESSES: usize = 32;

/// The rows of a refinement in the order of the table above, those chosen marked.
pub(super) fn rows<R: Refinement>(
    refinement: &R,
    invariants: &[&str],
    settings: &Settings<'_>,
    enumerated: bool,
) -> Result<Vec<Row>, CheckError> {
    let selection = &settings.obligations;
    let induction = settings.induction == Induction::Included;
    if induction && !enumerated {
        return Err(CheckError::NotEnumerated);
    }
    let mut rows = Vec::new();
    let mut row = |name: String, kind| rows.push((name, kind));
    row("observation".into(), Kind::Observation);
    row("initiality".into(), Kind::Initiality);
    row("simulation".into(), Kind::Simulation);
    row("agency".into(), Kind::Agency);
    for (index, name) in invariants.iter().enumerate() {
        if invariants[..index].contains(name) {
            return Err(CheckError::DuplicateInvariant {
                name: (*name).to_owned(),
            });
        }
        row(format!("invariant:{name}"), Kind::Invariant(index));
    }
    if enumerated {
        for (index, name) in invariants.iter().chain([&"simulation"]).enumerate() {
            row(format!("inductive:{name}"), Kind::Inductive(index));
        }
    }
    let environment = refinement.environment();
    if environment.len() > MOST_PROCESSES {
        return Err(CheckError::TooManyProcesses {
            given: environment.len(),
            limit: MOST_PROCESSES,
        });
    }
    for (index, &process) in environment.iter().enumerate() {
        if environment[..index].contains(&process) {
            return Err(CheckError::DuplicateProcess { process });
        }
        let other = refinement.acts_for(process);
        if other != process {
            return Err(CheckError::EnvironmentActsForOther { process, other });
        }
    }
    let rules = refinement.specification().rules();
    for &process in environment {
        let mut known: Vec<_> = rules.iter().map(|rule| rule.process.to_owned()).collect();
        known.dedup();
        if !known.iter().any(|kind| kind == process.name) {
            return Err(CheckError::UnknownProcess {
                process,
                nearest: nearest(process.name, known.iter().map(String::as_str)),
                known,
            });
        }
    }
    if environment.is_empty() {
        row("environment".into(), Kind::NoEnvironment);
    } else {
        for (index, rule) in rules.iter().enumerate() {
            if environment
                .iter()
                .any(|process| process.name == rule.process)
            {
                names_one(rules, &rule.name)?;
                row(
                    format!("environment:{}", rule.name),
                    Kind::Environment(RuleId(index)),
                );
            }
        }
        row("environment:at_rest".into(), Kind::AtRest);
    }
    row("deadlock".into(), Kind::Deadlock);
    row("coverage".into(), Kind::Coverage);
    row("model".into(), Kind::Model);

    let waivers = refinement.waivers();
    for (index, waiver) in waivers.iter().enumerate() {
        if waivers[..index]
            .iter()
            .any(|other| other.rule == waiver.rule)
        {
            return Err(CheckError::DuplicateWaiver {
                name: waiver.rule.to_owned(),
            });
        }
        let mut names = rules.iter().map(|rule| &*rule.name);
        if !names.clone().any(|name| name == waiver.rule) {
            return Err(CheckError::UnknownWaiver {
                name: waiver.rule.to_owned(),
                nearest: nearest(waiver.rule, &mut names),
            });
        }
        names_one(rules, waiver.rule)?;
    }

    let matches = |row: &str, name: &str| {
        row.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    if let Some(seconds) = settings.limits.seconds
        && (seconds.is_nan() || seconds < 0.0)
    {
        return Err(CheckError::NoTime {
            seconds: seconds.to_string(),
        });
    }
    if settings.storage == Storage::Fingerprints && settings.order == Order::DepthFirst {
        return Err(CheckError::FingerprintsDepthFirst);
    }
    if let Selection::Only(names) = selection {
        for name in names {
            let reason = match matches(name, "environment") {
                true => super::environment::undecidable(refinement, settings),
                false => refinement.undecidable(group(name)),
            };
            if let Some(reason) = reason {
                return Err(CheckError::Undecidable {
                    name: name.clone(),
                    reason,
                });
            }
            if name == "invariant" && invariants.is_empty() {
                return Err(CheckError::NoInvariants { name: name.clone() });
            }
            if !rows.iter().any(|(row, _)| matches(row, name)) {
                let mut known = vec!["environment".to_owned()];
                known.extend((!invariants.is_empty()).then(|| "invariant".to_owned()));
                known.extend(enumerated.then(|| "inductive".to_owned()));
                known.extend(rows.iter().map(|(row, _)| row.clone()));
                let mut seen = HashSet::new();
                known.retain(|name| seen.insert(name.clone()));
                return Err(CheckError::UnknownObligation {
                    name: name.clone(),
                    nearest: nearest(name, known.iter().map(String::as_str)),
                    known,
                });
            }
        }
    }
    Ok(rows
        .into_iter()
        .map(|(name, kind)| {
            let chosen = kind == Kind::Model
                || match (selection, kind) {
                    (Selection::Nothing, _) => false,
                    (_, Kind::Inductive(_)) if induction => true,
                    (Selection::Default, Kind::Inductive(_)) => false,
                    (Selection::Default, _) => true,
                    (Selection::Only(names), _) => {
                        names.iter().any(|chosen| matches(&name, chosen))
                    }
                };
            let open = match group(&name) {
                "environment" => None,
                group => refinement.undecidable(group).filter(|_| chosen),
            };
            Row {
                selected: chosen && open.is_none(),
                open,
                name,
                kind,
            }
        })
        .collect())
}

/// Whether a name is that of one rule alone.
fn names_one(rules: &[Rule], name: &str) -> Result<(), CheckError> {
    let named = rules.iter().filter(|rule| rule.name == name);
    match named.count() {
        0 | 1 => Ok(()),
        _ => Err(CheckError::DuplicateRule {
            name: name.to_owned(),
        }),
    }
}

/// The name of an obligation up to its colon.
fn group(name: &str) -> &str {
    name.split_once(':').map_or(name, |(group, _)| group)
}
