//! Members that are not in a state: those that a view leaves out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::question::{MemberChange, MemberQuestion};

/// Questions that are kept apart, at most: each has a bit in the class of a member.
pub(super) const MOST_KEPT: usize = 63;

/// Members that are not in a state, as far as they are known.
#[derive(Clone)]
pub(super) enum LeftOutMembers<M> {
    /// There are none: the state is that of an instance.
    Nobody,
    /// There may be any. An abstract step is one whatever they are, as far as pairs of members tell.
    Anybody,
    /// The same, and those of the state are not asked either.
    Everybody,
    /// There is one of each of these classes at least, and besides at most some of which no question that is kept is true.
    Of(Arc<Learnt<M>>, Classes<M>),
}

/// Classes of members that are left out.
#[derive(Clone)]
pub(crate) struct Classes<M> {
    pub all: Arc<[u64]>,
    /// A member of each.
    pub examples: Vec<M>,
}

/// Questions of which is kept whether they are true of some member that is left out. Which these are makes views finer or coarser, and never wrong.
pub(super) struct Learnt<M> {
    /// Those that are kept. The class of a member has a bit for each that is true of it.
    pub kept: Vec<Arc<dyn MemberQuestion<M>>>,
    /// True if others may be kept, too.
    is_open: bool,
    met: Mutex<Shortfall<M>>,
}

/// Findings of a search for which larger configurations are needed, or finer views.
#[derive(Clone)]
pub(super) struct Shortfall<M> {
    /// Questions that enabled a step since they may be true of a member that is left out,
    pub questions: Vec<Arc<dyn MemberQuestion<M>>>,
    /// and those that did since they may be true of none.
    pub denied: Vec<Arc<dyn MemberQuestion<M>>>,
    /// True if a step chooses another member.
    pub chooses: bool,
}

impl<M> Default for Shortfall<M> {
    fn default() -> Self {
        Self {
            questions: Vec::new(),
            denied: Vec::new(),
            chooses: false,
        }
    }
}

impl<M: 'static> Learnt<M> {
    /// Questions that are kept, and others may be.
    pub fn new(kept: Vec<Arc<dyn MemberQuestion<M>>>) -> Self {
        Self {
            kept,
            is_open: true,
            met: Mutex::default(),
        }
    }

    /// None are kept, and none will be.
    pub fn nothing() -> Self {
        Self {
            is_open: false,
            ..Self::new(Vec::new())
        }
    }

    pub fn met(&self) -> MutexGuard<'_, Shortfall<M>> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions that are true of a member, a bit for each.
    pub fn class(&self, member: &M) -> u64 {
        let kept = self.kept.iter().enumerate();
        kept.fold(0, |class, (place, question)| {
            class | u64::from(question.holds(member)) << place
        })
    }

    /// True of a question that may be kept, and is not.
    pub fn is_new(&self, question: &dyn MemberQuestion<M>) -> bool {
        let is_it = |other: &Arc<dyn MemberQuestion<M>>| other.is(question);
        self.is_open
            && question.is_of_member()
            && self.kept.len() < MOST_KEPT
            && !self.kept.iter().any(is_it)
    }
}

impl<M: 'static> LeftOutMembers<M> {
    /// Answer to a question about members that are left out, *yes* if it is true of one; none if that is not known.
    pub fn answer(&self, question: &dyn MemberQuestion<M>) -> Option<bool> {
        match self {
            Self::Nobody => Some(false),
            Self::Anybody | Self::Everybody => None,
            Self::Of(learnt, classes) => {
                let mut kept = learnt.kept.iter();
                let place = kept.position(|other| other.is(question))?;
                Some(classes.all.iter().any(|class| class >> place & 1 == 1))
            }
        }
    }
}

/// Members that were changed, each for itself, those that are left out among them.
pub(super) type MemberChanges<M> = Vec<Arc<dyn MemberChange<M>>>;
