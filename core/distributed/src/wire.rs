//! Wires: the connections as timely dataflow sees them.
//!
//! Timely panics in its own threads when a connection ends, and its worker then waits for ever. A wire therefore never reports an error
//! to it: a loss is recorded in the [`Status`], what is written to a lost process is dropped, and a thread that reads from it is
//! parked for good.
//!
//! The bytes of timely travel in frames, so that a process can say that it has finished, or why it leaves: if process 0 leaves because
//! it has lost process 2, then process 1 reports the loss of process 2, whichever it notices first.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::status::Status;

/// Greatest number of bytes in a frame.
const FRAME: usize = 1 << 16;

/// Length of a frame that says that the process has finished.
const FINISHED: u32 = u32::MAX;

/// Length of a frame that says why the process leaves: a number of a process, the length of a reason, and the reason.
const LEAVES: u32 = u32::MAX - 1;

/// Greatest number of bytes of a reason.
const REASON: usize = 1 << 10;

/// Time that a process spends on saying why it leaves, for each of the others.
const LEAVING: Duration = Duration::from_millis(300);

/// Connection with a process.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Number of that process.
    process: usize,
    socket: TcpStream,
    /// Frame that is being written.
    frame: Mutex<Vec<u8>>,
}

impl Connection {
    pub fn new(process: usize, socket: TcpStream) -> Self {
        Self {
            process,
            socket,
            frame: Mutex::default(),
        }
    }

    /// Writes a frame of timely's bytes; returns how many of them it has.
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(FRAME)];
        let frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_frame(frame, bytes.len() as u32, bytes)?;
        Ok(bytes.len())
    }

    /// Writes that this process has finished, and nothing after it.
    fn finish(&self) {
        let frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that is gone need not know.
        let _ = self.write_frame(frame, FINISHED, &[]);
        let _ = self.socket.shutdown(Shutdown::Write);
    }

    /// Writes that this process leaves because of the loss of a process, and closes the connection. It is closed without a reason if
    /// the other process does not read.
    pub fn leave(&self, lost: usize, reason: &str) {
        let mut content = Vec::new();
        let reason = &reason.as_bytes()[..reason.len().min(REASON)];
        content.extend((lost as u32).to_le_bytes());
        content.extend((reason.len() as u32).to_le_bytes());
        content.extend(reason);
        let _ = self.socket.set_write_timeout(Some(LEAVING));
        if let Some(frame) = self.frame_within(LEAVING) {
            let _ = self.write_frame(frame, LEAVES, &content);
        }
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// The frame, if nobody writes one any more within a time.
    fn frame_within(&self, time: Duration) -> Option<MutexGuard<'_, Vec<u8>>> {
        let start = Instant::now();
        loop {
            match self.frame.try_lock() {
                Ok(frame) => return Some(frame),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if start.elapsed() > time => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn write_frame(
        &self,
        mut frame: MutexGuard<'_, Vec<u8>>,
        length: u32,
        content: &[u8],
    ) -> io::Result<()> {
        frame.clear();
        frame.extend(length.to_le_bytes());
        frame.extend(content);
        (&self.socket).write_all(&frame)
    }
}

/// Next frame that is read.
enum Frame {
    /// Bytes of timely.
    Bytes(usize),
    Finished,
    /// Loss of a process, because of which the other one leaves.
    Leaves(usize, String),
}

/// Connection with a process that never fails.
pub(crate) struct Wire {
    /// Number of this process.
    own: usize,
    connection: Arc<Connection>,
    status: Arc<Status>,
    reader: BufReader<TcpStream>,
    /// Bytes of the frame that are not read yet.
    unread: usize,
    /// Whether nothing can be written any more.
    broken: bool,
}

impl Wire {
    pub fn new(own: usize, connection: Arc<Connection>, status: Arc<Status>) -> io::Result<Self> {
        let reader = BufReader::with_capacity(FRAME, connection.socket.try_clone()?);
        Ok(Self {
            own,
            connection,
            status,
            reader,
            unread: 0,
            broken: false,
        })
    }

    /// Reads the head of a frame, and all of it unless it has bytes of timely.
    fn next_frame(&mut self) -> io::Result<Frame> {
        match read_number(&mut self.reader)? {
            FINISHED => Ok(Frame::Finished),
            LEAVES => {
                let lost = read_number(&mut self.reader)? as usize;
                let mut reason = vec![0; (read_number(&mut self.reader)? as usize).min(REASON)];
                self.reader.read_exact(&mut reason)?;
                Ok(Frame::Leaves(
                    lost,
                    String::from_utf8_lossy(&reason).into_owned(),
                ))
            }
            length if length as usize <= FRAME => Ok(Frame::Bytes(length as usize)),
            length => Err(io::Error::new(
                ErrorKind::InvalidData,
                format!("it sent a frame of {length} bytes"),
            )),
        }
    }

    /// Records that the other process is gone, and keeps timely's thread from learning it.
    fn gone(&self, error: &io::Error) -> ! {
        let reason = match error.kind() {
            ErrorKind::UnexpectedEof => "its connection has ended".to_owned(),
            _ => error.to_string(),
        };
        self.status.gone(self.connection.process, reason);
        park()
    }
}

/// Waits for ever.
fn park() -> ! {
    loop {
        std::thread::park();
    }
}

fn read_number(reader: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let other = self.connection.process;
        while self.unread == 0 {
            match self.next_frame() {
                Ok(Frame::Bytes(length)) => self.unread = length,
                Ok(Frame::Finished) => {
                    self.status
                        .gone(other, "it has finished before this process");
                    // Timely has read its own end of the stream before this one.
                    return Ok(0);
                }
                Ok(Frame::Leaves(lost, reason)) => {
                    if lost == self.own {
                        let reason = format!("it has lost this process: {reason}");
                        self.status.gone(other, reason);
                    } else {
                        self.status.gone(lost, reason);
                    }
                    park()
                }
                Err(error) => self.gone(&error),
            }
        }
        match self.reader.fill_buf() {
            Ok([]) => self.gone(&ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => {
                let length = bytes.len().min(self.unread).min(buffer.len());
                buffer[..length].copy_from_slice(&bytes[..length]);
                self.reader.consume(length);
                self.unread -= length;
                Ok(length)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => self.gone(&error),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.broken {
            match self.connection.write(bytes) {
                Ok(written) => return Ok(written),
                // The thread that reads records the loss: the other process may have said why it leaves.
                Err(_) => self.broken = true,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Self> {
        Self::new(
            self.own,
            Arc::clone(&self.connection),
            Arc::clone(&self.status),
        )
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.connection.socket.set_nonblocking(nonblocking)
    }

    /// Ends the connection, when timely has written its end of the stream.
    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        if self.status.ending() {
            self.connection.finish();
        }
        Ok(())
    }
}
