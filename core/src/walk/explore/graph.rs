//! The steps between the states reached.

use foldhash::{HashMap, HashMapExt};

use super::StateId;
use super::segments::SegmentedVec;

/// The number of a node of a [`Graph`]. The nodes of one that a search has recorded are its states, each of the same
/// number: a graph takes so much memory that 32 bits are enough, and more would make it larger still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node that no graph has: the target of a step to a state for which there was no room.
    pub const NONE: Self = Self(u32::MAX);
}

impl From<NodeId> for StateId {
    fn from(node: NodeId) -> Self {
        Self(node.0.into())
    }
}

/// States of which is known together where their records begin. A power of two.
const BLOCK: usize = 128;
/// States of which is known in 16 bits where their records begin in the block; of each the length follows. Divides a block.
const GROUP: usize = 16;
/// Bytes of a chunk, unless a single record takes more.
const CHUNK: usize = 1 << CHUNK_BITS;
const CHUNK_BITS: u32 = 16;
/// Bytes after the records of a chunk, so that each step can be read as a word.
const PADDING: usize = size_of::<u32>() - 1;
/// Stands for the length of a record that is longer, or of which the place does not follow from its group.
const FAR: u8 = u8::MAX;
/// The bits of a label that a block reckons with: at first, and at most.
const LABEL_BITS: u32 = 4;
const MOST_LABEL_BITS: u32 = 12;
/// The labels, from 0 on, of which a block knows a target.
const BASES: u32 = u64::BITS;
/// Begins a step that is written in full: target and label. As a target it stands for none.
const IN_FULL: u32 = u32::MAX;

/// The steps between the states reached, with what the visitor said of each: mostly 3 to 4 bytes a step, those of a state
/// included.
///
/// A state has a *record* of its steps. A step is its label and the distance of its target from the *base* of the label, which
/// is the first target with that label in a block of states: states that are next to each other are mostly led to states that
/// are. Both are one number of 1 to 4 bytes, of which the lowest two bits say how many they are; what does not fit is written
/// in full after a mark. For each block it is known where its first record begins, how many bits a label takes there, and
/// the bases; for each group of states how far from that the first of their records begins; for each state how long its own is.
#[derive(Debug)]
pub struct Graph {
    /// Records, none of them in two chunks.
    chunks: Vec<Vec<u8>>,
    blocks: SegmentedVec<StateBlock>,
    /// The bases, block by block, in the order of their labels.
    bases: SegmentedVec<u32>,
    /// Per group, where the record of its first state begins, from that of the block on.
    starts: SegmentedVec<u16>,
    /// Per state, how long its record is, if it begins where the one before in its group ends.
    lengths: SegmentedVec<u8>,
    /// Beginning and length of each of the other records.
    far: HashMap<u32, (u64, u32)>,
    open: Open,
    greatest_label: u32,
    steps: usize,
}

/// State and block to which steps are being added.
#[derive(Debug)]
struct Open {
    /// The record of the state.
    record: Vec<u8>,
    /// Its block,
    block: StateBlock,
    /// with the bases by label.
    bases: [u32; BASES as usize],
    /// End of the record after which the next one of the group may begin; none if one was far.
    group_end: Option<u64>,
}

/// Facts about a block of states.
#[derive(Clone, Copy, Debug, Default)]
struct StateBlock {
    /// Beginning of its first record: the number of the chunk, and the place in it.
    start: u64,
    /// The labels that have a base, a bit each. To other labels the source is the base.
    met: u64,
    /// Beginning of its bases.
    bases: u32,
    /// Number of bits that a label takes.
    label_bits: u32,
}

/// The steps of a state.
struct StepRecord<'a> {
    source: u32,
    block: StateBlock,
    bases: &'a SegmentedVec<u32>,
    /// Bytes of the record, with the padding.
    bytes: &'a [u8],
}

impl Graph {
    pub(crate) fn new() -> Self {
        let mut graph = Self {
            chunks: vec![vec![0; PADDING]],
            blocks: SegmentedVec::new(),
            bases: SegmentedVec::new(),
            starts: SegmentedVec::new(),
            lengths: SegmentedVec::new(),
            far: HashMap::new(),
            open: Open {
                record: Vec::new(),
                block: StateBlock::default(),
                bases: [0; BASES as usize],
                group_end: None,
            },
            greatest_label: 0,
            steps: 0,
        };
        graph.begin_block();
        graph
    }

    /// A graph of so many states, of steps that are in the order of their sources: source, target and label.
    pub fn of(states: usize, steps: impl IntoIterator<Item = (NodeId, NodeId, u32)>) -> Self {
        let mut graph = Self::new();
        for (source, target, label) in steps {
            graph.close_before(source.0 as usize);
            graph.push(target, label);
        }
        graph.close_before(states);
        graph.finish();
        graph
    }

    /// The states before one of a number have no more steps.
    fn close_before(&mut self, state: usize) {
        while self.states() < state {
            self.close();
        }
    }

    fn begin_block(&mut self) {
        let bits = u32::BITS - self.greatest_label.leading_zeros();
        self.open.block = StateBlock {
            start: 0,
            met: 0,
            bases: self.bases.len() as u32,
            label_bits: bits.clamp(LABEL_BITS, MOST_LABEL_BITS),
        };
    }

    fn end_block(&mut self) {
        let Open { block, bases, .. } = &self.open;
        self.blocks.push(*block);
        let met = (0..)
            .zip(bases)
            .filter(|(label, _)| block.met >> label & 1 == 1);
        met.for_each(|(_, base)| self.bases.push(*base));
    }

    /// Adds a step of the state whose steps are being added.
    pub(crate) fn push(&mut self, target: NodeId, label: u32) {
        self.greatest_label = self.greatest_label.max(label);
        self.steps += 1;
        let source = self.lengths.len() as u32;
        let open = &mut self.open;
        let label_bits = open.block.label_bits;
        let base = if label < BASES {
            let base = &mut open.bases[label as usize];
            if open.block.met >> label & 1 == 0 {
                open.block.met |= 1 << label;
                *base = target.0;
            }
            *base
        } else {
            source
        };
        let distance = i64::from(target.0) - i64::from(base);
        let zigzag = (distance << 1 ^ distance >> 63) as u64;
        let number = zigzag << label_bits | u64::from(label);
        if target.0 == IN_FULL || label >> label_bits != 0 || number >= u64::from(IN_FULL >> 2) {
            for word in [IN_FULL, target.0, label] {
                open.record.extend(word.to_le_bytes());
            }
            return;
        }
        let number = number as u32;
        let length = match number {
            0..0x40 => 1,
            0x40..0x4000 => 2,
            0x4000..0x40_0000 => 3,
            _ => 4,
        };
        let word = number << 2 | (length - 1);
        open.record.extend(&word.to_le_bytes()[..length as usize]);
    }

    /// The state whose steps were being added has no more; the next one's come next.
    pub(crate) fn close(&mut self) {
        let state = self.lengths.len();
        let length = self.open.record.len();
        let start = self.append();
        if state.is_multiple_of(BLOCK) {
            self.open.block.start = start;
        }
        if state.is_multiple_of(GROUP) {
            let near = u16::try_from(start - self.open.block.start);
            self.starts.push(near.unwrap_or_default());
            self.open.group_end = near.is_ok().then_some(start);
        }
        let short = u8::try_from(length).ok().filter(|length| *length != FAR);
        match (short, self.open.group_end) {
            (Some(short), Some(end)) if start == end => {
                self.lengths.push(short);
                self.open.group_end = Some(start + length as u64);
            }
            _ => {
                self.lengths.push(FAR);
                self.far.insert(state as u32, (start, length as u32));
                self.open.group_end = None;
            }
        }
        if self.lengths.len().is_multiple_of(BLOCK) {
            self.end_block();
            self.begin_block();
        }
    }

    /// Adds the open record to the others. Returns where it begins.
    fn append(&mut self) -> u64 {
        let record = &mut self.open.record;
        let mut last = self.chunks.len() - 1;
        let mut used = self.chunks[last].len() - PADDING;
        if used > 0 && used + record.len() >= CHUNK {
            let mut chunk = Vec::with_capacity(CHUNK.max(record.len()) + PADDING);
            chunk.resize(PADDING, 0);
            self.chunks.push(chunk);
            (last, used) = (last + 1, 0);
        }
        let chunk = &mut self.chunks[last];
        chunk.truncate(used);
        chunk.append(record);
        chunk.extend([0; PADDING]);
        (last as u64) << CHUNK_BITS | used as u64
    }

    /// No more is added: what was can be read.
    pub(crate) fn finish(&mut self) {
        if self.blocks.len() * BLOCK < self.lengths.len() {
            self.end_block();
        }
        self.blocks.shrink();
        self.bases.shrink();
        self.starts.shrink();
        self.lengths.shrink();
    }

    /// Forgets the steps of all states but so many of the first ones. No more can be added then.
    pub(super) fn truncate(&mut self, states: usize) {
        if states >= self.states() {
            return;
        }
        self.finish();
        let forgotten = (states as u32..self.states() as u32).map(NodeId);
        self.steps -= forgotten
            .map(|state| self.steps(state).count())
            .sum::<usize>();
        let (end, _) = self.place(states);
        let last = (end >> CHUNK_BITS) as usize;
        self.chunks.truncate(last + 1);
        self.chunks[last].truncate((end % CHUNK as u64) as usize);
        self.chunks[last].extend([0; PADDING]);
        let blocks = states.div_ceil(BLOCK);
        if blocks < self.blocks.len() {
            self.bases.truncate(self.blocks.get(blocks).bases as usize);
        }
        self.blocks.truncate(blocks);
        self.starts.truncate(states.div_ceil(GROUP));
        self.lengths.truncate(states);
        self.far.retain(|state, _| (*state as usize) < states);
    }

    /// Beginning and length of the record of a state.
    #[inline]
    fn place(&self, state: usize) -> (u64, usize) {
        match *self.lengths.get(state) {
            FAR => {
                let (start, length) = self.far[&(state as u32)];
                (start, length as usize)
            }
            length => {
                let before = self.lengths.within(state - state % GROUP..state);
                let before: u64 = before.iter().map(|length| u64::from(*length)).sum();
                let group = self.blocks.get(state / BLOCK).start
                    + u64::from(*self.starts.get(state / GROUP));
                (group + before, length.into())
            }
        }
    }

    /// The record of a state, which is empty where none was added.
    #[inline]
    fn record(&self, state: NodeId) -> StepRecord<'_> {
        let place = state.0 as usize;
        let (source, bases) = (state.0, &self.bases);
        if place >= self.lengths.len() {
            return StepRecord {
                source,
                block: StateBlock::default(),
                bases,
                bytes: &[],
            };
        }
        let (start, length) = self.place(place);
        let chunk = &*self.chunks[(start >> CHUNK_BITS) as usize];
        let start = (start % CHUNK as u64) as usize;
        StepRecord {
            source,
            block: *self.blocks.get(place / BLOCK),
            bases,
            bytes: &chunk[start..start + length + PADDING],
        }
    }

    /// The nodes whose steps were added.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.states() as u32).map(NodeId)
    }

    /// The steps of `state` in the order of `next`: target and label.
    #[inline]
    pub fn steps(&self, state: NodeId) -> impl Iterator<Item = (NodeId, u32)> {
        let steps = self.steps_from(state, 0);
        steps.map(|(_, target, label)| (target, label))
    }

    /// The steps of `state` from `cursor` on, each with the cursor of the one after it. That of the first is 0.
    #[inline]
    pub fn steps_from(
        &self,
        state: NodeId,
        mut cursor: u32,
    ) -> impl Iterator<Item = (u32, NodeId, u32)> {
        let record = self.record(state);
        std::iter::from_fn(move || {
            let (target, label) = record.step(&mut cursor)?;
            Some((cursor, target, label))
        })
    }

    /// Has `change` look at each state, and say whether it changes something, until it changes nothing.
    ///
    /// PERF: the steps are passed over again and again, last states first, and not turned round, which would take as much memory
    /// again. A step mostly leads to a state of a higher number, so that one pass carries a change far.
    pub(crate) fn settle(&self, mut change: impl FnMut(NodeId) -> bool) {
        let mut changes = true;
        while changes {
            changes = false;
            for state in self.nodes().rev() {
                changes |= change(state);
            }
        }
    }

    /// Number of states whose steps are recorded: those of the least numbers.
    pub fn states(&self) -> usize {
        self.lengths.len()
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let chunks: usize = self.chunks.iter().map(Vec::capacity).sum();
        let chunks = chunks + self.chunks.capacity() * size_of::<Vec<u8>>();
        let far = self.far.capacity() * size_of::<(u32, (u64, u32))>();
        let of_states = self.starts.bytes() + self.lengths.bytes();
        (chunks + far) as u64 + self.blocks.bytes() + self.bases.bytes() + of_states
    }
}

impl StateBlock {
    /// Index of a label's base among the bases of all blocks, if it has one.
    #[inline]
    fn base(&self, label: u32) -> Option<usize> {
        let has = label < BASES && self.met >> label & 1 == 1;
        has.then(|| self.bases as usize + (self.met & ((1 << label) - 1)).count_ones() as usize)
    }
}

impl StepRecord<'_> {
    /// The step at `cursor`, a place in the bytes.
    #[inline]
    fn step(&self, cursor: &mut u32) -> Option<(NodeId, u32)> {
        let word = self.word(*cursor as usize)?;
        if word == IN_FULL {
            let [target, label] = [4, 8].map(|after| self.word(*cursor as usize + after));
            *cursor += 12;
            return Some((NodeId(target?), label?));
        }
        let length = word & 3;
        *cursor += length + 1;
        let number = word << (24 - 8 * length) >> (26 - 8 * length);
        let label = number & ((1 << self.block.label_bits) - 1);
        let zigzag = number >> self.block.label_bits;
        let distance = zigzag >> 1 ^ (zigzag & 1).wrapping_neg();
        let base = match self.block.base(label) {
            Some(base) => *self.bases.get(base),
            None => self.source,
        };
        Some((NodeId(base.wrapping_add(distance)), label))
    }

    /// The four bytes from a place on, if a step can begin there.
    #[inline]
    fn word(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at + size_of::<u32>())?;
        Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::random::Generator;

    type Plain = Vec<Vec<(u32, u32)>>;
    /// Draws a target for a source.
    type Target = dyn Fn(&mut Generator, u32) -> u32;

    fn recorded(plain: &Plain) -> Graph {
        let of = |(source, steps)| {
            let steps: &Vec<(u32, u32)> = steps;
            let step = move |(target, label): &_| (NodeId(source), NodeId(*target), *label);
            steps.iter().map(step)
        };
        let steps = (0..).zip(plain).flat_map(of);
        Graph::of(plain.len(), steps)
    }

    /// Asserts that a graph has the steps of a plain one, as a row and one after the other.
    fn assert_same(graph: &Graph, plain: &Plain) {
        assert_eq!(graph.len(), plain.iter().map(Vec::len).sum::<usize>());
        let all = (0..).map(NodeId).zip(plain);
        for (state, steps) in all {
            let steps: Vec<_> = steps
                .iter()
                .map(|(target, label)| (NodeId(*target), *label))
                .collect();
            assert_eq!(graph.steps(state).collect::<Vec<_>>(), steps);
            let mut cursor = 0;
            for (target, label) in steps {
                let found = graph.steps_from(state, cursor).next();
                let (next, ..) = found.expect("there is a step");
                assert_eq!(found, Some((next, target, label)));
                assert!(next < 1 << 31);
                cursor = next;
            }
            assert_eq!(graph.steps_from(state, cursor).next(), None);
        }
        for beyond in [plain.len() as u32, u32::MAX] {
            assert_eq!(graph.steps(NodeId(beyond)).count(), 0);
        }
    }

    /// A graph of so many states, of whose steps these make the degrees, targets and labels.
    fn random(
        seed: u64,
        states: u32,
        degree: impl Fn(&mut Generator) -> usize,
        target: impl Fn(&mut Generator, u32) -> u32,
        label: impl Fn(&mut Generator) -> u32,
    ) -> Plain {
        let mut generator = Generator::new(seed);
        let mut steps = |source| {
            let degree = degree(&mut generator);
            let step = |_| (target(&mut generator, source), label(&mut generator));
            (0..degree).map(step).collect()
        };
        (0..states).map(&mut steps).collect()
    }

    #[test]
    fn what_is_recorded_is_read() {
        let near = |generator: &mut Generator, source: u32| {
            source.saturating_add_signed(generator.below(200) as i32 - 100)
        };
        let far = |generator: &mut Generator, _: u32| generator.below(1 << 32) as u32;
        let itself = |_: &mut Generator, source: u32| source;
        let end = |generator: &mut Generator, _: u32| match generator.below(2) {
            0 => 0,
            _ => u32::MAX,
        };
        // Around each length of a number.
        let edge = |generator: &mut Generator, source: u32| {
            let power = 1 << generator.below(31);
            let target = i64::from(source) + power + generator.below(3) as i64 - 1;
            target as u32
        };
        let targets: [&Target; 5] = [&near, &far, &itself, &end, &edge];
        let labels: [&dyn Fn(&mut Generator) -> u32; 4] = [
            &|_| 0,
            &|generator| generator.below(100) as u32,
            &|generator| generator.below(1 << 20) as u32,
            &|generator| u32::MAX - generator.below(2) as u32,
        ];
        for (number, target) in targets.into_iter().enumerate() {
            for (seed, label) in (10 * number as u64..).zip(labels) {
                let mixed = |generator: &mut Generator, source| match generator.below(3) {
                    0 => near(generator, source),
                    _ => target(generator, source),
                };
                let few = |generator: &mut Generator| generator.below(8);
                let plain = random(seed, 700, few, mixed, label);
                assert_same(&recorded(&plain), &plain);
            }
        }
    }

    #[test]
    fn states_have_no_steps_or_more_than_a_chunk_has() {
        let degree = |generator: &mut Generator| match generator.below(8) {
            0 => 20_000 + generator.below(40_000),
            1 | 2 => generator.below(2_000),
            3 => generator.below(20),
            _ => 0,
        };
        let target = |generator: &mut Generator, _: u32| generator.below(1 << 20) as u32;
        let label = |generator: &mut Generator| generator.below(30) as u32;
        for seed in 0..4 {
            let plain = random(seed, 150, degree, target, label);
            assert_same(&recorded(&plain), &plain);
        }
        let full = CHUNK;
        for first in [full - 1, full, full + 1] {
            let degrees = [first, 0, 0, 1, full, 0, 3];
            let mut source = degrees.into_iter();
            let mut steps = |at: u32| vec![(at, 0); source.next().unwrap_or(0)];
            let plain: Plain = (0..degrees.len() as u32).map(&mut steps).collect();
            assert_same(&recorded(&plain), &plain);
        }
    }

    #[test]
    fn the_steps_of_the_first_states_can_be_kept_alone() {
        let degree = |generator: &mut Generator| match generator.below(40) {
            0 => 20_000,
            few => few / 4,
        };
        let target = |generator: &mut Generator, source: u32| match generator.below(50) {
            0 => generator.below(1 << 32) as u32,
            _ => source + generator.below(40) as u32,
        };
        let label = |generator: &mut Generator| generator.below(30) as u32;
        let mut plain = random(7, 700, degree, target, label);
        let mut graph = recorded(&plain);
        let bytes = graph.bytes();
        for states in [701, 700, 699, 513, 512, 511, 400, 128, 1, 0] {
            graph.truncate(states);
            plain.truncate(states);
            assert_eq!(graph.states(), plain.len());
            assert_same(&graph, &plain);
        }
        assert!(graph.bytes() < bytes / 10, "{} {bytes}", graph.bytes());
    }

    #[test]
    fn the_empty_graph_has_no_steps() {
        assert_same(&recorded(&Vec::new()), &Vec::new());
        assert_same(&recorded(&vec![Vec::new(); 200]), &vec![Vec::new(); 200]);
    }

    /// Targets at up to a million states' distance, and 50 labels.
    #[test]
    fn a_step_of_a_wide_graph_takes_little_more_than_four_bytes() {
        let degree = |generator: &mut Generator| 8 + generator.below(4);
        let target = |generator: &mut Generator, source| source + generator.below(1 << 20) as u32;
        let label = |generator: &mut Generator| generator.below(50) as u32;
        let graph = recorded(&random(1, 200_000, degree, target, label));
        let a_step = graph.bytes() as f64 / graph.len() as f64;
        assert!(a_step <= 4.16, "{a_step}");
    }
}
