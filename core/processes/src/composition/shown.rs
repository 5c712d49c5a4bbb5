//! State of a composition as reports show it: a process is at the label of what it does next, and not at a number.

use std::fmt::Debug;

use refmap::internal::json;
use serde::Serialize;
use serde_json::Value;

use super::Composition;
use crate::configuration::Configuration;
use crate::flow::Location;
use crate::label::CommandLabel;

impl<S, Q, A, N> Composition<S, Q, A, N>
where
    S: Configuration + 'static,
    Q: 'static,
    A: 'static,
    N: CommandLabel,
{
    /// The name of a location of a process: the labels of the steps that it can take there.
    pub fn location_name(&self, process: usize, Location(at): Location) -> &str {
        &self.names[process][usize::from(at)]
    }

    /// `state` for [`show`](refmap::TransitionSystem::show): its fields, with the [names](Self::location_name) of the locations
    /// at which its processes are.
    ///
    /// The part of a state that keeps a location is found by moving the process.
    pub fn show(&self, state: &S) -> Value
    where
        S: Serialize + Debug,
    {
        let numbered = json(state);
        let mut shown = numbered.clone();
        for (process, names) in self.names.iter().enumerate() {
            let at = state.location(process);
            let elsewhere = Location(u16::from(at.0 == 0));
            let mut other = state.clone();
            other.go_to(process, elsewhere);
            let moved = Moved {
                from: at,
                to: elsewhere,
                name: &names[usize::from(at.0)],
            };
            moved.rename(&numbered, &json(&other), &mut shown);
        }
        shown
    }
}

/// Move of a process from a location to another one.
struct Moved<'n> {
    from: Location,
    to: Location,
    /// The name of the former.
    name: &'n str,
}

impl Moved<'_> {
    /// Replaces in `shown` the number that is the one location `before` the move and the other one `after` it.
    fn rename(&self, before: &Value, after: &Value, shown: &mut Value) {
        match (before, after, shown) {
            (Value::Object(before), Value::Object(after), Value::Object(shown)) => {
                for (field, shown) in shown {
                    if let (Some(before), Some(after)) = (before.get(field), after.get(field)) {
                        self.rename(before, after, shown);
                    }
                }
            }
            (Value::Array(before), Value::Array(after), Value::Array(shown)) => {
                for ((before, after), shown) in before.iter().zip(after).zip(shown) {
                    self.rename(before, after, shown);
                }
            }
            (before, after, shown) => {
                let [from, to] = [self.from.0, self.to.0].map(Value::from);
                if *before == from && *after == to {
                    *shown = Value::from(self.name);
                }
            }
        }
    }
}
