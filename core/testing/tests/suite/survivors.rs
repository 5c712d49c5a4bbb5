//! The page of mutants that survive speaks of the program as it is.

use std::path::{Path, PathBuf};

/// The texts of a file, or of the files of a folder.
fn texts(path: &Path) -> Vec<String> {
    if path.is_file() {
        let text = std::fs::read_to_string(path).expect("a source file is text");
        return vec![text];
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.iter().flat_map(|path| texts(path)).collect()
}

/// Texts between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn each_place_is_there_and_has_what_is_named_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("core/testing/tests/SURVIVORS.md"));
    let page = page.expect("the page is there");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let mut count = 0;
    for row in rows {
        let [_, places, mutant, why, _] = row.split('|').collect::<Vec<_>>()[..] else {
            panic!("it has three columns: {row}");
        };
        let texts: Vec<_> = quoted(places)
            .flat_map(|place| texts(&root.join(place)))
            .collect();
        assert!(!texts.is_empty(), "{row}");
        // Operators and verdicts are named everywhere.
        let names = quoted(mutant).chain(quoted(why));
        let names =
            names.filter(|name| name.starts_with(char::is_alphabetic) && *name != "incomplete");
        for name in names {
            assert!(
                texts.iter().any(|text| text.contains(name)),
                "`{name}` in {places}"
            );
        }
        count += 1;
    }
    assert!(count > 20, "{count} rows");
}

#[test]
fn each_file_of_which_there_are_to_be_mutants_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let settings = std::fs::read_to_string(root.join(".cargo/mutants.toml"));
    let settings = settings.expect("the settings are there");
    let places = settings
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"'));
    let places = places.filter(|place| place.starts_with("core/"));
    let places: Vec<&str> = places
        .filter_map(|place| place.split(['*', '"']).next())
        .collect();
    assert!(places.len() > 15, "{places:?}");
    for place in places {
        assert!(!texts(&root.join(place)).is_empty(), "{place}");
    }
}
