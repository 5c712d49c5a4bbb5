//! Packages of the libraries: each has what a registry asks for, and those that are no library are published nowhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::{checkout, text};

/// The libraries, each after those that it depends on.
const LIBRARIES: [&str; 8] = [
    "refmap-derive",
    "refmap-schedules",
    "refmap",
    "refmap-processes",
    "refmap-programs",
    "refmap-histories",
    "refmap-distributed",
    "refmap-cli",
];

/// Files that each package has.
const FILES: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Most keywords and categories that crates.io takes.
const MOST: usize = 5;

fn cargo(folder: &Path, words: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).arg("--offline").current_dir(folder);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let output = cargo.env("CARGO_TARGET_DIR", target).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{words:?}: {output:?}");
    text(&output.stdout)
}

/// The packages of the workspace, by name.
fn members() -> BTreeMap<String, Value> {
    let words = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata: Value = serde_json::from_str(&cargo(checkout(), &words)).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("there are some");
    let by_name = packages.iter().map(|package| {
        let name = package["name"].as_str().expect("it has a name");
        (name.to_owned(), package.clone())
    });
    by_name.collect()
}

/// Words of cargo that package the libraries.
fn package(more: &[&'static str]) -> Vec<&'static str> {
    let named = LIBRARIES.iter().flat_map(|name| ["--package", *name]);
    // What is being worked on is packaged as it is.
    let words = ["package", "--allow-dirty"].into_iter().chain(named);
    words.chain(more.iter().copied()).collect()
}

#[test]
fn each_library_has_what_a_registry_asks_for() {
    let members = members();
    let workspace = &members["refmap"];
    for (name, package) in &members {
        // An empty list of registries is that of one that is published nowhere.
        let is_published = package["publish"].is_null();
        assert_eq!(is_published, LIBRARIES.contains(&name.as_str()), "{name}");
        if !is_published {
            continue;
        }
        for field in ["license", "rust_version", "description", "readme"] {
            assert!(package[field].is_string(), "{name}: {field}");
        }
        for field in ["keywords", "categories"] {
            let listed = package[field].as_array().expect("it is a list");
            assert!((1..=MOST).contains(&listed.len()), "{name}: {field}");
            let words = listed.iter().filter_map(Value::as_str);
            assert!(
                words
                    .clone()
                    .all(|word| field != "keywords" || word.len() <= 20)
            );
        }
        assert_eq!(package["version"], workspace["version"], "{name}");
        let dependencies = package["dependencies"].as_array().expect("it is a list");
        for dependency in dependencies.iter().filter(|one| one["kind"].is_null()) {
            let on = dependency["name"].as_str().expect("it has a name");
            if members.contains_key(on) {
                let place = |name: &str| LIBRARIES.iter().position(|library| *library == name);
                assert!(place(on) < place(name), "{name} is published before {on}");
                assert_ne!(dependency["req"], "*", "{name} depends on any {on}");
            }
        }
    }
}

#[test]
fn each_library_is_packaged_with_its_licences() {
    for name in LIBRARIES {
        let listed = cargo(
            checkout(),
            &["package", "--list", "--allow-dirty", "--package", name],
        );
        for file in FILES {
            assert!(listed.lines().any(|line| line == file), "{name}: {file}");
        }
    }
    cargo(checkout(), &package(&["--no-verify"]));
    for (file, package) in packaged() {
        assert!(package.is_file(), "{file}");
    }
}

/// The packages that cargo writes, with their names.
fn packaged() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages/package");
    let version = env!("CARGO_PKG_VERSION");
    let files = LIBRARIES.map(|name| format!("{name}-{version}.crate"));
    let paths = files.map(|file| (file.clone(), folder.join(file)));
    paths.into()
}

#[test]
#[ignore = "compiles the libraries once more"]
fn slow_each_library_is_built_from_its_package() {
    cargo(checkout(), &package(&[]));
}

/// The documentation needs no file that is not in the package.
#[test]
#[ignore = "documents the libraries once more"]
fn slow_each_library_is_documented_from_its_package() {
    cargo(checkout(), &package(&["--no-verify"]));
    let here = tempfile::tempdir().expect("there is room");
    let mut manifest =
        "[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n\n[patch.crates-io]\n".to_owned();
    let version = env!("CARGO_PKG_VERSION");
    for (name, (_, package)) in LIBRARIES.iter().zip(packaged()) {
        let unpacked = Command::new("tar")
            .arg("-xf")
            .arg(package)
            .current_dir(here.path())
            .status();
        assert!(unpacked.is_ok_and(|status| status.success()), "{name}");
        manifest += &format!("{name} = {{ path = \"{name}-{version}\" }}\n");
    }
    fs::write(here.path().join("Cargo.toml"), manifest).expect("there is room");
    fs::copy(
        checkout().join("Cargo.lock"),
        here.path().join("Cargo.lock"),
    )
    .expect("there is room");
    cargo(
        here.path(),
        &["doc", "--workspace", "--no-deps", "--all-features"],
    );
}
