//! `new`: writes a project of its own, which runs and whose tests pass.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use tempfile::Builder;

use crate::shell::quoted;
use crate::temporary::Temporary;

/// A project to be written.
pub(super) struct NewCommand {
    /// Its folder; the last part of it is its name.
    pub folder: PathBuf,
    /// The checkout of refmap on which it depends, in the place of published crates.
    pub refmap: Option<PathBuf>,
    pub kind: ProjectKind,
}

/// Kind of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProjectKind {
    /// A specification, an implementation, the refinement, and a catalogue with a test.
    Model,
    /// A concurrent object, and its test.
    Object,
}

/// Error: a project cannot be written. Nothing is written then but what the error names.
#[derive(Debug, thiserror::Error)]
pub enum NewProjectError {
    /// A name of other characters than packages have here.
    #[error(
        "{name:?} is no name of a package: letters, digits, `-` and `_` are allowed, and it begins with a letter"
    )]
    Name {
        /// The name given.
        name: String,
    },
    /// A name that means something else.
    #[error(
        "{name:?} is no name of a package, since it is {what}: choose another one, as my-{name}"
    )]
    Reserved {
        /// The name given.
        name: String,
        /// The other meaning of the name.
        what: &'static str,
    },
    /// There is something already.
    #[error("{} is there already: nothing is written over it", .folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that cargo would take for a part of the checkout's workspace.
    #[error(
        "{} is inside the checkout of refmap, of whose workspace cargo would take it to be a part: choose a folder beside it, as ../{name}",
        .folder.display()
    )]
    Inside {
        /// The folder.
        folder: PathBuf,
        /// The name of the project.
        name: String,
    },
    /// A checkout that is none.
    #[error("{} is no checkout of refmap: it has no core/cli/Cargo.toml", .path.display())]
    NoCheckout {
        /// The path given.
        path: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("{} cannot be written: {error}", .path.display())]
    Unwritten {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
}

/// The program of a model. Programs have the anchors by which the book includes them.
const MODEL: &str = include_str!("../../template/model/src/main.rs");

/// The page of claims.
const CLAIMS: &str = include_str!("../../template/model/CLAIMS.md");

/// The library of an object.
const OBJECT: &str = include_str!("../../template/object/src/lib.rs");

/// A program as a project has it, without anchors.
fn program(template: &str) -> String {
    let lines = template.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("// ANCHOR")
    });
    lines.map(|line| format!("{line}\n")).collect()
}

impl ProjectKind {
    /// The files of a project beside its manifest.
    fn files(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Model => vec![
                ("CLAIMS.md", CLAIMS.to_owned()),
                ("src/main.rs", program(MODEL)),
            ],
            Self::Object => vec![("src/lib.rs", program(OBJECT))],
        }
    }

    fn described(self) -> &'static str {
        match self {
            Self::Model => "a counter, threads that increment it, and what is claimed of them",
            Self::Object => "a counter that threads share, and the test of it",
        }
    }

    /// Commands of a project.
    fn commands(self) -> &'static str {
        match self {
            Self::Model => {
                "cargo run            decides every claim\n\
                 cargo run -- list    lists what can be checked\n\
                 cargo test           tests that all claims are as claimed\n"
            }
            Self::Object => "cargo test    tests the counter, and that a wrong one is found\n",
        }
    }
}

/// Writes the project, and answers what can be done with it.
pub(super) fn write(command: &NewCommand) -> Result<String, NewProjectError> {
    let NewCommand {
        folder,
        refmap,
        kind,
    } = command;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    write_project(folder, &name, refmap.as_deref(), *kind)?;
    let source = match refmap {
        Some(checkout) => format!("the checkout {}", checkout.display()),
        None => format!(
            "the published version {}; --refmap PATH makes it a checkout",
            env!("CARGO_PKG_VERSION")
        ),
    };
    let (shown, entered) = (folder.display(), quoted(folder));
    Ok(format!(
        "{shown}: {}\n\
         refmap is {source}\n\n\
         cd {entered}\n{}",
        kind.described(),
        kind.commands()
    ))
}

fn write_project(
    folder: &Path,
    name: &str,
    refmap: Option<&Path>,
    kind: ProjectKind,
) -> Result<(), NewProjectError> {
    validate(name)?;
    // A link to nothing is something, too.
    if folder.symlink_metadata().is_ok() {
        return Err(NewProjectError::Exists {
            folder: folder.to_owned(),
        });
    }
    let checkout = refmap.map(|path| relative_checkout(path, folder, name));
    let manifest = manifest(name, checkout.transpose()?.as_deref(), kind);
    let parent = folder.parent().filter(|parent| *parent != Path::new(""));
    let parent = parent.unwrap_or(Path::new("."));
    // The folders that are made on the way, the outermost last.
    let made: Vec<_> = parent
        .ancestors()
        .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
        .collect();
    let written = write_whole(folder, parent, &manifest, kind);
    if written.is_err() {
        for folder in made {
            let _ = fs::remove_dir(folder);
        }
    }
    written
}

/// Writes the project beside its place, and has it appear there when it is complete.
fn write_whole(
    folder: &Path,
    parent: &Path,
    manifest: &str,
    kind: ProjectKind,
) -> Result<(), NewProjectError> {
    let unwritten = |path: &Path| {
        let path = path.to_owned();
        |error| NewProjectError::Unwritten { path, error }
    };
    fs::create_dir_all(parent).map_err(unwritten(parent))?;
    let draft = Temporary::make(|| Builder::new().tempdir_in(parent));
    let draft = draft.map_err(unwritten(folder))?;
    // A folder within it, which has the permissions that the umask permits.
    let project = draft.get().path().join("project");
    let mut files = kind.files();
    files.extend([
        ("Cargo.toml", manifest.to_owned()),
        (".gitignore", "/target\n".to_owned()),
    ]);
    fs::create_dir_all(project.join("src")).map_err(unwritten(folder))?;
    for (file, text) in files {
        fs::write(project.join(file), text).map_err(unwritten(&folder.join(file)))?;
    }
    fs::rename(&project, folder).map_err(unwritten(folder))?;
    // A workspace above may list all of its folders.
    drop(draft);
    let stands_alone = stand_alone(folder);
    stands_alone.map_err(|error| {
        let _ = fs::remove_dir_all(folder);
        let path = folder.join("Cargo.toml");
        NewProjectError::Unwritten { path, error }
    })
}

/// Keywords of Rust, which cargo refuses as names.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "gen",
];

/// Names that are reserved, and what they are.
const RESERVED: [(&[&str], &str); 4] = [
    (
        &["test", "core", "std", "alloc", "proc_macro", "proc-macro"],
        "one of Rust's own libraries",
    ),
    (
        &["deps", "examples", "build", "incremental"],
        "a folder that cargo builds in",
    ),
    (
        &["refmap", "refmap-cli", "refmap-histories", "serde"],
        "a package that the project depends on",
    ),
    (
        &[
            "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7",
            "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
        ],
        "a device on Windows",
    ),
];

/// Tests that a name is one that cargo takes without a warning, on any system.
fn validate(name: &str) -> Result<(), NewProjectError> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.chars().all(is_letter)
    {
        return Err(NewProjectError::Name {
            name: name.to_owned(),
        });
    }
    let lower = name.to_ascii_lowercase();
    let mut reserved = RESERVED.iter();
    let reserved = reserved.find(|(names, _)| names.contains(&lower.as_str()));
    let what = match reserved {
        Some((_, what)) => Some(*what),
        None => KEYWORDS.contains(&name).then_some("a keyword of Rust"),
    };
    match what {
        Some(what) => Err(NewProjectError::Reserved {
            name: name.to_owned(),
            what,
        }),
        None => Ok(()),
    }
}

/// Makes a project a workspace of its own where cargo would take it for a part of one above, which does not list it. It is left
/// to be a member of one that does.
fn stand_alone(folder: &Path) -> io::Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let located = Command::new(cargo)
        .args(["locate-project", "--workspace"])
        .current_dir(folder)
        .output();
    if located.is_ok_and(|located| located.status.success()) {
        return Ok(());
    }
    let mut manifest = fs::OpenOptions::new()
        .append(true)
        .open(folder.join("Cargo.toml"))?;
    let lines =
        "\n# A workspace of its own: the one above does not list it as a member.\n[workspace]\n";
    manifest.write_all(lines.as_bytes())
}

/// The checkout at `path`, as seen from `folder`: a project and its checkout can be moved together.
fn relative_checkout(path: &Path, folder: &Path, name: &str) -> Result<PathBuf, NewProjectError> {
    let no_checkout = |_| NewProjectError::NoCheckout {
        path: path.to_owned(),
    };
    path.join("core/cli/Cargo.toml")
        .metadata()
        .map_err(no_checkout)?;
    let checkout = path.canonicalize().map_err(no_checkout)?;
    // The folder itself is yet to be written, and perhaps some of those that it is in.
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let there = folder.ancestors().find_map(|above| {
        let resolved = above.canonicalize().ok()?;
        Some(resolved.join(folder.strip_prefix(above).ok()?))
    });
    let folder = there.unwrap_or(folder);
    if folder.starts_with(&checkout) {
        return Err(NewProjectError::Inside {
            folder,
            name: name.to_owned(),
        });
    }
    let pairs = folder.components().zip(checkout.components());
    let shared = pairs.take_while(|(one, other)| one == other).count();
    if shared == 0 {
        return Ok(checkout);
    }
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    Ok(up.chain(checkout.components().skip(shared)).collect())
}

/// Profile of development of the packages that a project depends on.
const QUICKLY: &str = "\
    # What a debugger needs is written of this package alone, which takes three quarters of the time, and a third of the room.\n\
    [profile.dev.package]\n\
    \"*\".debug = false\n";

fn manifest(name: &str, checkout: Option<&Path>, kind: ProjectKind) -> String {
    let dependency = |package: &str, folder: &str| {
        let whence = match checkout {
            Some(checkout) => format!("path = {:?}", checkout.join(folder).display().to_string()),
            None => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
        };
        format!("{package} = {{ {whence} }}\n")
    };
    let package = format!(
        "[package]\n\
         name = \"{name}\"\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\n"
    );
    match kind {
        ProjectKind::Model => {
            let refmap = dependency("refmap", "core") + &dependency("refmap-cli", "core/cli");
            format!(
                "{package}\
                 [dependencies]\n\
                 {refmap}\
                 serde = {{ version = \"1\", features = [\"derive\"] }}\n\n\
                 # A search is compiled together with the model, in this package: an edit takes a third of the time, and the search half as\n\
                 # much again.\n\
                 [profile.release]\n\
                 incremental = true\n\n\
                 {QUICKLY}\
                 # So that tests search fast, too.\n\
                 {name}.opt-level = 2\n\
                 refmap = {{ opt-level = 1, debug-assertions = false, overflow-checks = false }}\n"
            )
        }
        ProjectKind::Object => {
            let histories = dependency("refmap-histories", "core/histories");
            format!("{package}[dev-dependencies]\n{histories}\n{QUICKLY}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProjectKind::{Model, Object};
    use super::*;

    #[test]
    fn what_cannot_be_a_project_is_refused_and_nothing_is_written() {
        let here = tempfile::tempdir().expect("there is room");
        for name in ["1st", "two words", "", "über", "-a", "_", "a.b"] {
            let error = write_project(&here.path().join(name), name, None, Model);
            assert!(matches!(error, Err(NewProjectError::Name { .. })), "{name}");
        }
        for name in ["fn", "Self", "test", "std", "build", "CON", "lpt9", "serde"] {
            let error = write_project(&here.path().join(name), name, None, Model);
            let Err(NewProjectError::Reserved { .. }) = error else {
                panic!("{name}: {error:?}");
            };
        }
        let error = write_project(here.path(), "here", None, Object);
        assert!(matches!(error, Err(NewProjectError::Exists { .. })));
        let error = write_project(&here.path().join("a"), "a", Some(here.path()), Model);
        assert!(matches!(error, Err(NewProjectError::NoCheckout { .. })));
        let inside = here.path().join("b");
        fs::create_dir_all(here.path().join("core/cli")).expect("there is room");
        fs::write(here.path().join("core/cli/Cargo.toml"), "").expect("there is room");
        let error = write_project(&inside, "b", Some(here.path()), Model);
        assert!(matches!(error, Err(NewProjectError::Inside { .. })));
        assert!(!inside.exists() && !here.path().join("a").exists());
    }

    fn cargo(folder: &Path, words: &[&str]) -> std::process::Output {
        let cargo = env::var_os("CARGO").expect("cargo runs the tests");
        let mut cargo = Command::new(cargo);
        let cargo = cargo
            .args(words)
            .current_dir(folder)
            .env("CARGO_NET_OFFLINE", "true");
        cargo.output().expect("it runs")
    }

    /// Cargo decides what is a name: what it refuses, or warns of, is refused.
    #[test]
    fn what_cargo_refuses_is_refused() {
        let here = tempfile::tempdir().expect("there is room");
        let others = [
            "a", "a1", "a-b_c", "queue", "Test", "main", "union", "default",
        ];
        let reserved = RESERVED.iter().flat_map(|(names, _)| names.iter());
        // Cargo does not ask for these: a folder is no keyword, nor is a name that it depends on itself.
        let accepted = ["gen", "refmap", "refmap-cli", "refmap-histories", "serde"];
        let (keywords, reserved) = (KEYWORDS.iter().step_by(9), reserved.step_by(2));
        for name in keywords.chain(reserved).chain(&others) {
            let made = cargo(here.path(), &["new", "--vcs", "none", name]);
            let told = String::from_utf8_lossy(&made.stderr);
            let is_fine = made.status.success() && !told.contains("warning");
            assert_eq!(
                is_fine,
                validate(name).is_ok() || accepted.contains(name),
                "{name}: {told}"
            );
        }
    }

    /// Whatever is above it, cargo reads the manifest of the project, and those above it are read as before.
    #[test]
    fn a_project_is_read_wherever_it_is() {
        let here = tempfile::tempdir().expect("there is room");
        let is_read = |folder: &Path| {
            let words = ["metadata", "--no-deps", "--format-version", "1"];
            let read = cargo(folder, &words);
            assert!(read.status.success(), "{folder:?}: {read:?}");
        };
        for (above, members, is_alone) in [
            ("no", None, false),
            ("all", Some("[\"*\"]"), false),
            ("listed", Some("[\"a\", \"queue\"]"), false),
            ("others", Some("[\"a\"]"), true),
        ] {
            let above = here.path().join(above);
            fs::create_dir(&above).expect("there is room");
            if let Some(members) = members {
                write_project(&above.join("a"), "a", None, Object).expect("there is room");
                let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {members}\n");
                fs::write(above.join("Cargo.toml"), manifest).expect("there is room");
            }
            let folder = above.join("queue");
            write_project(&folder, "queue", None, Model).expect("there is room");
            is_read(&folder);
            if members.is_some() {
                is_read(&above);
            }
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("it is there");
            assert_eq!(manifest.contains("[workspace]"), is_alone, "{above:?}");
        }
    }

    #[test]
    fn nothing_is_left_half_made() {
        let here = tempfile::tempdir().expect("there is room");
        let is_empty = || here.path().read_dir().expect("it is there").count() == 0;
        // Longer than a name may be: the folders above it can be made.
        let name = "a".repeat(300);
        let error = write_project(
            &here.path().join("new/newer").join(&name),
            &name,
            None,
            Model,
        );
        assert!(matches!(error, Err(NewProjectError::Unwritten { .. })));
        assert!(is_empty());
        let made = here.path().join("new/newer/queue");
        write_project(&made, "queue", None, Model).expect("there is room");
        assert!(made.join("src/main.rs").exists());
        let beside = here.path().join("new/newer").read_dir();
        assert_eq!(beside.expect("it is there").count(), 1);
        #[cfg(unix)]
        {
            let link = here.path().join("link");
            std::os::unix::fs::symlink("nowhere", &link).expect("there is room");
            let error = write_project(&link, "link", None, Model);
            assert!(matches!(error, Err(NewProjectError::Exists { .. })));
        }
    }

    #[test]
    fn a_project_names_what_it_depends_on() {
        let published = manifest("queue", None, Model);
        assert!(published.contains("name = \"queue\""));
        let version = concat!("refmap = { version = \"", env!("CARGO_PKG_VERSION"), "\" }");
        assert!(published.contains(version), "{published}");
        let here = tempfile::tempdir().expect("there is room");
        let checkout = here.path().join("refmap");
        fs::create_dir_all(checkout.join("core/cli")).expect("there is room");
        fs::write(checkout.join("core/cli/Cargo.toml"), "").expect("there is room");
        for (folder, expected) in [("queue", "../refmap"), ("mine/queue", "../../refmap")] {
            let folder = here.path().join(folder);
            let relative =
                relative_checkout(&checkout, &folder, "queue").expect("it is a checkout");
            assert_eq!(relative, Path::new(expected));
        }
        let local = manifest("queue", Some(Path::new("../refmap")), Model);
        assert!(
            local.contains("refmap-cli = { path = \"../refmap/core/cli\" }"),
            "{local}"
        );
        // An object under test needs no model, and no command line.
        let object = manifest("queue", Some(Path::new("../refmap")), Object);
        let dependencies = object.split("dependencies]\n").nth(1);
        let dependencies = dependencies.and_then(|rest| rest.split("\n\n").next());
        assert_eq!(
            dependencies,
            Some("refmap-histories = { path = \"../refmap/core/histories\" }")
        );
    }
}
