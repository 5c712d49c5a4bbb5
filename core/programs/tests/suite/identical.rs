//! Tests that any number of identical threads are those of a program that has so many, and what is none of any number.

use refmap::crowd::CrowdRefinement;
use refmap::obligation::CheckError;
use refmap::{Refinement, Report, Settings, Verdict, check, check_any_number};
use refmap_programs::store_buffers::Buffered;
use refmap_programs::{
    Behaviours, BuildError, Fault, Fence, IdenticalThreads, Location, Machine, MemoryModel,
    NotAlike, Operator, Program, ProgramBuilder, ProgramRefinement, ThreadBuilder, ThreadEnd,
    Value, axiomatic, ends, outcomes,
};

const STATES: u64 = 100_000;

fn report(refinement: &impl Refinement) -> Report {
    check(refinement, &Settings::default()).expect("it is checked")
}

/// The verdict on a program, of which the instance of a crowd has the states, the transitions, the verdict and the rows that are violated.
fn compared(
    instance: &impl Refinement,
    program: Program,
    model: MemoryModel,
    specification: Program,
) -> Option<Verdict> {
    let expected = Behaviours::of(specification, MemoryModel::Sc, STATES);
    let plain = ProgramRefinement::new(program, model, expected.expect("it is small"));
    let (plain, instance) = (report(&plain), report(instance));
    let told = |report: &Report| {
        let violated: Vec<_> = report.violated().map(str::to_owned).collect();
        (report.states, report.transitions, report.verdict, violated)
    };
    assert_eq!(told(&plain), told(&instance), "{model}: {plain}{instance}");
    plain.verdict
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
    for body in [reserves as Body, swaps, blocks] {
        let program = |threads| alike(threads, &["x", "y"], body);
        let specification = |threads| alike(threads, &[], says_little);
        for model in MemoryModel::ALL {
            let crowd = IdenticalThreads::new(program(1), model, specification(1));
            let crowd = crowd.expect("it is of any number");
            for threads in 1..=3 {
                let expected = specification(threads);
                verdicts.push(compared(
                    &crowd.of(threads),
                    program(threads),
                    model,
                    expected,
                ));
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

/// A thread that knows a location of all, one of its own, and those of others.
type Knowing = fn(&mut ThreadBuilder<'_>, Location, Location, &[Location]);

/// So many threads that read each other's flags, or any number of them.
fn flags(threads: Option<usize>, body: Knowing) -> Program {
    let mut program = ProgramBuilder::new("flags");
    let inside = program.location("inside", 0);
    let Some(threads) = threads else {
        let flag = program.location_of_each_thread("flag", 0);
        program.thread("thread", |t| body(t, inside, flag, &[flag]));
        return program.build().expect("it is well formed");
    };
    let flags = (0..threads).map(|thread| program.location(format!("flag {thread}"), 0));
    let flags: Vec<_> = flags.collect();
    for (thread, flag) in flags.iter().enumerate() {
        let mut others = flags.clone();
        others.remove(thread);
        program.thread(format!("thread {thread}"), |t| {
            body(t, inside, *flag, &others)
        });
    }
    program.build().expect("it is well formed")
}

fn goes_inside(t: &mut ThreadBuilder<'_>, inside: Location) {
    let found = t.register("found");
    t.load(found, inside);
    t.assert(found.equals(0));
    t.store(inside, 1);
    t.store(inside, 0);
}

/// Takes its flag up, and goes inside if no other one is; behind a fence, or without one.
fn enters<const FENCED: bool>(
    t: &mut ThreadBuilder<'_>,
    inside: Location,
    own: Location,
    others: &[Location],
) {
    let other = t.register("other");
    t.store(own, 1);
    if FENCED {
        t.fence(Fence::Full);
    }
    t.load_some(other, others.iter().copied(), Operator::Differ, 0);
    t.when(other.is_false(), |t| goes_inside(t, inside));
}

/// The same, behind a fence, with a loop that loads the flag of each other one by itself.
fn enters_by_loop(t: &mut ThreadBuilder<'_>, inside: Location, own: Location, others: &[Location]) {
    let (other, each) = (t.register("other"), t.register("each"));
    t.store(own, 1);
    t.fence(Fence::Full);
    for flag in others {
        t.load(each, *flag);
        t.assign(other, other + each);
    }
    t.when(other.is_false(), |t| goes_inside(t, inside));
}

/// Looks at others in two ways, then waits in a block that looks again behind what it writes, and at what all share; outputs some of what it has found.
fn looks_again(t: &mut ThreadBuilder<'_>, shared: Location, own: Location, others: &[Location]) {
    let (one, two, three) = (t.register("one"), t.register("two"), t.register("three"));
    t.store(own, 1);
    t.load_some(one, others.iter().copied(), Operator::Equal, 1);
    t.load_some(two, others.iter().copied(), Operator::Less, 1);
    t.store(own, one + 2);
    t.atomic(|t| {
        t.store(shared, 1);
        t.load_some(three, others.iter().copied(), Operator::Equal, 2);
        t.require(three.is_false());
        t.store(own, 0);
        t.load_some(three, others.iter().copied(), Operator::Differ, 0);
    });
    t.load_some(one, [shared], Operator::Differ, 0);
    t.when(two, |t| t.output(one + three));
}

/// Threads of any number have for themselves what they have in a program of so many.
#[test]
fn a_thread_reads_what_all_others_have() {
    let mut verdicts = Vec::new();
    for body in [enters::<true> as Knowing, enters::<false>, looks_again] {
        let specification = |threads| alike(threads, &[], says_little);
        for model in MemoryModel::ALL {
            let crowd = IdenticalThreads::new(flags(None, body), model, specification(1));
            let crowd = crowd.expect("it is of any number");
            for threads in 1..=3 {
                let expected = specification(threads);
                verdicts.push(compared(
                    &crowd.of(threads),
                    flags(Some(threads), body),
                    model,
                    expected,
                ));
            }
        }
    }
    for verdict in [Verdict::Holds, Verdict::Violated] {
        assert!(verdicts.contains(&Some(verdict)));
    }
}

/// Store buffers, which share no part of their execution, have the same outcomes, and axioms none.
#[test]
fn several_locations_are_read_at_once_from_store_buffers_too() {
    use MemoryModel::{PsoFull, PsoNo, Sc, Tso};
    for body in [enters::<true> as Knowing, enters::<false>, looks_again] {
        let program = flags(Some(3), body);
        for model in [Sc, Tso, PsoFull, PsoNo] {
            let machine = Machine::new(program.clone(), model);
            let machine = outcomes(&machine, STATES).expect("it is small");
            let buffered = Buffered::new(program.clone(), model).expect("buffers explain it");
            let ends = ends(&buffered, 10 * STATES, None).expect("it is small");
            let ends = ends.states.iter().map(|state| buffered.outcome(state));
            assert_eq!(machine, ends.collect(), "{model}");
        }
        let none = axiomatic::outcomes(&program, Sc, STATES).expect_err("it has no axioms");
        assert_eq!(none, axiomatic::NotEnumerated::Snapshot);
    }
}

/// Flags exclude threads of every number behind a fence, and under sequential consistency without one. They stay up, so that a loop over them excludes as
/// many threads as a read of all at once does.
#[test]
fn flags_exclude_every_number_of_threads() {
    let nothing = |threads| alike(threads, &[], |_, _| ());
    for model in MemoryModel::ALL {
        for (body, holds) in [
            (enters::<true> as Knowing, true),
            (enters::<false>, model == MemoryModel::Sc),
        ] {
            let crowd = IdenticalThreads::new(flags(None, body), model, nothing(1));
            let report = of_any_number(&crowd.expect("it is of any number"));
            let report = report.expect("it is checked");
            let verdict = if holds {
                Verdict::Holds
            } else {
                Verdict::Violated
            };
            assert_eq!(report.verdict, Some(verdict), "{model}: {report}");
            let found = report.every_number.as_ref().expect("it is asked for");
            assert_eq!(found.failed_with, (!holds).then_some(2), "{model}");
            if !holds {
                let text = report.to_string();
                assert!(
                    text.contains("other := some other flag != 0, reads 0"),
                    "{text}"
                );
            }
        }
        for threads in 1..=3 {
            let program = flags(Some(threads), enters_by_loop);
            let expected = Behaviours::of(nothing(threads), MemoryModel::Sc, STATES);
            let expected = expected.expect("it is small");
            let by_loop = report(&ProgramRefinement::new(program, model, expected));
            assert_eq!(by_loop.verdict, Some(Verdict::Holds), "{model}: {by_loop}");
        }
    }
}

/// No moment is without a flag where one goes up before another one goes down; a loop that looks at one after the other finds none.
#[test]
fn flags_that_go_down_are_found_down_by_a_loop_alone() {
    let finds_none = |at_once: bool| {
        let mut program = ProgramBuilder::new("in turn");
        let flags = [program.location("first", 0), program.location("second", 1)];
        program.thread("turns", |t| {
            t.store(flags[0], 1);
            t.store(flags[1], 0);
        });
        program.thread("looks", |t| {
            let (up, each) = (t.register("up"), t.register("each"));
            if at_once {
                t.load_some(up, flags, Operator::Differ, 0);
            } else {
                for flag in flags {
                    t.load(each, flag);
                    t.assign(up, up + each);
                }
            }
            t.output(up);
        });
        let machine = Machine::new(program.build().expect("it is well formed"), MemoryModel::Sc);
        let outcomes = outcomes(&machine, STATES).expect("it is small");
        let mut looking = outcomes.iter().map(|outcome| &outcome.threads[1].output);
        looking.any(|output| *output == [0.into()])
    };
    assert_eq!([true, false].map(finds_none), [false, true]);
}

#[test]
fn what_is_read_at_once_is_alike_and_has_no_address() {
    let error = |state: &dyn Fn(&mut ProgramBuilder, Location, Location)| {
        let mut program = ProgramBuilder::new("wrong");
        let shared = program.location("shared", 0);
        let own = program.location_of_each_thread("own", 0);
        state(&mut program, shared, own);
        program.build()
    };
    let mixed = error(&|p, shared, own| {
        p.thread("a", |t| {
            let r = t.register("r");
            t.load_some(r, [shared, own], Operator::Equal, 1);
        });
    });
    let mixed = mixed.expect_err("it mixes");
    assert!(matches!(mixed, BuildError::MixedSnapshot { thread } if thread == "a"));
    let foreign = error(&|p, _, _| {
        p.thread("a", |t| {
            let r = t.register("r");
            t.load_some(r, [Location(7)], Operator::Equal, 1);
        });
    });
    assert!(matches!(foreign, Err(BuildError::ForeignLocation { location }) if location.0 == 7));
    // What is read is behind the two in memory, once for both loads.
    let behind = error(&|p, shared, own| {
        p.thread("a", |t| {
            let r = t.register("r");
            t.load_some(r, [own], Operator::Equal, 0);
            t.load_some(r, [own], Operator::Equal, 0);
            t.store(shared.address() + 2 + r, 1);
        });
    });
    let behind = behind.expect("it is well formed");
    assert_eq!(behind.variables.len(), 3);
    let faults = outcomes(&Machine::new(behind, MemoryModel::Sc), STATES);
    let faults = faults.expect("it is small");
    let mut ends = faults.iter().map(|outcome| outcome.threads[0].end);
    assert!(ends.all(|end| end == ThreadEnd::Faulty(Fault::NoSuchLocation)));
}

/// A specification reads no others: its outputs do not depend on them.
#[test]
fn a_specification_reads_no_others() {
    let mut program = ProgramBuilder::new("looks");
    let own = program.location_of_each_thread("own", 0);
    program.thread("thread", |t| {
        let r = t.register("r");
        t.load_some(r, [own], Operator::Differ, 0);
        t.output(r);
    });
    let program = program.build().expect("it is well formed");
    let nothing = alike(1, &[], |_, _| ());
    let crowd = IdenticalThreads::new(nothing, MemoryModel::Sc, program);
    let refused = crowd.expect_err("it depends on others");
    let location = "some other own != 0".to_owned();
    assert_eq!(refused, NotAlike::Shares { location });
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
