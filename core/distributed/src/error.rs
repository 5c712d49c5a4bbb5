//! Errors of connecting processes.

use std::io;
use std::time::Duration;

/// Reason why a process is not connected with the others.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// A list of hosts has none.
    #[error("there is no host")]
    NoHost,
    /// A list of hosts has too many.
    #[error("line {line}: there are more than {most} hosts")]
    TooMany {
        /// Number of the line of the first that is too many.
        line: usize,
        /// Greatest number of hosts.
        most: usize,
    },
    /// A line of a list of hosts is no address.
    #[error("line {line}: `{text}` is no address `host:port`: {fault}")]
    Address {
        /// Its number, from 1 on.
        line: usize,
        /// Its text.
        text: String,
        /// Fault of it.
        fault: &'static str,
    },
    /// Two lines of a list of hosts have the same address.
    #[error("line {line}: `{address}` stands in line {first} already")]
    SameAddress {
        /// Number of the second line, from 1 on.
        line: usize,
        /// Number of the first line.
        first: usize,
        /// The address.
        address: String,
    },
    /// There is no process of this number.
    #[error("there is no process {process}: {processes} processes are numbered from 0")]
    NoProcess {
        /// The number.
        process: usize,
        /// Number of processes.
        processes: usize,
    },
    /// A text of the greeting is too long.
    #[error("the {text} has {bytes} bytes, and at most {limit} are sent")]
    TooLong {
        /// Name of the text.
        text: &'static str,
        /// Its length.
        bytes: usize,
        /// The greatest length.
        limit: usize,
    },
    /// The name of a host is unknown.
    #[error("`{address}` of process {process} has no address: {cause}")]
    Unresolved {
        /// Number of the process.
        process: usize,
        /// Its address.
        address: String,
        /// Cause of the failure.
        #[source]
        cause: io::Error,
    },
    /// This process cannot listen at its own address.
    #[error("process {process} cannot listen at `{address}`: {cause}")]
    Listen {
        /// Number of this process.
        process: usize,
        /// Its address.
        address: String,
        /// Cause of the failure.
        #[source]
        cause: io::Error,
    },
    /// Processes did not come in time.
    #[error("without processes {}: they did not connect within {} seconds", list(.processes), .patience.as_secs_f64())]
    Missing {
        /// Numbers of the processes.
        processes: Vec<usize>,
        /// Time that they had.
        patience: Duration,
    },
    /// Connecting was cancelled.
    #[error("interrupted before all processes had connected")]
    Cancelled,
    /// A server that is no process of a search answers at the address of a process.
    #[error(
        "a program that is not this one answers at `{address}`, where process {process} should be"
    )]
    Foreign {
        /// Number of the process.
        process: usize,
        /// Its address.
        address: String,
    },
    /// A process has another protocol, and so another version. Nothing else of it can be read.
    #[error("the process at `{address}` has protocol {there}, and this one has {here}")]
    OtherProtocol {
        /// Address of the process.
        address: String,
        /// Protocol of that process.
        there: u32,
        /// Protocol of this process.
        here: u32,
    },
    /// A process was started with something else.
    #[error(
        "process {process} was started otherwise: its {what} is `{there}`, and that of this process is `{here}`"
    )]
    Other {
        /// Number of the process.
        process: usize,
        /// Name of what differs.
        what: &'static str,
        /// Value in that process.
        there: String,
        /// Value in this process.
        here: String,
    },
    /// A process has a list of hosts in another order.
    #[error(
        "process {from} looks for process {sought} where process {found} is: their lists of hosts differ"
    )]
    OtherOrder {
        /// Number of the process that looks.
        from: usize,
        /// Number of the process that it looks for.
        sought: usize,
        /// Number of the process that is there.
        found: usize,
    },
    /// Two processes have the same number.
    #[error("there are two processes {process}")]
    Twice {
        /// The number.
        process: usize,
    },
    /// A process ended before all had connected.
    #[error("process {process} was lost before all had connected")]
    Lost {
        /// Number of the process.
        process: usize,
    },
    /// A process that was there says nothing any more.
    #[error("process {process} was lost before all had connected: {reason}")]
    Silent {
        /// Number of the process.
        process: usize,
        /// For how long, and since when.
        reason: String,
    },
    /// The operating system refuses what a connection needs.
    #[error("a connection cannot be set up: {0}")]
    Io(#[from] io::Error),
}

/// Numbers in a sentence.
fn list(numbers: &[usize]) -> String {
    numbers
        .iter()
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
