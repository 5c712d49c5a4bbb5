//! Lock of which a guard releases it.

use std::mem;

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::mutex::Call;
use refmap_histories::specifications::{Mutex, Operations};
use refmap_schedules::sync::atomic::{AtomicBool, Ordering};
use refmap_schedules::thread;

use super::{assert_scheduled, assert_sound};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// An attempt that fails releases the lock, which another one has.
    UnlockByAnother,
}

#[derive(Clone, Copy)]
pub struct Lock {
    pub fault: Fault,
}

pub struct Guard<'a>(&'a AtomicBool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

pub struct Owner<'a> {
    lock: &'a AtomicBool,
    name: u32,
    guard: Option<Guard<'a>>,
}

impl Lock {
    fn try_lock(self, lock: &AtomicBool) -> Option<Guard<'_>> {
        let is_taken = lock.swap(true, Ordering::Acquire);
        let guard = Guard(lock);
        if !is_taken {
            return Some(guard);
        }
        match self.fault {
            Fault::None => mem::forget(guard),
            Fault::UnlockByAnother => drop(guard),
        }
        None
    }

    fn lock(lock: &AtomicBool) -> Guard<'_> {
        while lock.swap(true, Ordering::Acquire) {
            thread::yield_now();
        }
        Guard(lock)
    }
}

impl Object for Lock {
    type Specification = Operations<Mutex>;
    type Shared = AtomicBool;
    type Handle<'a> = Owner<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(Mutex::default())
    }

    fn make(&self) -> AtomicBool {
        AtomicBool::new(false)
    }

    fn handle<'a>(&self, lock: &'a AtomicBool, name: u32) -> Owner<'a> {
        let guard = None;
        Owner { lock, name, guard }
    }

    fn calls(&self, owner: &Owner<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        if owner.guard.is_some() {
            visit(Call::Unlock(owner.name));
        } else {
            visit(Call::Lock(owner.name));
            visit(Call::TryLock(owner.name));
        }
    }

    fn call(&self, owner: &mut Owner<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        match call {
            Call::Lock(_) => {
                owner.guard = Some(Self::lock(owner.lock));
                ().into()
            }
            Call::TryLock(_) => {
                owner.guard = self.try_lock(owner.lock);
                owner.guard.is_some().into()
            }
            Call::Unlock(_) => {
                owner.guard = None;
                ().into()
            }
        }
    }

    fn last(&self, owner: &Owner<'_>) -> Option<CallOf<Self>> {
        owner.guard.as_ref().map(|_| Call::Unlock(owner.name))
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn a_lock_that_another_one_releases_is_found() {
    let fault = Fault::UnlockByAnother;
    assert_scheduled(Lock { fault }, "lock.rs", &["no order with", "lock("]);
}

#[test]
fn a_guard_that_is_forgotten_is_sound() {
    assert_sound(Lock { fault: Fault::None });
}
