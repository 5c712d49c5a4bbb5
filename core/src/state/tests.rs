//! Bits of states, against lists of truth values: so plain that they are obviously right.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;

use refmap::{BoundedVec, IndexSet, State};

use super::bits::Fixed;
use super::{BitReader, BitWriter, Changes, FixedReader, Limits, Misfit, Sink, Source};
use crate::walk::random::Generator;

/// The words of the states below.
const WORDS: usize = 16;

/// Width in bits of a number from 0 to `most`: the fewest that have room for it.
fn width(most: u64) -> usize {
    (0..64).find(|width| most < 1 << width).unwrap_or(64)
}

/// Numbers as bits, one after the other, the least significant first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Plain(Vec<bool>);

impl Plain {
    /// The bits of words, with zeros behind them.
    fn words<const N: usize>(&self) -> [u64; N] {
        let mut words = [0; N];
        for (place, bit) in self.0.iter().enumerate() {
            if *bit {
                words[place / 64] |= 1 << (place % 64);
            }
        }
        words
    }

    fn of_words(words: &[u64]) -> Self {
        let bits = words
            .iter()
            .flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1));
        Self(bits.collect())
    }
}

impl Sink for Plain {
    fn number(&mut self, most: u64, value: u64) {
        assert!(value <= most, "{value} of {most}");
        self.0
            .extend((0..width(most)).map(|bit| value >> bit & 1 == 1));
    }

    fn misfit(&mut self, misfit: Misfit) {
        panic!("it {misfit}");
    }

    fn skip(&mut self, bits: u32) {
        self.0.extend((0..bits).map(|_| false));
    }
}

/// Numbers as they were written, each with its greatest value; skipped bits are none.
#[derive(Default)]
struct Numbers(Vec<(u64, u64)>);

impl Sink for Numbers {
    fn number(&mut self, most: u64, value: u64) {
        self.0.push((most, value));
    }

    fn misfit(&mut self, misfit: Misfit) {
        panic!("it {misfit}");
    }
}

/// Numbers at random, the first of which are given where there are such.
struct Chosen<'g> {
    given: VecDeque<u64>,
    generator: &'g mut Generator,
}

impl Source for Chosen<'_> {
    fn number(&mut self, most: u64) -> u64 {
        let drawn = random(self.generator, most);
        self.given
            .pop_front()
            .filter(|given| *given <= most)
            .unwrap_or(drawn)
    }

    fn length(&mut self) -> usize {
        self.generator.below(4)
    }
}

/// A number from 0 to `most`: an end, one with a single bit, or any.
fn random(generator: &mut Generator, most: u64) -> u64 {
    let bit = 1 << generator.below(64);
    match generator.below(8) {
        0 => 0,
        1 => most,
        2 | 3 if bit <= most => bit,
        _ => match most.checked_add(1) {
            Some(count) => generator.bits() % count,
            None => generator.bits(),
        },
    }
}

/// The greatest number of so many bits, or one that is less and takes as many.
fn most_of(generator: &mut Generator, bits: usize) -> u64 {
    let greatest = u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0);
    match generator.below(2) {
        0 => greatest,
        _ => greatest - random(generator, greatest / 2),
    }
}

/// Numbers of all widths in random order, with gaps between them, are written into few words and into many as the list of
/// their bits, and are read from there.
#[test]
fn numbers_are_their_bits_one_after_the_other() {
    let mut generator = Generator::new(1);
    for round in 0..3000 {
        let count = generator.below(24);
        let numbers: Vec<(u64, u64, u32)> = (0..count)
            .map(|_| {
                let bits = [0, 1, 2, 31, 32, 33, 62, 63, 64, generator.below(65)];
                let most = {
                    let bits = bits[generator.below(bits.len())];
                    most_of(&mut generator, bits)
                };
                let gap = [0, 0, 1, 63, 64, 65, 130, generator.below(200)];
                let gap = gap[generator.below(gap.len())];
                (most, random(&mut generator, most), gap as u32)
            })
            .collect();
        fn write(numbers: &[(u64, u64, u32)], sink: &mut impl Sink) {
            for (most, value, gap) in numbers {
                sink.number(*most, *value);
                sink.skip(*gap);
            }
        }
        fn read(numbers: &[(u64, u64, u32)], source: &mut impl Source) {
            for (place, (most, value, gap)) in numbers.iter().enumerate() {
                assert_eq!(source.number(*most), *value, "{numbers:?} at {place}");
                source.skip(*gap);
            }
        }
        let mut plain = Plain::default();
        write(&numbers, &mut plain);
        let mut writer = BitWriter::<Fixed<WORDS>>::fixed();
        write(&numbers, &mut writer);
        assert_eq!(writer.bits() as usize, plain.0.len());
        let words = writer.words();
        assert_eq!(words.is_some(), plain.0.len() <= WORDS * 64);
        if let Some(words) = words {
            assert_eq!(words, plain.words(), "round {round}: {numbers:?}");
            read(&numbers, &mut FixedReader::new(words));
            let mut changes = [0; WORDS];
            write(&numbers, &mut Changes::on(&mut changes));
            assert_eq!(changes, words, "round {round}: {numbers:?}");
        }
        let mut growing = BitWriter::growing();
        write(&numbers, &mut growing);
        let code = growing.code().expect("all are in range");
        let without_gaps: Vec<_> = numbers
            .iter()
            .map(|(most, value, _)| (*most, *value, 0))
            .collect();
        let mut plain = Plain::default();
        write(&without_gaps, &mut plain);
        let words: [u64; 24] = plain.words();
        let used = plain.0.len().div_ceil(64);
        assert_eq!(
            code.words()[..used],
            words[..used],
            "round {round}: {numbers:?}"
        );
        read(&numbers, &mut BitReader::new(code.words()));
    }
}

/// Of each width and at each place within words: each bit that differs is written over the old one, and no other.
#[test]
fn a_number_is_written_over_another_one() {
    let mut generator = Generator::new(2);
    for at in 0..=128 {
        for bits in 1..=64 {
            let most = most_of(&mut generator, 64) >> (64 - bits);
            let most = most | 1 << (bits - 1);
            let background = [(); 4].map(|()| generator.bits());
            for differs in 0..bits {
                let old = random(&mut generator, most);
                let new = old ^ 1 << differs;
                if new > most {
                    continue;
                }
                let with = |number: u64| {
                    let mut plain = Plain::of_words(&background);
                    for bit in 0..bits {
                        plain.0[at + bit] = number >> bit & 1 == 1;
                    }
                    plain.words::<4>()
                };
                let mut words = with(old);
                let mut changes = Changes::on(&mut words);
                changes.number_over(at as u32, most, [old, new]);
                assert!(changes.fit());
                assert_eq!(words, with(new), "{bits} bits at {at}: {old} becomes {new}");
                // The same by clearing the place.
                let mut words = with(old);
                let limits = Limits::NONE.range(0..=most);
                Changes::on(&mut words).replace((&new, at as u32), &(), limits);
                assert_eq!(
                    words,
                    with(new),
                    "{bits} bits at {at}: {new} in the place of {old}"
                );
            }
        }
    }
}

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State,
)]
struct Node(u16);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State)]
enum Message {
    Nothing,
    Ack(bool),
    Data {
        #[state(range = -2..=1)]
        value: i8,
        last: bool,
    },
    Route(#[state(max_len = 2, range = 0..3)] Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State)]
struct Server {
    #[state(range = -1..=1)]
    delta: i64,
    is_up: bool,
    message: Option<Message>,
    #[state(range = 0..=1u64 << 40)]
    clock: u64,
    kinds: BTreeSet<Kind>,
    #[state(range = 1..=5)]
    peers: IndexSet,
    #[state(len = 2)]
    full: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, State)]
enum Kind {
    Plain,
    Numbered(#[state(range = 3..=5)] u8),
    Both(bool, #[state(range = -1..=0)] i8),
}

/// A type, of which `limits` are said, with what it derives.
///
/// PERF: that is compiled once for each type, and not for each sink.
struct Of<T> {
    limits: Limits,
    write: fn(&T, Limits, &mut dyn Sink),
    read: fn(Limits, &mut dyn Source) -> T,
    changes: fn(&T, &T, Limits, u32, &mut Changes<'_>),
}

impl<T: State<()>> Of<T> {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            write: |value, limits, mut sink| value.write(&(), limits, &mut sink),
            read: |limits, mut source| T::read(&(), limits, &mut source),
            changes: |to, from, limits, at, changes| {
                to.write_changes(from, &(), limits, || at, changes);
            },
        }
    }

    /// A value between two numbers, the first of which takes any number of bits.
    fn write(&self, value: &T, (most, before): (u64, u64), sink: &mut dyn Sink) {
        sink.number(most, before);
        (self.write)(value, self.limits, sink);
        sink.number(255, 0xA5);
    }

    fn is_read(&self, value: &T, (most, before): (u64, u64), source: &mut dyn Source) {
        assert_eq!(source.number(most), before);
        assert_eq!((self.read)(self.limits, source), *value);
        assert_eq!(source.number(255), 0xA5);
    }
}

/// Random values of a type, behind a number of each width, so that they begin at each place within a word, and before
/// another number: they are written as the list of their bits, are read back, differ where their bits do, and are written
/// over each other as they are written by themselves.
fn values_survive<T: State<()>>(limits: Limits, generator: &mut Generator) {
    let of = std::any::type_name::<T>();
    let shape = T::shape(&(), limits);
    assert_eq!(shape.error(), None, "{of}");
    if let Some(bits) = shape.bits() {
        assert_eq!(T::width(&(), limits), bits, "{of}");
    }
    let type_ = Of::<T>::new(limits);
    let mut written: BTreeMap<Plain, T> = BTreeMap::new();
    for at in 0..=64u32 {
        let most = u64::MAX.checked_shr(64 - at).unwrap_or(0);
        let number = (most, random(generator, most));
        let (from, to) = pair(&type_, generator);
        let codes = [&from, &to].map(|value| {
            let mut growing = BitWriter::growing();
            type_.write(value, number, &mut growing);
            let code = growing.code().expect("all are in range");
            type_.is_read(value, number, &mut BitReader::new(code.words()));
            code.words().to_vec()
        });
        assert_eq!(
            codes[0] == codes[1],
            from == to,
            "{of}: {from:?} and {to:?}"
        );
        if let Some(bits) = shape.bits() {
            let [old, new] = [&from, &to].map(|value| {
                let mut plain = Plain::default();
                type_.write(value, number, &mut plain);
                assert_eq!(plain.0.len() as u32, at + bits + 8, "{of}: {value:?}");
                let mut writer = BitWriter::<Fixed<WORDS>>::fixed();
                type_.write(value, number, &mut writer);
                let words = writer.words().expect("all are in range, and have room");
                assert_eq!(words, plain.words(), "{of}: {value:?} at {at}");
                type_.is_read(value, number, &mut FixedReader::new(words));
                words
            });
            assert_eq!(old == new, from == to, "{of}: {from:?} and {to:?}");
            let mut words = old;
            let mut changes = Changes::on(&mut words);
            (type_.changes)(&to, &from, limits, at, &mut changes);
            assert!(changes.fit());
            assert_eq!(words, new, "{of}: {from:?} becomes {to:?} at {at}");
        }
        // All that differ are written differently, each pair of them.
        for value in [from, to] {
            let mut plain = Plain::default();
            (type_.write)(&value, limits, &mut plain);
            let same = written.entry(plain).or_insert_with(|| value.clone());
            assert_eq!(*same, value, "{of}");
        }
    }
    if let Some(count) = T::count(&(), limits) {
        assert!(
            written.len() as u64 <= count,
            "{of} has more than {count} values"
        );
    }
}

/// A value, and another one of whose numbers one is different, perhaps in one bit.
fn pair<T>(type_: &Of<T>, generator: &mut Generator) -> (T, T) {
    let mut source = Chosen {
        given: VecDeque::new(),
        generator,
    };
    let from = (type_.read)(type_.limits, &mut source);
    let mut numbers = Numbers::default();
    (type_.write)(&from, type_.limits, &mut numbers);
    let mut given: VecDeque<u64> = numbers.0.iter().map(|(_, value)| *value).collect();
    if !given.is_empty() {
        let place = generator.below(given.len());
        let (most, value) = numbers.0[place];
        let flipped = value ^ 1 << generator.below(width(most).max(1));
        given[place] = match generator.below(4) {
            0 => random(generator, most),
            _ => flipped.min(most),
        };
    }
    let to = (type_.read)(type_.limits, &mut Chosen { given, generator });
    (from, to)
}

/// A range of a type of integers that takes so many bits, or fewer where the type has fewer.
fn range(
    generator: &mut Generator,
    bits: usize,
    least: i128,
    most: i128,
) -> std::ops::RangeInclusive<i128> {
    let span = i128::from(most_of(generator, bits)).min(most - least);
    let room = (most - least - span) as u64;
    let low = least + i128::from(random(generator, room));
    low..=low + span
}

#[test]
fn integers_in_ranges_of_each_width_survive() {
    let mut generator = Generator::new(3);
    macro_rules! survive {
        ($($integer:ty)*) => {$(
            for bits in 0..=<$integer>::BITS as usize {
                let range = range(&mut generator, bits, <$integer>::MIN as i128, <$integer>::MAX as i128);
                let limits = Limits::NONE.range(*range.start() as $integer..=*range.end() as $integer);
                values_survive::<$integer>(limits, &mut generator);
            }
            values_survive::<$integer>(Limits::NONE, &mut generator);
            values_survive::<$integer>(Limits::NONE.varint(), &mut generator);
        )*};
    }
    survive!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
    for bits in 0..=64 {
        let range = range(&mut generator, bits, i64::MIN.into(), i64::MAX.into());
        let limits = Limits::NONE.range(*range.start() as i64..=*range.end() as i64);
        values_survive::<[Option<i64>; 3]>(limits, &mut generator);
        // Of few values each set is drawn, of any length.
        let set = if bits > 6 { limits.max_len(3) } else { limits };
        values_survive::<BTreeSet<i64>>(set, &mut generator);
        values_survive::<Vec<(i64, bool)>>(limits.max_len(2), &mut generator);
    }
}

#[test]
fn values_of_all_kinds_survive() {
    let mut generator = Generator::new(4);
    let none = Limits::NONE;
    macro_rules! survive {
        ($($type_:ty: $limits:expr,)*) => {$(
            for _ in 0..4 {
                values_survive::<$type_>($limits, &mut generator);
            }
        )*};
    }
    survive!(
        (): none,
        bool: none,
        char: none,
        (bool, u64, bool): none,
        (u64, u64): none,
        (bool, (i8, u64), [u16; 3], (), Option<u64>, bool): none,
        [u64; 5]: none,
        [(bool, u64); 4]: none,
        [[bool; 5]; 13]: none,
        Option<u64>: none,
        Option<Option<i64>>: none,
        Option<(bool, Option<u64>)>: none,
        Box<[u64]>: none.len(3),
        Box<(u8, bool)>: none.range(3..=70),
        Vec<u64>: none,
        Vec<u64>: none.len(4),
        Vec<u64>: none.max_len(4),
        Vec<bool>: none.len(130),
        Vec<bool>: none.max_len(130),
        Vec<(bool, Option<u64>)>: none.max_len(3),
        Vec<Vec<u8>>: none.max_len(3),
        VecDeque<u64>: none.max_len(5),
        VecDeque<Message>: none.max_len(4),
        BoundedVec<u64, 4>: none,
        BoundedVec<Node, 5>: none.range(3..=1000),
        BoundedVec<u32, 9>: none.len(7),
        String: none,
        String: none.max_len(9),
        String: none.len(12),
        BTreeSet<u8>: none.range(0..=62),
        BTreeSet<u8>: none.range(0..=63),
        BTreeSet<i8>: none.range(-32..=31),
        BTreeSet<i8>: none.range(-32..=32).max_len(9),
        BTreeSet<u64>: none.max_len(3),
        BTreeSet<(bool, i8)>: none.range(-3..=4),
        BTreeSet<Kind>: none,
        BTreeSet<Message>: none.max_len(3),
        BTreeSet<BTreeSet<bool>>: none.max_len(4),
        BTreeMap<bool, u64>: none,
        BTreeMap<u8, u8>: none.range(0..=63),
        BTreeMap<Kind, (bool, u16)>: none,
        BTreeMap<(u8, bool), Option<u8>>: none.range(2..=4),
        BTreeMap<u64, u64>: none.max_len(3),
        BTreeMap<String, Message>: none,
        IndexSet: none,
        IndexSet: none.range(0..=62),
        IndexSet: none.range(1..=63),
        IndexSet: none.range(63..=63),
        IndexSet: none.range(0..0),
        Vec<IndexSet>: none.range(1..=33).max_len(3),
        Message: none,
        Vec<Message>: none.len(9),
        Server: none,
        Option<Server>: none,
        [Server; 2]: none,
        (Kind, Server, Kind): none,
    );
}

/// The number that a set of few values is written as.
fn mask_of<T: State<()> + Ord>(set: &BTreeSet<T>, limits: Limits) -> u64 {
    let mut numbers = Numbers::default();
    set.write(&(), limits, &mut numbers);
    let [(most, mask)] = numbers.0[..] else {
        panic!(
            "it is not a set of few values: {numbers:?}",
            numbers = numbers.0
        );
    };
    assert!(mask <= most);
    mask
}

/// A bit for each of all values of a type, and for each another one: two sets of one or of two of them are the same only if
/// they are written alike, and so are keys of maps.
fn each_has_its_bit<T: State<()> + Ord>(all: Vec<T>, limits: Limits) {
    let of = std::any::type_name::<T>();
    assert_eq!(
        T::count(&(), limits).map(|count| count >= all.len() as u64),
        Some(true),
        "{of}"
    );
    let set = |values: &[&T]| -> BTreeSet<T> { values.iter().copied().cloned().collect() };
    let mut taken = 0;
    for one in &all {
        let bit = mask_of(&set(&[one]), limits);
        assert_eq!((bit.count_ones(), taken & bit), (1, 0), "{of}: {one:?}");
        taken |= bit;
        for other in &all {
            let both = set(&[one, other]);
            let mask = mask_of(&both, limits);
            assert_eq!(
                mask,
                bit | mask_of(&set(&[other]), limits),
                "{of}: {both:?}"
            );
            let mut writer = BitWriter::growing();
            both.write(&(), limits, &mut writer);
            let code = writer.code().expect("all are in range");
            let back = BTreeSet::<T>::read(&(), limits, &mut BitReader::new(code.words()));
            assert_eq!(back, both, "{of}");
            let map: BTreeMap<T, bool> = [(one.clone(), true), (other.clone(), false)].into();
            let mut writer = BitWriter::growing();
            map.write(&(), limits, &mut writer);
            let code = writer.code().expect("all are in range");
            let back = BTreeMap::<T, bool>::read(&(), limits, &mut BitReader::new(code.words()));
            assert_eq!(back, map, "{of}");
        }
    }
    let every: BTreeSet<T> = all.iter().cloned().collect();
    assert_eq!(mask_of(&every, limits), taken, "{of}");
    assert_eq!(every.len(), all.len(), "{of}: all are different");
}

/// The elements are listed by hand.
#[test]
fn each_element_of_a_set_has_a_bit_of_its_own() {
    let none = Limits::NONE;
    let truths = [false, true];
    each_has_its_bit(vec![()], none);
    each_has_its_bit(truths.to_vec(), none);
    each_has_its_bit((0..64).collect::<Vec<u8>>(), none.range(0..64));
    each_has_its_bit((-20..=43).collect::<Vec<i64>>(), none.range(-20..=43));
    each_has_its_bit(
        (u64::MAX - 63..=u64::MAX).collect(),
        none.range(u64::MAX - 63..=u64::MAX),
    );
    each_has_its_bit(
        (i64::MIN..=i64::MIN + 62).collect(),
        none.range(i64::MIN..=i64::MIN + 62),
    );
    let pairs = |values: std::ops::RangeInclusive<i8>| -> Vec<(i8, i8)> {
        let second = values.clone();
        values
            .flat_map(|one| second.clone().map(move |other| (one, other)))
            .collect()
    };
    each_has_its_bit(pairs(-1..=1), none.range(-1..=1));
    each_has_its_bit(pairs(-4..=3), none.range(-4..=3));
    let mixed = |values: std::ops::Range<u8>| -> Vec<(bool, u8, bool)> {
        let all = values.flat_map(|value| {
            truths
                .into_iter()
                .flat_map(move |one| truths.map(|other| (one, value, other)))
        });
        all.collect()
    };
    each_has_its_bit(mixed(5..21), none.range(5..21));
    each_has_its_bit(mixed(0..1), none.range(0..1));
    let arrays = (0..64u8).map(|bits| [(); 6].map(|()| 0).map(|_: u8| bits));
    let arrays: Vec<[bool; 6]> = arrays
        .map(|bits| {
            let mut place = 0;
            bits.map(|bits| {
                place += 1;
                bits >> (place - 1) & 1 == 1
            })
        })
        .collect();
    each_has_its_bit(arrays, none);
    let options = |all: Vec<(i8, i8)>| -> Vec<Option<(i8, i8)>> {
        std::iter::once(None)
            .chain(all.into_iter().map(Some))
            .collect()
    };
    each_has_its_bit(options(pairs(0..=2)), none.range(0..=2));
    each_has_its_bit(
        vec![None, Some(None), Some(Some(false)), Some(Some(true))],
        none,
    );
    let kinds = vec![
        Kind::Plain,
        Kind::Numbered(3),
        Kind::Numbered(4),
        Kind::Numbered(5),
        Kind::Both(false, -1),
        Kind::Both(false, 0),
        Kind::Both(true, -1),
        Kind::Both(true, 0),
    ];
    each_has_its_bit(kinds.clone(), none);
    let boxed = kinds
        .iter()
        .flat_map(|kind| truths.map(|truth| (Box::new(*kind), truth)));
    each_has_its_bit(boxed.collect(), none);
    let twice = kinds
        .iter()
        .flat_map(|kind| truths.map(|truth| (truth, Some(*kind))));
    each_has_its_bit(twice.collect(), none);
}

/// All sets of values of a type that has few.
#[test]
fn all_sets_of_compound_values_survive() {
    let limits = Limits::NONE.range(-1..=1);
    let all: Vec<(i8, bool)> = (-1..=1)
        .flat_map(|one| [(one, false), (one, true)])
        .collect();
    let mut written = BTreeSet::new();
    for members in 0..1u32 << all.len() {
        let members = (0..all.len()).filter(|place| members >> place & 1 == 1);
        let set: BTreeSet<_> = members.map(|place| all[place]).collect();
        let mask = mask_of(&set, limits);
        assert!(written.insert(mask), "{set:?}");
        let mut writer = BitWriter::<Fixed<1>>::fixed();
        set.write(&(), limits, &mut writer);
        let words = writer.words().expect("it is in range");
        assert_eq!(
            BTreeSet::read(&(), limits, &mut FixedReader::new(words)),
            set
        );
    }
    assert_eq!(written.len(), 64);
}

/// Just outside of a range of each width nothing is written, by itself or over another value.
#[test]
fn what_is_next_to_a_range_is_not_written() {
    let mut generator = Generator::new(5);
    for bits in 0..64 {
        let inner = range(
            &mut generator,
            bits,
            i128::from(i64::MIN) + 1,
            i128::from(i64::MAX) - 1,
        );
        let (low, high) = (*inner.start() as i64, *inner.end() as i64);
        let limits = Limits::NONE.range(low..=high);
        for (value, fits) in [
            (low - 1, false),
            (low, true),
            (high, true),
            (high + 1, false),
        ] {
            let mut fixed = BitWriter::<Fixed<1>>::fixed();
            value.write(&(), limits, &mut fixed);
            assert_eq!(fixed.words().is_some(), fits, "{value} of {low} to {high}");
            let mut growing = BitWriter::growing();
            value.write(&(), limits, &mut growing);
            assert_eq!(growing.code().is_some(), fits, "{value} of {low} to {high}");
            let mut words = [0; 2];
            let mut changes = Changes::on(&mut words);
            value.write_changes(&low, &(), limits, || 60, &mut changes);
            assert_eq!(changes.fit(), fits, "{value} of {low} to {high}");
            let mut changes = Changes::on(&mut words);
            changes.replace((&value, 60), &(), limits);
            assert_eq!(changes.fit(), fits, "{value} of {low} to {high}");
            let mut changes = Changes::on(&mut words);
            let (from, to) = (BTreeSet::from([low]), BTreeSet::from([value]));
            to.write_changes(&from, &(), limits.max_len(1), || 60, &mut changes);
            assert_eq!(changes.fit(), fits, "{value} of {low} to {high}");
        }
    }
}
