//! Values as their `Debug` shows them: parts, where they are shown as derived.

use std::fmt::{self, Display};

/// A value as `Debug` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Leaf(String),
    Record {
        name: String,
        fields: Vec<(String, Tree)>,
    },
    Items {
        name: String,
        brackets: [char; 2],
        items: Vec<Tree>,
    },
}

impl Tree {
    /// Reads what `Debug` has written; what is not written as derived is one leaf.
    pub fn read(text: &str) -> Self {
        let mut reader = Reader { rest: text };
        match reader.value() {
            Some(tree) if reader.rest.trim().is_empty() => tree,
            _ => Self::Leaf(text.to_owned()),
        }
    }

    /// Its parts.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Leaf(_) => Vec::new(),
            Self::Record { fields, .. } => fields.iter().map(|(_, tree)| tree).collect(),
            Self::Items { items, .. } => items.iter().collect(),
        }
    }

    /// A part by its place; a leaf is its own.
    pub fn part(&self, index: usize) -> &Self {
        match self {
            Self::Leaf(_) => self,
            Self::Record { fields, .. } => &fields[index].1,
            Self::Items { items, .. } => &items[index],
        }
    }

    /// Ways to the parts.
    pub fn ways(&self) -> Vec<String> {
        match self {
            Self::Leaf(_) => Vec::new(),
            Self::Record { fields, .. } => {
                fields.iter().map(|(name, _)| format!(".{name}")).collect()
            }
            Self::Items {
                brackets, items, ..
            } => (0..items.len())
                .map(|index| match brackets[0] {
                    '(' => format!(".{index}"),
                    _ => format!("[{index}]"),
                })
                .collect(),
        }
    }

    /// True if another value has the same name and the same parts.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Record { name, fields },
                Self::Record {
                    name: other_name,
                    fields: other_fields,
                },
            ) => {
                let names = fields.iter().map(|(name, _)| name);
                name == other_name && names.eq(other_fields.iter().map(|(name, _)| name))
            }
            (
                Self::Items {
                    name,
                    brackets,
                    items,
                },
                Self::Items {
                    name: other_name,
                    brackets: other_brackets,
                    items: other_items,
                },
            ) => {
                // A set has no items by index.
                brackets[0] != '{'
                    && name == other_name
                    && brackets == other_brackets
                    && items.len() == other_items.len()
            }
            _ => false,
        }
    }
}

impl Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(text) => f.write_str(text),
            Self::Record { name, fields } => {
                write!(f, "{name} {{ ")?;
                for (at, (field, value)) in fields.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{field}: {value}")?;
                }
                f.write_str(" }")
            }
            Self::Items {
                name,
                brackets,
                items,
            } => {
                write!(f, "{name}{}", brackets[0])?;
                for (at, item) in items.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                // A tuple of one item is written with a comma.
                if name.is_empty() && brackets[0] == '(' && items.len() == 1 {
                    f.write_str(",")?;
                }
                write!(f, "{}", brackets[1])
            }
        }
    }
}

/// Reader of what `Debug` writes.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Tree> {
        self.space();
        let text = self.token()?;
        let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return Some(Tree::Leaf(text));
        }
        let before = self.rest;
        let value = match before.trim_start().chars().next() {
            Some('(') => self.items(text.clone(), ['(', ')']),
            Some('[') if text.is_empty() => self.items(text.clone(), ['[', ']']),
            Some('{') if text.is_empty() => self.items(text.clone(), ['{', '}']),
            Some('{') => self.record(text.clone()),
            _ if text.is_empty() => return None,
            _ => Some(Tree::Leaf(text.clone())),
        };
        if value.is_some() {
            return value;
        }
        // Not as derived: all up to the bracket that ends it is one leaf.
        self.rest = before;
        let end = balanced(self.rest)?;
        let (rest_of_it, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(Tree::Leaf(format!("{text}{rest_of_it}")))
    }

    /// A name, a number, or a text in quotes; empty before a bracket.
    fn token(&mut self) -> Option<String> {
        let first = self.rest.chars().next()?;
        let end = if first == '"' || first == '\'' {
            let mut is_escaped = false;
            let mut end = None;
            for (at, c) in self.rest.char_indices().skip(1) {
                if is_escaped {
                    is_escaped = false;
                } else if c == '\\' {
                    is_escaped = true;
                } else if c == first {
                    end = Some(at + 1);
                    break;
                }
            }
            end?
        } else {
            let is_end = |c: char| c.is_whitespace() || "()[]{},:".contains(c);
            self.rest.find(is_end).unwrap_or(self.rest.len())
        };
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(token.to_owned())
    }

    fn record(&mut self, name: String) -> Option<Tree> {
        self.expect('{')?;
        let mut fields = Vec::new();
        while !self.ends('}') {
            self.space();
            let field = self.token().filter(|field| !field.is_empty())?;
            self.expect(':')?;
            fields.push((field, self.value()?));
            if !self.ends_part('}')? {
                break;
            }
        }
        self.expect('}')?;
        Some(Tree::Record { name, fields })
    }

    fn items(&mut self, name: String, brackets: [char; 2]) -> Option<Tree> {
        self.expect(brackets[0])?;
        let mut items = Vec::new();
        while !self.ends(brackets[1]) {
            items.push(self.value()?);
            if !self.ends_part(brackets[1])? {
                break;
            }
        }
        self.expect(brackets[1])?;
        Some(Tree::Items {
            name,
            brackets,
            items,
        })
    }

    /// True if a comma follows; it is passed. None if neither that nor the bracket does.
    fn ends_part(&mut self, bracket: char) -> Option<bool> {
        if self.ends(bracket) {
            return Some(false);
        }
        self.expect(',').map(|()| true)
    }

    fn ends(&mut self, bracket: char) -> bool {
        self.space();
        self.rest.starts_with(bracket)
    }

    fn expect(&mut self, c: char) -> Option<()> {
        self.space();
        self.rest = self.rest.strip_prefix(c)?;
        Some(())
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

/// Length of what stands up to the bracket that closes the first one.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if "([{".contains(c) {
            depth += 1;
        } else if ")]}".contains(c) {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug)]
    struct Unit;
    #[derive(Debug)]
    #[allow(dead_code, reason = "they are shown")]
    struct Record {
        number: i32,
        text: &'static str,
        list: Vec<Option<char>>,
        tuple: (u8,),
        unit: Unit,
        map: BTreeMap<u8, &'static str>,
    }

    /// A derived `Debug` is read, and written as it was.
    #[test]
    fn what_debug_derives_is_read() {
        let record = Record {
            number: -3,
            text: "a \"quoted\" ) {",
            list: vec![None, Some('\''), Some(',')],
            tuple: (7,),
            unit: Unit,
            map: BTreeMap::from([(1, "one"), (2, "two")]),
        };
        let written = format!("{record:?}");
        let tree = Tree::read(&written);
        assert_eq!(
            tree.ways(),
            [".number", ".text", ".list", ".tuple", ".unit", ".map"]
        );
        assert_eq!(tree.to_string(), written);
        assert_eq!(tree.part(2).ways(), ["[0]", "[1]", "[2]"]);
        assert_eq!(tree.part(3).ways(), [".0"]);
        assert_eq!(
            tree.part(5),
            &Tree::Leaf("{1: \"one\", 2: \"two\"}".to_owned())
        );
    }

    /// A part whose `Debug` is not derived is a leaf, beside parts whose is.
    #[test]
    fn what_debug_does_not_derive_is_a_leaf() {
        let tree = Tree::read("State { colours: black {0, 1}, m: [[0], [1]] }");
        assert_eq!(tree.ways(), [".colours", ".m"]);
        assert_eq!(tree.part(0), &Tree::Leaf("black {0, 1}".to_owned()));
        for text in ["a b", "S { x: }", "", "S { x: 1"] {
            assert_eq!(Tree::read(text), Tree::Leaf(text.to_owned()));
        }
    }
}
