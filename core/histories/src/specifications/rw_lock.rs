//! Lock that many readers, or one writer, hold at a time.

use im::OrdMap;
use refmap::{Action, State, StateOf, TransitionSystem};
use serde::{Deserialize, Serialize, Serializer};

use super::answer::{Answer, AnswerKind, Answered, NoValue};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};

/// Lock that many readers, or one writer, hold at a time.
///
/// A call names its owner, a thread mostly, and only the owner that holds the lock can release it. An owner may hold it for reading several
/// times. It prefers neither readers nor writers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RwLock {
    /// The number of owners in [`next`](TransitionSystem::next): 0, 1, … A history may have others.
    pub owners: u32,
}

/// Call of a lock, by an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[rule(
    process = "thread",
    source = "Courtois, Heymans & Parnas, *Concurrent control with readers and writers*, CACM 14(10), 1971"
)]
pub enum Call {
    /// Takes the lock for reading, unless it is held for writing; answers nothing.
    Read(u32),
    /// Takes the lock for reading, unless it is held for writing; answers whether it took it.
    TryRead(u32),
    /// Releases the lock, if the owner holds it for reading; answers nothing.
    UnlockRead(u32),
    /// Takes the lock for writing, if it is free; answers nothing.
    Write(u32),
    /// Takes the lock for writing, if it is free; answers whether it took it.
    TryWrite(u32),
    /// Releases the lock, if the owner holds it for writing; answers nothing.
    UnlockWrite(u32),
}

impl Call {
    /// Owner, if the call takes the lock for reading.
    fn reader(self) -> Option<u32> {
        match self {
            Self::Read(owner) | Self::TryRead(owner) => Some(owner),
            _ => None,
        }
    }
}

/// Owners of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// By readers, each so many times, which is not 0. Without readers it is free.
    ByReaders(#[serde(serialize_with = "as_list")] OrdMap<u32, u64>),
    /// By a writer.
    ByWriter(u32),
}

impl<S: ?Sized> State<S> for Held {}

impl Held {
    /// The lock, free.
    pub fn free() -> Self {
        Self::ByReaders(OrdMap::new())
    }

    fn is_free(&self) -> bool {
        matches!(self, Self::ByReaders(readers) if readers.is_empty())
    }

    fn read(&mut self, owner: u32) -> bool {
        match self {
            Self::ByReaders(readers) => {
                *readers.entry(owner).or_insert(0) += 1;
                true
            }
            Self::ByWriter(_) => false,
        }
    }

    fn unlock_read(&mut self, owner: u32) -> bool {
        let Self::ByReaders(readers) = self else {
            return false;
        };
        match readers.get(&owner).copied() {
            None => return false,
            Some(1) => readers.remove(&owner),
            Some(times) => readers.insert(owner, times - 1),
        };
        true
    }

    fn write(&mut self, owner: u32) -> bool {
        let is_free = self.is_free();
        if is_free {
            *self = Self::ByWriter(owner);
        }
        is_free
    }

    fn unlock_write(&mut self, owner: u32) -> bool {
        let is_held = *self == Self::ByWriter(owner);
        if is_held {
            *self = Self::free();
        }
        is_held
    }
}

fn as_list<S: Serializer>(readers: &OrdMap<u32, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    let readers = readers.iter();
    serializer.collect_seq(readers.flat_map(|(owner, times)| (0..*times).map(move |_| owner)))
}

impl Answered for Call {
    type Value = NoValue;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::TryRead(_) | Self::TryWrite(_) => AnswerKind::Is,
            Self::Read(_) | Self::UnlockRead(_) | Self::Write(_) | Self::UnlockWrite(_) => {
                AnswerKind::Nothing
            }
        }
    }
}

impl Deterministic for RwLock {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        for owner in 0..self.owners {
            visit(Call::Read(owner));
            visit(Call::TryRead(owner));
            visit(Call::UnlockRead(owner));
            visit(Call::Write(owner));
            visit(Call::TryWrite(owner));
            visit(Call::UnlockWrite(owner));
        }
    }

    fn execute(&self, state: &mut Held, call: &Self::Call) -> Option<Self::Answer> {
        let done = match *call {
            Call::TryRead(owner) => return Some(Answer::Is(state.read(owner))),
            Call::TryWrite(owner) => return Some(Answer::Is(state.write(owner))),
            Call::Read(owner) => state.read(owner),
            Call::UnlockRead(owner) => state.unlock_read(owner),
            Call::Write(owner) => state.write(owner),
            Call::UnlockWrite(owner) => state.unlock_write(owner),
        };
        done.then_some(Answer::Nothing)
    }
}

impl TransitionSystem for RwLock {
    type State = Held;
    type Action = Operation<Call, Answer<NoValue>>;
    type Observation = Held;

    fn initial(&self, visit: &mut impl FnMut(Held)) {
        visit(Held::free());
    }

    executed_steps!();
}

impl Sequential for RwLock {
    type Call = Call;
    type Answer = Answer<NoValue>;

    executed_answers!();

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        match (one, other) {
            (Call::UnlockRead(one), Call::UnlockRead(other)) => one != other,
            (Call::UnlockRead(owner), taken) | (taken, Call::UnlockRead(owner)) => {
                taken.reader().is_some_and(|reader| reader != *owner)
            }
            _ => one.reader().is_some() && other.reader().is_some(),
        }
    }

    fn obstacle(&self, from: &StateOf<Self>, call: &Self::Call) -> Option<String> {
        match (call, from) {
            (Call::TryRead(_) | Call::TryWrite(_), _) => None,
            (_, Held::ByWriter(owner)) => Some(format!("the lock is held by {owner} for writing")),
            (_, Held::ByReaders(readers)) if readers.is_empty() => {
                Some("the lock is free".to_owned())
            }
            (_, Held::ByReaders(readers)) => {
                let owners: Vec<_> = readers.keys().map(u32::to_string).collect();
                Some(format!(
                    "the lock is held by {} for reading",
                    owners.join(", ")
                ))
            }
        }
    }
}
