//! The command line over a model of which a function does not return: a program of its own, since it runs itself as that command
//! line, which then ends with its process.

use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Checker, Selection};
use refmap::{
    Action, Choices, Constraint, Invariant, Refinement, Settings, State, TransitionSystem,
    TypeCorrect, Waiver, check as checked,
};
use refmap_cli::catalogue::table::{Instance, Row, Rows, Sweep, Table};
use refmap_cli::catalogue::{Catalogue, Check, Nothing, StressReport, StressRun, StressSettings};
use refmap_cli::clap;
use refmap_histories::object::Shared;
use refmap_histories::specifications::{Counter as Count, Operations, counter::Call};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// Set where the program is the command line.
const IS_COMMAND_LINE: &str = "REFMAP_TEST_UNRETURNED";
/// Function that does not return, whatever an argument says.
const HANGS_ANYWAY: &str = "REFMAP_TEST_HANGS";
/// Long enough for a command that is to end within two seconds, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(100);
/// Line on standard error of a function that does not return.
const HANGS: &str = "it does not return";
/// State on which it does not.
const STATE: u16 = 3;

/// Functions of the model that may not return.
const FUNCTIONS: [&str; 22] = [
    "none",
    "slow",
    "build",
    "initial",
    "fire",
    "next",
    "map",
    "observe",
    "abstract-steps",
    "invariant",
    "constraint",
    "type-correct",
    "endless-initial",
    "endless-next",
    "next-and-serialize",
    "serialize",
    "clone",
    "drop",
    "hash",
    "eq",
    "eq-of-known",
    "waivers",
];

/// The one that does not.
static HANGING: OnceLock<String> = OnceLock::new();

fn hangs(function: &str, state: u16) {
    let hanging = HANGING.get().map_or("none", String::as_str);
    if state == STATE && hanging == function {
        eprintln!("{HANGS}");
        loop {
            thread::park();
        }
    }
}

/// Counts to a number, and begins anew.
struct Counter(u16);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Step {
    Increment,
}

impl TransitionSystem for Counter {
    type State = u16;
    type Action = Step;
    type Observation = u16;

    fn initial(&self, visit: &mut impl FnMut(u16)) {
        visit(0);
        hangs("initial", STATE);
        if HANGING
            .get()
            .is_some_and(|hanging| hanging == "endless-initial")
        {
            // It shows states for ever, the same ones.
            loop {
                visit(0);
            }
        }
    }

    fn is_initial(&self, state: &u16) -> bool {
        *state == 0
    }

    fn fire(&self, _: &Step, state: &mut u16) -> Option<()> {
        hangs("fire", *state);
        *state = (*state + 1) % self.0;
        Some(())
    }

    fn next(&self, from: &u16, visit: &mut impl FnMut(Step, &u16)) {
        hangs("next", *from);
        if HANGING.get().is_some_and(|hanging| hanging == "slow") {
            thread::sleep(Duration::from_millis(100));
        }
        let is_endless = HANGING
            .get()
            .is_some_and(|hanging| hanging == "endless-next");
        if is_endless && *from == STATE {
            eprintln!("{HANGS}");
            loop {
                // It calls back for ever.
                visit(Step::Increment, &0);
                thread::sleep(Duration::from_millis(1));
            }
        }
        visit(Step::Increment, &((from + 1) % self.0));
    }

    fn observe(&self, state: &u16) -> u16 {
        hangs("observe", *state);
        *state
    }
}

impl TypeCorrect for Counter {
    fn type_correct(&self, choices: &mut Choices) -> u16 {
        let state = choices.below(self.0.into()) as u16;
        hangs("type-correct", state);
        state
    }
}

struct Itself(Counter);

impl Refinement for Itself {
    type Implementation = Counter;
    type Specification = Counter;

    fn implementation(&self) -> &Counter {
        &self.0
    }

    fn specification(&self) -> &Counter {
        &self.0
    }

    fn map(&self, state: &u16) -> u16 {
        hangs("map", *state);
        *state
    }

    fn abstract_steps(&self, from: &u16, action: &Step, _: &u16) -> AbstractSteps<Step> {
        hangs("abstract-steps", *from);
        One(action.clone())
    }

    fn invariants(&self) -> Vec<Invariant<Counter>> {
        vec![Invariant::new("small", "a test", |state: &u16| {
            hangs("invariant", *state);
            *state < 1000
        })]
    }

    fn waivers(&self) -> Vec<Waiver> {
        hangs("waivers", STATE);
        Vec::new()
    }

    fn constraint(&self) -> Option<Constraint<Counter>> {
        let within = |state: &u16| {
            hangs("constraint", *state);
            true
        };
        Some(Constraint::new("all of it", within))
    }
}

/// State that is kept whole, each of whose functions may not return.
#[derive(Debug)]
struct Whole(u16);

impl Clone for Whole {
    fn clone(&self) -> Self {
        hangs("clone", self.0);
        Self(self.0)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        hangs("drop", self.0);
    }
}

impl PartialEq for Whole {
    fn eq(&self, other: &Self) -> bool {
        if self.0 == other.0 {
            hangs("eq", self.0);
            // This one is known when it is reached again.
            hangs("eq-of-known", self.0 - 1);
        }
        self.0 == other.0
    }
}

impl Eq for Whole {}

impl Hash for Whole {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hangs("hash", self.0);
        self.0.hash(hasher);
    }
}

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        hangs("next-and-serialize", self.0);
        hangs("serialize", self.0);
        self.0.serialize(serializer)
    }
}

impl<S: ?Sized> State<S> for Whole {}

/// Two states far from each other lead to one, so that two workers meet it, or one does in two lists.
struct Meeting;

impl TransitionSystem for Meeting {
    type State = Whole;
    type Action = Step;
    type Observation = u16;

    fn initial(&self, visit: &mut impl FnMut(Whole)) {
        (100..=400).for_each(|number| visit(Whole(number)));
    }

    fn fire(&self, _: &Step, state: &mut Whole) -> Option<()> {
        hangs("next-and-serialize", state.0);
        state.0 = match state.0 {
            250 | 400 => STATE,
            STATE => STATE + 1,
            other => other,
        };
        Some(())
    }

    fn observe(&self, state: &Whole) -> u16 {
        state.0
    }
}

impl Refinement for Meeting {
    type Implementation = Self;
    type Specification = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &Whole) -> Whole {
        Whole(state.0)
    }

    fn abstract_steps(&self, _: &Whole, action: &Step, _: &Whole) -> AbstractSteps<Step> {
        One(action.clone())
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let is_shown = HANGING.get().is_some_and(|hanging| hanging == "serialize");
        vec![Invariant::new("shown", "a test", move |state: &Whole| {
            !is_shown || state.0 != STATE
        })]
    }
}

#[derive(Clone, clap::Args)]
struct Hanging {
    #[arg(long, default_value = "none", value_parser = FUNCTIONS)]
    hangs: String,
}

fn catalogue() -> Catalogue {
    if let Ok(hanging) = env::var(HANGS_ANYWAY) {
        HANGING.get_or_init(|| hanging);
    }
    let count = Check::new("count", "", "", |arguments: &Hanging| {
        HANGING.get_or_init(|| arguments.hangs.clone());
        hangs("build", STATE);
        Ok(Box::new(Checker::owning(Itself(Counter(40))).inductive()))
    });
    let meet = Check::new("meet", "", "", |arguments: &Hanging| {
        HANGING.get_or_init(|| arguments.hangs.clone());
        Ok(Box::new(Checker::owning(Meeting)))
    });
    // It does not come to the state on which a function does not return.
    let short = Check::new("short", "", "", |_: &Nothing| {
        Ok(Box::new(Checker::owning(Itself(Counter(STATE)))))
    });
    let instance = Instance {
        obligations: Selection::Default,
        ..Instance::default()
    };
    let row = |hangs: &str| Row {
        given: format!("--hangs {hangs}"),
        instances: vec![instance.clone()],
    };
    let table = Table {
        name: "rows",
        about: "",
        check: "count",
        rows: Rows::Sweep(Sweep {
            rows: vec![row("next"), row("none")],
            on_the_way: None,
        }),
    };
    // The first of them decides which function does not return.
    let claims = "
| claim | expected | source |
|---|---|---|
| `check count --hangs next` | holds, 40 states | this test: it counts |
| `check count --hangs none` | holds, 40 states | this test: it counts |
| `check short` | holds | this test: it counts |
";
    Catalogue {
        checks: vec![count, meet, short],
        tables: vec![table],
        stress: stress_runs(),
        claims: claims.to_owned(),
        ..Catalogue::default()
    }
}

/// Stress runs that do not return, or do something else when they have.
fn stress_runs() -> Vec<StressRun> {
    let seen = || StressReport {
        report: checked(&Itself(Counter(4)), &Settings::default()).expect("it is checked"),
        counts: Map::new(),
        failure: None,
        recorded: None,
        unrecorded: None,
    };
    let writes = move |_: &Nothing, settings: &StressSettings<'_>| {
        settings.running(1000.0, || {
            eprintln!("{HANGS}");
            while !settings.cancel.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        });
        // Longer than a call may go on that is to return.
        thread::sleep(Duration::from_millis(1500));
        Ok(seen())
    };
    let deadlocks = |_: &Nothing, settings: &StressSettings<'_>| {
        settings.running(0.1, || {
            loop {
                thread::park();
            }
        })
    };
    // So many are made.
    let object = |before: u32| {
        let made = AtomicU32::new(0);
        move |_: &Nothing| {
            if made.fetch_add(1, Ordering::Relaxed) >= before {
                eprintln!("{HANGS}");
                loop {
                    thread::park();
                }
            }
            let calls = [Call::FetchAdd(1), Call::Read];
            let counter = Operations(Count::default());
            Ok(Shared::new(
                counter,
                AtomicI64::default,
                calls,
                |counter, call| match call {
                    Call::Add(by) | Call::FetchAdd(by) => {
                        Some(counter.fetch_add(*by, Ordering::SeqCst)).into()
                    }
                    _ => Some(counter.load(Ordering::SeqCst)).into(),
                },
            ))
        }
    };
    vec![
        StressRun::new("writes", "", "", writes),
        StressRun::new("deadlocks", "", "", deadlocks),
        StressRun::object("object", "", "", object(1)),
        StressRun::object("unmade", "", "", object(0)),
    ]
}

/// Way in which a command is ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    Limit,
    Signal,
}

struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn command_of(words: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().expect("the program has a path"));
    command
        .env(IS_COMMAND_LINE, "1")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn command(words: &[&str]) -> Child {
    command_of(words).spawn().expect("the program runs")
}

/// Asks a process to end. What a shell starts in the background ignores SIGINT, and so does what that starts.
fn signal(child: &Child) {
    let sent = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.expect("there is `kill`").success());
}

/// Waits for the end of a process, to which a signal is sent once a function does not return, if that is to end it.
fn ended(mut child: Child, ends: Ends, told: &str) -> Ended {
    let stdout = child.stdout.take();
    let stderr = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let stdout = thread::spawn(move || {
        let mut all = String::new();
        if let Some(mut stdout) = stdout {
            stdout.read_to_string(&mut all).expect("it is text");
        }
        all
    });
    let (hanging, hung) = std::sync::mpsc::channel();
    let stderr = thread::spawn(move || {
        let mut all = String::new();
        for line in stderr.lines() {
            let line = line.expect("it is text");
            if line == HANGS {
                let _ = hanging.send(());
            }
            all += &line;
            all.push('\n');
        }
        all
    });
    let begun = Instant::now();
    let mut is_signalled = ends == Ends::Limit;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            break status;
        }
        if !is_signalled && hung.try_recv().is_ok() {
            signal(&child);
            is_signalled = true;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{told}: it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    };
    Ended {
        status: status.code(),
        stdout: stdout.join().expect("it has read all"),
        stderr: stderr.join().expect("it has read all"),
    }
}

fn run(words: &[&str], ends: Ends) -> Ended {
    let mut words = words.to_vec();
    if ends == Ends::Limit {
        words.extend(["--max-seconds", "0.3"]);
    }
    ended(command(&words), ends, &words.join(" "))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Case: the function that does not return, its name in a report, the state on which it is called, and more words of the command.
type Case = (&'static str, &'static str, Option<u16>, &'static str);

const STATES: Option<u16> = Some(STATE);

/// Every function, under every search that calls it.
const CASES: [Case; 16] = [
    ("next", NEXT, STATES, "--threads 1"),
    ("next", NEXT, STATES, "--threads 3"),
    ("next", NEXT, STATES, "--storage whole"),
    ("next", NEXT, STATES, "--obligations none"),
    ("next", NEXT, STATES, "--walks 5 --steps 9"),
    ("map", "`map`", STATES, "--threads 3"),
    ("map", "`map`", STATES, "--walks 5 --steps 9"),
    ("initial", "`initial` of the implementation", None, ""),
    // It is asked by `allows`, which is derived from it.
    ("fire", "`allows` of the specification", STATES, ""),
    ("observe", "`observe` of the specification", STATES, ""),
    ("abstract-steps", "`abstract_steps`", STATES, ""),
    ("invariant", "invariant `small`", STATES, "--threads 2"),
    ("constraint", "the constraint `all of it`", STATES, ""),
    ("waivers", "`waivers`", None, ""),
    ("build", "the function that makes the instance", None, ""),
    (
        "type-correct",
        "`type_correct`",
        None,
        "--obligations inductive:*",
    ),
];

fn check(case: Case, ends: Ends) {
    let (hangs, function, state, more) = case;
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let [page, junit, trace] =
        ["page.html", "junit.xml", "trace.itf.json"].map(|name| folder.path().join(name));
    let path = |path: &Path| path.to_str().expect("it is text").to_owned();
    let files = [path(&page), path(&junit), path(&trace)];
    let mut words = vec!["check", "count", "--hangs", hangs, "--json"];
    words.extend([
        "--html", &files[0], "--junit", &files[1], "--trace", &files[2],
    ]);
    words.extend(more.split_whitespace());
    let Ended {
        status,
        stdout,
        stderr,
    } = run(&words, ends);
    let told = format!("{words:?} {ends:?}: {stdout}{stderr}");
    assert_eq!(status, Some(3), "{told}");
    let report = json(&stdout);
    let expected = match state {
        Some(state) => json!({"function": function, "state": state}),
        None => json!({"function": function}),
    };
    assert_eq!(report["unreturned"], expected, "{told}");
    let limit = match ends {
        Ends::Limit => json!({"seconds": 0.3}),
        Ends::Signal => json!("cancelled"),
    };
    assert_eq!(report["limit"], limit, "{told}");
    assert_eq!(report["check"], "count", "{told}");
    assert_eq!(report["parameters"]["hangs"], hangs, "{told}");
    let rows = report["obligations"].as_array().expect("there are rows");
    // By then the obligations are declared.
    let is_asked = !more.contains("none") && !["build", "waivers"].contains(&hangs);
    assert_eq!(!rows.is_empty(), is_asked, "{told}");
    for row in rows {
        assert_eq!(row["verdict"], "incomplete", "{told}");
        let note = row["note"].as_str().expect("there is a note");
        assert_eq!(note, format!("not decided: {function} did not return"));
    }
    let page = fs::read_to_string(page).expect("the page is written");
    assert!(page.contains("did not return"), "{page}");
    let junit = fs::read_to_string(junit).expect("the results are written");
    assert!(junit.contains("<testsuite"), "{junit}");
    assert!(
        !trace.exists() && stderr.contains("no trace was written"),
        "{told}"
    );
}

/// Whatever does not return, a limit and the first signal end the check, which says what it was.
fn checks_end() {
    thread::scope(|scope| {
        for case in CASES {
            for ends in [Ends::Limit, Ends::Signal] {
                scope.spawn(move || check(case, ends));
            }
        }
    });
}

/// Functions of states that are kept whole: the function, its name in a report, the state on which it is called, and more words.
const OF_STATES: [Case; 7] = [
    ("next-and-serialize", NEXT, None, ""),
    (
        "serialize",
        // Of a counterexample the mapped state is shown first.
        "`show`, or `serialize`, of the specification",
        None,
        "",
    ),
    // A target is cloned while `next` shows it, and dropped when the state is put back.
    ("clone", NEXT, Some(250), NONE),
    ("drop", NEXT, Some(250), NONE),
    ("hash", KEPT, Some(250), NONE),
    ("eq", TOLD_APART, None, NONE),
    ("eq-of-known", KEPT, Some(STATE + 1), NONE),
];

const NEXT: &str = "`next` of the implementation";
const NONE: &str = "--obligations none --threads 1";
const KEPT: &str =
    "a function by which a state is kept (`write`, `hash`, `eq`, `clone` or `drop` of a state)";
const TOLD_APART: &str = "a function by which states are told apart (`eq` or `drop` of a state)";

/// Functions that the check itself calls of its states are noticed, too.
fn functions_of_states_end() {
    thread::scope(|scope| {
        for (hangs, function, state, more) in OF_STATES {
            for ends in [Ends::Limit, Ends::Signal] {
                scope.spawn(move || {
                    let mut words = vec!["check", "meet", "--hangs", hangs, "--json"];
                    words.extend(more.split_whitespace());
                    let Ended {
                        status,
                        stdout,
                        stderr,
                    } = run(&words, ends);
                    let told = format!("{words:?} {ends:?}: {stdout}{stderr}");
                    assert_eq!(status, Some(3), "{told}");
                    let called = match state {
                        Some(state) => json!({"function": function, "state": state}),
                        None => json!({"function": function}),
                    };
                    assert_eq!(json(&stdout)["unreturned"], called, "{told}");
                });
            }
        }
    });
}

/// Drawn states are another search, whose functions are asked in an order that the seed decides.
fn samples_end() {
    for ends in [Ends::Limit, Ends::Signal] {
        let words = ["check", "count", "--hangs", "invariant", "--json"];
        let words = [&words[..], &["--inductive", "--samples", "1000"]].concat();
        let Ended { status, stdout, .. } = run(&words, ends);
        assert_eq!(status, Some(3), "{stdout}");
        let called = json!({"function": "invariant `small`", "state": STATE});
        assert_eq!(json(&stdout)["unreturned"], called, "{stdout}");
    }
}

/// Text says it, too.
fn text_says_it() {
    let ended = run(&["check", "count", "--hangs", "next"], Ends::Limit);
    let line = "did not return: `next` of the implementation, called on the state 3";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("ended by the limit of 0.3 s"),
        "{}",
        ended.stdout
    );
    // Of what is not known no number is shown.
    for unknown in ["initial)", "deadlocks,"] {
        assert!(!ended.stdout.contains(unknown), "{}", ended.stdout);
    }
}

/// A call that returns is waited for, and is not said not to: without a limit, and where a limit ends a search of a slow model, or one that shows
/// states for ever.
fn what_returns_is_waited_for() {
    let Ended { status, stdout, .. } = run(&["check", "count", "--json"], Ends::Signal);
    let report = json(&stdout);
    assert_eq!(
        (status, &report["states"]),
        (Some(0), &json!(40)),
        "{stdout}"
    );
    assert_eq!(report.get("unreturned"), None);
    for (hangs, words) in [("slow", &[][..]), ("endless-initial", &["--walks", "3"])] {
        let words = [&["check", "count", "--hangs", hangs, "--json"][..], words].concat();
        let Ended { status, stdout, .. } = run(&words, Ends::Limit);
        let report = json(&stdout);
        assert_eq!(status, Some(3), "{stdout}");
        assert_eq!(report["limit"], json!({"seconds": 0.3}), "{stdout}");
        assert_eq!(report.get("unreturned"), None, "{hangs}: {stdout}");
    }
}

fn comparisons_end() {
    for (hangs, ends) in [
        ("next", Ends::Limit),
        ("next", Ends::Signal),
        ("endless-next", Ends::Limit),
    ] {
        let words = ["include", "count", "--hangs", hangs, "--json"];
        let Ended { status, stdout, .. } = run(&words, ends);
        assert_eq!(status, Some(3), "{stdout}");
        let compared = json(&stdout);
        assert_eq!(compared["verdict"], "incomplete", "{stdout}");
        let reason = compared["unclaimed"].as_str().expect("there is a reason");
        assert!(reason.contains("`next` of the"), "{reason}");
        assert!(
            reason.contains("called on the state 3, did not return"),
            "{reason}"
        );
    }
}

/// The run of all claims says which was held up, and what was decided before.
fn the_default_run_ends() {
    let folder = tempfile::tempdir().expect("there is room");
    let junit = folder.path().join("results.xml");
    let file = junit.to_str().expect("it is text");
    let Ended {
        status,
        stdout,
        stderr,
    } = run(&["--threads", "1", "--json", "--junit", file], Ends::Signal);
    assert_eq!(status, Some(3), "{stdout}{stderr}");
    let results = fs::read_to_string(&junit).expect("it is written");
    assert!(results.contains("errors=\"1\""), "{results}");
    let told = "check count --hangs next: ended by cancellation: `next` of the implementation, called on the state 3, did not return";
    assert!(stderr.contains(told), "{stderr}");
    let all = json(&stdout);
    // The last claim is the dearest, for all that is known, and is decided first.
    assert_eq!(
        (&all["as_claimed"], &all["not_run"]),
        (&json!(1), &json!(2)),
        "{stdout}"
    );
    let mut called = json!({"function": "`next` of the implementation", "state": STATE, "of": "check count --hangs next"});
    assert_eq!(all["unreturned"], called, "{stdout}");
    let Ended { status, stdout, .. } =
        run(&["table", "rows", "--threads", "1", "--json"], Ends::Signal);
    assert_eq!(status, Some(3), "{stdout}");
    called["of"] = "table rows: --hangs next".into();
    assert_eq!(json(&stdout)["unreturned"], called, "{stdout}");
    // Before any claim is known.
    let mut child = command_of(&["--json", "--junit", file]);
    let child = child.env(HANGS_ANYWAY, "build").spawn();
    let child = child.expect("the program runs");
    let Ended { status, stdout, .. } = ended(child, Ends::Signal, "claims");
    assert_eq!(status, Some(3), "{stdout}");
    let function = "the function that makes the instance";
    assert_eq!(
        json(&stdout)["unreturned"]["function"],
        function,
        "{stdout}"
    );
    let results = fs::read_to_string(&junit).expect("it is written");
    assert!(
        results.contains(function) && results.contains("errors=\"1\""),
        "{results}"
    );
}

/// Help has all options of a check that does not say which it has.
fn help_ends() {
    for words in [
        &["check", "count", "--help"][..],
        &["man", "check", "count"],
        &["completions", "bash"],
    ] {
        let mut child = command_of(words);
        let child = child.env(HANGS_ANYWAY, "build").spawn();
        let child = child.expect("the program runs");
        let Ended { status, stdout, .. } = ended(child, Ends::Signal, &words.join(" "));
        assert_eq!(status, Some(0), "{words:?}");
        // A manual page escapes the hyphens.
        let stdout = stdout.replace('\\', "");
        assert!(stdout.contains("any-number-of"), "{words:?}: {stdout}");
    }
}

/// A stress run that does not return ends with what was seen before, and one that writes what it has recorded is waited for.
fn stress_runs_end() {
    let folder = tempfile::tempdir().expect("there is room");
    let junit = folder.path().join("results.xml");
    let file = junit.to_str().expect("it is text");
    let run = |name: &str, seconds: &str, ends: Ends| {
        let words = [
            "stress",
            name,
            "--seconds",
            seconds,
            "--json",
            "--junit",
            file,
        ];
        let Ended {
            status,
            stdout,
            stderr,
        } = ended(command(&words), ends, name);
        let told = format!("{name}: {stdout}{stderr}");
        (status, json(&stdout), told)
    };
    let (status, report, told) = run("writes", "1000", Ends::Signal);
    assert_eq!(
        (status, report.get("unreturned")),
        (Some(0), None),
        "{told}"
    );
    assert_eq!(report["states"], 4, "{told}");
    let function = json!({"function": "the run of the implementation"});
    for name in ["deadlocks", "unmade"] {
        let (status, report, told) = run(name, "0.1", Ends::Limit);
        assert_eq!(status, Some(3), "{told}");
        assert_eq!(report["unreturned"], function, "{told}");
        assert_eq!(report["limit"], json!({"seconds": 0.1}), "{told}");
        let results = fs::read_to_string(&junit).expect("it is written");
        assert!(
            results.contains("<error type=\"incomplete\"") && results.contains("did not return"),
            "{results}"
        );
    }
    let (status, report, told) = run("object", "1000", Ends::Signal);
    assert_eq!(status, Some(3), "{told}");
    assert_eq!(report["unreturned"], function, "{told}");
    assert!(report["counts"]["runs"].as_u64() > Some(0), "{told}");
    assert_eq!(report["obligations"][0]["name"], "alone", "{told}");
}

/// The explorer ends at the first signal, though a page waits for the model.
fn the_explorer_ends() {
    let mut child = command(&["explore", "count", "--hangs", "next"]);
    let mut stdout = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut url = String::new();
    while !url.contains("http://") {
        url.clear();
        stdout.read_line(&mut url).expect("the address is told");
    }
    let (_, url) = url.trim().split_once("http://").expect("it has an address");
    let (host, path) = url.split_once('/').expect("it has a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let request = format!("GET /{path}run HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let ended = ended(child, Ends::Signal, "explore");
    assert_eq!(ended.status, Some(3), "{}", ended.stderr);
    let told = "`next` of the implementation, called on the state 3, did not return";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
}

fn main() -> ExitCode {
    if env::var_os(IS_COMMAND_LINE).is_some() {
        return refmap_cli::main("unreturned", "A model that hangs.", &catalogue());
    }
    if cfg!(not(unix)) {
        // There is no signal to send.
        return ExitCode::SUCCESS;
    }
    let tests: [(&str, fn()); 10] = [
        ("checks_end", checks_end),
        ("functions_of_states_end", functions_of_states_end),
        ("samples_end", samples_end),
        ("text_says_it", text_says_it),
        ("what_returns_is_waited_for", what_returns_is_waited_for),
        ("comparisons_end", comparisons_end),
        ("the_default_run_ends", the_default_run_ends),
        ("help_ends", help_ends),
        ("stress_runs_end", stress_runs_end),
        ("the_explorer_ends", the_explorer_ends),
    ];
    // The filters of `cargo test`, as far as they are names.
    let filters: Vec<String> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let chosen = tests.into_iter().filter(|(name, _)| {
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
    });
    thread::scope(|scope| {
        // Most of their time is that of waiting.
        for (name, test) in chosen {
            scope.spawn(move || {
                test();
                eprintln!("test {name} ... ok");
            });
        }
    });
    ExitCode::SUCCESS
}
