//! Configurations as a crowd has them: their members alike or in a line, and with counters or without.

use super::counters::{Counted, close, placed};
use super::declared::{Declared, DeclaredCounters, ErasedParts};
use super::parts::CrowdParts;
use super::stand_ins::OfKind;
use super::views::{Composition, Configuration};
use crate::erased::ErasedPart;
use crate::numbered::Numbered;

/// The parts that came, by their numbers.
pub(super) struct KnownParts<'c> {
    crowd: &'c dyn Declared,
    shared: Numbered<ErasedPart>,
    members: Numbered<ErasedPart>,
    /// The bit of the kind of each member, of most none.
    kinds: Vec<u32>,
    /// Members without the values of their counters, where there are counters.
    shapes: Numbered<ErasedPart>,
}

impl<'c> KnownParts<'c> {
    pub fn new(crowd: &'c dyn Declared) -> Self {
        Self {
            crowd,
            shared: Numbered::default(),
            members: Numbered::default(),
            kinds: Vec::new(),
            shapes: Numbered::default(),
        }
    }

    /// The configuration that stands for these parts, beside members of some kinds that are left out.
    pub fn configuration(&mut self, parts: &ErasedParts, absent: u32) -> Configuration {
        let parts = self.crowd.closed(parts);
        if self.crowd.far().is_some() {
            for member in &parts.members {
                let alone = CrowdParts {
                    shared: parts.shared.clone(),
                    members: vec![member.clone()],
                };
                let mut counted = self.crowd.counted(&alone);
                for (_, value) in &mut counted.values[counted.shared..] {
                    *value = 0;
                }
                let mut alone = self.crowd.with_values(&alone, &counted);
                self.shapes.number(alone.members.remove(0));
            }
        }
        let members = parts.members.into_iter();
        let members = members.map(|member| self.number(member)).collect();
        let shared = self.shared.number(parts.shared);
        self.ordered(Configuration {
            shared,
            members,
            absent,
        })
    }

    fn number(&mut self, member: ErasedPart) -> u32 {
        let number = self.members.number(member);
        if number as usize == self.kinds.len() {
            let kind = self.crowd.kind(&self.members.values()[number as usize]);
            self.kinds.push(kind.map_or(0, |kind| 1 << kind));
        }
        number
    }

    /// Parts of a configuration.
    pub fn parts(&self, of: &Configuration) -> ErasedParts {
        let members = of.members.iter();
        CrowdParts {
            shared: self.shared.values()[of.shared as usize].clone(),
            members: members
                .map(|member| self.members.values()[*member as usize].clone())
                .collect(),
        }
    }

    /// The kinds of members of a configuration that have a bit of their own in a mask.
    fn bits(&self, of: &Configuration, mask: u32) -> u32 {
        let members = of.members.iter().enumerate();
        let members = members.filter(|(place, _)| mask >> place & 1 == 1);
        members.fold(0, |all, (_, member)| all | self.kinds[*member as usize])
    }

    /// The same in the order in which its members stand for all in which they are alike.
    fn ordered(&self, mut configuration: Configuration) -> Configuration {
        if !self.crowd.in_line() {
            configuration.members.sort_unstable();
        }
        configuration
    }

    /// Places among members where another one may stand.
    fn places(&self, members: usize) -> std::ops::RangeInclusive<usize> {
        if self.crowd.in_line() {
            0..=members
        } else {
            members..=members
        }
    }

    /// The configurations with a member of this shape at a place, for all values of its counters.
    fn with_shape(
        &self,
        parts: &ErasedParts,
        far: u64,
        shape: &ErasedPart,
        place: usize,
    ) -> Vec<ErasedParts> {
        let mut with = parts.clone();
        with.members.insert(place, shape.clone());
        let of_with = self.crowd.counted(&with);
        let first = of_with.shared + of_with.members[..place].iter().sum::<usize>();
        let new = first..first + of_with.members[place];
        let mut without = of_with.values.clone();
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
        let all = all.into_iter().map(|values| {
            let counted = Counted {
                values,
                ..of_with.clone()
            };
            self.crowd.with_values(&with, &counted)
        });
        all.collect()
    }
}

/// The kinds of the members that are left out where one with this bit is left out no more, of those with which it was.
fn without(absent: u32, bit: u32) -> impl Iterator<Item = u32> {
    // Another one of its kind may be left out, too.
    let others = [absent, absent & !bit];
    let different = if bit == 0 { 1 } else { 2 };
    let is_possible = absent & bit == bit;
    others
        .into_iter()
        .take(if is_possible { different } else { 0 })
}

/// In the order in which they came.
impl OfKind for KnownParts<'_> {
    fn of_kind(&self, kind: u32) -> Vec<&ErasedPart> {
        let members = self.members.values().iter().zip(&self.kinds);
        let of_kind = members.filter(|(_, bit)| **bit == 1 << kind);
        of_kind.map(|(member, _)| member).collect()
    }
}

/// Masks of so many of some members.
fn masks(members: usize, size: usize) -> impl Iterator<Item = u32> {
    let all = 0u32..1 << members;
    all.filter(move |mask| mask.count_ones() as usize == size)
}

impl Composition for KnownParts<'_> {
    fn views(&mut self, of: &Configuration, size: usize) -> Vec<Configuration> {
        let mut views = Vec::new();
        if self.crowd.far().is_some() {
            let parts = self.parts(of);
            for mask in masks(of.members.len(), size) {
                let absent = of.absent | self.bits(of, !mask);
                views.push(self.configuration(&parts.some(mask), absent));
            }
        } else {
            for mask in masks(of.members.len(), size) {
                let members = of.members.iter().enumerate();
                let members = members.filter(|(place, _)| mask >> place & 1 == 1);
                views.push(Configuration {
                    shared: of.shared,
                    members: members.map(|(_, member)| *member).collect(),
                    absent: of.absent | self.bits(of, !mask),
                });
            }
        }
        views.sort_unstable();
        views.dedup();
        views
    }

    fn grown(&mut self, from: &Configuration) -> Vec<Configuration> {
        let places = self.places(from.members.len());
        let mut grown = Vec::new();
        let Some(far) = self.crowd.far() else {
            for (member, bit) in (0..).zip(&self.kinds) {
                for absent in without(from.absent, *bit) {
                    for place in places.clone() {
                        let mut with = from.clone();
                        with.members.insert(place, member);
                        with.absent = absent;
                        grown.push(self.ordered(with));
                    }
                }
            }
            return grown;
        };
        let parts = self.parts(from);
        let shapes = self.shapes.values().to_vec();
        for shape in &shapes {
            let bit = self.crowd.kinds_of([shape]);
            for place in places.clone() {
                for with in self.with_shape(&parts, far, shape, place) {
                    for absent in without(from.absent, bit) {
                        grown.push(self.configuration(&with, absent));
                    }
                }
            }
        }
        grown
    }
}
