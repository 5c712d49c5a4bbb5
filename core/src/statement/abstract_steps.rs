//! Abstract steps that a concrete step simulates: a stutter, one step, or several.
//!
//! Source: Havelund & Shankar, section 6.1.2.

/// The abstract steps that a concrete step simulates, by their actions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AbstractSteps<A> {
    /// No step: the mapped state stays as it is.
    Stutter,
    /// One step.
    One(A),
    /// Steps from first to last. The states between are those to which the specification's
    /// [`successor`](crate::successor) leads from one to the next.
    ///
    /// They are invisible: each shows what the source of the concrete step shows, or, from the one at which that changes on,
    /// what its target shows.
    Several(Vec<A>),
}

impl<A> AbstractSteps<A> {
    /// The actions from first to last; none of a stutter.
    #[inline(always)]
    pub fn actions(&self) -> &[A] {
        match self {
            Self::Stutter => &[],
            Self::One(action) => std::slice::from_ref(action),
            Self::Several(actions) => actions,
        }
    }

    /// The same steps, each action as `change` makes it.
    pub fn map<B>(self, mut change: impl FnMut(A) -> B) -> AbstractSteps<B> {
        match self {
            Self::Stutter => AbstractSteps::Stutter,
            Self::One(action) => AbstractSteps::One(change(action)),
            Self::Several(actions) => {
                AbstractSteps::Several(actions.into_iter().map(change).collect())
            }
        }
    }
}

/// One step, or a stutter where there is none.
impl<A> From<Option<A>> for AbstractSteps<A> {
    fn from(action: Option<A>) -> Self {
        action.map_or(Self::Stutter, Self::One)
    }
}
