//! Processes that search together: those of this machine, which the command starts, or those of a list of hosts.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::ArgMatches;
use refmap::explore::{Limits, Watch};
use refmap::internal::explore::{Clock, Peers, PeersError};
use refmap::internal::input::{Interrupted, Source};
use refmap_distributed::{ConnectError, Connected, Greeting, Hosts, Patience, connect, connect_on};
use tempfile::NamedTempFile;

use super::ending;
use super::grammar::{HOSTS, PEER_TIMEOUT, PROCESS, PROCESSES, STARTED};
use super::status::Status;
use crate::temporary::Temporary;

/// Time for which the processes of a list of hosts wait for each other.
const MEETING: Duration = Duration::from_secs(600);
/// Greatest number of bytes of a list of hosts.
const LIST: u64 = 1 << 20;

/// Time after which a process that gives no sign of life is lost, by default.
const SILENCE: Duration = Duration::from_secs(30);

/// Processes that a command asks for.
pub(super) struct Company {
    which: Which,
    /// Words of the command on which the outcome of the check depends, the name of the check first.
    words: Vec<String>,
    /// Workers of each process of this machine, and its limits.
    threads: usize,
    limits: Limits,
    /// Folder to which states go when memory is short.
    spill: Option<PathBuf>,
    patience: Patience,
}

enum Which {
    /// So many on this machine, of which this one is the first.
    Here(usize),
    /// Process of this number among those of a file.
    Among {
        hosts: PathBuf,
        process: usize,
        /// Whether another one has started it.
        is_started: bool,
    },
}

/// Error: processes do not come together.
#[derive(Debug, thiserror::Error)]
pub enum CompanyError {
    /// The list of hosts cannot be read, or written.
    #[error("cannot use {}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Reason for it.
        cause: io::Error,
    },
    /// A process of this machine cannot be started.
    #[error("cannot start process {process}: {cause}")]
    Start {
        /// Its number.
        process: usize,
        /// Reason for it.
        cause: io::Error,
    },
    /// A process of this machine ended before the search began.
    #[error("process {process} has ended before the search began: {said}")]
    Ended {
        /// Its number.
        process: usize,
        /// Text that it wrote to its standard error.
        said: String,
    },
    /// A process of this machine was killed before the search began.
    #[error("process {process} was killed by signal {signal} before the search began")]
    Killed {
        /// Its number.
        process: usize,
        /// Number of the signal.
        signal: i32,
    },
    /// The processes cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A process was lost when the search was over.
    #[error(transparent)]
    Lost(#[from] PeersError),
}

impl CompanyError {
    /// Status of the command: of what could be as well another time nothing is claimed.
    pub(super) fn status(&self) -> Status {
        match self {
            Self::File { cause, .. } if Interrupted::in_error(cause).is_some() => {
                Status::Incomplete
            }
            Self::Lost(_)
            | Self::Connect(
                ConnectError::Lost { .. }
                | ConnectError::Silent { .. }
                | ConnectError::Missing { .. }
                | ConnectError::Cancelled,
            )
            | Self::Killed { .. } => Status::Incomplete,
            _ => Status::Unusable,
        }
    }
}

impl Company {
    /// Processes that the options ask for, with the words of the command.
    pub fn asked(
        matches: &ArgMatches,
        check: &str,
        mut words: Vec<String>,
        threads: usize,
        limits: Limits,
    ) -> Option<Self> {
        let here = matches.get_one::<u16>(PROCESSES);
        let hosts = matches.get_one::<PathBuf>(HOSTS);
        let process = matches.get_one::<u16>(PROCESS);
        let which = match (here, hosts, process) {
            (Some(here), _, _) => Which::Here((*here).into()),
            (None, Some(hosts), Some(process)) => Which::Among {
                hosts: hosts.clone(),
                process: (*process).into(),
                is_started: matches.get_flag(STARTED),
            },
            _ => return None,
        };
        words.insert(0, check.to_owned());
        let silence = matches.get_one::<u32>(PEER_TIMEOUT).copied();
        let limit = limits.seconds.map(Duration::try_from_secs_f64);
        let patience = Patience {
            meeting: limit.and_then(Result::ok).unwrap_or(MEETING).min(MEETING),
            silence: silence.map_or(SILENCE, |seconds| Duration::from_secs(seconds.into())),
        };
        Some(Self {
            which,
            words,
            threads,
            limits,
            spill: matches.get_one("spill").cloned(),
            patience,
        })
    }

    /// Connects with the others, which are started if they are to be on this machine.
    pub fn join(&self, cancel: &AtomicBool) -> Result<Joined, CompanyError> {
        let greeting = Greeting {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            search: self.words.join(" "),
        };
        let cancelled = || cancel.load(Ordering::Relaxed);
        match &self.which {
            Which::Among {
                hosts,
                process,
                is_started,
            } => {
                if *is_started {
                    end_with_input();
                }
                let text = text(hosts, self.limits, cancel);
                let text = text.map_err(|cause| CompanyError::File {
                    path: hosts.clone(),
                    cause,
                })?;
                let hosts = Hosts::read(&text)?;
                let connected = connect(&hosts, *process, &greeting, self.patience, &cancelled)?;
                Ok(Joined {
                    connected: Arc::new(connected),
                    _started: Started::default(),
                })
            }
            Which::Here(processes) => self.start(*processes, &greeting, &cancelled),
        }
    }

    fn start(
        &self,
        processes: usize,
        greeting: &Greeting,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Joined, CompanyError> {
        let (listener, text) = listen(processes).map_err(ConnectError::Io)?;
        let hosts = Hosts::read(&text)?;
        let file = written(&text).map_err(|cause| CompanyError::File {
            path: std::env::temp_dir(),
            cause,
        })?;
        let started = Started::default();
        for process in 1..processes {
            let command = self.command(file.get().path(), process);
            let child = command.and_then(|mut command| command.spawn());
            started.add(child.map_err(|cause| CompanyError::Start { process, cause })?);
        }
        let ended = || cancelled() || started.ended().is_some();
        match connect_on(listener, &hosts, 0, greeting, self.patience, &ended) {
            Ok(connected) => Ok(Joined {
                connected: Arc::new(connected),
                _started: started,
            }),
            Err(error) => Err(started.said().unwrap_or(error.into())),
        }
    }

    /// The command of another process of this machine: it says and writes nothing.
    fn command(&self, hosts: &Path, process: usize) -> io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        let option = |name: &str, value: &dyn ToString| format!("--{name}={}", value.to_string());
        command.arg("check").args(&self.words).args([
            option(PROCESS, &process),
            option("workers", &self.threads),
            option(PEER_TIMEOUT, &self.patience.silence.as_secs()),
            format!("--{STARTED}"),
            "--quiet".to_owned(),
        ]);
        let mut file = OsString::from(format!("--{HOSTS}="));
        file.push(hosts);
        command.arg(file);
        if let Some(folder) = &self.spill {
            let mut spill = OsString::from("--spill=");
            spill.push(folder);
            command.arg(spill);
        }
        if let Some(seconds) = self.limits.seconds {
            command.arg(option("max-seconds", &seconds));
        }
        if let Some(bytes) = self.limits.memory_bytes {
            command.arg(option("max-memory", &bytes));
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Ok(command)
    }
}

/// A listener of this process, and the addresses of all that are on this machine, one a line.
fn listen(processes: usize) -> io::Result<(TcpListener, String)> {
    let listeners = (0..processes).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
    let mut listeners = listeners.collect::<io::Result<Vec<_>>>()?;
    let mut text = String::new();
    for listener in &listeners {
        text += &format!("{}\n", listener.local_addr()?);
    }
    // The ports of the others are free again: should another program take one, that process says so and ends.
    Ok((listeners.swap_remove(0), text))
}

/// Ends this process when its input does: whoever has started it is not there any more, whatever this one is waiting for.
fn end_with_input() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        ending::exit(Status::Incomplete);
    });
}

/// The text of a list of hosts.
fn text(hosts: &Path, limits: Limits, cancel: &AtomicBool) -> io::Result<String> {
    let watch = Watch {
        cancel: Some(cancel),
        ..Watch::default()
    };
    // A list is short, and a process that is out of memory tells the others so when they have come together.
    let limits = Limits {
        memory_bytes: None,
        ..limits
    };
    let mut text = String::new();
    let mut input = Source::file(hosts, Clock::new(limits, watch))?.take(LIST);
    input.read_to_string(&mut text)?;
    if input.limit() == 0 {
        let reason = format!("a list of hosts has less than {LIST} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(text)
}

fn written(text: &str) -> io::Result<Temporary<NamedTempFile>> {
    let file = Temporary::make(NamedTempFile::new)?;
    file.get().as_file().write_all(text.as_bytes())?;
    Ok(file)
}

/// Processes that were started, which end with this one.
#[derive(Default)]
struct Started(Mutex<Vec<Child>>);

impl Started {
    fn children(&self) -> std::sync::MutexGuard<'_, Vec<Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, child: Child) {
        self.children().push(child);
    }

    /// Place of the first that has ended.
    fn ended(&self) -> Option<usize> {
        let mut children = self.children();
        let mut all = children.iter_mut();
        all.position(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// The error of a process that has ended, with what it wrote.
    fn said(&self) -> Option<CompanyError> {
        let place = self.ended()?;
        let process = place + 1;
        let mut children = self.children();
        let child = &mut children[place];
        if let Some(signal) = child.try_wait().ok().flatten().and_then(signal_of) {
            return Some(CompanyError::Killed { process, signal });
        }
        let mut said = String::new();
        if let Some(mut errors) = child.stderr.take() {
            let _ = errors.read_to_string(&mut said);
        }
        let said = said.trim();
        Some(CompanyError::Ended {
            process,
            said: said.strip_prefix("error: ").unwrap_or(said).to_owned(),
        })
    }
}

/// Number of the signal that has ended a process, if one has.
#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

impl Drop for Started {
    fn drop(&mut self) {
        for child in self.children().iter_mut() {
            // One that has ended is not there any more.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Processes that have come together.
pub(super) struct Joined {
    connected: Arc<Connected>,
    _started: Started,
}

impl Joined {
    /// The peers of a search.
    pub fn peers(&self) -> Arc<dyn Peers> {
        Arc::clone(&self.connected) as Arc<dyn Peers>
    }

    /// Leaves the others, who are told the reason.
    pub fn leave(&self, reason: &str) {
        self.connected.leave(reason);
    }

    /// Parts from the others, whose search is over too.
    pub fn finish(self) -> Result<(), CompanyError> {
        Ok(self.connected.finish()?)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// Whichever has ended, while others go on.
    #[test]
    fn any_process_that_has_ended_is_told() {
        let goes_on = "exec sleep 60";
        let ends = "echo 'error: no host' >&2; exit 2";
        for place in 0..3 {
            let started = Started::default();
            for at in 0..3 {
                let script = if at == place { ends } else { goes_on };
                let mut command = Command::new("sh");
                command.args(["-c", script]).stderr(Stdio::piped());
                started.add(command.spawn().expect("there is a shell"));
            }
            let error = loop {
                match started.said() {
                    Some(error) => break error,
                    None => thread::sleep(Duration::from_millis(1)),
                }
            };
            let CompanyError::Ended { process, said } = error else {
                panic!("{error:?}");
            };
            assert_eq!((process, said.as_str()), (place + 1, "no host"));
        }
    }
}
