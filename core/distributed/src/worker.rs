//! Worker: the thread that runs the dataflow.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use refmap::internal::explore::PeersError;
use timely::WorkerConfig;
use timely::communication::Allocator;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::{Input, Operator};

use crate::inbox::Inbox;
use crate::piece::{PIECE, Piece, ToTarget};
use crate::status::Status;

/// Words for each process, or from each.
pub(crate) type Words = Vec<Vec<u64>>;

/// Time after which a worker that waits looks again whether a process was lost. It is woken then, too.
const AGAIN: Duration = Duration::from_millis(200);

/// Worker of timely with the one dataflow of a search.
struct Worker {
    input: InputHandle<u64, CapacityContainerBuilder<Piece>>,
    worker: timely::worker::Worker,
    inbox: Rc<RefCell<Inbox>>,
    /// Least epoch of which words can still arrive somewhere.
    open: Rc<Cell<u64>>,
    status: Arc<Status>,
}

/// Makes one exchange for each request, until there are no more.
pub(crate) fn run(
    builder: TcpBuilder,
    status: Arc<Status>,
    requests: &Receiver<Words>,
    answers: &Sender<Result<Words, PeersError>>,
) {
    status.wait_here();
    let mut worker = Worker::new(builder, status);
    for words in requests {
        if answers.send(worker.exchange(words)).is_err() {
            return;
        }
    }
}

impl Worker {
    /// Worker of the calling thread, which alone can use it.
    fn new(builder: TcpBuilder, status: Arc<Status>) -> Self {
        // Without a time from which to count, a worker of timely never parks.
        let allocator = Allocator::Tcp(builder.build());
        let mut worker =
            timely::worker::Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let inbox = Rc::new(RefCell::new(Inbox::new(worker.peers())));
        let open = Rc::new(Cell::new(0));
        let (into, now_open) = (Rc::clone(&inbox), Rc::clone(&open));
        let input = worker.dataflow(|scope| {
            let (input, pieces) = scope.new_input();
            pieces.sink(
                DistributorPact(|_| ToTarget),
                "inbox",
                move |(pieces, frontier)| {
                    pieces.for_each(|capability, piece: &mut Piece| {
                        let epoch = capability.least().expect("each piece is sent in an epoch");
                        into.borrow_mut().put(*epoch, piece);
                    });
                    now_open.set(frontier.frontier().as_option().copied().unwrap_or(u64::MAX));
                },
            );
            input
        });
        Self {
            input,
            worker,
            inbox,
            open,
            status,
        }
    }

    /// Sends words to each process, and waits for those of each.
    fn exchange(&mut self, mut words: Words) -> Result<Words, PeersError> {
        let (process, processes, epoch) =
            (self.worker.index(), self.worker.peers(), *self.input.time());
        let own = std::mem::take(&mut words[process]);
        // Not all to process 0 first.
        for target in (process + 1..processes).chain(0..process) {
            self.send(target, std::mem::take(&mut words[target]))?;
        }
        self.input.advance_to(epoch + 1);
        while self.open.get() <= epoch && !self.status.ended() {
            self.status.loss().map_or(Ok(()), Err)?;
            self.worker.step_or_park(Some(AGAIN));
        }
        let mut received = self.inbox.borrow_mut().take(epoch);
        received[process] = own;
        Ok(received)
    }

    /// Sends words to another process, and takes what has arrived in between.
    fn send(&mut self, target: usize, words: Vec<u64>) -> Result<(), PeersError> {
        let mut piece = Piece {
            target,
            source: self.worker.index(),
            total: words.len(),
            ..Piece::default()
        };
        for (index, part) in words.chunks(PIECE).enumerate() {
            self.status.loss().map_or(Ok(()), Err)?;
            piece.offset = index * PIECE;
            piece.words.clear();
            piece.words.extend_from_slice(part);
            // Timely writes the piece into a buffer, and leaves it as it is.
            self.input.send_batch(&mut piece);
            self.worker.step();
        }
        Ok(())
    }
}
