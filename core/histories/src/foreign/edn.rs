//! Reader of EDN, the notation of Clojure's data, into JSON values.
//!
//! | EDN | JSON |
//! |---|---|
//! | `nil`, `true`, `false`, strings | the same |
//! | integers of 64 bits, with or without `N`; finite floats | numbers |
//! | greater integers, ratios, decimals `1.5M`, `##Inf` | their text |
//! | keywords | their text without the colon |
//! | symbols, characters | their text |
//! | vectors, lists | arrays |
//! | sets | arrays, sorted: two sets that are equal are the same array |
//! | maps | objects with sorted keys; a key that is not text becomes the text of its JSON |
//! | `#tag value` | the value |
//!
//! So a history has the same values in EDN and in the JSON that Jepsen writes. A keyword cannot be told from a string
//! of the same text; a map with two keys that become the same text is an error.

use serde_json::{Map, Number, Value};

use super::bytes::Bytes;
use super::problem::{DEEPEST, ForeignError, ForeignProblem};

type Result<T> = std::result::Result<T, ForeignError>;

/// Reader of a sequence of values, which may stand in one vector or list.
pub(super) struct Reader<'a> {
    bytes: Bytes<'a>,
    /// Line on which the current value begins.
    line: u64,
    /// Delimiter that ends the vector or list around all values.
    around: Option<u8>,
}

/// Value of the sequence.
pub(super) struct Entry {
    /// Line on which the value begins.
    pub line: u64,
    pub value: Value,
}

/// Beginning of a value.
#[derive(Clone, Copy, PartialEq)]
enum Begin {
    /// A `#`, which has been taken.
    Hash,
    /// A byte that has not been taken.
    Byte(u8),
}

impl<'a> Reader<'a> {
    pub fn new(bytes: Bytes<'a>) -> Self {
        Self {
            line: bytes.line,
            bytes,
            around: None,
        }
    }

    /// Reads the next value of the sequence.
    pub fn next(&mut self) -> Result<Option<Entry>> {
        loop {
            self.bytes.end();
            let begin = self.begin(0)?;
            match begin {
                None if self.around.is_some() => {
                    return Err(self.bytes.error(ForeignProblem::Truncated));
                }
                None => return Ok(None),
                Some(Begin::Byte(open @ (b'[' | b'('))) if self.around.is_none() => {
                    self.bytes.take(open)?;
                    self.around = Some(if open == b'[' { b']' } else { b')' });
                }
                Some(Begin::Byte(close)) if self.around == Some(close) => {
                    self.bytes.take(close)?;
                    self.around = None;
                }
                Some(begin) => return self.entry(begin).map(Some),
            }
        }
    }

    /// Reads the next value, be it a vector or not; none at the end of the input.
    pub fn value(&mut self) -> Result<Option<Value>> {
        let begin = self.begin(0)?;
        begin.map(|begin| self.nested(begin, 1)).transpose()
    }

    fn entry(&mut self, begin: Begin) -> Result<Entry> {
        let line = self.bytes.line;
        self.line = line;
        self.bytes.begin();
        let value = self.nested(begin, 1)?;
        Ok(Entry { line, value })
    }

    /// Skips whitespace, comments and discarded values before a value at this depth; none at the end of the input.
    fn begin(&mut self, depth: usize) -> Result<Option<Begin>> {
        while let Some(byte) = self.bytes.peek()? {
            match byte {
                b'#' => {
                    self.bytes.take(byte)?;
                    if self.bytes.peek()? != Some(b'_') {
                        return Ok(Some(Begin::Hash));
                    }
                    self.bytes.take(b'_')?;
                    self.discard(depth)?;
                }
                b';' => while !matches!(self.bytes.next()?, None | Some(b'\n')) {},
                _ if is_space(byte) => self.bytes.take(byte)?,
                _ => return Ok(Some(Begin::Byte(byte))),
            }
        }
        Ok(None)
    }

    fn discard(&mut self, depth: usize) -> Result<()> {
        self.check(depth)?;
        if depth == 0 {
            self.line = self.bytes.line;
            self.bytes.begin();
        }
        let begin = self.begin(depth + 1)?.ok_or_else(|| self.truncated())?;
        self.nested(begin, depth + 1)?;
        if depth == 0 {
            self.bytes.end();
        }
        Ok(())
    }

    /// Reads a value that stands in as many others as its depth says, less one.
    fn nested(&mut self, begin: Begin, depth: usize) -> Result<Value> {
        self.check(depth)?;
        let byte = match begin {
            Begin::Hash => return self.after_hash(depth),
            Begin::Byte(byte) => byte,
        };
        match byte {
            b'{' => self.map(depth),
            b'[' => self.items(b']', depth).map(Value::Array),
            b'(' => self.items(b')', depth).map(Value::Array),
            b'"' => self.string().map(Value::String),
            b'\\' => self.character(),
            b'}' | b']' | b')' => Err(self.expected("a value")),
            _ => self.atom(),
        }
    }

    fn check(&self, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.bytes.error(ForeignProblem::TooDeep));
        }
        Ok(())
    }

    fn after_hash(&mut self, depth: usize) -> Result<Value> {
        match self.bytes.peek()? {
            None => Err(self.truncated()),
            Some(b'{') => {
                let mut items = self.items(b'}', depth)?;
                items.sort_by_cached_key(rank);
                Ok(Value::Array(items))
            }
            Some(b'#') => {
                let name = self.token()?;
                Ok(Value::String(format!("#{name}")))
            }
            Some(byte) if is_end(byte) => Err(self.expected("a tag")),
            Some(_) => {
                self.token()?;
                let begin = self.begin(depth)?.ok_or_else(|| self.truncated())?;
                self.nested(begin, depth + 1)
            }
        }
    }

    /// Reads the values up to the closing delimiter; the next byte is the opening one.
    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Value>> {
        self.bytes.next()?;
        let mut items = Vec::new();
        loop {
            match self.begin(depth)? {
                None => return Err(self.truncated()),
                Some(Begin::Byte(byte)) if byte == close => break,
                Some(begin) => items.push(self.nested(begin, depth + 1)?),
            }
        }
        self.bytes.take(close)?;
        Ok(items)
    }

    fn map(&mut self, depth: usize) -> Result<Value> {
        let line = self.bytes.line;
        let mut items = self.items(b'}', depth)?.into_iter();
        let mut entries = Vec::with_capacity(items.len() / 2);
        while let Some(key) = items.next() {
            let value = items
                .next()
                .ok_or_else(|| self.expected("a value for each key, before `}`,"))?;
            let key = match key {
                Value::String(key) => key,
                key => key.to_string(),
            };
            entries.push((key, value));
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        if let Some(same) = entries.windows(2).find(|two| two[0].0 == two[1].0) {
            let field = same[0].0.clone();
            let problem = ForeignProblem::Twice { field };
            return Err(ForeignError { line, problem });
        }
        Ok(Value::Object(Map::from_iter(entries)))
    }

    fn string(&mut self) -> Result<String> {
        self.bytes.next()?;
        let mut text = Vec::new();
        loop {
            match self.bytes.next()? {
                None => return Err(self.truncated()),
                Some(b'"') => break,
                Some(b'\\') => {
                    let character = self.escape()?;
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(byte) => text.push(byte),
            }
        }
        self.text(text)
    }

    /// Reads an escape sequence of a string, after its backslash.
    fn escape(&mut self) -> Result<char> {
        Ok(match self.bytes.next()?.ok_or_else(|| self.truncated())? {
            b't' => '\t',
            b'r' => '\r',
            b'n' => '\n',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            escaped @ (b'\\' | b'"') => escaped.into(),
            b'u' => {
                let mut units = vec![self.unit()?];
                if (0xd800..0xdc00).contains(&units[0]) {
                    for byte in *b"\\u" {
                        if self.bytes.next()? != Some(byte) {
                            return Err(self.expected("the second half of a pair `\\u…\\u…`"));
                        }
                    }
                    units.push(self.unit()?);
                }
                match char::decode_utf16(units).next() {
                    Some(Ok(character)) => character,
                    _ => return Err(self.expected("a character")),
                }
            }
            _ => return Err(self.expected("one of \\t, \\r, \\n, \\b, \\f, \\\\, \\\", \\u")),
        })
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self) -> Result<u16> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.bytes.next()?.ok_or_else(|| self.truncated())?;
            let digit = char::from(digit).to_digit(16);
            let digit = digit.ok_or_else(|| self.expected("four hexadecimal digits"))?;
            unit = unit << 4 | digit as u16;
        }
        Ok(unit)
    }

    fn character(&mut self) -> Result<Value> {
        self.bytes.next()?;
        // The first byte may be a delimiter, as in `\(`.
        let first = self.bytes.next()?.ok_or_else(|| self.truncated())?;
        let mut name = vec![first];
        if !is_end(first) {
            self.token_bytes(&mut name)?;
        }
        let name = self.text(name)?;
        let text = match name.as_str() {
            "newline" => "\n",
            "return" => "\r",
            "space" => " ",
            "tab" => "\t",
            "formfeed" => "\u{c}",
            "backspace" => "\u{8}",
            _ if name.chars().count() == 1 => return Ok(Value::String(name)),
            _ => {
                let (radix, digits) = match name.split_at_checked(1) {
                    Some(("u", digits)) if digits.len() == 4 => (16, digits),
                    Some(("o", digits)) if digits.len() <= 3 => (8, digits),
                    _ => return Err(self.expected("a character")),
                };
                let code = u32::from_str_radix(digits, radix).ok();
                let character = code.and_then(char::from_u32);
                return match character {
                    Some(character) => Ok(Value::String(character.into())),
                    None => Err(self.expected("a character")),
                };
            }
        };
        Ok(Value::String(text.to_owned()))
    }

    /// Reads a number, keyword or symbol.
    fn atom(&mut self) -> Result<Value> {
        let token = self.token()?;
        Ok(match token.as_str() {
            "nil" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => {
                if let Some(keyword) = token.strip_prefix(':') {
                    if keyword.is_empty() || keyword.starts_with(':') {
                        return Err(self.expected("the name of a keyword"));
                    }
                    return Ok(Value::String(keyword.to_owned()));
                }
                let unsigned = token.strip_prefix(['+', '-']).unwrap_or(&token);
                if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
                    return Ok(Value::String(token));
                }
                number(&token).ok_or_else(|| self.expected("a number"))?
            }
        })
    }

    fn token(&mut self) -> Result<String> {
        let mut token = Vec::new();
        self.token_bytes(&mut token)?;
        self.text(token)
    }

    /// Reads the bytes up to whitespace or a delimiter.
    fn token_bytes(&mut self, token: &mut Vec<u8>) -> Result<()> {
        while let Some(byte) = self.bytes.peek()? {
            if is_end(byte) {
                break;
            }
            self.bytes.take(byte)?;
            token.push(byte);
        }
        Ok(())
    }

    fn text(&self, bytes: Vec<u8>) -> Result<String> {
        String::from_utf8(bytes).map_err(|_| self.expected("UTF-8"))
    }

    /// Error: the input ends within the current value.
    fn truncated(&self) -> ForeignError {
        let (line, problem) = (self.line, ForeignProblem::Truncated);
        ForeignError { line, problem }
    }

    fn expected(&self, expected: &'static str) -> ForeignError {
        let column = self.bytes.column;
        self.bytes
            .error(ForeignProblem::NotEdn { column, expected })
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b','
}

/// Whitespace and delimiters end a number, keyword or symbol.
fn is_end(byte: u8) -> bool {
    is_space(byte) || b"()[]{}\";\\".contains(&byte)
}

/// Order of the items of a set: integers first.
fn rank(item: &Value) -> (bool, i128, String) {
    let integer = item.as_i64().map(i128::from);
    match integer.or(item.as_u64().map(i128::from)) {
        Some(integer) => (false, integer, String::new()),
        None => (true, 0, item.to_string()),
    }
}

/// Parses a number; `None` if the text is none.
fn number(token: &str) -> Option<Value> {
    let as_text = || Some(Value::String(token.to_owned()));
    let signed = token.strip_prefix('+').unwrap_or(token);
    let (sign, unsigned) = match signed.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", signed),
    };
    if let Some(digits) = unsigned.strip_prefix("0x") {
        if !is_hexadecimal(digits) {
            return None;
        }
        let Ok(magnitude) = i128::from_str_radix(digits, 16) else {
            return as_text();
        };
        let signed = if sign.is_empty() {
            magnitude
        } else {
            -magnitude
        };
        return Number::from_i128(signed)
            .map(Value::Number)
            .or_else(as_text);
    }
    let whole = unsigned.strip_suffix('N').unwrap_or(unsigned);
    if is_integer(whole) {
        let integer = format!("{sign}{whole}");
        return match (integer.parse::<i64>(), integer.parse::<u64>()) {
            (Ok(integer), _) => Some(integer.into()),
            (_, Ok(integer)) => Some(integer.into()),
            _ => as_text(),
        };
    }
    if let Some((above, below)) = unsigned.split_once('/') {
        return (is_integer(above) && is_integer(below))
            .then(as_text)
            .flatten();
    }
    let float = unsigned.strip_suffix('M').unwrap_or(unsigned);
    if !is_float(float) {
        return None;
    }
    let parsed = format!("{sign}{float}").parse().ok();
    match parsed.and_then(Number::from_f64) {
        Some(number) if float == unsigned => Some(Value::Number(number)),
        _ => as_text(),
    }
}

fn is_hexadecimal(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Digits without a leading zero.
fn is_integer(text: &str) -> bool {
    is_digits(text) && (text == "0" || !text.starts_with('0'))
}

fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent
        .is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    is_integer(whole) && (fraction.is_empty() || is_digits(fraction)) && exponent
}
