//! Which states and steps the model is asked again about: a sample spread over the whole run. It goes by hashes of the
//! states' numbers, and not by the numbers: what is wrong may come back in step with these.

use crate::explore::Place;
use crate::random::generator::mix;

/// So many states, from the first on, are in the sample,
const ALL_OF_THE_FIRST: u64 = 1 << 10;
/// and so many each time that their number doubles.
const OF_EACH_DOUBLING: u64 = 1 << 8;
/// So many states, from the first on, of which so many steps are compared with what is derived from them, unless there are
/// too many; and of each later one so many.
const WELL_COMPARED: u64 = 1 << 6;
const SOME: usize = 32;
const MOST_WORK: usize = 1 << 16;
pub(super) const FEW: usize = 2;

/// Which of the states of a run this is: of walks, which number no states, some number all the same.
pub(super) fn number(place: Place, walks: bool) -> u64 {
    let state = u64::from(place.state.0);
    match walks {
        false => state,
        true => state << 10 | u64::from(place.length) & 1023,
    }
}

/// Whether the model is asked again about the state of this number.
pub(super) fn is_in_sample(number: u64) -> bool {
    match (number / ALL_OF_THE_FIRST).checked_ilog2() {
        None => true,
        Some(doublings) => {
            mix(number).is_multiple_of((ALL_OF_THE_FIRST / OF_EACH_DOUBLING) << doublings)
        }
    }
}

/// Whether much of what is said of this state is compared.
pub(super) fn is_well_compared(number: u64) -> bool {
    number < WELL_COMPARED
}

/// Some of `things` of one of the first states, a few of a later one. What is derived from `next` takes all steps for each,
/// so they are few where there are many.
pub(super) fn some_of<T>(things: &[T], number: u64) -> impl Iterator<Item = &T> + Clone {
    let most = match is_well_compared(number) {
        true => SOME.min(MOST_WORK / things.len().max(1)),
        false => FEW,
    };
    let count = things.len().min(most.max(FEW));
    let first = match count < things.len() {
        true => (mix(!number) % things.len() as u64) as usize,
        false => 0,
    };
    things.iter().cycle().skip(first).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of the first states are in the sample, and of those up to 2²⁴ a few thousand, of each lane about as many.
    #[test]
    fn the_sample_is_spread_over_the_run() {
        let sample: Vec<_> = (0..1u64 << 24).filter(|n| is_in_sample(*n)).collect();
        assert_eq!(sample[..1024], (0..1024).collect::<Vec<_>>());
        let expected = 1024 + 14 * 256;
        assert!(sample.len().abs_diff(expected) < 256, "{}", sample.len());
        let late = sample.iter().filter(|n| **n >= 1 << 23).count();
        assert!(late.abs_diff(256) < 64, "{late}");
        let mut lanes = [0; 16];
        sample.iter().for_each(|n| lanes[(n % 16) as usize] += 1);
        assert!(lanes.iter().all(|lane| *lane > 200), "{lanes:?}");
    }
}
