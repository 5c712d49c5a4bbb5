//! Lock that many readers, or one writer, hold at a time.

use refmap::State;
use serde::{Serialize, Serializer};

use super::{Answer, NoValue, Sequential, collections::Multiset};
use crate::calls;

/// Lock that many readers, or one writer, hold at a time.
///
/// A call names its owner, a thread mostly, and only the owner that holds the lock can release it. An owner may hold it for reading several
/// times. It prefers neither readers nor writers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RwLock {
    /// The number of owners in its [calls](Sequential::calls): 0, 1, … A history may have others.
    pub owners: u32,
}

calls! {
    /// Call of a lock, by an owner.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Courtois, Heymans & Parnas, *Concurrent control with readers and writers*, CACM 14(10), 1971"
    )]
    pub enum Call -> NoValue {
        /// Takes the lock for reading, unless it is held for writing; answers nothing.
        Read(u32) -> Nothing,
        /// Takes the lock for reading, unless it is held for writing; answers whether it took it.
        TryRead(u32) -> Is,
        /// Releases the lock, if the owner holds it for reading; answers nothing.
        UnlockRead(u32) -> Nothing,
        /// Takes the lock for writing, if it is free; answers nothing.
        Write(u32) -> Nothing,
        /// Takes the lock for writing, if it is free; answers whether it took it.
        TryWrite(u32) -> Is,
        /// Releases the lock, if the owner holds it for writing; answers nothing.
        UnlockWrite(u32) -> Nothing,
    }
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
    /// By readers, each as often as it has taken it. Without readers it is free.
    ByReaders(#[serde(serialize_with = "as_list")] Multiset<u32>),
    /// By a writer.
    ByWriter(u32),
}

impl<S: ?Sized> State<S> for Held {}

impl Held {
    /// The lock, free.
    pub fn free() -> Self {
        Self::ByReaders(Multiset::from_iter([]))
    }
}

fn as_list<S: Serializer>(readers: &Multiset<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(readers.iter())
}

impl Sequential for RwLock {
    type State = Held;
    type Call = Call;
    type Answer = Answer<NoValue>;

    fn initial(&self) -> Held {
        Held::free()
    }

    fn execute(&self, call: &Call, state: &mut Held) -> Option<Self::Answer> {
        let done = match (*call, state) {
            (Call::Read(owner) | Call::TryRead(owner), Held::ByReaders(readers)) => {
                readers.add(owner);
                true
            }
            (Call::UnlockRead(owner), Held::ByReaders(readers)) => readers.remove(&owner),
            (Call::Write(owner) | Call::TryWrite(owner), held) if *held == Held::free() => {
                *held = Held::ByWriter(owner);
                true
            }
            (Call::UnlockWrite(owner), held) if *held == Held::ByWriter(owner) => {
                *held = Held::free();
                true
            }
            _ => false,
        };
        match call {
            Call::TryRead(_) | Call::TryWrite(_) => Some(Answer::Is(done)),
            _ => done.then_some(Answer::Nothing),
        }
    }

    fn calls(&self, visit: &mut impl FnMut(Call)) {
        for owner in 0..self.owners {
            visit(Call::Read(owner));
            visit(Call::TryRead(owner));
            visit(Call::UnlockRead(owner));
            visit(Call::Write(owner));
            visit(Call::TryWrite(owner));
            visit(Call::UnlockWrite(owner));
        }
    }

    fn commute(&self, one: &Call, other: &Call) -> bool {
        match (one, other) {
            (Call::UnlockRead(one), Call::UnlockRead(other)) => one != other,
            (Call::UnlockRead(owner), taken) | (taken, Call::UnlockRead(owner)) => {
                taken.reader().is_some_and(|reader| reader != *owner)
            }
            _ => one.reader().is_some() && other.reader().is_some(),
        }
    }

    fn obstacle(&self, from: &Held, call: &Call) -> Option<String> {
        match (call, from) {
            (Call::TryRead(_) | Call::TryWrite(_), _) => None,
            (_, Held::ByWriter(owner)) => Some(format!("the lock is held by {owner} for writing")),
            (_, free) if *free == Held::free() => Some("the lock is free".to_owned()),
            (_, Held::ByReaders(readers)) => {
                let owners: Vec<_> = readers.values.keys().map(u32::to_string).collect();
                let owners = owners.join(", ");
                Some(format!("the lock is held by {owners} for reading"))
            }
        }
    }
}
