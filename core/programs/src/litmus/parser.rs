//! Parser of the sections of a litmus test: head, initial state, program, and condition.

use super::error::{Problem, ReadError};
use super::instruction::{Cell, cell};
use super::limits::MOST_INSTRUCTIONS;
use super::proposition::{
    Condition, ConditionParser, Literal, Observed, Quantifier, signed_number, thread_number,
    thread_prefix,
};
use super::register::{Architecture, Name};
use super::token::{Token, Tokens, without_comments};
use crate::{Integer, MOST_THREADS, Sign};

/// Syntax tree of a litmus test.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub architecture: Architecture,
    pub name: String,
    pub initial: Vec<Initial>,
    pub threads: Vec<Vec<Cell>>,
    pub observed: Vec<Observed>,
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

/// Target of an initial value.
#[derive(Clone, Debug)]
pub(super) enum InitialTarget {
    Register(u64, Name),
    Variable(String),
}

/// Sections of a text, each with its first line.
struct Sections<'a> {
    head: &'a str,
    initial: (&'a str, usize),
    program: (&'a str, usize),
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn sections(text: &str) -> Result<Sections<'_>, ReadError> {
    let end = |expected| {
        let found = "the end".to_owned();
        Problem::Unexpected { found, expected }.on(1 + lines(text))
    };
    let (head, behind) = text
        .split_once('{')
        .ok_or_else(|| end("{ and the initial state"))?;
    let (initial, program) = behind
        .split_once('}')
        .ok_or_else(|| end("} behind the initial state"))?;
    let initial_line = 1 + lines(head);
    Ok(Sections {
        head,
        initial: (initial, initial_line),
        program: (program, initial_line + lines(initial)),
    })
}

pub(super) fn parse(text: &str) -> Result<Source, ReadError> {
    let text = text.trim_start_matches('\u{feff}');
    let plain = without_comments(text)?;
    let sections = sections(&plain)?;
    let (architecture, name) = head(sections.head)?;
    let initial = initial(architecture, sections.initial)?;
    let (threads, tail, tail_line) = program(architecture, sections.program)?;
    let mut tokens = Tokens::of(tail, tail_line)?;
    let tail_line = tokens.line();
    let tail = Tail {
        architecture,
        threads: threads.len(),
    };
    let observed = tail.observed(&mut tokens)?;
    let filter = match tokens.is_name("filter") {
        true => {
            tokens.take();
            Some(tail.parser(&mut tokens).condition()?)
        }
        false => None,
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

/// Parses the architecture and the name; the rest of the head is ignored.
fn head(head: &str) -> Result<(Architecture, String), ReadError> {
    let mut lines = head.lines().enumerate();
    let first = lines.find(|(_, line)| !line.trim().is_empty());
    let Some((number, line)) = first else {
        let found = "no architecture".to_owned();
        let expected = "X86 or X86_64 and the name of the test";
        return Err(Problem::Unexpected { found, expected }.on(1));
    };
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or_default();
    let architecture = match word {
        "X86" => Architecture::X86,
        "X86_64" => Architecture::X8664,
        _ => {
            let found = word.chars().take(40).collect();
            return Err(Problem::Architecture { found }.on(number + 1));
        }
    };
    let name = words.collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        let found = "nothing behind the architecture".to_owned();
        let expected = "the name of the test";
        return Err(Problem::Unexpected { found, expected }.on(number + 1));
    }
    Ok((architecture, name))
}

fn initial(
    architecture: Architecture,
    (text, line): (&str, usize),
) -> Result<Vec<Initial>, ReadError> {
    let mut tokens = Tokens::of(text, line)?;
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
    let mut integer = None;
    let names_type = matches!(tokens.peek(), Some(Token::Name(_)))
        && thread_prefix(tokens).is_none()
        && !matches!(tokens.peek_at(1), None | Some(Token::Symbol("=" | ";")));
    if names_type {
        let mut name = tokens.name("a type")?;
        if name == "unsigned" && matches!(tokens.peek(), Some(Token::Name(_))) {
            name = format!("unsigned {}", tokens.name("a type")?);
        }
        integer = Some(type_called(&name).ok_or_else(|| Problem::Type(name).on(line))?);
    }
    if tokens.takes("*") {
        integer = Some(Integer::I64);
    }
    let target = match thread_prefix(tokens) {
        Some(thread) => {
            tokens.take();
            tokens.take();
            tokens.takes("%");
            let name = tokens.name("a register")?;
            let register = architecture.register(&name);
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
    let value = match tokens.takes("=") {
        false => Literal::Number(0),
        true => {
            tokens.takes("&");
            match tokens.peek() {
                Some(Token::Name(_)) => Literal::Address(tokens.name("a variable")?),
                _ => Literal::Number(signed_number(tokens)?),
            }
        }
    };
    Ok(Initial {
        line,
        target,
        integer,
        value,
    })
}

fn type_called(name: &str) -> Option<Integer> {
    let of = |bits, sign| Some(Integer { bits, sign });
    match name {
        "int" => of(32, Sign::Signed),
        "char" => of(8, Sign::Signed),
        "short" => of(16, Sign::Signed),
        "long" => of(64, Sign::Signed),
        "unsigned" | "unsigned int" => of(32, Sign::Unsigned),
        "unsigned char" => of(8, Sign::Unsigned),
        "unsigned short" => of(16, Sign::Unsigned),
        "unsigned long" => of(64, Sign::Unsigned),
        "intptr_t" => of(64, Sign::Signed),
        "uintptr_t" => of(64, Sign::Unsigned),
        _ => {
            let (name, sign) = match name.strip_prefix('u') {
                Some(rest) => (rest, Sign::Unsigned),
                None => (name, Sign::Signed),
            };
            match name.strip_prefix("int")?.strip_suffix("_t")? {
                "8" => of(8, sign),
                "16" => of(16, sign),
                "32" => of(32, sign),
                "64" => of(64, sign),
                _ => None,
            }
        }
    }
}

/// Whether the condition begins here, and not a row of the program.
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
    text.starts_with(['~', '(']) || keyword && !behind.trim_start().starts_with(':')
}

type Program<'a> = (Vec<Vec<Cell>>, &'a str, usize);

/// Parses the columns of the program; returns the rest of the text with its line.
fn program(
    architecture: Architecture,
    (text, line): (&str, usize),
) -> Result<Program<'_>, ReadError> {
    let mut rest = text;
    let mut line = line;
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
    Ok((threads, rest, line))
}

/// Parses the first row: `P0 | P1 | …`.
fn titles(cells: &str, line: usize) -> Result<Vec<Vec<Cell>>, ReadError> {
    let mut threads = Vec::new();
    for title in cells.split('|') {
        let title = title.trim();
        if thread_number(title) != Some(threads.len() as u64) {
            let found = format!("{:?}", title.chars().take(40).collect::<String>());
            let expected = "the threads P0, P1 and so on";
            return Err(Problem::Unexpected { found, expected }.on(line));
        }
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

    fn observed(&self, tokens: &mut Tokens) -> Result<Vec<Observed>, ReadError> {
        let mut observed = Vec::new();
        if !tokens.is_name("locations") {
            return Ok(observed);
        }
        tokens.take();
        tokens.expect("[")?;
        while !tokens.takes("]") {
            observed.push(self.parser(tokens).observed()?);
            // A type, which the initial state already gives.
            if matches!(tokens.peek(), Some(Token::Name(_))) {
                tokens.take();
            }
            tokens.takes("*");
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
