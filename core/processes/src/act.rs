//! Action of a composition of processes.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

use super::label::{CommandLabel, Label};
use refmap::state::{NameVisitor, Names};
use refmap::{Action, Process, Rule, RuleId};

/// Action of a composition: a local step of one process, or a rendezvous of a requesting and a responding one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Act<N = Label> {
    /// Process that took the command.
    pub process: Process,
    /// Label of the command.
    pub label: N,
    /// Process that answered, and its command.
    pub with: Option<(Process, N)>,
    /// Number of the result among those that there were to choose from, from 0.
    pub choice: u16,
    pub(super) rule: u16,
}

/// A system of processes has the rules of its [`Composition`](super::Composition), to which it refers.
impl<S: AsRef<[Rule]> + ?Sized, N: CommandLabel> Action<S> for Act<N> {
    fn rules(system: &S) -> &[Rule] {
        system.as_ref()
    }

    #[inline]
    fn rule(&self, _: &S) -> RuleId {
        RuleId(usize::from(self.rule))
    }

    #[inline]
    fn process(&self, _: &S) -> Process {
        self.process
    }

    /// Processes that have numbers are members of group 0.
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        let with = self
            .with
            .iter_mut()
            .map(|(process, label)| (process, label));
        for (process, label) in with.chain([(&mut self.process, &mut self.label)]) {
            process.number.each_name(0, visit);
            label.visit_names(visit);
        }
        for number in [&mut self.choice, &mut self.rule] {
            let mut chosen = usize::from(*number);
            visit.choice(&mut chosen);
            *number = chosen as u16;
        }
    }
}

impl<N: CommandLabel> Act<N> {
    fn write(self, f: &mut impl fmt::Write) -> fmt::Result {
        write!(f, "{}", self.label)?;
        if let Some((process, label)) = self.with {
            write!(f, ", {process}: {label}")?;
        }
        match self.choice {
            0 => Ok(()),
            choice => write!(f, " ({choice})"),
        }
    }
}

/// PERF: hashed at every step, and the rule stands for the texts of the process and of its command.
impl<N: CommandLabel> Hash for Act<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.with, self.process.number, self.rule, self.choice).hash(state);
    }
}

/// The process and what it did.
impl<N: CommandLabel> fmt::Display for Act<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.process)?;
        self.write(f)
    }
}

impl<N: CommandLabel> fmt::Debug for Act<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The commands without the process, which is told beside them: `acquire, server: answer`.
impl<N: CommandLabel> Serialize for Act<N> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut text = String::new();
        self.write(&mut text).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}
