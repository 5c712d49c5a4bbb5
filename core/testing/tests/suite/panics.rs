//! A panic of any function of a model, at any time, is told, and names the function.
//!
//! One model has every function that there is, those of its states', actions' and observations' traits included, and each counts
//! its calls. It is checked in every mode; each function panics at its first call, at its last, and at one half way.

use refmap_testing::walking;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use refmap::AbstractSteps::{self, One};
use refmap::internal::stepper::Stepper;
use refmap::obligation::{
    CheckError, Checkable, Checker, Induction, Liveness, Selection, Symmetry, Until,
};
use refmap::report::Verdict;
use refmap::state::{Kept, Limits, NameVisitor, Names, RowOf, Shape, Sink, Source};
use refmap::{
    Caveats, Choices, Fairness, Invariant, Process, Property, Refinement, Report, Rule, RuleId,
    Settings, State, TransitionSystem, TypeCorrect, Waiver,
};
use serde::{Serialize, Serializer};

/// Functions of the model, each with what a report has to say of it.
const FUNCTIONS: &[(&str, &str)] = &[
    // What is asked of it is asked within another call.
    ("implementation", ""),
    ("specification", ""),
    ("map", "`map`"),
    ("abstract_steps", "`abstract_steps`"),
    ("invariants", "`invariants`"),
    ("invariant", "invariant `low`"),
    ("liveness", "`liveness`"),
    ("property", "a liveness property"),
    ("environment", "`environment`"),
    ("at_rest", "`at_rest`"),
    ("acts_for", "`acts_for`"),
    ("waivers", "`waivers`"),
    ("rules", "`rules`"),
    ("rule", "`rule`"),
    ("process", "`process`"),
    ("initial", "`initial`"),
    ("fire", "`fire`"),
    ("candidates", "`candidates`"),
    ("next", "`next`"),
    ("observe", "`observe`"),
    ("may_stop", "`may_stop`"),
    ("fairness", "`fairness`"),
    ("caveats", "`caveats`"),
    ("cut_off", "`caveats`"),
    ("doubts", "`caveats`"),
    ("inputs", "`inputs`"),
    ("is_initial", "`is_initial`"),
    ("allows", "`allows`"),
    ("hash of a state", "`hash"),
    ("eq of a state", "`eq`"),
    ("clone of a state", "`clone`"),
    ("serialize of a state", "`serialize`"),
    ("debug of a state", "`Debug`"),
    ("write", "`write`"),
    ("read", "`read`"),
    ("shape", "`shape`"),
    ("hash of an action", "`hash"),
    ("eq of an action", "`eq`"),
    ("clone of an action", "`clone`"),
    ("serialize of an action", "`serialize`"),
    ("debug of an action", "`Debug`"),
    ("eq of an observation", "`eq`"),
    ("debug of an observation", "`Debug`"),
    ("drop of a state", ""),
    ("type_correct", "`type_correct`"),
    ("visit_names", "`visit_names`"),
];

/// The function that counts its calls, and the call at which it panics.
static ARMED: AtomicUsize = AtomicUsize::new(usize::MAX);
static PANICS_AT: AtomicU64 = AtomicU64::new(u64::MAX);
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Call of a function, made by the function first: it panics if it is the armed one.
fn called(function: &'static str) {
    if is_armed(function)
        && CALLS.fetch_add(1, Ordering::Relaxed) + 1 == PANICS_AT.load(Ordering::Relaxed)
    {
        panic!("planted in {function}");
    }
}

fn is_armed(function: &'static str) -> bool {
    let armed = FUNCTIONS.get(ARMED.load(Ordering::Relaxed));
    armed.is_some_and(|(armed, _)| *armed == function)
}

/// Two counters, the least below which both go round, and whether states are kept whole.
struct System<const WHOLE: bool> {
    most: u8,
}

impl<const WHOLE: bool> System<WHOLE> {
    fn target(&self, from: &Pair<WHOLE>, action: &Step) -> Pair<WHOLE> {
        let mut counters = from.0;
        let counter = &mut counters[usize::from(action.0)];
        *counter = (*counter + 1) % self.most;
        Pair(counters)
    }
}

struct Pair<const WHOLE: bool>([u8; 2]);
struct Step(u8);
struct Seen(u8);

impl<const WHOLE: bool> Drop for Pair<WHOLE> {
    fn drop(&mut self) {
        called("drop of a state");
    }
}

macro_rules! traits {
    ([$($const_:tt)*] $type_:ty, $make:expr, $of:literal) => {
        impl<$($const_)*> Clone for $type_ {
            fn clone(&self) -> Self {
                called(concat!("clone of ", $of));
                $make(self.0)
            }
        }
        impl<$($const_)*> PartialEq for $type_ {
            fn eq(&self, other: &Self) -> bool {
                called(concat!("eq of ", $of));
                self.0 == other.0
            }
        }
        impl<$($const_)*> Eq for $type_ {}
        impl<$($const_)*> Hash for $type_ {
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                called(concat!("hash of ", $of));
                self.0.hash(hasher);
            }
        }
        impl<$($const_)*> Debug for $type_ {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                called(concat!("debug of ", $of));
                self.0.fmt(f)
            }
        }
        impl<$($const_)*> Serialize for $type_ {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                called(concat!("serialize of ", $of));
                self.0.serialize(serializer)
            }
        }
    };
}

traits!([const WHOLE: bool] Pair<WHOLE>, Pair, "a state");
traits!([] Step, Step, "an action");
traits!([] Seen, Seen, "an observation");

impl<const WHOLE: bool> PartialOrd for Pair<WHOLE> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<const WHOLE: bool> Ord for Pair<WHOLE> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl<const WHOLE: bool> State<System<WHOLE>> for Pair<WHOLE> {
    const KEPT: Kept = if WHOLE { Kept::Whole } else { Kept::Encoded };

    fn shape(_: &System<WHOLE>, _: Limits) -> Shape {
        called("shape");
        Shape::by_hand(Some(16))
    }

    fn write(&self, _: &System<WHOLE>, _: Limits, sink: &mut impl Sink) {
        called("write");
        self.0.iter().for_each(|n| sink.number(255, u64::from(*n)));
    }

    fn read(_: &System<WHOLE>, _: Limits, source: &mut impl Source) -> Self {
        called("read");
        Self([0, 1].map(|_| source.number(255) as u8))
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        called("visit_names");
        visit.rows(0, &mut [&mut RowOf::new(&mut self.0, |_, _| ())]);
    }
}

const RULES: &[Rule] = &[
    Rule::new("left", "client", "a test"),
    Rule::new("right", "server", "a test"),
];

impl<const WHOLE: bool> refmap::Action<System<WHOLE>> for Step {
    fn rules(_: &System<WHOLE>) -> &[Rule] {
        called("rules");
        RULES
    }

    fn rule(&self, _: &System<WHOLE>) -> RuleId {
        called("rule");
        RuleId(self.0.into())
    }

    fn process(&self, _: &System<WHOLE>) -> Process {
        called("process");
        Process::new(RULES[usize::from(self.0)].process)
    }

    fn inputs(&self, _: &System<WHOLE>) -> Self {
        called("inputs");
        Step(self.0)
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        called("visit_names");
        self.0.each_name(0, visit);
    }
}

impl<const WHOLE: bool> TransitionSystem for System<WHOLE> {
    type State = Pair<WHOLE>;
    type Action = Step;
    type Observation = Seen;

    fn initial(&self, visit: &mut impl FnMut(Pair<WHOLE>)) {
        called("initial");
        visit(Pair([0, 0]));
    }

    fn fire(&self, action: &Step, state: &mut Pair<WHOLE>) -> Option<()> {
        called("fire");
        *state = self.target(state, action);
        Some(())
    }

    fn candidates(&self, _: &Pair<WHOLE>, visit: &mut impl FnMut(Step)) {
        called("candidates");
        visit(Step(0));
        visit(Step(1));
    }

    fn next(&self, from: &Pair<WHOLE>, visit: &mut impl FnMut(Step, &Pair<WHOLE>)) {
        called("next");
        for action in [Step(0), Step(1)] {
            let to = self.target(from, &action);
            visit(action, &to);
        }
    }

    fn observe(&self, state: &Pair<WHOLE>) -> Seen {
        called("observe");
        Seen(state.0[0] + state.0[1])
    }

    fn may_stop(&self, _: &Pair<WHOLE>) -> bool {
        called("may_stop");
        false
    }

    fn fairness(&self) -> Vec<Fairness> {
        called("fairness");
        ["left", "right"]
            .map(|rule| Fairness::weak(rule, [rule]))
            .into()
    }

    /// A bound leaves fairness undecided, so there is one only where that is asked for what it cuts off.
    fn caveats(&self) -> Caveats<'_, Pair<WHOLE>> {
        called("caveats");
        let caveats = Caveats::default().doubted(|| {
            called("doubts");
            Vec::new()
        });
        if !is_armed("cut_off") {
            return caveats;
        }
        caveats.bounded("a bound", |_| {
            called("cut_off");
            Vec::new()
        })
    }

    fn is_initial(&self, state: &Pair<WHOLE>) -> bool {
        called("is_initial");
        state.0 == [0, 0]
    }

    fn allows(&self, from: &Pair<WHOLE>, action: &Step, to: &Pair<WHOLE>) -> bool {
        called("allows");
        self.target(from, action).0 == to.0
    }
}

impl<const WHOLE: bool> TypeCorrect for System<WHOLE> {
    fn type_correct(&self, choices: &mut Choices) -> Pair<WHOLE> {
        called("type_correct");
        Pair([0, 1].map(|_| choices.below(self.most.into()) as u8))
    }
}

/// A system that implements itself.
struct Itself<const WHOLE: bool> {
    system: System<WHOLE>,
    /// The least sum that the invariant does not allow.
    most: u8,
}

const ENVIRONMENT: [Process; 1] = [Process::new("client")];

impl<const WHOLE: bool> Refinement for Itself<WHOLE> {
    type Implementation = System<WHOLE>;
    type Specification = System<WHOLE>;

    fn implementation(&self) -> &System<WHOLE> {
        called("implementation");
        &self.system
    }

    fn specification(&self) -> &System<WHOLE> {
        called("specification");
        &self.system
    }

    fn map(&self, state: &Pair<WHOLE>) -> Pair<WHOLE> {
        called("map");
        Pair(state.0)
    }

    fn abstract_steps(
        &self,
        _: &Pair<WHOLE>,
        action: &Step,
        _: &Pair<WHOLE>,
    ) -> AbstractSteps<Step> {
        called("abstract_steps");
        One(Step(action.0))
    }

    fn invariants(&self) -> Vec<Invariant<System<WHOLE>>> {
        called("invariants");
        let most = self.most;
        vec![Invariant::new(
            "low",
            "a test",
            move |state: &Pair<WHOLE>| {
                called("invariant");
                state.0[0] + state.0[1] < most
            },
        )]
    }

    fn liveness(&self) -> Vec<Property<System<WHOLE>>> {
        called("liveness");
        vec![Property::leads_to(
            "moves",
            "a test",
            |state: &Pair<WHOLE>| {
                called("property");
                state.0[0] == 0
            },
            |state: &Pair<WHOLE>| state.0[0] != 0,
        )]
    }

    fn environment(&self) -> &[Process] {
        called("environment");
        &ENVIRONMENT
    }

    fn at_rest(&self, _: &Pair<WHOLE>, _: Process) -> bool {
        called("at_rest");
        true
    }

    fn acts_for(&self, process: Process) -> Process {
        called("acts_for");
        process
    }

    fn waivers(&self) -> Vec<Waiver> {
        called("waivers");
        Vec::new()
    }
}

/// Outcome of a mode: a report or an error.
type Told = Result<Report, CheckError>;

/// A way to check the model.
struct Mode {
    name: &'static str,
    run: fn() -> Told,
}

fn one_thread() -> Settings<'static> {
    Settings {
        threads: 1,
        liveness: Liveness::Included,
        ..Settings::default()
    }
}

fn run<const WHOLE: bool>(
    most: u8,
    with: fn(Checker<'_, Itself<WHOLE>>) -> Checker<'_, Itself<WHOLE>>,
    settings: &Settings<'_>,
) -> Told {
    let refinement = Itself {
        system: System { most: 4 },
        most,
    };
    with(Checker::new(&refinement)).check(settings)
}

/// Steps through the model, and tells what fails as a check's error.
fn stepped() -> Told {
    let mut found = None;
    let mut step_through = |stepper: Stepper<'_>| {
        let mut choices = vec![0];
        for number in [0, 1, 1, 0] {
            match stepper.follow(&choices) {
                Err(error) => {
                    found.get_or_insert(error.to_string());
                    return;
                }
                Ok(followed) => {
                    let offered = followed.offered.iter().flat_map(|offered| &offered.fails);
                    let mut fails = followed.fails.iter().chain(offered);
                    if let Some(fails) = fails.find(|found| found.obligation == "model") {
                        found.get_or_insert(fails.explanation.clone());
                    }
                    if let Err(error) = stepper.choices(&followed.steps) {
                        found.get_or_insert(error.to_string());
                    }
                }
            }
            choices.push(number);
        }
    };
    let refinement = Itself::<true> {
        system: System { most: 4 },
        most: 99,
    };
    Checker::new(&refinement).step_through(&one_thread(), &mut step_through)?;
    Err(CheckError::UnknownObligation {
        name: found.unwrap_or_else(|| "nothing is told".to_owned()),
        nearest: None,
        known: Vec::new(),
    })
}

fn walks(until: Until, most: u8) -> Told {
    let settings = Settings {
        search: walking(6, 12, 1),
        until,
        ..one_thread()
    };
    run::<true>(most, |checker| checker, &settings)
}

const MODES: &[Mode] = &[
    Mode {
        name: "whole",
        run: || run::<true>(99, |checker| checker, &one_thread()),
    },
    Mode {
        name: "whole, two threads",
        run: || {
            let settings = Settings {
                threads: 2,
                ..one_thread()
            };
            run::<true>(99, |checker| checker, &settings)
        },
    },
    Mode {
        name: "whole, violated",
        run: || {
            let settings = Settings {
                until: Until::End,
                ..one_thread()
            };
            run::<true>(5, |checker| checker, &settings)
        },
    },
    Mode {
        name: "written",
        run: || run::<false>(99, |checker| checker, &one_thread()),
    },
    Mode {
        name: "written, violated",
        run: || run::<false>(5, |checker| checker, &one_thread()),
    },
    Mode {
        name: "induction",
        run: || {
            let settings = Settings {
                induction: Induction::Included,
                ..one_thread()
            };
            run::<true>(7, |checker| checker.inductive(), &settings)
        },
    },
    Mode {
        name: "symmetry",
        run: || {
            let settings = Settings {
                symmetry: Symmetry::Full,
                ..one_thread()
            };
            run::<true>(5, |checker| checker, &settings)
        },
    },
    Mode {
        name: "walks",
        run: || walks(Until::End, 99),
    },
    Mode {
        name: "walks, violated",
        run: || walks(Until::FirstViolation, 5),
    },
    Mode {
        name: "nothing asked",
        run: || {
            let settings = Settings {
                obligations: Selection::Nothing,
                ..one_thread()
            };
            run::<true>(99, |checker| checker, &settings)
        },
    },
    Mode {
        name: "stepping",
        run: stepped,
    },
];

/// Runs a mode with a function that panics at a call; says how often it was called, too.
fn armed(mode: &Mode, function: usize, at: u64) -> (std::thread::Result<Told>, u64) {
    CALLS.store(0, Ordering::Relaxed);
    PANICS_AT.store(at, Ordering::Relaxed);
    ARMED.store(function, Ordering::Relaxed);
    let told = catch_unwind(AssertUnwindSafe(mode.run));
    ARMED.store(usize::MAX, Ordering::Relaxed);
    (told, CALLS.load(Ordering::Relaxed))
}

/// All that a report says.
fn text(report: &Report) -> String {
    let rows = report.obligations.iter().flat_map(|row| {
        let explained = row
            .counterexamples
            .iter()
            .map(|found| found.explanation.clone());
        row.note.iter().cloned().chain(explained)
    });
    let warnings = report.warnings.iter().map(|warning| warning.text.clone());
    rows.chain(warnings).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_panic_of_any_function_at_any_time_is_told_and_names_the_function() {
    let mut wrong = Vec::new();
    // As a walk is shortened, an action is tried where it need not be enabled; a `fire` that panics there leads nowhere.
    let is_excused = |mode: &Mode, name: &str, at: u64| {
        name == "fire" && at > 1 && mode.name == "walks, violated"
    };
    for mode in MODES {
        let mut called = 0;
        for (function, (name, expected)) in FUNCTIONS.iter().enumerate() {
            let (_, calls) = armed(mode, function, u64::MAX);
            called += u64::from(calls > 0);
            let mut at = vec![1, calls / 2 + 1, calls];
            at.retain(|at| (1..=calls).contains(at));
            at.sort_unstable();
            at.dedup();
            for at in at {
                if is_excused(mode, name, at) {
                    continue;
                }
                let (told, made) = armed(mode, function, at);
                // Threads may share the calls of one run otherwise than those of another.
                if made < at {
                    continue;
                }
                let problem = match told {
                    Err(_) => Some("unwinds".to_owned()),
                    Ok(Err(error)) => {
                        let error = error.to_string();
                        (!error.contains(expected) || !error.contains("planted"))
                            .then(|| format!("error {error}"))
                    }
                    Ok(Ok(report)) => {
                        let text = text(&report);
                        let is_named = text.contains(expected) && text.contains("planted");
                        let is_pass = report.verdict == Some(Verdict::Holds);
                        (!is_named || is_pass).then(|| format!("{:?} {text}", report.verdict))
                    }
                };
                if let Some(problem) = problem {
                    wrong.push(format!(
                        "{}: {name} at call {at} of {calls}: {problem}",
                        mode.name
                    ));
                }
            }
        }
        assert!(called > 20, "{}: {called} functions are called", mode.name);
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
