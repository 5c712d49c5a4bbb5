//! Members that are not in a state: those that a view leaves out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::configuration::Configuration;
use super::question::{MemberChange, MemberQuestion};

/// Questions that are kept apart, at most: each has a bit in the class of a member.
const MOST_KEPT: usize = 63;

/// Members that are not in a state, as far as they are known.
#[derive(Clone)]
pub(super) enum LeftOutMembers<M> {
    /// There are none: the state is that of an instance.
    Nobody,
    /// There may be any. An abstract step is one whatever they are, as far as pairs of members tell.
    Anybody,
    /// The same, and those of the state are not asked either.
    Everybody,
    /// There is one of each of some classes at least, and besides at most some of which no question that is kept is true.
    Of(Arc<LeftOutClasses<M>>),
}

/// Classes of members that are left out.
pub(super) struct LeftOutClasses<M> {
    pub all: Vec<u64>,
    /// A member of each.
    pub examples: Vec<M>,
    pub learnt: Arc<Learnt<M>>,
    /// Moment at which it is asked what the state does.
    pub at: PosedAt,
}

/// Moment of a search at which a configuration is posed, by which what is met first is the same for any number of threads: the level, the view, and which of those that are
/// posed there it is.
pub(crate) type PosedAt = (u32, Configuration, u32);

/// Questions of which is kept whether they are true of some member that is left out. Which these are makes views finer or coarser, and never wrong.
pub(super) struct Learnt<M> {
    /// Those that are kept. The class of a member has a bit for each that is true of it.
    pub kept: Vec<AnyQuestion<M>>,
    /// True if others may be kept, too.
    pub is_open: bool,
    met: Mutex<Shortfall<M>>,
}

/// Question about a member, of whatever type.
pub(super) type AnyQuestion<M> = Arc<dyn MemberQuestion<M>>;

/// Changes of all others in a step, one after the other.
pub(super) type MemberChanges<M> = Vec<Arc<dyn MemberChange<M>>>;

/// Findings, each with its first moment.
pub(super) type FirstMet<T> = Vec<(PosedAt, T)>;

/// Findings of a search for which larger configurations are needed, or finer views.
pub(super) struct Shortfall<M> {
    /// Questions that enabled a step since they may be true of a member that is left out,
    pub questions: FirstMet<AnyQuestion<M>>,
    /// and those that did since they may be true of none.
    pub denied: FirstMet<AnyQuestion<M>>,
    /// Changes of all others, those that are left out among them.
    pub changes: FirstMet<MemberChanges<M>>,
    /// True if a step chooses another member.
    pub chooses: bool,
}

/// Notes that something is met, and says at which place.
pub(super) fn meet<T: Clone>(
    met: &mut FirstMet<T>,
    at: &PosedAt,
    one: &T,
    is_same: impl Fn(&T) -> bool,
) -> usize {
    match met.iter().position(|(_, other)| is_same(other)) {
        Some(place) => {
            let first = &mut met[place].0;
            if at < first {
                first.clone_from(at);
            }
            place
        }
        None => {
            met.push((at.clone(), one.clone()));
            met.len() - 1
        }
    }
}

impl<M: 'static> Learnt<M> {
    /// Questions that are kept.
    pub fn new(kept: Vec<AnyQuestion<M>>, is_open: bool, chooses: bool) -> Self {
        Self {
            kept,
            is_open,
            met: Mutex::new(Shortfall {
                questions: Vec::new(),
                denied: Vec::new(),
                changes: Vec::new(),
                chooses,
            }),
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
    pub fn is_new(&self, question: &AnyQuestion<M>) -> bool {
        self.is_open
            && question.is_of_member()
            && self.room() > 0
            && !self.kept.iter().any(|other| other.is(&**question))
    }

    /// Number of questions that may be kept besides.
    pub fn room(&self) -> usize {
        MOST_KEPT - self.kept.len()
    }
}

impl<M: 'static> LeftOutMembers<M> {
    /// Answer to a question about members that are left out, *yes* if it is true of one; none if that is not known.
    pub fn answer(&self, question: &dyn MemberQuestion<M>) -> Option<bool> {
        match self {
            Self::Nobody => Some(false),
            Self::Anybody | Self::Everybody => None,
            Self::Of(left_out) => {
                let mut kept = left_out.learnt.kept.iter();
                let place = kept.position(|other| other.is(question))?;
                Some(left_out.all.iter().any(|class| class >> place & 1 == 1))
            }
        }
    }
}
