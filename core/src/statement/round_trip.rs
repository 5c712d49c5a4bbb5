//! Round trip of a state: written into bits, and read back.

use std::fmt::Debug;

use serde::Serialize;
use serde_json::Value;

use super::shown::difference::{Change, changes};
use super::shown::json::json;
use super::shown::value::compact;
use super::system::{StateOf, TransitionSystem};
use crate::state::{
    BitReader, BitWriter, Complaint, Fixed, FixedReader, Kept, Limits, PackingError, State,
};

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
    if StateOf::<S>::KEPT == Kept::Whole {
        return Ok(());
    }
    let mut complaint = Complaint::default();
    state.write(system, Limits::NONE, &mut complaint);
    if let Some(error) = complaint.error() {
        return Err(error);
    }
    let same = |back: StateOf<S>| {
        if back == *state {
            Ok(())
        } else {
            Err(lossy(state, &back))
        }
    };
    let mut writer = BitWriter::growing();
    state.write(system, Limits::NONE, &mut writer);
    let bits = writer.bits();
    let code = writer.code().ok_or(PackingError::Unstable)?;
    let source = &mut BitReader::new(code.words());
    same(StateOf::<S>::read(system, Limits::NONE, source))?;
    let Some(most) = StateOf::<S>::shape(system, Limits::NONE).bits() else {
        return Ok(());
    };
    if bits > most {
        return Err(PackingError::TooLong { bits, most });
    }
    // Where all states are of one size, what a shorter one does not need is left out.
    let mut writer = BitWriter::<Fixed<MOST_WORDS>>::fixed();
    state.write(system, Limits::NONE, &mut writer);
    match writer.words() {
        Some(words) => {
            let source = &mut FixedReader::new(words);
            same(StateOf::<S>::read(system, Limits::NONE, source))
        }
        None => Ok(()),
    }
}

/// The most words that states of one size take.
const MOST_WORDS: usize = 2;

/// Error of a `state` that is read back as another one.
fn lossy<T: Serialize + Debug>(state: &T, back: &T) -> PackingError {
    PackingError::Lossy {
        changed: differences([&json(state), &json(back)], [state, back]),
    }
}

/// Differences between two states, for people: by their fields, or as `Debug` shows them.
fn differences(fields: [&Value; 2], [state, back]: [&dyn Debug; 2]) -> Vec<String> {
    let found = changes(fields[0], fields[1]);
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
