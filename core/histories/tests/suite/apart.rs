//! Histories of several objects that are decided apart, against the same decided as a whole.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use refmap::explore::{Limit, Limits, Watch, Watchdog};
use refmap::random::Generator;
use refmap::{Action, TransitionSystem, Verdict};
use refmap_histories::{
    Effect, Event, Happening, HistoryError, NoSuch, Observed, Ordered, Outcome, Problem, Settings,
    Validation, validate_apart,
};
use serde::{Deserialize, Serialize};

use super::{event_in, validated};

/// Registers by number.
#[derive(Clone, Copy, Default)]
struct Registers {
    number: usize,
    /// True if effects are delayed, so that parts are not independent.
    is_delayed: bool,
    /// True if the adapter names no part of the last register.
    is_partial: bool,
}

impl Registers {
    fn of(number: usize) -> Self {
        Self {
            number,
            ..Self::default()
        }
    }
}

/// Access to a register.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[action(system = Registers)]
enum Access {
    Write {
        #[action(range = 0..system.number)]
        register: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
    Read {
        #[action(range = 0..system.number)]
        register: usize,
        #[action(range = 0..VALUES)]
        value: u8,
    },
}

impl Access {
    fn register(&self) -> usize {
        match self {
            Self::Write { register, .. } | Self::Read { register, .. } => *register,
        }
    }
}

const VALUES: u8 = 3;

impl TransitionSystem for Registers {
    type State = Vec<u8>;
    type Action = Access;
    type Observation = Vec<u8>;

    fn initial(&self, visit: &mut impl FnMut(Vec<u8>)) {
        visit(vec![0; self.number]);
    }

    fn fire(&self, access: &Access, values: &mut Vec<u8>) -> Option<()> {
        match *access {
            Access::Write { register, value } => values[register] = value,
            Access::Read { register, value } => (values[register] == value).then_some(())?,
        }
        Some(())
    }

    fn observe(&self, state: &Vec<u8>) -> Vec<u8> {
        state.clone()
    }
}

impl Observed for Registers {
    type Specification = Self;
    type Event = Access;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        _: &Vec<u8>,
        access: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<Access>),
    ) {
        visit(Some(access.event.clone()));
    }

    fn effect(&self, access: &Access) -> Effect {
        match access {
            Access::Write { .. } if self.is_delayed => Effect::Delayed,
            _ => Effect::Within,
        }
    }

    fn part(&self, access: &Access) -> Option<String> {
        let register = access.register();
        let is_named = !self.is_partial || register + 1 < self.number;
        is_named.then(|| format!("register {register}"))
    }

    fn check(&self, access: &Access) -> Result<(), NoSuch> {
        NoSuch::unless("register", access.register() as u64, self.number as u64)
    }
}

/// A random history: threads that run against registers, each access with an interval around its effect; some reads return
/// something else than they read, and some ends are lost.
fn history(
    random: &mut Generator,
    registers: usize,
    threads: usize,
    length: usize,
) -> Vec<Event<Access>> {
    let mut state = vec![0; registers];
    let wrong_in = [0, 0, 12, 40][random.below(4)];
    let mut free = vec![(0, Some(0)); threads];
    let mut events = Vec::new();
    for at in 1..=length as u64 {
        let effect = at * 10;
        let able: Vec<usize> = (0..threads)
            .filter(|thread| free[*thread].1.is_some_and(|free| free < effect))
            .collect();
        if able.is_empty() {
            continue;
        }
        let thread = able[random.below(able.len())];
        let register = random.below(registers);
        let event = if random.below(2) == 0 {
            let value = random.below(VALUES.into()) as u8;
            state[register] = value;
            Access::Write { register, value }
        } else {
            let is_wrong = wrong_in > 0 && random.below(wrong_in) == 0;
            let value = (state[register] + u8::from(is_wrong)) % VALUES;
            Access::Read { register, value }
        };
        let (place, since) = free[thread];
        let since = since.unwrap_or(0);
        let begin = effect - (random.below(35) as u64).min(effect - since);
        let is_lost = random.below(15) == 0;
        let end = (!is_lost).then(|| effect + random.below(35) as u64);
        free[thread] = (place + 1, end.map(|end| end + 1));
        events.push(Event {
            thread: thread as u32,
            place,
            begin,
            end,
            event: Some(event),
        });
    }
    events.sort_by_key(|event| (event.begin, event.thread, event.place));
    events
}

/// Any accesses to two registers, on a clock that ticks so rarely that many times are equal.
fn on_a_coarse_clock(random: &mut Generator) -> Vec<Event<Access>> {
    let mut events = Vec::new();
    for thread in 0..2 + random.below(2) as u32 {
        let mut time = random.below(2) as u64;
        for place in 0..1 + random.below(3) as u64 {
            let (register, value) = (random.below(2), random.below(2) as u8);
            let access = match random.below(2) {
                0 => Access::Write { register, value },
                _ => Access::Read { register, value },
            };
            let begin = time;
            time += u64::from(random.below(3) == 0);
            events.push(event_in(thread, place, begin..=time, access));
        }
    }
    events.sort_by_key(|event| (event.begin, event.thread, event.place));
    events
}

/// Times that are equal leave the order of a thread to the thread alone: where its events are of different parts, so that no part has it,
/// verdicts are those of the whole all the same.
#[test]
fn equal_times_lose_no_order_of_a_thread() {
    let observed = Registers::of(2);
    let agree = |events: &[Event<Access>]| {
        let whole = validated(&observed, events, &Settings::default());
        let parts = apart(&observed, events, &Settings::default());
        assert_eq!(parts.verdict(), whole.verdict(), "{events:?}");
        (whole.verdict(), parts.parts.is_some())
    };
    // Each thread reads what the other one writes after its own read.
    let at_once = |thread, place, access| event_in(thread, place, 0..=0, access);
    let value = 1;
    let circle = [
        at_once(0, 0, Access::Read { register: 0, value }),
        at_once(0, 1, Access::Write { register: 1, value }),
        at_once(1, 0, Access::Read { register: 1, value }),
        at_once(1, 1, Access::Write { register: 0, value }),
    ];
    assert_eq!(agree(&circle), (Verdict::Violated, false));
    let mut seen = BTreeMap::new();
    for seed in 0..4_000 {
        let events = on_a_coarse_clock(&mut Generator::new(seed));
        let (verdict, is_apart) = agree(&events);
        *seen.entry((verdict.to_string(), is_apart)).or_insert(0_u32) += 1;
    }
    let count = |verdict: Verdict, is_apart| seen.get(&(verdict.to_string(), is_apart));
    for verdict in [Verdict::Holds, Verdict::Violated] {
        for is_apart in [false, true] {
            let count = count(verdict, is_apart).copied().unwrap_or(0);
            assert!(count > 200, "{verdict}, apart {is_apart}: {seen:?}");
        }
    }
}

fn apart(observed: &Registers, events: &[Event<Access>], settings: &Settings<'_>) -> Validation {
    let ordered = Ordered::of(events.iter().cloned());
    validate_apart(observed, ordered, settings).expect("it is well-formed")
}

/// Verdicts, counts and the events named agree with those of the history as a whole.
#[test]
fn parts_are_decided_as_the_whole_is() {
    let mut verdicts: BTreeMap<String, u32> = BTreeMap::new();
    let settings = Settings::default();
    for seed in 0..1_000 {
        let mut random = Generator::new(seed);
        let registers = [1, 2, 3, 5, 70][random.below(5)];
        let threads = 1 + random.below(4);
        let length = if registers == 70 {
            200
        } else {
            4 + random.below(24)
        };
        let events = history(&mut random, registers, threads, length);
        let observed = Registers::of(registers);
        let whole = validated(&observed, &events, &settings);
        let parts = apart(&observed, &events, &settings);
        assert_eq!(parts.verdict(), whole.verdict(), "{seed}: {events:?}");
        let touched = events
            .iter()
            .filter_map(|event| Some(event.event.as_ref()?.register()));
        let touched: std::collections::BTreeSet<usize> = touched.collect();
        assert_eq!(parts.parts.is_some(), touched.len() > 1, "{seed}");
        if let Outcome::Refuted(explanation) = &parts.outcome {
            let told = parts.parts.as_ref().map(|parts| parts.telling.clone());
            let part = told.flatten();
            let mut shown: Vec<_> = explanation.event.iter().collect();
            for prefix in &explanation.prefixes {
                shown.extend(prefix.steps.iter().filter_map(|step| step.event.as_ref()));
                shown.extend(prefix.next.iter().map(|refused| &refused.event));
            }
            shown.extend(explanation.window.iter().flat_map(|window| &window.events));
            assert!(!shown.is_empty());
            for event in shown {
                let line = event.line.expect("it has a line") as usize;
                let original = &events[line - 2];
                let times = (original.begin, original.end);
                assert_eq!((event.begin, event.end), times, "{seed}");
                let places = (original.thread, original.place);
                assert_eq!((event.thread, event.place), places, "{seed}");
                if let (Some(part), Some(access)) = (&part, &original.event) {
                    assert_eq!(observed.part(access).as_ref(), Some(part));
                }
            }
        } else {
            assert_eq!(parts.events, whole.events);
            assert_eq!(parts.interesting, whole.interesting);
            assert_eq!(parts.threads, whole.threads);
            assert_eq!(parts.partial, whole.partial);
            let exercised = |one: &Validation| -> Vec<bool> {
                one.coverage.iter().map(|row| row.fired > 0).collect()
            };
            // What has no end need not have taken place.
            if events.iter().all(|event| event.end.is_some()) {
                assert_eq!(exercised(&parts), exercised(&whole), "{seed}: {events:?}");
            }
        }
        *verdicts
            .entry(format!("{:?}", parts.verdict()))
            .or_default() += 1;
    }
    assert!(verdicts["Holds"] > 500, "{verdicts:?}");
    assert!(verdicts["Violated"] > 100, "{verdicts:?}");
}

/// Two registers, of which the adapter does not return before it is released.
struct Hanging {
    registers: Registers,
    cancel: AtomicBool,
    released: Mutex<Receiver<()>>,
}

impl Observed for Hanging {
    type Specification = Registers;
    type Event = Access;

    fn specification(&self) -> &Registers {
        &self.registers
    }

    fn shows(
        &self,
        state: &Vec<u8>,
        access: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<Access>),
    ) {
        if access.event.register() == 1 {
            self.cancel.store(true, Ordering::Relaxed);
            let released = self.released.lock().expect("no panic");
            // Longer than it takes to notice.
            let _ = released.recv_timeout(Duration::from_secs(60));
        }
        self.registers.shows(state, access, visit);
    }

    fn part(&self, access: &Access) -> Option<String> {
        self.registers.part(access)
    }
}

/// An adapter that does not return is found where parts are decided, on threads of their own, as it is where the whole is.
#[test]
fn an_adapter_of_parts_that_does_not_return_is_named() {
    let read = |register: usize| {
        event_in(
            register as u32,
            0,
            0..=1,
            Access::Read { register, value: 0 },
        )
    };
    let (release, released) = channel();
    let observed = Hanging {
        registers: Registers::of(2),
        cancel: AtomicBool::new(false),
        released: Mutex::new(released),
    };
    let settings = Settings {
        watch: Watch {
            cancel: Some(&observed.cancel),
            ..Watch::default()
        },
        ..Settings::default()
    };
    let mut told = None;
    let found = Watchdog::new(Limits::default()).attended(
        settings.watch.cancel,
        || validate_apart(&observed, Ordered::of([read(0), read(1)]), &settings),
        |unreturned| {
            told = Some(unreturned.to_string());
            release.send(()).expect("it is waited for");
        },
    );
    let told = told.expect("it is noticed");
    assert!(told.starts_with("`shows` of the adapter"), "{told}");
    let found = found.expect("it is well-formed");
    assert_eq!(found.parts.map(|parts| parts.all), Some(2));
}

/// Two registers, of which the adapter says that events of the second commute.
struct Careless(Registers);

impl Observed for Careless {
    type Specification = Registers;
    type Event = Access;

    fn specification(&self) -> &Registers {
        &self.0
    }

    fn shows(
        &self,
        state: &Vec<u8>,
        access: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<Access>),
    ) {
        self.0.shows(state, access, visit);
    }

    fn part(&self, access: &Access) -> Option<String> {
        self.0.part(access)
    }

    fn commute(&self, one: &Access, _: &Access) -> bool {
        one.register() == 1
    }
}

#[test]
fn an_adapter_that_is_wrong_about_one_part_says_nothing_of_all() {
    let registers = Registers::of(2);
    let event = |(thread, place), register, is_read, begin, end| {
        let value = 1;
        let access = if is_read {
            Access::Read { register, value }
        } else {
            Access::Write { register, value }
        };
        event_in(thread, place, begin..=end, access)
    };
    // The read of the second register ends before the write that it depends on.
    let first = [event((0, 0), 0, false, 0, 1), event((0, 1), 0, true, 2, 3)];
    let second = [
        event((1, 0), 1, false, 10, 20),
        event((2, 0), 1, true, 11, 12),
    ];
    let events = [first, second].concat();
    let ordered = || Ordered::of(events.iter().cloned());
    let parts = validate_apart(&registers, ordered(), &Settings::default());
    assert_eq!(parts.expect("it is in order").verdict(), Verdict::Holds);
    let misled = validate_apart(&Careless(registers), ordered(), &Settings::default());
    let misled = misled.expect("it is in order");
    assert_eq!(misled.verdict(), Verdict::Incomplete);
    assert!(matches!(misled.outcome, Outcome::Misled), "{misled:?}");
    let parts = misled.parts.expect("they were decided apart");
    assert_eq!(parts.telling.as_deref(), Some("register 1"));
}

/// The first part that is refused decides, however the parts are scheduled.
#[test]
fn the_first_part_that_is_refused_is_told() {
    let read = |register, value, at: u64| {
        event_in(
            register as u32,
            0,
            at..=at + 1,
            Access::Read { register, value },
        )
    };
    let events: Vec<_> = (0..80)
        .map(|register| read(register, u8::from(register % 20 == 7), register as u64))
        .collect();
    let observed = Registers::of(80);
    for _ in 0..20 {
        let found = apart(&observed, &events, &Settings::default());
        assert_eq!(found.verdict(), Verdict::Violated);
        assert_eq!(found.events, 8);
        let parts = found.parts.clone().expect("there are parts");
        assert_eq!(
            (parts.all, parts.telling.as_deref()),
            (80, Some("register 7"))
        );
        let report = found.report();
        let behaviour = &report.obligations[0];
        let note = behaviour.note.as_deref();
        assert_eq!(
            note,
            Some("decided apart in 80 parts, up to the first that is refuted, that of register 7")
        );
        assert!(
            report
                .taken_at_word
                .iter()
                .any(|word| word.contains("independent"))
        );
    }
}

/// Parts that depend on one another are not decided apart.
#[test]
fn what_depends_on_other_parts_is_decided_as_a_whole() {
    let write = |register, thread| {
        event_in(
            thread,
            0,
            thread.into()..=9,
            Access::Write { register, value: 1 },
        )
    };
    let mut events = [write(0, 0), write(1, 1), write(2, 2)];
    let settings = Settings::default();
    for (is_delayed, is_partial) in [(true, false), (false, true)] {
        let observed = Registers {
            number: 3,
            is_delayed,
            is_partial,
        };
        assert_eq!(apart(&observed, &events, &settings).parts, None);
    }
    let observed = Registers::of(3);
    assert!(apart(&observed, &events, &settings).parts.is_some());
    events[1].event = None;
    assert_eq!(apart(&observed, &events, &settings).parts, None);
}

/// A stream without parts is not read to its end where its beginning is refused.
#[test]
fn without_parts_a_history_is_read_as_a_stream() {
    let observed = Registers {
        number: 1,
        is_partial: true,
        ..Registers::default()
    };
    let read = |place: u64| {
        event_in(
            0,
            place,
            2 * place..=2 * place + 1,
            Access::Read {
                register: 0,
                value: u8::from(place == 5),
            },
        )
    };
    let mut most = 0;
    let stream = (0..1_000_000).map(|place| {
        most = place;
        Ok(read(place))
    });
    let found = validate_apart(&observed, Ordered::new(stream), &Settings::default());
    let found = found.expect("it is well-formed");
    assert_eq!(found.verdict(), Verdict::Violated);
    assert!(most < 100, "{most}");
}

#[test]
fn what_is_malformed_is_told_by_its_line() {
    let mut events = history(&mut Generator::new(1), 4, 2, 12);
    let observed = Registers::of(4);
    let value = 0;
    events[5].event = Some(Access::Write { register: 4, value });
    let error = validate_apart(&observed, Ordered::of(events), &Settings::default());
    let HistoryError { line, problem } = error.expect_err("there is no such register");
    assert_eq!(line, 7);
    assert!(matches!(problem, Problem::NoSuch(_)), "{problem}");
}

/// A history that was cut is not said to hold, and one that is cancelled is undecided.
#[test]
fn a_cut_history_and_a_cancelled_one_do_not_hold() {
    let observed = Registers::of(2);
    let write = |register, thread| {
        event_in(
            thread,
            0,
            thread.into()..=9,
            Access::Write { register, value: 1 },
        )
    };
    let events = [write(0, 0), write(1, 1)];
    let cut = events.iter().cloned().map(Ok).chain([Err(HistoryError {
        line: 3,
        problem: Problem::NoEnd { within_line: false },
    })]);
    let found = validate_apart(&observed, Ordered::new(cut), &Settings::default());
    let found = found.expect("it is well-formed");
    assert_eq!(found.verdict(), Verdict::Incomplete);
    assert!(found.no_end.is_some() && found.parts.is_some());
    let cancelled = AtomicBool::new(true);
    let settings = Settings {
        watch: Watch {
            cancel: Some(&cancelled),
            progress: None,
        },
        ..Settings::default()
    };
    let found = apart(&observed, &events, &settings);
    assert_eq!(found.verdict(), Verdict::Incomplete);
    assert!(matches!(
        found.outcome,
        Outcome::Undecided(Limit::Cancelled)
    ));
}

/// Writes that never end and are read have taken effect: this is filled in, whichever part they are of.
#[test]
fn what_was_filled_in_is_told_of_each_part() {
    const REGISTERS: usize = 60;
    let observed = Registers::of(REGISTERS);
    let event = |thread: usize, begin: u64, end, event| Event {
        thread: thread as u32,
        place: 0,
        begin,
        end,
        event: Some(event),
    };
    let writes = (0..REGISTERS).map(|register| {
        let value = 1;
        let begin = register as u64;
        event(register, begin, None, Access::Write { register, value })
    });
    let reads = (0..REGISTERS).map(|register| {
        let value = 1;
        let begin = 1_000 + register as u64;
        let thread = REGISTERS + register;
        let read = Access::Read { register, value };
        event(thread, begin, Some(begin), read)
    });
    let events: Vec<_> = writes.chain(reads).collect();
    let found = apart(&observed, &events, &Settings::default());
    assert_eq!(found.verdict(), Verdict::Holds);
    assert_eq!(found.parts.as_ref().map(|parts| parts.all), Some(REGISTERS));
    let lines = found.assumptions.iter().map(|assumed| assumed.line);
    let expected: Vec<u64> = (2..).take(REGISTERS).collect();
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}
