//! Keys: what is kept of states, in lists that know nothing of the states' type.

use std::cmp::Ordering;

use crate::state::Code;
use crate::statement::erased::ErasedState;

/// Form in which the states of a system are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In so many words, one or two, of which a state takes at most so many bits.
    Fixed { words: usize, bits: u32 },
    /// In as many words as each takes.
    Varying,
    /// As they are.
    Whole,
}

/// The key of a state.
#[derive(Clone, Copy)]
pub(super) enum StateKey<'k> {
    Fixed(&'k [u64]),
    Varying(&'k Code),
    Whole(&'k ErasedState),
}

/// Keys of some states, all of one form.
#[derive(Clone, Copy)]
pub(super) enum Keys<'k> {
    /// The words of all, so many each.
    Fixed {
        all: &'k [u64],
        words: usize,
    },
    Varying(&'k [Code]),
    Whole(&'k [ErasedState]),
}

impl<'k> Keys<'k> {
    pub fn len(self) -> usize {
        match self {
            Self::Fixed { all, words } => all.len() / words,
            Self::Varying(all) => all.len(),
            Self::Whole(all) => all.len(),
        }
    }

    /// Bytes that they take.
    pub fn bytes(self) -> usize {
        match self {
            Self::Fixed { all, .. } => size_of_val(all),
            Self::Varying(all) => all.iter().map(Code::bytes).sum(),
            Self::Whole(all) => size_of_val(all),
        }
    }

    /// The key at a place.
    #[inline(always)]
    pub fn at(self, place: usize) -> StateKey<'k> {
        match self {
            Self::Fixed { all, words: 1 } => StateKey::Fixed(&all[place..=place]),
            Self::Fixed { all, words } => StateKey::Fixed(&all[place * words..(place + 1) * words]),
            Self::Varying(all) => StateKey::Varying(&all[place]),
            Self::Whole(all) => StateKey::Whole(&all[place]),
        }
    }
}

/// A list to which keys are added.
pub(super) enum KeyList {
    /// The words of all, so many each.
    Fixed {
        all: Vec<u64>,
        words: usize,
    },
    Varying(Vec<Code>),
    Whole(Vec<ErasedState>),
}

impl KeyList {
    /// A list of no keys yet.
    pub fn new(form: Form) -> Self {
        match form {
            Form::Fixed { words, .. } => Self::Fixed {
                all: Vec::new(),
                words,
            },
            Form::Varying => Self::Varying(Vec::new()),
            Form::Whole => Self::Whole(Vec::new()),
        }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        match self {
            Self::Fixed { all, words: 1 } => all.len(),
            Self::Fixed { all, words } => all.len() / words,
            Self::Varying(all) => all.len(),
            Self::Whole(all) => all.len(),
        }
    }

    /// Moves all keys of another list, of the same form, to the end of this one.
    #[inline]
    pub fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Fixed { all, .. }, Self::Fixed { all: others, .. }) => all.append(others),
            (Self::Varying(all), Self::Varying(others)) => all.append(others),
            (Self::Whole(all), Self::Whole(others)) => all.append(others),
            _ => unreachable!("{OTHER}"),
        }
    }

    /// Leaves the first keys, so many, and no more.
    pub fn truncate(&mut self, length: usize) {
        match self {
            Self::Fixed { all, words } => all.truncate(length * *words),
            Self::Varying(all) => all.truncate(length),
            Self::Whole(all) => all.truncate(length),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Self::Fixed { all, .. } => all.clear(),
            Self::Varying(all) => all.clear(),
            Self::Whole(all) => all.clear(),
        }
    }
}

/// StateKey as a search compares it.
pub(super) trait Compared: Clone + Eq + Send + Sync + 'static {
    /// Number of words of each key; none if keys have different numbers of them.
    const WORDS: Option<usize>;
    /// Its words, which are what is written of it.
    fn words(&self) -> &[u64];
    /// The key that has these words, so many as its type says.
    fn of_words(words: &[u64]) -> Self;
    /// Some of them, without their type.
    fn keys(keys: &[Self]) -> Keys<'_>;
    /// Moves the keys of a list, which are of this type, to the end of another one.
    fn take(list: &mut KeyList, keys: &mut Vec<Self>);
    /// Order of two keys, in which processes that search together have the states of a level.
    fn order(&self, other: &Self) -> Ordering;
}

/// Function of a model that compares keys, where they are states that are kept as they are.
pub(super) const EQ: &str = "`eq` of a state";
const OTHER: &str = "a model gives keys of the form that it was asked for";
pub(super) const NO_WORDS: &str = "a state that is kept as it is has no words: its code has";

impl<const N: usize> Compared for [u64; N] {
    const WORDS: Option<usize> = Some(N);

    fn words(&self) -> &[u64] {
        self
    }

    #[inline]
    fn of_words(words: &[u64]) -> Self {
        words.try_into().expect("the key has so many words")
    }

    fn keys(keys: &[Self]) -> Keys<'_> {
        Keys::Fixed {
            all: keys.as_flattened(),
            words: N,
        }
    }

    fn take(list: &mut KeyList, keys: &mut Vec<Self>) {
        let KeyList::Fixed { all, .. } = list else {
            unreachable!("{OTHER}");
        };
        let (whole, _) = all.as_chunks::<N>();
        keys.extend_from_slice(whole);
        all.clear();
    }

    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Compared for Code {
    const WORDS: Option<usize> = None;

    fn words(&self) -> &[u64] {
        self.words()
    }

    fn of_words(words: &[u64]) -> Self {
        Self::of(words)
    }

    fn keys(keys: &[Self]) -> Keys<'_> {
        Keys::Varying(keys)
    }

    fn take(list: &mut KeyList, keys: &mut Vec<Self>) {
        match list {
            KeyList::Varying(all) => keys.append(all),
            KeyList::Fixed { .. } | KeyList::Whole(_) => unreachable!("{OTHER}"),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Compared for ErasedState {
    const WORDS: Option<usize> = None;

    fn words(&self) -> &[u64] {
        unreachable!("{NO_WORDS}")
    }

    fn of_words(_: &[u64]) -> Self {
        unreachable!("{NO_WORDS}")
    }

    fn keys(keys: &[Self]) -> Keys<'_> {
        Keys::Whole(keys)
    }

    fn take(list: &mut KeyList, keys: &mut Vec<Self>) {
        match list {
            KeyList::Whole(all) => keys.append(all),
            KeyList::Fixed { .. } | KeyList::Varying(_) => unreachable!("{OTHER}"),
        }
    }

    fn order(&self, _: &Self) -> Ordering {
        unreachable!("processes that search together pack their states")
    }
}
