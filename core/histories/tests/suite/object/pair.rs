//! Register of two words, which readers read again if a writer was there meanwhile.
//!
//! Source: Boehm, *Can seqlocks get along with programming language memory models?*, MSPC 2012.

use refmap_histories::Object;
use refmap_histories::object::Shared;
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

struct Words {
    /// Number of writes, twice; odd during one.
    version: AtomicU64,
    words: [AtomicU8; 2],
}

impl Words {
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

    fn read(&self, fault: Fault) -> [u8; 2] {
        loop {
            let even = self.even();
            let [one, other] = &self.words;
            let values = [one, other].map(|word| word.load(Ordering::Acquire));
            let is_whole = self.version.load(Ordering::Relaxed) == even;
            if is_whole || fault == Fault::TornSnapshot {
                return values;
            }
        }
    }
}

pub fn pair(fault: Fault) -> impl Object + Clone {
    let specification = Operations(Register::default());
    let calls = [Call::Read, Call::Write([1; 2]), Call::Write([2; 2])];
    let make = || Words {
        version: AtomicU64::new(0),
        words: [0; 2].map(AtomicU8::new),
    };
    let object = Shared::new(specification, make, calls, move |pair, call| match call {
        Call::Write(values) => {
            pair.write(*values);
            ().into()
        }
        _ => Answer::Value(pair.read(fault)),
    });
    object.with_schedules()
}

#[test]
fn a_torn_snapshot_is_found() {
    let fault = Fault::TornSnapshot;
    assert_scheduled(pair(fault), "pair.rs", &["read → [", "and not ["]);
}

#[test]
fn readers_that_look_again_are_sound() {
    assert_sound(pair(Fault::None));
}
