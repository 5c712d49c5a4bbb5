//! Mailbox for one message, of one sender and one receiver.

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, test};
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{Bounded, Operations};
use refmap_schedules::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::{assert_sound, found};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Nothing orders the message before the flag that says it is there.
    MissingFence,
}

#[derive(Clone, Copy)]
pub struct Mailbox {
    pub fault: Fault,
}

#[derive(Default)]
pub struct Shared {
    message: AtomicU8,
    is_full: AtomicBool,
}

impl Object for Mailbox {
    type Specification = Operations<Bounded<u8>>;
    type Shared = Shared;
    /// With the thread: 0 sends.
    type Handle<'a> = (&'a Shared, u32);

    fn specification(&self) -> Self::Specification {
        Operations(Bounded::new(1))
    }

    fn make(&self) -> Shared {
        Shared::default()
    }

    fn handle<'a>(&self, mailbox: &'a Shared, thread: u32) -> (&'a Shared, u32) {
        (mailbox, thread)
    }

    fn calls(&self, (_, thread): &(&Shared, u32), visit: &mut impl FnMut(CallOf<Self>)) {
        if *thread == 0 {
            (1..3).map(Call::Push).for_each(visit);
        } else {
            visit(Call::Pop);
        }
    }

    fn call(&self, (mailbox, _): &mut (&Shared, u32), call: &CallOf<Self>) -> AnswerOf<Self> {
        let publish = match self.fault {
            Fault::None => Ordering::Release,
            Fault::MissingFence => Ordering::Relaxed,
        };
        let is_full = mailbox.is_full.load(Ordering::Acquire);
        match call {
            Call::Push(_) if is_full => false.into(),
            Call::Push(message) => {
                mailbox.message.store(*message, Ordering::Relaxed);
                mailbox.is_full.store(true, publish);
                true.into()
            }
            Call::Pop if !is_full => None.into(),
            Call::Pop => {
                let message = mailbox.message.load(Ordering::Relaxed);
                mailbox.is_full.store(false, Ordering::Release);
                Some(message).into()
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
fn a_missing_fence_is_found_in_weak_memory() {
    let fault = Fault::MissingFence;
    let tested = test(Mailbox { fault }, &Effort::default());
    let finding = found(&tested, Run::Memory, &["pop → 0"]);
    let schedule = finding.schedule.expect("it is of an execution");
    assert!(schedule.contains("mailbox.rs"), "{schedule}");
}

/// Schedules are sequentially consistent, and a processor of this kind keeps stores in order.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_missing_fence_is_not_found_in_other_runs() {
    let fault = Fault::MissingFence;
    let effort = Effort {
        tiny_programs: 0,
        ..Effort::default()
    };
    let tested = test(Mailbox { fault }, &effort);
    assert_ne!(tested.verdict(), Verdict::Violated, "{tested}");
}

#[test]
fn a_release_that_is_acquired_is_sound() {
    assert_sound(Mailbox { fault: Fault::None });
}
