//! Messages of the program where it cannot do as it is told, and where it can.

use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use refmap::Verdict;
use refmap::explore::{Progress, Watch};
use refmap::internal::TextOptions;
use refmap::internal::explore::Phase;
use refmap::obligation::{Induction, Settings};
use refmap_cli::catalogue::Catalogue;

use super::SMALL;
use crate::has;
use crate::program::{each_is_refused, refmap, status, text};

#[test]
fn the_version_is_told() {
    let output = refmap("--version");
    assert_eq!(status(&output), 0);
    let version = format!("refmap {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&output.stdout), version);
}

/// Of a program of another name it is that of refmap.
#[test]
fn the_version_of_another_program_says_whose_it_is() {
    let told = error_of("mine", &Catalogue::default(), "--version");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(told, format!("mine (refmap {version})\n"));
}

/// Error of a program over another catalogue, given these words.
fn error_of(name: &'static str, catalogue: &Catalogue, words: &str) -> String {
    let words = [name].into_iter().chain(words.split_whitespace());
    let ended = refmap_cli::run(
        name,
        "",
        catalogue,
        words.map(Into::into),
        &AtomicBool::new(false),
        TextOptions::default(),
        &mut Vec::new(),
    );
    ended.expect_err("that is no command").to_string()
}

/// A command that nothing of the catalogue is for is no name of that which there is not.
#[test]
fn a_catalogue_without_tables_has_no_command_for_them() {
    for command in ["table", "fences", "stress"] {
        let told = error_of("mine", &Catalogue::default(), command);
        has(&told, "unrecognized subcommand");
        assert!(!told.contains("there is no"), "{told}");
    }
    each_is_refused(
        "",
        r#"
table table => there is no table "table"; there are: tso, yrc,
table yrk => there is no table "yrk" (did you mean "yrc"?); there are: tso, yrc, "#,
    );
}

#[test]
fn a_suggestion_names_everything_once() {
    // With an environment, and without one, of which there is a row `environment`.
    for check in ["ben-ari-3", "yrc"] {
        let output = refmap(&format!("check {check} --obligations nonsense"));
        assert_eq!(status(&output), 2);
        let told = text(&output.stderr);
        let (_, names) = told.split_once("there are: ").expect("it names them");
        let mut names: Vec<_> = names.trim_end().split(", ").collect();
        assert!(names.contains(&"environment") && names.contains(&"coverage"));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{told}");
    }
}

#[test]
fn another_verdict_than_the_expected_one_is_told() {
    for (words, expected) in [
        (
            format!("check ben-ari-1 {SMALL} --expect violated"),
            "the verdict was expected to be violated, and is holds\n",
        ),
        (
            format!("check ben-ari-1 {SMALL} --max-depth 1 --expect holds"),
            "the verdict was expected to be holds, and is incomplete\n",
        ),
        (
            format!("check ben-ari-1 {SMALL} --obligations none --expect holds"),
            "the verdict was expected to be holds, and is no verdict\n",
        ),
    ] {
        for how in ["--quiet", "--json", ""] {
            let output = refmap(&format!("{words} {how}"));
            assert_eq!(status(&output), 1);
            assert!(text(&output.stderr).ends_with(expected), "{words} {how}");
        }
    }
    let output = refmap(&format!("check ben-ari-1 {SMALL} --expect holds"));
    assert_eq!(status(&output), 0);
    assert!(output.stderr.is_empty());
}

#[test]
fn no_option_is_dropped_without_a_word() {
    let output = refmap(&format!(
        "check ben-ari-3 {SMALL} --obligations none --inductive"
    ));
    assert_eq!(status(&output), 2);
    assert!(output.stdout.is_empty());
    let told = text(&output.stderr);
    has(&told, "'--obligations none'");
    has(&told, "'--inductive'");
}

#[test]
fn sizes_are_read_in_either_kind_of_unit() {
    for size in ["200MB", "1.5GiB", "512MiB", "2GB", "2000000000"] {
        let output = refmap(&format!(
            "check ben-ari-1 {SMALL} --quiet --max-memory {size}"
        ));
        assert_eq!(status(&output), 0, "{size}: {}", text(&output.stderr));
    }
}

/// Phases after the search are told too, since they may take as long.
#[test]
fn progress_says_when_the_search_is_over() {
    let phases = Mutex::new(Vec::new());
    let units = Mutex::new(Vec::new());
    let note = |progress: &Progress| {
        phases.lock().unwrap().push(progress.phase);
        if let Some(work) = progress.work {
            assert!(work.done <= work.total, "{work:?}");
            units.lock().unwrap().push((progress.phase, work.unit));
        }
    };
    let settings = Settings {
        induction: Induction::Included,
        watch: Watch {
            cancel: None,
            progress: Some(&note),
        },
        ..Settings::default()
    };
    let catalogue = refmap_checks::catalogue();
    let check = catalogue.check("ben-ari-1").expect("there is such a check");
    let given = check.arguments("--nodes 2 --sons 1");
    let given = given.expect("they are in range");
    let report = check.run(&given, &settings).expect("it can be checked");
    assert_eq!(report.verdict, Some(Verdict::Holds));
    let phases = phases.into_inner().unwrap();
    assert!(phases.contains(&Phase::Environment), "{phases:?}");
    assert!(phases.contains(&Phase::Induction), "{phases:?}");
    let units = units.into_inner().unwrap();
    let induction = (Phase::Induction, "type-correct states");
    assert!(units.contains(&induction), "{units:?}");
}

/// Help that cannot be written to its reader is a failure.
#[cfg(target_os = "linux")]
#[test]
fn where_there_is_no_room_for_the_help_that_is_an_error() {
    for words in ["--help", "--version", "check ben-ari-3 --help"] {
        let full = fs::File::options().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_refmap"))
            .args(words.split(' '))
            .stdout(full.expect("there is a device that is always full"))
            .output()
            .expect("the program runs");
        assert_eq!(status(&output), 2, "{words}");
        let told = text(&output.stderr);
        has(&told, "cannot write the results");
        assert_eq!(status(&refmap(words)), 0);
    }
}

/// Undecided obligations are told first, and what to ask for instead.
#[test]
fn an_obligation_that_cannot_be_decided_is_in_the_headline() {
    let words = "check tso --fields 1 --references 1 --collector-buffer 1";
    let output = refmap(words);
    assert_eq!(status(&output), 3);
    let report = text(&output.stdout);
    let report: Vec<_> = report.split_whitespace().collect();
    let report = report.join(" ");
    let headline = "incomplete: environment not decided, since steps are run together, and that this \
                    keeps every choice of the mutators open is not shown; it is decided at fine granularity \
                    (--granularity fine); of the others, exhaustive: every reachable state";
    has(&report, headline);
    // What is asked for is decided, and a limit is a reason of its own.
    let output = refmap(&format!("{words} --granularity fine"));
    assert_eq!(status(&output), 0, "{}", text(&output.stdout));
    let output = refmap(&format!("{words} --max-depth 3"));
    assert!(text(&output.stdout).contains("incomplete, bounded: the states reached before"));
}
