//! Packed states: a state written into a fixed number of bits.
//!
//! A state of a model is plain data, one field a variable, and most of its bits are always 0. The
//! engine keeps millions of them, so a model may say beside itself how few bits they need: it names
//! the range of each variable, once, and both directions follow from that. Left out: ranges that
//! depend on other variables, since then the number of bits would not be fixed.

use std::fmt::Debug;

use serde::Serialize;

use crate::model_call::catch;
use crate::report::json::json;
use crate::report::value::compact;
use crate::report::{Change, changes};
use crate::state::Misfit;
use crate::system::{StateOf, TransitionSystem, first_initial};

/// A system whose states can be written into a fixed number of bits.
///
/// ```
/// # use refmap::{Rule, RuleId, TransitionSystem};
/// use refmap::{Field, Fields, Layout, Packed, packed_round_trip};
///
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
/// struct Time { hour: u8, minute: u8 }
/// # impl<S: ?Sized> refmap::State<S> for Time {}
///
/// struct Clock { layout: Layout, hour: Field, minute: Field }
///
/// impl Clock {
///     fn new() -> Self {
///         let mut layout = Layout::new();
///         Self { hour: layout.below(24), minute: layout.below(60), layout }
///     }
/// }
/// # impl TransitionSystem for Clock {
/// #     type State = Time;
/// #     type Action = ();
/// #     type Observation = u8;
/// #     fn rules(&self) -> &[Rule] { const { &[Rule::new("tick", "clock", "")] } }
/// #     fn rule_of(&self, _: &()) -> RuleId { RuleId(0) }
/// #     fn initial(&self, visit: &mut impl FnMut(Time)) { visit(Time { hour: 0, minute: 0 }); }
/// #     fn next(&self, from: &Time, visit: &mut impl FnMut((), Time)) {
/// #         visit((), Time { hour: from.hour, minute: (from.minute + 1) % 60 });
/// #     }
/// #     fn observe(&self, state: &Time) -> u8 { state.hour }
/// # }
///
/// impl Packed for Clock {
///     fn layout(&self) -> &Layout {
///         &self.layout
///     }
///
///     fn fields(&self, time: &Time, fields: &mut impl Fields) -> Time {
///         Time {
///             hour: fields.byte(self.hour, time.hour),
///             minute: fields.byte(self.minute, time.minute),
///         }
///     }
/// }
///
/// let clock = Clock::new();
/// assert_eq!(clock.layout().bits(), 5 + 6);
/// assert_eq!(packed_round_trip(&clock, &Time { hour: 23, minute: 59 }), Ok(()));
/// assert!(packed_round_trip(&clock, &Time { hour: 23, minute: 60 }).is_err());
/// ```
pub trait Packed: TransitionSystem {
    /// Where each variable is, the same for all states of the instance.
    fn layout(&self) -> &Layout;

    /// Passes each variable of `state` through `fields`, and returns the state that the answers make.
    /// What is the same in all states of the instance need not be passed.
    ///
    /// It is called for every target of every step. `#[inline(always)]` pays: of a target that is only written,
    /// the state that the answers make is then never built.
    fn fields(&self, state: &StateOf<Self>, fields: &mut impl Fields) -> StateOf<Self>;
}

/// Where variables are in a number of words. No variable is in two words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The bits in use of each word.
    used: Vec<u32>,
}

/// Where a variable is, and its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    word: u32,
    offset: u32,
    /// 2 to the power of `offset`. PERF: a product takes fewer instructions than a shift.
    scale: u64,
    /// The greatest of its values, from 0 on.
    most: u64,
    /// The bits that its values have.
    within: u64,
}

impl Field {
    /// The bits of its word that it takes.
    pub(crate) fn bits(self) -> u64 {
        self.within << self.offset
    }
}

impl Layout {
    /// A layout without variables.
    pub const fn new() -> Self {
        Self { used: Vec::new() }
    }

    /// A place for a variable with values from 0 to `count` − 1.
    ///
    /// # Panics
    ///
    /// If `count` is 0: every variable has a value.
    pub fn below(&mut self, count: u64) -> Field {
        assert!(count > 0, "a variable has at least one value");
        self.place(u64::BITS - (count - 1).leading_zeros(), count - 1)
    }

    /// A place for a variable that takes any value of so many bits, at most 64.
    ///
    /// # Panics
    ///
    /// If there are more.
    pub fn bits_of(&mut self, bits: u32) -> Field {
        assert!(bits <= u64::BITS, "a variable has at most 64 bits");
        let most = u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0);
        self.place(bits, most)
    }

    fn place(&mut self, bits: u32, most: u64) -> Field {
        let room = |used: &u32| used + bits <= u64::BITS;
        let word = self.used.iter().position(room).unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        // A variable without bits may be behind the last one of a full word.
        let offset = self.used[word] % u64::BITS;
        self.used[word] += bits;
        let beyond = u64::MAX.checked_shl(bits).unwrap_or(0);
        Field {
            word: word as u32,
            offset,
            scale: 1 << offset,
            most,
            within: !beyond,
        }
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.used.len()
    }

    /// How many bits the variables take.
    pub fn bits(&self) -> u32 {
        self.used.iter().sum()
    }

    /// The bits of a word that no variable takes.
    pub(crate) fn unused(&self, word: usize) -> u64 {
        let used = self.used.get(word).copied().unwrap_or(0);
        u64::MAX.checked_shl(used).unwrap_or(0)
    }

    /// Whether a variable is in it.
    fn has(&self, field: Field) -> bool {
        field.bits() & self.unused(field.word as usize) == 0
    }
}

/// What the variables of a state are passed through: it writes them down and answers with what it was
/// given, or it reads them and answers with what was written down.
pub trait Fields {
    /// A variable.
    fn number(&mut self, field: Field, value: u64) -> u64;

    /// The same of a byte.
    #[inline(always)]
    fn byte(&mut self, field: Field, value: u8) -> u8 {
        self.number(field, u64::from(value)) as u8
    }

    /// A truth value.
    #[inline(always)]
    fn flag(&mut self, field: Field, value: bool) -> bool {
        self.number(field, u64::from(value)) == 1
    }

    /// A variable that takes one of `values`; its value is the one at `place`.
    #[inline(always)]
    fn one_of<T: Copy>(&mut self, field: Field, place: usize, values: &[T]) -> T {
        values[self.number(field, place as u64) as usize]
    }

    /// A variable that is written as a number, by `number`, and read by `value`.
    ///
    /// PERF: while states are written nothing is read, which spares the writer of a state its divisions.
    #[inline(always)]
    fn coded<T: Copy>(
        &mut self,
        field: Field,
        variable: T,
        number: impl FnOnce(T) -> u64,
        value: impl FnOnce(u64) -> T,
    ) -> T {
        value(self.number(field, number(variable)))
    }
}

/// Why a state cannot be kept packed: [`Packed::fields`] is wrong about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackingError {
    /// A variable has a value outside the range that it is said to have.
    #[error("{variable} is {value}, and its range is 0 to {most}")]
    OutOfRange {
        /// Which variable: what of the state it determines, as the state serialises, and its position in the
        /// order of `fields`, counted from 0.
        variable: String,
        /// Its value, as it is passed to `fields`.
        value: u64,
        /// The greatest value of its range.
        most: u64,
    },
    /// A field of a state has a value outside the range that it is said to have.
    #[error("`{field}` {misfit}")]
    OutsideRange {
        /// The field, or the one within it that has the value.
        field: String,
        /// The value, and what is allowed.
        misfit: Misfit,
    },
    /// A variable has a place that is none of the layout's: it is one of another layout, perhaps that of a larger
    /// instance.
    #[error(
        "{variable} is at {bits} bits from bit {offset} of word {word} on, and `layout` has {used} bits there"
    )]
    OutsideLayout {
        /// Which variable, as in [`OutOfRange`](Self::OutOfRange).
        variable: String,
        /// Its word, counted from 0.
        word: u32,
        /// Its first bit.
        offset: u32,
        /// How many bits it takes.
        bits: u32,
        /// How many bits of this word the layout has.
        used: u32,
    },
    /// A variable is left out, or two are at one place.
    #[error("what is read back is another state: {}", .changed.join(", "))]
    Lossy {
        /// What of the state changes, and how.
        changed: Vec<String>,
    },
    /// What is written of a state is longer than the shape of its type says.
    #[error("it takes {bits} bits, and the shape of its type says {most} at most")]
    TooLong {
        /// The bits that are written.
        bits: u32,
        /// The most that there are said to be.
        most: u32,
    },
    /// Asked twice, `fields` passes on different values, or reads different states.
    #[error("`fields` is not a function of the state: it packs one state in two ways")]
    Unstable,
}

impl PackingError {
    /// That `state` is read back as another one.
    pub(crate) fn lossy<T: Serialize + Debug>(state: &T, back: &T) -> Self {
        Self::Lossy {
            changed: differences(state, back),
        }
    }
}

/// Whether `state` survives packing.
///
/// # Errors
///
/// What is wrong with [`Packed::fields`].
pub fn packed_round_trip<S: Packed>(system: &S, state: &StateOf<S>) -> Result<(), PackingError> {
    let first = first_initial(system);
    let template = first.as_ref().unwrap_or(state);
    round_trip_with(system, template, state)
}

/// The same, where an initial state of the instance is at hand.
pub(crate) fn round_trip_with<S: Packed>(
    system: &S,
    template: &StateOf<S>,
    state: &StateOf<S>,
) -> Result<(), PackingError> {
    let layout = system.layout();
    let mut ranges = Ranges {
        layout,
        position: 0,
        outside: None,
        misfit: None,
    };
    system.fields(state, &mut ranges);
    if let Some((position, field)) = ranges.outside {
        return Err(PackingError::OutsideLayout {
            variable: name_of(system, state, position),
            word: field.word,
            offset: field.offset,
            bits: field.within.count_ones(),
            used: layout.used.get(field.word as usize).copied().unwrap_or(0),
        });
    }
    if let Some(misfit) = ranges.misfit {
        return Err(PackingError::OutOfRange {
            variable: name_of(system, state, misfit.position),
            value: misfit.value,
            most: misfit.most,
        });
    }
    let mut writer = Writer::on(vec![0; layout.words()]);
    system.fields(state, &mut writer);
    let (words, _) = writer.written();
    let back = system.fields(template, &mut Reader { words: &words });
    match back == *state {
        true => Ok(()),
        false => Err(PackingError::lossy(state, &back)),
    }
}

/// What differs between two states, for people.
fn differences<T: Serialize + Debug>(state: &T, back: &T) -> Vec<String> {
    let found = changes(&json(state), &json(back));
    let told = found.iter().map(|change| {
        let Change { field, from, to } = change;
        let of = if field.is_empty() { "the state" } else { field };
        format!("{of} was {} and is {}", compact(from), compact(to))
    });
    let told: Vec<_> = told.collect();
    match told.is_empty() {
        // What differs is not serialised.
        true => vec![format!("{state:?} becomes {back:?}")],
        false => told,
    }
}

/// The name of the variable at `position` in the order of `fields`: what of `state` changes with it.
fn name_of<S: Packed>(system: &S, state: &StateOf<S>, position: usize) -> String {
    let named = catch(|| {
        let [a, b] = [0, 1].map(|value| {
            let mut probe = Probe {
                position,
                value,
                at: 0,
            };
            json(&system.fields(state, &mut probe))
        });
        let found = changes(&a, &b).into_iter();
        let names = found.map(|change| format!("`{}`", change.field));
        names.collect::<Vec<_>>().join(" and ")
    });
    match named.unwrap_or_default() {
        name if name.is_empty() || name == "``" => format!("variable {position}"),
        name => format!("{name} (variable {position})"),
    }
}

/// Writes `state` into as many words as its layout has at most; `None` if a variable is outside
/// its range, or outside those words.
#[inline(always)]
pub(crate) fn pack<S: Packed, const N: usize>(system: &S, state: &StateOf<S>) -> Option<[u64; N]> {
    let mut writer = Writer::on([0; N]);
    system.fields(state, &mut writer);
    let (words, misfit) = writer.written();
    (misfit == 0).then_some(words)
}

/// Reads a state. `template` is any state of the instance.
#[inline(always)]
pub(crate) fn unpack<S: Packed, const N: usize>(
    system: &S,
    template: &StateOf<S>,
    words: &[u64; N],
) -> StateOf<S> {
    system.fields(template, &mut Reader { words })
}

/// Looks for a value outside its range, and for a variable outside the layout.
struct Ranges<'a> {
    layout: &'a Layout,
    position: usize,
    outside: Option<(usize, Field)>,
    misfit: Option<Outside>,
}

/// A variable's value outside its range.
struct Outside {
    position: usize,
    value: u64,
    most: u64,
}

impl Fields for Ranges<'_> {
    fn number(&mut self, field: Field, value: u64) -> u64 {
        let position = self.position;
        if !self.layout.has(field) {
            self.outside.get_or_insert((position, field));
        }
        if value > field.most && self.misfit.is_none() {
            self.misfit = Some(Outside {
                position,
                value,
                most: field.most,
            });
        }
        self.position += 1;
        value
    }
}

/// Answers with another value of one variable, and with what it was given of all others.
struct Probe {
    position: usize,
    value: u64,
    at: usize,
}

impl Fields for Probe {
    fn number(&mut self, _field: Field, value: u64) -> u64 {
        let at = self.at;
        self.at += 1;
        match at == self.position {
            true => self.value,
            false => value,
        }
    }
}

pub(crate) struct Writer<W> {
    words: W,
    /// The word being written, and what is to be added to it.
    at: usize,
    open: u64,
    /// 0 if every value is within its range.
    misfit: u64,
}

impl<W: AsMut<[u64]>> Writer<W> {
    /// Writes to words that are 0.
    #[inline(always)]
    fn on(words: W) -> Self {
        Self {
            words,
            at: 0,
            open: 0,
            misfit: 0,
        }
    }

    /// The words, and whether a value was outside its range.
    #[inline(always)]
    fn written(mut self) -> (W, u64) {
        self.close();
        (self.words, self.misfit)
    }

    /// Writes down the word being written; one that there is not has a misfit.
    #[inline(always)]
    fn close(&mut self) {
        match self.words.as_mut().get_mut(self.at) {
            Some(word) => *word |= self.open,
            None => self.misfit |= u64::from(self.at > 0 || self.open > 0),
        }
        self.open = 0;
    }
}

impl<W: AsMut<[u64]>> Fields for Writer<W> {
    #[inline(always)]
    fn number(&mut self, field: Field, value: u64) -> u64 {
        self.misfit |= u64::from(value > field.most);
        // PERF: a word that is written is kept out of memory, where each variable would have to wait for the
        // one before it. With one word the compiler knows which it is.
        if self.words.as_mut().len() > 1 && field.word as usize != self.at {
            self.close();
            self.at = field.word as usize;
        }
        self.open |= value.wrapping_mul(field.scale);
        value
    }

    #[inline(always)]
    fn coded<T: Copy>(
        &mut self,
        field: Field,
        variable: T,
        number: impl FnOnce(T) -> u64,
        _value: impl FnOnce(u64) -> T,
    ) -> T {
        self.number(field, number(variable));
        variable
    }
}

pub(crate) struct Reader<'a, W> {
    pub words: &'a W,
}

impl<W: AsRef<[u64]>> Fields for Reader<'_, W> {
    #[inline(always)]
    fn number(&mut self, field: Field, _value: u64) -> u64 {
        let words = self.words.as_ref();
        let word = match words.len() {
            1 => 0,
            _ => field.word as usize,
        };
        words[word] >> field.offset & field.within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables of all widths, in an order in which not all of them fit behind the one before.
    #[test]
    fn what_is_written_is_read() {
        let counts = [1, 2, 3, 1 << 33, 7, 1 << 63, 5, 1 << 40, 2, u64::MAX, 1];
        let mut layout = Layout::new();
        let mut fields = counts.map(|count| layout.below(count)).to_vec();
        fields.push(layout.bits_of(64));
        let counts = [&counts[..], &[u64::MAX]].concat();
        for seed in 0..1000u64 {
            let value = |place: usize, count: u64| {
                let mixed = (seed + place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                match seed % 3 {
                    0 => count - 1,
                    1 => 0,
                    _ => mixed % count,
                }
            };
            let mut writer = Writer::on(vec![0; layout.words()]);
            for (place, (&field, &count)) in fields.iter().zip(&counts).enumerate() {
                writer.number(field, value(place, count));
            }
            let (words, misfit) = writer.written();
            assert_eq!(misfit, 0);
            let mut reader = Reader { words: &words };
            for (place, (&field, &count)) in fields.iter().zip(&counts).enumerate() {
                assert_eq!(reader.number(field, 0), value(place, count), "{place}");
            }
        }
    }

    #[test]
    fn no_variable_is_in_two_words() {
        let mut layout = Layout::new();
        let fields = [40, 30, 24, 34, 1].map(|bits| layout.bits_of(bits));
        let words = fields.map(|field| (field.word, field.offset));
        assert_eq!(words, [(0, 0), (1, 0), (0, 40), (1, 30), (2, 0)]);
        assert_eq!((layout.words(), layout.bits()), (3, 129));
    }

    #[test]
    fn a_value_outside_its_range_is_noticed() {
        let cases = [
            (2, 3, true),
            (3, 3, false),
            (4, 3, false),
            (19, 19, false),
            (18, 19, true),
        ];
        for (value, count, fits) in cases.into_iter().chain([(0, 1, true), (1, 1, false)]) {
            let mut layout = Layout::new();
            let field = layout.below(count);
            let mut writer = Writer::on([0]);
            writer.number(field, value);
            let (_, misfit) = writer.written();
            assert_eq!(misfit == 0, fits, "{value} of {count}");
        }
    }
}
