//! Specifications of objects: adapters whose events are calls with answers.

use refmap::Action;
use serde::de::DeserializeOwned;

use crate::Observed;
use crate::specifications::{AnswerTo, Called};

/// Adapter of which an event is a call with its answer. Each such [`Observed`] is one.
pub trait Specified:
    Observed<Event = Called<<Self as Specified>::Call, <Self as Specified>::Answer>> + Send + 'static
{
    /// Call, with its arguments.
    type Call: Action<()> + DeserializeOwned;
    /// Answer to a call.
    type Answer: AnswerTo<Self::Call>;
}

impl<O, C, A> Specified for O
where
    O: Observed<Event = Called<C, A>> + Send + 'static,
    C: Action<()> + DeserializeOwned,
    A: AnswerTo<C>,
{
    type Call = C;
    type Answer = A;
}
