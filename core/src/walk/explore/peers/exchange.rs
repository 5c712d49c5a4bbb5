//! The exchange of messages, by which processes wait for each other.

use super::error::PeersError;
use super::notice::Notice;
use super::texts::{push_value, take_value};

/// Number of the process that judges, and asks the others for their states.
pub(in crate::walk::explore) const FIRST: usize = 0;

/// Processes that search together. All of them meet the same number of times.
pub trait Peers: Send + Sync {
    /// Number of processes.
    fn processes(&self) -> usize;
    /// Number of this process, from 0.
    fn process(&self) -> usize;
    /// Words that may be under way between all processes: 64 MiB of them. All have to say the same.
    fn most_words(&self) -> usize {
        1 << 23
    }
    /// Sends words to each process, this one included, and returns the words that each has sent to this one, once all have.
    ///
    /// # Errors
    ///
    /// If a process was lost.
    fn exchange(&self, words: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>, PeersError>;
    /// Asks the others to come to the next exchange as soon as they can. It may be called while this process waits for them.
    fn hurry(&self);
    /// Whether another process has asked for that.
    fn is_hurried(&self) -> bool;
    /// Ends the exchange for which this process waits, and makes no more: one that has not come is lost, for this reason.
    fn give_up(&self, reason: String);
}

/// The same words for each process.
pub(in crate::walk::explore) fn to_all(peers: &dyn Peers, words: &[u64]) -> Vec<Vec<u64>> {
    vec![words.to_vec(); peers.processes()]
}

/// Words for process 0 alone.
pub(in crate::walk::explore) fn to_first(peers: &dyn Peers, words: Vec<u64>) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new(); peers.processes()];
    all[FIRST] = words;
    all
}

/// Sends a notice to each process, behind words for it; returns what each has sent to this one.
pub(in crate::walk::explore) fn meet(
    peers: &dyn Peers,
    mut words: Vec<Vec<u64>>,
    notice: &Notice,
) -> Result<Vec<(Notice, Vec<u64>)>, PeersError> {
    for words in &mut words {
        push_value(words, notice);
    }
    let received = peers.exchange(words)?;
    let read = |(process, mut words): (usize, Vec<u64>)| {
        let notice = take_value(&mut words).map_err(|garbled| garbled.of(process))?;
        Ok((notice, words))
    };
    received.into_iter().enumerate().map(read).collect()
}
