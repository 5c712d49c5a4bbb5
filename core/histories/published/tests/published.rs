//! Tests of published queues: those with a known fault are refused for the reason that their code has, and the others hold.

use std::env;
use std::fs;
use std::time::{Duration, Instant};

use ::atomicring::AtomicRingBuffer;
use refmap::Verdict;
use refmap_histories::object::{Effort, Run, Tested, test};
use refmap_histories::specifications::{Answer, Bounded, MayRefuse, Operations, Queue};
use refmap_histories::specifications::{bounded, queue};
use refmap_histories::{Object, check};
use refmap_published::{
    CAPACITY, RING_CAPACITY, array_queue, atomicring, concurrent_bounded, concurrent_unbounded,
    lockfree, mpmc, seg_queue,
};

/// Number of seeds of which one has to find a fault: which threads are interrupted depends on more than the seed.
const SEEDS: u64 = 10;

/// Variable with the seconds that a long test takes; an hour without it.
const SECONDS: &str = "REFMAP_SECONDS";

/// Words with which an answer is refused that says that a queue is full or empty.
const REFUSALS: [&str; 2] = ["here, and not false", "here, and not null"];

fn seeded(seed: u64) -> Effort {
    Effort {
        seed,
        runs: 400,
        ..Effort::default()
    }
}

fn strict(capacity: usize) -> Operations<Bounded<u8>> {
    Operations(Bounded::new(capacity))
}

/// Bounded queue in which each call may be refused.
fn refusing(capacity: usize) -> Operations<MayRefuse<Bounded<u8>>> {
    let refusal = |call: &bounded::Call<u8>| match call {
        bounded::Call::Push(_) => Some(Answer::Is(false)),
        bounded::Call::Pop => Some(Answer::Nothing),
    };
    let object = Bounded::new(capacity);
    Operations(MayRefuse { object, refusal })
}

fn fifo() -> Operations<Queue<u8>> {
    Operations(Queue::default())
}

/// Queue without a bound in which a pop may be refused.
fn refusing_pops() -> Operations<MayRefuse<Queue<u8>>> {
    let refusal = |call: &queue::Call<u8>| (*call == queue::Call::Pop).then_some(Answer::Nothing);
    let object = Queue::default();
    Operations(MayRefuse { object, refusal })
}

/// True if a finding is of real threads, and of an answer that says that a queue is full or empty, or of another one.
fn is_of(tested: &Tested, refusal: bool) -> bool {
    let finding = tested.finding().expect("what is violated has a finding");
    let is_refusal = REFUSALS.iter().any(|words| finding.told.contains(words));
    finding.run == Run::Threads && finding.told.contains("here, and not") && is_refusal == refusal
}

/// Asserts that a fault is found from one of some seeds, and none of another kind: one in which an answer says wrongly that a queue is full
/// or empty, or not.
#[track_caller]
fn assert_found<O: Object>(object: impl Fn() -> O, refusal: bool) {
    let mut tests = (1..=SEEDS).map(|seed| test(object(), &seeded(seed)));
    let tested = tests.find(|tested| tested.verdict() == Verdict::Violated);
    let tested = tested.expect("a fault is found");
    assert!(is_of(&tested, refusal), "{tested}");
}

/// A position is taken before its value is written, and given free after it is read: meanwhile later values are out of reach, and
/// later room is as well.
#[test]
fn mpmc_is_no_bounded_queue() {
    assert_found(|| mpmc(strict(CAPACITY)), true);
}

/// Nothing else is wrong.
#[test]
fn mpmc_is_a_bounded_queue_that_may_refuse() {
    check(mpmc(refusing(CAPACITY)));
}

/// A push makes its node the last one before the node in front leads to it: meanwhile later values are out of reach.
#[test]
fn lockfree_is_no_queue() {
    assert_found(|| lockfree(fifo()), true);
}

/// Nothing else is wrong.
#[test]
fn lockfree_is_a_queue_that_may_refuse() {
    check(lockfree(refusing_pops()));
}

/// A push that has ended counts when those before it have, or later, and so does a pop: see the next test.
#[test]
fn atomicring_is_no_bounded_queue() {
    assert_found(|| atomicring(strict(RING_CAPACITY)), true);
}

/// The first of the pushes under way moves the position over its own slot, and looks for no other one that has ended: on one
/// thread, with a push within a push.
#[test]
fn atomicring_hides_a_push_that_has_ended() {
    let ring = AtomicRingBuffer::with_capacity(3);
    let outer = ring.try_write(|value| {
        *value = 1;
        assert_eq!(ring.try_push(2), Ok(()));
    });
    assert_eq!(
        (outer, ring.try_pop(), ring.try_pop()),
        (Ok(()), Some(1), None)
    );
    // The next push shows it.
    assert_eq!(ring.try_push(3), Ok(()));
    assert_eq!((ring.try_pop(), ring.try_pop()), (Some(2), Some(3)));
}

/// A position is a number modulo the slots, and is exchanged for the next if it is what it was when the ring was seen not to be empty. A
/// thread that is interrupted in between finds it again after as many pops as there are slots: it pops what had been popped, though
/// the ring is empty.
#[test]
fn atomicring_pops_what_was_not_there() {
    assert_found(|| atomicring(refusing(RING_CAPACITY)), false);
}

#[test]
fn array_queue_is_a_bounded_queue() {
    check(array_queue(strict(CAPACITY)));
}

#[test]
fn seg_queue_is_a_queue() {
    check(seg_queue(fifo()));
}

#[test]
fn concurrent_bounded_is_a_bounded_queue() {
    check(concurrent_bounded(strict(CAPACITY)));
}

#[test]
fn concurrent_unbounded_is_a_queue() {
    check(concurrent_unbounded(fifo()));
}

/// A table of the seeds from which a fault is found. It depends on the machine.
#[test]
#[ignore = "minutes"]
fn nightly_rates() {
    fn rate<O: Object>(name: &str, object: impl Fn() -> O) {
        let begun = Instant::now();
        let tested: Vec<_> = (1..=SEEDS)
            .map(|seed| test(object(), &seeded(seed)))
            .collect();
        let of = |verdict| tested.iter().filter(|one| one.verdict() == verdict).count();
        let wrong = tested.iter().filter(|one| one.finding().is_some());
        println!(
            "{name}: {} violated, {} of them refusals, {} holds, of {SEEDS}, in {:.0?}",
            of(Verdict::Violated),
            wrong.filter(|one| is_of(one, true)).count(),
            of(Verdict::Holds),
            begun.elapsed()
        );
    }
    rate("mpmc", || mpmc(strict(CAPACITY)));
    rate("mpmc, may refuse", || mpmc(refusing(CAPACITY)));
    rate("lockfree", || lockfree(fifo()));
    rate("lockfree, may refuse", || lockfree(refusing_pops()));
    rate("atomicring", || atomicring(strict(RING_CAPACITY)));
    rate("atomicring, may refuse", || {
        atomicring(refusing(RING_CAPACITY))
    });
}

/// Number of kilobytes that the process takes or has taken, by its name in `/proc/self/status`.
fn kilobytes(name: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or(": unknown")
        .trim_start_matches(':')
        .trim()
        .to_owned()
}

/// Tests an object, from one seed after another, for an hour. What is kept is of one run.
fn for_an_hour<O: Object>(name: &str, object: impl Fn() -> O) {
    let seconds = env::var(SECONDS).map_or(Ok(3_600), |seconds| seconds.parse());
    let length = Duration::from_secs(seconds.expect("seconds are a number"));
    let (begun, mut told) = (Instant::now(), Instant::now());
    let (mut runs, mut calls, mut overlapping, mut undecided) = (0, 0, 0, 0);
    let mut seeds = 1..;
    let tell = |runs, calls, overlapping, undecided| {
        println!(
            "{name}: {runs} runs, {calls} calls, {overlapping} overlapping, {undecided} runs undecided, {} s, VmRSS {}, VmHWM {}",
            begun.elapsed().as_secs(),
            kilobytes("VmRSS"),
            kilobytes("VmHWM")
        );
    };
    while begun.elapsed() < length {
        let tested = test(object(), &seeded(seeds.next().expect("they are many")));
        assert!(tested.finding().is_none(), "{tested}");
        for part in tested.parts {
            undecided += part.undecided;
            runs += part.runs;
            calls += part.calls;
            overlapping += part.overlapping;
        }
        if told.elapsed() >= Duration::from_secs(60) {
            told = Instant::now();
            tell(runs, calls, overlapping, undecided);
        }
    }
    tell(runs, calls, overlapping, undecided);
    // What is decided is nearly all of it.
    assert!(undecided * 10_000 < runs, "{undecided} of {runs}");
}

#[test]
#[ignore = "an hour"]
fn nightly_array_queue() {
    for_an_hour("ArrayQueue", || array_queue(strict(CAPACITY)));
}

#[test]
#[ignore = "an hour"]
fn nightly_seg_queue() {
    for_an_hour("SegQueue", || seg_queue(fifo()));
}

#[test]
#[ignore = "an hour"]
fn nightly_concurrent_bounded() {
    for_an_hour("ConcurrentQueue, bounded", || {
        concurrent_bounded(strict(CAPACITY))
    });
}

#[test]
#[ignore = "an hour"]
fn nightly_concurrent_unbounded() {
    for_an_hour(
        "ConcurrentQueue, unbounded",
        || concurrent_unbounded(fifo()),
    );
}
