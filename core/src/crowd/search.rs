//! The search of views.

use super::composition::KnownParts;
use super::declared::{Declared, DeclaredCounters, ErasedParts};
use super::fault::CrowdFault;
use super::stand_ins::{Supplied, supplied};
use super::views::{Composition, Configuration, Views};
use crate::erased::ErasedState;

/// A search of views, from which configurations are taken, and to which the targets of their steps are given.
pub(crate) struct ViewSearch<'c> {
    crowd: &'c dyn Declared,
    /// Number of members of a view,
    size: usize,
    /// and of members that a configuration has more.
    more: usize,
    known: KnownParts<'c>,
    views: Views,
    /// Configurations that are still to be taken,
    configurations: Vec<Configuration>,
    /// and the last one, with counters of which each gap is one that it stands for.
    left: Vec<ErasedParts>,
    /// Kinds that are left out of it.
    absent: u32,
}

/// A configuration of which it is asked what it does.
pub(crate) struct Posed {
    absent: u32,
    /// The state of its members alone, where some of a kind are left out.
    pub alone: Option<ErasedState>,
    /// The states that tell its steps.
    pub stated: Vec<StatedMembers>,
}

/// A state of the members of a configuration, and of one of each kind that is left out.
pub(crate) struct StatedMembers {
    supplied: Supplied,
    /// The state.
    pub state: ErasedState,
}

impl StatedMembers {
    /// Number of members that stand for others.
    pub fn others(&self) -> usize {
        self.supplied.stand_ins.count_ones() as usize
    }
}

impl<'c> ViewSearch<'c> {
    /// A search of views of so many members, of which configurations have so many more.
    pub fn new(crowd: &'c dyn Declared, size: usize, more: usize) -> Self {
        Self {
            crowd,
            size,
            more,
            known: KnownParts::new(crowd),
            views: Views::default(),
            configurations: Vec::new(),
            left: Vec::new(),
            absent: 0,
        }
    }

    /// Number of views.
    pub fn views(&self) -> u64 {
        self.views.len() as u64
    }

    /// Adds the views of an initial state of the instance with so many members.
    ///
    /// # Errors
    ///
    /// If its parts are not all of it.
    pub fn add_initial(&mut self, state: &ErasedState, members: usize) -> Result<(), CrowdFault> {
        let parts = self.crowd.apart(state, members)?;
        self.add_views(&parts, 0);
        Ok(())
    }

    /// Adds the views of parts, beside members of some kinds that are left out.
    fn add_views(&mut self, parts: &ErasedParts, absent: u32) {
        let target = self.known.configuration(parts, absent);
        for view in self.known.views(&target, self.size) {
            self.views.add(view);
        }
    }

    /// The next configuration all of whose views were added.
    pub fn next(&mut self) -> Option<Posed> {
        while self.left.is_empty() {
            while self.configurations.is_empty() {
                let found = &mut self.configurations;
                self.views.next(&mut self.known, self.more, found)?;
            }
            let configuration = self.configurations.pop()?;
            self.left = self.crowd.spread(&self.known.parts(&configuration));
            self.absent = configuration.absent;
        }
        let (parts, absent) = (self.left.pop()?, self.absent);
        let all = supplied(&parts, absent, self.crowd.in_line(), &self.known);
        let stated = all.into_iter().map(|supplied| StatedMembers {
            state: self.crowd.assembled(&supplied.parts),
            supplied,
        });
        Some(Posed {
            absent,
            stated: stated.collect(),
            alone: (absent != 0).then(|| self.crowd.assembled(&parts)),
        })
    }

    /// Parts of the configuration in the target of a step from a state; none if the step moves a member that stands for others.
    ///
    /// # Errors
    ///
    /// If the parts of the target are not all of it, or those of several members have changed.
    pub fn target(
        &self,
        from: &StatedMembers,
        to: &ErasedState,
    ) -> Result<Option<ErasedParts>, CrowdFault> {
        let supplied = &from.supplied;
        let to = self.crowd.apart(to, supplied.parts.members.len())?;
        if self.crowd.far().is_some() {
            // Counters that have come further than views tell panic as they are read.
            self.crowd.counted(&to);
        }
        if self.crowd.moves_too_many(&supplied.parts, &to) {
            let (from, to) = (supplied.parts.to_string(), to.to_string());
            return Err(CrowdFault::MovesSeveral { from, to });
        }
        let mut moved = supplied.parts.moved(&to);
        let is_other = moved.any(|mover| supplied.is_stand_in(mover));
        Ok((!is_other).then(|| supplied.proper(&to)))
    }

    /// Adds the views of the target of a step from a configuration.
    pub fn add_target(&mut self, from: &Posed, to: &ErasedParts) {
        self.add_views(to, from.absent);
    }
}
