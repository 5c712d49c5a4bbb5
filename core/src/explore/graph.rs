//! The steps between the states reached.

use super::StateId;
use super::segments::SegmentedVec;

/// The steps between the states reached, with what the visitor said of each: 8 bytes a step, and 8 a
/// state.
pub struct Graph {
    /// Per state, where its steps begin; one more at the end.
    offsets: SegmentedVec<u64>,
    /// Target and label.
    steps: SegmentedVec<(u32, u32)>,
}

impl Graph {
    pub(super) fn new() -> Self {
        let mut offsets = SegmentedVec::new();
        offsets.push(0);
        Self {
            offsets,
            steps: SegmentedVec::new(),
        }
    }

    /// Adds a step of the state whose steps are being added.
    pub(super) fn push(&mut self, target: StateId, label: u32) {
        self.steps.push((target.0, label));
    }

    /// The state whose steps were being added has `degree` steps; the next one's come next.
    pub(super) fn close(&mut self, degree: u32) {
        let last = *self.offsets.get(self.offsets.len() - 1);
        self.offsets.push(last + u64::from(degree));
    }

    /// The steps of `state` in the order of `next`: target and label.
    pub fn steps(&self, state: StateId) -> impl Iterator<Item = (StateId, u32)> {
        let offset = |state: usize| *self.offsets.get(state) as usize;
        let range = offset(state.0 as usize)..offset(state.0 as usize + 1);
        range.map(|place| {
            let (target, label) = *self.steps.get(place);
            (StateId(target), label)
        })
    }

    /// The step of `state` at `cursor`, as target and label, if there is one; the cursor moves to the next.
    pub fn step(&self, state: StateId, cursor: &mut u32) -> Option<(StateId, u32)> {
        let offset = |state: usize| *self.offsets.get(state) as usize;
        let place = offset(state.0 as usize) + *cursor as usize;
        (place < offset(state.0 as usize + 1)).then(|| {
            *cursor += 1;
            let (target, label) = *self.steps.get(place);
            (StateId(target), label)
        })
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.offsets.bytes() + self.steps.bytes()
    }
}
