//! Tests of histories with operations that never returned, and of histories that many orders fit.

use refmap::explore::Limit;
use refmap::random::Generator;
use refmap::{Action, TransitionSystem, Verdict};
use refmap_histories::{Event, Happening, Observed, Outcome, Settings, Validation};
use serde::{Deserialize, Serialize};

use super::automaton::Automaton;
use super::oracle::Oracle;
use super::{event_in, is_behaviour, validated};

/// The validator, whether or not it looks for one order first, decides as an enumeration of all interleavings that keeps no
/// set of configurations: on thousands of random histories and specifications.
#[test]
fn what_needs_less_does_as_much() {
    let (mut accepted, mut refused, mut endless) = (0, 0, 0);
    for seed in 0..6000 {
        let mut random = Generator::numbered(seed, 7);
        let automaton = Automaton::new(&mut random);
        let events = automaton.history(&mut random, 6);
        let buffer = [None, Some(1)][random.below(2)];
        let expected = Oracle::new(&automaton, &events, buffer).accepts();
        for crowd in [usize::MAX, 1] {
            let settings = Settings {
                buffer,
                crowd,
                ..Settings::default()
            };
            let found = is_behaviour(&automaton, &events, &settings);
            assert_eq!(
                found, expected,
                "seed {seed}, crowd {crowd}: {events:?} {automaton:?}"
            );
        }
        if expected {
            accepted += 1;
        } else {
            refused += 1;
        }
        let open = events.iter().filter(|event| event.end.is_none());
        endless += u32::from(open.count() > 1);
    }
    assert!(
        accepted > 1000 && refused > 1000 && endless > 2000,
        "{accepted} {refused} {endless}"
    );
}

/// A register with a value, which may be none.
struct Register {
    /// Whether the adapter says which events only look.
    says_which_look: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, refmap::Action)]
enum Access {
    Read(Option<i64>),
    Write(#[action(range = 0..200)] i64),
}

impl TransitionSystem for Register {
    type State = Option<i64>;
    type Action = Access;
    type Observation = Option<i64>;

    fn initial(&self, visit: &mut impl FnMut(Option<i64>)) {
        visit(None);
    }

    fn fire(&self, access: &Access, value: &mut Option<i64>) -> Option<()> {
        match *access {
            Access::Read(read) => (read == *value).then_some(())?,
            Access::Write(new) => *value = Some(new),
        }
        Some(())
    }

    fn candidates(&self, value: &Option<i64>, visit: &mut impl FnMut(Access)) {
        visit(Access::Read(*value));
        Access::candidates(self, visit);
    }

    fn observe(&self, value: &Option<i64>) -> Option<i64> {
        *value
    }
}

impl Observed for Register {
    type Specification = Self;
    type Event = Access;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        value: &Option<i64>,
        happening: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<Access>),
    ) {
        match *happening.event {
            Access::Read(read) if read == *value => visit(None),
            Access::Read(_) => (),
            Access::Write(new) => visit(Some(Access::Write(new))),
        }
    }

    fn only_looks(&self, access: &Access) -> bool {
        self.says_which_look && matches!(access, Access::Read(_))
    }
}

/// Operations that never returned, and then those of one client.
fn crashed(lost: impl Iterator<Item = Access>, alone: Vec<Access>) -> Vec<Event<Access>> {
    let mut events = Vec::new();
    for access in lost {
        let number = events.len() as u64;
        events.push(event_in(1 + number as u32, 0, number.., access));
    }
    let begun = events.len() as u64;
    events.extend((0..).zip(alone).map(|(place, access)| {
        event_in(0, place, begun + 2 * place..=begun + 2 * place + 1, access)
    }));
    events
}

fn decided(events: Vec<Event<Access>>) -> [Validation; 2] {
    [true, false].map(|says_which_look| {
        let register = Register { says_which_look };
        let settings = Settings::default();
        validated(&register, &events, &settings)
    })
}

/// Writes that crash double nothing, whether or not a later read needs them: more than bits of a word.
#[test]
fn crashed_operations_are_taken_when_they_are_needed() {
    for crashes in [1, 30, 70] {
        let lost = || (0..crashes).map(|number| Access::Write(number % 5));
        let alone = (0..20).flat_map(|n| [Access::Write(n % 5), Access::Read(Some(n % 5))]);
        for validation in decided(crashed(lost(), alone.collect())) {
            assert_eq!(validation.verdict(), Verdict::Holds, "{crashes}");
            assert!(validation.widest_frontier <= 5 * crashes as usize);
            let most = 40 * (crashes as u64 + 7);
            assert!(
                validation.configurations <= most,
                "{}",
                validation.configurations
            );
        }
    }
}

/// Each crashed write explains one read, and only one.
#[test]
fn crashed_operations_are_taken_once() {
    for crashes in [1, 5, 30] {
        let lost = || (0..crashes).map(|number| Access::Write(100 + number));
        let needs = |number: i64| [Access::Write(number % 5), Access::Read(Some(100 + number))];
        let mut alone: Vec<_> = (0..crashes).flat_map(needs).collect();
        for validation in decided(crashed(lost(), alone.clone())) {
            assert_eq!(validation.verdict(), Verdict::Holds, "{crashes}");
            let most = 4 * crashes as u64 * (crashes as u64 + 2);
            assert!(
                validation.configurations <= most,
                "{}",
                validation.configurations
            );
        }
        for again in [0, crashes - 1, crashes / 2] {
            let length = alone.len();
            alone.extend(needs(again));
            for validation in decided(crashed(lost(), alone.clone())) {
                assert_eq!(
                    validation.verdict(),
                    Verdict::Violated,
                    "{crashes}, {again}"
                );
                let Outcome::Refuted(explanation) = &validation.outcome else {
                    panic!("it is refuted");
                };
                assert_eq!(explanation.cut_short, None);
                assert!(!explanation.prefixes.is_empty());
            }
            alone.truncate(length);
        }
    }
}

/// A text to which threads append, and that they read.
struct Text;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, refmap::Action)]
#[rule(process = "client")]
enum Call {
    Append(u16),
    Read(Vec<u16>),
}

impl TransitionSystem for Text {
    type State = Vec<u16>;
    type Action = Call;
    type Observation = Vec<u16>;

    fn initial(&self, visit: &mut impl FnMut(Vec<u16>)) {
        visit(Vec::new());
    }

    fn fire(&self, call: &Call, text: &mut Vec<u16>) -> Option<()> {
        match call {
            Call::Read(read) => (read == text).then_some(())?,
            Call::Append(word) => text.push(*word),
        }
        Some(())
    }

    fn candidates(&self, _: &Vec<u16>, _: &mut impl FnMut(Call)) {}

    fn observe(&self, text: &Vec<u16>) -> Vec<u16> {
        text.clone()
    }
}

impl Observed for Text {
    type Specification = Self;
    type Event = Call;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        text: &Vec<u16>,
        happening: &Happening<'_, Call>,
        visit: &mut impl FnMut(Option<Call>),
    ) {
        match happening.event {
            Call::Read(read) if read == text => visit(None),
            Call::Read(_) => (),
            append => visit(Some(append.clone())),
        }
    }

    fn only_looks(&self, call: &Call) -> bool {
        matches!(call, Call::Read(_))
    }
}

/// Events of so many clients of one text at the same time: each appends, and now and then reads.
fn clients(clients: usize, calls: u16, random: &mut Generator) -> Vec<Event<Call>> {
    struct Client {
        place: u64,
        begun: Option<(u64, Option<Call>)>,
    }
    let mut all: Vec<_> = (0..clients)
        .map(|_| Client {
            place: 0,
            begun: None,
        })
        .collect();
    let (mut text, mut events, mut words) = (Vec::new(), Vec::new(), 0);
    let mut time = 0;
    while words < calls || all.iter().any(|client| client.begun.is_some()) {
        time += 1;
        let number = random.below(clients);
        let client = &mut all[number];
        client.begun = match client.begun.take() {
            None => (words < calls).then_some((time, None)),
            Some((begin, None)) => {
                let call = if random.below(4) == 0 {
                    Call::Read(text.clone())
                } else {
                    words += 1;
                    text.push(words);
                    Call::Append(words)
                };
                Some((begin, Some(call)))
            }
            Some((begin, event)) => {
                events.push(Event {
                    thread: number as u32,
                    place: client.place,
                    begin,
                    end: Some(time),
                    event,
                });
                client.place += 1;
                None
            }
        };
    }
    events.sort_by_key(|event| event.begin);
    events
}

/// Many clients append to one text. There is an order, and it is found where the frontier of all orders has more than is
/// kept. Where a read is wrong nothing is claimed beyond what was looked at.
#[test]
fn one_order_is_looked_for_before_all_are_kept() {
    let run = |crowd, configurations, events: &[Event<Call>]| {
        let settings = Settings {
            crowd,
            configurations,
            ..Settings::default()
        };
        validated(&Text, events, &settings)
    };
    let crowd = Settings::default().crowd;
    let mut helped = 0;
    for seed in 0..3 {
        let mut random = Generator::numbered(seed, 3);
        let events = clients(6, 100, &mut random);
        let found = run(crowd, 200_000, &events);
        assert_eq!(
            found.verdict(),
            Verdict::Holds,
            "seed {seed}: {:?}",
            found.outcome
        );
        assert_eq!(found.events, events.len() as u64);
        let number_of_interest = events.iter().filter(|event| event.end.is_some()).count();
        assert_eq!(found.interesting, number_of_interest as u64);
        let all = run(usize::MAX, 20_000, &events);
        assert_ne!(all.verdict(), Verdict::Violated);
        let is_undecided = matches!(all.outcome, Outcome::Undecided(Limit::States(20_000)));
        helped += u32::from(is_undecided);
        // The last read has a word that is not there.
        let mut wrong = events.clone();
        let mut reads = wrong
            .iter_mut()
            .rev()
            .filter_map(|event| match &mut event.event {
                Some(Call::Read(text)) => Some(text),
                _ => None,
            });
        reads.next().expect("there is a read").push(9999);
        let undecided = run(crowd, 5_000, &wrong);
        assert!(
            matches!(undecided.outcome, Outcome::Undecided(Limit::States(5_000))),
            "seed {seed}: {:?}",
            undecided.outcome
        );
        assert_eq!(undecided.verdict(), Verdict::Incomplete);
    }
    assert!(helped > 0);
    // Few enough clients for all orders.
    let mut random = Generator::numbered(9, 3);
    let mut wrong = clients(3, 60, &mut random);
    let last = wrong
        .iter_mut()
        .rev()
        .find_map(|event| match &mut event.event {
            Some(Call::Read(text)) => Some(text),
            _ => None,
        });
    last.expect("there is a read").push(9999);
    for crowd in [1, 30, usize::MAX] {
        assert_eq!(run(crowd, 200_000, &wrong).verdict(), Verdict::Violated);
    }
}

/// Memory is bounded without being asked.
#[test]
fn memory_has_a_bound() {
    let most = refmap::explore::Limits::memory_by_default();
    assert!(most.is_some());
    assert_eq!(Settings::default().limits.memory_bytes, most);
}
