//! Views and configurations, by the numbers of their parts.

use foldhash::{HashSet, HashSetExt};

/// A shared part and members, by their numbers, in one order of those in which they are alike, and what is kept of the members that are left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Configuration {
    pub shared: u32,
    pub members: Vec<u32>,
    /// Number of the set of classes of the members that are left out.
    pub absent: u32,
}

/// Relation of a configuration to those with fewer members, and with more.
pub(super) trait Composition {
    /// The views of a configuration: it, with so many of its members.
    fn views(&mut self, of: &Configuration, size: usize) -> Vec<Configuration>;
    /// The configurations with one member more, of those that are known, that it may be one of.
    fn grown(&mut self, from: &Configuration) -> Vec<Configuration>;
}

/// Views of one size, in the order in which they came.
#[derive(Default)]
pub(super) struct Views {
    all: Vec<Configuration>,
    known: HashSet<Configuration>,
    taken_up: HashSet<Configuration>,
}

impl Views {
    /// Number of views.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a view, unless it is there.
    pub fn add(&mut self, view: Configuration) {
        if self.known.insert(view.clone()) {
            self.all.push(view);
        }
    }

    /// Takes up the next view, if there is one. The configurations of so many members more all of whose views have now been taken up, and had
    /// not before, are added to `found`.
    pub fn next(
        &mut self,
        form: &mut dyn Composition,
        more: usize,
        found: &mut Vec<Configuration>,
    ) -> Option<()> {
        let view = self.all.get(self.taken_up.len())?.clone();
        let size = view.members.len();
        self.taken_up.insert(view.clone());
        // What is made of them has this view, and all between has.
        let mut grown = vec![view];
        for _ in 0..more {
            let mut seen = HashSet::new();
            let mut larger = Vec::new();
            for one in grown {
                for with in form.grown(&one) {
                    if seen.insert(with.clone()) && self.is_complete(form, &with, size) {
                        larger.push(with);
                    }
                }
            }
            grown = larger;
        }
        found.extend(grown);
        Some(())
    }

    /// True if all views of a configuration were taken up.
    fn is_complete(
        &self,
        form: &mut dyn Composition,
        configuration: &Configuration,
        size: usize,
    ) -> bool {
        let mut views = form.views(configuration, size).into_iter();
        views.all(|view| self.taken_up.contains(&view))
    }
}
