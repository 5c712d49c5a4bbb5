//! Waits: loops of a thread that read again what they have read, and write nothing.
//!
//! Such a loop goes round in the same way until another thread writes. So the thread lets others run, as if the loop yielded, once it has gone
//! round some times. A loop that counts its rounds ends by itself, after a number of them that is told.

use std::collections::HashMap;
use std::panic::Location;

/// Read of a thread: the place in the source, and the address.
pub(crate) type Read = (&'static Location<'static>, usize);

/// A read, as it is known from the last time.
struct Known {
    value: u64,
    /// Number of times that it was read again.
    again: u32,
    /// Time at which it was read last.
    at: u64,
}

/// The reads of one thread, and what they say of the loop that it is in.
#[cfg_attr(
    not(feature = "loom"),
    expect(
        dead_code,
        reason = "under Shuttle the order of an exploration has others run"
    )
)]
#[derive(Default)]
pub(crate) struct Waits {
    known: HashMap<Read, Known>,
    /// Number of reads so far.
    now: u64,
    /// Time of the last step by which the thread got somewhere: what it had read before is of another loop.
    worked: u64,
    /// Time of the last read that was none of the loop so far.
    news: u64,
    /// Number of times that the loop has gone round.
    pub(crate) rounds: u32,
    /// The read at which it lets others run, once a round.
    at: Option<Read>,
    /// True if it has yielded by itself since.
    has_yielded: bool,
    /// True if it has let others run.
    pub(crate) has_waited: bool,
    /// Greatest number of rounds of a loop that ended by itself.
    pub(crate) counted: u32,
}

impl Waits {
    /// A read. Number of times that the loop has gone round without reading anything new, 0 if this is new.
    pub(crate) fn read(&mut self, read: Read, value: u64) -> u32 {
        self.now += 1;
        let known = self.known.get_mut(&read);
        let known = known.filter(|known| known.at > self.worked);
        match known {
            Some(known) if known.value == value => {
                let is_of_loop = known.at > self.news;
                known.again = if is_of_loop { known.again + 1 } else { 1 };
                known.at = self.now;
                self.rounds = known.again;
                return self.rounds;
            }
            Some(_) => {
                self.rounds = 0;
                self.works();
            }
            None => {
                self.leaves();
                self.news = self.now;
            }
        }
        self.now += 1;
        let known = Known {
            value,
            again: 0,
            at: self.now,
        };
        self.known.insert(read, known);
        0
    }

    /// A step by which the thread gets somewhere.
    pub(crate) fn works(&mut self) {
        self.leaves();
        self.worked = self.now;
        self.news = self.now;
        self.has_yielded = false;
    }

    fn leaves(&mut self) {
        self.counted = self.counted.max(self.rounds);
        self.rounds = 0;
        self.at = None;
    }

    /// The thread yields by itself.
    pub(crate) fn yields(&mut self) {
        self.has_yielded = true;
    }

    /// Whether the thread is to let others run now, at a read that was made so many times `again`.
    #[cfg(feature = "loom")]
    pub(crate) fn lets_run(&mut self, read: Read, again: u32, patience: u32) -> bool {
        let waits = match self.at {
            Some(at) => at == read,
            None => again >= patience,
        };
        let lets_run = waits && !std::mem::take(&mut self.has_yielded);
        if lets_run {
            self.at = Some(read);
            self.has_waited = true;
        }
        lets_run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of a loop at these addresses; the number of rounds that each tells.
    fn reads(waits: &mut Waits, reads: &[(usize, u64)]) -> Vec<u32> {
        let place = Location::caller();
        let reads = reads.iter();
        reads
            .map(|(address, value)| waits.read((place, *address), *value))
            .collect()
    }

    #[test]
    fn a_loop_of_two_reads_goes_round_when_both_are_read_again() {
        let mut waits = Waits::default();
        let both = [(1, 10), (2, 20), (1, 10), (2, 20), (1, 10), (2, 20)];
        assert_eq!(reads(&mut waits, &both), [0, 0, 1, 1, 2, 2]);
        // The second value changes: what the first was is of another loop.
        let changed = [(1, 10), (2, 21), (1, 10), (2, 21), (1, 10)];
        assert_eq!(reads(&mut waits, &changed), [3, 0, 0, 1, 1]);
        assert_eq!(waits.counted, 0);
        // A write, too.
        waits.works();
        assert_eq!(reads(&mut waits, &changed[..3]), [0, 0, 1]);
    }

    #[test]
    fn the_greater_number_of_rounds_of_two_loops_counts() {
        let mut waits = Waits::default();
        reads(&mut waits, &[(1, 0); 6]);
        // The loop ends by itself: another read follows, and a loop of that.
        reads(&mut waits, &[(2, 0); 3]);
        waits.works();
        assert_eq!(waits.counted, 5);
        let mut waits = Waits::default();
        reads(&mut waits, &[(1, 0); 3]);
        waits.works();
        reads(&mut waits, &[(1, 0); 4]);
        waits.works();
        assert_eq!(waits.counted, 3);
        // One that reads something else does not end by itself.
        reads(&mut waits, &[(1, 0); 9]);
        reads(&mut waits, &[(1, 1)]);
        waits.works();
        assert_eq!(waits.counted, 3);
    }

    #[test]
    fn reads_past_a_word_of_them_are_known() {
        let mut waits = Waits::default();
        let round: Vec<_> = (0..200).map(|address| (address, 7)).collect();
        assert_eq!(reads(&mut waits, &round), [0; 200]);
        for again in 1..4 {
            assert_eq!(reads(&mut waits, &round), [again; 200]);
        }
    }

    #[cfg(feature = "loom")]
    #[test]
    fn a_loop_lets_others_run_once_a_round_unless_it_yields() {
        let place = Location::caller();
        let mut waits = Waits::default();
        let mut lets_run = |yields: bool| {
            [1, 2].map(|address| {
                let again = waits.read((place, address), 0);
                if yields {
                    waits.yields();
                }
                again > 0 && waits.lets_run((place, address), again, 2)
            })
        };
        let rounds: Vec<_> = (0..4).map(|_| lets_run(false)).collect();
        let once = [true, false];
        assert_eq!(rounds, [[false; 2], [false; 2], once, once]);
        assert_eq!(lets_run(true), [false; 2]);
        assert!(waits.has_waited);
    }
}
