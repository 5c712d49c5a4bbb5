//! Systems given by a list of steps a state, of any size and shape, and packed in any width: what the small
//! tables cannot show of a search, since they are neither deep nor wide nor large.

mod drawing;
mod limits;
mod spread;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use refmap::explore::Storage;
use refmap::obligation::{Selection, Until};
use refmap::state::{self, Kept, Limits, Sink, Source};
use refmap::{
    AbstractSteps, Invariant, Process, Refinement, Report, Rule, RuleId, Settings,
    TransitionSystem, Verdict, check,
};
use serde::Serialize;

use crate::comparison::{fate, show, timeless};
use crate::oracle::{Fate, Oracle};
pub use drawing::{Shape, draw, environment};
pub use limits::compare_limits;
pub use spread::Spread;

/// One configuration: its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State(pub u32);

/// The label of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Label {
    /// An index into the rules.
    pub rule: u8,
    /// Index into [`WORKERS`].
    pub process: u8,
    pub argument: u16,
}

/// Everybody who takes steps.
pub const WORKERS: [Process; 3] = [
    Process::numbered("worker", 0),
    Process::numbered("worker", 1),
    Process::numbered("worker", 2),
];

/// Raised by the system itself when its `next` has been asked so often: a cancellation that falls anywhere, or, where
/// `next` then takes its time, the end of the time.
#[derive(Debug)]
pub struct Fuse {
    left: AtomicU64,
    pub blown: AtomicBool,
    sleep: Option<Duration>,
}

/// A transition system, state by state.
#[derive(Clone, Debug)]
pub struct Web {
    pub rules: Vec<Rule>,
    pub initial: Vec<u32>,
    /// Per state, its steps.
    pub steps: Vec<Vec<(Label, u32)>>,
    /// Per state, what can be seen.
    pub shown: Vec<u8>,
    /// The states that may be the last.
    pub may_stop: bool,
    pub spread: Spread,
    pub fuse: Option<Arc<Fuse>>,
}

impl Web {
    /// So many states without a step.
    pub fn new(states: usize, width: u32) -> Self {
        Self {
            rules: vec![
                Rule::new("move", "worker", "a test"),
                Rule::new("jump", "worker", "a test"),
            ],
            initial: vec![0],
            steps: vec![Vec::new(); states],
            shown: vec![0; states],
            may_stop: false,
            spread: Spread::new(width, states),
            fuse: None,
        }
    }

    /// The same, cancelled when the steps of so many states have been asked for.
    pub fn cancelled_after(&self, states: u64) -> Self {
        self.with_fuse(states, None)
    }

    /// The same, sleeping so long instead of being cancelled.
    pub fn sleeping_after(&self, states: u64, sleep: Duration) -> Self {
        self.with_fuse(states, Some(sleep))
    }

    fn with_fuse(&self, states: u64, sleep: Option<Duration>) -> Self {
        let fuse = Fuse {
            left: AtomicU64::new(states),
            blown: AtomicBool::new(states == 0 && sleep.is_none()),
            sleep,
        };
        Self {
            fuse: Some(Arc::new(fuse)),
            ..self.clone()
        }
    }
}

impl refmap::Action<Web> for Label {
    fn rules(system: &Web) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, _: &Web) -> RuleId {
        RuleId(self.rule.into())
    }

    fn process(&self, _: &Web) -> Process {
        WORKERS[usize::from(self.process)]
    }
}

impl TransitionSystem for Web {
    type State = State;
    type Action = Label;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        self.initial.iter().for_each(|number| visit(State(*number)));
    }

    fn fire(&self, action: &Label, state: &mut State) -> Option<()> {
        let mut steps = self.steps[state.0 as usize].iter();
        (_, state.0) = *steps.find(|(label, _)| label == action)?;
        Some(())
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Label, &State)) {
        if let Some(fuse) = &self.fuse
            && fuse.left.fetch_sub(1, Ordering::Relaxed) == 1
        {
            match fuse.sleep {
                Some(sleep) => std::thread::sleep(sleep),
                None => fuse.blown.store(true, Ordering::Relaxed),
            }
        }
        for (label, to) in &self.steps[from.0 as usize] {
            visit(*label, &State(*to));
        }
    }

    fn observe(&self, state: &State) -> u8 {
        self.shown[state.0 as usize]
    }

    fn may_stop(&self, _: &State) -> bool {
        self.may_stop
    }
}

impl refmap::State<Web> for State {
    const KEPT: Kept = Kept::Encoded;

    fn shape(web: &Web, _: Limits) -> state::Shape {
        state::Shape::by_hand(Some(web.spread.width))
    }

    fn write(&self, web: &Web, _: Limits, sink: &mut impl Sink) {
        web.spread.write(self.0, sink);
    }

    fn read(web: &Web, _: Limits, source: &mut impl Source) -> Self {
        Self(web.spread.read(source))
    }
}

/// A refinement between two webs.
#[derive(Clone, Debug)]
pub struct Weave {
    pub concrete: Web,
    pub specification: Web,
    /// Per state of the implementation, its image.
    pub images: Vec<u32>,
    /// Abstract action of a step, by its source and label; stutters are left out.
    pub answers: HashMap<(u32, Label), Label>,
    /// An invariant, by the states in which it fails.
    pub fails: Arc<Vec<bool>>,
    pub environment: Vec<Process>,
}

impl Refinement for Weave {
    type Implementation = Web;
    type Specification = Web;

    fn implementation(&self) -> &Web {
        &self.concrete
    }

    fn specification(&self) -> &Web {
        &self.specification
    }

    fn map(&self, state: &State) -> State {
        State(self.images[state.0 as usize])
    }

    fn abstract_steps(&self, from: &State, action: &Label, _to: &State) -> AbstractSteps<Label> {
        self.answers.get(&(from.0, *action)).copied().into()
    }

    fn invariants(&self) -> Vec<Invariant<Web>> {
        let fails = self.fails.clone();
        let holds = move |state: &State| !fails[state.0 as usize];
        vec![Invariant::new("sound", "drawn at random", holds)]
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }
}

/// A way to run a check.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub storage: Storage,
    pub threads: usize,
}

/// The ways there are, with a number of threads that a turn says.
pub fn ways(turn: usize) -> impl Iterator<Item = Way> {
    let storages = [Storage::Packed, Storage::Whole];
    (turn..).zip(storages).map(|(turn, storage)| Way {
        storage,
        threads: 1 + turn % 4,
    })
}

/// Report of a check of a weave.
pub fn run(refinement: &Weave, way: Way, settings: Settings<'_>) -> Report {
    let fuse = refinement.concrete.fuse.clone();
    let mut settings = Settings {
        storage: way.storage,
        threads: way.threads,
        until: Until::End,
        ..settings
    };
    settings.watch.cancel = fuse.as_ref().map(|fuse| &fuse.blown);
    let report = check(refinement, &settings);
    timeless(report.expect("the refinement does not contradict itself"))
}

/// Obligations of states and steps.
pub fn of_states_and_steps<'a>() -> Settings<'a> {
    let names = [
        "observation",
        "initiality",
        "simulation",
        "invariant",
        "deadlock",
    ];
    Settings {
        obligations: Selection::only(names),
        ..Settings::default()
    }
}

/// The length of a shortest trace that shows an action offered twice.
pub fn offered_twice(oracle: &Oracle<'_, Weave>) -> Option<u32> {
    let steps = oracle.depths.iter().zip(&oracle.steps);
    let twice = steps.filter(|(_, steps)| {
        let labels: std::collections::HashSet<_> = steps.iter().map(|(label, _)| label).collect();
        labels.len() < steps.len()
    });
    twice.map(|(depth, _)| depth + 1).min()
}

/// The oracle's fates of what is asked, and of the model itself if it is at fault.
pub fn fates(oracle: &Oracle<'_, Weave>) -> Vec<(String, Fate)> {
    let asked = ["observation", "initiality", "simulation", "deadlock"];
    let is_asked = |name: &str| asked.contains(&name) || name.starts_with("invariant");
    let mut fates = oracle.fates();
    fates.retain(|(name, _)| is_asked(name));
    fates.extend(offered_twice(oracle).map(|length| {
        let verdict = Verdict::Violated;
        let length = Some(length);
        ("model".to_owned(), Fate { verdict, length })
    }));
    fates
}

/// A complete search says what the oracle says, in every way that is taken.
pub fn compare(refinement: &Weave, turn: usize, taken: usize) -> Oracle<'_, Weave> {
    let oracle = Oracle::new(refinement);
    let fates = fates(&oracle);
    let all: Vec<_> = ways(turn).collect();
    for way in all.into_iter().cycle().skip(turn % 2).take(taken) {
        let report = run(refinement, way, of_states_and_steps());
        agrees(&oracle, &fates, way, &report);
        // Where a state offers an action twice, actions do not say which way to replay.
        if report.states < 10_000 && report.obligation("model").is_none() {
            show(&oracle, &report);
        }
    }
    oracle
}

fn agrees(oracle: &Oracle<'_, Weave>, fates: &[(String, Fate)], way: Way, report: &Report) {
    assert_eq!(report.limit, None, "{way:?}");
    assert_eq!(
        report.initial_states, oracle.initial_states as u64,
        "{way:?}"
    );
    assert_eq!(report.states, oracle.states.len() as u64, "{way:?}");
    assert_eq!(report.transitions, oracle.transitions() as u64, "{way:?}");
    let fired: Vec<_> = report.coverage.iter().map(|row| row.fired).collect();
    assert_eq!(fired, oracle.fired(), "{way:?}");
    let names = report.obligations.iter().map(|row| &row.name);
    assert!(
        names.eq(fates.iter().map(|(name, _)| name)),
        "{way:?}: {report}"
    );
    for (row, (name, decided)) in report.obligations.iter().zip(fates) {
        assert_eq!(fate(row), *decided, "{name}, {way:?}");
    }
    assert_eq!(report.depth, oracle.depth(), "{way:?}");
    let any = fates
        .iter()
        .any(|(_, fate)| fate.verdict == Verdict::Violated);
    let verdict = if any {
        Verdict::Violated
    } else {
        Verdict::Holds
    };
    assert_eq!(report.verdict, Some(verdict), "{way:?}");
}
