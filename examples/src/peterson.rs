//! Peterson's mutual exclusion refines an atomic increment under SC, and not under TSO; which fences
//! mend it is found.
//!
//! The one idea: an algorithm is stated once, and the memory model is a value. Its specification is
//! another program, and the outputs of both are compared.

use refmap::{Report, Settings, check};
use refmap_programs::synthesis::{Scenario, Synthesis, synthesise};
use refmap_programs::{
    Behaviours, Fence, MemoryModel, Presence, Program, ProgramBuilder, ProgramRefinement,
};

/// State limit, larger than any of the programs here needs.
const STATES: u64 = 1_000_000;

/// The implementation: two threads take turns by Peterson's protocol, each increments a counter by a
/// load and a store, and shows what it found there. Fences may stand at four places, in both threads
/// alike.
// ANCHOR: peterson
fn peterson() -> Program {
    let mut program = ProgramBuilder::new("Peterson");
    // How often a thread looks again before it is cut off.
    program.backward_jumps(2);
    let flags = [program.location("flag0", 0), program.location("flag1", 0)];
    let turn = program.location("turn", 0);
    let counter = program.location("counter", 0);
    for me in 0..2 {
        let other = 1 - me;
        program.thread(format!("thread {me}"), |t| {
            let (flag, whose, n) = (t.register("flag"), t.register("whose"), t.register("n"));
            t.store(flags[me], 1);
            t.fence_at("raised", Fence::Full, Presence::Absent);
            t.store(turn, other as i64);
            t.fence_at("announced", Fence::Full, Presence::Absent);
            t.repeat_until(flag.is_false().or(whose.equals(me as i64)), |t| {
                t.load(flag, flags[other]);
                t.load(whose, turn);
            });
            t.fence_at("entered", Fence::Full, Presence::Absent);
            t.load(n, counter);
            t.store(counter, n + 1);
            t.fence_at("leaving", Fence::Full, Presence::Absent);
            t.store(flags[me], 0);
            t.output(n);
        });
    }
    program.build().expect("the program is well formed")
}
// ANCHOR_END: peterson

/// The specification: the counter is incremented at once. So the threads show 0 and 1.
fn atomic_increment() -> Program {
    let mut program = ProgramBuilder::new("atomic increment");
    let counter = program.location("counter", 0);
    for me in 0..2 {
        program.thread(format!("thread {me}"), |t| {
            let n = t.register("n");
            t.atomic(|t| {
                t.load(n, counter);
                t.store(counter, n + 1);
            });
            t.output(n);
        });
    }
    program.build().expect("the program is well formed")
}

fn refinement(program: Program, model: MemoryModel) -> ProgramRefinement {
    let specification = Behaviours::of(atomic_increment(), MemoryModel::Sc, STATES);
    let specification = specification.expect("the specification is small");
    ProgramRefinement::new(program, model, specification)
}

fn run(program: Program, model: MemoryModel) -> Report {
    let jumps = program.backward_jumps.expect("its loops are bounded");
    let instance = [
        ("model", model.to_string()),
        ("backward_jumps", jumps.to_string()),
    ];
    let refinement = refinement(program, model);
    let report = check(&refinement, &Settings::default()).expect("every obligation is checked");
    report.named("peterson", instance)
}

/// Every minimal set of fences with which it refines the specification.
fn mend(model: MemoryModel) -> Synthesis {
    let scenario = Scenario::of("atomic", refinement(peterson(), model));
    synthesise(&[scenario], model, &Settings::default()).expect("fences are searched")
}

pub fn main() {
    println!("{}", run(peterson(), MemoryModel::Sc));

    // The change that makes the check fail.
    println!("{}", run(peterson(), MemoryModel::Tso));

    // And what makes it hold again.
    println!("{}", mend(MemoryModel::Tso));
    println!("{}", mend(MemoryModel::PsoNo));
}

// Under TSO a thread's stores wait while it goes on to load. In the second report a thread's flag is
// still pending (in parentheses) when the other one looks at it: both find the other's flag down,
// both enter, and both show 0.
//
// A fence between the announcement and the look mends it, and no other place will do: the third report
// shows the trace without it. Under PSO that is not enough, says the fourth. There the flag may go down
// before the counter goes up, and a thread that enters then finds the old value. And the turn may be given
// away before the flag is up: the other thread sees no flag, enters, and has given the turn back before
// that, so that the first one enters too.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::{Evidence, Verdict};

    fn fenced() -> Program {
        peterson()
            .with_fences(["announced"])
            .expect("it is a place")
    }

    #[test]
    fn it_excludes_under_sc() {
        let report = run(peterson(), MemoryModel::Sc);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        // A thread that waits is cut off by the bound.
        assert_eq!(report.evidence, Evidence::Bounded);
        assert!(report.cut_off.is_some());
        assert!(report.unexercised.is_empty(), "{:?}", report.unexercised);
    }

    /// Two loads before the flags are seen, the increments, and what else has to be performed before.
    #[test]
    fn it_does_not_under_tso() {
        let report = run(peterson(), MemoryModel::Tso);
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.length, 6);
    }

    #[test]
    fn a_fence_mends_it_under_tso_and_not_under_pso() {
        assert_eq!(
            run(fenced(), MemoryModel::Tso).verdict,
            Some(Verdict::Holds)
        );
        assert_eq!(
            run(fenced(), MemoryModel::PsoNo).verdict,
            Some(Verdict::Violated)
        );
    }

    #[test]
    fn the_fences_that_mend_it_are_found() {
        let sets = |model| -> Vec<Vec<String>> {
            let found = mend(model);
            let sets = found.sets().iter();
            sets.map(|set| set.fences.clone()).collect()
        };
        assert_eq!(sets(MemoryModel::Sc), [[""; 0]; 1]);
        assert_eq!(sets(MemoryModel::Tso), [["announced"]]);
        assert_eq!(
            sets(MemoryModel::PsoNo),
            [["raised", "announced", "leaving"]]
        );
    }
}
