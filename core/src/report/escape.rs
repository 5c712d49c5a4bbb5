//! Text that others have written, as it can be shown in a line of a terminal or of a file.

use std::borrow::Cow;

/// Text in which no character ends the line, moves the cursor, changes colours or turns the direction of writing: each
/// such character is shown as its escape, `\n` or `\u{1b}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_unseen(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character is a control, changes the direction of writing, or is none of Unicode's characters.
pub fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    character.is_control()
        || matches!(code, 0x061c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff)
        || matches!(code, 0xfdd0..=0xfdef)
        || code & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_to_the_terminal_is_shown_as_its_escape() {
        for (text, shown) in [
            ("plain, ‘quoted’, äöü ↝ 日本", "plain, ‘quoted’, äöü ↝ 日本"),
            ("two\nlines\r\tand more", "two\\nlines\\r\\tand more"),
            ("\u{1b}[2J\u{7}\u{9b}31m", "\\u{1b}[2J\\u{7}\\u{9b}31m"),
            (
                "a\u{202e}b\u{2066}c\u{feff}",
                "a\\u{202e}b\\u{2066}c\\u{feff}",
            ),
        ] {
            assert_eq!(escaped(text), shown);
        }
        assert!(matches!(escaped("as it is"), Cow::Borrowed(_)));
    }
}
