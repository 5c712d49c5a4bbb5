//! Rules, of which a system is made, and the processes that take them.

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};

use serde::{Serialize, Serializer};

/// A numbered rule at a program location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The source's name for it.
    pub name: Cow<'static, str>,
    /// The kind of process that takes it (`mutator`, whatever its number).
    pub process: &'static str,
    /// Place at which the source states it: paper, figure, location, number.
    pub source: Cow<'static, str>,
}

impl Rule {
    /// A rule, the process it belongs to, and where it comes from.
    pub const fn new(name: &'static str, process: &'static str, source: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            process,
            source: Cow::Borrowed(source),
        }
    }
}

/// An index into [`Action::rules`](crate::Action::rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub usize);

/// Process that takes a step: its kind, and its number where there are several of the kind. Processes of two kinds are two,
/// whatever their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    /// The kind: `mutator`, `collector`, `memory`, …
    pub name: &'static str,
    /// Number among those of its kind, counted from 0; `None` for the only one.
    pub number: Option<u16>,
}

impl Process {
    /// The only process of its kind.
    pub const fn new(name: &'static str) -> Self {
        Self { name, number: None }
    }

    /// True if it is `other`.
    ///
    /// PERF: asked at every step. A kind is named in one place of a model, so that mostly two equal
    /// names are the same one, and no letters need to be compared.
    #[inline]
    pub(crate) fn is(self, other: Self) -> bool {
        self.number == other.number
            && self.name.len() == other.name.len()
            && (std::ptr::eq(self.name, other.name) || self.name == other.name)
    }

    /// One of several processes of a kind, counted from 0.
    pub const fn numbered(name: &'static str, number: u16) -> Self {
        Self {
            name,
            number: Some(number),
        }
    }

    /// The process of a kind that `action` names by a number, for what is derived: none if the number does not fit.
    ///
    /// # Panics
    ///
    /// If there is none. A check reports the panics of a model, with the action.
    #[doc(hidden)]
    #[inline]
    pub fn named_by(action: &impl Debug, name: &'static str, number: Option<u16>) -> Self {
        match number {
            Some(number) => Self::numbered(name, number),
            None => no_such_number(action, name),
        }
    }
}

/// PERF: apart, since it is never so.
#[cold]
fn no_such_number(action: &dyn Debug, name: &str) -> ! {
    panic!(
        "the number of the process of {action:?} does not fit: processes of a kind, here `{name}`, are numbered from 0 to {}",
        u16::MAX
    )
}

impl Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            None => f.write_str(self.name),
            Some(number) => write!(f, "{} {number}", self.name),
        }
    }
}

impl Serialize for Process {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
