//! Register of two words, which readers read again if a writer was there meanwhile.
//!
//! Source: Boehm, *Can seqlocks get along with programming language memory models?*, MSPC 2012.

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::register::Call;
use refmap_histories::specifications::{Answer, Operations, Register};
use refmap_schedules::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use refmap_schedules::thread;

use super::{assert_scheduled, assert_sound};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A reader does not look whether a writer was there.
    TornSnapshot,
}

#[derive(Clone, Copy)]
pub struct Pair {
    pub fault: Fault,
}

pub struct Shared {
    /// Number of writes, twice; odd during one.
    version: AtomicU64,
    words: [AtomicU8; 2],
}

impl Shared {
    /// The version, once no writer is there.
    fn even(&self) -> u64 {
        loop {
            let version = self.version.load(Ordering::Acquire);
            if version.is_multiple_of(2) {
                return version;
            }
            thread::yield_now();
        }
    }

    fn write(&self, values: [u8; 2]) {
        let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        let odd = loop {
            let even = self.even();
            let odd = even + 1;
            let begun = self.version.compare_exchange(even, odd, success, failure);
            if begun.is_ok() {
                break odd;
            }
        };
        for (word, value) in self.words.iter().zip(values) {
            word.store(value, Ordering::Release);
        }
        self.version.store(odd + 1, Ordering::Release);
    }
}

impl Pair {
    fn read(self, pair: &Shared) -> [u8; 2] {
        loop {
            let even = pair.even();
            let [one, other] = &pair.words;
            let values = [one, other].map(|word| word.load(Ordering::Acquire));
            let is_whole = pair.version.load(Ordering::Relaxed) == even;
            if is_whole || self.fault == Fault::TornSnapshot {
                return values;
            }
        }
    }
}

impl Object for Pair {
    type Specification = Operations<Register<[u8; 2]>>;
    type Shared = Shared;
    type Handle<'a> = &'a Shared;

    fn specification(&self) -> Self::Specification {
        Operations(Register::default())
    }

    fn make(&self) -> Shared {
        Shared {
            version: AtomicU64::new(0),
            words: [0; 2].map(AtomicU8::new),
        }
    }

    fn handle<'a>(&self, pair: &'a Shared, _: u32) -> &'a Shared {
        pair
    }

    fn calls(&self, _: &&Shared, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Read);
        visit(Call::Write([1; 2]));
        visit(Call::Write([2; 2]));
    }

    fn call(&self, pair: &mut &Shared, call: &CallOf<Self>) -> AnswerOf<Self> {
        match call {
            Call::Write(values) => {
                pair.write(*values);
                ().into()
            }
            _ => Answer::Value(self.read(pair)),
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn a_torn_snapshot_is_found() {
    let fault = Fault::TornSnapshot;
    assert_scheduled(Pair { fault }, "pair.rs", &["read → [", "and not ["]);
}

#[test]
fn readers_that_look_again_are_sound() {
    assert_sound(Pair { fault: Fault::None });
}
