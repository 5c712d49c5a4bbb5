//! Samples of the states of a run, spread over all of it. They go by hashes of the states' numbers, and not by the numbers:
//! what is wrong may come back in step with these.

use crate::walk::explore::Place;
use crate::walk::random::generator::mix;

/// States, from the first on, about which the model is asked again whatever that takes.
const FIRST: u64 = 16;
/// Of the others it is asked about one in so many, so that asking again takes a tenth of the instructions of a search.
const ONE_IN: u64 = 64;
/// From where on one in so many would be more than this each time that the number of states doubles, it is so many.
const OF_EACH_DOUBLING: u64 = 1 << 8;
/// States, from the first on, that are looked at once more when the search is over; and so many of each doubling.
const ALL_LOOKED_AT: u64 = 1 << 10;
/// States, from the first on, of which so many steps are compared with what is derived from them, unless there are too many;
/// and of each later one so many.
const WELL_COMPARED: u64 = 8;
const SOME: usize = 32;
const MOST_WORK: usize = 1 << 16;
pub(crate) const FEW: usize = 2;

/// Number of a state of a run: of walks, which number no states, some number all the same.
pub(crate) fn number(place: Place, walks: bool) -> u64 {
    let state = place.state.0;
    if walks {
        state << 10 | u64::from(place.length) & 1023
    } else {
        state
    }
}

/// True if the model is asked again about the state of this number.
#[inline]
pub(crate) fn is_asked_again(number: u64) -> bool {
    let doubling = number.checked_ilog2().map_or(1, |bits| 1 << bits);
    let one_in = (doubling / OF_EACH_DOUBLING).max(ONE_IN);
    number < FIRST || mix(number) & (one_in - 1) == 0
}

/// True if much of what is said of this state is compared.
pub(crate) fn is_well_compared(number: u64) -> bool {
    number < WELL_COMPARED
}

/// True if the state of this number is looked at once more when the search is over.
pub(crate) fn is_looked_at(number: u64) -> bool {
    match (number / ALL_LOOKED_AT).checked_ilog2() {
        None => true,
        Some(doublings) => {
            mix(number).is_multiple_of((ALL_LOOKED_AT / OF_EACH_DOUBLING) << doublings)
        }
    }
}

/// Some of `things` of one of the first states, a few of a later one. What is derived from `next` takes all steps for each,
/// so they are few where there are many.
pub(crate) fn some_of<T>(things: &[T], number: u64) -> impl Iterator<Item = &T> + Clone {
    let most = if is_well_compared(number) {
        SOME.min(MOST_WORK / things.len().max(1))
    } else {
        FEW
    };
    let count = things.len().min(most.max(FEW));
    let first = if count < things.len() {
        (mix(!number) % things.len() as u64) as usize
    } else {
        0
    };
    things.iter().cycle().skip(first).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(is_in: fn(u64) -> bool) -> Vec<u64> {
        (0..1 << 24).filter(|number| is_in(*number)).collect()
    }

    /// Of states up to 2²⁴ the model is asked again about a few thousand, of each lane about as many; of few states, about few.
    #[test]
    fn states_asked_about_again_are_spread_over_the_run() {
        let sample = sample(is_asked_again);
        assert_eq!(sample[..16], (0..16).collect::<Vec<_>>());
        for most in [100, 1000, 10_000] {
            let count = sample.iter().filter(|number| **number < most).count() as u64;
            let expected = FIRST + most / ONE_IN;
            let tolerance = 2 + expected / 4;
            assert!(count.abs_diff(expected) <= tolerance, "{most}: {count}");
        }
        let expected = 16 + 256 + 10 * 256;
        assert!(sample.len().abs_diff(expected) < 256, "{}", sample.len());
        let late = sample.iter().filter(|n| **n >= 1 << 23).count();
        assert!(late.abs_diff(256) < 64, "{late}");
        let mut lanes = [0; 16];
        sample.iter().for_each(|n| lanes[(n % 16) as usize] += 1);
        assert!(lanes.iter().all(|lane| *lane > 120), "{lanes:?}");
    }

    /// All of the first states are looked at once more, and of those up to 2²⁴ a few thousand.
    #[test]
    fn states_looked_at_once_more_are_spread_over_the_run() {
        let sample = sample(is_looked_at);
        assert_eq!(sample[..1024], (0..1024).collect::<Vec<_>>());
        let expected = 1024 + 14 * 256;
        assert!(sample.len().abs_diff(expected) < 256, "{}", sample.len());
    }
}
