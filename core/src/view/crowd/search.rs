//! The search of views.

use super::composition::KnownParts;
use super::form::{CrowdForm, ErasedParts, OthersChange};
use super::views::{Composition, Configuration, Views};
use crate::statement::erased::ErasedState;

/// Sets of classes that the members which are left out may have after a change, at most.
const MOST_CONTEXTS: usize = 1 << 10;

/// A search of views, from which configurations are taken, and to which the targets of their steps are given.
pub(crate) struct ViewSearch<'c> {
    crowd: &'c dyn CrowdForm,
    /// Number of members of a view,
    size: usize,
    /// and of members that a configuration has more. None is left out of a configuration that has no more.
    more: usize,
    known: KnownParts<'c>,
    views: Views,
    /// Configurations that are still to be taken,
    configurations: Vec<Configuration>,
    /// and the last one, with counters of which each gap is one that it stands for.
    left: Vec<ErasedParts>,
    /// Classes that are left out of it.
    absent: u32,
    /// Targets of steps that change members that are left out: what these become depends on the members that are known.
    changed: Vec<ChangedTarget>,
}

/// A configuration of which it is asked what it does.
pub(crate) struct Posed {
    absent: u32,
    pub state: ErasedState,
}

/// The target of a step that changes all others.
struct ChangedTarget {
    parts: ErasedParts,
    state: ErasedState,
    absent: u32,
    /// Number of members that were known when it was looked at last.
    known: usize,
}

/// Reason why a search is begun anew: the classes of members that are left out cannot be told after a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unkept;

impl<'c> ViewSearch<'c> {
    /// A search of views of so many members, of which configurations have so many more.
    pub fn new(crowd: &'c dyn CrowdForm, size: usize, more: usize) -> Self {
        Self {
            crowd,
            size,
            more,
            known: KnownParts::new(crowd),
            views: Views::default(),
            configurations: Vec::new(),
            left: Vec::new(),
            absent: 0,
            changed: Vec::new(),
        }
    }

    /// Number of views.
    pub fn views(&self) -> u64 {
        self.views.len() as u64
    }

    /// Adds the views of the initial states.
    pub fn begin(&mut self) {
        for beginning in self.crowd.beginnings() {
            let members = &beginning.members;
            let classes = members.iter().map(|member| self.crowd.class(member));
            let mut contexts = vec![Vec::new()];
            if self.more > 0 {
                for class in classes.filter(|class| *class != 0) {
                    let with = contexts.iter().map(|classes: &Vec<u64>| {
                        let mut with = classes.clone();
                        with.push(class);
                        with
                    });
                    let with: Vec<_> = with.collect();
                    contexts.extend(with);
                }
            }
            let contexts = contexts.into_iter();
            let mut absent: Vec<_> = contexts
                .map(|classes| self.known.context(classes))
                .collect();
            absent.sort_unstable();
            absent.dedup();
            for number in 0..members.len().pow(self.size as u32) {
                let places = 0..self.size as u32;
                let of_place = |place| number / members.len().pow(place) % members.len();
                let parts = ErasedParts {
                    shared: beginning.shared.clone(),
                    members: places
                        .map(|place| members[of_place(place)].clone())
                        .collect(),
                };
                for absent in &absent {
                    self.add_views(&parts, *absent);
                }
            }
        }
    }

    /// Adds the views of parts, beside members of some classes that are left out.
    fn add_views(&mut self, parts: &ErasedParts, absent: u32) {
        let target = self.known.configuration(parts, absent);
        for view in self.known.views(&target, self.size) {
            self.views.add(view);
        }
    }

    /// The next configuration all of whose views were added.
    ///
    /// # Errors
    ///
    /// If the search is to begin anew.
    pub fn next(&mut self) -> Result<Option<Posed>, Unkept> {
        while self.left.is_empty() {
            while self.configurations.is_empty() {
                let found = &mut self.configurations;
                let next = self.views.next(&mut self.known, self.more, found);
                if next.is_none() && !self.change_again()? {
                    return Ok(None);
                }
            }
            if let Some(configuration) = self.configurations.pop() {
                self.left = self.crowd.spread(&self.known.parts(&configuration));
                self.absent = configuration.absent;
            }
        }
        let parts = self.left.pop().expect("there is one");
        let left_out = (self.more > 0).then(|| self.known.examples(self.absent));
        Ok(Some(Posed {
            absent: self.absent,
            state: self.crowd.assembled(&parts, left_out),
        }))
    }

    /// Adds the views of the target of a step from a configuration.
    ///
    /// # Errors
    ///
    /// If the search is to begin anew.
    pub fn add_target(&mut self, from: &Posed, to: &ErasedState) -> Result<(), Unkept> {
        let parts = self.crowd.apart(to);
        let changed = self.crowd.changed(to);
        if self.more == 0 || !self.crowd.keeps() || changed == OthersChange::Nothing {
            self.add_views(&parts, from.absent);
            return Ok(());
        }
        if changed == OthersChange::Counters {
            return Err(Unkept);
        }
        self.changed.push(ChangedTarget {
            parts,
            state: to.clone(),
            absent: from.absent,
            known: 0,
        });
        self.change(self.changed.len() - 1)
    }

    /// Looks again at targets that members may be part of that were not known. False if there are none.
    fn change_again(&mut self) -> Result<bool, Unkept> {
        let known = self.known.members().count();
        let views = self.views.len();
        for at in 0..self.changed.len() {
            if self.changed[at].known < known {
                self.change(at)?;
            }
        }
        Ok(self.views.len() > views)
    }

    /// Adds the views of a target, beside all that the members that are left out may have become.
    fn change(&mut self, at: usize) -> Result<(), Unkept> {
        let ChangedTarget {
            parts,
            state,
            absent,
            ..
        } = &self.changed[at];
        let (parts, state) = (parts.clone(), state.clone());
        let classes = self.known.classes(*absent);
        let becomes: Vec<_> = self.known.members().collect();
        let known = becomes.len();
        let becomes = becomes.into_iter();
        let becomes: Vec<_> = becomes
            .map(|(member, class)| (class, self.crowd.class_after(&state, member)))
            .collect();
        let after = |class: u64| {
            let of_class = becomes.iter().filter(|(before, _)| *before == class);
            let mut after: Vec<_> = of_class.map(|(_, after)| *after).collect();
            after.sort_unstable();
            after.dedup();
            after
        };
        // Of a class that is left out there is one at least; whether there are others, and members of no class, is open.
        let mut contexts: Vec<Vec<u64>> = vec![Vec::new()];
        for class in [0].into_iter().chain(classes.iter().copied()) {
            let after = after(class);
            if after.len() > 10 || contexts.len() << after.len() > MOST_CONTEXTS {
                return Err(Unkept);
            }
            let least = u32::from(class != 0);
            let subsets = least..1 << after.len();
            let with = subsets.flat_map(|mask| {
                let some = after.iter().enumerate();
                let some = some.filter(move |(place, _)| mask >> place & 1 == 1);
                let some: Vec<_> = some.map(|(_, class)| *class).collect();
                let with = contexts.iter();
                let with: Vec<Vec<u64>> = with.map(|all| [&all[..], &some].concat()).collect();
                with
            });
            contexts = with.collect();
            for context in &mut contexts {
                context.sort_unstable();
                context.dedup();
            }
            contexts.sort_unstable();
            contexts.dedup();
        }
        self.changed[at].known = known;
        for classes in contexts {
            let absent = self.known.context(classes);
            self.add_views(&parts, absent);
        }
        Ok(())
    }
}
