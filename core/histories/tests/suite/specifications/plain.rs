//! Plain objects of the standard collections, written apart from the specifications.

use std::collections::{BTreeMap, BTreeSet, BTreeSet as All, VecDeque};
use std::fmt::Debug;

use refmap::State;
use refmap::random::Generator;
use refmap_histories::specifications::{
    Answer, Approximate, Bounded, Counter, Map, MayRefuse, Mutex, NoValue, Operations,
    PriorityQueue, Queue, Register, Relaxed, RwLock, Semaphore, Sequential, Set, Store, bounded,
    counter, map, mutex, priority_queue, queue, register, rw_lock, semaphore, set, store,
};

/// Call and answer of a plain object.
pub type CallOf<P> = <<P as Plain>::Object as Sequential>::Call;
pub type AnswerOf<P> = <<P as Plain>::Object as Sequential>::Answer;

/// Plain object, for a specification.
pub trait Plain: Clone + Debug {
    type Object: Sequential;

    /// The specification with so many values, keys or owners, and the plain object, as they begin.
    fn pair(domain: u32) -> (Self::Object, Self);
    /// All calls of a domain.
    fn calls(domain: u32) -> Vec<CallOf<Self>>;
    /// Answers, among them all that calls have in few steps.
    fn some_answers(domain: u32) -> Vec<AnswerOf<Self>>;
    /// Executes a call, if it is possible.
    fn execute(&mut self, call: &CallOf<Self>) -> Option<AnswerOf<Self>>;
    /// All that a call may do: the object after it, and its answer.
    fn outcomes(&self, call: &CallOf<Self>) -> Vec<(Self, AnswerOf<Self>)> {
        let mut after = self.clone();
        let answer = after.execute(call);
        answer.map(|answer| (after, answer)).into_iter().collect()
    }
    /// Call of an owner, which it can mostly make.
    fn call(&self, _owner: u32, domain: u32, random: &mut Generator) -> CallOf<Self> {
        let calls = Self::calls(domain);
        calls[random.below(calls.len())].clone()
    }
}

fn answers<V>(values: impl IntoIterator<Item = V>) -> Vec<Answer<V>> {
    let simple = [Answer::Nothing, Answer::Is(false), Answer::Is(true)];
    simple
        .into_iter()
        .chain(values.into_iter().map(Answer::Value))
        .collect()
}

#[derive(Clone, Debug)]
pub struct PlainRegister(u32);

impl Plain for PlainRegister {
    type Object = Register<u32>;

    fn pair(domain: u32) -> (Register<u32>, Self) {
        let values = (0..domain).collect();
        (Register { initial: 1, values }, Self(1))
    }

    fn calls(domain: u32) -> Vec<register::Call<u32>> {
        let writes = (0..domain).map(register::Call::Write);
        let pairs = (0..domain).flat_map(|from| (0..domain).map(move |to| (from, to)));
        let swaps = pairs.map(|(from, to)| register::Call::CompareAndSwap { from, to });
        let reads = [register::Call::Read].into_iter();
        reads.chain(writes).chain(swaps).collect()
    }

    fn some_answers(domain: u32) -> Vec<Answer<u32>> {
        answers(0..domain)
    }

    fn execute(&mut self, call: &register::Call<u32>) -> Option<Answer<u32>> {
        Some(match *call {
            register::Call::Read => Answer::Value(self.0),
            register::Call::Write(value) => {
                self.0 = value;
                Answer::Nothing
            }
            register::Call::CompareAndSwap { from, to } if from == self.0 => {
                self.0 = to;
                Answer::Is(true)
            }
            register::Call::CompareAndSwap { .. } => Answer::Is(false),
        })
    }

    fn call(&self, _: u32, domain: u32, random: &mut Generator) -> register::Call<u32> {
        let to = random.below(domain as usize) as u32;
        match random.below(4) {
            0 => register::Call::Read,
            1 => register::Call::Write(to),
            // Mostly one that succeeds.
            _ => register::Call::CompareAndSwap { from: self.0, to },
        }
    }
}

#[derive(Clone, Debug)]
pub struct PlainCounter(i128);

impl Plain for PlainCounter {
    type Object = Counter;

    fn pair(domain: u32) -> (Counter, Self) {
        let initial = i64::MAX - 3;
        let values = (0..i64::from(domain)).map(|value| value - 1).collect();
        (Counter { initial, values }, Self(initial.into()))
    }

    fn calls(domain: u32) -> Vec<counter::Call> {
        let values = || (0..i64::from(domain)).map(|value| value - 1);
        let adds = values().map(counter::Call::Add);
        let fetches = values().map(counter::Call::FetchAdd);
        adds.chain(fetches).chain([counter::Call::Read]).collect()
    }

    fn some_answers(_: u32) -> Vec<Answer<i64>> {
        let near = (-6..=6).map(|more| i64::MAX.wrapping_add(more));
        answers((-6..=6).chain(near))
    }

    fn execute(&mut self, call: &counter::Call) -> Option<Answer<i64>> {
        let around = |number: i128| {
            let number = (number - i128::from(i64::MIN)).rem_euclid(1 << 64);
            i64::try_from(number + i128::from(i64::MIN)).expect("it is in range")
        };
        let before = around(self.0);
        match call {
            counter::Call::Read => Some(Answer::Value(before)),
            counter::Call::Add(more) => {
                self.0 += i128::from(*more);
                Some(Answer::Nothing)
            }
            counter::Call::FetchAdd(more) => {
                self.0 += i128::from(*more);
                Some(Answer::Value(before))
            }
        }
    }
}

/// Pushes of all values, and a pop.
fn pushes_and_pop<C>(domain: u32, push: fn(u32) -> C, pop: C) -> Vec<C> {
    (0..domain).map(push).chain([pop]).collect()
}

/// As many pushes as pops.
fn push_or_pop<C>(domain: u32, random: &mut Generator, push: fn(u32) -> C, pop: C) -> C {
    match random.below(2) {
        0 => push(random.below(domain as usize) as u32),
        _ => pop,
    }
}

/// Queue of which the first value is popped, or a stack, of which it is the last.
#[derive(Clone, Debug)]
pub struct PlainQueue<const LIFO: bool>(VecDeque<u32>);

pub type PlainFifo = PlainQueue<false>;
pub type PlainLifo = PlainQueue<true>;

impl<const LIFO: bool> Plain for PlainQueue<LIFO> {
    type Object = Queue<u32>;

    fn pair(domain: u32) -> (Queue<u32>, Self) {
        let object = Queue {
            order: if LIFO {
                queue::Order::Lifo
            } else {
                queue::Order::Fifo
            },
            initial: vec![1, 0],
            values: (0..domain).collect(),
        };
        (object, Self([1, 0].into()))
    }

    fn calls(domain: u32) -> Vec<queue::Call<u32>> {
        pushes_and_pop(domain, queue::Call::Push, queue::Call::Pop)
    }

    fn some_answers(domain: u32) -> Vec<Answer<u32>> {
        answers(0..domain)
    }

    fn execute(&mut self, call: &queue::Call<u32>) -> Option<Answer<u32>> {
        match call {
            queue::Call::Push(value) => {
                self.0.push_back(*value);
                Some(Answer::Nothing)
            }
            queue::Call::Pop if LIFO => Some(self.0.pop_back().into()),
            queue::Call::Pop => Some(self.0.pop_front().into()),
        }
    }

    fn call(&self, _: u32, domain: u32, random: &mut Generator) -> queue::Call<u32> {
        push_or_pop(domain, random, queue::Call::Push, queue::Call::Pop)
    }
}

#[derive(Clone, Debug)]
pub struct PlainBounded(Vec<u32>);

/// Capacity of a bounded queue.
const ROOM: usize = 3;

impl Plain for PlainBounded {
    type Object = Bounded<u32>;

    fn pair(domain: u32) -> (Bounded<u32>, Self) {
        let object = Bounded {
            capacity: ROOM,
            initial: vec![1],
            values: (0..domain).collect(),
        };
        (object, Self(vec![1]))
    }

    fn calls(domain: u32) -> Vec<bounded::Call<u32>> {
        pushes_and_pop(domain, bounded::Call::Push, bounded::Call::Pop)
    }

    fn some_answers(domain: u32) -> Vec<Answer<u32>> {
        answers(0..domain)
    }

    fn execute(&mut self, call: &bounded::Call<u32>) -> Option<Answer<u32>> {
        Some(match call {
            bounded::Call::Push(_) if self.0.len() == ROOM => Answer::Is(false),
            bounded::Call::Push(value) => {
                self.0.push(*value);
                Answer::Is(true)
            }
            bounded::Call::Pop if self.0.is_empty() => Answer::Nothing,
            bounded::Call::Pop => Answer::Value(self.0.remove(0)),
        })
    }

    fn call(&self, _: u32, domain: u32, random: &mut Generator) -> bounded::Call<u32> {
        push_or_pop(domain, random, bounded::Call::Push, bounded::Call::Pop)
    }
}

#[derive(Clone, Debug)]
pub struct PlainPriorityQueue(Vec<u32>);

impl Plain for PlainPriorityQueue {
    type Object = PriorityQueue<u32>;

    fn pair(domain: u32) -> (PriorityQueue<u32>, Self) {
        let (initial, values) = (vec![1, 0], (0..domain).collect());
        (PriorityQueue { initial, values }, Self(vec![1, 0]))
    }

    fn calls(domain: u32) -> Vec<priority_queue::Call<u32>> {
        pushes_and_pop(
            domain,
            priority_queue::Call::Push,
            priority_queue::Call::Pop,
        )
    }

    fn some_answers(domain: u32) -> Vec<Answer<u32>> {
        answers(0..domain)
    }

    fn execute(&mut self, call: &priority_queue::Call<u32>) -> Option<Answer<u32>> {
        match call {
            priority_queue::Call::Push(value) => {
                self.0.push(*value);
                Some(Answer::Nothing)
            }
            priority_queue::Call::Pop => {
                let least = (0..self.0.len()).min_by_key(|at| self.0[*at]);
                Some(least.map(|at| self.0.swap_remove(at)).into())
            }
        }
    }

    fn call(&self, _: u32, domain: u32, random: &mut Generator) -> priority_queue::Call<u32> {
        push_or_pop(
            domain,
            random,
            priority_queue::Call::Push,
            priority_queue::Call::Pop,
        )
    }
}

#[derive(Clone, Debug)]
pub struct PlainSet(BTreeSet<u32>);

impl Plain for PlainSet {
    type Object = Set<u32>;

    fn pair(domain: u32) -> (Set<u32>, Self) {
        let (initial, values) = ([1].into(), (0..domain).collect());
        (Set { initial, values }, Self([1].into()))
    }

    fn calls(domain: u32) -> Vec<set::Call<u32>> {
        let of = |value| {
            [
                set::Call::Add(value),
                set::Call::Remove(value),
                set::Call::Contains(value),
            ]
        };
        (0..domain).flat_map(of).chain([set::Call::All]).collect()
    }

    fn some_answers(domain: u32) -> Vec<Answer<All<u32>>> {
        let few = domain.min(3);
        let subset = |bits: u32| (0..few).filter(|value| bits >> value & 1 == 1).collect();
        answers((0..1 << few).map(subset))
    }

    fn execute(&mut self, call: &set::Call<u32>) -> Option<Answer<All<u32>>> {
        Some(match call {
            set::Call::Add(value) => Answer::Is(self.0.insert(*value)),
            set::Call::Remove(value) => Answer::Is(self.0.remove(value)),
            set::Call::Contains(value) => Answer::Is(self.0.contains(value)),
            set::Call::All => Answer::Value(self.0.clone()),
        })
    }
}

#[derive(Clone, Debug)]
pub struct PlainMap(BTreeMap<u32, u32>);

impl Plain for PlainMap {
    type Object = Map<u32, u32>;

    fn pair(domain: u32) -> (Map<u32, u32>, Self) {
        let initial: BTreeMap<_, _> = [(1, 0)].into();
        let object = Map {
            initial: initial.clone(),
            keys: (0..domain).collect(),
            values: (0..domain).collect(),
        };
        (object, Self(initial))
    }

    fn calls(domain: u32) -> Vec<map::Call<u32, u32>> {
        let mut calls = Vec::new();
        for key in 0..domain {
            calls.extend([map::Call::Get(key), map::Call::Remove(key)]);
            for value in 0..domain {
                let put = map::Call::Put { key, value };
                calls.extend([put, map::Call::Swap { key, value }]);
            }
            for from in [None].into_iter().chain((0..domain).map(Some)) {
                for to in [None].into_iter().chain((0..domain).map(Some)) {
                    calls.push(map::Call::CompareAndSwap { key, from, to });
                }
            }
        }
        calls
    }

    fn some_answers(domain: u32) -> Vec<Answer<u32>> {
        answers(0..domain)
    }

    fn execute(&mut self, call: &map::Call<u32, u32>) -> Option<Answer<u32>> {
        Some(match *call {
            map::Call::Get(key) => self.0.get(&key).copied().into(),
            map::Call::Put { key, value } => {
                self.0.insert(key, value);
                Answer::Nothing
            }
            map::Call::Swap { key, value } => self.0.insert(key, value).into(),
            map::Call::Remove(key) => self.0.remove(&key).into(),
            map::Call::CompareAndSwap { key, from, to } => {
                let found = self.0.remove(&key);
                if let Some(left) = if found == from { to } else { found } {
                    self.0.insert(key, left);
                }
                Answer::Is(found == from)
            }
        })
    }

    fn call(&self, _: u32, domain: u32, random: &mut Generator) -> map::Call<u32, u32> {
        let mut any = || random.below(domain as usize) as u32;
        let (key, value) = (any(), any());
        match random.below(7) {
            0 => map::Call::Get(key),
            1 => map::Call::Put { key, value },
            2 => map::Call::Swap { key, value },
            3 => map::Call::Remove(key),
            4 => map::Call::CompareAndSwap {
                key,
                from: Some(value),
                to: None,
            },
            _ => map::Call::CompareAndSwap {
                key,
                from: self.0.get(&key).copied(),
                to: Some(value),
            },
        }
    }
}

#[derive(Clone, Debug)]
pub struct PlainStore(Vec<(String, String)>);

/// Key and text of a number; the text of 0 is empty.
fn named(key: u32, text: u32) -> (String, String) {
    let text = if text == 0 {
        String::new()
    } else {
        format!("{text}.")
    };
    (format!("k{key}"), text)
}

impl PlainStore {
    /// Takes the text of a key out.
    fn take(&mut self, key: &str) -> String {
        match self.0.iter().position(|(known, _)| known == key) {
            Some(at) => self.0.swap_remove(at).1,
            None => String::new(),
        }
    }
}

impl Plain for PlainStore {
    type Object = Store;

    fn pair(domain: u32) -> (Store, Self) {
        let object = Store {
            keys: (0..domain).map(|key| named(key, 0).0).collect(),
            texts: (0..domain).map(|text| named(0, text).1).collect(),
        };
        (object, Self(Vec::new()))
    }

    fn calls(domain: u32) -> Vec<store::Call> {
        let mut calls = Vec::new();
        for at in 0..domain {
            calls.push(store::Call::Get(named(at, 0).0));
            for text in 0..domain {
                let (key, text) = named(at, text);
                calls.push(store::Call::Put {
                    key: key.clone(),
                    text: text.clone(),
                });
                calls.push(store::Call::Append { key, text });
            }
        }
        calls
    }

    fn some_answers(domain: u32) -> Vec<Answer<String>> {
        let texts = (0..domain).map(|text| named(0, text).1);
        let twice = texts
            .clone()
            .flat_map(|one| texts.clone().map(move |other| one.clone() + &other));
        answers(twice)
    }

    fn execute(&mut self, call: &store::Call) -> Option<Answer<String>> {
        let (key, text) = match call {
            store::Call::Get(key) => {
                let text = self.take(key);
                self.0.push((key.clone(), text.clone()));
                return Some(Answer::Value(text));
            }
            store::Call::Put { key, text } => {
                self.take(key);
                (key, text.clone())
            }
            store::Call::Append { key, text } => (key, self.take(key) + text),
        };
        self.0.push((key.clone(), text));
        Some(Answer::Nothing)
    }

    fn call(&self, _: u32, domain: u32, random: &mut Generator) -> store::Call {
        let mut any = || random.below(domain as usize) as u32;
        let (key, text) = named(any(), any());
        match random.below(3) {
            0 => store::Call::Get(key),
            1 => store::Call::Put { key, text },
            _ => store::Call::Append { key, text },
        }
    }
}

#[derive(Clone, Debug)]
pub struct PlainMutex(Vec<u32>);

impl Plain for PlainMutex {
    type Object = Mutex;

    fn pair(domain: u32) -> (Mutex, Self) {
        (Mutex { owners: domain }, Self(Vec::new()))
    }

    fn calls(domain: u32) -> Vec<mutex::Call> {
        let of = |owner| {
            [
                mutex::Call::Lock(owner),
                mutex::Call::TryLock(owner),
                mutex::Call::Unlock(owner),
            ]
        };
        (0..domain).flat_map(of).collect()
    }

    fn some_answers(_: u32) -> Vec<Answer<NoValue>> {
        answers([])
    }

    fn execute(&mut self, call: &mutex::Call) -> Option<Answer<NoValue>> {
        let (is_free, answer) = match call {
            mutex::Call::Unlock(owner) => {
                let at = self.0.iter().position(|held| held == owner)?;
                self.0.remove(at);
                return Some(Answer::Nothing);
            }
            mutex::Call::Lock(_) => (self.0.is_empty(), Answer::Nothing),
            mutex::Call::TryLock(_) => (self.0.is_empty(), Answer::Is(self.0.is_empty())),
        };
        match call {
            mutex::Call::Lock(owner) | mutex::Call::TryLock(owner) if is_free => {
                self.0.push(*owner);
            }
            mutex::Call::Lock(_) => return None,
            _ => {}
        }
        Some(answer)
    }

    fn call(&self, owner: u32, _: u32, random: &mut Generator) -> mutex::Call {
        match (self.0.contains(&owner), random.below(10)) {
            (true, 1..) | (false, 0) => mutex::Call::Unlock(owner),
            (_, 0..5) => mutex::Call::TryLock(owner),
            (false, _) => mutex::Call::Lock(owner),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct PlainRwLock {
    readers: Vec<u32>,
    writers: Vec<u32>,
}

impl Plain for PlainRwLock {
    type Object = RwLock;

    fn pair(domain: u32) -> (RwLock, Self) {
        (RwLock { owners: domain }, Self::default())
    }

    fn calls(domain: u32) -> Vec<rw_lock::Call> {
        let of = |owner| {
            [
                rw_lock::Call::Read(owner),
                rw_lock::Call::TryRead(owner),
                rw_lock::Call::UnlockRead(owner),
                rw_lock::Call::Write(owner),
                rw_lock::Call::TryWrite(owner),
                rw_lock::Call::UnlockWrite(owner),
            ]
        };
        (0..domain).flat_map(of).collect()
    }

    fn some_answers(_: u32) -> Vec<Answer<NoValue>> {
        answers([])
    }

    fn execute(&mut self, call: &rw_lock::Call) -> Option<Answer<NoValue>> {
        let can_read = self.writers.is_empty();
        let can_write = can_read && self.readers.is_empty();
        match *call {
            rw_lock::Call::Read(_) if !can_read => None,
            rw_lock::Call::Write(_) if !can_write => None,
            rw_lock::Call::TryRead(_) if !can_read => Some(Answer::Is(false)),
            rw_lock::Call::TryWrite(_) if !can_write => Some(Answer::Is(false)),
            rw_lock::Call::Read(owner) => {
                self.readers.push(owner);
                Some(Answer::Nothing)
            }
            rw_lock::Call::TryRead(owner) => {
                self.readers.push(owner);
                Some(Answer::Is(true))
            }
            rw_lock::Call::Write(owner) => {
                self.writers.push(owner);
                Some(Answer::Nothing)
            }
            rw_lock::Call::TryWrite(owner) => {
                self.writers.push(owner);
                Some(Answer::Is(true))
            }
            rw_lock::Call::UnlockRead(owner) => {
                let at = self.readers.iter().position(|held| *held == owner)?;
                self.readers.remove(at);
                Some(Answer::Nothing)
            }
            rw_lock::Call::UnlockWrite(owner) => {
                let at = self.writers.iter().position(|held| *held == owner)?;
                self.writers.remove(at);
                Some(Answer::Nothing)
            }
        }
    }

    fn call(&self, owner: u32, domain: u32, random: &mut Generator) -> rw_lock::Call {
        let few = random.below(12);
        if few == 0 {
            let calls = Self::calls(domain);
            return calls[random.below(calls.len())];
        }
        if self.writers.contains(&owner) {
            return rw_lock::Call::UnlockWrite(owner);
        }
        if self.readers.contains(&owner) && few > 3 {
            return rw_lock::Call::UnlockRead(owner);
        }
        match few {
            1..4 => rw_lock::Call::Read(owner),
            4..6 => rw_lock::Call::TryRead(owner),
            6..8 => rw_lock::Call::TryWrite(owner),
            _ => rw_lock::Call::Write(owner),
        }
    }
}

#[derive(Clone, Debug)]
pub struct PlainSemaphore {
    acquired: Vec<()>,
    permits: usize,
}

impl Plain for PlainSemaphore {
    type Object = Semaphore;

    fn pair(domain: u32) -> (Semaphore, Self) {
        let plain = Self {
            acquired: Vec::new(),
            permits: domain as usize,
        };
        let permits = domain.into();
        (Semaphore { permits }, plain)
    }

    fn calls(_: u32) -> Vec<semaphore::Call> {
        vec![
            semaphore::Call::Acquire,
            semaphore::Call::TryAcquire,
            semaphore::Call::Release,
        ]
    }

    fn some_answers(_: u32) -> Vec<Answer<NoValue>> {
        answers([])
    }

    fn execute(&mut self, call: &semaphore::Call) -> Option<Answer<NoValue>> {
        let is_empty = self.acquired.len() == self.permits;
        match call {
            semaphore::Call::Acquire if is_empty => None,
            semaphore::Call::Acquire => {
                self.acquired.push(());
                Some(Answer::Nothing)
            }
            semaphore::Call::TryAcquire => {
                if !is_empty {
                    self.acquired.push(());
                }
                Some(Answer::Is(!is_empty))
            }
            semaphore::Call::Release => self.acquired.pop().map(|()| Answer::Nothing),
        }
    }
}

/// Object of which calls may be refused.
pub trait Refusable: Plain {
    /// Answer of a call that is refused, if it may be.
    fn refusal(call: &CallOf<Self>) -> Option<AnswerOf<Self>>;
}

/// A compare-and-swap may fail spuriously.
impl Refusable for PlainRegister {
    fn refusal(call: &register::Call<u32>) -> Option<Answer<u32>> {
        match call {
            register::Call::CompareAndSwap { .. } => Some(Answer::Is(false)),
            _ => None,
        }
    }
}

/// A pop may find nothing though there is something.
impl<const LIFO: bool> Refusable for PlainQueue<LIFO> {
    fn refusal(call: &queue::Call<u32>) -> Option<Answer<u32>> {
        match call {
            queue::Call::Pop => Some(Answer::Nothing),
            queue::Call::Push(_) => None,
        }
    }
}

/// The same object, which may refuse calls.
#[derive(Clone, Debug)]
pub struct PlainWeak<P>(P);

pub type PlainWeakRegister = PlainWeak<PlainRegister>;
pub type PlainWeakQueue = PlainWeak<PlainFifo>;

impl<P: Refusable> Plain for PlainWeak<P>
where
    <P::Object as Sequential>::State: State<Operations<MayRefuse<P::Object>>>,
{
    type Object = MayRefuse<P::Object>;

    fn pair(domain: u32) -> (Self::Object, Self) {
        let (object, plain) = P::pair(domain);
        let refusal = P::refusal;
        (MayRefuse { object, refusal }, Self(plain))
    }

    fn calls(domain: u32) -> Vec<CallOf<P>> {
        P::calls(domain)
    }

    fn some_answers(domain: u32) -> Vec<AnswerOf<P>> {
        P::some_answers(domain)
    }

    fn execute(&mut self, call: &CallOf<P>) -> Option<AnswerOf<P>> {
        self.0.execute(call)
    }

    fn outcomes(&self, call: &CallOf<P>) -> Vec<(Self, AnswerOf<P>)> {
        let mut after = self.clone();
        let answer = after.execute(call).expect("it is possible");
        let refusal = P::refusal(call).filter(|refusal| *refusal != answer);
        let refused = refusal.map(|refusal| (self.clone(), refusal));
        [(after, answer)].into_iter().chain(refused).collect()
    }

    fn call(&self, owner: u32, domain: u32, random: &mut Generator) -> CallOf<P> {
        self.0.call(owner, domain, random)
    }
}

/// Counter of which a read may be wrong by one.
#[derive(Clone, Debug)]
pub struct PlainSum(PlainCounter);

impl Plain for PlainSum {
    type Object = Approximate<Counter>;

    fn pair(domain: u32) -> (Approximate<Counter>, Self) {
        let (object, plain) = PlainCounter::pair(domain);
        let near = |_: &counter::Call, answer: &Answer<i64>| match *answer {
            Answer::Value(exact) => [-1, 0, 1]
                .map(|by| Answer::Value(exact.wrapping_add(by)))
                .to_vec(),
            _ => Vec::new(),
        };
        (Approximate { object, near }, Self(plain))
    }

    fn calls(domain: u32) -> Vec<counter::Call> {
        PlainCounter::calls(domain)
    }

    fn some_answers(domain: u32) -> Vec<Answer<i64>> {
        PlainCounter::some_answers(domain)
    }

    fn execute(&mut self, call: &counter::Call) -> Option<Answer<i64>> {
        self.0.execute(call)
    }

    fn outcomes(&self, call: &counter::Call) -> Vec<(Self, Answer<i64>)> {
        let mut after = self.clone();
        let answer = after.execute(call).expect("it is possible");
        let mut outcomes = vec![(after.clone(), answer)];
        if let (counter::Call::Read, Answer::Value(exact)) = (call, answer) {
            let near = [exact.wrapping_sub(1), exact.wrapping_add(1)];
            outcomes.extend(near.map(|near| (after.clone(), Answer::Value(near))));
        }
        outcomes
    }

    fn call(&self, owner: u32, domain: u32, random: &mut Generator) -> counter::Call {
        self.0.call(owner, domain, random)
    }
}

/// Queue of which a pop answers one of the two oldest values.
#[derive(Clone, Debug)]
pub struct PlainRelaxed(PlainFifo);

impl Plain for PlainRelaxed {
    type Object = Relaxed<u32>;

    fn pair(domain: u32) -> (Relaxed<u32>, Self) {
        let object = Relaxed {
            within: 2,
            initial: vec![1, 0, 1],
            values: (0..domain).collect(),
        };
        (object, Self(PlainQueue([1, 0, 1].into())))
    }

    fn calls(domain: u32) -> Vec<queue::Call<u32>> {
        PlainFifo::calls(domain)
    }

    fn some_answers(domain: u32) -> Vec<Answer<u32>> {
        PlainFifo::some_answers(domain)
    }

    fn execute(&mut self, call: &queue::Call<u32>) -> Option<Answer<u32>> {
        self.0.execute(call)
    }

    fn outcomes(&self, call: &queue::Call<u32>) -> Vec<(Self, Answer<u32>)> {
        let mut first = self.clone();
        let answer = first.execute(call).expect("it is possible");
        let mut outcomes = vec![(first, answer)];
        if let (queue::Call::Pop, Some(second)) = (call, self.0.0.get(1).copied())
            && answer != Answer::Value(second)
        {
            let mut after = self.clone();
            after.0.0.remove(1);
            outcomes.push((after, Answer::Value(second)));
        }
        outcomes
    }
}
