//! Values as people and other tools read them: JSON, text, and how two of them differ.

pub mod difference;
pub mod json;
pub mod nearest;
pub mod number;
pub mod texts;
pub mod value;
pub mod visible;
