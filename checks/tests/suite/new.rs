//! `refmap new`: what it writes runs, and its tests pass; the README and the first chapter of the book show it as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

use crate::has;
use crate::program::{assert_shows, checkout, page, text};

/// The first chapter, which explains the project.
const CHAPTER: &str = "examples/book/src/your-own-project.md";

fn new(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refmap"));
    command.arg("new").arg(folder).args(arguments);
    command.output().expect("it runs")
}

/// A folder for what is compiled, which is kept: what was compiled for an earlier run is used again.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new")
}

/// Settings in the place of those of the project, since to compile the library optimised, and with what a debugger needs, takes longer than all
/// that is run.
const QUICKLY: [&str; 4] = [
    "--config",
    "profile.dev.package.refmap.opt-level=0",
    "--config",
    "profile.dev.package.'*'.debug=false",
];

/// Runs cargo in the package at `folder`, and returns what it prints.
fn cargo(folder: &Path, words: &[&str]) -> String {
    let output = run_cargo(folder, words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    text(&output.stdout)
}

/// Runs cargo in the package at `folder`, with the versions that the workspace has locked, so that nothing is fetched.
fn run_cargo(folder: &Path, words: &[&str]) -> Output {
    fs::copy(checkout().join("Cargo.lock"), folder.join("Cargo.lock")).expect("there is room");
    let mut cargo = Command::new(env!("CARGO"));
    let (command, rest) = words.split_first().expect("there is a command");
    cargo.args(QUICKLY).args([command, "--offline"]).args(rest);
    cargo.current_dir(folder);
    let output = cargo.env("CARGO_TARGET_DIR", target()).output();
    output.expect("it runs")
}

/// The blocks of `page` in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let open = format!("\n```{language}\n");
    let parts = page.split(open.as_str()).skip(1);
    parts
        .map(|part| part.split("```").next().expect("it ends"))
        .collect()
}

/// Dependencies of the package at `folder`, as cargo reads its manifest.
fn dependencies(folder: &Path) -> Vec<Value> {
    let words = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata: Value = serde_json::from_str(&cargo(folder, &words)).expect("cargo prints JSON");
    let package = &metadata["packages"][0];
    let dependencies = package["dependencies"].as_array().expect("it has some");
    let resolved = |path: &Value| fs::canonicalize(path.as_str()?).ok();
    let mut dependencies: Vec<_> = dependencies
        .iter()
        .map(|one| json!([one["name"], resolved(&one["path"]), one["features"]]))
        .collect();
    dependencies.push(package["edition"].clone());
    dependencies
}

/// Writes a package.
fn write_package(folder: &Path, manifest: &str, program: &str) {
    fs::create_dir_all(folder.join("src")).expect("there is room");
    fs::write(folder.join("Cargo.toml"), manifest).expect("there is room");
    fs::write(folder.join("src/main.rs"), program).expect("there is room");
}

/// The library of a new project for an object, as it is compiled with the others: its tests are of this suite.
#[path = "../../../core/cli/template/object/src/lib.rs"]
mod object;

/// A new project, and its folder.
fn made(here: &TempDir) -> PathBuf {
    made_with(here, "counter", &[])
}

/// The same of an object.
fn made_for_object(here: &TempDir) -> PathBuf {
    made_with(here, "object", &["--object"])
}

fn made_with(here: &TempDir, name: &str, options: &[&str]) -> PathBuf {
    let folder = here.path().join(name);
    let checkout = checkout().display().to_string();
    let written = new(&folder, &[&["--refmap", &checkout], options].concat());
    assert!(written.status.success(), "{written:?}");
    folder
}

/// Program of a template, as a project has it.
fn without_anchors(template: &Path) -> String {
    let program = fs::read_to_string(template).expect("it is there");
    let lines = program.split_inclusive('\n');
    lines
        .filter(|line| !line.trim_start().starts_with("// ANCHOR"))
        .collect()
}

/// Runs a program that was built of the project.
fn run(program: &Path, arguments: &str) -> Output {
    let words = arguments.split_whitespace().filter(|word| *word != "--");
    let output = Command::new(program).args(words).output();
    output.expect("it was built")
}

/// Asserts that the program prints what the first chapter shows.
fn assert_prints_what_is_shown(program: &Path) {
    // It names the package of which it is, and that may be this one.
    let printed = |arguments: &str| {
        let printed = text(&run(program, arguments).stdout);
        printed.replace(env!("CARGO_PKG_NAME"), "counter")
    };
    let chapter = page(CHAPTER);
    let commands: Vec<_> = chapter.split("```text\n$ cargo run").skip(1).collect();
    assert_eq!(commands.len(), 4, "the page has other commands");
    for block in commands {
        let block = block.split("\n```").next().expect("it ends");
        let (command, shown) = block.split_once('\n').expect("it shows something");
        assert_shows(shown, &printed(command), command);
    }
    let help = printed("check counter --help");
    for option in ["--max-states", "--json", "--trace"] {
        assert!(chapter.contains(&format!("`{option}`")) && help.contains(option));
    }
}

/// The program, as it is compiled with the others.
#[test]
fn the_program_of_a_new_project_prints_what_the_first_chapter_shows() {
    let program = Path::new(env!("CARGO_BIN_EXE_counter"));
    assert_prints_what_is_shown(program);
    let claims = text(&run(program, "").stdout);
    has(&claims, "3 as claimed, 0 otherwise");

    let here = tempfile::tempdir().expect("there is room");
    let read = |path: PathBuf| fs::read_to_string(path).expect("it is there");
    let template = checkout().join("core/cli/template/model");
    let folder = made(&here);
    let main = Path::new("src/main.rs");
    assert_eq!(
        read(folder.join(main)),
        without_anchors(&template.join(main))
    );
    let chapter = page(CHAPTER);
    let [profiles] = blocks(&chapter, "toml")[..] else {
        panic!("the chapter has other settings");
    };
    let manifest = read(folder.join("Cargo.toml"));
    assert!(manifest.ends_with(profiles), "{manifest}");
    let claims = |folder: PathBuf| read(folder.join("CLAIMS.md"));
    assert_eq!(claims(folder), claims(template));
}

/// The new project, and the program of the README in one of its own, depend on what they need, and on nothing that cannot be found.
#[test]
fn new_projects_are_compiled() {
    let here = tempfile::tempdir().expect("there is room");
    let folder = made(&here);
    cargo(&folder, &["check", "--tests", "--quiet"]);
    // A feature is added as its absence is told.
    let before = dependencies(&folder);
    let adds = ["add", "refmap-cli", "--features", "inclusion", "--quiet"];
    cargo(&folder, &adds);
    let mut after = dependencies(&folder);
    let of_cli = after.iter_mut().find(|one| one[0] == "refmap-cli");
    let features = &mut of_cli.expect("it depends on it")[2];
    assert_eq!(*features, json!(["inclusion"]));
    *features = json!([]);
    assert_eq!(after, before);
    cargo(&of_readme(&here), &["check", "--quiet"]);
    let folder = made_for_object(&here);
    cargo(&folder, &["check", "--tests", "--quiet"]);
    let template = checkout().join("core/cli/template/object/src/lib.rs");
    let library = fs::read_to_string(folder.join("src/lib.rs"));
    assert_eq!(library.expect("it is there"), without_anchors(&template));
}

/// The program of the README, in a project of its own, which finds this checkout as a new project does: so it is compiled once for both.
fn of_readme(here: &TempDir) -> PathBuf {
    let readme = page("README.md");
    let ([dependencies], [program]) = (&blocks(&readme, "toml")[..], &blocks(&readme, "rust")[..])
    else {
        panic!("the README has other blocks");
    };
    has(dependencies, "\"../refmap/");
    let checkout = checkout().display().to_string();
    let dependencies = dependencies.replace("../refmap", &checkout);
    let folder = here.path().join("readme");
    let package = "[package]\nname = \"readme\"\nedition = \"2024\"\n\n";
    write_package(&folder, &format!("{package}{dependencies}"), program);
    folder
}

#[test]
#[ignore = "compiles refmap"]
fn slow_the_program_of_the_readme_prints_its_report() {
    let here = tempfile::tempdir().expect("there is room");
    let printed = cargo(&of_readme(&here), &["run", "--quiet"]);
    let readme = page("README.md");
    let report = blocks(&readme, "text")[0];
    assert_shows(&format!("… {report}"), &printed, "cargo run");
}

/// A program that asks for what the library alone does not have, and prints how it is refused.
const ASKS: &str = "fn main() {
    use refmap::explore::{Checkpoints, Limits, Spilling, Start};
    let folder = || std::env::temp_dir();
    let limits = Limits { memory_bytes: Some(1 << 30), ..Limits::default() };
    let spill = Some(Spilling { folder: folder(), from_bytes: None });
    let start = Start::Anew;
    let checkpoints = Some(Checkpoints { folder: folder(), every: std::time::Duration::from_secs(1), start, label: Default::default() });
    let search = refmap::Search::AnyNumber { views: None };
    for settings in [
        Settings { spill, limits, ..Settings::default() },
        Settings { checkpoints, ..Settings::default() },
        Settings { search, ..Settings::default() },
    ] {
        println!(\"{}\", check(&ThreadsRefineAtomic(Threads(2)), &settings).unwrap_err());
    }
}
";

#[test]
#[ignore = "compiles refmap"]
fn slow_the_library_alone_refuses_what_needs_a_feature() {
    let here = tempfile::tempdir().expect("there is room");
    let folder = of_readme(&here);
    let program = fs::read_to_string(folder.join("src/main.rs")).expect("it is written");
    let (model, _) = program.split_once("fn main()").expect("it has a main");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("it is written");
    write_package(&folder, &manifest, &format!("{model}{ASKS}"));
    let printed = cargo(&folder, &["run", "--quiet"]);
    let refused: Vec<_> = printed.lines().collect();
    let features = ["disk", "disk", "any-number"];
    assert_eq!(refused.len(), features.len(), "{printed}");
    for (told, feature) in refused.into_iter().zip(features) {
        assert!(
            told.contains(&format!("`cargo add refmap --features {feature}`")),
            "{told}"
        );
    }
}

#[test]
#[ignore = "compiles refmap"]
fn slow_a_new_project_runs_and_its_tests_pass() {
    let here = tempfile::tempdir().expect("there is room");
    let folder = made(&here);
    cargo(&folder, &["test", "--quiet"]);
    // All claims at once, by cargo.
    let claims = cargo(&folder, &["run", "--quiet"]);
    has(&claims, "3 as claimed, 0 otherwise");
    assert_little_is_compiled(&folder);
    let program = target().join("debug/counter");
    assert_prints_what_is_shown(&program);

    // What a feature brings that the project has not is known, and it is said how it is added.
    let without = run(&program, "check counter --processes 2");
    assert_eq!(without.status.code(), Some(2));
    let told = text(&without.stderr);
    has(
        &told,
        "--processes needs the feature \"distributed\" of refmap-cli",
    );
    let adds = |feature| format!("`cargo add refmap-cli --features {feature}`");
    has(&told, &adds("distributed"));
    let help = text(&run(&program, "check counter --help").stdout);
    assert!(
        help.contains("--processes") && help.contains("[feature \"distributed\" of refmap-cli]")
    );

    for (command, feature) in COMMANDS_BY_FEATURE {
        let without = run(&program, command);
        assert_eq!(without.status.code(), Some(2), "{command}");
        let told = text(&without.stderr);
        assert!(told.contains(&adds(feature)), "{command}: {told}");
        let help = text(&run(&program, "--help").stdout);
        let name = command.split(' ').next().expect("it has a name");
        let listed = help.lines().find(|line| line.trim().starts_with(name));
        assert!(listed.is_some(), "{command}: {help}");
    }

    // The exercise at its end.
    let source = folder.join("src/main.rs");
    let right = fs::read_to_string(&source).expect("it is written");
    let forgetful = right.replace("(read + 1) % 4;", "read + 1;");
    assert_ne!(right, forgetful);
    fs::write(source, forgetful).expect("there is room");
    cargo(&folder, &["build", "--quiet"]);
    let report = text(&run(&program, "check counter").stdout);
    for violated in ["model", "simulation"] {
        let fails = format!("\n{violated} fails after");
        assert!(report.contains(&fails), "{violated}: {report}");
    }
}

#[test]
#[ignore = "compiles refmap"]
fn slow_a_new_project_for_an_object_passes_its_tests() {
    let here = tempfile::tempdir().expect("there is room");
    let folder = made_for_object(&here);
    let passed = cargo(&folder, &["test"]);
    has(&passed, "2 passed; 0 failed");
    // The object that is wrong by design fails the test of the right one.
    let source = folder.join("src/lib.rs");
    let right = fs::read_to_string(&source).expect("it is written");
    let wrong = right.replace(
        "check(object(Locking::Once))",
        "check(object(Locking::Twice))",
    );
    assert_ne!(right, wrong);
    fs::write(source, wrong).expect("there is room");
    let failed = run_cargo(&folder, &["test", "it_is_a_counter"]);
    assert!(!failed.status.success(), "{failed:?}");
    has(&text(&failed.stdout), "the specification has no order with");
}

/// Lines of LLVM that the project takes at most without optimisation: the 142 500 that it takes, and a fifteenth. What a debugger needs
/// is not counted, whatever profile the environment asks for.
const MOST_LINES: usize = 152_000;

/// Commands and options that features bring which a new project has not.
const COMMANDS_BY_FEATURE: [(&str, &str); 12] = [
    ("check counter --any-number-of threads", "any-number"),
    ("check counter --spill here", "disk"),
    ("check counter --checkpoint here", "disk"),
    ("graph here", "graph"),
    ("validate here --against queue", "histories"),
    ("stress counter", "histories"),
    ("include counter", "inclusion"),
    ("explore counter", "pictures"),
    ("check counter --html here", "pictures"),
    ("litmus here", "programs"),
    ("completions bash", "shell"),
    ("man check", "shell"),
];

/// The engine is code of the library: what is compiled for a refinement is its own functions, and the loops that ask them by the
/// million.
fn assert_little_is_compiled(folder: &Path) {
    let emit = [
        "--emit=llvm-ir",
        "-Cdebuginfo=0",
        "-Cno-prepopulate-passes",
        "-Ccodegen-units=1",
    ];
    let arguments = [&["rustc", "--quiet", "--"][..], &emit[..]].concat();
    cargo(folder, &arguments);
    let files = fs::read_dir(target().join("debug/deps")).expect("it was built");
    let files = files.map(|file| file.expect("it can be listed").path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("counter-") && name.ends_with(".ll"))
    };
    let written = files.filter(is_it).max_by_key(|path| {
        let written = path.metadata().and_then(|of| of.modified());
        written.expect("it is there")
    });
    let written = written.expect("it was asked for");
    let code = fs::read_to_string(&written).expect("it is text");
    fs::remove_file(written).expect("it is no longer needed");
    let mut lines = 0;
    let mut is_function = false;
    for line in code.lines() {
        is_function |= line.starts_with("define ");
        is_function &= line != "}";
        lines += usize::from(is_function);
    }
    assert!(
        (MOST_LINES / 2..MOST_LINES).contains(&lines),
        "{lines} lines"
    );
}

/// The two ways of the first chapter to make the project, in a folder where `refmap` is a checkout.
#[test]
#[cfg(unix)]
fn a_project_made_by_hand_depends_on_the_same() {
    let chapter = page(CHAPTER);
    let [by_program, by_hand] = blocks(&chapter, "sh")[..] else {
        panic!("the chapter has other commands");
    };
    assert_eq!(
        by_program,
        "cargo run --release -- new ../counter --refmap .\n"
    );
    let here = tempfile::tempdir().expect("there is room");
    let written = new(
        &here.path().join("by_program"),
        &["--refmap", &checkout().display().to_string()],
    );
    assert!(written.status.success(), "{written:?}");
    std::os::unix::fs::symlink(checkout(), here.path().join("refmap")).expect("there is room");
    let made = Command::new("sh")
        .args(["-euc", by_hand])
        .current_dir(here.path())
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .expect("there is a shell");
    assert!(made.status.success(), "{made:?}");
    assert_eq!(
        dependencies(&here.path().join("counter")),
        dependencies(&here.path().join("by_program"))
    );
}

/// CI of the first chapter runs what the tests above run.
#[test]
fn the_workflow_runs_the_tests_of_a_project_beside_a_checkout() {
    let chapter = page(CHAPTER);
    let [workflow] = blocks(&chapter, "yaml")[..] else {
        panic!("the chapter has another workflow");
    };
    let workflow = YamlLoader::load_from_str(workflow).expect("it is YAML");
    let steps = workflow[0]["jobs"]["test"]["steps"].as_vec();
    let steps = steps.expect("it has steps");
    let of = |step: &Yaml, key: &str| step[key].as_str().map(str::to_owned);
    let checkouts: Vec<_> = steps
        .iter()
        .filter_map(|step| of(&step["with"], "path"))
        .collect();
    assert_eq!(checkouts, ["counter", "refmap"]);
    let commands: Vec<_> = steps
        .iter()
        .filter_map(|step| Some((of(step, "run")?, of(step, "working-directory")?)))
        .collect();
    assert_eq!(commands, [("cargo test".to_owned(), "counter".to_owned())]);
}

#[test]
fn nothing_is_written_over_what_is_there() {
    let here = tempfile::tempdir().expect("there is room");
    let refused = |folder: &Path, arguments: &[&str]| {
        let refused = new(folder, arguments);
        assert_eq!(refused.status.code(), Some(2));
        text(&refused.stderr)
    };
    let message = refused(here.path(), &[]);
    assert!(message.starts_with("error: "), "{message}");
    let message = refused(&here.path().join("2pc"), &[]);
    has(&message, "\"2pc\" is no name of a package");
    // Cargo would take it for a member of the workspace.
    let message = refused(
        &checkout().join("inside"),
        &["--refmap", &checkout().display().to_string()],
    );
    has(&message, "as ../inside");
    assert!(!checkout().join("inside").exists());
}
