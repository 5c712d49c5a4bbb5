//! The state that stands for those that differ from it by names: counters begin at 0, and members are in order.
//!
//! Members are sorted where no number of one is in the state. Otherwise they are told apart by their parts and by who names whom, as
//! the vertices of a graph are, and those that are still alike are tried in turn, as in McKay & Piperno, *Practical Graph Isomorphism II*,
//! Journal of Symbolic Computation 60, 2014, section 2 (search tree, refinement). Of automorphisms only exchanges of two members are used.

use super::named::Named;
use super::rows::{Listed, Masked, Moved, Survey};
use crate::state::{VisitNames, normalise_groups, shift};

/// Exchanges and shifts of a state by which it stands for others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Renaming {
    /// By how much the counters of a group were shifted down.
    shifted: Vec<(u8, u64)>,
    /// The place to which each member went; empty if all are where they were.
    places: Vec<usize>,
}

/// Makes a state of so many members the one that stands for it, with counters of these groups.
pub(super) fn make_canonical(state: &mut dyn Named, members: usize, groups: &[u8]) -> Renaming {
    let shifted = normalise_groups(&mut |visit| state.visit(visit), groups);
    let places = if members < 2 {
        Vec::new()
    } else {
        sort_members(state, members)
    };
    Renaming { shifted, places }
}

/// Moves the members of a state or an action.
pub(super) fn move_members(visit: &mut VisitNames<'_>, places: &[usize]) {
    if !places.is_empty() {
        visit(&mut Moved(places));
    }
}

/// Undoes a renaming, of a state or an action.
pub(super) fn undo(visit: &mut VisitNames<'_>, renaming: &Renaming) {
    move_members(visit, &inverse(&renaming.places));
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

/// Puts the members of a state in order, and says where each went.
fn sort_members(state: &mut dyn Named, members: usize) -> Vec<usize> {
    let mut survey = Survey::new(members);
    state.visit(&mut survey);
    if survey.is_odd {
        return Vec::new();
    }
    if survey.references.is_empty() {
        let places = in_order(&colours_of(&survey.ranks));
        let is_sorted = places.iter().enumerate().all(|(at, to)| at == *to);
        if is_sorted {
            return Vec::new();
        }
        move_members(&mut |visit| state.visit(visit), &places);
        return places;
    }
    if survey.references.iter().any(|(within, _)| within.is_some()) {
        // Parts are compared without the numbers in them, which are those of an order that is still to be found.
        let mut masked = state.cloned();
        masked.visit(&mut Masked(members));
        let mut without = Survey::new(members);
        masked.visit(&mut without);
        survey.ranks = without.ranks;
    }
    let mut search = Search {
        state: &mut *state,
        references: &survey.references,
        unchanged: None,
        best: None,
    };
    search.descend(colours_of(&survey.ranks));
    let places = search.best.map(|best| best.1).unwrap_or_default();
    move_members(&mut |visit| state.visit(visit), &places);
    places
}

/// Colours of members, by what they are to be told apart by: equal ones have one, and the order is that of the keys.
fn colours_of<K: Ord>(keys: &[K]) -> Vec<usize> {
    let mut order: Vec<_> = (0..keys.len()).collect();
    order.sort_by(|one, other| keys[*one].cmp(&keys[*other]));
    let mut colours = vec![0; keys.len()];
    for (place, pair) in order.windows(2).enumerate() {
        let [one, other] = [pair[0], pair[1]];
        colours[other] = if keys[one] == keys[other] {
            colours[one]
        } else {
            place + 1
        };
    }
    colours
}

/// The place of each member in the order of the colours; of one colour, as they stand.
fn in_order(colours: &[usize]) -> Vec<usize> {
    let mut order: Vec<_> = (0..colours.len()).collect();
    order.sort_by_key(|member| colours[*member]);
    let mut places = vec![0; colours.len()];
    for (place, member) in order.into_iter().enumerate() {
        places[member] = place;
    }
    places
}

/// Numbers in the order in which a state shows them, and a hash of all of it: equal ones are of one state.
type Signature = (Vec<usize>, u64);

/// Search for the order of members that gives the least signature.
struct Search<'a> {
    state: &'a mut dyn Named,
    references: &'a [(Option<usize>, usize)],
    /// Signature of the state as it is.
    unchanged: Option<Signature>,
    best: Option<(Signature, Vec<usize>)>,
}

impl Search<'_> {
    /// The signature of the state with its members moved.
    fn signature(&mut self, places: &[usize]) -> Signature {
        let state = &mut *self.state;
        move_members(&mut |visit| state.visit(visit), places);
        let mut listed = Listed {
            members: places.len(),
            numbers: Vec::new(),
        };
        state.visit(&mut listed);
        let signature = (listed.numbers, state.hash());
        move_members(&mut |visit| state.visit(visit), &inverse(places));
        signature
    }

    /// True if to exchange two members changes nothing.
    fn are_exchangeable(&mut self, one: usize, other: usize, members: usize) -> bool {
        let mut places: Vec<_> = (0..members).collect();
        if self.unchanged.is_none() {
            self.unchanged = Some(self.signature(&places));
        }
        places.swap(one, other);
        Some(self.signature(&places)) == self.unchanged
    }

    /// Tells members of one colour apart by the colours of those that they name, and that name them, until nothing is gained.
    fn refine(&self, colours: Vec<usize>) -> Vec<usize> {
        let mut colours = colours;
        loop {
            let mut keys: Vec<_> = colours
                .iter()
                .map(|colour| (*colour, Vec::new(), Vec::new()))
                .collect();
            for (within, of) in self.references {
                keys[*of].1.push(within.map(|within| colours[within]));
                if let Some(within) = within {
                    keys[*within].2.push(colours[*of]);
                }
            }
            for (_, naming, named) in &mut keys {
                naming.sort_unstable();
                named.sort_unstable();
            }
            let refined = colours_of(&keys);
            if refined == colours {
                return colours;
            }
            colours = refined;
        }
    }

    /// The members of the first colour that several have, of which some are named or name others.
    fn first_alike(&self, colours: &[usize]) -> Vec<usize> {
        let is_referring = |member: usize| {
            let mut references = self.references.iter();
            references.any(|(within, of)| *of == member || *within == Some(member))
        };
        let of_colour = |colour: usize| -> Vec<usize> {
            let members = (0..colours.len()).filter(|member| colours[*member] == colour);
            members.collect()
        };
        let alike = (0..colours.len()).map(of_colour);
        let mut alike = alike.filter(|alike| alike.len() > 1 && is_referring(alike[0]));
        alike.next().unwrap_or_default()
    }

    fn descend(&mut self, colours: Vec<usize>) {
        let colours = self.refine(colours);
        let alike = self.first_alike(&colours);
        if alike.is_empty() {
            let places = in_order(&colours);
            let signature = self.signature(&places);
            if self.best.as_ref().is_none_or(|(best, _)| signature < *best) {
                self.best = Some((signature, places));
            }
            return;
        }
        let mut tried: Vec<usize> = Vec::new();
        for member in alike {
            let mut others = tried.iter();
            if others.any(|other| self.are_exchangeable(*other, member, colours.len())) {
                continue;
            }
            tried.push(member);
            let mut first: Vec<_> = colours.iter().map(|colour| 2 * colour + 1).collect();
            first[member] -= 1;
            self.descend(colours_of(&first));
        }
    }
}
