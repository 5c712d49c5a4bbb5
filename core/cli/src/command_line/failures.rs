//! Results of a command that could not be written.

use super::error::CommandError;
use super::status::Status;

/// Errors of writing a command's results. Each result is tried, whatever becomes of the others.
#[derive(Default)]
pub(super) struct Failures(Vec<CommandError>);

impl Failures {
    /// Value of `tried`; none if it failed, and then the error is kept.
    pub fn keep<T>(&mut self, tried: Result<T, impl Into<CommandError>>) -> Option<T> {
        match tried {
            Ok(done) => Some(done),
            Err(error) => {
                self.0.push(error.into());
                None
            }
        }
    }

    /// True if nothing has failed until now.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The status of a command, unless something could not be written.
    ///
    /// # Errors
    ///
    /// All that failed.
    pub fn or(mut self, status: Status) -> Result<Status, CommandError> {
        match self.0.len() {
            0 => Ok(status),
            1 => Err(self.0.remove(0)),
            _ => Err(CommandError::Several(self.0)),
        }
    }
}
