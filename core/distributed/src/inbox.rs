//! Inbox: the words that have arrived, outside of the dataflow.

use std::collections::BTreeMap;

use crate::piece::Piece;

/// Words that have arrived, by epoch. There are at most two: that of this process, and the next one.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    processes: usize,
    epochs: BTreeMap<u64, Vec<Words>>,
}

/// Words from one process in one epoch.
#[derive(Clone, Debug, Default)]
struct Words {
    words: Vec<u64>,
    /// Number of those that have arrived.
    arrived: usize,
}

impl Inbox {
    pub fn new(processes: usize) -> Self {
        Self {
            processes,
            epochs: BTreeMap::new(),
        }
    }

    /// Puts a piece into its place, in whatever order pieces come.
    pub fn put(&mut self, epoch: u64, piece: &Piece) {
        let Piece {
            source,
            offset,
            total,
            ref words,
            ..
        } = *piece;
        let epoch = self
            .epochs
            .entry(epoch)
            .or_insert_with(|| vec![Words::default(); self.processes]);
        let from = &mut epoch[source];
        if from.arrived == 0 {
            from.words = vec![0; total];
        }
        assert_eq!(
            from.words.len(),
            total,
            "the pieces of process {source} belong together"
        );
        from.words[offset..][..words.len()].copy_from_slice(words);
        from.arrived += words.len();
    }

    /// Takes the words of an epoch that is complete, by the process that has sent them.
    pub fn take(&mut self, epoch: u64) -> Vec<Vec<u64>> {
        let complete = |(source, from): (usize, Words)| {
            assert_eq!(
                from.arrived,
                from.words.len(),
                "all words of process {source} have arrived"
            );
            from.words
        };
        match self.epochs.remove(&epoch) {
            Some(words) => words.into_iter().enumerate().map(complete).collect(),
            None => vec![Vec::new(); self.processes],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(source: usize, offset: usize, total: usize, words: &[u64]) -> Piece {
        Piece {
            target: 0,
            source,
            offset,
            total,
            words: words.to_vec(),
        }
    }

    #[test]
    fn pieces_come_in_any_order() {
        let mut inbox = Inbox::new(2);
        inbox.put(1, &piece(1, 0, 1, &[9]));
        inbox.put(0, &piece(1, 2, 3, &[3]));
        inbox.put(0, &piece(0, 0, 1, &[7]));
        inbox.put(0, &piece(1, 0, 3, &[1, 2]));
        assert_eq!(inbox.take(0), [vec![7], vec![1, 2, 3]]);
        assert_eq!(inbox.take(0), [Vec::<u64>::new(), Vec::new()]);
        assert_eq!(inbox.take(1), [vec![], vec![9]]);
    }

    #[test]
    #[should_panic(expected = "all words of process 1 have arrived")]
    fn a_missing_piece_is_noticed() {
        let mut inbox = Inbox::new(2);
        inbox.put(0, &piece(1, 2, 3, &[3]));
        inbox.take(0);
    }
}
