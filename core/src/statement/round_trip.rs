//! Round trip of a state: written into bits, and read back.

use super::erased::{ErasedState, SystemObject};
use super::shown::difference::{Change, changes};
use super::shown::json::json;
use super::shown::value::compact;
use super::system::{StateOf, TransitionSystem};
use crate::state::{BitReader, BitWriter, Complaint, Fixed, FixedReader, Kept, PackingError};

/// Test that a state is read back as it is written. One that is kept whole is not written.
///
/// ```
/// use refmap::{State, TransitionSystem, round_trip};
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, refmap::Action)]
/// # enum Tick { Tick }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// struct Time {
///     #[state(range = 0..24)]
///     hour: u8,
/// }
///
/// struct Clock;
/// # impl TransitionSystem for Clock {
/// #     type State = Time;
/// #     type Action = Tick;
/// #     type Observation = u8;
/// #     fn initial(&self, visit: &mut impl FnMut(Time)) { visit(Time { hour: 0 }); }
/// #     fn fire(&self, _: &Tick, time: &mut Time) -> Option<()> {
/// #         time.hour = (time.hour + 1) % 24;
/// #         Some(())
/// #     }
/// #     fn observe(&self, state: &Time) -> u8 { state.hour }
/// # }
///
/// assert_eq!(round_trip(&Clock, &Time { hour: 23 }), Ok(()));
/// assert!(round_trip(&Clock, &Time { hour: 24 }).is_err());
/// ```
///
/// # Errors
///
/// If the state is none of its type, or its `State` reads another one than it wrote.
pub fn round_trip<S: TransitionSystem>(system: &S, state: &StateOf<S>) -> Result<(), PackingError> {
    of_system(system, &ErasedState::of(state))
}

fn of_system(system: &dyn SystemObject, state: &ErasedState) -> Result<(), PackingError> {
    if system.kept() == Kept::Whole {
        return Ok(());
    }
    let mut complaint = Complaint::default();
    system.write(state, &mut complaint);
    if let Some(error) = complaint.error() {
        return Err(error);
    }
    let same = |back: ErasedState| {
        if back == *state {
            Ok(())
        } else {
            Err(lossy(state, &back))
        }
    };
    let mut writer = BitWriter::growing();
    system.write(state, &mut writer);
    let bits = writer.bits();
    let code = writer.code().ok_or(PackingError::Unstable)?;
    same(system.read(&mut BitReader::new(code.words())))?;
    let Some(most) = system.shape().bits() else {
        return Ok(());
    };
    if bits > most {
        return Err(PackingError::TooLong { bits, most });
    }
    // Where all states are of one size, what a shorter one does not need is left out.
    let mut writer = BitWriter::<Fixed<MOST_WORDS>>::fixed();
    system.write(state, &mut writer);
    match writer.words() {
        Some(words) => same(system.read(&mut FixedReader::new(words))),
        None => Ok(()),
    }
}

/// The most words that states of one size take.
const MOST_WORDS: usize = 2;

/// Error of a `state` that is read back as another one.
fn lossy(state: &ErasedState, back: &ErasedState) -> PackingError {
    PackingError::Lossy {
        changed: differences(state, back),
    }
}

/// Differences between two states, for people: by their fields, or as `Debug` shows them.
fn differences(state: &ErasedState, back: &ErasedState) -> Vec<String> {
    let found = changes(&json(state), &json(back));
    let told = found.iter().map(|change| {
        let Change { field, from, to } = change;
        let of = if field.is_empty() { "the state" } else { field };
        format!("{of} was {} and is {}", compact(from), compact(to))
    });
    let told: Vec<_> = told.collect();
    if told.is_empty() {
        // What differs is not serialised.
        return vec![format!("{state:?} becomes {back:?}")];
    }
    told
}
