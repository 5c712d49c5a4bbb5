//! Random nondeterministic specifications, and random histories in which events have no end.

use std::collections::BTreeSet;

use refmap::TransitionSystem;
use refmap::random::Generator;
use refmap_histories::{Effect, Event, Happening, Observed};
use serde::{Deserialize, Serialize};

/// Number of states, of kinds of events, and of threads.
pub const STATES: u8 = 4;
const KINDS: usize = 5;
pub const THREADS: u32 = 4;

/// A kind of event, as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Of(pub usize);

/// Step to a state; `None` changes nothing.
type Step = Option<u8>;

/// A kind of event.
#[derive(Debug)]
struct Kind {
    effect: Effect,
    /// Steps that it may show, by whether the thread's number is odd, and by state.
    shows: [Vec<Vec<Step>>; 2],
}

/// Specification of a few states, each of which leads to each; its adapter shows several actions for an event, and others
/// for other threads.
#[derive(Debug)]
pub struct Automaton {
    kinds: Vec<Kind>,
    internal: Vec<Option<u8>>,
    /// Which kinds commute, found by trying.
    commuting: BTreeSet<(usize, usize)>,
}

impl Automaton {
    pub fn new(random: &mut Generator) -> Self {
        let kinds = (0..KINDS).map(|_| Kind::new(random)).collect();
        let moves = random.below(3) == 0;
        let internal = (0..STATES).map(|from| {
            // Upwards, so that they come to an end.
            let is_free = moves && from + 1 < STATES && random.below(3) == 0;
            is_free.then_some(from + 1)
        });
        let mut new = Self {
            kinds,
            internal: internal.collect(),
            commuting: BTreeSet::new(),
        };
        let pairs = (0..KINDS).flat_map(|one| (0..KINDS).map(move |other| (one, other)));
        new.commuting = pairs
            .filter(|(one, other)| new.do_commute(*one, *other))
            .collect();
        new
    }

    /// States to which the kind may lead.
    fn after(&self, kind: usize, odd: usize, from: u8) -> BTreeSet<u8> {
        let steps = self.kinds[kind].shows[odd][usize::from(from)].iter();
        steps.map(|step| step.unwrap_or(from)).collect()
    }

    fn do_commute(&self, one: usize, other: usize) -> bool {
        let is_still = self.internal.iter().all(Option::is_none);
        let both = |kinds: [usize; 2], odd: [usize; 2], from| -> BTreeSet<u8> {
            let between = self.after(kinds[0], odd[0], from).into_iter();
            between
                .flat_map(|between| self.after(kinds[1], odd[1], between))
                .collect()
        };
        let is_independent = |kind: usize, odd, by: usize, odd_by, from| {
            let is_possible = |from| !self.after(kind, odd, from).is_empty();
            let mut after = self.after(by, odd_by, from).into_iter();
            after.all(|after| is_possible(after) == is_possible(from))
        };
        is_still
            && (0..STATES).all(|from| {
                [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().all(|[a, b]| {
                    both([one, other], [a, b], from) == both([other, one], [b, a], from)
                        && is_independent(one, a, other, b, from)
                        && is_independent(other, b, one, a, from)
                })
            })
    }

    /// A history: threads that each do some events, of which the last may have no end.
    pub fn history(&self, random: &mut Generator, most: usize) -> Vec<Event<Of>> {
        let mut events = Vec::new();
        let mut left = most;
        for thread in 0..THREADS {
            let number = random.below(3).min(left);
            left -= number;
            let mut time = random.below(6) as u64;
            for place in 0..number {
                let begin = time + random.below(3) as u64;
                time = begin + random.below(8) as u64;
                let is_endless = place + 1 == number && random.below(2) == 0;
                let is_recorded = random.below(12) > 0;
                events.push(Event {
                    thread,
                    place: place as u64,
                    begin,
                    end: (!is_endless).then_some(time),
                    event: is_recorded.then(|| Of(random.below(KINDS))),
                });
            }
        }
        events.sort_by_key(|event| event.begin);
        events
    }
}

impl Kind {
    fn new(random: &mut Generator) -> Self {
        let effect = match random.below(6) {
            0 => Effect::Delayed,
            1 => Effect::Draining,
            _ => Effect::Within,
        };
        let only_looks = random.below(4) == 0;
        let depends_on_thread = random.below(3) == 0;
        let mut steps = || -> Vec<Vec<Step>> {
            let of_state = |_| {
                let number = [0, 1, 1, 2][random.below(4)];
                let step = |_| match random.below(4) {
                    _ if only_looks => None,
                    0 => None,
                    _ => Some(random.below(STATES.into()) as u8),
                };
                (0..number).map(step).collect()
            };
            (0..STATES).map(of_state).collect()
        };
        let even = steps();
        let odd = if depends_on_thread {
            steps()
        } else {
            even.clone()
        };
        Self {
            effect,
            shows: [even, odd],
        }
    }
}

impl TransitionSystem for Automaton {
    type State = u8;
    type Action = u8;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, to: &u8, state: &mut u8) -> Option<()> {
        *state = *to;
        Some(())
    }

    fn candidates(&self, _: &u8, visit: &mut impl FnMut(u8)) {
        (0..STATES).for_each(visit);
    }

    fn observe(&self, state: &u8) -> u8 {
        *state
    }
}

impl Observed for Automaton {
    type Specification = Self;
    type Event = Of;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(&self, from: &u8, happening: &Happening<'_, Of>, visit: &mut impl FnMut(Option<u8>)) {
        let odd = happening.thread as usize % 2;
        let steps = &self.kinds[happening.event.0].shows[odd][usize::from(*from)];
        steps.iter().copied().for_each(visit);
    }

    fn unrecorded(&self, from: &u8, thread: u32, visit: &mut impl FnMut(u8)) {
        visit((from + thread as u8) % STATES);
    }

    fn internal(&self, from: &u8, visit: &mut impl FnMut(u8)) {
        self.internal[usize::from(*from)]
            .into_iter()
            .for_each(visit);
    }

    fn effect(&self, kind: &Of) -> Effect {
        self.kinds[kind.0].effect
    }

    fn only_looks(&self, kind: &Of) -> bool {
        let mut steps = self.kinds[kind.0].shows.iter().flatten().flatten();
        steps.all(Option::is_none)
    }

    fn commute(&self, one: &Of, other: &Of) -> bool {
        self.commuting.contains(&(one.0, other.0))
    }
}
