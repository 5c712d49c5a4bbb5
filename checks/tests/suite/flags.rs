//! The libraries name no flag of a command line: what they refuse has the name of the setting, and the command line adds its own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::LitStr;

use crate::program::{checkout, files};

/// The libraries that print nothing, by the folders of their sources.
const LIBRARIES: [&str; 7] = [
    "core/src",
    "core/derive/src",
    "core/distributed/src",
    "core/histories/src",
    "core/processes/src",
    "core/programs/src",
    "core/schedules/src",
];

/// A file with flags of another program: a test that it runs again.
const OF_ANOTHER_PROGRAM: &str = "core/histories/src/object/child.rs";

/// True of the tokens in the brackets of an attribute with this name.
fn is_attribute(tokens: &TokenStream, name: &str) -> bool {
    matches!(tokens.clone().into_iter().next(), Some(TokenTree::Ident(first)) if first == name)
}

/// Adds the texts of some tokens, but those of documentation and of items that are compiled for tests alone.
fn texts(tokens: TokenStream, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter();
    let mut is_of_test = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let attribute = match tokens.next() {
                    // Of the whole file: `#![…]`.
                    Some(TokenTree::Punct(_)) => tokens.next(),
                    other => other,
                };
                let Some(TokenTree::Group(attribute)) = attribute else {
                    continue;
                };
                is_of_test |= is_attribute(&attribute.stream(), "cfg")
                    && attribute.stream().to_string().contains("(test)");
                if !is_attribute(&attribute.stream(), "doc") {
                    texts(attribute.stream(), found);
                }
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => is_of_test = false,
            TokenTree::Group(group) => {
                if !is_of_test {
                    texts(group.stream(), found);
                }
                is_of_test &= group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Literal(literal) if !is_of_test => {
                if let Ok(text) = syn::parse_str::<LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            _ => (),
        }
    }
}

/// The texts of a source that name a flag, other than in a command of cargo.
fn flags(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    texts(source.parse().expect("it is of Rust"), &mut found);
    found.retain(|text| {
        let quoted = text.split('`');
        let ours: String = quoted.filter(|part| !part.starts_with("cargo ")).collect();
        let mut parts = ours.split("--");
        let mut before = parts.next().unwrap_or_default();
        parts.any(|behind| {
            let is_flag = !before.ends_with(|last: char| last.is_alphanumeric() || last == '-')
                && behind.starts_with(|first: char| first.is_ascii_lowercase());
            before = behind;
            is_flag
        })
    });
    found
}

#[test]
fn the_libraries_name_no_flag() {
    let mut paths: Vec<_> = LIBRARIES.iter().flat_map(|of| files(of, ".rs")).collect();
    let is_of_tests = |part: &OsStr| part == "tests" || part == "tests.rs";
    paths.retain(|path| {
        let path = path
            .strip_prefix(checkout())
            .expect("it is in the checkout");
        !path.iter().any(is_of_tests)
    });
    assert!(paths.len() > 200, "{}", paths.len());
    let of_another_program = checkout().join(OF_ANOTHER_PROGRAM);
    let read = |path: &Path| fs::read_to_string(path).expect("the file can be read");
    for path in paths.iter().filter(|path| **path != of_another_program) {
        assert_eq!(flags(&read(path)), [""; 0], "{}", path.display());
    }
    // It is told apart for a reason.
    assert!(!flags(&read(&of_another_program)).is_empty());
}

#[test]
fn flags_are_found_wherever_a_text_is() {
    let source = r##"
        //! With --walks of the module.
        /// With --seed of a field.
        #[error("a: --one")]
        struct Refused { #[doc = "--two"] reason: u8 }
        const NAMED: &str = "--three";
        fn told() { format!("{}, as `--four` has it", [r#"--five"#].len()); }
        #[cfg(test)]
        mod tests { fn of() { told("--six"); } }
        #[cfg(test)]
        use other::Thing;
        fn after() { told("no\n--seven"); told("a---b, c--d, e -- f, --5, --, `cargo add a --nine`"); }
        #[cfg(all(test, loom))]
        #[test]
        fn alone() -> [u8; 2] { told("--eight") }
    "##;
    assert_eq!(
        flags(source),
        [
            "a: --one",
            "--three",
            "{}, as `--four` has it",
            "--five",
            "no\n--seven",
            "--eight"
        ]
    );
}
