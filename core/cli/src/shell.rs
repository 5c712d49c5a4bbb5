//! Words of commands as a shell reads them.

use std::ffi::OsStr;
use std::iter::Peekable;
use std::str::Chars;

use refmap::internal::is_unseen;

/// A word as a shell reads it back, so that a command that is printed can be pasted: as it is, or quoted. What is not to be seen
/// is written as its bytes in octal, which bash, zsh, ksh and POSIX know.
pub(crate) fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let bytes = word.as_encoded_bytes();
    match word.to_str() {
        Some(text) if is_plain(text) => text.to_owned(),
        Some(text) if !text.contains(is_unseen) => format!("'{}'", text.replace('\'', "'\\''")),
        _ => {
            let written = String::from_utf8_lossy(bytes);
            let is_shown = written.len() == bytes.len();
            let characters = written.chars();
            let shown: String = if is_shown {
                characters.map(in_dollar_quotes).collect()
            } else {
                // Some bytes are no characters.
                bytes.iter().map(|byte| octal(&[*byte])).collect()
            };
            format!("$'{shown}'")
        }
    }
}

/// A command of these words.
pub(crate) fn command<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    let words: Vec<_> = words.into_iter().map(quoted).collect();
    words.join(" ")
}

/// Error: a line is not one of words, as a shell reads them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// A shell takes the character for more than itself.
    #[error("{0:?} means something to a shell: the word has to be in single quotes")]
    Unquoted(char),
    /// A quote is opened and not closed, or a backslash comes last.
    #[error("a single quote or a backslash has no end")]
    Unended,
    /// The bytes of a word are no text.
    #[error("the bytes of a word in $'…' are no text")]
    NoText,
}

/// The words of a line, as a shell reads them: the inverse of [`command`].
///
/// # Errors
///
/// If a shell could read anything else, as a pattern or a variable.
pub(crate) fn words(line: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        if [' ', '\t'].contains(&character) {
            words.extend(word.take());
            continue;
        }
        let is_first = word.is_none();
        let word = word.get_or_insert_default();
        match character {
            '\'' => loop {
                match rest.next().ok_or(WordsError::Unended)? {
                    '\'' => break,
                    other => push(word, other),
                }
            },
            '$' if rest.next_if_eq(&'\'').is_some() => in_dollar_quotes_read(&mut rest, word)?,
            '\\' => push(word, rest.next().ok_or(WordsError::Unended)?),
            // zsh takes a word that begins with `=` for a command.
            '=' if is_first => return Err(WordsError::Unquoted('=')),
            plain if is_plain_character(plain) => push(word, plain),
            other => return Err(WordsError::Unquoted(other)),
        }
    }
    words.extend(word);
    let texts = words.into_iter().map(String::from_utf8);
    texts
        .collect::<Result<_, _>>()
        .map_err(|_| WordsError::NoText)
}

fn push(word: &mut Vec<u8>, character: char) {
    word.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads the characters of `$'…'` up to its end.
fn in_dollar_quotes_read(
    rest: &mut Peekable<Chars<'_>>,
    word: &mut Vec<u8>,
) -> Result<(), WordsError> {
    loop {
        match rest.next().ok_or(WordsError::Unended)? {
            '\'' => return Ok(()),
            '\\' => {
                let mut byte: Option<u32> = None;
                for _ in 0..3 {
                    let digit = rest.next_if(|next| next.is_digit(8));
                    let Some(digit) = digit.and_then(|digit| digit.to_digit(8)) else {
                        break;
                    };
                    byte = Some(byte.unwrap_or(0) * 8 + digit);
                }
                match byte {
                    Some(byte) => word.push(u8::try_from(byte).map_err(|_| WordsError::NoText)?),
                    None => push(word, rest.next().ok_or(WordsError::Unended)?),
                }
            }
            other => push(word, other),
        }
    }
}

/// True if every shell takes the word for its characters alone.
fn is_plain(word: &str) -> bool {
    // zsh takes a word that begins with `=` for a command.
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain_character)
}

fn is_plain_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_.,:=/+@%".contains(character)
}

fn in_dollar_quotes(character: char) -> String {
    match character {
        '\'' => "\\'".to_owned(),
        '\\' => "\\\\".to_owned(),
        unseen if is_unseen(unseen) => octal(unseen.encode_utf8(&mut [0; 4]).as_bytes()),
        other => other.to_string(),
    }
}

fn octal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:03o}")).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const WORDS: [&str; 22] = [
        "check",
        "--nodes",
        "invariant:small,deadlock",
        "a/b.json",
        "",
        "two words",
        "it's",
        "invariant:*",
        "$HOME",
        "`id`",
        "a\\b",
        "\"",
        "=ls",
        "~",
        "!x",
        "#x",
        "a;b&c|d>e(f)[g]{h,i}?",
        "σ → ∀",
        "two\nlines\t'and' \\ ",
        "\u{1b}[31mred\u{7f}",
        "a\u{202e}b\u{85}0",
        "\u{1}1",
    ];

    /// A text that is quoted is read back as a shell reads it, and nothing that a shell reads otherwise is read at all.
    #[test]
    fn what_is_quoted_is_read_back() {
        assert_eq!(words(&command(WORDS)).expect("it is quoted"), WORDS);
        assert_eq!(
            words(" a\t b\\ c'd e'  ").expect("it is quoted"),
            ["a", "b cd e"]
        );
        assert_eq!(words(""), Ok(Vec::new()));
        for unquoted in "$*?~!#;&|<>()[]{}\"`=^σ".chars() {
            let read = words(&format!("a {unquoted}b"));
            assert_eq!(read, Err(WordsError::Unquoted(unquoted)));
        }
        for unended in ["'a", "a 'b c", "a\\", "$'a", "$'a\\"] {
            assert_eq!(words(unended), Err(WordsError::Unended), "{unended}");
        }
        for no_text in ["$'\\377'", "$'\\777'"] {
            assert_eq!(words(no_text), Err(WordsError::NoText));
        }
    }

    /// A shell reads back what was quoted, and nothing in it speaks to the terminal.
    #[test]
    fn a_shell_reads_back_what_is_quoted() {
        let line = command(WORDS);
        assert!(!line.contains(is_unseen), "{line}");
        assert!(line.starts_with("check --nodes invariant:small,deadlock a/b.json '' 'two words'"));
        for shell in ["bash", "zsh", "ksh"] {
            let script = format!("printf '%s\\0' {line}");
            let Ok(output) = Command::new(shell).args(["-c", &script]).output() else {
                eprintln!("there is no {shell}, which is not tested");
                continue;
            };
            let read = String::from_utf8(output.stdout).expect("it was text");
            let read: Vec<_> = read.split_terminator('\0').collect();
            assert_eq!(read, WORDS, "{shell}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_kept() {
        use std::os::unix::ffi::OsStrExt;
        let word = OsStr::from_bytes(b"a\xff'");
        assert_eq!(quoted(word), "$'\\141\\377\\047'");
    }
}
