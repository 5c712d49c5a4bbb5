//! Crowds without the types of their parts.

use std::sync::OnceLock;

use super::counters::{Counted, close, spread};
use super::declaration::{Crowd, CrowdState, MemberOf, SystemOf};
use super::fault::CrowdFault;
use super::members::Members;
use super::parts::CrowdParts;
use crate::erased::{ErasedPart, ErasedState};
use crate::state::{BEGUN_ANEW, CounterName, NameVisitor, Row, State};
use crate::statement::refinement::Refinement;
use crate::statement::system::first_initial;

/// Parts of a state, of whatever types.
pub(crate) type ErasedParts = CrowdParts<ErasedPart, ErasedPart>;

/// A declaration of a crowd, of whatever types.
pub(crate) trait Declared: Sync {
    /// As [`Crowd::members`].
    fn members(&self) -> &str;
    /// As [`Crowd::bounds`].
    fn bounds(&self) -> String;
    /// As [`Crowd::most`].
    fn most(&self) -> usize;
    /// As [`Crowd::in_line`].
    fn in_line(&self) -> bool;
    /// The least gap between neighbouring counters that is as good as every larger one; none if there are no counters.
    fn far(&self) -> Option<u64>;
    /// As [`Crowd::kinds`].
    fn kinds(&self) -> u32;
    /// As [`Crowd::kind`].
    fn kind(&self, member: &ErasedPart) -> Option<u32>;
    /// As [`Crowd::speaks_of`], and 1 at least.
    fn speaks_of(&self, obligation: &str) -> usize;
    /// As [`Members::apart`].
    fn parts(&self, state: &ErasedState) -> ErasedParts;
    /// As [`Members::assembled`].
    fn assembled(&self, parts: &ErasedParts) -> ErasedState;
    /// Visits the names in a state.
    fn visit_names(&self, parts: &ErasedParts, visit: &mut dyn NameVisitor) -> ErasedParts;
}

/// Crowd by which the other trait is implemented.
pub(crate) struct DeclaredBy<C> {
    /// The crowd.
    pub crowd: C,
    /// As [`Declared::far`].
    far: OnceLock<Option<u64>>,
}

impl<C: Crowd> DeclaredBy<C> {
    /// A crowd.
    pub fn new(crowd: C) -> Self {
        Self {
            crowd,
            far: OnceLock::new(),
        }
    }

    fn typed(&self, parts: &ErasedParts) -> CrowdState<C> {
        let mut members = Vec::new();
        for member in &parts.members {
            members.push(member.get::<MemberOf<C>>().clone());
        }
        CrowdState::<C>::assembled(parts.shared.get(), &members)
    }
}

fn erased<S: Members>(state: &S) -> ErasedParts {
    let parts = state.apart();
    CrowdParts {
        shared: ErasedPart::from(parts.shared),
        members: parts.members.into_iter().map(ErasedPart::from).collect(),
    }
}

impl<C: Crowd> Declared for DeclaredBy<C> {
    fn members(&self) -> &str {
        self.crowd.members()
    }

    fn bounds(&self) -> String {
        self.crowd.bounds()
    }

    fn most(&self) -> usize {
        self.crowd.most()
    }

    fn in_line(&self) -> bool {
        self.crowd.in_line()
    }

    fn far(&self) -> Option<u64> {
        *self.far.get_or_init(|| {
            let instance = self.crowd.instance(1);
            let first = first_initial(instance.implementation())?;
            self.counted(&erased(&first)).far
        })
    }

    fn kinds(&self) -> u32 {
        self.crowd.kinds()
    }

    fn kind(&self, member: &ErasedPart) -> Option<u32> {
        self.crowd.kind(member.get::<MemberOf<C>>())
    }

    fn speaks_of(&self, obligation: &str) -> usize {
        self.crowd.speaks_of(obligation).max(1)
    }

    fn parts(&self, state: &ErasedState) -> ErasedParts {
        erased(state.get::<CrowdState<C>>())
    }

    fn assembled(&self, parts: &ErasedParts) -> ErasedState {
        ErasedState::from(self.typed(parts))
    }

    fn visit_names(&self, parts: &ErasedParts, visit: &mut dyn NameVisitor) -> ErasedParts {
        let mut state = self.typed(parts);
        State::<SystemOf<C>>::visit_names(&mut state, visit);
        erased(&state)
    }
}

/// The counters of a crowd, read and written.
pub(super) trait DeclaredCounters {
    /// Counters of a state.
    fn counted(&self, parts: &ErasedParts) -> Counted;
    /// The same parts with these values of their counters.
    fn with_values(&self, parts: &ErasedParts, counted: &Counted) -> ErasedParts;
}

impl<D: Declared + ?Sized> DeclaredCounters for D {
    fn counted(&self, parts: &ErasedParts) -> Counted {
        let mut read = Read::default();
        self.visit_names(parts, &mut read);
        read.counted()
    }

    fn with_values(&self, parts: &ErasedParts, counted: &Counted) -> ErasedParts {
        let (shared, members) = counted.values.split_at(counted.shared);
        let mut written = Written {
            shared: shared.iter(),
            members: members.iter(),
        };
        self.visit_names(parts, &mut written)
    }
}

impl dyn Declared + '_ {
    /// The parts that stand for all whose counters have the same order and the same gaps, as far as these matter.
    pub(super) fn closed(&self, parts: &ErasedParts) -> ErasedParts {
        let Some(far) = self.far() else {
            return parts.clone();
        };
        let mut counted = self.counted(parts);
        close(&mut counted.values, far);
        self.with_values(parts, &counted)
    }

    /// The parts by which is asked what all do that closed parts stand for.
    pub(super) fn spread(&self, parts: &ErasedParts) -> Vec<ErasedParts> {
        let Some(far) = self.far() else {
            return vec![parts.clone()];
        };
        let counted = self.counted(parts);
        let all = spread(&counted.values, far);
        let all = all.into_iter().map(|values| Counted {
            values,
            ..counted.clone()
        });
        all.map(|counted| self.with_values(parts, &counted))
            .collect()
    }

    /// The kinds of some members, a bit for each.
    pub(super) fn kinds_of<'m>(&self, members: impl IntoIterator<Item = &'m ErasedPart>) -> u32 {
        let kinds = members.into_iter().filter_map(|member| self.kind(member));
        kinds.fold(0, |all, kind| all | 1 << kind)
    }

    /// True if a step changes the parts of several members, of which some may be left out that are kept by their kinds: these would have to change as well.
    pub(super) fn moves_too_many(&self, from: &ErasedParts, to: &ErasedParts) -> bool {
        self.kinds() > 0 && from.moved(to).count() > 1
    }

    /// Parts of a state of the instance with so many members.
    ///
    /// # Errors
    ///
    /// If they are not all of it, so that two states would be taken for one.
    pub(super) fn apart(
        &self,
        state: &ErasedState,
        count: usize,
    ) -> Result<ErasedParts, CrowdFault> {
        let parts = self.parts(state);
        let kinds = self.kinds();
        let mut of_members = parts.members.iter().filter_map(|member| self.kind(member));
        if let Some(kind) = of_members.find(|kind| *kind >= kinds) {
            return Err(CrowdFault::Kind { kind, kinds });
        }
        if parts.members.len() == count && self.assembled(&parts) == *state {
            return Ok(parts);
        }
        Err(CrowdFault::OtherParts {
            state: format!("{state:?}"),
            parts: parts.to_string(),
            count,
        })
    }
}

/// Visitor that reads counters.
#[derive(Default)]
struct Read {
    shared: Vec<(u8, u64)>,
    members: Vec<Vec<(u8, u64)>>,
    /// The member that is visited.
    member: Option<usize>,
    far: Option<u64>,
    /// Whether those of each group have begun anew.
    are_new: Vec<(u8, bool)>,
}

impl Read {
    fn counted(self) -> Counted {
        let members = self.members.iter().map(Vec::len).collect();
        let shared = self.shared.len();
        let mut values = self.shared;
        values.extend(self.members.into_iter().flatten());
        Counted {
            shared,
            members,
            values,
            far: self.far,
        }
    }
}

impl NameVisitor for Read {
    fn counter(&mut self, counter: CounterName<'_>) {
        let CounterName {
            group,
            far,
            value,
            is_new,
        } = counter;
        self.far = self.far.max(Some(far));
        match self.are_new.iter().find(|(other, _)| *other == group) {
            Some((_, are_new)) => assert!(*are_new == is_new, "{BEGUN_ANEW}"),
            None => self.are_new.push((group, is_new)),
        }
        let of = match self.member {
            None => &mut self.shared,
            Some(member) => &mut self.members[member],
        };
        of.push((group, *value));
    }

    fn member(&mut self, _: u8, _: &mut usize) {}

    fn rows(&mut self, _: u8, rows: &mut [&mut dyn Row]) {
        let members = rows.first().map_or(0, |row| row.length());
        for member in 0..members {
            if self.members.len() == member {
                self.members.push(Vec::new());
            }
            self.member = Some(member);
            for row in rows.iter_mut() {
                row.visit_element(member, self);
            }
        }
        self.member = None;
    }
}

/// Visitor that gives counters the values that follow.
struct Written<'v> {
    shared: std::slice::Iter<'v, (u8, u64)>,
    members: std::slice::Iter<'v, (u8, u64)>,
}

/// The same where the counters of members are visited.
struct WrittenMembers<'w, 'v>(&'w mut Written<'v>);

impl NameVisitor for Written<'_> {
    fn counter(&mut self, counter: CounterName<'_>) {
        if let Some((_, written)) = self.shared.next() {
            *counter.value = *written;
        }
    }

    fn member(&mut self, _: u8, _: &mut usize) {}

    fn rows(&mut self, _: u8, rows: &mut [&mut dyn Row]) {
        let members = rows.first().map_or(0, |row| row.length());
        for member in 0..members {
            for row in rows.iter_mut() {
                row.visit_element(member, &mut WrittenMembers(self));
            }
        }
    }
}

impl NameVisitor for WrittenMembers<'_, '_> {
    fn counter(&mut self, counter: CounterName<'_>) {
        if let Some((_, written)) = self.0.members.next() {
            *counter.value = *written;
        }
    }

    fn member(&mut self, _: u8, _: &mut usize) {}

    fn rows(&mut self, _: u8, _: &mut [&mut dyn Row]) {}
}
