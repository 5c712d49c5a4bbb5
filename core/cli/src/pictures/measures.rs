//! Measures of a picture and of its texts.

/// Width of a picture, in the units of its view box.
pub const WIDTH: f64 = 380.0;
/// Width of a character of the picture's font.
pub const CHARACTER: f64 = 6.6;

/// Width of a text.
pub fn text_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// A text of at most so many characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() > most {
        text.chars().take(most - 1).chain(['…']).collect()
    } else {
        text.to_owned()
    }
}
