//! Server of the explorer.

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Scope;
use std::time::Duration;

use refmap::explore::{Limits, Watchdog};
use refmap::internal::stepper::Stepper;

use super::Explored;
use super::address::Address;
use super::http::{self, Answer, Refused, Request};
use super::once::Once;
use super::place::Place;
use super::ran::Ran;
use crate::pictures::include::Within;

/// The most requests that are answered at a time.
const MOST_AT_A_TIME: usize = 16;
/// Interval at which the server looks for a request, or for the end.
const PAUSE: Duration = Duration::from_millis(20);

/// Work on the refinement that is done when it is first asked for.
#[derive(Default)]
struct Works {
    check: Once<Ran>,
    /// Page of the comparison of its systems, or the reason why there is none.
    comparison: Once<Result<String, String>>,
}

/// Data from which all requests are answered.
#[derive(Clone, Copy)]
struct Site<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    stepper: Stepper<'env>,
    explored: &'env Explored<'env>,
    works: &'scope Works,
    /// The path under which all pages are.
    base: &'scope str,
}

impl<'scope> Site<'scope, '_> {
    /// Result of the check, if it ends soon.
    fn run(&self) -> Option<&'scope Ran> {
        let (explored, stepper) = (self.explored, self.stepper);
        let work = move || Ran::of(explored, stepper);
        self.works.check.ask(self.scope, work)
    }

    /// Page of the comparison, if it ends soon.
    fn compare(&self) -> Option<&'scope Result<String, String>> {
        let Self {
            explored,
            stepper,
            base,
            ..
        } = *self;
        let work = move || (explored.compare)(Within { base, stepper });
        self.works.comparison.ask(self.scope, work)
    }
}

/// Address at which the explorer listens: a loopback one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen(SocketAddr);

/// Error: the explorer cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ExplorerError {
    /// The address is none.
    #[error(
        "{given:?} is no address: it must be like 127.0.0.1:8000, [::1]:8000 or localhost:8000"
    )]
    Address {
        /// The given text.
        given: String,
    },
    /// The address can be reached from other machines.
    #[error(
        "{given} can be reached from elsewhere: the explorer listens on this machine alone, at 127.0.0.1 or [::1]"
    )]
    Elsewhere {
        /// The given address.
        given: IpAddr,
    },
    /// The operating system refuses.
    #[error("cannot listen at {at}: {source}")]
    Listen {
        /// The address.
        at: SocketAddr,
        /// The error.
        source: io::Error,
    },
}

impl Default for Listen {
    fn default() -> Self {
        Self(SocketAddr::from(([127, 0, 0, 1], 0)))
    }
}

impl FromStr for Listen {
    type Err = ExplorerError;

    fn from_str(given: &str) -> Result<Self, ExplorerError> {
        let text = match given.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => given.to_owned(),
        };
        let Ok(at) = text.parse::<SocketAddr>() else {
            let given = given.to_owned();
            return Err(ExplorerError::Address { given });
        };
        if at.ip().is_loopback() {
            Ok(Self(at))
        } else {
            Err(ExplorerError::Elsewhere { given: at.ip() })
        }
    }
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    at: SocketAddr,
    token: String,
}

impl Server {
    /// Listens, on a port that is free where none was chosen.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn bind(Listen(at): Listen) -> Result<Self, ExplorerError> {
        let refused = |source| ExplorerError::Listen { at, source };
        let listener = TcpListener::bind(at).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let at = listener.local_addr().map_err(refused)?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| refused(io::Error::other(error)))?;
        let token = bytes.iter().fold(String::new(), |mut token, byte| {
            let _ = write!(token, "{byte:02x}");
            token
        });
        Ok(Self {
            listener,
            at,
            token,
        })
    }

    /// The address of its first page, or of the one at `address`.
    pub fn url(&self, address: &Address) -> String {
        let at = if address.0.is_empty() {
            String::new()
        } else {
            format!("at/{address}")
        };
        format!("http://{}/{}/{at}", self.at, self.token)
    }

    /// Answers requests until `cancel` is set.
    pub fn serve(&self, stepper: Stepper<'_>, explored: &Explored<'_>, cancel: &AtomicBool) {
        let works = Works::default();
        let base = format!("/{}/", self.token);
        let answering = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let site = Site {
                scope,
                stepper,
                explored,
                works: &works,
                base: &base,
            };
            while !cancel.load(Ordering::Relaxed) {
                let Ok((stream, _)) = self.listener.accept() else {
                    std::thread::sleep(PAUSE);
                    continue;
                };
                // One more is closed without an answer.
                if answering.fetch_add(1, Ordering::Relaxed) >= MOST_AT_A_TIME {
                    answering.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let answering = &answering;
                scope.spawn(move || {
                    let explored = site.explored;
                    let answer = |_: &Watchdog| self.answer(stream, &site);
                    let _ = explored
                        .watchdogs
                        .watching(explored.check, Limits::default(), answer);
                    answering.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
    }

    fn answer(&self, mut stream: TcpStream, site: &Site<'_, '_>) -> io::Result<()> {
        http::bound(&stream)?;
        let request = http::read(&mut stream);
        let answer = request.and_then(|request| self.page(&request, site));
        http::write(&mut stream, &answer)
    }

    /// The page that is asked for.
    fn page(&self, request: &Request, site: &Site<'_, '_>) -> Result<Answer, Refused> {
        if !is_host(&request.host, self.at) {
            return Err(Refused::Host);
        }
        let rest = request.target.strip_prefix('/').ok_or(Refused::NotFound)?;
        let (token, rest) = rest.split_once('/').ok_or(Refused::NotFound)?;
        if !is_same(token, &self.token) {
            return Err(Refused::NotFound);
        }
        let place = Place {
            base: site.base,
            explored: site.explored,
            stepper: site.stepper,
            ran: site.works.check.done(),
        };
        match rest {
            "run" => {
                let ran = site.run();
                return Ok(Place { ran, ..place }.end());
            }
            "include" => return Ok(place.comparison(site.compare())),
            _ => {}
        }
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let address = match path {
            "" => Ok(Address::default()),
            _ => path.strip_prefix("at/").ok_or(Refused::NotFound)?.parse(),
        };
        let address = address.map_err(|_| Refused::NotFound)?;
        let step = match query {
            "" => None,
            _ => {
                let step = query.strip_prefix("step=").ok_or(Refused::NotFound)?;
                Some(step.parse().map_err(|_| Refused::NotFound)?)
            }
        };
        Ok(Answer::Page(place.page(&address, step)))
    }
}

/// True if a `Host` is the address that is listened at; the port of HTTP may be left out.
fn is_host(host: &str, at: SocketAddr) -> bool {
    let host = match at.port() {
        80 if host
            .rsplit(']')
            .next()
            .is_some_and(|end| !end.contains(':')) =>
        {
            format!("{host}:80")
        }
        _ => host.to_owned(),
    };
    host == at.to_string() || host == format!("localhost:{}", at.port())
}

/// True if two texts are equal, in a time that does not tell where they differ.
fn is_same(a: &str, b: &str) -> bool {
    let bytes = a.bytes().zip(b.bytes());
    a.len() == b.len() && bytes.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_the_address_that_is_listened_at() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (host, listened, is) in [
            ("127.0.0.1:8000", "127.0.0.1:8000", true),
            ("localhost:8000", "127.0.0.1:8000", true),
            ("[::1]:8000", "[::1]:8000", true),
            ("127.0.0.1", "127.0.0.1:80", true),
            ("localhost", "127.0.0.1:80", true),
            ("[::1]", "[::1]:80", true),
            ("localhost:80", "[::1]:80", true),
            ("127.0.0.1", "127.0.0.1:8000", false),
            ("example.org", "127.0.0.1:80", false),
            ("example.org:8000", "127.0.0.1:8000", false),
            ("127.0.0.1:81", "127.0.0.1:80", false),
            ("", "127.0.0.1:80", false),
        ] {
            assert_eq!(is_host(host, at(listened)), is, "{host} {listened}");
        }
    }

    #[test]
    fn the_explorer_listens_on_this_machine_alone() {
        for own in ["127.0.0.1:0", "localhost:8000", "[::1]:0", "127.3.2.1:80"] {
            assert!(own.parse::<Listen>().is_ok(), "{own}");
        }
        for elsewhere in ["0.0.0.0:80", "192.168.1.1:80", "[::]:80"] {
            let error = elsewhere.parse::<Listen>().unwrap_err();
            assert!(matches!(error, ExplorerError::Elsewhere { .. }), "{error}");
        }
        for wrong in ["", "8000", "localhost", "example.org:80", "127.0.0.1"] {
            let error = wrong.parse::<Listen>().unwrap_err();
            assert!(matches!(error, ExplorerError::Address { .. }), "{error}");
        }
    }
}
