//! Parts of the states that a test has seen.

use super::declared::{Declared, ErasedParts};
use super::parts::CrowdParts;
use super::stand_ins::OfKind;
use crate::erased::ErasedPart;
use crate::numbered::Numbered;
use crate::random::Generator;

/// Parts that were seen.
#[derive(Default)]
pub(super) struct SeenParts {
    /// The shared ones, of which there are none if no state was seen,
    pub shared: Numbered<ErasedPart>,
    /// and those of members.
    members: Numbered<ErasedPart>,
    /// The kind of each member.
    kinds: Vec<Option<u32>>,
}

impl SeenParts {
    /// Adds the parts of a state.
    pub fn add(&mut self, crowd: &dyn Declared, state: &ErasedParts) {
        self.shared.number(state.shared.clone());
        for member in &state.members {
            if self.members.number(member.clone()) as usize == self.kinds.len() {
                self.kinds.push(crowd.kind(member));
            }
        }
    }

    /// A state of parts drawn at random.
    pub fn mixed(&self, generator: &mut Generator, members: usize) -> ErasedParts {
        let mut draw = |of: &[ErasedPart]| of[generator.below(of.len())].clone();
        CrowdParts {
            shared: draw(self.shared.values()),
            members: (0..members).map(|_| draw(self.members.values())).collect(),
        }
    }
}

impl OfKind for SeenParts {
    fn of_kind(&self, kind: u32) -> Vec<&ErasedPart> {
        let members = self.members.values().iter().zip(&self.kinds);
        let of_kind = members.filter(|(_, of_member)| **of_member == Some(kind));
        of_kind.map(|(member, _)| member).collect()
    }
}
