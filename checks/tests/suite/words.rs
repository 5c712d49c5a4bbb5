//! The words of the engine: each is one type, and each type one word.

use std::fs;
use std::path::Path;

use syn::Item;

/// Names of the types that a file declares, those of its modules among them.
fn declared(items: &[Item], names: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Struct(item) => names.push(item.ident.to_string()),
            Item::Enum(item) => names.push(item.ident.to_string()),
            Item::Trait(item) => names.push(item.ident.to_string()),
            Item::Mod(item) => {
                if let Some((_, items)) = &item.content {
                    declared(items, names);
                }
            }
            _ => (),
        }
    }
}

fn types(folder: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            types(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let file = syn::parse_file(&text).expect("it compiles");
            declared(&file.items, names);
        }
    }
}

/// The table of ARCHITECTURE names types that there are, and no two types have one of these names.
#[test]
fn each_word_of_the_engine_is_one_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("it is there");
    let (_, table) = text
        .split_once("The words of the engine")
        .expect("it has the table");
    let rows = table.lines().skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    let mut names = Vec::new();
    types(&root.join("core/src"), &mut names);
    let mut count = 0;
    for row in rows {
        let types = row.rsplit('|').nth(1).expect("a row has three columns");
        for name in types.split('`').skip(1).step_by(2) {
            let owner = name.split("::").next().expect("a name has a part");
            let declared = names.iter().filter(|other| *other == owner);
            assert_eq!(declared.count(), 1, "{name} in {row}");
            count += 1;
        }
    }
    assert!(count > 12, "{count}");
}
