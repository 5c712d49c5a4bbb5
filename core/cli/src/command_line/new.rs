//! `new`: writes a project of its own, which runs and whose tests pass.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A project to be written.
pub(super) struct NewCommand {
    /// Its folder; the last part of it is its name.
    pub folder: PathBuf,
    /// The checkout of refmap on which it depends, in the place of published crates.
    pub refmap: Option<PathBuf>,
}

/// Error: a project cannot be written. Nothing is written then but what the error names.
#[derive(Debug, thiserror::Error)]
pub enum NewProjectError {
    /// A name that cargo would refuse.
    #[error(
        "{name:?} is no name of a package: letters, digits, `-` and `_` are allowed, and it begins with a letter"
    )]
    Name {
        /// The name given.
        name: String,
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
        /// Why not.
        #[source]
        error: io::Error,
    },
}

/// The program: a specification, an implementation, the refinement, and a catalogue of claims with a test. It has the
/// anchors by which the book includes it.
const MAIN: &str = include_str!("../../template/main.rs");

/// The program as a project has it, without anchors.
fn program() -> String {
    let lines = MAIN.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("// ANCHOR")
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// Writes the project, and answers what can be done with it.
pub(super) fn write(command: &NewCommand) -> Result<String, NewProjectError> {
    let NewCommand { folder, refmap } = command;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    write_project(folder, &name, refmap.as_deref())?;
    let source = match refmap {
        Some(checkout) => format!("the checkout {}", checkout.display()),
        None => format!(
            "the published version {}; --refmap PATH makes it a checkout",
            env!("CARGO_PKG_VERSION")
        ),
    };
    let folder = folder.display();
    Ok(format!(
        "{folder}: a counter, threads that increment it, and what is claimed of them\n\
         refmap is {source}\n\n\
         cd {folder}\n\
         cargo run            decides every claim\n\
         cargo run -- list    lists what can be checked\n\
         cargo test           tests that all claims are as claimed\n"
    ))
}

fn write_project(folder: &Path, name: &str, refmap: Option<&Path>) -> Result<(), NewProjectError> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.chars().all(is_letter)
    {
        return Err(NewProjectError::Name {
            name: name.to_owned(),
        });
    }
    if folder.exists() {
        return Err(NewProjectError::Exists {
            folder: folder.to_owned(),
        });
    }
    let checkout = refmap.map(|path| relative_checkout(path, folder, name));
    let manifest = manifest(name, checkout.transpose()?.as_deref());
    let unwritten = |path: &Path| {
        let path = path.to_owned();
        |error| NewProjectError::Unwritten { path, error }
    };
    let sources = folder.join("src");
    fs::create_dir_all(&sources).map_err(unwritten(&sources))?;
    let program = program();
    let files = [
        ("Cargo.toml", manifest.as_str()),
        (".gitignore", "/target\n"),
        ("src/main.rs", program.as_str()),
    ];
    for (file, text) in files {
        let path = folder.join(file);
        fs::write(&path, text).map_err(unwritten(&path))?;
    }
    Ok(())
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

fn manifest(name: &str, checkout: Option<&Path>) -> String {
    let dependency = |package: &str, folder: &str, more: &str| {
        let whence = match checkout {
            Some(checkout) => format!("path = {:?}", checkout.join(folder).display().to_string()),
            None => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
        };
        format!("{package} = {{ {whence}{more} }}\n")
    };
    let refmap = dependency("refmap", "core", "");
    let pictures = ", features = [\"pictures\"]";
    let refmap = refmap + &dependency("refmap-cli", "core/cli", pictures);
    format!(
        "[package]\n\
         name = \"{name}\"\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\n\
         [dependencies]\n\
         {refmap}\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n\n\
         # A search is compiled together with the model, in this package: an edit takes a third of the time, and the search half as\n\
         # much again.\n\
         [profile.release]\n\
         incremental = true\n\n\
         # So that tests search fast, too.\n\
         [profile.dev.package]\n\
         {name}.opt-level = 2\n\
         refmap.opt-level = 2\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_project_is_refused_and_nothing_is_written() {
        let here = tempfile::tempdir().expect("there is room");
        for name in ["1st", "two words", "", "über"] {
            let error = write_project(&here.path().join(name), name, None);
            assert!(matches!(error, Err(NewProjectError::Name { .. })), "{name}");
        }
        let error = write_project(here.path(), "here", None);
        assert!(matches!(error, Err(NewProjectError::Exists { .. })));
        let error = write_project(&here.path().join("a"), "a", Some(here.path()));
        assert!(matches!(error, Err(NewProjectError::NoCheckout { .. })));
        let inside = here.path().join("b");
        fs::create_dir_all(here.path().join("core/cli")).expect("there is room");
        fs::write(here.path().join("core/cli/Cargo.toml"), "").expect("there is room");
        let error = write_project(&inside, "b", Some(here.path()));
        assert!(matches!(error, Err(NewProjectError::Inside { .. })));
        assert!(!inside.exists() && !here.path().join("a").exists());
    }

    #[test]
    fn a_project_names_what_it_depends_on() {
        let published = manifest("queue", None);
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
        let local = manifest("queue", Some(Path::new("../refmap")));
        assert!(
            local.contains(
                "refmap-cli = { path = \"../refmap/core/cli\", features = [\"pictures\"] }"
            ),
            "{local}"
        );
    }
}
