//! A refinement mapping as a table, grouped by the fields that decide each part of an image, and as a function in Rust.
//!
//! Values are read from their `Debug`, which for what derives it is what a program would write, but for the types of variants.

use std::fmt::{self, Display};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde::Serialize;

use super::shown::Tree;

/// States above which no table is made: it would take longer than the decision.
const MOST_STATES: usize = 200_000;

/// Columns of which all pairs are tried.
const MOST_COLUMNS_IN_PAIRS: usize = 128;

/// A refinement mapping as a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Number of states of the implementation that have an image.
    pub states: u64,
    /// The image of a state; none if there are too many states to say it.
    pub image: Option<Image>,
}

/// Part of an image, by the fields of the implementation's state that decide it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Image {
    /// The same in all states.
    Constant(String),
    /// A field, by its path: `state.memory`.
    Field(String),
    /// A record, field by field.
    Record {
        /// Name of its type or variant; empty where it has none.
        name: String,
        /// Parts.
        fields: Vec<Part>,
    },
    /// A list or a tuple, item by item.
    Items {
        /// Name before it; empty where it has none.
        name: String,
        /// Brackets around it.
        brackets: [char; 2],
        /// Items.
        items: Vec<Image>,
    },
    /// A value for each combination of the values of some fields.
    Cases {
        /// The fields, by their paths; none of them can be left out.
        by: Vec<String>,
        /// One line a combination that is reached.
        cases: Vec<Case>,
    },
}

/// Field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its value.
    pub image: Image,
}

/// Line of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Case {
    /// Values of the fields.
    pub values: Vec<String>,
    /// The value of the image.
    pub image: String,
}

/// State with its image, each as `Debug` shows it.
pub(super) struct Row {
    pub state: String,
    pub image: String,
}

impl Table {
    /// The table of some rows.
    pub(super) fn new(rows: Vec<Row>) -> Self {
        let states = rows.len() as u64;
        if rows.len() > MOST_STATES {
            return Self {
                states,
                image: None,
            };
        }
        let mut texts = Texts::default();
        let (mut trees, mut images) = (Vec::new(), Vec::new());
        for Row { state, image } in rows {
            trees.push(Tree::read(&state));
            images.push(Tree::read(&image));
        }
        let mut columns = Vec::new();
        let trees: Vec<&Tree> = trees.iter().collect();
        find_columns("state", &trees, &mut texts, &mut columns);
        let images: Vec<&Tree> = images.iter().collect();
        Self {
            states,
            image: Some(Image::of(&images, &columns, &mut texts)),
        }
    }

    /// True if each part of an image is decided by one field at most.
    pub(super) fn is_plain(&self) -> bool {
        self.image.as_ref().is_none_or(Image::is_plain)
    }

    /// Function that maps a state, to be pasted into a refinement: the types of variants, and what `Debug` does not show, are
    /// to be added. None if there are too many states.
    pub fn function(&self) -> Option<String> {
        let image = self.image.as_ref()?;
        Some(format!(
            "fn map(&self, state: &StateOf<Self::Implementation>) -> StateOf<Self::Specification> {{\n    {}\n}}\n",
            Expression { image, depth: 1 }
        ))
    }
}

/// Texts by number, so that values are compared as numbers.
#[derive(Default)]
pub(super) struct Texts {
    numbers: HashMap<String, u32>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: String) -> u32 {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    fn text(&self, number: u32) -> &str {
        &self.all[number as usize]
    }

    fn all_of(&mut self, trees: &[&Tree]) -> Vec<u32> {
        trees
            .iter()
            .map(|tree| self.number(tree.to_string()))
            .collect()
    }
}

/// A part of the implementation's state: its value in each row.
pub(super) struct Column {
    pub path: String,
    pub values: Vec<u32>,
    /// True if it has no parts that are columns.
    pub is_leaf: bool,
}

/// Notes the parts that all rows have.
pub(super) fn find_columns(
    path: &str,
    trees: &[&Tree],
    texts: &mut Texts,
    columns: &mut Vec<Column>,
) {
    let at = columns.len();
    columns.push(Column {
        path: path.to_owned(),
        values: texts.all_of(trees),
        is_leaf: true,
    });
    let Some(parts) = common_parts(trees) else {
        return;
    };
    columns[at].is_leaf = false;
    for (index, name) in parts.iter().enumerate() {
        let of_part: Vec<&Tree> = trees.iter().map(|tree| tree.part(index)).collect();
        find_columns(&format!("{path}{name}"), &of_part, texts, columns);
    }
}

/// The ways to the parts of some values, if they have the same and are of one variant.
fn common_parts(trees: &[&Tree]) -> Option<Vec<String>> {
    let first = trees.first()?;
    let is_same = |tree: &&Tree| tree.is_like(first);
    let ways = first.ways();
    (trees.iter().all(is_same) && !ways.is_empty()).then_some(ways)
}

impl Image {
    /// Calls `visit` with each part that has no parts itself, and its path below that of the image.
    pub fn visit_parts(&self, path: &str, visit: &mut impl FnMut(&str, &Self)) {
        match self {
            Self::Record { fields, .. } => {
                for Part { name, image } in fields {
                    image.visit_parts(&format!("{path}.{name}"), visit);
                }
            }
            Self::Items {
                brackets, items, ..
            } => {
                for (at, image) in items.iter().enumerate() {
                    let path = match brackets[0] {
                        '(' => format!("{path}.{at}"),
                        _ => format!("{path}[{at}]"),
                    };
                    image.visit_parts(&path, visit);
                }
            }
            Self::Constant(_) | Self::Field(_) | Self::Cases { .. } => visit(path, self),
        }
    }

    fn is_plain(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Field(_) => true,
            Self::Record { fields, .. } => fields.iter().all(|part| part.image.is_plain()),
            Self::Items { items, .. } => items.iter().all(Self::is_plain),
            Self::Cases { by, .. } => by.len() < 2,
        }
    }

    /// Parts of images, by the columns that decide them.
    fn of(trees: &[&Tree], columns: &[Column], texts: &mut Texts) -> Self {
        let values = texts.all_of(trees);
        let Some(first) = values.first() else {
            return Self::Constant(String::new());
        };
        if values.iter().all(|value| value == first) {
            return Self::Constant(texts.text(*first).to_owned());
        }
        if let Some(same) = columns.iter().find(|column| column.values == values) {
            return Self::Field(same.path.clone());
        }
        if common_parts(trees).is_none() {
            return Self::cases(&values, columns, texts);
        }
        let number = trees[0].parts().len();
        let parts = (0..number).map(|index| {
            let of_part: Vec<&Tree> = trees.iter().map(|tree| tree.part(index)).collect();
            Self::of(&of_part, columns, texts)
        });
        let parts: Vec<Self> = parts.collect();
        match trees[0] {
            Tree::Record { name, fields } => {
                let fields = fields.iter().zip(parts).map(|((field, _), image)| Part {
                    name: field.clone(),
                    image,
                });
                Self::Record {
                    name: name.clone(),
                    fields: fields.collect(),
                }
            }
            Tree::Items { name, brackets, .. } => Self::Items {
                name: name.clone(),
                brackets: *brackets,
                items: parts,
            },
            Tree::Leaf(_) => unreachable!("a leaf has no parts"),
        }
    }

    /// A value for each combination of the fewest fields found that decide it.
    fn cases(values: &[u32], columns: &[Column], texts: &Texts) -> Self {
        let chosen = deciding(values, columns);
        let mut met = HashSet::new();
        let mut cases = Vec::new();
        for (row, value) in values.iter().enumerate() {
            let key: Vec<u32> = chosen.iter().map(|column| column.values[row]).collect();
            if met.insert(key.clone()) {
                let values = key.iter().map(|value| texts.text(*value).to_owned());
                cases.push(Case {
                    values: values.collect(),
                    image: texts.text(*value).to_owned(),
                });
            }
        }
        cases.sort();
        Self::Cases {
            by: chosen.iter().map(|column| column.path.clone()).collect(),
            cases,
        }
    }
}

/// Columns that decide a value, none of which can be left out: one if one does, two if two do.
fn deciding<'c>(values: &[u32], columns: &'c [Column]) -> Vec<&'c Column> {
    let decide = |chosen: &[&Column]| {
        let mut images = HashMap::new();
        (0..values.len()).all(|row| {
            let key: Vec<u32> = chosen.iter().map(|column| column.values[row]).collect();
            *images.entry(key).or_insert(values[row]) == values[row]
        })
    };
    let leaves: Vec<&Column> = columns.iter().filter(|column| column.is_leaf).collect();
    if let Some(one) = leaves.iter().find(|column| decide(&[**column])) {
        return vec![*one];
    }
    if leaves.len() <= MOST_COLUMNS_IN_PAIRS {
        for (at, one) in leaves.iter().enumerate() {
            for other in &leaves[at + 1..] {
                if decide(&[*one, *other]) {
                    return vec![*one, *other];
                }
            }
        }
    }
    // A mapping is a function of the whole state.
    let mut chosen = leaves;
    if !decide(&chosen) {
        return columns.iter().take(1).collect();
    }
    for at in (0..chosen.len()).rev() {
        let mut others = chosen.clone();
        others.remove(at);
        if decide(&others) {
            chosen = others;
        }
    }
    chosen
}

impl Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => f.write_str(value),
            Self::Field(path) => f.write_str(path),
            other => write!(
                f,
                "{}",
                Expression {
                    image: other,
                    depth: 0
                }
            ),
        }
    }
}

/// An image as an expression in Rust.
struct Expression<'i> {
    image: &'i Image,
    depth: usize,
}

impl Display for Expression<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |image| Expression {
            image,
            depth: self.depth + 1,
        };
        let outer = "    ".repeat(self.depth);
        let indent = "    ".repeat(self.depth + 1);
        match self.image {
            Image::Constant(value) => f.write_str(value),
            Image::Field(path) => write!(f, "{path}.clone()"),
            Image::Record { name, fields } => {
                writeln!(f, "{name} {{")?;
                for Part { name, image } in fields {
                    writeln!(f, "{indent}{name}: {},", inner(image))?;
                }
                write!(f, "{outer}}}")
            }
            Image::Items {
                name,
                brackets,
                items,
            } => {
                writeln!(f, "{name}{}", brackets[0])?;
                for item in items {
                    writeln!(f, "{indent}{},", inner(item))?;
                }
                write!(f, "{outer}{}", brackets[1])
            }
            Image::Cases { by, cases } => {
                writeln!(f, "match {} {{", tuple(by))?;
                for Case { values, image } in cases {
                    writeln!(f, "{indent}{} => {image},", tuple(values))?;
                }
                writeln!(
                    f,
                    "{indent}_ => unreachable!(\"no such state is reached\"),"
                )?;
                write!(f, "{outer}}}")
            }
        }
    }
}

fn tuple(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.image {
            Some(image) => {
                let mut written = Ok(());
                image.visit_parts("image", &mut |path, part| {
                    written = written.and_then(|()| write_part(f, path, part));
                });
                written
            }
            None => f.write_str("too many states for a table\n"),
        }
    }
}

/// Lines of a table that are shown.
const MOST_LINES: usize = 20;

fn write_part(f: &mut fmt::Formatter<'_>, path: &str, part: &Image) -> fmt::Result {
    match part {
        Image::Cases { by, cases } => {
            writeln!(f, "{path}, by {}:", by.join(", "))?;
            for Case { values, image } in cases.iter().take(MOST_LINES) {
                writeln!(f, "    {} → {image}", values.join(", "))?;
            }
            match cases.len().checked_sub(MOST_LINES) {
                Some(more) if more > 0 => writeln!(f, "    and {more} lines more"),
                _ => Ok(()),
            }
        }
        one => writeln!(f, "{path} = {one}"),
    }
}
