//! Parser of the sections of a litmus test: head, initial state, program, and condition.

use super::error::{Problem, ReadError};
use super::instruction::{Cell, cell};
use super::limits::{MOST_BYTES, MOST_INSTRUCTIONS};
use super::number::signed_number;
use super::proposition::{
    Condition, ConditionParser, Literal, Observed, Quantifier, thread_number, thread_prefix,
};
use super::register::{Architecture, Name};
use super::token::{Token, Tokens, behind_comments, without_comments};
use crate::{Integer, MOST_THREADS, Sign};

/// Syntax tree of a litmus test.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub architecture: Architecture,
    pub name: String,
    pub initial: Vec<Initial>,
    pub threads: Vec<Vec<Cell>>,
    pub observed: Vec<Shown>,
    pub filter: Option<Condition>,
    pub quantifier: Quantifier,
    pub condition: Condition,
    pub condition_text: String,
    /// Line of the condition.
    pub tail_line: usize,
}

/// Item of the initial state.
#[derive(Clone, Debug)]
pub(super) struct Initial {
    pub line: usize,
    pub target: InitialTarget,
    pub integer: Option<Integer>,
    pub value: Literal,
}

/// Item of the list of locations.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub line: usize,
    pub observed: Observed,
    pub integer: Option<Integer>,
}

/// Target of an initial value.
#[derive(Clone, Debug)]
pub(super) enum InitialTarget {
    Register(u64, Name),
    Variable(String),
}

/// Sections of a text.
struct Sections<'a> {
    head: &'a str,
    initial: Section<'a>,
    program: Section<'a>,
}

/// Section of a text.
#[derive(Clone, Copy)]
struct Section<'a> {
    text: &'a str,
    /// Number of its first line.
    line: usize,
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn sections(text: &str) -> Result<Sections<'_>, ReadError> {
    let end = |expected| {
        let found = "the end".to_owned();
        Problem::Unexpected { found, expected }.on(1 + lines(text.trim_end()))
    };
    let (head, behind) = text
        .split_once('{')
        .ok_or_else(|| end("{ and the initial state"))?;
    let (initial, program) = behind
        .split_once('}')
        .ok_or_else(|| end("} behind the initial state"))?;
    let initial_line = 1 + lines(head);
    // In the older dialect of memevents a ; ends the initial state.
    let is_passed_over = |character: char| character.is_whitespace() || character == ';';
    let rows = program.trim_start_matches(is_passed_over);
    let passed_over = &program[..program.len() - rows.len()];
    Ok(Sections {
        head,
        initial: Section {
            text: initial,
            line: initial_line,
        },
        program: Section {
            text: rows,
            line: initial_line + lines(initial) + lines(passed_over),
        },
    })
}

/// Part of the tail that is read. Behind it memevents has its own blocks, each within `<<` and `>>`.
fn before_blocks(tail: Section<'_>) -> Result<Section<'_>, ReadError> {
    let Some((text, mut rest)) = tail.text.split_once("<<") else {
        return Ok(tail);
    };
    let line = |rest: &str| tail.line + lines(&tail.text[..tail.text.len() - rest.len()]);
    loop {
        let (_, behind) = rest
            .split_once(">>")
            .ok_or_else(|| Problem::OpenBlock.on(line(rest)))?;
        let behind = behind.trim_start();
        match behind.strip_prefix("<<") {
            Some(next) => rest = next,
            None if behind.is_empty() => return Ok(Section { text, ..tail }),
            None => return Err(Tokens::of(behind, line(behind))?.unexpected("the end")),
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Source, ReadError> {
    let text = text.trim_start_matches('\u{feff}');
    // Tests in other languages have other comments, braces and characters.
    let architecture = architecture(text)?;
    if text.len() > MOST_BYTES {
        let what = "bytes";
        let most = MOST_BYTES;
        return Err(Problem::TooMany { what, most }.on(1));
    }
    let plain = without_comments(text)?;
    let sections = sections(&plain)?;
    let name = name(sections.head)?;
    let initial = initial(architecture, sections.initial)?;
    let (threads, tail) = program(architecture, sections.program)?;
    let tail = before_blocks(tail)?;
    let mut tokens = Tokens::of(tail.text, tail.line)?;
    let tail_line = tokens.line();
    let tail = Tail {
        architecture,
        threads: threads.len(),
    };
    let observed = tail.observed(&mut tokens)?;
    let filter = if tokens.is_name("filter") {
        tokens.take();
        Some(tail.parser(&mut tokens).condition()?)
    } else {
        None
    };
    let (quantifier, condition, condition_text) = tail.question(&mut tokens)?;
    tokens.takes(";");
    // The expected verdicts of other models, which do not concern this one.
    if !tokens.is_at_end() && !tokens.is_name("with") {
        return Err(tokens.unexpected("the end"));
    }
    Ok(Source {
        architecture,
        name,
        initial,
        threads,
        observed,
        filter,
        quantifier,
        condition,
        condition_text,
        tail_line,
    })
}

/// Architecture, which is the first word behind blanks and comments.
fn architecture(text: &str) -> Result<Architecture, ReadError> {
    let rest = behind_comments(text)?;
    let line = 1 + lines(&text[..text.len() - rest.len()]);
    let word = rest
        .find(|character: char| character.is_whitespace() || "({\"".contains(character))
        .map_or(rest, |end| &rest[..end]);
    match word {
        "X86" => Ok(Architecture::X86),
        "X86_64" => Ok(Architecture::X8664),
        "" => {
            let found = "no architecture".to_owned();
            let expected = "X86 or X86_64 and the name of the test";
            Err(Problem::Unexpected { found, expected }.on(line))
        }
        _ => {
            let found = word.chars().take(40).collect();
            Err(Problem::Architecture { found }.on(line))
        }
    }
}

/// Parses the name, which stands behind the architecture; the rest of the head is ignored.
fn name(head: &str) -> Result<String, ReadError> {
    let mut lines = head.lines().enumerate();
    let first = lines.find(|(_, line)| !line.trim().is_empty());
    let (number, line) = first.unwrap_or_default();
    let name = line
        .split_whitespace()
        .skip(1)
        .collect::<Vec<_>>()
        .join(" ");
    if name.is_empty() {
        let found = "nothing behind the architecture".to_owned();
        let expected = "the name of the test";
        return Err(Problem::Unexpected { found, expected }.on(number + 1));
    }
    Ok(name)
}

fn initial(architecture: Architecture, section: Section<'_>) -> Result<Vec<Initial>, ReadError> {
    let mut tokens = Tokens::of(section.text, section.line)?;
    let mut items = Vec::new();
    while !tokens.is_at_end() {
        if tokens.takes(";") {
            continue;
        }
        items.push(item(architecture, &mut tokens)?);
        if !tokens.is_at_end() {
            tokens.expect(";")?;
        }
    }
    Ok(items)
}

fn item(architecture: Architecture, tokens: &mut Tokens) -> Result<Initial, ReadError> {
    let line = tokens.line();
    let names_type = matches!(tokens.peek(), Some(Token::Name(_)))
        && thread_prefix(tokens).is_none()
        && !matches!(tokens.peek_at(1), None | Some(Token::Symbol("=" | ";")));
    let integer = if names_type || tokens.is("*") {
        Some(integer(architecture, tokens)?)
    } else {
        None
    };
    let target = match thread_prefix(tokens) {
        Some(thread) => {
            tokens.take();
            tokens.take();
            tokens.takes("%");
            let name = tokens.name("a register")?;
            let register = architecture.initial_register(&name);
            let register = register.ok_or_else(|| {
                let expected = "a register";
                Problem::Register {
                    found: name,
                    expected,
                }
                .on(line)
            })?;
            InitialTarget::Register(thread, register)
        }
        None if tokens.takes("[") => {
            let name = tokens.name("the name of a variable")?;
            tokens.expect("]")?;
            InitialTarget::Variable(name)
        }
        None => InitialTarget::Variable(tokens.name("a variable, or a register such as 0:EAX")?),
    };
    if tokens.is("[") {
        return Err(Problem::Array.on(line));
    }
    let value = if tokens.takes("=") {
        tokens.takes("&");
        match tokens.peek() {
            Some(Token::Name(_)) => Literal::Address(tokens.name("a variable")?),
            _ => Literal::Number(signed_number(tokens)?),
        }
    } else {
        Literal::Number(0)
    };
    Ok(Initial {
        line,
        target,
        integer,
        value,
    })
}

/// Words of which the names of C's types are made.
const TYPE_WORDS: [&str; 6] = ["unsigned", "signed", "char", "short", "int", "long"];

/// Parses a type.
fn integer(architecture: Architecture, tokens: &mut Tokens) -> Result<Integer, ReadError> {
    let line = tokens.line();
    let mut words = Vec::new();
    loop {
        let is_next = match tokens.peek() {
            Some(Token::Name(name)) => words.is_empty() || TYPE_WORDS.contains(&&**name),
            _ => false,
        };
        if !is_next {
            break;
        }
        words.push(tokens.name("a type")?);
        if !TYPE_WORDS.contains(&&**words.last().expect("it has just been added")) {
            break;
        }
    }
    let mut is_pointer = false;
    while tokens.takes("*") {
        is_pointer = true;
    }
    let name = words.join(" ");
    match type_called(architecture, &name) {
        _ if is_pointer => Ok(architecture.word()),
        Some(integer) => Ok(integer),
        None => Err(Problem::Type(name).on(line)),
    }
}

fn type_called(architecture: Architecture, name: &str) -> Option<Integer> {
    let (name, sign) = match name.split_once(' ') {
        _ if name == "unsigned" => ("int", Sign::Unsigned),
        _ if name == "signed" => ("int", Sign::Signed),
        Some(("unsigned", rest)) => (rest, Sign::Unsigned),
        Some(("signed", rest)) => (rest, Sign::Signed),
        _ => match name.strip_prefix('u') {
            Some(rest) if name.ends_with("_t") => (rest, Sign::Unsigned),
            _ => (name, Sign::Signed),
        },
    };
    let bits = match name {
        "char" | "int8_t" => 8,
        "short" | "short int" | "int16_t" => 16,
        "int" | "int32_t" => 32,
        "long" | "long int" | "intptr_t" => architecture.bits(),
        "long long" | "long long int" | "int64_t" => 64,
        _ => return None,
    };
    Some(Integer { bits, sign })
}

/// True if the condition begins here, and not a row of the program.
fn is_tail(text: &str) -> bool {
    let word = text
        .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .unwrap_or(text.len());
    let (word, behind) = text.split_at(word);
    let keyword = [
        "locations",
        "filter",
        "exists",
        "forall",
        "final",
        "not",
        "with",
    ]
    .contains(&word);
    let behind = behind.trim_start();
    // NOT is an instruction, too.
    let is_row = behind.starts_with(':') || word == "not" && !behind.starts_with("exists");
    text.starts_with(['~', '(']) || text.starts_with("<<") || keyword && !is_row
}

type Program<'a> = (Vec<Vec<Cell>>, Section<'a>);

/// Parses the columns of the program; returns the rest of the text.
fn program(architecture: Architecture, section: Section<'_>) -> Result<Program<'_>, ReadError> {
    let Section {
        text: mut rest,
        mut line,
    } = section;
    let mut threads: Option<Vec<Vec<Cell>>> = None;
    loop {
        let row = rest.trim_start();
        line += lines(&rest[..rest.len() - row.len()]);
        if row.is_empty() || is_tail(row) {
            rest = row;
            break;
        }
        let Some((cells, behind)) = row.split_once(';') else {
            let found = "the end".to_owned();
            let expected = "; at the end of the row";
            return Err(Problem::Unexpected { found, expected }.on(line));
        };
        match &mut threads {
            None => threads = Some(titles(cells, line)?),
            Some(threads) => row_of(architecture, cells, line, threads)?,
        }
        line += lines(cells);
        rest = behind;
    }
    let Some(threads) = threads else {
        let found = "no program".to_owned();
        let expected = "a row P0 | P1 | … ;";
        return Err(Problem::Unexpected { found, expected }.on(line));
    };
    Ok((threads, Section { text: rest, line }))
}

/// Parses the first row: `P0 | P1 | …`.
fn titles(cells: &str, line: usize) -> Result<Vec<Vec<Cell>>, ReadError> {
    let mut threads = Vec::new();
    let mut line = line;
    for cell in cells.split('|') {
        let title = cell.trim();
        if thread_number(title) != Some(threads.len() as u64) {
            let found = match title {
                "" => "no name of a thread".to_owned(),
                _ => format!("{:?}", title.chars().take(40).collect::<String>()),
            };
            let expected = "the threads P0, P1 and so on";
            let blanks = &cell[..cell.len() - cell.trim_start().len()];
            // An empty title is where its row begins.
            let above = if title.is_empty() { 0 } else { lines(blanks) };
            return Err(Problem::Unexpected { found, expected }.on(line + above));
        }
        line += lines(cell);
        threads.push(Vec::new());
        if threads.len() > MOST_THREADS {
            return Err(Problem::TooMany {
                what: "threads",
                most: MOST_THREADS,
            }
            .on(line));
        }
    }
    Ok(threads)
}

fn row_of(
    architecture: Architecture,
    cells: &str,
    line: usize,
    threads: &mut [Vec<Cell>],
) -> Result<(), ReadError> {
    let mut line = line;
    for (number, text) in cells.split('|').enumerate() {
        let Some(thread) = threads.get_mut(number) else {
            let found = cells.split('|').count();
            let threads = threads.len();
            return Err(Problem::Cells { found, threads }.on(line));
        };
        let cell = cell(architecture, text, line)?;
        if cell.instruction.is_some() || !cell.labels.is_empty() {
            thread.push(cell);
        }
        if thread.len() > MOST_INSTRUCTIONS {
            return Err(Problem::TooMany {
                what: "instructions",
                most: MOST_INSTRUCTIONS,
            }
            .on(line));
        }
        line += lines(text);
    }
    Ok(())
}

/// Condition section of a test.
struct Tail {
    architecture: Architecture,
    threads: usize,
}

impl Tail {
    fn parser<'a>(&self, tokens: &'a mut Tokens) -> ConditionParser<'a> {
        ConditionParser {
            tokens,
            architecture: self.architecture,
            threads: self.threads,
        }
    }

    fn observed(&self, tokens: &mut Tokens) -> Result<Vec<Shown>, ReadError> {
        let mut observed = Vec::new();
        if !tokens.is_name("locations") {
            return Ok(observed);
        }
        tokens.take();
        tokens.expect("[")?;
        while !tokens.takes("]") {
            let line = tokens.line();
            let item = self.parser(tokens).observed()?;
            let integer = if matches!(tokens.peek(), Some(Token::Name(_))) || tokens.is("*") {
                Some(integer(self.architecture, tokens)?)
            } else {
                None
            };
            observed.push(Shown {
                line,
                observed: item,
                integer,
            });
            if !tokens.is("]") {
                tokens.expect(";")?;
            }
        }
        Ok(observed)
    }

    fn question(&self, tokens: &mut Tokens) -> Result<(Quantifier, Condition, String), ReadError> {
        let quantifier = if tokens.is_name("exists") || tokens.is_name("final") {
            tokens.take();
            Quantifier::Exists
        } else if tokens.is_name("forall") {
            tokens.take();
            Quantifier::Forall
        } else if tokens.is("~") || tokens.is_name("not") {
            tokens.take();
            if !tokens.is_name("exists") {
                return Err(tokens.unexpected("exists"));
            }
            tokens.take();
            Quantifier::NotExists
        } else if tokens.is("(") {
            Quantifier::Exists
        } else if tokens.is_at_end() || tokens.is(";") || tokens.is_name("with") {
            let nothing_asked = (Quantifier::Forall, Condition::Constant(true));
            return Ok((nothing_asked.0, nothing_asked.1, "true".to_owned()));
        } else {
            return Err(tokens.unexpected("exists, ~exists, forall, final or ("));
        };
        let start = tokens.clone();
        let condition = self.parser(tokens).condition()?;
        Ok((quantifier, condition, start.rest_as_text(tokens)))
    }
}
