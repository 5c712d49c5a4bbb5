//! The little of HTTP that the explorer speaks: requests without a body, read within bounds, and their answers.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of a request: an address of 5 000 steps, and headers.
const MOST_BYTES: usize = 64 << 10;
/// The most headers.
const MOST_HEADERS: usize = 64;
/// Greatest time that a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request that the explorer may answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// Path and query.
    pub target: String,
    /// The host that it was sent to.
    pub host: String,
}

/// Reason for which a request is not answered, by the status to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is none of HTTP, or was cut short.
    Malformed,
    /// It asks for something to be done.
    Method,
    /// It was not sent to this host: another site's page may have sent it (DNS rebinding).
    Host,
    /// It takes more bytes than any request of the explorer.
    TooLong,
    /// There is no such page, or the token is wrong.
    NotFound,
}

impl Refused {
    /// The reason, in a sentence.
    fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "This is no request that can be read.",
            Self::Method => "The explorer answers GET alone.",
            Self::Host => {
                "The request was not sent to the address that the explorer told when it was started."
            }
            Self::TooLong => "The request is longer than any of the explorer's own.",
            Self::NotFound => {
                "There is no such page. An explorer that is started again has another address: it tells it, and `--at` leads \
                 to the place where you were."
            }
        }
    }

    fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::Method => "405 Method Not Allowed",
            Self::Host => "403 Forbidden",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::NotFound => "404 Not Found",
        }
    }
}

/// Answer to a request.
pub enum Answer {
    Page(String),
    /// A page that is to be asked for again soon.
    Again(String),
    /// To this path.
    Redirect(String),
}

/// Reads the request that a client sends.
///
/// # Errors
///
/// If it is malformed, too long, or takes too long to arrive.
pub fn read(stream: &mut impl Read) -> Result<Request, Refused> {
    let started = Instant::now();
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let read = stream.read(&mut part).map_err(|_| Refused::Malformed)?;
        if read == 0 || started.elapsed() > PATIENCE {
            return Err(Refused::Malformed);
        }
        bytes.extend_from_slice(&part[..read]);
        if let Some(request) = parse(&bytes)? {
            return Ok(request);
        }
        if bytes.len() > MOST_BYTES {
            return Err(Refused::TooLong);
        }
    }
}

/// The request of these bytes, if they are all of one.
fn parse(bytes: &[u8]) -> Result<Option<Request>, Refused> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => (),
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refused::TooLong),
        Err(_) => return Err(Refused::Malformed),
    }
    if request.method != Some("GET") {
        return Err(Refused::Method);
    }
    let mut hosts = request
        .headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("host"));
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => std::str::from_utf8(host.value).map_err(|_| Refused::Host)?,
        _ => return Err(Refused::Host),
    };
    Ok(Some(Request {
        target: request.path.unwrap_or_default().to_owned(),
        host: host.to_owned(),
    }))
}

/// Limits the time that a client may take.
pub fn bound(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// Sends an answer, after which the connection is closed.
pub fn write(stream: &mut impl Write, answer: &Result<Answer, Refused>) -> io::Result<()> {
    let (status, more, body) = match answer {
        Ok(Answer::Page(page)) => ("200 OK", String::new(), &**page),
        Ok(Answer::Redirect(to)) => ("303 See Other", format!("Location: {to}\r\n"), ""),
        Ok(Answer::Again(page)) => ("200 OK", "Refresh: 1\r\n".to_owned(), &**page),
        Err(refused) => {
            let allowed = match refused {
                Refused::Method => "Allow: GET\r\n",
                _ => "",
            };
            (refused.status(), allowed.to_owned(), refused.reason())
        }
    };
    let kind = match answer {
        Ok(_) => "html",
        Err(_) => "plain",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/{kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: \
         close\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: \
         nosniff\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n{more}\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Request, Refused> {
        read(&mut text.as_bytes())
    }

    #[test]
    fn a_request_is_read_or_refused() {
        let request = Request {
            target: "/a?step=1".to_owned(),
            host: "localhost:1".to_owned(),
        };
        assert_eq!(
            read_text("GET /a?step=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n"),
            Ok(request)
        );
        for (text, refused) in [
            ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", Refused::Method),
            ("GET / HTTP/1.1\r\n\r\n", Refused::Host),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                Refused::Host,
            ),
            ("GET / HTTP/1.1\r\nHost: a\r\n", Refused::Malformed),
            ("", Refused::Malformed),
            ("\0\0\0", Refused::Malformed),
            ("GET /<> x HTTP/1.1\r\n\r\n", Refused::Malformed),
        ] {
            assert_eq!(read_text(text), Err(refused), "{text:?}");
        }
        // An address of as many steps as there may be.
        for steps in [400, 1_000, 3_000, 5_000] {
            let target = format!("/at/{}", vec!["123-abcd"; steps].join("."));
            let request = read_text(&format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
            let host = "a".to_owned();
            assert!(request == Ok(Request { target, host }), "{steps}");
        }
        let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(1 << 20));
        assert_eq!(read_text(&long), Err(Refused::TooLong));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(100));
        assert_eq!(read_text(&many), Err(Refused::TooLong));
    }
}
