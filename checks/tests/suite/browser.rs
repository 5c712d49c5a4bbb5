//! Pages and the explorer in headless Chromium, by the scripts in `tests/browser`.
//!
//! They need Chromium, Node.js and the packages of `tests/browser/package.json`, installed in the folder `browser` of the
//! target folder. Where these are missing the tests say that they were skipped, and pass, unless `REFMAP_BROWSER_TESTS` is
//! `required`, as it is where changes are checked before they land.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::has;
use crate::program::{checkout, refmap, status, text};

/// Runs a script of `tests/browser` with these arguments. It fails by its status.
fn run(script: &str, arguments: &[&str]) {
    let modules = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("browser");
    let chromium = Path::new("/usr/bin/chromium");
    let missing = [&modules.join("node_modules"), chromium];
    if let Some(missing) = missing.into_iter().find(|path| !path.exists()) {
        let required =
            std::env::var_os("REFMAP_BROWSER_TESTS").is_some_and(|how| how == "required");
        assert!(!required, "there is no {}", missing.display());
        eprintln!("skipped: there is no {}", missing.display());
        return;
    }
    let script = checkout().join("checks/tests/browser").join(script);
    let output = Command::new("node")
        .arg(&script)
        .args(arguments)
        .env("REFMAP_BROWSER_MODULES", &modules)
        .env("REFMAP_CHROMIUM", chromium)
        .output()
        .expect("there is Node.js");
    let (told, error) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{}: {told}{error}",
        script.display()
    );
    eprint!("{told}");
}

/// Pages of the claims of the catalogue.
pub struct Pages {
    folder: TempDir,
    count: usize,
}

impl Pages {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("there is room for pages"),
            count: 0,
        }
    }

    /// Adds a page.
    pub fn add(&mut self, html: &str) {
        self.count += 1;
        let file = format!("{:03}.html", self.count);
        fs::write(self.folder.path().join(file), html).expect("there is room for a page");
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Has each of them validated, and looked at in the browser.
    pub fn look(&self) {
        run("pages.mjs", &[path(self.folder.path())]);
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// Writes the page of a command.
fn written(folder: &TempDir, name: &str, words: &str) -> PathBuf {
    let file = folder.path().join(name);
    let output = refmap(&format!("{words} --html {}", path(&file)));
    assert_eq!(status(&output), 1, "{}", text(&output.stderr));
    file
}

#[test]
fn a_page_is_read_by_keyboard_without_scripts_and_in_both_themes() {
    let folder = tempfile::tempdir().unwrap();
    let page = written(
        &folder,
        "page.html",
        "check ben-ari-3 --figure-14 as-printed --quiet",
    );
    // In an order without a pattern, since what repeats itself is told in a line.
    let last = 2000;
    let mut order: Vec<u32> = (0..=last).collect();
    order.sort_by_key(|at| at.wrapping_mul(*at).wrapping_mul(0x9E37_79B1) >> 7);
    let pairs = order.windows(2);
    let steps: Vec<_> = pairs.map(|pair| json!([pair[0], "go", pair[1]])).collect();
    let (first, before_last) = (order[0], order[last as usize - 1]);
    let line = json!({
        "name": "line", "states": last + 1, "initial": [first], "labels": {"Q": [before_last]}, "steps": steps,
        "fairness": [{"name": "go", "kind": "weak", "rules": ["go"]}],
        "properties": [{"name": "p", "kind": "always_eventually", "conclusion": "Q"}],
    });
    let graph = folder.path().join("line.jsonl");
    fs::write(&graph, line.to_string()).unwrap();
    let long = written(&folder, "long.html", &format!("graph {}", path(&graph)));
    run("keys.mjs", &[path(&page), path(&long)]);
    run("pages.mjs", &[path(folder.path())]);
}

/// An explorer that runs.
struct Explorer(Child);

impl Drop for Explorer {
    fn drop(&mut self) {
        // It has ended by itself if it failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Explorer {
    /// Starts it, and returns the address that it tells.
    fn start(words: &str) -> (Self, String) {
        let child = Command::new(env!("CARGO_BIN_EXE_refmap"))
            .args(words.split_whitespace())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("the program runs");
        let output = child.stdout.take().expect("its output is piped");
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .expect("it tells its address");
        let url = line.trim().split(": ").nth(1).expect("it is an address");
        (Self(child), url.to_owned())
    }
}

/// A run of real threads has a page, whatever it finds.
#[test]
fn a_stress_run_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    refmap(&format!(
        "stress ben-ari --seconds 0.05 --quiet --html {}",
        path(&page)
    ));
    let html = fs::read_to_string(&page).unwrap();
    has(&html, "<h2>What was exercised</h2>");
    run("pages.mjs", &[path(folder.path())]);
}

#[test]
fn the_explorer_reaches_the_end_of_a_counterexample_by_clicks_and_by_keys() {
    let check = "explore ben-ari-3 --nodes 1 --sons 1 --roots 1 --figure-14";
    let (_explorer, url) = Explorer::start(&format!("{check} as-printed"));
    let (_other, changed) = Explorer::start(&format!("{check} corrected"));
    run("explorer.mjs", &[&url, &changed, "23"]);
}

/// The answer of an explorer to a request for a page.
fn page(url: &str, rest: &str) -> String {
    let address = url.strip_prefix("http://").expect("it is an address");
    let (host, base) = address.split_once('/').expect("it has a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "GET /{base}{rest} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it reads");
    let mut answer = String::new();
    // There may be none, where too many ask at a time.
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// Those who ask for the end of a check that takes minutes are told that it runs, and others get their pages meanwhile.
#[test]
fn a_check_that_takes_long_leaves_the_explorer_free() {
    let (_explorer, url) = Explorer::start("explore ben-ari --nodes 5 --sons 2 --roots 2");
    let url = &url;
    std::thread::scope(|scope| {
        let asked = (0..20).map(|_| scope.spawn(|| page(url, "run")));
        let asked: Vec<_> = asked.collect();
        let told = asked
            .into_iter()
            .map(|one| one.join().expect("it is asked"));
        let told: Vec<String> = told.filter(|answer| !answer.is_empty()).collect();
        assert!(!told.is_empty());
        for answer in told {
            has(&answer, "\r\nRefresh: 1\r\n");
            has(&answer, "<p>The check runs.");
        }
    });
    let first = page(url, "");
    assert!(first.starts_with("HTTP/1.1 200 OK"), "{first}");
    has(&first, "Initial states");
}
