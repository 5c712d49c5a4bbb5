//! Dekker's mutual exclusion, and its specification.
//!
//! Source: Dijkstra, *Cooperating Sequential Processes* (EWD 123), section 2.1, the solution of
//! Dekker. Two threads increment a counter by a load and a store, each between entering and leaving.
//!
//! Deviations. D1: each thread enters once. D2: a thread is cut off after the bounded number of
//! iterations.

use refmap_programs::{Fence, Presence, Program, ProgramBuilder, ThreadBuilder};

/// Fence places, in both threads alike, in program order.
pub const PLACES: [&str; 5] = [
    "after-raising",
    "after-lowering",
    "after-waiting",
    "after-entering",
    "before-leaving",
];

/// Two threads that take turns by Dekker's protocol, each of which increments a counter and shows what
/// it found there. Each thread jumps back at most `backward_jumps` times.
pub fn program(backward_jumps: u8) -> Program {
    let mut p = ProgramBuilder::new("Dekker");
    p.backward_jumps(backward_jumps);
    let wants = [p.location("wants 0", 0), p.location("wants 1", 0)];
    let turn = p.location("turn", 0);
    let counter = p.location("counter", 0);
    for me in 0..2 {
        let other = 1 - me;
        p.thread(format!("thread {me}"), |t| {
            let (theirs, whose, n) = (t.register("theirs"), t.register("whose"), t.register("n"));
            let [raising, lowering, waiting, entering, leaving] = PLACES;
            let place = |t: &mut ThreadBuilder<'_>, name: &str| {
                t.fence_at(name, Fence::Full, Presence::Absent);
            };
            t.store(wants[me], 1);
            place(t, raising);
            t.load(theirs, wants[other]);
            t.while_do(theirs.equals(1), |t| {
                t.load(whose, turn);
                t.when(whose.differs(me as i64), |t| {
                    t.store(wants[me], 0);
                    place(t, lowering);
                    t.repeat_until(whose.equals(me as i64), |t| t.load(whose, turn));
                    place(t, waiting);
                    t.store(wants[me], 1);
                    place(t, raising);
                });
                t.load(theirs, wants[other]);
            });
            place(t, entering);
            t.load(n, counter);
            t.store(counter, n + 1);
            place(t, leaving);
            t.store(turn, other as i64);
            t.store(wants[me], 0);
            t.output(n);
        });
    }
    p.build().expect("it is well formed")
}

/// The specification: increments are atomic, so the threads show 0 and 1.
pub fn specification() -> Program {
    let mut p = ProgramBuilder::new("atomic increment");
    let counter = p.location("counter", 0);
    for me in 0..2 {
        p.thread(format!("thread {me}"), |t| {
            let n = t.register("n");
            t.fetch_and_add(n, counter, 1);
            t.output(n);
        });
    }
    p.build().expect("it is well formed")
}
