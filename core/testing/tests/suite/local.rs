//! Local transitions: a check that computes and judges them once for each projection finds what a check finds
//! that looks at every step; and what types do not say of them is tested.

use std::sync::atomic::{AtomicUsize, Ordering};

use refmap::obligation::{Checker, Selection, Until};
use refmap::{
    Action, Field, Fields, Invariant, Layout, LocalRefinement, LocalTransitions, PackedLocal,
    Process, Report, Rule, RuleId, Settings, Split, SplitAction, SplitActionOf, TransitionSystem,
    Verdict, steps,
};
use serde::Serialize;

/// Workers that share a lock: each begins, acquires it, does some work, and releases it.
struct Workers {
    fault: Fault,
    /// How many steps the work takes.
    work: u8,
    layout: Layout,
    phases: [Field; WORKERS],
    holder: Field,
    served: Field,
    /// How often `next_local` and `abstract_local_action` were called.
    calls: [AtomicUsize; 2],
    rules: Vec<Rule>,
}

const WORKERS: usize = 3;

/// Releases are counted up to so many, and then from 0 on again.
const ROUNDS: u16 = 1500;

/// Where a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Phase {
    Idle,
    Trying,
    /// It has the lock, and has done so much of its work.
    Working(u8),
}

/// The lock, and how often it was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct Lock {
    holder: Option<u8>,
    served: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "worker", source = "")]
enum OfWorker {
    Begin(#[process] u8),
    Work(#[process] u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "worker", source = "")]
enum OfLock {
    Acquire(#[process] u8),
    Release(#[process] u8),
}

/// What is wrong with workers, or with the mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// From its second step of work on, a worker begins anew.
    WrongStep,
    /// A step of work is answered by another worker's begin.
    WrongProcess,
    /// A worker offers to begin twice where another one has worked.
    OfferedTwice,
    /// A step of work panics.
    Panic,
    /// The second step of work is none of the rules'.
    NoSuchRule,
    /// Of one projection, a variable of the context is written.
    PackedAstray,
    /// A variable of the context is where one of the projection is.
    PackedTogether,
    /// After some calls, `next_local` visits no step of work any more.
    ImpureNext,
    /// After some calls, a step of work is not answered by a stutter.
    ImpureAnswer,
}

/// Calls after which a function is another one.
const CALLS: usize = 400;

impl Workers {
    fn new(work: u8, rounds: u16, fault: Fault) -> Self {
        let mut layout = Layout::new();
        let holder = layout.below(1 + WORKERS as u64);
        let phases = [(); WORKERS].map(|()| layout.below(3 + u64::from(work)));
        let served = match fault {
            Fault::PackedTogether => phases[0],
            _ => layout.below(rounds.into()),
        };
        Self {
            fault,
            work,
            layout,
            phases,
            holder,
            served,
            calls: Default::default(),
            rules: [OfWorker::rules(), OfLock::rules()].concat(),
        }
    }

    /// Counts a call, and says whether there were many before.
    fn is_late(&self, function: usize, fault: Fault) -> bool {
        let calls = self.calls[function].fetch_add(1, Ordering::Relaxed);
        self.fault == fault && calls >= CALLS
    }
}

impl LocalTransitions for Workers {
    type Local = [Phase; WORKERS];
    type Context = Lock;
    type LocalAction = OfWorker;
    type ContextAction = OfLock;
    type Observation = bool;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &SplitActionOf<Self>) -> RuleId {
        match action {
            SplitAction::Local(OfWorker::Work(1)) if self.fault == Fault::NoSuchRule => RuleId(7),
            _ => action.rule(),
        }
    }

    fn initial(&self, visit: &mut impl FnMut(Split<Self>)) {
        visit(Split {
            local: [Phase::Idle; WORKERS],
            context: Lock {
                holder: None,
                served: 0,
            },
        });
    }

    fn next_local(
        &self,
        from: &[Phase; WORKERS],
        visit: &mut impl FnMut(OfWorker, [Phase; WORKERS]),
    ) {
        let is_late = self.is_late(0, Fault::ImpureNext);
        for worker in 0..WORKERS {
            let mut go = |action: fn(u8) -> OfWorker, phase| {
                let mut to = *from;
                to[worker] = phase;
                visit(action(worker as u8), to);
            };
            match from[worker] {
                Phase::Idle => {
                    go(OfWorker::Begin, Phase::Trying);
                    if self.fault == Fault::OfferedTwice && from.contains(&Phase::Working(2)) {
                        go(OfWorker::Begin, Phase::Trying);
                    }
                }
                Phase::Working(1) if self.fault == Fault::WrongStep => {
                    go(OfWorker::Work, Phase::Trying);
                }
                Phase::Working(1) if self.fault == Fault::Panic => panic!("it is too much"),
                Phase::Working(done) if done < self.work && !is_late => {
                    go(OfWorker::Work, Phase::Working(done + 1));
                }
                _ => {}
            }
        }
    }

    fn next_context(&self, from: &Split<Self>, visit: &mut impl FnMut(OfLock, Split<Self>)) {
        for worker in 0..WORKERS {
            let mut to = *from;
            let holder = worker as u8;
            match (from.local[worker], from.context.holder) {
                (Phase::Trying, None) => {
                    to.local[worker] = Phase::Working(0);
                    to.context.holder = Some(holder);
                    visit(OfLock::Acquire(holder), to);
                }
                (Phase::Working(done), _) if done == self.work => {
                    to.local[worker] = Phase::Idle;
                    let Lock { holder, served } = &mut to.context;
                    *holder = None;
                    *served = (*served + 1) % ROUNDS;
                    if self.work == 0 {
                        *served = 0;
                    }
                    visit(OfLock::Release(worker as u8), to);
                }
                _ => {}
            }
        }
    }

    fn observe(&self, state: &Split<Self>) -> bool {
        state.context.holder.is_some()
    }
}

impl PackedLocal for Workers {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn local_fields(&self, local: &[Phase; WORKERS], fields: &mut impl Fields) -> [Phase; WORKERS] {
        if self.fault == Fault::PackedAstray && *local == [Phase::Trying; WORKERS] {
            fields.number(self.served, 1);
        }
        let mut read = *local;
        for (phase, field) in read.iter_mut().zip(self.phases) {
            let number = match *phase {
                Phase::Idle => 0,
                Phase::Trying => 1,
                Phase::Working(done) => 2 + done,
            };
            *phase = match fields.byte(field, number) {
                0 => Phase::Idle,
                1 => Phase::Trying,
                number => Phase::Working(number - 2),
            };
        }
        read
    }

    fn context_fields(&self, lock: &Lock, fields: &mut impl Fields) -> Lock {
        let holder = lock.holder.map_or(0, |worker| worker + 1);
        Lock {
            holder: fields.byte(self.holder, holder).checked_sub(1),
            served: fields.number(self.served, lock.served.into()) as u16,
        }
    }
}

/// The steps of work and the number of releases are hidden.
struct HiddenWork {
    implementation: Workers,
    specification: Workers,
    workers: [Process; WORKERS],
}

impl HiddenWork {
    fn new(fault: Fault) -> Self {
        Self {
            implementation: Workers::new(3, ROUNDS, fault),
            specification: Workers::new(0, 1, Fault::None),
            workers: [0, 1, 2].map(|worker| Process::numbered("worker", worker)),
        }
    }

    fn calls(&self) -> u64 {
        self.implementation.calls[0].load(Ordering::Relaxed) as u64
    }
}

impl LocalRefinement for HiddenWork {
    type Concrete = Workers;
    type Abstract = Workers;

    fn implementation(&self) -> &Workers {
        &self.implementation
    }

    fn specification(&self) -> &Workers {
        &self.specification
    }

    fn map_local(&self, local: &[Phase; WORKERS]) -> [Phase; WORKERS] {
        local.map(|phase| match phase {
            Phase::Working(_) => Phase::Working(0),
            phase => phase,
        })
    }

    fn map_context(&self, lock: &Lock) -> Lock {
        Lock { served: 0, ..*lock }
    }

    fn abstract_local_action(
        &self,
        _from: &[Phase; WORKERS],
        action: &OfWorker,
        _to: &[Phase; WORKERS],
    ) -> Option<OfWorker> {
        let is_late = self.implementation.is_late(1, Fault::ImpureAnswer);
        match action {
            OfWorker::Begin(_) => Some(*action),
            OfWorker::Work(worker) => match self.implementation.fault {
                Fault::WrongProcess => Some(OfWorker::Begin((worker + 1) % 3)),
                _ => is_late.then_some(*action),
            },
        }
    }

    fn abstract_context_action(
        &self,
        _from: &Split<Workers>,
        action: &OfLock,
        _to: &Split<Workers>,
    ) -> Option<SplitActionOf<Workers>> {
        Some(SplitAction::Context(*action))
    }

    fn invariants(&self) -> Vec<Invariant<Workers>> {
        let holder_works = |state: &Split<Workers>| {
            let works = |phase| matches!(phase, Phase::Working(_));
            (0..)
                .zip(state.local)
                .all(|(worker, phase)| works(phase) == (state.context.holder == Some(worker)))
        };
        vec![Invariant::new("holder_works", "", holder_works)]
    }

    fn environment(&self) -> &[Process] {
        &self.workers
    }

    fn at_rest(&self, state: &Split<Workers>, process: Process) -> bool {
        let worker = process.number.expect("workers are numbered");
        state.local[usize::from(worker)] == Phase::Idle
    }
}

const WITHOUT_ENVIRONMENT: [&str; 7] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant",
    "deadlock",
    "coverage",
];

fn settings(obligations: &Selection, threads: usize) -> Settings<'static> {
    Settings {
        obligations: obligations.clone(),
        threads,
        until: Until::End,
        ..Settings::default()
    }
}

fn timeless(report: Report) -> Report {
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        states_kept: None,
        threads: 0,
        ..report
    }
}

fn cached(refinement: &HiddenWork, settings: &Settings<'_>) -> Report {
    let checked = Checker::new(refinement).cached().check(settings);
    timeless(checked.expect("the obligations are there"))
}

fn direct(refinement: &HiddenWork, settings: &Settings<'_>) -> Report {
    let checked = Checker::new(refinement).packed().check(settings);
    timeless(checked.expect("the obligations are there"))
}

/// The steps of the whole are those of the projection, each in its context, and then all others.
#[test]
fn the_whole_is_made_of_its_components() {
    let workers = Workers::new(3, ROUNDS, Fault::None);
    let state = Split {
        local: [Phase::Working(1), Phase::Trying, Phase::Idle],
        context: Lock {
            holder: None,
            served: 7,
        },
    };
    let shown = steps(&workers, &state);
    let shown: Vec<_> = shown
        .iter()
        .map(|(action, _)| format!("{action:?}"))
        .collect();
    assert_eq!(shown, ["Work(0)", "Begin(2)", "Acquire(1)"]);
    for (action, to) in steps(&workers, &state) {
        assert_eq!(to.context.served, 7);
        assert_eq!(workers.successor(&state, &action), Some(to));
        assert!(workers.allows(&state, &action, &to));
        assert!(!workers.allows(&state, &action, &state));
        let context = Lock {
            served: 8,
            ..to.context
        };
        assert!(!workers.allows(&state, &action, &Split { context, ..to }));
    }
    let unlabelled = SplitAction::Local(OfWorker::Begin(0));
    assert_eq!(workers.successor(&state, &unlabelled), None);
    let json = serde_json::to_string(&state).expect("it is plain data");
    let expected =
        r#"{"local":[{"Working":1},"Trying","Idle"],"context":{"holder":null,"served":7}}"#;
    assert_eq!(json, expected);
}

#[test]
fn a_cache_changes_no_report() {
    let [all, without] = [Selection::Default, Selection::only(WITHOUT_ENVIRONMENT)];
    for obligations in [all, without, Selection::Nothing] {
        let refinement = HiddenWork::new(Fault::None);
        let expected = direct(&refinement, &settings(&obligations, 1));
        assert_eq!(expected.states, 56 * u64::from(ROUNDS));
        let is_nothing = obligations == Selection::Nothing;
        assert_eq!(expected.verdict, (!is_nothing).then_some(Verdict::Holds));
        for threads in [1, 2] {
            let refinement = HiddenWork::new(Fault::None);
            let report = cached(&refinement, &settings(&obligations, threads));
            assert_eq!(report, expected, "{threads} threads");
            // In the sample, some ten times.
            let most = expected.states / 20 + 10 * expected.asked_again;
            assert!(refinement.calls() < most, "{}", refinement.calls());
        }
    }
}

/// A local transition that is not as it should be is shown in a state, as without a cache.
#[test]
fn a_wrong_local_transition_is_shown_in_its_state() {
    let obligations = Selection::only(WITHOUT_ENVIRONMENT);
    for (fault, row) in [
        (Fault::WrongStep, "simulation"),
        (Fault::WrongProcess, "agency"),
        (Fault::OfferedTwice, "model"),
        (Fault::Panic, "model"),
        (Fault::NoSuchRule, "model"),
        (Fault::PackedTogether, "model"),
    ] {
        for threads in [1, 2] {
            let settings = settings(&obligations, threads);
            let report = cached(&HiddenWork::new(fault), &settings);
            assert_eq!(
                report,
                direct(&HiddenWork::new(fault), &settings),
                "{fault:?}"
            );
            let violated = report.obligation(row).expect("it has a row");
            assert_eq!(violated.verdict, Verdict::Violated, "{fault:?}");
        }
    }
}

/// What types do not say is tested: that a component is packed at one place, and that the functions are functions.
#[test]
fn what_types_do_not_say_is_found_out() {
    let obligations = Selection::only(WITHOUT_ENVIRONMENT);
    for (fault, expected) in [
        (Fault::PackedAstray, "the state cannot be packed"),
        (Fault::ImpureNext, "the model contradicts itself"),
        (
            Fault::ImpureAnswer,
            "what is computed of its transitions is not a function of what it is given",
        ),
    ] {
        for threads in [1, 2] {
            let report = cached(&HiddenWork::new(fault), &settings(&obligations, threads));
            assert_eq!(report.verdict, Some(Verdict::Violated), "{fault:?}");
            let model = report.obligation("model").expect("the model is at fault");
            let explanation = &model.counterexamples[0].explanation;
            assert!(explanation.contains(expected), "{fault:?}: {explanation}");
        }
    }
}
