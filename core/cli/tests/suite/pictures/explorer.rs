//! The explorer, by its requests.

use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use super::run;
use crate::has;

/// An explorer that runs.
struct Running<'r> {
    /// Host and port.
    host: String,
    /// The path under which its pages are.
    base: String,
    cancel: &'r AtomicBool,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// Explores the line, and has `visit` make requests.
fn explore(more: &[&str], visit: impl FnOnce(&Running<'_>)) {
    explore_check("line", more, visit);
}

/// The same of a check.
fn explore_check(check: &str, more: &[&str], visit: impl FnOnce(&Running<'_>)) {
    let cancel = &AtomicBool::new(false);
    let (reader, mut writer) = pipe().expect("there are pipes");
    std::thread::scope(|scope| {
        let words: Vec<String> = ["explore", check]
            .iter()
            .chain(more)
            .map(|word| (*word).to_owned())
            .collect();
        scope.spawn(move || {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            run(&words, cancel, &mut writer).expect("it ends without an error");
        });
        let mut line = String::new();
        BufReader::new(reader)
            .read_line(&mut line)
            .expect("it tells its address");
        let address = line
            .trim()
            .strip_prefix(&format!("{check}: http://"))
            .expect("it is an address");
        let (host, base) = address.split_once('/').expect("it has a path");
        let running = Running {
            host: host.to_owned(),
            base: format!("/{base}"),
            cancel,
        };
        visit(&running);
    });
}

impl Running<'_> {
    /// Sends bytes, and returns status and body.
    fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        // A refusal may come before all is sent.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).expect("an answer is text");
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.unwrap_or(0), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host).as_bytes())
    }

    fn page(&self, rest: &str) -> String {
        let (status, body) = self.get(&format!("{}{rest}", self.base));
        assert_eq!(status, 200, "{rest}");
        body
    }

    /// The path of the end of the counterexample.
    fn end(&self) -> String {
        let request = format!(
            "GET {}run HTTP/1.1\r\nHost: {}\r\n\r\n",
            self.base, self.host
        );
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("an answer is text");
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        let location = answer.split("Location: ").nth(1);
        let location = location.and_then(|rest| rest.lines().next());
        location.expect("it tells where").to_owned()
    }

    /// The link of a row.
    fn link(&self, page: &str, row: usize) -> String {
        let row = page
            .split("<a class=\"take\" href=\"")
            .nth(row + 1)
            .expect("there is a row");
        let link = row.split('"').next().expect("a link has an end");
        link.strip_prefix(&self.base)
            .expect("it is a page")
            .to_owned()
    }
}

#[test]
fn a_step_is_taken_after_another() {
    explore(&[], |explorer| {
        let start = explorer.page("");
        assert!(start.contains("Initial states"));
        let first = explorer.page(&explorer.link(&start, 0));
        assert!(first.contains("Steps from here"));
        assert!(first.contains("On(name=n)") && first.contains("Stay"));
        let mut page = first;
        for _ in 0..2 {
            page = explorer.page(&explorer.link(&page, 0));
        }
        // The next step is the one that fails, and that is seen before it is taken.
        has(&page, "fails: simulation");
        let last = explorer.page(&explorer.link(&page, 0));
        has(&last, "<strong>simulation</strong> fails here");
        assert!(last.contains("its guard is false here"));
        assert!(last.contains("← back") && !last.contains("forward →"));
    });
}

#[test]
fn the_counterexample_is_reached_by_running_the_check() {
    explore(&[], |explorer| {
        let location = explorer.end();
        let (_, page) = explorer.get(&location);
        assert!(page.contains("step 3 of 3"));
        assert!(page.contains("<strong>simulation</strong> fails after 3 steps"));
        // In the middle of it the way on is marked.
        let (_, page) = explorer.get(&format!("{location}?step=1"));
        assert!(page.contains("step 1 of 3") && page.contains("<tr class=\"next\">"));
    });
}

#[test]
fn the_end_of_a_lasso_tells_how_it_goes_on() {
    let round = ["--round", "--obligations", "eventually:arrives"];
    explore(&round, |explorer| {
        let (_, page) = explorer.get(&explorer.end());
        for part in [
            "<strong>eventually:arrives</strong> fails: after 0 steps a loop of 3 steps",
            "?step=0\">state 0</a> again",
            "Why the loop is fair",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        // Before its end nothing is said of it.
        let (_, page) = explorer.get(&format!("{}?step=1", explorer.end()));
        assert!(!page.contains("Why the loop is fair"));
    });
}

#[test]
fn without_a_counterexample_that_is_told() {
    explore(&["--obligations", "deadlock"], |explorer| {
        assert!(explorer.page("run").contains("there is no counterexample"));
    });
}

/// A trace that the specification lacks has its states beside it, and can be walked with the mapping.
#[test]
fn the_comparison_without_the_mapping_is_a_page() {
    explore_check("seen", &[], |explorer| {
        assert!(explorer.page("").contains("include\">Compare without"));
        let page = explorer.page("include");
        for part in [
            "<span class=\"violated\">not included</span>",
            "1 state after the same trace",
            "none can follow",
            "to the initial states",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        let link = page.split("<a class=\"walk\" href=\"").nth(1);
        let link = link.and_then(|rest| rest.split('"').next());
        let (status, end) = explorer.get(link.expect("it can be walked"));
        assert_eq!(status, 200);
        has(&end, "step 3 of 3");
        assert!(end.contains("<strong>simulation</strong> fails here"));
    });
    explore(&[], |explorer| {
        let page = explorer.page("include");
        for part in [
            "<span class=\"holds\">included</span>",
            "A mapping: no variable is missing",
            // Nothing is observed of the line, so that all its states may have one image.
            "<th scope=\"row\"><code>image</code></th><td><code>{at=0, name=n}</code></td>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("class=\"walk\""));
    });
}

/// The address of a place that a changed model does not have any more.
#[test]
fn an_address_of_another_model_tells_where_they_differ() {
    let mut address = String::new();
    explore(&["--length", "5"], |explorer| {
        let mut page = explorer.page("");
        for _ in 0..5 {
            address = explorer.link(&page, 0);
            page = explorer.page(&address);
        }
    });
    explore(&["--length", "5", "--jumps-from", "2"], |explorer| {
        let page = explorer.page(&address);
        has(&page, "The model differs at step 3");
        assert!(page.contains("step 2 of 2"));
    });
    // The fourth step is to stay now, and no second step is offered.
    explore(&["--length", "3"], |explorer| {
        let page = explorer.page(&address);
        has(&page, "The model differs at step 4");
    });
    let at = address.strip_prefix("at/").unwrap();
    explore(&["--length", "5", "--at", at], |explorer| {
        assert!(explorer.base.ends_with(&address));
    });
}

#[test]
fn only_its_own_pages_are_asked_for() {
    explore(&[], |explorer| {
        let (host, base) = (&explorer.host, &explorer.base);
        let request =
            |host: &str, path: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let localhost = host.replace("127.0.0.1", "localhost");
        assert_eq!(explorer.send(request(&localhost, base).as_bytes()).0, 200);
        for foreign in [
            "example.org",
            "127.0.0.1",
            "localhost",
            "127.0.0.1.example.org:80",
            "",
        ] {
            assert_eq!(
                explorer.send(request(foreign, base).as_bytes()).0,
                403,
                "{foreign}"
            );
        }
        let without_token = [
            "/",
            "/0000",
            "/0000/",
            "/00000000000000000000000000000000/",
            "//",
            "/run",
        ];
        for path in without_token {
            assert_eq!(explorer.get(path).0, 404, "{path}");
        }
        for rest in [
            "nothing",
            "at/x",
            "at/0-0000?step=x",
            "at/0-0000?other=1",
            "../",
            "at/..%2f",
        ] {
            assert_eq!(explorer.get(&format!("{base}{rest}")).0, 404, "{rest}");
        }
        let post = format!("POST {base} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(explorer.send(post.as_bytes()).0, 405);
        let long = request(host, &format!("{base}{}", "a".repeat(1 << 20)));
        // The connection may be reset while it still sends.
        assert!([431, 0].contains(&explorer.send(long.as_bytes()).0));
        for cut in ["", "GET", "GET / HTTP/1.1\r\nHost: ", "\r\n\r\n\r\n"] {
            assert_eq!(explorer.send(cut.as_bytes()).0, 400, "{cut:?}");
        }
        // After all that it still answers.
        assert_eq!(explorer.get(base).0, 200);
    });
}

#[test]
fn a_hostile_state_is_text_in_the_explorer_too() {
    explore(&["--hostile"], |explorer| {
        let start = explorer.page("");
        let page = explorer.page(&explorer.link(&start, 0));
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        assert_eq!(page.matches("<script").count(), 1);
    });
}

#[test]
fn elsewhere_it_does_not_listen() {
    for (given, part) in [
        ("0.0.0.0:0", "can be reached from elsewhere"),
        ("somewhere", "is no address"),
    ] {
        let words = ["explore", "line", "--listen", given];
        let error = run(&words, &AtomicBool::new(true), &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    let words = ["explore", "line", "--obligations", "nothing"];
    let error = run(&words, &AtomicBool::new(true), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("nothing"), "{error}");
}
