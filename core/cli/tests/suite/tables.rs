//! Tests of tables: rows of a sweep, and cells of a published table.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use refmap::explore::Limits;
use refmap::obligation::{Checker, Selection, Settings, Until};
use refmap::{AbstractSteps, Invariant, Verdict};
use refmap_cli::Status;
use refmap_cli::catalogue::{Catalogue, Check, InputError, Nothing, number};
use refmap_cli::clap;
use refmap_cli::table::{
    Axis, Decided, Expected, Failing, Instance, Outcome, Published, PublishedRow, Row, Rows, Sweep,
    SweptRow, Table,
};
use refmap_testing::{Adjusting, counter, counter_with_reset, itself, waived};

use super::run_all::run;
use crate::has;

/// A published table of one column, of some parts.
fn of_the_left(parts: &[&'static str], rows: Vec<PublishedRow>) -> Published {
    Published {
        source: "",
        named: Vec::new(),
        columns: Axis {
            parameter: "side",
            values: vec!["left"],
        },
        parts: Axis {
            parameter: "part",
            values: parts.to_vec(),
        },
        rows,
    }
}

/// A table of these rows.
fn sweep(rows: Vec<Row>, on_the_way: Option<Instance>) -> Table {
    Table {
        name: "table",
        about: "",
        check: "count",
        rows: Rows::Sweep(Sweep { rows, on_the_way }),
    }
}

/// Verdict on the only row of a table.
fn swept(
    instances: Vec<Instance>,
    on_the_way: Option<Instance>,
    check: &Check,
    settings: &Settings<'_>,
) -> SweptRow {
    let given = String::new();
    let mut found: Vec<SweptRow> = Vec::new();
    let decided =
        sweep(vec![Row { given, instances }], on_the_way).decide(check, settings, |row| {
            found.extend(row.swept().cloned());
            Ok::<_, InputError>(true)
        });
    decided.expect("the arguments are accepted");
    assert_eq!(found.len(), 1);
    found.remove(0)
}

/// A part of a cell that violates nothing but `coverage` is not exercised, and does not fail; the states of a cell
/// are the sum over its parts.
#[test]
fn a_cell_fails_by_what_was_put_to_the_test() {
    #[derive(Clone, clap::Args)]
    struct Arguments {
        #[arg(long, default_value = "left", value_parser = ["left", "right"])]
        side: String,
        #[arg(long, default_value = "whole", value_parser = ["whole", "idle", "wrong"])]
        part: String,
    }
    let count = Check::new("count", "", "", |arguments: &Arguments| {
        assert_eq!(arguments.side, "left");
        let mut refinement = counter_with_reset();
        match arguments.part.as_str() {
            "whole" => refinement.waivers = vec![waived("reset")],
            "idle" => (),
            _ => refinement.abstract_steps = Box::new(|_, _, _| AbstractSteps::Stutter),
        }
        let to_the_end = |settings: &mut Settings<'_>| settings.until = Until::End;
        Ok(Box::new(Adjusting(Checker::owning(refinement), to_the_end)))
    });
    let decide = |parts: &[&'static str]| {
        let row = PublishedRow {
            given: String::new(),
            cells: vec![Expected::found(Failing::NONE)],
        };
        let published = of_the_left(parts, vec![row]);
        let table = Table {
            name: "table",
            about: "",
            check: "count",
            rows: Rows::Published(published.clone()),
        };
        let mut rows = Vec::new();
        let visit = |row: Decided| {
            rows.extend(row.cells().cloned());
            Ok::<_, InputError>(true)
        };
        let decided = table.decide(&count, &Settings::default(), visit);
        decided.expect("the arguments are accepted");
        let json = published.json(&rows);
        let cell = &json["rows"][0]["cells"][0];
        assert!(
            cell["seconds"]
                .as_f64()
                .is_some_and(|seconds| seconds > 0.0)
        );
        assert!(cell.get("paper").is_none());
        (rows[0].cells[0].ours, cell["states"].as_u64())
    };
    let fails = |part: u8| Outcome::Decided(Failing(1 << part));
    assert_eq!(
        decide(&["whole"]),
        (Outcome::Decided(Failing::NONE), Some(4))
    );
    assert_eq!(decide(&["idle"]), (Outcome::NotExercised(0), Some(4)));
    assert_eq!(decide(&["whole", "wrong"]), (fails(1), Some(8)));
    assert_eq!(
        decide(&["wrong", "idle"]),
        (Outcome::NotExercised(1), Some(8))
    );
}

#[test]
fn each_row_of_a_published_table_that_differs_is_told() {
    #[derive(Clone, clap::Args)]
    struct Arguments {
        #[arg(long, default_value = "left", value_parser = ["left", "right"])]
        side: String,
        #[arg(long, default_value = "whole", value_parser = ["whole"])]
        part: String,
        #[arg(long, default_value_t = 0)]
        row: u32,
    }
    let count = Check::new("count", "", "", |arguments: &Arguments| {
        assert_eq!((&*arguments.side, &*arguments.part), ("left", "whole"));
        assert!(arguments.row < 3);
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    // The first of three is as expected.
    let rows = [Failing::NONE, Failing(1), Failing(1)];
    let rows = (0..).zip(rows).map(|(number, expected)| PublishedRow {
        given: format!("--row {number}"),
        cells: vec![Expected::found(expected)],
    });
    let published = of_the_left(&["whole"], rows.collect());
    let catalogue = Catalogue {
        checks: vec![count],
        tables: vec![Table {
            name: "table",
            about: "",
            check: "count",
            rows: Rows::Published(published),
        }],
        ..Catalogue::default()
    };
    let (status, text) = run(&catalogue, "", false);
    assert_eq!(status.expect("it is decided"), Status::Violated, "{text}");
    let (told, _) = text
        .split_once("not as claimed:")
        .expect("it is told again");
    let told = told.matches("left: expected whole fails, found holds");
    assert_eq!(told.count(), 2, "{text}");
}

/// A row of a table holds if every instance does; an instance that is interrupted, decides nothing or is violated
/// ends the row with its verdict.
#[test]
fn a_row_of_a_table_says_what_its_worst_instance_says() {
    let count = Check::new("count", "", "", |_: &Nothing| {
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    let decide = |instances: &[Selection], settings: &Settings<'_>| {
        let instances = instances.iter().map(|obligations| Instance {
            obligations: obligations.clone(),
            ..Instance::default()
        });
        let row = swept(instances.collect(), None, &count, settings);
        (row.verdict, row.instances.len())
    };
    let whole = Settings::default();
    let cut = Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..Settings::default()
    };
    assert_eq!(decide(&[], &whole), (Verdict::Incomplete, 0));
    let (all, nothing) = (Selection::Default, Selection::Nothing);
    assert_eq!(
        decide(&[all.clone(), all.clone()], &whole),
        (Verdict::Holds, 2)
    );
    assert_eq!(
        decide(&[all.clone(), all.clone()], &cut),
        (Verdict::Incomplete, 1)
    );
    assert_eq!(
        decide(&[all.clone(), nothing.clone(), all.clone()], &whole),
        (Verdict::Incomplete, 2)
    );
    assert_eq!(decide(&[nothing, all], &whole), (Verdict::Incomplete, 1));
}

/// For a row that is violated at its first instance, the obligations on the way are those violated up to the length
/// of its counterexample. For a row that holds there, or is violated only at a larger instance, they are those
/// violated anywhere.
#[test]
fn a_table_tells_what_is_broken_by_the_time_a_row_is_violated() {
    #[derive(Clone, clap::Args)]
    struct Arguments {
        /// what stays below it
        #[arg(long, default_value_t = 9, value_parser = number::<u8>(1..=9))]
        small: u8,
    }
    let count = Check::new("count", "", "", |arguments: &Arguments| {
        let mut refinement = itself(counter());
        refinement.invariants = vec![
            Invariant::new("below_two", "a test", |n: &u8| *n < 2),
            Invariant::new("below_three", "a test", |n: &u8| *n < 3),
            match arguments.small {
                1 => Invariant::new("small", "a test", |n: &u8| *n < 1),
                3 => Invariant::new("small", "a test", |n: &u8| *n < 3),
                _ => Invariant::new("small", "a test", |_: &u8| true),
            },
        ];
        Ok(Box::new(Checker::owning(refinement)))
    });
    let at = |small: u64| Instance {
        given: format!("--small {small}"),
        obligations: Selection::only(["invariant:small"]),
        ..Instance::default()
    };
    let decide = |instances: &[u64]| {
        let on_the_way = Instance {
            given: at(instances[0]).given,
            ..Instance::default()
        };
        let instances = instances.iter().map(|small| at(*small)).collect();
        let row = swept(instances, Some(on_the_way), &count, &Settings::default());
        (row.length, row.broken.expect("the table looks"))
    };
    // 1 is reached after one step, 2 after two and 3 after three.
    let (two, three, small) = (
        "invariant:below_two",
        "invariant:below_three",
        "invariant:small",
    );
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(decide(&[1]), (Some(1), names(&[small])));
    assert_eq!(decide(&[3]), (Some(3), names(&[two, three, small])));
    assert_eq!(decide(&[9]), (None, names(&[two, three])));
    assert_eq!(decide(&[9, 1]), (Some(1), names(&[two, three])));
}

/// A row that is refused takes nothing away from those before it, which take longer; of two that are refused the first is told.
#[test]
fn a_row_that_is_refused_is_told_after_those_before_it() {
    #[derive(Clone, clap::Args)]
    struct Arguments {
        #[arg(long, default_value_t = 0)]
        row: usize,
    }
    let refused = AtomicUsize::new(0);
    let count = Check::new("count", "", "", move |arguments: &Arguments| {
        let number = arguments.row;
        // The last is refused before the others are decided, and the last but one after it.
        while refused.load(Ordering::SeqCst) < [2, 1, 0][number] {
            thread::yield_now();
        }
        if number > 0 {
            refused.fetch_add(1, Ordering::SeqCst);
            let row = format!("row {number}");
            return Err(InputError::instance(io::Error::other(row)));
        }
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    let rows = [0, 1, 2].map(|number| Row {
        given: String::new(),
        instances: vec![Instance {
            given: format!("--row {number}"),
            ..Instance::default()
        }],
    });
    let table = sweep(rows.into(), None);
    let settings = Settings {
        threads: 3,
        ..Settings::default()
    };
    let mut shown = Vec::new();
    let decided = table.decide::<InputError>(&count, &settings, |row| {
        shown.extend(row.swept().map(|row| row.verdict));
        Ok(true)
    });
    let error = decided.expect_err("two rows are refused").to_string();
    has(&error, "row 1");
    assert_eq!(shown, [Verdict::Holds]);
}
