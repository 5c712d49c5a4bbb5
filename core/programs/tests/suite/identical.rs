//! Tests that any number of identical threads are those of a program that has so many, and what is none of any number.

use refmap::crowd::CrowdRefinement;
use refmap::obligation::CheckError;
use refmap::{Refinement, Report, Settings, Verdict, check, check_any_number};
use refmap_programs::{
    Behaviours, Fence, IdenticalThreads, Location, MemoryModel, NotAlike, Program, ProgramBuilder,
    ProgramRefinement, ThreadBuilder, Value,
};

const STATES: u64 = 100_000;

fn report(refinement: &impl Refinement) -> Report {
    check(refinement, &Settings::default()).expect("it is checked")
}

fn of_any_number(threads: &IdenticalThreads) -> Result<Report, CheckError> {
    check_any_number(threads, &Settings::default())
}

/// So many threads that know the same locations.
fn alike(
    threads: usize,
    shared: &[&str],
    body: impl Fn(&mut ThreadBuilder<'_>, &[Location]),
) -> Program {
    let mut program = ProgramBuilder::new("alike");
    let shared = shared.iter().map(|name| program.location(*name, 0));
    let shared: Vec<_> = shared.collect();
    for thread in 0..threads {
        program.thread(format!("thread {thread}"), |t| body(t, &shared));
    }
    program.build().expect("it is well formed")
}

/// A thread that outputs one of two numbers, or nothing.
fn says_little(t: &mut ThreadBuilder<'_>, _: &[Location]) {
    let (speaks, said) = (t.register("speaks"), t.register("said"));
    t.choose(speaks, [0, 1]);
    t.when(speaks, |t| {
        t.choose(said, [0, 1]);
        t.output(said);
    });
}

/// Increments a number by a reservation, and outputs what it was.
fn reserves(t: &mut ThreadBuilder<'_>, shared: &[Location]) {
    let (r, done) = (t.register("r"), t.register("done"));
    t.load_linked(r, shared[0]);
    t.store(shared[1], 1);
    t.store_conditional(done, shared[0], r + 1);
    t.when(done, |t| t.output(r));
}

/// Chooses, swaps and asserts.
fn swaps(t: &mut ThreadBuilder<'_>, shared: &[Location]) {
    let (taken, found) = (t.register("taken"), t.register("found"));
    t.cas(taken, shared[0], 0, 1);
    t.when(taken, |t| {
        t.load(found, shared[1]);
        t.assert(found.equals(0));
        t.store(shared[1], 1);
        t.store(shared[1], 0);
        t.store(shared[0], 0);
    });
}

/// A block that writes two locations, of which others may have reserved one.
fn blocks(t: &mut ThreadBuilder<'_>, shared: &[Location]) {
    let (r, done) = (t.register("r"), t.register("done"));
    t.load_linked(r, shared[0]);
    t.store_conditional(done, shared[0], 0);
    t.atomic(|t| {
        t.store(shared[1], done);
        t.store(shared[0], 0);
    });
    t.output(done);
}

/// The instances have the states, the steps and the verdicts of programs of so many threads, under every model.
#[test]
fn instances_are_programs_of_so_many_threads() {
    type Body = fn(&mut ThreadBuilder<'_>, &[Location]);
    let mut verdicts = Vec::new();
    for (number, body) in [reserves as Body, swaps, blocks].into_iter().enumerate() {
        let program = |threads| alike(threads, &["x", "y"], body);
        let specification = |threads| alike(threads, &[], says_little);
        for model in MemoryModel::ALL {
            let crowd = IdenticalThreads::new(program(1), model, specification(1));
            let crowd = crowd.expect("it is of any number");
            for threads in 1..=3 {
                let expected = Behaviours::of(specification(threads), MemoryModel::Sc, STATES);
                let expected = expected.expect("it is small");
                let plain = ProgramRefinement::new(program(threads), model, expected);
                let (plain, instance) = (report(&plain), report(&crowd.of(threads)));
                let told = |report: &Report| {
                    let violated: Vec<_> = report.violated().map(str::to_owned).collect();
                    (report.states, report.transitions, report.verdict, violated)
                };
                assert_eq!(
                    told(&plain),
                    told(&instance),
                    "{number} {model} {threads}: {plain}{instance}"
                );
                verdicts.push(plain.verdict);
            }
        }
    }
    for verdict in [Verdict::Holds, Verdict::Violated] {
        assert!(verdicts.contains(&Some(verdict)));
    }
}

/// Threads that wait in a flag of their own until a shared one is up; `own` are the flags of so many threads.
fn counts(t: &mut ThreadBuilder<'_>, shared: Location, own: Location) {
    let (r, s) = (t.register("r"), t.register("s"));
    t.store(own, 1);
    t.fetch_and_add(r, shared, 1);
    t.load(s, own);
    t.store(own, r + s);
    t.load(s, own);
    t.assert(s.equals(r + 1));
}

/// A location that each thread has for itself is one of its own in a program of so many threads.
#[test]
fn each_thread_has_a_location() {
    let mut one = ProgramBuilder::new("one");
    let shared = one.location("shared", 0);
    let own = one.location_of_each_thread("own", 0);
    one.thread("thread", |t| counts(t, shared, own));
    let one = one.build().expect("it is well formed");
    let nothing = |threads| alike(threads, &[], |_, _| ());
    for model in MemoryModel::ALL {
        let crowd = IdenticalThreads::new(one.clone(), model, nothing(1));
        let crowd = crowd.expect("it is of any number");
        for threads in 1..=3 {
            let mut all = ProgramBuilder::new("all");
            let shared = all.location("shared", 0);
            for thread in 0..threads {
                let own = all.location(format!("own {thread}"), 0);
                all.thread(format!("thread {thread}"), |t| counts(t, shared, own));
            }
            let all = all.build().expect("it is well formed");
            let expected = Behaviours::of(nothing(threads), MemoryModel::Sc, STATES);
            let plain = ProgramRefinement::new(all, model, expected.expect("it is small"));
            let (plain, instance) = (report(&plain), report(&crowd.of(threads)));
            let told = |report: &Report| (report.states, report.transitions, report.verdict);
            assert_eq!(told(&plain), told(&instance), "{model}: {plain}{instance}");
            assert_eq!(plain.verdict, Some(Verdict::Holds), "{plain}");
        }
    }
}

/// A flag of each thread, in the place of one that all share: nobody waits for another one, and both are inside.
#[test]
fn no_thread_sees_what_another_has_for_itself() {
    let program = |is_own: bool| {
        let mut program = ProgramBuilder::new("flags");
        let flag = if is_own {
            program.location_of_each_thread("flag", 0)
        } else {
            program.location("flag", 0)
        };
        let inside = program.location("inside", 0);
        program.thread("thread", |t| {
            let (taken, found) = (t.register("taken"), t.register("found"));
            t.cas(taken, flag, 0, 1);
            t.when(taken, |t| {
                t.load(found, inside);
                t.assert(found.equals(0));
                t.store(inside, 1);
                t.store(inside, 0);
                t.fence(Fence::Full);
            });
        });
        program.build().expect("it is well formed")
    };
    for (is_own, expected) in [(false, Verdict::Holds), (true, Verdict::Violated)] {
        let nothing = alike(1, &[], |_, _| ());
        let crowd = IdenticalThreads::new(program(is_own), MemoryModel::Tso, nothing);
        let report = of_any_number(&crowd.expect("it is of any number"));
        let report = report.expect("it is checked");
        assert_eq!(report.verdict, Some(expected), "{report}");
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(found.failed_with, is_own.then_some(2));
        // A thread is shown with what it has for itself.
        if let Some(shown) = &report.counterexample {
            let text = report.to_string();
            assert_eq!(shown.obligation, "simulation");
            assert!(text.contains("thread 1  flag 1  found 0"), "{text}");
            assert!(
                text.contains("thread 1: found := inside, reads 1  ["),
                "{text}"
            );
        }
    }
}

#[test]
fn what_is_none_of_any_number_is_refused() {
    let nothing = || alike(1, &[], |_, _| ());
    let refused = |program, specification| {
        let crowd = IdenticalThreads::new(program, MemoryModel::Sc, specification);
        crowd.expect_err("it is refused")
    };
    let several = refused(alike(2, &[], |_, _| ()), nothing());
    assert!(matches!(several, NotAlike::Several { threads: 2, .. }));
    let several = refused(nothing(), alike(3, &[], |_, _| ()));
    assert!(matches!(several, NotAlike::Several { threads: 3, .. }));
    let loops = |t: &mut ThreadBuilder<'_>, x: &[Location]| {
        let r = t.register("r");
        t.repeat_until(r.equals(0), |t| t.load(r, x[0]));
    };
    let bounded = refused(alike(1, &["x"], loops), nothing());
    assert_eq!(
        bounded.to_string(),
        "loops of \"alike\" have a bound: any number of threads are said to end, or to loop without one"
    );
    let shares = refused(nothing(), alike(1, &["x"], swaps_nothing));
    assert_eq!(
        shares.to_string(),
        "threads of the specification share \"x\": what one may output does not depend on another one"
    );
}

fn swaps_nothing(t: &mut ThreadBuilder<'_>, x: &[Location]) {
    let r = t.register("r");
    t.load(r, x[0]);
    t.output(r);
}

/// The address of what a thread has for itself is nothing to others, and is refused where they could read it.
#[test]
fn an_address_of_its_own_is_kept_by_a_thread() {
    let mut program = ProgramBuilder::new("leaks");
    let shared = program.location("shared", 0);
    let own = program.location_of_each_thread("own", 0);
    program.thread("thread", |t| t.store(shared, Value::Address(own)));
    let program = program.build().expect("it is well formed");
    let nothing = alike(1, &[], |_, _| ());
    let crowd = IdenticalThreads::new(program, MemoryModel::Sc, nothing);
    let told = match of_any_number(&crowd.expect("it is of any number")) {
        Ok(report) => report.to_string(),
        Err(error) => error.to_string(),
    };
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "\"shared\", which all threads share, holds the address of \"own\", which each has for itself";
    assert!(told.contains(expected), "{told}");
}
