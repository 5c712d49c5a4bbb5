//! Readers–writer lock as a monitor.
//!
//! Source: Hoare, *Monitors: an operating system structuring concept*, CACM 17(10), 1974.

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::rw_lock::Call;
use refmap_histories::specifications::{Operations, RwLock};
use refmap_schedules::sync::{Condvar, Mutex};

use super::{NEVER_POISONED, assert_scheduled, assert_sound};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A writer that is woken does not look whether the lock is free.
    SpuriousWakeUp,
}

#[derive(Clone, Copy)]
pub struct Monitor {
    pub fault: Fault,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    No,
    Read,
    Write,
}

#[derive(Default)]
struct Holders {
    readers: u32,
    writers: u32,
}

#[derive(Default)]
pub struct Shared {
    holders: Mutex<Holders>,
    released: Condvar,
}

pub struct Owner<'a> {
    lock: &'a Shared,
    name: u32,
    held: Held,
}

impl Shared {
    fn read(&self) {
        let mut holders = self.holders.lock().expect(NEVER_POISONED);
        while holders.writers > 0 {
            holders = self.released.wait(holders).expect(NEVER_POISONED);
        }
        holders.readers += 1;
    }

    fn release(&self, held: Held) {
        let mut holders = self.holders.lock().expect(NEVER_POISONED);
        match held {
            Held::Read => holders.readers -= 1,
            Held::Write => holders.writers -= 1,
            Held::No => (),
        }
        self.released.notify_all();
    }
}

impl Monitor {
    fn write(self, lock: &Shared) {
        let mut holders = lock.holders.lock().expect(NEVER_POISONED);
        while holders.readers + holders.writers > 0 {
            holders = lock.released.wait(holders).expect(NEVER_POISONED);
            if self.fault == Fault::SpuriousWakeUp {
                break;
            }
        }
        holders.writers += 1;
    }
}

impl Object for Monitor {
    type Specification = Operations<RwLock>;
    type Shared = Shared;
    type Handle<'a> = Owner<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(RwLock::default())
    }

    fn make(&self) -> Shared {
        Shared::default()
    }

    fn handle<'a>(&self, lock: &'a Shared, name: u32) -> Owner<'a> {
        let held = Held::No;
        Owner { lock, name, held }
    }

    fn calls(&self, owner: &Owner<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        match self.last(owner) {
            Some(unlock) => visit(unlock),
            None => {
                visit(Call::Read(owner.name));
                visit(Call::Write(owner.name));
            }
        }
    }

    fn call(&self, owner: &mut Owner<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        owner.held = match call {
            Call::Read(_) => {
                owner.lock.read();
                Held::Read
            }
            Call::Write(_) => {
                self.write(owner.lock);
                Held::Write
            }
            _ => {
                owner.lock.release(owner.held);
                Held::No
            }
        };
        ().into()
    }

    fn last(&self, owner: &Owner<'_>) -> Option<CallOf<Self>> {
        match owner.held {
            Held::No => None,
            Held::Read => Some(Call::UnlockRead(owner.name)),
            Held::Write => Some(Call::UnlockWrite(owner.name)),
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn a_wake_up_for_another_one_is_found() {
    let fault = Fault::SpuriousWakeUp;
    assert_scheduled(Monitor { fault }, "monitor.rs", &["write(", "is held"]);
}

#[test]
fn writers_that_look_again_are_sound() {
    assert_sound(Monitor { fault: Fault::None });
}
