//! Words of commands as a shell reads them.

use std::ffi::OsStr;

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

/// Whether no shell takes the word for more than its characters.
fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=/+@%".contains(c);
    // zsh takes a word that begins with `=` for a command.
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain)
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
