//! Semaphore of two permits, of which each thread may take both, one by one: two that have one each wait for ever.

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, test};
use refmap_histories::specifications::semaphore::Call;
use refmap_histories::specifications::{Operations, Semaphore};
use refmap_schedules::sync::{Condvar, Mutex};

use super::{NEVER_POISONED, impatient};

struct Greedy;

impl Object for Greedy {
    type Specification = Operations<Semaphore>;
    type Shared = (Mutex<u32>, Condvar);
    /// With the number of permits that the thread has.
    type Handle<'a> = (&'a Self::Shared, u32);

    fn specification(&self) -> Self::Specification {
        Operations(Semaphore { permits: 2 })
    }

    fn make(&self) -> Self::Shared {
        (Mutex::new(2), Condvar::new())
    }

    fn handle<'a>(&self, semaphore: &'a Self::Shared, _: u32) -> Self::Handle<'a> {
        (semaphore, 0)
    }

    fn calls(&self, (_, has): &Self::Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        if *has < 2 {
            visit(Call::Acquire);
        }
        if *has > 0 {
            visit(Call::Release);
        }
    }

    fn call(
        &self,
        ((permits, released), has): &mut Self::Handle<'_>,
        call: &CallOf<Self>,
    ) -> AnswerOf<Self> {
        let mut permits = permits.lock().expect(NEVER_POISONED);
        if *call == Call::Release {
            *permits += 1;
            *has -= 1;
            released.notify_one();
        } else {
            while *permits == 0 {
                permits = released.wait(permits).expect(NEVER_POISONED);
            }
            *permits -= 1;
            *has += 1;
        }
        ().into()
    }

    fn last(&self, (_, has): &Self::Handle<'_>) -> Option<CallOf<Self>> {
        (*has > 0).then_some(Call::Release)
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn threads_that_wait_as_they_may_are_not_violated() {
    // Few programs have enough acquisitions for all threads to wait.
    let effort = Effort {
        programs: Effort::default().programs,
        ..impatient()
    };
    let tested = test(Greedy, &effort);
    assert_ne!(tested.verdict(), Verdict::Violated, "{tested}");
    let schedules = &tested.parts[1];
    assert_eq!(schedules.run, Run::Schedules);
    assert_eq!(schedules.verdict, Verdict::Holds, "{tested}");
    assert!(schedules.blocked > 0, "{tested}");
}
