//! Set to which each of two threads adds after it has looked at the flag of the other one: no two add, if the accesses have one order.
//!
//! Source: Dijkstra, *Cooperating sequential processes*, EWD 123, 1965: the flags of Dekker's solution.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, Tested, test};
use refmap_histories::specifications::set::Call;
use refmap_histories::specifications::{Answer, MayRefuse, Operations, Set};
use refmap_schedules::sync::atomic::{AtomicBool, Ordering};

use super::found;

struct Flags {
    of_stores: Ordering,
    of_loads: Ordering,
}

impl Object for Flags {
    type Specification = Operations<MayRefuse<Set<u8>>>;
    type Shared = [AtomicBool; 2];
    type Handle<'a> = (&'a [AtomicBool; 2], usize);

    fn specification(&self) -> Self::Specification {
        let refusal: fn(&Call<u8>) -> Option<Answer<BTreeSet<u8>>> =
            |call| matches!(call, Call::Add(_)).then_some(Answer::Is(false));
        Operations(MayRefuse {
            object: Set::default(),
            refusal,
        })
    }

    fn make(&self) -> Self::Shared {
        [(); 2].map(|()| AtomicBool::new(false))
    }

    fn handle<'a>(&self, flags: &'a Self::Shared, thread: u32) -> Self::Handle<'a> {
        (flags, thread as usize)
    }

    fn calls(&self, _: &Self::Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Add(1));
        visit(Call::Remove(2));
    }

    fn call(&self, (flags, own): &mut Self::Handle<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        let (Call::Add(_), false) = (call, flags[*own].load(Ordering::Relaxed)) else {
            return false.into();
        };
        flags[*own].store(true, self.of_stores);
        (!flags[1 - *own].load(self.of_loads)).into()
    }

    fn has_schedules(&self) -> bool {
        true
    }

    fn threads(&self) -> RangeInclusive<u32> {
        2..=2
    }
}

fn tested(of_stores: Ordering, of_loads: Ordering, seed: u64) -> Tested {
    let effort = Effort {
        seed,
        alone: 1,
        runs: 0,
        programs: 0,
        tiny_programs: 1,
        executions: 1_000,
        ..Effort::default()
    };
    test(
        Flags {
            of_stores,
            of_loads,
        },
        &effort,
    )
}

/// Loom has weaker accesses in place of sequentially consistent ones, so that what it finds may be impossible. It is told, whichever program
/// showed it.
#[test]
fn what_is_doubtful_is_told_after_programs_that_are_right() {
    for seed in 0..6 {
        let tested = tested(Ordering::SeqCst, Ordering::SeqCst, seed);
        assert_eq!(tested.verdict(), Verdict::Incomplete, "{tested}");
        let memory = tested.parts.iter().find(|part| part.run == Run::Memory);
        let notes = &memory.expect("it was tried").notes;
        let is_told = |note: &String| note.contains("it may be impossible");
        assert!(notes.iter().any(is_told), "{tested}");
    }
}

#[test]
fn flags_without_one_order_are_violated() {
    let tested = tested(Ordering::Release, Ordering::Acquire, 0);
    found(&tested, Run::Memory, &["no order with add(1)"]);
}
