//! Set of configurations, without those that another one makes superfluous.
//!
//! # Subsumption
//!
//! An event without an end is *endless*: it may come about at any time after its begin, or never. It is the last of its
//! thread. Let A and B be two configurations at the same point of a history, with the same state, and let B have taken the
//! events that A has, and some endless ones besides. Then A can do whatever B can, by the same steps, so that B is
//! superfluous:
//!
//! - No step of B takes an event that A has taken and B has not, since there is none; so A has what B takes still before it.
//! - The specification sees of a step its state, the event, and what the event's own thread has pending. The state is the same
//!   in A and B, step by step, and so is what is pending: of an endless event nothing ever is, since it takes effect in the
//!   step that takes it. (Where effects are delayed, that loses no order: only later events of its own thread could see it
//!   pending, and there are none.)
//! - No order has to take an endless event: A has nothing to do that B need not.
//!
//! None of these steps leads through B, and A has taken less. So among the configurations that are left there is always one
//! that can do what a removed one can, in whatever order they are removed, and together with `postpone`, which as well
//! removes only what has taken more.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use refmap::internal::Bits;

use super::configuration::{Ahead, Configuration, Trail};
use super::window::Window;

/// Greatest number of configurations of a core with which a new one is compared. One that is kept though it is
/// superfluous costs time and changes nothing.
const MOST_COMPARED: usize = 1 << 8;
/// Greatest number of elements for linear comparison.
const FEW: usize = 4;

/// Lanes whose last event is endless, sorted, with the number of events taken if that one is.
#[derive(Clone, Debug, Default)]
pub(super) struct Endless(Vec<(u32, u32)>);

impl Endless {
    /// The endless lanes of a window.
    pub fn of(window: &Window) -> Self {
        let lanes = window.endless();
        Self(
            lanes
                .map(|(lane, place)| (lane, place.queue.len() as u32))
                .collect(),
        )
    }

    /// The core of a configuration, which is what it has taken besides endless events, and the endless events.
    fn split<S>(&self, configuration: &Configuration<S>) -> (Vec<Ahead>, Bits) {
        let mut core = configuration.all_ahead().to_vec();
        let mut taken = Bits::none(self.0.len());
        for ahead in &mut core {
            let number = self.0.binary_search_by_key(&ahead.lane, |(lane, _)| *lane);
            if let Ok(number) = number
                && ahead.taken == self.0[number].1
            {
                ahead.taken -= 1;
                taken.insert(number as u32);
            }
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
    /// Index of the entries, if there are no endless events.
    places: HashTable<usize>,
    endless: Endless,
    /// Groups of the entries, if there are endless events.
    groups: HashTable<Group>,
    /// True at a place of which the entry has become superfluous; shorter than the entries if the rest has not.
    superfluous: Vec<bool>,
    hasher: foldhash::fast::FixedState,
}

/// The configurations with one state and one core. None makes another one superfluous, as far as they were compared.
#[derive(Debug)]
struct Group {
    /// The first of them, with the state of all.
    first: usize,
    core: Vec<Ahead>,
    /// Places of its configurations, each with the endless events that it has taken.
    members: Vec<(usize, Bits)>,
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

    /// True if the entry at `place` has become superfluous.
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
            if compared.any(|(_, other)| other.is_subset(&taken)) {
                return false;
            }
            superfluous.resize(place, false);
            group.members.retain(|(other, theirs)| {
                let is_superfluous = taken.is_subset(theirs);
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
            let hash_of =
                |group: &Group| hasher.hash_one((&entries[group.first].0.state, &group.core));
            groups.insert_unique(hash, group, hash_of);
            return true;
        }
        entries.push((configuration, trail));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::random::Generator;

    /// True if B is superfluous beside A, by the definition.
    fn is_superfluous(a: &Configuration<u8>, b: &Configuration<u8>, endless: &Endless) -> bool {
        let mut lanes = (0..80).map(|lane| {
            let [a, b] = [a, b].map(|configuration| configuration.ahead(lane));
            let all = endless.0.iter().find(|(of, _)| *of == lane);
            let more = all.is_some_and(|(_, all)| b.taken == *all && a.taken + 1 == b.taken);
            a.pending == b.pending && (a.taken == b.taken || more)
        });
        a.state == b.state && lanes.all(|is_within| is_within)
    }

    /// The set keeps exactly what a list of all that was inserted says is not superfluous, with endless events in more lanes
    /// than a word has bits.
    #[test]
    fn what_is_kept_is_what_is_not_superfluous() {
        for seed in 0..300 {
            let mut random = Generator::new(seed);
            let lanes = [1, 3, 63, 64, 65, 80][random.below(6)];
            let endless = Endless((0..lanes).map(|lane| (lane, 1 + lane % 2)).collect());
            let mut set: Set<u8, ()> = Set::new();
            set.clear(endless.clone());
            let mut all: Vec<Configuration<u8>> = Vec::new();
            let first = random.below(lanes as usize) as u32;
            for _ in 0..60 {
                let mut configuration = Configuration::new(random.below(2) as u8);
                for lane in [first, (first + 64) % lanes, (first + 1) % lanes, lanes - 1] {
                    let taken = random.below(3) as u32;
                    configuration.set(Ahead {
                        lane,
                        taken: taken.min(1 + lane % 2),
                        pending: u32::from(random.below(8) == 0),
                    });
                }
                let is_new = set.insert(configuration.clone(), None);
                let known = all
                    .iter()
                    .any(|a| is_superfluous(a, &configuration, &endless));
                assert_eq!(is_new, !known, "{configuration:?} {all:?}");
                if is_new {
                    assert!(set.find(&configuration).is_some());
                }
                all.push(configuration);
            }
            let kept = set.take();
            for configuration in &all {
                let mut others = all.iter().filter(|other| *other != configuration);
                let expected = !others.any(|a| is_superfluous(a, configuration, &endless));
                let found = kept
                    .iter()
                    .filter(|(kept, _)| kept == configuration)
                    .count();
                assert_eq!(found, usize::from(expected), "{configuration:?}");
            }
        }
    }
}
