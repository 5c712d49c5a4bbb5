//! A set of numbers of a fixed number of bits, which keeps of each only what its place does not say.
//!
//! Source: Cleary, *Compact Hash Tables Using Bidirectional Linear Probing*, IEEE ToC 33, 1984; Knuth,
//! TAOCP 3, section 6.4, exercise 13, for the quotient. The probing here is linear, by cache lines.
//!
//! The upper bits of a number say in which shard it belongs, the rest say in which line of the shard
//! it is at home, and a slot holds what is left: the remainder, and how many lines from home the slot
//! is. No two numbers have the same home and the same remainder, so the set is exact. A number in a
//! table of many lines needs fewer bits than in one of few, and slots become half as wide once that
//! is enough: with 45 bits a state, from some two million states on.
//!
//! Numbers should be spread evenly; [`BitMixer`](super::mixer::BitMixer) does that, reversibly, so
//! nothing is lost by it.
//!
//! Shards grow each on its own, so growing never needs more than a 64th of the set beside the set, and
//! never takes longer than one shard takes. Reading needs a shared reference and writing to a shard
//! an exclusive one: several threads read at once, or write to different shards at once, without a
//! lock or an atomic operation, and the compiler checks that they do nothing else.

mod layout;
mod line;

use super::prefetch::prefetch;
use crate::walk::explore::memory::room_for;
use layout::{ENOUGH_FARTHEST, Layout};
use line::{Line, Narrow, Wide};

/// The shards are 2 to this power many.
const SHARD_BITS: u32 = 6;
pub(super) const SHARDS: usize = 1 << SHARD_BITS;
/// Of this many slots …
const LOAD_OF: usize = 64;
/// … so many are filled before a shard grows.
const LOAD: usize = 56;

/// Binary logarithm of the greatest number of regions of a shard. PERF: as many as can be written to in turn
/// without a miss of the first cache.
const MOST_REGIONS_BITS: u32 = 4;

/// A shard of fewer slots takes next to no memory.
const SMALL: usize = 1 << 17;

/// A set of numbers of at most 64 bits.
pub(super) struct CompactSet {
    shards: Vec<Shard>,
    /// A number is shifted left by this, so that its upper bits are those of a word.
    align: u32,
}

impl CompactSet {
    /// An empty set of numbers of `bits` bits.
    ///
    /// # Panics
    ///
    /// If `bits` is more than 64.
    pub fn new(bits: u32) -> Self {
        assert!(bits <= 64, "a number has at most 64 bits");
        let bits = bits.max(SHARD_BITS + 1);
        Self {
            shards: (0..SHARDS).map(|_| Shard::new(bits - SHARD_BITS)).collect(),
            align: 64 - bits,
        }
    }

    /// Shard to which a number belongs.
    #[inline(always)]
    pub fn shard_of(&self, number: u64) -> usize {
        (number << self.align >> (64 - SHARD_BITS)) as usize
    }

    /// Part of a number that the shard goes by: the other bits, as the upper bits of a word.
    #[inline(always)]
    fn rest(&self, number: u64) -> u64 {
        number << self.align << SHARD_BITS
    }

    /// Asks for the memory at which `number` would be.
    #[inline(always)]
    pub fn prefetch(&self, number: u64) {
        self.shards[self.shard_of(number)].prefetch(self.rest(number));
    }

    #[inline(always)]
    pub fn contains(&self, number: u64) -> bool {
        self.shards[self.shard_of(number)].contains(self.rest(number))
    }

    /// The shards in `parts` nearly equal parts, each with the number of its first shard, to be
    /// written to by different threads.
    pub fn parts(&mut self, parts: usize) -> impl Iterator<Item = ShardSlice<'_>> {
        let each = SHARDS.div_ceil(parts.clamp(1, SHARDS));
        let align = self.align;
        let parts = self.shards.chunks_mut(each).enumerate();
        parts.map(move |(index, shards)| ShardSlice {
            shards,
            first: index * each,
            align,
        })
    }

    /// All shards, to be written to by one thread.
    pub fn whole(&mut self) -> ShardSlice<'_> {
        ShardSlice {
            align: self.align,
            first: 0,
            shards: &mut self.shards,
        }
    }

    /// The set in regions of about `bytes` bytes, as far as it has not too many of them.
    pub fn in_regions(&self, bytes: u64) -> Regions {
        let bits = (self.bytes() / bytes).max(1).ilog2();
        let of_a_shard = bits.saturating_sub(SHARD_BITS).min(MOST_REGIONS_BITS);
        Regions {
            align: self.align,
            of_a_shard,
        }
    }

    /// Hands all numbers to `take`, in ascending order, a shard's at a time. The set is empty then.
    pub fn drain<E>(&mut self, mut take: impl FnMut(&[u64]) -> Result<(), E>) -> Result<(), E> {
        let bits = u64::BITS - self.align - SHARD_BITS;
        for (place, shard) in (0..).zip(&mut self.shards) {
            let shard = std::mem::replace(shard, Shard::new(bits));
            // What is before the rest of a number is the place of its shard.
            let whole =
                |rest: u64| (rest >> SHARD_BITS | place << (u64::BITS - SHARD_BITS)) >> self.align;
            let mut numbers: Vec<u64> = shard.numbers().map(whole).collect();
            drop(shard);
            numbers.sort_unstable();
            take(&numbers)?;
        }
        Ok(())
    }

    /// True if there was no memory to grow. Numbers may be missing then.
    pub fn is_starved(&self) -> bool {
        self.shards.iter().any(|shard| shard.starved)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bytes() as u64).sum()
    }

    /// Adds a number, and says whether it was not there.
    #[cfg(test)]
    fn insert(&mut self, number: u64) -> bool {
        let rest = self.rest(number);
        let shard = self.shard_of(number);
        self.shards[shard].insert(rest)
    }

    /// Count of the numbers in it.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.len).sum()
    }
}

/// A set in regions, in the order of its memory: of each shard equally many.
#[derive(Clone, Copy)]
pub(super) struct Regions {
    align: u32,
    /// Binary logarithm of the number of regions of a shard.
    of_a_shard: u32,
}

impl Regions {
    /// Number of regions.
    pub fn count(self) -> usize {
        SHARDS << self.of_a_shard
    }

    /// Region to which a number belongs.
    #[inline(always)]
    pub fn of(self, number: u64) -> usize {
        (number << self.align >> (64 - SHARD_BITS - self.of_a_shard)) as usize
    }
}

/// Some of the shards, to be written to by one thread.
pub(super) struct ShardSlice<'a> {
    shards: &'a mut [Shard],
    first: usize,
    align: u32,
}

impl ShardSlice<'_> {
    /// Asks for the memory at which `number` would be, if it belongs into one of these shards.
    #[inline(always)]
    pub fn prefetch(&self, number: u64) {
        let aligned = number << self.align;
        let shard = (aligned >> (64 - SHARD_BITS)) as usize;
        if let Some(shard) = self.shards.get(shard.wrapping_sub(self.first)) {
            shard.prefetch(aligned << SHARD_BITS);
        }
    }

    /// Range of the set's regions that are in these shards.
    pub fn regions(&self, regions: Regions) -> std::ops::Range<usize> {
        let of = |shard| shard << regions.of_a_shard;
        of(self.first)..of(self.first + self.shards.len())
    }

    /// Adds a number if it belongs into one of these shards, and says whether it was added.
    #[inline]
    pub fn insert(&mut self, number: u64) -> bool {
        let aligned = number << self.align;
        let shard = (aligned >> (64 - SHARD_BITS)) as usize;
        match self.shards.get_mut(shard.wrapping_sub(self.first)) {
            Some(shard) => shard.insert(aligned << SHARD_BITS),
            None => false,
        }
    }
}

/// Lines of a shard, by their width.
enum ShardLines {
    Narrow(Vec<Narrow>),
    Wide(Vec<Wide>),
}

/// The numbers that have their upper bits in common, by their other bits.
struct Shard {
    lines: ShardLines,
    /// Layout of the numbers on the lines.
    layout: Layout,
    len: usize,
    /// Number of filled slots with which the shard grows.
    most: usize,
    /// True if there was no memory to grow.
    starved: bool,
}

impl Shard {
    fn new(bits: u32) -> Self {
        let mut shard = Self {
            lines: ShardLines::Wide(Vec::new()),
            layout: Layout::new::<Wide>(bits, Wide::SLOTS),
            len: 0,
            most: 0,
            starved: false,
        };
        assert!(
            shard.rebuild(Wide::SLOTS),
            "there is memory for a few lines"
        );
        shard
    }

    #[inline(always)]
    fn prefetch(&self, number: u64) {
        let (home, _) = self.layout.home(number);
        match &self.lines {
            ShardLines::Narrow(lines) => prefetch(&lines[home]),
            ShardLines::Wide(lines) => prefetch(&lines[home]),
        }
    }

    #[inline(always)]
    fn contains(&self, number: u64) -> bool {
        match &self.lines {
            ShardLines::Narrow(lines) => Self::find(lines, &self.layout, number).is_ok(),
            ShardLines::Wide(lines) => Self::find(lines, &self.layout, number).is_ok(),
        }
    }

    /// Result of a search for the number; the error is the line with room for it and what to put into it, unless there
    /// is no room within reach.
    #[inline(always)]
    fn find<L: Line>(
        lines: &[L],
        layout: &Layout,
        number: u64,
    ) -> Result<(), Option<(usize, u64)>> {
        let (home, mut slot) = layout.home(number);
        let mut at = home;
        loop {
            let Some(line) = lines.get(at) else {
                return Err(None);
            };
            if line.contains(slot) {
                return Ok(());
            }
            if !line.is_full() {
                return Err(Some((at, slot)));
            }
            at += 1;
            if (at - home) as u64 > layout.farthest {
                return Err(None);
            }
            slot += layout.step();
        }
    }

    #[inline]
    fn insert(&mut self, number: u64) -> bool {
        loop {
            let added = match &mut self.lines {
                ShardLines::Narrow(lines) => Self::put(lines, &self.layout, number),
                ShardLines::Wide(lines) => Self::put(lines, &self.layout, number),
            };
            match added {
                Put::There => return false,
                Put::Added => {
                    self.len += 1;
                    if self.len >= self.most {
                        self.grow();
                    }
                    return true;
                }
                Put::NoRoom if self.starved => return false,
                Put::NoRoom => self.grow(),
            }
        }
    }

    #[inline(always)]
    fn put<L: Line>(lines: &mut [L], layout: &Layout, number: u64) -> Put {
        match Self::find(lines, layout, number) {
            Ok(()) => Put::There,
            Err(None) => Put::NoRoom,
            Err(Some((at, slot))) => {
                let filled = lines[at].filled();
                lines[at].fill(filled, slot);
                Put::Added
            }
        }
    }

    /// All numbers, as they were inserted: the upper bits of a word.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let lines = match &self.lines {
            ShardLines::Narrow(lines) => lines.len(),
            ShardLines::Wide(lines) => lines.len(),
        };
        let slots = match &self.lines {
            ShardLines::Narrow(_) => Narrow::SLOTS,
            ShardLines::Wide(_) => Wide::SLOTS,
        };
        (0..lines).flat_map(move |at| {
            (0..slots).filter_map(move |slot| {
                let value = match &self.lines {
                    ShardLines::Narrow(lines) => lines[at].get(slot),
                    ShardLines::Wide(lines) => lines[at].get(slot),
                };
                // What is there is one more than the remainder, and how many lines it is away from home above that.
                let away = value.checked_sub(1)? / self.layout.step();
                let home = at - away as usize;
                Some(self.layout.number(home, value - away * self.layout.step()))
            })
        })
    }

    /// Slots that are at home somewhere.
    fn slots(&self) -> usize {
        let of_a_line = match &self.lines {
            ShardLines::Narrow(_) => Narrow::SLOTS,
            ShardLines::Wide(_) => Wide::SLOTS,
        };
        self.layout.lines as usize * of_a_line
    }

    fn bytes(&self) -> usize {
        64 * match &self.lines {
            ShardLines::Narrow(lines) => lines.capacity(),
            ShardLines::Wide(lines) => lines.capacity(),
        }
    }

    #[cold]
    fn grow(&mut self) {
        // PERF: the larger, the fewer times each number moves; the smaller, the less is left empty. What
        // is small or narrow may as well be half empty.
        let slots = self.slots();
        let narrow = matches!(self.lines, ShardLines::Narrow(_));
        let grown = self.rebuild(if narrow || slots < SMALL {
            slots * 2
        } else {
            slots * 3 / 2
        });
        if !grown {
            self.starved = true;
            self.most = usize::MAX;
        }
    }

    /// Lays the numbers out anew on lines with at least so many slots. If there is no memory for that, leaves
    /// them as they are, and answers no.
    fn rebuild(&mut self, slots: usize) -> bool {
        let numbers = std::mem::replace(&mut self.lines, ShardLines::Wide(Vec::new()));
        let old = self.layout;
        let mut slots = slots;
        loop {
            let narrow = Layout::new::<Narrow>(old.bits, slots);
            let (layout, lines) = if narrow.farthest >= ENOUGH_FARTHEST {
                (narrow, poured(&numbers, &old, &narrow, ShardLines::Narrow))
            } else {
                let wide = Layout::new::<Wide>(old.bits, slots);
                (wide, poured(&numbers, &old, &wide, ShardLines::Wide))
            };
            match lines {
                Poured::Onto(lines) => {
                    (self.layout, self.lines) = (layout, lines);
                    self.most = self.slots() * LOAD / LOAD_OF;
                    return true;
                }
                Poured::NoMemory => {
                    self.lines = numbers;
                    return false;
                }
                Poured::NoRoom => (),
            }
            slots = slots * 9 / 8 + Narrow::SLOTS;
        }
    }
}

enum Put {
    Added,
    There,
    NoRoom,
}

/// Outcome of laying numbers out anew.
enum Poured<L> {
    /// They are on these lines.
    Onto(L),
    /// Some of them would be too far from home.
    NoRoom,
    /// The operating system grants no such lines.
    NoMemory,
}

/// All numbers on new lines.
fn poured<L: Line>(
    numbers: &ShardLines,
    old: &Layout,
    layout: &Layout,
    lines_of: fn(Vec<L>) -> ShardLines,
) -> Poured<ShardLines> {
    let count = layout.all_lines();
    let (Some(mut lines), Some(mut filled)) = (room_for(count), room_for(count)) else {
        return Poured::NoMemory;
    };
    lines.resize(count, L::EMPTY);
    // PERF: how many slots of each line are filled is known here, and need not be counted each time.
    filled.resize(count, 0);
    let fit = match numbers {
        ShardLines::Narrow(numbers) => pour(numbers, old, layout, &mut lines, &mut filled),
        ShardLines::Wide(numbers) => pour(numbers, old, layout, &mut lines, &mut filled),
    };
    if fit {
        Poured::Onto(lines_of(lines))
    } else {
        Poured::NoRoom
    }
}

/// Adds all numbers of lines laid out as `old` to empty lines, laid out as `layout`, and says whether each was near enough to
/// its home. `filled` counts the slots that are filled of each line.
fn pour<K: Line, L: Line>(
    numbers: &[K],
    old: &Layout,
    layout: &Layout,
    lines: &mut [L],
    filled: &mut [u8],
) -> bool {
    let step = old.step();
    for (at, line) in numbers.iter().enumerate() {
        let values = (0..K::SLOTS).map(|slot| line.get(slot));
        for value in values.take_while(|value| *value != 0) {
            let distance = value >> (old.remainder + 1);
            let (home, slot) = old.moved(layout, at - distance as usize, value & (step - 1));
            // It is not there, so the first line with room is where it belongs.
            let is_full = |filled: &u8| usize::from(*filled) == L::SLOTS;
            let mut distance = 0;
            while filled.get(home + distance).is_some_and(is_full) {
                distance += 1;
            }
            let to = home + distance;
            if to >= lines.len() || distance as u64 > layout.farthest {
                return false;
            }
            let slot = slot + distance as u64 * layout.step();
            lines[to].fill(usize::from(filled[to]), slot);
            filled[to] += 1;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::walk::random::Generator;

    /// Adds numbers drawn from a range, and compares every answer with those of a hash set.
    fn compare(bits: u32, numbers: usize, seed: u64) {
        let mut generator = Generator::new(seed);
        let mut set = CompactSet::new(bits);
        let mut plain = HashSet::new();
        let mask = u64::MAX >> (64 - bits);
        let mut draw = || generator.bits() & mask;
        for _ in 0..numbers {
            let number = draw();
            assert_eq!(set.contains(number), plain.contains(&number));
            assert_eq!(set.insert(number), plain.insert(number), "{number:#x}");
            assert!(set.contains(number));
            let other = draw();
            assert_eq!(set.contains(other), plain.contains(&other), "{other:#x}");
        }
        assert_eq!(set.len(), plain.len());
        for number in plain {
            assert!(set.contains(number), "{number:#x} of {bits} bits");
        }
    }

    #[test]
    fn it_holds_what_a_hash_set_holds() {
        for bits in 1..=64 {
            compare(bits, 3000, u64::from(bits));
        }
        for bits in [20, 33, 45, 48, 64] {
            compare(bits, 100_000, u64::from(bits));
        }
    }

    /// All numbers of a range: no two share home and remainder, and there is room for all.
    #[test]
    fn it_can_hold_every_number() {
        for bits in [1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17] {
            let mut set = CompactSet::new(bits);
            for number in 0..1 << bits {
                assert!(set.insert(number), "{number} of {bits} bits");
            }
            for number in 0..1 << bits {
                assert!(!set.insert(number));
            }
            assert_eq!(set.len(), 1 << bits);
        }
    }

    /// Numbers that all have the same home but for their lowest bits.
    #[test]
    fn crowds_find_room() {
        let mut set = CompactSet::new(64);
        for number in 0..5000 {
            assert!(set.insert(number));
        }
        for number in 0..10_000 {
            assert_eq!(set.contains(number), number < 5000);
        }
    }

    /// Numbers next to each other, at the ends of shards and in their midst: lines are full there, those behind the last
    /// home too, and what is poured when a shard grows is as crowded.
    #[test]
    fn crowds_are_told_from_their_neighbours_at_every_width() {
        for bits in 7..=64u32 {
            let largest = u64::MAX >> (64 - bits);
            let of_a_shard = (largest >> SHARD_BITS) + 1;
            let mut set = CompactSet::new(bits);
            let mut plain = HashSet::new();
            let mut add = |number: u64| {
                let number = number & largest;
                assert_eq!(set.contains(number), plain.contains(&number), "{number:#x}");
                assert_eq!(set.insert(number), plain.insert(number), "{number:#x}");
                assert!(set.contains(number), "{number:#x} of {bits} bits");
            };
            for near in 0..48u64 {
                for shard in [0, 1, 31, 63] {
                    let first = of_a_shard.wrapping_mul(shard);
                    let last = first.wrapping_add(of_a_shard - 1);
                    add(first + near);
                    add(last.wrapping_sub(near));
                    // Spread over the last eighth of the shard.
                    add(last.wrapping_sub(near * (of_a_shard / 512)));
                    add((first + near) ^ of_a_shard >> 1);
                }
                add(1 << near);
            }
            assert_eq!(set.len(), plain.len());
            for number in &plain {
                let of_other_shard = number ^ of_a_shard;
                for other in [*number, number ^ 1, number ^ largest >> 1, of_other_shard] {
                    let other = other & largest;
                    assert_eq!(set.contains(other), plain.contains(&other), "{other:#x}");
                }
            }
        }
    }

    /// Numbers crowd in the last lines of a shard until there is no room within reach, long before it is full: it grows,
    /// and takes none for there that is not.
    #[test]
    fn a_shard_without_room_within_reach_grows() {
        for bits in [24, 33, 45, 58, 64] {
            let mut set = CompactSet::new(bits);
            let largest = u64::MAX >> (64 - bits);
            let apart = largest >> (SHARD_BITS + 6 + 9);
            for number in (0..300).map(|n| largest - n * apart) {
                assert!(!set.contains(number), "{number:#x} of {bits} bits");
                assert!(set.insert(number), "{number:#x} of {bits} bits");
                assert!(!set.insert(number), "{number:#x} of {bits} bits");
            }
            assert_eq!(set.len(), 300);
            for number in (0..300).map(|n| largest - n * apart) {
                assert!(set.contains(number), "{number:#x} of {bits} bits");
                assert_eq!(
                    set.contains(number - 1),
                    apart == 1 && number > largest - 299
                );
            }
            let last = &set.shards[SHARDS - 1];
            assert!(last.slots() > 2 * last.len, "{} slots", last.slots());
        }
    }

    /// Threads that write to parts of the set at once add what one thread adds.
    #[test]
    fn parts_together_are_the_whole() {
        let numbers: Vec<u64> = (0..50_000u64)
            .map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20)
            .collect();
        let mut whole = CompactSet::new(44);
        let added: Vec<bool> = numbers.iter().map(|n| whole.insert(*n)).collect();
        for parts in [1, 2, 3, 64, 100] {
            let mut set = CompactSet::new(44);
            let work = |mut part: ShardSlice<'_>| -> Vec<bool> {
                numbers.iter().map(|n| part.insert(*n)).collect()
            };
            let answers: Vec<_> = std::thread::scope(|scope| {
                let workers: Vec<_> = set.parts(parts).map(|p| scope.spawn(|| work(p))).collect();
                workers
                    .into_iter()
                    .map(|worker| worker.join().expect("no worker panics"))
                    .collect()
            });
            for (index, added) in added.iter().enumerate() {
                let by = answers.iter().filter(|answer| answer[index]).count();
                assert_eq!(by, usize::from(*added));
            }
            assert_eq!(set.len(), whole.len());
        }
    }

    /// A number may be few lines away from home where slots have just become narrow, and one line more would make its
    /// slot that of a number at home there: it is not looked for so far, and is not taken for the other one.
    #[test]
    fn what_is_out_of_reach_is_not_taken_for_another() {
        let mut generator = Generator::new(3);
        let bits = 45 - SHARD_BITS;
        let mut shard = Shard::new(bits);
        let mut plain = HashSet::new();
        while matches!(shard.lines, ShardLines::Wide(_)) {
            let number = generator.bits() << (64 - bits);
            assert_eq!(shard.insert(number), plain.insert(number));
        }
        let layout = shard.layout;
        let beyond = layout.farthest as usize + 1;
        let home = layout.lines as usize / 2;
        assert!(home + beyond < layout.lines as usize, "{beyond} lines");
        let at = |line: usize, slot: u64| {
            let number = layout.number(line, slot);
            (layout.home(number) == (line, slot)).then_some(number)
        };
        let others = (1..=64).filter_map(|slot| at(home + beyond, slot));
        let crowd = (1000..1000 + 20 * beyond as u64).filter_map(|slot| at(home, slot));
        for number in others.chain(crowd) {
            assert_eq!(shard.insert(number), plain.insert(number), "{number:#x}");
        }
        for number in (1..=64).filter_map(|slot| at(home, slot)) {
            assert_eq!(
                shard.contains(number),
                plain.contains(&number),
                "{number:#x}"
            );
            assert_eq!(shard.insert(number), plain.insert(number), "{number:#x}");
        }
        assert!(plain.iter().all(|number| shard.contains(*number)));
        assert_eq!(shard.len, plain.len());
    }

    /// A large set has several regions a shard. Whatever their size and however many parts there are, each number is in
    /// one region, regions are in the order of numbers, and the part that takes a number has its region.
    #[test]
    fn the_part_that_takes_a_number_has_its_region() {
        for bits in [12, 24, 45, 64] {
            let mut set = CompactSet::new(bits);
            let largest = u64::MAX >> (64 - bits);
            let mut numbers: Vec<u64> = (0..2000u64)
                .map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) & largest)
                .collect();
            numbers.extend([0, largest]);
            numbers.sort_unstable();
            numbers.dedup();
            let held = set.bytes();
            for size in [
                2 * held,
                held,
                held / 64,
                held / 128,
                held / 300,
                held / 1024,
                1,
            ] {
                let regions = set.in_regions(size);
                assert!(regions.count().is_multiple_of(SHARDS));
                assert!(regions.count() <= SHARDS << MOST_REGIONS_BITS);
                let of: Vec<usize> = numbers.iter().map(|n| regions.of(*n)).collect();
                assert!(of.is_sorted() && of[0] == 0);
                assert_eq!(of.last(), Some(&(regions.count() - 1)));
                for parts in [1, 2, 3, 8, 64] {
                    let mut takers = vec![0; numbers.len()];
                    for mut part in set.parts(parts) {
                        let own = part.regions(regions);
                        for (index, number) in numbers.iter().enumerate() {
                            let is_taken = part.insert(*number);
                            takers[index] += usize::from(is_taken);
                            assert_eq!(is_taken, own.contains(&of[index]), "{number:#x}");
                        }
                    }
                    assert!(takers.iter().all(|takers| *takers == 1), "{parts} parts");
                    set = CompactSet::new(bits);
                }
            }
            let many = set.in_regions(1);
            assert_eq!(many.count(), SHARDS << MOST_REGIONS_BITS);
        }
    }

    /// A number of 45 bits takes less than 7 bytes once there are many.
    #[test]
    fn slots_become_narrow() {
        let mut set = CompactSet::new(45);
        for n in 0..3_000_000u64 {
            set.insert(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 19);
        }
        let each = set.bytes() as f64 / set.len() as f64;
        assert!((4.0..7.0).contains(&each), "{each} bytes a number");
    }
}
