//! Hellos: the first bytes on a connection, from the process that connects, and back.
//!
//! A hello begins with [`MAGIC`] and the protocol, so that a stranger and another protocol are known by it. Then follow the number of
//! processes, the number of the sender, that of the process that it speaks to, a verdict, and the lengths of two texts, each in four
//! bytes; then the texts. Its length is bounded, and no more than it is read.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::greeting::{Greeting, LONGEST_SEARCH, LONGEST_VERSION};

/// First bytes of each connection.
const MAGIC: &[u8; 8] = b"refmap\r\n";

/// Number of the protocol. It changes with what is sent.
pub(crate) const PROTOCOL: u32 = 2;

/// Length of a hello without its texts.
const HEAD: usize = 36;

/// Time that the operating system has to take a hello.
const SENDING: Duration = Duration::from_millis(500);

/// Hello of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    /// Number of processes.
    pub processes: usize,
    /// Number of the process that sends it.
    pub process: usize,
    /// Number of the process for which it is.
    pub to: usize,
    /// Whether the sender is connected with another process of the receiver's number.
    pub twice: bool,
    /// Greeting of the sender.
    pub greeting: Greeting,
}

/// Bytes that are no hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoHello {
    /// They are those of a stranger.
    Foreign,
    /// They are those of another protocol.
    Protocol(u32),
    /// The connection has ended.
    Ended,
}

impl Hello {
    /// Bytes of the hello.
    fn bytes(&self) -> Vec<u8> {
        let Greeting { version, search } = &self.greeting;
        let twice = usize::from(self.twice);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(PROTOCOL.to_le_bytes());
        for number in [
            self.processes,
            self.process,
            self.to,
            twice,
            version.len(),
            search.len(),
        ] {
            bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend(version.as_bytes());
        bytes.extend(search.as_bytes());
        bytes
    }

    /// Sends it. Afterwards the connection does not block.
    pub fn send(&self, mut stream: &TcpStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(SENDING))?;
        stream.write_all(&self.bytes())?;
        stream.set_write_timeout(None)?;
        stream.set_nonblocking(true)
    }
}

/// Number of bytes that a hello has which begins with these, as far as they tell.
fn length(bytes: &[u8]) -> Result<usize, NoHello> {
    let magic = bytes.len().min(MAGIC.len());
    if bytes[..magic] != MAGIC[..magic] {
        return Err(NoHello::Foreign);
    }
    match number(bytes, 0) {
        Some(PROTOCOL) | None => {}
        Some(other) => return Err(NoHello::Protocol(other)),
    }
    let (Some(version), Some(search)) = (number(bytes, 5), number(bytes, 6)) else {
        return Ok(HEAD);
    };
    let (version, search) = (version as usize, search as usize);
    if version > LONGEST_VERSION || search > LONGEST_SEARCH {
        return Err(NoHello::Foreign);
    }
    Ok(HEAD + version + search)
}

/// Number in the head, if it is there already.
fn number(bytes: &[u8], index: usize) -> Option<u32> {
    let from = MAGIC.len() + 4 * index;
    bytes
        .get(from..from + 4)?
        .try_into()
        .ok()
        .map(u32::from_le_bytes)
}

/// Hello that these bytes are, which are as many as it has.
fn decode(bytes: &[u8]) -> Option<Hello> {
    let at = |index| number(bytes, index).map(|number| number as usize);
    let (version, search) = bytes[HEAD..].split_at_checked(at(5)?)?;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    Some(Hello {
        processes: at(1)?,
        process: at(2)?,
        to: at(3)?,
        twice: at(4)? != 0,
        greeting: Greeting {
            version: text(version)?,
            search: text(search)?,
        },
    })
}

/// Hello that arrives on a connection, which does not block.
#[derive(Debug, Default)]
pub(crate) struct Arriving {
    bytes: Vec<u8>,
}

impl Arriving {
    /// Reads what has arrived; returns the hello when it is complete.
    pub fn read(&mut self, mut stream: &TcpStream) -> Result<Option<Hello>, NoHello> {
        let mut chunk = [0; 4096];
        loop {
            let missing = length(&self.bytes)? - self.bytes.len();
            if missing == 0 {
                return decode(&self.bytes).map(Some).ok_or(NoHello::Foreign);
            }
            let room = missing.min(chunk.len());
            match stream.read(&mut chunk[..room]) {
                Ok(0) => return Err(NoHello::Ended),
                Ok(read) => self.bytes.extend(&chunk[..read]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(NoHello::Ended),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        let greeting = Greeting {
            version: "1.2".into(),
            search: "gc, n = 3, Ω".into(),
        };
        Hello {
            processes: 5,
            process: 3,
            to: 1,
            twice: true,
            greeting,
        }
    }

    /// Numbers of more than two bytes, and texts of the most bytes that are sent, arrive whole.
    #[test]
    fn a_hello_is_read_as_it_was_sent() {
        let most = Hello {
            processes: 1 << 24 | 5,
            process: 1 << 24 | 3,
            to: 1 << 8,
            greeting: Greeting {
                version: "1".repeat(LONGEST_VERSION),
                search: "x".repeat(LONGEST_SEARCH),
            },
            ..hello()
        };
        for sent in [hello(), most] {
            let bytes = sent.bytes();
            assert_eq!(length(&bytes), Ok(bytes.len()));
            assert_eq!(length(&bytes[..HEAD]), Ok(bytes.len()));
            assert_eq!(decode(&bytes), Some(sent));
        }
        let bytes = hello().bytes();
        for end in 0..bytes.len() {
            assert!(
                length(&bytes[..end]).unwrap() > end,
                "{end} bytes are not all"
            );
        }
    }

    #[test]
    fn strangers_are_known_by_their_first_bytes() {
        assert_eq!(length(b"G"), Err(NoHello::Foreign));
        assert_eq!(length(b"refmap\n"), Err(NoHello::Foreign));
        let mut bytes = hello().bytes();
        bytes[8] = 9;
        assert_eq!(length(&bytes), Err(NoHello::Protocol(9)));
        for at in [31, 35] {
            let mut bytes = hello().bytes();
            bytes[at] = 0x7f;
            assert_eq!(length(&bytes), Err(NoHello::Foreign));
        }
        let mut bytes = hello().bytes();
        *bytes.last_mut().unwrap() = 0xff;
        assert_eq!(decode(&bytes), None);
    }
}
