//! Parts of states.

/// Parts of a state: one that belongs to no member, and that of each member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CrowdParts<Shared, Member> {
    pub shared: Shared,
    pub members: Vec<Member>,
}

impl<Shared: Clone, Member: Clone> CrowdParts<Shared, Member> {
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
