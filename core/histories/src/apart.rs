//! Histories of several objects, decided object by object.
//!
//! Source: Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, Theorem 1: a history is linearizable if
//! and only if that of each of its objects is.
//!
//! The parts are those that [`Observed::part`] names, in the order in which they begin. The first that is refused decides, whichever
//! is decided first by the clock.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use foldhash::{HashMap, HashMapExt, HashSet};

use super::call::{call, guarded, reading};
use super::event::{Event, line};
use super::input::{Events, checked};
use super::observed::{Effect, Observed};
use super::ordered::Ordered;
use super::problem::{HistoryError, Problem};
use super::search::MOST_ASSUMPTIONS;
use super::settings::Settings;
use super::validator::{Outcome, Parts, Validation, validate};
use refmap::explore::{Limits, Watch};
use refmap::internal::{counted, watched_as_here};
use refmap::report::Verdict;
use refmap::report::history::{Criterion, NoEnd, ShownEvent};

/// Interval at which it is asked whether the validation is cancelled.
const PAUSE: Duration = Duration::from_millis(20);

/// Decides a history as [`validate`] does, the events of each part of it apart and in parallel. For that, all events are held in
/// memory.
///
/// A history is decided as a whole, and read no further than `validate` reads it, if an event has no part, was not recorded, or has a
/// delayed effect: then what is observed of one part depends on another. It is too if times that are equal leave the order of a thread's
/// events, of different parts, to the thread alone, and by every [criterion](Settings::criterion) but the default one: orders of parts are
/// one of the whole only where the intervals count. That parts are independent of each other in the specification is taken at the
/// adapter's word, and told.
///
/// # Errors
///
/// If the history is malformed, before there is a verdict.
pub fn validate_apart<O, I>(
    observed: &O,
    mut events: Ordered<I>,
    settings: &Settings<'_>,
) -> Result<Validation, HistoryError>
where
    O: Observed,
    O::Event: Send,
    I: Iterator<Item = Result<Event<O::Event>, HistoryError>>,
{
    if settings.criterion != Criterion::Linearizable {
        return validate(observed, events, settings);
    }
    let started = Instant::now();
    let mut split = Split::default();
    let mut is_apart = |number: u64, event: &Event<O::Event>| {
        // A function that panics here panics again where a verdict is told of it.
        let name = guarded(|| name(observed, event)).ok().flatten();
        name.is_some_and(|name| {
            split.add(&name, number, event);
            true
        })
    };
    let whole = match read(observed, settings, &mut events, &mut is_apart)? {
        Ok(whole) => whole,
        Err(unread) => return Ok(*unread),
    };
    if whole.goes_on {
        let read = whole.events.into_iter().map(Ok);
        return validate(observed, Ordered::new(read.chain(events)), settings);
    }
    if split.parts.len() < 2 || split.loses_order(&whole.events) {
        return validate(observed, ordered(whole.events, whole.no_end), settings);
    }
    let mut validation = decide(observed, &split.parts, whole, settings, started)?;
    let word = "that parts of the history are independent of each other, as `part` of the adapter states it";
    validation.taken_at_word.push(word.to_owned());
    Ok(validation)
}

/// Decides a history of several objects of one specification, each apart and in parallel. Of each event `objects` has the name of its
/// object. That an event of a thread ended exactly when its next one began is an order only where both are of one object.
///
/// # Errors
///
/// If the history is malformed, before there is a verdict; if there are several objects, and what [counts](Settings::criterion) is the
/// order of each thread alone, by which an order of each object is none of them all. Lines are told as if the events were written to a file.
///
/// # Panics
///
/// If there are not as many names as events.
pub fn validate_objects<O>(
    observed: &O,
    events: Vec<Event<O::Event>>,
    objects: &[String],
    settings: &Settings<'_>,
) -> Result<Validation, HistoryError>
where
    O: Observed,
    O::Event: Send,
{
    assert_eq!(events.len(), objects.len(), "each event has an object");
    let started = Instant::now();
    let mut split = Split::default();
    let mut add = |number: u64, event: &Event<O::Event>| {
        split.add(&objects[number as usize], number, event);
        true
    };
    let whole = match read(observed, settings, &mut ordered(events, None), &mut add)? {
        Ok(whole) => whole,
        Err(unread) => return Ok(*unread),
    };
    if split.parts.len() < 2 {
        return validate(observed, ordered(whole.events, None), settings);
    }
    if settings.criterion == Criterion::Sequential {
        return Err(HistoryError {
            line: line(split.parts[1].numbers[0]),
            problem: Problem::NotLocal,
        });
    }
    decide(observed, &split.parts, whole, settings, started)
}

/// Events of a history.
struct Whole<E> {
    events: Vec<Event<E>>,
    no_end: Option<NoEnd>,
    /// True if the last of these is of no part, so that the rest was not read.
    goes_on: bool,
}

/// Number of events read between two looks at the limits.
const EVENTS: usize = 1 << 12;

/// Reads a history, up to where it stops or an event is of no part; what is said of it instead if a limit is reached or its reader
/// panics.
fn read<O: Observed>(
    observed: &O,
    settings: &Settings<'_>,
    events: &mut Events<'_, O::Event>,
    is_of_part: &mut dyn FnMut(u64, &Event<O::Event>) -> bool,
) -> Result<Result<Whole<O::Event>, Box<Validation>>, HistoryError> {
    let (criterion, clock) = (settings.criterion, settings.clock());
    let mut whole = Whole {
        events: Vec::new(),
        no_end: None,
        goes_on: false,
    };
    let unread = |limit, far: String| Ok(Err(Box::new(Validation::unread(criterion, limit, far))));
    loop {
        let events_read = whole.events.len();
        if events_read.is_multiple_of(EVENTS)
            && let Some(limit) = clock.out_of_time_or_memory()
        {
            let far = counted(events_read as u64, "event");
            return unread(limit, format!("{limit} came when {far} were read"));
        }
        let event = match guarded(|| reading("`Deserialize` of an event", || events.next())) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(Ok(whole)),
            Err(panicked) => return Ok(Err(Box::new(Validation::after(criterion, panicked)))),
        };
        match event {
            Ok(event) => {
                let number = whole.events.len() as u64;
                // A panic is told by the validation.
                if let Ok(checked) = guarded(|| checked(observed, &event, number)) {
                    checked?;
                }
                whole.goes_on = !is_of_part(number, &event);
                whole.events.push(event);
                if whole.goes_on {
                    return Ok(Ok(whole));
                }
            }
            Err(HistoryError { line, problem }) => match problem {
                Problem::NoEnd { within_line } => {
                    whole.no_end = Some(NoEnd { line, within_line });
                }
                Problem::Interrupted(interrupted) => {
                    return unread(interrupted.limit, interrupted.to_string());
                }
                problem => return Err(HistoryError { line, problem }),
            },
        }
    }
}

/// Events in their order, with the place where the history stops that has no end.
fn ordered<E>(
    events: Vec<Event<E>>,
    no_end: Option<NoEnd>,
) -> Ordered<impl Iterator<Item = Result<Event<E>, HistoryError>>> {
    let stop = no_end.map(|NoEnd { line, within_line }| {
        Err(HistoryError {
            line,
            problem: Problem::NoEnd { within_line },
        })
    });
    Ordered::new(events.into_iter().map(Ok).chain(stop))
}

/// Part of a history.
struct Part {
    /// Text that names it.
    name: String,
    /// Numbers of its events in the history.
    numbers: Vec<u64>,
    /// Their places in their threads, there.
    places: Vec<u64>,
}

/// Name of the part of an event; none if it is of none by itself.
fn name<O: Observed>(observed: &O, event: &Event<O::Event>) -> Option<String> {
    let what = event.event.as_ref()?;
    let effect = call("`effect` of the adapter", || observed.effect(what));
    let is_within = effect == Effect::Within;
    is_within
        .then(|| call("`part` of the adapter", || observed.part(what)))
        .flatten()
}

/// Parts by their names.
#[derive(Default)]
struct Split {
    parts: Vec<Part>,
    known: HashMap<String, usize>,
}

impl Split {
    /// True if the order of a thread may get lost between two parts: one event of it ends exactly when the next one begins, and at that
    /// time an event of another thread begins or ends too, so that no other times say which was first.
    ///
    /// Otherwise none is lost: the events of the thread at that time can be moved apart, in their order, by less than what is between it and any
    /// other begin or end.
    fn loses_order<E>(&self, events: &[Event<E>]) -> bool {
        let mut part_of = vec![0; events.len()];
        for (at, part) in self.parts.iter().enumerate() {
            for number in &part.numbers {
                part_of[*number as usize] = at;
            }
        }
        let mut latest: HashMap<u32, (Option<u64>, usize)> = HashMap::new();
        // A thread whose events touch at a time.
        let mut touching: HashMap<u64, u32> = HashMap::new();
        for (event, part) in events.iter().zip(part_of) {
            let before = latest.insert(event.thread, (event.end, part));
            if before.is_some_and(|(end, other)| end == Some(event.begin) && other != part) {
                touching.insert(event.begin, event.thread);
            }
        }
        let is_between = |event: &Event<E>, time: u64| {
            let thread = touching.get(&time);
            thread.is_some_and(|thread| *thread != event.thread)
        };
        events.iter().any(|event| {
            let ends_there = event.end.is_some_and(|end| is_between(event, end));
            ends_there || is_between(event, event.begin)
        })
    }

    /// Adds an event to the part of this name.
    fn add<E>(&mut self, name: &str, number: u64, event: &Event<E>) {
        let known = self.known.get(name).copied();
        let at = known.unwrap_or_else(|| {
            self.parts.push(Part {
                name: name.to_owned(),
                numbers: Vec::new(),
                places: Vec::new(),
            });
            self.known.insert(name.to_owned(), self.parts.len() - 1);
            self.parts.len() - 1
        });
        self.parts[at].numbers.push(number);
        self.parts[at].places.push(event.place);
    }
}

/// Decides parts until the first that is refused, and all before it, are.
fn decide<O>(
    observed: &O,
    parts: &[Part],
    whole: Whole<O::Event>,
    settings: &Settings<'_>,
    started: Instant,
) -> Result<Validation, HistoryError>
where
    O: Observed,
    O::Event: Send,
{
    let Whole { events, no_end, .. } = whole;
    let threads: HashSet<u32> = events.iter().map(|event| event.thread).collect();
    let mut events: Vec<Option<Event<O::Event>>> = events.into_iter().map(Some).collect();
    let of_parts = parts.iter().map(|part| {
        let mut next_places: HashMap<u32, u64> = HashMap::new();
        let numbers = part.numbers.iter();
        let taken = numbers.filter_map(|number| events[*number as usize].take());
        let renumbered = taken.map(|mut event| {
            let place = next_places.entry(event.thread).or_default();
            event.place = *place;
            *place += 1;
            event
        });
        Mutex::new(Some(renumbered.collect::<Vec<_>>()))
    });
    let of_parts: Vec<_> = of_parts.collect();
    let decided: Vec<OnceLock<Result<Validation, HistoryError>>> =
        parts.iter().map(|_| OnceLock::new()).collect();
    let cancels: Vec<AtomicBool> = parts.iter().map(|_| AtomicBool::new(false)).collect();
    let (next, refused) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let cancel_from = |at: usize| {
        for cancel in cancels.iter().skip(at) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let is_cancelled = || {
        let cancel = settings.watch.cancel;
        cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    };
    if is_cancelled() {
        cancel_from(0);
    }
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= parts.len() || at > refused.load(Ordering::Relaxed) {
            return;
        }
        let settings = Settings {
            limits: Limits {
                since: settings.limits.since.or(Some(started)),
                ..settings.limits
            },
            watch: Watch {
                cancel: Some(&cancels[at]),
                progress: None,
            },
            ..settings.clone()
        };
        let taken = of_parts[at]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let validated = validate(
            observed,
            ordered(taken.unwrap_or_default(), no_end),
            &settings,
        );
        let is_refused = validated
            .as_ref()
            .is_ok_and(|validation| validation.verdict() == Verdict::Violated);
        if is_refused {
            refused.fetch_min(at, Ordering::Relaxed);
            cancel_from(at + 1);
        }
        let _ = decided[at].set(validated);
    };
    let work_watched = watched_as_here(|()| work());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let (alive, ended) = channel::<()>();
        for _ in 0..workers.min(parts.len()) {
            let alive = alive.clone();
            scope.spawn(|| {
                let _alive = alive;
                work_watched(());
            });
        }
        drop(alive);
        while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
            if is_cancelled() {
                cancel_from(0);
            }
        }
    });
    drop(work_watched);
    let last = refused.into_inner();
    let decided = decided.into_iter().take(last.saturating_add(1));
    let decided: Result<Vec<_>, _> = decided.filter_map(OnceLock::into_inner).collect();
    Ok(Validation {
        threads: threads.len(),
        seconds: started.elapsed().as_secs_f64(),
        ..merged(parts, decided?)
    })
}

/// Validation of the whole, of those of its parts up to the first that is refused.
fn merged(parts: &[Part], mut decided: Vec<Validation>) -> Validation {
    for (part, validation) in parts.iter().zip(&mut decided) {
        part.restore(validation);
    }
    let is_refused = |one: &Validation| one.verdict() == Verdict::Violated;
    // A part that has no event of interest says nothing against the others.
    let is_open = |one: &Validation| !matches!(one.outcome, Outcome::Behaviour);
    let refused = decided.iter().position(is_refused);
    let telling = refused.or_else(|| decided.iter().position(is_open));
    let mut merged = decided[telling.unwrap_or(0)].clone();
    let sum = |of: fn(&Validation) -> u64| decided.iter().map(of).sum::<u64>();
    let most = |of: fn(&Validation) -> usize| decided.iter().map(of).max().unwrap_or(0);
    merged.parts = Some(Parts {
        all: parts.len(),
        telling: telling.map(|at| parts[at].name.clone()),
    });
    merged.events = sum(|one| one.events);
    merged.interesting = sum(|one| one.interesting);
    merged.configurations = sum(|one| one.configurations);
    merged.steps = sum(|one| one.steps);
    merged.has_changed = decided.iter().any(|one| one.has_changed);
    if telling.is_none() {
        let assumed = decided.iter().flat_map(|one| &one.assumptions);
        merged.assumptions = assumed.cloned().collect();
        merged.assumptions.sort_by_key(|assumption| assumption.line);
        merged.assumptions.truncate(MOST_ASSUMPTIONS);
    }
    merged.partial.unknown = sum(|one| one.partial.unknown);
    merged.partial.open = sum(|one| one.partial.open);
    merged.partial.incomplete = sum(|one| one.partial.incomplete);
    merged.widest_window = most(|one| one.widest_window);
    merged.most_kept = most(|one| one.most_kept);
    merged.widest_frontier = most(|one| one.widest_frontier);
    for (at, row) in merged.coverage.iter_mut().enumerate() {
        row.fired = decided.iter().map(|one| one.coverage[at].fired).sum();
    }
    for one in &decided {
        for word in &one.taken_at_word {
            if !merged.taken_at_word.contains(word) {
                merged.taken_at_word.push(word.clone());
            }
        }
    }
    let memory = decided.iter().map(|one| one.peak_memory_bytes).max();
    merged.peak_memory_bytes = memory.unwrap_or(0);
    merged
}

impl Part {
    /// Gives events the lines and the places back that they have in the history.
    fn restore(&self, validation: &mut Validation) {
        validation.visit_lines(&mut |own_line, place| {
            let number = own_line.checked_sub(line(0)).map(|number| number as usize);
            if let Some(at) = number.filter(|number| *number < self.numbers.len()) {
                *own_line = line(self.numbers[at]);
                if let Some(place) = place {
                    *place = self.places[at];
                }
            }
        });
    }
}

impl Validation {
    /// The same of a history of which event after event was read from these lines of a file of another form.
    #[must_use]
    pub fn with_lines(mut self, lines: &[u64]) -> Self {
        self.visit_lines(&mut |own_line, _| {
            let number = own_line.checked_sub(line(0)).map(|number| number as usize);
            if let Some(line) = number.and_then(|number| lines.get(number)) {
                *own_line = *line;
            }
        });
        self
    }

    /// Visits the line of each event that is told, with its place in its thread where that is told as well.
    fn visit_lines(&mut self, visit: &mut dyn FnMut(&mut u64, Option<&mut u64>)) {
        for assumption in &mut self.assumptions {
            visit(&mut assumption.line, None);
        }
        if let Outcome::Refuted(explanation) = &mut self.outcome {
            let mut shown = |event: &mut ShownEvent| {
                if let Some(line) = &mut event.line {
                    visit(line, Some(&mut event.place));
                }
            };
            explanation.event.iter_mut().for_each(&mut shown);
            for prefix in &mut explanation.prefixes {
                let steps = prefix.steps.iter_mut();
                steps
                    .filter_map(|step| step.event.as_mut())
                    .for_each(&mut shown);
                let next = prefix.next.iter_mut();
                next.for_each(|refused| shown(&mut refused.event));
            }
            if let Some(window) = &mut explanation.window {
                window.events.iter_mut().for_each(&mut shown);
            }
        }
    }
}
