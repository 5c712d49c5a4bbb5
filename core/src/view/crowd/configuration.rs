//! Configurations: a shared part with members, by what they hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::counters::{close, placed, spread};
use crate::State;

/// A part of a state, of whatever type: equal ones are equal, and there is an order of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, State)]
pub(crate) struct Part {
    /// It as it is written, with other values of its counters, 0, 1, …, and other names of members, 0, 1, …, in the order in which they are first visited.
    pub words: Vec<u64>,
    /// Group and value of each counter.
    pub counters: Vec<(u8, u64)>,
    /// The questions that are kept and true of it, a bit for each, if it is that of a member.
    pub class: u64,
}

/// A shared part and members, in one order of those in which they are alike, and what is kept of the members that are left out. One with few members is a view.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, State)]
pub(crate) struct Configuration {
    pub shared: Arc<Part>,
    /// The names of members that the shared part keeps: places among the members, or larger numbers of those that are left out.
    pub names: Vec<usize>,
    pub members: Vec<Arc<Part>>,
    /// Classes of members that are left out, in order: there is one at least of each.
    pub absent: Vec<u64>,
}

/// Members of a crowd, as far as they are alike.
pub(super) struct Likeness<'c> {
    /// True if they stand in a line.
    pub in_line: bool,
    /// The least gap between neighbouring counters that is as good as every larger one; none if there are no counters.
    pub far: Option<u64>,
    /// Gives parts whose counters were given other values the form that all have: what has a set of them may be another one.
    pub rewritten: Box<dyn Fn(Configuration) -> Configuration + Sync + 'c>,
}

impl Part {
    /// The same whatever its counters are.
    pub(super) fn shape(self: &Arc<Self>) -> Arc<Self> {
        if self.counters.is_empty() {
            return Arc::clone(self);
        }
        // Different values, so that a set of counters stays as large as it is.
        let counters = self.counters.iter().zip(0..);
        Arc::new(Self {
            words: self.words.clone(),
            counters: counters
                .map(|((group, _), value)| (*group, value))
                .collect(),
            class: 0,
        })
    }
}

impl Configuration {
    /// Groups and values of all counters, those of the shared part first.
    fn values(&self) -> Vec<(u8, u64)> {
        let parts = [&self.shared].into_iter().chain(&self.members);
        parts
            .flat_map(|part| part.counters.iter().copied())
            .collect()
    }

    /// The same with these values of its counters.
    fn with_values(mut self, values: &[(u8, u64)]) -> Self {
        let mut values = values.iter();
        for part in [&mut self.shared].into_iter().chain(&mut self.members) {
            let count = part.counters.len();
            let own = values.by_ref().take(count);
            if count > 0 {
                Arc::make_mut(part).counters = own.copied().collect();
            }
        }
        self
    }

    /// The configurations by which is asked what all do that it stands for.
    pub(super) fn spread(&self, like: &Likeness<'_>) -> Vec<Self> {
        let Some(far) = like.far else {
            return vec![self.clone()];
        };
        let all = spread(&self.values(), far).into_iter();
        all.map(|values| self.clone().with_values(&values))
            .collect()
    }

    /// The one that stands for all that are alike: counters are no further apart than matters, members are in order, those that are the same in that of their names, and who is
    /// left out has the next numbers.
    pub(super) fn canonical(mut self, like: &Likeness<'_>) -> Self {
        if let Some(far) = like.far {
            let mut values = self.values();
            close(&mut values, far);
            self = self.with_values(&values);
        }
        let mut order: Vec<_> = (0..self.members.len()).collect();
        if !like.in_line {
            let names = &self.names;
            let named = |place: usize| names.iter().position(|name| *name == place);
            order
                .sort_by_key(|place| (&self.members[*place], named(*place).unwrap_or(names.len())));
            let members = order.iter().map(|place| self.members[*place].clone());
            self.members = members.collect();
        }
        let mut left_out = order.len()..;
        for name in &mut self.names {
            let place = order.iter().position(|place| place == name);
            *name = place
                .or_else(|| left_out.next())
                .expect("there is a next one");
        }
        self
    }

    /// Its views of so many members.
    pub(super) fn views(&self, size: usize, like: &Likeness<'_>) -> Vec<Self> {
        let count = self.members.len();
        let masks = (0u32..1 << count).filter(|mask| mask.count_ones() as usize == size);
        let mut views: Vec<_> = masks.map(|mask| self.some(mask, like)).collect();
        views.sort_unstable();
        views.dedup();
        views
    }

    /// It with the members alone that have a bit.
    fn some(&self, mask: u32, like: &Likeness<'_>) -> Self {
        let count = self.members.len();
        let is_in = |place: usize| place < count && mask >> place & 1 == 1;
        let members = || self.members.iter().enumerate();
        let left_out = members().filter(|(place, _)| !is_in(*place));
        let mut absent = self.absent.clone();
        absent.extend(left_out.map(|(_, member)| member.class));
        let names = self.names.iter().map(|name| {
            if is_in(*name) {
                (mask & !(u32::MAX << name)).count_ones() as usize
            } else {
                // Numbers that no member of these has.
                count + name
            }
        });
        let some = Self {
            shared: self.shared.clone(),
            names: names.collect(),
            members: members()
                .filter(|(place, _)| is_in(*place))
                .map(|(_, member)| member.clone())
                .collect(),
            absent: classes(absent),
        };
        some.canonical(like)
    }

    /// The configurations with one member more that it may be one of, of these shapes.
    pub(super) fn grown<'p>(
        &self,
        shapes: impl IntoIterator<Item = &'p Arc<Part>>,
        like: &Likeness<'_>,
    ) -> Vec<Self> {
        let count = self.members.len();
        let first = if like.in_line { 0 } else { count };
        let left_out = self.names.iter().copied().filter(|name| *name >= count);
        let names: Vec<_> = [None].into_iter().chain(left_out.map(Some)).collect();
        let mut grown = Vec::new();
        for member in shapes {
            for place in first..=count {
                for named in &names {
                    let mut with = self.clone();
                    with.members.insert(place, member.clone());
                    for name in &mut with.names {
                        if *named == Some(*name) {
                            *name = place;
                        } else if *name >= place {
                            *name += 1;
                        }
                    }
                    for with in with.with_counters(place, like) {
                        let class = with.members[place].class;
                        let all = without(&self.absent, class).into_iter();
                        grown.extend(all.map(|absent| {
                            let with = with.clone();
                            Self { absent, ..with }.canonical(like)
                        }));
                    }
                }
            }
        }
        grown
    }

    /// The same with all values of the counters of the member at a place.
    fn with_counters(self, place: usize, like: &Likeness<'_>) -> Vec<Self> {
        let Some(far) = like.far else {
            return vec![self];
        };
        let before = [&self.shared].into_iter().chain(&self.members[..place]);
        let first = before.map(|part| part.counters.len()).sum::<usize>();
        let mut without = self.values();
        let new = first..first + self.members[place].counters.len();
        let groups: Vec<_> = without.drain(new.clone()).map(|(group, _)| group).collect();
        // All values with so many of the new ones among them.
        let mut all = vec![without];
        for (at, group) in new.zip(groups) {
            let placed = all.iter().flat_map(|values| placed(values, group, far));
            let inserted = placed.map(|(mut values, value)| {
                values.insert(at, (group, value));
                close(&mut values, far);
                values
            });
            all = inserted.collect();
        }
        let all = all
            .into_iter()
            .map(|values| self.clone().with_values(&values));
        all.map(&like.rewritten).collect()
    }
}

/// Classes in order, each once, but for that of no question.
pub(super) fn classes(all: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let all: BTreeSet<_> = all.into_iter().filter(|class| *class != 0).collect();
    all.into_iter().collect()
}

/// The classes that are left out where a member of a class is left out no more, of those with which it was.
fn without(absent: &[u64], class: u64) -> Vec<Vec<u64>> {
    if class == 0 {
        return vec![absent.to_vec()];
    }
    if !absent.contains(&class) {
        return Vec::new();
    }
    // Another one of its class may be left out, too.
    let others = absent.iter().copied().filter(|other| *other != class);
    vec![absent.to_vec(), others.collect()]
}
