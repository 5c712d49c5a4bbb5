//! Members that stand for those that are left out: one of each kind that is among these.

use super::declared::{Declared, ErasedParts};
use crate::erased::ErasedPart;

/// Ways in which members are replaced by others of their kinds, at most.
const MOST_WAYS: usize = 16;

/// Parts of a state in which some members stand for those that are left out.
#[derive(Clone)]
pub(super) struct Supplied {
    /// All parts.
    pub parts: ErasedParts,
    /// The members that stand for others, a bit for each.
    pub stand_ins: u32,
}

impl Supplied {
    /// Parts in which none does.
    pub fn nothing(parts: ErasedParts) -> Self {
        Self {
            parts,
            stand_ins: 0,
        }
    }

    /// Some members of a state stay, and some stand for the others.
    pub fn chosen(state: &ErasedParts, stay: u32, stand_ins: u32) -> Self {
        let kept = (0..state.members.len()).filter(|member| (stay | stand_ins) >> member & 1 == 1);
        let bits = kept
            .enumerate()
            .map(|(place, member)| (stand_ins >> member & 1) << place);
        Self {
            parts: state.some(stay | stand_ins),
            stand_ins: bits.sum(),
        }
    }

    /// The same after a step of the state from which the members of a mask were kept.
    pub fn after(&self, to: &ErasedParts, kept: u32) -> ErasedParts {
        let mut target = to.some(kept);
        for (place, member) in self.parts.members.iter().enumerate() {
            if self.is_stand_in(place) {
                target.members[place] = member.clone();
            }
        }
        target
    }

    /// The parts without those that stand for others.
    pub fn proper(&self, of: &ErasedParts) -> ErasedParts {
        of.some(!self.stand_ins)
    }

    /// True if a member stands for others.
    pub fn is_stand_in(&self, member: usize) -> bool {
        self.stand_ins >> member & 1 == 1
    }

    /// The same with a member that stands for others at a place.
    fn with(&self, member: &ErasedPart, place: usize) -> Self {
        let mut parts = self.parts.clone();
        parts.members.insert(place, member.clone());
        let below = (1 << place) - 1;
        let stand_ins = self.stand_ins & below | (self.stand_ins & !below) << 1 | 1 << place;
        Self { parts, stand_ins }
    }

    /// The same with other members of their kinds in the place of those that stand for others: of one of them, and of all at once, as far as there are not too many.
    pub fn varied(&self, crowd: &dyn Declared, known: &dyn OfKind) -> Vec<Self> {
        let members = self.parts.members.iter().enumerate();
        let stand_ins = members.filter(|(member, _)| self.is_stand_in(*member));
        let others: Vec<_> = stand_ins
            .filter_map(|(member, part)| Some((member, known.of_kind(crowd.kind(part)?))))
            .collect();
        let mut all = vec![self.clone()];
        let ways = others.iter().map(|(_, of_kind)| of_kind.len()).max();
        for way in 0..ways.unwrap_or(0).min(MOST_WAYS) {
            let mut at_once = self.clone();
            for (member, of_kind) in &others {
                let Some(other) = of_kind.get(way) else {
                    continue;
                };
                let part = &self.parts.members[*member];
                if *other != part {
                    let mut one = self.clone();
                    one.parts.members[*member] = (*other).clone();
                    all.push(one);
                    at_once.parts.members[*member] = (*other).clone();
                }
            }
            if others.len() > 1 {
                all.push(at_once);
            }
        }
        all
    }
}

/// Members that are known, by their kinds.
pub(super) trait OfKind {
    /// Those of a kind.
    fn of_kind(&self, kind: u32) -> Vec<&ErasedPart>;
}

/// The parts with a member for each of the kinds that are left out, the first one that is known of it, at each place where it can make a difference.
pub(super) fn supplied(
    parts: &ErasedParts,
    absent: u32,
    in_line: bool,
    known: &dyn OfKind,
) -> Vec<Supplied> {
    let mut all = vec![Supplied::nothing(parts.clone())];
    for kind in (0..u32::BITS).filter(|kind| absent >> kind & 1 == 1) {
        let of_kind = known.of_kind(kind);
        let Some(first) = of_kind.first() else {
            unreachable!("a member of the kind was left out");
        };
        let with = all.iter().flat_map(|one| {
            let last = one.parts.members.len();
            let places = if in_line { 0..=last } else { last..=last };
            places.map(move |place| one.with(first, place))
        });
        all = with.collect();
    }
    all
}
