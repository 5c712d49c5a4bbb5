//! The engine that walks at random.

use std::cell::Cell;
use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use foldhash::{HashSet, HashSetExt};

use super::{Generator, Walks};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{
    CallEnd, break_off, catch, interruptible, named, tolerated,
};
use crate::statement::asked::visit::{visit_initial, visit_steps};
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::{
    Limit, Limits, Origin, Panic, Phase, Place, Progress, StateId, States, Visitor, Watch, Work,
    look_at, look_at_step, resident_bytes,
};
use crate::walk::parallel::{WorkItems, run_in_parallel};

/// Walks between two looks at the memory, and as many tallies kept at a time.
const WAVE: u32 = 512;
/// Steps between two looks at the clock.
const PATIENCE: u32 = 64;
/// Initial states between two looks at the memory, and two reports of progress.
const MORE_PATIENCE: u64 = 1 << 14;

/// A behaviour of `system` of at most `steps` random steps, drawn as those of [`Walks`] are. `None`
/// if there is no initial state.
///
/// ```
/// # use refmap::{TransitionSystem};
/// # struct Clock;
/// # impl TransitionSystem for Clock {
/// #     type State = u8;
/// #     type Action = ();
/// #     type Observation = u8;
/// #     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0); }
/// #     fn fire(&self, (): &(), hour: &mut u8) -> Option<()> { *hour = (*hour + 1) % 12; Some(()) }
/// #     fn observe(&self, state: &u8) -> u8 { *state }
/// # }
/// use refmap::random::{Generator, random_trace};
///
/// let trace = random_trace(&Clock, &mut Generator::new(7), 30).expect("a clock starts at 0");
/// assert_eq!((trace.length(), *trace.last()), (30, 6));
/// ```
pub fn random_trace<S: TransitionSystem>(
    system: &S,
    generator: &mut Generator,
    steps: u32,
) -> Option<Trace<S>> {
    let mut initial = Vec::new();
    visit_initial(system, &mut |state| initial.push(state));
    if initial.is_empty() {
        return None;
    }
    let mut trace = Trace {
        initial: initial.swap_remove(generator.below(initial.len())),
        steps: Vec::new(),
    };
    let mut offers = Offers::new(system);
    for _ in 0..steps {
        offers.fill(system, trace.last());
        let Some((_, action, to)) = offers.choose(generator) else {
            break;
        };
        trace.steps.push((action, to));
    }
    Some(trace)
}

/// The steps that a state offers.
pub(crate) struct Offers<S: TransitionSystem> {
    /// Each with its rule.
    steps: Vec<(usize, ActionOf<S>, StateOf<S>)>,
    /// Per rule, how many of them. The last is for actions of a rule that does not exist, which the
    /// visitor finds out when one is chosen.
    instances: Vec<usize>,
    /// The rules that have some.
    enabled: Vec<usize>,
}

impl<S: TransitionSystem> Offers<S> {
    /// Room for steps of a system.
    pub fn new(system: &S) -> Self {
        Self {
            steps: Vec::new(),
            instances: vec![0; system.call_rules().len() + 1],
            enabled: Vec::new(),
        }
    }

    /// Takes the steps of a state, in the place of those before.
    pub fn fill(&mut self, system: &S, from: &StateOf<S>) {
        self.steps.clear();
        for rule in self.enabled.drain(..) {
            self.instances[rule] = 0;
        }
        let mut visit = |action: ActionOf<S>, to: &StateOf<S>| {
            let rule = named("`rule` of the implementation", || system.call_rule(&action));
            let rule = rule.0.min(self.instances.len() - 1);
            if self.instances[rule] == 0 {
                self.enabled.push(rule);
            }
            self.instances[rule] += 1;
            self.steps.push((rule, action, to.clone()));
        };
        named("`next` of the implementation", || {
            visit_steps(system, from, &mut visit);
        });
    }

    /// Draws a rule that is enabled and then one of its instances: the place among the steps, the
    /// action and the target.
    pub fn choose(&mut self, generator: &mut Generator) -> Option<(u32, ActionOf<S>, StateOf<S>)> {
        if self.steps.is_empty() {
            return None;
        }
        let rule = self.enabled[generator.below(self.enabled.len())];
        let instance = generator.below(self.instances[rule]);
        let mut instances = self.steps.iter().enumerate();
        let (position, _) = instances
            .by_ref()
            .filter(|(_, (of, ..))| *of == rule)
            .nth(instance)?;
        let (_, action, to) = self.steps.swap_remove(position);
        Some((position as u32, action, to))
    }
}

/// Way in which walks ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WalksEnd {
    /// All were made; nothing is known of the rest.
    AllMade,
    /// The visitor had seen enough.
    Stopped,
    /// A limit came first, or the user did.
    Limit(Limit),
}

/// Outcome of walks. A place of the tally names a walk where that of a search names a state.
pub(crate) struct Walked<S: TransitionSystem, T> {
    /// Tally that the visitor gathered.
    pub tally: T,
    /// Way in which they ended.
    pub end: WalksEnd,
    /// The distinct initial states, in the order in which the system has them.
    pub initial: Vec<StateOf<S>>,
    /// Panic of a function of the model that was not called for a state or a step (`initial`, say), if there was one.
    pub panic: Option<Panic>,
    /// Number of walks that were begun.
    pub begun: u32,
    /// States visited, counting each visit.
    pub visits: u64,
    /// Steps taken, counting each time.
    pub steps: u64,
    /// The length of the longest walk.
    pub longest: u32,
    /// Time that it took.
    pub seconds: f64,
    /// The most memory the process was seen to hold.
    pub peak_memory_bytes: u64,
}

/// Behaviours of walks that are kept to be shown, each with what is to be said of where it comes from. The number of one
/// stands for its last state.
pub(crate) struct ShownBehaviours<S: TransitionSystem>(Vec<(Trace<S>, String)>);

impl<S: TransitionSystem> ShownBehaviours<S> {
    /// No behaviour.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Keeps a behaviour, and says by what number its last state goes.
    pub fn keep(&mut self, behaviour: Trace<S>, provenance: String) -> StateId {
        self.0.push((behaviour, provenance));
        StateId(self.0.len() as u64 - 1)
    }

    fn behaviour(&self, id: StateId) -> &Trace<S> {
        let (behaviour, _) = self.0.get(id.0 as usize).expect("the behaviour was kept");
        behaviour
    }
}

impl<S: TransitionSystem> States<S> for ShownBehaviours<S> {
    /// None that a walk visits is remembered.
    fn len(&self) -> usize {
        0
    }

    fn state(&self, _: &S, id: StateId) -> Option<StateOf<S>> {
        let (behaviour, _) = self.0.get(id.0 as usize)?;
        Some(behaviour.last().clone())
    }

    fn length(&self, id: StateId) -> u32 {
        self.behaviour(id).length() as u32
    }

    fn origin(&self, id: StateId) -> Origin<'_, S> {
        Origin::Behaviour(self.behaviour(id))
    }

    fn provenance(&self, id: StateId) -> Option<&str> {
        Some(&self.0.get(id.0 as usize)?.1)
    }
}

/// Makes the walks, showing each state and step to `visitor`. What is found does not depend on the
/// number of threads: walks are added up in their order, and when the visitor has seen enough with
/// one of them, none that comes after it is.
pub(crate) fn walk<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    walks: Walks,
    threads: usize,
    limits: Limits,
    watch: Watch<'_>,
) -> Walked<S, V::Tally> {
    let started = Instant::now();
    let (states, cut_short) = initial_states(system, limits, watch, started);
    let (limit, panic) = match cut_short {
        Some(EnumerationEnd::Limit(limit)) => (Some(limit), None),
        Some(EnumerationEnd::Panic(panic)) => (None, Some(panic)),
        None => (None, None),
    };
    let search = RandomSearch {
        system,
        visitor,
        walks,
        threads: threads.max(1),
        limits,
        watch,
        started,
        initial: states,
        taken: AtomicU64::new(0),
        enough: AtomicU32::new(u32::MAX),
        out_of_time: AtomicBool::new(false),
    };
    let end = limit.map_or(WalksEnd::AllMade, WalksEnd::Limit);
    search.run(end, panic)
}

/// Cause that ended the enumeration of the initial states before all were shown.
enum EnumerationEnd {
    Limit(Limit),
    Panic(Panic),
}

/// The distinct initial states, as far as the limits allow.
fn initial_states<S: TransitionSystem>(
    system: &S,
    limits: Limits,
    watch: Watch<'_>,
    started: Instant,
) -> (Vec<StateOf<S>>, Option<EnumerationEnd>) {
    let mut states = Vec::new();
    let mut known = HashSet::new();
    let mut shown: u64 = 0;
    let mut limit = None;
    let enumerated = interruptible(|| {
        let mut visit = |state: StateOf<S>| {
            let is_new = named("`hash`, `eq` or `clone` of a state", || {
                known.insert(state.clone())
            });
            if is_new {
                states.push(state);
            }
            shown += 1;
            if shown.is_multiple_of(PATIENCE.into()) {
                limit = limits.out_of_time(&watch, started);
            }
            if shown.is_multiple_of(MORE_PATIENCE) {
                limit = limit.or_else(|| limits.out_of_memory());
                if let Some(progress) = watch.progress {
                    progress(&Progress {
                        phase: Phase::Walks,
                        states: states.len() as u64,
                        transitions: 0,
                        depth: 0,
                        frontier: 0,
                        elapsed: started.elapsed(),
                        work: None,
                        disk: None,
                        peers: None,
                    });
                }
            }
            if limit.is_some() {
                break_off();
            }
        };
        named("`initial` of the implementation", || {
            visit_initial(system, &mut visit);
        });
    });
    let cut_short = match enumerated {
        Ok(()) => None,
        Err(CallEnd::BrokenOff) => limit.map(EnumerationEnd::Limit),
        Err(CallEnd::Panicked(panic)) => Some(EnumerationEnd::Panic(panic)),
    };
    (states, cut_short)
}

struct RandomSearch<'a, S: TransitionSystem, V> {
    system: &'a S,
    visitor: &'a V,
    walks: Walks,
    threads: usize,
    limits: Limits,
    watch: Watch<'a>,
    started: Instant,
    initial: Vec<StateOf<S>>,
    /// Steps taken so far by all workers, for those who watch.
    taken: AtomicU64,
    /// The first walk with which the visitor had seen enough.
    enough: AtomicU32,
    out_of_time: AtomicBool,
}

/// Worker that walks; one of them tells those who watch.
#[derive(Clone, Copy, PartialEq)]
enum Walker {
    Caller,
    Helper,
}

/// Outcome of one walk.
struct WalkOutcome<T> {
    number: u32,
    tally: T,
    length: u32,
    enough: bool,
}

impl<S: TransitionSystem, V: Visitor<S>> RandomSearch<'_, S, V> {
    fn run(self, end: WalksEnd, panic: Option<Panic>) -> Walked<S, V::Tally> {
        let mut found = Walked {
            tally: self.visitor.tally(),
            end,
            initial: Vec::new(),
            panic,
            begun: 0,
            visits: 0,
            steps: 0,
            longest: 0,
            seconds: 0.0,
            peak_memory_bytes: 0,
        };
        let walks = if self.initial.is_empty() {
            0
        } else {
            self.walks.walks
        };
        let mut first = 0;
        while first < walks && found.end == WalksEnd::AllMade {
            let held = resident_bytes().unwrap_or(0);
            found.peak_memory_bytes = found.peak_memory_bytes.max(held);
            let too_much = self.limits.memory_bytes.filter(|most| held >= *most);
            if let Some(most) = too_much {
                found.end = WalksEnd::Limit(Limit::MemoryBytes(most));
                break;
            }
            let wave = first..walks.min(first.saturating_add(WAVE));
            first = wave.end;
            for outcome in self.wave(wave) {
                found.begun += 1;
                found.visits += u64::from(outcome.length) + 1;
                found.steps += u64::from(outcome.length);
                found.longest = found.longest.max(outcome.length);
                self.visitor.merge(&mut found.tally, outcome.tally);
                if outcome.enough {
                    found.end = WalksEnd::Stopped;
                    break;
                }
            }
            if found.end == WalksEnd::AllMade && self.out_of_time.load(Ordering::Relaxed) {
                // The clock only moves forward, and a cancellation stays.
                let limit = self.limits.out_of_time(&self.watch, self.started);
                found.end = WalksEnd::Limit(limit.unwrap_or(Limit::Cancelled));
            }
        }
        found.seconds = self.started.elapsed().as_secs_f64();
        found.initial = self.initial;
        found
    }

    /// Walks a run of walks, in parallel; in the order of their numbers, those behind one that was
    /// enough left out or unfinished.
    fn wave(&self, wave: Range<u32>) -> Vec<WalkOutcome<V::Tally>> {
        let shares = WorkItems::new(wave.len());
        let work = |worker| {
            let mut offers = Offers::new(self.system);
            let mut done = Vec::new();
            while let Some(share) = shares.take() {
                let number = wave.start + share as u32;
                if self.is_needless(number) || self.is_out_of_time() {
                    break;
                }
                let outcome = self.walk(number, &mut offers, worker);
                if outcome.enough {
                    self.enough.fetch_min(number, Ordering::Relaxed);
                }
                done.push(outcome);
            }
            done
        };
        let helpers = self.threads.min(wave.len()) - 1;
        let workers = iter::once(Walker::Caller).chain(iter::repeat_n(Walker::Helper, helpers));
        let mut outcomes: Vec<_> = run_in_parallel(workers, work)
            .into_iter()
            .flatten()
            .collect();
        outcomes.sort_unstable_by_key(|outcome| outcome.number);
        outcomes
    }

    /// True if an earlier walk was enough.
    fn is_needless(&self, number: u32) -> bool {
        number > self.enough.load(Ordering::Relaxed)
    }

    fn is_out_of_time(&self) -> bool {
        if self.limits.out_of_time(&self.watch, self.started).is_some() {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        self.out_of_time.load(Ordering::Relaxed)
    }

    fn walk(&self, number: u32, offers: &mut Offers<S>, worker: Walker) -> WalkOutcome<V::Tally> {
        let mut generator = Generator::numbered(self.walks.seed, number.into());
        let mut tally = self.visitor.tally();
        let mut length = 0;
        // What does not panic as a state is looked at may do so as it is copied, or dropped.
        let walked = catch(|| {
            self.walk_on(
                number,
                offers,
                worker,
                &mut generator,
                &mut tally,
                &mut length,
            )
        });
        if let Err(panic) = walked {
            let place = Place {
                length,
                state: StateId(number.into()),
                step: None,
            };
            self.visitor.panicked(&mut tally, place, panic);
        }
        self.report(number, length, worker);
        WalkOutcome {
            number,
            enough: self.visitor.stop(&tally).is_some(),
            tally,
            length,
        }
    }

    /// Walks from an initial state on.
    fn walk_on(
        &self,
        number: u32,
        offers: &mut Offers<S>,
        worker: Walker,
        generator: &mut Generator,
        tally: &mut V::Tally,
        walked: &mut u32,
    ) {
        let initial = &self.initial[generator.below(self.initial.len())];
        let mut from = named("`clone` of a state", || initial.clone());
        let mut length = 0;
        let mut last_look = 0;
        loop {
            if length - last_look == PATIENCE {
                last_look = length;
                self.taken.fetch_add(PATIENCE.into(), Ordering::Relaxed);
                self.report(number, length, worker);
                if self.is_needless(number) || self.is_out_of_time() {
                    break;
                }
            }
            let place = Place {
                length,
                state: StateId(number.into()),
                step: None,
            };
            let stepping = Cell::new(place);
            let next = catch(|| {
                let image = look_at(self.visitor, tally, place, &from);
                if !self.visitor.is_expanded(tally, place, &from) {
                    return None;
                }
                offers.fill(self.system, &from);
                for (_, action, _) in &offers.steps {
                    self.visitor.offered(tally, action);
                }
                let count = offers.steps.len() as u32;
                self.visitor.leave(tally, place, &from, count);
                // Asked only here, so that what is wrong with a state is known beside what is wrong
                // with the step to it.
                if length == self.walks.steps || self.visitor.stop(tally).is_some() {
                    return None;
                }
                let (position, action, to) = offers.choose(generator)?;
                let step = place.of_step(position);
                stepping.set(step);
                let at = (&from, &image);
                look_at_step(self.visitor, tally, step, at, &action, &to);
                Some(to)
            });
            match next {
                Ok(Some(to)) => {
                    from = to;
                    length += 1;
                    *walked = length;
                }
                Ok(None) => break,
                Err(panic) => {
                    self.visitor.panicked(tally, stepping.get(), panic);
                    break;
                }
            }
        }
        let rest = u64::from(length - last_look);
        self.taken.fetch_add(rest, Ordering::Relaxed);
    }

    fn report(&self, number: u32, length: u32, worker: Walker) {
        let (Walker::Caller, Some(progress)) = (worker, self.watch.progress) else {
            return;
        };
        let taken = self.taken.load(Ordering::Relaxed);
        progress(&Progress {
            phase: Phase::Walks,
            states: taken,
            transitions: taken,
            depth: length,
            frontier: 0,
            elapsed: self.started.elapsed(),
            disk: None,
            peers: None,
            // Walks begin in the order of their numbers.
            work: Some(Work {
                unit: "walks begun",
                done: u64::from(number) + 1,
                total: self.walks.walks.into(),
            }),
        });
    }
}

/// The beginning of a walk, walked again: the initial state and at most `length` steps.
pub(crate) fn again<S: TransitionSystem>(
    system: &S,
    initial: &[StateOf<S>],
    seed: u64,
    number: u32,
    length: u32,
) -> Trace<S> {
    let mut generator = Generator::numbered(seed, number.into());
    let initial = &initial[generator.below(initial.len())];
    let mut trace = Trace {
        initial: named("`clone` of a state", || initial.clone()),
        steps: Vec::new(),
    };
    let mut offers = Offers::new(system);
    // A model may panic where the walk ended.
    let _ = tolerated(|| {
        while trace.length() < length as usize {
            offers.fill(system, trace.last());
            let Some((_, action, to)) = offers.choose(&mut generator) else {
                break;
            };
            trace.steps.push((action, to));
        }
    });
    trace
}
