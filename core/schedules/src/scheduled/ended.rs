//! Ends of an execution.

/// The end of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All threads have ended.
    Completed,
    /// No thread can go on, and some have not ended.
    Deadlock,
    /// No thread gets anywhere: those that can run have read again what they had read, hundreds of times, and none has written. They may wait
    /// for ever; a loop that counts how often it goes round may end.
    Waiting,
    /// A thread has panicked, and has not caught it: the message, and the place in parentheses.
    ///
    /// Loom reports a race so, by a message that begins with "Causality violation", and a count of references that
    /// is left above zero, by "Arc leaked".
    Panicked(String),
    /// More steps than `most_steps` were needed.
    TooLong,
}

/// Panic by which an execution ends that is [`Ended::Waiting`].
#[cfg(feature = "loom")]
pub(crate) struct Waiting;
