//! Pieces of the words that a process sends to another one, as timely dataflow carries them.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message, Stamp};

/// Greatest number of words in a piece. Four messages with a piece fit into a buffer of timely, which has 1 MiB.
pub(crate) const PIECE: usize = (1 << 15) - 64;

/// Words that stand before those of a piece.
const HEAD: usize = 3;

/// Length of a word.
const BYTES: usize = size_of::<u64>();

/// Part of the words from one process to another one, in one epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    /// Number of the process that it is for. It is not sent.
    pub target: usize,
    /// Number of the process that sends it.
    pub source: usize,
    /// Number of words that stand before it.
    pub offset: usize,
    /// Number of words of which it is a part.
    pub total: usize,
    pub words: Vec<u64>,
}

/// A piece without words is an empty container, which timely does not send.
impl Accountable for Piece {
    fn record_count(&self) -> i64 {
        self.words.len() as i64
    }
}

impl ContainerBytes for Piece {
    fn from_bytes(bytes: Bytes) -> Self {
        let mut words = bytes
            .chunks_exact(BYTES)
            .map(|word| u64::from_le_bytes(word.try_into().expect("a word has eight bytes")));
        let mut head = || words.next().expect("a piece has a head") as usize;
        let (source, offset, total) = (head(), head(), head());
        Self {
            target: 0,
            source,
            offset,
            total,
            words: words.collect(),
        }
    }

    fn length_in_bytes(&self) -> usize {
        (HEAD + self.words.len()) * BYTES
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let head = [self.source as u64, self.offset as u64, self.total as u64];
        let mut block = [0; 512 * BYTES];
        for words in std::iter::once(&head[..]).chain(self.words.chunks(512)) {
            let bytes = &mut block[..words.len() * BYTES];
            for (bytes, word) in bytes.chunks_exact_mut(BYTES).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            writer
                .write_all(bytes)
                .expect("the buffer has the length that was asked for");
        }
    }
}

/// Distribution of pieces to the processes that they are for. One piece is one message.
pub(crate) struct ToTarget;

impl Distributor<Piece> for ToTarget {
    fn partition<T: Clone, P: Push<Message<T, Piece>>>(
        &mut self,
        piece: &mut Piece,
        stamp: &Stamp<T>,
        pushers: &mut [P],
    ) {
        let target = piece.target;
        Message::push_at(piece, stamp.clone(), &mut pushers[target]);
    }

    fn flush<T: Clone, P: Push<Message<T, Piece>>>(&mut self, _: &Stamp<T>, _: &mut [P]) {}
}
