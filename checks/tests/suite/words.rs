//! The words of the engine: each is one type, and each type one word.

use std::fs;

use syn::Item;

use crate::program::{files, page};

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

/// The table of ARCHITECTURE names types that there are, and no two types have one of these names.
#[test]
fn each_word_of_the_engine_is_one_type() {
    let text = page("ARCHITECTURE.md");
    let (_, table) = text
        .split_once("The words of the engine")
        .expect("it has the table");
    let rows = table.lines().skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    let mut names = Vec::new();
    for path in files("core/src", ".rs") {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let file = syn::parse_file(&text).expect("it compiles");
        declared(&file.items, &mut names);
    }
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
