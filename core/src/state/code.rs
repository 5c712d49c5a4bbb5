//! Codes: the bits of a state that has no fixed size.

/// The words of a state. Those of a small one take no memory of their own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Code(Words);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Words {
    /// Words that are not written are 0.
    Short([u64; Code::SHORT]),
    Long(Box<[u64]>),
}

impl Code {
    /// The most words of a small state.
    const SHORT: usize = 3;

    #[inline]
    pub fn of(words: &[u64]) -> Self {
        let mut short = [0; Self::SHORT];
        Self(match short.get_mut(..words.len()) {
            Some(place) => {
                place.copy_from_slice(words);
                Words::Short(short)
            }
            None => Words::Long(words.into()),
        })
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Short(words) => words,
            Words::Long(words) => words,
        }
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        let own = match &self.0 {
            Words::Short(_) => 0,
            Words::Long(words) => size_of_val(&**words),
        };
        size_of::<Self>() + own
    }
}
