//! The search of views.

use super::composition::KnownParts;
use super::declared::{Declared, ErasedParts};
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
    left: Vec<Posed>,
}

/// A configuration of which it is asked what it does.
pub(crate) struct Posed {
    parts: ErasedParts,
    absent: u32,
    /// The state of its members alone.
    state: ErasedState,
}

impl Posed {
    /// The state of its members alone.
    pub fn state(&self) -> &ErasedState {
        &self.state
    }

    /// True if none of a kind is left out, so that the state tells what the configuration does.
    pub fn is_all(&self) -> bool {
        self.absent == 0
    }
}

/// A state of the members of a configuration, and of one of each kind that is left out.
pub(crate) struct Stated {
    supplied: Supplied,
    /// The state.
    pub state: ErasedState,
}

impl Stated {
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
            let spread = self.crowd.spread(&self.known.parts(&configuration));
            let posed = spread.into_iter().map(|parts| Posed {
                state: self.crowd.assembled(&parts),
                parts,
                absent: configuration.absent,
            });
            self.left = posed.collect();
        }
        self.left.pop()
    }

    /// The state of the members of a configuration alone.
    pub fn alone(&self, of: &Posed) -> Stated {
        Stated {
            state: of.state.clone(),
            supplied: Supplied::nothing(of.parts.clone()),
        }
    }

    /// The states that tell what a configuration does beside members that are left out.
    pub fn stated(&self, of: &Posed) -> Vec<Stated> {
        let all = supplied(&of.parts, of.absent, self.crowd.in_line(), &self.known);
        all.into_iter().map(|one| self.assembled(one)).collect()
    }

    /// The same state with other members that are left out, of the same kinds.
    pub fn varied(&self, of: &Stated) -> Vec<Stated> {
        let all = of.supplied.varied(self.crowd, &self.known);
        all.into_iter().map(|one| self.assembled(one)).collect()
    }

    fn assembled(&self, supplied: Supplied) -> Stated {
        Stated {
            state: self.crowd.assembled(&supplied.parts),
            supplied,
        }
    }

    /// Parts of the configuration in the target of a step from a state; none if the step moves a member that stands for others.
    ///
    /// # Errors
    ///
    /// If the parts of the target are not all of it, or those of several members have changed.
    pub fn target(
        &self,
        from: &Stated,
        to: &ErasedState,
    ) -> Result<Option<ErasedParts>, CrowdFault> {
        let supplied = &from.supplied;
        let to = self.crowd.apart(to, supplied.parts.members.len())?;
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
