//! Ring of one producer and one consumer, of which each remembers how far the other was.

use std::mem;

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{Bounded, Operations};
use refmap_schedules::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use super::{assert_scheduled, assert_sound};

const CAPACITY: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The producer is refused by how far the consumer was.
    WrongFull,
    /// The consumer is refused by how far the producer was.
    WrongEmpty,
}

#[derive(Clone, Copy)]
pub struct Wire {
    pub fault: Fault,
}

pub struct Shared {
    slots: [AtomicU8; CAPACITY],
    /// Number of the values that were pushed, and of those that were popped.
    counts: [AtomicUsize; 2],
}

/// Side of the producer. That of the consumer is 1.
const PRODUCER: usize = 0;

/// End of the producer, which is thread 0, or of the consumer.
pub struct End<'a> {
    wire: &'a Shared,
    side: usize,
    /// Number of the values that it has pushed, or popped.
    own: usize,
    /// Number of those that the other end had, when this one looked.
    other: usize,
}

impl End<'_> {
    /// Looks at the other end if by what is known of it there is nothing to do; whether there is anything.
    fn is_open(&mut self, distance: usize, is_stale: bool) -> bool {
        if self.other.wrapping_add(distance) != self.own {
            return true;
        }
        let latest = self.wire.counts[1 - self.side].load(Ordering::Acquire);
        let before = mem::replace(&mut self.other, latest);
        let other = if is_stale { before } else { latest };
        other.wrapping_add(distance) != self.own
    }

    fn advance(&mut self) {
        self.own = self.own.wrapping_add(1);
        self.wire.counts[self.side].store(self.own, Ordering::Release);
    }
}

impl Object for Wire {
    type Specification = Operations<Bounded<u8>>;
    type Shared = Shared;
    type Handle<'a> = End<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(Bounded::new(CAPACITY))
    }

    fn make(&self) -> Shared {
        Shared {
            slots: [0; CAPACITY].map(AtomicU8::new),
            counts: [0; 2].map(AtomicUsize::new),
        }
    }

    fn handle<'a>(&self, wire: &'a Shared, thread: u32) -> End<'a> {
        End {
            wire,
            side: thread as usize,
            own: 0,
            other: 0,
        }
    }

    fn calls(&self, end: &End<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(match end.side {
            PRODUCER => Call::Push(end.own as u8),
            _ => Call::Pop,
        });
    }

    fn call(&self, end: &mut End<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        let slot = &end.wire.slots[end.own % CAPACITY];
        match call {
            Call::Push(value) => {
                let has_room = end.is_open(CAPACITY, self.fault == Fault::WrongFull);
                if has_room {
                    slot.store(*value, Ordering::Relaxed);
                    end.advance();
                }
                has_room.into()
            }
            Call::Pop => {
                let has_value = end.is_open(0, self.fault == Fault::WrongEmpty);
                let value = has_value.then(|| {
                    let value = slot.load(Ordering::Relaxed);
                    end.advance();
                    value
                });
                value.into()
            }
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }

    fn threads(&self) -> std::ops::RangeInclusive<u32> {
        2..=2
    }
}

#[test]
fn a_push_that_is_refused_though_there_is_room_is_found() {
    let fault = Fault::WrongFull;
    assert_scheduled(Wire { fault }, "wire.rs", &["→ false", "and not false"]);
}

#[test]
fn a_pop_that_finds_nothing_though_there_is_a_value_is_found() {
    let fault = Fault::WrongEmpty;
    assert_scheduled(Wire { fault }, "wire.rs", &["pop → null", "and not null"]);
}

#[test]
fn ends_that_look_again_are_sound() {
    assert_sound(Wire { fault: Fault::None });
}
