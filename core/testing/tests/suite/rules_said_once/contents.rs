//! States of every kind of field, each of which is set to what a number says, or spoilt.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use refmap::{BoundedVec, IndexSet, State};
use refmap_testing::Random;
use serde::Serialize;

use super::Scribbling;

/// Numbers by which fields are set: those below this one.
pub const VALUES: u8 = 3;

/// A state, of which the first field is the place.
pub trait Contents: State<Scribbling<Self>> + Sized {
    /// Fields that differ from state to state.
    const FIELDS: usize;

    /// The state in which each field has the value 0.
    fn first() -> Self;
    fn place(&self) -> u8;
    fn set(&mut self, field: usize, value: u8);
    /// Makes a field, or the constant behind the last one, what no rule leaves there; mostly in the memory that it has.
    fn spoil(&mut self, field: usize);

    fn is(&self, field: usize, value: u8) -> bool {
        let mut other = self.clone();
        other.set(field, value);
        other == *self
    }

    fn scribble(&mut self, random: &mut Random) {
        for field in 0..=Self::FIELDS {
            match random.below(4) {
                0 => (),
                1 => self.set(field, random.below(VALUES.into()) as u8),
                _ => self.spoil(field),
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub enum Kind {
    Bare,
    Number(u8),
    Pair {
        left: Vec<u8>,
        right: Option<Box<u8>>,
    },
}

impl Kind {
    fn of(value: u8) -> Self {
        match value {
            0 => Self::Bare,
            1 => Self::Number(1),
            _ => Self::Pair {
                left: vec![value],
                right: Some(Box::new(value)),
            },
        }
    }

    fn spoil(&mut self) {
        match self {
            Self::Bare => *self = Self::of(9),
            Self::Number(number) => *number = 9,
            Self::Pair { left, right } => {
                left.push(9);
                *right = None;
            }
        }
    }
}

const CONSTANT: [u8; 2] = [7, 7];

/// A state of as many words as it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Sundry {
    #[state(range = 0..VALUES)]
    place: u8,
    list: Vec<u8>,
    nested: Vec<Vec<u8>>,
    queue: VecDeque<Kind>,
    bounded: BoundedVec<u8, 3>,
    map: BTreeMap<u8, Vec<u8>>,
    set: BTreeSet<u8>,
    #[state(range = 0..VALUES)]
    indices: IndexSet,
    maybe: Option<Vec<u8>>,
    boxed: Box<Kind>,
    slice: Box<[u8]>,
    shared: Arc<Vec<u8>>,
    #[state(max_len = 2)]
    word: String,
    pair: (u8, String),
    array: [Vec<u8>; 2],
    kind: Kind,
    #[state(constant = CONSTANT.to_vec())]
    constant: Vec<u8>,
}

impl Contents for Sundry {
    const FIELDS: usize = 16;

    fn first() -> Self {
        let mut first = Self {
            place: 0,
            list: Vec::new(),
            nested: Vec::new(),
            queue: VecDeque::new(),
            bounded: BoundedVec::new(),
            map: BTreeMap::new(),
            set: BTreeSet::new(),
            indices: IndexSet::EMPTY,
            maybe: None,
            boxed: Box::new(Kind::Bare),
            slice: Box::default(),
            shared: Arc::default(),
            word: String::new(),
            pair: Default::default(),
            array: Default::default(),
            kind: Kind::Bare,
            constant: Vec::new(),
        };
        (0..=Self::FIELDS).for_each(|field| first.set(field, 0));
        first
    }

    fn place(&self) -> u8 {
        self.place
    }

    fn set(&mut self, field: usize, value: u8) {
        let some = 0..value;
        match field {
            0 => self.place = value,
            1 => {
                self.list.clear();
                self.list.extend(some);
            }
            2 => self.nested = some.map(|one| vec![one; 2]).collect(),
            3 => self.queue = some.map(Kind::of).collect(),
            4 => self.bounded = some.collect(),
            5 => self.map = some.map(|one| (one, vec![one])).collect(),
            6 => self.set = some.collect(),
            7 => self.indices = IndexSet::below(value.into()),
            8 => self.maybe = (value > 0).then(|| vec![value]),
            9 => *self.boxed = Kind::of(value),
            10 => self.slice = some.collect(),
            11 => *Arc::make_mut(&mut self.shared) = some.collect(),
            12 => self.word = "x".repeat(value.into()),
            13 => self.pair = (value, value.to_string()),
            14 => self.array = [some.collect(), vec![value]],
            15 => self.kind = Kind::of(value),
            _ => self.constant = CONSTANT.to_vec(),
        }
    }

    fn spoil(&mut self, field: usize) {
        match field {
            0 => self.place = 9,
            1 => self.list.push(9),
            2 => {
                self.nested.iter_mut().for_each(|one| one.push(9));
                self.nested.push(Vec::new());
            }
            3 => {
                self.queue.iter_mut().for_each(Kind::spoil);
                self.queue.push_front(Kind::Number(9));
            }
            4 => {
                self.bounded.pop();
                self.bounded.push(9);
            }
            5 => {
                self.map.values_mut().for_each(Vec::clear);
                self.map.insert(9, vec![9]);
            }
            6 => {
                self.set.pop_first();
                self.set.insert(9);
            }
            7 => self.indices = IndexSet::below(64),
            8 => self.maybe.get_or_insert_default().push(9),
            9 => self.boxed.spoil(),
            10 => self.slice = Box::new([9; 4]),
            11 => Arc::make_mut(&mut self.shared).push(9),
            12 => self.word.push_str("yyy"),
            13 => {
                self.pair.0 = 9;
                self.pair.1.insert(0, 'z');
            }
            14 => {
                self.array.swap(0, 1);
                self.array[0].push(9);
            }
            15 => self.kind.spoil(),
            _ => self.constant.clear(),
        }
    }
}

/// The same, as a state that derives nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole(Sundry);

impl<S: ?Sized> State<S> for Whole {}

impl Contents for Whole {
    const FIELDS: usize = Sundry::FIELDS;

    fn first() -> Self {
        Self(Sundry::first())
    }

    fn place(&self) -> u8 {
        self.0.place
    }

    fn set(&mut self, field: usize, value: u8) {
        self.0.set(field, value);
    }

    fn spoil(&mut self, field: usize) {
        self.0.spoil(field);
    }
}

/// A state of two words that owns memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct TwoWords {
    #[state(range = 0..VALUES)]
    place: u8,
    wide: u64,
    #[state(len = 2, range = 0..VALUES)]
    list: Vec<u8>,
    #[state(max_len = 2, range = 0..VALUES)]
    queue: VecDeque<Option<Box<u8>>>,
    #[state(range = 0..VALUES)]
    set: BTreeSet<u8>,
    #[state(range = 0..VALUES)]
    map: BTreeMap<u8, bool>,
}

impl Contents for TwoWords {
    const FIELDS: usize = 6;

    fn first() -> Self {
        Self {
            place: 0,
            wide: 0,
            list: vec![0; 2],
            queue: VecDeque::new(),
            set: BTreeSet::new(),
            map: BTreeMap::new(),
        }
    }

    fn place(&self) -> u8 {
        self.place
    }

    fn set(&mut self, field: usize, value: u8) {
        let some = 0..value;
        match field {
            0 => self.place = value,
            1 => self.wide = u64::from(value) << 62,
            2 => self.list = vec![0, value],
            3 => self.queue = some.map(|one| (one > 0).then(|| Box::new(one))).collect(),
            4 => self.set = some.collect(),
            _ => self.map = some.map(|one| (one, one > 0)).collect(),
        }
    }

    fn spoil(&mut self, field: usize) {
        match field {
            0 => self.place = 9,
            1 => self.wide = !self.wide,
            2 => self.list.rotate_left(1),
            3 => self.queue.push_front(Some(Box::new(9))),
            4 => assert!(self.set.insert(9)),
            _ => self.map.clear(),
        }
    }
}

/// A state of a word, which is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Word {
    #[state(range = 0..VALUES)]
    place: u8,
    #[state(range = 0..VALUES)]
    array: [u8; 2],
    #[state(range = 0..VALUES)]
    pair: (bool, u8),
    level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
enum Level {
    Low,
    High(#[state(range = 1..VALUES)] u8),
}

impl Contents for Word {
    const FIELDS: usize = 4;

    fn first() -> Self {
        Self {
            place: 0,
            array: [0; 2],
            pair: (false, 0),
            level: Level::Low,
        }
    }

    fn place(&self) -> u8 {
        self.place
    }

    fn set(&mut self, field: usize, value: u8) {
        match field {
            0 => self.place = value,
            1 => self.array = [0, value],
            2 => self.pair = (value > 0, value),
            _ if value == 0 => self.level = Level::Low,
            _ => self.level = Level::High(value),
        }
    }

    fn spoil(&mut self, field: usize) {
        match field {
            0 => self.place = 9,
            1 => self.array.swap(0, 1),
            2 => self.pair.0 = !self.pair.0,
            _ => self.level = Level::High(9),
        }
    }
}
