//! Tests with two of everything, and more where two are a special case; and past one byte, and up to the greatest number that a word
//! holds. The second thread, value, fence or scenario counts as the first does.

use std::collections::BTreeSet;

use refmap::internal::first_initial;
use refmap::{
    Action as _, Fairness, Refinement, Settings, TransitionSystem, Verdict, check, successor,
};
use refmap_programs::litmus::{self, Bounds, RunError};
use refmap_programs::store_buffers::Buffered;
use refmap_programs::synthesis::{Answer, Scenario, Synthesis, SynthesisError, synthesise};
use refmap_programs::{
    Afterwards, Behaviours, BuildError, Expression, Fence, Location, MOST_LOCATIONS,
    MOST_REGISTERS, Machine, MemoryModel, Operator, Outcome, Place, Presence, Program,
    ProgramBuilder, ProgramRefinement, ThreadBuilder, ThreadEnd, TooManyStates, Value, axiomatic,
    outcomes,
};

const STATES: u64 = 100_000;

fn built(state: impl FnOnce(&mut ProgramBuilder)) -> Program {
    let mut program = ProgramBuilder::new("two");
    state(&mut program);
    program.build().expect("it is well formed")
}

fn error(state: impl FnOnce(&mut ProgramBuilder)) -> BuildError {
    let mut program = ProgramBuilder::new("wrong");
    state(&mut program);
    program.build().expect_err("it is not well formed")
}

fn ends(program: Program, model: MemoryModel) -> BTreeSet<Outcome> {
    outcomes(&Machine::new(program, model), STATES).expect("it is small")
}

/// The unique outcome of a program.
fn end(program: Program, model: MemoryModel) -> Outcome {
    let mut ends = ends(program, model).into_iter();
    let end = ends.next().expect("it has one");
    assert_eq!(ends.next(), None);
    end
}

fn numbers(values: impl IntoIterator<Item = i64>) -> Vec<Value> {
    values.into_iter().map(Value::from).collect()
}

fn behaviours(program: Program) -> Behaviours {
    Behaviours::of(program, MemoryModel::Sc, STATES).expect("it is small")
}

#[test]
fn each_value_of_a_choice_is_chosen() {
    let program = built(|p| {
        p.thread("P0", |t| {
            let r = t.register("r");
            t.choose(r, 0..5);
            t.output(r);
        });
    });
    let ends = ends(program, MemoryModel::Sc);
    let shown = ends.iter().map(|end| end.threads[0].output.clone());
    assert!(shown.eq((0..5).map(|value| numbers([value]))), "{ends:?}");
}

/// From each permitted output, every permitted one is offered in which one thread has shown more.
#[test]
fn a_specification_offers_whatever_one_thread_may_show_next() {
    let program = built(|p| {
        let x = p.location("x", 0);
        for thread in 0..3_i64 {
            p.thread(format!("P{thread}"), |t| {
                let (r, c) = (t.register("r"), t.register("c"));
                t.fetch_and_add(r, x, 1);
                t.output(r + 10 * thread);
                t.choose(c, [0, 1, 2]);
                t.when(c.is_less_than(2), |t| t.output(c + 100 * (thread + 1)));
            });
        }
    });
    let specification = behaviours(program);
    let mut permitted = Vec::new();
    specification.initial(&mut |shown| permitted.push(shown));
    let mut offered_in_all = 0;
    for from in &permitted {
        let mut offered = Vec::new();
        specification.next(from, &mut |action, to| {
            assert_eq!(successor(&specification, from, &action).as_ref(), Some(to));
            offered.push(to.clone());
        });
        let is_next = |to: &&Vec<_>| {
            let pairs = from.iter().zip(*to).filter(|(one, other)| one != other);
            let changed: Vec<_> = pairs.collect();
            let [(before, after)] = changed[..] else {
                return false;
            };
            before.end == refmap_programs::End::None && after.output.starts_with(&before.output)
        };
        let expected: Vec<_> = permitted.iter().filter(is_next).collect();
        assert_eq!(offered.len(), expected.len(), "{from:?}");
        assert!(expected.iter().all(|to| offered.contains(to)), "{from:?}");
        offered_in_all += offered.len();
    }
    assert!(
        permitted.len() > 500 && offered_in_all > 2000,
        "{offered_in_all}"
    );
}

/// An instruction of a thread that waits for a value that is never written.
fn waiting(t: &mut ThreadBuilder<'_>, never: Location) {
    let r = t.register("r");
    t.repeat_until(r.equals(1), |t| t.load(r, never));
}

/// The first thread ends; the bound cuts the other two off.
fn cut_off_twice() -> Program {
    built(|p| {
        let (x, never) = (p.location("x", 0), p.location("never", 0));
        p.thread("ending", |t| t.store(x, 1));
        p.thread("left", |t| waiting(t, never));
        p.thread("right", |t| waiting(t, never));
        p.thread("blocked", |t| {
            let r = t.register("r");
            t.atomic(|t| {
                t.load(r, never);
                t.require(r);
            });
        });
    })
}

/// Each thread that is cut off is named, of the implementation and of the specification, and others may wait for any of them.
#[test]
fn every_thread_that_is_cut_off_is_named() {
    let refinement = ProgramRefinement::robust(cut_off_twice(), MemoryModel::Sc, STATES);
    let refinement = refinement.expect("it is small");
    let report = check(&refinement, &Settings::default()).expect("it is checked");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let cut_off = report.cut_off.as_ref().expect("some are");
    assert_eq!(cut_off.threads, ["left", "right"]);
    // In each state without a step the two are.
    let machine = refinement.implementation();
    let caveats = machine.caveats();
    let stopped = refmap_programs::ends(machine, STATES, None).expect("it is small");
    let mut cut_off = stopped.states.iter().map(|state| caveats.cut_off(state));
    assert!(cut_off.all(|threads| threads == ["left", "right"]));
    // Of the specification it is told where the implementation is not cut off.
    let refinement =
        ProgramRefinement::new(nothing(4), MemoryModel::Sc, behaviours(cut_off_twice()));
    let report = check(&refinement, &Settings::default()).expect("it is checked");
    let mut warnings = report.warnings.iter().map(|warning| &warning.text);
    assert!(
        warnings.any(|text| text.contains("what left, right would show")),
        "{report}"
    );
}

fn solved(scenarios: &[Scenario], model: MemoryModel) -> Synthesis {
    synthesise(scenarios, model, &Settings::default()).expect("it is decided")
}

fn nothing(threads: usize) -> Program {
    built(|p| (0..threads).for_each(|thread| p.thread(format!("P{thread}"), |_| ())))
}

#[test]
fn the_second_scenario_says_who_is_cut_off_and_what_is_vacuous() {
    // It shows 1 by a step of its own.
    let told = built(|p| {
        let x = p.location("x", 1);
        p.thread("P0", |t| {
            let r = t.register("r");
            t.load(r, x);
            t.output(r);
        });
    });
    let told = || Scenario::refines("told", told.clone(), behaviours(told.clone()));
    let cut_off = Scenario::robust("cut off", cut_off_twice(), STATES).expect("it is small");
    let found = solved(&[told(), cut_off], MemoryModel::Sc);
    assert_eq!(found.cut_off, ["left", "right"]);
    // It could show 1 if its bound did not cut it off.
    let mute = built(|p| {
        let never = p.location("never", 0);
        p.thread("P0", |t| {
            waiting(t, never);
            t.output(1);
        });
    });
    let speaks = || behaviours(built(|p| p.thread("P0", |t| t.output(1))));
    let vacuous = || Scenario::refines("vacuous", mute.clone(), speaks());
    for scenarios in [vec![vacuous(), told()], vec![told(), vacuous()]] {
        let found = solved(&scenarios, MemoryModel::Sc);
        let Answer::Unmendable {
            failure: None,
            vacuous,
        } = &found.answer
        else {
            panic!("{found}");
        };
        let [set] = &vacuous[..] else {
            panic!("one set: {found}");
        };
        assert_eq!((&*set.scenario, &*set.obligation), ("vacuous", "coverage"));
    }
}

/// Of three scenarios no two have one name, next to each other or not.
#[test]
fn any_two_scenarios_of_one_name_are_refused() {
    for names in [["a", "a", "b"], ["a", "b", "a"], ["b", "a", "a"]] {
        let scenarios =
            names.map(|name| Scenario::refines(name, nothing(1), behaviours(nothing(1))));
        let refused = synthesise(&scenarios, MemoryModel::Sc, &Settings::default());
        let expected = SynthesisError::DuplicateScenario { name: "a".into() };
        assert_eq!(refused.err(), Some(expected), "{names:?}");
    }
}

/// Each of the sets with which nothing happens is told. A thread shows what its specification forbids if both loads are early, and
/// nothing otherwise; either of two fences is enough.
#[test]
fn each_vacuous_set_is_told() {
    let program = built(|p| {
        let flags = [p.location("x", 0), p.location("y", 0)];
        let seen = [p.location("seen 0", 9), p.location("seen 1", 9)];
        for me in 0..2 {
            p.thread(format!("P{me}"), |t| {
                let (r, other) = (t.register("r"), t.register("other"));
                t.store(flags[me], 1);
                for place in ["first", "second", "third"] {
                    t.fence_at(place, Fence::Full, Presence::Absent);
                }
                t.load(r, flags[1 - me]);
                t.store(seen[me], r);
                t.fence(Fence::Full);
                t.repeat_until(r.is_false().and(other.is_false()), |t| {
                    t.load(other, seen[1 - me]);
                });
                t.output(7);
            });
        }
    });
    let eight = built(|p| (0..2).for_each(|me| p.thread(format!("P{me}"), |t| t.output(8))));
    let found = solved(
        &[Scenario::refines("eight", program, behaviours(eight))],
        MemoryModel::Tso,
    );
    let Answer::Unmendable {
        failure: None,
        vacuous,
    } = &found.answer
    else {
        panic!("{found}");
    };
    let sets: Vec<_> = vacuous.iter().map(|set| set.fences.concat()).collect();
    assert_eq!(sets, ["first", "second", "third"]);
    let text = found.to_string();
    for set in sets {
        assert!(
            text.contains(&format!("with fences at {set}, and")),
            "{text}"
        );
    }
}

/// Fences of one name have the kinds of all threads; one makes another redundant only if it does everywhere.
#[test]
fn places_are_those_of_every_thread_and_scenario() {
    let kinds = built(|p| {
        for (thread, fence) in [("P0", Fence::Full), ("P1", Fence::Release)] {
            p.thread(thread, |t| t.fence_at("place", fence, Presence::Absent));
        }
    });
    let refined = |program: Program| {
        let threads = program.threads.len();
        Scenario::refines("all", program, behaviours(nothing(threads)))
    };
    let found = solved(&[refined(kinds)], MemoryModel::Sc);
    assert_eq!(found.places[0].fences, [Fence::Full, Fence::Release]);
    assert_eq!(weaker(&[&[together, together], &[together]]), ["m:acquire"]);
    for wrong in [apart as Body, jumped] {
        assert_eq!(weaker(&[&[wrong]]), [""; 0]);
        assert_eq!(weaker(&[&[together, wrong]]), [""; 0]);
        assert_eq!(weaker(&[&[together], &[wrong]]), [""; 0]);
    }
}

type Body = fn(&mut ThreadBuilder<'_>);

fn together(t: &mut ThreadBuilder<'_>) {
    t.fence_kinds_at("m", [Fence::Full, Fence::Acquire], Presence::Absent);
}

fn apart(t: &mut ThreadBuilder<'_>) {
    t.fence_kinds_at("m", [Fence::Full], Presence::Absent);
    t.assert(1);
    t.fence_kinds_at("m", [Fence::Acquire], Presence::Absent);
}

/// A jump, and no branch, lands between the two.
fn jumped(t: &mut ThreadBuilder<'_>) {
    let (inside, ahead) = (t.label(), t.label());
    t.branch_unless(1, ahead);
    t.jump(inside);
    t.place(ahead);
    t.fence_kinds_at("m", [Fence::Full], Presence::Absent);
    t.place(inside);
    t.fence_kinds_at("m", [Fence::Acquire], Presence::Absent);
}

/// Places that the first place makes redundant in scenarios of threads with these bodies.
fn weaker(scenarios: &[&[Body]]) -> Vec<String> {
    let scenario = |(number, bodies): (usize, &&[Body])| {
        let program = built(|p| {
            for (thread, body) in bodies.iter().enumerate() {
                p.thread(format!("P{thread}"), body);
            }
        });
        let specification = behaviours(nothing(bodies.len()));
        Scenario::refines(number.to_string(), program, specification)
    };
    let scenarios: Vec<_> = scenarios.iter().enumerate().map(scenario).collect();
    solved(&scenarios, MemoryModel::Sc).places[0].weaker.clone()
}

#[test]
fn each_fence_of_a_set_is_shown_to_be_needed() {
    let program = built(|p| {
        let flags: Vec<_> = (0..3).map(|me| p.location(format!("x{me}"), 0)).collect();
        for me in 0..3 {
            p.thread(format!("P{me}"), |t| {
                let r = t.register("r");
                t.store(flags[me], 1);
                t.fence_at(format!("place {me}"), Fence::Full, Presence::Absent);
                t.load(r, flags[(me + 1) % 3]);
                t.output(r);
            });
        }
    });
    let robust = Scenario::robust("robust", program, STATES).expect("it is small");
    let found = solved(&[robust], MemoryModel::Tso);
    let [set] = found.sets() else {
        panic!("one set: {found}");
    };
    let without: Vec<_> = set.without.iter().map(|of| of.fence.as_str()).collect();
    assert_eq!(without, ["place 0", "place 1", "place 2"]);
}

#[test]
fn the_second_of_two_faults_of_a_program_is_found() {
    let foreign = error(|p| {
        p.location("x", 0);
        p.location("y", Value::Address(Location(7)));
        p.thread("P0", |_| ());
    });
    assert!(matches!(foreign, BuildError::ForeignLocation { .. }));
    let blind = |t: &mut ThreadBuilder<'_>| {
        let r = t.register("s");
        t.while_do(r.equals(0), |t| t.assign(r, r));
    };
    let second_thread = error(|p| {
        p.without_bound();
        let x = p.location("x", 0);
        p.thread("P0", |t| waiting(t, x));
        p.thread("P1", blind);
    });
    assert!(matches!(second_thread, BuildError::BlindLoop { thread, .. } if thread == "P1"));
    let second_loop = error(|p| {
        p.without_bound();
        let x = p.location("x", 0);
        p.thread("P0", |t| {
            waiting(t, x);
            // A jump back that leads nowhere again.
            let (back, ahead) = (t.label(), t.label());
            t.jump(ahead);
            t.place(back);
            let end = t.label();
            t.jump(end);
            t.place(ahead);
            t.jump(back);
            t.place(end);
            blind(t);
        });
    });
    assert!(matches!(second_loop, BuildError::BlindLoop { .. }));
    let second_block = error(|p| {
        p.thread("P0", |t| {
            t.atomic(|t| t.assert(1));
            let inside = t.label();
            t.branch_unless(1, inside);
            t.atomic(|t| {
                t.assert(1);
                t.place(inside);
                t.assert(1);
            });
        });
    });
    assert!(matches!(second_block, BuildError::NotInBlock { .. }));
    let target = error(|p| {
        let mut of_another = None;
        p.thread("P0", |t| {
            t.register("r");
            of_another = Some(t.register("s"));
        });
        let x = p.location("x", 0);
        p.thread("P1", |t| {
            t.register("r");
            t.load(of_another.expect("it is one of P0"), x);
        });
    });
    assert!(matches!(target, BuildError::ForeignRegister { .. }));
}

/// A thread has one reservation, and every other one loses its own of a location that is written.
#[test]
fn all_other_threads_lose_their_reservations() {
    let program = built(|p| {
        let (x, gate) = (p.location("x", 0), p.location("gate", 0));
        p.thread("P0", |t| {
            let r = t.register("r");
            t.atomic(|t| {
                t.load(r, gate);
                t.require(r.equals(3));
            });
            t.store(x, 1);
            t.store(gate, 4);
        });
        for thread in 1..4 {
            p.thread(format!("P{thread}"), |t| {
                let (r, s) = (t.register("r"), t.register("s"));
                t.load_linked(r, x);
                t.fence(Fence::Full);
                t.fetch_and_add(s, gate, 1);
                t.atomic(|t| {
                    t.load(r, gate);
                    t.require(r.equals(4));
                });
                t.store_conditional(s, x, 2);
                t.output(s);
            });
        }
    });
    for end in ends(program, MemoryModel::Sc) {
        let shown = end.threads[1..].iter().map(|thread| &thread.output);
        let shown: Vec<_> = shown.flatten().copied().collect();
        assert_eq!(shown, numbers([0, 0, 0]), "{end:?}");
    }
}

/// Pending outputs stay in order, and an instruction of many operands waits for each of them.
#[test]
fn operands_past_the_third_are_waited_for() {
    let program = built(|p| {
        let all: Vec<_> = (0..6_i64)
            .map(|n| p.location(format!("x{n}"), 1 << n))
            .collect();
        p.thread("P0", |t| {
            let into: Vec<_> = (0..6).map(|n| t.register(format!("r{n}"))).collect();
            for (register, location) in into.iter().zip(&all) {
                t.load(*register, *location);
            }
            let sum = into.iter().map(|register| *register + 0);
            t.output(sum.reduce(|sum, next| sum + next).expect("there are six"));
            t.output(into[0]);
            t.output(into[5]);
            t.output(into[1]);
        });
    });
    let all = end(program, MemoryModel::RmoNo);
    assert_eq!(all.threads[0].output, numbers([63, 1, 32, 2]));
    // What is known at once waits for an output before the accesses before it.
    let program = built(|p| {
        let [x, y] = [("x", 1), ("y", 2)].map(|(name, initial)| p.location(name, initial));
        p.thread("P0", |t| {
            let (r, s) = (t.register("r"), t.register("s"));
            t.load(r, x);
            t.output(r);
            t.load(s, y);
            t.store(x, 3);
            t.output(5);
            t.output(s);
        });
    });
    for model in MemoryModel::ALL {
        let shown = end(program.clone(), model).threads[0].output.clone();
        assert_eq!(shown, numbers([1, 5, 2]), "{model}");
    }
}

/// A load that reads an own store waits for each load that the stored value is computed of, in the axioms as in the machine.
#[test]
fn a_forwarded_value_waits_for_each_load_that_it_is_computed_of() {
    for place in 0..3 {
        let program = built(|p| {
            let [data, flag, own] = ["data", "flag", "own"].map(|name| p.location(name, 0));
            let others = ["a", "b"].map(|name| p.location(name, 0));
            p.thread("writer", |t| {
                t.store(data, 1);
                t.fence(Fence::Full);
                t.store(flag, 1);
            });
            p.thread("reader", |t| {
                let [a, b, f, own_value, d] =
                    ["a", "b", "f", "own", "d"].map(|name| t.register(name));
                let mut loads = vec![(a, others[0]), (b, others[1])];
                loads.insert(place, (f, flag));
                for (into, from) in &loads {
                    t.load(*into, *from);
                }
                t.store(own, loads[0].0 + loads[1].0 + loads[2].0);
                t.load(own_value, own);
                let nothing = Expression::of(Operator::Xor, own_value, own_value);
                t.load(d, data.address() + nothing);
                t.output(f);
                t.output(d);
            });
        });
        for model in MemoryModel::ALL {
            let ends = ends(program.clone(), model);
            let axioms = axiomatic::outcomes(&program, model, 20_000);
            assert_eq!(axioms.as_ref(), Ok(&ends), "{place} {model}");
            let shown: BTreeSet<_> = ends.iter().map(|end| &end.threads[1].output).collect();
            let expected = [[0, 0], [0, 1], [1, 1]].map(numbers);
            assert!(shown.into_iter().eq(&expected), "{place} {model}");
        }
    }
}

/// An access whose address is a fault holds back all later ones, as in store buffers, and happens behind all earlier ones.
#[test]
fn an_access_at_no_location_holds_back_all_later_ones() {
    type Access = fn(&mut ThreadBuilder<'_>, Place);
    let accesses: [Access; 3] = [
        |t, at| t.store(at, 1),
        |t, at| {
            let into = t.register("into");
            t.load(into, at);
        },
        |t, at| {
            let into = t.register("into");
            t.fetch_and_add(into, at, 1);
        },
    ];
    for access in accesses {
        for number in [true, false] {
            let program = built(|p| {
                let all = ["x", "y", "z"].map(|name| p.location(name, 0));
                p.thread("P0", |t| {
                    t.store(all[0], 1);
                    let nowhere = if number {
                        Expression::from(5)
                    } else {
                        all[2].address() + 1
                    };
                    let r = t.register("r");
                    t.load(r, all[2]);
                    // It depends on a load, so that it is pending.
                    access(t, (nowhere + r).into());
                    t.store(all[1], 1);
                    t.store(all[0], 2);
                });
            });
            for model in MemoryModel::ALL {
                let end = end(program.clone(), model);
                assert!(
                    matches!(end.threads[0].end, ThreadEnd::Faulty(_)),
                    "{end:?}"
                );
                assert_eq!(end.memory, numbers([1, 0, 0]), "{model}");
                if let Ok(buffered) = Buffered::new(program.clone(), model) {
                    let stopped = refmap_programs::ends(&buffered, STATES, None);
                    let stopped = stopped.expect("it is small").states;
                    let outcomes = stopped.iter().map(|state| buffered.outcome(state));
                    assert!(outcomes.eq([end]), "{model}");
                }
            }
        }
    }
}

/// An acquire fence waits for a load that is pending behind a store.
#[test]
fn a_fence_waits_for_the_second_pending_access() {
    let program = built(|p| {
        let all = ["data", "flag", "other"].map(|name| p.location(name, 0));
        let [data, flag, other] = all;
        p.thread("writer", |t| {
            t.store(data, 1);
            t.fence(Fence::Full);
            t.store(flag, 1);
        });
        p.thread("reader", |t| {
            let (f, d) = (t.register("f"), t.register("d"));
            t.store(other, 1);
            t.load(f, flag);
            t.fence(Fence::Acquire);
            t.load(d, data);
            t.output(f);
            t.output(d);
        });
    });
    for model in [MemoryModel::RmoFull, MemoryModel::RmoNo] {
        let ends = ends(program.clone(), model);
        let shown: BTreeSet<_> = ends.iter().map(|end| &end.threads[1].output).collect();
        let expected = [[0, 0], [0, 1], [1, 1]].map(numbers);
        assert!(shown.into_iter().eq(&expected), "{model}");
    }
}

/// Three semantics agree on a thread with several fences, two of them next to each other.
#[test]
fn each_of_several_fences_orders_in_every_semantics() {
    let program = built(|p| {
        let [a, b, c] = ["a", "b", "c"].map(|name| p.location(name, 0));
        p.thread("writer", |t| {
            t.store(c, 1);
            t.fence(Fence::Full);
            t.fence(Fence::Release);
            t.store(b, 1);
            t.fence(Fence::Release);
            t.fence(Fence::Full);
            t.store(a, 1);
        });
        p.thread("reader", |t| {
            let all = [a, b, c].map(|from| {
                let into = t.register(format!("of {}", from.0));
                t.load(into, from);
                t.fence(Fence::Acquire);
                into
            });
            all.into_iter().for_each(|register| t.output(register));
        });
    });
    for model in MemoryModel::ALL {
        let ends = ends(program.clone(), model);
        let axioms = axiomatic::outcomes(&program, model, 20_000);
        assert_eq!(axioms.as_ref(), Ok(&ends), "{model}");
        if let Ok(buffered) = Buffered::new(program.clone(), model) {
            let stopped = refmap_programs::ends(&buffered, STATES, None).expect("it is small");
            let outcomes = stopped.states.iter().map(|state| buffered.outcome(state));
            assert_eq!(outcomes.collect::<BTreeSet<_>>(), ends, "{model}");
        }
        let shown = ends.iter().map(|end| &end.threads[1].output);
        let expected = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]].map(numbers);
        let shown: BTreeSet<_> = shown.collect();
        assert!(shown.into_iter().eq(&expected), "{model}");
    }
}

/// Stores of each location are performed by memory, of each thread that goes on.
#[test]
fn each_store_of_each_thread_has_its_condition() {
    let program = built(|p| {
        let all: Vec<_> = (0..4).map(|n| p.location(format!("x{n}"), 0)).collect();
        for thread in 0..2 {
            p.thread(format!("P{thread}"), |t| {
                t.store(all[2 * thread], 1);
                t.store(all[2 * thread + 1], 1);
            });
        }
    });
    let expected = |model| -> Vec<Fairness> {
        let mut all = Vec::new();
        for thread in 0..2_u16 {
            let stores = [0, 1].map(|n| format!("x{} := 1", 2 * thread + n));
            let own = |name: String, rules: Vec<String>| Fairness::weak(name, rules).of(thread);
            all.push(own(format!("P{thread} goes on"), stores.to_vec()));
            match model {
                MemoryModel::Tso => all.push(own(
                    format!("memory performs the stores of P{thread}"),
                    stores.to_vec(),
                )),
                _ => all.extend(stores.map(|store| {
                    own(
                        format!("memory performs `{store}` of P{thread}"),
                        vec![store],
                    )
                })),
            }
        }
        all
    };
    for model in [MemoryModel::Tso, MemoryModel::PsoFull, MemoryModel::PsoNo] {
        let machine = Machine::new(program.clone(), model).fair([0, 1]);
        assert_eq!(machine.fairness(), expected(model), "{model}");
    }
}

#[test]
fn three_instructions_alike_and_two_blocks_have_their_names() {
    let program = built(|p| {
        let x = p.location("x", 0);
        p.thread("P0", |t| {
            let r = t.register("r");
            (0..3).for_each(|_| t.store(x, 1));
            for _ in 0..2 {
                t.atomic(|t| {
                    t.load(r, x);
                    t.store(x, r + 1);
                });
            }
        });
    });
    let machine = Machine::new(program, MemoryModel::Sc);
    let rules: Vec<_> = refmap_programs::Action::rules(&machine)
        .iter()
        .map(|rule| &*rule.name)
        .collect();
    assert_eq!(rules, ["x := 1", "x := 1", "x := 1", "atomic", "atomic"]);
    let state = first_initial(&machine).expect("there is one");
    let pending = &machine.show(&state)["threads"][0]["pending"];
    assert_eq!(
        *pending,
        serde_json::json!(["x := 1 (0)", "x := 1 (1)", "x := 1 (2)"])
    );
    assert_eq!(machine.show(&state)["threads"][0]["next"], "atomic (3)");
}

/// A reference by the address of any field of an object is drawn as an edge to it.
#[test]
fn an_object_is_referred_to_by_each_of_its_fields() {
    for field in 0..3 {
        let program = built(|p| {
            let fields: Vec<_> = (0..3).map(|n| p.location(format!("f{n}"), 0)).collect();
            let link = p.location("link", Value::Address(fields[field]));
            let named: Vec<_> = ["a", "b", "c"]
                .into_iter()
                .zip(&fields)
                .map(|(name, location)| (name, *location, false))
                .collect();
            p.draw_object("first", None, &[("next", link, true)]);
            p.draw_object("second", None, &named);
            p.thread("P0", |_| ());
        });
        let machine = Machine::new(program, MemoryModel::Sc);
        let state = first_initial(&machine).expect("there is one");
        let drawn = format!("{:?}", machine.draw(&state).expect("it is drawn"));
        assert!(drawn.contains("Node(\"second\")"), "{drawn}");
    }
}

/// As many locations, registers and threads as there may be: each has its own contents.
#[test]
fn the_last_of_all_locations_registers_and_threads_has_its_own() {
    let most = MOST_LOCATIONS as i64;
    let program = built(|p| {
        let all: Vec<_> = (0..most).map(|n| p.location(format!("x{n}"), n)).collect();
        p.thread("P0", |t| {
            let (r, s) = (t.register("r"), t.register("s"));
            t.load(r, all[MOST_LOCATIONS - 1]);
            t.store(all[300], r + 1);
            t.load(s, all[300]);
            t.output(r);
            t.output(s);
            // The same by addresses that are computed.
            t.load(r, all[0].address() + (most - 1));
            t.load(s, all[MOST_LOCATIONS - 1].address() - (most - 1 - 300));
            t.output(r);
            t.output(s);
        });
    });
    let of_locations = end(program, MemoryModel::Sc);
    let shown = [most - 1, most].repeat(2);
    assert_eq!(of_locations.threads[0].output, numbers(shown));
    let expected = (0..most).map(|n| if n == 300 { most } else { n });
    assert_eq!(of_locations.memory, numbers(expected));
    // Dead registers are cleared, and no other.
    let program = built(|p| {
        p.thread("P0", |t| {
            let all: Vec<_> = (0..MOST_REGISTERS)
                .map(|n| {
                    t.register_with(
                        format!("r{n}"),
                        n as i64,
                        [Afterwards::Kept, Afterwards::Forgotten][n % 2],
                    )
                })
                .collect();
            t.assign(all[32], all[63] + all[31]);
            t.output(all[33]);
        });
    });
    let end_of_registers = end(program, MemoryModel::Sc);
    let kept = (0..64).step_by(2).map(|n| if n == 32 { 94 } else { n });
    assert_eq!(end_of_registers.threads[0].kept, numbers(kept));
    assert_eq!(end_of_registers.threads[0].output, numbers([33]));
}

/// Threads of more than 256 instructions, of which more than 256 are pending at once.
#[test]
fn a_long_thread_performs_all_its_instructions() {
    let program = |count: i64| {
        built(|p| {
            let x = p.location("x", 0);
            p.thread("P0", |t| {
                let r = t.register("r");
                for n in 0..count {
                    t.store(x, n);
                    t.load(r, x);
                }
                t.output(r);
            });
        })
    };
    let under_sc = end(program(200), MemoryModel::Sc);
    assert_eq!(under_sc.threads[0].output, numbers([199]));
    // A load that is pending behind 300 others: the last one waits at the last place.
    let pending = built(|p| {
        let x = p.location("x", 7);
        p.thread("P0", |t| {
            let (r, s) = (t.register("r"), t.register("s"));
            for _ in 0..300 {
                t.fetch_and_add(r, x, 1);
            }
            t.load(s, x);
            t.output(r);
            t.output(s);
        });
    });
    for model in [MemoryModel::Sc, MemoryModel::RmoNo] {
        let end = end(pending.clone(), model);
        assert_eq!(end.threads[0].output, numbers([306, 307]), "{model}");
        assert_eq!(end.memory, numbers([307]));
    }
}

/// A number keeps its bits past 32 in memory, in registers and in comparisons.
#[test]
fn numbers_past_32_bits_are_told_apart() {
    let high = (1 << 40) + 5;
    let program = built(|p| {
        let (x, y) = (p.location("x", high), p.location("y", 5));
        p.thread("P0", |t| {
            let (r, s, c) = (t.register("r"), t.register("s"), t.register("c"));
            t.load(r, x);
            t.load(s, y);
            t.output(r.equals(s));
            t.cas(c, x, 5, 6);
            t.output(c);
            t.store(y, r);
        });
    });
    let end = end(program, MemoryModel::Tso);
    assert_eq!(end.threads[0].output, numbers([0, 0]));
    assert_eq!(end.memory, numbers([high, high]));
}

fn litmus(text: &str) -> litmus::Test {
    litmus::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A litmus test and the same with its two threads exchanged have one fate: a fault, a loop that is cut off, and the memory that they
/// take, which the larger thread decides.
#[test]
fn the_second_thread_of_a_litmus_test_decides_like_the_first() {
    let test = |code: [&str; 2], condition: &str| {
        let rows = code.map(|column| column.split(';').map(str::trim).collect::<Vec<_>>());
        let count = rows[0].len().max(rows[1].len());
        let cell = |thread: usize, row: usize| rows[thread].get(row).copied().unwrap_or("");
        let rows = (0..count).map(|row| format!("{} | {};\n", cell(0, row), cell(1, row)));
        let rows: String = rows.collect();
        litmus(&format!("X86 t\n{{}}\nP0 | P1;\n{rows}{condition}"))
    };
    let both = |code: [&str; 2], condition: &str, bounds: &Bounds<'_>| {
        let one = test(code, condition).run(MemoryModel::Sc, bounds);
        let [first, second] = code;
        let other = test([second, first], condition).run(MemoryModel::Sc, bounds);
        [one, other]
    };
    let bounds = Bounds::default();
    let faulty = "MOV EAX,$5; MOV [EAX],$1";
    for (thread, fate) in both([faulty, "MOV [x],$1"], "exists (x=1)", &bounds)
        .into_iter()
        .enumerate()
    {
        let of =
            |thread| matches!(fate, Err(RunError::Faulty { thread: found, .. }) if found == thread);
        assert!(of(thread), "{fate:?}");
    }
    let endless = "L: MOV EAX,[x]; CMP EAX,$1; JNE L";
    for fate in both([endless, "MOV [x],$1"], "~exists (x=2)", &bounds) {
        assert_eq!(fate.err(), Some(RunError::Undecided));
    }
    let long = "MOV EAX,[x]; ADD EAX,[y]; MOV EBX,[z]; ADD EBX,EAX; MOV [y],EBX";
    let code = [long, "MOV [x],$1"];
    let least = [0, 1].map(|exchanged| {
        let fits = |bytes: u64| {
            let bounds = Bounds { bytes, ..bounds };
            both(code, "exists (x=1)", &bounds)[exchanged].is_ok()
        };
        let (mut no, mut yes) = (0, 1 << 24);
        while yes - no > 1 {
            let middle = (no + yes) / 2;
            if fits(middle) {
                yes = middle
            } else {
                no = middle
            }
        }
        yes
    });
    assert_eq!(least[0], least[1]);
}

/// Conditions of three parts, a name that only the filter has, flags that one of two ways reads, and pointers to two widths.
#[test]
fn the_last_part_of_a_litmus_test_counts() {
    let verdict = |tail: &str| {
        let test = litmus(&format!(
            "X86 t\n{{ z=3; }}\nP0 | P1;\nMOV [x],$1 | MOV [y],$1;\n{tail}"
        ));
        let answer = test.run(MemoryModel::Sc, &Bounds::default());
        format!("{:?}", answer.expect("it ends").verdict)
    };
    assert_eq!(verdict("exists (x=2 \\/ y=2 \\/ z=3)"), "Ok");
    assert_eq!(verdict("exists (x=2 \\/ y=2 \\/ z=2)"), "No");
    assert_eq!(verdict("exists (x=1 /\\ y=1 /\\ z=3)"), "Ok");
    assert_eq!(verdict("exists (x=1 /\\ y=1 /\\ z=2)"), "No");
    assert_eq!(verdict("filter (only=0) exists (x=1)"), "Ok");
    // A flag that is undefined is read behind the jump only, or where it is not taken only, or behind the head of a loop.
    for rows in [
        "shll %cl,%eax; jne A; jo A; nop; A: nop",
        "shll %cl,%eax; jne A; ret; A: jo A; nop",
        "nop; cmpl $1,%eax; L: nop; jo A; shll %cl,%eax; jmp L; A: nop",
    ] {
        let rows = rows.replace("; ", ";\n");
        let text = format!("X86_64 t\n{{}}\nP0;\n{rows};\nexists (0:rax=0)");
        let error = litmus::read(&text).expect_err("a flag is undefined");
        assert!(error.to_string().contains("is undefined behind"), "{error}");
    }
    // Flags that a loop sets are read at its next round.
    let rows = "MOV EBX,$0; CMP EBX,$1; L: MOV EBX,[x]; JE A; CMP EAX,$0; JMP L; A: NOP";
    let rows = rows.replace("; ", ";\n");
    let text = format!("X86 t\n{{ x=3; }}\nP0;\n{rows};\nexists (0:EBX=3)");
    let answer = litmus(&text).run(MemoryModel::Sc, &Bounds::default());
    assert_eq!(answer.expect("it ends").positive, 1);
    // Final states that differ only in what the filter reads are one.
    for (condition, counts) in [("x=1", (1, 0)), ("x=2", (0, 1)), ("x=1 /\\ y=1", (1, 0))] {
        let text = format!(
            "X86 t\n{{}}\nP0 | P1;\nMOV EBX,[y] | MOV [y],$1;\nMOV [x],$1 | ;\n\
             filter (0:EBX=0 \\/ 0:EBX=1)\nexists ({condition})"
        );
        let answer = litmus(&text).run(MemoryModel::Sc, &Bounds::default());
        let answer = answer.expect("it ends");
        assert_eq!((answer.positive, answer.negative), counts, "{text}");
        assert_eq!(answer.states.len(), 1);
    }
    // A register has the greatest of the widths with which it is used, whichever comes last.
    for rows in [
        "movq (x),%rax; movl $1,%ebx",
        "movl %eax,%ebx; movq (x),%rax",
        "movq (x),%rax; movl %eax,%ebx",
    ] {
        let text = format!(
            "X86_64 t\n{{ uint64_t x=4294967296; }}\nP0;\n{};\nexists (0:rax=4294967296)",
            rows.replace("; ", ";\n")
        );
        let answer = litmus(&text).run(MemoryModel::Sc, &Bounds::default());
        assert_eq!(answer.expect("it ends").positive, 1, "{text}");
    }
}

/// A step with which a thread shows several values, and ends, is one abstract step.
#[test]
fn several_values_are_shown_in_one_step() {
    let program = built(|p| {
        let x = p.location("x", 0);
        for thread in ["P0", "P1"] {
            p.thread(thread, |t| {
                let r = t.register("r");
                t.fetch_and_add(r, x, 1);
                t.output(r);
                t.output(r + 5);
                t.output(7);
            });
        }
    });
    let refinement = ProgramRefinement::robust(program, MemoryModel::Sc, STATES);
    let report = check(&refinement.expect("it is small"), &Settings::default());
    let report = report.expect("it is checked");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// A limit allows as many states as it says.
#[test]
fn a_limit_on_states_is_exact() {
    let two = || {
        built(|p| {
            let x = p.location("x", 0);
            for name in ["P0", "P1"] {
                p.thread(name, |t| {
                    let r = t.register("r");
                    t.store(x, 1);
                    t.load(r, x);
                });
            }
        })
    };
    for model in [MemoryModel::Sc, MemoryModel::Tso] {
        let machine = Machine::new(two(), model);
        let all = refmap_programs::ends(&machine, STATES, None).expect("it is small");
        for limit in [0, 1, all.explored - 1] {
            let found = refmap_programs::ends(&machine, limit, None).map(|ends| ends.explored);
            assert_eq!(found, Err(TooManyStates::Limit { limit }), "{model}");
            let found = outcomes(&machine, limit);
            assert_eq!(found, Err(TooManyStates::Limit { limit }), "{model}");
        }
        let just = refmap_programs::ends(&machine, all.explored, None);
        let just = just.expect("the limit allows as many");
        assert_eq!((just.explored, just.states), (all.explored, all.states));
        assert_eq!(outcomes(&machine, all.explored), outcomes(&machine, STATES));
    }
}
