//! Parts of states.

use std::fmt::{self, Debug, Display, Formatter};

/// Parts of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CrowdParts<Shared, Member> {
    /// The part that belongs to no member.
    pub shared: Shared,
    /// The part of each member.
    pub members: Vec<Member>,
}

/// As a fault shows them: the members after the shared part.
impl<Shared: Debug, Member: Debug> Display for CrowdParts<Shared, Member> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({:?} with {:?})", self.shared, self.members)
    }
}

impl<Shared: Clone, Member: Clone + PartialEq> CrowdParts<Shared, Member> {
    /// The members whose parts differ in another state.
    pub(super) fn moved(&self, to: &Self) -> impl Iterator<Item = usize> {
        let members = self.members.iter().zip(&to.members).enumerate();
        members
            .filter(|(_, (from, to))| from != to)
            .map(|(place, _)| place)
    }

    /// The same with a member and the one before it exchanged.
    pub(super) fn exchanged(&self, one: usize) -> Self {
        let mut parts = self.clone();
        parts.members.swap(one - 1, one);
        parts
    }

    /// The same with the members alone that have a bit.
    pub(super) fn some(&self, mask: u32) -> Self {
        let members = self.members.iter().enumerate();
        let members = members.filter(|(place, _)| mask >> place & 1 == 1);
        Self {
            shared: self.shared.clone(),
            members: members.map(|(_, member)| member.clone()).collect(),
        }
    }
}
