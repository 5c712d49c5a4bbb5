//! Tests that every test belongs to a tier: the default one, or the `slow` or `nightly` of its name's prefix.

use std::fs;

use crate::program::{files, page};

/// Prefixes of the other tiers.
const TIERS: [&str; 2] = ["slow_", "nightly_"];

/// Reason of a test that another one runs in a process of its own.
const BY_ANOTHER: &str = "run by the next test";

/// Ignored tests of a source file, each a reason and a name.
fn ignored(source: &str) -> Vec<(&str, &str)> {
    let of = |after: &'_ str| -> Option<(usize, usize, usize)> {
        let reason = after.find("\"]")?;
        let name = reason + after[reason..].find("fn ")? + 3;
        Some((reason, name, name + after[name..].find('(')?))
    };
    let attributes = source.split("#[ignore").skip(1);
    let tests = attributes.map(|after| match (after.strip_prefix(" = \""), of(after)) {
        (Some(_), Some((reason, name, end))) => (&after[" = \"".len()..reason], &after[name..end]),
        _ => ("", after.lines().nth(1).unwrap_or_default()),
    });
    tests.collect()
}

/// Reason why an ignored test belongs to no tier; `None` if it belongs to one.
fn fault((reason, name): (&str, &str)) -> Option<String> {
    let has_tier = TIERS.iter().any(|tier| name.starts_with(tier));
    if reason.is_empty() {
        return Some(format!("`{name}` does not say why it is ignored"));
    }
    (!has_tier && !reason.starts_with(BY_ANOTHER))
        .then(|| format!("`{name}` is ignored, and its name begins with none of {TIERS:?}"))
}

#[test]
fn every_ignored_test_has_a_tier() {
    let folders = ["core", "systems", "refinements", "checks", "examples"];
    let found: Vec<_> = folders.iter().flat_map(|of| files(of, ".rs")).collect();
    let (mut tests, mut faults) = (0, Vec::new());
    for path in found.iter().filter(|path| !path.ends_with("tiers.rs")) {
        let source = fs::read_to_string(path).expect("a source is text");
        for test in ignored(&source) {
            tests += 1;
            let fault = fault(test).map(|fault| format!("{}: {fault}", path.display()));
            faults.extend(fault);
        }
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(tests >= 30, "only {tests} tests were found");
    let commands = page(".cargo/config.toml");
    for tier in TIERS {
        let runs = format!("-- --ignored {tier}\"");
        assert!(commands.contains(&runs), "no command runs {tier}");
    }
}

#[test]
fn a_test_without_a_tier_or_a_reason_is_found() {
    let source = "#[test]\n#[ignore = \"hours\"]\nfn at_length() {}\n#[test]\n#[ignore]\nfn slow_why() {}\n\
                  #[test]\n#[ignore = \"a minute\"]\nfn slow_one() {}\n";
    let tests = ignored(source);
    assert_eq!(tests[0], ("hours", "at_length"));
    let faults: Vec<_> = tests
        .into_iter()
        .map(|test| fault(test).is_some())
        .collect();
    assert_eq!(faults, [true, true, false]);
}
