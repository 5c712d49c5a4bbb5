//! A lock of one flag.

use refmap::crowd::Crowd;
use refmap_systems::locks::test_and_set::{Action, Takes, TestAndSet};

use super::lock::{LockRefinement, ThreadLock};

impl ThreadLock for TestAndSet {
    fn threads(&self) -> usize {
        self.threads
    }

    fn thread(action: &Action) -> usize {
        let (Action::Test(thread) | Action::Set(thread) | Action::Release(thread)) = action;
        *thread
    }
}

// ANCHOR: any
/// The lock of any number of threads.
#[derive(Clone, Copy, Debug)]
pub struct AnyTestAndSet(pub Takes);

impl Crowd for AnyTestAndSet {
    type Instance = LockRefinement<TestAndSet>;

    fn members(&self) -> &str {
        "threads"
    }

    fn instance(&self, threads: usize) -> Self::Instance {
        let takes = self.0;
        LockRefinement::new(TestAndSet { threads, takes })
    }
}
// ANCHOR_END: any
