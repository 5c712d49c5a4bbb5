//! Two specifications of your own: a deque, and a map that tells its length.
//!
//! The one idea: what an object is to be is a state, calls, and what each call does and answers, written as if there were one thread. Threads,
//! histories and models are held against that. The deque is right. The map has two shards, each under a lock of its own, and counts one after
//! the other: while it counts, an entry may go from the one and come to the other, and so it tells a length that it never had.

use std::collections::{BTreeMap, VecDeque};
use std::sync::PoisonError;

use refmap::State;
use refmap_histories::object::{Effort, Shared, Tested, test};
use refmap_histories::specifications::{Answer, Operations, Sequential};
use refmap_histories::{History, Object, Settings, Validation, calls, validate};
use refmap_schedules::sync::{Mutex, MutexGuard};
use serde::Serialize;

// ANCHOR: deque
/// Deque: values come and go at both ends.
#[derive(Clone)]
struct Deque;

/// Values of a deque, from the front to the back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Values {
    values: VecDeque<u8>,
}

calls! {
    /// Call of a deque.
    #[rule(process = "thread", source = "std::collections::VecDeque")]
    enum AtEnd -> u8 {
        /// Adds a value in front; answers nothing.
        PushFront(u8) -> Nothing,
        /// Adds a value at the back; answers nothing.
        PushBack(u8) -> Nothing,
        /// Removes the value in front, and answers it; nothing if there is none.
        PopFront -> ValueOrNothing,
        /// Removes the value at the back, and answers it; nothing if there is none.
        PopBack -> ValueOrNothing,
    }
}

impl Sequential for Deque {
    type State = Values;
    type Call = AtEnd;
    type Answer = Answer<u8>;

    fn initial(&self) -> Values {
        let values = VecDeque::new();
        Values { values }
    }

    fn execute(&self, call: &AtEnd, Values { values }: &mut Values) -> Option<Answer<u8>> {
        Some(match call {
            AtEnd::PushFront(value) => {
                values.push_front(*value);
                Answer::Nothing
            }
            AtEnd::PushBack(value) => {
                values.push_back(*value);
                Answer::Nothing
            }
            AtEnd::PopFront => values.pop_front().into(),
            AtEnd::PopBack => values.pop_back().into(),
        })
    }
}
// ANCHOR_END: deque

// ANCHOR: history
/// Threads that use a deque: two push in front at the same time, and then one pops at the back.
const HISTORY: &str = r#"{"history":"refmap","version":1}
{"thread":0,"place":0,"begin":10,"end":40,"event":{"call":{"push_front":1}}}
{"thread":1,"place":0,"begin":20,"end":30,"event":{"call":{"push_front":2}}}
{"thread":1,"place":1,"begin":50,"end":60,"event":{"call":"pop_back","answer":2}}
{"history":"end","events":3}
"#;

fn validated() -> Validation {
    let history = History::open(HISTORY.as_bytes()).expect("it has a header");
    let deque = Operations(Deque);
    validate(&deque, history.events(), &Settings::default()).expect("it is in order")
}
// ANCHOR_END: history

// ANCHOR: map
/// Map that tells its length.
#[derive(Clone)]
struct Map;

/// Entries of a map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Entries {
    entries: BTreeMap<u8, u64>,
}

calls! {
    /// Call of a map.
    #[rule(process = "thread", source = "std::collections::BTreeMap")]
    enum Keyed -> u64 {
        /// Gives a key a value; answers the one before, or nothing if it had none.
        Insert { key: u8, value: u64 } -> ValueOrNothing,
        /// Takes the value of a key away, and answers it; nothing if it had none.
        Remove(u8) -> ValueOrNothing,
        /// Answers the number of keys that have a value.
        Len -> Value,
    }
}

impl Sequential for Map {
    type State = Entries;
    type Call = Keyed;
    type Answer = Answer<u64>;

    fn initial(&self) -> Entries {
        let entries = BTreeMap::new();
        Entries { entries }
    }

    fn execute(&self, call: &Keyed, Entries { entries }: &mut Entries) -> Option<Answer<u64>> {
        Some(match call {
            Keyed::Insert { key, value } => entries.insert(*key, *value).into(),
            Keyed::Remove(key) => entries.remove(key).into(),
            Keyed::Len => Answer::Value(entries.len() as u64),
        })
    }

    fn only_looks(&self, call: &Keyed) -> bool {
        *call == Keyed::Len
    }
}
// ANCHOR_END: map

// ANCHOR: sharded
/// Locks that are held while the entries are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    OneByOne,
    AllAtOnce,
}

/// A map of two shards: of even keys, and of odd ones.
struct Sharded {
    shards: [Mutex<BTreeMap<u8, u64>>; 2],
    counting: Counting,
}

impl Sharded {
    fn new(counting: Counting) -> Self {
        let shards = [0, 1].map(|_| Mutex::new(BTreeMap::new()));
        Self { shards, counting }
    }

    fn shard(&self, key: u8) -> MutexGuard<'_, BTreeMap<u8, u64>> {
        let shard = &self.shards[usize::from(key % 2)];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn len(&self) -> usize {
        if self.counting == Counting::OneByOne {
            let even = self.shard(0).len();
            return even + self.shard(1).len();
        }
        let (even, odd) = (self.shard(0), self.shard(1));
        even.len() + odd.len()
    }
}

fn sharded(counting: Counting) -> impl Object {
    let insert = |key| Keyed::Insert { key, value: 7 };
    let calls = [0, 1].map(|key| [insert(key), Keyed::Remove(key)]);
    let calls = calls.into_iter().flatten().chain([Keyed::Len]);
    let make = move || Sharded::new(counting);
    let object = Shared::new(Operations(Map), make, calls, |map, call| match *call {
        Keyed::Insert { key, value } => map.shard(key).insert(key, value).into(),
        Keyed::Remove(key) => map.shard(key).remove(&key).into(),
        Keyed::Len => Answer::Value(map.len() as u64),
    });
    object.with_schedules()
}
// ANCHOR_END: sharded

/// A test with the usual effort.
fn tested(counting: Counting) -> Tested {
    test(sharded(counting), &Effort::default())
}

pub fn main() {
    println!("{}", validated().report());
    println!("{}", tested(Counting::OneByOne));
    println!("{}", tested(Counting::AllAtOnce));
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;
    use refmap_histories::check;

    #[test]
    fn a_history_of_a_deque_is_decided() {
        assert_eq!(validated().verdict(), Verdict::Holds);
        let wrong = HISTORY.replace("\"answer\":2", "\"answer\":3");
        let history = History::open(wrong.as_bytes()).expect("it has a header");
        let validation = validate(&Operations(Deque), history.events(), &Settings::default());
        let verdict = validation.expect("it is in order").verdict();
        assert_eq!(verdict, Verdict::Violated);
    }

    // ANCHOR: test
    #[test]
    fn a_deque_under_a_lock_is_one() {
        use AtEnd::{PopBack, PopFront, PushBack, PushFront};
        let calls = [PopFront, PopBack, PushFront(1), PushBack(2)];
        let (deque, make) = (Operations(Deque), Mutex::<VecDeque<u8>>::default);
        check(Shared::new(deque, make, calls, |deque, call| {
            let mut values = deque.lock().unwrap_or_else(PoisonError::into_inner);
            match *call {
                PushFront(value) => {
                    values.push_front(value);
                    Answer::Nothing
                }
                PushBack(value) => {
                    values.push_back(value);
                    Answer::Nothing
                }
                PopFront => values.pop_front().into(),
                PopBack => values.pop_back().into(),
            }
        }));
    }
    // ANCHOR_END: test

    #[test]
    fn a_map_that_counts_its_shards_one_by_one_tells_a_wrong_length() {
        let wrong = tested(Counting::OneByOne);
        assert_eq!(wrong.verdict(), Verdict::Violated, "{wrong}");
        check(sharded(Counting::AllAtOnce));
    }
}
