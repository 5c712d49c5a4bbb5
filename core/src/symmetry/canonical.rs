//! The state that stands for those that differ from it by names: counters begin at 0, and members are in order.
//!
//! Members of a group are sorted where no number of one is in the state. Otherwise they are told apart by their parts and by who names whom, as
//! the vertices of a graph are, and those that are still alike are tried in turn, as in McKay & Piperno, *Practical Graph Isomorphism II*,
//! Journal of Symbolic Computation 60, 2014, section 2 (search tree, refinement). Of automorphisms only exchanges of two members are used.

use super::colours::Colours;
use super::named::Named;
use super::rows::{Groups, Moved, Reference, Survey};
use crate::random::generator::mix;
use crate::state::{VisitNames, normalise_groups, shift};

/// Exchanges and shifts of a state by which it stands for others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Renaming {
    /// By how much the counters of a group were shifted down.
    shifted: Vec<(u8, u64)>,
    /// The place to which each member went, of all groups counted through; empty if all are where they were.
    places: Vec<usize>,
}

/// Makes a state with these groups of members, and of counters, the one that stands for it.
pub(super) fn make_canonical(state: &mut dyn Named, groups: &Groups, counters: &[u8]) -> Renaming {
    let shifted = normalise_groups(&mut |visit| state.visit(visit), counters);
    let places = if groups.members() < 2 {
        Vec::new()
    } else {
        places(state, groups)
    };
    move_members(&mut |visit| state.visit(visit), groups, &places);
    Renaming { shifted, places }
}

/// Moves the members of a state or an action.
pub(super) fn move_members(visit: &mut VisitNames<'_>, groups: &Groups, places: &[usize]) {
    if !places.is_empty() {
        visit(&mut Moved { groups, places });
    }
}

/// Undoes a renaming, of a state or an action.
pub(super) fn undo(visit: &mut VisitNames<'_>, groups: &Groups, renaming: &Renaming) {
    move_members(visit, groups, &inverse(&renaming.places));
    shift(visit, &renaming.shifted);
}

/// Place at which the member now stands that was at each place before.
fn inverse(places: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; places.len()];
    for (member, place) in places.iter().enumerate() {
        inverse[*place] = member;
    }
    inverse
}

/// The place in order of each member of a state; none if they are in order.
fn places(state: &mut dyn Named, groups: &Groups) -> Vec<usize> {
    let mut survey = Survey::new(groups, false);
    if !groups.hold_names {
        state.visit(&mut survey);
    }
    if groups.hold_names || survey.hold_names {
        // Parts are compared without the names in them, which are those of an order that is still to be found.
        survey = Survey::new(groups, true);
        state.cloned().visit(&mut survey);
    }
    let Survey {
        colours,
        references,
        related,
        is_partial,
        is_odd,
        ..
    } = survey;
    if is_odd {
        return Vec::new();
    }
    let mut search = Search {
        state,
        groups,
        references: &references,
        related: &related,
        is_partial,
        best: None,
    };
    search.descend(colours);
    let places = search.best.map(|best| best.places).unwrap_or_default();
    let are_in_order = places.iter().enumerate().all(|(at, to)| at == *to);
    if are_in_order { Vec::new() } else { places }
}

/// An order of members that was come to.
struct Leaf {
    places: Vec<usize>,
    /// Hash of the state in this order, if it was compared with others: equal ones are of one state.
    hash: Option<u64>,
}

/// Search for the order of members that gives the least hash.
struct Search<'a> {
    state: &'a mut dyn Named,
    groups: &'a Groups,
    references: &'a [Reference],
    related: &'a [bool],
    /// True if references tell less than the state.
    is_partial: bool,
    best: Option<Leaf>,
}

impl Search<'_> {
    /// Hash of the state with its members moved.
    fn hash(&mut self, places: &[usize]) -> u64 {
        let Self { state, groups, .. } = self;
        move_members(&mut |visit| state.visit(visit), groups, places);
        let hash = state.hash();
        move_members(&mut |visit| state.visit(visit), groups, &inverse(places));
        hash
    }

    /// True if to exchange two members of a colour changes nothing.
    fn are_exchangeable(&mut self, one: usize, other: usize) -> bool {
        if self.is_partial {
            let mut places: Vec<_> = (0..self.groups.members()).collect();
            places.swap(one, other);
            return self.state.hash() == self.hash(&places);
        }
        // PERF: their parts are the same, and so is who names whom.
        let named = |member: usize, instead: usize| {
            let told = |at: usize| if at == instead { usize::MAX } else { at } as u64;
            let references = self.references.iter();
            references.fold(0u64, |sum, reference| {
                let Reference {
                    within,
                    of,
                    position,
                } = reference;
                let position = position.rotate_left(20);
                let mut add = 0u64;
                if *of == member {
                    add = add.wrapping_add(mix(position ^ told(*within) << 1));
                }
                if *within == member {
                    add = add.wrapping_add(mix(position ^ told(*of) << 1 ^ 1));
                }
                sum.wrapping_add(add)
            })
        };
        named(one, other) == named(other, one)
    }

    /// Comes to an order of members.
    fn arrive(&mut self, places: Vec<usize>) {
        let Some(best) = self.best.take() else {
            self.best = Some(Leaf { places, hash: None });
            return;
        };
        let of_best = best.hash.unwrap_or_else(|| self.hash(&best.places));
        let hash = self.hash(&places);
        let places = if hash < of_best { places } else { best.places };
        self.best = Some(Leaf {
            places,
            hash: Some(hash.min(of_best)),
        });
    }

    fn descend(&mut self, mut colours: Colours) {
        colours.refine(self.references);
        let alike = colours.first_alike(|member| self.related[member]);
        if alike.is_empty() {
            self.arrive(colours.places());
            return;
        }
        let mut tried: Vec<usize> = Vec::new();
        for member in alike {
            let mut others = tried.iter();
            if others.any(|other| self.are_exchangeable(*other, *member)) {
                continue;
            }
            tried.push(*member);
            self.descend(colours.with_first(*member));
        }
    }
}
