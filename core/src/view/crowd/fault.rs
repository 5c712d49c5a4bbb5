//! Reasons why a crowd cannot be asked for every number of members.

/// Reason why a crowd cannot be asked for every number of members with views of some size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrowdFault {
    /// Views have no members, or too many.
    #[error("views have {size} members: they have 1 to {most}")]
    Size {
        /// Members of a view.
        size: usize,
        /// The most that they may have.
        most: usize,
    },
    /// An obligation speaks of more members than a configuration has.
    #[error(
        "`{obligation}` speaks of {members} members, and with views of {size} no more than {shown} are seen at once: it is decided with views of {needed}"
    )]
    TooWide {
        /// Name of the obligation.
        obligation: String,
        /// Members of which it speaks.
        members: usize,
        /// Members of a view.
        size: usize,
        /// Members that are seen at once.
        shown: usize,
        /// Members that a view needs.
        needed: usize,
    },
}
