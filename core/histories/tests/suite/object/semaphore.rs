//! Semaphore of one permit, of which threads take a lock only to wait.

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, test};
use refmap_histories::specifications::semaphore::Call;
use refmap_histories::specifications::{self, Operations};
use refmap_schedules::sync::atomic::{AtomicU64, Ordering};
use refmap_schedules::sync::{Condvar, Mutex};

use super::{NEVER_POISONED, assert_scheduled, assert_sound, found, impatient, little};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A release wakes nobody who has looked for a permit, and does not wait yet.
    LostWakeUp,
}

#[derive(Clone, Copy)]
pub struct Semaphore {
    pub fault: Fault,
}

pub struct Shared {
    permits: AtomicU64,
    lock: Mutex<()>,
    released: Condvar,
}

impl Shared {
    fn try_acquire(&self) -> bool {
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        let taken = self.permits.compare_exchange(1, 0, success, failure);
        taken.is_ok()
    }

    fn acquire(&self) {
        if self.try_acquire() {
            return;
        }
        let mut lock = self.lock.lock().expect(NEVER_POISONED);
        while !self.try_acquire() {
            lock = self.released.wait(lock).expect(NEVER_POISONED);
        }
    }
}

impl Object for Semaphore {
    type Specification = Operations<specifications::Semaphore>;
    type Shared = Shared;
    /// With whether the thread has the permit.
    type Handle<'a> = (&'a Shared, bool);

    fn specification(&self) -> Self::Specification {
        Operations(specifications::Semaphore { permits: 1 })
    }

    fn make(&self) -> Shared {
        Shared {
            permits: AtomicU64::new(1),
            lock: Mutex::new(()),
            released: Condvar::new(),
        }
    }

    fn handle<'a>(&self, semaphore: &'a Shared, _: u32) -> (&'a Shared, bool) {
        (semaphore, false)
    }

    fn calls(&self, (_, has): &(&Shared, bool), visit: &mut impl FnMut(CallOf<Self>)) {
        if *has {
            visit(Call::Release);
        } else {
            visit(Call::Acquire);
            visit(Call::TryAcquire);
        }
    }

    fn call(&self, (semaphore, has): &mut (&Shared, bool), call: &CallOf<Self>) -> AnswerOf<Self> {
        match call {
            Call::Acquire => {
                semaphore.acquire();
                *has = true;
                ().into()
            }
            Call::TryAcquire => {
                *has = semaphore.try_acquire();
                (*has).into()
            }
            Call::Release => {
                semaphore.permits.store(1, Ordering::Release);
                if self.fault == Fault::None {
                    drop(semaphore.lock.lock().expect(NEVER_POISONED));
                }
                semaphore.released.notify_one();
                *has = false;
                ().into()
            }
        }
    }

    fn last(&self, (_, has): &(&Shared, bool)) -> Option<CallOf<Self>> {
        has.then_some(Call::Release)
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn a_lost_wake_up_is_found() {
    let fault = Fault::LostWakeUp;
    let words = ["wait for ever", "acquire of thread"];
    assert_scheduled(Semaphore { fault }, "semaphore.rs", &words);
}

/// Real threads hang, if ever, and of what hangs it is not known whether it may.
#[test]
fn a_lost_wake_up_is_found_under_schedules_alone() {
    let fault = Fault::LostWakeUp;
    let effort = Effort {
        programs: 0,
        tiny_programs: 0,
        ..impatient()
    };
    let tested = test(Semaphore { fault }, &effort);
    assert_ne!(tested.verdict(), Verdict::Violated, "{tested}");
}

#[test]
fn a_release_that_takes_the_lock_is_sound() {
    assert_sound(Semaphore { fault: Fault::None });
}

/// Semaphore without a permit, of which all calls wait: that of the first thread as it may, those of others as they may not.
struct Stuck;

impl Object for Stuck {
    type Specification = Operations<specifications::Semaphore>;
    type Shared = (Mutex<()>, Condvar);
    type Handle<'a> = (&'a Self::Shared, u32);

    fn specification(&self) -> Self::Specification {
        Operations(specifications::Semaphore { permits: 0 })
    }

    fn make(&self) -> Self::Shared {
        (Mutex::new(()), Condvar::new())
    }

    fn handle<'a>(&self, shared: &'a Self::Shared, thread: u32) -> Self::Handle<'a> {
        (shared, thread)
    }

    fn calls(&self, (_, thread): &Self::Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(if *thread == 0 {
            Call::Acquire
        } else {
            Call::TryAcquire
        });
    }

    fn call(&self, (shared, _): &mut Self::Handle<'_>, _: &CallOf<Self>) -> AnswerOf<Self> {
        let mut lock = shared.0.lock().expect(NEVER_POISONED);
        loop {
            lock = shared.1.wait(lock).expect(NEVER_POISONED);
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

/// Of two threads that wait each has to be permitted to.
#[test]
fn a_second_thread_that_waits_as_it_may_not_is_found() {
    let effort = Effort {
        alone: 0,
        runs: 0,
        tiny_programs: 0,
        ..little()
    };
    let words = ["wait for ever", "try_acquire of thread"];
    found(&test(Stuck, &effort), Run::Schedules, &words);
}
