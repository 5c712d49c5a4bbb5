//! What is counted and noted on the way through the states.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use foldhash::{HashMap, HashMapExt};

use crate::explore::{Panic, Place};
use crate::packed::PackingError;
use crate::refinement::Refinement;
use crate::symmetry::Asymmetry;
use crate::system::ActionOf;

use super::consistency::{Again, Inconsistency};

/// Which function of the model is running, to be named if it panics.
#[derive(Clone, Copy, Debug)]
pub(super) enum During {
    Map,
    Observe,
    IsInitial,
    Invariant(usize),
    Next,
    Answer,
    Allows,
    Symmetry,
    /// A function, by its name, that is asked again.
    Again(&'static str),
}

/// What is wrong with a model itself.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Panic(During, Panic),
    OfferedTwice,
    Asymmetry(Asymmetry),
    Mispacked(PackingError),
    Inconsistent(Inconsistency),
}

/// Rows with a fixed place.
pub(super) const OBSERVATION: usize = 0;
pub(super) const INITIALITY: usize = 1;
pub(super) const SIMULATION: usize = 2;
pub(super) const AGENCY: usize = 3;
pub(super) const INVARIANTS: usize = 4;

/// How often an invariant was tested, and how often it claimed something.
#[derive(Clone, Copy, Default)]
pub(super) struct Claim {
    pub tested: u64,
    pub applied: u64,
}

/// What one worker has found.
pub(super) struct Tally<R: Refinement> {
    /// Per row, how often it was tested.
    pub checked: Vec<u64>,
    /// Per row, the first place where it fails.
    pub first: Vec<Option<Place>>,
    /// Per rule of the implementation, the first place where `simulation` fails by it.
    pub failed: Vec<Option<Place>>,
    /// Per rule of the implementation, its transitions.
    pub fired: Vec<u64>,
    /// Per rule of the specification, the transitions that simulate it.
    pub simulated: Vec<u64>,
    /// Per invariant, the states of which it claims something.
    pub applied: Vec<u64>,
    /// Per invariant that is checked, what is to be added to `checked` and to `applied`.
    ///
    /// PERF: these are counted at every state, and found here without a detour.
    pub claims: Vec<Claim>,
    pub deadlocks: u64,
    /// States without a step in which a bound has stopped a thread, and the names of all threads that it has stopped
    /// anywhere.
    pub cut_off: (u64, BTreeSet<String>),
    pub fault: Option<(Place, Fault)>,
    pub during: During,
    /// What this state has offered so far.
    pub offered: Offers,
    pub perhaps_twice: bool,
    /// The numbers of inputs, as far as this worker has asked for them.
    pub inputs: HashMap<ActionOf<R::Abstract>, u32>,
    /// States on which the symmetry was tested.
    pub tested_symmetry: u64,
    /// What the model is asked once more, and how it answered.
    pub again: Again<R>,
}

/// A hash that only says which actions to compare.
///
/// PERF: it is computed at every step, and a good one takes as long as half of a cheap rule.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Mixer {
    #[inline]
    pub fn mix<A: Hash>(action: &A) -> u64 {
        let mut mixer = Self::default();
        action.hash(&mut mixer);
        // The upper bits are mixed best.
        mixer.0 >> 48
    }
}

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u8(*byte);
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// Bits of the hashes of the actions that a state has offered so far.
///
/// PERF: so many tell the actions of one state apart nearly always; where they do not, the actions
/// themselves are compared.
#[derive(Default)]
pub(super) struct Offers([u64; 16]);

impl Offers {
    /// Notes an action, and says whether it was perhaps offered before.
    #[inline(always)]
    pub fn note<A: Hash>(&mut self, action: &A) -> bool {
        let hash = Mixer::mix(action);
        let bit = 1 << (hash & 63);
        let word = &mut self.0[(hash >> 6) as usize & 15];
        let perhaps = *word & bit != 0;
        *word |= bit;
        perhaps
    }
}

/// The earlier of two places.
pub(super) fn earlier(place: &mut Option<Place>, other: Option<Place>) {
    *place = match (*place, other) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}

fn add(into: &mut [u64], from: &[u64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}

impl<R: Refinement> Tally<R> {
    /// Nothing, of so many rows, rules of the implementation and of the specification, and invariants.
    pub fn new(rows: usize, [rules, abstract_rules]: [usize; 2], invariants: usize) -> Self {
        Self {
            checked: vec![0; rows],
            first: vec![None; rows],
            failed: vec![None; rules],
            fired: vec![0; rules],
            simulated: vec![0; abstract_rules],
            applied: vec![0; invariants],
            claims: Vec::new(),
            deadlocks: 0,
            cut_off: (0, BTreeSet::new()),
            fault: None,
            during: During::Next,
            offered: Offers::default(),
            perhaps_twice: false,
            inputs: HashMap::new(),
            tested_symmetry: 0,
            again: Again::new(abstract_rules),
        }
    }

    /// Adds another one to it.
    pub fn add(&mut self, other: Self) {
        add(&mut self.checked, &other.checked);
        add(&mut self.fired, &other.fired);
        add(&mut self.simulated, &other.simulated);
        add(&mut self.applied, &other.applied);
        self.deadlocks += other.deadlocks;
        self.cut_off.0 += other.cut_off.0;
        self.cut_off.1.extend(other.cut_off.1);
        self.tested_symmetry += other.tested_symmetry;
        self.again.add(other.again);
        for (place, other) in self.first.iter_mut().zip(other.first) {
            earlier(place, other);
        }
        for (place, other) in self.failed.iter_mut().zip(other.failed) {
            earlier(place, other);
        }
        let faults = self.fault.take().into_iter().chain(other.fault);
        self.fault = faults.min_by_key(|(place, _)| *place);
    }

    #[inline]
    pub fn test(&mut self, row: usize, place: Place, holds: bool) {
        self.checked[row] += 1;
        if !holds {
            earlier(&mut self.first[row], Some(place));
        }
    }

    pub fn note_cut_off(&mut self, threads: Vec<&str>, is_end: bool) {
        let (states, names) = &mut self.cut_off;
        *states += u64::from(is_end && !threads.is_empty());
        for name in threads {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }

    pub fn blame(&mut self, place: Place, fault: Fault) {
        let model = self.first.len() - 1;
        earlier(&mut self.first[model], Some(place));
        if self.fault.as_ref().is_none_or(|(first, _)| place < *first) {
            self.fault = Some((place, fault));
        }
    }
}
