//! The numbers that are written of a state.

use super::enumerated::WrittenNumber;
use crate::state::{Kept, Limits, Misfit, Sink, State};
use crate::statement::system::{StateOf, TransitionSystem};

/// The numbers that are written of a state; none if it is kept whole, or does not fit its packing.
pub(in crate::obligation) fn numbers<S: TransitionSystem>(
    system: &S,
    state: &StateOf<S>,
) -> Option<Vec<WrittenNumber>> {
    if matches!(StateOf::<S>::KEPT, Kept::Whole) {
        return None;
    }
    let mut written = NumberSink {
        numbers: Vec::new(),
        fits: true,
    };
    state.write(system, Limits::NONE, &mut written);
    written.fits.then_some(written.numbers)
}

/// Sink that keeps the numbers.
struct NumberSink {
    numbers: Vec<WrittenNumber>,
    fits: bool,
}

impl Sink for NumberSink {
    fn number(&mut self, most: u64, value: u64) {
        self.numbers.push(WrittenNumber { most, value });
    }

    fn misfit(&mut self, _: Misfit) {
        self.fits = false;
    }
}
