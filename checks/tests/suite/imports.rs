//! Imports among the files of each crate have no circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, mem};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemFn, ItemImpl, ItemMod, ItemUse, UseTree, Visibility};

use crate::program::{checkout, files, page};

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

/// The floors of the crate `refmap`, from the ground up.
const FLOORS: [&str; 6] = ["state", "statement", "walk", "report", "view", "obligation"];

/// Circles of files that are one concept together; a comment in the first file of each says so.
const ONE_CONCEPT: [(&str, &[&str]); 4] = [
    ("core/programs/src", &["builder", "builder::thread"]),
    ("core/src", &["state", "state::changes"]),
    (
        "core/src",
        &["statement::asked::visit", "statement::system"],
    ),
    (
        "core/src",
        &["view::crowd::instance", "view::crowd::statement"],
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

impl Sources {
    fn read(folder: &str) -> Self {
        let mut sources = BTreeMap::new();
        let mut tests = Vec::new();
        for path in files(folder, ".rs") {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let parsed = syn::parse_file(&text).expect("the file is of Rust");
            let module = module(
                path.strip_prefix(checkout().join(folder))
                    .expect("it is below the folder"),
            );
            let file = read(&module, &parsed.items);
            tests.extend(files_of_tests(&module, &parsed.items));
            sources.insert(module, file);
        }
        sources.retain(|module: &Module, _| !tests.iter().any(|of| module.starts_with(of)));
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
    fn edges(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let of_file = |(module, file): (&Module, &File)| {
            // What is only exported again is no use of it.
            let used = file
                .imports
                .iter()
                .filter(|import| import.exported_as.is_none());
            let mut targets: BTreeSet<_> =
                used.map(|import| self.definition(&import.path)).collect();
            targets.remove(module);
            (module.clone(), targets)
        };
        self.0.iter().map(of_file).collect()
    }
}

/// Names of its own crate in a file: the imports and qualified paths of its items, but those of tests.
fn read(module: &Module, items: &[Item]) -> File {
    let mut file = File::default();
    let mut reader = Reader {
        file: &mut file,
        module: module.clone(),
        children: children(items),
        named: BTreeSet::new(),
    };
    for item in items {
        reader.visit_item(item);
    }
    let named = reader.named;
    // What is exported again, and named in the file too, is a use of it.
    let exports = file.imports.iter();
    let used = exports.filter(|import| {
        let name = import.exported_as.as_ref();
        name.is_some_and(|name| named.contains(name))
    });
    let used: Vec<_> = used
        .map(|import| Import {
            path: import.path.clone(),
            exported_as: None,
        })
        .collect();
    file.imports.extend(used);
    file
}

/// Names of the modules that items declare.
fn children(items: &[Item]) -> BTreeSet<String> {
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(item) => Some(item.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

/// The modules of tests that items declare and that have files of their own.
fn files_of_tests(module: &Module, items: &[Item]) -> Vec<Module> {
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() && is_of_tests(&item.attrs) => {
            let name = item.ident.to_string();
            Some(module.iter().cloned().chain([name]).collect())
        }
        _ => None,
    });
    modules.collect()
}

/// True of an item that is compiled for tests alone.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// Visitor of a file's items.
struct Reader<'a> {
    file: &'a mut File,
    /// Module that is read: that of the file, or one within it.
    module: Module,
    /// Modules that it declares.
    children: BTreeSet<String>,
    /// Names with which paths begin.
    named: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_of_tests(&item.attrs) {
            let is_exported = !matches!(item.vis, Visibility::Inherited);
            self.spread(&item.tree, Vec::new(), is_exported);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let Some((_, items)) = &item.content else {
            return;
        };
        if is_of_tests(&item.attrs) {
            return;
        }
        self.module.push(item.ident.to_string());
        let outer = mem::replace(&mut self.children, children(items));
        visit::visit_item_mod(self, item);
        self.children = outer;
        self.module.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_of_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_of_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if let [first, _, ..] = names.as_slice() {
            let is_own = ["crate", "self", "super"].contains(&first.as_str());
            if is_own || self.children.contains(first) {
                self.file
                    .imports
                    .extend(self.absolute(&names).map(|path| Import {
                        path,
                        exported_as: None,
                    }));
            }
        }
        self.named.extend(names.first().cloned());
        visit::visit_path(self, path);
    }

    // The path of a visibility names no item that is used.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

impl Reader<'_> {
    /// Adds the imports of a tree, each of which begins with `path`.
    fn spread(&mut self, tree: &UseTree, mut path: Module, is_exported: bool) {
        let (last, name) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.spread(&tree.tree, path, is_exported);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.spread(tree, path.clone(), is_exported);
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
        if let Some(path) = self.absolute(&path) {
            self.file.imports.push(Import {
                path,
                exported_as: name.filter(|_| is_exported),
            });
        }
    }

    /// The path from the root of the crate, unless it leads to another crate.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let mut base = match path.first()?.as_str() {
            "crate" => Module::new(),
            "self" | "super" => self.module.clone(),
            // The name of a module that is declared beside may leave out `self`.
            first if self.children.contains(first) => self.module.clone(),
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
}

/// The circles: sets of files each of which imports, directly or not, from each other one.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<Module>> {
    let modules: Vec<&Module> = edges.keys().collect();
    let number = |module: &Module| modules.binary_search(&module).ok();
    let targets = |from: &&Module| edges[*from].iter().filter_map(number).collect();
    let targets: Vec<Vec<usize>> = modules.iter().map(targets).collect();
    let reached = |from: usize| {
        let mut reached = vec![false; modules.len()];
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for &target in &targets[module] {
                if !mem::replace(&mut reached[target], true) {
                    open.push(target);
                }
            }
        }
        reached
    };
    let all: Vec<Vec<bool>> = (0..modules.len()).map(reached).collect();
    let circle = |module: usize| {
        let others = (0..modules.len()).filter(|&other| all[module][other] && all[other][module]);
        others.map(|other| modules[other].clone()).collect()
    };
    let circles = (0..modules.len()).map(circle);
    circles
        .filter(|circle: &BTreeSet<Module>| !circle.is_empty())
        .collect()
}

/// Per crate, its circles as they are told.
fn told(circles: &BTreeSet<BTreeSet<Module>>) -> Vec<Vec<String>> {
    let told = |circle: &BTreeSet<Module>| circle.iter().map(|module| module.join("::")).collect();
    circles.iter().map(told).collect()
}

/// The imports among the folders and files at the root, but for the root's own.
fn of_folders(edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut of_folders: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, targets) in edges {
        let folder = |module: &Module| module.iter().take(1).cloned().collect::<Module>();
        let others = targets.iter().map(folder);
        let others = others.filter(|to| !to.is_empty() && *to != folder(from));
        if !from.is_empty() {
            of_folders.entry(folder(from)).or_default().extend(others);
        }
    }
    of_folders
}

/// Prints who imports from whom in a circle, for whoever is to break it.
fn print_imports(
    folder: &str,
    circle: &BTreeSet<Module>,
    edges: &BTreeMap<Module, BTreeSet<Module>>,
) {
    for from in circle {
        let within = edges[from].intersection(circle);
        let to: Vec<_> = within.map(|module| module.join("::")).collect();
        eprintln!("{folder}: {} imports {}", from.join("::"), to.join(", "));
    }
}

#[test]
fn no_files_import_from_each_other_in_a_circle() {
    let found = CRATES.map(|folder| {
        let sources = Sources::read(folder);
        let edges = sources.edges();
        let circles = circles(&edges);
        for circle in &circles {
            print_imports(folder, circle, &edges);
        }
        (folder, told(&circles))
    });
    let allowed = CRATES.map(|folder| {
        let of_crate = ONE_CONCEPT.iter().filter(|(of, _)| *of == folder);
        let owned = |circle: &[&str]| circle.iter().map(|&module| module.to_owned()).collect();
        (folder, of_crate.map(|(_, circle)| owned(circle)).collect())
    });
    assert_eq!(found, allowed);
}

/// The folders and files at the root of a crate, of which none imports from another that imports from it.
#[test]
fn no_folders_import_from_each_other_in_a_circle() {
    for folder in CRATES {
        let sources = Sources::read(folder);
        let circles = told(&circles(&of_folders(&sources.edges())));
        assert!(circles.is_empty(), "{folder}: {circles:?}");
    }
}

/// The folders of the crate `refmap` are its floors, and none imports from one above it.
#[test]
fn imports_go_down_the_floors() {
    let edges = Sources::read("core/src").edges();
    let of_folders = of_folders(&edges);
    let found: BTreeSet<_> = of_folders.keys().map(|folder| folder[0].as_str()).collect();
    assert_eq!(found, FLOORS.into());
    let height = |folder: &Module| FLOORS.iter().position(|floor| *floor == folder[0]);
    for (from, targets) in &of_folders {
        let above = targets.iter().filter(|to| height(to) > height(from));
        let above: Vec<_> = above.collect();
        assert!(above.is_empty(), "{from:?} imports from {above:?}");
    }
}

/// Every crate of the workspace that has files of its own is looked at, and what is one concept says so.
#[test]
fn all_crates_are_looked_at() {
    let manifest = page("Cargo.toml");
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
        let path = format!("{folder}/{}", circle[0].replace("::", "/"));
        let files = [format!("{path}.rs"), format!("{path}/mod.rs")];
        let mut texts = files
            .iter()
            .map(|file| fs::read_to_string(checkout().join(file)));
        let text = texts.find_map(Result::ok).expect("there is such a file");
        assert!(text.contains("one concept"), "{path}");
    }
}

/// The files of a crate, each with its module.
fn sources<const N: usize>(files: [(&str, &str); N]) -> Sources {
    let file = |(module, text): (&str, &str)| {
        let parts = module.split("::").filter(|part| !part.is_empty());
        let module: Module = parts.map(str::to_owned).collect();
        let parsed = syn::parse_file(text).expect("it is of Rust");
        let file = read(&module, &parsed.items);
        (module, file)
    };
    Sources(files.into_iter().map(file).collect())
}

/// A circle through what is exported again, one of three files, and one of a test, which is none.
#[test]
fn circles_are_found() {
    let sources = sources([
        ("", "mod a; mod b; pub use a::A;"),
        ("a", "use crate::b::inner::{self, B};"),
        ("b", "pub mod inner; pub(crate) use self::inner::B as C;"),
        ("b::inner", "use crate::A;"),
        (
            "c",
            "use super::d::D; #[cfg(test)] mod tests { use crate::f::F; }",
        ),
        ("d", "mod inner { use crate::e::E; }"),
        ("e", "use std::fmt; use crate::{c::X as Y};"),
        ("f", "use super::{c, b::C};"),
    ]);
    let found = told(&circles(&sources.edges()));
    let expected: [&[&str]; 2] = [&["a", "b::inner"], &["c", "d", "e"]];
    assert_eq!(found, expected);
}

/// Folders that import from each other, though no files do. What the root imports, and a folder from itself, is left out.
#[test]
fn circles_of_folders_are_found() {
    let sources = sources([
        ("", "mod one; mod two; use one::a::A; struct Root;"),
        (
            "one::a",
            "use crate::two::a::A; use super::b::B; use crate::Root;",
        ),
        ("one::b", "struct B;"),
        ("two::a", "struct A;"),
        ("two::b", "use crate::one::b::B;"),
        ("three", "use crate::two::a::A;"),
    ]);
    let edges = sources.edges();
    let expected: [&[&str]; 1] = [&["one", "two"]];
    assert_eq!(told(&circles(&of_folders(&edges))), expected);
    assert!(
        !told(&circles(&edges))
            .iter()
            .flatten()
            .any(|module| module.contains("two"))
    );
}

/// A file and a file below it that import from each other: by a path that leaves out `self`, by one that no `use` has, and by what the
/// file exports again and names itself. What is only exported again, and what tests import, is no use.
#[test]
fn circles_of_a_file_and_those_below_it_are_found() {
    let child = "use super::Own;";
    let sources = sources([
        ("plain", "mod child; use child::Shared; struct Own;"),
        ("plain::child", child),
        (
            "path",
            "mod child; struct Own; fn f() -> child::Shared { child::shared() }",
        ),
        ("path::child", "fn shared(own: super::Own) {}"),
        (
            "named",
            "mod child; pub use child::Shared; struct Own(Shared);",
        ),
        ("named::child", child),
        ("exported", "mod child; pub use child::Shared; struct Own;"),
        ("exported::child", child),
        (
            "tested",
            "mod child; struct Own; #[cfg(test)] use child::Shared; #[cfg(test)] fn f(shared: child::Shared) {}",
        ),
        ("tested::child", child),
        (
            "other",
            "use child::Shared; struct Own; fn f(child: usize) { child::g() }",
        ),
        ("other::child", child),
    ]);
    let found = told(&circles(&sources.edges()));
    let expected: [&[&str]; 3] = [
        &["named", "named::child"],
        &["path", "path::child"],
        &["plain", "plain::child"],
    ];
    assert_eq!(found, expected);
}
