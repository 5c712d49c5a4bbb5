//! Tests of loops without a bound: which states a program has then, and what happens in the end.

use std::collections::HashSet;
use std::sync::Arc;

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Liveness, Selection, Until};
use refmap::{
    Property, Refinement, Report, Settings, StateOf, TransitionSystem, Verdict, check, steps,
};
use refmap_programs::store_buffers::Buffered;
use refmap_programs::{
    BuildError, Machine, MemoryModel, Program, ProgramBuilder, State, ThreadBuilder, axiomatic,
};

/// The models under which loops may have no bound.
const ORDERED: [MemoryModel; 5] = [
    MemoryModel::Sc,
    MemoryModel::Tso,
    MemoryModel::PsoFull,
    MemoryModel::PsoNo,
    MemoryModel::Ibm370,
];

/// Number of reachable states, by the plainest search.
fn states<S: TransitionSystem>(system: &S) -> usize {
    let (mut seen, mut ahead) = (HashSet::<StateOf<S>>::new(), Vec::new());
    system.initial(&mut |state| ahead.push(state));
    while let Some(state) = ahead.pop() {
        if seen.insert(state.clone()) {
            ahead.extend(steps(system, &state).into_iter().map(|(_, to)| to));
        }
    }
    seen.len()
}

/// One thread raises a flag, for which the other waits.
fn waiting(bound: Option<u8>) -> Program {
    let mut program = ProgramBuilder::new("waiting");
    match bound {
        Some(most) => program.backward_jumps(most),
        None => program.without_bound(),
    }
    let flag = program.location("flag", 0);
    program.thread("raising", |t| t.store(flag, 1));
    program.thread("waiting", |t| {
        let r = t.register("r");
        t.repeat_until(r.equals(1), |t| t.load(r, flag));
    });
    program.build().expect("it is well formed")
}

/// The flag is down, or it is up and the other waits or has ended: no count tells the rounds of the loop apart. With a bound
/// one does: after each of at most three rounds the flag is down, or it was raised, and then it is seen; or the thread is cut
/// off, with the flag down or up.
#[test]
fn a_loop_without_a_bound_has_as_many_states_as_it_seems() {
    for model in ORDERED {
        assert_eq!(states(&Machine::new(waiting(None), model)), 3, "{model}");
        let bounded = Machine::new(waiting(Some(2)), model);
        assert_eq!(states(&bounded), 3 * 3 + 2, "{model}");
    }
    // There the thread that waits is at its load or has read 0 or, once the flag is up, 1, or has ended. With the store in a
    // buffer the flag is down.
    for (model, expected) in [(MemoryModel::Sc, 2 + 4), (MemoryModel::Tso, 2 + 2 + 4)] {
        let buffered = Buffered::new(waiting(None), model).expect("it has buffers");
        assert_eq!(states(&buffered), expected, "{model}");
    }
}

#[test]
fn executions_of_a_loop_without_a_bound_are_not_enumerated() {
    let error = axiomatic::outcomes(&waiting(None), MemoryModel::Sc, 1000).unwrap_err();
    assert_eq!(error, axiomatic::NotEnumerated::Unbounded);
    assert_eq!(
        error.to_string(),
        "loops have no bound, so executions have no end"
    );
}

/// A loop that neither reads nor chooses is refused, since it would be fetched without end.
#[test]
fn a_loop_without_a_bound_reads_or_chooses() {
    let build = |body: fn(&mut ThreadBuilder<'_>, refmap_programs::Location)| {
        let mut program = ProgramBuilder::new("loop");
        program.without_bound();
        let x = program.location("x", 0);
        program.thread("looping", |t| body(t, x));
        program.build()
    };
    let refused = |body| matches!(build(body), Err(BuildError::BlindLoop { .. }));
    assert!(refused(|t, _| t.while_do(1, |_| ())));
    assert!(refused(|t, x| t.while_do(1, |t| t.store(x, 1))));
    // On one of two ways it reads.
    assert!(refused(|t, x| {
        let r = t.register("r");
        t.while_do(1, |t| t.when(r, |t| t.load(r, x)));
    }));
    let accepted = |body| build(body).is_ok();
    assert!(accepted(|t, x| {
        let r = t.register("r");
        t.while_do(1, |t| t.load(r, x));
    }));
    assert!(accepted(|t, _| {
        let r = t.register("r");
        t.while_do(1, |t| t.choose(r, [0, 1]));
    }));
    assert!(accepted(
        |t, x| t.while_do(1, |t| t.atomic(|t| t.store(x, 1)))
    ));
    assert!(accepted(|t, x| t.while_do(0, |t| {
        let r = t.register("r");
        t.fetch_and_add(r, x, 1);
    })));
}

#[test]
#[should_panic(expected = "under rmo-no a loop without a bound reads ahead without end")]
fn a_model_that_reorders_reads_has_no_loop_without_a_bound() {
    Machine::new(waiting(None), MemoryModel::RmoNo);
}

/// A machine that refines itself: all threads end.
struct Ending(Machine);

impl Refinement for Ending {
    type Implementation = Machine;
    type Specification = Machine;

    fn implementation(&self) -> &Machine {
        &self.0
    }

    fn specification(&self) -> &Machine {
        &self.0
    }

    fn map(&self, state: &State) -> State {
        state.clone()
    }

    fn abstract_steps(
        &self,
        _: &State,
        action: &refmap_programs::Action,
        _: &State,
    ) -> AbstractSteps<refmap_programs::Action> {
        One(action.clone())
    }

    fn liveness(&self) -> Vec<Property<Machine>> {
        let machine = Arc::new(Machine::new(self.0.program().clone(), self.0.model()));
        let ended = move |state: &State| {
            (0..state.threads.len()).all(|thread| machine.has_ended(state, thread))
        };
        let (name, why) = ("ended", "all threads end");
        vec![
            Property::eventually(name, why, ended.clone()),
            Property::always_eventually(name, why, ended.clone()),
            Property::eventually_always(name, why, ended.clone()),
            Property::leads_to(name, why, |_| true, ended),
        ]
    }
}

fn report(machine: Machine) -> Report {
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        ..Settings::default()
    };
    check(&Ending(machine), &settings).expect("the settings fit")
}

fn ends(machine: Machine) -> bool {
    let report = report(machine);
    match report.obligation("eventually:ended").map(|row| row.verdict) {
        Some(Verdict::Holds) => true,
        Some(Verdict::Violated) => false,
        other => panic!("{other:?}: {report}"),
    }
}

/// Both threads end if both go on. The one that waits cannot end alone; the other can.
#[test]
fn a_thread_that_waits_ends_if_the_other_goes_on() {
    for model in ORDERED {
        let machine = || Machine::new(waiting(None), model);
        assert!(ends(machine().fair([0, 1])), "{model}");
        assert!(!ends(machine().fair([0])), "{model}");
        assert!(!ends(machine().fair([1])), "{model}");
        assert!(!ends(machine()), "{model}");
    }
}

/// Under a bound a thread may stop that would go on, so nothing is said, and what is asked for by name is refused.
#[test]
fn what_happens_in_the_end_is_not_decided_under_a_bound() {
    let machine = || Machine::new(waiting(Some(2)), MemoryModel::Sc).fair([0, 1]);
    let whole = report(machine());
    for kind in [
        "eventually",
        "always-eventually",
        "eventually-always",
        "leads-to",
    ] {
        let name = format!("{kind}:ended");
        let row = whole.obligation(&name).expect("it is listed");
        assert_eq!(row.verdict, Verdict::Incomplete, "{kind}");
        let settings = Settings {
            obligations: Selection::only([name.as_str()]),
            ..Settings::default()
        };
        let refused = check(&Ending(machine()), &settings).expect_err("it is undecided");
        let told = refused.to_string();
        assert!(
            told.contains("the runs of this instance are bounded"),
            "{told}"
        );
    }
}

/// A thread raises its flag and waits for that of the other by reading two locations in turn, so that it takes steps that
/// change its state for ever: it goes on, and its store is performed only because memory does so.
#[test]
fn memory_performs_the_stores_of_a_thread_that_goes_on() {
    let mut program = ProgramBuilder::new("two flags");
    program.without_bound();
    let flags = [program.location("x", 0), program.location("y", 0)];
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let (r, s) = (t.register("r"), t.register("s"));
            t.store(flags[me], 1);
            t.repeat_until(r.equals(1).and(s.equals(1)), |t| {
                t.load(r, flags[1 - me]);
                t.load(s, flags[1 - me]);
            });
        });
    }
    let program = program.build().expect("it is well formed");
    for (model, conditions) in [
        (MemoryModel::Sc, 2),
        (MemoryModel::Tso, 4),
        (MemoryModel::PsoFull, 4),
    ] {
        let machine = Machine::new(program.clone(), model).fair([0, 1]);
        assert_eq!(machine.fairness().len(), conditions, "{model}");
        assert!(ends(machine), "{model}");
    }
}

/// A thread waits for the moment in which another has set a flag, which it clears at once: weak fairness does not make it run
/// its block, strong fairness does.
#[test]
fn an_atomic_block_runs_in_strong_fairness() {
    let mut program = ProgramBuilder::new("blinking");
    program.without_bound();
    let (flag, done) = (program.location("flag", 0), program.location("done", 0));
    program.thread("blinking", |t| {
        let r = t.register("r");
        t.while_do(r.equals(0), |t| {
            t.store(flag, 1);
            t.store(flag, 0);
            t.load(r, done);
        });
    });
    program.thread("waiting", |t| {
        let r = t.register("r");
        t.atomic(|t| {
            t.load(r, flag);
            t.require(r);
            t.store(done, 1);
        });
    });
    let program = program.build().expect("it is well formed");
    let machine = || Machine::new(program.clone(), MemoryModel::Sc);
    assert!(!ends(machine().fair([0, 1])));
    assert!(ends(machine().strongly_fair([0, 1])));
}
