//! The claim that what is written of a type is read back.

use std::marker::PhantomData;

/// Evidence that a `T` is read back as it is written, by construction; or that there is none.
///
/// The claim belongs to its type: that of a part is none of the whole, so that an implementation by hand which leaves its
/// functions to those of another type has nothing that it could claim with. The derive makes it of the claims of the parts.
pub struct Exact<T> {
    is_exact: bool,
    of: PhantomData<fn() -> T>,
}

impl<T> Exact<T> {
    /// Nothing is claimed: each state is read back, and compared.
    pub const UNKNOWN: Self = Self::made(false);

    /// Claim of a value that is written as its parts, one after the other: it is exact if all of them are.
    #[doc(hidden)]
    pub const fn of_parts(parts: &[bool]) -> Self {
        let mut at = 0;
        while at < parts.len() {
            if !parts[at] {
                return Self::UNKNOWN;
            }
            at += 1;
        }
        Self::made(true)
    }

    const fn made(is_exact: bool) -> Self {
        Self {
            is_exact,
            of: PhantomData,
        }
    }

    /// True if there is such evidence.
    pub const fn is_exact(&self) -> bool {
        self.is_exact
    }
}
