//! Observation of a machine, and the action by which it changes.

use refmap::drawing::Row;
use refmap::{Process, Rule};
use serde::{Serialize, Serializer};

use crate::expression::Value;

/// Observation: of each thread, its output and how it ended.
pub type Observation = Vec<Shown>;

/// Observation of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State)]
pub struct Shown {
    /// Output values, in program order.
    pub output: Vec<Value>,
    /// End of the thread, if it has ended.
    pub end: End,
}

impl Shown {
    /// Drawing of it, with the number of the thread.
    pub fn row(&self, thread: usize) -> Row {
        let row = Row::of(format!("thread {thread}")).queue("output", &self.output);
        match self.end {
            End::None => row,
            end => row.value("", format!("{end:?}").to_lowercase()),
        }
    }
}

/// End of a thread.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The thread runs, or was cut off; an observer cannot distinguish the two.
    #[default]
    None,
    /// The thread performed all its instructions.
    Ended,
    /// An assertion failed.
    Failed,
    /// The thread stopped at a fault.
    Faulty,
}

/// Action: a thread adds output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Show {
    /// The thread.
    pub thread: u16,
    /// The values that it outputs, and how it ends if it does.
    pub more: Shown,
}

/// The one rule.
impl<S: ?Sized> refmap::Action<S> for Show {
    fn rules(_: &S) -> &[Rule] {
        const { &[Rule::new("show", "thread", "what the specification shows")] }
    }

    fn process(&self, _: &S) -> Process {
        Process::numbered("thread", self.thread)
    }
}

impl Serialize for Show {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values: Vec<_> = self.more.output.iter().map(Value::to_string).collect();
        let end = match self.more.end {
            End::None => "",
            End::Ended => " and ends",
            End::Failed => " and fails an assertion",
            End::Faulty => " and cannot go on",
        };
        let shown = if values.is_empty() {
            "nothing more".to_owned()
        } else {
            values.join(", ")
        };
        serializer.collect_str(&format_args!("show {shown}{end}"))
    }
}
