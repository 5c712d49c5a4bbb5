//! Questions that some checks can be asked, and others not: for every number of members, up to a symmetry, by induction, of what happens in the end.

use refmap::obligation::{
    CheckError, Checkable, Induction, Liveness, ObligationKind, Search, Selection, Settings,
    Symmetry,
};

use super::error::InputError;

/// Question that only some systems can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Obligations for every number of members that are alike.
    EveryNumber,
    /// Obligations up to a symmetry.
    Symmetry,
    /// Inductive invariants.
    Induction,
    Liveness,
}

/// Kinds of obligations about what happens in the end.
const LIVE: [ObligationKind; 5] = [
    ObligationKind::Fairness,
    ObligationKind::LeadsTo,
    ObligationKind::Eventually,
    ObligationKind::AlwaysEventually,
    ObligationKind::EventuallyAlways,
];

impl Ability {
    const ALL: [Self; 4] = [
        Self::EveryNumber,
        Self::Symmetry,
        Self::Induction,
        Self::Liveness,
    ];

    /// Option that asks the question.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::EveryNumber => "--any-number-of",
            Self::Symmetry => "--symmetry full",
            Self::Induction => "--inductive",
            Self::Liveness => "--liveness",
        }
    }

    /// The ability that a check lacks which was refused with this error.
    pub(super) fn missing(error: &InputError) -> Option<Self> {
        Some(match error {
            InputError::Check(CheckError::NoCrowd) => Self::EveryNumber,
            InputError::Check(CheckError::NotSymmetric | CheckError::InLine { .. }) => {
                Self::Symmetry
            }
            InputError::Check(CheckError::NotEnumerated) => Self::Induction,
            InputError::NothingLive => Self::Liveness,
            _ => return None,
        })
    }

    /// True if an instance can be asked. One that cannot tell is taken at its word when it is asked.
    pub(super) fn is_of(self, instance: &dyn Checkable) -> bool {
        let plain = Settings {
            threads: 1,
            ..Settings::default()
        };
        match self {
            Self::EveryNumber => instance.any_number_of().is_some(),
            Self::Symmetry => {
                let symmetry = Symmetry::Full;
                let declared = instance.declared(&Settings { symmetry, ..plain });
                !declared.is_err_and(|error| Self::missing(&error.into()) == Some(self))
            }
            Self::Induction => {
                let induction = Induction::Included;
                let declared = instance.declared(&Settings { induction, ..plain });
                !declared.is_err_and(|error| Self::missing(&error.into()) == Some(self))
            }
            Self::Liveness => {
                let liveness = Liveness::Included;
                let declared = instance.declared(&Settings { liveness, ..plain });
                let is_live = |name: &String| {
                    ObligationKind::of(name).is_some_and(|kind| LIVE.contains(&kind))
                };
                // An error of its conditions is left to the check.
                declared.map_or(true, |names| names.iter().any(is_live))
            }
        }
    }
}

/// Questions that a check can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Abilities(Vec<Ability>);

impl Abilities {
    /// All of them.
    pub(crate) fn all() -> Self {
        Self(Ability::ALL.to_vec())
    }

    /// Those of any of some instances; all, if there is no instance.
    pub(super) fn of(instances: impl Iterator<Item = Box<dyn Checkable>>) -> Self {
        let mut instances = instances.peekable();
        if instances.peek().is_none() {
            return Self::all();
        }
        let mut found = Vec::new();
        for instance in instances {
            for ability in Ability::ALL {
                if !found.contains(&ability) && ability.is_of(&*instance) {
                    found.push(ability);
                }
            }
            if found.len() == Ability::ALL.len() {
                break;
            }
        }
        Self(found)
    }

    pub(crate) fn has(&self, ability: Ability) -> bool {
        self.0.contains(&ability)
    }
}

/// Tests that an instance has what it is asked for.
///
/// # Errors
///
/// If it is asked of every number of members and is no crowd, or what happens in the end, and nothing is said of that.
pub(crate) fn validate(
    instance: &dyn Checkable,
    settings: &Settings<'_>,
) -> Result<(), InputError> {
    let of_every_number = matches!(settings.search, Search::AnyNumber { .. });
    if of_every_number && !Ability::EveryNumber.is_of(instance) {
        return Err(CheckError::NoCrowd.into());
    }
    // What is chosen by name is refused by its name.
    let is_asked =
        settings.liveness == Liveness::Included && settings.obligations == Selection::Default;
    if is_asked && !Ability::Liveness.is_of(instance) {
        return Err(InputError::NothingLive);
    }
    Ok(())
}
