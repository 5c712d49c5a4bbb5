//! Set of configurations, without those that another one makes superfluous.
//!
//! # Subsumption
//!
//! An event without an end is *endless*: it may come about at any time after its begin, or never. It is the last of its
//! thread. Let A and B be two configurations at the same point of a history, with the same state, that have taken the same
//! events and given the same effect, except that B has taken some endless events, or given them effect, that A has not.
//! Then A can do whatever B can, so that B is superfluous:
//!
//! - What B does from there on takes no event that it has taken. The specification sees of a step its state, the event,
//!   and what the event's own thread has pending. The first two are the same in A, step by step, and so is the third: an
//!   endless event is the last of its thread, so that no later event sees it pending, and the last to take effect, so
//!   that no effect waits for it.
//! - Where B gives effect to an endless event that it had pending, and that A has not taken, A takes it first. That
//!   changes no state, and A has at least as much room for it as B had.
//! - No order has to take an endless event, or to give it effect: A has to do nothing that B need not.
//!
//! Of superfluous configurations each has taken more than the one that makes it so. So among those that are left there is
//! always one that can do what a removed one can, whichever are removed in whatever order, and together with
//! [`postpone`](super::search), which as well leaves out only what has taken more.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;

use super::configuration::{Ahead, Configuration, Trail};
use super::window::Window;

/// Greatest number of configurations of a core with which a new one is compared. One that is kept though it is
/// superfluous costs time and changes nothing.
const MOST_COMPARED: usize = 1 << 8;
/// Greatest number of elements for linear comparison.
const FEW: usize = 4;

/// Lanes whose last event is endless.
#[derive(Clone, Debug, Default)]
pub(super) struct Endless(Vec<EndlessLane>);

#[derive(Clone, Copy, Debug)]
struct EndlessLane {
    lane: u32,
    /// Number of events taken if the endless one is.
    all: u32,
    /// Whether the endless one may be pending.
    is_delayed: bool,
}

/// What a configuration has taken of endless events: two bits a lane, one for taking the event and one for its effect.
type Taken = Vec<u64>;

fn is_part(one: &Taken, other: &Taken) -> bool {
    let mut words = one.iter().zip(other);
    words.all(|(one, other)| one & !other == 0)
}

impl Endless {
    /// The endless lanes of a window.
    pub fn of(window: &Window) -> Self {
        let lanes = window.endless().map(|(lane, place)| EndlessLane {
            lane,
            all: place.queue.len() as u32,
            is_delayed: place.delayed.back() == place.queue.back(),
        });
        Self(lanes.collect())
    }

    /// The core of a configuration, which is what it has taken besides endless events, and what it has taken of these.
    fn split<S>(&self, configuration: &Configuration<S>) -> (Vec<Ahead>, Taken) {
        let mut core = configuration.all_ahead().to_vec();
        let mut taken = vec![0; self.0.len().div_ceil(32)];
        for (number, endless) in self.0.iter().enumerate() {
            let Some(ahead) = core.iter_mut().find(|ahead| ahead.lane == endless.lane) else {
                continue;
            };
            if ahead.taken < endless.all {
                continue;
            }
            // A delayed one is the last of its lane to take effect: if anything is pending, it is.
            let is_pending = endless.is_delayed && ahead.pending > 0;
            ahead.taken -= 1;
            ahead.pending -= u32::from(is_pending);
            let bits = if is_pending { 0b01 } else { 0b11 };
            taken[number / 32] |= bits << (2 * (number % 32));
        }
        core.retain(|ahead| ahead.taken > 0 || ahead.pending > 0);
        (core, taken)
    }
}

/// Set of configurations, in insertion order.
///
/// PERF: usually there are few, and no endless event. Up to [`FEW`] are then compared linearly, and only larger sets are
/// hashed: the history of one thread is decided without hashing a state.
#[derive(Debug)]
pub(super) struct Set<S, A> {
    pub entries: Vec<(Configuration<S>, Trail<A, S>)>,
    /// Where there are no endless events.
    places: HashTable<usize>,
    endless: Endless,
    /// Where there are endless events.
    groups: HashTable<Group>,
    /// Whether the entry of the same place has become superfluous; shorter than the entries if the rest has not.
    superfluous: Vec<bool>,
    hasher: foldhash::fast::FixedState,
}

/// The configurations with one state and one core. None makes another one superfluous, as far as they were compared.
#[derive(Debug)]
struct Group {
    /// The first of them, with the state of all.
    first: usize,
    core: Vec<Ahead>,
    members: Vec<(usize, Taken)>,
}

impl<S: Eq + Hash, A> Set<S, A> {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            places: HashTable::new(),
            endless: Endless::default(),
            groups: HashTable::new(),
            superfluous: Vec::new(),
            hasher: foldhash::fast::FixedState::default(),
        }
    }

    /// Empties the set, for configurations at a point with these endless events.
    pub fn clear(&mut self, endless: Endless) {
        self.entries.clear();
        self.places.clear();
        self.endless = endless;
        self.groups.clear();
        self.superfluous.clear();
    }

    /// Whether the entry at `place` has become superfluous.
    pub fn is_superfluous(&self, place: usize) -> bool {
        self.superfluous.get(place).is_some_and(|is| *is)
    }

    /// Makes the entries at these places superfluous.
    pub fn remove(&mut self, places: &[bool]) {
        self.superfluous.resize(self.entries.len(), false);
        for (superfluous, is_removed) in self.superfluous.iter_mut().zip(places) {
            *superfluous |= is_removed;
        }
    }

    /// Removes and returns the entries that are not superfluous. The set has to be cleared afterwards.
    pub fn take(&mut self) -> Vec<(Configuration<S>, Trail<A, S>)> {
        let mut entries = std::mem::take(&mut self.entries);
        let mut superfluous = std::mem::take(&mut self.superfluous).into_iter();
        entries.retain(|_| !superfluous.next().unwrap_or_default());
        entries
    }

    /// Index of a configuration.
    pub fn find(&self, configuration: &Configuration<S>) -> Option<usize> {
        if !self.endless.0.is_empty() {
            let (core, taken) = self.endless.split(configuration);
            let hash = self.hasher.hash_one((&configuration.state, &core));
            let group = self.groups.find(hash, |group| {
                group.core == core && self.entries[group.first].0.state == configuration.state
            });
            let mut members = group?.members.iter();
            return members
                .find(|(_, other)| *other == taken)
                .map(|(place, _)| *place);
        }
        let is_same = |(other, _): &(Configuration<S>, _)| other == configuration;
        if self.places.is_empty() {
            return self.entries.iter().position(is_same);
        }
        let hash = self.hasher.hash_one(configuration);
        let is_same = |place: &usize| is_same(&self.entries[*place]);
        self.places.find(hash, is_same).copied()
    }

    /// Inserts a configuration; returns whether it is new, and not superfluous.
    pub fn insert(&mut self, configuration: Configuration<S>, trail: Trail<A, S>) -> bool {
        if self.endless.0.is_empty() {
            self.insert_exactly(configuration, trail)
        } else {
            self.insert_unless_superfluous(configuration, trail)
        }
    }

    fn insert_exactly(&mut self, configuration: Configuration<S>, trail: Trail<A, S>) -> bool {
        let Self {
            entries,
            places,
            hasher,
            ..
        } = self;
        let known = entries.len();
        if known < FEW {
            if entries.iter().any(|(other, _)| *other == configuration) {
                return false;
            }
            entries.push((configuration, trail));
            return true;
        }
        let hash = |configuration: &Configuration<S>| hasher.hash_one(configuration);
        if places.is_empty() {
            for (place, (other, _)) in entries.iter().enumerate() {
                places.insert_unique(hash(other), place, |place| hash(&entries[*place].0));
            }
        }
        let hashed = hash(&configuration);
        let same = |place: &usize| entries[*place].0 == configuration;
        if places.find(hashed, same).is_some() {
            return false;
        }
        places.insert_unique(hashed, known, |place| hash(&entries[*place].0));
        entries.push((configuration, trail));
        true
    }

    fn insert_unless_superfluous(
        &mut self,
        configuration: Configuration<S>,
        trail: Trail<A, S>,
    ) -> bool {
        let Self {
            entries,
            endless,
            groups,
            superfluous,
            hasher,
            ..
        } = self;
        let (core, taken) = endless.split(&configuration);
        let place = entries.len();
        let hash = hasher.hash_one((&configuration.state, &core));
        let same = |group: &Group| {
            group.core == core && entries[group.first].0.state == configuration.state
        };
        if let Some(group) = groups.find_mut(hash, same) {
            let mut compared = group.members.iter().take(MOST_COMPARED);
            if compared.any(|(_, other)| is_part(other, &taken)) {
                return false;
            }
            superfluous.resize(place, false);
            group.members.retain(|(other, theirs)| {
                let is_superfluous = is_part(&taken, theirs);
                superfluous[*other] |= is_superfluous;
                !is_superfluous
            });
            group.members.push((place, taken));
        } else {
            let group = Group {
                first: place,
                core,
                members: vec![(place, taken)],
            };
            entries.push((configuration, trail));
            let hash_of = |group: &Group| {
                hasher.hash_one((&entries[group.first].0.state, &group.core))
            };
            groups.insert_unique(hash, group, hash_of);
            return true;
        }
        entries.push((configuration, trail));
        true
    }
}
