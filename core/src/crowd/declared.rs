//! Crowds without the types of their parts.

use std::fmt::Debug;
use std::hash::Hash;

use super::counters::{close, spread};
use super::declaration::Crowd;
use super::fault::CrowdFault;
use super::parts::CrowdParts;
use crate::erased::{ErasedPart, ErasedState};

/// ErasedParts of a state, of whatever types.
pub(crate) type ErasedParts = CrowdParts<ErasedPart, ErasedPart>;

/// A declaration of a crowd, of whatever types.
pub(crate) trait Declared: Sync {
    /// As [`Crowd::members`].
    fn members(&self) -> &str;
    /// As [`Crowd::bounds`].
    fn bounds(&self) -> String;
    /// As [`Crowd::in_line`].
    fn in_line(&self) -> bool;
    /// As [`Crowd::far`].
    fn far(&self) -> Option<u64>;
    /// The same parts with counters that `change` has changed; it is given all, those of the members behind those that are shared.
    fn counted(&self, parts: &ErasedParts, change: &mut dyn FnMut(&mut [&mut u64])) -> ErasedParts;
    /// As [`Crowd::witnesses`].
    fn witnesses(&self) -> usize;
    /// As [`Crowd::speaks_of`].
    fn speaks_of(&self, obligation: &str) -> usize;
    /// As [`Crowd::apart`].
    fn parts(&self, state: &ErasedState) -> ErasedParts;
    /// As [`Crowd::assembled`].
    fn assembled(&self, parts: &ErasedParts) -> ErasedState;
}

/// Crowd by which the other trait is implemented.
pub(crate) struct DeclaredBy<C>(pub C);

impl<C: Crowd> Declared for DeclaredBy<C> {
    fn members(&self) -> &str {
        self.0.members()
    }

    fn bounds(&self) -> String {
        self.0.bounds()
    }

    fn in_line(&self) -> bool {
        self.0.in_line()
    }

    fn far(&self) -> Option<u64> {
        self.0.far().map(|far| far.max(1))
    }

    fn counted(&self, parts: &ErasedParts, change: &mut dyn FnMut(&mut [&mut u64])) -> ErasedParts {
        let mut shared = parts.shared.get::<C::Shared>().clone();
        let mut members = self.typed(parts);
        change(&mut self.0.counters(&mut shared, &mut members));
        erased(shared, members)
    }

    fn witnesses(&self) -> usize {
        self.0.witnesses()
    }

    fn speaks_of(&self, obligation: &str) -> usize {
        self.0.speaks_of(obligation).max(1)
    }

    fn parts(&self, state: &ErasedState) -> ErasedParts {
        let (shared, members) = self.0.apart(state.get());
        erased(shared, members)
    }

    fn assembled(&self, parts: &ErasedParts) -> ErasedState {
        let members = self.typed(parts);
        ErasedState::from(self.0.assembled(parts.shared.get(), &members))
    }
}

impl<C: Crowd> DeclaredBy<C> {
    fn typed(&self, parts: &ErasedParts) -> Vec<C::Member> {
        let members = parts.members.iter();
        members
            .map(|member| member.get::<C::Member>().clone())
            .collect()
    }
}

fn erased<S, M>(shared: S, members: Vec<M>) -> ErasedParts
where
    S: Clone + Debug + Eq + Hash + 'static,
    M: Clone + Debug + Eq + Hash + 'static,
{
    CrowdParts {
        shared: ErasedPart::from(shared),
        members: members.into_iter().map(ErasedPart::from).collect(),
    }
}

impl dyn Declared + '_ {
    /// Values of the counters.
    pub(super) fn values(&self, parts: &ErasedParts) -> Vec<u64> {
        let mut values = Vec::new();
        self.counted(parts, &mut |counters| {
            values = counters.iter().map(|counter| **counter).collect();
        });
        values
    }

    /// The same parts with these values of their counters.
    pub(super) fn with_values(&self, parts: &ErasedParts, values: &[u64]) -> ErasedParts {
        self.counted(parts, &mut |counters| {
            for (counter, value) in counters.iter_mut().zip(values) {
                **counter = *value;
            }
        })
    }

    /// The parts that stand for all whose counters have the same order and the same gaps, as far as these matter.
    pub(super) fn closed(&self, parts: &ErasedParts) -> ErasedParts {
        match self.far() {
            None => parts.clone(),
            Some(far) => self.counted(parts, &mut |counters| close(counters, far)),
        }
    }

    /// The parts by which is asked what all do that closed parts stand for.
    pub(super) fn spread(&self, parts: &ErasedParts) -> Vec<ErasedParts> {
        let Some(far) = self.far() else {
            return vec![parts.clone()];
        };
        let values = spread(&self.values(parts), far);
        values
            .iter()
            .map(|values| self.with_values(parts, values))
            .collect()
    }

    /// ErasedParts of a state of the instance with so many members.
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
