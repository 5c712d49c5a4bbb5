//! A protocol of your own: where does it work, what goes wrong elsewhere, and which fences mend it?
//!
//! The one idea: state the threads and their specification, and check the one against the other. This is a
//! sequence lock that publishes two numbers which belong together.

use refmap::{Report, Settings, check};
use refmap_programs::synthesis::{Scenario, Synthesis, synthesise};
use refmap_programs::{
    Behaviours, Fence, MemoryModel, Presence, Program, ProgramBuilder, ProgramRefinement,
};

/// The implementation. The writer makes the sequence number odd, writes, and makes it even again; the
/// reader believes what it has read if it has seen the same even number before and after. At four
/// points a fence may stand, of any kind that suffices.
fn seqlock() -> Program {
    let mut program = ProgramBuilder::new("sequence lock");
    let sequence = program.location("sequence", 0);
    let (a, b) = (program.location("a", 0), program.location("b", 0));
    program.thread("writer", |t| {
        t.store(sequence, 1);
        t.fence_kinds_at("odd", Fence::ALL, Presence::Absent);
        t.store(a, 7);
        t.store(b, 7);
        t.fence_kinds_at("written", Fence::ALL, Presence::Absent);
        t.store(sequence, 2);
    });
    program.thread("reader", |t| {
        let (before, after) = (t.register("before"), t.register("after"));
        let (x, y) = (t.register("x"), t.register("y"));
        t.load(before, sequence);
        t.fence_kinds_at("looked", Fence::ALL, Presence::Absent);
        t.load(x, a);
        t.load(y, b);
        t.fence_kinds_at("read", Fence::ALL, Presence::Absent);
        t.load(after, sequence);
        t.when(before.equals(after).and(before.differs(1)), |t| {
            t.output(x);
            t.output(y);
        });
    });
    program.build().expect("the program is well formed")
}

/// The specification: both numbers are written at once and read at once, or the reader gives up.
fn at_once() -> Program {
    let mut program = ProgramBuilder::new("at once");
    let (a, b) = (program.location("a", 0), program.location("b", 0));
    program.thread("writer", |t| {
        t.atomic(|t| {
            t.store(a, 7);
            t.store(b, 7);
        });
    });
    program.thread("reader", |t| {
        let (reads, x, y) = (t.register("reads"), t.register("x"), t.register("y"));
        t.choose(reads, [0, 1]);
        t.when(reads, |t| {
            t.atomic(|t| {
                t.load(x, a);
                t.load(y, b);
            });
            t.output(x);
            t.output(y);
        });
    });
    program.build().expect("the program is well formed")
}

/// The claim: every behaviour of the implementation is one of the specification.
fn refinement(program: Program, model: MemoryModel) -> ProgramRefinement {
    let specification = Behaviours::of(at_once(), MemoryModel::Sc, 1_000);
    ProgramRefinement::new(
        program,
        model,
        specification.expect("the specification is small"),
    )
}

fn run(program: Program, model: MemoryModel) -> Report {
    let report = check(&refinement(program, model), &Settings::default());
    let report = report.expect("every obligation is checked");
    report.named("seqlock", [("model", model.name())])
}

fn fences(model: MemoryModel) -> Synthesis {
    let scenario = Scenario::of("at once", refinement(seqlock(), MemoryModel::Sc));
    synthesise(&[scenario], model, &Settings::default()).expect("fences are searched")
}

pub fn main() {
    // Where does it work?
    for model in MemoryModel::ALL {
        let report = run(seqlock(), model);
        let verdict = report.verdict.expect("it is decided");
        println!("{:<9} {verdict:<9} {} states", model.name(), report.states);
    }

    // What goes wrong elsewhere? A shortest trace.
    println!("\n{}", run(seqlock(), MemoryModel::PsoFull));

    // Which fences mend it?
    println!("{}", fences(MemoryModel::PsoFull));
    println!("{}", fences(MemoryModel::RmoFull));
}

// Under SC and TSO stores become visible in order and loads are performed in order, which is all that
// is asked for. Under PSO a number may be seen before the sequence number that is to announce it; the
// writer needs a release fence after each of its steps. Under RMO the reader needs an acquire fence
// between each of its own as well. No full fence is in the answer, since a weaker one is enough
// everywhere.
//
// The change that makes the check hold: `seqlock().with_fences(["odd:release", "written:release"])`
// under PSO.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    fn sets(model: MemoryModel) -> Vec<Vec<String>> {
        let found = fences(model);
        let sets = found.sets().iter();
        sets.map(|set| set.fences.clone()).collect()
    }

    #[test]
    fn it_works_where_stores_and_loads_are_in_order() {
        for model in MemoryModel::ALL {
            let expected = match model {
                MemoryModel::Sc | MemoryModel::Tso => Verdict::Holds,
                _ => Verdict::Violated,
            };
            assert_eq!(run(seqlock(), model).verdict, Some(expected), "{model}");
        }
    }

    #[test]
    fn a_shortest_trace_shows_a_number_that_was_not_announced() {
        let report = run(seqlock(), MemoryModel::PsoFull);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.obligation, "simulation");
        assert_eq!(counterexample.length, 5);
    }

    #[test]
    fn the_weakest_fences_that_suffice_are_found() {
        assert_eq!(sets(MemoryModel::Tso), [[""; 0]; 1]);
        let writer = ["odd:release", "written:release"];
        assert_eq!(sets(MemoryModel::PsoFull), [writer]);
        let both = [
            "odd:release",
            "written:release",
            "looked:acquire",
            "read:acquire",
        ];
        assert_eq!(sets(MemoryModel::RmoFull), [both]);
    }

    #[test]
    fn with_them_it_refines_its_specification_and_says_something() {
        let program = seqlock().with_fences(["odd:release", "written:release"]);
        let report = run(program.expect("these are places"), MemoryModel::PsoFull);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert!(report.unexercised.is_empty(), "{:?}", report.unexercised);
    }
}
