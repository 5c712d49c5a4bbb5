//! Imports among the files of each crate have no circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Item, ItemMod, UseTree};

/// The crates, by the folders of their sources.
const CRATES: [&str; 14] = [
    "core/src",
    "core/cli/src",
    "core/derive/src",
    "core/distributed/src",
    "core/histories/src",
    "core/processes/src",
    "core/programs/src",
    "core/schedules/src",
    "core/testing/src",
    "checks/src",
    "checks/compare/src",
    "examples/src",
    "refinements/src",
    "systems/src",
];

/// Circles of files that are one concept together; a comment in the first file of each says so.
const ONE_CONCEPT: [(&str, &[&str]); 2] = [
    ("core/src", &["system", "visit"]),
    (
        "systems/src",
        &["native::model::action", "native::model::rules"],
    ),
];

/// Path of a module in its crate.
type Module = Vec<String>;

/// A path that a file imports from its own crate, and the name by which it exports that, if it does.
struct Import {
    path: Module,
    exported_as: Option<String>,
}

/// A file of a crate.
#[derive(Default)]
struct File {
    imports: Vec<Import>,
}

/// The files of a crate, by their modules.
struct Sources(BTreeMap<Module, File>);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Module of a file below the folder of its crate.
fn module(file: &Path) -> Module {
    let mut module: Module = file
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if module
        .last()
        .is_some_and(|last| last == "mod" || last == "lib" || last == "main")
    {
        module.pop();
    }
    module
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

impl Sources {
    fn read(folder: &Path) -> Self {
        let mut paths = Vec::new();
        files(folder, &mut paths);
        let mut sources = BTreeMap::new();
        for path in paths {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let parsed = syn::parse_file(&text).expect("the file is of Rust");
            let module = module(path.strip_prefix(folder).expect("it is below the folder"));
            let mut file = File::default();
            gather(&module, &parsed.items, &mut file);
            sources.insert(module, file);
        }
        Self(sources)
    }

    /// The module of a file that defines what a path names, followed through what others export again.
    fn definition(&self, path: &[String]) -> Module {
        let is_file = |length: &usize| self.0.contains_key(&path[..*length]);
        let length = (0..=path.len()).rev().find(is_file).unwrap_or(0);
        let (module, rest) = path.split_at(length);
        let exported = rest.first().and_then(|name| {
            let mut imports = self.0[module].imports.iter();
            imports.find(|import| import.exported_as.as_ref() == Some(name))
        });
        match exported {
            Some(import) if import.path != path => {
                let further = rest.iter().skip(1).cloned();
                let path: Module = import.path.iter().cloned().chain(further).collect();
                self.definition(&path)
            }
            _ => module.to_vec(),
        }
    }

    /// Per file, those from which it imports something.
    fn edges(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of_file = |(module, file): (_, &File)| {
            // What is only exported again is no use of it.
            let used = file
                .imports
                .iter()
                .filter(|import| import.exported_as.is_none());
            let mut targets: BTreeSet<_> =
                used.map(|import| self.definition(&import.path)).collect();
            targets.remove(module);
            (module, targets)
        };
        self.0.iter().map(of_file).collect()
    }
}

/// Adds the imports of the items of a module that are no tests.
fn gather(module: &Module, items: &[Item], file: &mut File) {
    for item in items {
        match item {
            Item::Use(item) => {
                let is_exported = !matches!(item.vis, syn::Visibility::Inherited);
                spread(module, &item.tree, Vec::new(), is_exported, file);
            }
            Item::Mod(ItemMod {
                ident,
                attrs,
                content: Some((_, items)),
                ..
            }) if !attrs
                .iter()
                .any(|attribute| attribute.path().is_ident("cfg")) =>
            {
                let mut inner = module.clone();
                inner.push(ident.to_string());
                gather(&inner, items, file);
            }
            _ => (),
        }
    }
}

/// Adds the imports of a tree, each of which begins with `path`.
fn spread(module: &Module, tree: &UseTree, mut path: Module, is_exported: bool, file: &mut File) {
    let (last, name) = match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            return spread(module, &tree.tree, path, is_exported, file);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                spread(module, tree, path.clone(), is_exported, file);
            }
            return;
        }
        UseTree::Name(name) if name.ident == "self" => (None, path.last().cloned()),
        UseTree::Name(name) => (Some(name.ident.to_string()), Some(name.ident.to_string())),
        UseTree::Rename(rename) => (
            Some(rename.ident.to_string()).filter(|name| name != "self"),
            Some(rename.rename.to_string()),
        ),
        UseTree::Glob(_) => (None, None),
    };
    path.extend(last);
    if let Some(path) = absolute(module, &path, is_exported) {
        file.imports.push(Import {
            path,
            exported_as: name.filter(|_| is_exported),
        });
    }
}

/// The path from the root of the crate, unless it leads to another crate.
fn absolute(module: &Module, path: &[String], is_exported: bool) -> Option<Module> {
    let mut base = match path.first()?.as_str() {
        "crate" => Module::new(),
        "self" | "super" => module.clone(),
        // A module that exports what is below it may leave out `self`.
        _ if is_exported => return Some(module.iter().chain(path).cloned().collect()),
        _ => return None,
    };
    let mut rest = path;
    while let [first, others @ ..] = rest {
        match first.as_str() {
            "crate" | "self" => (),
            "super" => drop(base.pop()),
            _ => break,
        }
        rest = others;
    }
    Some(base.iter().chain(rest).cloned().collect())
}

/// The circles: sets of files each of which imports, directly or not, from each other one.
fn circles(edges: &BTreeMap<&Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<Module>> {
    let reached = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from.clone()];
        while let Some(module) = open.pop() {
            for target in edges.get(&module).into_iter().flatten() {
                if reached.insert(target.clone()) {
                    open.push(target.clone());
                }
            }
        }
        reached
    };
    let all: BTreeMap<_, _> = edges
        .keys()
        .map(|module| (*module, reached(module)))
        .collect();
    let circle = |module: &&Module| {
        let others = all[*module].iter();
        let circle =
            others.filter(|other| all.get(other).is_some_and(|back| back.contains(*module)));
        circle.cloned().collect::<BTreeSet<_>>()
    };
    all.keys()
        .map(circle)
        .filter(|circle| !circle.is_empty())
        .collect()
}

/// Per crate, its circles as they are told.
fn told(circles: &BTreeSet<BTreeSet<Module>>) -> Vec<Vec<String>> {
    let told = |circle: &BTreeSet<Module>| circle.iter().map(|module| module.join("::")).collect();
    circles.iter().map(told).collect()
}

#[test]
fn no_files_import_from_each_other_in_a_circle() {
    for folder in CRATES {
        let sources = Sources::read(&root().join(folder));
        let edges = sources.edges();
        let found = told(&circles(&edges));
        let allowed: Vec<Vec<String>> = ONE_CONCEPT
            .iter()
            .filter(|(of, _)| *of == folder)
            .map(|(_, circle)| circle.iter().map(|&module| module.to_owned()).collect())
            .collect();
        assert_eq!(found, allowed, "{folder}");
    }
}

/// Every crate of the workspace that has files of its own is looked at, and what is one concept says so.
#[test]
fn all_crates_are_looked_at() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("there is a manifest");
    let mut lines = manifest.lines();
    let members = lines.find(|line| line.starts_with("members = ["));
    // Every other piece between quotes is a member.
    let members = members
        .expect("it lists members")
        .split('"')
        .skip(1)
        .step_by(2);
    let folders: BTreeSet<String> = members.map(|member| format!("{member}/src")).collect();
    assert_eq!(folders, CRATES.map(str::to_owned).into());
    for (folder, circle) in ONE_CONCEPT {
        let file = format!("{folder}/{}.rs", circle[0].replace("::", "/"));
        let text = fs::read_to_string(root().join(&file)).expect("there is such a file");
        assert!(text.contains("one concept"), "{file}");
    }
}

/// A circle through what is exported again, one of three files, and one of a test, which is none.
#[test]
fn circles_are_found() {
    let source = |module: &str, text: &str| {
        let module: Module = module
            .split("::")
            .map(str::to_owned)
            .filter(|part| !part.is_empty())
            .collect();
        let mut file = File::default();
        let parsed = syn::parse_file(text).expect("it is of Rust");
        gather(&module, &parsed.items, &mut file);
        (module, file)
    };
    let sources = Sources(BTreeMap::from([
        source("", "mod a; mod b; pub use a::A;"),
        source("a", "use crate::b::inner::{self, B};"),
        source("b", "pub mod inner; pub(crate) use self::inner::B as C;"),
        source("b::inner", "use crate::A;"),
        source(
            "c",
            "use super::d::D; #[cfg(test)] mod tests { use crate::f::F; }",
        ),
        source("d", "mod inner { use crate::e::E; }"),
        source("e", "use std::fmt; use crate::{c::X as Y};"),
        source("f", "use super::{c, b::C};"),
    ]));
    let found = told(&circles(&sources.edges()));
    let expected: [&[&str]; 2] = [&["a", "b::inner"], &["c", "d", "e"]];
    assert_eq!(found, expected);
}
