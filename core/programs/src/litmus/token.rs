//! Lexer of litmus tests.

use super::error::{Problem, ReadError};

/// Token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Name of a variable, register or instruction, or a keyword.
    Name(String),
    /// Number without a sign.
    Number(u64),
    /// Any other symbol.
    Symbol(&'static str),
}

/// Symbols; a symbol comes before its proper prefixes.
const SYMBOLS: [&str; 25] = [
    "==", "=>", "=", "!=", "<>", "/\\", "\\/", "{", "}", "[", "]", "(", ")", ";", ":", ",", "|",
    "~", "*", "&", "%", "$", "-", "+", "\"",
];

/// Tokens with their lines, and the last line of the text.
#[derive(Clone, Debug)]
pub(super) struct Tokens {
    words: Vec<(Token, usize)>,
    next: usize,
    last_line: usize,
}

impl Tokens {
    /// Splits `text` into tokens; its first line has the number `line`.
    pub fn of(text: &str, line: usize) -> Result<Self, ReadError> {
        let mut words = Vec::new();
        let mut line = line;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first == '\n' {
                line += 1;
            }
            if first.is_whitespace() {
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let length = |belongs: fn(char) -> bool| {
                rest.find(|character| !belongs(character))
                    .unwrap_or(rest.len())
            };
            if is_name_start(first) {
                let (name, behind) = rest.split_at(length(is_name));
                words.push((Token::Name(name.to_owned()), line));
                rest = behind;
            } else if first.is_ascii_digit() {
                let (digits, behind) = rest.split_at(length(is_name));
                let number = number(digits)
                    .ok_or_else(|| Problem::Number(digits.chars().take(40).collect()).on(line))?;
                words.push((Token::Number(number), line));
                rest = behind;
            } else {
                let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
                let symbol = symbol.ok_or_else(|| Problem::Character(first).on(line))?;
                words.push((Token::Symbol(symbol), line));
                rest = &rest[symbol.len()..];
            }
        }
        // Errors at the end refer to the last line with a token, not to trailing empty lines.
        let last_line = words.last().map_or(line, |(_, line)| *line);
        Ok(Self {
            words,
            next: 0,
            last_line,
        })
    }

    /// Next token, without consuming it.
    pub fn peek(&self) -> Option<&Token> {
        self.peek_at(0)
    }

    /// Token at the given distance.
    pub fn peek_at(&self, ahead: usize) -> Option<&Token> {
        self.words.get(self.next + ahead).map(|(token, _)| token)
    }

    /// Line of the next token.
    pub fn line(&self) -> usize {
        self.words
            .get(self.next)
            .map_or(self.last_line, |(_, line)| *line)
    }

    /// Consumes the next token.
    pub fn take(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.next += usize::from(token.is_some());
        token
    }

    /// Consumes the next token if it is `symbol`; returns whether it was.
    pub fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.next += usize::from(found);
        found
    }

    /// True if the next token is `symbol`.
    pub fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Some(Token::Symbol(found)) if *found == symbol)
    }

    /// True if the next token is the name `keyword`.
    pub fn is_name(&self, keyword: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(found)) if found == keyword)
    }

    /// True if all tokens are consumed.
    pub fn is_at_end(&self) -> bool {
        self.peek().is_none()
    }

    /// Error: the next token is not permitted here.
    pub fn unexpected(&self, expected: &'static str) -> ReadError {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Name(name)) => format!("{:?}", name.chars().take(40).collect::<String>()),
            Some(Token::Number(number)) => number.to_string(),
            Some(Token::Symbol(symbol)) => format!("{symbol:?}"),
        };
        Problem::Unexpected { found, expected }.on(self.line())
    }

    /// Consumes `symbol`.
    pub fn expect(&mut self, symbol: &'static str) -> Result<(), ReadError> {
        if self.takes(symbol) {
            Ok(())
        } else {
            Err(self.unexpected(symbol))
        }
    }

    /// Consumes a name.
    pub fn name(&mut self, expected: &'static str) -> Result<String, ReadError> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Consumes a number.
    pub fn number(&mut self) -> Result<u64, ReadError> {
        match self.peek() {
            Some(Token::Number(number)) => {
                let number = *number;
                self.next += 1;
                Ok(number)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// Text of the tokens from here to `until`, with normalized spaces.
    pub fn rest_as_text(&self, until: &Self) -> String {
        let mut text = String::new();
        for (token, _) in &self.words[self.next..until.next] {
            let tight = text.is_empty() || text.ends_with(['(', '[', '~', ':', '=', '-', '%']);
            match token {
                Token::Symbol(symbol @ ("/\\" | "\\/" | "=>")) => {
                    text.push_str(&format!(" {symbol} "));
                }
                Token::Symbol(symbol) => text.push_str(symbol),
                Token::Name(name) => {
                    let word = text.ends_with(|last: char| is_name(last));
                    if !tight && word {
                        text.push(' ');
                    }
                    text.push_str(name);
                    if matches!(&**name, "not") {
                        text.push(' ');
                    }
                }
                Token::Number(number) => text.push_str(&number.to_string()),
            }
        }
        text
    }
}

fn is_name_start(character: char) -> bool {
    character.is_ascii_alphabetic() || matches!(character, '_' | '.')
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '\'')
}

fn number(digits: &str) -> Option<u64> {
    let lower = digits.to_ascii_lowercase();
    match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (_, Some(digits)) => u64::from_str_radix(digits, 2).ok(),
        _ => lower.parse().ok(),
    }
    // A sign is a separate token.
    .filter(|_| !digits.contains(['+', '-']))
}

/// Text behind the blanks and comments at its beginning.
pub(super) fn behind_comments(text: &str) -> Result<&str, ReadError> {
    let mut rest = text.trim_start();
    while rest.starts_with("(*") {
        let mut depth = 0_usize;
        let mut at = 0;
        loop {
            let ahead = &rest.as_bytes()[at..];
            if ahead.starts_with(b"(*") {
                depth += 1;
                at += 2;
            } else if ahead.starts_with(b"*)") {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    break;
                }
            } else if ahead.is_empty() {
                let before = &text[..text.len() - rest.len()];
                return Err(Problem::OpenComment.on(1 + before.matches('\n').count()));
            } else {
                at += 1;
            }
        }
        rest = rest[at..].trim_start();
    }
    Ok(rest)
}

/// Replaces every comment by spaces and keeps the lines. Comments nest. A quotation before the first brace contains
/// no comment.
pub(super) fn without_comments(text: &str) -> Result<String, ReadError> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut line = 1;
    // First lines of the open comments.
    let mut open = Vec::new();
    let mut in_head = true;
    let mut quoted = false;
    while let Some(character) = characters.next() {
        let followed_by =
            |next: char, characters: &mut std::iter::Peekable<std::str::Chars<'_>>| {
                characters.next_if_eq(&next).is_some()
            };
        match character {
            '\n' => {
                line += 1;
                plain.push('\n');
                // A quotation ends with its line, so that an unclosed one affects no other line.
                quoted = false;
            }
            '"' if in_head && open.is_empty() => {
                quoted = !quoted;
                plain.push(' ');
            }
            _ if quoted => plain.push(' '),
            '(' if followed_by('*', &mut characters) => {
                open.push(line);
                plain.push_str("  ");
            }
            '*' if !open.is_empty() && followed_by(')', &mut characters) => {
                open.pop();
                plain.push_str("  ");
            }
            _ if !open.is_empty() => plain.push(' '),
            _ => {
                in_head &= character != '{';
                plain.push(character);
            }
        }
    }
    match open.first() {
        Some(line) => Err(Problem::OpenComment.on(*line)),
        None => Ok(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_nest_and_leave_their_lines() {
        let plain = without_comments("a (* b (* c\n *) d *) e \"(*\" {\n").unwrap();
        assert_eq!(
            plain.split_whitespace().collect::<Vec<_>>(),
            ["a", "e", "{"]
        );
        assert_eq!(plain.lines().count(), 2);
        let error = without_comments("a\n(* b (* c *)").unwrap_err();
        assert_eq!(error, Problem::OpenComment.on(2));
    }

    #[test]
    fn words_have_lines() {
        let mut tokens = Tokens::of("x=0x1F;\n /\\ é", 3).unwrap_err();
        assert_eq!(tokens, Problem::Character('é').on(4));
        tokens = Tokens::of("99999999999999999999", 1).unwrap_err();
        assert!(matches!(tokens.problem, Problem::Number(_)));
        let mut words = Tokens::of("P0:%rax\n=>0x1f", 3).unwrap();
        assert_eq!(words.name("a name"), Ok("P0".to_owned()));
        assert!(words.takes(":") && words.takes("%") && !words.is_at_end());
        words.take();
        assert_eq!(words.line(), 4);
        assert!(words.takes("=>"));
        assert_eq!(words.number(), Ok(31));
        assert_eq!(
            words.unexpected("more").to_string(),
            "line 4: found the end, expected more"
        );
    }
}
