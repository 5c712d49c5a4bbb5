//! Actions of a member of a crowd, which are those of a system that has this one alone.

use std::fmt::{self, Debug};

use refmap::internal::json;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// An action of a system with one mutator, whose number says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unnumbered<A>(pub A);

impl<A: Debug> Debug for Unnumbered<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<A: Serialize + Debug> Serialize for Unnumbered<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = json(&self.0);
        let arguments = shown
            .as_object_mut()
            .and_then(|rule| rule.values_mut().next());
        if let Some(Value::Object(arguments)) = arguments {
            arguments.shift_remove("mutator");
        }
        shown.serialize(serializer)
    }
}
