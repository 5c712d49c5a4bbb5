//! Ring of a bounded length, in which pushes take turns, and pops do.

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
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
pub struct Ring {
    pub fault: Fault,
}

pub struct Shared {
    slots: [AtomicU8; CAPACITY],
    head: AtomicUsize,
    tail: AtomicUsize,
    pushing: Mutex<()>,
    popping: Mutex<()>,
}

impl Ring {
    fn push(self, ring: &Shared, value: u8) -> bool {
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

    fn pop(ring: &Shared) -> Option<u8> {
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

impl Object for Ring {
    type Specification = Operations<Bounded<u8>>;
    type Shared = Shared;
    type Handle<'a> = &'a Shared;

    fn specification(&self) -> Self::Specification {
        Operations(Bounded::new(CAPACITY))
    }

    fn make(&self) -> Shared {
        Shared {
            slots: [0; CAPACITY].map(AtomicU8::new),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            pushing: Mutex::new(()),
            popping: Mutex::new(()),
        }
    }

    fn handle<'a>(&self, ring: &'a Shared, _: u32) -> &'a Shared {
        ring
    }

    fn calls(&self, _: &&Shared, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Pop);
        (1..3).map(Call::Push).for_each(visit);
    }

    fn call(&self, ring: &mut &Shared, call: &CallOf<Self>) -> AnswerOf<Self> {
        match call {
            Call::Push(value) => self.push(ring, *value).into(),
            Call::Pop => Self::pop(ring).into(),
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn lost_elements_are_found() {
    let fault = Fault::LostElement;
    assert_scheduled(Ring { fault }, "ring.rs", &["no order", "push("]);
}

#[test]
fn pushes_that_take_turns_are_sound() {
    assert_sound(Ring { fault: Fault::None });
}
