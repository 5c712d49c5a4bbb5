//! Tests of claims: rows that are read or refused, differences to a report, and the settings of their checks.

use std::sync::Mutex;

use refmap::explore::{Limits, Storage};
use refmap::obligation::{
    Checker, Induction, Liveness, Search, Selection, Settings, Symmetry, Until, Warnings,
};
use refmap::{Invariant, check};
use refmap_cli::catalogue::{Catalogue, Check, Claim, Nothing, number};
use refmap_cli::clap;
use refmap_cli::table::{Axis, Expected, Failing, Published, PublishedRow, Rows, Table};
use refmap_testing::{Adjusting, counter, itself};
use serde_json::json;

use super::run_all::page;
use super::{cases, lines};

const SAYS: &str = "a paper: what it says";

#[derive(Clone, clap::Args)]
#[allow(dead_code, reason = "that they are read is tested")]
struct Arguments {
    #[arg(long, default_value_t = 3, value_parser = number::<u8>(2..=4))]
    nodes: u8,
    #[arg(long, default_value = "sc", value_parser = ["sc", "tso"])]
    memory: String,
    #[arg(long)]
    fast: bool,
    #[arg(long)]
    fence: Vec<String>,
}

/// A catalogue over a check `c` with parameters and one `n` without, and a published table.
fn catalogue(claims: String) -> Catalogue {
    let c = Check::new("c", "", "", |_: &Arguments| {
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    let n = Check::new("n", "", "", |_: &Nothing| {
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    let axis = |parameter, value| Axis {
        parameter,
        values: vec![value],
    };
    let table = Table {
        name: "sizes",
        about: "all of them",
        check: "c",
        rows: Rows::Published(Published {
            source: "a paper",
            named: vec!["nodes"],
            columns: axis("memory", "sc"),
            parts: axis("fence", "a"),
            rows: vec![PublishedRow {
                given: "--nodes 2".to_owned(),
                cells: vec![Expected::found(Failing::NONE)],
            }],
        }),
    };
    Catalogue {
        checks: vec![c, n],
        tables: vec![table],
        claims,
        ..Catalogue::default()
    }
}

fn claim(command: &str, expected: &str) -> Claim {
    let catalogue = catalogue(page(&[[command, expected, SAYS]]));
    let claims = catalogue.claims();
    claims.unwrap_or_else(|error| panic!("{error}")).remove(0)
}

/// Errors of a page; none if all of its rows are read.
fn refused(page: &str) -> String {
    let read = catalogue(page.to_owned()).claims();
    read.map_or_else(|error| error.to_string(), |_| String::new())
}

/// Each malformed row is refused, with its line, what is wrong and what is allowed.
#[test]
fn a_malformed_row_is_refused() {
    let of = |command: &str, expected: &str| format!("| `{command}` | {expected} | {SAYS} |");
    let is_refused = |row: &str, claim: &str, reason: &str| {
        let before = "# Claims\n\nOf a counter.\n\n| claim | expected | source |\n|---|---|---|\n";
        let right = of("check n", "holds");
        let found = refused(&format!("{before}{right}\n{row}\n{right}\n\nThe end.\n"));
        let expected = format!("error: line 8: the claim `{claim}` cannot be decided: {reason}");
        assert_eq!(found, expected, "{row}");
    };
    // Rows, cells, and published tables.
    for case in lines(
        r#"
| `check c` | holds | => check c => it has 2 cells, and must have 3: claim, expected and source
| `check c` | holds | a: b | c | => check c => it has 4 cells, and must have 3: claim, expected and source
| `check c` | holds | a: b => | `check c` | holds | a: b => a line with a bar is a row of a table, and begins and ends with one
`check c` | holds | a: b => `check c` | holds | a: b => a line with a bar is a row of a table, and begins and ends with one
| check c | holds | a: b | => | check c | holds | a: b | => the command has to be between backticks
| `check c` | holds | a paper | => check c => the last cell must be a source and what it says, with `: ` between them
| `check c` | holds | a paper, what it says: | => check c => the last cell must be a source and what it says, with `: ` between them
| `check c` | holds | a paper\: what it says | => check c => the last cell must be a source and what it says, with `: ` between them
| `chekc c` | holds | a paper: what it says | => | `chekc c` | holds | a paper: what it says | => the command is neither `check NAME` nor `table NAME`
| `check` | holds | a paper: what it says | => | `check` | holds | a paper: what it says | => the command is neither `check NAME` nor `table NAME`
| `cargo run check c` | holds | a paper: what it says | => | `cargo run check c` | holds | a paper: what it says | => the command is neither `check NAME` nor `table NAME`
| `other check c` | holds | a paper: what it says | => check c => the command is one of "other", and those before it of ""
| `table size` | 1 cells as recorded | a paper: all of them | => table size => there is no published table "size" (did you mean "sizes"?); there are: sizes
| `table sizes` | 2 cells as recorded | a paper: all of them | => table sizes => the table says "1 cells as recorded", and the row "2 cells as recorded"
| `table sizes` | 1 cells as recorded | another paper: all of them | => table sizes => the table says "a paper", and the row "another paper"
| `table sizes` | 1 cells as recorded | a paper: some of them | => table sizes => the table says "all of them", and the row "some of them"
| `table sizes --nodes 3` | 1 cells as recorded | a paper: all of them | => table sizes --nodes 3 => the command is neither `check NAME` nor `table NAME`"#,
    ) {
        let parts: Vec<_> = case.split(" => ").collect();
        let [row, claim, reason] = parts[..] else {
            panic!("three parts: {case}");
        };
        is_refused(row, claim, reason);
    }
    // Commands.
    for (command, reason) in cases(
        r#"
check d => there is no check "d"; there are: c, n
check c --node 3 => c has no parameter "node" (did you mean "nodes"?); there are: nodes, memory, fast, fence
check c --keep-goin => c has no parameter "keep-goin" (did you mean "keep-going"?); there are: nodes, memory, fast, fence
check c --json => c has no parameter "json"; there are: nodes, memory, fast, fence
check c --nodes 5 => nodes is 5, and must be a number from 2 to 4
check c --nodes=x => nodes is "x", and must be a number from 2 to 4
check c --nodes => nodes is "", and must be a number from 2 to 4
check c --memory pso => memory is "pso", and must be sc or tso
check c --nodes 3 --nodes 3 => the argument '--nodes <N>' cannot be used multiple times
check c --fast --fast => the argument '--fast' cannot be used multiple times
check c trailing => unexpected argument 'trailing' found
check c --symmetry ful => invalid value 'ful' for '--symmetry <symmetry>' [possible values: none, full]; tip: a similar value exists: 'full'
check c --steps 3 => the following required arguments were not provided: --walks <N>
check c --obligations none --inductive => the argument '--obligations none', which checks nothing, cannot be used with '--inductive'; for inductive:* alone say '--obligations inductive'
check c --fence a* => '*' means something to a shell: the word has to be in single quotes
check c --fence 'a => a single quote or a backslash has no end"#,
    ) {
        is_refused(&of(command, "holds"), command, reason);
    }
    // Expected results.
    for (expected, reason) in cases(
        r#"
hold => the verdict is "hold", and must be holds, violated or incomplete
 => the verdict is "the end", and must be holds, violated or incomplete
violated by => an obligation is to follow "by", and "the end" does
violated by simulation agency => "agency" is not expected there: after N steps, `, and by OBLIGATION`, `, N states`, `, N transitions`, `, all exercised` can follow
violated after 3 step => "step" is not expected there: steps can follow
violated after 1 steps => "steps" is not expected there: step can follow
violated after steps => "steps" is no number of steps, which is written as 1 234 or 1234
violated, and simulation => "simulation" is not expected there: by can follow
violated, by simulation => "by" is not expected there: by OBLIGATION, after N steps, `, and by OBLIGATION`, `, N states`, `, N transitions`, `, all exercised` can follow
holds, 12 sttaes => "sttaes" is not expected there: states can follow
holds, 12 345 67 states => "12 345 67" is no number of states or transitions, which is written as 1 234 or 1234
holds, 1234 567 states => "1234 567" is no number of states or transitions, which is written as 1 234 or 1234
holds, 12x states => "12x" is no number of states or transitions, which is written as 1 234 or 1234
holds, 99999999999999999999 states => "99999999999999999999" is no number of states or transitions, which is written as 1 234 or 1234
holds, 12 states, 12 states => "states" is not expected there: transitions can follow
holds, 12 transitions, 12 states => "12" is not expected there: `, all exercised` can follow
holds, 12 states 12 transitions => "12" is not expected there: `, N transitions`, `, all exercised` can follow
holds, all => "the end" is not expected there: exercised can follow
holds, all exercised, 12 states => "12" is not expected there: nothing can follow
holds. => the verdict is "holds.", and must be holds, violated or incomplete
holds, => "the end" is not expected there: by OBLIGATION, after N steps, `, and by OBLIGATION`, `, N states`, `, N transitions`, `, all exercised` can follow
violated by 'simulation => a single quote has no end"#,
    ) {
        is_refused(&of("check c", expected), "check c", reason);
    }
}

/// A row that asks the same as an earlier one is refused before any is decided, however it is written and whatever it expects. Rows
/// that differ in an argument or an option are different claims.
#[test]
fn a_repeated_row_is_refused() {
    let refused = |earlier: &str, later: &str, expected: &str| {
        let rows = [
            [earlier, "holds", SAYS],
            ["check n --max-depth 7", "holds", SAYS],
            [later, expected, SAYS],
        ];
        let validated = catalogue(page(&rows)).validate();
        validated.map_err(|error| error.to_string())
    };
    for (earlier, later) in [
        ("check n", "check n"),
        ("check c", "check c --nodes 3"),
        ("check c --memory=sc --nodes 2", "check c --nodes 2"),
        ("check c --fast --fence a", "check c --fence a --fast"),
        ("check n --max-states 9", "check n --max-states=9"),
    ] {
        for expected in ["holds", "holds, 4 states"] {
            let told = format!(
                "error: line 7: the claim `{later}` cannot be decided: it repeats the claim of line 5: the same check at the same \
                 arguments, with the same options"
            );
            assert_eq!(refused(earlier, later, expected), Err(told));
        }
    }
    for (earlier, later) in [
        ("check n", "check c"),
        ("check c", "check c --nodes 4"),
        ("check c", "check c --fast"),
        ("check c --fence a --fence b", "check c --fence a"),
        ("check n", "check n --max-states 9"),
        ("check n", "check n --obligations deadlock"),
        ("check n", "check n --without deadlock"),
        ("check n", "check n --strict"),
        ("check n", "check n --storage whole"),
    ] {
        assert_eq!(refused(earlier, later, "holds"), Ok(()), "{later}");
    }
}

/// All rows of a page are told of at once, and a table without its header, or of other columns, is no table of claims.
#[test]
fn a_page_is_tables_of_claims_and_what_has_no_bar() {
    let table = "| claim | expected | source |\n|---|---|---|\n";
    let row = "| `check c` | holds | a paper: it says |\n";
    let published = "| `table sizes` | 1 cells as recorded | a paper: all of them |\n";
    for right in [
        String::new(),
        "# A page\n\nof prose\n".to_owned(),
        format!("{table}{row}{row}\n## More\n\n{table}{row}{published}"),
        format!("{table}{row}").replace('\n', "\r\n"),
    ] {
        assert_eq!(refused(&right), "");
    }
    let no_header = "it follows no header: a table begins with the lines `| claim | expected | source |` and `|---|---|---|`";
    for (wrong, line) in [
        (row.to_owned(), 1),
        (format!("{table}{row}\n{row}"), 5),
        (
            format!("| claim | source | expected |\n|---|---|---|\n{row}"),
            1,
        ),
        (format!("| claim | expected | source |\n{row}"), 2),
    ] {
        let told = refused(&wrong);
        let first = told.lines().next().expect("it is wrong");
        assert!(
            first.starts_with(&format!("error: line {line}: ")),
            "{told}"
        );
        assert!(first.ends_with(no_header), "{told}");
    }
    let two = refused(&format!(
        "{table}{row}| `check d` | holds | a: b |\n| `check c` | hold | a: b |\n"
    ));
    let lines: Vec<_> = two
        .lines()
        .map(|line| &line[.."error: line 4".len()])
        .collect();
    assert_eq!(lines, ["error: line 4", "error: line 5"]);
    let programs = refused(&format!(
        "{table}| `mine check c` | holds | a: b |\n| `yours check c` | holds | a: b |\n"
    ));
    assert_eq!(
        programs,
        "error: line 4: the claim `check c` cannot be decided: the command is one of \"yours\", and those before it of \"mine\""
    );
}

/// A claim lists every difference to a report, and none for a report that is as claimed.
#[test]
fn a_claim_tells_what_differs() {
    let mut refinement = itself(counter());
    refinement.abstract_steps = Box::new(|n, action, _| (*n != 2).then_some(*action).into());
    refinement.implementation.may_stop = |_| true;
    refinement.invariants = vec![
        Invariant::new("small", "a test", |n: &u8| *n < 3),
        Invariant::new("hollow", "a test", |_: &u8| true).when(|n: &u8| *n > 9),
    ];
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report = check(&refinement, &settings).expect("the settings fit");
    let differences = |expected: &str, report| claim("check n", expected).differences(report);
    let as_it_is =
        "violated by simulation after 3 steps, and by invariant:small, 4 states, 4 transitions";
    assert_eq!(differences(as_it_is, &report), [""; 0]);
    for (claimed, expected) in cases(
        r#"
holds => verdict: expected holds, found violated
violated by deadlock => violated obligation: expected deadlock, found simulation
violated after 2 steps => length: expected 2, found 3
violated, 5 states => states: expected 5, found 4
violated, 5 states, 4 transitions => states: expected 5, found 4
violated, 4 states, 3 transitions => transitions: expected 3, found 4
violated, 3 transitions => transitions: expected 3, found 4
violated, and by deadlock => deadlock: expected true, found false
violated, and by invariant:small, deadlock => deadlock: expected true, found false
violated, all exercised => unexercised: expected , found premise:hollow"#,
    ) {
        assert_eq!(differences(claimed, &report), [expected]);
    }
    // A check that holds or is undecided is not as claimed either.
    let holds = check(&itself(counter()), &settings).expect("the settings fit");
    assert_eq!(
        differences("violated by simulation after 3 steps", &holds).len(),
        3
    );
    assert_eq!(differences("holds, all exercised", &holds), [""; 0]);
    let cut = Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..settings
    };
    let cut = check(&itself(counter()), &cut).expect("the settings fit");
    assert_eq!(
        differences("holds", &cut),
        ["verdict: expected holds, found incomplete"]
    );
    assert_eq!(differences("incomplete", &cut), [""; 0]);
}

/// The settings of a claim determine the check and the command that repeats it.
#[test]
fn a_claim_says_how_its_check_is_run() {
    let plain = claim("mine check c --fast --nodes 3", "holds");
    assert_eq!(plain.command, "check c --fast --nodes 3");
    assert_eq!(
        json!(plain.arguments.given()),
        json!({"nodes": 3, "fast": true})
    );
    let names: Vec<_> = plain.arguments.given().keys().collect();
    assert_eq!(
        names,
        ["fast", "nodes"],
        "they are in the order of the command"
    );
    let all = json!({"nodes": 3, "memory": "sc", "fast": true, "fence": []});
    assert_eq!(json!(plain.arguments.values()), all);
    let settings = &plain.settings;
    assert_eq!(settings.symmetry, Symmetry::None);
    assert_eq!(settings.induction, Induction::Omitted);
    assert_eq!(settings.until, Until::FirstViolation);
    assert_eq!((&*plain.source, &*plain.says), ("a paper", "what it says"));
    let whole = claim(
        "check c --obligations deadlock,agency --without 'a*' --inductive --liveness --strict --keep-going --symmetry full \
         --storage whole --max-states 7 --max-depth 3 --fence a --fence 'two words'",
        "violated by deadlock, and by agency",
    );
    assert_eq!(
        json!(whole.arguments.given()),
        json!({"fence": ["a", "two words"]})
    );
    let settings = &whole.settings;
    assert_eq!(
        settings.obligations,
        Selection::only(["deadlock", "agency"])
    );
    assert_eq!(settings.without, ["a*"]);
    assert_eq!(settings.symmetry, Symmetry::Full);
    assert_eq!(settings.induction, Induction::Included);
    assert_eq!(settings.liveness, Liveness::Included);
    assert_eq!(settings.warnings, Warnings::Fail);
    assert_eq!(settings.until, Until::End);
    assert_eq!(settings.storage, Storage::Whole);
    assert_eq!(
        (settings.limits.states, settings.limits.depth),
        (Some(7), Some(3))
    );
    let walks = claim("check c --walks 5 --steps 6 --seed 7", "incomplete");
    let Search::Walks(walks) = walks.settings.search else {
        panic!("it is walks");
    };
    assert_eq!((walks.walks, walks.steps, walks.seed), (5, 6, 7));
}

/// The catalogue runs a claim with the claim's own settings, whatever the given ones.
#[test]
fn a_catalogue_runs_a_claim_as_it_says() {
    type Asked = (Selection, Induction, Until, Symmetry, Option<u64>);
    static ASKED: Mutex<Vec<Asked>> = Mutex::new(Vec::new());
    let count = Check::new("count", "", "", |_: &Nothing| {
        let checker = Checker::owning(itself(counter()));
        let ask = |settings: &mut Settings<'_>| {
            ASKED.lock().unwrap().push((
                settings.obligations.clone(),
                settings.induction,
                settings.until,
                settings.symmetry,
                settings.limits.states,
            ));
            *settings = Settings::default();
        };
        Ok(Box::new(Adjusting(checker, ask)))
    });
    let whole = "check count --obligations deadlock --inductive --keep-going --symmetry full --max-states 9";
    let catalogue = Catalogue {
        checks: vec![count],
        claims: page(&[["check count", "holds", SAYS], [whole, "holds", SAYS]]),
        ..Catalogue::default()
    };
    let settings = Settings {
        limits: Limits {
            states: Some(7),
            ..Limits::default()
        },
        ..Settings::default()
    };
    for claim in catalogue.claims().expect("they are claims") {
        let report = catalogue.run(&claim, &settings).expect("it is there");
        assert_eq!(report.check, "count");
        let asked = ASKED.lock().unwrap().pop().expect("it was run");
        let Settings {
            obligations,
            induction,
            until,
            symmetry,
            limits,
            ..
        } = claim.settings;
        let states = limits.states.or(Some(7));
        assert_eq!(asked, (obligations, induction, until, symmetry, states));
    }
    let other = catalogue.check("cound").expect_err("it is not there");
    let expected = "there is no check \"cound\" (did you mean \"count\"?); there are: count";
    assert_eq!(other.to_string(), expected);
}

/// An argument is within its range, or the default; the error of any other names it.
#[test]
fn arguments_are_in_their_range_or_refused() {
    let run = |line: &str| {
        let check = Check::new("c", "", "", |_: &Arguments| unreachable!());
        let arguments = check.arguments(line).map_err(|error| error.to_string())?;
        Ok::<_, String>(json!(arguments.values()))
    };
    let of = |nodes: u8| json!({"nodes": nodes, "memory": "sc", "fast": false, "fence": []});
    assert_eq!(run(""), Ok(of(3)));
    for nodes in 2..=4 {
        assert_eq!(run(&format!("--nodes {nodes}")), Ok(of(nodes)));
    }
    let given = json!({"nodes": 4, "memory": "tso", "fast": true, "fence": ["a", "b"]});
    assert_eq!(
        run("--fence a --memory tso --fast --fence b --nodes=4"),
        Ok(given)
    );
    for (line, message) in cases(
        r#"
--nodes 1 => nodes is 1, and must be a number from 2 to 4
--nodes 5 => nodes is 5, and must be a number from 2 to 4
--nodes +3 => nodes is "+3", and must be a number from 2 to 4
--nodes -1 => nodes is "-1", and must be a number from 2 to 4
--nodes '' => nodes is "", and must be a number from 2 to 4
--memory pso => memory is "pso", and must be sc or tso
--fast=yes => unexpected value 'yes' for '--fast' found; no more were expected
--node 3 => c has no parameter "node" (did you mean "nodes"?); there are: nodes, memory, fast, fence"#,
    ) {
        assert_eq!(run(line), Err(message.to_owned()));
    }
    #[derive(Clone, clap::Args)]
    #[allow(dead_code, reason = "that it is read is tested")]
    struct Required {
        #[arg(long, value_parser = ["sc", "tso"])]
        memory: String,
    }
    let check = Check::new("c", "", "", |_: &Required| unreachable!());
    let missing = check.arguments("").expect_err("it has no default");
    assert_eq!(
        missing.to_string(),
        "memory is not given, and must be one of sc, tso"
    );
    assert!(check.arguments("--memory sc").is_ok());
}

/// A parameter is an option, so a field without a long name is none.
#[test]
#[should_panic(expected = "`position` has no long name")]
fn a_parameter_has_a_long_name() {
    #[derive(Clone, clap::Args)]
    #[allow(dead_code, reason = "that it is refused is tested")]
    struct Positional {
        position: u8,
    }
    Check::new("c", "", "", |_: &Positional| unreachable!());
}
