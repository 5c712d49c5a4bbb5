//! Ring of a bounded length, in which pushes take turns, and pops do.

use refmap_histories::Object;
use refmap_histories::object::Shared;
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{Bounded, Operations};
use refmap_schedules::sync::Mutex;
use refmap_schedules::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use super::{NEVER_POISONED, assert_scheduled, assert_sound};

const CAPACITY: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Two pushes take one slot.
    LostElement,
}

#[derive(Clone, Copy)]
struct Ring {
    fault: Fault,
}

struct Slots {
    slots: [AtomicU8; CAPACITY],
    head: AtomicUsize,
    tail: AtomicUsize,
    pushing: Mutex<()>,
    popping: Mutex<()>,
}

impl Ring {
    fn push(self, ring: &Slots, value: u8) -> bool {
        let turn = match self.fault {
            Fault::None => Some(ring.pushing.lock().expect(NEVER_POISONED)),
            Fault::LostElement => None,
        };
        let tail = ring.tail.load(Ordering::Relaxed);
        let has_room = tail.wrapping_sub(ring.head.load(Ordering::Acquire)) < CAPACITY;
        if has_room {
            ring.slots[tail % CAPACITY].store(value, Ordering::Relaxed);
            ring.tail.store(tail.wrapping_add(1), Ordering::Release);
        }
        drop(turn);
        has_room
    }

    fn pop(ring: &Slots) -> Option<u8> {
        let turn = ring.popping.lock().expect(NEVER_POISONED);
        let head = ring.head.load(Ordering::Relaxed);
        let value = (ring.tail.load(Ordering::Acquire) != head).then(|| {
            let value = ring.slots[head % CAPACITY].load(Ordering::Relaxed);
            ring.head.store(head.wrapping_add(1), Ordering::Release);
            value
        });
        drop(turn);
        value
    }
}

pub fn ring(fault: Fault) -> impl Object + Clone {
    let ring = Ring { fault };
    let calls = [Call::Pop, Call::Push(1), Call::Push(2)];
    let make = || Slots {
        slots: [0; CAPACITY].map(AtomicU8::new),
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        pushing: Mutex::new(()),
        popping: Mutex::new(()),
    };
    let specification = Operations(Bounded::new(CAPACITY));
    let object = Shared::new(specification, make, calls, move |slots, call| match call {
        Call::Push(value) => ring.push(slots, *value).into(),
        Call::Pop => Ring::pop(slots).into(),
    });
    object.with_schedules()
}

#[test]
fn lost_elements_are_found() {
    let fault = Fault::LostElement;
    assert_scheduled(ring(fault), "ring.rs", &["no order", "push("]);
}

#[test]
fn pushes_that_take_turns_are_sound() {
    assert_sound(ring(Fault::None));
}
