//! The search of views.

use super::composition::KnownParts;
use super::declared::{Declared, ErasedParts};
use super::fault::CrowdFault;
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
    /// and parts of the last one, with counters of which each gap is one that it stands for.
    left: Vec<ErasedParts>,
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

    /// Adds an initial state of the instance with as many members as a view has, as a view.
    ///
    /// # Errors
    ///
    /// If its parts are not all of it.
    pub fn add_initial(&mut self, state: &ErasedState) -> Result<(), CrowdFault> {
        let parts = self.crowd.apart(state, self.size)?;
        self.views.add(self.known.configuration(&parts));
        Ok(())
    }

    /// Adds the views of the target of a step from a configuration.
    ///
    /// # Errors
    ///
    /// If the parts of the target are not all of it, or those of several members have changed.
    pub fn add_target(&mut self, from: &ErasedParts, to: &ErasedState) -> Result<(), CrowdFault> {
        let to = self.crowd.apart(to, self.size + self.more)?;
        if from.moved(&to).count() > 1 {
            let (from, to) = (from.to_string(), to.to_string());
            return Err(CrowdFault::MovesSeveral { from, to });
        }
        let target = self.known.configuration(&to);
        for view in self.known.views(&target, self.size) {
            self.views.add(view);
        }
        Ok(())
    }

    /// The next configuration all of whose views were added: its parts, and the state of the instance with as many members.
    pub fn next(&mut self) -> Option<(ErasedParts, ErasedState)> {
        while self.left.is_empty() {
            while self.configurations.is_empty() {
                let found = &mut self.configurations;
                self.views.next(&mut self.known, self.more, found)?;
            }
            let configuration = self.configurations.pop()?;
            self.left = self.crowd.spread(&self.known.parts(&configuration));
        }
        let parts = self.left.pop()?;
        let state = self.crowd.assembled(&parts);
        Some((parts, state))
    }
}
