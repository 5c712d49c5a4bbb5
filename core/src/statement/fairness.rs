//! Fairness conditions, which a system states beside its steps.
//!
//! Source: Lamport, *The Temporal Logic of Actions*, section 5.3.

use std::borrow::Cow;
use std::fmt::{self, Display};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};

/// Strength of a condition's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// The action is taken infinitely often, or infinitely often it is not enabled.
    Weak,
    /// The action is taken infinitely often, or from some time on it is never enabled.
    Strong,
}

impl Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
        })
    }
}

/// A fairness condition on a set of rules: their steps that change the state are its action.
///
/// The condition is one of each process, which is its kind and its number: with `Fairness::weak("serve", ["serve"])` no client
/// waits for ever whose own `serve` is enabled all the time, and on rules of two kinds client 0 and server 0 are two.
/// [`jointly`](Self::jointly) makes it one of all together, and [`of`](Self::of) one of a single process.
///
/// An action is a relation between states, as in TLA: it is taken by a step between two states that one of its steps joins, whichever action that step
/// was said to be. Where the steps of two processes do the same, as increments of one counter, a step of one is a step of the other: to promise each its
/// turn, the specification needs a variable that tells whose it was.
///
/// ```
/// use refmap::Fairness;
///
/// let conditions = [
///     Fairness::weak("the collector goes on", ["mark", "sweep"]),
///     Fairness::strong("no message is lost for ever", ["deliver"]),
/// ];
/// assert_eq!(conditions[0].rules().count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness {
    name: Cow<'static, str>,
    strength: Strength,
    rules: Vec<Cow<'static, str>>,
    jointly: bool,
    process: Option<u16>,
}

impl Fairness {
    /// Weak fairness: the action is taken infinitely often, or infinitely often it is not enabled.
    pub fn weak<R: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        rules: impl IntoIterator<Item = R>,
    ) -> Self {
        Self::new(name, Strength::Weak, rules)
    }

    /// Strong fairness: if the action is enabled infinitely often, it is taken infinitely often.
    pub fn strong<R: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        rules: impl IntoIterator<Item = R>,
    ) -> Self {
        Self::new(name, Strength::Strong, rules)
    }

    fn new<R: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        strength: Strength,
        rules: impl IntoIterator<Item = R>,
    ) -> Self {
        Self {
            name: name.into(),
            strength,
            rules: rules.into_iter().map(Into::into).collect(),
            jointly: false,
            process: None,
        }
    }

    /// The same of all processes together: a step of any of them is a step of its action.
    #[must_use]
    pub fn jointly(mut self) -> Self {
        self.jointly = true;
        self.process = None;
        self
    }

    /// The same of the process of this number alone: a step of another is no step of its action. On rules of several kinds it
    /// is one of each process of this number.
    #[must_use]
    pub fn of(mut self, process: u16) -> Self {
        self.jointly = false;
        self.process = Some(process);
        self
    }

    /// Its name, unique within a system.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Strength of its demand.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// The names of the rules.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| &**rule)
    }

    /// True if it is one condition of all processes.
    pub fn is_joint(&self) -> bool {
        self.jointly
    }

    /// The number of its process, if it is one of a single process.
    pub fn process(&self) -> Option<u16> {
        self.process
    }
}
