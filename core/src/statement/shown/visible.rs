//! Text of others as it can be shown: of a model, a file or a command line, none of which may speak to the terminal, or make
//! a text look other than it is.

use std::borrow::Cow;

use super::texts::{Lines, Texts};

/// True if a character is not to be seen: a control of the terminal or of the direction of writing, one without a width, or
/// none of Unicode's characters.
pub fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    character.is_control()
        || matches!(code, 0xad | 0x61c | 0x180e | 0xfeff)
        || matches!(code, 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f)
        || matches!(code, 0xfdd0..=0xfdef | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
        || code & 0xfffe == 0xfffe
}

/// Text on one line: characters that are not to be seen, line breaks among them, as their escapes.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_unseen)
}

/// The same, of a text of several lines.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_unseen(character))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_escaped(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Data with every text in them as it can be shown, whatever their fields are.
pub(crate) fn visible_data<T: Clone + Texts>(data: &T) -> T {
    let mut shown = data.clone();
    shown.each_text(Lines::One, &mut |lines, text| {
        let escaped = match lines {
            Lines::One => visible(text),
            Lines::Several => visible_lines(text),
        };
        if let Cow::Owned(escaped) = escaped {
            *text = escaped;
        }
    });
    shown
}

#[cfg(test)]
mod tests {
    use refmap_derive::Texts;
    use serde::Serialize;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_not_to_be_seen_is_shown() {
        for (text, shown) in [
            ("σ → ∀ 🦀 «a» b\u{a0}c", "σ → ∀ 🦀 «a» b\u{a0}c"),
            ("\u{1b}[31mred\u{7f}", "\\u{1b}[31mred\\u{7f}"),
            ("\u{9b}31m\u{85}", "\\u{9b}31m\\u{85}"),
            (
                "a\u{202e}b\u{2066}c\u{61c}",
                "a\\u{202e}b\\u{2066}c\\u{61c}",
            ),
            ("a\tb\r\0", "a\\tb\\r\\u{0}"),
            ("\u{feff}\u{200d}\u{ffff}", "\\u{feff}\\u{200d}\\u{ffff}"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible_lines(text), shown);
        }
        assert_eq!(visible("a\nb"), "a\\nb");
        assert_eq!(visible_lines("a\nb"), "a\nb");
    }

    #[test]
    fn every_text_of_data_is_shown() {
        let hostile = json!({
            "a\u{1b}": ["\u{202e}", {"b": "c\nd", "drawing": "e\nf\u{1b}"}],
            "number": 1.5,
        });
        let shown = json!({
            "a\\u{1b}": ["\\u{202e}", {"b": "c\\nd", "drawing": "e\nf\\u{1b}"}],
            "number": 1.5,
        });
        assert_eq!(visible_data(&hostile), shown);
        let plain = json!(["plain", {"a": null, "b": [true]}]);
        assert_eq!(visible_data(&plain), plain);
    }

    /// Data of every form that a report has.
    #[derive(Clone, Debug, Serialize, Texts)]
    struct Data {
        name: String,
        number: u64,
        drawing: Option<String>,
        inner: Vec<Inner>,
        value: Value,
    }

    #[derive(Clone, Debug, Serialize, Texts)]
    #[serde(rename_all = "snake_case")]
    enum Inner {
        Nothing,
        Pair(String, String),
        Named {
            first: Box<Inner>,
            explanation: String,
        },
    }

    /// A field, a variant or a place that is left out would speak to the terminal. The definition goes by what is serialised.
    #[test]
    fn every_text_of_derived_data_is_shown() {
        let text = || "a\n\u{1b}".to_owned();
        let pair = || Inner::Pair(text(), text());
        let data = Data {
            name: text(),
            number: 3,
            drawing: Some(text()),
            inner: vec![
                Inner::Nothing,
                pair(),
                Inner::Named {
                    first: Box::new(pair()),
                    explanation: text(),
                },
            ],
            value: json!([text()]),
        };
        let told = |data: &Data| serde_json::to_value(data).expect("it has a form");
        fn escape(value: &mut Value, lines: bool) {
            match value {
                Value::String(text) if lines => *text = visible_lines(text).into_owned(),
                Value::String(text) => *text = visible(text).into_owned(),
                Value::Array(items) => items.iter_mut().for_each(|item| escape(item, lines)),
                Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| {
                    escape(value, name == "drawing" || name == "explanation");
                }),
                _ => (),
            }
        }
        let mut escaped = told(&data);
        escape(&mut escaped, false);
        assert_ne!(escaped, told(&data));
        assert_eq!(told(&visible_data(&data)), escaped);
    }
}
