//! Greetings, on which processes agree before they search together.

use crate::ConnectError;

/// Length above which a version is not sent, in bytes.
pub(crate) const LONGEST_VERSION: usize = 256;

/// Length above which a search is not sent, in bytes.
pub(crate) const LONGEST_SEARCH: usize = 1 << 16;

/// Texts that have to be the same in all processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Version of the program.
    pub version: String,
    /// Search that is made: its check, and the parameters of it.
    pub search: String,
}

impl Greeting {
    /// Refuses a greeting that is too long.
    pub(crate) fn check(&self) -> Result<(), ConnectError> {
        let check = |text, content: &String, limit| match content.len() {
            bytes if bytes > limit => Err(ConnectError::TooLong { text, bytes, limit }),
            _ => Ok(()),
        };
        check("version", &self.version, LONGEST_VERSION)?;
        check("search", &self.search, LONGEST_SEARCH)
    }
}
