//! Tests of the recorder on real threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;

use refmap::Verdict;
use refmap_histories::{Event, Header, History, Ordered, Recorder, Settings, Writer, validate};

use super::memory::{Access, ObservedMemory, Stores};

/// The operations of two threads on one cell are a behaviour of a memory.
#[test]
fn what_real_threads_do_to_an_atomic_is_a_behaviour() {
    let cell = AtomicU8::new(0);
    let recorder = Recorder::new();
    thread::scope(|scope| {
        for writer in [true, false] {
            let (mut log, cell) = (recorder.thread(), &cell);
            scope.spawn(move || {
                for round in 0..3000_u32 {
                    let value = (round % 4) as u8;
                    let begin = log.begin();
                    let access = if writer {
                        cell.store(value, Ordering::SeqCst);
                        Access::Store { cell: 0, value }
                    } else {
                        Access::load(0, cell.load(Ordering::SeqCst))
                    };
                    log.end(begin, access);
                }
            });
        }
    });
    let events = recorder.finish();
    assert_eq!(events.len(), 6000);
    let subject = ObservedMemory(Stores::AtOnce);
    let validation = validate(&subject, Ordered::of(events), &Settings::default()).unwrap();
    assert_eq!(validation.verdict(), Verdict::Holds);
    assert_eq!((validation.threads, validation.interesting), (2, 3000));
}

/// A history that is drained while threads record is complete and in order.
#[test]
fn a_history_is_written_out_while_it_is_recorded() {
    const EVENTS: u8 = 200;
    let recorder: Recorder<u8> = Recorder::new();
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    let finished = AtomicBool::new(false);
    let writer = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let mut log = recorder.thread();
                scope.spawn(move || {
                    for number in 0..EVENTS {
                        let begin = log.begin();
                        log.end(begin, number);
                        if number % 16 == 0 {
                            log.flush();
                        }
                        thread::yield_now();
                    }
                })
            })
            .collect();
        let (recorder, is_finished) = (&recorder, &finished);
        let drained = scope.spawn(move || {
            while !is_finished.load(Ordering::SeqCst) {
                recorder.drain(&mut writer).unwrap();
            }
            recorder.drain(&mut writer).unwrap();
            writer
        });
        for thread in threads {
            thread.join().unwrap();
        }
        finished.store(true, Ordering::SeqCst);
        drained.join().unwrap()
    });
    assert!(recorder.finish().is_empty());
    let text = writer.finish().unwrap();
    let events = History::open(text.as_slice()).unwrap().events::<u8>();
    let events: Vec<Event<u8>> = events.map(|event| event.unwrap()).collect();
    assert_eq!(events.len(), 4 * usize::from(EVENTS));
}

/// An event under way holds back complete events that begin after it, whichever of two logs it is of, and after each flush.
#[test]
fn an_event_under_way_holds_back_what_begins_after_it() {
    let recorder: Recorder<u8> = Recorder::new();
    let (mut slow, mut fast) = (recorder.thread(), recorder.thread());
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    for _ in 0..4 {
        let first = fast.begin();
        fast.end(first, 1);
        let under_way = slow.begin();
        let second = fast.begin();
        fast.end(second, 2);
        fast.flush();
        let clock = |recorder: &Recorder<u8>| {
            // Two reads of the clock separate the earlier events from the later time.
            let mut log = recorder.thread();
            let begin = log.begin();
            while log.begin() == begin {}
            log.forget(begin);
        };
        clock(&recorder);
        assert_eq!(recorder.drain(&mut writer).unwrap(), 1);
        slow.end(under_way, 3);
        slow.flush();
        clock(&recorder);
        assert_eq!(recorder.drain(&mut writer).unwrap(), 2);
        (slow, fast) = (fast, slow);
    }
}

/// A discarded event does not make a log forget the events that it holds: later events are not complete, whichever of two logs it is, and
/// after each flush.
#[test]
fn a_log_that_holds_something_holds_back_what_begins_after_it() {
    let recorder: Recorder<u8> = Recorder::new();
    let (mut slow, mut fast) = (recorder.thread(), recorder.thread());
    assert_eq!((slow.thread(), fast.thread()), (0, 1));
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    for _ in 0..4 {
        let first = slow.begin();
        slow.end(first, 1);
        let nothing = slow.begin();
        slow.forget(nothing);
        let second = fast.begin();
        fast.end(second, 2);
        fast.flush();
        // Wait until the clock has advanced.
        while fast.begin() <= second {}
        fast.forget(second);
        assert_eq!(recorder.drain(&mut writer).unwrap(), 0);
        slow.flush();
        assert_eq!(recorder.drain(&mut writer).unwrap(), 2);
        (slow, fast) = (fast, slow);
    }
}

/// A full log is handed over without a flush: the events of a thread that never pauses are written while it
/// continues, but not before there are enough to justify a lock.
#[test]
fn a_full_log_is_handed_over() {
    let recorder: Recorder<u16> = Recorder::new();
    let mut log = recorder.thread();
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    for number in 0..4095 {
        let begin = log.begin();
        log.end(begin, number);
    }
    assert_eq!(recorder.drain(&mut writer).unwrap(), 0);
    let begin = log.begin();
    log.end(begin, 4095);
    // Wait until the clock has advanced past the last event.
    let mut drained = 0;
    while drained < 4096 {
        drained += recorder.drain(&mut writer).unwrap();
        thread::yield_now();
        if log.begin() > begin && drained == 0 {
            drained += recorder.drain(&mut writer).unwrap();
            assert!(drained > 0, "nothing was handed over");
        }
    }
    drop(log);
    assert_eq!(recorder.finish().len(), 1);
}

#[test]
fn a_thread_that_panics_leaves_an_event_without_an_end() {
    let recorder: Recorder<Access> = Recorder::new();
    let mut log = recorder.thread();
    let result = catch_unwind(AssertUnwindSafe(move || {
        let begin = log.begin();
        log.end(begin, Access::Fence);
        let _begin = log.begin();
        panic!("on purpose");
    }));
    assert!(result.is_err());
    let events = recorder.finish();
    assert_eq!(events.len(), 2);
    assert_eq!((events[1].place, events[1].end), (1, None));
    assert_eq!(events[1].event, None);
}

/// Two logs that each are handed over in several blocks, and what is left: every event is there once, in its place.
#[test]
fn events_of_several_blocks_of_two_logs_are_all_there() {
    let recorder: Recorder<u32> = Recorder::new();
    let logs = [recorder.thread(), recorder.thread()];
    thread::scope(|scope| {
        for mut log in logs {
            scope.spawn(move || {
                for number in 0..10_000 {
                    let begin = log.begin();
                    log.end(begin, number);
                }
            });
        }
    });
    let events = recorder.finish();
    for thread in 0..2 {
        let own = events.iter().filter(|event| event.thread == thread);
        let own: Vec<_> = own.map(|event| (event.place, event.event)).collect();
        let expected: Vec<_> = (0..10_000_u32)
            .map(|number| (u64::from(number), Some(number)))
            .collect();
        assert!(own == expected, "{} events of thread {thread}", own.len());
    }
}
