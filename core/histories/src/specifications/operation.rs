//! Operation of an object: a call with its answer.

use std::fmt::Debug;
use std::hash::Hash;

use refmap::{Action, Process, Rule, RuleId};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::answer::AnswerTo;

/// Operation of an object: a call with its answer. It is an action, an instance of the rule of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Operation<C, A> {
    /// The call, with its arguments.
    pub call: C,
    /// The answer.
    pub answer: A,
}

impl<S, C, A> Action<S> for Operation<C, A>
where
    S: ?Sized,
    C: Action<()>,
    A: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static,
{
    fn rules(_: &S) -> &[Rule] {
        C::rules(&())
    }

    fn rule(&self, _: &S) -> RuleId {
        self.call.rule(&())
    }

    fn process(&self, _: &S) -> Process {
        self.call.process(&())
    }
}

/// Recorded operation, of which the answer may be unknown.
///
/// ```
/// use refmap_histories::specifications::{Answer, Called, queue::Call};
///
/// let json = |called: &Called<Call<u8>, Answer<u8>>| serde_json::to_string(called).unwrap();
/// let popped = |answer| Called { call: Call::Pop, answer };
/// assert_eq!(json(&popped(Some(Answer::Value(3)))), r#"{"call":"pop","answer":3}"#);
/// assert_eq!(json(&popped(Some(Answer::Nothing))), r#"{"call":"pop","answer":null}"#);
/// assert_eq!(json(&popped(None)), r#"{"call":"pop"}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Called<C, A> {
    /// The call, with its arguments.
    pub call: C,
    /// The answer; if it is unknown, the JSON has no such field. `null` is an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<A>,
}

impl<C, A> From<Operation<C, A>> for Called<C, A> {
    fn from(Operation { call, answer }: Operation<C, A>) -> Self {
        let answer = Some(answer);
        Self { call, answer }
    }
}

/// Recorded operation before it is known of which type the answer to its call is.
#[derive(Deserialize)]
#[serde(rename = "Called", deny_unknown_fields)]
struct Unread<C> {
    call: C,
    #[serde(default, deserialize_with = "present")]
    answer: Option<serde_json::Value>,
}

fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(Some)
}

impl<'de, C: Deserialize<'de>, A: AnswerTo<C>> Deserialize<'de> for Called<C, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Unread { call, answer } = Unread::<C>::deserialize(deserializer)?;
        let answer = answer.map(|json| A::read(&call, json)).transpose();
        let answer = answer.map_err(D::Error::custom)?;
        Ok(Self { call, answer })
    }
}
