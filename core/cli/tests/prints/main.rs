//! The command line over a model that prints, ends the process, or panics when its values are dropped: a program of its own, since it runs
//! itself as that command line.
//!
//! Standard output and standard error are those of a process here, with their locks; a test within another program has neither.

#![allow(clippy::print_stdout, reason = "a model that prints is what is tested")]

mod drops;

use std::env;
use std::fmt::{self, Debug};
#[cfg(unix)]
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use refmap::AbstractSteps::One;
use refmap::obligation::Checker;
use refmap::{Action, State, TransitionSystem};
use refmap_cli::catalogue::{Catalogue, Check, InputError, Nothing, StressRun};
use refmap_cli::{OutputFile, clap};
use refmap_testing::{Mapped, mapped};
use serde::Serialize;

/// Set where the program is the command line.
const IS_COMMAND_LINE: &str = "REFMAP_TEST_PRINTS";
/// Long enough for a check of milliseconds on a busy machine: a program that waits for a lock takes for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Functions of the model that can print, or end the process.
const FUNCTIONS: [&str; 9] = [
    "fire",
    "initial",
    "map",
    "observe",
    "hash",
    "eq",
    "clone",
    "debug",
    "serialize",
];

/// The function that prints.
static PRINTS: OnceLock<String> = OnceLock::new();

/// The function that ends the process.
static EXITS: OnceLock<String> = OnceLock::new();

fn called(function: &str) {
    if EXITS.get().is_some_and(|exits| exits == function) {
        std::process::exit(0);
    }
    if PRINTS.get().is_some_and(|prints| prints == function) {
        println!("printed by {function}");
        eprintln!("and told by {function}");
    }
}

/// Counts to a number, and is violated at the last one.
struct Counter(u16);

struct Number(u16);

impl Clone for Number {
    fn clone(&self) -> Self {
        called("clone");
        Self(self.0)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        called("eq");
        self.0 == other.0
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        called("hash");
        self.0.hash(hasher);
    }
}

impl Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        called("debug");
        self.0.fmt(f)
    }
}

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        called("serialize");
        self.0.serialize(serializer)
    }
}

impl<S: ?Sized> State<S> for Number {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Step {
    Increment,
}

impl TransitionSystem for Counter {
    type State = Number;
    type Action = Step;
    type Observation = u16;

    fn initial(&self, visit: &mut impl FnMut(Number)) {
        called("initial");
        visit(Number(0));
    }

    fn fire(&self, _: &Step, number: &mut Number) -> Option<()> {
        called("fire");
        number.0 = (number.0 + 1) % self.0;
        Some(())
    }

    fn observe(&self, state: &Number) -> u16 {
        called("observe");
        state.0
    }
}

/// A counter, of which one state is mapped wrongly, so that a counterexample is shown.
fn counting(states: u16) -> Mapped<Counter, Counter> {
    let map = move |number: &Number| {
        called("map");
        Number(if number.0 == states / 2 { 0 } else { number.0 })
    };
    let one = |_: &_, action: &Step, _: &_| One(action.clone());
    mapped(Counter(states), Counter(states), map, one)
}

#[derive(Clone, clap::Args)]
struct Prints {
    #[arg(long, default_value = "fire", value_parser = FUNCTIONS)]
    prints: String,

    #[arg(long, value_parser = FUNCTIONS)]
    exits: Option<String>,
}

fn catalogue() -> Catalogue {
    let count = Check::new("count", "", "", |arguments: &Prints| {
        // Of all claims the first one decides.
        PRINTS.get_or_init(|| arguments.prints.clone());
        if let Some(exits) = &arguments.exits {
            EXITS.get_or_init(|| exits.clone());
        }
        Ok(Box::new(Checker::owning(counting(300))))
    });
    let claims = "
| claim | expected | source |
|---|---|---|
| `check count --prints hash` | violated by observation | this test: it is mapped wrongly |
| `check count --prints map` | violated by observation | this test: it is mapped wrongly |
";
    Catalogue {
        checks: vec![count, drops::check()],
        claims: claims.to_owned(),
        stress: vec![writes()],
        ..Catalogue::default()
    }
}

/// A run that does not come to the end of what it writes.
fn writes() -> StressRun {
    StressRun::new("writes", "", "", |_: &Nothing, settings| {
        let path = settings.record.expect("it is run with a file");
        let file = OutputFile::prepare(path).map_err(InputError::instance)?;
        let written = file.write(settings.cancel, |file| {
            file.write_all(&[0; 1 << 16])?;
            println!("begun");
            loop {
                thread::park();
            }
        });
        written.map_err(InputError::instance)?;
        unreachable!("what is written has no end")
    })
}

fn program() -> Command {
    let mut program = Command::new(env::current_exe().expect("the program has a path"));
    program.env(IS_COMMAND_LINE, "1");
    program
}

/// Waits for the end of a process, which it kills if that does not come.
fn ended(mut child: Child, told: &str) -> Output {
    let mut stdout = child.stdout.take().expect("it is a pipe");
    let mut stderr = child.stderr.take().expect("it is a pipe");
    let read_all = |reader: &mut dyn Read| {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).expect("a pipe can be read");
        all
    };
    thread::scope(|scope| {
        let stdout = scope.spawn(move || read_all(&mut stdout));
        let stderr = scope.spawn(move || read_all(&mut stderr));
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it is a child") {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                panic!("{told}: it does not end");
            }
            thread::sleep(Duration::from_millis(5));
        };
        Output {
            status,
            stdout: stdout.join().expect("it has read all"),
            stderr: stderr.join().expect("it has read all"),
        }
    })
}

/// Exit status of a run of the command line, with the texts on standard output and on standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let child = program()
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let output = ended(child, &arguments.join(" "));
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Whatever prints, the check ends with its report, and what was printed is there, on lines of its own.
fn prints_go_through() {
    for function in FUNCTIONS {
        for threads in ["1", "3"] {
            let arguments = ["check", "count", "--prints", function, "--threads", threads];
            let (status, stdout, stderr) = run(&arguments);
            assert_eq!(status, Some(1), "{function}: {stdout}{stderr}");
            let printed = format!("printed by {function}");
            let told = format!("and told by {function}");
            assert!(
                stdout.lines().any(|line| line == printed),
                "{function}: {stdout}"
            );
            assert!(
                stderr.lines().any(|line| line == told),
                "{function}: {stderr}"
            );
            assert!(stdout.contains("observation"), "{function}: {stdout}");
        }
    }
}

/// A model that says with status 0 that all is well decides nothing, whichever function of it does, and on whatever thread.
#[cfg(unix)]
fn an_exit_is_no_success() {
    // Without a mapping it is not asked for one, and nothing is shown of its states.
    let of_include = FUNCTIONS
        .into_iter()
        .filter(|function| !["map", "serialize"].contains(function));
    let of_include = of_include.map(|function| ["include", function, ""]);
    let of_check = FUNCTIONS.into_iter().flat_map(|function| {
        let threads = ["1", "3"].into_iter();
        threads.map(move |threads| ["check", function, threads])
    });
    for [command, function, threads] in of_check.chain(of_include) {
        let mut arguments = vec![command, "count", "--exits", function];
        if !threads.is_empty() {
            arguments.extend(["--threads", threads]);
        }
        let (status, stdout, stderr) = run(&arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {stdout}{stderr}");
        let told = "error: a function of the model ended the process by `exit`";
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
    }
    // Without one the same command is.
    let (status, stdout, stderr) = run(&["include", "count"]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
}

#[cfg(not(unix))]
fn an_exit_is_no_success() {}

/// Values that are tried of those that a command drops: as many of the first ones, and as many of the others.
const TRIED: u32 = 25;

/// Whichever value panics when it is dropped, on whatever thread, it is no success: the command says so, or the process is aborted where
/// the stack was being unwound.
fn a_panic_in_drop_is_no_success() {
    for command in [
        &["check", "drops", "--threads", "1"][..],
        &["check", "drops", "--threads", "2"],
        &["include", "drops"],
    ] {
        let of_value = |number: u32| {
            let number = number.to_string();
            let (status, stdout, stderr) =
                run(&[command, &["--quiet", "--panics", &number]].concat());
            let dropped = stderr
                .lines()
                .find_map(|line| line.strip_suffix(" values dropped"));
            let dropped: Option<u32> = dropped.and_then(|dropped| dropped.parse().ok());
            (status, dropped, stdout + &stderr)
        };
        let (status, dropped, told) = of_value(0);
        assert_eq!(status, Some(0), "{command:?}: {told}");
        let dropped = dropped.expect("it is told");
        let every = (dropped / TRIED).max(1) as usize;
        let first = 1..=dropped.min(TRIED);
        let others = (TRIED + 1..=dropped).step_by(every);
        for number in first.chain(others) {
            let (status, dropped, told) = of_value(number);
            // A second worker may find nothing to do, and then fewer are dropped.
            let is_success = status == Some(0) && dropped.is_some_and(|dropped| dropped >= number);
            assert!(!is_success, "{command:?}: value {number}: {told}");
        }
    }
}

/// Output of the model stands beside the JSON, which is whole.
fn json_is_whole() {
    let arguments = [
        "check",
        "count",
        "--prints",
        "hash",
        "--threads",
        "2",
        "--json",
    ];
    let (status, stdout, _) = run(&arguments);
    assert_eq!(status, Some(1), "{stdout}");
    let json: String = stdout
        .lines()
        .filter(|line| *line != "printed by hash")
        .collect();
    let report: serde_json::Value = serde_json::from_str(&json).expect("the rest is one object");
    assert_eq!(report["verdict"], "violated");
    assert!(stdout.contains("printed by hash"), "{stdout}");
}

/// The default run has several workers, and writes rows while they run.
fn the_default_run_ends() {
    let (status, stdout, stderr) = run(&["--threads", "2"]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("2 claims: 2 as claimed"), "{stdout}");
    assert!(stdout.contains("printed by"), "{stdout}");
}

/// The explorer answers, though the model prints for each page.
fn the_explorer_answers() {
    let mut child = program()
        .args(["explore", "count", "--prints", "fire"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let stdout = child.stdout.take().expect("it is a pipe");
    let mut lines = BufReader::new(stdout).lines();
    let url = lines.find_map(|line| {
        let line = line.expect("it is text");
        line.split_once("http://").map(|(_, url)| url.to_owned())
    });
    let url = url.expect("the address is told");
    // What is printed is read, as by a terminal.
    let printed = thread::spawn(move || {
        let printed = lines.map_while(Result::ok);
        printed.filter(|line| line == "printed by fire").count()
    });
    let (host, path) = url.split_once('/').expect("it has a path");
    // The first page, for which states are stepped through, and the one that runs the check.
    for page in [path.to_owned(), format!("{path}run")] {
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("it is a time");
        let request = format!("GET /{page} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(["200", "303"].contains(&status), "{page}: {answer}");
    }
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
    let printed = printed.join().expect("nothing panics here");
    assert!(printed > 0, "the model was asked");
}

/// On a terminal, too, where progress is drawn. `script` makes one.
#[cfg(unix)]
fn a_terminal_shows_prints_between_progress() {
    let exe = env::current_exe().expect("the program has a path");
    let command = format!("'{}' check count --prints fire --threads 2", exe.display());
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &command, "/dev/null"]);
    let child = script
        .env(IS_COMMAND_LINE, "1")
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = match child {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: there is no `script`");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let output = ended(child, "on a terminal");
    let shown = String::from_utf8(output.stdout).expect("it is text");
    assert_eq!(output.status.code(), Some(1), "{shown}");
    let printed = shown.matches("printed by fire").count();
    assert!(printed >= 300, "{printed} of 300 calls at least: {shown}");
    assert!(shown.contains("observation"), "{shown}");
}

#[cfg(not(unix))]
fn a_terminal_shows_prints_between_progress() {}

/// A second signal ends the command at once, and its draft of a file is gone.
#[cfg(unix)]
fn a_second_signal_leaves_no_draft() {
    let folder = tempfile::tempdir().expect("there is room");
    let names = || {
        let names = fs::read_dir(folder.path()).expect("it is there");
        names.map(|entry| entry.expect("it is there").file_name())
    };
    let mut child = program()
        .args(["stress", "writes", "--seconds", "1000", "--record"])
        .arg(folder.path().join("history.jsonl"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut lines = BufReader::new(child.stdout.as_mut().expect("it is a pipe")).lines();
    let begun = lines.find(|line| line.as_ref().is_ok_and(|line| line == "begun"));
    assert!(begun.is_some(), "it has begun to write");
    assert_eq!(names().count(), 1, "there is a draft");
    // One that comes while another is pending is lost: the second is sent until it has come.
    let id = child.id().to_string();
    let begun = Instant::now();
    while child.try_wait().expect("it is a child").is_none() && begun.elapsed() < PATIENCE {
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.expect("signals can be sent").success());
        thread::sleep(Duration::from_millis(5));
    }
    let output = ended(child, "stress writes");
    assert_eq!(output.status.code(), Some(128 + 15), "{output:?}");
    assert_eq!(names().collect::<Vec<_>>(), [""; 0]);
}

#[cfg(not(unix))]
fn a_second_signal_leaves_no_draft() {}

fn main() -> ExitCode {
    if env::var_os(IS_COMMAND_LINE).is_some() {
        let status = refmap_cli::main("prints", "A model that prints.", &catalogue());
        if drops::dropped() > 0 {
            eprintln!("{} values dropped", drops::dropped());
        }
        return status;
    }
    let tests: [(&str, fn()); 8] = [
        ("prints_go_through", prints_go_through),
        ("an_exit_is_no_success", an_exit_is_no_success),
        (
            "a_panic_in_drop_is_no_success",
            a_panic_in_drop_is_no_success,
        ),
        ("json_is_whole", json_is_whole),
        ("the_default_run_ends", the_default_run_ends),
        ("the_explorer_answers", the_explorer_answers),
        (
            "a_terminal_shows_prints_between_progress",
            a_terminal_shows_prints_between_progress,
        ),
        (
            "a_second_signal_leaves_no_draft",
            a_second_signal_leaves_no_draft,
        ),
    ];
    // The filters of `cargo test`, as far as they are names.
    let filters: Vec<String> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    for (name, test) in tests {
        if filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())) {
            test();
            println!("test {name} ... ok");
        }
    }
    ExitCode::SUCCESS
}
