//! Form in which states are kept.

/// Form in which states of a type are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As they are.
    Whole,
    /// As the bits that they write.
    Encoded,
}

impl Kept {
    /// Form in which a state is kept whose parts are kept so: whole if one of them is.
    pub const fn all(parts: &[Self]) -> Self {
        let mut at = 0;
        while at < parts.len() {
            if matches!(parts[at], Self::Whole) {
                return Self::Whole;
            }
            at += 1;
        }
        Self::Encoded
    }
}
