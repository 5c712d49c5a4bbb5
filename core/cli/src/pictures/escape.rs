//! Text that a state or a user has written, made safe for HTML and SVG.

use std::fmt::{self, Display, Formatter, Write};

use refmap::internal::visible_lines;

/// Text in which nothing is markup, and no character is a control of the terminal, of the page or of the direction of
/// writing.
pub struct Escaped<T>(pub T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

struct Escaping<'a, 'f>(&'a mut Formatter<'f>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        visible_lines(text)
            .chars()
            .try_for_each(|character| match character {
                '&' => self.0.write_str("&amp;"),
                '<' => self.0.write_str("&lt;"),
                '>' => self.0.write_str("&gt;"),
                '"' => self.0.write_str("&quot;"),
                '\'' => self.0.write_str("&#39;"),
                _ => self.0.write_char(character),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let hostile = "</script><img onerror='x' src=\"y\">&\u{0}\u{202e}\u{ffff}";
        assert_eq!(
            Escaped(hostile).to_string(),
            "&lt;/script&gt;&lt;img onerror=&#39;x&#39; src=&quot;y&quot;&gt;&amp;\\u{0}\\u{202e}\\u{ffff}"
        );
    }
}
